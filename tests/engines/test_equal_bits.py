"""One nasty table gives the equal tally from every library and engine, equal also to a naive count."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Any

import dask
import dask.dataframe
import duckdb
import naive
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from alike import alike
from nasty import IN_MEMORY, TABLES, Nasty, pandas_arrow, polars_enums, polars_frame

import tallymark as tm
from tallymark.errors import ColumnError, MissingValueError, TallymarkError

QUERIES: dict[str, dict[str, Any]] = {
    "labels": {"predicted": "predicted"},
    "scores": {
        "predicted": "predicted",
        "score": "score",
        "weight": "whole",
        "slices": ["place", "dose"],
    },
    "weights": {"predicted": "predicted", "score": "score", "weight": "whole"},
    "frequencies": {"score": "score", "weight": "whole", "weight_kind": "frequency"},
    "a grid": {
        "score": "score",
        "weight": "share",
        "threshold": 0.3,
        "slices": ["place*dose"],
        "approximate": True,
    },
}
ON_SPARK = ("whole numbers", "floats", "booleans and numbers", "decimals", "text", "dates")


def options_of(table: str, query: str, **more: Any) -> dict[str, Any]:
    """All that is asked of a table."""
    asked = {"actual": "actual", "missing": "drop", **TABLES[table].options, **QUERIES[query], **more}
    if not asked.get("approximate"):
        asked.pop("grid", None)
    if "score" not in asked:
        asked.pop("pos_label", None)
    return asked


@cache
def expected(table: str, query: str) -> tm.Tally:
    """What is counted in memory."""
    return tm.tally(polars_frame(TABLES[table]), **options_of(table, query))


def check(found: tm.Tally, table: str, query: str) -> None:
    alike(expected(table, query), found)
    if not QUERIES[query].get("approximate"):
        assert found == expected(table, query)


each_table = pytest.mark.parametrize("table", TABLES)
each_query = pytest.mark.parametrize("query", QUERIES)


# --- a naive count ----------------------------------------------------------------------------------


@each_table
@each_query
def test_counts_are_those_of_a_naive_count(table: str, query: str) -> None:
    options, held = options_of(table, query), TABLES[table].columns
    names = {role: options[role] for role in naive.ROLES if role in options}
    columns = {role: held[name] for role, name in names.items()}
    columns |= {name: held[name] for spec in options.get("slices", []) for name in spec.split("*")}
    asked: dict[str, Any] = {"positive": options.get("pos_label")}
    asked["frequency"] = options.get("weight_kind") == "frequency"
    if options.get("approximate"):
        asked["grid"] = naive.Grid(*options.get("grid", (0, 1)), threshold=options.get("threshold"))
    tally = expected(table, query)
    naive.agrees(tally, naive.count(columns, **asked))
    for (place,), part in tally.slices.get(("place",), {}).items():
        complete = [not any(map(naive.is_missing, row)) for row in zip(*columns.values(), strict=True)]
        chosen = [at for at, whole in enumerate(complete) if whole and held["place"][at] == place]
        of_slice = {name: [values[at] for at in chosen] for name, values in columns.items()}
        naive.agrees(part, naive.count(of_slice, **asked))


# --- libraries --------------------------------------------------------------------------------------


@each_table
@pytest.mark.parametrize("library", IN_MEMORY)
def test_every_library_gives_the_equal_tally(table: str, library: str) -> None:
    frame = IN_MEMORY[library](TABLES[table])
    for query in ("scores", "a grid"):  # which ask for all that the others do
        check(tm.tally(frame, **options_of(table, query)), table, query)


@pytest.mark.parametrize("table", ["text", "categories"])
def test_enumerations_are_text_on_the_way_to_a_grid(table: str) -> None:
    check(tm.tally(polars_enums(TABLES[table]).lazy(), **options_of(table, "a grid")), table, "a grid")


@each_table
def test_lists_give_the_equal_counts(table: str) -> None:
    held, frame = TABLES[table].columns, polars_frame(TABLES[table])
    weights = held["whole"]
    labels = tm.evaluate(held["actual"], held["predicted"], sample_weight=weights, missing="drop")
    named = {"actual": "actual", "weight": "whole", "missing": "drop"}
    assert tm.tally(frame, **named, predicted="predicted").evaluate().confusion == labels.confusion
    positive = {"pos_label": TABLES[table].options.get("pos_label")}
    scores = tm.evaluate(
        held["actual"], y_score=held["score"], sample_weight=weights, missing="drop", **positive
    )
    assert ranks(tm.tally(frame, **named, **positive, score="score").evaluate(**positive)) == ranks(scores)


def ranks(evaluation: Any) -> Any:
    return evaluation.ranking(evaluation.ranked.about).scores


@pytest.fixture(scope="module")
def duck() -> Iterator[Any]:
    with duckdb.connect() as connection:
        yield connection


@each_table
def test_duckdb_gives_the_equal_tally(table: str, duck: Any) -> None:
    relation = duck.from_arrow(TABLES[table].arrow)
    for query in QUERIES:
        check(tm.tally(relation, **options_of(table, query)), table, query)


# --- Dask -------------------------------------------------------------------------------------------


def partitions(frame: pd.DataFrame) -> Any:
    """In parts of which some are empty."""
    parts = [frame[:0], frame[:10], frame[10:10], frame[10:11], frame[11:60], frame[60:]]
    return dask.dataframe.from_delayed([dask.delayed(part) for part in parts], meta=frame[:0])


@pytest.mark.parametrize(("table", "query"), [*((table, "scores") for table in TABLES), ("text", "a grid")])
def test_dask_gives_the_equal_tally(table: str, query: str, dask_client: Any) -> None:
    frame = partitions(pandas_arrow(TABLES[table]))
    check(tm.tally(frame, **options_of(table, query)), table, query)


@pytest.mark.parametrize("library", ["pandas objects", "pandas nullable", "pandas categories"])
def test_dask_takes_all_that_pandas_has(library: str, dask_client: Any) -> None:
    for table in ("whole numbers", "text"):
        # Dask would make text of all that is an object.
        with dask.config.set({"dataframe.convert-string": False}):
            frame = partitions(IN_MEMORY[library](TABLES[table]))
        check(tm.tally(frame, **options_of(table, "labels")), table, "labels")


# --- Spark ------------------------------------------------------------------------------------------


def for_spark(table: Nasty) -> pa.Table:
    """In the types that Spark has."""
    others = {pa.uint8(): pa.int16(), pa.dictionary(pa.int32(), pa.string()): pa.string()}
    whole = table.arrow
    schema = pa.schema([(field.name, others.get(field.type, field.type)) for field in whole.schema])
    return whole.cast(schema)


ASKED = [*((table, "weights") for table in ON_SPARK), ("text", "a grid")]


@pytest.mark.parametrize(("table", "query"), ASKED)
def test_executors_of_spark_give_the_equal_tally(table: str, query: str, spark: Any) -> None:
    # By the label, so that some of the partitions are empty.
    frame = spark.createDataFrame(for_spark(TABLES[table])).repartition(6, "actual")
    check(tm.tally(frame, **options_of(table, query)), table, query)


# --- what is wrong ----------------------------------------------------------------------------------

LACKING = [
    # One in 7 of 84 rows, one in 9, two in 13, two in 17 and one in 8.
    ("actual", "missing", "12", "84"),
    ("predicted", "missing", "9", "84"),
    ("score", "missing", "13", "84"),
    ("weight", "missing", "10", "84"),
    ("slice", "missing", "11", "84"),
]
TEXT = TABLES["text"]
ENDLESS = replace(TEXT, columns=TEXT.columns | {"score": [0.5, float("-inf"), None, 1.0] * 21})


def refuses(make: Any, **more: Any) -> None:
    """Missing values are an error that counts them, and infinite scores are one even if those are dropped."""
    with pytest.raises(MissingValueError) as lacking:
        tm.tally(make(TEXT), **options_of("text", "scores", missing="error", **more))
    assert counts_in(lacking.value) == LACKING
    with pytest.raises(ColumnError) as endless:
        tm.tally(make(ENDLESS), **options_of("text", "scores", **more))
    assert counts_in(endless.value) == [("score", "infinite", "21", "")]


def counts_in(problem: TallymarkError) -> list[tuple[str, ...]]:
    """What is said of each column, but for places."""
    said = r"(\w+)(?: \(column '\w+'\))? is (\w+) in ([\d,]+)(?: of ([\d,]+))? rows"
    return re.findall(said, problem.message)


@pytest.mark.parametrize("library", IN_MEMORY)
def test_libraries_refuse_the_same(library: str) -> None:
    refuses(IN_MEMORY[library])


def test_duckdb_and_lazy_polars_refuse_the_same(duck: Any) -> None:
    refuses(lambda table: duck.from_arrow(table.arrow))
    refuses(lambda table: duck.from_arrow(table.arrow), approximate=True)
    refuses(IN_MEMORY["polars lazy"], approximate=True)


def test_dask_refuses_the_same(dask_client: Any) -> None:
    refuses(lambda table: partitions(pandas_arrow(table)))


def test_spark_refuses_the_same(spark: Any) -> None:
    refuses(lambda table: spark.createDataFrame(for_spark(table)))


# --- edges ------------------------------------------------------------------------------------------


def edge_scores() -> list[float]:
    """Scores at edges and next to them, and at the ends of what a float can be."""
    edges = [k / 61_440 for k in (0, 1, 2, 3, 7, 20_480, 30_719, 30_720, 61_439, 61_440)]
    edges += [
        0.1,
        0.3,
        0.1 + 0.2,
        0.6,
        0.7,
        0.7000000000000001,
        0.9,
        0.123,
        1.0,
        -5.0,
        5.0,
        4.999837239583334,
    ]
    near = [math.nextafter(edge, end) for edge in edges for end in (math.inf, -math.inf)]
    return [*edges, *near, 5e-324, 2.2e-308, -5e-324, -0.0, 1 - 2**-53, 1e308, -1e308, 1.7e308, -1.7e308]


EDGES = edge_scores()
GRIDS: dict[str, dict[str, Any]] = {
    "probabilities": {"threshold": 0.123},
    "any": {"grid": (-5, 5), "threshold": 0.123},
    "far": {"grid": (-1e300, 1e300)},
}


def at_edges(grid: str) -> dict[str, list[Any]]:
    scores = [score for score in EDGES if grid != "probabilities" or 0 <= score <= 1]
    return {"actual": [at % 2 for at, _ in enumerate(scores)], "score": scores}


@pytest.mark.parametrize("grid", GRIDS)
def test_scores_at_edges_are_in_the_bins_of_a_naive_count(grid: str, duck: Any) -> None:
    rows, options = at_edges(grid), {"actual": "actual", "score": "score", "approximate": True, **GRIDS[grid]}
    frame = pl.DataFrame(rows)
    tally = tm.tally(frame, **options)
    ends = options.get("grid", (0, 1))
    naive.agrees(tally, naive.count(rows, grid=naive.Grid(*ends, threshold=options.get("threshold"))))
    alike(tally, tm.tally(frame.lazy(), **options))
    alike(tally, tm.tally(duck.from_arrow(frame.to_arrow()), **options))


def test_scores_at_edges_are_in_the_same_bins_on_spark(spark: Any) -> None:
    frame = pl.DataFrame(at_edges("any"))
    options = {"actual": "actual", "score": "score", "approximate": True, **GRIDS["any"]}
    alike(tm.tally(frame, **options), tm.tally(spark.createDataFrame(frame.to_arrow()), **options))
