"""Rows that belong together: whole groups are resampled for every metric of predicted classes."""

import math
from functools import cache
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

import tallymark as tm
from formulas import width


@cache
def rows(groups: int, size: int, seed: int = 0) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Groups that are right 5 or 95 % of the time: actual, predicted, group."""
    chance = np.random.default_rng(seed)
    group = np.repeat(np.arange(groups), size)
    actual = chance.integers(0, 2, len(group))
    right = chance.random(len(group)) < np.where(group % 2, 0.95, 0.05)
    return actual, np.where(right, actual, 1 - actual), group


@cache
def evaluated(**options: Any) -> tm.Evaluation:
    actual, predicted, group = rows(30, 20)
    return tm.evaluate(actual, predicted, groups=group, **options)


# --- against draws of our own ----------------------------------------------------------------


def resampled(
    table: NDArray[np.float64], wrong: Any, prior: float, row_weighs: float = 1.0
) -> NDArray[np.float64]:
    """Totals of cells when groups are drawn with replacement, and a few rows more in every cell.

    `table` is groups x cells. A row of the prior weighs as much as the groups make a row worth less: the
    variance of the totals over groups for each unit of that of independent rows, with one error more that is
    taken to have shown the worst there is, groups that are right or wrong as a whole.
    """
    groups, n = len(table), table.sum()
    sizes, shares = table.sum(axis=1), table.sum(axis=0) / n
    spread = ((table - np.outer(sizes, shares)) ** 2).sum() * groups / (groups - 1)
    independent, worst = n * (shares * (1 - shares)).sum(), (sizes**2).sum() / n
    seen = max(row_weighs, spread / independent) if independent > 0 else worst
    errors = table[:, wrong].sum() / row_weighs
    row = (errors * seen + max(seen, worst)) / (errors + 1)
    chance = np.random.default_rng(7)
    times = chance.multinomial(groups, np.full(groups, 1 / groups), 40_000)
    return times @ table + chance.standard_gamma(prior, (40_000, table.shape[1])) * row


def tail(groups: int, level: float = 0.95) -> float:
    """What a resample of so few groups leaves out (Hesterberg 2015)."""
    reach = math.sqrt(groups / (groups - 1)) * stats.t(groups - 1).ppf((1 + level) / 2)
    return float(stats.norm.cdf(-reach))


def wrong_limits(ev: Any, values: dict[str, NDArray[np.float64]], groups: int) -> list[str]:
    """Of 2,000 draws an end has a standard error of about 0.06 deviations; there are few beyond it."""
    wrong = []
    for name, each in values.items():
        share = tail(groups)
        ends, found = np.quantile(each, [share, 1 - share]), ev[name]
        if (found.low, found.high) != pytest.approx(tuple(ends), abs=0.25 * each.std()):
            wrong.append(f"{name}: {found} for {ends}")
    return wrong


def by_group(group: Any, cell: Any, cells: int, weight: Any = None) -> NDArray[np.float64]:
    size = int(group.max()) + 1
    return np.bincount(group * cells + cell, weight, size * cells).reshape(size, cells).astype(float)


def test_two_classes_against_draws_of_our_own() -> None:
    for groups, size, seed in ((30, 20, 0), (12, 6, 1), (6, 40, 2)):
        actual, predicted, group = rows(groups, size, seed)
        weight = np.random.default_rng(3).choice([0.5, 3.0], len(group))
        for given, usual in ((None, 1.0), (weight, float((weight**2).sum() / weight.sum()))):
            table = by_group(group, 2 * (1 - actual) + 1 - predicted, 4, given)
            tp, fn, fp, tn = resampled(table, [False, True, True, False], 0.5, usual).T
            values = {
                "accuracy": (tp + tn) / (tp + fn + fp + tn),
                "recall": tp / (tp + fn),
                "precision": tp / (tp + fp),
                "f1": 2 * tp / (2 * tp + fn + fp),
                "mcc": (tp * tn - fp * fn) / np.sqrt((tp + fn) * (tp + fp) * (fp + tn) * (fn + tn)),
            }
            ev = tm.evaluate(actual, predicted, groups=group, sample_weight=given)
            assert not wrong_limits(ev, values, groups), (groups, given is None)


def test_one_class_of_three_against_draws_of_our_own() -> None:
    chance = np.random.default_rng(5)
    group = np.repeat(np.arange(25), 12)
    actual = chance.integers(0, 3, 300)
    right = chance.random(300) < np.where(group % 3, 0.9, 0.3)
    predicted = np.where(right, actual, chance.integers(0, 3, 300))
    is_it, called = actual == 1, predicted == 1
    table = by_group(group, np.where(is_it, np.where(called, 0, 1), np.where(called, 2, 3)), 4)
    tp, fn, fp, _ = resampled(table, [False, True, True, False], 0.5).T
    ev = tm.evaluate(actual, predicted, groups=group)
    values = {"recall": tp / (tp + fn), "precision": tp / (tp + fp), "f1": 2 * tp / (2 * tp + fn + fp)}
    assert not wrong_limits(ev.per_class[1], values, 25)
    # The accuracy of all classes: nine cells with two rows more between them.
    right = resampled(by_group(group, 3 * actual + predicted, 9), (1 - np.eye(3)).ravel().astype(bool), 2 / 9)
    accuracy = right[:, [0, 4, 8]].sum(axis=1) / right.sum(axis=1)
    share = tail(25)
    ends = np.quantile(accuracy, [share, 1 - share])  # a share has no bias to take back
    assert (ev["accuracy"].low, ev["accuracy"].high) == pytest.approx(tuple(ends), abs=0.25 * accuracy.std())


# --- what users see --------------------------------------------------------------------------


def test_values_are_those_of_the_rows_and_intervals_those_of_the_groups() -> None:
    actual, predicted, group = rows(30, 20)
    naive, ours = tm.evaluate(actual, predicted), evaluated()
    for name in ("accuracy", "recall", "precision", "f1", "mcc", "f1_macro", "jaccard"):
        assert naive[name].value == ours[name].value, name
        assert width(ours[name]) > 2 * width(naive[name]), name
        assert (ours[name].method, "30" in ours[name].assumption) == ("group_bootstrap", True)
    n = {"accuracy": 600, "recall": (actual == 1).sum(), "precision": (predicted == 1).sum()}
    assert {name: ours[name].n for name in n} == n
    # Groups of 200 rows: the accuracy is a mean of 30 values, and one group more or less moves it by 0.03.
    actual, predicted, group = rows(30, 200)
    each = [(actual == predicted)[group == number].mean() for number in range(30)]
    half = stats.t(29).ppf(0.975) * np.std(each, ddof=1) / math.sqrt(30)
    found = tm.evaluate(actual, predicted, groups=group)["accuracy"]
    assert (found.low, found.high) == pytest.approx((np.mean(each) - half, np.mean(each) + half), abs=0.02)
    # At a level that 2,000 draws do not reach, so many deviations out.
    strict, reach = found.interval(0.9999), math.sqrt(30 / 29) * stats.t(29).ppf(0.99995)
    assert width(strict) >= 2 * reach * np.std(each) / math.sqrt(30) * 0.95
    assert width(strict) > width(found.interval(0.99)) > width(found)


def test_groups_of_one_row_are_rows_and_equal_rows_are_one_row() -> None:
    actual, predicted, _ = rows(300, 1)
    plain = tm.evaluate(actual, predicted)
    ours = tm.evaluate(actual, predicted, groups=np.arange(300))
    tenfold = [np.repeat(each, 10) for each in (actual, predicted)]
    copies = tm.evaluate(*tenfold, groups=np.repeat(np.arange(300), 10))
    for name in ("accuracy", "recall", "f1", "mcc"):
        assert width(ours[name]) == pytest.approx(width(plain[name]), rel=0.07), name
        assert width(copies[name]) == pytest.approx(width(plain[name]), rel=0.07), name


def test_groups_of_any_kind_weights_and_shares() -> None:
    _, _, group = rows(30, 20)
    text = tm.evaluate(*rows(30, 20)[:2], groups=[f"p{one:02}" for one in group])
    assert text["accuracy"].low == evaluated()["accuracy"].low
    two = tm.evaluate(*rows(30, 20)[:2], groups=group % 2 == 0)
    assert "2" in two["accuracy"].assumption
    one, other = evaluated(), evaluated(random_state=1)
    assert one["mcc"].low != other["mcc"].low
    assert one["mcc"].low == pytest.approx(other["mcc"].low, abs=0.03)
    *_, group = rows(30, 20)
    at = one.at_prevalence(0.01)
    for name in ("precision", "accuracy", "recall"):
        assert (at[name].method, at[name].low is None) == ("group_bootstrap", False), name
    with pytest.raises(tm.ShapeError):
        tm.evaluate([1, 0], [1, 0], groups=["p1", "p1"])


def test_groups_without_errors_and_rows_without_weight() -> None:
    actual = np.tile([0, 1], 500)
    perfect = tm.evaluate(actual, actual, groups=np.repeat(np.arange(20), 50))
    for name in ("accuracy", "recall", "mcc"):
        assert perfect[name].high == 1
        assert 0.65 < perfect[name].low < 0.95, name  # as sure as 20 rows that are all right, not as 1,000
    # Above 20 classes only cells that were seen are drawn; a cell of weight 0 is not one of them.
    for classes in (3, 25):
        chance = np.random.default_rng(0)
        actual = chance.integers(0, classes - 1, 500)
        predicted = np.where(chance.random(500) < 0.8, actual, chance.integers(0, classes - 1, 500))
        group, last = np.arange(500) % 40, classes - 1
        ev = tm.evaluate(
            [*actual, last], [*predicted, last], groups=[*group, 0], sample_weight=[*np.ones(500), 0]
        )
        assert ev["mcc"].low is not None
        assert ev["accuracy"].value == np.mean(actual == predicted)
