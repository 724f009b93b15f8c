"""At which numbers a scale has ticks."""

from __future__ import annotations

import math

from matplotlib.ticker import Locator, LogLocator, MaxNLocator

TICKS = 5
LOG_TICKS = 8
_DIGITS = ((1.0, 2.0, 5.0), (1.0, 3.0), (1.0,))
"""What numbers on a logarithmic scale begin with, from many of them to few."""


def ticks(most: int = TICKS, *, whole: bool = False) -> MaxNLocator:
    """Round numbers, about as many as asked for."""
    return MaxNLocator(most, steps=[1, 2, 5, 10] if whole else [1, 2, 2.5, 5, 10], integer=whole)


def log_ticks(low: float, high: float, most: int = LOG_TICKS) -> Locator:
    """Round numbers on a logarithmic scale, not more than asked for."""
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    for digits in _DIGITS:
        shown = [low <= digit * 10.0**power <= high for power in decades for digit in digits]
        if 2 <= sum(shown) <= most:
            return LogLocator(subs=digits, numticks=len(decades) + 1)
    many = len(decades) > most
    return LogLocator(numticks=most) if many else ticks(min(most, TICKS))
