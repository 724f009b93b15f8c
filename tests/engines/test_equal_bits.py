"""One nasty table gives the equal tally from every library and engine, equal also to a naive count."""

import math
import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Any

import dask
import dask.dataframe as dd
import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nasty import IN_MEMORY, TABLES, Nasty, pandas_arrow, polars_enums, polars_frame

import naive_count as naive
import tallymark as tm
from alike import alike, differences
from collected import each

QUERIES: dict[str, dict[str, Any]] = {
    "labels": {"predicted": "predicted"},
    "scores": {"predicted": "predicted", "score": "score", "weight": "whole", "slices": ["place", "dose"]},
    "weights": {"predicted": "predicted", "score": "score", "weight": "whole"},
    "frequencies": {"score": "score", "weight": "whole", "weight_kind": "frequency"},
    "a grid": {
        "score": "score", "weight": "share", "threshold": 0.3, "slices": ["place*dose"], "approximate": True,
    },
}  # fmt: skip
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


def check(frame: Any, table: str, *queries: str) -> None:
    for query in queries:
        found = tm.tally(frame, **options_of(table, query))
        alike(expected(table, query), found)
        assert QUERIES[query].get("approximate") or found == expected(table, query), query


@each("table, query", [(table, query) for table in TABLES for query in QUERIES])
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
    for (place,), part in (tally.slices["place",] if query == "scores" else {}).items():
        complete = [not any(map(naive.is_missing, row)) for row in zip(*columns.values(), strict=True)]
        chosen = [at for at, whole in enumerate(complete) if whole and held["place"][at] == place]
        of_slice = {name: [values[at] for at in chosen] for name, values in columns.items()}
        naive.agrees(part, naive.count(of_slice, **asked))


@each("table, library", [(table, library) for table in TABLES for library in IN_MEMORY])
def test_every_library_gives_the_equal_tally(table: str, library: str) -> None:
    # Which ask for all that the others do.
    check(IN_MEMORY[library](TABLES[table]), table, "scores", "a grid")
    if library == "polars lazy" and table in ("text", "categories"):
        check(polars_enums(TABLES[table]).lazy(), table, "a grid")


@each("table", TABLES)
def test_lists_give_the_equal_counts(table: str) -> None:
    held, frame = TABLES[table].columns, polars_frame(TABLES[table])
    given: dict[str, Any] = {"sample_weight": held["whole"], "missing": "drop"}
    named = {"actual": "actual", "weight": "whole", "missing": "drop"}
    labels = tm.evaluate(held["actual"], held["predicted"], **given)
    assert tm.tally(frame, **named, predicted="predicted").evaluate().confusion == labels.confusion
    positive = {"pos_label": TABLES[table].options.get("pos_label")}
    ranked = tm.evaluate(held["actual"], y_score=held["score"], **given, **positive)
    counted = tm.tally(frame, **named, **positive, score="score").evaluate(**positive)
    label = ranked.positive
    assert counted.per_class[label].curves.scores == ranked.per_class[label].curves.scores


@pytest.fixture(scope="module")
def duck() -> Iterator[Any]:
    with duckdb.connect() as connection:
        yield connection


def test_duckdb_gives_the_equal_tally(duck: Any) -> None:
    for table in TABLES:
        check(duck.from_arrow(TABLES[table].arrow), table, *QUERIES)


def partitions(frame: pd.DataFrame) -> Any:
    """In parts of which some are empty."""
    parts = [frame[:0], frame[:10], frame[10:10], frame[10:11], frame[11:60], frame[60:]]
    return dd.from_delayed([dask.delayed(part) for part in parts], meta=frame[:0])


def test_dask_gives_the_equal_tally(dask_client: Any) -> None:
    for table in TABLES:
        check(
            partitions(pandas_arrow(TABLES[table])), table, "scores", *(["a grid"] if table == "text" else [])
        )
    for library in ("pandas objects", "pandas nullable", "pandas categories"):
        for table in ("whole numbers", "text"):
            with dask.config.set({"dataframe.convert-string": False}):  # Dask would make text of all objects
                frame = partitions(IN_MEMORY[library](TABLES[table]))
            check(frame, table, "labels")
    refuses(lambda table: partitions(pandas_arrow(table)))


def for_spark(table: Nasty) -> pa.Table:
    """In the types that Spark has."""
    others = {pa.uint8(): pa.int16(), pa.dictionary(pa.int32(), pa.string()): pa.string()}
    whole = table.arrow
    return whole.cast(pa.schema([(field.name, others.get(field.type, field.type)) for field in whole.schema]))


def test_executors_of_spark_give_the_equal_tally(spark: Any) -> None:
    for table in ON_SPARK:
        # By the label, so that some of the partitions are empty.
        frame = spark.createDataFrame(for_spark(TABLES[table])).repartition(6, "actual")
        check(frame, table, "weights", *(["a grid"] if table == "text" else []))
    refuses(lambda table: spark.createDataFrame(for_spark(table)))
    scores = pl.DataFrame(at_edges("any"))
    options = {"actual": "actual", "score": "score", "approximate": True, **GRIDS["any"]}
    alike(tm.tally(scores, **options), tm.tally(spark.createDataFrame(scores.to_arrow()), **options))


# --- what is wrong -----------------------------------------------------------------------------------

TEXT = TABLES["text"]
ENDLESS = replace(TEXT, columns=TEXT.columns | {"score": [0.5, float("-inf"), None, 1.0] * 21})
# One in 7 of 84 rows has no actual label, one in 9 no predicted one, two in 13 no score, and so on.
LACKING = [12, 9, 13, 10, 11]


def refuses(make: Any, **more: Any) -> None:
    """Missing values are an error that counts them, and infinite scores are one even if those are dropped."""
    with pytest.raises(tm.MissingValueError) as lacking:
        tm.tally(make(TEXT), **options_of("text", "scores", missing="error", **more))
    assert sorted(map(int, re.findall(r"(\d+) of 84", lacking.value.message))) == sorted(LACKING)
    with pytest.raises(tm.ColumnError) as endless:
        tm.tally(make(ENDLESS), **options_of("text", "scores", **more))
    assert re.search(r"\b21\b", endless.value.message)


def test_libraries_and_duckdb_refuse_the_same(duck: Any) -> None:
    for library in IN_MEMORY:
        refuses(IN_MEMORY[library])
    refuses(IN_MEMORY["polars lazy"], approximate=True)
    for more in ({}, {"approximate": True}):
        refuses(lambda table: duck.from_arrow(table.arrow), **more)


# --- edges -------------------------------------------------------------------------------------------

AT = [k / 61_440 for k in (0, 1, 2, 3, 7, 20_480, 30_719, 30_720, 61_439, 61_440)]
AT += [0.1, 0.3, 0.1 + 0.2, 0.6, 0.7, 0.7000000000000001, 0.9, 0.123, 1.0, -5.0, 5.0, 4.999837239583334]
EDGES = [*AT, *(math.nextafter(edge, end) for edge in AT for end in (math.inf, -math.inf))]
EDGES += [5e-324, 2.2e-308, -5e-324, -0.0, 1 - 2**-53, 1e308, -1e308, 1.7e308, -1.7e308]
GRIDS: dict[str, dict[str, Any]] = {
    "probabilities": {"threshold": 0.123},
    "any": {"grid": (-5, 5), "threshold": 0.123},
    "far": {"grid": (-1e300, 1e300)},
}


def at_edges(grid: str) -> dict[str, list[Any]]:
    scores = [score for score in EDGES if grid != "probabilities" or 0 <= score <= 1]
    return {"actual": [at % 2 for at, _ in enumerate(scores)], "score": scores}


@each("grid", GRIDS)
def test_scores_at_edges_are_in_the_bins_of_a_naive_count(grid: str, duck: Any) -> None:
    rows, options = at_edges(grid), {"actual": "actual", "score": "score", "approximate": True, **GRIDS[grid]}
    frame = pl.DataFrame(rows)
    tally = tm.tally(frame, **options)
    ends = options.get("grid", (0, 1))
    naive.agrees(tally, naive.count(rows, grid=naive.Grid(*ends, threshold=options.get("threshold"))))
    alike(tally, tm.tally(frame.lazy(), **options))
    alike(tally, tm.tally(duck.from_arrow(frame.to_arrow()), **options))


# --- any table ---------------------------------------------------------------------------------------

FAMILIES: dict[str, tuple[list[Any], pl.DataType, Any]] = {
    "two numbers": ([0, 1], pl.Int64(), None), "three numbers": ([0, 1, 2**53 + 1], pl.Int64(), 2**53 + 1),
    "floats": ([0.0, -0.0, 1.0, math.nan], pl.Float64(), None),
    "booleans": ([False, True], pl.Boolean(), None), "text": (["a", "", "b "], pl.String(), "b "),
    "numbers as text": (["0", "1"], pl.String(), 1), "categories": (["x", "y"], pl.Enum(["y", "x"]), "x"),
}  # fmt: skip
SCORES = [0.3, 0.6, 0.7, 0.1 + 0.2, 1 - 2**-53, 5e-324, -0.0, 0.5, math.nextafter(0.5, 1), 0.0, 1.0]
ANYTHING = [*SCORES, math.inf, math.nan, -1e308, 1e308, 2.5, -5.5]
WEIGHTS = (
    [0, 1, 2, 3],
    [0, 1, 2, 3],
    [0.0, 0.5, 1.0, 2.0, 0.1, 1e-9, 1e9],
    [1.0, 2.0, -1.0, math.inf, math.nan, 1e60],
)


@st.composite
def tables_and_questions(draw: st.DrawFn) -> tuple[pl.DataFrame, dict[str, Any]]:
    labels, kind, positive = FAMILIES[draw(st.sampled_from(sorted(FAMILIES)))]
    lacks, grid = draw(st.booleans()), draw(st.booleans())
    label = st.sampled_from([*labels, None] if lacks else labels)
    score, weight = (
        st.sampled_from(draw(st.sampled_from(each))) for each in ((SCORES, SCORES, ANYTHING), WEIGHTS)
    )
    region = st.sampled_from(["n", "s", None] if lacks else ["n", "s"])
    rows = draw(st.lists(st.tuples(label, label, score, weight.map(float), region), max_size=12))
    schema = {"y": kind, "p": kind, "s": pl.Float64(), "w": pl.Float64(), "r": pl.String()}
    options: dict[str, Any] = {"actual": "y", "missing": draw(st.sampled_from(["drop", "drop", "error"]))}
    if grid or draw(st.booleans()):
        options |= {"score": "s", "pos_label": positive}
    if "score" not in options or draw(st.booleans()):
        options |= {"predicted": "p"}
    if draw(st.booleans()):
        options |= {"weight": "w", "weight_kind": draw(st.sampled_from(["sampling", "frequency"]))}
    options |= draw(st.sampled_from([{}, {"slices": ["r"]}, {"slices": ["r*p", "r"]}]))
    if grid:
        options |= {"approximate": True, "grid": draw(st.sampled_from([(0, 1), (-5, 5)]))}
        if "predicted" not in options:
            options |= draw(st.sampled_from([{}, {"threshold": 0.3}, {"clip": 0.01}]))
    return pl.DataFrame(rows, schema, orient="row"), options


def counted(table: Any, options: dict[str, Any]) -> Any:
    """The tally; or the class of the error."""
    try:
        return tm.tally(table, **options)
    except tm.TallymarkError as problem:
        return type(problem).__name__


@settings(max_examples=4 * settings.default.max_examples)  # of many kinds of tables
@given(tables_and_questions())
def test_any_table_is_counted_as_in_memory(duck: Any, given: Any) -> None:
    table, options = given
    in_memory = counted(table, options)
    engines = [duck.from_arrow(table.to_arrow()), *([table.lazy()] if options.get("approximate") else [])]
    for engine in engines:
        assert not differences(in_memory, counted(engine, options))
