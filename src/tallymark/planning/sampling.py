"""Which of a test set's rows a metric counts, and how much they tell when they come in groups."""

from __future__ import annotations

import math
from dataclasses import dataclass

from tallymark.intervals import binomial

SURE = 0.95
WORDS = {
    "n": "rows",
    "actual_positive": "actual positives",
    "actual_negative": "actual negatives",
    "predicted_positive": "predicted positives",
    "predicted_negative": "predicted negatives",
}
"""The rows a metric is a share of, by the attribute of the tally that counts them."""


@dataclass(frozen=True)
class Sampling:
    """From rows to the independent rows a metric is worked out from, and back."""

    counts: str = "n"
    """A key of WORDS."""
    share: float = 1.0
    """Their share of all rows."""
    rows_per_group: float = 1.0
    icc: float = 0.0
    """Correlation of two rows of one group."""

    @property
    def grouped(self) -> bool:
        return self.rows_per_group > 1

    @property
    def design_effect(self) -> float:
        """How many rows tell as much as one independent row (Kish 1965, Survey Sampling, ch. 5)."""
        return 1 + (self.rows_per_group - 1) * self.icc

    def counted(self, n: float) -> float:
        """How many of n rows the metric counts."""
        return n * self.share

    def effective(self, n: float) -> float:
        """As many independent rows of those counted tell as much as n rows."""
        return self.counted(n) / self.design_effect

    def rows_for(self, effective: float) -> int:
        """Rows in all; in groups always whole ones."""
        n = _up(_up(effective) * self.design_effect / self.share)
        return _up(self.groups(n) * self.rows_per_group) if self.grouped else n

    def groups(self, n: float) -> int:
        return _up(n / self.rows_per_group)

    def chance_of_counted(self, n: int, wanted: int) -> float:
        """How often n rows hold at least so many that count."""
        return 1 - binomial(n, self.share).cdf(wanted - 1)

    def rows_to_be_sure(self, wanted: int) -> int:
        """The fewest rows that hold so many in 95 % of samples."""
        low, high = wanted - 1, math.ceil(2 * wanted / self.share) + 10
        while self.chance_of_counted(high, wanted) < SURE:
            high *= 2
        while high - low > 1:
            middle = (low + high) // 2
            if self.chance_of_counted(middle, wanted) < SURE:
                low = middle
            else:
                high = middle
        return high


def _up(number: float) -> int:
    # 3 / 0.3 and the like may come out a hair above a whole number.
    return math.ceil(number * (1 - 1e-12))
