"""A grid: where bins begin, which bin a score is in, and what a cut adds."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from tallymark.errors import OptionError
from tallymark.tallies.grid import BINS, SLICE_BINS, Grid


def test_bins_of_a_small_grid() -> None:
    grid = Grid(0, 1, 4)
    assert grid.edges.tolist() == [-np.inf, 0, 0.25, 0.5, 0.75, 1]
    assert len(grid) == 6
    scores = np.array([-7, -5e-324, -0.0, 0, 0.2499, 0.25, 0.9999, 1, 1e300])
    assert grid.index(scores).tolist() == [0, 0, 1, 1, 1, 2, 4, 5, 5]


def test_bins_of_a_grid_that_does_not_begin_at_0() -> None:
    grid = Grid(-1, 3, 4)
    assert grid.edges.tolist() == pytest.approx([-np.inf, -1, 0, 1, 2, 3], abs=1e-15)
    assert grid.index(np.array([-1.5, -1, -0.5, 0, 2.5, 3])).tolist() == [0, 1, 1, 2, 4, 5]


@pytest.mark.parametrize(
    ("low", "high", "bins"),
    [(0, 1, BINS), (0, 1, SLICE_BINS), (-3.7, 11.3, 1000), (1e9, 1e9 + 1, 77), (-1e-300, 1e-300, 10)],
)
def test_an_edge_is_the_least_float_of_its_bin(low: float, high: float, bins: int) -> None:
    grid = Grid(low, high, bins)
    edges = grid.edges[1:]
    assert len(edges) == bins + 1
    assert (np.diff(edges) >= 0).all()
    numbers = np.arange(1, bins + 2)
    # Where bins are narrower than floats are apart, some are empty and begin where the next one does.
    assert (grid.index(edges) >= numbers).all()
    assert (grid.index(np.nextafter(edges, -np.inf)) < numbers).all()


def test_bins_of_calibration_curves_end_where_these_do() -> None:
    edges = set(Grid().edges.tolist())
    for parts in (10, 15, 16):
        # The float next to k / parts may be the first of its bin, for products are rounded.
        for k in range(parts + 1):
            near = {k / parts, np.nextafter(k / parts, 2), np.nextafter(k / parts, -1)}
            assert near & edges, (k, parts)


def test_cuts_put_rows_above_at_and_below_apart() -> None:
    grid = Grid(0, 1, 4).cut_at([0.3])
    above = np.nextafter(0.3, 1)
    assert grid.edges.tolist() == [-np.inf, 0, 0.25, 0.3, above, 0.5, 0.75, 1]
    scores = np.array([0.25, np.nextafter(0.3, 0), 0.3, above, 0.49, 0.5, 3])
    assert grid.index(scores).tolist() == [2, 2, 3, 4, 4, 5, 7]
    assert grid.cut_at([0.3]) == grid
    assert str(grid) == "4 bins from 0 to 1 and 2 cuts"


def test_a_cut_at_an_edge_or_outside() -> None:
    grid = Grid(0, 1, 2).cut_at([0.5, -2.0, 9.0])
    assert grid.index(np.array([-3, -2, -1, 0, 0.5, 0.6, 1, 8, 9, 10])).tolist() == [
        0, 1, 2, 3, 4, 5, 6, 6, 7, 8,
    ]  # fmt: skip


def test_a_grid_is_a_value() -> None:
    grid = Grid(-1, 1, 8, np.array([0.3, 0.1, 0.3]))
    again = pickle.loads(pickle.dumps(grid))
    assert again == grid
    assert hash(again) == hash(grid)
    assert grid.cuts.tolist() == [0.1, 0.3]
    assert grid != Grid(-1, 1, 8)
    assert Grid(-1, 1, 8) != Grid(-1, 1, 9)
    assert grid != "a grid"
    for array in (grid.edges, grid.cuts):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


@pytest.mark.parametrize(
    ("low", "high", "bins", "said"),
    [
        (1, 0, 10, "reaches from a number up to a larger one; got 1 to 0"),
        (0, 0, 10, "got 0 to 0"),
        (0, float("inf"), 10, "got 0 to inf"),
        (float("nan"), 1, 10, "got nan to 1"),
        (-1e308, 1e308, 10, "up to a larger one"),
        (0, 1, 0, "from 1 to 16,777,216 bins; got 0"),
        (0, 1, 1 << 25, "got 33554432"),
        (0, 5e-324, 10, "bins"),
    ],
)
def test_what_is_no_grid(low: float, high: float, bins: int, said: str) -> None:
    with pytest.raises(OptionError, match=said):
        Grid(low, high, bins)
