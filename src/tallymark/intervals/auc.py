"""Intervals of the area under a ROC curve from its value and the numbers of rows alone.

Hanley and McNeil (1982), Radiology 143:29-36; Newcombe (2006), Statistics in Medicine 25:559-573, whose
method 5 is called `newcombe` here.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Literal, get_args

from tallymark.errors import OptionError, precise
from tallymark.intervals.checks import checked_level, checked_number, on_one_line
from tallymark.intervals.proportions import Pair, bisect, z_quantile

AucMethod = Literal["hanley_mcneil", "hanley_mcneil_logit", "newcombe"]
AUC_METHODS: tuple[AucMethod, ...] = get_args(AucMethod)


@dataclass(frozen=True)
class AucInterval:
    """An area under a ROC curve with its confidence interval."""

    value: float
    low: float
    high: float
    se: float
    """Standard error by the formula of Hanley and McNeil."""
    n_positive: float
    n_negative: float
    level: float
    method: AucMethod
    assumption: str = "independent rows"

    @property
    def note(self) -> str | None:
        """What else a reader must know."""
        if self.se or self.method == "newcombe":
            return None
        return "the formula shows no variance at an area of 0 or 1; method newcombe does"

    def interval(self, confidence_level: float) -> AucInterval:
        """The same area at another confidence level."""
        level = checked_level(confidence_level)
        low, high = auc_bounds(self.value, self.n_positive, self.n_negative, self.method, level)
        return replace(self, low=low, high=high, level=level)


def auc_interval(
    auc: float,
    *,
    n_positive: float,
    n_negative: float,
    method: AucMethod = "hanley_mcneil",
    confidence_level: float = 0.95,
) -> AucInterval:
    """Confidence interval of an area under a ROC curve, from its value and how many rows it stands on.

    >>> i = auc_interval(0.893, n_positive=51, n_negative=58)
    >>> round(i.se, 3), round(i.low, 3), round(i.high, 3)
    (0.033, 0.829, 0.957)
    """
    auc = float(checked_number("auc", auc))
    if not 0 <= auc <= 1:
        hint = f"write {auc / 100:g} for {auc:g} %." if 1 < auc <= 100 else None
        raise OptionError(f"auc must be between 0 and 1, got {precise(auc, 0, 1)}.", hint=hint)
    rows = {"n_positive": n_positive, "n_negative": n_negative}
    for name, given in rows.items():
        if checked_number(name, given) < 1:
            raise OptionError(
                f"{name} must be at least 1, got {given}.", hint="pairs need a row of either class."
            )
    if str(method) not in AUC_METHODS:
        hint = "newcombe is the one for an area near 1 or for few rows."
        if str(method) == "delong":
            hint = "DeLong's needs the scores: tallymark.evaluate(...)['auc']."
        raise OptionError(
            f"method must be one of {', '.join(AUC_METHODS)}; got {on_one_line(method)}.", hint=hint
        )
    level = checked_level(confidence_level)
    low, high = auc_bounds(auc, n_positive, n_negative, method, level)
    se = hanley_mcneil_se(auc, n_positive, n_negative)
    return AucInterval(auc, low, high, se, n_positive, n_negative, level, method)


def auc_bounds(auc: float, positives: float, negatives: float, method: AucMethod, level: float) -> Pair:
    """Lower and upper limit, without any check of the arguments."""
    if method == "newcombe":
        return newcombe_bounds(auc, positives, negatives, z_quantile(level))
    se, z = hanley_mcneil_se(auc, positives, negatives), z_quantile(level)
    if method == "hanley_mcneil_logit":
        return logit_bounds(auc, se, z)
    return max(0.0, auc - z * se), min(1.0, auc + z * se)


def hanley_mcneil_se(auc: float, positives: float, negatives: float) -> float:
    """Standard error when scores are exponential in both classes: nearly right for most that are not."""
    return math.sqrt(_variance(auc, positives - 1, negatives - 1, positives * negatives))


def _variance(auc: float, positives: float, negatives: float, pairs: float) -> float:
    # Q1 - A^2 = A (1 - A) (1 - A) / (2 - A) for positives, Q2 - A^2 = A (1 - A) A / (1 + A) for negatives:
    # factored, so that nothing is left of it but 0 at an area of 0 or 1.
    inner = 1 + positives * (1 - auc) / (2 - auc) + negatives * auc / (1 + auc)
    return auc * (1 - auc) * inner / pairs


def newcombe_bounds(auc: float, positives: float, negatives: float, reach: float) -> Pair:
    """The areas that are so many of their own standard errors away from the one at hand."""
    # Both classes enter with their mean number, or the limits would depend on which class is positive.
    each = (positives + negatives) / 2 - 1

    def too_far(other: float) -> bool:
        return abs(auc - other) > reach * math.sqrt(_variance(other, each, each, positives * negatives))

    low = bisect(too_far, 0.0, auc) if auc > 0 else 0.0
    high = 1 - bisect(lambda gap: too_far(1 - gap), 0.0, 1 - auc) if auc < 1 else 1.0
    return low, high


def logit_bounds(value: float, se: float, reach: float) -> Pair:
    """The interval that is symmetric on the logit scale; the value itself where it is 0 or 1."""
    if not 0 < value < 1:
        return value, value
    centre, half = math.log(value / (1 - value)), reach * se / (value * (1 - value))
    return _expit(centre - half), _expit(centre + half)


def _expit(x: float) -> float:
    return 1 / (1 + math.exp(-x)) if x > 0 else math.exp(x) / (1 + math.exp(x))
