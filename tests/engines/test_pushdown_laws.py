"""A group-by in an engine counts what numpy counts of the same rows, whatever they are."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Any

import duckdb
import polars as pl
import pytest
from alike import differences
from hypothesis import given, settings
from hypothesis import strategies as st

import tallymark as tm
from tallymark.errors import TallymarkError

FAMILIES: dict[str, tuple[list[Any], pl.DataType, Any]] = {
    "two numbers": ([0, 1], pl.Int64(), None),
    "three numbers": ([0, 1, 2**53 + 1], pl.Int64(), 2**53 + 1),
    "floats": ([0.0, -0.0, 1.0, math.nan], pl.Float64(), None),
    "booleans": ([False, True], pl.Boolean(), None),
    "text": (["a", "", "b "], pl.String(), "b "),
    "numbers as text": (["0", "1", "1.0"], pl.String(), 1),
    "categories": (["x", "y"], pl.Enum(["y", "x"]), "x"),
}
UNEVEN = [0.3, 0.6, 0.7, 0.1 + 0.2, 1 - 2**-53, 5e-324, -0.0, 0.5, math.nextafter(0.5, 1), 0.0, 1.0]
probabilities = st.sampled_from(UNEVEN) | st.floats(0, 1)
anything = st.sampled_from([*UNEVEN, math.inf, math.nan, -1e308, 1e308, 2.5]) | st.floats(-6, 6)
WEIGHTS = {
    "whole": st.integers(0, 3).map(float),
    "any": st.sampled_from([0.0, 0.5, 1.0, 2.0, 0.1, 1e-9, 1e9]),
    "wrong": st.sampled_from([1.0, 2.0, -1.0, math.inf, math.nan, 1e60]),
}
Asked = tuple[pl.DataFrame, dict[str, Any]]


@st.composite
def asked(draw: st.DrawFn, *, grid: bool) -> Asked:
    """A table and what is to be counted of it."""
    labels, kind, positive = FAMILIES[draw(st.sampled_from(sorted(FAMILIES)))]
    lacks = draw(st.booleans())
    label = st.sampled_from([*labels, None] if lacks else labels)
    score = draw(st.sampled_from([probabilities, probabilities, anything]))
    weight = WEIGHTS[draw(st.sampled_from(["whole", "whole", "any", "any", "wrong"]))]
    region = st.sampled_from(["n", "s", None] if lacks else ["n", "s"])
    rows = draw(st.lists(st.tuples(label, label, score, weight, region), max_size=12))
    schema = {"y": kind, "p": kind, "s": pl.Float64(), "w": pl.Float64(), "r": pl.String()}
    options: dict[str, Any] = {"actual": "y", "missing": draw(st.sampled_from(["drop", "drop", "error"]))}
    scored = grid or draw(st.booleans())
    if scored:
        options |= {"score": "s", "pos_label": positive}
    if not scored or draw(st.booleans()):
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
    """The tally; or what is wrong, without where."""
    try:
        return tm.tally(table, **options)
    except TallymarkError as problem:
        return type(problem).__name__, re.sub(r",? (holds .*? )?at .*?(?=;|\.$)", "", problem.message)


def same(table: pl.DataFrame, engine: Any, options: dict[str, Any]) -> None:
    expected, found = counted(table, options), counted(engine, options)
    assert not differences(expected, found), (expected, found)


@pytest.fixture(scope="module")
def duck() -> Iterator[Any]:
    with duckdb.connect() as connection:
        yield connection


@settings(max_examples=30, deadline=None)
@given(asked(grid=False))
def test_exact_counts_of_duckdb_are_those_of_numpy(duck: Any, given: Asked) -> None:
    table, options = given
    same(table, duck.from_arrow(table.to_arrow()), options)


@settings(max_examples=30, deadline=None)
@given(asked(grid=True))
def test_counts_on_a_grid_of_duckdb_are_those_of_numpy(duck: Any, given: Asked) -> None:
    table, options = given
    same(table, duck.from_arrow(table.to_arrow()), options)


@settings(max_examples=30, deadline=None)
@given(asked(grid=True))
def test_counts_on_a_grid_of_lazy_polars_are_those_of_numpy(given: Asked) -> None:
    table, options = given
    same(table, table.lazy(), options)
