"""Differences of two proportions of the same rows: how much oftener one model is right than the other.

n01 counts the rows that only the first model has right, n10 those that only the second has right. Tango
(1998), Statistics in Medicine 17:891-908; Newcombe (1998), Statistics in Medicine 17:2635-2650, method 10;
Bonett and Price (2012), Journal of Educational and Behavioral Statistics 37:479-488.
"""

from __future__ import annotations

import math
from functools import lru_cache, partial
from typing import Any, Literal, get_args, overload

import numpy as np
from numpy.typing import NDArray

from tallymark.errors import OptionError, precise
from tallymark.intervals.checks import checked_level, checked_number
from tallymark.intervals.proportions import Pair, wilson_reaching, z_quantile
from tallymark.intervals.tails import (
    Alternative,
    Floats,
    Limits,
    ProportionDifference,
    checked_alternative,
    checked_method,
    cut,
    farthest_within,
    normal_tail,
    reach_of_zero,
    standardised,
)

PairedMethod = Literal["tango", "newcombe", "wald", "bonett_price"]
PAIRED_METHODS: tuple[PairedMethod, ...] = get_args(PairedMethod)
NO_VARIANCE = "Wald's formula shows no variance in these counts; tango does"


def paired_difference(
    *,
    n11: float,
    n10: float,
    n01: float,
    n00: float,
    method: PairedMethod = "tango",
    confidence_level: float = 0.95,
    alternative: Alternative = "two-sided",
) -> ProportionDifference:
    """Difference of the accuracies of two models on the same rows: (n01 - n10) / n.

    n11 rows are right by both, n01 by the first only, n10 by the second only, n00 by neither.

    >>> d = paired_difference(n11=1, n01=1, n10=7, n00=12)
    >>> round(d.value, 4), round(d.low, 4), round(d.high, 4), round(d.p_value, 4)
    (-0.2857, -0.5172, -0.026, 0.0339)
    """
    counts = {"n00": n00, "n01": n01, "n10": n10, "n11": n11}
    checked = {name: checked_count(name, count) for name, count in counts.items()}
    n = sum(checked.values())
    if n < 1:
        raise OptionError(
            f"the four counts must add up to 1 or more, got {precise(n, 1)}.", hint="no row, no accuracy."
        )
    checked_method(method, PAIRED_METHODS, "tango")
    level, alternative = checked_level(confidence_level), checked_alternative(alternative)
    cells = checked["n11"], checked["n10"], checked["n01"], checked["n00"]
    ends_at = partial(bounds_of_paired, *cells, method)
    low, high = ends_at(level)
    z, se = _statistic(*cells, method)
    return ProportionDifference(
        value=(cells[2] - cells[1]) / n,
        low=low,
        high=high,
        level=level,
        method=method,
        statistic=z,
        p_value=None if z is None else normal_tail(z, alternative),
        alternative=alternative,
        se=se,
        counts=checked,
        ends_at=ends_at,
        why=NO_VARIANCE if z is None else None,
        note=NO_VARIANCE if se == 0 and z is not None else None,
    )


def checked_count(name: str, count: object) -> float:
    """A number of rows; not always whole, because rows may have weights."""
    number = checked_number(name, count)
    if number < 0:
        raise OptionError(f"{name} must be 0 or more, got {precise(number, 0)}.", hint="it counts rows.")
    return number


def bounds_of_paired(
    n11: float, n10: float, n01: float, n00: float, method: PairedMethod, level: float
) -> Pair:
    """Lower and upper limit of the difference, without any check of the arguments."""
    n = n11 + n10 + n01 + n00
    if method == "tango":
        return tango(n01, n10, n, level)
    z = z_quantile(level)
    if method == "newcombe":
        return _hybrid(n11, n10, n01, n00, z)
    value, se = _normal(n01, n10, n, method)
    return cut(value - z * se, value + z * se)


@overload
def tango(n01: float, n10: float, n: float, level: float) -> Pair: ...
@overload
def tango(n01: NDArray[Any], n10: NDArray[Any], n: NDArray[Any] | float, level: float) -> Limits: ...
def tango(
    n01: float | NDArray[Any], n10: float | NDArray[Any], n: float | NDArray[Any], level: float
) -> Pair | Limits:
    """Tango's score limits of (n01 - n10) / n, of one table or of arrays of them; NaN where n is 0."""
    if np.ndim(n01) == np.ndim(n10) == np.ndim(n) == 0:
        return _tango_of_one(float(n01), float(n10), float(n), level)
    return _tango(n01, n10, n, level)


@lru_cache(maxsize=1024)
def _tango_of_one(n01: float, n10: float, n: float, level: float) -> Pair:
    """Kept, because the interval of a difference and its test ask for the same."""
    low, high = _tango(n01, n10, n, level)
    return float(low), float(high)


def _tango(
    n01: float | NDArray[Any], n10: float | NDArray[Any], n: float | NDArray[Any], level: float
) -> Limits:
    a_only, b_only = np.asarray(n01, dtype=np.float64), np.asarray(n10, dtype=np.float64)
    rows = np.asarray(n, dtype=np.float64)
    rows = np.where(rows > 0, rows, 1.0)
    value, z = (a_only - b_only) / rows, z_quantile(level)

    def too_far(supposed: Floats) -> NDArray[np.bool_]:
        return (value - supposed) ** 2 > z * z * _tango_variance(a_only, b_only, rows, supposed)

    low, high = (np.where(n, farthest_within(too_far, value, end), np.nan) for end in (-1.0, 1.0))
    return low, high


def _tango_variance(n01: Floats, n10: Floats, n: Floats, supposed: Floats) -> Floats:
    """Variance of the difference at the likeliest cells that are `supposed` apart."""
    # Of the two cells the one that is then the smaller is solved for, so that nothing cancels.
    gap = np.abs(supposed)
    more, less = np.where(supposed < 0, n10, n01), np.where(supposed < 0, n01, n10)
    linear = (2 * n - more + less) * gap - more - less
    constant = less * gap * (1 - gap)
    root = np.sqrt(linear * linear + 8 * n * constant)
    share = np.divide(2 * constant, linear + root, out=np.zeros_like(root), where=linear > 0)
    share = np.where(linear > 0, share, (root - linear) / (4 * n))
    return np.asarray((2 * share + gap * (1 - gap)) / n)


def _statistic(
    n11: float, n10: float, n01: float, n00: float, method: PairedMethod
) -> tuple[float | None, float | None]:
    """How far from 0, and the standard error where there is one."""
    n = n11 + n10 + n01 + n00
    if method == "tango":
        return standardised(n01 - n10, math.sqrt(n01 + n10)), None
    if method == "newcombe":
        return reach_of_zero((n01 - n10) / n, partial(_hybrid, n11, n10, n01, n00)), None
    value, se = _normal(n01, n10, n, method)
    return standardised(value, se), se


def _normal(n01: float, n10: float, n: float, method: PairedMethod) -> tuple[float, float]:
    """The centre and the standard error of the two intervals that are symmetric."""
    if method == "bonett_price":
        n01, n10, n = n01 + 1, n10 + 1, n + 2
    value = (n01 - n10) / n
    return value, math.sqrt(max((n01 + n10) / n - value * value, 0.0) / n)


def _hybrid(n11: float, n10: float, n01: float, n00: float, z: float) -> Pair:
    """Wilson's limits of both accuracies, so many standard errors out, joined with their correlation."""
    n = n11 + n10 + n01 + n00
    p1, p2 = (n11 + n01) / n, (n11 + n10) / n
    low1, high1 = wilson_reaching(n11 + n01, n, z)
    low2, high2 = wilson_reaching(n11 + n10, n, z)
    phi = _correlation(n11, n10, n01, n00)
    value = (n01 - n10) / n
    return cut(value - _joined(p1 - low1, high2 - p2, phi), value + _joined(high1 - p1, p2 - low2, phi))


def _joined(a: float, b: float, phi: float) -> float:
    return math.sqrt(max((a - b) ** 2 + 2 * (1 - phi) * a * b, 0.0))


def _correlation(n11: float, n10: float, n01: float, n00: float) -> float:
    """Phi, drawn towards 0 by half a row where it is positive; 0 where a margin is empty."""
    n = n11 + n10 + n01 + n00
    margins = (n11 + n01) * (n00 + n10) * (n11 + n10) * (n00 + n01)
    if margins <= 0:
        return 0.0
    product = n11 * n00 - n10 * n01
    return (max(product - n / 2, 0.0) if product > 0 else product) / math.sqrt(margins)
