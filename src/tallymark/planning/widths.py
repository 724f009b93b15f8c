"""Half widths of Wilson's interval: from rows, and to rows."""

from __future__ import annotations

import math

from tallymark.intervals import binomial, z_quantile


def half_width(n: float, share: float, level: float) -> float:
    """Half the width of Wilson's interval when `share` of the n rows are right.

    It falls with every row: the sign of its derivative is that of pq z^2 - pq n - z^2 / 2, which is
    negative because pq is at most 1/4. So rows that are enough stay enough when more are added.
    """
    # Not from the two limits: their difference has few digits left when it is small.
    z = z_quantile(level)
    return z * math.sqrt(n * share * (1 - share) + z * z / 4) / (n + z * z)


def rows_for_half_width(wanted: float, share: float, level: float) -> int:
    """The fewest rows whose Wilson interval at `share` has at most this half width.

    The positive root of Piegorsch (2004), Computational Statistics & Data Analysis 46:309-316.
    """
    spread, square = share * (1 - share), wanted * wanted
    root = math.sqrt(spread * spread + square * (1 - 4 * spread))
    n = max(1, math.floor(z_quantile(level) ** 2 * (spread - 2 * square + root) / (2 * square)))
    # Rounding can push the root to either side of a whole number.
    while n > 1 and half_width(n - 1, share, level) <= wanted:
        n -= 1
    while half_width(n, share, level) > wanted:
        n += 1
    return n


def textbook_rows(wanted: float, share: float, level: float) -> int:
    """Rows by z^2 p (1 - p) / h^2, the formula of most textbooks."""
    return math.ceil(z_quantile(level) ** 2 * share * (1 - share) / wanted**2 - 1e-9)


def chance_of_half_width(wanted: float, n: int, share: float, level: float) -> float:
    """How often n rows, each right with probability `share`, give at most this half width."""
    # The half width grows with x (n - x), so what is too wide are the counts around n / 2.
    z2 = z_quantile(level) ** 2
    limit = n * (wanted**2 * (n + z2) ** 2 / z2 - z2 / 4)
    if n * n <= 4 * limit:
        return 1.0
    root = math.sqrt(n * n - 4 * limit)
    below, above = math.floor((n - root) / 2 + 1e-9), math.ceil((n + root) / 2 - 1e-9)
    counts = binomial(n, share)
    return counts.cdf(below) + 1 - counts.cdf(above - 1)
