"""How far chance moves what is observed in bins of probabilities: intervals, a test, and what it adds to
distances."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallymark.intervals import student_quantile, wilson_bounds, wilson_reaching
from tallymark.metrics.calibration import Bins
from tallymark.tallies import GroupedScores, Scores

Floats = NDArray[np.float64]
FEWEST = 5
"""Variance that the number of positives in a bin of the test must have; bins with less are joined. Where
positives are rare it is about their number. Measured: benchmarks/coverage_calibration.py."""
_STEPS = 2_001


class BinSpread(NamedTuple):
    """What rows, or groups, say of the spread of the observed share, bin by bin."""

    worth: Floats
    """As many independent rows would tell as much."""
    freedom: Floats
    """Degrees of freedom; infinite for rows, 0 where all are of one group, which shows no spread."""


def spread_of(bins: Bins, groups: GroupedScores | None) -> BinSpread:
    """Of rows as many as there are, with weights Kish's number; of groups as the design effect says."""
    rows = bins.effective
    if groups is None:
        return BinSpread(rows, np.full(len(bins), np.inf))
    where = _bin_of(bins, groups)
    weight = groups.positives + groups.negatives
    by_group = _ByGroup.of(where, groups, weight, groups.positives - bins.observed[where] * weight)
    number = by_group.number(len(bins))
    variance = by_group.variance(len(bins)) / bins.count_squared
    independent = bins.observed * (1 - bins.observed) / rows
    with np.errstate(invalid="ignore", divide="ignore"):
        # A variance larger than that of as many independent rows takes away from what they are worth, but
        # even rows of a group that are all alike are worth one.
        design = np.where((variance > 0) & (independent > 0), np.maximum(1, variance / independent), np.inf)
    least = bins.count_squared / np.bincount(by_group.bin, by_group.weight**2, len(bins))
    worth = np.where(number > 1, np.maximum(least, rows / design), 1.0)
    return BinSpread(worth, (number - 1).astype(np.float64))


def limits_of(bins: Bins, spread: BinSpread, level: float) -> tuple[Floats, Floats]:
    """Wilson's limits of what is observed in each bin; of groups with Student's quantile."""
    successes = bins.observed * spread.worth
    if np.isinf(spread.freedom).all():
        return wilson_bounds(successes, spread.worth, level)

    low, high = np.full(len(bins), np.nan), np.full(len(bins), np.nan)
    for each in np.flatnonzero(spread.freedom >= 1):
        reach = student_quantile(level, float(spread.freedom[each]))
        low[each], high[each] = wilson_reaching(float(successes[each]), float(spread.worth[each]), reach)
    return low, high


class _ByGroup(NamedTuple):
    """The rows of one group in one bin, each such part once."""

    bin: NDArray[np.int64]
    weight: Floats
    rest: Floats
    """What is left of something whose mean in the bin is 0, added up."""

    @classmethod
    def of(
        cls, where: NDArray[np.intp], groups: GroupedScores, weight: NDArray[Any], rest: Floats
    ) -> _ByGroup:
        size = len(groups)
        there = weight > 0
        keys, part = np.unique(where[there] * size + groups.group[there], return_inverse=True)
        added, left = (np.bincount(part, each[there]).astype(np.float64) for each in (weight, rest))
        return cls(keys // size, added, left)

    def number(self, bins: int) -> NDArray[np.int64]:
        """How many groups there are in each bin."""
        return np.bincount(self.bin, minlength=bins)

    def variance(self, bins: int) -> Floats:
        """Of the total in each bin; NaN with one group."""
        number = self.number(bins)
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(np.bincount(self.bin, self.rest**2, bins) * number / (number - 1.0))


def _bin_of(bins: Bins, groups: GroupedScores) -> NDArray[np.intp]:
    """The bin of every entry."""
    falling = np.searchsorted(bins.start[::-1], groups.place, side="right") - 1
    return np.asarray(len(bins) - 1 - np.maximum(falling, 0))


# --- what chance adds to distances -----------------------------------------------------------


@np.errstate(under="ignore")
def deviations(t: Scores, bins: Bins, spread: BinSpread) -> Floats:
    """Standard deviation of the gap of each bin.

    The mean of two variances: of what was observed, which is 0 where all rows are alike, and of what is to
    be expected when the probabilities are right.
    """
    seen = bins.observed * (1 - bins.observed) / spread.worth
    said = chance(t, bins) / bins.count_squared * (bins.effective / spread.worth)
    return np.asarray(np.sqrt(np.maximum(seen + said, 0) / 2))


@np.errstate(under="ignore", over="ignore")  # of scores that are not probabilities
def chance(t: Scores, bins: Bins) -> Floats:
    """Variance of the number of positives in each bin when the probabilities are right."""
    squares = t.positives + t.negatives if t.squares is None else t.squares[0] + t.squares[1]
    return bins.total(squares * (t.means * (1 - t.means)))


@np.errstate(under="ignore")
def _beyond(gap: Floats, deviation: Floats, times: float = 1.0) -> Floats:
    """Distances as they may be without chance: what their squares have beyond its variance."""
    return np.sqrt(np.maximum(gap**2 - times * deviation**2, 0))


def bias_of_mean(bins: Bins, deviation: Floats) -> float:
    """What chance adds to the mean distance, in normal approximation (after Kumar et al. 2019, NeurIPS)."""
    gap = _beyond(bins.gap, deviation)
    return float((bins.count * (_folded(gap, deviation) - gap)).sum() / bins.count.sum())


@np.errstate(under="ignore")
def bias_of_largest(bins: Bins, deviation: Floats) -> float:
    """The same of the largest distance: its mean, from its distribution, less the largest true one."""
    from scipy.special import ndtr

    # The largest of many gaps is as large by chance as this (Donoho and Johnstone 1994).
    gap = _beyond(bins.gap, deviation, max(1.0, 2 * math.log(len(bins))))
    top = float((gap + 8 * deviation).max())
    if not top > 0:
        return 0.0
    x = np.linspace(0.0, top, _STEPS)
    below = np.ones(_STEPS)
    for size, error in zip(gap, deviation, strict=True):
        if error > 0:
            below *= ndtr((x - size) / error) - ndtr((-x - size) / error)
        else:
            below *= x >= size
    return float(np.trapezoid(1 - below, x) - gap.max())


def _folded(mean: Floats, deviation: Floats) -> Floats:
    """Mean of the absolute value of a normal number."""
    from scipy.special import erf

    with np.errstate(invalid="ignore", divide="ignore", over="ignore", under="ignore"):
        ratio = np.where(deviation > 0, mean / deviation, np.inf)
        return np.asarray(
            deviation * math.sqrt(2 / math.pi) * np.exp(-(ratio**2) / 2) + mean * erf(ratio / math.sqrt(2))
        )


# --- the test --------------------------------------------------------------------------------


@dataclass(frozen=True)
class CalibrationTest:
    """Whether chance alone explains the gaps between what was said and what came true."""

    statistic: float | None
    p_value: float | None
    df: float | None
    """Of rows, as many as bins, because nothing was fitted to these rows; of groups, one less than them."""
    method: str
    assumption: str
    bins: int = 0
    """Bins looked at, neighbours of little variance joined."""
    why: str | None = None
    """Why there is no test."""

    def to_dict(self) -> dict[str, Any]:
        if self.why:
            return {"p_value": None, "why": self.why}
        finite = self.statistic is not None and math.isfinite(self.statistic)
        return {
            "statistic": self.statistic if finite else None,
            "p_value": self.p_value,
            "df": self.df,
            "method": self.method,
            "assumption": self.assumption,
            "bins": self.bins,
        }


ROWS = "independent rows, none of which the probabilities were fitted to"
GROUPS = "independent groups, none of which the probabilities were fitted to"
CHI_SQUARED = "chi_squared"
LARGEST_T = "largest_t"


@np.errstate(under="ignore")
def gaps_tested(t: Scores, bins: Bins, groups: GroupedScores | None) -> CalibrationTest:
    """Rows: the squared gaps over their variance under calibration, added up, are chi-squared; as Hosmer and
    Lemeshow (1980), but with the variance of the probabilities themselves, and nothing fitted. Groups: the
    largest gap in standard errors of the groups, times as many bins (Bonferroni)."""
    method, assumption = (CHI_SQUARED, ROWS) if groups is None else (LARGEST_T, GROUPS)
    variance = chance(t, bins)
    joined = np.fromiter(_joined(variance * (bins.effective / bins.squares)), np.intp)
    if not len(joined):
        why = "there are too few rows with a probability well between 0 and 1"
        return CalibrationTest(None, None, None, method, assumption, why=why)
    gap = np.add.reduceat(bins.count * bins.gap, joined)
    variance = np.add.reduceat(variance, joined)
    if groups is None:
        from scipy.special import chdtrc

        statistic = float((gap**2 / variance).sum())
        p_value, df = float(chdtrc(len(joined), statistic)), float(len(joined))
        return CalibrationTest(statistic, p_value, df, method, assumption, len(joined))
    return _by_group(t, bins, groups, joined, gap, variance)


def _by_group(
    t: Scores, bins: Bins, groups: GroupedScores, joined: NDArray[np.intp], gap: Floats, variance: Floats
) -> CalibrationTest:
    from scipy.special import stdtr

    where = np.searchsorted(joined, _bin_of(bins, groups), side="right") - 1
    weight, count = groups.positives + groups.negatives, np.add.reduceat(bins.count, joined)
    rest = groups.positives - (t.score[groups.place] + (gap / count)[where]) * weight
    by_group = _ByGroup.of(where, groups, weight, rest)
    freedom = by_group.number(len(joined)) - 1
    there = freedom > 0
    if not there.any():
        why = "all rows of a bin are of one group, and groups are what is independent"
        return CalibrationTest(None, None, None, LARGEST_T, GROUPS, why=why)
    # Groups that happen to be alike show less variance than there can be.
    spread = np.sqrt(np.fmax(by_group.variance(len(joined)), variance))[there]
    ratios = np.abs(gap[there]) / spread
    p_values = 2 * stdtr(freedom[there], -ratios)
    least = int(np.argmin(p_values))
    number = int(there.sum())
    p_value, df = min(1.0, float(p_values[least]) * number), float(freedom[there][least])
    return CalibrationTest(float(ratios[least]), p_value, df, LARGEST_T, GROUPS, number)


def _joined(variance: Floats) -> Iterator[int]:
    """Where bins begin when neighbours are joined until each has enough variance."""
    begin, total = 0, 0.0
    for place, each in enumerate(variance.tolist()):
        total += each
        if total >= FEWEST:
            # What is too little at the end is left to the bin before it.
            yield begin
            begin, total = place + 1, 0.0
