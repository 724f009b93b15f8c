"""Progressive sampling: when more data no longer pays."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark.intervals import student_quantile

Floats = NDArray[np.float64]

_LEFT = 0.2
"""How much of what repeats have in common is left in a difference between two sizes of one repeat, which are
tested on the same rows: at most, as measured by benchmarks/coverage_learning.py."""


@dataclass(frozen=True)
class Gain:
    """What the last doubling of the rows brought, and at most."""

    before: int
    after: int
    value: float
    upper: float
    """The upper confidence bound, paired over repeats and corrected for the rows they share."""


@dataclass(frozen=True)
class Stop:
    """Where progressive sampling ended, and what it saved."""

    size: int
    """The last size that was run."""
    whole: int
    gains: Mapping[str, Gain]
    """The last doubling of each model; empty when no size was found at which more no longer pays."""
    tolerance: float
    level: float
    left_out: tuple[int, ...] = ()
    """Sizes that were not run."""
    fits: int = 0
    """Fits that were not run."""
    rows: float = 0.0
    """The share of all rows to learn from, over all fits, that was not learned."""

    @property
    def early(self) -> bool:
        return bool(self.left_out)

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        return {
            "size": self.size,
            "whole": self.whole,
            "early": self.early,
            "tolerance": self.tolerance,
            "level": self.level,
            "gains": {name: vars(gain) for name, gain in self.gains.items()},
            "sizes_not_run": list(self.left_out),
            "fits_not_run": self.fits,
            "rows_not_learned": self.rows,
        }


def doubling(sizes: Sequence[float]) -> int | None:
    """The place of the largest size that is half of the last or less, a row for rounding aside."""
    halves = [place for place, size in enumerate(sizes) if size <= (sizes[-1] + 1) / 2]
    return halves[-1] if halves else None


def shared_variance(repeats: int, test_by_train: float) -> float:
    """The variance of the mean difference between two sizes, over that of a difference.

    As Nadeau and Bengio's (2003) for the mean of one size, 1/k + n_test/n_train, with what is left of it.
    """
    return 1 / repeats + _LEFT * test_by_train


def last_gain(sizes: Sequence[int], values: Floats, test_by_train: float, level: float) -> Gain | None:
    """The gain of the last doubling (values: repeats x sizes, more is better) and its one-sided bound."""
    place = doubling(sizes)
    if place is None:
        return None
    gained = values[:, len(sizes) - 1] - values[:, place]
    gained = gained[~np.isnan(gained)]
    if len(gained) < 2:
        return None
    se = math.sqrt(gained.var(ddof=1) * shared_variance(len(gained), test_by_train))
    upper = gained.mean() + student_quantile(2 * level - 1, len(gained) - 1) * se
    return Gain(sizes[place], sizes[-1], float(gained.mean()), float(upper))
