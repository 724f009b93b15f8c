"""Coverage of the 95 % intervals of a net benefit.

Rows are drawn from designs whose true net benefit is known; the coverage is the share of the intervals that
hold it, and how often it lies below and above, the width their mean width. Beside ours stands what is usual:
the mean of the rows' gains and 1.96 standard errors to either side.

    python benchmarks/coverage_decision_curve.py            about half a minute on one core
    python benchmarks/coverage_decision_curve.py --quick    with fewer samples: 5 seconds
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallymark.curves.benefit.decision_curve import DecisionCurve
from tallymark.intake.ranking import count_groups, count_scores
from tallymark.intervals import z_quantile

Floats = NDArray[np.float64]

SAMPLES = 2_000
THRESHOLDS = (0.05, 0.2, 0.5, 0.8)
Z = z_quantile(0.95)


class Drawn(NamedTuple):
    """The rows of one sample."""

    score: Floats
    positive: NDArray[np.bool_]
    weight: Floats | None = None
    group: NDArray[np.int64] | None = None
    share: float | None = None


@dataclass(frozen=True)
class Design:
    """How rows come about."""

    title: str
    draw: Callable[[np.random.Generator, int], Drawn]
    """For a number of rows or, where rows belong together, of groups."""
    sizes: tuple[int, ...]


class Found(NamedTuple):
    coverage: float
    below: float
    above: float
    width: float


# --- designs: probabilities from a beta distribution, which the truth follows more or less -----


def rows(mean: float, *, honest: bool = True) -> Design:
    def draw(generator: np.random.Generator, n: int) -> Drawn:
        score = generator.beta(1, 1 / mean - 1, size=n)
        truth = score if honest else score**2
        return Drawn(score, generator.random(n) < truth)

    title = f"mean probability {mean:g}" + ("" if honest else ", twice too sure")
    return Design(title, draw, (50, 200, 1000))


def weighted(mean: float) -> Design:
    def draw(generator: np.random.Generator, n: int) -> Drawn:
        score = generator.beta(1, 1 / mean - 1, size=n)
        return Drawn(score, generator.random(n) < score, generator.lognormal(size=n))

    return Design(f"mean probability {mean:g}, uneven weights", draw, (200, 1000))


def grouped(mean: float) -> Design:
    """A group of 20 rows shares a part of its log odds, and of what the score does not know."""

    def draw(generator: np.random.Generator, n: int) -> Drawn:
        group = np.repeat(np.arange(n), 20)
        seen = generator.normal(size=n)[group] + generator.normal(size=len(group))
        unseen = generator.normal(size=n)[group]
        start = math.log(mean / (1 - mean))
        score, truth = (1 / (1 + np.exp(-(start + odds))) for odds in (seen, seen + unseen))
        return Drawn(score, generator.random(len(group)) < truth, group=group)

    return Design(f"groups of 20 rows around {mean:g}", draw, (20, 100))


def fixed_share(mean: float) -> Design:
    """As many positives as negatives were drawn; the net benefit is asked for at their true share."""

    def draw(generator: np.random.Generator, n: int) -> Drawn:
        positive = np.arange(n) < n // 2
        first = np.where(positive, 2.0, 1.0)
        second = np.where(positive, 1 / mean - 1, 1 / mean)
        return Drawn(generator.beta(first, second), positive, share=mean)

    return Design(f"case-control, share {mean:g}", draw, (50, 200, 1000))


DESIGNS = (
    rows(0.1),
    rows(0.3),
    rows(0.3, honest=False),
    weighted(0.3),
    grouped(0.2),
    fixed_share(0.1),
)


# --- the study -------------------------------------------------------------------------------


def curve_of(drawn: Drawn) -> DecisionCurve:
    total = count_scores(drawn.score, drawn.positive, weight=drawn.weight)
    groups = None
    if drawn.group is not None:
        keys = tuple(range(int(drawn.group.max()) + 1))
        groups = count_groups(total, drawn.score, drawn.positive, drawn.weight, drawn.group, keys)
    return DecisionCurve(total, groups=groups, share=drawn.share)


def usual(drawn: Drawn, threshold: float) -> tuple[float, float]:
    """Mean and 1.96 standard errors, rows taken for independent."""
    gain = (drawn.score >= threshold) * np.where(drawn.positive, 1.0, -threshold / (1 - threshold))
    weight = np.ones(len(gain)) if drawn.weight is None else drawn.weight
    if drawn.share is not None:
        weight = np.where(drawn.positive, drawn.share, 1 - drawn.share)
    mean = float(np.average(gain, weights=weight))
    half = Z * math.sqrt(float(np.sum((weight * (gain - mean)) ** 2))) / float(weight.sum())
    return mean - half, mean + half


def truths(design: Design) -> dict[float, float]:
    """From so many rows that what is left of chance does not matter."""
    generator = np.random.default_rng(999)
    values = [curve_of(design.draw(generator, 100_000)) for _ in range(10)]
    return {t: float(np.mean([curve.at(threshold=t) for curve in values])) for t in THRESHOLDS}


def study(
    design: Design, n: int, truth: dict[float, float], samples: int, seed: int = 0
) -> Iterator[tuple[float, Found, Found]]:
    """Of each threshold: ours and the usual interval."""
    generator = np.random.default_rng(seed)
    ends: dict[float, list[tuple[float, float, float, float]]] = {t: [] for t in THRESHOLDS}
    for _ in range(samples):
        drawn = design.draw(generator, n)
        curve = curve_of(drawn)
        for t in THRESHOLDS:
            ours = curve.interval(t)
            assert ours is not None
            ends[t].append((*ours, *usual(drawn, t)))
    for t, found in ends.items():
        low, high, usual_low, usual_high = np.array(found).T
        yield t, _found(truth[t], low, high), _found(truth[t], usual_low, usual_high)


def _found(truth: float, low: Floats, high: Floats) -> Found:
    below, above = float(np.mean(truth < low)), float(np.mean(truth > high))
    return Found(1 - below - above, below, above, float(np.mean(high - low)))


def main(quick: bool = False) -> None:
    from records import covered, times

    samples = 200 if quick else times(SAMPLES)
    print(f"{'design':38} {'n':>5} {'t':>5}   cover  below  above  width    usual  width")
    for design in DESIGNS:
        truth = truths(design)
        for n in design.sizes:
            for t, ours, other in study(design, n, truth, samples):
                title = f"{design.title}, n = {n}, threshold {t:g}"
                covered("net_benefit", title, n, "decision curve", ours.coverage, ours.width, samples)
                by_hand = {"whose": "by hand: mean and 1.96 standard errors"}
                covered("net_benefit", title, n, "1.96 se", other.coverage, other.width, samples, **by_hand)
                numbers = f"{ours.coverage:6.3f} {ours.below:6.3f} {ours.above:6.3f} {ours.width:6.3f}"
                beside = f"{other.coverage:6.3f} {other.width:6.3f}"
                print(f"{design.title:38} {n:5} {t:5}  {numbers}   {beside}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Coverage of net benefits.")
    parser.add_argument("--quick", action="store_true", help="fewer designs and samples")
    main(parser.parse_args().quick)
