"""Exact coverage of the intervals of a difference of proportions, and how often McNemar's tests are wrong.

Nothing is simulated: every table that can come about is visited with its probability.

    python benchmarks/coverage_differences.py            ten seconds on one core
    python benchmarks/coverage_differences.py --quick    the same with fewer sizes
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallymark.intervals import binomial, z_quantile
from tallymark.intervals.differences import (
    DIFFERENCE_METHODS,
    DifferenceMethod,
    bounds_of_difference,
    score_limits,
)
from tallymark.intervals.paired_differences import PAIRED_METHODS, PairedMethod, bounds_of_paired, tango
from tallymark.tests.mcnemar import MCNEMAR_METHODS, McNemarMethod, mcnemar

Floats = NDArray[np.float64]
Limits = tuple[Floats, Floats]

LEVEL = 0.95
DUST = 1e-12
"""Limits that equal the true difference but for rounding hold it."""
SIZES = ((10, 10), (30, 30), (100, 20), (100, 100))
SHARES = np.linspace(0.02, 0.98, 25)
PAIRED_SIZES = (10, 30, 50)
DISAGREEMENTS = np.linspace(0.005, 0.5, 100)
"""Probabilities that only one of two models has a row right; more than 1/2 only if each is right where the
other is wrong."""


class Measured(NamedTuple):
    """Over many truths."""

    lowest: float
    mean: float
    short: float
    """Share of the truths that are held less often than 0.93."""
    width: float
    """Mean expected width."""


# --- other rows ------------------------------------------------------------------------------


@cache
def all_limits(method: DifferenceMethod, n1: int, n2: int) -> Limits:
    """The limits for every pair of counts, as two matrices."""
    first, second = np.arange(n1 + 1), np.arange(n2 + 1)
    if method == "mee" or method == "miettinen_nurminen":
        return score_limits(first[:, None], n1, second[None, :], n2, z_quantile(LEVEL), method)
    limits = [[bounds_of_difference(a / n1, n1, b / n2, n2, method, LEVEL) for b in second] for a in first]
    return np.array(limits)[..., 0], np.array(limits)[..., 1]


def coverage(method: DifferenceMethod, n1: int, n2: int, p1: float, p2: float) -> float:
    """Probability that the interval contains p1 - p2."""
    low, high = all_limits(method, n1, n2)
    holds = (low <= p1 - p2 + DUST) & (p1 - p2 - DUST <= high)
    return float(_chances(n1, p1) @ holds @ _chances(n2, p2))


def over_all_shares(method: DifferenceMethod, n1: int, n2: int) -> Measured:
    low, high = all_limits(method, n1, n2)
    pairs = [(p1, p2) for p1 in SHARES for p2 in SHARES]
    held = [coverage(method, n1, n2, p1, p2) for p1, p2 in pairs]
    widths = [float(_chances(n1, p1) @ (high - low) @ _chances(n2, p2)) for p1, p2 in pairs]
    return _measured(held, widths)


@cache
def _chances(n: int, p: float) -> Floats:
    return binomial(n, p).pmf(np.arange(n + 1))


def _measured(held: list[float], widths: list[float]) -> Measured:
    found = np.array(held)
    return Measured(
        float(found.min()), float(found.mean()), float((found < 0.93).mean()), float(np.mean(widths))
    )


# --- the same rows ---------------------------------------------------------------------------


@cache
def paired_tables(n: int) -> NDArray[np.int64]:
    """Every table of n rows: right by both, by the second only, by the first only, by neither."""
    steps = np.arange(n + 1)
    both, second, first = (axis.ravel() for axis in np.meshgrid(steps, steps, steps, indexing="ij"))
    kept = both + second + first <= n
    tables = np.stack([both, second, first, n - both - second - first], axis=1)
    return tables[kept]


@cache
def paired_limits(method: PairedMethod, n: int) -> Limits:
    tables = paired_tables(n)
    if method == "tango":
        return tango(tables[:, 2], tables[:, 1], float(n), LEVEL)
    limits = np.array([bounds_of_paired(a, b, c, d, method, LEVEL) for a, b, c, d in tables.tolist()])
    return limits[:, 0], limits[:, 1]


def paired_designs() -> Iterator[tuple[float, float, float, float]]:
    """Cells of models that differ by 0 to 0.3 and disagree about few or many rows."""
    for gap in (0.0, 0.02, 0.1, 0.3):
        for second in (0.01, 0.05, 0.2):
            agreed = 1 - gap - 2 * second
            for right in (0.5, 0.9):
                yield agreed * right, second, second + gap, agreed * (1 - right)


def paired_coverage(method: PairedMethod, n: int, cells: tuple[float, ...]) -> tuple[float, float]:
    """Probability that the interval holds the difference, and its expected width."""
    low, high = paired_limits(method, n)
    chances = _multinomial(n, cells)
    truth = cells[2] - cells[1]
    holds = (low <= truth + DUST) & (truth - DUST <= high)
    return float(chances @ holds), float(chances @ (high - low))


def over_paired_designs(method: PairedMethod, n: int) -> Measured:
    held, widths = zip(*(paired_coverage(method, n, cells) for cells in paired_designs()), strict=True)
    return _measured(list(held), list(widths))


@cache
def _multinomial(n: int, cells: tuple[float, ...]) -> Floats:
    from scipy.special import gammaln, xlogy

    tables = paired_tables(n)
    logs = gammaln(n + 1) - gammaln(tables + 1).sum(axis=1) + xlogy(tables, np.array(cells)).sum(axis=1)
    return np.asarray(np.exp(logs))


# --- McNemar's tests -------------------------------------------------------------------------


@cache
def rejected(method: McNemarMethod, disagreements: int, level: float) -> float:
    """Probability of rejection when both models are right equally often, given how often they disagree."""
    n01 = np.arange(disagreements + 1)
    found = [mcnemar(int(k), int(disagreements - k), method).p_value for k in n01]
    return float(_chances(disagreements, 0.5) @ (np.array(found) <= level + DUST))


def type_one_error(method: McNemarMethod, n: int, disagreement: float, level: float = 0.05) -> float:
    """Probability that models that are equally good on n rows are told apart."""
    return float(_chances(n, disagreement) @ np.array([rejected(method, m, level) for m in range(n + 1)]))


# --- printed ---------------------------------------------------------------------------------


def main(quick: bool = False) -> None:
    from records import covered
    from records import rejected as keep

    head = f"{'method':<20}{'lowest':>9}{'mean':>9}{'< 0.93':>9}{'width':>9}"
    print(f"Other rows: {LEVEL:.0%} intervals, {len(SHARES)} x {len(SHARES)} pairs of shares\n")
    print(f"{'n1':>5}{'n2':>5}  {head}")
    for n1, n2 in SIZES[:2] if quick else SIZES:
        for method in DIFFERENCE_METHODS:
            found = over_all_shares(method, n1, n2)
            print(f"{n1:>5}{n2:>5}  {_line(method, found)}")
            title, size = f"n = {n1} and {n2}", n1 + n2
            covered("difference, other rows, worst shares", title, size, method, found.lowest, found.width, 0)
            covered(
                "difference, other rows, mean over shares", title, size, method, found.mean, found.width, 0
            )
        print()
    print(f"The same rows: {len(list(paired_designs()))} designs\n\n{'n':>5}  {head}")
    for n in PAIRED_SIZES[:2] if quick else PAIRED_SIZES:
        for paired in PAIRED_METHODS:
            one = over_paired_designs(paired, n)
            print(f"{n:>5}  {_line(paired, one)}")
            covered(
                "difference, the same rows, worst design", f"n = {n}", n, paired, one.lowest, one.width, 0
            )
            covered(
                "difference, the same rows, mean of designs", f"n = {n}", n, paired, one.mean, one.width, 0
            )
        print()
    print(
        "McNemar's tests at 5 %: how often two models that are equally good are told apart, over all shares"
    )
    print("of disagreement up to 0.5, and at some of them\n")
    print(f"{'n':>5}  {'method':<20}{'highest':>9}{'mean':>9}{'at 0.1':>9}{'at 0.3':>9}{'at 1':>9}")
    for n in (20, 100) if quick else (10, 20, 50, 100, 200):
        for test in MCNEMAR_METHODS:
            errors = [type_one_error(test, n, each) for each in DISAGREEMENTS]
            worst = DISAGREEMENTS[int(np.argmax(errors))]
            keep(
                f"McNemar, {test}",
                f"n = {n}, worst share of disagreement, {worst:.3g}",
                max(errors),
                np.nan,
                0,
            )
            at = "".join(f"{type_one_error(test, n, each):>9.4f}" for each in (0.1, 0.3, 1.0))
            print(f"{n:>5}  {test:<20}{max(errors):>9.4f}{np.mean(errors):>9.4f}{at}")
        print()


def _line(method: str, found: Measured) -> str:
    return f"{method:<20}{found.lowest:>9.4f}{found.mean:>9.4f}{found.short:>9.2%}{found.width:>9.4f}"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Coverage of the intervals of differences of proportions.")
    parser.add_argument("--quick", action="store_true", help="fewer sizes")
    main(parser.parse_args().quick)
