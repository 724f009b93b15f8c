"""Standard errors and averages that a few rows give, worked out on paper or by a peer."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats
from sklearn import metrics as peer

from tallymark.inference import Losses, Sample, SetSample
from tallymark.inference.classes.ranking import class_ranking
from tallymark.inference.label_correlations import _hits_and_errors
from tallymark.inference.limits_at_cuts import _Quadratic, _student
from tallymark.inference.paired_scores.gap import correlated
from tallymark.inference.paired_scores.ranked import rows_of
from tallymark.intake.sets.counting import count_sets
from tallymark.metrics import ask
from tallymark.tallies import Confusion, Sums

# Of five rows the own class comes first in three, second in one and last in one.
TABLE = np.array([[5, 3, 1], [5, 3, 1], [1, 5, 3], [5, 3, 1], [5, 1, 3]], float)
CLASSES = np.array([0, 0, 1, 1, 1])


@pytest.mark.parametrize(("k", "share"), [(1, 3 / 5), (2, 4 / 5)])
def test_the_share_of_first_places_spreads_as_shares_do(k: int, share: float) -> None:
    found = class_ranking(TABLE, CLASSES, labels=range(3)).of(ask(f"top_k_accuracy:{k}"))
    assert found.value == share
    # The variance of five rows that are 0 or 1, as from one less, over five.
    assert found.se == pytest.approx(math.sqrt(share * (1 - share) / 4))


def test_first_places_of_groups_by_hand() -> None:
    groups = range(2), np.array([0, 0, 0, 1, 1])
    found = class_ranking(TABLE, CLASSES, labels=range(3), group=groups).of(ask("top_k_accuracy:1"))
    # The first group has 3 hits of 3 rows, the second 0 of 2: less 3 / 5 of each, 6 / 5 and -6 / 5 of five.
    assert found.se == pytest.approx(math.sqrt(2 * (6 / 25) ** 2 * 2 / 1))


@pytest.mark.parametrize("name", ["f1", "recall", "precision", "jaccard"])
@pytest.mark.parametrize("average", ["weighted", "micro"])
def test_a_label_that_no_row_has_weighs_nothing(name: str, average: str) -> None:
    generator = np.random.default_rng(1)
    actual = generator.random((50, 3)) < 0.4
    actual[:, 1] = False
    predicted = actual ^ (generator.random((50, 3)) < 0.2)
    found = SetSample(count_sets("abc", actual, predicted), undefined_as=0.0).of(
        ask(f"{name}_{average}"), None
    )
    expected = getattr(peer, f"{name}_score")(actual, predicted, average=average, zero_division=0)
    assert found.value == pytest.approx(expected)


def test_rows_that_have_a_label_by_kish() -> None:
    actual = np.array([[1, 0], [1, 1], [1, 0], [0, 1]], bool)
    tally = count_sets("ab", actual, actual, np.array([1.0, 2.0, 2.0, 4.0]))
    # (1 + 2 + 2)**2 / (1 + 4 + 4), and (2 + 4)**2 / (4 + 16).
    assert SetSample(tally).effective_rows.tolist() == pytest.approx([25 / 9, 36 / 20])
    assert SetSample(count_sets("ab", actual, actual)).effective_rows.tolist() == [3, 2]


def test_given_shares_of_a_class_that_weighs_less_than_one_row() -> None:
    counts = np.array([0.3, 0.2, 1.0, 3.0])
    light = Confusion.from_cells("ab", np.arange(4), counts, squares=counts**2, rows=4, declared=True)
    sample = Sample(light, shares=np.array([0.25, 0.75]))
    # A quarter and three quarters of the weight, 4.5; within a class rows stay as they are to each other.
    assert sample.seen.matrix.ravel().tolist() == pytest.approx([0.675, 0.45, 0.84375, 2.53125])
    assert sample.of(ask("accuracy"), None).value == pytest.approx(0.25 * 0.6 + 0.75 * 0.75)


@pytest.mark.parametrize(
    ("of_difference", "expected"),
    # Of numbers with variances 1 and 4: 1 + 4 - 2 * r * 2 is that of their difference, with r from -1 to 1.
    [(5, 0), (3, 0.5), (7, -0.5), (1, 1), (9, -1), (0, 1), (12, -1), (-1, 0)],
)
def test_a_correlation_from_three_variances(of_difference: float, expected: float) -> None:
    assert correlated(1, 4, of_difference) == expected
    assert correlated(0, 4, of_difference) == 0


def test_hits_and_errors_of_a_label_by_kish() -> None:
    actual = np.array([[1], [1], [1], [0], [0]], bool)
    predicted = np.array([[1], [1], [0], [1], [0]], bool)
    hits, errors = _hits_and_errors(count_sets("a", actual, predicted, np.array([1.0, 2.0, 3.0, 4.0, 9.0])))
    # Hits weigh 1 and 2, errors 3 and 4.
    assert (hits.tolist(), errors.tolist()) == ([3**2 / 5], [7**2 / 25])
    hits, errors = _hits_and_errors(count_sets("a", actual, predicted))
    assert (hits.tolist(), errors.tolist()) == ([2], [2])


def test_half_of_briers_score_has_half_of_its_interval() -> None:
    table = np.random.default_rng(0).dirichlet(np.ones(3), 40)
    losses = Losses(Sums.of_probabilities(table, np.arange(40) % 3))
    whole, half = losses.of(ask("brier")), losses.of(ask("brier_half"))
    assert (half.value, half.low, half.high) == pytest.approx(
        (whole.value / 2, whole.low / 2, whole.high / 2)
    )
    assert half.se == pytest.approx(whole.se / 2)


def test_groups_without_any_weight_are_no_groups() -> None:
    weight, group = np.array([1.0, 0.0, 2.0, 3.0]), (4, np.array([0, 1, 2, 0]))
    rows, seen = rows_of(np.array([1, 0, 1, 0], bool), weight, "sampling", group)
    assert rows.group is not None
    assert (rows.group[0], rows.group[1].tolist()) == (2, [0, 1, 0])
    assert seen.tolist() == [0, 2, 3]


def test_squares_of_counts_over_groups_from_their_products() -> None:
    # Two groups with 1 and 2 of the first count, 3 and 1 of the second: 1 + 4, 3 + 2 and 9 + 1.
    moments = {(0, 0): 5.0, (0, 1): np.array([5.0]), (1, 1): 10.0}
    twice_less_once = np.array([[2.0], [-1.0]])
    # 2 * 1 - 3 and 2 * 2 - 1.
    assert _Quadratic(moments, slice(0, 1)).squared(twice_less_once).tolist() == [(-1) ** 2 + 3**2]


def test_students_quantile_of_as_many_groups_as_they_are_worth() -> None:
    found = _student(0.95, np.array([1.0, 2.0, 5.0, 10.3, 5.0]))
    assert found[0] == np.inf
    assert found[1:].tolist() == pytest.approx(stats.t.ppf(0.975, [1, 4, 9, 4]))
