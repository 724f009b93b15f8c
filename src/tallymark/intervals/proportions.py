"""Intervals of a proportion: Wilson and its family, and the normal quantile.

`interval` is the door for people and checks its arguments; `bounds` and `wilson_bounds` are the same
arithmetic without checks, for code that has counted rows itself. Counts may be fractional, because
weighted rows have an effective sample size. None of the Wilson arithmetic imports scipy.

Definitions follow Newcombe (1998), Statistics in Medicine 17:857-872, and for Agresti-Coull and Jeffreys
Brown, Cai and DasGupta (2001), Statistical Science 16:101-133.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Literal, get_args, overload

import numpy as np
from numpy.typing import NDArray

from tallymark.errors import OptionError
from tallymark.intervals.checks import checked_level, checked_number, on_one_line

Method = Literal["wilson", "wilson_cc", "clopper_pearson", "mid_p", "agresti_coull", "jeffreys", "wald"]
METHODS: tuple[Method, ...] = get_args(Method)

Floats = NDArray[np.float64]
Pair = tuple[float, float]


@lru_cache(maxsize=256)
def z_quantile(level: float) -> float:
    """The z with `level` of the standard normal distribution between -z and z.

    >>> round(z_quantile(0.95), 4)
    1.96
    """
    from statistics import NormalDist

    # The lower tail, because 1 - level is exact where 0.5 + level / 2 has already rounded.
    return -NormalDist().inv_cdf((1 - level) / 2)


def student_quantile(level: float, freedom: float) -> float:
    """The same of Student's distribution, for so many degrees of freedom; with no end of them, z.

    >>> round(student_quantile(0.95, 9), 3)
    2.262
    """
    if math.isinf(freedom):
        return z_quantile(level)
    from scipy.special import stdtrit

    return float(stdtrit(freedom, (1 + level) / 2))


@dataclass(frozen=True)
class Interval:
    """A proportion `correct / of` with its confidence interval."""

    correct: float
    of: float
    value: float
    low: float
    high: float
    level: float
    method: Method
    assumption: str = "independent rows"

    def interval(self, level: float) -> Interval:
        """The same counts at another confidence level."""
        level = checked_level(level)
        low, high = bounds(self.correct, self.of, self.method, level)
        return replace(self, low=low, high=high, level=level)


def interval(
    correct: float, of: float, *, method: Method = "wilson", confidence_level: float = 0.95
) -> Interval:
    """Confidence interval of the proportion `correct / of`.

    >>> i = interval(81, 263)
    >>> round(i.low, 4), round(i.high, 4)
    (0.2553, 0.3662)
    """
    correct = checked_number("correct", correct)
    of = checked_number("of", of)
    if of < 1:
        raise OptionError(f"of must be at least 1, got {of}.", hint="an interval needs at least one row.")
    if not 0 <= correct <= of:
        raise OptionError(
            f"correct must be between 0 and of={of}, got {correct}.",
            hint="correct counts some of the rows that of counts.",
        )
    if str(method) not in METHODS:
        raise OptionError(
            f"method must be one of {', '.join(METHODS)}; got {on_one_line(method)}.",
            hint="leave method out for wilson.",
        )
    level = checked_level(confidence_level)
    low, high = bounds(correct, of, method, level)
    return Interval(correct, of, correct / of, low, high, level, method)


def bounds(successes: float, n: float, method: Method, level: float) -> Pair:
    """Lower and upper limit, without any check of the arguments; NaN when n is 0."""
    if n <= 0:
        return math.nan, math.nan
    return _FORMULAS[method](successes, n, level)


@overload
def wilson_bounds(successes: float, n: float, level: float) -> Pair: ...
@overload
def wilson_bounds(
    successes: NDArray[Any], n: NDArray[Any] | float, level: float
) -> tuple[Floats, Floats]: ...
@overload
def wilson_bounds(successes: float, n: NDArray[Any], level: float) -> tuple[Floats, Floats]: ...
def wilson_bounds(
    successes: NDArray[Any] | float, n: NDArray[Any] | float, level: float
) -> Pair | tuple[Floats, Floats]:
    """Wilson limits of one proportion, or of arrays of them; NaN where n is 0."""
    if not isinstance(successes, np.ndarray) and not isinstance(n, np.ndarray):
        return bounds(successes, n, "wilson", level)
    x = np.asarray(successes, dtype=np.float64)
    n = np.asarray(n, dtype=np.float64)
    n = np.where(n > 0, n, np.nan)
    z = z_quantile(level)
    y = n - x
    spread = z * z / 2 + z * np.sqrt(z * z / 4 + x * (y / n))
    low = x * (x / n) / (x + spread)
    high = np.where(x > y, 1 - y * (y / n) / (y + spread), (x + spread) / (n + z * z))
    return low, high


def _wilson_low(x: float, n: float, z: float) -> float:
    # The two limits are roots of one quadratic with product x^2 / (n (n + z^2)); dividing by the sum of
    # centre and root avoids the difference that would leave dust at x = 0.
    if x <= 0:
        return 0.0
    return x * (x / n) / (x + z * z / 2 + z * math.sqrt(z * z / 4 + x * ((n - x) / n)))


def _wilson_high(x: float, n: float, z: float) -> float:
    if x > n - x:
        return 1 - _wilson_low(n - x, n, z)
    return (x + z * z / 2 + z * math.sqrt(z * z / 4 + x * ((n - x) / n))) / (n + z * z)


def _wilson(x: float, n: float, level: float) -> Pair:
    return wilson_reaching(x, n, z_quantile(level))


def wilson_reaching(successes: float, n: float, z: float) -> Pair:
    """Wilson limits with another quantile than the normal one, such as Student's."""
    return _wilson_low(successes, n, z), _wilson_high(successes, n, z)


def _wilson_cc(x: float, n: float, level: float) -> Pair:
    # Newcombe's method 4 is Wilson with the count moved by one half away from the limit.
    z = z_quantile(level)
    return _wilson_low(x - 0.5, n, z), _wilson_high(min(x + 0.5, n), n, z)


def _agresti_coull(x: float, n: float, level: float) -> Pair:
    z = z_quantile(level)
    total = n + z * z
    centre = (x + z * z / 2) / total
    half = z * math.sqrt(centre * ((n - x + z * z / 2) / total) / total)
    return max(centre - half, 0.0), min(centre + half, 1.0)


def _wald(x: float, n: float, level: float) -> Pair:
    value = x / n
    half = z_quantile(level) * math.sqrt(value * ((n - x) / n) / n)
    return max(value - half, 0.0), min(value + half, 1.0)


def _clopper_pearson(x: float, n: float, level: float) -> Pair:
    tail = (1 - level) / 2
    low = _beta_low(x, n - x + 1, tail) if x > 0 else 0.0
    high = _beta_high(x + 1, n - x, tail) if x < n else 1.0
    return low, high


def _jeffreys(x: float, n: float, level: float) -> Pair:
    tail = (1 - level) / 2
    low = _beta_low(x + 0.5, n - x + 0.5, tail) if x > 0 else 0.0
    high = _beta_high(x + 0.5, n - x + 0.5, tail) if x < n else 1.0
    return low, high


def _mid_p(x: float, n: float, level: float) -> Pair:
    """Half of the probability of the observed count is left out of each tail (Newcombe's method 6)."""
    if min(x, n - x) >= _LARGE:
        # Mid-p and Jeffreys differ by a relative (n p)^-1.5, less than 1e-13 here.
        return _jeffreys(x, n, level)
    alpha = 1 - level
    return _mid_p_low(x, n, alpha), _mid_p_high(x, n, alpha)


def _mid_p_low(x: float, n: float, alpha: float) -> float:
    from scipy.special import betainc

    if x <= 0:
        return 0.0
    if x >= n:
        return math.exp(math.log(alpha) / n)

    def too_low(p: float) -> bool:
        return bool(betainc(x, n - x + 1, p) + betainc(x + 1, n - x, p) < alpha)

    # P(X >= x) is alpha / 2 at Clopper-Pearson's limit; here it lies between alpha / 2 and alpha.
    return bisect(too_low, _beta_low(x, n - x + 1, alpha / 2), _beta_low(x, n - x + 1, alpha))


def _mid_p_high(x: float, n: float, alpha: float) -> float:
    from scipy.special import betaincc

    if x >= n:
        return 1.0
    if x <= 0:
        return -math.expm1(math.log(alpha) / n)

    def too_low(p: float) -> bool:
        return bool(betaincc(x, n - x + 1, p) + betaincc(x + 1, n - x, p) > alpha)

    return bisect(too_low, _beta_high(x + 1, n - x, alpha), _beta_high(x + 1, n - x, alpha / 2))


def bisect(too_low: Callable[[float], bool], low: float, high: float) -> float:
    """Where `too_low` turns false, to the last bit."""
    middle = low + (high - low) / 2
    while low < middle < high:
        if too_low(middle):
            low = middle
        else:
            high = middle
        middle = low + (high - low) / 2
    return middle


# From this many successes and failures on, scipy's beta quantiles lose digits (1e-8 relative at 1e14),
# while the skewness-corrected normal quantile is right to about 1e-14.
_LARGE = 1e9


def _beta_low(a: float, b: float, tail: float) -> float:
    """The quantile with `tail` of the beta(a, b) distribution below it."""
    from scipy.special import betaincinv

    if min(a, b) >= _LARGE:
        return _beta_large(a, b, -z_quantile(1 - 2 * tail))
    return float(betaincinv(a, b, tail))


def _beta_high(a: float, b: float, tail: float) -> float:
    """The quantile with `tail` of the beta(a, b) distribution above it."""
    from scipy.special import betaincc, betainccinv

    if min(a, b) >= _LARGE:
        return _beta_large(a, b, z_quantile(1 - 2 * tail))
    p = float(betainccinv(a, b, tail))
    if p > 1e-3:
        return p
    # For few successes in 1e6 to 1e9 rows the inverse is off by up to 1e-8, the function itself is not:
    # one secant step mends it.
    step = p * 1e-6
    above = float(betaincc(a, b, p))
    slope = (float(betaincc(a, b, p + step)) - above) / step
    return p - (above - tail) / slope if slope < 0 else p


def _beta_large(a: float, b: float, z: float) -> float:
    # Cornish and Fisher's expansion up to the skewness.
    total = a + b
    deviation = math.sqrt((a / total) * (b / total) / (total + 1))
    skewness = 2 * ((b - a) / (total + 2)) * math.sqrt((total + 1) / a / b)
    return a / total + deviation * (z + skewness * (z * z - 1) / 6)


_FORMULAS: dict[Method, Callable[[float, float, float], Pair]] = {
    "wilson": _wilson,
    "wilson_cc": _wilson_cc,
    "clopper_pearson": _clopper_pearson,
    "mid_p": _mid_p,
    "agresti_coull": _agresti_coull,
    "jeffreys": _jeffreys,
    "wald": _wald,
}
