"""Coverage of the 95 % intervals that other packages offer, or that people write by hand around them.

The designs are those that our own intervals are measured on, so the lines can be laid side by side.
Proportions and differences of them are worked out, not simulated: a package is asked for the interval of
every count there can be. Of the bootstrap, resampled rows are weights: many resamples cost one product.

    python benchmarks/peers_intervals.py            about two minutes on one core
    python benchmarks/peers_intervals.py --quick    the same with fewer samples
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from contextlib import suppress

import numpy as np
from numpy.typing import NDArray

import coverage_binomial
import coverage_differences
import coverage_ranking
from coverage_ranking import Design, Drawn, estimate, ranking_of
from tallymark.intervals import AUC_METHODS, binomial
from tallymark.intervals.auc import auc_bounds

Floats = NDArray[np.float64]
Pair = tuple[float, float]

SIZES = (10, 30, 100)
PAIRS_OF_SIZES = ((10, 10), (30, 30))
SAMPLES = 1_000
RESAMPLES = 1_000
MOSTLY = 0.9
"""Shares of two proportions count only if an interval comes about at least so often."""
STATSMODELS = ("normal", "wilson", "agresti_coull", "beta", "jeffreys", "binom_test")
STATSMODELS_TWO = ("wald", "agresti-caffo", "newcomb", "score")
SCIPY = ("exact", "wilson", "wilsoncc")
BOOTSTRAP = "bootstrap of rows, percentiles"


# --- proportions, worked out -----------------------------------------------------------------


def of_statsmodels(method: str) -> Callable[[int, int], Pair]:
    from statsmodels.stats.proportion import proportion_confint

    def ends(successes: int, n: int) -> Pair:
        low, high = proportion_confint(successes, n, method=method)
        return float(low), float(high)

    return ends


def of_scipy(method: str) -> Callable[[int, int], Pair]:
    from scipy.stats import binomtest

    return lambda successes, n: tuple(binomtest(successes, n).proportion_ci(method=method))  # type: ignore[arg-type]


def percentiles(successes: int, n: int) -> Pair:
    """Of endless resamples of the rows: their number of successes is binomial."""
    from scipy.stats import binom

    return tuple(binom.ppf([0.025, 0.975], n, successes / n) / n)


def of_mlxtend(successes: int, n: int) -> Pair:
    from mlxtend.evaluate import bootstrap

    right = (np.arange(n) < successes).astype(float)
    return bootstrap(right, func=np.mean, num_rounds=RESAMPLES, seed=successes)[2]  # type: ignore[no-any-return]


def peers_of_a_proportion() -> Iterator[tuple[str, str, Callable[[int, int], Pair]]]:
    for method in STATSMODELS:
        yield "statsmodels proportion_confint", method, of_statsmodels(method)
    for method in SCIPY:
        yield "scipy binomtest", method, of_scipy(method)
    yield "by hand around scikit-learn", BOOTSTRAP, percentiles
    yield "mlxtend bootstrap", BOOTSTRAP, of_mlxtend


def proportions() -> None:
    from records import covered

    probabilities = coverage_binomial.PROBABILITIES
    print(f"\n{'n':>5}  {'':32}{'method':<32}{'min coverage':>13}{'mean coverage':>15}{'mean width':>12}")
    for n in SIZES:
        chances = np.array([binomial(n, p).pmf(np.arange(n + 1)) for p in probabilities])
        for whose, method, ends in peers_of_a_proportion():
            low, high = np.array([ends(k, n) for k in range(n + 1)]).T
            holds = (low <= probabilities[:, None]) & (probabilities[:, None] <= high)
            coverage, width = (chances * holds).sum(axis=1), chances @ (high - low)
            worst = int(np.argmin(coverage))
            title, held = f"n = {n}, p = {probabilities[worst]:.3g}", float(coverage[worst])
            covered("a proportion, worst p", title, n, method, held, float(width[worst]), 0, whose=whose)
            means = float(coverage.mean()), float(width.mean())
            covered("a proportion, mean over p", f"n = {n}", n, method, *means, 0, whose=whose)
            print(f"{n:>5}  {whose:32}{method:<32}{held:>13.4f}{means[0]:>15.4f}{means[1]:>12.4f}")


def of_two_proportions(method: str, n1: int, n2: int) -> Floats:
    """Limits for every pair of counts; NaN where an error is raised, as by `score` with few failures."""
    from statsmodels.stats.proportion import confint_proportions_2indep

    limits = np.full((n1 + 1, n2 + 1, 2), np.nan)
    for a, b in np.ndindex(n1 + 1, n2 + 1):
        with np.errstate(all="ignore"), suppress(ValueError):
            limits[a, b] = confint_proportions_2indep(a, n1, b, n2, method=method)
    return limits


def differences() -> None:
    from records import covered

    whose, what = "statsmodels confint_proportions_2indep", "difference, other rows"
    shares = coverage_differences.SHARES
    truth = shares[:, None] - shares
    print(f"\n{'n1':>5}{'n2':>5}  {'method':<20}{'lowest':>9}{'mean':>9}{'width':>9}")
    for n1, n2 in PAIRS_OF_SIZES:
        one, two = (np.array([binomial(n, p).pmf(np.arange(n + 1)) for p in shares]) for n in (n1, n2))
        for method in STATSMODELS_TWO:
            low, high = np.moveaxis(of_two_proportions(method, n1, n2), 2, 0)
            there = one @ np.isfinite(low + high) @ two.T
            wide = float((one @ np.nan_to_num(high - low) @ two.T / there).mean())
            held = np.full(truth.shape, np.nan)
            for i, j in zip(*np.nonzero(there > MOSTLY), strict=True):
                holds = (low <= truth[i, j] + 1e-12) & (truth[i, j] - 1e-12 <= high)
                held[i, j] = one[i] @ holds @ two[j] / there[i, j]
            if not (there > MOSTLY).any():
                print(f"{n1:>5}{n2:>5}  {method:<20}{'an error in more than 1 of 10 samples':>27}")
                continue
            title, size, worst, mean = (
                f"n = {n1} and {n2}",
                n1 + n2,
                float(np.nanmin(held)),
                float(np.nanmean(held)),
            )
            covered(f"{what}, worst shares", title, size, method, worst, wide, 0, whose=whose)
            covered(f"{what}, mean over shares", title, size, method, mean, wide, 0, whose=whose)
            print(f"{n1:>5}{n2:>5}  {method:<20}{worst:>9.4f}{mean:>9.4f}{wide:>9.4f}")


# --- numbers from scores, bootstrap of the rows -----------------------------------------------


def resampled(rows: Drawn, name: str, generator: np.random.Generator) -> Floats:
    """The number in every resample; NaN where a class is missing."""
    n = len(rows.score)
    weight = generator.multinomial(n, np.full(n, 1 / n), RESAMPLES).astype(float)
    y = rows.positive
    if name in ("brier", "log_loss"):
        of_truth = np.clip(np.where(y, rows.score, 1 - rows.score), 1e-15, 1)
        return weight @ ((1 - of_truth) ** 2 if name == "brier" else -np.log(of_truth)) / n
    with np.errstate(invalid="ignore"):
        if name == "auc":
            up, down = rows.score[y], rows.score[~y]
            above = (up[:, None] > down) + (up[:, None] == down) / 2
            pairs = weight[:, y].sum(axis=1) * weight[:, ~y].sum(axis=1)
            return np.asarray(((weight[:, y] @ above) * weight[:, ~y]).sum(axis=1) / pairs)
        order = np.argsort(-rows.score)
        ordered, hits = weight[:, order], weight[:, order] * y[order]
        precision = hits.cumsum(axis=1) / np.maximum(ordered.cumsum(axis=1), 1)
        return np.asarray((hits * precision).sum(axis=1) / hits.sum(axis=1))


def bootstrapped(design: Design, samples: int) -> Iterator[tuple[str, float, float]]:
    """Coverage and mean width of the percentiles, number by number."""
    generator = np.random.default_rng(0)
    found: dict[str, list[tuple[bool, float]]] = {name: [] for name in design.truth}
    for _ in range(samples):
        rows = design.draw(generator)
        for name, truth in design.truth.items():
            low, high = np.nanquantile(resampled(rows, name, generator), [0.025, 0.975])
            found[name].append((low <= truth <= high, high - low))
    for name, rate in found.items():
        yield name, *np.mean(rate, axis=0).tolist()


def designs(quick: bool) -> Iterator[Design]:
    sizes = ((20, 20),) if quick else ((10, 10), (20, 20), (50, 50), (200, 200))
    for area in (0.8, 0.95, 0.99):
        for size in sizes:
            yield coverage_ranking.normal(area, *size)
    for value in (0.5, 0.8, 0.95):
        for positives in (10,) if quick else (10, 30, 100):
            yield coverage_ranking.precision(value, positives, 0.1)
    for a, b in ((1, 1), (0.1, 0.9), (0.2, 19.8)):
        for rows in (50,) if quick else (20, 50, 200, 1000):
            yield coverage_ranking.calibrated(a, b, rows)


def scores(samples: int, quick: bool) -> None:
    from records import covered

    whose = "by hand around scikit-learn"
    print(f"\n{BOOTSTRAP}\n{'':<64}{'':24}{'coverage':>9}{'width':>9}")
    for design in designs(quick):
        for name, held, width in bootstrapped(design, samples):
            size = coverage_ranking.size_of(design)
            covered(name, design.title, size, BOOTSTRAP, held, width, samples, whose=whose)
            print(f"{design.title:<64}{name:24}{held:>9.3f}{width:>9.4f}")


# --- areas from their value alone: ours, for people who have only the figure ---------------------


def areas(samples: int, quick: bool) -> None:
    """An area in a paper, with the numbers of rows: what the formulas make of it."""
    from records import covered

    print(f"\nFrom the area and the numbers of rows alone\n{'':<64}{'':24}{'coverage':>9}{'width':>9}")
    sizes = ((20, 20),) if quick else ((10, 10), (20, 20), (50, 50), (200, 200), (10, 1000))
    for area in (0.6, 0.8, 0.95, 0.99):
        for size in sizes:
            design, generator = coverage_ranking.normal(area, *size), np.random.default_rng(0)
            found = [float(estimate(ranking_of(design.draw(generator)), "auc")) for _ in range(samples)]
            for method in AUC_METHODS:
                ends = np.array([auc_bounds(each, *size, method, 0.95) for each in found])
                held = float(((ends[:, 0] <= area) & (area <= ends[:, 1])).mean())
                width = float(np.diff(ends).mean())
                covered(
                    "auc, from its value alone", design.title, 2 * min(size), method, held, width, samples
                )
                print(f"{design.title:<64}{method:24}{held:>9.3f}{width:>9.4f}")


def main(quick: bool = False) -> None:
    from records import times

    samples = 100 if quick else times(SAMPLES)
    proportions()
    differences()
    areas(samples, quick)
    scores(samples // 2, quick)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Coverage of the intervals of other packages.")
    parser.add_argument("--quick", action="store_true", help="fewer designs and samples")
    main(parser.parse_args().quick)
