"""Two models' predicted classes: intervals of differences on the same and on other rows; swapped answers."""

import itertools
import math
import pickle
from functools import cache
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats
from sklearn import metrics as peer

import tallymark as tm
from formulas import Z, ends, width

Columns = tuple[NDArray[Any], NDArray[Any], NDArray[Any]]
COSTS = {0: {1: 1.0}, 1: {0: 100.0}}


@cache
def rows(n: int = 150, classes: int = 2, seed: int = 0, apart: float = 0.3) -> Columns:
    """Actual classes, a model that is often right, and one that copies it or answers by chance."""
    chance = np.random.default_rng(seed)
    actual, first, second = chance.integers(0, classes, (3, n))
    kept, copied = chance.random((2, n)) < ((0.7,), (1 - apart,))
    a = np.where(kept, actual, first)
    return actual, a, np.where(copied, a, second)


def of(columns: Columns, *names: str, classes: int = 2, **options: Any) -> tm.Comparison:
    actual, a, b = columns
    positive = {"pos_label": options.pop("pos_label", 1)}
    given = {"labels": range(classes), "metrics": names} | positive | options
    return tm.compare({"a": a, "b": b}, actual, **given)


# --- the choice of interval ------------------------------------------------------------------


def test_proportions_of_the_same_rows_have_tangos_interval() -> None:
    actual, a, b = rows(classes=3)
    is_it, every = actual == 2, np.ones(150, bool)

    def expected(first: Any, second: Any, among: Any) -> Any:
        counts = {
            f"n{x}{y}": int((among & (second == bool(x)) & (first == bool(y))).sum())
            for x in (0, 1)
            for y in (0, 1)
        }
        # n01 is right by the first model only.
        return tm.paired_difference(**counts)

    cases = {
        "accuracy": (a == actual, b == actual, every),
        "error_rate": (a != actual, b != actual, every),
        "f1_micro": (a == actual, b == actual, every),
        "recall_weighted": (a == actual, b == actual, every),
        "recall": (a == 2, b == 2, is_it),
        "fnr": (a != 2, b != 2, is_it),
        "specificity": (a != 2, b != 2, ~is_it),
        "fpr": (a == 2, b == 2, ~is_it),
        "predicted_positive_rate": (a == 2, b == 2, every),
        "weighted_accuracy:1,1,0,0": (a == 2, b == 2, is_it),
        "weighted_accuracy:1,1,1,1": ((a == 2) == is_it, (b == 2) == is_it, every),
    }
    found, equal = (
        of((actual, a, b), *cases, classes=3, pos_label=2, sample_weight=weight)
        for weight in (None, np.full(150, 0.25))
    )
    for name, (first, second, among) in cases.items():
        each, tango = found[name].estimate, expected(first, second, among)
        assert (each.value, *ends(each)) == pytest.approx((tango.value, tango.low, tango.high)), name
        assert (each.method, each.n) == ("tango", among.sum()), name
        assert ends(equal[name].estimate) == pytest.approx(ends(each)), name
    # With weights rows are counted in those that move the difference, with one more of the usual weight.
    weight = np.random.default_rng(1).exponential(size=150)
    usual = weight @ weight / weight.sum()
    first, second = (a == actual) & (b != actual), (a != actual) & (b == actual)
    apart = weight[first | second]
    factor = (apart.sum() + usual) / (apart @ apart + usual**2)
    n01, n10, n = (factor * weight[side].sum() for side in (first, second, every))
    weighted = of((actual, a, b), classes=3, sample_weight=weight)["accuracy"].estimate
    tango = tm.paired_difference(n01=n01, n10=n10, n11=n - n01 - n10, n00=0)
    assert (weighted.n, *ends(weighted)) == pytest.approx((n, tango.low, tango.high))


# --- against draws of our own ----------------------------------------------------------------


def test_other_metrics_are_drawn_over_the_joint_cells() -> None:
    """Dirichlet draws over actual x a x b; the prior of two rows has each model right in half of them."""
    actual, a, b = rows(120, 2, 5, 0.6)
    code = 4 * actual + 2 * a + b
    for weight in (None, np.random.default_rng(3).choice([0.5, 2.0], 120)):
        found = of((actual, a, b), "f1", "mcc", "balanced_accuracy", "precision", sample_weight=weight)
        w = np.ones(120) if weight is None else weight
        counts, squares = np.bincount(code, w, 8), np.bincount(code, w**2, 8)
        usual = squares.sum() / counts.sum()
        # One row more of the usual weight is taken to have been seen in every cell.
        scale = np.ones(8) if weight is None else (squares + usual**2) / (counts + usual)
        chance = np.random.default_rng(2)
        cells = chance.standard_gamma(np.where(counts > 0, counts / scale, 1e-12), (40_000, 8)) * scale
        total = cells.sum(axis=1, keepdims=True)
        # Where the prior lies evenly over the eight cells of two classes each model is right in half of it.
        cells = cells / total * (counts.sum() / usual) + chance.standard_gamma(2 / 8, (40_000, 8))
        table = cells.reshape(-1, 2, 2, 2)
        values = []
        for side in (table.sum(axis=3), table.sum(axis=2)):  # actual x answer
            tn, fp, fn, tp = side.reshape(-1, 4).T
            recall, specificity = tp / (tp + fn), tn / (tn + fp)
            root = np.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))
            values.append(
                {
                    "f1": 2 * tp / (2 * tp + fp + fn),
                    "mcc": (tp * tn - fp * fn) / root,
                    "balanced_accuracy": (recall + specificity) / 2,
                    "precision": tp / (tp + fp),
                }
            )
        for name in values[0]:
            gap, each = values[0][name] - values[1][name], found[name].estimate
            assert each.method == "dirichlet"
            expected = tuple(np.quantile(gap, [0.025, 0.975]))
            assert ends(each) == pytest.approx(expected, abs=0.2 * gap.std()), (name, weight is None)


def test_differences_of_costs_are_savings() -> None:
    """Every row's own difference; a large sample has the variance of a mean of them."""
    actual, a, b = rows(3_000)
    table = np.array([[0.0, 1.0], [100.0, 0.0]])
    gains = table[actual, a] - table[actual, b]
    found = of((actual, a, b), "mean_cost", "total_cost", costs=COSTS)
    mean, total = found["mean_cost"].estimate, found["total_cost"].estimate
    assert mean.value == pytest.approx(gains.mean())
    assert width(mean) / 2 == pytest.approx(Z * gains.std() / math.sqrt(3_000), rel=0.06)
    assert [3_000 * end for end in ends(mean)] == pytest.approx(ends(total))
    group = np.arange(3_000) // 100
    grouped = of((actual, a, b), "mean_cost", costs=COSTS, groups=group)["mean_cost"].estimate
    sums = np.bincount(group, gains) / 100
    half = stats.t(29).ppf(0.975) * sums.std(ddof=1) / math.sqrt(30)
    assert width(grouped) / 2 == pytest.approx(half, rel=0.12)
    assert grouped.method == "group_bootstrap"


def test_groups_are_resampled_whole() -> None:
    columns = rows(100)
    copies: Any = tuple(np.repeat(side, 10) for side in columns)
    once, naive = of(columns, "f1", "mcc"), of(copies, "f1", "mcc")
    tenfold = of(copies, "f1", "mcc", groups=np.repeat(np.arange(100), 10))
    for name in ("accuracy", "f1", "mcc"):
        one, ten, rough = (each[name].estimate for each in (once, tenfold, naive))
        assert (ten.method, "100" in ten.assumption) == ("group_bootstrap", True), name
        assert width(ten) == pytest.approx(width(one), rel=0.15), name
        assert width(ten) > 2.5 * width(rough), name
    # Of 20 large groups that differ: a mean of 20 differences.
    chance = np.random.default_rng(8)
    group = np.repeat(np.arange(20), 50)
    actual = chance.integers(0, 2, 1000)
    a, b = (
        np.where(chance.random(1000) < chance.uniform(0.4, 1, 20)[group], actual, 1 - actual)
        for _ in range(2)
    )
    gaps = np.bincount(group, 1.0 * (a == actual) - (b == actual)) / 50
    found = of((actual, a, b), groups=group)["accuracy"].estimate
    half = stats.t(19).ppf(0.975) * gaps.std(ddof=1) / math.sqrt(20)
    assert found.value == pytest.approx(gaps.mean())
    assert ends(found) == pytest.approx((gaps.mean() - half, gaps.mean() + half), abs=0.15 * half)


# --- models that are alike, order, undefined -------------------------------------------------


def test_models_that_never_disagree_may_still_differ() -> None:
    names = ("recall", "precision", "f1", "mcc", "f1_macro", "balanced_accuracy", "mean_cost")
    wrong = []
    for classes, groups in itertools.product((2, 3, 40), (None, np.arange(400) % 40)):
        actual, a, _ = rows(400, classes)
        found = of((actual, a, a), *names, classes=classes, costs=1.0 - np.eye(classes), groups=groups)
        for name in ("accuracy", *names):
            each = found[name].estimate
            if each.value != 0 or not each.low < 0 < each.high:
                wrong.append((classes, groups is None, name, each))
        low, high = ends(found["accuracy"])
        assert -0.1 < low < high < 0.1  # 400 rows, or 40 groups: less than one in ten differs
    assert not wrong
    actual, _, _ = rows(classes=3)
    low, high = ends(of((actual, actual, actual), "f1", classes=3)["f1"])
    assert -0.2 < low < 0 < high < 0.2


def test_order_of_models_and_classes_changes_the_sign_and_nothing_else() -> None:
    actual, a, b = rows(classes=3)
    names = ("recall", "f1", "mcc", "f1_macro")
    one, other = of((actual, a, b), *names, classes=3), of((actual, b, a), *names, classes=3)
    for name in ("accuracy", *names):
        low, high = ends(one[name])
        assert ends(other[name]) == pytest.approx((-high, -low), abs=0.01), name
    # Few rows are of class 0; asked about, it is as class 1 with the names exchanged.
    chance = np.random.default_rng(2)
    actual = (chance.random(400) < 0.8).astype(int)
    a, b = (np.where(chance.random(400) < right, actual, 1 - actual) for right in (0.9, 0.7))
    names = ("f_beta:2", "markedness", "mcc")
    first = of((actual, a, b), *names, pos_label=0)
    second = of((1 - actual, 1 - a, 1 - b), *names, pos_label=1)
    for name in names:
        assert first[name].value == pytest.approx(second[name].value)
        assert ends(first[name]) == pytest.approx(ends(second[name]), abs=0.02), name


def test_levels_and_pickles() -> None:
    found = of(rows(classes=3), "f1_macro", "precision", classes=3)
    for name in ("accuracy", "f1_macro", "precision"):
        each = found[name].estimate
        wide, narrow = ends(each.interval(0.99)), ends(each.interval(0.8))
        assert wide[0] < each.low < narrow[0] < narrow[1] < each.high < wide[1], name
        assert ends(pickle.loads(pickle.dumps(found))[name]) == ends(each)


def test_undefined_differences_name_the_model(snapshot: Any) -> None:
    actual, a, b = rows()
    none = np.zeros(150, np.int64)
    three, short = rows(classes=3), np.where(rows(classes=3)[2] == 2, 0, rows(classes=3)[2])
    left_out = of((three[0], three[1], short), "precision_macro", classes=3)["precision_macro"]
    as_zero = [
        peer.precision_score(three[0], side, average="macro", zero_division=0) for side in (three[1], short)
    ]
    other = {"x": tm.Confusion([[30, 8], [6, 26]]), "y": tm.Confusion([[0, 10], [0, 26]])}
    elsewhere = tm.compare(other, pos_label="class 1", metrics=["precision", "no_information_rate"])
    texts = {
        "one model": of((actual, a, none), "precision")["precision"].why,
        "both models": of((actual, none, none), "precision")["precision"].why,
        "no positive class": of(three, "recall", classes=3, pos_label=None)["recall"].why,
        "no costs": of((actual, a, b), "mean_cost")["mean_cost"].why,
        "left out of an average": left_out.estimate.note,
        "no information rate": of((actual, a, b), "no_information_rate")["no_information_rate"].estimate.note,
        "other rows": elsewhere["precision"].why,
        "other rows, no interval": elsewhere["no_information_rate"].estimate.note,
    }
    assert all(each.value is None or math.isfinite(each.value) for each in elsewhere.differences)
    assert left_out.estimate.low < left_out.estimate.high
    assert as_zero[0] - as_zero[1] != pytest.approx(left_out.value)
    snapshot("notes_differences", {case: str(text) for case, text in texts.items()})


# --- swapped answers -------------------------------------------------------------------------

SIDES = ("two-sided", "greater", "less")


def metrics_of(y: Any, p: Any, weight: Any) -> dict[str, float]:
    """By their definitions."""
    size = int(max(y.max(), p.max())) + 1
    table = np.bincount(size * y + p, weight, size * size).reshape(size, size)
    table = table / table.sum()
    hits, actual, called = np.diag(table), table.sum(axis=1), table.sum(axis=0)
    f1, chance = 2 * hits / (actual + called), actual @ called
    return {
        "accuracy": hits.sum(),
        "f1_macro": f1.mean(),
        "f1": f1[1],
        "mcc": (hits.sum() - chance) / math.sqrt((1 - actual @ actual) * (1 - called @ called)),
        "mean_cost": float(np.average(np.abs(y - p), weights=weight)),
    }


def p_values(columns: Columns, *names: str, **options: Any) -> dict[str, Any]:
    """By metric, the p-values of all alternatives and how many swaps were made."""
    found: dict[str, Any] = {name: {} for name in ("accuracy", *names)}
    for side in SIDES:
        compared = of(columns, *names, test="permutation", alternative=side, **options)
        for name, sides in found.items():
            sides[side], sides["swaps"] = compared[name].p_value, compared[name].outcome.counts.get("swaps")
    return found


def every_swap(columns: Columns, units: Any, weight: Any = None) -> dict[str, Any]:
    """P-values from all ways to swap the units, rows or groups, one by one."""
    actual, a, b = columns
    there, drawn = np.unique(units[a != b]), []
    for signs in itertools.product((False, True), repeat=len(there)):
        turned = np.isin(units, there[list(signs)])
        sides = [metrics_of(actual, np.where(turned, *each), weight) for each in ((b, a), (a, b))]
        drawn.append([sides[0][name] - sides[1][name] for name in sides[0]])
    values = np.array(drawn)  # the first of them without any swap
    shares = np.abs(values) >= abs(values[0]) - 1e-9, values >= values[0] - 1e-9, values <= values[0] + 1e-9
    return {
        name: {side: float(share[:, at].mean()) for side, share in zip(SIDES, shares, strict=True)}
        | {"swaps": "all"}
        for at, name in enumerate(sides[0])
    }


def test_all_ways_to_swap_rows_and_groups() -> None:
    weight = np.random.default_rng(0).exponential(size=60)
    group = np.arange(60) % 7
    for columns, classes, units, w in (
        (rows(40, 2, 5, 0.2), 2, np.arange(40), None),
        (rows(40, 3, 8, 0.12), 3, np.arange(40), None),
        (rows(60, 3, 4, 0.4), 3, group, None),
        (rows(60, 3, 4, 0.4), 3, group, weight),
    ):
        assert len(np.unique(units[columns[1] != columns[2]])) <= 8
        place = np.arange(classes)
        options = {"groups": units} if len(units) == 60 else {}
        costs = 1.0 * np.abs(place[:, None] - place)
        names = "f1_macro", "f1", "mcc", "mean_cost"
        found = p_values(columns, *names, classes=classes, costs=costs, sample_weight=w, **options)
        for name, expected in every_swap(columns, units, w).items():
            assert found[name] == pytest.approx(expected), (name, classes, w is None)
    # For accuracy it is McNemar's exact test.
    actual, a, b = rows(200, 2, 0)
    n01, n10 = int(((a == actual) & (b != actual)).sum()), int(((a != actual) & (b == actual)).sum())
    for side in SIDES:
        expected = stats.binomtest(n01, n01 + n10, alternative=side).pvalue
        assert p_values((actual, a, b))["accuracy"][side] == pytest.approx(expected), side


def test_random_swaps_are_close_to_all_of_them() -> None:
    # Rows of 24 kinds, which is more than all ways can be visited of; accuracy has a binomial p-value.
    actual, a, b = rows(600, 4, 3, 0.25)
    found = p_values((actual, a, b), "f1_macro", classes=4)
    n01, n10 = int(((a == actual) & (b != actual)).sum()), int(((a != actual) & (b == actual)).sum())
    assert found["accuracy"]["swaps"] == found["f1_macro"]["swaps"] == 10_000
    for side in SIDES:
        p = stats.binomtest(n01, n01 + n10, alternative=side).pvalue
        near = 5 * math.sqrt(p * (1 - p) / 10_000) + 1e-4
        assert found["accuracy"][side] == pytest.approx(p, abs=near), side
    # Units of which no two are alike are swapped by coins.
    chance = np.random.default_rng(3)
    actual = chance.integers(0, 2, 80)
    a, b = (np.where(chance.random(80) < share, actual, 1 - actual) for share in (0.8, 0.7))
    weight, group = chance.permutation(80) + 10.0, np.arange(80) % 40
    coins = p_values((actual, a, b), sample_weight=weight, groups=group)["accuracy"]
    gained = np.bincount(group, weight * (1.0 * (a == actual) - (b == actual)))
    p = (np.random.default_rng(1).choice([-1, 1], (20_000, 40)) @ gained >= gained.sum() - 1e-9).mean()
    assert coins["swaps"] == 10_000
    assert coins["greater"] == pytest.approx(p, abs=5 * math.sqrt(p * (1 - p) * 3 / 20_000))
    # They are never 0, and like intervals they depend on the seed alone.
    actual = chance.integers(0, 5, 2_000)
    right = [np.where(chance.random(2_000) < share, actual, 0) for share in (0.95, 0.5)]
    swap = {"classes": 5, "test": "permutation", "permutations": 500}
    made = (of((actual, *right), "mcc", random_state=seed, **swap) for seed in (1, 1, 2))
    one, same, other = (found["mcc"] for found in made)
    assert one.p_value == same.p_value == 1 / 501
    assert ends(one) == ends(same) != ends(other)


def test_swaps_of_weights_costs_and_models_that_are_alike() -> None:
    actual, a, _ = rows(30, 2, 0)
    for options in ({}, {"groups": np.arange(30) % 2}, {"sample_weight": np.ones(30)}):
        same = p_values((actual, a, a), "f1", **options)
        assert all(same[name][side] == 1 for name in same for side in SIDES)
    # Two rows differ; whatever they weigh, one of four swaps is as far out on either side.
    actual, a = np.array([0, 1, 0, 1, 0, 1]), np.array([0, 1, 0, 1, 0, 1])
    heavy = p_values((actual, a, np.array([1, 0, 0, 1, 0, 1])), sample_weight=[1000.0, 3, 1, 1, 1, 1])[
        "accuracy"
    ]
    assert heavy == {"two-sided": 0.5, "greater": 0.25, "less": 1.0, "swaps": "all"}
    # Costs of any size.
    costs = np.array([[0.0, 1.0, 2.0], [1.0, 0.0, 1.0], [3.0, 1.0, 0.0]])
    names = ("mcc", "mean_cost", "total_cost")
    options = {"classes": 3, "groups": np.arange(60) % 20, "test": "permutation"}
    one, *others = (of(rows(60, 3, 4, 0.4), *names, costs=costs * by, **options) for by in (1, 1e-9, 1e15))
    for other in others:
        p = [each.p_value for each in one.differences]
        assert [each.p_value for each in other.differences] == pytest.approx(p)


def test_a_swap_that_leaves_it_undefined_counts_as_far_out() -> None:
    # a calls row 0 positive and b row 1; swapping both or none keeps one each, else one model calls none.
    columns = np.array([1, 0, 0, 0]), np.array([1, 0, 0, 0]), np.array([0, 1, 0, 0])
    found = p_values(columns, "precision")["precision"]
    # Precision 1 against 0 and 0 against 1 are as far out; the other two of four are undefined.
    assert found == {"two-sided": 1.0, "greater": 0.75, "less": 1.0, "swaps": "all"}
    never = of((columns[0], columns[1], np.zeros(4, int)), "precision", test="permutation")["precision"]
    assert (never.value, never.p_value) == (None, None)


def test_many_rows_and_groups_cost_no_more_than_few() -> None:
    counts = [50_000_000, 3_000_000, 2_990_000, 44_010_000]
    columns: Any = [0, 0, 0, 1], [0, 0, 1, 1], [0, 1, 0, 1]
    options = {"weight_kind": "frequency", "test": "permutation"}
    many = of(columns, sample_weight=counts, **options)["accuracy"]
    # McNemar without correction: (3,000,000 - 2,990,000)^2 / 5,990,000 = 16.7.
    assert (many.outcome.counts, many.p_value < 0.001) == ({"swaps": 10_000}, True)
    actual, a, b = rows(100_000, 2, 0, 0.1)
    group = np.random.default_rng(0).integers(0, 50_000, 100_000)
    found = of((actual, a, b), test="permutation", alternative="greater", groups=group)["accuracy"]
    assert (found.outcome.counts, found.p_value < 0.001) == ({"swaps": 10_000}, True)
