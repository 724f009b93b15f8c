"""The threshold at which a metric is best, over all cut points of the scores at hand."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tallymark.curves import ExpectedCost
from tallymark.errors import OptionError
from tallymark.metrics import METRICS
from tallymark.tallies import Binary, Scores
from tallymark.tallies.margins import PRODUCTS_FIT

_ROUNDING = 1e-12
OBJECTIVES = {"f1": "f1", "accuracy": "accuracy", "youden": "informedness", "cost": "cost"}


def best_threshold(scores: Scores, objective: str, costs: NDArray[np.float64] | None = None) -> float:
    """The score to cut at; of equally good ones the highest, so that fewest rows are called positive.

    `costs` is the 2 x 2 matrix with the positive class first, for the objective `cost`. Above the highest
    score nothing is called positive.
    """
    at = _cheapest(scores, costs) if objective == "cost" else _best(scores.cuts(), objective)
    return float(scores.score[at - 1] if at else np.nextafter(scores.highest, np.inf))


def _cheapest(scores: Scores, costs: NDArray[np.float64] | None) -> int:
    """The first of the cheapest cuts."""
    if costs is None:
        raise OptionError("the threshold best:cost needs costs.", hint="give them with --costs (costs=).")
    return int(ExpectedCost(scores, costs).cheapest()[0])


def _best(cuts: Binary, objective: str) -> int:
    """The first of the best cuts."""
    values = METRICS[OBJECTIVES[objective]](cuts)
    if np.isnan(values).all():
        raise OptionError(f"no threshold is best for {objective}: it is undefined at every one of them.")
    whole = cuts.tp.dtype.kind == "i" and cuts.n[0] < PRODUCTS_FIT
    if objective == "youden":
        # The same order in whole numbers: a difference of two shares is rounded, and equals may differ.
        tp, fp = (cuts.tp, cuts.fp) if whole else (cuts.tp.astype(float), cuts.fp.astype(float))
        values = tp * cuts.actual_negative - fp * cuts.actual_positive
    best = np.nanmax(values)
    # Sums of weights such as 0.1 are rounded, as are products past 2**53: such differences are none.
    rounding = 0.0 if whole else _ROUNDING * abs(best)
    return int(np.argmax(values >= best - rounding))


def objective_of(threshold: str) -> str:
    """The objective in `best` or `best:NAME`."""
    word, colon, name = threshold.partition(":")
    objective = name if colon else "f1"
    if word != "best" or objective not in OBJECTIVES:
        choices = ", ".join(f"best:{choice}" for choice in OBJECTIVES)
        raise OptionError(f"a threshold is a number, best, or one of {choices}; got {threshold!r}.")
    return objective
