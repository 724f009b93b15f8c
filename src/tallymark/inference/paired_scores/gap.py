"""How sure the difference of two models' numbers is: its interval, and the test that goes with it.

The usual one is the difference and so many of its standard errors to either side, as DeLong et al. (1988)
have it for areas. It falls short where few rows show all of the variance: with areas of 0.99 and 0.95 and ten
rows of either class it covered 0.71 to 0.75. There, when the difference and one of the models rest on few
rows, the wider of it and of an interval that is put together from those of either model is taken (MOVER: Zou
& Donner 2008, Statistics in Medicine 27:1693), which covered 0.93 and more. The p-value is always that of the
interval: it is 0.05 where a 95 % interval ends at 0. Measured: benchmarks/coverage_paired_ranking.py.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

from tallymark.inference.estimate import EndsAt, Estimate
from tallymark.inference.ranking import CARRIERS, NO_SPREAD
from tallymark.intervals import student_quantile
from tallymark.intervals.tails import Alternative

Limits = Callable[[float], tuple[float, float]]
"""Both ends of the difference at a level."""

FEW = (
    "its variance rests on few {} (about {:.2g}), so the interval is the wider of the usual one and {}, and "
    "the p-value goes with it"
)
UNSEEN = "there is no variance to be seen, so the interval is {}"
OF_BOTH = "one made from those of either model (Zou & Donner 2008)"
ENDLESS = "at this level the rows say too little: the interval would reach beyond any difference there can be"
SAME = "both models {}, so there is no difference at all"
_LEAST = 1e-15
"""Levels nearer to 1 cannot be told from it."""
_FARTHEST = 745.0
"""No row can lose more, the smallest number there is being e to the power of -745; all else ends before."""


class Evidence(NamedTuple):
    """What a test of no difference says; None where there is no saying."""

    statistic: float | None
    p_value: float | None
    freedom: float | None = None
    """Degrees of freedom of Student's distribution; None where it is the normal one."""


@dataclass(frozen=True)
class Gap:
    """A difference, and what its interval is made of."""

    value: float
    variance: float
    """NaN where it cannot be seen."""
    freedom: float = math.inf
    same: bool = False
    """Whether both models say the same of every row."""
    limits: Limits | None = None
    """Other limits, where the variance is not to be trusted alone."""
    score: float | None = None
    """The statistic of the score test whose interval these limits are."""
    widest: float = math.inf
    """The largest difference there can be."""
    method: str = "paired"
    remark: str | None = None

    @property
    def seen(self) -> bool:
        """Whether there is a variance."""
        return self.variance > NO_SPREAD

    @property
    def se(self) -> float | None:
        """Standard error; 0 where both models say the same."""
        return math.sqrt(self.variance) if self.seen else 0.0 if self.same else None

    def ends(self, level: float) -> tuple[float, float] | str:
        """Both ends at a level, or why there are none."""
        if self.same:
            return self.value, self.value
        found = [] if self.limits is None else [self.limits(level)]
        if self.seen:
            half = student_quantile(level, self.freedom) * math.sqrt(self.variance)
            found.append((self.value - half, self.value + half))
        low, high = min(each[0] for each in found), max(each[1] for each in found)
        return or_endless((max(-self.widest, low), min(self.widest, high)))

    @property
    def ends_at(self) -> EndsAt | None:
        """What an estimate takes; None where nothing is known of the ends."""
        return self.ends if self.same or self.seen or self.limits is not None else None

    def tested(self, alternative: Alternative = "two-sided") -> Evidence:
        """Against no difference; the p-value is that of the interval."""
        if self.same:
            return Evidence(0.0, 1.0)
        if self.ends_at is None:
            return Evidence(None, None)
        statistic = self.value / math.sqrt(self.variance) if self.seen else self.score
        freedom = self.freedom if self.seen else math.inf
        found = [] if statistic is None else [_tail(abs(statistic), freedom)]
        if self.limits is not None and self.score is None:
            found.append(_half_outside(self.limits, self.value))
        half = max(found)
        p = min(1.0, 2 * half)
        if alternative != "two-sided":
            p = half if (self.value > 0) == (alternative == "greater") else 1 - half
        return Evidence(statistic, p, self.freedom if self.seen and math.isfinite(self.freedom) else None)

    @property
    def plain(self) -> Gap:
        """With the usual interval alone, however few rows it rests on; where there is one."""
        return replace(self, limits=None) if self.seen else self

    def estimate(self, made: Estimate) -> Estimate:
        """With this interval."""
        ends = self.ends_at
        said = "; ".join(part for part in (made.remark, self.remark) if part) or None
        if ends is None:
            return replace(made, remark=said)
        return replace(made, method=self.method, ends_at=ends, se=self.se, remark=said)


def weighed(
    gap: Gap,
    carriers: float,
    units: str,
    limits: Callable[[], Limits | None],
    method: str = "mover",
    which: str = OF_BOTH,
) -> Gap:
    """With other limits where the variance rests on few rows or there is none; mostly either model's own."""
    if gap.same or (gap.seen and carriers >= CARRIERS):
        return gap
    made = limits()
    if made is None:
        return gap
    if not gap.seen:
        return replace(gap, limits=made, method=method, remark=UNSEEN.format(which))
    return replace(gap, limits=made, remark=FEW.format(units, carriers, which))


def most_of(carriers: float, of_models: tuple[float, float]) -> float:
    """How many rows a difference rests on, or both of the models, whichever is more."""
    least = 0.0 if any(map(math.isnan, of_models)) else min(of_models)
    return least if math.isnan(carriers) else max(carriers, least)


def or_endless(ends: tuple[float, float]) -> tuple[float, float] | str:
    """Both ends of a difference, or that they are too far away to mean anything."""
    return ends if max(map(abs, ends)) <= _FARTHEST else ENDLESS


def mover(a: Estimate, b: Estimate, correlation: float) -> Limits | None:
    """Limits of a - b from the limits of both; None where one has none."""
    if a.low is None or b.low is None:
        return None

    def ends(level: float) -> tuple[float, float]:
        (down_a, up_a), (down_b, up_b) = _reach(a, level), _reach(b, level)
        value = float(a) - float(b)
        return value - _joined(down_a, up_b, correlation), value + _joined(up_a, down_b, correlation)

    return ends


def _reach(estimate: Estimate, level: float) -> tuple[float, float]:
    """How far both ends are from the value."""
    at = estimate.interval(level)
    if at.low is None or at.high is None:
        # A level so high that the interval has no end.
        return math.inf, math.inf
    return float(at) - at.low, at.high - float(at)


def _joined(one: float, two: float, correlation: float) -> float:
    if max(one, two) > _FARTHEST:
        return math.inf
    return math.sqrt(max(0.0, one**2 + two**2 - 2 * correlation * one * two))


def correlated(of_a: float, of_b: float, of_difference: float) -> float:
    """The correlation of two numbers, from their variances and that of their difference; 0 if unknown."""
    if not (of_a > NO_SPREAD and of_b > NO_SPREAD and of_difference >= 0):
        return 0.0
    return min(1.0, max(-1.0, (of_a + of_b - of_difference) / (2 * math.sqrt(of_a * of_b))))


def _tail(statistic: float, freedom: float) -> float:
    """The chance of more than this, upwards."""
    if math.isinf(freedom):
        return math.erfc(statistic / math.sqrt(2)) / 2
    from scipy.special import stdtr

    return float(stdtr(freedom, -statistic))


def _half_outside(limits: Limits, value: float) -> float:
    """Half of what is left outside by the interval that ends at 0."""
    if value == 0:
        return 0.5

    def beyond(outside: float) -> bool:
        low, high = limits(1 - outside)
        return low > 0 if value > 0 else high < 0

    # On a logarithmic scale, for p-values are small or large alike.
    least, most = math.log(_LEAST), 0.0
    if beyond(_LEAST):
        return _LEAST / 2
    while most - least > 1e-9:
        middle = (least + most) / 2
        least, most = (least, middle) if beyond(math.exp(middle)) else (middle, most)
    return math.exp((least + most) / 2) / 2
