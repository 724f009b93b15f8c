"""Tallies of tables: `+` is a commutative monoid, and counting parts equals counting the whole.

Scores are sixteenths and weights whole numbers, so that their sums are exact; only logarithms are rounded.
"""

from __future__ import annotations

from dataclasses import replace
from functools import reduce
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tallymark.evaluation.tally_files import packed
from tallymark.intake.columns import label_column
from tallymark.intake.streams.counting import count_columns
from tallymark.intake.streams.door import Columns
from tallymark.tallies.binned import Binned
from tallymark.tallies.grid import Grid
from tallymark.tallies.sums import Sums
from tallymark.tallies.tally import Declared, Tally

some = settings(max_examples=15, deadline=None)

Row = tuple[Any, Any, float, int, str]

SHAPES = {
    "labels": Declared(answers=True),
    "text": Declared(answers=True, positive="1"),
    "exact": Declared(score=True),
    "grid": Declared(score=True, grid=Grid(0, 1, 8).cut_at([0.5])),
    "weights": Declared(answers=True, score=True, weights="sampling"),
    "weights on a grid": Declared(score=True, weights="sampling", grid=Grid(0, 1, 4)),
    "frequencies": Declared(score=True, weights="frequency", grid=Grid(-1, 1, 4)),
    "slices": Declared(answers=True, slices=(("sex",), ("sex", "w"))),
    "groups": Declared(answers=True, groups=True, slices=(("sex",),)),
    "groups with scores": Declared(score=True, groups=True, slices=(("sex", "w"),)),
    "groups with weights": Declared(answers=True, score=True, weights="sampling", groups=True),
    "groups of frequencies": Declared(score=True, weights="frequency", groups=True),
    "slices on a grid": Declared(score=True, grid=Grid(0, 1, 5), slices=(("sex",),)),
}


def tables(shape: str) -> st.SearchStrategy[list[Row]]:
    labels = st.sampled_from(["1", "0", "no"] if shape == "text" else [0, 1])
    scores = st.integers(0, 16).map(lambda step: step / 16)
    return st.lists(st.tuples(labels, labels, scores, st.integers(0, 3), st.sampled_from("fm")), max_size=8)


def counted(rows: list[Row], shape: str) -> Tally:
    declared = SHAPES[shape]
    actual, predicted, score, weight, sex = zip(*rows, strict=True) if rows else ((), (), (), (), ())
    kind: Any = str if shape == "text" else np.int64
    groups = [f"{each}{int(16 * part) % 3}" for each, part in zip(sex, score, strict=True)]
    columns = Columns(
        label_column(np.array(actual, kind), "actual"),
        label_column(np.array(predicted, kind), "predicted") if declared.answers else None,
        np.array(score, float) if declared.score else None,
        None,
        np.array(weight, np.int64) if declared.weights else None,
        {"sex": label_column(np.array(sex, str), "sex"), "w": label_column(np.array(weight, np.int64), "w")},
        {"missing_actual": weight.count(3)},
        group=label_column(np.array(groups, str), "group") if declared.groups else None,
    )
    return count_columns(columns, declared)


def rounded(tally: Tally) -> Tally:
    """With logarithmic losses in fewer digits: the order of adding changes the last ones."""
    scores = tally.scores
    if isinstance(scores, Binned):
        up, down = map(_rounded, scores.losses)
        scores = replace(scores, losses=(up, down))
    slices = {
        columns: {key: rounded(part) for key, part in found.items()}
        for columns, found in tally.slices.items()
    }
    return replace(tally, scores=scores, slices=slices)


def _rounded(sums: Sums) -> Sums:
    moments = {name: round(value, 9) for name, value in vars(sums.log_loss).items()}
    return replace(sums, log_loss=replace(sums.log_loss, **moments))


@pytest.mark.parametrize("shape", SHAPES)
@some
@given(st.data())
def test_tally_of_parts_is_tally_of_whole(shape: str, data: st.DataObject) -> None:
    rows = data.draw(tables(shape))
    whole = rounded(counted(rows, shape))
    for cut in range(len(rows) + 1):
        assert rounded(counted(rows[:cut], shape) + counted(rows[cut:], shape)) == whole


@pytest.mark.parametrize("shape", SHAPES)
@some
@given(st.data())
def test_addition_is_associative_and_commutative(shape: str, data: st.DataObject) -> None:
    a, b, c = (counted(data.draw(tables(shape)), shape) for _ in range(3))
    assert rounded((a + b) + c) == rounded(a + (b + c))
    assert rounded(a + b) == rounded(b + a)
    assert reduce(Tally.__add__, [a, b, c]) == sum([a, b, c])


@pytest.mark.parametrize("shape", SHAPES)
@some
@given(st.data())
def test_no_rows_are_the_identity(shape: str, data: st.DataObject) -> None:
    tally, nothing = counted(data.draw(tables(shape)), shape), counted([], shape)
    assert nothing + tally == tally == tally + nothing
    # Nor is anything changed by what it is added to, down to the bytes of its file.
    before = packed(tally)
    _ = tally + counted(data.draw(tables(shape)), shape)
    assert packed(tally) == before == packed(tally + nothing)


# --- the one definition of a bin ----------------------------------------------------------------------

ends = st.floats(-1e12, 1e12, allow_subnormal=False)
floats = st.floats(-1e300, 1e300) | st.sampled_from([0.0, -0.0, 5e-324, -5e-324])


@st.composite
def grids(draw: st.DrawFn) -> Grid:
    low, high = sorted(draw(st.tuples(ends, ends).filter(lambda pair: abs(pair[0] - pair[1]) > 1e-290)))
    return Grid(low, high, draw(st.integers(1, 40)), np.array(draw(st.lists(floats, max_size=5))))


@settings(max_examples=60, deadline=None)
@given(grids() | st.just(Grid()), st.lists(floats, max_size=20))
def test_a_bin_is_found_by_arithmetic_as_by_search(grid: Grid, scores: list[float]) -> None:
    edges = grid.edges[1:]
    near = np.concatenate([edges, np.nextafter(edges, np.inf), np.nextafter(edges, -np.inf), grid.cuts])
    every = np.concatenate([near[np.isfinite(near)][:500], np.array(scores, float), np.array([0.0, -0.0])])
    assert grid.index(every).tolist() == (np.searchsorted(grid.edges, every, side="right") - 1).tolist()


@settings(max_examples=30, deadline=None)
@given(grids(), st.lists(floats, min_size=1, max_size=5))
def test_a_cut_is_a_bin_of_its_own(grid: Grid, scores: list[float]) -> None:
    at = np.array(scores) + 0.0
    finer = grid.cut_at(at)
    assert finer.edges[finer.index(at)].tolist() == at.tolist()
    assert set(grid.edges.tolist()) <= set(finer.edges.tolist())
    above, below = (np.nextafter(at, end) for end in (np.inf, -np.inf))
    assert (finer.index(above) > finer.index(at)).all()
    assert (finer.index(below) < finer.index(at)).all()
