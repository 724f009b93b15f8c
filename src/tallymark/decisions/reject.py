"""Between which two scores to answer neither way, when leaving a row to somebody else has a cost."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallymark.curves.costs.prices import Costs, paid, whole_differences
from tallymark.curves.equally_good import below, threshold_at
from tallymark.curves.shared import counts_at
from tallymark.errors import OptionError
from tallymark.intervals.checks import checked_number
from tallymark.tallies import Binary, Scores

_ROUNDING = 1e-12
_FITS = 2**62


class Ends(NamedTuple):
    """Every t with `low < t <= high` is equally cheap."""

    low: float | None
    """None when only bins were counted: between their edges nothing is known."""
    high: float


class Alternatives(NamedTuple):
    """What else either end may be at the same cost, with the other one as it is."""

    lower: Ends
    upper: Ends


@dataclass(frozen=True)
class Region:
    """Scores with `lower <= score < upper` are rejected, those above called positive, those below negative.

    Where both are equal nothing is rejected. Nothing is called positive where `upper` is infinite, and
    nothing negative where `lower` is the lowest score.
    """

    lower: float
    upper: float
    cost: float
    """Of all rows, those rejected among them."""
    rejected: Any
    """Rows rejected, or the sum of their weights."""
    counts: Binary
    """Of the rows that are not."""
    alternatives: Alternatives
    cost_without: float
    """Of the cheapest single threshold, with nothing rejected."""


def reject_region(scores: Scores, costs: Costs, reject_cost: float) -> Region:
    """The cheapest pair of thresholds over all pairs, in one pass.

    `costs` is the 2 x 2 matrix with the positive class first, [[TP, FN], [FP, TN]]. Of equally cheap pairs
    the one that rejects fewest rows, then the one with the highest thresholds.

    >>> scores = Scores(np.array([0.9, 0.5, 0.1]), np.array([4, 1, 0]), np.array([0, 1, 4]))
    >>> region = reject_region(scores, np.array([[0.0, 10], [10, 0]]), 1)
    >>> region.lower, region.upper, region.cost, region.rejected
    (0.5, 0.9, 2.0, 2)
    """
    reject_cost = float(checked_number("reject_cost", reject_cost))
    upper, lower, rounding = _beyond_rejecting(scores, costs, reject_cost)
    both = scores.tp + scores.fp
    best = np.minimum.accumulate(upper)
    total = best + lower
    # For each lower end the lowest upper one among the cheapest: a later one as cheap would be lower still.
    cheap = np.where(upper <= best + rounding, np.arange(len(upper)), 0)
    partner = np.maximum.accumulate(cheap)
    good = np.flatnonzero(total <= total.min() + rounding)
    rejected = both[good] - both[partner[good]]
    # The first is the highest.
    low = int(good[np.argmax(rejected <= rejected.min() + _ROUNDING * both[-1])])
    high = int(partner[low])
    counts, left = _counts(scores, high, low)
    return Region(
        lower=threshold_at(scores, low),
        upper=threshold_at(scores, high),
        cost=float(paid(counts, costs) + reject_cost * left),
        rejected=left,
        counts=counts,
        alternatives=Alternatives(
            _ends(scores, lower[high:] <= lower[low] + rounding, low, high),
            _ends(scores, upper[: low + 1] <= upper[high] + rounding, high, 0),
        ),
        cost_without=float(paid(counts_at(scores, int(np.argmin(upper + lower))), costs)),
    )


def _beyond_rejecting(
    scores: Scores, costs: Costs, reject_cost: float
) -> tuple[NDArray[Any], NDArray[Any], float]:
    """What the rows above every cut cost more than rejected, those below it, and how far equals may differ.

    Where rows are counted and costs have few digits it is in whole numbers, in which equal costs are equal.
    """
    (hit, miss), (alarm, rest) = costs.tolist()
    tp, fp = scores.tp, scores.fp
    if tp.dtype.kind == fp.dtype.kind == "i":
        each = whole_differences(*((cost, reject_cost) for cost in (hit, alarm, miss, rest)))
        if sum(map(abs, each)) * int(scores.n) < _FITS:
            return *_paid_beyond(each, tp, fp), 0
    differences = [cost - reject_cost for cost in (hit, alarm, miss, rest)]
    rounding = _ROUNDING * float(scores.n) * max(float(np.abs(costs).max()), abs(reject_cost))
    return *_paid_beyond(differences, tp.astype(float), fp.astype(float)), rounding


def _paid_beyond(
    each: Sequence[float], tp: NDArray[Any], fp: NDArray[Any]
) -> tuple[NDArray[Any], NDArray[Any]]:
    hit, alarm, miss, rest = each
    return hit * tp + alarm * fp, miss * (tp[-1] - tp) + rest * (fp[-1] - fp)


def _counts(scores: Scores, high: int, low: int) -> tuple[Binary, Any]:
    """Of the rows above the one cut and below the other, and how many are between."""
    tp, fp = scores.tp[high].item(), scores.fp[high].item()
    below = scores.tp[low].item(), scores.fp[low].item()
    counts = Binary(tp, scores.n_positive - below[0], fp, scores.n_negative - below[1], scores.positive)
    return counts, below[0] - tp + below[1] - fp


def _ends(scores: Scores, good: NDArray[np.bool_], place: int, start: int) -> Ends:
    """The run of good cuts around one of them; `good` begins at the cut `start`."""
    at, bad = place - start, np.flatnonzero(~good)
    after = np.searchsorted(bad, at)
    first = start + (int(bad[after - 1]) + 1 if after else 0)
    last = start + (int(bad[after]) - 1 if after < len(bad) else len(good) - 1)
    return Ends(below(scores, last) if scores.exact else None, threshold_at(scores, first))


def chow_thresholds(costs: Costs, reject_cost: float) -> tuple[float, float]:
    """Between which two probabilities rejecting is cheapest, when the scores are calibrated.

    An answer is worth giving when it is expected to cost no more than rejecting: positive from
    (FP - R) / (FP - TP) on, negative up to (R - TN) / (FN - TN) (Chow 1970, IEEE Transactions on Information
    Theory 16:41, for any costs). Where both are, nothing is rejected, and both thresholds are Elkan's. Beyond
    0 and 1 an answer is never, or always, worth giving.

    >>> chow_thresholds(np.array([[0.0, 1], [1, 0]]), 0.125)
    (0.125, 0.875)
    >>> chow_thresholds(np.array([[0.0, 3], [1, 0]]), 5)
    (0.25, 0.25)
    """
    # In fractions: 0.1 / 0.9 and 1 - 0.8 / 0.9 are the same number on paper only.
    reject = Fraction(repr(float(checked_number("reject_cost", reject_cost))))
    (tp, fn), (fp, tn) = ([Fraction(repr(cost)) for cost in row] for row in costs.tolist())
    if fp < tp or fn < tn:
        kind, wrong, right = ("positive", fp, tp) if fp < tp else ("negative", fn, tn)
        raise OptionError(
            "no two thresholds are best where being wrong is cheaper than being right: "
            f"a false {kind} costs {float(wrong):g} and a true one {float(right):g}.",
            hint="check the signs of the costs: what is gained is a negative cost.",
        )
    upper = (fp - reject) / (fp - tp) if fp > tp else _always(tp <= reject)
    lower = (reject - tn) / (fn - tn) if fn > tn else -_always(tn <= reject)
    if lower < upper:
        return float(lower), float(upper)
    # Where answers cost the same whatever is true: the cheaper one always, of equals the negative one.
    constant = fp == tp and fn == tn
    single = _always(tp < tn) if constant else (fp - tn) / (fp - tn + fn - tp)
    return float(single), float(single)


def _always(worth_it: bool) -> float:
    """The threshold for calling everything positive, or else nothing."""
    return -math.inf if worth_it else math.inf
