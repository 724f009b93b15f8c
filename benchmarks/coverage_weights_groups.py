"""Coverage of the 95 % intervals when rows have weights, belong together in groups, or are sliced.

Samples are drawn row by row from designs whose true numbers are known; the coverage is the share of the
intervals that hold them. Beside the intervals for groups stand those of somebody who takes all rows as
independent: that is how far off they are.

    python benchmarks/coverage_weights_groups.py            six to eight minutes on one core
    python benchmarks/coverage_weights_groups.py --quick    the same with fewer designs and samples
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallymark.inference import Estimate, Sample
from tallymark.inference.differences import Difference
from tallymark.intake.columns import LabelColumn
from tallymark.intake.encoded import Encoded
from tallymark.metrics import ask
from tallymark.tallies import Confusion

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]

SAMPLES = 1_000
ROWS_PER_GROUP = 20
OF_TWO = ("accuracy", "recall", "precision", "f1", "mcc", "f1_macro")
OF_FOUR = ("accuracy", "mcc", "f1_macro")
OF_SLICES = ("accuracy", "recall", "precision", "f1", "mcc")


class Drawn(NamedTuple):
    """The rows of one sample."""

    actual: Codes
    predicted: Codes
    weight: Floats | None = None
    group: Codes | None = None
    part: NDArray[np.bool_] | None = None


@dataclass(frozen=True)
class Design:
    """How rows come about, and the table of cell probabilities (rows = actual) behind them."""

    title: str
    probabilities: Floats
    draw: Callable[[np.random.Generator], Drawn]

    def truth(self, name: str) -> float:
        return float(estimate(sample_of_table(self.probabilities), name))


def sample_of_table(probabilities: Floats) -> Sample:
    size = len(probabilities)
    return Sample(Confusion.from_cells(range(size), np.arange(size**2), probabilities.ravel()))


def estimate(sample: Sample, name: str) -> Estimate:
    """A number about a class is about the first."""
    return sample.of(ask(name), 0)


def encoded(rows: Drawn, size: int) -> Encoded:
    group = None if rows.group is None else LabelColumn("group", rows.group)
    return Encoded(tuple(range(size)), rows.actual, rows.predicted, weight=rows.weight, group=group)


def sample_of(rows: Encoded, seed: int) -> Sample:
    total = rows.tally(declared=True)
    return Sample(total, seed=seed, groups=None if rows.group is None else rows.grouped(total))


# --- designs ---------------------------------------------------------------------------------


def two_classes(prevalence: float, recall: float, specificity: float) -> Floats:
    rows = np.array([[recall, 1 - recall], [1 - specificity, specificity]])
    return np.array([prevalence, 1 - prevalence])[:, None] * rows


def four_classes() -> Floats:
    """Shares 0.4 to 0.1; recalls 0.9 to 0.6, and errors spread evenly over the other classes."""
    recalls = np.array([0.9, 0.8, 0.7, 0.6])
    rows = np.where(np.eye(4, dtype=bool), recalls[:, None], ((1 - recalls) / 3)[:, None])
    shares: Floats = np.array([0.4, 0.3, 0.2, 0.1])[:, None]
    return shares * rows


def grouped(groups: int, correlation: float, table: Floats, *, one_class: bool = False) -> Design:
    """20 rows a group. Recalls differ from group to group so that the rows of a group correlate by so much.

    With `one_class`, all rows of a group are actually of the same class.
    """
    size, shares = len(table), table.sum(axis=1)
    recalls = np.diag(table) / shares

    def draw(generator: np.random.Generator) -> Drawn:
        group = np.repeat(np.arange(groups), ROWS_PER_GROUP)
        if one_class:
            actual = generator.choice(size, groups, p=shares)[group]
        else:
            actual = generator.choice(size, len(group), p=shares)
        own = np.broadcast_to(recalls, (groups, size))
        if correlation:
            own = generator.beta(own * (1 / correlation - 1), (1 - own) * (1 / correlation - 1))
        hit = generator.random(len(group)) < own[group, actual]
        other = (actual + generator.integers(1, size, len(group))) % size
        return Drawn(actual, np.where(hit, actual, other), group=group)

    kind = ", class constant within a group" if one_class else ""
    right = f"accuracy {np.trace(table):.2f}"
    title = f"{groups} groups of 20 rows, correlation {correlation:g}, {size} classes, {right}{kind}"
    return Design(title, table, draw)


def chance_weights(n: int, table: Floats) -> Design:
    """Weights that have nothing to do with the outcome: log-normal, worth n / e rows."""

    def draw(generator: np.random.Generator) -> Drawn:
        cells = generator.choice(table.size, n, p=table.ravel())
        return Drawn(*np.divmod(cells, len(table)), weight=generator.lognormal(0, 1, n))

    return Design(f"{n} rows, log-normal weights, {len(table)} classes", table, draw)


def inverse_weights(n: int, table: Floats, one_in: int = 20) -> Design:
    """All positives of a population are kept but of the negatives 1 in 20, which weighs 20."""
    kept = np.array([1.0, 1 / one_in])
    drawn_from = table * kept[:, None]
    drawn_from /= drawn_from.sum()

    def draw(generator: np.random.Generator) -> Drawn:
        actual, predicted = np.divmod(generator.choice(4, n, p=drawn_from.ravel()), 2)
        return Drawn(actual, predicted, weight=1 / kept[actual])

    specificity = table[1, 1] / table[1].sum()
    title = f"{n} rows, negatives sampled 1 in {one_in} and weighted back, specificity {specificity:g}"
    return Design(title, table, draw)


def sliced(
    n: int, share: float, slice_table: Floats, rest: Floats, *, groups: int = 0, whole_groups: bool = False
) -> Design:
    """A slice with a table of its own. In groups, half of the errors of a row are those of its group."""
    sides = np.stack([rest, slice_table])

    def draw(generator: np.random.Generator) -> Drawn:
        group = np.arange(n) % groups if groups else None
        luck = generator.random(n)
        part = luck < share
        if group is not None and whole_groups:
            part = (np.arange(groups) < round(share * groups))[group]
        actual = (generator.random(n) >= sides[part.astype(int)].sum(axis=2)[:, 0]).astype(int)
        recalls = (sides[:, [0, 1], [0, 1]] / sides.sum(axis=2))[part.astype(int), actual]
        chance = generator.random(n)
        if group is not None:
            shared = generator.random((groups, 2))[group, actual]
            chance = np.where(generator.random(n) < 0.45, shared, chance)
        return Drawn(actual, np.where(chance < recalls, actual, 1 - actual), group=group, part=part)

    kind = "" if not groups else f", {groups} groups {'within' if whole_groups else 'across'} slices"
    same = "no true difference" if slice_table is rest else "a true difference"
    table = share * slice_table + (1 - share) * rest
    return Design(f"slice of {share:.0%} of {n} rows{kind}, {same}", table, draw)


# --- measuring -------------------------------------------------------------------------------


class Measured(NamedTuple):
    coverage: float
    width: float


def held(found: Estimate, truth: float) -> tuple[float, float]:
    """Whether an interval holds the truth, and its width; NaN without an interval."""
    if found.low is None or found.high is None:
        return np.nan, np.nan
    return float(found.low <= truth <= found.high), found.high - found.low


def study(
    design: Design, names: Sequence[str], samples: int, other: Callable[[Encoded], Encoded] | None = None
) -> tuple[dict[str, Measured], dict[str, Measured]]:
    """Our intervals, and those of somebody who leaves something out of the rows."""
    truths = {name: design.truth(name) for name in names}
    found = np.full((2, len(names), samples, 2), np.nan)
    for number in range(samples):
        rows = encoded(design.draw(np.random.default_rng([7, number])), len(design.probabilities))
        sides = [rows] if other is None else [rows, other(rows)]
        for side, taken in enumerate(sides):
            sample = sample_of(taken, number)
            for place, name in enumerate(names):
                found[side, place, number] = held(estimate(sample, name), truths[name])
    ours, theirs = (measured(names, side) for side in found)
    return ours, theirs


def measured(names: Sequence[str], found: Floats) -> dict[str, Measured]:
    """Coverage and mean width of every number, over the samples in which it has an interval."""
    means = []
    for each in found:
        there = each[~np.isnan(each).any(axis=1)]
        means.append(there.mean(axis=0) if len(there) else np.full(2, np.nan))
    return {name: Measured(*mean.tolist()) for name, mean in zip(names, means, strict=True)}


def study_slices(design: Design, part: Floats, names: Sequence[str], samples: int) -> dict[str, Measured]:
    """The intervals of slice less whole."""
    truths = {name: float(estimate(sample_of_table(part), name)) - design.truth(name) for name in names}
    found = np.full((len(names), samples, 2), np.nan)
    for number in range(samples):
        drawn = design.draw(np.random.default_rng([7, number]))
        rows = encoded(drawn, 2)
        assert drawn.part is not None
        sides = [sample_of(each, number) for each in (rows.at(np.flatnonzero(drawn.part)), rows)]
        difference = Difference(*sides)
        for place, name in enumerate(names):
            found[place, number] = held(difference.of(ask(name), 0), truths[name])
    return measured(names, found)


def without_groups(rows: Encoded) -> Encoded:
    return replace(rows, group=None)


# --- the tables ------------------------------------------------------------------------------


def group_designs(quick: bool) -> Iterator[tuple[Design, Sequence[str]]]:
    two = two_classes(0.4, 0.8, 0.9)
    for rate in (0.95, 0.99):
        yield grouped(40, 0.2, two_classes(0.5, rate, rate)), OF_TWO
    for groups in (50,) if quick else (5, 10, 20, 50, 150):
        yield grouped(groups, 0.2, two), OF_TWO
        yield grouped(groups, 0.2, two, one_class=True), OF_TWO
        if groups >= 10:
            yield grouped(groups, 0.2, four_classes()), OF_FOUR
    yield grouped(50, 0.0, two), OF_TWO
    yield grouped(50, 0.0, four_classes()), OF_FOUR


def weight_designs(quick: bool) -> Iterator[tuple[Design, Sequence[str]]]:
    for n in (300,) if quick else (100, 300, 1_000):
        yield chance_weights(n, two_classes(0.3, 0.8, 0.9)), OF_TWO
        yield chance_weights(n, four_classes()), OF_FOUR
    for n in (600,) if quick else (200, 600, 2_000):
        yield inverse_weights(n, two_classes(0.05, 0.8, 0.9)), OF_TWO
        yield inverse_weights(n, two_classes(0.05, 0.8, 0.99)), OF_TWO


def slice_designs(quick: bool) -> Iterator[tuple[Design, Floats]]:
    usual, worse = two_classes(0.4, 0.8, 0.9), two_classes(0.5, 0.65, 0.85)
    for n, share in ((400, 0.25),) if quick else ((200, 0.15), (400, 0.25), (1_000, 0.8)):
        for table in (usual, worse):
            yield sliced(n, share, table, usual), table
            yield sliced(n, share, table, usual, groups=n // 10), table
            yield sliced(n, share, table, usual, groups=n // 10, whole_groups=True), table


def show(title: str, names: Sequence[str], columns: dict[str, dict[str, Any]], samples: int) -> None:
    from records import OURS, covered

    print(f"\n{title}")
    print(f"  {'':<24}" + "".join(f"{name:>12}" for name in names))
    size = int(next(re.finditer(r"(\d+) (?:groups|rows)", title)).group(1))
    for heading, found in columns.items():
        whose = "anyone who ignores groups" if heading == "rows as independent" else OURS
        for name in names:
            what = f"{name}, slice less whole" if heading == "slice less whole" else name
            covered(what, title, size, heading, *found[name], samples, whose=whose)
        print(f"  {heading:<24}" + "".join(f"{found[name].coverage:>12.3f}" for name in names))
        print(f"  {'  mean width':<24}" + "".join(f"{found[name].width:>12.3f}" for name in names))


def main(quick: bool = False) -> None:
    from records import times

    samples = SAMPLES // 5 if quick else times(SAMPLES)
    print(f"95 % intervals; two standard errors of a coverage are {2 * (0.05 * 0.95 / samples) ** 0.5:.3f}")
    for design, names in group_designs(quick):
        ours, theirs = study(design, names, samples, without_groups)
        show(design.title, names, {"groups resampled": ours, "rows as independent": theirs}, samples)
    for design, names in weight_designs(quick):
        ours, _ = study(design, names, samples)
        show(design.title, names, {"Kish's effective n": ours}, samples)
    for design, part in slice_designs(quick):
        found = study_slices(design, part, OF_SLICES, samples)
        show(design.title, OF_SLICES, {"slice less whole": found}, samples)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Coverage with weights, groups and slices.")
    parser.add_argument("--quick", action="store_true", help="fewer designs and samples")
    main(parser.parse_args().quick)
