"""Models on the same rows: every difference is that of two evaluations, every p-value that of a peer."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats
from sklearn import metrics as sk
from statsmodels.stats.contingency_tables import cochrans_q, mcnemar
from statsmodels.stats.multitest import multipletests

import tallymark as tm

RNG = np.random.default_rng(5)
N = 240
Y = RNG.integers(0, 2, N)
SCORES = {
    "one": np.clip(0.4 * Y + RNG.normal(0.3, 0.22, N), 0.01, 0.99).round(2),
    "two": np.clip(0.3 * Y + RNG.normal(0.35, 0.25, N), 0.01, 0.99).round(2),
}
COSTS = {0: {1: 1.0}, 1: {0: 4.0}}


def answers(*rights: float) -> dict[str, NDArray[np.int64]]:
    """Models that are right so often."""
    rng = np.random.default_rng(len(rights))
    return {f"m{at}": np.where(rng.random(N) < right, Y, 1 - Y) for at, right in enumerate(rights)}


TWO = answers(0.85, 0.74)
THREE = answers(0.85, 0.8, 0.7)


# --- values -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "metric",
    [
        *("accuracy", "error_rate", "balanced_accuracy", "precision", "recall", "specificity", "npv", "f1"),
        *("f_beta:2", "jaccard", "mcc", "kappa", "informedness", "lr_plus", "g_mean", "recall_macro"),
        *("precision_weighted", "f1_micro", "predicted_positive_rate", "mean_cost", "total_cost"),
        *("auc", "gini", "partial_auc:0.2", "average_precision", "ks", "brier", "log_loss", "ece"),
        *("weighted_accuracy:2,1,1,0", "prevalence", "auc_ovr_macro"),
    ],
)
def test_a_difference_is_that_of_two_evaluations(metric: str) -> None:
    found = tm.compare(SCORES, Y, metric=metric, costs=COSTS)[metric]
    apart = [tm.evaluate(Y, y_score=score, costs=COSTS)[metric] for score in SCORES.values()]
    assert found.value == pytest.approx(float(apart[0]) - float(apart[1]), abs=1e-12)
    assert found.paired
    if found.low is not None and found.high is not None:
        assert found.low <= found.value <= found.high


def test_values_of_three_classes_are_those_of_two_evaluations() -> None:
    rng = np.random.default_rng(8)
    y = rng.integers(0, 3, 150)
    tables = {}
    for name, pull in (("one", 1.0), ("two", 0.5)):
        table = rng.dirichlet([1, 1, 1], len(y))
        table[np.arange(len(y)), y] += pull
        tables[name] = table / table.sum(axis=1, keepdims=True)
    asked = [
        "accuracy",
        "f1_macro",
        "mcc",
        "auc_ovr_macro",
        "auc_ovo_macro",
        "top_k_accuracy:2",
        "brier",
        "log_loss",
    ]
    found = tm.compare(tables, y, labels=[0, 1, 2], metrics=asked)
    apart = [tm.evaluate(y, y_score=table, labels=[0, 1, 2]) for table in tables.values()]
    for metric in asked:
        expected = float(apart[0][metric]) - float(apart[1][metric])
        assert found[metric].value == pytest.approx(expected, abs=1e-12)
        assert found[metric].p_value is not None
    assert [each.name for each in found.models] == ["one", "two"]


# --- p-values of answers ----------------------------------------------------------------------------


def table_of(y: Any, a: Any, b: Any) -> list[list[int]]:
    """Both right and so on, as statsmodels has it: rows of the first, columns of the second."""
    right_a, right_b = np.equal(a, y), np.equal(b, y)
    return [
        [int((right_a & right_b).sum()), int((right_a & ~right_b).sum())],
        [int((~right_a & right_b).sum()), int((~right_a & ~right_b).sum())],
    ]


def test_many_disagreements_are_tested_by_the_corrected_statistic() -> None:
    a, b = TWO.values()
    found = tm.compare(TWO, Y)["accuracy"]
    peer = mcnemar(table_of(Y, a, b), exact=False, correction=True)
    assert found.test == "McNemar, corrected"
    assert found.outcome.statistic == pytest.approx(peer.statistic)
    assert found.p_value == pytest.approx(peer.pvalue)


def test_few_disagreements_are_tested_exactly() -> None:
    a = Y.copy()
    b = Y.copy()
    a[:3] = 1 - a[:3]
    b[50:62] = 1 - b[50:62]
    found = tm.compare({"a": a, "b": b}, Y)["accuracy"]
    assert found.test == "McNemar, exact"
    assert found.p_value == pytest.approx(mcnemar(table_of(Y, a, b), exact=True).pvalue)


def test_recall_is_tested_among_the_positives() -> None:
    a, b = TWO.values()
    of_positives = Y == 1
    peer = mcnemar(table_of(Y[of_positives], a[of_positives], b[of_positives]), exact=True)
    found = tm.compare(TWO, Y, metric="recall", test="exact")["recall"]
    assert found.p_value == pytest.approx(peer.pvalue)


def test_every_way_to_make_the_test_of_accuracy_is_reported() -> None:
    a, b = TWO.values()
    found = {each.method: each for each in tm.compare(TWO, Y).outcomes}
    table = table_of(Y, a, b)
    expected = {
        "McNemar, corrected": mcnemar(table, exact=False, correction=True).pvalue,
        "McNemar, uncorrected": mcnemar(table, exact=False, correction=False).pvalue,
        "McNemar, exact": mcnemar(table, exact=True).pvalue,
    }
    for name, p in expected.items():
        assert found[name].p_value == pytest.approx(p)
    n01, n10 = table[0][1], table[1][0]
    point = stats.binom.pmf(min(n01, n10), n01 + n10, 0.5)
    assert found["McNemar, mid-p"].p_value == pytest.approx(expected["McNemar, exact"] - point)


def test_three_models_are_tested_together_and_in_pairs() -> None:
    comparison = tm.compare(THREE, Y)
    right = np.column_stack([each == Y for each in THREE.values()])
    peer = cochrans_q(right)
    assert comparison.outcomes[0].method == "Cochran's Q"
    assert comparison.outcomes[0].statistic == pytest.approx(peer.statistic)
    assert comparison.outcomes[0].p_value == pytest.approx(peer.pvalue)
    pairs = [each for each in comparison.differences if each.metric == "accuracy"]
    assert [(each.a, each.b) for each in pairs] == [("m0", "m1"), ("m0", "m2"), ("m1", "m2")]
    raw = [
        mcnemar(table_of(Y, THREE[each.a], THREE[each.b]), exact=False, correction=True).pvalue
        for each in pairs
    ]
    assert [each.p_value for each in pairs] == pytest.approx(raw)
    assert [each.adjusted for each in pairs] == pytest.approx(multipletests(raw, method="holm")[1])
    assert [each.decisive for each in pairs] == [each.adjusted for each in pairs]


def test_other_adjustments() -> None:
    found = tm.compare(THREE, Y, adjust="bonferroni").differences[:3]
    raw = [each.p_value for each in found]
    assert [each.adjusted for each in found] == pytest.approx(multipletests(raw, method="bonferroni")[1])


@pytest.mark.parametrize("metric", ["accuracy", "f1", "mcc"])
def test_swapped_answers_agree_with_scipy(metric: str) -> None:
    peers = {"accuracy": sk.accuracy_score, "f1": sk.f1_score, "mcc": sk.matthews_corrcoef}
    a, b = TWO.values()

    @cache
    def of_counts(*counts: int) -> float:
        """The number for so many rows of each kind; thousands of swaps have few counts that differ."""
        kinds = np.repeat(np.arange(4), counts)
        return float(peers[metric](kinds // 2, kinds % 2))

    def score(answers: NDArray[np.int64]) -> float:
        return of_counts(*np.bincount(2 * Y + answers, minlength=4))

    assert score(a) == pytest.approx(peers[metric](Y, a))
    peer = stats.permutation_test(
        (a, b),
        lambda one, two: score(one) - score(two),
        permutation_type="samples",
        n_resamples=1999,
        vectorized=False,
        rng=np.random.default_rng(1),
    )
    found = tm.compare(TWO, Y, metric=metric, test="permutation")[metric]
    assert found.test == "permutation, rows swapped"
    # Two shares of draws, 1,999 and 10,000 of them.
    p = found.p_value or 0.0
    spread = 4 * math.sqrt(max(p * (1 - p), 1e-4) * (1 / 1999 + 1 / 10_000))
    assert p == pytest.approx(peer.pvalue, abs=spread)


def test_few_swaps_are_all_visited() -> None:
    """Nine rows: scipy visits all 2^9 ways, and so do we."""
    y = np.array([1, 0, 1, 1, 0, 0, 1, 0, 1])
    a = np.array([1, 0, 1, 1, 0, 1, 1, 0, 1])
    b = np.array([0, 1, 1, 0, 0, 0, 1, 1, 1])
    peer = stats.permutation_test(
        (a, b),
        lambda one, two: sk.f1_score(y, one) - sk.f1_score(y, two),
        permutation_type="samples",
        n_resamples=np.inf,
        vectorized=False,
    )
    found = tm.compare({"a": a, "b": b}, y, metric="f1", test="permutation")["f1"]
    assert found.outcome.counts["swaps"] == "all"
    assert "whether the models are alike" in found.outcome.note
    seen = abs(found.value or 0.0)
    assert found.p_value == pytest.approx((np.abs(peer.null_distribution) >= seen - 1e-12).mean())


# --- p-values of scores -----------------------------------------------------------------------------


def slow_delong(y: NDArray[Any], one: NDArray[Any], two: NDArray[Any]) -> tuple[float, float]:
    """The difference of areas and its variance from all pairs of rows (DeLong and others 1988)."""
    placed = []
    for score in (one, two):
        above = np.sign(score[y == 1][:, None] - score[y == 0][None, :]) / 2 + 0.5
        placed.append((above.mean(axis=1), above.mean(axis=0)))
    (pos_a, neg_a), (pos_b, neg_b) = placed
    variance = np.var(pos_a - pos_b, ddof=1) / len(pos_a) + np.var(neg_a - neg_b, ddof=1) / len(neg_a)
    return float(pos_a.mean() - pos_b.mean()), float(variance)


def test_areas_are_compared_as_delong_has_it() -> None:
    value, variance = slow_delong(Y, *SCORES.values())
    found = tm.compare(SCORES, Y, metric="auc")["auc"]
    half = stats.norm.ppf(0.975) * math.sqrt(variance)
    assert found.test == "DeLong, paired"
    assert found.value == pytest.approx(value)
    assert (found.low, found.high) == pytest.approx((value - half, value + half), rel=1e-9)
    assert found.p_value == pytest.approx(2 * stats.norm.sf(abs(value) / math.sqrt(variance)), rel=1e-9)


def test_losses_are_compared_row_by_row() -> None:
    one, two = ((score - Y) ** 2 for score in SCORES.values())
    peer = stats.ttest_rel(one, two)
    found = tm.compare(SCORES, Y, metric="brier")["brier"]
    assert found.value == pytest.approx((one - two).mean())
    assert found.p_value == pytest.approx(peer.pvalue, rel=1e-6)
    interval = peer.confidence_interval()
    assert (found.low, found.high) == pytest.approx((interval.low, interval.high), rel=1e-6)


# --- models that are the same, or nearly so ---------------------------------------------------------


def test_models_that_never_disagree_have_p_1() -> None:
    comparison = tm.compare({"a": TWO["m0"], "b": TWO["m0"].copy()}, Y)
    assert all(each.value == 0 and each.p_value == 1 for each in comparison.differences)
    assert all(each.p_value == 1 for each in comparison.outcomes)
    assert comparison.winner is None
    assert comparison["accuracy"].low < 0 < comparison["accuracy"].high


def test_equal_scores_have_p_1() -> None:
    comparison = tm.compare({"a": SCORES["one"], "b": SCORES["one"] ** 3}, Y, metric="auc", threshold=0.5)
    assert comparison["auc"].value == 0
    assert comparison["auc"].p_value == 1
    assert comparison.verdict.startswith("cannot tell: 'a' has auc")
    assert "no difference, p = 1.000 (DeLong, paired)" in comparison.verdict


def test_three_equal_models_are_not_told_apart() -> None:
    comparison = tm.compare(dict.fromkeys("abc", TWO["m0"]), Y)
    assert comparison.outcomes[0].p_value == 1
    assert all(each.decisive == 1 for each in comparison.differences)


@pytest.mark.parametrize("y", [[1], [0], [1, 1, 1], [0, 1]])
def test_hardly_any_rows(y: list[int]) -> None:
    comparison = tm.compare({"a": y, "b": [1 - each for each in y]}, y)
    assert comparison["accuracy"].value == 1
    assert comparison.winner is None
    assert comparison.to_json()


def test_constant_models() -> None:
    comparison = tm.compare({"yes": np.ones(N, int), "no": np.zeros(N, int)}, Y)
    assert comparison["recall"].value == 1
    assert comparison["precision"].value is None
    assert "no: nothing was predicted positive" in (comparison["precision"].why or "")
    constant = tm.compare({"flat": np.full(N, 0.5), "one": SCORES["one"]}, Y, metric="auc")
    assert constant.winner == "one"
    assert constant["auc"].value == pytest.approx(0.5 - sk.roc_auc_score(Y, SCORES["one"]))


def test_one_class_has_no_area() -> None:
    comparison = tm.compare(SCORES, np.ones(N, int))
    assert comparison["auc"].value is None
    assert comparison["auc"].p_value is None
    assert comparison["specificity"].why
    assert comparison["accuracy"].value is not None


# --- weights, groups and rows left out --------------------------------------------------------------


@pytest.mark.parametrize("kind", [float, int])
@pytest.mark.parametrize("models", [SCORES, THREE])
def test_weights_of_one_change_nothing(models: Any, kind: type) -> None:
    plain = tm.compare(models, Y, costs=COSTS)
    weighted = tm.compare(models, Y, costs=COSTS, sample_weight=np.ones(N, kind))
    for each, other in zip(plain.differences, weighted.differences, strict=True):
        assert (other.value, other.low, other.high) == pytest.approx((each.value, each.low, each.high))
        assert other.p_value == pytest.approx(each.p_value)
        assert other.test == each.test
    assert [each.method for each in weighted.outcomes] == [each.method for each in plain.outcomes]
    assert weighted.verdict == plain.verdict
    assert weighted.to_dict()["agreement"] == plain.to_dict()["agreement"]


def test_frequencies_are_rows() -> None:
    times = np.random.default_rng(4).integers(0, 4, N)
    weighted = tm.compare(SCORES, Y, sample_weight=times, weight_kind="frequency")
    repeated = tm.compare({name: np.repeat(s, times) for name, s in SCORES.items()}, np.repeat(Y, times))
    for each in repeated.differences:
        other = weighted[each.metric]
        assert (other.value, other.low, other.high) == pytest.approx((each.value, each.low, each.high))
        assert other.p_value == pytest.approx(each.p_value)
    assert weighted.models[0].n == times.sum()


def test_frequencies_of_rows_that_are_left_out_are_not_counted() -> None:
    times = np.full(N, 2)
    lacking = SCORES["one"].copy()
    lacking[:5] = np.nan
    found = tm.compare(
        {"one": lacking, "two": SCORES["two"]},
        Y,
        sample_weight=times,
        weight_kind="frequency",
        missing="drop",
    )
    assert [model.n for model in found.models] == [2 * (N - 5)] * 2


def test_groups_are_swapped_whole() -> None:
    patients = np.arange(N) // 6
    comparison = tm.compare(TWO, Y, groups=patients)
    assert comparison["accuracy"].test == "permutation, groups swapped"
    assert comparison.assumption == "independent groups (40 of them)"
    assert not any(each.method.startswith("McNemar") for each in comparison.outcomes)
    alone = tm.compare(TWO, Y, groups=np.arange(N))["accuracy"]
    plain = tm.compare(TWO, Y, test="permutation")["accuracy"]
    assert alone.p_value == pytest.approx(plain.p_value, abs=0.01)


def test_copied_rows_in_groups_are_no_new_evidence() -> None:
    """Every row ten times, each with its copies in a group of its own: as sure as the rows alone."""
    ten = {name: np.repeat(each, 10) for name, each in TWO.items()}
    grouped = tm.compare(ten, np.repeat(Y, 10), groups=np.repeat(np.arange(N), 10))["accuracy"]
    plain = tm.compare(TWO, Y, test="permutation")["accuracy"]
    assert grouped.value == pytest.approx(plain.value)
    assert grouped.p_value == pytest.approx(plain.p_value, abs=0.01)
    width = (plain.high or 0) - (plain.low or 0)
    assert (grouped.high or 0) - (grouped.low or 0) == pytest.approx(width, rel=0.15)


def test_a_row_that_one_model_lacks_is_left_out_of_all() -> None:
    lacking = SCORES["one"].copy()
    lacking[[3, 77]] = np.nan
    comparison = tm.compare({"one": lacking, "two": SCORES["two"]}, Y, missing="drop")
    kept = np.isfinite(lacking)
    expected = tm.compare({name: each[kept] for name, each in SCORES.items()}, Y[kept])
    assert [each.value for each in comparison.differences] == [each.value for each in expected.differences]
    assert [model.n for model in comparison.models] == [N - 2] * 2
    assert "'one' lacks 2" in comparison.notes[0]


def test_a_label_that_one_model_alone_says() -> None:
    y = np.where(Y, "yes", "no")
    unsure = y.copy().astype(object)
    unsure[:10] = "?"
    comparison = tm.compare({"sure": y, "unsure": unsure}, y)
    assert comparison["accuracy"].value == pytest.approx(10 / N)
    assert comparison.models[0].values["accuracy"].value == 1


# --- what the rows could have found -----------------------------------------------------------------


def test_reach_is_that_of_the_plan() -> None:
    comparison = tm.compare(TWO, Y)
    (reach,) = comparison.to_dict()["reach"]
    a, b = TWO.values()
    table = table_of(Y, a, b)
    apart = (table[0][1] + table[1][0]) / N
    worse = min((a == Y).mean(), (b == Y).mean())
    z = stats.norm.ppf([0.975, 0.8])

    def rows(size: float) -> float:
        return ((z[0] * math.sqrt(apart) + z[1] * math.sqrt(apart - size**2)) / size) ** 2

    assert rows(reach["smallest_difference"]) == pytest.approx(N, rel=1e-6)
    assert worse + reach["smallest_difference"] < 1
    assert reach["power"] == 0.8


def test_reach_is_confirmed_by_simulation() -> None:
    """Models that differ by the smallest difference are told apart in about 80 % of test sets."""
    (reach,) = tm.compare(TWO, Y, test="uncorrected").to_dict()["reach"]
    a, b = TWO.values()
    table = table_of(Y, a, b)
    apart, size = (table[0][1] + table[1][0]) / N, reach["smallest_difference"]
    rng = np.random.default_rng(0)
    counts = rng.multinomial(N, [(apart + size) / 2, (apart - size) / 2, 1 - apart], 4000)
    statistic = (counts[:, 0] - counts[:, 1]) ** 2 / (counts[:, 0] + counts[:, 1])
    assert (statistic > stats.chi2.ppf(0.95, 1)).mean() == pytest.approx(0.8, abs=0.03)


def test_reach_does_not_depend_on_which_model_is_first() -> None:
    one = tm.compare(TWO, Y).to_dict()["reach"][0]
    two = tm.compare(dict(reversed(TWO.items())), Y).to_dict()["reach"][0]
    for key in ("smallest_difference", "rows_needed"):
        assert one[key] == pytest.approx(two[key])


def test_one_row_finds_nothing() -> None:
    comparison = tm.compare({"a": [1], "b": [0]}, [1])
    (reach,) = comparison.to_dict()["reach"]
    assert reach["smallest_difference"] is None
    assert "With 1 row no difference is large enough to be found in 80 % of cases." in comparison.verdict


# --- costs ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "costs",
    [
        COSTS,
        {"0": {"1": 1}, "1": {"0": 4}},
        '{"labels": [0, 1], "cost": [[0, 1], [4, 0]]}',
        {"labels": [0, 1], "cost": [[0, 1], [4, 0]]},
    ],
)
def test_costs_in_every_form(costs: Any) -> None:
    a, b = TWO.values()
    found = tm.compare(TWO, Y, costs=costs)["mean_cost"]
    each = [((Y == 0) & (p == 1)).sum() + 4 * ((Y == 1) & (p == 0)).sum() for p in (a, b)]
    assert found.value == pytest.approx((each[0] - each[1]) / N)
    assert found.better == "lower"


def test_a_bare_cost_matrix_needs_an_order() -> None:
    with pytest.raises(tm.TallymarkError, match="order of the labels"):
        tm.compare(TWO, Y, costs=[[0, 1], [4, 0]])
    stated = tm.compare(TWO, Y, labels=[0, 1], costs=[[0, 1], [4, 0]])
    assert stated["mean_cost"].value == tm.compare(TWO, Y, costs=COSTS)["mean_cost"].value


def test_scores_can_be_swapped_too() -> None:
    """Swapping two probabilities of a row changes the sign of its difference in loss."""
    rng = np.random.default_rng(12)
    y = rng.integers(0, 2, 60)
    a, b = (np.clip(y * gap + rng.normal(0.35, 0.2, 60), 0.01, 0.99) for gap in (0.35, 0.28))
    compared = tm.compare({"a": a, "b": b}, y_true=y, test="permutation", metrics=["brier", "auc"])
    losses = [(side - y) ** 2 for side in (a, b)]
    peer = stats.permutation_test(
        losses,
        lambda one, two: one.mean() - two.mean(),
        permutation_type="samples",
        n_resamples=20_000,
        rng=3,
    )
    found = compared["brier"]
    assert found.test == "permutation, rows swapped"
    # A thousand swaps: the standard error of a share is at most 0.016.
    assert found.p_value == pytest.approx(peer.pvalue, abs=0.05)
    assert compared["auc"].test == "permutation, rows swapped"


def test_what_has_no_interval_is_swapped_without_being_asked() -> None:
    rng = np.random.default_rng(13)
    y = rng.integers(0, 2, 80)
    far, near = y + rng.normal(0, 0.5, 80), y + rng.normal(0, 3.0, 80)
    found = tm.compare({"far": far, "near": near}, y_true=y, metric="ks")["ks"]
    assert (found.low, found.test) == (None, "permutation, rows swapped")
    assert found.p_value == pytest.approx(1 / 1001)
    same = tm.compare({"one": far, "other": far}, y_true=y, metric="ks")["ks"]
    assert same.p_value == 1
