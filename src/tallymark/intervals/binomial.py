"""The binomial distribution: how many of n rows are right when each is right with probability p."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from tallymark.errors import OptionError
from tallymark.intervals.checks import checked_number, on_one_line

Floats = NDArray[np.float64]
Counts = NDArray[Any] | Sequence[float]


@dataclass(frozen=True)
class Binomial:
    """The number of successes in `n` independent trials that each succeed with probability `p`."""

    n: int
    p: float

    @property
    def mean(self) -> float:
        return self.n * self.p

    @property
    def variance(self) -> float:
        return self.n * self.p * (1 - self.p)

    @overload
    def pmf(self, k: float) -> float: ...
    @overload
    def pmf(self, k: Counts) -> Floats: ...
    def pmf(self, k: float | Counts) -> float | Floats:
        """Probability of exactly k successes; 0 where k is not one of 0, 1, ..., n."""
        counts = _checked_counts(k)
        result = np.zeros(counts.shape)
        result[counts == 0] = math.exp(self.n * math.log1p(-self.p)) if self.p < 1 else float(self.n == 0)
        if self.n > 0:
            result[counts == self.n] = math.exp(self.n * math.log(self.p)) if self.p > 0 else 0.0
        inside = (counts > 0) & (counts < self.n) & (counts == np.floor(counts))
        if 0 < self.p < 1 and inside.any():
            result[inside] = _inner_pmf(counts[inside], self.n, self.p)
        return _float_or_array(result)

    @overload
    def cdf(self, k: float) -> float: ...
    @overload
    def cdf(self, k: Counts) -> Floats: ...
    def cdf(self, k: float | Counts) -> float | Floats:
        """Probability of at most k successes."""
        from scipy.special import betaincc

        counts = np.floor(_checked_counts(k))
        result = np.where(counts < 0, 0.0, 1.0)
        inside = (counts >= 0) & (counts < self.n)
        result[inside] = betaincc(counts[inside] + 1, self.n - counts[inside], self.p)
        return _float_or_array(result)


def binomial(n: float, p: float) -> Binomial:
    """The binomial distribution of n trials with success probability p.

    >>> round(binomial(50, 0.5).pmf(20), 4)
    0.0419
    """
    trials = checked_number("n", n)
    if trials < 0 or trials != round(trials):
        raise OptionError(f"n must be a whole number of trials, 0 or more, got {trials}.")
    probability = float(checked_number("p", p))
    if not 0 <= probability <= 1:
        raise OptionError(
            f"p must be a probability between 0 and 1, got {probability}.",
            hint="the order is binomial(n, p).",
        )
    return Binomial(round(trials), probability)


@np.errstate(under="ignore")
def _inner_pmf(k: Floats, n: int, p: float) -> Floats:
    """Loader's saddle-point form (2000): log-gamma loses six digits at n = 1e6, this loses none."""
    from fractions import Fraction

    expected = n * p
    rounding = float(Fraction(n) * Fraction(p) - Fraction(expected))
    away = (k - expected) - rounding
    log_factor = _stirling_error(np.asarray([float(n)])) - _stirling_error(k) - _stirling_error(n - k)
    deviance = _deviance(k, expected, away) + _deviance(n - k, n * (1 - p), -away)
    result: Floats = np.exp(log_factor - deviance) / np.sqrt(2 * math.pi * k * ((n - k) / n))
    return result


def _deviance(k: Floats, expected: float, away: Floats) -> Floats:
    """k log(k / expected) - away, where away = k - expected, without cancellation near the mean."""
    share = away / (k + expected)
    series = np.zeros_like(k)
    for power in range(25, 1, -2):
        series = (series + 1 / power) * share * share
    with np.errstate(over="ignore"):
        return np.where(np.abs(share) < 0.2, share * (away + 2 * k * series), k * np.log(k / expected) - away)


_EXACT_STIRLING_ERRORS = np.array(
    [0.0]
    + [math.lgamma(k + 1) - (k + 0.5) * math.log(k) + k - math.log(2 * math.pi) / 2 for k in range(1, 16)]
)


def _stirling_error(k: Floats) -> Floats:
    """log k! less Stirling's formula, for whole k."""
    inverse = 1 / (k * k)
    series = (1 / 12 - (1 / 360 - (1 / 1260 - (1 / 1680 - inverse / 1188) * inverse) * inverse) * inverse) / k
    return np.where(k < 16, _EXACT_STIRLING_ERRORS[np.minimum(k, 15).astype(np.int64)], series)


def _checked_counts(k: float | Counts) -> Floats:
    counts = np.asarray(k)
    if counts.dtype.kind not in "iuf" or np.isnan(counts).any():
        raise OptionError(f"k must be a number or an array of numbers, got {on_one_line(k)}.")
    return counts.astype(np.float64)


def _float_or_array(result: Floats) -> float | Floats:
    return float(result) if result.ndim == 0 else result
