"""Coverage of the 95 % intervals of numbers made from the cells of a confusion matrix.

Each design is a true table of cell probabilities and a number of rows. Tables are sampled from it, and the
coverage is the share of the intervals that hold the number at the true probabilities. For a 2 x 2 of 50 rows
the intervals with a formula are not sampled: all 23,426 tables are visited, each with its probability.
Tables on which the number is undefined (nothing predicted positive, say) or has no interval are left out; the
last column is their share.

Beside our intervals, up to 30 classes, stands the percentile bootstrap of the rows, which is what other
packages offer.

    python benchmarks/coverage_cells.py            three to four minutes on one core
    python benchmarks/coverage_cells.py --quick    the same with fewer designs and samples
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray

from tallymark.inference import Estimate, Sample, cells, draws
from tallymark.metrics import Asked, ask
from tallymark.tallies import Confusion, Margins

Floats = NDArray[np.float64]
Tables = NDArray[np.int64]

LEVEL = 0.95
RESAMPLES = 1_000
DRAWS = 1_000
"""Fewer than the library makes: it blurs each limit, and costs less than 0.002 of coverage."""
SAMPLES = {2: 1_500, 3: 1_000, 10: 500, 30: 250, 100: 200, 300: 120}
"""Sampled tables per design, by the number of classes."""
FEW = f"dirichlet, {cells.FEWEST_DRAWS} draws"
MOST_RESAMPLED = 30
"""Up to this many classes the bootstrap is measured too; above, it would take too long here."""

CLOSED = ("f1", "jaccard", "lr_plus", "lr_minus", "diagnostic_odds_ratio")
TWO_CLASSES = (
    *CLOSED,
    "f_beta:2",
    "mcc",
    "kappa",
    "informedness",
    "markedness",
    "g_mean",
    "balanced_accuracy",
    "weighted_accuracy:2,1,1,1",
    "mean_cost",
)
MANY_CLASSES = (
    "mcc",
    "kappa",
    "f1_macro",
    "precision_macro",
    "recall_macro",
    "precision_weighted",
    "f1_weighted",
    "mean_cost",
)
ONE_OF_MANY = ("f1", "f_beta:2", "mcc_of_class", "informedness", "markedness", "g_mean")


# --- designs ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Design:
    """A true table of cell probabilities, rows = actual, and how many rows are drawn from it."""

    title: str
    probabilities: Floats
    n: int

    @property
    def size(self) -> int:
        return len(self.probabilities)

    @property
    def costs(self) -> Floats:
        return costs_of(self.size)

    def truth(self, name: str) -> float:
        """The number at the true probabilities."""
        size = self.size
        exact = Confusion.from_cells(range(size), np.arange(size**2), self.probabilities.ravel())
        return float(estimate(Sample(exact, costs=self.costs), name))

    def tables(self, samples: int, seed: int = 0) -> tuple[Tables, Floats]:
        """Tables drawn from the design, and the weight of each."""
        generator = np.random.default_rng([seed, self.n, self.size])
        drawn = generator.multinomial(self.n, self.probabilities.ravel(), samples)
        if self.size > 2:
            return drawn, np.full(samples, 1 / samples)
        # Small tables come again and again: each is worked out once.
        distinct, times = np.unique(drawn, axis=0, return_counts=True)
        return distinct, times / samples


def costs_of(size: int) -> Floats:
    """-1, 100; 1, 0 for two classes; for more, an error costs the distance of the classes."""
    if size == 2:
        return np.array([[-1.0, 100.0], [1.0, 0.0]])
    place = np.arange(size)
    distance: Floats = np.abs(place[:, None] - place).astype(float)
    return distance


def two_classes(n: int, prevalence: float, quality: str) -> Design:
    recall, specificity = {"good": (0.9, 0.95), "mediocre": (0.6, 0.7)}[quality]
    rows = [[recall, 1 - recall], [1 - specificity, specificity]]
    shares = np.array([prevalence, 1 - prevalence])
    title = f"2 classes, n = {n}, prevalence {prevalence:g}, {quality} classifier"
    return Design(title, shares[:, None] * np.array(rows), n)


def many_classes(n: int, size: int, skew: float, quality: str) -> Design:
    """Shares like 1 / k**skew; the recall falls from class to class, and near classes are confused."""
    best, worst = {"good": (0.95, 0.8), "mediocre": (0.7, 0.4)}[quality]
    place = np.arange(size)
    shares = 1 / (place + 1.0) ** skew
    recalls = np.linspace(best, worst, size)
    errors = np.where(place[:, None] == place, 0.0, 0.5 ** np.abs(place[:, None] - place))
    errors *= ((1 - recalls) / errors.sum(axis=1))[:, None]
    rows = errors + np.diag(recalls)
    kind = "shares like 1 / k" if skew else "equal shares"
    title = f"{size} classes, n = {n}, {kind}, {quality} classifier"
    return Design(title, (shares / shares.sum())[:, None] * rows, n)


def designs(quick: bool) -> Iterator[Design]:
    """What is measured; rows per class matter most, so they run from 5 up on average."""
    for n in (50,) if quick else (50, 200, 1000):
        for prevalence in (0.5, 0.1):
            for quality in ("good", "mediocre"):
                yield two_classes(n, prevalence, quality)
    sizes = ((200, 3), (600, 30)) if quick else ((50, 3), (200, 3), (1000, 3), (200, 10), (1000, 10))
    for n, size in sizes:
        yield many_classes(n, size, 0.0, "mediocre")
        yield many_classes(n, size, 1.0, "good")
    if quick:
        yield many_classes(5_000, 300, 0.0, "mediocre")
        return
    for n, size in ((600, 30), (3_000, 30), (2_000, 100), (5_000, 300), (20_000, 300)):
        yield many_classes(n, size, 0.0, "mediocre")
        yield many_classes(n, size, 1.0, "good")


# --- intervals -------------------------------------------------------------------------------


class Limits(NamedTuple):
    """Both limits for every table; NaN where there is no interval."""

    method: str
    low: Floats
    high: Floats


def estimate(counted: Sample, name: str) -> Estimate:
    """The number of that name; one about a class is about the first of two, or the last (rarest) of many."""
    asked = _asked(name)
    if asked.average:
        return counted.of_average(asked)
    if _about_a_class(name):
        return counted.of_class(asked, _place(len(counted.confusion.labels)))
    return counted.of_table(asked)


def _about_a_class(name: str) -> bool:
    return _asked(name).metric.about == "class" or name.endswith("_of_class")


def _place(size: int) -> int:
    return 0 if size == 2 else size - 1


@cache
def _asked(name: str) -> Asked:
    return ask(name.removesuffix("_of_class"))


def ours(tables: Tables, names: Sequence[str], level: float = LEVEL) -> dict[str, Limits]:
    """The library's intervals for every table (cells along the last axis)."""
    size = round(tables.shape[1] ** 0.5)
    ends = {name: np.full((len(tables), 2), np.nan) for name in names}
    methods: dict[str, str] = {}
    for position, table in enumerate(tables):
        # A seed of its own per table: with one seed for all, the luck of its draws would not average out.
        counted = Sample(
            Confusion(table.reshape(size, size)), level=level, seed=position, costs=costs_of(size)
        )
        for name in names:
            number = estimate(counted, name)
            if number.low is not None and number.high is not None:
                ends[name][position] = number.low, number.high
                methods[name] = str(number.method)
    return {name: Limits(methods.get(name, "none"), *ends[name].T) for name in names}


def bootstrap(tables: Tables, names: Sequence[str], seed: int = 0, level: float = LEVEL) -> dict[str, Limits]:
    """Percentile bootstrap of the rows, which is a multinomial resampling of the cells."""
    generator = np.random.default_rng(seed)
    size = round(tables.shape[1] ** 0.5)
    ends = {name: np.full((len(tables), 2), np.nan) for name in names}
    tails = [(1 - level) / 2, (1 + level) / 2]
    for position, table in enumerate(tables):
        n = int(table.sum())
        margins = _margins(generator.multinomial(n, table / n, RESAMPLES).reshape(-1, size, size))
        for name in names:
            values = _values(name, margins)
            values = values[np.isfinite(values)]
            if len(values):
                ends[name][position] = np.quantile(values, tails)
    return {name: Limits("bootstrap", *ends[name].T) for name in names}


def _margins(tables: Tables) -> Margins:
    return Margins(
        hits=np.diagonal(tables, axis1=1, axis2=2),
        actual=tables.sum(axis=2),
        predicted=tables.sum(axis=1),
        n=int(tables[0].sum()),
        cost=np.tensordot(tables, costs_of(tables.shape[1]), axes=2),
    )


def _values(name: str, margins: Margins) -> Floats:
    """A number for every resample; classes without a value are left out of an average."""
    asked, size = _asked(name), margins.hits.shape[-1]
    if asked.average:
        each = asked.metric(margins.each, *asked.parameters)
        weights = margins.actual if asked.average == "weighted" else np.ones_like(margins.actual)
        weights = np.where(np.isnan(each), 0, weights)
        return np.asarray((np.nan_to_num(each) * weights).sum(axis=-1) / weights.sum(axis=-1))
    if _about_a_class(name) or name == "balanced_accuracy":
        each, place = margins.each, _place(size)
        one = type(each)(*(cell[:, place] for cell in (each.tp, each.fn, each.fp, each.tn)))
        return np.asarray(asked.metric(one, *asked.parameters))
    return np.asarray(asked.metric(margins))


@cache
def all_tables(n: int) -> Tables:
    """Every 2 x 2 table of n rows."""
    grid = np.array(
        [(tp, fn, fp) for tp in range(n + 1) for fn in range(n + 1 - tp) for fp in range(n + 1 - tp - fn)]
    )
    return np.column_stack([grid, n - grid.sum(axis=1)])


def chances(tables: Tables, probabilities: Floats) -> Floats:
    """Multinomial probability of each table."""
    from scipy.special import gammaln, xlogy

    logs = gammaln(tables.sum(axis=1) + 1) - gammaln(tables + 1).sum(axis=1)
    return np.asarray(np.exp(logs + xlogy(tables, probabilities.ravel()).sum(axis=1)))


@cache
def exact_limits(n: int) -> dict[str, Limits]:
    """The intervals with a formula for every 2 x 2 table of n rows."""
    return ours(all_tables(n), CLOSED)


# --- measuring -------------------------------------------------------------------------------


class Measured(NamedTuple):
    """How honest an interval is on one design."""

    method: str
    coverage: float
    zero_width: float
    width: float
    left_out: float


def measure(limits: Limits, weights: Floats, truth: float) -> Measured:
    """Coverage, share of intervals without width and mean width, over the tables with an interval."""
    there = np.isfinite(limits.low) & np.isfinite(limits.high)
    low, high, share = limits.low[there], limits.high[there], weights[there]
    total = share.sum()
    if not total:
        return Measured(limits.method, np.nan, np.nan, np.nan, 1.0)
    # A limit that equals the truth up to rounding holds it.
    slack = 1e-9 * max(1.0, abs(truth))
    held = (low <= truth + slack) & (truth - slack <= high)
    return Measured(
        limits.method,
        float(share @ held / total),
        float(share @ (high - low < slack) / total),
        float(share @ (high - low) / total),
        float(1 - total / weights.sum()),
    )


@contextmanager
def percentiles_of(number: int) -> Iterator[None]:
    """Let the library make this many draws and take the limits from their tails, as it does with more."""
    with (
        patch.multiple(cells, MOST_DRAWS=number, FEWEST_DRAWS=number),
        patch.object(draws, "ENOUGH_DRAWS", number),
    ):
        yield


@contextmanager
def fewest_draws() -> Iterator[None]:
    """Let the library do what it does for very large tables: few draws, and limits from their deviation."""
    with patch.object(cells, "MOST_DRAWS", cells.FEWEST_DRAWS):
        yield


def study_two(design: Design, samples: int) -> Iterator[tuple[str, Measured]]:
    """A 2 x 2 design: ours beside the bootstrap."""
    tables, weights = design.tables(samples)
    exact = design.n <= 50
    with percentiles_of(DRAWS):
        sampled = ours(tables, [name for name in TWO_CLASSES if not (exact and name in CLOSED)])
    resampled = bootstrap(tables, TWO_CLASSES)
    for name in TWO_CLASSES:
        truth = design.truth(name)
        if exact and name in CLOSED:
            probabilities = chances(all_tables(design.n), design.probabilities)
            found = measure(exact_limits(design.n)[name], probabilities, truth)
            yield name, found._replace(method=f"{found.method}, exact")
        else:
            yield name, measure(sampled[name], weights, truth)
        yield name, measure(resampled[name], weights, truth)


def study_many(design: Design, samples: int) -> Iterator[tuple[str, Measured]]:
    """A K x K design: ours, and beside it the bootstrap or, for very many classes, ours with few draws."""
    tables, weights = design.tables(samples)
    names = (*MANY_CLASSES, *ONE_OF_MANY)
    with percentiles_of(DRAWS):
        usual = ours(tables, names)
    beside: dict[str, Limits] = {}
    if design.size <= MOST_RESAMPLED:
        beside = bootstrap(tables, names)
    elif design.size >= 300:
        with fewest_draws():
            few = ours(tables, MANY_CLASSES)
        beside = {name: limits._replace(method=FEW) for name, limits in few.items()}
    for name in names:
        truth = design.truth(name)
        yield name, measure(usual[name], weights, truth)
        if name in beside:
            yield name, measure(beside[name], weights, truth)


# --- the table -------------------------------------------------------------------------------

Lines = Iterable[tuple[str, Measured]]


def show(design: Design, lines: Lines, seen: dict[tuple[str, str], list[float]], samples: int) -> None:
    """One design's part of the table, printed line by line as it is worked out."""
    from records import OURS, covered

    print(f"\n{design.title}")
    print(
        f"  {'metric':<27}{'method':<24}{'coverage':>9}{'zero width':>12}{'mean width':>12}{'left out':>10}"
    )
    for name, found in lines:
        if found.left_out < 1:
            seen[name, found.method.removesuffix(", exact")].append(found.coverage)
            whose = "by hand: bootstrap of rows" if found.method == "bootstrap" else OURS
            method, there = found.method.removesuffix(", exact"), round(samples * (1 - found.left_out))
            runs = 0 if "exact" in found.method else there
            covered(name, design.title, design.n, method, found.coverage, found.width, runs, whose=whose)
        print(
            f"  {name:<27}{found.method:<24}{found.coverage:>9.3f}{found.zero_width:>12.3f}"
            f"{found.width:>12.4g}{found.left_out:>10.3f}"
        )


def summary(seen: dict[tuple[str, str], list[float]]) -> None:
    """Lowest, mean and highest coverage over the designs."""
    print("\nOver all designs")
    print(f"  {'metric':<27}{'method':<24}{'designs':>9}{'lowest':>9}{'mean':>9}{'highest':>9}")
    for (name, method), found in sorted(seen.items()):
        spread = f"{min(found):>9.3f}{np.mean(found):>9.3f}{max(found):>9.3f}"
        print(f"  {name:<27}{method:<24}{len(found):>9}{spread}")


def main(quick: bool = False) -> None:
    from records import times

    seen: dict[tuple[str, str], list[float]] = defaultdict(list)
    print(f"{LEVEL:.0%} intervals; two standard errors of a sampled coverage are 0.01 to 0.04")
    for design in designs(quick):
        samples = SAMPLES[design.size] // 5 if quick else times(SAMPLES[design.size])
        study = study_two if design.size == 2 else study_many
        show(design, study(design, samples), seen, samples)
    summary(seen)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Coverage of the intervals of cell-based numbers.")
    parser.add_argument("--quick", action="store_true", help="fewer designs and samples")
    main(parser.parse_args().quick)
