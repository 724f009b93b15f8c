"""Metrics of each class and their averages by hand, what can be asked for, and what is refused."""

import copy
import json
import math
import pickle

import numpy as np
import pytest

import tallymark as tm
from scored import classes, refusals
from shapes import NAMES, three, two, values
from tallymark.data import path

NEVER = [[20, 4, 0], [6, 30, 0], [5, 5, 0]]  # c is never predicted
CELLS = {"a": (50, 10, 13, 47), "b": (30, 10, 11, 69), "c": (10, 10, 6, 94)}  # tp, fn, fp, tn
COSTS = [[0, 1, 1], [1, 0, 1], [1, 1, 0]]


def test_every_class_against_the_rest_by_hand():
    ev = three()
    for label, (tp, fn, fp, tn) in CELLS.items():
        found = ev.per_class[label]
        assert (found.tp, found.fn, found.fp, found.tn, found.support) == (tp, fn, fp, tn, tp + fn)
        product = (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)
        expected = {
            "precision": tp / (tp + fp), "recall": tp / (tp + fn), "fpr": fp / (fp + tn),
            "f1": 2 * tp / (2 * tp + fp + fn), "mcc": (tp * tn - fp * fn) / math.sqrt(product),
        }  # fmt: skip
        assert {name: found[name].value for name in expected} == pytest.approx(expected)
        assert found["specificity"].value == pytest.approx(tn / (tn + fp))
        # A class reads like a mapping of the metrics that tables show.
        assert list(found) == [*expected, "auc", "average_precision"]
        assert len(found) == len(dict(found.items())) == 7
        assert found["auc"].value is None
    counts = {name: three().to_dict()["per_class"][1][name] for name in ("tp", "fn", "fp", "tn", "support")}
    assert counts == {"tp": 30, "fn": 10, "fp": 11, "tn": 69, "support": 40}


def test_averages_by_hand():
    ev = three()
    # Every error is a miss and a false alarm, so these three micro averages are the accuracy.
    for name, each in (("recall", [50 / 60, 30 / 40, 10 / 20]), ("precision", [50 / 63, 30 / 41, 10 / 16])):
        expected = [np.mean(each), np.average(each, weights=[60, 40, 20]), 90 / 120]
        assert [ev.averages[how][name].value for how in ("macro", "weighted", "micro")] == pytest.approx(
            expected
        )
        assert values(ev, *(f"{name}_{how}" for how in ("macro", "weighted", "micro"))) == pytest.approx(
            expected
        )
    assert ev["no_information_rate_macro"].low is None
    assert ev.per_class["c"]["no_information_rate"].low is None


def test_balanced_accuracy_leaves_out_a_class_without_rows(snapshot):
    told = {}
    for matrix, names, recall in (
        ([[3, 1], [0, 0]], ["a", "b"], 3 / 4),
        ([[0, 0], [1, 4]], ["a", "b"], 4 / 5),
        ([[0, 0], [1, 4]], [0, 1], 4 / 5),
        ([[3, 1, 0], [2, 2, 0], [0, 0, 0]], NAMES, 5 / 8),
    ):
        tally = tm.Confusion(matrix, labels=names)
        for pos_label in (None, *names):
            ev = tally.evaluate(pos_label=pos_label)
            found = ev["balanced_accuracy"]
            assert found.value == pytest.approx(recall)
            assert found.low < recall < found.high
            assert found.to_dict() == ev["recall_macro"].to_dict()
        zero = tally.evaluate(undefined=0)["balanced_accuracy"]
        assert zero.value == pytest.approx(recall * (len(names) - 1) / len(names))
        told[f"balanced accuracy of {matrix} {names}"] = f"{found.note}\n{zero.note}"
    one = tm.evaluate([1, 1, 1], [1, 0, 1])
    assert values(one, "balanced_accuracy", "recall") == pytest.approx([2 / 3, 2 / 3])
    assert values(tm.evaluate(["a", "a"], ["a", "a"]), "balanced_accuracy") == [1]
    never = tm.Confusion(NEVER, labels=NAMES)
    for undefined in (None, 0):
        ev = never.evaluate(**({} if undefined is None else {"undefined": undefined}))
        told[f"precision where c is never predicted, undefined={undefined}"] = str(ev["precision_macro"].note)
        assert ev["recall_macro"].note is None
        # F comes from counts, so a class that exists and is never hit has 0; its precision stays undefined.
        assert (ev.per_class["c"]["f1"].value, ev.per_class["c"]["precision"].value) == (0, None)
        assert ev["f1_macro"].value == pytest.approx((40 / 55 + 60 / 75 + 0) / 3)
        expected = [20 / 31, 30 / 39] + [0] * (undefined == 0)
        weights = [24, 36, 10][: len(expected)]
        assert values(ev, "precision_macro", "precision_weighted") == pytest.approx(
            [np.mean(expected), np.average(expected, weights=weights)]
        )
    assert values(tm.evaluate(list("abc"), list("aaa"), undefined=0), "precision_macro") == pytest.approx(
        [1 / 9]
    )
    snapshot("evaluation_averages", told)


def test_what_can_be_asked_for():
    ev = three(costs=COSTS)
    assert list(ev) == list(ev.metrics)
    assert len(set(ev)) == len(list(ev))
    assert {"accuracy", "recall_macro", "total_cost"} <= set(ev)
    assert "total_cost" not in list(three())
    assert [name for name in ev if name not in ev or ev[name] != ev.metrics[name]] == []
    ev = two()
    for name in ("recall", "tpr", "recall_macro", "mcc_macro", "f_beta:2", " f1 ", "total_cost"):
        assert name in ev
        assert ev[name] is not None
    # Without an error for 0, Python would go over an evaluation by asking for 0, 1, 2 and so on.
    unknown = ("recal", "", "f_beta", "f_beta:x", "total_cost_macro", 0, None, ("recall",))
    assert [name for name in unknown if name in ev] == []
    calls = {repr(name): lambda name=name: ev[name] for name in unknown}
    assert set(classes(refusals(calls)).values()) == {"MetricError"}


def test_refused(snapshot):
    calls = {
        "metric recal": lambda: three()["recal"],
        "metric 0": lambda: two()[0],
        "total cost of one class": lambda: three().per_class["b"]["total_cost"],
        "total cost macro": lambda: three(costs=COSTS)["total_cost_macro"],
        "no rows": tm.Confusion([[0, 0], [0, 0]]).evaluate,
        "labels without predictions": lambda: tm.evaluate(["yes", "no"]),
        "three labels without predictions": lambda: tm.evaluate(["yes", "no", "no"]),
        "a truth as threshold": lambda: tm.evaluate([0, 1], y_score=[0.2, 0.7], threshold=True),
        "scores beside predictions need a positive class": lambda: tm.evaluate(
            list("aba"), list("abb"), y_score=[0.2, 0.9, 0.4]
        ),
        "a set delimiter beside arrays": lambda: tm.evaluate(["a;b", "b"], ["a", "b"], set_delimiter=";"),
        "an empty set delimiter": lambda: tm.evaluate(["a;b", "b"], ["a", "b"], set_delimiter=""),
        "normalize": lambda: two().to_dict(normalize="rows"),
    }
    refused = refusals(calls)
    assert classes(refused) == dict.fromkeys(calls, "OptionError") | {
        "metric recal": "MetricError", "metric 0": "MetricError", "total cost of one class": "MetricError",
        "total cost macro": "MetricError", "no rows": "ShapeError",
        "scores beside predictions need a positive class": "LabelError",
    }  # fmt: skip
    snapshot("evaluation_errors", refused)
    with pytest.raises(AttributeError):
        two().positive = "0"


def test_printed(snapshot):
    group = np.repeat(np.arange(30), 10)
    actual = np.tile([1, 0, 0], 100)
    bayes = tm.evaluate(
        path("breast_cancer.csv"), score="bayes_score", actual="actual", pos_label="malignant"
    )
    numbers = tm.Confusion([[5_000, 1], [0, 9]], labels=[0, 1]).evaluate()
    close_to_1 = tm.evaluate([0, 1], [0, 1], confidence_level=0.9999999)["recall"]
    compared = tm.compare({"a": [1, 1, 0, 0], "b": [1, 0, 1, 0]}, [1, 1, 0, 0])["accuracy"]
    assert (f"{bayes['recall']:.3f}", f"{bayes['recall']:>8.1%}") == ("0.816", "   81.6%")  # 173 of 212
    assert (f"{compared:.2f}", float(compared)) == ("0.50", 0.5)
    assert f"{compared}" == str(compared)
    told = {
        "two classes": repr(two()), "three classes": repr(three()),
        "a class": repr(three().per_class["a"]), "classes": repr(numbers.per_class),
        "recall": repr(two()["recall"]), "undefined": repr(three()["recall"]),
        "without interval": repr(two()["no_information_rate"]),
        "of groups": str(tm.evaluate(actual, np.roll(actual, 1) | actual, groups=group)["accuracy"]),
        "a level close to 1": str(close_to_1), "a difference": str(compared),
        "scores and a threshold": str(tm.evaluate([0, 1, 1], y_score=[0.1, 0.3, 0.9], threshold=0.25)),
        "what was assumed": "\n".join(tm.evaluate([0.0, 1.0], y_score=[0.1, 0.9]).notes),
    }  # fmt: skip
    snapshot("evaluation_texts", told)
    assumed = tm.evaluate([0.0, 1.0], y_score=[0.1, 0.9])
    assert all(note in " ".join(str(assumed).split()) for note in assumed.notes)


def test_pickles_and_copies():
    ev = tm.Confusion([[8, 3], [2, 20]]).evaluate(costs=[[0, 5], [1, 0]])
    for one in (ev, ev.at_prevalence(0.1)):
        again = pickle.loads(pickle.dumps(one))
        assert str(again) == str(one) == str(copy.deepcopy(one))
        assert again.to_json() == one.to_json()
    assert pickle.loads(pickle.dumps(tm.recall)) is tm.recall


def test_edge_cases_of_undefined_metrics():
    assert tm.evaluate([1, 0, 1], [0, 0, 0], labels=[0, 1])["f_beta:0"].value is None
    # More than 2,000 classes are too many to compare each with each.
    size = 2_001
    many = tm.evaluate([0, 1], y_score=np.full((2, size), 1 / size), labels=list(range(size)))
    assert many["auc_ovo_macro"].value is None
    # One row outweighs all others: its loss has no interval.
    heavy = tm.evaluate([1, 0, 1, 0], y_score=[1, 0.5, 1, 0], sample_weight=[10_000, 1, 1, 1])
    assert heavy["log_loss"].low is None
    assert heavy["log_loss"].note
    json.loads(heavy.to_json())
    assert len(tm.evaluate([1, 0], [1, 0], slices=None).slices) == 0
