"""Tables of DuckDB and lazy frames of Polars: names, types and text as engines read them, what is refused."""

from collections.abc import Iterator
from typing import Any

import duckdb
import narwhals as nw
import polars as pl
import pytest

import tallymark as tm
from alike import alike
from collected import each
from scored import classes, refusals

SIDES: dict[str, Any] = {"actual": "y", "predicted": "p"}
SCORES: dict[str, Any] = {"actual": "y", "score": "s"}
ROWS = pl.DataFrame({"y": [1, 1, 0, 0, 1], "p": [1, 0, 0, 1, 1], "s": [0.9, 0.4, 0.2, 0.7, 0.8]})
# Rows 0 to 99: every other is of class 1, every third is predicted 1, and scores are from 0 to 0.99.
HUNDRED = (
    "select {} from (select i % 2 as y, (i % 3 = 0)::int as p, i / 100 as s, 1.0 as w from range(100) r(i))"
)
WRONG: dict[str, tuple[str, dict[str, Any]]] = {
    "missing": ("* replace (nullif(y, 1) as y, nullif(s, 0.5) as s)", SCORES),
    "a slice": ("*, if(s < 0.02, null, 'n') as r", {**SIDES, "slices": ["r"]}),
    "a score beside slices": ("* replace (nullif(s, 0.5) as s), 'n' as r", {**SCORES, "slices": ["r"]}),
    "every row": ("* replace (null::double as s)", {**SCORES, "missing": "drop"}),
    "infinite": ("* replace (if(s < 0.5, '-inf'::double, s) as s)", SCORES),
    "negative weights": ("* replace (if(s < 0.02, -1.5, w) as w)", {**SIDES, "weight": "w"}),
    "no weight": ("* replace (0 as w)", {**SCORES, "weight": "w"}),
    "frequencies": (
        "* replace (if(s = 0.5, 0.5, w) as w)",
        {**SIDES, "weight": "w", "weight_kind": "frequency"},
    ),
    "undeclared labels": ("* replace (if(s = 0.5, 7, y) as y)", {**SIDES, "labels": [0, 1]}),
    "fractions as labels": ("* replace (s as y)", SCORES),
    "fractions as labels on a grid": ("* replace (s as y)", {**SCORES, "approximate": True}),
    "two families": ("* replace (if(y = 1, 'yes', 'no') as y)", SIDES),
    "no positive class": ("* replace (if(y = 1, 'yes', 'no') as y)", SCORES),
    "one row of a third class": ("* replace (if(s = 0.07, 5, y) as y)", SCORES),
    "text as scores": ("* replace (s::varchar as s)", SCORES),
    "lists": ("* replace ([y] as y)", SIDES),
    "intervals": ("* replace (to_days(y::int) as y)", SIDES),
    "large numbers": ("* replace (if(s = 0.5, 2::hugeint ** 100, 0)::hugeint as s)", SCORES),
    "no column": ("*", {**SIDES, "weight": "W"}),
    "no rows": ("* from (select 0 as y, 0 as p) where y > 0 --", SIDES),
    "names that differ by case": ("*, s as Y", SIDES),
    "a name twice": ("y, y", SIDES),
    "a column called star": ('*, y as "*"', {"actual": "*", "predicted": "p"}),
}
CLASSES = {
    "MissingValueError": ("missing", "a slice", "a score beside slices", "every row"),
    "ColumnError": (
        "infinite", "negative weights", "no weight", "frequencies", "large numbers", "no column",
        "names that differ by case", "a name twice",
    ),
    "ShapeError": ("no rows",),
    "NotNumbersError": ("text as scores",),
}  # fmt: skip


@pytest.fixture(scope="module")
def duck() -> Iterator[Any]:
    with duckdb.connect() as connection:
        connection.register("given", ROWS.to_arrow())
        yield connection


def test_what_is_wrong_with_a_table(duck: Any, snapshot: Any) -> None:
    calls = {
        name: lambda query=query, asked=asked: tm.evaluate(duck.sql(HUNDRED.format(query)), **asked)
        for name, (query, asked) in WRONG.items()
    }
    refused = refusals(calls)
    snapshot("engines_refused_tables", refused)
    found = classes(refused)
    expected = {name: kind for kind, names in CLASSES.items() for name in names}
    assert {name: found[name] for name in expected} == expected
    assert set(found.values()) <= {*CLASSES, "LabelError", "InputError"}
    one = tm.evaluate(duck.sql(HUNDRED.format("* replace (1 as y)")), **SCORES)["auc"]
    assert (one.value, one.why) == (None, tm.evaluate([1, 1], y_score=[0.1, 0.2])["auc"].why)


def test_what_is_no_table_of_columns(duck: Any, snapshot: Any) -> None:
    table, closed = duck.table("given"), duckdb.connect()
    of_closed = closed.sql("SELECT 1 AS y, 1 AS p")
    closed.close()
    calls: dict[str, Any] = {
        "a connection": lambda: tm.evaluate(duck, **SIDES),
        "a table and a list": lambda: tm.evaluate(table, [1, 0, 0, 1, 1]),
        "two tables": lambda: tm.evaluate(table.select("y"), table.select("p")),
        "a list and a table": lambda: tm.evaluate([1, 0], table),
        "a closed connection": lambda: tm.tally(of_closed, **SIDES),
        "and evaluated": lambda: tm.evaluate(of_closed, **SIDES),
        "star as id": lambda: tm.evaluate(duck.sql('SELECT *, y AS "*" FROM given'), **SIDES, id="*"),
    }
    refused = refusals(calls)
    found = classes(refused)
    assert [found[name] for name in ("a closed connection", "and evaluated")] == ["EngineError"] * 2
    assert set(found.values()) <= {"EngineError", "InputError", "OptionError", "ColumnError", "ShapeError"}
    snapshot("engines_refused_arguments", refused)


def test_what_an_engine_itself_refuses_is_one_sentence(duck: Any, tmp_path: Any) -> None:
    said = []
    dry = duck.sql(
        "select i % 2 as y, if(i = 7, error('the well is dry'), i)::double as s from range(9) r(i)"
    )
    for options in ({}, {"approximate": True}):
        with pytest.raises(tm.EngineError) as raised:
            tm.tally(dry, **SCORES, **options)
        said.append(str(raised.value))
        assert "the well is dry" in said[-1]
    file = tmp_path / "rows.parquet"
    file.write_bytes(b"PAR1 and nothing else, though it is as long as it must be PAR1")
    with pytest.raises(tm.EngineError) as raised:
        tm.tally(pl.scan_parquet(file, schema={"y": pl.Int64, "s": pl.Float64}), **SCORES, approximate=True)
    assert not any("\n" in each for each in (*said, str(raised.value)))
    many = f"select i % 2 as y, i / {1_100_000} as s from range({1_100_000}) r(i)"
    with pytest.raises(tm.MemoryLimitError):
        tm.tally(duck.sql(many), **SCORES, memory="1MB")


def test_a_table_that_is_gone_or_changes_is_told(duck: Any) -> None:
    for gone in ("the connection", "the table"):
        connection = duckdb.connect()
        connection.sql("CREATE TABLE rows AS SELECT 1 AS y, 0 AS p")
        table = connection.table("rows")
        connection.sql("DROP TABLE rows")
        if gone == "the connection":
            connection.close()
        for asked in (tm.tally, tm.evaluate):
            with pytest.raises(tm.EngineError):
                asked(table, **SIDES)
        connection.close()
    duck.execute("SELECT setseed(0.5)").fetchall()  # else one in thirty runs would count as many rows again
    by_chance = "(random() < 0.5)::INTEGER"
    query = f"SELECT {by_chance} AS y, random() AS s, {by_chance} AS r, 2 AS w FROM range(4096)"
    for options in ({"slices": ["r"]}, {"approximate": True}, {"approximate": True, "weight": "w"}):
        with pytest.raises(tm.EngineError):
            tm.tally(duck.sql(f"{query} WHERE random() < 0.5"), **SCORES, **options)
    with pytest.raises(tm.EngineError):
        tm.tally(duck.sql(query), **SCORES, approximate=True)


# --- names and text ----------------------------------------------------------------------------------


def test_names_are_no_patterns_and_others_may_repeat(duck: Any) -> None:
    expected = tm.tally(ROWS, **SIDES)
    for name in ("*", "^y$"):
        for form in (pl.DataFrame.clone, pl.DataFrame.to_pandas):
            found = tm.tally(form(ROWS.rename({"y": name})), actual=name, predicted="p")
            assert found.counted == expected.counted
    grouped = tm.tally(duck.sql('SELECT y, p, y AS "^g$" FROM given'), **SIDES, groups="^g$")
    assert grouped.groups == tm.tally(ROWS.with_columns(g="y"), **SIDES, groups="g").groups
    assert tm.tally(duck.sql("SELECT y, p, s, s AS S FROM given"), **SIDES) == expected
    assert tm.tally(duck.sql("SELECT 1 AS y, 0 AS y, 1 AS p, 0 AS q"), actual="p", predicted="q").rows == 1
    one, two = duck.sql("SELECT 1 AS id, 0 AS y"), duck.sql("SELECT 1 AS id, 1 AS p")
    joined = one.set_alias("one").join(two.set_alias("two"), "one.id = two.id")
    assert tm.tally(joined, **SIDES).rows == 1
    for table, asked in (
        (joined, {"actual": "y", "predicted": "id"}),
        (nw.from_native(duck.sql("SELECT 1 AS y, 0 AS p, 1 AS p")), SIDES),
    ):
        with pytest.raises(tm.ColumnError):
            tm.tally(table, **asked)


def test_text_that_duckdb_compares_without_case_is_counted_as_written(duck: Any) -> None:
    rows = {
        "y": ["Yes", "yes", "no", "No", "Yes"],
        "p": ["yes", "yes", "No", "No", "Yes"],
        "r": ["n", "N", "n", "n", "s"],
    }
    columns = ", ".join(f"{name} VARCHAR COLLATE NOCASE" for name in rows)
    duck.sql(f"CREATE TABLE predictions ({columns})")
    duck.sql(f"INSERT INTO predictions VALUES {', '.join(map(str, zip(*rows.values(), strict=True)))}")
    alike(
        tm.tally(duck.table("predictions"), **SIDES, slices=["r"]),
        tm.tally(pl.DataFrame(rows), **SIDES, slices=["r"]),
    )
    for name, predicted in (("first", (1, 0, 1)), ("second", (1, 1, 0))):
        duck.sql(f"CREATE TABLE {name} (id VARCHAR COLLATE NOCASE, y INTEGER, p INTEGER)")
        values = zip(("a", "A", "b"), (1, 0, 1), predicted, strict=True)
        duck.sql(f"INSERT INTO {name} VALUES {', '.join(map(str, values))}")
    tables = {name: duck.table(name) for name in ("first", "second")}
    found = tm.compare(tables, actual="y", predicted="p", id="id", metrics="accuracy")
    assert found["accuracy"].value == pytest.approx(1 - 1 / 3)


# --- what adds up ------------------------------------------------------------------------------------


def test_tallies_of_engines_are_added(duck: Any, tmp_path: Any) -> None:
    from dask.dataframe import from_pandas

    ROWS.write_parquet(tmp_path / "rows.parquet")
    forms = [duck.table("given"), from_pandas(ROWS.to_pandas(), npartitions=2), tmp_path / "rows.parquet"]
    whole, expected = (
        sum(tm.tally(form, **SCORES) for form in forms),
        tm.tally(pl.concat([ROWS] * 3), **SCORES),
    )
    assert (whole.counted, whole.scores) == (expected.counted, expected.scores)


@each("approximate", [False, True])
def test_weights_that_add_up_to_what_a_float_rounds(duck: Any, approximate: bool) -> None:
    table = pl.DataFrame({"y": [0, 1, 1, 0], "s": [0.1, 0.9, 0.4, 0.4], "w": [2**53, 1, 1, 1]})
    options: dict[str, Any] = {**SCORES, "weight": "w", "approximate": approximate}
    alike(tm.tally(duck.from_arrow(table.to_arrow()), **options), tm.tally(table, **options))
    for rows in (table, duck.from_arrow(table.to_arrow())):
        with pytest.raises(tm.ColumnError):
            tm.tally(rows, weight_kind="frequency", **options)
    # Columns of which no value is there have no type of their own.
    for more in ({}, {"w": [None, None]}):
        empty = pl.DataFrame({"y": [0, 1], "s": [None, None], **more})
        asked = {**SCORES, **({"weight": "w"} if more else {})}
        with pytest.raises(tm.MissingValueError) as here:
            tm.tally(empty, **asked)
        with pytest.raises(tm.MissingValueError) as there:
            tm.tally(empty.lazy(), approximate=True, **asked)
        assert str(there.value) == str(here.value)
