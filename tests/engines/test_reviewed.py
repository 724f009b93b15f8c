"""What engines do that a table in memory does not, and that must change no count."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import duckdb
import narwhals as nw
import polars as pl
import pytest
from alike import alike

import tallymark as tm
from tallymark.errors import ColumnError, EngineError, MissingValueError

ROWS = {
    "y": ["Yes", "yes", "no", "No", "Yes"],
    "p": ["yes", "yes", "No", "No", "Yes"],
    "r": ["n", "N", "n", "n", "s"],
}


@pytest.fixture(scope="module")
def duck() -> Iterator[Any]:
    with duckdb.connect() as connection:
        yield connection


# --- text ----------------------------------------------------------------------------------------


def test_text_that_duckdb_compares_without_case_is_counted_as_written(duck: Any) -> None:
    columns = ", ".join(f"{name} VARCHAR COLLATE NOCASE" for name in ROWS)
    duck.sql(f"CREATE TABLE answers ({columns})")
    duck.sql(f"INSERT INTO answers VALUES {', '.join(map(str, zip(*ROWS.values(), strict=True)))}")
    counted = tm.tally(duck.table("answers"), actual="y", predicted="p", slices=["r"])
    alike(counted, tm.tally(pl.DataFrame(ROWS), actual="y", predicted="p", slices=["r"]))


def test_ids_that_duckdb_compares_without_case_are_matched_as_written(duck: Any) -> None:
    for name, answers in (("first", (1, 0, 1)), ("second", (1, 1, 0))):
        duck.sql(f"CREATE TABLE {name} (id VARCHAR COLLATE NOCASE, y INTEGER, p INTEGER)")
        rows = zip(("a", "A", "b"), (1, 0, 1), answers, strict=True)
        duck.sql(f"INSERT INTO {name} VALUES {', '.join(map(str, rows))}")
    tables = {name: duck.table(name) for name in ("first", "second")}
    found = tm.compare(tables, actual="y", predicted="p", id="id", metrics="accuracy")
    assert found["accuracy"].value == pytest.approx(1 - 1 / 3)


def test_a_table_that_narwhals_holds_is_counted_where_it_is(duck: Any) -> None:
    table = duck.sql("SELECT 1 AS y, 0 AS p, 1 AS p")
    with pytest.raises(ColumnError, match="several columns called 'p'"):
        tm.tally(nw.from_native(table), actual="y", predicted="p")


# --- columns -------------------------------------------------------------------------------------


def test_a_column_that_duckdb_has_twice_is_refused(duck: Any) -> None:
    twice = duck.sql("SELECT 1 AS y, 0 AS y, 1 AS p, 0 AS q")
    assert tm.tally(twice, actual="p", predicted="q").rows == 1
    with pytest.raises(ColumnError, match="the frame has several columns called 'y'"):
        tm.tally(twice, actual="y", predicted="p")


def test_a_column_of_a_join_that_duckdb_has_twice_is_refused(duck: Any) -> None:
    one, two = duck.sql("SELECT 1 AS id, 0 AS y"), duck.sql("SELECT 1 AS id, 1 AS p")
    joined = one.set_alias("one").join(two.set_alias("two"), "one.id = two.id")
    assert tm.tally(joined, actual="y", predicted="p").rows == 1
    with pytest.raises(ColumnError, match="several columns called 'id'"):
        tm.tally(joined, actual="y", predicted="id")


@pytest.mark.parametrize("kept", [{"y": [0, 1]}, {"y": [0, 1], "w": [None, None]}])
def test_numbers_of_which_none_is_there_are_missing(kept: dict[str, list[Any]]) -> None:
    table = pl.DataFrame({**kept, "s": [None, None]})
    options = {"weight": "w"} if "w" in kept else {}
    with pytest.raises(MissingValueError, match=r"score \(column 's'\) is missing in 2 of 2 rows") as here:
        tm.tally(table, actual="y", score="s", **options)
    with pytest.raises(MissingValueError) as there:
        tm.tally(table.lazy(), actual="y", score="s", approximate=True, **options)
    assert str(there.value) == str(here.value)


# --- tables that are not what they were ----------------------------------------------------------


@pytest.mark.parametrize("gone", ["the connection", "the table"])
def test_a_table_that_is_no_longer_there_is_told_in_a_sentence(gone: str) -> None:
    connection = duckdb.connect()
    connection.sql("CREATE TABLE rows AS SELECT 1 AS y, 0 AS p")
    table = connection.table("rows")
    connection.sql("DROP TABLE rows")
    if gone == "the connection":
        connection.close()
    for asked in (tm.tally, tm.evaluate):
        with pytest.raises(EngineError, match="DuckDB"):
            asked(table, actual="y", predicted="p")
    connection.close()


@pytest.mark.parametrize(
    "options", [{"slices": ["r"]}, {"approximate": True}, {"approximate": True, "weight": "w"}]
)
def test_rows_that_change_while_they_are_counted_are_told(duck: Any, options: dict[str, Any]) -> None:
    random = "(random() < 0.5)::INTEGER"
    table = duck.sql(
        f"SELECT {random} AS y, random() AS s, {random} AS r, 2 AS w FROM range(4096) WHERE random() < 0.5"
    )
    with pytest.raises(EngineError, match=r"^the table had [\d,]+ rows that count, and then [\d,]+"):
        tm.tally(table, actual="y", score="s", **options)


def test_classes_that_change_while_they_are_counted_are_told(duck: Any) -> None:
    table = duck.sql("SELECT (random() < 0.5)::INTEGER AS y, random() AS s FROM range(4096)")
    with pytest.raises(EngineError, match="it changes while it is read"):
        tm.tally(table, actual="y", score="s", approximate=True)


# --- weights -------------------------------------------------------------------------------------


@pytest.mark.parametrize("approximate", [False, True])
def test_weights_that_add_up_to_what_a_float_rounds_are_no_whole_numbers(
    duck: Any, approximate: bool
) -> None:
    table = pl.DataFrame({"y": [0, 1, 1, 0], "s": [0.1, 0.9, 0.4, 0.4], "w": [2**53, 1, 1, 1]})
    options: dict[str, Any] = {"actual": "y", "score": "s", "weight": "w", "approximate": approximate}
    alike(tm.tally(duck.from_arrow(table.to_arrow()), **options), tm.tally(table, **options))
    for rows in (table, duck.from_arrow(table.to_arrow())):
        with pytest.raises(ColumnError, match=r"adds up to 2\*\*53 rows or more"):
            tm.tally(rows, weight_kind="frequency", **options)
