"""Models on other rows: variances add up, and figures are compared as they are given."""

from __future__ import annotations

import math
import pickle
from typing import Any

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.proportion import confint_proportions_2indep, test_proportions_2indep

import tallymark as tm

# Pytest would collect a function of that name.
peer_test = test_proportions_2indep
del test_proportions_2indep

RNG = np.random.default_rng(11)


def rows(n: int, right: float) -> tuple[Any, Any, Any]:
    y = RNG.integers(0, 2, n)
    return (
        y,
        np.where(RNG.random(n) < right, y, 1 - y),
        np.clip(0.4 * y + RNG.normal(0.3, 0.25, n), 0.01, 0.99),
    )


A, B = rows(300, 0.86), rows(400, 0.77)
EVALUATED = {"a": tm.evaluate(A[0], A[1]), "b": tm.evaluate(B[0], B[1])}
SCORED = {"a": tm.evaluate(A[0], y_score=A[2]), "b": tm.evaluate(B[0], y_score=B[2])}


@pytest.mark.parametrize(
    ("method", "peer"),
    [
        ("wald", "wald"),
        ("newcombe", "newcomb"),
        ("agresti_caffo", "agresti-caffo"),
        ("miettinen_nurminen", "score"),
    ],
)
def test_shares_agree_with_statsmodels(method: str, peer: str) -> None:
    found = tm.compare(EVALUATED, method=method)["accuracy"]
    counts = int((A[0] == A[1]).sum()), 300, int((B[0] == B[1]).sum()), 400
    assert found.value == pytest.approx(counts[0] / 300 - counts[2] / 400)
    assert found.paired is False
    # The score limits of statsmodels 0.15 are wrong (its issue 10269); its test of no difference is not.
    if peer != "score":
        ends = confint_proportions_2indep(*counts, method=peer, compare="diff")
        assert (found.low, found.high) == pytest.approx(ends, abs=1e-6)
    if peer != "newcomb":
        tested = peer_test(*counts, method=peer, compare="diff", correction=True)
        assert found.p_value == pytest.approx(tested.pvalue, rel=1e-4)


@pytest.mark.parametrize(
    "metric", ["accuracy", "recall", "f1", "mcc", "kappa", "balanced_accuracy", "precision"]
)
def test_a_difference_is_that_of_two_evaluations(metric: str) -> None:
    found = tm.compare(EVALUATED, metric=metric)[metric]
    one, two = (ev[metric] for ev in EVALUATED.values())
    assert found.value == pytest.approx(float(one) - float(two))
    # The squares of the distances to the ends add up (Zou and Donner 2008; Newcombe 1998, method 10).
    down = math.hypot(one.value - one.low, two.high - two.value)
    assert found.low == pytest.approx(found.value - down, abs=2e-3)


@pytest.mark.parametrize("metric", ["auc", "average_precision", "brier", "log_loss"])
def test_scores_have_variances_that_add_up(metric: str) -> None:
    found = tm.compare(SCORED, metric=metric)[metric]
    one, two = (ev[metric] for ev in SCORED.values())
    se = math.hypot(one.se or 0, two.se or 0)
    assert found.value == pytest.approx(float(one) - float(two))
    assert found.estimate.se == pytest.approx(se, rel=1e-3)
    assert found.p_value == pytest.approx(2 * stats.norm.sf(abs(found.value) / se), rel=0.05)


def test_areas_name_their_test() -> None:
    assert tm.compare(SCORED, metric="auc")["auc"].test == "DeLong, unpaired"


def test_other_numbers_of_rows_are_other_rows() -> None:
    found = tm.compare(EVALUATED)
    assert found.design == "other rows"
    assert "'a' has 300, 'b' has 400" in found.notes[0]


def test_as_many_rows_with_other_classes_are_refused() -> None:
    y = np.array([0, 1, 1, 0, 1])
    pair = {"a": tm.evaluate(y, y), "b": tm.evaluate(y[::-1], y)}
    pair["b"] = tm.evaluate(np.array([1, 1, 0, 0, 1]), y)
    with pytest.raises(tm.TallymarkError, match="--other-rows"):
        tm.compare(pair)
    assert tm.compare(pair, design="other rows").design == "other rows"


def test_class_shares_that_differ_are_told() -> None:
    y = np.array([1] * 30 + [0] * 70)
    z = np.array([1] * 60 + [0] * 60)
    found = tm.compare({"a": tm.evaluate(y, y), "b": tm.evaluate(z, z)})
    assert any("30.0% in the rows of 'a', 50.0% in the rows of 'b'" in note for note in found.notes)


# --- counts -----------------------------------------------------------------------------------------

M1 = tm.Confusion([[150, 40], [60, 250]], labels=["+", "-"])
M2 = tm.Confusion([[250, 45], [5, 200]], labels=["+", "-"])
COSTS = {"+": {"+": -1, "-": 100}, "-": {"+": 1}}


def test_counts_with_other_classes_are_other_rows() -> None:
    found = tm.compare({"M1": M1, "M2": M2}, pos_label="+")
    assert found.design == "other rows"
    assert found["accuracy"].value == pytest.approx(0.8 - 0.9)


def test_counts_may_list_their_labels_in_any_order() -> None:
    turned = tm.Confusion([[200, 5], [45, 250]], labels=["-", "+"])
    one, two = (tm.compare({"M1": M1, "M2": m}, pos_label="+", costs=COSTS) for m in (M2, turned))
    for each in one.differences:
        other = two[each.metric]
        assert (other.value, other.low, other.high) == pytest.approx(
            (each.value, each.low, each.high), abs=5e-3
        )


@pytest.mark.parametrize("change", [{"confidence_level": 0.8}, {"random_state": 7}, {"costs": COSTS}])
def test_counts_can_be_asked_again(change: dict[str, Any]) -> None:
    """An evaluation without rows has its counts whatever else is asked of it."""
    pair = {name: pickle.loads(pickle.dumps(m.evaluate(pos_label="+"))) for name, m in (("a", M1), ("b", M2))}
    found = tm.compare(pair, **change)
    assert found["accuracy"].value == pytest.approx(-0.1)
    assert found["accuracy"].level == change.get("confidence_level", 0.95)
    assert ("mean_cost" in {each.metric for each in found.differences}) == ("costs" in change)


def test_a_pickled_ranking_is_compared_at_the_level_asked_for() -> None:
    loaded = {name: pickle.loads(pickle.dumps(ev)) for name, ev in SCORED.items()}
    found = tm.compare(loaded, metric="auc", design="other rows", confidence_level=0.8)
    expected = tm.compare(SCORED, metric="auc", design="other rows", confidence_level=0.8)
    assert found["auc"].level == 0.8
    assert (found["auc"].low, found["auc"].high) == pytest.approx((expected["auc"].low, expected["auc"].high))
    own = [model.values["auc"] for model in found.models]
    assert [each.level for each in own] == [0.8, 0.8]
    assert own[0].low == pytest.approx(SCORED["a"]["auc"].interval(0.8).low)


def test_counts_that_may_be_of_the_same_rows_are_refused() -> None:
    with pytest.raises(tm.TallymarkError, match="nothing tells whether"):
        tm.compare({"a": M1, "b": tm.Confusion([[140, 50], [50, 260]], labels=["+", "-"])}, pos_label="+")


# --- figures ----------------------------------------------------------------------------------------


def test_three_figures_are_compared_in_pairs() -> None:
    found = tm.compare({"M1": (0.85, 30), "M2": (0.75, 5000), "M3": (0.7, 500)})
    assert [each.adjusted_by for each in found.differences] == ["Holm"] * 3
    assert found.models[2].n == 500


@pytest.mark.parametrize("n", [np.int64(30), 30.0, 30])
def test_figures_may_be_numpy_numbers(n: Any) -> None:
    found = tm.compare({"M1": (np.float64(0.85), n), "M2": (0.75, 5000)})["accuracy"]
    assert found.value == pytest.approx(0.1)


def test_figures_without_variance_have_an_interval_all_the_same() -> None:
    found = tm.compare({"a": (1.0, 30), "b": (1, 50)})["accuracy"]
    assert found.test == "two proportions, newcombe"
    low, high = confint_proportions_2indep(30, 30, 50, 50, method="newcomb", compare="diff")
    assert (found.low, found.high) == pytest.approx((low, high), abs=1e-6)
    assert found.p_value == 1
    apart = tm.compare({"a": (1.0, 30), "b": (0.0, 50)})
    assert apart.winner == "a"
    asked = tm.compare({"a": (1.0, 30), "b": (1.0, 50)}, method="wald")["accuracy"]
    assert (asked.low, asked.high) == (0, 0)


@pytest.mark.parametrize(
    ("figures", "said"),
    [
        ({"a": (85, 30), "b": (0.7, 50)}, "85 % is written as 0.85"),
        ({"a": (56, 70), "b": (0.7, 50)}, "56 right of 70 rows as (56 / 70, 70)"),
        ({"a": (-0.1, 30), "b": (0.7, 50)}, "between 0 and 1"),
        ({"a": (math.nan, 30), "b": (0.7, 50)}, "between 0 and 1"),
        ({"a": (0.8, 0), "b": (0.7, 50)}, "whole number from 1 to"),
        ({"a": (0.8, 30.5), "b": (0.7, 50)}, "whole number from 1 to"),
        ({"a": (0.8, math.inf), "b": (0.7, 50)}, "whole number from 1 to"),
        ({"a": (0.8, 30)}, "two models or more"),
        ({"a": [0.8, 30], "b": (0.7, 50)}, "(0.85, 30)"),
        ({"a": (True, 30), "b": (0.7, 50)}, "nothing says what they are"),
    ],
)
def test_figures_that_cannot_be_are_refused(figures: Any, said: str) -> None:
    with pytest.raises(tm.TallymarkError) as caught:
        tm.compare(figures)
    assert said in str(caught.value)
