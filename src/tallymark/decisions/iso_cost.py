"""Lines of equal cost in the ROC picture (Provost and Fawcett 2001, Machine Learning 42:203)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tallymark.curves.costs.prices import Costs, steps
from tallymark.curves.shared import counts_at, row_at
from tallymark.tallies import Scores


@dataclass(frozen=True, eq=False)
class IsoCost:
    """Every point of the line costs the same; towards the upper left it is cheaper for usual costs."""

    slope: float
    """How much true positive rate makes up for false positive rate; infinite where the line is upright."""
    fpr: NDArray[np.float64]
    tpr: NDArray[np.float64]
    """The two ends, where the line leaves the unit square."""
    point: tuple[float, float]
    """The false and the true positive rate it goes through."""


def iso_cost_line(scores: Scores, costs: Costs, at: float) -> IsoCost | None:
    """Through the point of a threshold; None with one class only, or when all answers cost the same."""
    miss, alarm = steps(np.asarray(costs, float))
    if not scores.pairs or not (miss or alarm):
        return None
    counts = counts_at(scores, row_at(scores, at))
    x, y = counts.fp / scores.n_negative, counts.tp / scores.n_positive
    # Cost rises with alarm * negatives * fpr - miss * positives * tpr.
    right, up = miss * scores.n_positive, alarm * scores.n_negative
    slope = up / right if right else math.inf
    ends = []
    for bound in (0.0, 1.0):
        if right:
            ends.append((bound, y + slope * (bound - x)))
        if up:
            ends.append((x + (bound - y) * right / up, bound))
    within = [(fpr, tpr) for fpr, tpr in ends if -1e-12 <= fpr <= 1 + 1e-12 and -1e-12 <= tpr <= 1 + 1e-12]
    first, last = min(within), max(within)
    return IsoCost(slope, np.array([first[0], last[0]]), np.array([first[1], last[1]]), (x, y))
