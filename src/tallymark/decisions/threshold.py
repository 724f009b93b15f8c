"""The threshold at which a metric is best, over all cut points of the scores at hand."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark.errors import OptionError
from tallymark.metrics import METRICS
from tallymark.tallies import Binary

_ROUNDING = 1e-12
OBJECTIVES = {"f1": "f1", "accuracy": "accuracy", "youden": "informedness", "cost": "cost"}


def best_threshold(
    score: NDArray[np.float64],
    is_positive: NDArray[np.bool_],
    objective: str,
    costs: NDArray[np.float64] | None = None,
    weight: NDArray[Any] | None = None,
) -> float:
    """The score to cut at; of equally good ones the highest, so that fewest rows are called positive.

    `costs` is the 2 x 2 matrix with the positive class first, for the objective `cost`.
    """
    thresholds, tally = cut_points(score, is_positive, weight)
    if objective == "cost":
        if costs is None:
            raise OptionError("the threshold best:cost needs costs.", hint="give them with --costs (costs=).")
        paid = (
            costs[0, 0] * tally.tp + costs[0, 1] * tally.fn + costs[1, 0] * tally.fp + costs[1, 1] * tally.tn
        )
        # Costs such as 0.1 do not add up exactly; what differs by rounding only is equally good.
        rounding = _ROUNDING * float(np.max(tally.n)) * np.abs(costs).max()
        return float(thresholds[np.argmax(paid <= paid.min() + rounding)])
    values = METRICS[OBJECTIVES[objective]](tally)
    if np.isnan(values).all():
        raise OptionError(f"no threshold is best for {objective}: it is undefined at every one of them.")
    if objective == "youden":
        # The same order in whole numbers: a difference of two shares is rounded, and equals may differ.
        values = tally.tp * tally.actual_negative - tally.fp * tally.actual_positive
    best = np.nanmax(values)
    # Sums of weights such as 0.1 are rounded; what differs by rounding only is equally good.
    rounding = 0.0 if weight is None else _ROUNDING * abs(best)
    return float(thresholds[np.argmax(values >= best - rounding)])


def cut_points(
    score: NDArray[np.float64], is_positive: NDArray[np.bool_], weight: NDArray[Any] | None = None
) -> tuple[NDArray[np.float64], Binary]:
    """Every threshold that gives another answer, highest first, with the counts at each."""
    order = np.argsort(-score, kind="stable")
    ranked, hits = score[order], is_positive[order]
    last = np.append(np.flatnonzero(ranked[1:] != ranked[:-1]), len(ranked) - 1)
    # Above the highest score nothing is called positive.
    tp = np.concatenate([[0], np.cumsum(hits if weight is None else hits * weight[order])[last]])
    called = np.concatenate([[0], last + 1 if weight is None else np.cumsum(weight[order])[last]])
    positives, n = tp[-1], called[-1]
    thresholds = np.concatenate([[np.nextafter(ranked[0], np.inf)], ranked[last]])
    fp = called - tp
    return thresholds, Binary(tp, positives - tp, fp, n - positives - fp)


def objective_of(threshold: str) -> str:
    """The objective in `best` or `best:NAME`."""
    word, colon, name = threshold.partition(":")
    objective = name if colon else "f1"
    if word != "best" or objective not in OBJECTIVES:
        choices = ", ".join(f"best:{choice}" for choice in OBJECTIVES)
        raise OptionError(f"a threshold is a number, best, or one of {choices}; got {threshold!r}.")
    return objective
