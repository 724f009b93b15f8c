"""Thresholds in as few decimals as take the same rows, so that a person can read and type them."""

from __future__ import annotations

import math
from decimal import ROUND_FLOOR, Context, Decimal

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]

# Whole numbers and powers of ten up to these are exact as floats, and so is rounding one by the other.
_WHOLE = 2**53
_MOST_DECIMALS = 22
_MOST_FIGURES = 17


def shortest(low: Numbers, high: Numbers) -> tuple[NDArray[np.int64], int] | None:
    """Of each pair a number above `low` and not above `high` with the fewest decimals, the greatest of them.

    They come as whole numbers and how often to divide them by ten; None where that takes too many figures.

    >>> shortest(np.array([0.52, -np.inf]), np.array([0.61234, 0.52]))
    (array([6, 0]), 1)
    """
    decimals = np.full(len(high), -1)
    whole = np.zeros(len(high))
    left = np.arange(len(high))
    for places in range(_MOST_DECIMALS + 1):
        found = _floored(high[left], 10.0**places)
        if (np.abs(found) >= _WHOLE).any():
            return None
        good = found / 10.0**places > low[left]
        decimals[left[good]] = places
        whole[left[good]] = found[good]
        left = left[~good]
        if not len(left):
            break
    else:
        return None
    most = int(decimals.max(initial=0))
    if (np.abs(whole) * 10.0 ** (most - decimals) >= _WHOLE).any():
        return None
    return whole.astype(np.int64) * 10 ** (most - decimals), most


def _floored(values: Numbers, scale: float) -> Numbers:
    """The greatest whole numbers that are not above the values when divided by the scale."""
    found = np.floor(values * scale)
    # The product was rounded, and may have come to lie beyond a whole number.
    found = np.where(found / scale > values, found - 1, found)
    return np.where((found + 1) / scale <= values, found + 1, found)


def with_few_figures(low: float, high: float) -> float:
    """The same of one pair by significant figures, for numbers of any size.

    >>> with_few_figures(2.5e-31, 4.25e-31), with_few_figures(0.5, 0.9999999999999999)
    (4e-31, 0.9)
    """
    if math.isinf(low):
        return min(high, 0.0)
    # As it is written: as a float 3e-30 is a little less, and would be rounded down to 2e-30.
    written = Decimal(repr(high))
    for figures in range(1, _MOST_FIGURES):
        found = float(Context(figures, ROUND_FLOOR).create_decimal(written))
        if low < found <= high:
            return found
    return high
