"""How far off calibration errors can be when only bins of the probabilities were counted.

A bin of the calibration curve is sure of the rows whose places lie within it. A place that an edge of the
curve goes through may have some of its rows on either side. And with bins of equally many rows the edges are
themselves scores that are only known to lie in a place.
"""

from __future__ import annotations

import math

import numpy as np

from tallymark.metrics.calibration import Floats, Strategy, percentiles
from tallymark.metrics.rounding import EPSILON, rounding
from tallymark.tallies import Scores

Bounds = tuple[float, float]
_DUST = 1e-12


def calibration_bounds(
    t: Scores, n_bins: int = 10, strategy: Strategy = "width"
) -> tuple[Bounds, Bounds] | None:
    """Of the mean and of the largest distance; None where bins leave nothing open but the last digits."""
    if t.reach is None or not t.n:
        return None
    low, high = _edges(t, t.reach, n_bins, strategy)
    # An edge belongs to the bin below it.
    first, last = np.searchsorted(high, t.score), np.searchsorted(low, t.reach)
    sure = np.asarray(first == last)
    if sure.all() and t.totals is not None:
        return None
    size, counts = n_bins, t.positives + t.negatives
    count = np.bincount(first[sure], counts[sure], size)
    least, most = (t.totals,) * 2 if t.totals is not None else (t.score * counts, t.reach * counts)
    # How many more came true than were said, of the rows that are surely there.
    down, up = (np.bincount(first[sure], (t.positives - said)[sure], size) for said in (most, least))
    spans = zip(np.append(0.0, low), np.append(high, 1.0), strict=True)
    unsure = np.flatnonzero(~sure)
    mean, largest = np.zeros(2), np.zeros(2)
    for place, span in enumerate(spans):
        maybe = unsure[(first[unsure] <= place) & (place <= last[unsure])]
        ends = t.score[maybe].clip(*span), t.reach[maybe].clip(*span)
        rows = np.concatenate([t.positives[maybe], t.negatives[maybe]]).astype(float)
        # What came true less what was said of such a row, at most and at least.
        above, below = (np.concatenate([1 - said, -said]) for said in ends)
        mean += _away(
            down[place] + (rows * below.clip(max=0)).sum(), up[place] + (rows * above.clip(min=0)).sum()
        )
        if count[place] or rows.any():
            gaps = (
                -_highest(count[place], -down[place], rows, -below),
                _highest(count[place], up[place], rows, above),
            )
            nearest, farthest = _away(*gaps)
            largest = np.maximum(largest, (nearest if count[place] else 0.0, farthest))
    return _outward(mean / float(counts.sum()), t.rows), _outward(largest, t.rows)


def _edges(t: Scores, reach: Floats, n_bins: int, strategy: Strategy) -> tuple[Floats, Floats]:
    """Between what every inner edge of the curve lies."""
    shares = np.linspace(0.0, 1.0, n_bins + 1)
    if strategy == "width":
        return shares[1:-1], shares[1:-1]
    counts, sides = (t.positives + t.negatives)[::-1], []
    for scores, way in ((t.score, -1), (reach, 1)):
        rising = np.ascontiguousarray(scores[::-1])
        edges = percentiles(rising, counts, shares, weighted=t.squares is not None, shift=way * _DUST)[1:-1]
        # Between two scores an edge is rounded; at a score it is that score.
        sides.append(np.where(np.isin(edges, rising), edges, edges + way * 4 * EPSILON * np.abs(edges)))
    return sides[0], sides[1]


def _away(low: float, high: float) -> Bounds:
    """How far from 0 something between two numbers is."""
    return max(0.0, low, -high), max(abs(low), abs(high))


def _highest(count: float, total: float, rows: Floats, gaps: Floats) -> float:
    """The highest mean gap of rows that are surely there and of any that may be: those that are above it."""
    best = total / count if count else -math.inf
    for at in np.argsort(-gaps).tolist():
        if rows[at] and gaps[at] > best:
            count, total = count + rows[at], total + rows[at] * gaps[at]
            best = total / count
    return float(best)


def _outward(bounds: Floats, rows: int) -> Bounds:
    dust = rounding(rows, fractions=True)
    return max(0.0, float(bounds[0]) - dust), min(1.0, float(bounds[1]) + dust)
