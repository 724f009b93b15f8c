"""Progressive sampling: when more data no longer pays."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark.intervals import student_quantile
from tallymark.tests.scores import without_noise

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Gain:
    """What a doubling of the rows brought, and at most."""

    before: int
    after: int
    value: float
    upper: float | None
    """The upper confidence bound, paired over repeats and corrected for the rows they share; None when all
    repeats gained the same, as those of a model that still answers one class do: that shows no spread to
    judge by."""


@dataclass(frozen=True)
class Stop:
    """Where progressive sampling ended, and what it saved."""

    size: int
    """The last size that was run."""
    whole: int
    gains: Mapping[str, Gain]
    """The last doubling of each model; none of models of which no size is half of another."""
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


@dataclass(frozen=True, eq=False)
class Rule:
    """When to stop: the last two doublings each gained less than `tolerance`, by their upper bounds.

    Two, because every size is another chance to be wrong. Measured where each doubling was in truth worth
    hardly more than the tolerance, with bounds of 95 % (benchmarks/coverage_learning.py): of whole runs 1 %
    or fewer stopped all the same, of those with 20 even sizes 3 %. With one doubling 13 to 20 %, and 41 %.
    """

    tolerance: float
    level: float
    test_by_train: float
    """Test rows over training rows of a repeat."""
    baseline: float | None
    """What always answering the most frequent class is worth, in the direction in which more is better."""

    def says_stop(self, sizes: Sequence[int], values: Floats) -> bool:
        """Of values (repeats x sizes, more is better)."""
        half = doubling(sizes)
        if half is None or self._has_not_begun(values[:, len(sizes) - 1]):
            return False
        return self._is_small(sizes, values) and self._is_small(sizes[: half + 1], values)

    def _is_small(self, sizes: Sequence[int], values: Floats) -> bool:
        gain = last_gain(sizes, values, self.test_by_train, self.level)
        return gain is not None and gain.upper is not None and gain.upper < self.tolerance

    def _has_not_begun(self, values: Floats) -> bool:
        """Whether a model is worth what the baseline is: it may be flat for having learned nothing yet."""
        known = values[~np.isnan(values)]
        if self.baseline is None or not len(known):
            return False
        return bool(abs(known.mean() - self.baseline) <= self.tolerance)


def doubling(sizes: Sequence[float]) -> int | None:
    """The place of the largest size that is half of the last or less, a row for rounding aside."""
    halves = [place for place, size in enumerate(sizes) if size <= (sizes[-1] + 1) / 2]
    return halves[-1] if halves else None


def shared_variance(repeats: int, test_by_train: float) -> float:
    """The variance of a mean difference between two sizes, over that of one (Nadeau and Bengio 2003).

    Sizes of one repeat are tested on the same rows, so what repeats share may cancel in their difference; it
    need not: where a model comes to be right about rows of a certain kind, all of it is left.
    """
    return 1 / repeats + test_by_train


def last_gain(sizes: Sequence[int], values: Floats, test_by_train: float, level: float) -> Gain | None:
    """The gain of the last doubling (values: repeats x sizes, more is better) and its one-sided bound."""
    place = doubling(sizes)
    if place is None:
        return None
    before, after = values[:, place], values[:, len(sizes) - 1]
    gained = after - before
    gained = gained[~np.isnan(gained)]
    if len(gained) < 2:
        return None
    mean, upper = float(gained.mean()), None
    if np.ptp(without_noise(gained, float(np.nanmax(np.abs(values))))):
        se = math.sqrt(gained.var(ddof=1) * shared_variance(len(gained), test_by_train))
        upper = mean + student_quantile(2 * level - 1, len(gained) - 1) * se
    return Gain(sizes[place], sizes[-1], mean, upper)
