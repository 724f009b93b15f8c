"""What differences of proportions share: the result, and p-values that agree with their intervals."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from tallymark.errors import OptionError
from tallymark.intervals.checks import checked_level, on_one_line
from tallymark.intervals.proportions import Pair, bisect

Alternative = Literal["two-sided", "greater", "less"]
Floats = NDArray[np.float64]
Limits = tuple[Floats, Floats]
_FARTHEST = 40.0
"""Standard errors; the normal tail beyond is 0 in floating point."""
_MOST_HALVINGS = 200
"""About 55 reach the last bit of most limits; one that is next to 0 has no last bit worth reaching."""


@dataclass(frozen=True)
class ProportionDifference:
    """The share of the first less that of the second, with its interval and the test that agrees with it.

    The interval is two-sided whatever the alternative.
    """

    value: float
    low: float
    high: float
    level: float
    method: str
    statistic: float | None
    """Standard errors from 0, as the method counts them."""
    p_value: float | None
    alternative: Alternative
    se: float | None
    """The standard error, where the method has one that does not depend on the difference supposed."""
    counts: Mapping[str, float]
    """What it was worked out from."""
    ends_at: Callable[[float], Pair] = field(repr=False, compare=False)
    """The limits at any level."""
    assumption: str = "independent rows"
    df: None = None
    """The statistic is normal, which has no degrees of freedom."""
    why: str | None = None
    """Why there is no p-value."""
    note: str | None = None
    """What else a reader must know."""

    def interval(self, confidence_level: float) -> ProportionDifference:
        """The same difference at another confidence level."""
        level = checked_level(confidence_level)
        low, high = self.ends_at(level)
        return replace(self, low=low, high=high, level=level)

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        form: dict[str, Any] = {
            "value": self.value,
            "low": self.low,
            "high": self.high,
            "level": self.level,
            "method": self.method,
            "statistic": self.statistic,
            "p_value": self.p_value,
            "df": self.df,
            "alternative": self.alternative,
            "assumption": self.assumption,
            "counts": dict(self.counts),
        }
        said = {"se": self.se, "why": self.why, "note": self.note}
        return form | {name: what for name, what in said.items() if what is not None}


def normal_tail(z: float, alternative: Alternative) -> float:
    """Probability of a standard normal number at least as far out as z."""
    if alternative == "two-sided":
        return math.erfc(abs(z) / math.sqrt(2))
    return math.erfc((z if alternative == "greater" else -z) / math.sqrt(2)) / 2


def standardised(value: float, se: float) -> float | None:
    """How many standard errors from 0; None where there is no variance to measure by."""
    if value == 0:
        return 0.0
    return value / se if se > 0 else None


def reach_of_zero(value: float, reaching: Callable[[float], Pair]) -> float:
    """How many standard errors the interval must reach until it contains 0, signed as the value is.

    `reaching` gives the limits for so many standard errors.
    """
    if value == 0:
        return 0.0

    def still_off(z: float) -> bool:
        low, high = reaching(z)
        return low > 0 or high < 0

    return math.copysign(bisect(still_off, 0.0, _FARTHEST), value)


def farthest_within(too_far: Callable[[Floats], NDArray[np.bool_]], value: Floats, end: float) -> Floats:
    """The last difference on the way from the value to an end that is not too far, for each value."""
    inside, outside = value.copy(), np.full_like(value, end)
    for _ in range(_MOST_HALVINGS):
        middle = inside + (outside - inside) / 2
        if bool(np.all((middle == inside) | (middle == outside))):
            break
        beyond = too_far(middle)
        inside, outside = np.where(beyond, inside, middle), np.where(beyond, middle, outside)
    return inside


def cut(low: float, high: float) -> Pair:
    """Limits within the differences there are."""
    return max(low, -1.0), min(high, 1.0)


def checked_alternative(alternative: object) -> Alternative:
    """Which differences count as evidence: both directions, or a above b, or a below b."""
    if alternative not in get_args(Alternative):
        raise OptionError(
            f"alternative must be two-sided, greater or less; got {on_one_line(alternative)}.",
            hint="greater asks whether the first is the greater one.",
        )
    return alternative  # type: ignore[return-value]


def checked_method(method: object, methods: tuple[str, ...], usual: str) -> None:
    if not isinstance(method, str) or method not in methods:
        raise OptionError(
            f"method must be one of {', '.join(methods)}; got {on_one_line(method)}.",
            hint=f"leave method out for {usual}.",
        )
