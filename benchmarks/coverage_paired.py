"""Coverage of the 95 % intervals of differences between two models, and false positives of swapping.

A design is a true table actual x answer of a x answer of b, and a number of rows: model b gives a's answer in
some share of the rows and otherwise one of its own, so that models run from unlike to all but identical.
Coverage is the share of intervals that hold the difference at the true probabilities. Beside ours stands the
percentile bootstrap of the rows. The last column is the share of samples without an interval.

Where both models answer by the same law, whatever swapping calls different at 5 % is a false positive.

    python benchmarks/coverage_paired.py            about ten minutes on one core
    python benchmarks/coverage_paired.py --quick    the same with fewer designs and samples
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray

from tallymark.inference import Sample, cells, draws
from tallymark.inference.paired import OtherSample, PairedSample, value_of
from tallymark.inference.swaps import swapped
from tallymark.intake.pairing import count_paired
from tallymark.metrics import Asked, ask
from tallymark.tallies import Confusion, Margins
from tallymark.tallies.paired import Paired

Floats = NDArray[np.float64]

LEVEL = 0.95
DRAWS = 1_000
"""Fewer than the library makes: it blurs each limit, and costs less than 0.002 of coverage."""
RESAMPLES = 1_000
TWO = (
    *("accuracy", "recall", "specificity", "predicted_positive_rate", "precision", "npv", "f1", "jaccard"),
    *("mcc", "kappa", "balanced_accuracy", "informedness", "markedness", "lr_plus", "g_mean", "mean_cost"),
)
MANY = (
    *("accuracy", "recall", "precision", "f1", "mcc", "kappa"),
    *("balanced_accuracy", "precision_macro", "f1_macro", "f1_weighted", "mean_cost"),
)
FEW = ("accuracy", "recall", "precision", "f1", "mcc", "mean_cost")


# --- designs ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Design:
    """True probabilities of actual x a x b, and how many rows, or groups of rows, are drawn."""

    title: str
    joint: Floats
    n: int
    weights: bool = False
    """Rows weigh as an exponential variable says."""
    per_group: int = 1
    alike: float = 0.0
    """In this share of the groups all rows are the same row."""

    @property
    def size(self) -> int:
        return len(self.joint)

    @property
    def costs(self) -> Floats:
        return costs_of(self.size)

    def truth(self, name: str) -> float:
        """The difference at the true probabilities."""
        sides = (self.joint.sum(axis=2), self.joint.sum(axis=1))
        a, b = (float(value_of(ask(name), 0, margins_of(side[None]))[0]) for side in sides)
        return a - b

    def sample(self, generator: np.random.Generator, seed: int) -> PairedSample:
        """Rows of the design, counted."""
        size = self.size
        labels = tuple(range(size))
        if not self.weights and self.per_group == 1:
            counts = generator.multinomial(self.n, self.joint.ravel())
            seen = np.flatnonzero(counts)
            combinations = np.stack(np.unravel_index(seen, self.joint.shape), axis=1)
            paired = Paired.from_cells(labels, ("a", "b"), combinations, counts[seen], declared=True)
            return PairedSample(paired, LEVEL, seed, self.costs)
        rows = generator.choice(size**3, self.n * self.per_group, p=self.joint.ravel())
        group: Any = None
        if self.per_group > 1:
            table = rows.reshape(self.n, self.per_group)
            rows = np.where(generator.random((self.n, 1)) < self.alike, table[:, :1], table).ravel()
            group = tuple(range(self.n)), np.repeat(np.arange(self.n), self.per_group)
        weight = generator.exponential(size=len(rows)) if self.weights else None
        actual, a, b = np.unravel_index(rows, self.joint.shape)
        paired, groups = count_paired(
            labels, ("a", "b"), actual, (a, b), weight=weight, group=group, declared=True
        )
        return PairedSample(paired, LEVEL, seed, self.costs, groups=groups)


def costs_of(size: int) -> Floats:
    """-1, 100; 1, 0 for two classes; for more, an error costs the distance of the classes."""
    if size == 2:
        return np.array([[-1.0, 100.0], [1.0, 0.0]])
    place = np.arange(size)
    return np.abs(place[:, None] - place).astype(float)


def margins_of(tables: NDArray[Any]) -> Margins:
    """Margins of K x K tables, one per draw."""
    return Margins(
        hits=np.diagonal(tables, axis1=1, axis2=2),
        actual=tables.sum(axis=2),
        predicted=tables.sum(axis=1),
        n=float(tables[0].sum()),
        cost=np.tensordot(tables, costs_of(tables.shape[1]), axes=2),
    )


def answers(size: int, best: float, worst: float) -> Floats:
    """P(answer | actual): recall falls from class to class, and near classes are confused."""
    place = np.arange(size)
    recalls = np.linspace(best, worst, size)
    errors = np.where(place[:, None] == place, 0.0, 0.5 ** np.abs(place[:, None] - place))
    errors *= ((1 - recalls) / errors.sum(axis=1))[:, None]
    return np.asarray(errors + np.diag(recalls))


def joint(size: int, shares: Floats, a: Floats, b: Floats, same: float) -> Floats:
    """b gives a's answer in this share of the rows, and otherwise one of its own."""
    equal = np.eye(size)[None] * a[:, :, None]
    return np.asarray(shares[:, None, None] * (same * equal + (1 - same) * a[:, :, None] * b[:, None, :]))


def design(size: int, n: int, same: float, better: float = 0.0, skew: float = 0.0, **options: Any) -> Design:
    """A good model a, and a model b whose own answers are worse by `better`."""
    shares = 1 / (np.arange(size) + 1.0) ** skew
    if size == 2:
        shares = np.array([0.2, 0.8]) if skew else np.array([0.5, 0.5])
    a, b = answers(size, 0.9, 0.8), answers(size, 0.9 - better, 0.8 - better)
    title = (
        f"{size} classes{', skewed' if skew else ''}, n = {n}, same answer in {same:g}, b worse by {better:g}"
    )
    if options:
        title += ", " + ", ".join(f"{name} {value}" for name, value in options.items())
    return Design(title, joint(size, shares / shares.sum(), a, b, same), n, **options)


def designs(quick: bool) -> Iterator[tuple[Design, Sequence[str], int]]:
    """What is measured, for which numbers, and on how many samples."""
    times = 1 if quick else 2
    for n in (30, 200) if quick else (30, 200, 1000):
        for same, better in ((0.0, 0.1), (0.8, 0.2), (0.98, 0.0)):
            for skew in (0.0,) if quick else (0.0, 1.0):
                yield design(2, n, same, better, skew), TWO, 250 * times
    for size, n in (
        ((3, 60), (10, 300), (30, 600))
        if quick
        else ((3, 60), (3, 300), (10, 300), (10, 1000), (30, 600), (30, 3000))
    ):
        for same, better in ((0.0, 0.1), (0.9, 0.2), (0.995, 0.0)):
            yield design(size, n, same, better, 0.0 if size > 10 else 0.5), MANY, 80 * times
    for size, n in ((2, 200), (3, 200)):
        yield design(size, n, 0.8, 0.2, weights=True), FEW, 200 * times
        yield design(size, n, 0.97, 0.2, weights=True), FEW, 200 * times
    for number in (15, 50):
        for same in (0.5, 0.95):
            yield design(2, number, same, 0.1, per_group=10, alike=0.3), FEW, 200 * times


# --- measuring -------------------------------------------------------------------------------


class Measured(NamedTuple):
    """How honest an interval is."""

    coverage: float
    width: float
    zero_width: float
    left_out: float


def measured(ends: Floats, truth: float) -> Measured:
    """Of limits, a row per sample; NaN where there are none."""
    there = np.isfinite(ends).all(axis=1)
    if not there.any():
        return Measured(np.nan, np.nan, np.nan, 1.0)
    low, high = ends[there].T
    held = (low <= truth + 1e-9) & (truth - 1e-9 <= high)
    width = high - low
    return Measured(
        float(held.mean()), float(width.mean()), float((width < 1e-12).mean()), float(1 - there.mean())
    )


@contextmanager
def percentiles_of(number: int) -> Iterator[None]:
    """Let the library make this many draws and take the limits from their tails, as it does with more."""
    with (
        patch.multiple(cells, MOST_DRAWS=number, FEWEST_DRAWS=number, MOST_GROUP_DRAWS=number),
        patch.object(draws, "ENOUGH_DRAWS", number),
    ):
        yield


def study(
    made: Design, names: Sequence[str], samples: int, *, resample: bool = False
) -> dict[str, tuple[Measured, Measured | None]]:
    """Ours, and the bootstrap of the rows where it is asked for."""
    generator = np.random.default_rng([made.n, made.size])
    asked = [ask(name) for name in names]
    ours, theirs = (np.full((len(names), samples, 2), np.nan) for _ in range(2))
    with percentiles_of(DRAWS):
        for position in range(samples):
            sample = made.sample(generator, position)
            for place, each in enumerate(asked):
                found = sample.of(each, 0)
                if found.low is not None and found.high is not None:
                    ours[place, position] = found.low, found.high
            if resample:
                theirs[:, position] = bootstrap(sample, asked, generator)
    return {
        name: (measured(ours[place], truth), measured(theirs[place], truth) if resample else None)
        for place, name in enumerate(names)
        for truth in [made.truth(name)]
    }


def bootstrap(sample: PairedSample, asked: Sequence[Asked], generator: np.random.Generator) -> Floats:
    """Percentiles over resampled rows."""
    paired, size = sample.paired, len(sample.paired.labels)
    counts = generator.multinomial(paired.rows, paired.counts / paired.n, RESAMPLES)
    cube = np.zeros((RESAMPLES, size, size, size))
    cube[:, *paired.cells.T] = counts
    a, b = margins_of(cube.sum(axis=3)), margins_of(cube.sum(axis=2))
    ends = np.full((len(asked), 2), np.nan)
    for place, each in enumerate(asked):
        with np.errstate(all="ignore"):
            values = value_of(each, 0, a) - value_of(each, 0, b)
        values = values[np.isfinite(values)]
        if len(values):
            ends[place] = np.quantile(values, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return ends


def other_rows(made: Design, others: int, names: Sequence[str], samples: int) -> dict[str, Measured]:
    """Model a on rows of the design, model b on as many others as said."""
    generator = np.random.default_rng([made.n, others])
    ends = np.full((len(names), samples, 2), np.nan)
    size = made.size
    with percentiles_of(DRAWS):
        for position in range(samples):
            tables = (
                generator.multinomial(n, made.joint.sum(axis=axis).ravel()).reshape(size, size)
                for n, axis in ((made.n, 2), (others, 1))
            )
            a, b = (Sample(Confusion(table), LEVEL, position, made.costs) for table in tables)
            for place, name in enumerate(names):
                found = OtherSample(a, b).of(ask(name), 0)
                if found.low is not None and found.high is not None:
                    ends[place, position] = found.low, found.high
    return {name: measured(ends[place], made.truth(name)) for place, name in enumerate(names)}


def false_positives(
    made: Design, names: Sequence[str], samples: int, alpha: float = 0.05
) -> dict[str, float]:
    """How often swapping calls two models of the same law different."""
    generator = np.random.default_rng([made.n, made.size, 7])
    found = np.zeros(len(names))
    asked = [(ask(name), 0) for name in names]
    for position in range(samples):
        tests = swapped(made.sample(generator, position), asked, draws=999, seed=position)
        found += [bool(test.p_value) and test.p_value["two-sided"] <= alpha for test in tests]
    return dict(zip(names, (found / samples).tolist(), strict=True))


def null_designs(quick: bool) -> Iterator[Design]:
    for n in (30, 200) if quick else (30, 100, 1000):
        for same in (0.0, 0.9):
            yield design(2, n, same)
    yield design(3, 200, 0.5)
    yield design(10, 300, 0.5)
    yield design(2, 200, 0.5, weights=True)
    yield design(3, 200, 0.9, weights=True)
    yield design(2, 15, 0.5, per_group=10, alike=0.3)
    yield design(2, 60, 0.5, per_group=10, alike=0.3)


def main(quick: bool = False) -> None:
    from records import covered, rejected, times

    for made, names, number in designs(quick):
        samples = number if quick else times(number)
        resample = made.size <= 3 and not made.weights and made.per_group == 1
        print(f"\n{made.title} ({samples} samples)")
        print(f"{'':24}{'ours':>8}{'width':>9}{'zero':>7}{'none':>7}{'bootstrap':>12}{'width':>9}{'zero':>7}")
        for name, (ours, theirs) in study(made, names, samples, resample=resample).items():
            keep = made.title, made.n
            method = (
                "group_bootstrap" if made.per_group > 1 else "weights" if made.weights else "draws or score"
            )
            there = round(samples * (1 - ours.left_out))
            covered(f"{name}, difference", *keep, method, ours.coverage, ours.width, there)
            line = f"{name:24}{ours.coverage:8.3f}{ours.width:9.4f}{ours.zero_width:7.3f}{ours.left_out:7.3f}"
            if theirs is not None:
                whose = "by hand: bootstrap of rows"
                covered(
                    f"{name}, difference",
                    *keep,
                    "bootstrap",
                    theirs.coverage,
                    theirs.width,
                    samples,
                    whose=whose,
                )
                line += f"{theirs.coverage:12.3f}{theirs.width:9.4f}{theirs.zero_width:7.3f}"
            print(line)
    print("\nmodels on other rows: the intervals of both put together")
    for size, n, others in ((2, 40, 40), (2, 30, 1000), (2, 300, 300), (3, 200, 100)):
        made = design(size, n, 0.0, 0.1)
        samples = 300 if quick else times(1_000)
        found = other_rows(made, others, TWO if size == 2 else MANY, samples)
        title = f"{size} classes, n = {n} and {others}, other rows"
        for name, each in found.items():
            covered(
                f"{name}, difference, other rows",
                title,
                n,
                "put together",
                each.coverage,
                each.width,
                samples,
            )
        print(f"{size} classes, n = {n} and {others}: ", end="")
        print(", ".join(f"{name} {each.coverage:.3f}" for name, each in found.items()))
    print("\nfalse positives of swapping at 5 %, models of the same law")
    for made in null_designs(quick):
        samples = 300 if quick else times(1_000)
        rates = false_positives(made, FEW, samples)
        for name, rate in rates.items():
            rejected(f"swapped answers, {name}", made.title, rate, np.nan, samples)
        print(f"{made.title}: " + ", ".join(f"{name} {rate:.3f}" for name, rate in rates.items()))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer designs and samples")
    main(parser.parse_args().quick)
