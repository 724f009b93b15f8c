"""Where to cut probabilities that can be taken at their word: Elkan's closed form.

Elkan (2001), The Foundations of Cost-Sensitive Learning, IJCAI 17:973-978: call a row positive when that
is expected to cost no more than calling it negative, p C(TP) + (1 - p) C(FP) <= p C(FN) + (1 - p) C(TN).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tallymark.curves.costs.prices import plainly, steps
from tallymark.errors import CostError

Kind = Literal["threshold", "always", "never", "indifferent", "reversed"]


@dataclass(frozen=True)
class ClosedForm:
    """The cheapest threshold for calibrated probabilities, or why there is none."""

    kind: Kind
    threshold: float | None
    """0 when every row is best called positive, infinite when none is; None when no threshold is cheapest."""
    words: str
    """How it comes about, in one sentence without a full stop."""

    def to_dict(self) -> dict[str, Any]:
        """For JSON; an infinite threshold is null, and `kind` says so."""
        known = self.threshold is not None and math.isfinite(self.threshold)
        return {"kind": self.kind, "threshold": self.threshold if known else None, "words": self.words}


def closed_form(costs: NDArray[Any]) -> ClosedForm:
    """For costs [[TP, FN], [FP, TN]], the positive class first.

    >>> closed_form(np.array([[0, 9], [1, 0]])).threshold
    0.1
    """
    costs = np.asarray(costs, float)
    miss, alarm = steps(costs, whole=True)
    if miss > 0 and alarm > 0:
        return ClosedForm("threshold", alarm / (alarm + miss), _worked(costs, alarm / (alarm + miss)))
    if not miss and not alarm:
        return ClosedForm(
            "indifferent", None, "whatever a row is called costs the same, so every threshold is as cheap"
        )
    if miss >= 0 >= alarm:
        return ClosedForm(
            "always",
            0.0,
            "calling a row positive never costs more, whichever class it is, so all are positive",
        )
    if alarm >= 0 >= miss:
        return ClosedForm(
            "never",
            math.inf,
            "calling a row negative never costs more, whichever class it is, so none is positive",
        )
    below = alarm / (alarm + miss)
    return ClosedForm(
        "reversed",
        None,
        "these costs reward being wrong: for either class the wrong answer costs less than the right one, so "
        f"the rows to call positive are those with a probability of at most {below:.4g}",
    )


def _worked(costs: NDArray[np.float64], value: float) -> str:
    (hit, miss), (alarm, rest) = ([_signed(cost) for cost in row] for row in costs.tolist())
    return (
        "(C(FP) - C(TN)) / (C(FP) - C(TN) + C(FN) - C(TP)) = "
        f"({alarm} - {rest}) / ({alarm} - {rest} + {miss} - {hit}) = {value:.6g}"
    )


def _signed(cost: float) -> str:
    return f"({plainly(cost)})" if cost < 0 else plainly(cost)


def cost_threshold(costs: NDArray[Any]) -> float:
    """The probability from which on a row is to be called positive, when probabilities are calibrated.

    `costs` is [[TP, FN], [FP, TN]], the positive class first. 0 when every row is, infinite when none is.

    >>> cost_threshold([[0, 9], [1, 0]])
    0.1
    """
    found = closed_form(np.asarray(costs, float))
    if found.threshold is None:
        hint = "rows are actual, columns predicted; right answers usually cost less than wrong ones."
        raise CostError(f"no threshold is cheapest: {found.words}.", hint=hint)
    return found.threshold


def at_prevalence(probability: float, *, sample: float, other: float) -> float:
    """A probability that is right where `sample` of the rows are positive, as it is where `other` are.

    Elkan's Theorem 2. The other way round it moves a threshold: one that is right for probabilities at
    the other share, as a threshold for the scores at hand, is `at_prevalence(t, sample=other, other=sample)`.

    >>> round(at_prevalence(0.5, sample=0.5, other=0.1), 12)
    0.1
    """
    # As Elkan writes it, b' (p - p b) / (b - p b + b' p - b b'), in factors that cannot cancel.
    up, down = probability * other * (1 - sample), (1 - probability) * sample * (1 - other)
    return up / (up + down) if up + down else math.nan
