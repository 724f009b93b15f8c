"""The studentized range with no end of degrees of freedom, which Nemenyi's test is judged by."""

from __future__ import annotations

import math

import numpy as np

_STEP = 0.02
_REACH = 10.0


def range_tail(q: float, k: int) -> float:
    """Chance that the range of k standard normal values is q or more.

    With x = Phi(z) and y = Phi(z - q) it is k times the integral of phi(z) (x^(k-1) - (x - y)^(k-1)), z being
    the largest value. All terms are positive, so small chances keep their digits.

    >>> round(range_tail(3.314, 3), 3)
    0.05
    """
    if q <= 0:
        return 1.0
    from scipy.special import ndtr

    # The trapezoidal rule converges faster than any power of the step for a smooth bell.
    z = np.arange(-_REACH, _REACH + q, _STEP)
    x, y = ndtr(z), ndtr(z - q)
    with np.errstate(divide="ignore", under="ignore"):
        missed = -np.expm1((k - 1) * np.log1p(-y / x))
        bell = np.exp(-z * z / 2) / math.sqrt(2 * math.pi)
        return min(1.0, float(k * _STEP * np.sum(bell * x ** (k - 1) * missed)))


def range_quantile(alpha: float, k: int) -> float:
    """The range that k standard normal values reach with chance alpha.

    Divided by sqrt(2) it is Demsar's q (2006, table 5a).

    >>> round(range_quantile(0.05, 4) / 2**0.5, 3)
    2.569
    """
    low, high = 0.0, 1.0
    while range_tail(high, k) > alpha:
        low, high = high, 2 * high
    while high - low > 1e-13 * high:
        middle = (low + high) / 2
        if middle in (low, high):
            break
        low, high = (middle, high) if range_tail(middle, k) > alpha else (low, middle)
    return (low + high) / 2
