"""Losses added up, by hand."""

import math

import numpy as np
import pytest

import tallymark as tm
from collected import each
from hand_counts import scores_of
from tallymark.tallies import GroupedScores, GroupedSums, Moments, Sums


def numbers(found: Sums) -> list[float]:
    plain = [found.rows, found.weight, found.weight_squares, found.infinite, found.infinite_squares]
    for side in (found.brier, found.log_loss):
        plain += [side.total, side.weighted, side.squares]
    return plain


def close(first: Sums, second: Sums) -> bool:
    return numbers(first) == pytest.approx(numbers(second), rel=1e-12, abs=1e-12)


# --- two classes ------------------------------------------------------------------------------------


def test_by_hand() -> None:
    """0.8 for a positive: (1 - 0.8)**2 and -log 0.8; 0.5 for a negative: 0.25 and -log 0.5; weights 2, 3."""
    found = scores_of([(0.8, True), (0.5, False)], [2.0, 3.0]).sums
    assert (numbers(found)[:4], found.most) == ([2, 5, 13, 0], 1)
    a, b = math.log(1.25), math.log(2)
    assert numbers(found)[5:] == pytest.approx(
        [
            *(2 * 0.04 + 3 * 0.25, 4 * 0.04 + 9 * 0.25, 4 * 0.0016 + 9 * 0.0625),
            *(2 * a + 3 * b, 4 * a + 9 * b, 4 * a**2 + 9 * b**2),
        ]
    )
    plain = scores_of([(0.8, True), (0.8, True), (0.5, False)]).sums
    assert (plain.rows, plain.weight, plain.weight_squares) == (3, 3, 3)
    assert plain.brier.total == plain.brier.weighted == pytest.approx(2 * 0.04 + 0.25)
    assert tm.Scores.empty().sums == Sums()
    # As many rows that are twice as heavy.
    twice = found.scaled(2)
    assert (twice.weight, twice.weight_squares, twice.rows) == (10, 52, 2)
    assert (twice.brier.total, twice.brier.weighted, twice.brier.squares) == pytest.approx(
        (2 * found.brier.total, 4 * found.brier.weighted, 4 * found.brier.squares)
    )


def test_rows_that_gave_their_class_no_chance_are_apart() -> None:
    rows = [(0.0, True), (1.0, False), (1.0, True), (0.0, False), (0.5, True)]
    found, heavy = scores_of(rows).sums, scores_of(rows, [0.5, 2.0, 1.0, 1.0, 1.0]).sums
    assert (found.infinite, found.brier.total) == (2, 2.25)
    assert found.log_loss.total == pytest.approx(math.log(2))
    assert (heavy.infinite, heavy.infinite_squares) == (2.5, 4.25)
    assert (found + heavy).infinite_squares == 6.25
    assert heavy.scaled(2).infinite_squares == 17
    clipped = scores_of(rows).losses(clip=0.1)
    assert (clipped.infinite, clipped.brier.total) == (0, 2.25)
    assert clipped.log_loss.total == pytest.approx(-2 * math.log(0.1) - 2 * math.log(0.9) + math.log(2))


def test_small_probabilities_are_not_lost_in_1() -> None:
    """-log(1 - 1e-20) is 1e-20, although 1 - 1e-20 is 1."""
    found = scores_of([(1e-20, False)]).sums
    assert (found.log_loss.total, found.brier.total) == pytest.approx((1e-20, 1e-40), rel=1e-12, abs=0)


def test_scores_that_are_no_probabilities_have_no_losses() -> None:
    for score in ((0.5, 1.5), (-0.1, 0.5)):
        assert isinstance(scores_of([(score[0], 1), (score[1], 0)]).sums, str)
    assert isinstance(tm.Scores.from_bins([1], [2]).sums, str)
    ends = np.array([0.75, 0.25])
    known = (Sums(2, 2, 2, Moments(0.5, 0.5, 0.25)), Sums(1, 1, 1, Moments(0.25, 0.25, 0.1), infinite=1))
    bins = tm.Scores(np.array([0.5, 0.25]), np.array([2, 0]), np.array([0, 1]), reach=ends, known=known)
    assert (bins.sums.rows, bins.sums.brier.total, bins.sums.infinite) == (3, 0.75, 1)
    for changed in ({"known": None}, {"reach": np.array([1.5, 0.25])}):
        options = {"reach": ends, "known": known} | changed
        assert isinstance(tm.Scores(bins.score, bins.positives, bins.negatives, **options).sums, str)


def test_many_distinct_scores_are_added_in_blocks() -> None:
    score = (np.arange(200_000)[::-1] + 0.5) / 200_000
    found = tm.Scores(score, np.ones(200_000, int), np.zeros(200_000, int)).sums
    assert (found.rows, found.weight) == (200_000, 200_000)
    assert found.brier.total == pytest.approx(((1 - score) ** 2).sum(), rel=1e-12)
    assert found.log_loss.total == pytest.approx(-np.log(score).sum(), rel=1e-12)


# --- K classes --------------------------------------------------------------------------------------


def drawn(rows: int, classes: int) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(rows + classes)
    return random.dirichlet(np.ones(classes), rows), random.integers(0, classes, rows)


def test_probabilities_by_hand() -> None:
    """Class 0 of (0.5, 0.3, 0.2): 0.25 + 0.09 + 0.04. Class 2 of (0.1, 0.9, 0): 0.01 + 0.81 + 1."""
    table = np.array([[0.5, 0.3, 0.2], [0.1, 0.9, 0.0]])
    found = Sums.of_probabilities(table, np.array([0, 2]))
    assert numbers(found)[:4] == [2, 2, 2, 1]
    assert (found.brier.total, found.brier.squares) == pytest.approx((0.38 + 1.82, 0.38**2 + 1.82**2))
    assert (found.log_loss.total, found.most) == (pytest.approx(math.log(2)), 2)
    weighted = Sums.of_probabilities(table, np.array([0, 2]), np.array([2.0, 0.5]))
    assert numbers(weighted)[:4] == [2, 2.5, 4.25, 0.5]
    assert weighted.brier.weighted == pytest.approx(4 * 0.38 + 0.25 * 1.82)
    clipped = Sums.of_probabilities(table, np.array([0, 2]), clip=0.01)
    assert (clipped.infinite, clipped.log_loss.total) == (0, pytest.approx(math.log(200)))


def test_frequencies_are_rows_and_a_factor_leaves_them_so() -> None:
    table, actual = drawn(50, 4)
    random = np.random.default_rng(0)
    times, factor = random.integers(0, 4, 50), random.random(4)[actual]
    rows = np.repeat(table, times, axis=0), np.repeat(actual, times)
    assert close(Sums.of_probabilities(table, actual, times, "frequency"), Sums.of_probabilities(*rows))
    found = Sums.of_probabilities(table, actual, times, "frequency", factor)
    assert close(found, Sums.of_probabilities(*rows, factor=np.repeat(factor, times)))
    assert found.weight_squares == pytest.approx(float(times @ factor**2))
    # As weights they are one row each.
    weights = Sums.of_probabilities(table, actual, times, factor=factor)
    assert weights.weight_squares == pytest.approx(float((times * factor) @ (times * factor)))


def test_rows_without_weight_do_not_count() -> None:
    table, actual = drawn(10, 3)
    table[0], actual[0] = (0, 1, 0), 2
    weight = np.r_[0.0, np.full(9, 2.0)]
    found = Sums.of_probabilities(table, actual, weight)
    assert (found.rows, found.infinite) == (9, 0)
    assert close(found, Sums.of_probabilities(table[1:], actual[1:], weight[1:]))


def test_two_columns_cost_twice_as_much_as_one_score() -> None:
    """The second column is 1 - p, as far from the truth as the first; the log loss is the same."""
    random = np.random.default_rng(0)
    score, positive = random.random(500), random.random(500) < 0.5
    one = scores_of(list(zip(score.tolist(), positive.tolist(), strict=True))).sums
    two = Sums.of_probabilities(np.column_stack([1 - score, score]), positive)
    assert two.brier.total == pytest.approx(2 * one.brier.total, rel=1e-12)
    assert two.log_loss.total == pytest.approx(one.log_loss.total, rel=1e-12)
    # A hair outside counts as 0 and 1.
    table = np.array([[1 + 1e-7, -1e-7], [1 + 1e-7, -1e-7]])
    found = Sums.of_probabilities(table, np.array([0, 1]))
    assert (found.infinite, found.log_loss.total) == (1, 0)


# --- by group ---------------------------------------------------------------------------------------


def check_groups(found: GroupedSums, parts: list[Sums]) -> None:
    expected = [[part.weight, part.brier.total, part.log_loss.total, part.infinite] for part in parts]
    sums = np.column_stack([found.weight, found.brier, found.log_loss, found.infinite])
    assert sums == pytest.approx(np.array(expected), rel=1e-12)


@each("weighted", [False, True])
def test_groups_of_two_classes(weighted) -> None:
    random = np.random.default_rng(0)
    rows = list(zip(random.random(300).round(1).tolist(), (random.random(300) < 0.4).tolist(), strict=True))
    group, weight = random.integers(0, 4, 300), random.random(300).tolist() if weighted else None
    total, keys = scores_of(rows, weight), tuple("abcde")
    amount, up = np.array(weight or [1] * 300), np.array([side for _, side in rows])
    place = np.searchsorted(-total.score, [-score for score, _ in rows])
    grouped = GroupedScores(total, keys, group, place, amount * up, amount * ~up)
    parts = []
    for here in (np.flatnonzero(group == key) for key in range(4)):
        sides = ([side[at] for at in here] if side else None for side in (rows, weight))
        parts.append(scores_of(*sides).sums)
    check_groups(grouped.losses(), [*parts, Sums()])
    # A group without entries has nothing, and is left out where entries are added up.
    assert grouped.added_up().keys == keys[:4]
    assert grouped == grouped.added_up()
    rank = scores_of([(0.5, 1), (1.5, 0)])
    outside = GroupedScores(rank, ("a",), np.zeros(2, int), np.arange(2), rank.positives, rank.negatives)
    assert isinstance(outside.losses(), str)


@each("weighted", [False, True])
def test_groups_of_k_classes(weighted) -> None:
    table, actual = drawn(400, 3)
    table[0], actual[0] = (0, 0, 1), 1
    random = np.random.default_rng(0)
    group, weight = random.integers(0, 4, 400), random.random(400) if weighted else None
    found = GroupedSums.of_probabilities(table, actual, weight, group, tuple("abcd"))
    assert (found.keys, len(found)) == (tuple("abcd"), 4)
    parts = [
        Sums.of_probabilities(table[at], actual[at], None if weight is None else weight[at])
        for at in (group == key for key in range(4))
    ]
    check_groups(found, parts)
    three = GroupedSums.of_probabilities(
        table[1:4], actual[1:4], np.array([1.0, 0.0, 2.0]), np.array([0, 1, 2]), ("a", "b", "c")
    )
    assert (three.keys, three.weight.tolist()) == (("a", "c"), [1.0, 2.0])
