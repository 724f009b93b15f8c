"""What a number from scores can be at least and at most when only bins of the scores were counted."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark.metrics.registry import Asked
from tallymark.metrics.scores import Block, blocks, mcclish, pairs_of, part_of
from tallymark.tallies import Scores

Bounds = tuple[float, float]


def certified(asked: Asked, t: Scores, value: float) -> Bounds:
    """The least and the largest value over all orders that the rows of a bin can have."""
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
    low, high = _partial_area(t, fpr)
    return (low, high) if name == "partial_auc" else (mcclish(low, fpr), mcclish(high, fpr))


def _area(t: Scores, name: str) -> Bounds:
    """All pairs within a bin lost, and all of them won."""
    won, tied, lost = pairs_of(t)
    pairs = won + tied + lost
    if name == "gini":
        return float((won - tied - lost) / pairs), float((won + tied - lost) / pairs)
    return float(won / pairs), float((won + tied) / pairs)


def _ks(t: Scores, least: float) -> Bounds:
    """Where bins meet the distance is known; inside, all positives may come first, or all negatives."""
    most = least
    for each in blocks(t):
        corners = (each.tp, each.fp_before), (each.fp, each.tp_before)
        sides = (t.n_positive, t.n_negative), (t.n_negative, t.n_positive)
        for (first, second), (n_first, n_second) in zip(corners, sides, strict=True):
            most = max(most, float(np.max(first / n_first - second / n_second)))
    return least, min(1.0, most)


def _partial_area(t: Scores, fpr: float) -> Bounds:
    low = high = 0.0
    for each in blocks(t):
        start, end = (np.minimum(side / t.n_negative, fpr) for side in (each.fp_before, each.fp))
        low += float((end - start) @ each.tp_before)
        high += float((end - start) @ each.tp)
    return low / t.n_positive, min(fpr, high / t.n_positive)


def _average_precision(t: Scores) -> Bounds:
    """At most: a bin's positives tied above its negatives. At least: below them, one by one."""
    low = high = 0.0
    for each in blocks(t):
        high += float(each.positives @ part_of(each.tp, each.tp + each.fp_before))
        low += float(_one_by_one(each).sum())
    return max(0.0, low / t.n_positive), min(1.0, high / t.n_positive)


def _one_by_one(each: Block) -> NDArray[np.float64]:
    """Precisions at every positive of a bin, added up, all of its negatives standing above them."""
    above = each.tp_before + each.fp
    if each.positives.dtype.kind in "iu":
        wrong = _reciprocals(above, each.positives)
    else:
        # Weights may be split ever finer; in the limit the sum is an integral.
        wrong = np.log1p(part_of(each.positives, above))
    return np.asarray(each.positives - each.fp * wrong)


def _reciprocals(start: NDArray[Any], terms: NDArray[Any]) -> NDArray[np.float64]:
    """1 / (start + 1) + ... + 1 / (start + terms), for each."""
    from scipy.special import digamma

    # Far from 0 a difference of digammas cancels, and that of their expansions does not.
    low, high = start + 0.5, start + terms + 0.5
    far = np.log1p(terms / low) - (low**-2.0 - high**-2.0) / 24 + 7 * (low**-4.0 - high**-4.0) / 960
    return np.asarray(np.where(start > 1000, far, digamma(high + 0.5) - digamma(low + 0.5)))
