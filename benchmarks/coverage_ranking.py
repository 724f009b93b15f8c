"""Coverage of the 95 % intervals of numbers from scores: areas, average precision, Brier and log loss.

Samples are drawn from designs whose true numbers are known; the coverage is the share of the intervals that
hold them, the width their mean width. Beside some of ours stand intervals that others use: that is why ours
are made as they are.

How the interval of the area came about: which rows its variance rests on, and the limit of 8 of them, was
chosen among several rules on normal scores. Exponential scores, those with heavy tails and those of which a
few are misplaced were looked at afterwards: they showed that Newcombe's interval alone falls short where the
classes are of unequal size, so the wider of both is taken. Gamma, lognormal and Laplace scores came last, and
nothing was changed for them.

    python benchmarks/coverage_ranking.py            about three minutes on one core
    python benchmarks/coverage_ranking.py --quick    the same with fewer designs and samples: 40 seconds
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallymark.inference import Estimate, Ranking
from tallymark.intake.ranking import count_groups, count_scores
from tallymark.intervals import logit_bounds, z_quantile
from tallymark.metrics import ask

Floats = NDArray[np.float64]
Interval = tuple[float, float]

SAMPLES = 1_000
ROWS_PER_GROUP = 20
AREAS = (0.6, 0.8, 0.95, 0.99, 0.999)
Z = z_quantile(0.95)


class Drawn(NamedTuple):
    """The rows of one sample."""

    score: Floats
    positive: NDArray[np.bool_]
    weight: Floats | None = None
    group: NDArray[np.int64] | None = None
    share: float | None = None
    """Of the positive class, where it is given and not the sample's own."""


@dataclass(frozen=True)
class Design:
    """How rows come about, and the true value of the numbers asked for."""

    title: str
    truth: dict[str, float]
    draw: Callable[[np.random.Generator], Drawn]


class Found(NamedTuple):
    coverage: float
    width: float


def ranking_of(rows: Drawn) -> Ranking:
    total = count_scores(rows.score, rows.positive, weight=rows.weight)
    groups = None
    if rows.group is not None:
        keys = tuple(range(int(rows.group.max()) + 1))
        groups = count_groups(total, rows.score, rows.positive, rows.weight, rows.group, keys)
    return Ranking(total, groups=groups, share=rows.share)


def estimate(ranking: Ranking, name: str) -> Estimate:
    asked = ask(name)
    return (ranking if asked.metric.about == "scores" else ranking.losses).of(asked)


def ends_of(found: Estimate) -> Interval:
    assert found.low is not None
    assert found.high is not None
    return found.low, found.high


Rival = Callable[[Ranking, Estimate], Interval]


def study(
    design: Design, samples: int = SAMPLES, rivals: dict[str, Rival] | None = None, seed: int = 0
) -> dict[str, Found]:
    """Coverage and mean width of every number of the design; a rival's under `name (rival)`."""
    generator = np.random.default_rng(seed)
    intervals: dict[str, list[tuple[bool, float]]] = {}
    for _ in range(samples):
        ranking = ranking_of(design.draw(generator))
        for name, truth in design.truth.items():
            found = estimate(ranking, name)
            ends = {name: ends_of(found)}
            ends |= {f"{name} ({rival})": made(ranking, found) for rival, made in (rivals or {}).items()}
            for title, (low, high) in ends.items():
                intervals.setdefault(title, []).append((low <= truth <= high, high - low))
    return {title: Found(*np.mean(found, axis=0)) for title, found in intervals.items()}


# --- what others use -------------------------------------------------------------------------


def delong_alone(_: Ranking, found: Estimate) -> Interval:
    """DeLong's variance on the logit scale whatever it rests on."""
    assert found.value is not None
    if found.se is None:
        return found.value, found.value
    return logit_bounds(found.value, found.se, Z)


def without_groups(ranking: Ranking, _: Estimate) -> Interval:
    return ends_of(Ranking(ranking.scores).of(ask("auc")))


def boyd(ranking: Ranking, found: Estimate) -> Interval:
    """Boyd, Eng and Page (2013): binomial with as many rows as there are positives, on the logit scale."""
    value, positives = found.value or 0.0, ranking.scores.effective[0]
    return logit_bounds(value, math.sqrt(value * (1 - value) / positives), Z)


def usual(_: Ranking, found: Estimate) -> Interval:
    """Mean and 1.96 standard errors to either side."""
    value, half = found.value or 0.0, Z * (found.se or 0.0)
    return value - half, value + half


# --- designs: normal scores in both classes --------------------------------------------------


def distance(area: float) -> float:
    """How far apart the means of two normal scores of variance 1 are."""
    from scipy.special import ndtri

    return math.sqrt(2) * float(ndtri(area))


def normal(area: float, positives: int, negatives: int) -> Design:
    apart, label = distance(area), np.arange(positives + negatives) < positives

    def draw(generator: np.random.Generator) -> Drawn:
        return Drawn(generator.normal(size=len(label)) + apart * label, label)

    return Design(f"area {area:g}, {positives} positives, {negatives} negatives", {"auc": area}, draw)


def tied(positives: int, negatives: int, up: Floats, down: Floats) -> Design:
    """A few levels, each as likely as given in either class."""
    label = np.arange(positives + negatives) < positives
    below = np.cumsum(down) - down
    area = float(up @ (below + down / 2))

    def draw(generator: np.random.Generator) -> Drawn:
        levels = [generator.choice(len(p), n, p=p) for p, n in ((up, positives), (down, negatives))]
        return Drawn(np.concatenate(levels).astype(float), label)

    title = f"area {area:.3f}, {len(up)} levels, {positives} positives, {negatives} negatives"
    return Design(title, {"auc": area}, draw)


Shape = Callable[[np.random.Generator, int], Floats]
SHAPES: dict[str, tuple[Shape, Shape]] = {
    "exponential": (lambda g, n: g.exponential(19, n), lambda g, n: g.exponential(1, n)),
    "Student's with 2 degrees of freedom": (
        lambda g, n: g.standard_t(2, n) + 4,
        lambda g, n: g.standard_t(2, n),
    ),
    "one in twenty missed": (
        lambda g, n: g.normal(np.where(g.random(n) < 0.05, 0, 5), 1),
        lambda g, n: g.normal(0, 1, n),
    ),
    "gamma": (lambda g, n: g.gamma(4, 1, n), lambda g, n: g.gamma(1.5, 1, n)),
    "lognormal": (lambda g, n: g.lognormal(2, 1.5, n), lambda g, n: g.lognormal(0, 0.5, n)),
    "Laplace": (lambda g, n: g.laplace(4, 1, n), lambda g, n: g.laplace(0, 1, n)),
}
"""Scores of the positives and of the negatives."""


def shaped(shape: str, positives: int, negatives: int) -> Design:
    """Scores that are not normal; the true area is that of two million rows of either class."""
    up, down = SHAPES[shape]
    label, many = np.arange(positives + negatives) < positives, np.random.default_rng(1)
    area = 1 - float(np.searchsorted(np.sort(up(many, 2_000_000)), down(many, 2_000_000)).mean()) / 2_000_000

    def draw(generator: np.random.Generator) -> Drawn:
        return Drawn(np.concatenate([up(generator, positives), down(generator, negatives)]), label)

    title = f"{shape}, area {area:.3f}, {positives} and {negatives}"
    return Design(title, {"auc": area}, draw)


def weighted(area: float, rows: int) -> Design:
    """Weights that have nothing to do with the score: log-normal, worth rows / e."""
    apart = distance(area)

    def draw(generator: np.random.Generator) -> Drawn:
        label = generator.random(rows) < 0.4
        score = generator.normal(size=rows) + apart * label
        return Drawn(score, label, weight=generator.lognormal(0, 1, rows))

    return Design(f"area {area:g}, {rows} rows with log-normal weights", {"auc": area}, draw)


def grouped(area: float, groups: int, correlation: float, *, one_class: bool) -> Design:
    """20 rows a group, whose scores correlate by so much; all of one class, or 4 of 10 positive."""
    apart, group = distance(area), np.repeat(np.arange(groups), ROWS_PER_GROUP)

    def draw(generator: np.random.Generator) -> Drawn:
        label = np.zeros(len(group), bool)
        while label.all() or not label.any():
            drawn = generator.random(groups if one_class else len(group)) < 0.4
            label = drawn[group] if one_class else drawn
        shared = generator.normal(size=groups)[group] * math.sqrt(correlation)
        own = generator.normal(size=len(group)) * math.sqrt(1 - correlation)
        return Drawn(shared + own + apart * label, label, group=group)

    kind = ", one class a group" if one_class else ""
    return Design(
        f"area {area:g}, {groups} groups of 20, correlation {correlation:g}{kind}", {"auc": area}, draw
    )


def partial(area: float, positives: int, negatives: int, limit: float) -> Design:
    from scipy.special import ndtr, ndtri

    base = normal(area, positives, negatives)
    rates = (np.arange(200_000) + 0.5) / 200_000 * limit
    truth = float(ndtr(distance(area) + ndtri(rates)).mean()) * limit
    return Design(f"{base.title}, up to {limit:g}", {f"partial_auc:{limit:g}": truth}, base.draw)


def precision(value: float, positives: int, prevalence: float) -> Design:
    """Rows are drawn one by one, so the number of positives differs from sample to sample."""
    rows, low, high = round(positives / prevalence), 0.0, 12.0
    while high - low > 1e-9:
        middle = (low + high) / 2
        low, high = (middle, high) if _average_precision(middle, prevalence) < value else (low, middle)

    def draw(generator: np.random.Generator) -> Drawn:
        label = np.zeros(rows, bool)
        while label.sum() < 2:
            label = generator.random(rows) < prevalence
        return Drawn(generator.normal(size=rows) + low * label, label)

    title = f"average precision {value:g}, {positives} positives, prevalence {prevalence:g}"
    return Design(title, {"average_precision": value}, draw)


def _average_precision(apart: float, prevalence: float) -> float:
    """Of normal scores, by numeric integration."""
    from scipy.special import ndtr

    score = np.linspace(-9, 9 + apart, 40_001)
    hits, alarms = prevalence * ndtr(apart - score), (1 - prevalence) * ndtr(-score)
    density = np.exp(-((score - apart) ** 2) / 2) / math.sqrt(2 * math.pi)
    return float(np.trapezoid(density * hits / np.maximum(hits + alarms, 1e-300), score))


# --- designs: probabilities ------------------------------------------------------------------


def calibrated(a: float, b: float, rows: int) -> Design:
    """Probabilities from a beta distribution that come true as often as they say."""

    def some(generator: np.random.Generator, n: int) -> Drawn:
        chance = generator.beta(a, b, n)
        return Drawn(chance, generator.random(n) < chance)

    many = ranking_of(some(np.random.default_rng(1), 2_000_000))
    truth = {name: float(estimate(many, name)) for name in ("brier", "log_loss")}
    return Design(f"probabilities from beta({a:g}, {b:g}), {rows} rows", truth, lambda g: some(g, rows))


def at_share(share: float, rows: int, *, groups: bool = False) -> Design:
    """Four rows of ten are positive, and the losses and the average precision are asked for another share."""

    def some(generator: np.random.Generator, n: int, group: NDArray[np.int64] | None = None) -> Drawn:
        label = generator.random(n) < 0.4
        shared = 0.0 if group is None else 0.7 * generator.normal(size=n)[group]
        return Drawn(
            1 / (1 + np.exp(1 - generator.normal(size=n) - shared - 2 * label)),
            label,
            group=group,
            share=share,
        )

    def few(n: int) -> NDArray[np.int64] | None:
        return np.arange(n) // ROWS_PER_GROUP if groups else None

    many = some(np.random.default_rng(1), 2_000_000, few(2_000_000))._replace(group=None)
    names = ("brier", "log_loss", "average_precision")
    truth = {name: float(estimate(ranking_of(many), name)) for name in names}
    kind = f", groups of {ROWS_PER_GROUP}" if groups else ""
    return Design(
        f"share {share:g} instead of 0.4, {rows} rows{kind}", truth, lambda g: some(g, rows, few(rows))
    )


def grouped_probabilities(groups: int) -> Design:
    """Groups in which everything is 30 % likelier or less likely than is said, half of either kind."""
    group = np.repeat(np.arange(groups), ROWS_PER_GROUP)

    def some(generator: np.random.Generator, group: NDArray[np.int64], groups: int) -> Drawn:
        chance = generator.uniform(0.1, 0.7, len(group))
        shift = np.where(generator.random(groups) < 0.5, 0.3, -0.3)[group]
        return Drawn(chance, generator.random(len(group)) < np.clip(chance + shift, 0, 1), group=group)

    many = some(np.random.default_rng(1), np.repeat(np.arange(100_000), ROWS_PER_GROUP), 100_000)
    truth = {
        name: float(estimate(ranking_of(many._replace(group=None)), name)) for name in ("brier", "log_loss")
    }
    return Design(f"probabilities, {groups} groups of 20", truth, lambda g: some(g, group, groups))


def size_of(design: Design) -> int:
    """Groups, or twice the rows of the rarer class, of a typical sample."""
    rows = design.draw(np.random.default_rng(0))
    if rows.group is not None:
        return len(np.unique(rows.group))
    return 2 * int(min(rows.positive.sum(), (~rows.positive).sum()))


# --- on paper --------------------------------------------------------------------------------


def table(
    title: str, designs: Iterable[Design], samples: int, rivals: dict[str, Rival] | None = None
) -> None:
    from records import OURS, covered

    print(f"\n{title}\n")
    print(f"{'':<98}{'coverage':>9}{'width':>9}")
    for design in designs:
        for name, found in study(design, samples, rivals).items():
            what, _, rival = name.removesuffix(")").partition(" (")
            method, whose = (rival, f"by hand: {rival}") if rival else (title, OURS)
            covered(what, design.title, size_of(design), method, *found, samples, whose=whose)
            print(f"{design.title:<64}{name:<34}{found.coverage:>9.3f}{found.width:>9.4f}")


SIZES = ((5, 5), (10, 10), (20, 20), (50, 50), (200, 200), (500, 500), (10, 1000), (50, 1000), (200, 1000))
UNLIKE_SIZES = ((10, 10), (20, 20), (50, 50), (200, 200), (10, 1000), (50, 1000), (200, 1000), (1000, 50))
UP, DOWN = np.array([0.05, 0.1, 0.15, 0.3, 0.4]), np.array([0.4, 0.3, 0.15, 0.1, 0.05])


def main(quick: bool = False) -> None:
    from records import times

    samples, sizes = (200, SIZES[1:4]) if quick else (times(SAMPLES), SIZES)
    areas: tuple[float, ...] = (0.8, 0.99) if quick else AREAS
    alone: dict[str, Rival] = {"DeLong alone": delong_alone}
    table("AUC", [normal(area, *size) for area in areas for size in sizes], samples, alone)
    shapes = [shaped(shape, *size) for shape in SHAPES for size in UNLIKE_SIZES]
    table("AUC of scores that are not normal", shapes[::4] if quick else shapes, samples, alone)
    levels = [tied(*size, UP, DOWN) for size in sizes]
    table("AUC with ties", levels, samples, alone)
    table("AUC with weights", [weighted(a, n) for a in areas for n in (100, 500)], samples, alone)
    groups = [
        grouped(area, number, 0.2, one_class=one_class)
        for area in areas[:4]
        for number in (10, 20, 50)
        for one_class in (False, True)
    ]
    table("AUC with groups", groups, samples // 2, {"rows taken as independent": without_groups})
    parts = [partial(a, *size, f) for f in (0.1, 0.3) for a in areas[:4] for size in sizes[1:]]
    table("Partial AUC", parts, samples // 2)
    table(
        "Average precision",
        [
            precision(value, positives, prevalence)
            for prevalence in (0.5, 0.1, 0.01)
            for positives in ((10, 100) if quick else (10, 30, 100, 300, 1000))
            for value in (0.2, 0.5, 0.8, 0.95, 0.99)
            if value > prevalence * 1.05 and positives / prevalence <= 30_000
        ],
        samples // 4,
        {"Boyd et al.": boyd},
    )
    table(
        "Brier and logarithmic loss",
        [
            calibrated(a, b, rows)
            for a, b in ((1, 1), (0.3, 0.3), (0.1, 0.9), (0.2, 19.8))
            for rows in ((20, 200) if quick else (20, 50, 200, 1000))
        ],
        samples,
        {"mean and 1.96 se": usual},
    )
    table("Losses with groups", [grouped_probabilities(n) for n in (10, 20, 50)], samples)
    shares = [
        at_share(share, rows, groups=groups)
        for share in ((0.05,) if quick else (0.05, 0.4, 0.8))
        for rows in ((400,) if quick else (100, 400, 2000))
        for groups in (False, True)
    ]
    table("Another share of the positive class", shares, samples)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Coverage of the intervals of numbers from scores.")
    parser.add_argument("--quick", action="store_true", help="fewer designs and samples")
    main(parser.parse_args().quick)
