"""Exact coverage and mean width of every interval for a proportion.

Nothing is simulated: the coverage at p is the binomial probability of the counts whose interval contains p.

    python benchmarks/coverage_binomial.py
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from tallymark.intervals import METHODS, Method, binomial, bounds

SIZES = (10, 30, 50, 100, 1000)
PROBABILITIES = np.linspace(0.01, 0.99, 197)


@cache
def all_bounds(method: Method, n: int, level: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The lower and the upper limits for 0, 1, ..., n successes."""
    limits = np.array([bounds(successes, n, method, level) for successes in range(n + 1)])
    return limits[:, 0], limits[:, 1]


def exact_coverage(method: Method, n: int, p: float, level: float = 0.95) -> float:
    """Probability that the interval contains p."""
    low, high = all_bounds(method, n, level)
    return float(binomial(n, p).pmf(np.flatnonzero((low <= p) & (p <= high))).sum())


def exact_width(method: Method, n: int, p: float, level: float = 0.95) -> float:
    """Expected width of the interval when the true proportion is p."""
    low, high = all_bounds(method, n, level)
    return float(binomial(n, p).pmf(np.arange(n + 1)) @ (high - low))


def main() -> None:
    from records import covered

    print(
        f"95 % intervals, {len(PROBABILITIES)} values of p from {PROBABILITIES[0]} to {PROBABILITIES[-1]}\n"
    )
    print(f"{'n':>5}  {'method':<16}{'min coverage':>13}{'mean coverage':>15}{'mean width':>12}")
    for n in SIZES:
        for method in METHODS:
            coverage = [exact_coverage(method, n, p) for p in PROBABILITIES]
            width = [exact_width(method, n, p) for p in PROBABILITIES]
            worst = int(np.argmin(coverage))
            title = f"n = {n}, p = {PROBABILITIES[worst]:.3g}"
            covered("a proportion, worst p", title, n, method, coverage[worst], width[worst], 0)
            means = float(np.mean(coverage)), float(np.mean(width))
            covered("a proportion, mean over p", f"n = {n}", n, method, *means, 0)
            print(
                f"{n:>5}  {method:<16}{min(coverage):>13.4f}{np.mean(coverage):>15.4f}{np.mean(width):>12.4f}"
            )
        print()


if __name__ == "__main__":
    main()
