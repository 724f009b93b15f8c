"""Losses of probabilities: shares that are given, losses too small to square, rows that are infinite."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import tallymark as tm
from tallymark.inference import Losses, Ranking
from tallymark.intake.ranking import count_groups, count_scores
from tallymark.metrics import ask
from tallymark.tallies import GroupedSums, Sums

LOSSES = ("brier", "log_loss")


def rows(n: int, seed: int = 0) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    generator = np.random.default_rng(seed)
    positive = generator.random(n) < 0.4
    return 1 / (1 + np.exp(-generator.normal(size=n) - 2 * positive + 1)), positive


def grouped(score: Any, positive: Any, group: Any, share: float | None = None) -> Losses:
    total = count_scores(score, positive)
    keys = tuple(range(int(group.max()) + 1))
    return Ranking(total, groups=count_groups(total, score, positive, None, group, keys), share=share).losses


def losses(name: str, score: NDArray[Any], positive: NDArray[np.bool_]) -> NDArray[np.float64]:
    own = np.where(positive, score, 1 - score)
    return (1 - own) ** 2 if name == "brier" else -np.log(own)


# --- shares that are given -------------------------------------------------------------------


@pytest.mark.parametrize("name", LOSSES)
@pytest.mark.parametrize("share", [0.02, 0.4, 0.9])
def test_given_shares_leave_the_variance_within_the_classes(name, share):
    # A stratified mean: the shares squared times the variances of the classes' means.
    score, positive = rows(300)
    loss = losses(name, score, positive)
    expected = sum(
        weight**2 * part.var(ddof=1) / len(part)
        for weight, part in ((share, loss[positive]), (1 - share, loss[~positive]))
    )
    found = Ranking(count_scores(score, positive), share=share).losses.of(ask(name))
    assert found.value == pytest.approx(share * loss[positive].mean() + (1 - share) * loss[~positive].mean())
    assert found.se == pytest.approx(math.sqrt(expected))
    assert found.low < found.value < found.high


@pytest.mark.parametrize("name", LOSSES)
def test_an_evaluation_at_another_prevalence_is_not_wider_than_needed(name):
    score, positive = rows(400)
    loss, share = losses(name, score, positive), 0.1
    found = tm.evaluate(positive.astype(int), y_score=score).at_prevalence(share)[name]
    parts = ((share, loss[positive]), (1 - share, loss[~positive]))
    se = math.sqrt(sum(weight**2 * part.var(ddof=1) / len(part) for weight, part in parts))
    assert (found.high - found.low) / 2 == pytest.approx(1.96 * se, rel=0.1)


@pytest.mark.parametrize("name", LOSSES)
def test_groups_of_one_row_are_rows_under_given_shares_too(name):
    score, positive = rows(120)
    alone = Ranking(count_scores(score, positive), share=0.1).losses.of(ask(name))
    found = grouped(score, positive, np.arange(120), 0.1).of(ask(name))
    assert (found.value, found.se) == pytest.approx((alone.value, alone.se))


def test_groups_under_given_shares_by_hand():
    # Either group has a row of both classes, and where one loses less than its class so does the other.
    score, positive = np.array([0.9, 0.7, 0.2, 0.4]), np.array([True, True, False, False])
    found = grouped(score, positive, np.array([0, 1, 0, 1]), 0.5).of(ask("brier"))
    # Losses 0.01 and 0.09 of mean 0.05, 0.04 and 0.16 of mean 0.1; each row weighs 1 of 4.
    up, down = np.array([-0.04, 0.04]) / 4, np.array([-0.06, 0.06]) / 4
    expected = 2 * (up @ up + down @ down) + 2 * 2 * (up @ down)
    assert found.se == pytest.approx(math.sqrt(expected))


def test_a_class_of_one_row_is_measured_from_the_mean_of_all():
    score, positive = np.array([0.9, 0.2, 0.4]), np.array([True, False, False])
    found = Ranking(count_scores(score, positive), share=0.5).losses.of(ask("brier"))
    # 0.5 x 0.01 + 0.5 x (0.04 + 0.16) / 2
    mean = 0.055
    assert found.value == pytest.approx(mean)
    expected = 0.25 * (0.01 - mean) ** 2 + 0.25 * ((0.06**2 + 0.06**2) / 2 * 2) / 2
    assert found.se == pytest.approx(math.sqrt(expected))


def test_a_class_in_one_group_is_measured_from_the_mean_of_all():
    score, positive = np.array([0.9, 0.8, 0.2, 0.4]), np.array([True, True, False, False])
    found = grouped(score, positive, np.array([0, 0, 1, 2]), 0.5).of(ask("brier"))
    # Losses 0.01, 0.04 | 0.04, 0.16 of means 0.025 and 0.1; that of all is 0.0625.
    up = (0.01 + 0.04 - 2 * 0.0625) / 4
    down = np.array([-0.06, 0.06]) / 4
    assert found.se == pytest.approx(math.sqrt(up**2 * 3 / 2 + down @ down * 2))


@pytest.mark.parametrize("with_groups", [False, True])
def test_given_shares_of_several_classes(with_groups):
    generator = np.random.default_rng(0)
    table, actual = generator.dirichlet([1, 1, 1], 90), generator.integers(0, 3, 90)
    shares = np.array([0.7, 0.2, 0.1])
    weight = (shares * 90 / np.bincount(actual))[actual]
    group, keys = np.arange(90), tuple(range(90))

    def counted(part: NDArray[np.bool_], classes: tuple[Losses, ...] = ()) -> Losses:
        columns = table[part], actual[part], weight[part]
        groups = GroupedSums.of_probabilities(*columns, group[part], keys) if with_groups else None
        return Losses(Sums.of_probabilities(*columns), groups=groups, classes=classes)

    found = counted(np.full(90, True), tuple(counted(actual == k) for k in range(3))).of(ask("brier"))
    loss = ((table - np.eye(3)[actual]) ** 2).sum(axis=1)
    parts = [loss[actual == k] for k in range(3)]
    assert found.value == pytest.approx(sum(s * part.mean() for s, part in zip(shares, parts, strict=True)))
    expected = sum(s**2 * part.var(ddof=1) / len(part) for s, part in zip(shares, parts, strict=True))
    assert found.se == pytest.approx(math.sqrt(expected))


# --- too small to square ---------------------------------------------------------------------


def test_losses_too_small_to_square():
    options = {"labels": [0, 1], "groups": [2, 1, 1], "sample_weight": [0.51, 0.49, 0.3]}
    brier = tm.evaluate([0, 0, 0], y_score=[1e-100] * 3, **options)["brier"]
    assert brier.value == pytest.approx(1e-200)
    assert brier.low == 0
    assert brier.high > 0.5  # three rows that lost nothing say little
    for given in (options, {"labels": [0, 1]}):
        found = tm.evaluate([0, 0, 0], y_score=[1e-200] * 3, **given)["log_loss"]
        assert found.value == pytest.approx(1e-200)
        assert (found.low, found.note) == (
            None,
            "the losses are too small for their squares to show a spread",
        )


@pytest.mark.parametrize("seed", range(60))
def test_rounding_is_no_spread(seed):
    # Rows of one loss, however small and however weighted: a spread would be made of rounding alone.
    generator = np.random.default_rng(seed)
    n = int(generator.integers(2, 9))
    # Where squares keep some of their digits rounding is largest.
    score = np.full(n, 10.0 ** -generator.uniform(*((150, 163) if seed % 3 else (0.1, 320))))
    weight = generator.choice([0.1, 0.3, 0.49, 0.51, 0.7, 7], n) if seed % 2 else None
    positive, group = np.zeros(n, bool), np.r_[0, 1, generator.integers(0, 2, n - 2)]
    total = count_scores(score, positive, weight=weight)
    for groups in (None, count_groups(total, score, positive, weight, group, (0, 1))):
        made = Ranking(total, groups=groups).losses
        found = made.of(ask("log_loss"))
        assert found.low is None
        assert "no spread" in found.note or "show a spread" in found.note
        found = made.of(ask("brier"))
        assert found.se in (0, None)
        assert found.low <= found.value < found.high


@pytest.mark.parametrize("seed", range(60))
def test_tiny_losses_of_any_mixture(seed):
    generator = np.random.default_rng(seed)
    n = int(generator.integers(3, 9))
    score = generator.choice([1, 0.3, 0.999], n) * 10.0 ** -generator.choice(
        [0, 5, 80, 140, 155, 161, 308], n
    )
    positive, group = generator.random(n) < 0.3, np.r_[0, 1, generator.integers(0, 3, n - 2)]
    weight = generator.choice([0.1, 0.49, 7], n)
    total = count_scores(score, positive, weight=weight)
    for groups in (None, count_groups(total, score, positive, weight, group, (0, 1, 2))):
        for share in (None, 0.2):
            for name in LOSSES:
                found = Ranking(total, groups=groups, share=share).losses.of(ask(name))
                if found.low is not None:
                    assert 0 <= found.low <= found.value <= found.high
                    assert found.high > found.low


def test_groups_whose_squares_have_lost_their_digits_show_no_spread():
    score = np.array([1, 2, 3, 4.0]) * 1e-161
    found = grouped(score, np.zeros(4, bool), np.arange(4)).of(ask("log_loss"))
    assert (found.low, found.note) == (None, "the losses are too small for their squares to show a spread")


def test_groups_that_lose_alike_show_no_spread():
    score, positive = np.array([0.2, 0.4, 0.2, 0.4]), np.array([True, True, True, True])
    found = grouped(score, positive, np.array([0, 0, 1, 1])).of(ask("log_loss"))
    assert (found.low, found.note) == (None, "all groups have the same loss, which shows no spread")


# --- infinite --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("weight", "kind", "why"),
    [
        (None, "sampling", "1 row gave its"),
        ([2, 1, 1], "sampling", "1 row, of weight 2, gave its"),
        ([2.5, 1, 1], "sampling", "1 row, of weight 2.5, gave its"),
        ([2, 1, 1], "frequency", "2 rows gave their"),
        ([1, 1, 1], "sampling", "1 row gave its"),
    ],
)
@pytest.mark.parametrize("classes", [2, 3])
def test_one_infinite_row_is_one_row(weight, kind, why, classes):
    table = np.array([[1, 0, 0], [0.5, 0.5, 0], [0.5, 0.5, 0]])[:, :classes]
    options: dict[str, Any] = {"labels": list(range(classes))}
    if weight is not None:
        options |= {"sample_weight": weight, "weight_kind": kind}
    found = tm.evaluate([1, 0, 0], y_score=table if classes > 2 else table[:, 1], **options)["log_loss"]
    assert found.why == f"infinite: {why} actual class probability 0"


def test_infinite_rows_under_given_shares_have_no_weight_of_their_own():
    ev = tm.evaluate([1, 0, 0], y_score=[0, 0.5, 0.5]).at_prevalence(0.1)
    assert ev["log_loss"].why == "infinite: rows gave their actual class probability 0"
