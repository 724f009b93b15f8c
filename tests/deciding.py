"""Decisions about two classes, "yes" and "no", for tests: rows, and what they cost in exact fractions."""

import math
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
from hypothesis import strategies as st

import tallymark as tm

# Few distinct scores, so that most rows are tied with others; both classes are there.
ROWS = st.lists(
    st.tuples(st.sampled_from([0.0, 0.1, 0.3, 0.5, 0.7, 1.0]), st.booleans(), st.integers(1, 3)),
    min_size=2,
    max_size=25,
).filter(lambda rows: {positive for _, positive, _ in rows} == {True, False})
CELLS = st.lists(st.integers(-20, 20), min_size=4, max_size=4)


def yes_or_no(score: Any, positive: Any, predicted: Any = None, **options: Any) -> tm.Evaluation:
    """Costs are written with "yes" first: [[hit, miss], [false alarm, rest]]."""
    names = np.array(["no", "yes"])
    actual = names[np.asarray(positive, bool).astype(int)]
    given = None if predicted is None else names[np.asarray(predicted, bool).astype(int)]
    score = np.asarray(score, float)
    return tm.evaluate(actual, given, y_score=score, labels=["yes", "no"], pos_label="yes", **options)


def of_rows(rows: list[tuple[float, bool, int]], weighted: bool = False, **options: Any) -> tm.Evaluation:
    score, positive, weight = (np.array(column) for column in zip(*rows, strict=True))
    return yes_or_no(score, positive, sample_weight=weight.astype(float) if weighted else None, **options)


def of_counts(
    score: list[float], positives: list[int], negatives: list[int], **options: Any
) -> tm.Evaluation:
    """So many rows of each class at each score, best first."""
    each = np.repeat([*score, *score], [*positives, *negatives])
    return yes_or_no(each, np.arange(len(each)) < sum(positives), **options)


@cache
def sample() -> tuple[np.ndarray, np.ndarray]:
    """Scores of 400 rows and which are positive."""
    random = np.random.default_rng(1)
    positive = random.random(400) < 0.3
    score = np.round(1 / (1 + np.exp(-(random.normal(size=400) + 1.6 * positive - 1.2))), 2)
    score.setflags(write=False)
    return score, positive


def weights_of(rows: Any, weighted: bool = False, share: Fraction | None = None) -> list[Fraction]:
    """What each row counts for, exactly."""
    own = [Fraction(weight if weighted else 1) for _, _, weight in rows]
    if share is None:
        return own
    totals = {
        side: sum(w for w, row in zip(own, rows, strict=True) if row[1] == side) for side in (True, False)
    }
    n = sum(own)
    factor = {True: share * n / totals[True], False: (1 - share) * n / totals[False]}
    return [w * factor[row[1]] for w, row in zip(own, rows, strict=True)]


def paid(
    rows: Any, weights: list[Fraction], cells: Any, lower: float, upper: float, reject: Any = 0
) -> Fraction:
    """Row by row: positive from `upper` on, negative below `lower`, rejected between them."""
    hit, miss, alarm, rest = cells
    total = Fraction(0)
    for (score, positive, _), weight in zip(rows, weights, strict=True):
        called, left = (hit, miss) if positive else (alarm, rest)
        total += weight * (called if score >= upper else left if score < lower else reject)
    return total


def thresholds_of(rows: Any) -> list[float]:
    """Highest first; above all scores nothing is positive."""
    return [math.inf, *sorted({score for score, *_ in rows}, reverse=True)]


def square(cells: Any) -> list[list[float]]:
    """Four costs as a matrix."""
    hit, miss, alarm, rest = (float(cell) for cell in cells)
    return [[hit, miss], [alarm, rest]]
