"""Differences of two proportions from two sets of rows that have none in common.

Newcombe (1998), Statistics in Medicine 17:873-890: his methods 1 (`wald`), 5 (`mee`), 6
(`miettinen_nurminen`), 10 (`newcombe`) and 11 (`newcombe_cc`); Agresti and Caffo (2000), The American
Statistician 54:280-288.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tallymark.errors import OptionError, precise
from tallymark.intervals.checks import checked_level, checked_number, on_one_line
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

DifferenceMethod = Literal["wald", "newcombe", "newcombe_cc", "agresti_caffo", "miettinen_nurminen", "mee"]
DIFFERENCE_METHODS: tuple[DifferenceMethod, ...] = get_args(DifferenceMethod)
NO_VARIANCE = "Wald's formula shows no variance in these counts; miettinen_nurminen does"


def difference(
    first: Sequence[float],
    second: Sequence[float],
    method: DifferenceMethod = "wald",
    *,
    confidence_level: float = 0.95,
    alternative: Alternative = "two-sided",
) -> ProportionDifference:
    """Difference of two proportions, each given as (successes, rows), from rows they do not share.

    For two models on the same rows see `paired_difference`.

    >>> d = difference((56, 70), (48, 80))
    >>> round(d.value, 4), round(d.low, 4), round(d.high, 4), round(d.p_value, 4)
    (0.2, 0.0575, 0.3425, 0.0059)
    """
    x1, n1 = _checked_pair("first", first)
    x2, n2 = _checked_pair("second", second)
    successes = {"successes_a": x1, "successes_b": x2}
    return _between(x1 / n1, n1, x2 / n2, n2, method, confidence_level, alternative, successes)


def of_proportions(
    p1: float,
    n1: float,
    p2: float,
    n2: float,
    method: DifferenceMethod = "wald",
    level: float = 0.95,
    alternative: Alternative = "two-sided",
) -> ProportionDifference:
    """The same from shares as they were published, which are not rounded to counts.

    >>> d = of_proportions(0.85, 30, 0.75, 5000)
    >>> round(d.value, 3), round((d.high - d.low) / 2, 3)
    (0.1, 0.128)
    """
    shares = [_checked_share(name, share) for name, share in (("p1", p1), ("p2", p2))]
    rows = [_checked_rows(name, n) for name, n in (("n1", n1), ("n2", n2))]
    return _between(shares[0], rows[0], shares[1], rows[1], method, level, alternative, {})


def _between(
    p1: float,
    n1: float,
    p2: float,
    n2: float,
    method: DifferenceMethod,
    level: float,
    alternative: Alternative,
    successes: dict[str, float],
) -> ProportionDifference:
    checked_method(method, DIFFERENCE_METHODS, "wald")
    level, alternative = checked_level(level), checked_alternative(alternative)
    ends_at = partial(bounds_of_difference, p1, n1, p2, n2, method)
    low, high = ends_at(level)
    z, se = _statistic(p1, n1, p2, n2, method)
    return ProportionDifference(
        value=p1 - p2,
        low=low,
        high=high,
        level=level,
        method=method,
        statistic=z,
        p_value=None if z is None else normal_tail(z, alternative),
        alternative=alternative,
        se=se,
        counts=successes | {"share_a": p1, "n_a": n1, "share_b": p2, "n_b": n2},
        ends_at=ends_at,
        why=NO_VARIANCE if z is None else None,
        note=NO_VARIANCE if se == 0 and z is not None else None,
    )


def bounds_of_difference(
    p1: float, n1: float, p2: float, n2: float, method: DifferenceMethod, level: float
) -> Pair:
    """Lower and upper limit of p1 - p2, without any check of the arguments."""
    z = z_quantile(level)
    if method in ("newcombe", "newcombe_cc"):
        return _hybrid(p1, n1, p2, n2, method, z)
    if method in ("mee", "miettinen_nurminen"):
        low, high = score_limits(p1 * n1, n1, p2 * n2, n2, z, method)
        return float(low), float(high)
    value, se = _normal(p1, n1, p2, n2, method)
    return cut(value - z * se, value + z * se)


def _statistic(
    p1: float, n1: float, p2: float, n2: float, method: DifferenceMethod
) -> tuple[float | None, float | None]:
    """How far from 0, and the standard error where there is one."""
    if method in ("newcombe", "newcombe_cc"):
        return reach_of_zero(p1 - p2, partial(_hybrid, p1, n1, p2, n2, method)), None
    if method in ("mee", "miettinen_nurminen"):
        pooled = (p1 * n1 + p2 * n2) / (n1 + n2)
        variance = pooled * (1 - pooled) * (1 / n1 + 1 / n2) * _inflated(n1 + n2, method)
        return standardised(p1 - p2, math.sqrt(max(variance, 0.0))), None
    value, se = _normal(p1, n1, p2, n2, method)
    return standardised(value, se), se


def _normal(p1: float, n1: float, p2: float, n2: float, method: DifferenceMethod) -> tuple[float, float]:
    """The centre and the standard error of the two intervals that are symmetric."""
    if method == "agresti_caffo":
        p1, n1, p2, n2 = (p1 * n1 + 1) / (n1 + 2), n1 + 2, (p2 * n2 + 1) / (n2 + 2), n2 + 2
    return p1 - p2, math.sqrt(p1 * (1 - p1) / n1 + p2 * (1 - p2) / n2)


def _hybrid(p1: float, n1: float, p2: float, n2: float, method: DifferenceMethod, z: float) -> Pair:
    """Wilson's limits of both, so many standard errors out, joined by the sum of their squares."""
    half = 0.5 if method == "newcombe_cc" else 0.0
    low1, high1 = _wilson(p1 * n1, n1, z, half)
    low2, high2 = _wilson(p2 * n2, n2, z, half)
    return cut(p1 - p2 - math.hypot(p1 - low1, high2 - p2), p1 - p2 + math.hypot(high1 - p1, p2 - low2))


def _wilson(x: float, n: float, z: float, half: float) -> Pair:
    low, _ = wilson_reaching(max(x - half, 0.0), n, z)
    _, high = wilson_reaching(min(x + half, n), n, z)
    return low, high


def score_limits(
    x1: ArrayLike, n1: float, x2: ArrayLike, n2: float, z: float, method: Literal["mee", "miettinen_nurminen"]
) -> Limits:
    """The differences that a score test does not reject, for one pair of counts or arrays of them."""
    first, second = np.broadcast_arrays(np.asarray(x1, dtype=np.float64), np.asarray(x2, dtype=np.float64))
    value, scale = first / n1 - second / n2, z * z * _inflated(n1 + n2, method)

    def too_far(supposed: Floats) -> NDArray[np.bool_]:
        return (value - supposed) ** 2 > scale * _restricted_variance(first, n1, second, n2, supposed)

    return farthest_within(too_far, value, -1.0), farthest_within(too_far, value, 1.0)


def _inflated(n: float, method: DifferenceMethod) -> float:
    return n / (n - 1) if method == "miettinen_nurminen" else 1.0


def _restricted_variance(x1: Floats, n1: float, x2: Floats, n2: float, supposed: Floats) -> Floats:
    """Variance of the difference at the likeliest shares that are `supposed` apart."""
    # Small shares keep their digits where large ones would not, so the rarer of success and failure is
    # counted; and the sample that has then the smaller share comes second.
    flipped = x1 + x2 > (n1 + n2) / 2
    rare1, rare2 = np.where(flipped, n1 - x1, x1), np.where(flipped, n2 - x2, x2)
    swapped = (supposed < 0) != flipped
    more, less = np.where(swapped, rare2, rare1), np.where(swapped, rare1, rare2)
    n_more, n_less = np.where(swapped, n2, n1), np.where(swapped, n1, n2)
    gap = np.abs(supposed)
    small = _likeliest(more, n_more, less, n_less, gap)
    large = np.minimum(small + gap, 1.0)
    return np.asarray(large * (1 - large) / n_more + small * (1 - small) / n_less)


def _likeliest(x1: Floats, n1: Floats, x2: Floats, n2: Floats, gap: Floats) -> Floats:
    """The second share where the likelihood is greatest, given that the first is `gap` more.

    It is the middle root of a cubic (Miettinen and Nurminen 1985, Statistics in Medicine 4:213-226).
    """
    n = n1 + n2
    square = ((n1 + 2 * n2) * gap - n - x1 - x2) / n
    linear = ((n2 * gap - n - 2 * x2) * gap + x1 + x2) / n
    constant = x2 * gap * (1 - gap) / n
    q = (square / 3) ** 3 - linear * square / 6 + constant / 2
    radius = np.copysign(np.sqrt(np.maximum((square / 3) ** 2 - linear / 3, 0.0)), q)
    ratio = np.divide(q, radius**3, out=np.ones_like(q), where=radius != 0)
    offset = 2 * radius * np.cos((math.pi + np.arccos(np.clip(ratio, -1.0, 1.0))) / 3)
    # Where two roots are close the arc cosine has lost half of the digits. From a point that is surely
    # between the root and the inflection, Newton's steps approach the root from one side and return them.
    share = np.copysign(np.maximum(np.abs(offset) - 1e-7, 0.0), offset) - square / 3
    for _ in range(60):
        rest = ((share + square) * share + linear) * share + constant
        slope = (3 * share + 2 * square) * share + linear
        step = np.divide(rest, slope, out=np.zeros_like(rest), where=slope < 0)
        share, before = np.clip(share - step, 0.0, 1 - gap), share
        if bool(np.all(np.abs(share - before) <= 1e-15 * share)):
            break
    return np.asarray(share)


def _checked_pair(name: str, pair: Any) -> Pair:
    numbers = np.asarray(pair, dtype=object)
    if numbers.shape != (2,):
        raise OptionError(
            f"{name} must be a pair (successes, rows), got {on_one_line(pair)}.", hint="write (56, 70)."
        )
    x, n = checked_number(f"successes of {name}", numbers[0]), _checked_rows(f"rows of {name}", numbers[1])
    if 0 < x < 1:
        raise OptionError(
            f"successes of {name} must be a count, but {precise(x, 0, 1)} is a share.",
            hint=f'tm.compare({{"a": ({x:g}, {n:g}), ...}}) takes shares.',
        )
    if not 0 <= x <= n:
        raise OptionError(
            f"successes of {name} must be between 0 and its {precise(n, x)} rows, got {precise(x, 0, n)}.",
            hint="the order is (successes, rows).",
        )
    return x, n


def _checked_share(name: str, share: object) -> float:
    number = float(checked_number(name, share))
    if not 0 <= number <= 1:
        hint = f"write {number / 100:g} for {number:g} %." if 1 < number <= 100 else None
        raise OptionError(f"{name} must be a share between 0 and 1, got {precise(number, 0, 1)}.", hint=hint)
    return number


def _checked_rows(name: str, n: object) -> float:
    number = checked_number(name, n)
    if number < 1:
        raise OptionError(f"{name} must be at least 1, got {precise(number, 1)}.", hint="a share needs rows.")
    return number
