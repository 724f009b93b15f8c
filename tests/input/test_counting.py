"""Rows are counted as a loop over them counts: every distinct score exactly, and pairs of labels."""

import json
import math
from collections import Counter, defaultdict
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from inputs import matrix, pairs, refusals

import tallymark as tm
from collected import each

TINY, HUGE = 5e-324, float(np.finfo(float).max)
BLOCK = 1 << 16
"""Scores are looked at in blocks of so many rows; sorted in two threads from four times as many."""
CORNERS = [0.0, TINY, 1e-310, 2.2250738585072014e-308, 1e-30, 0.1, 0.5, 1.0, 1.5, 2.0, 10.0, HUGE]
FINITE: dict[str, Any] = {"allow_nan": False, "allow_infinity": False}
NUMBERS = st.sampled_from([*CORNERS, *(-x for x in CORNERS)]) | st.floats(**FINITE)
FAR = NUMBERS | st.floats(0, 1) | st.floats(width=32, **FINITE)


def counted(score: Any, positive: Any, weight: Any = None, **options: Any) -> tm.Scores:
    asked = {"labels": [0, 1], "threshold": 0.5, "sample_weight": weight, **options}
    return tm.evaluate(np.asarray(positive).astype(int), y_score=score, **asked).curves.scores


def entries(tally: tm.Scores) -> list[tuple[float, float, float]]:
    return list(zip(tally.score.tolist(), tally.positives.tolist(), tally.negatives.tolist(), strict=True))


def naive(score: Any, positive: Any, weight: Any = None) -> list[tuple[float, Any, Any]]:
    """Score, positives, negatives, best first, row by row."""
    found: dict[float, list[Any]] = defaultdict(lambda: [0, 0])
    amounts = [1] * len(score) if weight is None else weight
    for value, hit, amount in zip(score, positive, amounts, strict=True):
        if amount:
            found[float(value)][0 if hit else 1] += amount
    return [(value, *found[value]) for value in sorted(found, reverse=True)]


def same_as_numpy(score: Any, positive: Any) -> tm.Scores:
    tally = counted(score, positive)
    values, place = np.unique(np.asarray(score, float), return_inverse=True)
    sides = (np.bincount(place[rows], minlength=len(values))[::-1] for rows in (positive, ~positive))
    for name, expected in zip(("score", "positives", "negatives"), (values[::-1], *sides), strict=True):
        np.testing.assert_array_equal(getattr(tally, name), expected)
    return tally


@given(st.lists(st.tuples(FAR, st.booleans()), min_size=1, max_size=40))
@example([(-0.0, True), (0.0, False)])
@example([(2.0, True), (float(np.nextafter(2, 0)), False), (float(np.nextafter(2, 3)), True)])
@example([(-1.0, True), (-2.0, False)])
@example([(-1.0, True), (0.0, False), (1.0, True)])
@example([(HUGE, True), (-HUGE, True), (TINY, False), (-TINY, False)])
@example([(HUGE, True), (-HUGE, True), (0.0, False), (-TINY, False), (-0.0, True)])
@example([(-10.0, True), (-1e-12, True), (0.0, False), (1e-12, True), (0.1, True), (10.0, False)])
def test_any_numbers(rows: list[Any]) -> None:
    score, positive = (np.array(column) for column in zip(*rows, strict=True))
    tally = counted(score, positive)
    assert entries(tally) == naive(score, positive)
    assert tally.positives.dtype == tally.negatives.dtype == np.int64
    assert not np.signbit(tally.score[tally.score == 0]).any()
    assert (tally.rows, tally.squares) == (len(score), None)
    with np.errstate(over="ignore"):
        narrow = score.astype(np.float32)
    if np.isfinite(narrow).all():
        assert entries(counted(narrow, positive)) == naive(narrow, positive)


@each("rows", [1, 2, BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK + 1, 4 * BLOCK + 3])
def test_around_the_length_of_a_block(rows: int) -> None:
    random = np.random.default_rng(rows)
    shares = (0.01, 0.5) if rows > 2 else (0.0, 1.0)
    forms = [random.random(rows), random.normal(size=rows), random.random(rows).round(3), np.full(rows, 0.25)]
    forms += [random.random(rows).astype(np.float32), np.linspace(0, 1, rows).repeat(2)[:rows]]
    for at, score in enumerate(forms):
        same_as_numpy(score, random.random(rows) < shares[at % 2])


# Many scores of few decimals need no sort; 3 * 0.1 is no decimal, and the grid ends at 16,384.
FEW: list[list[float]] = [[0.0, -0.0, 1.0], [k / 1_000 for k in range(1_001)], [k / 100 for k in range(250)]]
FEW += [[k * 0.1 for k in range(11)], [k / 10_000 for k in range(0, 10_001, 7)]]
FEW += [[k / 100_000 for k in range(0, 100_001, 77)], [float(k) for k in range(101)], [16_383.0, 3.0]]
FEW += [[16_384.0, 3.0], [-0.25, 0.25, 0.5], [1.0, 1.0, HUGE], [0.5, TINY]]
STRAY = [([0.1, 0.25, 0.3], stray) for stray in (0.1234567, -0.5, 0.1 + 0.2, -HUGE)]


@each("values, last", [*((values, values[-1]) for values in FEW), *STRAY], ids=lambda case: str(case)[:60])
def test_scores_of_few_decimals(values: list[float], last: float) -> None:
    many = np.resize(np.array(values), BLOCK + len(values))
    score = np.random.default_rng(0).permutation(many)
    score[-1] = last
    positive = np.random.default_rng(1).random(len(score)) < 0.3
    tally = same_as_numpy(score, positive)
    assert not np.signbit(tally.score[tally.score == 0]).any()


@given(st.lists(st.tuples(NUMBERS, st.booleans(), st.integers(0, 5)), min_size=1, max_size=40))
def test_whole_weights_stay_whole(rows: list[Any]) -> None:
    score, positive, weight = (np.array(column) for column in zip(*rows, strict=True))
    if not weight.any():
        return
    tally = counted(score, positive, weight)
    assert entries(tally) == naive(score, positive, weight.tolist())
    assert tally.rows == int((weight > 0).sum())
    squares = zip(tally.score.tolist(), *(side.tolist() for side in tally.squares), strict=True)
    assert list(squares) == naive(score, positive, (weight**2).tolist())
    assert {side.dtype.kind for side in (tally.positives, tally.negatives, *tally.squares)} == {"i"}
    assert not np.signbit(tally.score[tally.score == 0]).any()
    frequencies = counted(score, positive, weight, weight_kind="frequency")
    assert frequencies == counted(np.repeat(score, weight), np.repeat(positive, weight))


WEIGHTED = st.tuples(NUMBERS, st.booleans(), st.floats(1e-6, 1e6) | st.just(0.0))


@given(st.lists(WEIGHTED, min_size=1, max_size=40))
def test_weights_are_added_up(rows: list[Any]) -> None:
    score, positive, weight = (np.array(column) for column in zip(*rows, strict=True))
    if not weight.any():
        return
    tally = counted(score, positive, weight)
    expected = naive(score, positive, [Fraction(each) for each in weight.tolist()])
    assert tally.score.tolist() == [value for value, *_ in expected]
    for at, side in ((1, tally.positives), (2, tally.negatives)):
        np.testing.assert_allclose(side, [float(each[at]) for each in expected], rtol=1e-15)
    assert tally.rows == int((weight > 0).sum())


def test_many_weights_and_large_ones() -> None:
    """A running total of a million tenths is off in the 12th digit; the sum is 100,000, of squares 10,000."""
    many = 1_000_000
    tally = counted(np.full(many, 0.5), np.ones(many, bool), np.full(many, 0.1))
    assert (tally.positives[0], tally.squares[0][0]) == pytest.approx((100_000, 10_000), rel=1e-15)
    tally = counted([0.1, 0.2], [True, False], [2**40, 3])
    assert tally.positives.tolist() == [0, 2**40]
    assert (tally.squares[0].tolist(), tally.squares[0].dtype.kind) == ([0.0, 2.0**80], "f")


def test_scores_are_cut_at_the_threshold() -> None:
    below = float(np.nextafter(0.3, 0))
    ev = tm.evaluate([0, 1, 1], y_score=[0.3, below, 0.3], threshold=0.3)
    assert (matrix(ev), ev.threshold, ev.notes) == ([[0, 1], [1, 1]], 0.3, ())
    for threshold in ("0.3", "  0.3 ", np.float32(0.5), 1, "3e-1"):
        assert tm.evaluate([0, 1], y_score=[0.1, 1.0], threshold=threshold).threshold == float(threshold)
    given = tm.evaluate([0, 1], [0, 0], y_score=[0.9, 0.9])
    assert (given.threshold, matrix(given)) == (None, [[1, 0], [1, 0]])
    half = tm.evaluate([0, 1, 1], y_score=[0.5, 0.5, 0.499])
    assert (half.threshold, matrix(half), len(half.notes)) == (0.5, [[0, 1], [1, 1]], 1)
    assert tm.evaluate([0, 1], y_score=[0, 1]).threshold == 0.5
    for scores in ([0.1, 1.0000001], [-0.0000001, 0.5], [-3, 7]):
        ev = tm.evaluate([0, 1], y_score=scores)
        assert (ev.threshold, ev.confusion, ev.labels, ev.positive, ev.rows) == (None, None, (0, 1), 1, 2)
        assert all(ev[name].why for name in ("recall", "accuracy", "f1_macro"))
        form = json.loads(ev.to_json())
        assert form["confusion"] is form["threshold"] is form["metrics"]["recall"]["value"] is None
    assert matrix(tm.evaluate([0, 1], y_score=[-3, 7], threshold=2)) == [[1, 0], [0, 1]]


def test_the_best_threshold(snapshot: Any) -> None:
    best = {"best": "f1", "best:f1": "f1", "best:accuracy": "accuracy", "best:youden": "youden"}
    for threshold, objective in best.items():
        ev = tm.evaluate([0, 0, 1, 1], y_score=[0.1, 0.2, 0.8, 0.9], threshold=threshold)
        assert (ev.threshold, ev.chosen_here) == (0.8, objective)
    score = {"y_score": [0.1, 0.9]}
    cases: list[tuple[Any, ...]] = [([0, 1], [0, 1], more | {"threshold": 0.5}) for more in ({}, score)]
    wrong = ("nan", math.inf, [0.5], True, "worst", "best:auc", "best:", "best:cost")
    cases += [([0, 1], score | {"threshold": threshold}) for threshold in wrong]
    snapshot("errors_data_thresholds", refusals(cases))


BLOCK_PAIRS = 1 << 15
"""Rows are counted in blocks of so many."""
DENSE = 1 << 10
"""Labels in so narrow a range are counted in one table, others after a sort."""


def check(actual: Any, predicted: Any) -> None:
    ev = tm.evaluate(actual, predicted)
    assert pairs(ev) == Counter(zip(actual.tolist(), predicted.tolist(), strict=True))
    assert ev.rows == len(actual)


def drawn(low: int, high: int, rows: int, kind: Any, seed: int = 0) -> Any:
    return np.random.default_rng(seed).integers(low, high, rows, endpoint=True).astype(kind)


RANGES = [(0, 1), (0, 9), (-5, 5), (-128, -125), (124, 127), (-128, 127), (126, 129), (-130, -126), (0, 255)]
RANGES += [(0, 5_000)]
RANGES += [(far, far + 4) for far in (10**6, -(10**6), 2**53, 2**62, -(2**63), 2**63 - 5)]


@each("low, high", RANGES, ids=str)
def test_ranges_of_labels(low: int, high: int) -> None:
    check(drawn(low, high, 400, np.int64, 1), drawn(low, high, 400, np.int64, 2))
    check(drawn(low, high, 400, np.int64, 1), drawn(0, 3, 400, np.int64, 2))


def test_around_the_ends_of_tables_and_blocks() -> None:
    for width, offset in product([DENSE - 2, DENSE - 1, DENSE, DENSE + 1], (0, 1, -7, 10**9)):
        check(np.arange(width + 1) + offset, np.arange(width + 1)[::-1] + offset)
    near = [1, 2, *(BLOCK_PAIRS + at for at in (-1, 0, 1)), 2 * BLOCK_PAIRS, 2 * BLOCK_PAIRS + 1]
    for rows, kind in product(near, (np.bool_, np.int64)):
        check(drawn(0, 1, rows, kind, 1), drawn(0, 1, rows, kind, 2))


@each("last", [1, 2, 3, 7, 8, 127, 128, 255, 1_023, 1_024, 10**6, -1, -5, -129])
def test_a_later_block_may_have_other_labels(last: int) -> None:
    for sides in ([0], [1], [0, 1]):
        columns = [drawn(0, 1, BLOCK_PAIRS + 2, np.int64, seed) for seed in (1, 2)]
        for side in sides:
            columns[side][-1] = last
        check(*columns)
    check(np.repeat([0, 3, 17, 200, last], BLOCK_PAIRS), np.repeat([last, 0, 3, 17, 200], BLOCK_PAIRS))


anything = st.one_of(st.integers(0, 3), st.integers(-20, 2_000), st.integers(-(2**63), 2**63 - 1))


@given(st.lists(st.tuples(anything, anything), min_size=1, max_size=40))
def test_any_pairs(rows: list[tuple[int, int]]) -> None:
    check(*np.array(rows, np.int64).T)


CELLS = st.tuples(st.sampled_from([0, 1, 7, 1_099]), st.sampled_from([0, 1_098]), st.floats(1e-3, 1e3))


@given(st.lists(CELLS, min_size=1, max_size=40), st.sampled_from([1_024, 1_025, 1_100]))
def test_sums_of_weights_and_of_their_squares(rows: list[tuple[int, int, float]], classes: int) -> None:
    """So many labels have more cells than are counted in one table."""
    found, squares = defaultdict(list), defaultdict(list)
    rows = [(min(a, classes - 1), min(p, classes - 1), weight) for a, p, weight in rows]
    for actual, predicted, weight in rows:
        found[actual, predicted].append(weight)
        squares[actual, predicted].append(weight**2)
    actual, predicted, weight = map(list, zip(*rows, strict=True))
    for labels in (range(classes), None):
        tally = tm.evaluate(actual, predicted, labels=labels, sample_weight=weight).confusion
        for table, expected in ((tally, found), (tally.squared, squares)):
            cells, names = table.matrix, [*table.labels]
            sums = [cells[names.index(a), names.index(p)] for a, p in expected]
            assert sums == pytest.approx([*map(math.fsum, expected.values())], rel=1e-13)
            assert np.count_nonzero(cells) == len(expected)


def test_whole_weights_stay_whole_as_long_as_their_squares_are_exact() -> None:
    rows = ([0, 0, 1, 1, 1, 0], [0, 1, 1, 1, 0, 0])
    tally = tm.evaluate(*rows, sample_weight=[1, 2, 3, 4, 5, 6]).confusion
    assert (matrix(tm.evaluate(*rows)), tally.matrix.tolist()) == ([[2, 1], [1, 2]], [[7, 2], [5, 7]])
    assert tally.squared.matrix.tolist() == [[37, 4], [25, 25]]
    assert {table.matrix.dtype.kind for table in (tally, tally.squared)} == {"i"}
    assert (tally.rows, tally.n, tally.effective_n) == (6, 21, pytest.approx(21**2 / 91))
    often = tm.evaluate(*rows, sample_weight=[1, 2, 3, 4, 5, 6], weight_kind="frequency").confusion
    assert (often.squares, often.rows, often.n, often.effective_n) == (None, 21, 21, 21)
    large = tm.evaluate([0, 0], [0, 0], sample_weight=[4_000_000_000, 1]).confusion
    assert (large.matrix[0, 0], large.matrix.dtype.kind) == (4_000_000_001, "i")
    assert (large.squared.matrix[0, 0], large.squared.matrix.dtype.kind) == (1.6e19, "f")


def test_many_rows_of_very_different_weight() -> None:
    weight = np.concatenate([np.full(50_000, 1e12), np.full(500_000, 0.1), np.full(50_000, 1e-3)])
    ones = np.ones(len(weight), int)
    tally = tm.evaluate(ones, ones, sample_weight=weight).confusion
    assert tally.n == pytest.approx(math.fsum(weight), rel=1e-14)
