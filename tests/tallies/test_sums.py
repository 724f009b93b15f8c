"""Losses added up: by hand, and against scikit-learn."""

from __future__ import annotations

import math
import pickle
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.metrics import brier_score_loss, log_loss

from tallymark.intake.ranking import count_groups, count_scores
from tallymark.tallies import GroupedSums, Moments, Scores, Sums
from tallymark.tallies.scores import BINNED, OUTSIDE


def sums_of(
    score: NDArray[Any], positive: NDArray[np.bool_], weight: NDArray[Any] | None = None, **options: Any
) -> Sums:
    found = count_scores(score, positive, weight=weight, **options).sums
    assert isinstance(found, Sums)
    return found


def numbers(found: Sums) -> list[float]:
    return [
        found.rows,
        found.weight,
        found.weight_squares,
        found.infinite,
        found.infinite_squares,
        *(
            getattr(each, name)
            for each in (found.brier, found.log_loss)
            for name in ("total", "weighted", "squares")
        ),
    ]


def close(first: Sums, second: Sums) -> bool:
    return numbers(first) == pytest.approx(numbers(second), rel=1e-12, abs=1e-12)


# --- two classes ------------------------------------------------------------------------------------


def test_by_hand() -> None:
    """0.8 for a positive: (1 - 0.8)**2 and -log 0.8; 0.5 for a negative: 0.25 and -log 0.5; weights 2, 3."""
    found = sums_of(np.array([0.8, 0.5]), np.array([True, False]), np.array([2.0, 3.0]))
    assert (found.rows, found.weight, found.weight_squares, found.infinite) == (2, 5.0, 13.0, 0)
    assert found.brier.total == pytest.approx(2 * 0.04 + 3 * 0.25)
    assert found.brier.weighted == pytest.approx(4 * 0.04 + 9 * 0.25)
    assert found.brier.squares == pytest.approx(4 * 0.0016 + 9 * 0.0625)
    a, b = math.log(1.25), math.log(2)
    assert found.log_loss.total == pytest.approx(2 * a + 3 * b)
    assert found.log_loss.weighted == pytest.approx(4 * a + 9 * b)
    assert found.log_loss.squares == pytest.approx(4 * a**2 + 9 * b**2)


def test_without_weights_every_row_counts_1() -> None:
    found = sums_of(np.array([0.8, 0.8, 0.5]), np.array([True, True, False]))
    assert (found.rows, found.weight, found.weight_squares) == (3, 3, 3)
    assert found.brier.total == found.brier.weighted == pytest.approx(2 * 0.04 + 0.25)
    frequencies = sums_of(
        np.array([0.8, 0.5]), np.array([True, False]), np.array([2, 1]), weight_kind="frequency"
    )
    assert frequencies == found


def test_rows_that_gave_their_class_no_chance_are_apart() -> None:
    score, positive = np.array([0.0, 1.0, 1.0, 0.0, 0.5]), np.array([True, False, True, False, True])
    found = sums_of(score, positive)
    assert found.infinite == 2
    assert found.brier.total == 2.25
    assert found.log_loss.total == pytest.approx(math.log(2))
    weighted = sums_of(score, positive, np.array([0.5, 2.0, 1.0, 1.0, 1.0]))
    assert (weighted.infinite, weighted.infinite_squares) == (2.5, 4.25)
    assert (found + weighted).infinite_squares == 6.25


def test_small_probabilities_are_not_lost_in_1() -> None:
    """-log(1 - 1e-20) is 1e-20, although 1 - 1e-20 is 1."""
    found = sums_of(np.array([1e-20]), np.array([False]))
    assert found.log_loss.total == pytest.approx(1e-20, rel=1e-12)
    assert found.brier.total == pytest.approx(1e-40, rel=1e-12)


@pytest.mark.parametrize("decimals", [1, 3, 16])
@pytest.mark.parametrize("weighted", [False, True])
def test_against_scikit_learn(decimals: int, weighted: bool) -> None:
    random = np.random.default_rng(decimals)
    rows = 100_000
    positive = random.random(rows) < 0.3
    score = np.clip(random.beta(2, 3, rows).round(decimals), 0.01, 0.99)
    weight = random.random(rows) if weighted else None
    found = sums_of(score, positive, weight)
    assert found.brier.total / found.weight == pytest.approx(
        brier_score_loss(positive, score, sample_weight=weight), rel=1e-12
    )
    assert found.log_loss.total / found.weight == pytest.approx(
        log_loss(positive, score, sample_weight=weight), rel=1e-12
    )


@pytest.mark.parametrize("weighted", [False, True])
def test_sums_of_the_parts_are_those_of_the_whole(weighted: bool) -> None:
    random = np.random.default_rng(0)
    score, positive = random.random(1_000).round(2), random.random(1_000) < 0.4
    weight = random.random(1_000) if weighted else None
    whole = sums_of(score, positive, weight)
    for cut in (0, 1, 333, 999, 1_000):
        first, second = (
            sums_of(score[part], positive[part], None if weight is None else weight[part])
            for part in (slice(cut), slice(cut, None))
        )
        assert close(first + second, whole)


def test_scores_that_are_no_probabilities_have_no_losses() -> None:
    for score in ([0.5, 1.5], [-0.1, 0.5]):
        assert count_scores(np.array(score), np.array([True, False])).sums == OUTSIDE
    assert Scores.from_bins([1], [2]).sums == BINNED


def test_no_rows() -> None:
    assert Scores.empty().sums == Sums()


# --- adding -----------------------------------------------------------------------------------------


def test_adding() -> None:
    one = Sums(2, 3.0, 5.0, Moments(1.0, 2.0, 3.0), Moments(4.0, 5.0, 6.0), 1)
    assert one + Sums() == one == Sums() + one
    assert sum([one, one], 0) == Sums(4, 6.0, 10.0, Moments(2.0, 4.0, 6.0), Moments(8.0, 10.0, 12.0), 2)
    for wrong in (1, Moments(), "text"):
        with pytest.raises(TypeError):
            one + wrong  # type: ignore[operator]
    with pytest.raises(TypeError):
        Moments() + 1  # type: ignore[operator]


# --- K classes --------------------------------------------------------------------------------------


def drawn(rows: int, classes: int) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    random = np.random.default_rng(rows + classes)
    return random.dirichlet(np.ones(classes), rows), random.integers(0, classes, rows)


def test_probabilities_by_hand() -> None:
    """Class 0 of (0.5, 0.3, 0.2): 0.25 + 0.09 + 0.04. Class 2 of (0.1, 0.9, 0): 0.01 + 0.81 + 1."""
    table = np.array([[0.5, 0.3, 0.2], [0.1, 0.9, 0.0]])
    found = Sums.of_probabilities(table, np.array([0, 2]))
    assert (found.rows, found.weight, found.weight_squares, found.infinite) == (2, 2, 2, 1)
    assert found.brier.total == pytest.approx(0.38 + 1.82)
    assert found.brier.squares == pytest.approx(0.38**2 + 1.82**2)
    assert found.log_loss.total == pytest.approx(math.log(2))
    weighted = Sums.of_probabilities(table, np.array([0, 2]), np.array([2.0, 0.5]))
    assert (weighted.rows, weighted.weight, weighted.weight_squares, weighted.infinite) == (2, 2.5, 4.25, 0.5)
    assert weighted.brier.weighted == pytest.approx(4 * 0.38 + 0.25 * 1.82)


def test_frequencies_are_rows() -> None:
    table, actual = drawn(50, 4)
    weight = np.random.default_rng(0).integers(0, 4, 50)
    repeated = Sums.of_probabilities(np.repeat(table, weight, axis=0), np.repeat(actual, weight))
    assert close(Sums.of_probabilities(table, actual, weight, "frequency"), repeated)


def test_a_factor_leaves_frequencies_rows() -> None:
    table, actual = drawn(50, 4)
    times = np.random.default_rng(0).integers(0, 4, 50)
    factor = np.random.default_rng(1).random(4)[actual]
    repeated = Sums.of_probabilities(
        np.repeat(table, times, axis=0), np.repeat(actual, times), factor=np.repeat(factor, times)
    )
    found = Sums.of_probabilities(table, actual, times, "frequency", factor)
    assert close(found, repeated)
    # As weights they are one row each.
    assert Sums.of_probabilities(table, actual, times, factor=factor).weight_squares == pytest.approx(
        float((times * factor) @ (times * factor))
    )
    assert found.weight_squares == pytest.approx(float(times @ factor**2))


def test_rows_without_weight_do_not_count() -> None:
    table, actual = drawn(10, 3)
    table[0] = (0, 1, 0)
    actual[0] = 2
    weight = np.r_[0.0, np.full(9, 2.0)]
    found = Sums.of_probabilities(table, actual, weight)
    assert (found.rows, found.infinite) == (9, 0)
    assert close(found, Sums.of_probabilities(table[1:], actual[1:], weight[1:]))


def test_two_columns_cost_twice_as_much_as_one_score() -> None:
    """The second column is 1 - p, as far from the truth as the first; the log loss is the same."""
    random = np.random.default_rng(0)
    score, positive = random.random(500), random.random(500) < 0.5
    one = sums_of(score, positive)
    two = Sums.of_probabilities(np.column_stack([1 - score, score]), positive)
    assert two.brier.total == pytest.approx(2 * one.brier.total, rel=1e-12)
    assert two.log_loss.total == pytest.approx(one.log_loss.total, rel=1e-12)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("rows", "classes"), [(7, 3), (90_000, 4), (300, 1_000)])
def test_probabilities_against_scikit_learn(rows: int, classes: int, weighted: bool) -> None:
    table, actual = drawn(rows, classes)
    weight = np.random.default_rng(1).random(rows) if weighted else None
    found = Sums.of_probabilities(table, actual, weight)
    labels = list(range(classes))
    assert found.brier.total / found.weight == pytest.approx(
        brier_score_loss(actual, table, sample_weight=weight, labels=labels), rel=1e-11
    )
    assert found.log_loss.total / found.weight == pytest.approx(
        log_loss(actual, table, sample_weight=weight, labels=labels), rel=1e-11
    )


def test_probabilities_a_hair_outside_count_as_0_and_1() -> None:
    table = np.array([[1 + 1e-7, -1e-7], [1 + 1e-7, -1e-7]])
    found = Sums.of_probabilities(table, np.array([0, 1]))
    assert found.infinite == 1
    assert found.log_loss.total == 0


def test_the_table_is_left_as_it_was() -> None:
    table, actual = drawn(20, 3)
    before = table.copy()
    Sums.of_probabilities(table, actual)
    np.testing.assert_array_equal(table, before)


# --- by group ---------------------------------------------------------------------------------------


def assert_adds_up(found: GroupedSums, total: Sums) -> None:
    assert found.weight.sum() == pytest.approx(total.weight, rel=1e-12)
    assert found.brier.sum() == pytest.approx(total.brier.total, rel=1e-12)
    assert found.log_loss.sum() == pytest.approx(total.log_loss.total, rel=1e-12)
    assert found.infinite.sum() == pytest.approx(total.infinite, rel=1e-12)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("decimals", [1, 16])
def test_groups_of_two_classes(decimals: int, weighted: bool) -> None:
    random = np.random.default_rng(0)
    score, positive = random.random(600).round(decimals), random.random(600) < 0.4
    group, weight = random.integers(0, 5, 600), random.random(600) if weighted else None
    total = count_scores(score, positive, weight=weight)
    found = count_groups(total, score, positive, weight, group, tuple("abcde")).losses()
    assert isinstance(found, GroupedSums)
    assert isinstance(total.sums, Sums)
    assert_adds_up(found, total.sums)
    for k in range(5):
        mine = group == k
        part = sums_of(score[mine], positive[mine], None if weight is None else weight[mine])
        assert found.weight[k] == pytest.approx(part.weight)
        assert found.brier[k] == pytest.approx(part.brier.total)
        assert found.log_loss[k] == pytest.approx(part.log_loss.total)
        assert found.infinite[k] == pytest.approx(part.infinite)


def test_groups_of_scores_that_are_no_probabilities() -> None:
    score, positive = np.array([0.5, 1.5]), np.array([True, False])
    found = count_groups(count_scores(score, positive), score, positive, None, np.array([0, 1]), ("a", "b"))
    assert found.losses() == OUTSIDE


@pytest.mark.parametrize("weighted", [False, True])
def test_groups_of_k_classes(weighted: bool) -> None:
    table, actual = drawn(400, 3)
    table[0], actual[0] = (0, 0, 1), 1
    random = np.random.default_rng(0)
    group, weight = random.integers(0, 4, 400), random.random(400) if weighted else None
    found = GroupedSums.of_probabilities(table, actual, weight, group, tuple("abcd"))
    assert found.keys == tuple("abcd")
    assert len(found) == 4
    assert_adds_up(found, Sums.of_probabilities(table, actual, weight))
    for k in range(4):
        mine = group == k
        part = Sums.of_probabilities(table[mine], actual[mine], None if weight is None else weight[mine])
        assert found.brier[k] == pytest.approx(part.brier.total)
        assert found.infinite[k] == pytest.approx(part.infinite)


def test_a_group_without_weight_is_left_out() -> None:
    table, actual = drawn(3, 3)
    found = GroupedSums.of_probabilities(
        table, actual, np.array([1.0, 0.0, 2.0]), np.array([0, 1, 2]), ("a", "b", "c")
    )
    assert found.keys == ("a", "c")
    assert found.weight.tolist() == [1.0, 2.0]


def test_grouped_sums_cannot_be_changed() -> None:
    table, actual = drawn(3, 3)
    found = GroupedSums.of_probabilities(table, actual, None, np.array([0, 1, 0]), ("a", "b"))
    for again in (found, pickle.loads(pickle.dumps(found))):
        assert again.keys == ("a", "b")
        for array in (again.weight, again.brier, again.log_loss, again.infinite):
            with pytest.raises(ValueError, match="read-only"):
                array[0] = 7
