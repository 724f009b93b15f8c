"""The best threshold against a search of all of them in exact fractions."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tallymark.decisions import best_threshold, objective_of
from tallymark.errors import OptionError
from tallymark.intake.ranking import count_scores
from tallymark.tallies import Scores

Row = tuple[float, bool]
Good = Callable[[int, int, int, int], Fraction | None]

some = settings(max_examples=150, deadline=None)
# Few distinct scores, so that most rows are tied with others.
ROWS = st.lists(
    st.tuples(st.sampled_from([-2.5, 0.0, 0.1, 0.3, 0.5, 0.7, 1.0, 4.0]), st.booleans()), min_size=1
)


def f1(tp: int, fn: int, fp: int, tn: int) -> Fraction | None:
    return Fraction(2 * tp, 2 * tp + fp + fn) if tp + fp + fn else None


def accuracy(tp: int, fn: int, fp: int, tn: int) -> Fraction | None:
    return Fraction(tp + tn, tp + fn + fp + tn)


def youden(tp: int, fn: int, fp: int, tn: int) -> Fraction | None:
    return Fraction(tp, tp + fn) - Fraction(fp, fp + tn) if tp + fn and fp + tn else None


OBJECTIVES: dict[str, Good] = {"f1": f1, "accuracy": accuracy, "youden": youden}


def counts_at(rows: list[Row], threshold: float) -> tuple[int, int, int, int]:
    """tp, fn, fp, tn, row by row."""
    calls = [(score >= threshold, positive) for score, positive in rows]
    return (
        calls.count((True, True)),
        calls.count((False, True)),
        calls.count((True, False)),
        calls.count((False, False)),
    )


def searched(rows: list[Row], good: Good) -> float | None:
    """The highest of the best thresholds; None when none is defined. Above all scores nothing is positive."""
    highest = max(score for score, _ in rows)
    candidates = sorted({score for score, _ in rows} | {float(np.nextafter(highest, np.inf))}, reverse=True)
    values = [(good(*counts_at(rows, threshold)), threshold) for threshold in candidates]
    defined = [(value, threshold) for value, threshold in values if value is not None]
    if not defined:
        return None
    best = max(value for value, _ in defined)
    return max(threshold for value, threshold in defined if value == best)


def chosen(score: Any, positive: Any, objective: str, weight: Any = None, costs: Any = None) -> float:
    return best_threshold(count_scores(score, positive, weight=weight), objective, costs)


def found(rows: list[Row], objective: str, costs: Any = None) -> float:
    score, positive = zip(*rows, strict=True)
    return chosen(np.array(score), np.array(positive), objective, costs=costs)


@pytest.mark.parametrize("objective", OBJECTIVES)
@some
@given(ROWS)
def test_the_best_threshold_is_the_one_a_search_finds(objective: str, rows: list[Row]) -> None:
    expected = searched(rows, OBJECTIVES[objective])
    if expected is None:
        with pytest.raises(
            OptionError, match=f"no threshold is best for {objective}: it is undefined at every"
        ):
            found(rows, objective)
    else:
        assert found(rows, objective) == expected


COSTS = st.lists(st.integers(-50, 50), min_size=4, max_size=4)


@some
@given(ROWS, COSTS)
# Three misses at 0.1 cost as much as a false alarm at 0.3, but 3 * 0.1 > 0.3 in floats.
@example([(0.5, True), (0.5, True), (0.5, True), (0.5, False)], [0, 1, 3, 0])
def test_the_cheapest_threshold_is_the_one_a_search_finds(rows: list[Row], tenths: list[int]) -> None:
    hit, miss, alarm, rejection = (Fraction(cost, 10) for cost in tenths)

    def gain(tp: int, fn: int, fp: int, tn: int) -> Fraction:
        return -(hit * tp + miss * fn + alarm * fp + rejection * tn)

    costs = np.array([[float(hit), float(miss)], [float(alarm), float(rejection)]])
    assert found(rows, "cost", costs) == searched(rows, gain)


def test_equal_youden_indexes_are_equal_in_spite_of_rounding() -> None:
    """10 positives and 10 negatives: at 0.9 the rates are 0.3 and 0.1, at 0.5 they are 0.4 and 0.2."""
    rows = (
        [(0.9, True)] * 3 + [(0.9, False), (0.5, True), (0.5, False)] + [(0.1, True)] * 6 + [(0.1, False)] * 8
    )
    assert 0.3 - 0.1 < 0.4 - 0.2
    assert found(rows, "youden") == 0.9


def test_of_equally_good_thresholds_the_highest_is_taken() -> None:
    assert found([(0.9, True), (0.8, False), (0.7, True), (0.6, False)], "accuracy") == 0.9
    # One right among two, at either cut: f1 is 2/3 both times.
    assert found([(0.9, True), (0.5, False), (0.4, False), (0.3, True)], "f1") == 0.9


def test_nothing_called_positive_can_be_the_best() -> None:
    rows = [(0.9, False), (0.8, False), (0.7, True)]
    assert found(rows, "accuracy") == np.nextafter(0.9, 1)
    assert counts_at(rows, found(rows, "accuracy")) == (0, 1, 0, 2)


def test_ties_stay_together() -> None:
    rows = [(0.5, True), (0.5, False), (0.5, True), (0.1, False)]
    assert found(rows, "f1") == 0.5


def test_the_order_of_rows_does_not_matter() -> None:
    rng = np.random.default_rng(3)
    score, positive = rng.integers(0, 20, 200) / 20, rng.random(200) < 0.3
    expected = chosen(score, positive, "f1")
    for _ in range(5):
        order = rng.permutation(200)
        assert chosen(score[order], positive[order], "f1") == expected


def test_the_cheapest_threshold_needs_costs() -> None:
    with pytest.raises(OptionError) as caught:
        found([(0.5, True)], "cost")
    assert str(caught.value) == (
        "the threshold best:cost needs costs. Hint: give them with --costs (costs=)."
    )


@pytest.mark.parametrize(
    ("word", "objective"),
    [
        ("best", "f1"),
        ("best:f1", "f1"),
        ("best:accuracy", "accuracy"),
        ("best:youden", "youden"),
        ("best:cost", "cost"),
    ],
)
def test_words_for_the_best_threshold(word: str, objective: str) -> None:
    assert objective_of(word) == objective


@pytest.mark.parametrize("word", ["worst", "best:auc", "best:", "best f1", "Best", "", "f1"])
def test_other_words_are_refused_with_the_choices(word: str) -> None:
    with pytest.raises(OptionError) as caught:
        objective_of(word)
    assert str(caught.value) == (
        "a threshold is a number, best, or one of best:f1, best:accuracy, best:youden, best:cost; "
        f"got {word!r}."
    )


@pytest.mark.parametrize("objective", ["f1", "accuracy", "youden"])
def test_equal_weights_choose_what_no_weights_choose(objective: str) -> None:
    random = np.random.default_rng(0)
    for _ in range(200):
        score, positive = random.integers(0, 9, 7) / 8, random.random(7) < 0.5
        if positive.all() or not positive.any():
            continue
        plain = chosen(score, positive, objective)
        assert chosen(score, positive, objective, weight=np.full(7, 0.1)) == plain


def test_a_weight_is_that_many_rows() -> None:
    random = np.random.default_rng(1)
    for objective in ("f1", "accuracy", "youden"):
        score, positive, weight = random.random(40), random.random(40) < 0.5, random.integers(1, 5, 40)
        repeated = chosen(np.repeat(score, weight), np.repeat(positive, weight), objective)
        assert chosen(score, positive, objective, weight=weight) == repeated


def test_rows_without_weight_are_no_place_to_cut() -> None:
    score, positive = np.array([0.9, 0.8, 0.2]), np.array([True, True, False])
    assert chosen(score, positive, "accuracy", weight=np.array([0, 1, 1])) == 0.8
    # Nothing is best called positive: the cut lies just above the highest score that counts.
    assert chosen(score, ~positive, "accuracy", weight=np.array([0, 3, 1])) == np.nextafter(0.8, 1)


def test_frequencies_may_be_large_when_products_are_taken() -> None:
    """tp * negatives is 2**80 here; at 0.9 the rates are 1/2 and 0, at 0.5 they are 1 and 1."""
    many = 2**40
    weight = np.array([many, many, many])
    assert chosen(np.array([0.9, 0.5, 0.5]), np.array([True, True, False]), "youden", weight=weight) == 0.9


def test_bins_are_cut_at_their_lower_edges() -> None:
    bins = Scores.from_bins([8, 1, 1], [1, 1, 8], edges=[0.9, 0.6, 0.3, 0.0])
    assert best_threshold(bins, "accuracy") == 0.6
