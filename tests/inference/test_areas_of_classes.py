"""Means of areas and first places from one probability per class: jackknife, weights, groups, shares."""

import math
from functools import cache
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from statsmodels.stats.proportion import proportion_confint

import tallymark as tm
from formulas import Z, on_logit

AREAS = ("auc_ovr_macro", "auc_ovr_weighted", "auc_ovo_macro", "auc_ovo_weighted")


@cache
def rows(size: int = 3, n: int = 120, seed: int = 0) -> tuple[NDArray[Any], NDArray[Any]]:
    chance = np.random.default_rng(seed)
    classes = chance.choice(size, n, p=chance.dirichlet(np.full(size, 8.0)))
    table = chance.normal(size=(n, size))
    table[np.arange(n), classes] += 1.2
    table = np.exp(table)
    return table / table.sum(axis=1, keepdims=True), classes


def of(table: Any, classes: Any, **options: Any) -> tm.Evaluation:
    return tm.evaluate(np.asarray(classes), y_score=table, labels=range(table.shape[1]), **options)


def numbers(found: Any) -> tuple[Any, ...]:
    return found.value, found.low, found.high, found.se


# --- standard errors -------------------------------------------------------------------------


def area(table: Any, classes: Any, name: str) -> float:
    """By definition: every class against the rest, or every class of a pair against the other."""
    _, kind, average = name.split("_")
    shares = np.bincount(classes, minlength=table.shape[1]) / len(classes)

    def won(column: int, rest: Any) -> float:
        up, down = table[classes == column, column], np.sort(table[rest, column])
        below = np.searchsorted(down, up, "left") + np.searchsorted(down, up, "right")
        return float(below.mean() / (2 * len(down)))

    size = table.shape[1]
    if kind == "ovr":
        areas = [won(at, classes != at) for at in range(size)]
        return float(np.average(areas, weights=shares if average == "weighted" else None))
    pairs = [(a, b) for a in range(size) for b in range(a)]
    areas = [(won(a, classes == b) + won(b, classes == a)) / 2 for a, b in pairs]
    weights = [shares[a] + shares[b] for a, b in pairs] if average == "weighted" else None
    return float(np.average(areas, weights=weights))


def test_standard_errors_are_nearly_those_of_the_jackknife() -> None:
    table, classes = rows(4, 120)
    ev = of(table, classes)
    group = np.arange(240) % 30
    logits = np.log(rows(3, 240)[0]) + np.random.default_rng(1).normal(size=(30, 3))[group]
    clustered = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    grouped = of(clustered, rows(3, 240)[1], groups=group)
    for name in AREAS:
        left = [area(np.delete(table, at, axis=0), np.delete(classes, at), name) for at in range(120)]
        found = ev[name]
        assert found.value == pytest.approx(area(table, classes, name))
        assert found.se == pytest.approx(math.sqrt(119 * np.var(left)), rel=0.03), name
        assert (found.low, found.high) == pytest.approx(on_logit(found.value, found.se)), name
        kept = [(clustered[group != out], rows(3, 240)[1][group != out]) for out in range(30)]
        left = [area(*each, name) for each in kept]
        found = grouped[name]
        assert found.se == pytest.approx(math.sqrt(29 * np.var(left)), rel=0.06), name
        assert (found.method, "30" in found.assumption) == ("linearised_groups", True)


def test_of_two_classes_it_is_the_area_under_the_roc_curve() -> None:
    for apart in (0.5, 2.0, 50.0):
        chance = np.random.default_rng(3)
        positive = chance.random(80) < 0.3
        score = 1 / (1 + np.exp(-chance.normal(size=80) - apart * positive + 1))
        ev = of(np.stack([1 - score, score], axis=1), positive.astype(int))
        for name in AREAS:
            assert numbers(ev[name]) == pytest.approx(numbers(ev.per_class[1]["auc"]), rel=1e-6), (
                apart,
                name,
            )


def test_few_rows_give_the_wider_of_two_intervals() -> None:
    """As if all areas were equal: its ends are so many of their own standard errors away."""
    table = np.full((40, 2), 0.5)
    table[:, 1] = np.linspace(0.05, 0.95, 40)
    table[:, 0] = 1 - table[:, 1]
    classes = (np.arange(40) >= 20).astype(int)
    classes[[19, 20]] = classes[[20, 19]]
    found = of(table, classes)["auc_ovr_macro"]
    assert found.note
    low, high = on_logit(found.value, found.se)
    assert found.low <= low
    assert found.high >= high

    def away(limit: float) -> float:  # Newcombe (2006), method 5, of 20 and 20 rows
        inner = 1 + 19 * (1 - limit) / (2 - limit) + 19 * limit / (1 + limit)
        return abs(limit - found.value) / math.sqrt(limit * (1 - limit) * inner / 400)

    assert away(found.low) == pytest.approx(Z, rel=1e-6)
    # With three classes that are told apart completely.
    perfect = of(np.repeat(np.eye(3), 10, axis=0), np.repeat(np.arange(3), 10))["auc_ovo_macro"]
    assert perfect.value == perfect.high == 1
    assert 0.8 < perfect.low < 0.95
    assert perfect.method == "newcombe"
    assert perfect.note
    nothing = of(np.full((30, 3), 1 / 3), np.arange(30) % 3)["auc_ovr_macro"]
    assert nothing.value == 0.5
    assert nothing.low < 0.4
    assert nothing.note


# --- weights, groups and shares --------------------------------------------------------------


def test_frequencies_equal_weights_and_groups_of_one_row() -> None:
    table, classes = rows()
    times = np.random.default_rng(0).integers(0, 4, len(classes))
    once = of(np.repeat(table, times, axis=0), np.repeat(classes, times))
    counted = of(table, classes, sample_weight=times, weight_kind="frequency")
    plain, equal = of(table, classes), of(table, classes, sample_weight=np.full(len(classes), 0.1))
    alone = of(table, classes, groups=np.arange(len(classes)))
    weight = np.random.default_rng(0).random(120) * (np.arange(120) % 3 > 0)
    at, group = np.flatnonzero(weight), np.arange(120) % 12
    dropped = of(table, classes, sample_weight=weight, groups=group)
    kept = of(table[at], classes[at], sample_weight=weight[at], groups=group[at])
    for name in (*AREAS, "top_k_accuracy:2"):
        assert counted[name].to_dict() == pytest.approx(once[name].to_dict()), name
        assert numbers(equal[name]) == pytest.approx(numbers(plain[name])), name
        assert alone[name].se == pytest.approx(plain[name].se, rel=0.02), name
        assert (plain[name].assumption, plain[name].n) == ("independent rows", 120)
        assert equal[name].assumption not in (None, plain[name].assumption), name
        assert (equal[name].n, dropped[name].n) == (pytest.approx(120), len(at))
        assert dropped[name].to_dict() == pytest.approx(kept[name].to_dict()), name


def test_given_shares_reweight_the_classes() -> None:
    table, classes = rows(3, 300)
    plain = of(table, classes)
    seen = np.bincount(classes, minlength=3) / 300

    def under(shares: Any) -> tm.Evaluation:
        return plain.at_prevalence(dict(enumerate(np.asarray(shares).tolist())))

    shares = np.array([0.2, 0.5, 0.3])
    there, weighted = under(shares), of(table, classes, sample_weight=(shares / seen)[classes])
    own = under(seen)
    for name in (*AREAS, "top_k_accuracy:1"):
        assert there[name].value == pytest.approx(weighted[name].value), name
        # With the shares they have anyway only what is uncertain about these shares goes away.
        assert own[name].se <= plain[name].se + 1e-12, name
    assert own["auc_ovo_macro"].low == pytest.approx(plain["auc_ovo_macro"].low)
    # Of first places rows spread within their class only.
    hit = (table.argmax(axis=1) == classes).astype(float)
    parts = [hit[classes == label] for label in range(3)]
    expected = sum(share**2 * part.var() / len(part) for share, part in zip(shares, parts, strict=True))
    n = 1 / sum(share**2 / len(part) for share, part in zip(shares, parts, strict=True))
    assert there["top_k_accuracy:1"].se == pytest.approx(math.sqrt(expected * n / (n - 1)), rel=0.01)
    # A class whose share is 0 is left out; one class alone has no area.
    at = classes < 2
    without = under([*np.bincount(classes[at]) / at.sum(), 0.0])
    for name in AREAS:
        assert without[name].value == pytest.approx(area(table[at, :2], classes[at], name)), name
    assert under([1.0, 0.0, 0.0])["auc_ovr_macro"].value is None


# --- first places ----------------------------------------------------------------------------


def test_first_places_are_a_share_of_rows() -> None:
    table, classes = rows()
    ev, hits = of(table, classes), int((rows()[0].argmax(axis=1) == rows()[1]).sum())
    found = ev["top_k_accuracy:1"]
    assert (found.low, found.high) == pytest.approx(proportion_confint(hits, 120, method="wilson"))
    assert (found.method, found.n) == ("wilson", 120)
    every = ev["top_k_accuracy:7"]
    assert (every.value, every.low) == (1, None)
    assert every.note
    # Of five rows the own class comes first in three, second in one and last in one.
    table = np.array([[5, 3, 1], [5, 3, 1], [1, 5, 3], [5, 3, 1], [5, 1, 3]]) / 9
    classes = np.array([0, 0, 1, 1, 1])
    for k, share in ((1, 3 / 5), (2, 4 / 5)):
        found = of(table, classes)[f"top_k_accuracy:{k}"]
        # The variance of five rows that are 0 or 1, as from one less, over five.
        assert (found.value, found.se) == (share, pytest.approx(math.sqrt(share * (1 - share) / 4)))
    # Groups with 3 hits of 3 rows and 0 of 2: less 3 / 5 of each, 6 / 5 and -6 / 5 of five.
    found = of(table, classes, groups=[0, 0, 0, 1, 1])["top_k_accuracy:1"]
    assert found.se == pytest.approx(math.sqrt(2 * (6 / 25) ** 2 * 2 / 1))


# --- classes with few rows or none -----------------------------------------------------------


def test_classes_without_rows_and_undefined_areas() -> None:
    table, classes = rows(5, 100)
    found = of(table, np.minimum(classes, 2))["auc_ovr_macro"]
    assert found.note
    assert found.value is not None
    table, classes = rows(3, 60)
    classes = np.where(classes == 2, 0, classes)
    classes[0] = 2
    one_row = of(table, classes)["auc_ovo_macro"]
    assert np.isfinite([one_row.low, one_row.high]).all()
    assert one_row.high - one_row.low > 0.1
    for name in AREAS:
        found = of(np.full((3, 2), 0.5), np.zeros(3, int))[name]
        assert found.value is None
        assert found.why
