"""What a number from scores can be at least and at most when only bins of the scores were counted.

Rows of a bin may come in any order, and any of them may be tied. Where all rows have one score, that is a
true tie and leaves nothing open.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark.metrics.calibration_bounds import calibration_bounds
from tallymark.metrics.registry import Asked
from tallymark.metrics.rounding import EPSILON, rounding
from tallymark.metrics.scores import Block, blocks, mcclish, pairs_of, part_of, rate_distance, room
from tallymark.tallies import Scores

Bounds = tuple[float, float]


def certified(asked: Asked, t: Scores, value: float) -> Bounds | None:
    """The least and the largest value over all orders that the rows of a bin can have.

    None where bins leave nothing open.
    """
    name = asked.metric.name
    if name in ("ece", "mce"):
        found = calibration_bounds(t, int(asked.parameters[0]))
        if found is None:
            return None
        low, high = found[name == "mce"]
    else:
        low, high = _bounds(asked, t, value)
    return min(low, value), max(high, value)  # rounding must not shut out the value itself


def _bounds(asked: Asked, t: Scores, value: float) -> Bounds:
    name = asked.metric.name
    if name in ("auc", "gini"):
        return _area(t, name)
    if name == "ks":
        return _ks(t, value)
    if name == "average_precision":
        return _average_precision(t)
    fpr = asked.parameters[0]
    low, high = _outward(_partial_area(t, fpr), t, fpr)
    return (low, high) if name == "partial_auc" else (mcclish(low, fpr), mcclish(high, fpr))


def _outward(bounds: Bounds, t: Scores, most: float = 1.0) -> Bounds:
    """A little further apart, by what rounding can do: a small end may be a difference of large sums."""
    dust = most * rounding(t.rows, fractions=not _whole(t))
    return max(0.0, bounds[0] - dust), min(most, bounds[1] + dust)


def _whole(t: Scores) -> bool:
    """Whether counts add up to whole numbers, which are not rounded."""
    return t.positives.dtype.kind == t.negatives.dtype.kind == "i"


def _area(t: Scores, name: str) -> Bounds:
    """All pairs within a bin lost, and all of them won."""
    won, tied, lost = pairs_of(t)
    within, pairs = tied_in_bins(t), won + tied + lost
    # In halves, so that counts stay whole: of a tied pair one half is won.
    low, high = 2 * won + tied - within, 2 * won + tied + within
    if name == "gini" and _whole(t):
        return float((low - pairs) / pairs), float((high - pairs) / pairs)
    bounds = float(low / (2 * pairs)), float(high / (2 * pairs))
    if not _whole(t):
        bounds = _outward(bounds, t)
    return (2 * bounds[0] - 1, 2 * bounds[1] - 1) if name == "gini" else bounds


def tied_in_bins(t: Scores) -> Any:
    """Pairs of a positive and a negative row whose order nobody knows."""
    there = t.loose
    positives, negatives = t.positives[there], t.negatives[there]
    if positives.dtype.kind in "iu" and t.pairs >= 2**63:
        positives = positives.astype(object)
    total = (positives * negatives).sum()
    return total.item() if isinstance(total, np.generic) else total


def _ks(t: Scores, least: float) -> Bounds:
    """Where bins meet the distance is known; inside, all positives may come first, or all negatives."""
    most, loose = least, t.loose
    for each in blocks(t):
        there = loose[each.at]
        for tp, fp in ((each.tp, each.fp_before), (each.tp_before, each.fp)):
            most = max(most, float(np.max(rate_distance(t, tp[there], fp[there]), initial=0.0)))
    return (least, most) if _whole(t) else _outward((least, most), t)


def _partial_area(t: Scores, fpr: float) -> Bounds:
    """Positives of a bin count from where its negatives begin, or from where they end."""
    low = high = 0.0
    loose = t.loose
    for each in blocks(t):
        start, end = (np.clip(fpr - side / t.n_negative, 0.0, None) for side in (each.fp_before, each.fp))
        tied = room(each, t.n_negative, fpr)
        low += float((each.positives * np.where(loose[each.at], end, tied)).sum())
        high += float((each.positives * np.where(loose[each.at], start, tied)).sum())
    return low / t.n_positive, min(fpr, high / t.n_positive)


def _average_precision(t: Scores) -> Bounds:
    """At most: a bin's positives tied above its negatives. At least: below them, one by one.

    The k-th positive of a bin is called with at least k of its positives and at most all of its negatives,
    and with at most all of its positives; what other bins do with their rows does not matter to it.
    """
    low = high = 0.0
    loose = t.loose
    for each in blocks(t):
        there = loose[each.at]
        best = part_of(each.tp, each.tp + np.where(there, each.fp_before, each.fp))
        high += float((each.positives * best).sum())
        low += float(np.where(there, _one_by_one(each), each.positives * each.precision).sum())
    bounds = low / t.n_positive, high / t.n_positive
    if not _whole(t):
        return _outward(bounds, t)
    # Where rows are counted nothing cancels, so rounding is a part of the end itself.
    return bounds[0] * (1 - rounding(t.rows)), min(1.0, bounds[1] * (1 + rounding(t.rows)))


def _one_by_one(each: Block) -> NDArray[np.float64]:
    """Precisions at every positive of a bin, added up, all of its negatives standing above them."""
    above = each.tp_before + each.fp
    if each.positives.dtype.kind in "iu":
        wrong = _reciprocals(above, each.positives)
    else:
        # Weights may be split ever finer; in the limit the sum is an integral.
        wrong = np.log1p(part_of(each.positives, above)) * (1 + 4 * EPSILON)
    return np.asarray(np.maximum(0.0, each.positives - each.fp * wrong))


def _reciprocals(start: NDArray[Any], terms: NDArray[Any]) -> NDArray[np.float64]:
    """1 / (start + 1) + ... + 1 / (start + terms), for each; not less."""
    from scipy.special import digamma

    # Far from 0 a difference of digammas cancels, and that of their expansions does not.
    low, high = start + 0.5, start + terms + 0.5
    far = np.log1p(terms / low) - (low**-2.0 - high**-2.0) / 24 + 7 * (low**-4.0 - high**-4.0) / 960
    last = digamma(high + 0.5)
    near = last - digamma(low + 0.5) + 8 * EPSILON * (1 + np.abs(last))
    return np.where(terms > 0, np.where(start > 1000, far * (1 + 4 * EPSILON), near), 0.0)
