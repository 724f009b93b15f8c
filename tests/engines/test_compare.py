"""Models in tables of an engine: the same comparison as in memory, from rows that are joined there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import duckdb
import numpy as np
import polars as pl
import pytest

import tallymark as tm
from documents import same
from tallymark.comparison.rows import joined, joined_counts
from tallymark.intake.engines.duckdb import store as duckdb_store

N = 180
ASKED: dict[str, Any] = {"actual": "y", "id": "id"}
ID, TEXT = pl.col("id"), pl.col("id").cast(pl.String)


def table(seed: int, rows: int = N, **more: Any) -> pl.DataFrame:
    """The same rows for every seed, with other answers and scores, in another order."""
    fixed, rng = np.random.default_rng(7), np.random.default_rng(seed)
    y, ids, weight = (
        fixed.integers(0, 2, rows),
        fixed.permutation(5 * rows)[:rows],
        fixed.integers(0, 4, rows),
    )
    score = np.clip(0.3 * y + rng.normal(0.35, 0.2, rows), 0.02, 0.98).round(3)
    columns = {"id": ids, "y": y, "p": (score + rng.normal(0, 0.1, rows) > 0.5).astype(int), "s": score}
    frame = pl.DataFrame(columns | {"w": weight, "x": weight / 3 + 0.1})
    return frame.with_columns(**more)[rng.permutation(rows)]


Made = Callable[[pl.DataFrame], Any]
"""A table in an engine, of one in memory."""


@pytest.fixture
def made() -> Iterator[Made]:
    connection = duckdb.connect()
    known: list[Any] = []

    def relation(frame: pl.DataFrame) -> Any:
        known.append(frame.to_arrow())
        connection.register(f"t{len(known)}", known[-1])
        return connection.table(f"t{len(known)}")

    yield relation
    connection.close()


def agree(one: Any, two: Any, path: str = "") -> None:
    same(one, two, path, but=["notes"])


def compared(made: Made, *tables: pl.DataFrame, stays: bool = True, **options: Any) -> tuple[Any, Any]:
    """In memory and in the engine, which are the same."""
    given = dict(zip("abc", tables, strict=False))
    in_memory = {name: value for name, value in options.items() if name not in ("memory", "approximate")}
    one = tm.compare(given, **ASKED | in_memory)
    two = tm.compare({name: made(frame) for name, frame in given.items()}, **ASKED | options)
    assert any("rows were joined in" in note for note in two.notes) == stays
    agree(one.to_dict(), two.to_dict())
    return one, two


def refused(made: Made, a: Any, b: Any, **options: Any) -> list[tuple[type, str, str | None]]:
    """What is said in memory and in the engine."""
    said = []
    for place in (lambda frame: frame, made):
        with pytest.raises(tm.errors.TallymarkError) as problem:
            tm.compare({"a": place(a), "b": place(b)}, **ASKED | {"predicted": "p"} | options)
        said.append((type(problem.value), problem.value.message, problem.value.hint))
    return said


# --- the same numbers -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "options",
    [
        {"predicted": "p", "score": "s", "metrics": ["auc", "gini", "partial_auc:0.3", "average_precision"]},
        {"score": "s", "threshold": 0.4, "metric": "f1", "metrics": ["brier", "log_loss", "ece", "mcc"]},
        {"predicted": "p", "weight": "w", "score": "s"},
        {"predicted": "p", "weight": "x", "score": "s"},
        {"score": "s", "weight": "w", "weight_kind": "frequency"},
        {"predicted": "p", "costs": {0: {1: 1}, 1: {0: 5}}, "labels": [0, 1], "margin": 0.05},
        {"predicted": "p", "test": "permutation", "alternative": "greater", "permutations": 200},
    ],
    ids=["rankings", "cut", "whole weights", "weights", "frequencies", "costs", "swaps"],
)
def test_in_the_engine_is_as_in_memory(made: Made, options: dict[str, Any]) -> None:
    one, two = compared(made, table(1), table(2), **options)
    assert one.design == two.design == "same rows"


def test_the_agreement_is_that_of_rows_matched_by_hand(made: Made) -> None:
    a, b = table(1), table(2)
    found = tm.compare({"a": made(a), "b": made(b)}, predicted="p", **ASKED).to_dict()["agreement"][0]
    second = {row["id"]: row["p"] == row["y"] for row in b.to_dicts()}
    right = [(row["p"] == row["y"], second[row["id"]]) for row in a.to_dicts()]
    # n01 are the rows that only the first has right.
    names = {"n00": (False, False), "n01": (True, False), "n10": (False, True), "n11": (True, True)}
    counts = {name: right.count(pair) for name, pair in names.items()}
    assert {name: found[name] for name in counts} == counts


def test_three_models_in_several_batches(made: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(duckdb_store, "ROWS", 2_048)
    tables = [table(seed, 9_000) for seed in (1, 2, 3)]
    compared(made, *tables, score="s", weight="x", metrics=["auc", "brier", "accuracy"])


def test_classes_that_are_words_in_an_order_of_their_own(made: Made) -> None:
    words = pl.when(pl.col("y") == 1).then(pl.lit("a")).otherwise(pl.lit("b"))
    options = {"labels": ["b", "a"], "pos_label": "a", "metrics": ["recall", "precision", "auc"]}
    compared(made, table(1, y=words), table(2, y=words), score="s", **options)


def test_scores_that_are_no_probabilities(made: Made) -> None:
    tables = table(1), table(2), table(3, s=5 * pl.col("s") - 1)
    compared(made, *tables, predicted="p", score="s", metrics=["auc", "brier", "log_loss"])


def test_rows_that_lack_a_value_are_left_out_of_all(made: Made) -> None:
    gone = pl.when(ID % 10 > 0).then(pl.col("p"))
    lacking = table(2, p=gone)
    one, two = compared(made, table(1), lacking, predicted="p", missing="drop")
    assert f"'b' lacks {lacking['p'].null_count()}." in two.notes[0]
    assert one.notes[0] == two.notes[0]
    # A row that one model lacks altogether does no harm where the other has no answer to it.
    unanswered = lacking.filter(pl.col("p").is_null())["id"][0]
    kept = table(1).filter(ID.ne(unanswered))
    compared(made, kept, lacking, predicted="p", missing="drop")


# --- ids ------------------------------------------------------------------------------------------

DAYS = pl.date(2020, 1, 1) + pl.duration(days=ID)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (ID, TEXT),
        (ID, ID.cast(pl.Float64)),
        (ID.cast(pl.Int16), ID.cast(pl.UInt64)),
        (ID / 2, ID / 2),
        ("r" + TEXT, ("r" + TEXT).cast(pl.Categorical)),
        (DAYS, DAYS),
    ],
    ids=["text", "floats", "widths", "halves", "categories", "dates"],
)
def test_ids_are_matched_as_in_memory(made: Made, first: pl.Expr, second: pl.Expr) -> None:
    one, two = compared(made, table(1, id=first), table(2, id=second), predicted="p")
    assert one.notes[0] == two.notes[0]


def test_what_is_wrong_with_rows_is_said_as_in_memory(made: Made) -> None:
    a, first = table(1), table(1)["id"][0]
    here = ID.eq(first)
    other = table(2, y=pl.when(here).then(1 - pl.col("y")).otherwise(pl.col("y")))
    one, two = refused(made, a, other)
    assert one == two
    assert f"id {first} (" in two[1]
    one, two = refused(made, a, table(2, w=pl.when(here).then(9).otherwise(pl.col("w"))), weight="w")
    assert one == two
    one, two = refused(made, a, table(2, p=pl.when(ID > 99).then(pl.col("p"))))
    assert one == two
    assert "model 'b': predicted (column 'p') is missing" in two[1]
    one, two = refused(made, a, table(2, id="x" + TEXT))
    assert one[1].partition("(")[0] == two[1].partition("(")[0]
    one, two = refused(made, a, table(2)[:-3])
    assert (one[0], one[1].partition("(")[0], one[2]) == (two[0], two[1].partition("(")[0], two[2])
    assert all(str(each) in two[1] for each in table(2)["id"][-3:])


def test_an_id_is_there_once_in_every_table(made: Made) -> None:
    b = table(2)
    _, said = refused(made, table(1), pl.concat([b, b[4:5]]))
    assert said[1].startswith(
        "model 'b': ids must be unique and present; column 'id' repeats or lacks one in 2"
    )
    _, said = refused(made, table(1), table(2, id=pl.when(ID > 99).then(ID)))
    assert "ids must be unique and present" in said[1]


def test_ids_that_cannot_be_matched(made: Made) -> None:
    _, said = refused(made, table(1), table(2, id=ID + 10_000))
    assert "the ids of the models have nothing in common" in said[1]
    tables = {"a": made(table(1, id=DAYS)), "b": made(table(2, id="r" + TEXT))}
    with pytest.raises(
        tm.errors.InputError, match="model 'a' are of type Date and those of model 'b'"
    ) as problem:
        tm.compare(tables, predicted="p", **ASKED)
    assert "of one type" in str(problem.value.hint)


def test_tables_that_no_engine_can_join(made: Made) -> None:
    a, b = table(1), table(2)
    with pytest.raises(tm.errors.InputError, match="'a' are in DuckDB and those of 'b' are here"):
        tm.compare({"a": made(a), "b": b}, predicted="p", **ASKED)
    elsewhere = duckdb.connect()
    elsewhere.register("b", b.to_arrow())
    with pytest.raises(tm.errors.EngineError, match="the tables of the models cannot be joined") as problem:
        tm.compare({"a": made(a), "b": elsewhere.table("b")}, predicted="p", **ASKED)
    assert "one connection" in str(problem.value.hint)
    elsewhere.close()


def test_without_ids_rows_have_no_order(made: Made) -> None:
    tables = {"a": made(table(1).rename({"id": "n"})), "b": made(table(2).rename({"id": "n"}))}
    with pytest.raises(tm.errors.OptionError, match="rows in DuckDB have no order of their own") as problem:
        tm.compare(tables, actual="y", predicted="p")
    assert "id=" in str(problem.value.hint)
    found = tm.compare(tables, actual="y", predicted="p", design="other rows")
    assert found.design == "other rows"
    guessed = tm.compare(
        {name: made(table(place)) for place, name in enumerate("ab")}, actual="y", predicted="p"
    )
    assert "column 'id' was taken as id (guessed from its name)." in guessed.notes


# --- models that are columns of one table ----------------------------------------------------------


@pytest.mark.parametrize(
    ("models", "options"),
    [
        ({"a": "p", "b": "q"}, {}),
        ({"a": "s", "b": "t", "c": "f"}, {"weight": "x"}),
        (["s", "g"], {"missing": "drop", "threshold": 0.4}),
    ],
    ids=["answers", "scores and answers", "missing"],
)
def test_columns_of_one_table(made: Made, models: Any, options: dict[str, Any]) -> None:
    sparse = pl.when(pl.col("w") > 0).then(pl.col("s"))
    wide = table(1, q=1 - pl.col("p"), t=1 - pl.col("s"), f=pl.col("p").cast(pl.Float64), g=sparse)
    one, two = (tm.compare(frame, models=models, actual="y", **options) for frame in (wide, made(wide)))
    agree(one.to_dict(), two.to_dict())
    assert one.notes[0] == two.notes[0]
    assert "rows stay in DuckDB, were counted part by part, and are not kept." in two.notes


def test_columns_that_cannot_be_compared(made: Made) -> None:
    wide = made(table(1, q=1 - pl.col("p"), v=pl.lit("x")))
    for models, options, said in (
        ({"a": "p"}, {}, "two models or more"),
        ({"a": "p", "b": "none"}, {}, "model 'b': there is no column 'none'"),
        ({"a": "p", "b": "v"}, {}, "model 'b': .* no label would ever match"),
        ({"a": "p", "b": "q"}, {"threshold": 0.4}, "threshold has no effect"),
        ({"a": "p", "b": "q"}, {"design": "other rows"}, "the models answered the same table"),
        ({"a": "p", "b": "q"}, {"delimiter": ";"}, "delimiter is about reading files"),
    ):
        with pytest.raises(tm.errors.TallymarkError, match=said):
            tm.compare(wide, models=models, actual="y", **options)


# --- what needs rows ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "options",
    [
        {"score": "s", "groups": "w"},
        {"score": "s", "threshold": "best"},
        {"score": "s", "test": "permutation", "permutations": 200},
        {"probabilities": {0: "z", 1: "s"}},
    ],
    ids=["groups", "best threshold", "swapped scores", "probabilities"],
)
def test_rows_that_are_needed_are_brought_here(made: Made, options: dict[str, Any]) -> None:
    tables = (table(seed, z=1 - pl.col("s")) for seed in (1, 2))
    _, two = compared(made, *tables, stays=False, **options)
    assert any(note.startswith("the rows of the DuckDB table were brought here: ") for note in two.notes)


def test_rows_that_do_not_fit_stay(made: Made) -> None:
    tables = {name: made(table(place, 12_000)) for place, name in enumerate("ab")}
    options: dict[str, Any] = {"score": "s", "metrics": ["auc"], "memory": "1MB"}
    with pytest.raises(tm.errors.MemoryLimitError, match="model 'a': a comparison by groups needs rows"):
        tm.compare(tables, groups="w", **options, **ASKED)
    found = tm.compare(tables, test="permutation", **options, **ASKED)
    assert any(
        "scores are swapped row by row, and rows in DuckDB are not kept" in note for note in found.notes
    )
    with pytest.raises(tm.errors.OptionError, match="nothing can be approximate"):
        tm.compare(tables, groups="w", approximate=True, **options, **ASKED)


def test_more_scores_than_fit_the_memory_are_refused(made: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(joined_counts, "_MERGING", 1_000)
    tables = {name: made(table(place)) for place, name in enumerate("ab")}
    with pytest.raises(tm.errors.MemoryLimitError, match="every score is kept") as problem:
        tm.compare(tables, score="s", memory="1MB", **ASKED)
    assert "approximate=True" in str(problem.value.hint)
    assert tm.compare(tables, score="s", memory="1MB", approximate=True, **ASKED).design == "same rows"


def test_bounds_on_a_grid_hold_what_exact_scores_give(made: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    from tallymark.tallies.grid import Grid

    monkeypatch.setattr(joined, "_grid", lambda _: Grid(0, 1, 50))
    a, b = table(1), table(2)
    options: dict[str, Any] = {"score": "s", "metrics": ["auc", "average_precision", "brier"], **ASKED}
    exact = tm.compare({"a": a, "b": b}, **options)
    coarse = tm.compare({"a": made(a), "b": made(b)}, approximate=True, **options)
    lazy = tm.compare({"a": a.lazy(), "b": b.lazy()}, approximate=True, **options)
    for one, two, three in zip(exact.differences, coarse.differences, lazy.differences, strict=True):
        agree(two.to_dict(), three.to_dict())
        low, high = two.estimate.bounds or (two.value, two.value)
        assert low - 1e-12 <= one.value <= high + 1e-12, one.metric
    assert coarse["auc"].estimate.bounds is not None


# --- other engines --------------------------------------------------------------------------------


def partitioned(frame: pl.DataFrame) -> Any:
    import dask.dataframe as dd

    return dd.from_pandas(frame.to_pandas(), npartitions=3)


def test_dask_is_as_in_memory(dask_client: Any) -> None:
    assert dask_client is not None
    compared(partitioned, table(1), table(2, id=TEXT), predicted="p", score="s", weight="x")


def test_dask_tells_of_rows_that_do_not_match() -> None:
    one, two = refused(partitioned, table(1), table(2)[:-3])
    assert one[1].partition("(")[0] == two[1].partition("(")[0]


def test_columns_of_one_table_of_dask() -> None:
    wide = table(1, q=1 - pl.col("p"))
    one, two = (tm.compare(frame, models=["s", "q"], actual="y") for frame in (wide, partitioned(wide)))
    agree(one.to_dict(), two.to_dict())


def test_spark_joins_what_it_took_from_one_table(spark: Any) -> None:
    from pyspark.sql.functions import col

    wide = table(1, t=1 - pl.col("s"))
    frame = spark.createDataFrame(wide.to_arrow()).repartition(2)
    first = frame.select("id", "y", col("s").alias("score"))
    second = frame.select(col("id").cast("string").alias("id"), "y", col("t").alias("score"))
    one = tm.compare(wide, models={"a": "s", "b": "t"}, actual="y", metrics=["auc"])
    two = tm.compare({"a": first, "b": second}, score="score", metrics=["auc"], **ASKED)
    agree(one.to_dict(), two.to_dict())
    assert "were read as whole numbers" in two.notes[0]
    assert not spark.sparkContext._jsc.getPersistentRDDs()


def test_columns_of_one_table_of_spark(spark: Any) -> None:
    wide = table(1, q=pl.when(pl.col("w") > 0).then(1 - pl.col("p")))
    frame = spark.createDataFrame(wide.select("y", "p", "q").to_arrow())
    one, two = (
        tm.compare(given, models=["p", "q"], actual="y", missing="drop", metrics=["f1"])
        for given in (wide, frame)
    )
    agree(one.to_dict(), two.to_dict())
