"""Finer bins where bounds are wide: the edges of the next pass come from the counts of the last."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from tallymark.metrics import ask
from tallymark.metrics.score_bounds import certified
from tallymark.tallies.binned import SEVERAL, Binned
from tallymark.tallies.grid import Grid, floats_at, place_among_floats
from tallymark.tallies.scores import Scores
from tallymark.tallies.tally import Tally

ASKED = ("auc", "gini", "average_precision", "ks")
_MOST_BINS = 1 << 22
_BYTES = 400
"""Of memory for every bin, with those of all threads and of what is added up."""
_TO_SPARE = 2
"""Rows are not spread evenly in a bin, so it takes more than if they were."""
_FEWEST, _AT_ONCE = 8, 1 << 12
"""How many edges a bin gets in one pass."""


def finer_grid(tally: Tally, always: Grid, tolerance: float, memory: int) -> Grid | str | None:
    """A grid to count with once more; None when all bounds are narrow enough, or why they stay wide.

    The cuts of `always` are those that were asked for, and stay.
    """
    binned = _binned(tally)
    wide = [each for each in binned if _widest(each.scores()) > tolerance]
    if not wide:
        return None
    grid = binned[0].grid
    most = min(_MOST_BINS, memory // (_BYTES * len(binned)))
    if most < 1.25 * len(grid):
        allowed = "is not made" if most == _MOST_BINS else "does not fit into the memory allowed"
        return f"they are from {len(grid):,} bins, and a finer grid {allowed}"
    shares = np.max([_shares(each) for each in wide], axis=0)
    kept = _needed(grid, wide, always)
    low, high = min(each.low for each in wide), max(each.high for each in wide)
    edges = _split(grid, shares, tolerance, most - len(kept), low, high)
    if not len(np.setdiff1d(edges, grid.edges)):
        return "no float lies between the scores of a bin"
    return Grid(grid.low, grid.high, grid.bins, np.concatenate([always.cuts, kept, edges]))


def wide_slices(tally: Tally, tolerance: float) -> int:
    """How many slices have wider bounds."""
    parts = [part for found in tally.slices.values() for part in found.values()]
    return sum(any(_widest(each.scores()) > tolerance for each in _binned(part)) for part in parts)


def _binned(tally: Tally) -> list[Binned]:
    """All counts on a grid that ranks are made from."""
    counted = [tally.scores, *(tally.classes.columns if tally.classes is not None else ())]
    return [each for each in counted if isinstance(each, Binned)]


def _widest(scores: Scores) -> float:
    """The widest of the bounds asked for."""
    if scores.exact or not scores.pairs:
        return 0.0
    widths = []
    for asked in map(ask, ASKED):
        value = asked.metric(scores, *asked.parameters)
        bounds = None if math.isnan(value) else certified(asked, scores, value)
        widths.append(0.0 if bounds is None else bounds[1] - bounds[0])
    return max(widths)


def _shares(binned: Binned) -> NDArray[np.float64]:
    """How much every bin adds to the bounds: to those of areas, of precisions, and as a step of a curve."""
    positives, negatives = binned.positives.astype(float), binned.negatives.astype(float)
    up, down = positives.sum() or 1.0, negatives.sum() or 1.0
    above = np.cumsum((positives + negatives)[::-1])[::-1]
    of_area = (positives / up) * (negatives / down)
    # Positives that may be tied or not matter to precisions even where there are no negatives among them.
    others = (positives - 1).clip(0) if binned.squares is None else positives
    of_precision = (positives / up) * ((negatives + others) / np.where(above > 0, above, 1.0))
    of_step = np.minimum(positives / up, negatives / down) ** 2
    shares = 2 * of_area + of_precision + of_step
    return np.where((binned.points == SEVERAL) & (positives > 0), shares, 0.0)


def _needed(grid: Grid, wide: list[Binned], always: Grid) -> NDArray[np.float64]:
    """Edges of earlier passes, but those between bins that hold negatives only: their order is no matter."""
    regular = np.union1d(Grid(grid.low, grid.high, grid.bins).edges, always.edges)
    added = ~np.isin(grid.edges, regular)
    apart = np.zeros(len(grid), np.bool_)
    for each in wide:
        held = each.positives > 0
        apart |= held
        apart[1:] |= held[:-1]
    return grid.edges[added & apart]


def _split(
    grid: Grid, shares: NDArray[np.float64], tolerance: float, most: int, low: float, high: float
) -> NDArray[np.float64]:
    """Edges inside bins: a bin cut into k adds a k-th of what it did, so most go where the root is largest.

    Never very many at once, for nobody knows yet how rows are spread within a bin.
    """
    roots = np.sqrt(shares)
    total = min(float(most), _TO_SPARE * roots.sum() ** 2 / tolerance)
    order = np.argsort(shares)[::-1]
    order = order[shares[order] > 0]
    # What the least of them add up to is no matter.
    rest = shares[order][::-1].cumsum()[::-1]
    order = order[rest > tolerance / 8]
    number = np.clip(np.ceil(total * roots[order] / roots.sum()), _FEWEST, _AT_ONCE).astype(np.int64)
    fits = int(np.searchsorted(np.cumsum(number + 2), most))
    order, number = order[:fits], number[:fits]
    starts, ends = grid.edges[order], np.append(grid.edges[1:], np.inf)[order]
    starts, ends = np.maximum(starts, low), np.minimum(ends, np.nextafter(high, np.inf))
    edges = [
        _between(first, last, size)
        for first, last, size in zip(starts.tolist(), ends.tolist(), number.tolist(), strict=True)
    ]
    return np.concatenate(edges) if edges else np.empty(0)


def _between(low: float, high: float, size: int) -> NDArray[np.float64]:
    """Half of so many edges equally far apart, half with as many floats between them: scores may crowd."""
    half = size // 2 + 1
    even = low + (high - low) * (np.arange(1, half + 1) / (half + 1))
    first, last = place_among_floats(low), place_among_floats(high)
    crowded = floats_at(first + (last - first) // (half + 1) * np.arange(1, half + 1))
    return np.concatenate([even, crowded])
