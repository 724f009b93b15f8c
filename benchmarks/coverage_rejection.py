"""Coverage of the 95 % band of a rejection curve: the share right among the rows accepted at a theta.

Margins are uniform, and an answer is wrong with a probability that falls to 0 as its margin rises to 1, so
that the share right above every theta is known. With groups some have more errors than others, and in the
worst of them all rows have the same margin too. Beside the intervals for groups stand those of somebody who
takes all rows as independent.

    python benchmarks/coverage_rejection.py            about a minute on one core
    python benchmarks/coverage_rejection.py --quick    the same with fewer designs and samples: ten seconds
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallymark.curves.rejection.curve import Rejection
from tallymark.intake.ranking import count_groups, count_scores

Floats = NDArray[np.float64]

SAMPLES = 2_000
ROWS_PER_GROUP = 20
THETAS = (0.0, 0.5, 0.8, 0.95)
ERRORS = (0.25, 0.1, 0.02)


class Drawn(NamedTuple):
    """The rows of one sample."""

    margin: Floats
    right: NDArray[np.bool_]
    weight: Floats | None = None
    group: NDArray[np.int64] | None = None


@dataclass(frozen=True)
class Design:
    """How rows come about, and which share of them is wrong."""

    title: str
    error: float
    draw: Callable[[np.random.Generator], Drawn]

    def truth(self, theta: float) -> float:
        """Wrong at a margin m: 2 error (1 - m), so above theta: error (1 - theta)."""
        return 1 - self.error * (1 - theta)


def wrong(
    error: float, margin: Floats, more: Floats | float, generator: np.random.Generator
) -> NDArray[np.bool_]:
    return generator.random(len(margin)) < 2 * error * more * (1 - margin)


def independent(rows: int, error: float) -> Design:
    def draw(generator: np.random.Generator) -> Drawn:
        margin = generator.random(rows)
        return Drawn(margin, ~wrong(error, margin, 1.0, generator))

    return Design(f"{rows} rows, {error:g} wrong", error, draw)


def weighted(rows: int, error: float) -> Design:
    """Weights that say nothing of the answers, the heaviest some twenty times the lightest."""

    def draw(generator: np.random.Generator) -> Drawn:
        margin = generator.random(rows)
        weight = np.exp(0.75 * generator.normal(size=rows))
        return Drawn(margin, ~wrong(error, margin, 1.0, generator), weight)

    return Design(f"{rows} rows with weights, {error:g} wrong", error, draw)


def grouped(groups: int, error: float, *, one_margin: bool) -> Design:
    """Groups with up to twice the errors, most with nearly none or nearly twice as many."""

    def draw(generator: np.random.Generator) -> Drawn:
        group = np.repeat(np.arange(groups), ROWS_PER_GROUP)
        margin = generator.random(groups)[group] if one_margin else generator.random(len(group))
        more = 2 * generator.beta(0.5, 0.5, groups)[group]
        return Drawn(margin, ~wrong(error, margin, more, generator), group=group)

    alike = ", one margin each" if one_margin else ""
    return Design(f"{groups} groups of {ROWS_PER_GROUP}{alike}, {error:g} wrong", error, draw)


def curve_of(rows: Drawn, *, by_group: bool) -> Rejection:
    total = count_scores(rows.margin, rows.right, weight=rows.weight)
    if rows.group is None or not by_group:
        return Rejection(total)
    keys = tuple(range(int(rows.group.max()) + 1))
    return Rejection(
        total, groups=count_groups(total, rows.margin, rows.right, rows.weight, rows.group, keys)
    )


def coverage(design: Design, samples: int, *, by_group: bool) -> Iterator[tuple[float, float]]:
    """At each theta: how often the interval holds the truth, of the times there is one; and its width."""
    held = np.full((samples, len(THETAS)), np.nan)
    width = held.copy()
    for sample, stream in enumerate(np.random.SeedSequence(7).spawn(samples)):
        curve = curve_of(design.draw(np.random.default_rng(stream)), by_group=by_group)
        for place, theta in enumerate(THETAS):
            at = curve.at(theta=theta)
            if at.low is not None and at.high is not None:
                held[sample, place] = at.low <= design.truth(theta) <= at.high
                width[sample, place] = at.high - at.low
    yield from zip(np.nanmean(held, axis=0), np.nanmean(width, axis=0), strict=True)


def show(design: Design, samples: int) -> None:
    from records import OURS, covered

    ways = {"groups": True, "rows as independent": False} if "groups" in design.title else {"": False}
    size = int(design.title.split()[0])
    for way, by_group in ways.items():
        found = list(coverage(design, samples, by_group=by_group))
        whose = "anyone who ignores groups" if way == "rows as independent" else OURS
        for theta, (share, width) in zip(THETAS, found, strict=True):
            title = f"{design.title}, theta {theta:g}"
            covered(
                "accuracy above theta",
                title,
                size,
                way or "rejection",
                float(share),
                float(width),
                samples,
                whose=whose,
            )
        cells = (f"{share:.3f} ({width:.3f})" for share, width in found)
        print(f"{design.title:45} {way:20} {'  '.join(cells)}", flush=True)


def designs(quick: bool) -> Iterator[Design]:
    for error in ERRORS[1:2] if quick else ERRORS:
        for rows in (200,) if quick else (50, 200, 1_000):
            yield independent(rows, error)
        yield weighted(400, error)
        for groups in (20,) if quick else (10, 20, 50, 200):
            for one_margin in (False, True):
                yield grouped(groups, error, one_margin=one_margin)


def main(quick: bool = False) -> None:
    from records import times

    samples = SAMPLES // 4 if quick else times(SAMPLES)
    print(f"95 % intervals; two standard errors of a coverage are {2 * (0.05 * 0.95 / samples) ** 0.5:.3f}")
    print(f"{'coverage (mean width) at theta =':66} {'           '.join(f'{theta:<4g}' for theta in THETAS)}")
    for design in designs(quick):
        show(design, samples)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Coverage of the band of a rejection curve.")
    parser.add_argument("--quick", action="store_true", help="fewer designs and samples")
    main(parser.parse_args().quick)
