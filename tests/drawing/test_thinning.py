from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from tallymark.drawing.thinning import COLUMNS, staircase, thinned

Numbers = NDArray[np.float64]

COLUMNS_TRIED = 8


@st.composite
def lines(draw: st.DrawFn) -> tuple[Numbers, Numbers]:
    count = draw(st.integers(COLUMNS_TRIED + 1, 50))
    share = st.floats(0, 1, width=32)
    x = draw(st.lists(share, min_size=count, max_size=count))
    y = draw(st.lists(share, min_size=count, max_size=count))
    return np.array(sorted(x) if draw(st.booleans()) else x), np.array(y)


def dense(x: Numbers, y: Numbers, parts: int = 20) -> Numbers:
    """Many points on the line, its own among them."""
    place = np.arange(len(x), dtype=float)
    steps = np.linspace(0, len(x) - 1, (len(x) - 1) * parts + 1)
    return np.column_stack((np.interp(steps, place, x), np.interp(steps, place, y)))


def farthest(points: Numbers, x: Numbers, y: Numbers) -> float:
    """The largest distance of a point to the line, by the textbook formula for each of its segments."""
    start = np.column_stack((x, y))[:-1]
    along = np.diff(np.column_stack((x, y)), axis=0)
    squares = (along**2).sum(axis=1)
    away = points[:, None, :] - start[None]
    share = (away * along).sum(axis=2) / np.where(squares == 0, 1, squares)
    nearest = away - np.clip(share, 0, 1)[:, :, None] * along
    return float(np.sqrt((nearest**2).sum(axis=2)).min(axis=1).max())


@given(lines())
def test_neither_line_leaves_the_other_by_more_than_a_column(line: tuple[Numbers, Numbers]) -> None:
    few = thinned(*line, 0, 1, COLUMNS_TRIED)
    width = 1 / COLUMNS_TRIED + 1e-9
    assert farthest(dense(*line), *few) <= width
    assert farthest(dense(*few), *line) <= width


@given(lines())
def test_what_stays_are_points_of_the_line_with_its_ends_and_extremes(line: tuple[Numbers, Numbers]) -> None:
    x, y = thinned(*line, 0, 1, COLUMNS_TRIED)
    every = list(zip(*line, strict=True))
    kept = list(zip(x, y, strict=True))
    rest = iter(every)
    assert all(point in rest for point in kept)
    assert (kept[0], kept[-1]) == (every[0], every[-1])
    assert (y.min(), y.max()) == (line[1].min(), line[1].max())


@given(lines())
def test_a_line_that_only_rises_keeps_at_most_four_points_for_a_column(line: tuple[Numbers, Numbers]) -> None:
    x, _ = thinned(np.sort(line[0]), line[1], 0, 1, COLUMNS_TRIED)
    assert len(x) <= 4 * COLUMNS_TRIED


def test_a_short_line_stays_as_it_is() -> None:
    x = np.linspace(0, 1, COLUMNS)
    assert thinned(x, x, 0, 1)[0] is x


def test_a_gap_stays_a_gap() -> None:
    x = np.linspace(0, 1, 30)
    y = x.copy()
    y[10:15] = np.nan
    y[20] = np.inf
    few_x, few_y = thinned(x, y, 0, 1, 4)
    gaps = np.flatnonzero(~np.isfinite(few_y))
    assert len(gaps) >= 2
    for before, after in ((9, 15), (19, 21)):
        inside = (few_x > x[before]) & (few_x < x[after])
        assert x[before] in few_x
        assert x[after] in few_x
        assert inside.any()
        assert not np.isfinite(few_y[inside]).any()


def test_beyond_the_panel_only_the_way_in_and_out_stays() -> None:
    x = np.linspace(-10, 10, 2001)
    few, _ = thinned(x, x, 0, 1, 100)
    assert len(few) < 300
    inside = (x >= 0) & (x <= 1)
    first, last = np.flatnonzero(inside)[[0, -1]]
    assert x[first - 1] in few
    assert x[last + 1] in few
    assert np.isin(x[inside], few).all()


@pytest.mark.parametrize("shape", ["smooth", "noise"])
def test_a_million_points(shape: str) -> None:
    x = np.linspace(0, 1, 1_000_000)
    y = np.sqrt(x) if shape == "smooth" else np.random.default_rng(1).random(len(x))
    few, _ = thinned(x, y, 0, 1)
    assert len(few) <= 4 * COLUMNS


def test_a_staircase_holds_each_value_until_the_next() -> None:
    x, y = staircase(np.array([3.0, 2.0, 0.0]), np.array([0.1, 0.5, 0.9]))
    assert list(zip(x, y, strict=True)) == [(3, 0.1), (2, 0.1), (2, 0.5), (0, 0.5), (0, 0.9)]
    assert [len(part) for part in staircase(np.array([]), np.array([]))] == [0, 0]
