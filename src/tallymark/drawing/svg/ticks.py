"""At which numbers a scale has ticks, and how they are written."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

from tallymark.drawing.numbers import count

_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)
_WHOLE_STEPS = (1.0, 2.0, 5.0, 10.0)
_DIGITS = ((1.0, 2.0, 5.0), (1.0, 3.0), (1.0,))
"""What numbers on a logarithmic scale begin with, from many of them to few."""
# Of a step, by which a number may miss an end, or its own rounded form.
_NOISE = 1e-6
_MOST_DECIMALS = 6
_THOUSAND = 1000


def round_ticks(low: float, high: float, most: int, *, whole: bool = False) -> list[float]:
    """Round numbers at equal distances, not more than `most` + 1 of them.

    >>> round_ticks(0, 1, 5), round_ticks(3, 41, 4), round_ticks(0, 2, 5, whole=True)
    ([0.0, 0.2, 0.4, 0.6, 0.8, 1.0], [10.0, 20.0, 30.0, 40.0], [0.0, 1.0, 2.0])
    """
    power = math.floor(math.log10((high - low) / most))
    if whole:
        power = max(power, 0)
    for size in _WHOLE_STEPS if whole else _STEPS:
        # Divided, because a negative power of ten is not exact.
        step = size * 10.0**power if power >= 0 else size / 10.0**-power
        first, last = math.ceil(low / step - _NOISE), math.floor(high / step + _NOISE)
        if last - first <= most:
            break
    return [
        number * size * 10.0**power if power >= 0 else number * size / 10.0**-power
        for number in range(first, last + 1)
    ]


def log_ticks(low: float, high: float, most: int) -> list[float]:
    """Round numbers on a logarithmic scale, not many more than asked for.

    >>> log_ticks(1, 100, 8), log_ticks(1e-9, 1, 4)
    ([1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0], [1e-09, 1e-06, 0.001, 1.0])
    """
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    for digits in _DIGITS:
        numbers = [float(f"{digit:g}e{power}") for power in powers for digit in digits]
        shown = [
            number for number in numbers if low <= number * (1 + _NOISE) and number <= high * (1 + _NOISE)
        ]
        if 2 <= len(shown) <= most:
            return shown
    if len(powers) <= most:
        return round_ticks(low, high, most)
    step = math.ceil(len(powers) / most)
    return [number for power in powers[::-step] if low <= (number := float(f"1e{power}")) <= high][::-1]


def written(numbers: Sequence[float], *, percent: bool = False, log: bool = False) -> list[str]:
    """All with the same decimals, as many as it takes.

    >>> written([0, 0.25, 0.5]), written([0, 0.5, 1], percent=True), written([0, 2500])
    (['0.00', '0.25', '0.50'], ['0%', '50%', '100%'], ['0', '2,500'])
    """
    if log or (not percent and max(map(abs, numbers), default=0) >= _THOUSAND):
        texts = [count(number) for number in numbers]
    else:
        texts = _fixed([number * 100 for number in numbers] if percent else numbers)
    return [f"{text}%" for text in texts] if percent else texts


def _fixed(numbers: Sequence[float]) -> list[str]:
    step = min((abs(b - a) for a, b in pairwise(numbers)), default=1.0)
    for decimals in range(_MOST_DECIMALS + 1):
        if all(abs(number - round(number, decimals)) <= step * _NOISE for number in numbers):
            return [f"{number:.{decimals}f}" for number in numbers]
    return [f"{number:.10g}" for number in numbers]
