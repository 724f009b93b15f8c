"""Models in tables of an engine, or in files that it reads: the same comparison as in memory."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import dask.dataframe as dd
import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import tallymark as tm
from collected import each
from documents import same
from scored import classes, refusals

N = 180
ASKED: dict[str, Any] = {"actual": "y", "id": "id"}
ID, TEXT, P, S = pl.col("id"), pl.col("id").cast(pl.String), pl.col("p"), pl.col("s")
DAYS = pl.date(2020, 1, 1) + pl.duration(days=ID)


def table(seed: int, rows: int = N, **more: Any) -> pl.DataFrame:
    """The same rows for every seed, with other predictions and scores, in another order."""
    fixed, rng = np.random.default_rng(7), np.random.default_rng(seed)
    y, ids = fixed.integers(0, 2, rows), fixed.permutation(5 * rows)[:rows]
    weight = fixed.integers(0, 4, rows)
    score = np.clip(0.3 * y + rng.normal(0.35, 0.2, rows), 0.02, 0.98).round(3)
    columns = {"id": ids, "y": y, "p": (score + rng.normal(0, 0.1, rows) > 0.5).astype(int), "s": score}
    frame = pl.DataFrame(columns | {"w": weight, "x": weight / 3 + 0.1})
    return frame.with_columns(**more)[rng.permutation(rows)]


Made = Callable[[pl.DataFrame], Any]
"""A table in an engine, of one in memory."""


@pytest.fixture(scope="module")
def made() -> Iterator[Made]:
    connection = duckdb.connect()
    known: list[Any] = []

    def relation(frame: pl.DataFrame) -> Any:
        known.append(frame.to_arrow())
        connection.register(f"t{len(known)}", known[-1])
        return connection.table(f"t{len(known)}")

    yield relation
    connection.close()


def compared(made: Made, *tables: pl.DataFrame, stays: bool = True, **options: Any) -> tuple[Any, Any]:
    """In memory and in the engine, which are the same."""
    given = dict(zip("abc", tables, strict=False))
    one = tm.compare(given, **ASKED | options)
    two = tm.compare({name: made(frame) for name, frame in given.items()}, **ASKED | options)
    assert any("joined" in note for note in set(two.notes) - set(one.notes)) == stays
    same(one.to_dict(), two.to_dict(), but=["notes"])
    return one, two


def problem(work: Callable[[], Any]) -> tm.TallymarkError:
    with pytest.raises(tm.TallymarkError) as raised:
        work()
    return raised.value


def refused(made: Made, a: Any, b: Any, **options: Any) -> list[tm.TallymarkError]:
    """In memory and in the engine."""
    asked = ASKED | {"predicted": "p"} | options
    return [
        problem(lambda place=place: tm.compare({"a": place(a), "b": place(b)}, **asked))
        for place in (lambda frame: frame, made)
    ]


# --- the same values ---------------------------------------------------------------------------------

OPTIONS: dict[str, dict[str, Any]] = {
    "rankings": {
        "predicted": "p",
        "score": "s",
        "metrics": ["auc", "gini", "partial_auc:0.3", "average_precision"],
    },
    "cut": {"score": "s", "threshold": 0.4, "metric": "f1", "metrics": ["brier", "log_loss", "ece", "mcc"]},
    "whole weights": {"predicted": "p", "weight": "w", "score": "s"},
    "weights": {"predicted": "p", "weight": "x", "score": "s"},
    "frequencies": {"score": "s", "weight": "w", "weight_kind": "frequency"},
    "costs": {"predicted": "p", "costs": {0: {1: 1}, 1: {0: 5}}, "labels": [0, 1], "margin": 0.05},
    "swaps": {"predicted": "p", "test": "permutation", "alternative": "greater", "permutations": 200},
}


@each("name", OPTIONS)
def test_in_the_engine_is_as_in_memory(made: Made, name: str) -> None:
    one, two = compared(made, table(1), table(2), **OPTIONS[name])
    assert one.design == two.design == "same rows"


def test_tables_of_other_kinds(made: Made) -> None:
    a, b = table(1), table(2)
    # The agreement is that of rows matched by hand; n01 are the rows that only the first has right.
    found = tm.compare({"a": made(a), "b": made(b)}, predicted="p", **ASKED).to_dict()["agreement"][0]
    second = {row["id"]: row["p"] == row["y"] for row in b.to_dicts()}
    right = [(row["p"] == row["y"], second[row["id"]]) for row in a.to_dicts()]
    names = {"n00": (False, False), "n01": (True, False), "n10": (False, True), "n11": (True, True)}
    assert {name: found[name] for name in names} == {name: right.count(pair) for name, pair in names.items()}
    words = pl.when(pl.col("y") == 1).then(pl.lit("a")).otherwise(pl.lit("b"))
    options = {"labels": ["b", "a"], "pos_label": "a", "metrics": ["recall", "precision", "auc"]}
    compared(made, table(1, y=words), table(2, y=words), score="s", **options)
    # Scores of the third are no probabilities.
    compared(
        made, a, b, table(3, s=5 * S - 1), predicted="p", score="s", metrics=["auc", "brier", "log_loss"]
    )
    many = [table(seed, 5_000) for seed in (1, 2, 3)]
    compared(made, *many, score="s", weight="x", metrics=["auc", "brier", "accuracy"])
    # Rows that lack a value are left out of all.
    lacking = table(2, p=pl.when(ID % 10 > 0).then(P))
    one, two = compared(made, a, lacking, predicted="p", missing="drop")
    assert one.notes[0] == two.notes[0]
    # A row that one model lacks altogether does no harm where the other has no prediction of it.
    unanswered = lacking.filter(P.is_null())["id"][0]
    compared(made, a.filter(ID.ne(unanswered)), lacking, predicted="p", missing="drop")


@each(
    "first, second",
    [
        (ID, TEXT), (ID, ID.cast(pl.Float64)), (ID.cast(pl.Int16), ID.cast(pl.UInt64)), (ID / 2, ID / 2),
        ("r" + TEXT, ("r" + TEXT).cast(pl.Categorical)), (DAYS, DAYS),
    ],
)  # fmt: skip
def test_ids_are_matched_as_in_memory(made: Made, first: pl.Expr, second: pl.Expr) -> None:
    one, two = compared(made, table(1, id=first), table(2, id=second), predicted="p")
    assert one.notes[0] == two.notes[0]


WIDE = table(1, q=1 - P, t=1 - S, f=P.cast(pl.Float64), g=pl.when(pl.col("w") > 0).then(S), v=pl.lit("x"))


@each(
    "models, options",
    [
        ({"a": "p", "b": "q"}, {}),
        ({"a": "s", "b": "t", "c": "f"}, {"weight": "x"}),
        (["s", "g"], {"missing": "drop", "threshold": 0.4}),
    ],
)
def test_columns_of_one_table(made: Made, models: Any, options: dict[str, Any]) -> None:
    one, two = (tm.compare(frame, models=models, actual="y", **options) for frame in (WIDE, made(WIDE)))
    same(one.to_dict(), two.to_dict(), but=["notes"])
    assert (one.notes[0], len(two.notes) > len(one.notes)) == (two.notes[0], True)


@each(
    "options",
    [
        {"score": "s", "groups": "w"},
        {"score": "s", "threshold": "best"},
        {"score": "s", "test": "permutation", "permutations": 200},
        {"probabilities": {0: "z", 1: "s"}},
    ],
)
def test_rows_that_are_needed_are_brought_here(made: Made, options: dict[str, Any]) -> None:
    compared(made, *(table(seed, z=1 - S) for seed in (1, 2)), stays=False, **options)


def test_bounds_on_a_grid_hold_what_exact_scores_give(made: Made) -> None:
    # Scores so near to each other that many share a bin.
    a, b = (table(seed, s=0.7 + S / 5e4) for seed in (1, 2))
    options: dict[str, Any] = {"score": "s", "metrics": ["auc", "average_precision", "brier"], **ASKED}
    exact = tm.compare({"a": a, "b": b}, **options)
    coarse = tm.compare({"a": made(a), "b": made(b)}, approximate=True, **options)
    lazy = tm.compare({"a": a.lazy(), "b": b.lazy()}, approximate=True, **options)
    for one, two, three in zip(exact.differences, coarse.differences, lazy.differences, strict=True):
        same(two.to_dict(), three.to_dict(), but=["notes"])
        low, high = two.estimate.bounds or (two.value, two.value)
        assert low - 1e-12 <= one.value <= high + 1e-12, one.metric
    assert coarse["auc"].estimate.bounds is not None


# --- other engines -----------------------------------------------------------------------------------


def partitioned(frame: pl.DataFrame) -> Any:
    return dd.from_pandas(frame.to_pandas(), npartitions=3)


def test_dask_is_as_in_memory(dask_client: Any, tmp_path: Path) -> None:
    compared(partitioned, table(1), table(2, id=TEXT), predicted="p", score="s", weight="x")
    one, two = refused(partitioned, table(1), table(2)[:-3])
    assert one.message.partition("(")[0] == two.message.partition("(")[0]
    one, two = (tm.compare(frame, models=["s", "q"], actual="y") for frame in (WIDE, partitioned(WIDE)))
    same(one.to_dict(), two.to_dict(), but=["notes"])
    # Files, of which one has its ids in a dictionary.
    words, files = [table(seed, id="r" + TEXT) for seed in (1, 2)], {}
    for place, (name, frame) in enumerate(zip("ab", words, strict=True)):
        rows = frame.to_arrow()
        ids = rows["id"].dictionary_encode() if place else rows["id"]
        files[name] = str(tmp_path / f"{name}=1.parquet")
        pq.write_table(pa.table({**{name: rows[name] for name in rows.column_names}, "id": ids}), files[name])
    one = tm.compare(dict(zip("ab", words, strict=True)), score="s", **ASKED)
    same(one.to_dict(), tm.compare(files, engine="dask", score="s", **ASKED).to_dict(), but=["notes"])


def test_spark_is_as_in_memory(spark: Any) -> None:
    from pyspark.sql.functions import col

    frame = spark.createDataFrame(table(1, t=1 - S).to_arrow()).repartition(2)
    first = frame.select("id", "y", col("s").alias("score"))
    second = frame.select(col("id").cast("string").alias("id"), "y", col("t").alias("score"))
    one = tm.compare(table(1, t=1 - S), models={"a": "s", "b": "t"}, actual="y", metrics=["auc"])
    two = tm.compare({"a": first, "b": second}, score="score", metrics=["auc"], **ASKED)
    same(one.to_dict(), two.to_dict(), but=["notes"])
    assert not spark.sparkContext._jsc.getPersistentRDDs()


@pytest.mark.thorough
def test_columns_of_a_table_of_spark(spark: Any) -> None:
    sparse = table(1, q=pl.when(pl.col("w") > 0).then(1 - P)).select("y", "p", "q")
    options: dict[str, Any] = {"models": ["p", "q"], "actual": "y", "missing": "drop", "metrics": ["f1"]}
    one, two = (tm.compare(given, **options) for given in (sparse, spark.createDataFrame(sparse.to_arrow())))
    same(one.to_dict(), two.to_dict(), but=["notes"])


def written(folder: Path) -> dict[str, str]:
    """The files of two models, each of two parts."""
    for seed, name in enumerate("ab", 1):
        (folder / name).mkdir()
        table(seed)[:50].write_parquet(folder / name / "1.parquet")
        table(seed)[50:].write_parquet(folder / name / "2.parquet")
    return {name: str(folder / name) for name in "ab"}


def test_files(tmp_path: Path, snapshot: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    files, options = written(Path()), {"score": "s", "predicted": "p", "metrics": ["auc", "f1"]}
    one = tm.compare({"a": table(1), "b": table(2)}, **ASKED | options)
    two, guessed = (
        tm.compare(files, engine="duckdb", **ASKED | options | more) for more in ({}, {"id": None})
    )
    same(one.to_dict(), two.to_dict(), but=["notes"])
    same(one.to_dict(), guessed.to_dict(), but=["notes"])
    assert one.notes[0] == two.notes[0]
    WIDE.write_parquet("wide.parquet")
    of_columns: dict[str, Any] = {"models": ["s", "t", "p"], "actual": "y"}
    one, two = tm.compare(WIDE, **of_columns), tm.compare("wide.parquet", engine="duckdb", **of_columns)
    same(one.to_dict(), two.to_dict(), but=["notes"])
    asked: dict[str, dict[str, Any]] = {
        "groups": {"engine": "duckdb", "groups": "p"},
        "the best threshold": {"engine": "duckdb", "threshold": "best"},
        "no column": {"engine": "duckdb", "id": "none"},
        "no ids": {"engine": "duckdb", "id": None, "design": "same rows"},
        "an engine": {"engine": "ray"},
        "a master": {"master": "local"},
    }
    calls = {
        name: lambda more=more: tm.compare(files, score="s", **ASKED | more) for name, more in asked.items()
    }
    for name in "ab":
        table(1).write_csv(f"{name}.csv")
    csv = {name: f"{name}.csv" for name in "ab"}
    calls |= {
        f"text in {engine}": lambda engine=engine: tm.compare(csv, score="s", engine=engine, **ASKED)
        for engine in ("duckdb", "dask", "spark")
    }
    calls["an engine for tables"] = lambda: tm.compare(
        {"a": table(1), "b": table(2)}, score="s", engine="duckdb", **ASKED
    )
    calls["an engine for arrays"] = lambda: tm.compare({"a": [1, 0], "b": [0, 0]}, [1, 0], engine="duckdb")
    found = refusals(calls)
    assert tm.compare(csv, score="s", engine="polars", **ASKED).design == "same rows"
    # Parts of other types are not for Dask, which would not read them as they are.
    table(1)[50:].with_columns(pl.col("y").cast(pl.Int8)).write_parquet("a/2.parquet")
    found |= refusals({"types for Dask": lambda: tm.compare(files, score="s", engine="dask", **ASKED)})
    one = tm.compare({"a": table(1), "b": table(2)}, score="s", **ASKED)
    same(one.to_dict(), tm.compare(files, score="s", engine="duckdb", **ASKED).to_dict(), but=["notes"])
    assert classes(found) == dict.fromkeys(found, "OptionError") | {"no column": "ColumnError"}
    snapshot("engines_refused_comparisons_of_files", found)


# --- what is refused ---------------------------------------------------------------------------------


def test_what_is_wrong_with_rows_is_told_as_in_memory(made: Made) -> None:
    a, b, first = table(1), table(2), table(1)["id"][0]
    here = ID.eq(first)
    for other, options in (
        (table(2, y=pl.when(here).then(1 - pl.col("y")).otherwise(pl.col("y"))), {}),
        (table(2, w=pl.when(here).then(9).otherwise(pl.col("w"))), {"weight": "w"}),
        (table(2, p=pl.when(ID > 99).then(P)), {}),
    ):
        one, two = refused(made, a, other, **options)
        assert (type(one), str(one)) == (type(two), str(two))
    for other in (table(2, id="x" + TEXT), b[:-3]):
        one, two = refused(made, a, other)
        assert (type(one), one.message.partition("(")[0]) == (type(two), two.message.partition("(")[0])
    assert all(str(each) in two.message for each in b["id"][-3:])


def test_what_cannot_be_joined(made: Made, snapshot: Any) -> None:
    a, b, elsewhere = table(1), table(2), duckdb.connect()
    elsewhere.register("b", b.to_arrow())
    asked, unnamed = {"predicted": "p", **ASKED}, {"actual": "y", "predicted": "p"}
    without = {name: made(table(seed).rename({"id": "n"})) for seed, name in enumerate("ab", 1)}
    large = {name: made(table(seed, 12_000)) for seed, name in enumerate("ab", 1)}
    little: dict[str, Any] = {"score": "s", "metrics": ["auc"], "memory": "1MB", **ASKED}
    wide = made(WIDE)
    pairs: dict[str, tuple[Any, Any]] = {
        "an id twice": (made(a), made(pl.concat([b, b[4:5]]))),
        "an id missing": (made(a), made(table(2, id=pl.when(ID > 99).then(ID)))),
        "ids in common": (made(a), made(table(2, id=ID + 10_000))),
        "ids of two types": (made(table(1, id=DAYS)), made(table(2, id="r" + TEXT))),
        "one here": (made(a), b),
        "two connections": (made(a), elsewhere.table("b")),
    }
    calls: dict[str, Any] = {
        name: lambda pair=pair: tm.compare(dict(zip("ab", pair, strict=True)), **asked)
        for name, pair in pairs.items()
    }
    calls |= {
        "no ids": lambda: tm.compare(without, **unnamed),
        "groups in little memory": lambda: tm.compare(large, groups="w", **little),
        "groups on a grid": lambda: tm.compare(large, groups="w", approximate=True, **little),
    }
    for name, models, options in (
        ("one model", {"a": "p"}, {}),
        ("no column", {"a": "p", "b": "none"}, {}),
        ("text", {"a": "p", "b": "v"}, {}),
        ("a threshold", {"a": "p", "b": "q"}, {"threshold": 0.4}),
        ("other rows", {"a": "p", "b": "q"}, {"design": "other rows"}),
        ("a delimiter", {"a": "p", "b": "q"}, {"delimiter": ";"}),
    ):
        calls[name] = lambda models=models, options=options: tm.compare(
            wide, models=models, actual="y", **options
        )
    found = refusals(calls)
    elsewhere.close()
    rows = dict.fromkeys(
        ("an id twice", "an id missing", "ids in common", "ids of two types", "one here"), "InputError"
    )
    others = rows | {"two connections": "EngineError", "groups in little memory": "MemoryLimitError"}
    others |= {"no column": "ColumnError", "text": "LabelError"}
    assert classes(found) == dict.fromkeys(calls, "OptionError") | others
    # Which ids are named, and the words of DuckDB, are not ours.
    found["ids in common"] = found["ids in common"].partition(": 'a' has")[0]
    found["two connections"] = found["two connections"].partition(": Invalid")[0]
    snapshot("engines_refused_comparisons", found)
    # What may be done instead.
    assert tm.compare(without, design="other rows", **unnamed).design == "other rows"
    guessed = tm.compare({name: made(table(seed)) for seed, name in enumerate("ab", 1)}, **unnamed)
    assert guessed.design == "same rows"
    swapped = tm.compare(large, test="permutation", **little)
    assert any("are not kept" in note for note in swapped.notes)
