"""Formulas of intervals, written out for tests that compare with them."""

import math
from typing import Any

from scipy import stats

Z = float(stats.norm.ppf(0.975))


def ends(found: Any) -> tuple[float, float]:
    assert found.low is not None
    return found.low, found.high


def width(found: Any) -> float:
    low, high = ends(found)
    return high - low


def wilson(share: float, n: float, reach: float = Z) -> tuple[float, float]:
    """Wilson's, for a number of rows that need not be whole."""
    centre = (share + reach**2 / (2 * n)) / (1 + reach**2 / n)
    half = reach * math.sqrt(share * (1 - share) / n + reach**2 / (4 * n**2)) / (1 + reach**2 / n)
    return centre - half, centre + half


def worth(mean: float, variance: float, n: float) -> float:
    """As how many rows that score 0 or 1; four rows are taken to have shown the largest variance."""
    largest = mean * (1 - mean)
    return n if largest < 1e-12 else n * largest * (n + 4) / (n * variance + 4 * largest)


def on_logit(value: float, se: float, reach: float = Z) -> tuple[float, float]:
    centre, half = math.log(value / (1 - value)), reach * se / (value * (1 - value))
    return 1 / (1 + math.exp(half - centre)), 1 / (1 + math.exp(-half - centre))


def newcombe(area: float, positives: float, negatives: float, reach: float = Z) -> tuple[float, float]:
    """Statistics in Medicine 25 (2006), method 5, its equation solved by bisection."""

    def far(limit: float) -> bool:
        mean = (positives + negatives) / 2 - 1
        inner = 1 + mean * (1 - limit) / (2 - limit) + mean * limit / (1 + limit)
        return abs(area - limit) > reach * math.sqrt(limit * (1 - limit) * inner / (positives * negatives))

    found = []
    for out in (0.0, 1.0):
        into = area
        for _ in range(80):
            middle = (out + into) / 2
            out, into = (middle, into) if far(middle) else (out, middle)
        found.append(into)
    return found[0], found[1]


def wider(one: tuple[float, float], two: tuple[float, float]) -> tuple[float, float]:
    return min(one[0], two[0]), max(one[1], two[1])
