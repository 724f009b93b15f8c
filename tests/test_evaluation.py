"""What a user holds: numbers by class, averages, other class shares, notes, JSON, and files."""

from __future__ import annotations

import copy
import json
import math
import os
import pickle
import stat
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tallymark as tm
from tallymark.errors import FileError, LabelError, MetricError, OptionError
from tallymark.evaluation import Evaluation, evaluate

# Rows actual, columns predicted; hits 50, 30, 10.
MATRIX = [[50, 6, 4], [8, 30, 2], [5, 5, 10]]
NAMES = ["a", "b", "c"]
CELLS = {
    "a": {"support": 60, "tp": 50, "fn": 10, "fp": 13, "tn": 47},
    "b": {"support": 40, "tp": 30, "fn": 10, "fp": 11, "tn": 69},
    "c": {"support": 20, "tp": 10, "fn": 10, "fp": 6, "tn": 94},
}


def three(**options: Any) -> Evaluation:
    return tm.Confusion(MATRIX, labels=NAMES).evaluate(**options)


def two(**options: Any) -> Evaluation:
    """tp 282, fn 75, fp 462, tn 4841."""
    return tm.Confusion([[282, 75], [462, 4_841]], labels=["1", "0"]).evaluate(**options)


def value(ev: Evaluation, name: str) -> float:
    found = ev[name].value
    assert found is not None
    return found


# --- by class ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("label", NAMES)
def test_every_class_against_the_rest_by_hand(label: str) -> None:
    result, cells = three().per_class[label], CELLS[label]
    tp, fn, fp, tn = (cells[name] for name in ("tp", "fn", "fp", "tn"))
    assert (result.tally.tp, result.tally.fn, result.tally.fp, result.tally.tn) == (tp, fn, fp, tn)
    assert result.support == cells["support"]
    assert result["precision"].value == pytest.approx(tp / (tp + fp))
    assert result["recall"].value == pytest.approx(tp / (tp + fn))
    assert result["fpr"].value == pytest.approx(fp / (fp + tn))
    assert result["f1"].value == pytest.approx(2 * tp / (2 * tp + fp + fn))
    product = (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)
    assert result["mcc"].value == pytest.approx((tp * tn - fp * fn) / math.sqrt(product))
    assert result["specificity"].value == pytest.approx(tn / (tn + fp))
    assert list(result) == ["precision", "recall", "fpr", "f1", "mcc", "auc", "average_precision"]
    assert result["auc"].why == "no scores were given"


def test_a_class_reads_like_a_mapping() -> None:
    result = three().per_class["b"]
    assert {name: estimate.value for name, estimate in result.items()}["recall"] == 0.75
    assert len(result) == 7


@pytest.mark.parametrize("name", ["total_cost", "mean_cost", "auc_ovr_macro"])
def test_what_is_about_all_classes_is_refused_of_one(name):
    with pytest.raises(tm.MetricError, match=f"'{name}' is about all classes at once"):
        three().per_class["b"][name]


def test_a_number_about_one_class_needs_a_positive_one() -> None:
    assert three()["recall"].why == "name the positive class"
    ev = three(pos_label="c")
    assert value(ev, "recall") == ev.per_class["c"]["recall"].value == 0.5
    assert value(ev, "accuracy") == 90 / 120


def test_a_metric_nobody_knows_is_refused() -> None:
    with pytest.raises(MetricError, match="recal"):
        three()["recal"]


# --- averages ---------------------------------------------------------------------------------------


def test_averages_by_hand() -> None:
    averages = three().averages
    recalls, supports = [50 / 60, 30 / 40, 10 / 20], [60, 40, 20]
    precisions = [50 / 63, 30 / 41, 10 / 16]
    f1s = [100 / 123, 60 / 81, 20 / 36]
    for name, values in (("recall", recalls), ("precision", precisions), ("f1", f1s)):
        assert averages["macro"][name].value == pytest.approx(sum(values) / 3)
        assert averages["weighted"][name].value == pytest.approx(np.average(values, weights=supports))
        # Every error is one miss and one false alarm, so these three micro averages are the accuracy.
        assert averages["micro"][name].value == pytest.approx(90 / 120)
        assert value(three(), f"{name}_macro") == averages["macro"][name].value
    assert averages["micro"]["fpr"].value == pytest.approx(30 / (30 + 210))
    assert averages["micro"]["specificity"].value == pytest.approx(210 / 240)
    assert averages["micro"]["jaccard"].value == pytest.approx(90 / 150)


def test_averages_of_what_is_about_all_classes_by_hand() -> None:
    ev = three()
    each = [ev.per_class[label] for label in NAMES]
    for name in ("mcc", "kappa", "accuracy", "balanced_accuracy"):
        values = [result[name].value for result in each]
        assert value(ev, f"{name}_macro") == pytest.approx(np.mean(values))
        assert value(ev, f"{name}_weighted") == pytest.approx(np.average(values, weights=[60, 40, 20]))
    assert value(ev, "accuracy_macro") == pytest.approx((97 + 99 + 104) / 360)
    # Pooled: 90 hits, 30 misses, 30 false alarms, 210 right rejections.
    assert value(ev, "accuracy_micro") == pytest.approx(300 / 360)
    assert value(ev, "mcc_micro") == pytest.approx((90 * 210 - 30 * 30) / (120 * 240))
    for name in ("mcc_macro", "kappa_weighted", "accuracy_micro"):
        assert ev[name].low < value(ev, name) < ev[name].high  # type: ignore[operator]
    for name in ("total_cost_macro", "mean_cost_weighted"):
        with pytest.raises(MetricError, match="is about all classes, so it has no"):
            three(costs=[[0, 1, 1], [1, 0, 1], [1, 1, 0]])[name]


def test_balanced_accuracy_is_the_mean_recall() -> None:
    assert value(three(), "balanced_accuracy") == pytest.approx((50 / 60 + 30 / 40 + 10 / 20) / 3)
    assert value(two(), "balanced_accuracy") == pytest.approx((282 / 357 + 4_841 / 5_303) / 2)


@pytest.mark.parametrize(
    ("matrix", "labels", "recall", "note"),
    [
        ([[3, 1], [0, 0]], ["a", "b"], 3 / 4, "1 of 2 classes; undefined for ['b']"),
        ([[0, 0], [1, 4]], ["a", "b"], 4 / 5, "1 of 2 classes; undefined for ['a']"),
        ([[0, 0], [1, 4]], [0, 1], 4 / 5, "1 of 2 classes; undefined for [0]"),
        ([[3, 1, 0], [2, 2, 0], [0, 0, 0]], NAMES, 5 / 8, "2 of 3 classes; undefined for ['c']"),
    ],
)
def test_balanced_accuracy_leaves_out_a_class_without_rows_and_says_so(
    matrix: list[list[int]], labels: list[Any], recall: float, note: str
) -> None:
    for pos_label in (None, *labels):
        ev = tm.Confusion(matrix, labels=labels).evaluate(pos_label=pos_label)
        estimate = ev["balanced_accuracy"]
        assert (estimate.value, estimate.note) == (pytest.approx(recall), note)
        assert estimate.to_dict() == ev["recall_macro"].to_dict()
        assert estimate.low < recall < estimate.high  # type: ignore[operator]
    zero = tm.Confusion(matrix, labels=labels).evaluate(undefined=0)["balanced_accuracy"]
    assert zero.value == pytest.approx(recall * (len(labels) - 1) / len(labels))
    assert "counted as 0" in str(zero.note)


def test_balanced_accuracy_of_rows_of_one_class() -> None:
    ev = evaluate([1, 1, 1], [1, 0, 1])
    assert ev["balanced_accuracy"].value == ev["recall"].value == pytest.approx(2 / 3)
    assert ev["balanced_accuracy"].note == "1 of 2 classes; undefined for [0]"
    assert evaluate(["a", "a"], ["a", "a"])["balanced_accuracy"].value == 1


NEVER = [[20, 4, 0], [6, 30, 0], [5, 5, 0]]


def test_averages_leave_out_undefined_classes_and_say_so() -> None:
    ev = tm.Confusion(NEVER, labels=NAMES).evaluate()
    macro = ev["precision_macro"]
    assert macro.value == pytest.approx((20 / 31 + 30 / 39) / 2)
    assert macro.note == "2 of 3 classes; undefined for ['c']"
    assert ev["precision_weighted"].value == pytest.approx(np.average([20 / 31, 30 / 39], weights=[24, 36]))
    assert ev["recall_macro"].note is None
    # F comes from counts: a class that exists and is never hit has 0, not nothing.
    assert ev.per_class["c"]["f1"].value == 0
    assert ev.per_class["c"]["precision"].value is None
    assert ev["f1_macro"].value == pytest.approx((40 / 55 + 60 / 75 + 0) / 3)
    assert "2 of 3 classes; undefined for ['c']" in " ".join(str(ev).split())


def test_undefined_classes_can_count_as_zero() -> None:
    ev = tm.Confusion(NEVER, labels=NAMES).evaluate(undefined=0)
    assert ev["precision_macro"].value == pytest.approx((20 / 31 + 30 / 39 + 0) / 3)
    assert ev["precision_macro"].note == "undefined for ['c'], counted as 0"
    assert ev["precision_weighted"].value == pytest.approx((24 * 20 / 31 + 36 * 30 / 39) / 70)
    # The class itself stays undefined.
    assert ev.per_class["c"]["precision"].value is None
    assert evaluate(["a", "b", "c"], ["a", "a", "a"], undefined=0)["precision_macro"].value == (
        pytest.approx(1 / 9)
    )


# --- other class shares -----------------------------------------------------------------------------


@pytest.mark.parametrize("share", [0.01, 0.2, 0.5, 1.0])
def test_at_another_prevalence_by_hand(share: float) -> None:
    tpr, fpr = 282 / 357, 462 / 5_303
    ev = two(pos_label="1").at_prevalence(share)
    assert value(ev, "precision") == pytest.approx(tpr * share / (tpr * share + fpr * (1 - share)))
    assert value(ev, "accuracy") == pytest.approx(tpr * share + (1 - fpr) * (1 - share))
    assert value(ev, "recall") == pytest.approx(tpr)
    assert value(ev, "prevalence") == pytest.approx(share)
    if share < 1:
        assert value(ev, "fpr") == pytest.approx(fpr)
        negative = (1 - fpr) * (1 - share)
        assert value(ev, "npv") == pytest.approx(negative / (negative + (1 - tpr) * share))


def test_at_its_own_prevalence_nothing_changes() -> None:
    ev = two(pos_label="1")
    same = ev.at_prevalence(357 / 5_660)
    for name in ("precision", "accuracy", "f1", "mcc", "kappa", "npv", "markedness"):
        assert value(same, name) == pytest.approx(value(ev, name))


def test_at_other_shares_of_several_classes_by_hand() -> None:
    shares = {"c": 0.7, "a": 0.1, "b": 0.2}
    ev = three().at_prevalence(shares)
    rates = {label: [cell / sum(row) for cell in row] for label, row in zip(NAMES, MATRIX, strict=True)}
    for place, label in enumerate(NAMES):
        called = sum(shares[other] * rates[other][place] for other in NAMES)
        hit = shares[label] * rates[label][place]
        assert ev.per_class[label]["precision"].value == pytest.approx(hit / called)
        assert ev.per_class[label]["recall"].value == pytest.approx(rates[label][place])
        assert ev.per_class[label].support == pytest.approx(120 * shares[label])
    recalls = {label: rates[label][place] for place, label in enumerate(NAMES)}
    assert value(ev, "accuracy") == pytest.approx(sum(shares[label] * recalls[label] for label in NAMES))
    assert value(ev, "recall_weighted") == pytest.approx(value(ev, "accuracy"))
    assert value(ev, "recall_macro") == pytest.approx(sum(recalls.values()) / 3)
    assert value(ev, "no_information_rate") == pytest.approx(0.7)


def test_costs_follow_the_shares() -> None:
    costs = [[0, 10], [1, 0]]
    ev = two(pos_label="1", costs=costs).at_prevalence(0.5)
    assert value(ev, "mean_cost") == pytest.approx(0.5 * 10 * 75 / 357 + 0.5 * 462 / 5_303)
    assert value(ev, "total_cost") == pytest.approx(5_660 * value(ev, "mean_cost"))


def test_other_shares_are_said_and_leave_the_evaluation_as_it_was() -> None:
    ev = two(pos_label="1")
    other = ev.at_prevalence(0.25)
    assert other.notes == (
        *ev.notes,
        "class shares are not the sample's but '1' 0.25, '0' 0.75; counts are expected counts.",
    )
    assert ev["prevalence"].value == pytest.approx(357 / 5_660)
    form = json.loads(other.to_json())
    assert form["notes"] == list(other.notes)
    # Expected counts: 5660 * 0.25 * 282 / 357 hits.
    assert form["confusion"]["matrix"][0][0] == pytest.approx(5_660 * 0.25 * 282 / 357)
    assert "class shares are not the sample's" in " ".join(str(other).split())


def test_a_class_may_have_no_share() -> None:
    ev = three().at_prevalence({"a": 0.5, "b": 0.5})
    assert ev.per_class["c"]["recall"].value is None
    assert value(ev, "accuracy") == pytest.approx(0.5 * 50 / 60 + 0.5 * 30 / 40)


@pytest.mark.parametrize(
    "prevalence", [-0.1, 1.1, math.nan, {"1": 0.5, "0": 0.4}, {"1": 0.5}, {"1": 1.2, "0": -0.2}]
)
def test_shares_lie_between_0_and_1_and_add_up_to_1(prevalence: Any) -> None:
    with pytest.raises(OptionError, match="class shares lie between 0 and 1 and add up to 1"):
        two(pos_label="1").at_prevalence(prevalence)


@pytest.mark.parametrize(
    ("prevalence", "got"),
    [
        ("a", "'a'"),
        (None, "None"),
        ([0.3, 0.7], "[0.3, 0.7]"),
        ((), "()"),
        (np.array([0.3, 0.7]), "array([0.3, 0.7])"),
        ({"1": "much", "0": 0.5}, "'much'"),
        ({"1": None, "0": 1}, "None"),
    ],
    ids=str,
)
def test_a_share_is_a_number(prevalence: Any, got: str) -> None:
    with pytest.raises(OptionError) as caught:
        two(pos_label="1").at_prevalence(prevalence)
    assert caught.value.message == f"a class share is a number from 0 to 1; got {got}."


def test_one_share_of_three_is_the_positive_class() -> None:
    # Of 120 rows 40 are b; the rest, 60 of a and 20 of c, share 0.9 as 3 to 1.
    ev = three(pos_label="b").at_prevalence(0.1)
    same = three(pos_label="b").at_prevalence({"a": 0.675, "b": 0.1, "c": 0.225})
    for name in ("accuracy", "precision", "recall", "f1_macro"):
        assert value(ev, name) == pytest.approx(value(same, name))
    assert ev.notes[-1] == (
        "class shares are not the sample's but 'a' 0.675, 'b' 0.1, 'c' 0.225 (all but 'b' in proportion to "
        "their rows); counts are expected counts."
    )
    # Shares that were changed before do not change what the rows were.
    again = three(pos_label="b").at_prevalence({"a": 0.1, "b": 0.1, "c": 0.8}).at_prevalence(0.1)
    assert value(again, "accuracy") == value(ev, "accuracy")


def test_one_share_needs_a_positive_class() -> None:
    for ev in (three(), evaluate(["a", "b"], ["a", "b"])):
        with pytest.raises(OptionError, match="one share is that of the positive class, and none is named"):
            ev.at_prevalence(0.5)
    assert (
        value(evaluate(["a", "b", "b"], ["a", "b", "a"]).at_prevalence({"a": 0.5, "b": 0.5}), "accuracy")
        == 0.75
    )


def test_a_share_of_what_is_not_there_is_refused() -> None:
    with pytest.raises(LabelError, match="label='z' is not a label"):
        three().at_prevalence({"a": 0.5, "z": 0.5})
    with pytest.raises(OptionError, match="no row is actually 'c', so its rates are unknown"):
        evaluate(["a", "b"], ["a", "c"]).at_prevalence({"a": 0.5, "c": 0.5})
    with pytest.raises(OptionError, match="no row is actually 0, so its rates are unknown"):
        evaluate([1, 1], y_score=[-5, 5], labels=[0, 1]).at_prevalence(0.5)


# --- asking again -----------------------------------------------------------------------------------


def test_another_level_is_asked_of_the_estimate_or_of_the_evaluation() -> None:
    narrow, wide = (
        two(pos_label="1", confidence_level=0.5)["recall"],
        two(pos_label="1")["recall"].interval(0.99),
    )
    assert (narrow.level, wide.level) == (0.5, 0.99)
    assert narrow == two(pos_label="1")["recall"].interval(0.5)
    assert None not in (narrow.low, narrow.high, wide.low, wide.high)
    assert wide.low < narrow.low < 282 / 357 < narrow.high < wide.high  # type: ignore[operator]


def test_the_same_seed_gives_the_same_intervals() -> None:
    one, same, other = (two(pos_label="1", random_state=seed)["mcc"] for seed in (1, 1, 2))
    assert (one.low, one.high) == (same.low, same.high)
    assert (one.low, one.high) != (other.low, other.high)


def test_an_evaluation_says_what_it_is() -> None:
    assert repr(two(pos_label="1")) == "Evaluation(binary, 5,660 rows, 2 labels, positive '1')"
    assert repr(three()) == "Evaluation(multiclass, 120 rows, 3 labels)"


def test_a_class_says_what_it_is() -> None:
    assert repr(three().per_class["a"]) == "ClassResult('a', support 60)"
    numbers = tm.Confusion([[5_000, 1], [0, 9]], labels=[0, 1]).evaluate()
    assert repr(numbers.per_class) == "{0: ClassResult(0, support 5,001), 1: ClassResult(1, support 9)}"


def test_a_number_says_what_it_is() -> None:
    assert repr(two(pos_label="1")["recall"]) == "Estimate(0.7899 [0.7447, 0.829] (95 % wilson, n = 357))"
    assert repr(three()["recall"]) == "Estimate(undefined: name the positive class)"
    assert repr(two()["no_information_rate"]).startswith("Estimate(0.9369 (no interval: the largest of")


# --- like a mapping ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["recall", "tpr", "recall_macro", "mcc_macro", "f_beta:2", " f1 ", "total_cost"]
)
def test_what_can_be_asked_for_is_in_it(name: str) -> None:
    ev = two(pos_label="1")
    assert name in ev
    assert ev[name] is not None


@pytest.mark.parametrize(
    "name", ["recal", "", "f_beta", "f_beta:x", "total_cost_macro", 0, None, ("recall",)]
)
def test_what_cannot_be_asked_for_is_not_in_it(name: Any) -> None:
    assert name not in two(pos_label="1")
    with pytest.raises(MetricError):
        two(pos_label="1")[name]


def test_going_over_it_gives_names_as_its_metrics_have_them() -> None:
    ev = three(costs=[[0, 1, 1], [1, 0, 1], [1, 1, 0]])
    assert list(ev) == list(ev.metrics)
    assert len(list(ev)) == len(set(ev))
    assert {"accuracy", "recall_macro", "total_cost"} <= set(ev)
    assert all(ev[name] == ev.metrics[name] for name in ev)
    assert all(name in ev for name in ev)
    assert "total_cost" not in list(three())


def test_numbers_have_names_and_no_places() -> None:
    """Without this, Python would go over an evaluation by asking for 0, 1, 2 and so on."""
    with pytest.raises(MetricError, match="a metric is asked for by its name; got 0"):
        two()[0]  # type: ignore[index]


def test_an_evaluation_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        two().positive = "0"  # type: ignore[misc]


def test_an_empty_tally_is_refused() -> None:
    with pytest.raises(tm.ShapeError, match="there are no rows in this tally"):
        tm.Confusion([[0, 0], [0, 0]]).evaluate()


# --- JSON -------------------------------------------------------------------------------------------

ESTIMATE = {"value", "low", "high", "level", "method", "n", "assumption"}
TOP = {
    "schema", "task", "rows", "dropped", "labels", "positive", "threshold", "confusion", "metrics",
    "per_class", "averages", "curves", "costs", "findings", "slices",
}  # fmt: skip
CLASS = [
    "label", "support", "tp", "fn", "fp", "tn", "precision", "recall", "fpr", "f1", "mcc", "auc",
    "average_precision",
]  # fmt: skip
COUNT_BASED = [
    "accuracy", "error_rate", "balanced_accuracy", "precision", "recall", "specificity", "npv", "fpr", "fnr",
    "fdr", "false_omission_rate", "f1", "jaccard", "mcc", "kappa", "informedness", "markedness", "lr_plus",
    "lr_minus", "diagnostic_odds_ratio", "g_mean", "prevalence", "predicted_positive_rate",
    "no_information_rate",
]  # fmt: skip


UNRANKED = {"value": None, "why": "no scores were given"}


def strictly(text: str) -> Any:
    """JSON that has no NaN and no Infinity."""

    def refuse(word: str) -> None:
        raise AssertionError(f"{word} in JSON")

    return json.loads(text, parse_constant=refuse)


def estimates(form: dict[str, Any]) -> list[dict[str, Any]]:
    found = [*form["metrics"].values()]
    for row in form["averages"].values():
        found += row.values()
    for result in form["per_class"]:
        found += [result[name] for name in CLASS[6:]]
    return found


def test_the_json_document_has_the_keys_of_the_interface() -> None:
    form = strictly(two(pos_label="1").to_json())
    assert set(form) == TOP | {"notes"}
    assert form["schema"] == "tallymark/evaluation/1"
    assert (form["task"], form["rows"], form["dropped"]) == ("binary", 5_660, {})
    assert (form["labels"], form["positive"], form["threshold"]) == (["1", "0"], "1", None)
    assert form["confusion"] == {"labels": ["1", "0"], "matrix": [[282, 75], [462, 4_841]]}
    assert set(COUNT_BASED) <= set(form["metrics"])
    assert {
        f"{name}_{kind}" for name in ("precision", "recall", "f1") for kind in ("macro", "micro", "weighted")
    } <= (set(form["metrics"]))
    assert set(form["averages"]) == {"macro", "micro", "weighted"}
    assert {"precision", "recall", "f1"} <= set(form["averages"]["macro"])
    assert form["costs"] is None
    assert form["slices"] == []


def test_an_estimate_in_json_knows_its_interval() -> None:
    assert strictly(two(pos_label="1").to_json())["metrics"]["recall"] == {
        "value": 282 / 357,
        "low": pytest.approx(0.7447, abs=5e-5),
        "high": pytest.approx(0.8290, abs=5e-5),
        "level": 0.95,
        "method": "wilson",
        "n": 357,
        "assumption": "independent rows",
    }


def test_the_classes_in_json() -> None:
    form = strictly(three().to_json())
    assert form["task"] == "multiclass"
    assert [list(result) for result in form["per_class"]] == [CLASS] * 3
    for result in form["per_class"]:
        assert {name: result[name] for name in CLASS[1:6]} == CELLS[result["label"]]
        assert result["auc"] == result["average_precision"] == UNRANKED


def test_costs_in_json() -> None:
    costs = strictly(two(pos_label="1", costs=[[-1, 100], [1, 0]]).to_json())["costs"]
    assert costs["labels"] == ["1", "0"]
    assert costs["matrix"] == [[-1, 100], [1, 0]]
    assert costs["total"]["value"] == -282 + 7_500 + 462
    assert costs["mean"]["value"] == pytest.approx((-282 + 7_500 + 462) / 5_660)
    form = strictly(two(pos_label="1", costs=[[-1, 100], [1, 0]]).to_json())
    assert form["metrics"]["total_cost"] == costs["total"]
    assert "total_cost" not in strictly(two(pos_label="1").to_json())["metrics"]


@pytest.mark.parametrize(
    "ev",
    [
        two(pos_label="1"),
        three(),
        three(undefined=0, costs=[[0, 1, 2], [3, 0, 4], [5, 6, 0]]),
        two(pos_label="1").at_prevalence(0.01),
        tm.Confusion([[5, 0], [0, 5]]).evaluate(),
        tm.Confusion([[0, 5], [5, 0]]).evaluate(),
        tm.Confusion([[5, 0], [5, 0]]).evaluate(),
        tm.Confusion([[5, 5], [0, 0]]).evaluate(),
        tm.Confusion([[1, 0], [0, 0]]).evaluate(),
        evaluate([1, 1], [1, 1]),
        evaluate(["a", "b"], ["b", "c"]),
        evaluate([0, 1], y_score=[-5, 5]),
        evaluate([0, 1], y_score=[0.1, 0.9], threshold="best"),
        evaluate([2**62, 1], [1, 1]),
    ],
    ids=lambda ev: repr(ev.confusion),
)
def test_json_never_holds_nan_and_every_undefined_number_says_why(ev: Evaluation) -> None:
    form = strictly(ev.to_json())
    assert form == ev.to_dict()
    for estimate in estimates(form):
        if estimate["value"] is None:
            assert set(estimate) == {"value", "why"}
            assert estimate["why"]
        else:
            assert set(estimate) - {"note", "se"} == ESTIMATE
            if estimate["method"] is None:
                assert (estimate["low"], estimate["high"]) == (None, None)
                assert estimate["note"]
            else:
                assert estimate["low"] <= estimate["value"] <= estimate["high"]
    assert str(ev)


@pytest.mark.parametrize(
    ("labels", "texts"),
    [
        ([False, True], ["False", "True"]),
        ([0, 1], ["0", "1"]),
        (["0", "1"], ["0", "1"]),
        ([-5, 2**60 + 1], ["-5", "1152921504606846977"]),
        (["\n", "é"], ["\n", "é"]),
    ],
)
def test_labels_are_text_in_json(labels: list[Any], texts: list[str]) -> None:
    """A reader must not have to know whether they were numbers; 2**60 + 1 is not even one to JavaScript."""
    ev = evaluate(labels, labels, labels=labels, pos_label=labels[1], costs=[[0, 1], [2, 0]])
    form = strictly(ev.to_json())
    assert form["labels"] == form["confusion"]["labels"] == form["costs"]["labels"] == texts
    assert [result["label"] for result in form["per_class"]] == texts
    assert form["positive"] == texts[1]
    assert (ev.labels, ev.positive) == (tuple(labels), labels[1])


def test_no_positive_class_is_null_in_json() -> None:
    assert strictly(evaluate([1, 2], [1, 2]).to_json())["positive"] is None


def test_the_positive_class_and_the_rest_are_text_in_json() -> None:
    form = strictly(evaluate([0, 1, 2], y_score=[0.9, 0.8, 0.2], pos_label=1).to_json())
    assert form["confusion"] == {"labels": ["1", "rest"], "matrix": [[1, 0], [1, 1]]}
    assert (form["labels"], form["positive"]) == (["1", "rest"], "1")


def test_without_a_threshold_every_count_in_json_is_undefined_for_that_reason() -> None:
    form = strictly(evaluate([0, 1, 1], y_score=[-5, 5, 0]).to_json())
    why = {"value": None, "why": "pass a threshold"}
    assert (form["labels"], form["positive"], form["threshold"]) == (["0", "1"], "1", None)
    assert form["confusion"] is None
    assert [list(result) for result in form["per_class"]] == [CLASS] * 2
    assert [result["label"] for result in form["per_class"]] == ["0", "1"]
    assert [result["support"] for result in form["per_class"]] == [1, 2]
    for result in form["per_class"]:
        assert {result[name] for name in CLASS[2:6]} == {None}
        assert [result[name] for name in CLASS[6:11]] == [why] * 5
        assert result["auc"]["value"] == result["average_precision"]["value"] == 1
    assert set(form["metrics"]) == set(strictly(two(pos_label="1").to_json())["metrics"])
    ranked = {"auc", "gini", "ks", "average_precision", "brier", "brier_half", "log_loss", "ece", "mce"}
    assert all(number == why for name, number in form["metrics"].items() if name not in ranked)
    assert form["metrics"]["auc"]["value"] == 1
    assert form["metrics"]["brier"]["why"] == "scores leave [0, 1], so they are no probabilities"


def test_without_a_threshold_the_averages_in_json_are_undefined_for_that_reason() -> None:
    averages = strictly(evaluate([0, 1, 1], y_score=[-5, 5, 0]).to_json())["averages"]
    usual = strictly(two(pos_label="1").to_json())["averages"]
    why = {"value": None, "why": "pass a threshold"}
    assert averages == {average: dict.fromkeys(row, why) for average, row in usual.items()}


# --- shares in JSON ---------------------------------------------------------------------------------


def test_shares_of_a_small_matrix_in_json() -> None:
    ev = tm.Confusion([[3, 1, 0], [2, 2, 0], [0, 0, 0]], labels=NAMES).evaluate()
    assert "normalized" not in ev.to_dict()["confusion"]
    for by, matrix in (
        ("actual", [[0.75, 0.25, 0], [0.5, 0.5, 0], [None, None, None]]),
        ("predicted", [[0.6, 1 / 3, None], [0.4, 2 / 3, None], [0, 0, None]]),
        ("all", [[0.375, 0.125, 0], [0.25, 0.25, 0], [0, 0, 0]]),
    ):
        assert ev.to_dict(normalize=by)["confusion"]["normalized"] == {"by": by, "matrix": matrix}


def test_shares_of_a_large_matrix_in_json_are_those_of_its_cells() -> None:
    labels = list(range(1_001))
    cells, counts = np.array([0, 1, 1_002, 1_001 * 1_001 - 1]), np.array([3, 1, 2, 4])
    ev = tm.Confusion.from_cells(labels, cells, counts).evaluate()
    assert ev.to_dict(normalize="actual")["confusion"] == {
        "labels": [str(label) for label in labels],
        "cells": [[0, 0, 3], [0, 1, 1], [1, 1, 2], [1_000, 1_000, 4]],
        "normalized": {
            "by": "actual",
            "cells": [[0, 0, 3 / 4], [0, 1, 1 / 4], [1, 1, 1], [1_000, 1_000, 1]],
        },
    }


# --- text -------------------------------------------------------------------------------------------


def test_printing_says_rows_labels_positive_class_and_threshold() -> None:
    text = " ".join(str(evaluate([0, 1, 1], y_score=[0.1, 0.3, 0.9], threshold=0.25)).split())
    for words in ("3 rows", "2 classes: 0, 1", "Positive class: 1", "score >= 0.25", "95 %"):
        assert words in text


def test_printing_says_what_was_assumed() -> None:
    ev = evaluate(["0.0", "1.0"], y_score=[0.1, 0.9])
    text = " ".join(str(ev).split())
    assert len(ev.notes) == 2
    for note in ev.notes:
        assert note in text


# --- files ------------------------------------------------------------------------------------------


def test_saving_goes_by_the_suffix(tmp_path: Path) -> None:
    ev = two(pos_label="1")
    ev.save(tmp_path / "ev.json")
    ev.save(str(tmp_path / "ev.TXT"))
    assert json.loads((tmp_path / "ev.json").read_text(encoding="utf-8")) == ev.to_dict()
    assert (tmp_path / "ev.TXT").read_text(encoding="utf-8") == f"{ev}\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["ev.TXT", "ev.json"]


def test_a_saved_file_has_ordinary_permissions(tmp_path: Path) -> None:
    two().save(tmp_path / "ev.json")
    (tmp_path / "other").touch()
    modes = {stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()}
    assert len(modes) == 1


def test_an_existing_file_is_kept_unless_told_otherwise(tmp_path: Path) -> None:
    target = tmp_path / "ev.json"
    target.write_text("mine")
    with pytest.raises(FileError) as caught:
        two().save(target)
    assert str(caught.value) == (
        f"'{target}' exists already. Hint: use --force (overwrite=True) to replace it."
    )
    assert target.read_text() == "mine"
    two().save(target, overwrite=True)
    assert json.loads(target.read_text())["rows"] == 5_660


@pytest.mark.parametrize("name", ["ev.docx", "ev", "ev.json.zip", ".json"])
def test_an_unknown_suffix_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(
        FileError,
        match=r"the suffix sets the format and must be \.csv, \.html, \.json, \.md, \.tex or \.txt\.$",
    ):
        two().save(tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_a_missing_folder_and_a_folder_are_refused(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"the folder '.*none' does not exist"):
        two().save(tmp_path / "none" / "ev.json")
    (tmp_path / "folder.json").mkdir()
    with pytest.raises(FileError, match="is a directory"):
        two().save(tmp_path / "folder.json", overwrite=True)


def test_a_file_is_written_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "ev.json"
    target.write_text("mine")

    def fail(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    for broken in ("replace", "chmod"):
        with monkeypatch.context() as patch:
            patch.setattr(os, broken, fail)
            with pytest.raises(FileError) as caught:
                two().save(target, overwrite=True)
        assert str(caught.value) == f"cannot write '{target}': No space left on device."
        assert target.read_text() == "mine"
        assert [path.name for path in tmp_path.iterdir()] == ["ev.json"]


def test_a_report_that_cannot_be_made_leaves_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: Evaluation) -> str:
        raise RuntimeError("no report")

    monkeypatch.setattr(Evaluation, "to_json", fail)
    with pytest.raises(RuntimeError, match="no report"):
        two().save(tmp_path / "ev.json")
    assert list(tmp_path.iterdir()) == []


def test_normalize_takes_one_of_three_words() -> None:
    ev = tm.evaluate([1, 0], [1, 1])
    for form in (ev.to_dict, ev.document):
        with pytest.raises(tm.OptionError, match="actual, predicted, all; got 'rows'"):
            form(normalize="rows")


def test_the_largest_of_several_shares_has_no_interval_however_it_is_asked_for() -> None:
    ev = tm.evaluate([0, 1, 2, 2], [0, 1, 2, 1])
    for estimate in (ev["no_information_rate_macro"], ev.per_class[2]["no_information_rate"]):
        assert (estimate.low, estimate.note) == (None, "the largest of several shares has no honest interval")


def test_asking_for_other_shares_twice_leaves_one_note() -> None:
    ev = tm.Confusion([[9, 1], [2, 8]], labels=["+", "-"]).evaluate().at_prevalence(0.1).at_prevalence(0.5)
    assert len([note for note in ev.notes if "class shares" in note]) == 1


def test_a_number_asked_for_twice_stands_once() -> None:
    ev = tm.evaluate([1, 0, 1], [1, 0, 0])
    (summary,) = [
        section for section in ev.document(extra=("recall",)).sections if section.title == "Summary"
    ]
    (plain,) = [section for section in ev.document().sections if section.title == "Summary"]
    assert summary == plain


def test_it_can_be_pickled_and_copied_before_and_after_it_was_read() -> None:
    ev = tm.Confusion([[8, 3], [2, 20]]).evaluate(costs=[[0, 5], [1, 0]])
    for one in (ev, ev.at_prevalence(0.1)):
        assert str(pickle.loads(pickle.dumps(one))) == str(one) == str(copy.deepcopy(one))
        assert pickle.loads(pickle.dumps(one)).to_json() == one.to_json()


def test_a_pickled_estimate_keeps_its_ends_and_says_that_it_cannot_be_asked_again() -> None:
    for name in ("recall", "mcc", "no_information_rate"):
        estimate = tm.Confusion([[8, 3], [2, 20]]).evaluate()[name]
        copied = pickle.loads(pickle.dumps(estimate))
        assert copied.to_dict() == estimate.to_dict()
        assert copied.interval(0.99).low is None


def test_labels_without_answers_are_not_taken_for_files() -> None:
    for labels in (["yes", "no"], ["yes", "no", "no"]):
        with pytest.raises(tm.OptionError, match="the answers are missing"):
            tm.evaluate(labels)


def test_a_truth_is_neither_a_threshold_nor_a_share() -> None:
    with pytest.raises(tm.OptionError):
        tm.evaluate([0, 1], y_score=[0.2, 0.7], threshold=True)
    for share in (True, ".5"):
        with pytest.raises(tm.OptionError):
            tm.Confusion([[8, 3], [2, 20]]).evaluate().at_prevalence(share)


def test_a_level_close_to_1_is_not_called_100_percent() -> None:
    assert "(99.99999 % wilson" in str(tm.evaluate([0, 1], [0, 1], confidence_level=0.9999999)["recall"])
