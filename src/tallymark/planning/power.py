"""Power of the comparison of two models, and the rows or the difference that give it.

Both designs have one formula, with the variance of one row's difference under the null hypothesis and
under the alternative in it:

    n = (z_level sqrt(null) + z_power sqrt(alternative))^2 / difference^2

Other rows: the test of two proportions without continuity correction (Fleiss, Levin & Paik 2003,
Statistical Methods for Rates and Proportions, ch. 4). Same rows: McNemar's test without continuity
correction (Connor 1987, Biometrics 43:207-211). The far tail of the two-sided test is left out.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from statistics import NormalDist

from tallymark.intervals import z_quantile


@dataclass(frozen=True)
class Models:
    """What is known of two models before they are compared."""

    right: float | None
    """Share of the rows the first model gets right; None is the worst case, both around 0.5."""
    paired: bool
    """Whether both answer the same rows."""
    disagreement: float | None = None
    """Share of the same rows that exactly one of them gets right; None when their errors are independent."""

    def on_other_rows(self) -> Models:
        return replace(self, paired=False, disagreement=None)

    def on_same_rows(self, disagreement: float | None) -> Models:
        return replace(self, paired=True, disagreement=disagreement)

    def shares(self, difference: float) -> tuple[float, float]:
        """What each gets right."""
        if self.right is None:
            return 0.5 - difference / 2, 0.5 + difference / 2
        return self.right, min(max(self.right + difference, 0.0), 1.0)

    def disagreement_at(self, difference: float) -> float:
        """The share of rows they disagree on, as given or as independent errors would have it."""
        if self.disagreement is not None:
            return self.disagreement
        first, second = self.shares(difference)
        return first * (1 - second) + second * (1 - first)

    def most_disagreement(self, difference: float) -> float:
        """On how many rows two such models can disagree: when they share no error, or no right answer."""
        first, second = self.shares(difference)
        return min(first + second, 2 - first - second)

    def variances(self, difference: float) -> tuple[float, float]:
        """Of one row's difference, under the null hypothesis and under the alternative."""
        if self.paired:
            apart = self.disagreement_at(difference)
            return apart, max(apart - difference**2, 0.0)
        first, second = self.shares(difference)
        middle = (first + second) / 2
        return 2 * middle * (1 - middle), first * (1 - first) + second * (1 - second)

    def rows(self, difference: float, power: float, level: float) -> float:
        """Rows (in each of two test sets, if the rows are not the same) that find it with this power."""
        null, alternative = self.variances(difference)
        ahead = NormalDist().inv_cdf(power)
        return float(
            ((z_quantile(level) * math.sqrt(null) + ahead * math.sqrt(alternative)) / difference) ** 2
        )

    def power(self, n: float, difference: float, level: float) -> float:
        """How often so many rows find the difference."""
        null, alternative = self.variances(difference)
        ahead = abs(difference) * math.sqrt(n) - z_quantile(level) * math.sqrt(null)
        if alternative == 0:
            return 1.0 if ahead >= 0 else 0.0
        return NormalDist().cdf(ahead / math.sqrt(alternative))

    @property
    def largest_difference(self) -> float:
        """By how much a second model can be better at all."""
        room = 1.0 if self.right is None else 1 - self.right
        if self.disagreement is None:
            return room
        return min(self.disagreement, 2 * room - self.disagreement)

    def smallest_difference(self, n: float, power: float, level: float) -> float | None:
        """The smallest improvement that so many rows find with this power; None if no model is that good."""
        low, high = 0.0, self.largest_difference
        if high <= 0 or self.power(n, high, level) < power:
            return None
        while high - low > 1e-12:
            middle = (low + high) / 2
            if self.power(n, middle, level) < power:
                low = middle
            else:
                high = middle
        return high
