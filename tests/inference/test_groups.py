"""Rows that belong together: whole groups are resampled for every number."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

import tallymark as tm
from tallymark.errors import ShapeError
from tallymark.evaluation import Evaluation
from tallymark.inference.cells import GroupCells
from tallymark.inference.draws import reach_of, tail_of
from tallymark.tallies import Confusion, Grouped


def pure(groups: int, rows: int = 10) -> Grouped:
    """Two cells; every second group lies in the first, the others in the second."""
    group = np.arange(groups)
    cells, counts = group % 2, np.full(groups, rows)
    total = Confusion.from_cells(("a", "b"), cells, counts)
    return Grouped(total, tuple(range(groups)), group, cells, counts)


def answers(groups: int, rows: int, seed: int = 0) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Groups that are right 5 or 95 % of the time."""
    generator = np.random.default_rng(seed)
    group = np.repeat(np.arange(groups), rows)
    actual = generator.integers(0, 2, len(group))
    right = generator.random(len(group)) < np.where(group % 2, 0.95, 0.05)
    return actual, np.where(right, actual, 1 - actual), group


# --- the draws -------------------------------------------------------------------------------


def test_groups_are_drawn_whole_and_with_replacement() -> None:
    # Four groups, two in each cell: the share of the first is Binomial(4, 1/2) / 4 and nothing between.
    drawn = GroupCells.of(pure(4), np.arange(4), 0.0).draw(np.random.default_rng(0), 40_000)
    shares, times = np.unique(drawn[:, 0], return_counts=True)
    assert shares.tolist() == [0, 0.25, 0.5, 0.75, 1]
    np.testing.assert_allclose(times / 40_000, stats.binom(4, 0.5).pmf(range(5)), atol=0.01)
    np.testing.assert_allclose(drawn.sum(axis=1), 1)


def test_groups_of_unequal_size_keep_their_size() -> None:
    cells, counts, group = np.array([0, 1]), np.array([30, 10]), np.array([0, 1])
    total = Confusion.from_cells(("a", "b"), cells, counts)
    grouped = Grouped(total, (0, 1), group, cells, counts)
    drawn = GroupCells.of(grouped, np.arange(4), 0.0).draw(np.random.default_rng(0), 1_000)
    assert np.unique(drawn[:, 0]).tolist() == [0, 0.75, 1]


def test_one_class_against_the_rest() -> None:
    # Cells of three classes, row by row; of class 1: tp is cell 4, fn 3 and 5, fp 1 and 7, tn the others.
    cells = np.arange(9)
    counts = 2 ** np.arange(9)
    total = Confusion.from_cells(("a", "b", "c"), cells, counts)
    grouped = Grouped(total, (0, 1, 2), np.arange(9) % 3, cells, counts)
    found = GroupCells.of_class(grouped, 1, 0.5)
    sums = [found.counts[found.cells == place].sum() for place in range(4)]
    assert sums == [2**4, 2**3 + 2**5, 2**1 + 2**7, 1 + 2**2 + 2**6 + 2**8]


def test_the_prior_weighs_as_much_as_the_groups_make_a_row_worth_less() -> None:
    # 4 groups of 10 rows, each in one cell: the squared deviations are 4 (5**2 + 5**2) = 200, times 4/3
    # for the degrees of freedom; independent rows would give 40 (1/4 + 1/4) = 20.
    assert GroupCells.of(pure(4), np.arange(4), 0.5).row == pytest.approx(200 * 4 / 3 / 20)


def test_the_prior_never_weighs_less_than_a_row() -> None:
    # Every group has the same rows: they vary less than independent ones would.
    group = np.repeat(np.arange(5), 2)
    cells, counts = np.tile([0, 1], 5), np.full(10, 4)
    grouped = Grouped(Confusion.from_cells(("a", "b"), cells, counts), tuple(range(5)), group, cells, counts)
    # 20 errors say 1, and one more says 8, the size of a group.
    assert GroupCells.of(grouped, np.arange(4), 0.5).row == pytest.approx((20 * 1 + 8) / 21)


def test_without_errors_a_row_is_worth_a_group() -> None:
    actual = np.tile([0, 1], 500)
    ev = tm.evaluate(actual, actual, groups=np.repeat(np.arange(20), 50))
    low = ev["accuracy"].low
    assert low is not None
    # As sure as 20 rows that are all right, not as 1,000.
    assert 0.75 < low < 0.95


def test_few_groups_reach_further() -> None:
    for groups in (2, 5, 10, 50):
        expected = math.sqrt(groups / (groups - 1)) * stats.t(groups - 1).ppf(0.975)
        assert reach_of(0.95, groups) == pytest.approx(expected)
        assert tail_of(0.95, groups) == pytest.approx(stats.norm.cdf(-expected))
    assert reach_of(0.95, 10**6) == pytest.approx(1.959964, abs=1e-5)


# --- what users see --------------------------------------------------------------------------


def evaluated(groups: Any = None, **options: Any) -> Evaluation:
    actual, predicted, group = answers(30, 20)
    return tm.evaluate(actual, predicted, groups=group if groups is None else groups, **options)


def test_every_interval_is_a_group_bootstrap() -> None:
    ev = evaluated(costs={0: {1: 2}, 1: {0: 5}}, labels=[0, 1])
    estimates = [*ev.metrics.values(), *(one for each in ev.per_class.values() for one in each.values())]
    with_interval = [estimate for estimate in estimates if estimate.low is not None]
    assert len(with_interval) > 40
    for estimate in with_interval:
        assert estimate.method == "group_bootstrap"
        assert estimate.assumption == "independent groups (30 of them)"


def test_values_are_those_of_the_rows_and_intervals_are_wider() -> None:
    actual, predicted, _ = answers(30, 20)
    naive, ours = tm.evaluate(actual, predicted), evaluated()
    for name in ("accuracy", "recall", "precision", "f1", "mcc", "f1_macro", "jaccard"):
        one, other = naive[name], ours[name]
        assert one.value == other.value
        assert None not in (one.low, one.high, other.low, other.high)
        assert other.high - other.low > 2 * (one.high - one.low)  # type: ignore[operator]


def test_the_width_is_that_of_as_many_rows_as_there_are_groups() -> None:
    # Groups of 200 rows, right 5 or 95 % of the time: the accuracy is a mean of 30 values, and one group
    # more or less moves it by 0.03.
    actual, predicted, group = answers(30, 200)
    each = [(actual == predicted)[group == number].mean() for number in range(30)]
    half = stats.t(29).ppf(0.975) * np.std(each, ddof=1) / math.sqrt(30)
    found = tm.evaluate(actual, predicted, groups=group)["accuracy"]
    assert found.low == pytest.approx(np.mean(each) - half, abs=0.02)
    assert found.high == pytest.approx(np.mean(each) + half, abs=0.02)


def test_groups_of_one_row_are_rows() -> None:
    actual, predicted, _ = answers(300, 1)
    plain = tm.evaluate(actual, predicted)
    ours = tm.evaluate(actual, predicted, groups=np.arange(300))
    for name in ("accuracy", "recall", "f1", "mcc"):
        one, other = plain[name], ours[name]
        assert None not in (one.low, one.high, other.low, other.high)
        ratio = (other.high - other.low) / (one.high - one.low)  # type: ignore[operator]
        assert ratio == pytest.approx(1, abs=0.07), name


def test_n_is_the_number_of_rows_of_the_denominator() -> None:
    ev = evaluated()
    actual, predicted, _ = answers(30, 20)
    assert ev["accuracy"].n == 600
    assert ev["recall"].n == (actual == 1).sum()
    assert ev["precision"].n == (predicted == 1).sum()


@pytest.mark.parametrize("kind", ["numbers", "text", "booleans"])
def test_groups_are_numbers_text_or_booleans(kind: str) -> None:
    _, _, group = answers(30, 20)
    named: Any = {"numbers": group, "text": [f"p{one:02}" for one in group], "booleans": group % 2 == 0}[kind]
    ev = evaluated(named)
    count = 2 if kind == "booleans" else 30
    assert ev["accuracy"].assumption == f"independent groups ({count} of them)"
    if kind == "text":
        assert ev["accuracy"].low == evaluated()["accuracy"].low


def test_the_seed_decides_and_nothing_else() -> None:
    one, again, other = evaluated(), evaluated(), evaluated(random_state=1)
    assert one["mcc"].low == again["mcc"].low != other["mcc"].low
    assert one["mcc"].low == pytest.approx(other["mcc"].low, abs=0.02)


def test_one_group_cannot_be_resampled() -> None:
    with pytest.raises(ShapeError, match="all rows are of one group, 'p1'; groups are resampled") as caught:
        tm.evaluate([1, 0], [1, 0], groups=["p1", "p1"])
    assert caught.value.hint == "leave out the groups if the rows are independent."


def test_other_class_shares_keep_the_groups() -> None:
    at = evaluated().at_prevalence(0.01)
    for name in ("precision", "accuracy", "recall"):
        assert at[name].method == "group_bootstrap"
        assert at[name].low is not None


def test_weights_in_groups() -> None:
    # Equal weights change nothing; the rows of one group made heavier pull the value to it.
    actual, predicted, group = answers(30, 20)
    plain, equal = evaluated(), evaluated(sample_weight=np.full(600, 2.5))
    assert equal["mcc"].low == pytest.approx(plain["mcc"].low)
    heavy = evaluated(sample_weight=np.where(group == 1, 100, 1))
    assert float(heavy["accuracy"]) > float(plain["accuracy"])
    assert np.mean(actual == predicted) == plain["accuracy"].value


@pytest.mark.parametrize("classes", [3, 25])
def test_rows_without_weight_in_a_cell_of_their_own(classes: int) -> None:
    # Above 20 classes only cells that were seen are drawn; a cell of weight 0 is not one of them.
    generator = np.random.default_rng(0)
    actual = generator.integers(0, classes - 1, 500)
    predicted = np.where(generator.random(500) < 0.8, actual, generator.integers(0, classes - 1, 500))
    group, last = np.arange(500) % 40, classes - 1
    ev = tm.evaluate(
        [*actual, last], [*predicted, last], groups=[*group, 0], sample_weight=[*np.ones(500), 0]
    )
    assert ev["mcc"].low is not None
    assert ev["accuracy"].value == np.mean(actual == predicted)


def test_groups_that_are_all_right_still_have_an_interval() -> None:
    ev = tm.evaluate([1, 0] * 20, [1, 0] * 20, groups=np.arange(40) // 4)
    for name in ("accuracy", "recall", "mcc"):
        found = ev[name]
        assert found.high == 1
        assert found.low is not None
        assert found.low < 0.95
