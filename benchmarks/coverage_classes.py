"""Coverage of the 95 % intervals of numbers about all classes at once: four means of areas, and top k.

The score of class i is normal with variance 1, and its mean in the rows of every class is known, so every
area is known, and with it every mean of them. How often the true class is among the first k comes from many
rows.

With fewer than some 25 groups the intervals of areas err on the wide side, as those of a single area do: the
variance of so few rests on fewer than 8 of them, and then the wider of two intervals is taken.

    python benchmarks/coverage_classes.py            about two minutes on one core
    python benchmarks/coverage_classes.py --quick    fewer designs and samples: 30 seconds
"""

from __future__ import annotations

import argparse
import math
import tracemalloc
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallymark.inference import Estimate
from tallymark.inference.classes.places import placed
from tallymark.inference.classes.ranking import ClassRanking, class_ranking
from tallymark.intervals import logit_bounds, z_quantile
from tallymark.metrics import ask
from tallymark.metrics.classes import AREAS

Floats = NDArray[np.float64]

SAMPLES = 1_000
MANY = 400_000
ROWS_PER_GROUP = 10
TOP = "top_k_accuracy:2"


@dataclass(frozen=True)
class Design:
    """The mean of every class's score in the rows of every class, and how rows come about."""

    title: str
    means: Floats
    """[c, i]: the mean of the score of class i in rows of class c."""
    shares: Floats
    rows: int
    shares_given: bool = False
    """Whether the shares are told, and rows drawn with equal ones."""
    weighted: bool = False
    groups: int = 0
    spread: float = 0.0
    """Standard deviation of what the rows of a group have in common, in every score."""

    @property
    def size(self) -> int:
        return len(self.shares)

    def truth(self) -> dict[str, float]:
        """Every number, from the areas of pairs of classes."""
        from scipy.special import ndtr

        own = np.diag(self.means)
        areas = ndtr((own[:, None] - self.means.T) / math.sqrt(2 * (1 + self.spread**2)))
        share, both = self.shares, (areas + areas.T) / 2
        off = ~np.eye(self.size, dtype=bool)
        alone = (np.where(off, areas, 0) @ share) / (1 - share)
        weight = (share[:, None] + share[None, :])[off]
        return {
            "auc_ovr_macro": float(alone.mean()),
            "auc_ovr_weighted": float(share @ alone),
            "auc_ovo_macro": float(both[off].mean()),
            "auc_ovo_weighted": float((weight @ both[off]) / weight.sum()),
            TOP: self._top(),
        }

    def _top(self) -> float:
        generator = np.random.default_rng(1)
        classes = generator.choice(self.size, MANY, p=self.shares)
        noise = math.sqrt(1 + self.spread**2) * generator.normal(size=(MANY, self.size))
        return float(np.mean(placed(self.means[classes] + noise, classes) < 2))

    def draw(self, generator: np.random.Generator) -> Rows:
        """One sample in which every class has a row; another is hardly ever drawn with so many rows."""
        shares = np.full(self.size, 1 / self.size) if self.shares_given else self.shares
        classes = generator.choice(self.size, self.rows, p=shares)
        while len(np.unique(classes)) < self.size:
            classes = generator.choice(self.size, self.rows, p=shares)
        table = self.means[classes] + generator.normal(size=(self.rows, self.size))
        weight = generator.lognormal(0, 0.7, self.rows) if self.weighted else None
        if not self.groups:
            return Rows(table, classes, weight, None)
        group = np.arange(self.rows) % self.groups
        table += self.spread * generator.normal(size=(self.groups, self.size))[group]
        return Rows(table, classes, weight, group)


class Rows(NamedTuple):
    table: Floats
    classes: NDArray[np.intp]
    weight: Floats | None
    group: NDArray[np.intp] | None


class Found(NamedTuple):
    coverage: float
    width: float


def ranking_of(design: Design, rows: Rows, *, groups: bool = True) -> ClassRanking:
    group = None
    if rows.group is not None and groups:
        group = (tuple(range(design.groups)), rows.group)
    return class_ranking(
        rows.table,
        rows.classes,
        labels=range(design.size),
        weight=rows.weight,
        group=group,
        shares=design.shares if design.shares_given else None,
    )


Rival = Callable[[Design, Rows, Estimate, str], tuple[float, float]]


def study(
    design: Design, samples: int = SAMPLES, rivals: dict[str, Rival] | None = None, seed: int = 0
) -> dict[str, Found]:
    """Coverage and mean width of every number; a rival's under `name (rival)`."""
    generator, truth = np.random.default_rng(seed), design.truth()
    intervals: dict[str, list[tuple[bool, float]]] = {}
    for _ in range(samples):
        rows = design.draw(generator)
        ranking = ranking_of(design, rows)
        for name, true in truth.items():
            found = ranking.of(ask(name))
            ends: dict[str, Any] = {name: (found.low, found.high)}
            ends |= {
                f"{name} ({rival})": made(design, rows, found, name) for rival, made in (rivals or {}).items()
            }
            for title, (low, high) in ends.items():
                intervals.setdefault(title, []).append((low <= true <= high, high - low))
    return {title: Found(*np.mean(found, axis=0)) for title, found in intervals.items()}


# --- what others would do --------------------------------------------------------------------


def without_groups(design: Design, rows: Rows, _: Estimate, name: str) -> tuple[float, float]:
    found = ranking_of(design, rows, groups=False).of(ask(name))
    assert found.low is not None
    assert found.high is not None
    return found.low, found.high


def variance_alone(_: Design, __: Rows, found: Estimate, ___: str) -> tuple[float, float]:
    """On the logit scale whatever the variance rests on."""
    return logit_bounds(found.value or 0.0, found.se or 0.0, z_quantile(0.95))


# --- designs ---------------------------------------------------------------------------------

EQUAL, UNEQUAL = "equal", "unequal"


def alike(area: float, size: int, rows: int, classes: str = EQUAL, **options: Any) -> Design:
    """Every area has that value."""
    from scipy.special import ndtri

    apart = math.sqrt(2 * (1 + options.get("spread", 0.0) ** 2)) * float(ndtri(area))
    title = f"areas {area:g}, {size} {classes} classes, {rows} rows"
    return Design(title, apart * np.eye(size), shares_of(classes, size), rows, **options)


def neighbours(size: int, rows: int, classes: str = UNEQUAL, **options: Any) -> Design:
    """Neighbouring classes are hard to tell apart, and later ones are recognised better."""
    places = np.arange(size)
    own = 1 + 2 * places / size
    means = own[None, :] * np.exp(-np.abs(places[:, None] - places[None, :]) / 1.5)
    title = f"areas of many sizes, {size} {classes} classes, {rows} rows"
    return Design(title, means, shares_of(classes, size), rows, **options)


def shares_of(classes: str, size: int) -> Floats:
    shares = np.ones(size) if classes == EQUAL else 0.6 ** np.arange(size)
    return shares / shares.sum()


def print_table(
    title: str, designs: Iterable[Design], samples: int, rivals: dict[str, Rival] | None = None
) -> None:
    from records import OURS, covered

    print(f"\n{title}\n{'':<50}{'number':<40}{'coverage':>9}{'width':>9}")
    for design in designs:
        for name, found in study(design, samples, rivals).items():
            what, _, rival = name.removesuffix(")").partition(" (")
            method, whose = (rival, f"by hand: {rival}") if rival else (title, OURS)
            size = design.groups or design.rows
            covered(what, design.title, size, method, *found, samples, whose=whose)
            print(f"{design.title:<50}{name:<40}{found.coverage:>9.3f}{found.width:>9.4f}")


def least(found: dict[str, Found], names: Sequence[str] = (*AREAS, TOP)) -> float:
    """The smallest coverage among these numbers."""
    return min(found[name].coverage for name in names)


def speed() -> None:
    """All areas with their intervals and all places in one go, against scikit-learn's one-vs-one alone."""
    from sklearn.metrics import roc_auc_score

    from speed import at_least, at_most, best_of

    size, rows = 20, 100_000
    drawn = neighbours(size, rows, EQUAL).draw(np.random.default_rng(0))
    table = np.exp(drawn.table) / np.exp(drawn.table).sum(axis=1, keepdims=True)

    def ours() -> ClassRanking:
        return class_ranking(table, drawn.classes, labels=range(size))

    print(f"\n{rows:,} rows of {size} classes")
    taken = best_of(ours, 3)
    peer = best_of(lambda: roc_auc_score(drawn.classes, table, multi_class="ovo"), 2)
    at_least("roc_auc_score one-vs-one", peer / taken, 1, f"{taken * 1e3:.0f} ms")
    tracemalloc.start()
    ours()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    at_most("memory beside the table", peak / table.nbytes, 1, f"{peak / 1e6:.0f} MB")


def main(quick: bool = False) -> None:
    from records import times

    samples = 200 if quick else times(SAMPLES)
    sizes = ((3, 60), (5, 500)) if quick else ((3, 30), (3, 60), (3, 300), (5, 100), (5, 500), (10, 500))
    alone: dict[str, Rival] = {"its variance alone": variance_alone}
    areas = (0.8, 0.99) if quick else (0.6, 0.8, 0.95, 0.99, 0.999)
    print_table("Areas all alike", [alike(area, *size) for area in areas for size in sizes], samples, alone)
    print_table("Areas of many sizes", [neighbours(*size) for size in sizes], samples, alone)
    print_table("With weights", [neighbours(*size, weighted=True) for size in sizes], samples)
    given = [neighbours(*size, shares_given=True) for size in sizes]
    print_table("With other shares of the classes", given, samples)
    groups = [
        neighbours(size, ROWS_PER_GROUP * number, groups=number, spread=0.7)
        for size in (3, 5)
        for number in ((20,) if quick else (10, 20, 50))
    ]
    print_table("With groups of 10", groups, samples, {"rows taken as independent": without_groups})
    speed()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Coverage of the intervals of numbers about all classes.")
    parser.add_argument("--quick", action="store_true", help="fewer designs and samples")
    main(parser.parse_args().quick)
