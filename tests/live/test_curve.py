"""Whoever types a threshold of the page gets the counts that the page shows there."""

from __future__ import annotations

from fractions import Fraction
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tallymark as tm
from tallymark.curves.shared import row_at
from tallymark.drawing.html.views import packed
from tallymark.evaluation.live.curve import BINARY, Most, curve
from tallymark.intake.ranking import count_scores
from tallymark.tallies import Scores

FEW = Most(6, 4)
ROWS = st.lists(
    st.tuples(
        st.floats(-2, 2, allow_nan=False) | st.sampled_from([0.0, 0.1, 0.3, 0.5, 0.5000001, 1.0]),
        st.booleans(),
    ),
    min_size=1,
    max_size=40,
)


def scores_of(rows: list[tuple[float, bool]]) -> Scores:
    """Counted row by row."""
    every = sorted({score + 0.0 for score, _ in rows}, reverse=True)
    counts = [
        [sum(score == at and is_it is side for score, is_it in rows) for at in every]
        for side in (True, False)
    ]
    return Scores(np.array(every), np.array(counts[0]), np.array(counts[1]))


def decoded(made: dict[str, Any]) -> list[tuple[float, Any, Any]]:
    """Every threshold with what is called positive there, of the positives and of the negatives."""
    if "thresholds" in made:
        thresholds = made["thresholds"]
    else:
        first, *others = made["steps"]
        whole = accumulate(others, lambda one, step: one - step, initial=first)
        thresholds = [float(Fraction(each, 10 ** made["digits"])) for each in whole]
    sums = ([made["unit"] * each for each in accumulate(made[side])] for side in ("positives", "negatives"))
    return list(zip(thresholds, *sums, strict=True))


@settings(deadline=None, max_examples=60)
@given(ROWS, st.sampled_from([BINARY, FEW]), st.none() | st.sampled_from([0.5, 0.3, -3.0, 3.0]))
def test_counts_are_those_of_the_rows(
    rows: list[tuple[float, bool]], most: Most, threshold: float | None
) -> None:
    made = curve(scores_of(rows), threshold, most)
    points = decoded(made)
    for at, tp, fp in points:
        assert tp == sum(is_it for score, is_it in rows if score >= at)
        assert fp == sum(not is_it for score, is_it in rows if score >= at)
    assert [at for at, _, _ in points] == sorted({at for at, _, _ in points}, reverse=True)
    assert points[-1][1] + points[-1][2] == len(rows)
    assert made["exact"] == (len(points) == made["scores"] == len({score + 0.0 for score, _ in rows}))
    if threshold is None:
        assert made["at"] == -1
    else:
        called = sum(score >= threshold for score, _ in rows)
        assert called == (sum(points[made["at"] - 1][1:]) if made["at"] else 0)


@settings(deadline=None, max_examples=60)
@given(ROWS, st.tuples(*[st.integers(-3, 9)] * 4))
def test_the_cheapest_threshold_and_the_best_f1_are_never_left_out(
    rows: list[tuple[float, bool]], costs: tuple[int, int, int, int]
) -> None:
    whole, few = (decoded(curve(scores_of(rows), None, most)) for most in (BINARY, FEW))
    positives, negatives = whole[-1][1:]

    def paid(tp: int, fp: int) -> int:
        hit, miss, alarm, rest = costs
        return hit * tp + miss * (positives - tp) + alarm * fp + rest * (negatives - fp)

    def f1(tp: int, fp: int) -> Fraction:
        return Fraction(2 * tp, max(tp + fp + positives, 1))

    for judge in (paid, lambda tp, fp: -f1(tp, fp)):
        every, some = ([judge(0, 0), *(judge(tp, fp) for _, tp, fp in points)] for points in (whole, few))
        assert min(some) == min(every)


def test_the_threshold_given_is_shown_as_the_page_spells_it() -> None:
    scores = scores_of([(0.91, True), (0.52, True), (0.13, False)])
    made = curve(scores, 0.25)
    assert made["at"] == 2
    assert [at for at, _, _ in decoded(made)] == [0.9, 0.25, 0]
    assert [at for at, _, _ in decoded(curve(scores, 0.123456789))] == [0.9, 0.5, 0.123]


@pytest.mark.parametrize(("threshold", "at"), [(np.inf, 0), (-np.inf, 3), (1e300, 0)])
def test_thresholds_beyond_all_scores(threshold: float, at: int) -> None:
    made = curve(scores_of([(0.9, True), (0.5, True), (0.1, False)]), threshold)
    assert made["at"] == at
    assert [each for each, _, _ in decoded(made)] == [0.9, 0.5, 0]


def test_large_scores_with_a_threshold_of_many_decimals() -> None:
    made = curve(scores_of([(4e12, True), (0.5, True), (-3e12, False)]), 0.123456)
    assert [each for each, _, _ in decoded(made)] == [4e12, 0.123, -3e12]


def test_scores_of_any_size() -> None:
    rows = [
        (1e-30, False),
        (3e-30, True),
        (0.9999999999999998, True),
        (0.9999999999999999, True),
        (-1e9, False),
    ]
    made = curve(scores_of(rows), None)
    assert "steps" not in made
    assert [at for at, _, _ in decoded(made)] == [0.9999999999999999, 0.9, 3e-30, 1e-30, -1e9]


@settings(deadline=None, max_examples=60)
@given(st.lists(st.tuples(st.sampled_from([0.1, 0.2, 0.4]), st.booleans(), st.floats(0.01, 100)), min_size=1))
def test_weights(rows: list[tuple[float, bool, float]]) -> None:
    score, actual, weight = zip(*rows, strict=True)
    made = curve(count_scores(np.array(score), np.array(actual), weight=np.array(weight)), 0.2)
    for at, *sums in decoded(made):
        for side, found in zip((True, False), sums, strict=True):
            right = sum(w for s, y, w in rows if s >= at and y is side)
            assert found == pytest.approx(right, abs=1e-9 * sum(weight))
    squares = [made["square_unit"] * sum(side) for side in made["squares"]]
    right = [sum(w * w for _, y, w in rows if y is side) for side in (True, False)]
    assert squares == pytest.approx(right, abs=1e-6 * sum(w * w for w in weight))


def test_whole_weights_stay_whole() -> None:
    ev = tm.evaluate([1, 1, 0, 0], y_score=[0.9, 0.4, 0.6, 0.1], sample_weight=[2, 3, 1, 4])
    made = curve(ev.ranking(ev.position).scores, 0.5)
    assert (made["unit"], made["square_unit"]) == (1, 1)
    assert (made["positives"], made["negatives"]) == ([2, 0, 3, 0], [0, 1, 0, 4])
    assert made["squares"] == [[4, 0, 9, 0], [0, 1, 0, 16]]


def test_of_bins_only_their_edges_are_thresholds() -> None:
    edges = [0.0, 0.05, 0.123, 0.7, 1.0]
    made = curve(Scores.from_bins([1, 2, 3, 9], [9, 5, 2, 0], edges), 0.7)
    assert decoded(made) == [(0.7, 9, 0), (0.123, 12, 2), (0.05, 14, 7), (0, 15, 16)]
    assert not made["exact"]
    assert made["at"] == 1
    assert curve(Scores.from_bins([1, 2, 3, 9], [9, 5, 2, 0], edges), 0.6)["at"] == -1


def test_of_a_grid_every_threshold_is_one_that_can_be_asked(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    actual = rng.random(5000) < 0.3
    score = np.clip(rng.normal(0.4 + 0.2 * actual, 0.2), 0, 1)
    path = tmp_path / "rows.csv"
    pl.DataFrame({"y": actual.astype(int), "s": score}).write_csv(path)
    ev = tm.evaluate(path, actual="y", score="s", approximate=True)
    scores = ev.ranking(ev.position).scores
    assert scores.reach is not None
    made = curve(scores, None, Most(100, 40))
    assert not made["exact"]
    for at, tp, fp in decoded(made):
        assert row_at(scores, at) == scores.called(at)
        assert (tp, fp) == ((actual & (score >= at)).sum(), (~actual & (score >= at)).sum())


@pytest.mark.parametrize(("rows", "most_letters"), [(4096, 8_000), (200_000, 12_000)])
def test_a_few_thousand_letters(rows: int, most_letters: int) -> None:
    rng = np.random.default_rng(1)
    actual = rng.random(rows) < 0.3
    score = 1 / (1 + np.exp(-rng.normal(np.where(actual, 1, -1), 1.5)))
    ev = tm.evaluate(actual, y_score=score)
    made = curve(ev.ranking(ev.position).scores, 0.5)
    assert len(packed(made)) <= most_letters
    assert made["exact"] == (rows == 4096)
    gaps = [max(made[side]) / sum(made[side]) for side in ("positives", "negatives")]
    assert max(gaps) < 1 / 290
