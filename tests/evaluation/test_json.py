"""The JSON document of an evaluation: its keys, strict numbers, reasons for what is undefined, shares."""

import json

import numpy as np
import pytest
from sklearn.metrics import roc_curve

import tallymark as tm
from shapes import NAMES, binary, rows, three, two

ESTIMATE = {"value", "low", "high", "level", "method", "n", "assumption"}
TOP = {
    "schema", "task", "rows", "dropped", "labels", "positive", "threshold", "confusion", "metrics", "notes",
    "per_class", "averages", "curves", "costs", "findings", "slices",
}  # fmt: skip
CLASS = [
    "label", "support", "tp", "fn", "fp", "tn", "precision", "recall", "fpr", "f1", "mcc", "auc",
    "average_precision",
]  # fmt: skip
COUNT_BASED = {
    "accuracy", "error_rate", "balanced_accuracy", "precision", "recall", "specificity", "npv", "fpr", "fnr",
    "fdr", "false_omission_rate", "f1", "jaccard", "mcc", "kappa", "informedness", "markedness", "lr_plus",
    "lr_minus", "diagnostic_odds_ratio", "g_mean", "prevalence", "predicted_positive_rate",
    "no_information_rate",
}  # fmt: skip
RANKED = {"auc", "gini", "ks", "average_precision", "brier", "brier_half", "log_loss", "ece", "mce"}


def strictly(ev):
    """JSON that has no NaN and no Infinity."""
    return json.loads(ev.to_json(), parse_constant=pytest.fail)


def test_keys_and_values():
    form = strictly(two())
    assert set(form) == TOP
    assert (form["schema"], form["task"], form["rows"]) == ("tallymark/evaluation/1", "binary", 5_660)
    assert (form["dropped"], form["costs"], form["slices"]) == ({}, None, [])
    assert "total_cost" not in form["metrics"]
    paid = strictly(two(costs=[[-1, 100], [1, 0]]))
    assert (paid["costs"]["labels"], paid["costs"]["matrix"]) == (["1", "0"], [[-1, 100], [1, 0]])
    assert paid["metrics"]["total_cost"] == paid["costs"]["total"]
    assert paid["costs"]["total"]["value"] == -282 + 7_500 + 462
    assert (form["labels"], form["positive"], form["threshold"]) == (["1", "0"], "1", None)
    assert form["confusion"] == {"labels": ["1", "0"], "matrix": [[282, 75], [462, 4_841]]}
    averages = {f"{n}_{how}" for n in ("precision", "recall", "f1") for how in ("macro", "micro", "weighted")}
    assert set(form["metrics"]) >= COUNT_BASED | averages
    assert set(form["averages"]) == {"macro", "micro", "weighted"}
    assert {"precision", "recall", "f1"} <= set(form["averages"]["macro"])
    assert form["metrics"]["recall"] == {
        "value": 282 / 357, "low": pytest.approx(0.7447, abs=5e-5), "high": pytest.approx(0.8290, abs=5e-5),
        "level": 0.95, "method": "wilson", "n": 357, "assumption": "independent rows",
    }  # fmt: skip
    form = strictly(three())
    assert form["task"] == "multiclass"
    assert [list(found) for found in form["per_class"]] == [CLASS] * 3
    assert [found["label"] for found in form["per_class"]] == NAMES
    for found in form["per_class"]:
        assert found["auc"] == found["average_precision"]
        assert (found["auc"]["value"], set(found["auc"])) == (None, {"value", "why"})


def test_no_nan_and_a_reason_for_everything_undefined():
    evs = [
        *(two(), three(), three(undefined=0, costs=[[0, 1, 2], [3, 0, 4], [5, 6, 0]])),
        two().at_prevalence(0.01),
        *(
            tm.Confusion(matrix).evaluate()
            for matrix in ([[5, 0], [0, 5]], [[0, 5], [5, 0]], [[5, 0], [5, 0]], [[5, 5], [0, 0]])
        ),
        tm.Confusion([[1, 0], [0, 0]]).evaluate(),
        tm.evaluate([1, 1], [1, 1]),
        tm.evaluate(["a", "b"], ["b", "c"]),
        tm.evaluate([0, 1], y_score=[-5, 5]),
        tm.evaluate([0, 1], y_score=[0.1, 0.9], threshold="best"),
        tm.evaluate([2**62, 1], [1, 1]),
        tm.evaluate([1, 0, 1, 0], y_score=[2, -1, 0.3, -0.4], groups=[0, 1, 2, 3]),
    ]
    for ev in evs:
        form = strictly(ev)
        assert form == ev.to_dict()
        assert str(ev)
        found = [form["metrics"], *form["averages"].values()]
        found += [{name: result[name] for name in CLASS[6:]} for result in form["per_class"]]
        for estimate in (estimate for each in found for estimate in each.values()):
            if estimate["value"] is None:
                assert (set(estimate), bool(estimate["why"])) == ({"value", "why"}, True)
            else:
                assert set(estimate) - {"note", "se"} == ESTIMATE


def test_labels_are_text():
    """A reader must not have to know whether they were numbers; 2**60 + 1 is not even one to JavaScript."""
    for labels, texts in (
        ([False, True], ["False", "True"]),
        ([0, 1], ["0", "1"]),
        (["0", "1"], ["0", "1"]),
        ([-5, 2**60 + 1], ["-5", "1152921504606846977"]),
        (["\n", "é"], ["\n", "é"]),
    ):
        ev = tm.evaluate(labels, labels, labels=labels, pos_label=labels[1], costs=[[0, 1], [2, 0]])
        form = strictly(ev)
        assert form["labels"] == form["confusion"]["labels"] == form["costs"]["labels"] == texts
        assert ([found["label"] for found in form["per_class"]], form["positive"]) == (texts, texts[1])
        assert (ev.labels, ev.positive) == (tuple(labels), labels[1])
    assert strictly(tm.evaluate([1, 2], [1, 2]))["positive"] is None
    form = strictly(tm.evaluate([0, 1, 2], y_score=[0.9, 0.8, 0.2], pos_label=1))
    assert form["confusion"] == {"labels": ["1", "rest"], "matrix": [[1, 0], [1, 1]]}
    assert (form["labels"], form["positive"]) == (["1", "rest"], "1")
    form = strictly(binary())
    assert form["positive"] == form["curves"]["roc"]["positive"] == "1"


def test_without_a_threshold_every_count_is_undefined():
    ev = tm.evaluate([0, 1, 1], y_score=[-5, 5, 0])
    form, usual = strictly(ev), strictly(two())
    assert (form["labels"], form["positive"], form["threshold"], form["confusion"]) == (
        *(["0", "1"], "1", None, None),
    )
    why = form["metrics"]["recall"]
    assert (why["value"], set(why)) == (None, {"value", "why"})
    assert [list(found) for found in form["per_class"]] == [CLASS] * 2
    assert [(found["label"], found["support"]) for found in form["per_class"]] == [("0", 1), ("1", 2)]
    for found in form["per_class"]:
        assert {found[name] for name in CLASS[2:6]} == {None}
        assert [found[name] for name in CLASS[6:11]] == [why] * 5
        assert found["auc"]["value"] == found["average_precision"]["value"] == 1
    assert set(form["metrics"]) == set(usual["metrics"])
    assert {name for name, found in form["metrics"].items() if found != why} == RANKED
    assert (form["metrics"]["auc"]["value"], form["metrics"]["brier"]["value"]) == (1, None)
    assert form["averages"] == {how: dict.fromkeys(row, why) for how, row in usual["averages"].items()}


def test_shares_of_the_matrix():
    ev = tm.Confusion([[3, 1, 0], [2, 2, 0], [0, 0, 0]], labels=NAMES).evaluate()
    assert "normalized" not in ev.to_dict()["confusion"]
    for by, matrix in (
        ("actual", [[0.75, 0.25, 0], [0.5, 0.5, 0], [None, None, None]]),
        ("predicted", [[0.6, 1 / 3, None], [0.4, 2 / 3, None], [0, 0, None]]),
        ("all", [[0.375, 0.125, 0], [0.25, 0.25, 0], [0, 0, 0]]),
    ):
        assert ev.to_dict(normalize=by)["confusion"]["normalized"] == {"by": by, "matrix": matrix}
    # Of many classes only the cells that hold rows are written.
    labels = list(range(1_001))
    large = tm.Confusion.from_cells(
        labels, np.array([0, 1, 1_002, 1_001 * 1_001 - 1]), np.array([3, 1, 2, 4])
    )
    assert large.evaluate().to_dict(normalize="actual")["confusion"] == {
        "labels": [str(label) for label in labels],
        "cells": [[0, 0, 3], [0, 1, 1], [1, 1, 2], [1_000, 1_000, 4]],
        "normalized": {"by": "actual", "cells": [[0, 0, 3 / 4], [0, 1, 1 / 4], [1, 1, 1], [1_000, 1_000, 1]]},
    }
    with pytest.raises(tm.OptionError):
        tm.evaluate([{1}, {2}], [{1}, {1}]).to_dict(normalize="actual")


def test_curves():
    here = rows()
    form = strictly(binary())
    fpr, tpr, threshold = roc_curve(here["y"], here["s"], drop_intermediate=False)
    roc = form["curves"]["roc"]
    assert roc["fpr"] == pytest.approx(fpr.tolist())
    assert roc["tpr"] == pytest.approx(tpr.tolist())
    assert roc["threshold"] == [None, *pytest.approx(threshold[1:].tolist()).expected]
    chance = np.random.default_rng(3)
    long = tm.evaluate(chance.integers(0, 2, 20_000), y_score=chance.random(20_000))
    found = strictly(long)["curves"]["roc"]
    assert (found["thinned"], found["points"], len(found["fpr"]) < 5_000) == (True, 20_001, True)
    # Which curves there are.
    about = {"roc", "precision_recall", "gains", "cost_curve", "decision_curve"}
    bins = tm.Scores.from_bins([1, 3, 9], [9, 4, 1], edges=[0, 0.25, 0.5, 1])
    votes = np.array([[1, 0, 1], [0, 0, 1], [1, 1, 1], [0, 1, 0]])
    table = np.column_stack([1 - here["s"], here["s"]])
    for name, ev, expected in (
        ("one score", binary(), about | {"rejection", "calibration"}),
        (
            "two columns",
            tm.evaluate(here["y"], y_score=table, labels=[0, 1], pos_label=1),
            about | {"rejection", "calibration"},
        ),
        (
            "three columns",
            tm.evaluate([0, 1, 2], y_score=np.eye(3), labels=[0, 1, 2]),
            {"rejection", "calibration"},
        ),
        ("bins", bins.evaluate(threshold=0.5), about | {"calibration"}),
        ("votes", tm.evaluate([1, 0, 1, 0], votes=votes), about - {"decision_curve"}),
        (
            "votes and a threshold",
            tm.evaluate([1, 0, 1, 0], votes=votes, threshold=2),
            about - {"decision_curve"} | {"rejection"},
        ),
    ):
        assert set(ev.to_dict()["curves"]) == expected | {"distribution"}, name
    outside = strictly(tm.evaluate([1, 0, 1, 0], y_score=[2, -1, 0.3, -0.4], groups=[0, 1, 2, 3]))
    assert (outside["curves"]["calibration"]["low"], bool(outside["curves"]["calibration"]["why"])) == (
        [],
        True,
    )
