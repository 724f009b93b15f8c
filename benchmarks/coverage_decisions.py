"""Coverage of the 95 % intervals of what a decision saves, and how much a threshold flatters itself.

A saving is a sum over the few rows that two ways answer differently, so the hard cases are few such rows with
unlike gains: a miss avoided may be worth a hundred false alarms. Samples are drawn from designs whose true
saving is known; the coverage is the share of the intervals that hold it. Then thresholds are chosen on
samples: what they seem to save there, what cross-fitting says, and what they do save on all rows there are.
Last, the limits of shares at a threshold with groups, which constraints may be put on.

    python benchmarks/coverage_decisions.py            about three minutes on one core
    python benchmarks/coverage_decisions.py --quick    the same with fewer samples: 30 seconds
"""

from __future__ import annotations

import argparse
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallymark.decisions.decide import decide
from tallymark.decisions.ways import AsIs
from tallymark.inference import Ranking
from tallymark.inference.limits_at_cuts import LimitsAtCuts
from tallymark.inference.savings import saving
from tallymark.intake.ranking import count_groups, count_scores
from tallymark.metrics import ask

Floats = NDArray[np.float64]
Pair = tuple[float, float]

SAMPLES = 1_000
ROWS_PER_GROUP = 20
ALIKE = 0.2
"""How alike rows of a group are: the correlation of their flips."""


class Found(NamedTuple):
    coverage: float
    below: float
    """Share of the intervals that lie below the truth."""
    width: float
    """Mean width over that of the normal interval with the true variance."""


def _found(intervals: list[Pair], truth: float, spread: float) -> Found:
    ends = np.array(intervals)
    below, above = (ends[:, 1] < truth).mean(), (ends[:, 0] > truth).mean()
    return Found(1 - below - above, below, float(np.diff(ends).mean() / (2 * 1.96 * spread)))


def _shares(flips: Pair) -> Floats:
    return np.array([*flips, 1 - sum(flips)])


def _moments(gains: Floats, shares: Floats) -> Pair:
    mean = float(gains @ shares)
    return mean, float(gains**2 @ shares) - mean**2


def study_rows(rows: int, flips: Pair, gains: Pair, samples: int = SAMPLES, seed: int = 0) -> Found:
    """Independent rows: a positive or a negative flips with these probabilities, and saves so much."""
    generator = np.random.default_rng(seed)
    worth, shares = np.array([*gains, 0.0]), _shares(flips)
    mean, variance = _moments(worth, shares)
    made = [saving(worth, generator.multinomial(rows, shares)) for _ in range(samples)]
    return _found([(each.low, each.high) for each in made], rows * mean, np.sqrt(rows * variance))


def study_weights(rows: int, flips: Pair, gains: Pair, samples: int = SAMPLES, seed: int = 0) -> Found:
    """Rows with weights that have nothing to do with the answers, from an exponential distribution."""
    generator = np.random.default_rng(seed)
    worth, shares = np.array([*gains, 0.0]), _shares(flips)
    mean, variance = _moments(worth, shares)
    intervals = []
    for _ in range(samples):
        weight, kind = generator.exponential(size=rows), generator.choice(3, rows, p=shares)
        amounts, squares = (np.bincount(kind, part, 3) for part in (weight, weight**2))
        made = saving(worth, amounts, squares)
        # Per unit of weight, because the sum of the weights is no part of what is asked.
        intervals.append((made.low / weight.sum() * rows, made.high / weight.sum() * rows))
    return _found(intervals, rows * mean, np.sqrt(2 * rows * variance))


def alike_kinds(generator: np.random.Generator, groups: int, shares: Floats) -> NDArray[np.int64]:
    """Kinds of rows in groups: some rows take over what their group is like."""
    size = groups * ROWS_PER_GROUP
    own, common = (
        generator.choice(len(shares), size, p=shares),
        generator.choice(len(shares), groups, p=shares),
    )
    taken = generator.random(size) < np.sqrt(ALIKE)
    return np.where(taken, np.repeat(common, ROWS_PER_GROUP), own)


def study_groups(
    groups: int, flips: Pair, gains: Pair, samples: int = SAMPLES, seed: int = 0
) -> tuple[Found, Found]:
    """20 rows a group that flip together; the interval of groups, and that of rows as if independent."""
    generator = np.random.default_rng(seed)
    worth, shares = np.array([*gains, 0.0]), _shares(flips)
    mean, variance = _moments(worth, shares)
    rows = groups * ROWS_PER_GROUP
    spread = np.sqrt(rows * variance * (1 + (ROWS_PER_GROUP - 1) * ALIKE))
    ours, naive = [], []
    for _ in range(samples):
        kind = alike_kinds(generator, groups, shares)
        amounts = np.bincount(kind, minlength=3)
        entries = (groups, np.repeat(np.arange(groups), ROWS_PER_GROUP), kind, np.ones(rows))
        for kept, made in ((ours, saving(worth, amounts, groups=entries)), (naive, saving(worth, amounts))):
            kept.append((made.low, made.high))
    return _found(ours, rows * mean, spread), _found(naive, rows * mean, spread)


# --- thresholds chosen on the rows they are tried on ---------------------------------------------


class Flattered(NamedTuple):
    """Mean saving a row against a threshold of 0.5, in percent of what the best threshold saves."""

    seeming: float
    cross_fitted: float
    true: float
    covered: float
    """Share of the cross-fitted intervals that hold what the threshold does save."""


def _drawn(generator: np.random.Generator, rows: int) -> tuple[Floats, NDArray[np.bool_]]:
    """Scores that are no calibrated probabilities, 30 % of the rows positive."""
    positive = generator.random(rows) < 0.3
    return 1 / (1 + np.exp(-(generator.normal(size=rows) + 1.6 * positive - 0.8))), positive


def study_choice(rows: int, costs: list[list[float]], samples: int, seed: int = 0) -> Flattered:
    """Choose on a sample, and see what that is worth on a million rows."""
    generator = np.random.default_rng(seed)
    everything = Ranking(count_scores(*_drawn(generator, 1_000_000)))
    now, labels = AsIs(threshold=0.5), (1, 0)
    at_best = decide(everything, costs, labels=labels, as_is=now)
    most, curve = at_best.saving / 1e6, at_best.curve
    found = []
    for _ in range(samples):
        decision = decide(Ranking(count_scores(*_drawn(generator, rows))), costs, labels=labels, as_is=now)
        true = (curve.at(0.5).total - curve.at(decision.threshold).total) / 1e6
        fitted = decision.cross_fitted.savings["as is"]
        held = fitted.low <= true * rows <= fitted.high
        found.append((decision.saving / rows, fitted.value / rows, true, held))
    seeming, fitted, true, held = np.mean(found, axis=0)
    return Flattered(100 * seeming / most, 100 * fitted / most, 100 * true / most, held)


# --- shares at a threshold with groups -------------------------------------------------------------


def study_limits(groups: int, name: str, samples: int, seed: int = 0) -> tuple[Found, Found]:
    """Recall 0.8, specificity 0.9, 40 % positive, 20 rows a group that are alike; groups, and rows alone."""
    generator = np.random.default_rng(seed)
    cells = np.array([0.32, 0.08, 0.06, 0.54])
    truth = {"recall": 0.8, "precision": 0.32 / 0.38, "specificity": 0.9, "accuracy": 0.86}[name]
    group = np.repeat(np.arange(groups), ROWS_PER_GROUP)
    ours, naive = [], []
    for _ in range(samples):
        kind = alike_kinds(generator, groups, cells)
        score, positive = np.isin(kind, (0, 2)).astype(float), kind < 2
        scores = count_scores(score, positive)
        grouped = count_groups(scores, score, positive, None, group, tuple(range(groups)))
        for kept, by in ((ours, grouped), (naive, None)):
            low, high = LimitsAtCuts(ask(name), scores, by).at(slice(1, 2))
            kept.append((float(low[0]), float(high[0])))
    spread = np.std([(low + high) / 2 for low, high in ours])
    return _found(ours, truth, spread), _found(naive, truth, spread)


def main(quick: bool = False) -> None:
    from records import covered, times

    def keep(what: str, design: str, size: int, found: Found, runs: int, whose: str = "tallymark") -> None:
        covered(
            what,
            design,
            size,
            "saving" if "saving" in what else "limits at a cut",
            found.coverage,
            found.width,
            runs,
            whose=whose,
        )

    naive = "anyone who ignores groups"
    samples = 150 if quick else times(SAMPLES)
    print("independent rows: rows, flips, gains -> coverage, below, width")
    for rows in (50, 300, 3_000):
        for flips in ((0.1, 0.1), (0.02, 0.05), (0.005, 0.02), (0.001, 0.005)):
            for gains in ((1.0, -1.0), (10.0, -1.0), (100.0, -1.0)):
                one = study_rows(rows, flips, gains, samples)
                keep("saving", f"{rows} rows, flips {flips}, gains {gains}", rows, one, samples)
                print(rows, flips, gains, *(f"{part:.3f}" for part in one))
    print("weights: rows, flips -> coverage, below, width")
    for rows in (100, 400):
        for flips in ((0.05, 0.08), (0.01, 0.03)):
            one = study_weights(rows, flips, (10, -1), samples)
            keep("saving, weights", f"{rows} rows, flips {flips}", rows, one, samples)
            print(rows, flips, *(f"{part:.3f}" for part in one))
    print("groups of 20 rows: groups, flips -> coverage, below, width; of rows as if independent")
    for groups in (10, 25, 50, 200):
        for flips in ((0.05, 0.08), (0.01, 0.03)):
            found = study_groups(groups, flips, (10, -1), samples // 2)
            for each, whose in zip(found, ("tallymark", naive), strict=True):
                keep("saving, groups", f"{groups} groups, flips {flips}", groups, each, samples // 2, whose)
            print(groups, flips, *(f"{part:.3f}" for each in found for part in each))
    print("limits of shares, groups of 20 rows: groups, number -> coverage, below, width; of rows")
    for groups in (10, 25, 50):
        for name in ("recall", "precision", "specificity", "accuracy"):
            found = study_limits(groups, name, samples)
            for each, whose in zip(found, ("tallymark", naive), strict=True):
                keep(
                    f"{name} at a threshold, groups",
                    f"{groups} groups of 20 rows",
                    groups,
                    each,
                    samples,
                    whose,
                )
            print(groups, name, *(f"{part:.3f}" for each in found for part in each))
    print("chosen on the rows: rows, costs -> seeming, cross-fitted, true saving in %; coverage")
    for rows in (100, 400, 2_000):
        for costs in ([[0, 5], [1, 0]], [[0, 30], [1, 0]]):
            found = study_choice(rows, costs, samples // 4)
            one = Found(found.covered, np.nan, np.nan)
            keep(
                "cross-fitted saving of a chosen threshold",
                f"{rows} rows, costs {costs}",
                rows,
                one,
                samples // 4,
            )
            print(rows, costs, *(f"{part:.3g}" for part in found))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description="Coverage of savings, and how much a chosen threshold flatters itself."
    )
    parser.add_argument("--quick", action="store_true", help="fewer designs and samples")
    main(parser.parse_args().quick)
