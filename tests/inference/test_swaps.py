"""Swapping answers: against every swap one by one, against McNemar's exact test, and by group."""

from __future__ import annotations

import itertools
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from scipy import stats
from sklearn import metrics as peer

from tallymark.inference import swaps
from tallymark.inference.paired import PairedSample
from tallymark.inference.swaps import swapped
from tallymark.intake.pairing import count_paired
from tallymark.metrics import ask

Columns = tuple[np.ndarray, np.ndarray, np.ndarray]


def rows(n: int, classes: int, seed: int, apart: float = 0.3) -> Columns:
    generator = np.random.default_rng(seed)
    actual, other, second = generator.integers(0, classes, (3, n))
    a = np.where(generator.random(n) < 0.8, actual, other)
    return actual, a, np.where(generator.random(n) < apart, second, a)


def sample(columns: Columns, classes: int, **options: Any) -> PairedSample:
    actual, a, b = columns
    counting = {name: options.pop(name) for name in ("weight", "group") if name in options}
    paired, groups = count_paired(tuple(range(classes)), ("a", "b"), actual, (a, b), **counting)
    return PairedSample(paired, groups=groups, **options)


def every_swap(columns: Columns, units: np.ndarray, number: Any) -> dict[str, float]:
    """P-values from all ways to swap the units, rows or groups, one by one."""
    actual, a, b = columns
    there = np.unique(units[a != b])
    seen = number(actual, a) - number(actual, b)
    values = []
    for signs in itertools.product((False, True), repeat=len(there)):
        turned = np.isin(units, there[list(signs)])
        values.append(number(actual, np.where(turned, b, a)) - number(actual, np.where(turned, a, b)))
    drawn = np.array(values)
    return {
        "two-sided": float((np.abs(drawn) >= abs(seen) - 1e-9).mean()),
        "greater": float((drawn >= seen - 1e-9).mean()),
        "less": float((drawn <= seen + 1e-9).mean()),
    }


NUMBERS: dict[str, Any] = {
    "accuracy": peer.accuracy_score,
    "f1_macro": lambda y, p: peer.f1_score(y, p, average="macro"),
    "mcc": peer.matthews_corrcoef,
    "kappa": peer.cohen_kappa_score,
    "recall_macro": lambda y, p: peer.recall_score(y, p, average="macro"),
    "f1": lambda y, p: peer.f1_score(y == 1, p == 1),
    "mean_cost": lambda y, p: np.abs(y - p).mean(),
}


@pytest.mark.parametrize(("classes", "seed"), [(2, 1), (2, 5), (3, 2), (3, 8)])
def test_all_ways_to_swap_rows(classes: int, seed: int) -> None:
    columns = rows(40, classes, seed, 0.2)
    assert 3 <= (columns[1] != columns[2]).sum() <= 8
    place = np.arange(classes)
    here = sample(columns, classes, costs=1.0 * np.abs(place[:, None] - place))
    found = swapped(here, [(ask(name), 1) for name in NUMBERS])
    for (name, number), test in zip(NUMBERS.items(), found, strict=True):
        assert test.exact
        assert test.draws is None
        assert test.value == pytest.approx(number(columns[0], columns[1]) - number(columns[0], columns[2]))
        assert test.p_value == pytest.approx(every_swap(columns, np.arange(40), number)), name


@pytest.mark.parametrize("weighted", [False, True])
def test_groups_are_swapped_as_a_whole(weighted: bool) -> None:
    columns = rows(60, 3, 4, 0.4)
    groups = np.arange(60) % 9
    weight = np.random.default_rng(0).exponential(size=60) if weighted else None
    here = sample(columns, 3, group=(tuple(range(9)), groups), weight=weight)
    numbers = {
        "accuracy": lambda y, p: peer.accuracy_score(y, p, sample_weight=weight),
        "f1_macro": lambda y, p: peer.f1_score(y, p, average="macro", sample_weight=weight),
    }
    found = swapped(here, [(ask(name), 1) for name in numbers])
    for (name, number), test in zip(numbers.items(), found, strict=True):
        assert test.p_value == pytest.approx(every_swap(columns, groups, number)), name


def test_accuracy_is_mcnemars_exact_test() -> None:
    columns = rows(200, 2, 0)
    here = sample(columns, 2)
    agreement = here.paired.agreement("a", "b")
    (test,) = swapped(here, [(ask("accuracy"), None)])
    for alternative in ("two-sided", "greater", "less"):
        expected = stats.binomtest(
            agreement.n01, agreement.n01 + agreement.n10, alternative=alternative
        ).pvalue
        assert test.p_value[alternative] == pytest.approx(expected)


def test_random_swaps_come_close_to_all_of_them() -> None:
    columns = rows(60, 3, 3, 0.25)
    here = sample(columns, 3)
    questions = [(ask("accuracy"), None), (ask("f1_macro"), None), (ask("f1"), 1)]
    with patch.object(swaps, "_MOST_WAYS", 10**7):
        exact = swapped(here, questions)
    with patch.object(swaps, "_MOST_WAYS", 0):
        drawn = swapped(here, questions)
    for one, other in zip(exact, drawn, strict=True):
        assert one.exact
        assert other.draws == 10_000
        for alternative, p in one.p_value.items():
            assert other.p_value[alternative] == pytest.approx(
                p, abs=5 * np.sqrt(p * (1 - p) / 10_000) + 1e-4
            )


def test_random_swaps_are_never_0_and_depend_on_the_seed_alone() -> None:
    generator = np.random.default_rng(0)
    actual = generator.integers(0, 5, 2_000)
    better, worse = (np.where(generator.random(2_000) < share, actual, 0) for share in (0.95, 0.5))
    here = sample((actual, better, worse), 5)
    one, other, third = (swapped(here, [(ask("mcc"), None)], draws=500, seed=seed)[0] for seed in (1, 1, 2))
    assert one == other
    assert one.p_value["two-sided"] == one.p_value["greater"] == 1 / 501
    assert one.p_value["less"] == 1
    assert third.draws == 500


@pytest.mark.parametrize("options", [{}, {"group": (("p", "q"), np.arange(30) % 2)}, {"weight": np.ones(30)}])
def test_models_that_never_disagree(options: dict[str, Any]) -> None:
    actual, a, _ = rows(30, 2, 0)
    found = swapped(sample((actual, a, a), 2, **options), [(ask("accuracy"), None), (ask("f1"), 1)])
    for test in found:
        assert test.value == 0
        assert test.p_value == {"two-sided": 1.0, "greater": 1.0, "less": 1.0}


def test_equal_weights_are_no_weights() -> None:
    columns = rows(80, 3, 6, 0.15)
    questions = [(ask("accuracy"), None), (ask("f1_macro"), None)]
    with patch.object(swaps, "_MOST_WAYS", 10**6):
        plain, weighted = (
            swapped(sample(columns, 3, weight=weight), questions) for weight in (None, np.full(80, 0.3))
        )
    for one, other in zip(plain, weighted, strict=True):
        assert one.exact
        assert other.exact
        assert other.p_value == pytest.approx(one.p_value)


def test_one_heavy_row_is_no_evidence() -> None:
    # Two rows differ; whatever they weigh, one of four swaps is as far out on either side.
    actual, a = np.array([0, 1, 0, 1, 0, 1]), np.array([0, 1, 0, 1, 0, 1])
    b = np.array([1, 0, 0, 1, 0, 1])
    weight = np.array([1000.0, 3.0, 1.0, 1.0, 1.0, 1.0])
    (test,) = swapped(sample((actual, a, b), 2, weight=weight), [(ask("accuracy"), None)])
    assert test.p_value == {"two-sided": 0.5, "greater": 0.25, "less": 1.0}


@pytest.mark.parametrize("unit", [1e-9, 1.0, 1e15])
def test_costs_of_any_size(unit: float) -> None:
    columns = rows(60, 3, 4, 0.4)
    group = tuple(range(20)), np.arange(60) % 20
    costs = np.array([[0.0, 1.0, 2.0], [1.0, 0.0, 1.0], [3.0, 1.0, 0.0]])
    questions = [(ask(name), None) for name in ("accuracy", "mcc", "mean_cost", "total_cost")]
    one, other = (swapped(sample(columns, 3, group=group, costs=costs * by), questions) for by in (1.0, unit))
    for first, second in zip(one, other, strict=True):
        assert second.p_value == pytest.approx(first.p_value)


def test_undefined_differences_have_no_test() -> None:
    actual, a, _ = rows(30, 2, 0)
    here = sample((actual, a, np.zeros(30, np.int64)), 2)
    undefined, defined = swapped(here, [(ask("precision"), 1), (ask("accuracy"), None)])
    assert undefined.value is None
    assert undefined.p_value == {}
    assert not undefined.exact
    assert undefined.why == "b: nothing was predicted positive (tp + fp = 0)"
    assert defined.p_value["two-sided"] <= 1


def test_a_swap_that_leaves_it_undefined_counts_as_far_out() -> None:
    # a calls row 0 positive and b row 1; swapping both or none keeps one each, else one model calls none.
    actual, a, b = np.array([1, 0, 0, 0]), np.array([1, 0, 0, 0]), np.array([0, 1, 0, 0])
    (test,) = swapped(sample((actual, a, b), 2), [(ask("precision"), 1)])
    # Precision 1 against 0 and 0 against 1 are as far out; the other two of four are undefined.
    assert test.value == 1
    assert test.p_value == {"two-sided": 1.0, "greater": 0.75, "less": 1.0}


def test_many_rows_cost_no_more_than_few() -> None:
    counts = np.array([50_000_000, 3_000_000, 2_990_000, 44_010_000])
    from tallymark.tallies.paired import Paired

    cells = np.array([[0, 0, 0], [0, 0, 1], [0, 1, 0], [1, 1, 1]])
    paired = Paired.from_cells((0, 1), ("a", "b"), cells, counts)
    (test,) = swapped(PairedSample(paired), [(ask("accuracy"), None)])
    # McNemar without correction: (3,000,000 - 2,990,000)^2 / 5,990,000 = 16.7.
    assert test.draws == 10_000
    assert test.p_value["two-sided"] < 0.001


def test_a_million_groups_of_few_kinds() -> None:
    generator = np.random.default_rng(0)
    columns = rows(400_000, 2, 0, 0.1)
    group = tuple(range(200_000)), generator.integers(0, 200_000, 400_000)
    (test,) = swapped(sample(columns, 2, group=group), [(ask("accuracy"), None)])
    assert test.draws == 10_000
    assert test.p_value["greater"] < 0.001


def test_units_of_which_no_two_are_alike_are_swapped_by_coins() -> None:
    generator = np.random.default_rng(3)
    actual = generator.integers(0, 2, 80)
    a, b = (np.where(generator.random(80) < share, actual, 1 - actual) for share in (0.8, 0.7))
    weight, group = generator.permutation(80) + 10.0, np.arange(80) % 40
    here = sample((actual, a, b), 2, weight=weight, group=(tuple(range(40)), group))
    (found,) = swapped(here, [(ask("accuracy"), None)])
    assert found.draws == 10_000
    gained = np.bincount(group, weight * (1.0 * (a == actual) - (b == actual)))
    drawn = np.random.default_rng(1).choice([-1, 1], (20_000, 40)) @ gained
    p = (drawn >= gained.sum() - 1e-9).mean()
    assert 0.01 < p < 0.99
    # Both are shares of random swaps, 10,000 and 20,000 of them.
    assert found.p_value["greater"] == pytest.approx(p, abs=5 * np.sqrt(p * (1 - p) * 3 / 20_000))
