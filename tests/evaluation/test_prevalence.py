"""Other class proportions than the sample's, against formulas by hand and against rows weighted to them."""

import json
import math
import pickle

import numpy as np
import pytest
from sklearn.metrics import average_precision_score, brier_score_loss, log_loss, roc_auc_score

import tallymark as tm
from scored import classes, refusals
from shapes import MATRIX, NAMES, binary, probabilities, rows, three, two, values

# --- predicted classes ---------------------------------------------------------------------------------


def test_of_two_classes_by_hand():
    tpr, fpr = 282 / 357, 462 / 5_303
    for share in (0.01, 0.2, 0.5, 1.0):
        ev = two().at_prevalence(share)
        called = tpr * share + fpr * (1 - share)
        expected = [tpr * share / called, tpr * share + (1 - fpr) * (1 - share), tpr, share]
        assert values(ev, "precision", "accuracy", "recall", "prevalence") == pytest.approx(expected)
        if share < 1:
            right = (1 - fpr) * (1 - share)
            assert values(ev, "fpr", "npv") == pytest.approx([fpr, right / (right + (1 - tpr) * share)])
    same = two().at_prevalence(357 / 5_660)
    for name in ("precision", "accuracy", "f1", "mcc", "kappa", "npv", "markedness"):
        assert same[name].value == pytest.approx(two()[name].value)
    ev = two(costs=[[0, 10], [1, 0]]).at_prevalence(0.5)
    assert values(ev, "mean_cost", "total_cost") == pytest.approx(
        [5 * 75 / 357 + 0.5 * 462 / 5_303, 5_660 * (5 * 75 / 357 + 0.5 * 462 / 5_303)]
    )


def test_of_several_classes_by_hand():
    shares = {"c": 0.7, "a": 0.1, "b": 0.2}
    ev = three().at_prevalence(shares)
    rates = {label: [cell / sum(row) for cell in row] for label, row in zip(NAMES, MATRIX, strict=True)}
    for place, label in enumerate(NAMES):
        called = sum(shares[other] * rates[other][place] for other in NAMES)
        found = ev.per_class[label]
        expected = shares[label] * rates[label][place] / called, rates[label][place], 120 * shares[label]
        assert (found["precision"].value, found["recall"].value, found.support) == pytest.approx(expected)
    recalls = [rates[label][place] for place, label in enumerate(NAMES)]
    weighted = sum(shares[label] * recall for label, recall in zip(NAMES, recalls, strict=True))
    names = ("accuracy", "recall_weighted", "recall_macro", "no_information_rate")
    assert values(ev, *names) == pytest.approx([weighted, weighted, sum(recalls) / 3, 0.7])
    # A class may be absent.
    none = three().at_prevalence({"a": 0.5, "b": 0.5})
    assert none.per_class["c"]["recall"].value is None
    assert values(none, "accuracy") == pytest.approx([0.5 * 50 / 60 + 0.5 * 30 / 40])
    mixed = tm.evaluate(list("abb"), list("aba")).at_prevalence({"a": 0.5, "b": 0.5})
    assert values(mixed, "accuracy") == [0.75]


def test_one_number_is_the_proportion_of_the_positive_class(snapshot):
    # Of 120 rows 40 are b; the rest, 60 of a and 20 of c, share 0.9 as 3 to 1.
    ev = three(pos_label="b").at_prevalence(0.1)
    same = three(pos_label="b").at_prevalence({"a": 0.675, "b": 0.1, "c": 0.225})
    names = ("accuracy", "precision", "recall", "f1_macro")
    assert values(ev, *names) == pytest.approx(values(same, *names))
    # Proportions that were given before do not change what the rows were.
    again = three(pos_label="b").at_prevalence({"a": 0.1, "b": 0.1, "c": 0.8}).at_prevalence(0.1)
    assert values(again, *names) == values(ev, *names)
    assert len(again.notes) == len(ev.notes) == len(three(pos_label="b").notes) + 1
    plain = two()
    other = plain.at_prevalence(0.25)
    snapshot("evaluation_prevalence", {"of three": ev.notes[-1], "of two": other.notes[-1]})
    assert other.notes[:-1] == plain.notes
    assert plain["prevalence"].value == pytest.approx(357 / 5_660)
    form = json.loads(other.to_json())
    assert form["notes"] == list(other.notes)
    # Expected counts: 5660 * 0.25 * 282 / 357 hits.
    assert form["confusion"]["matrix"][0][0] == pytest.approx(5_660 * 0.25 * 282 / 357)
    assert other.notes[-1] in " ".join(str(other).split())


def test_what_is_no_proportion(snapshot):
    table = tm.evaluate([{"a"}, {"b"}], [{"a"}, {"a"}])
    asked = {"not of two": [-0.1, 1.1, math.nan, {"1": 0.5, "0": 0.4}, {"1": 0.5}, {"1": 1.2, "0": -0.2}]}
    asked["nearly none"] = [1e-80]
    asked["no number"] = ["a", None, True, ".5", [0.3, 0.7], (), {"1": "much", "0": 0.5}, {"1": None, "0": 1}]
    calls = {
        f"{kind}: {share!r}": lambda share=share: two().at_prevalence(share)
        for kind, shares in asked.items()
        for share in shares
    }
    calls |= {
        "an array": lambda: two().at_prevalence(np.array([0.3, 0.7])),
        "no positive class": lambda: three().at_prevalence(0.5),
        "two labels without a positive": lambda: tm.evaluate(list("ab"), list("ab")).at_prevalence(0.5),
        "not a label": lambda: three().at_prevalence({"a": 0.5, "z": 0.5}),
        "a class without rows": lambda: tm.evaluate(list("ab"), list("ac")).at_prevalence(
            {"a": 0.5, "c": 0.5}
        ),
        "scores of one class": lambda: tm.evaluate([1, 1], y_score=[-5, 5], labels=[0, 1]).at_prevalence(0.5),
        "label sets": lambda: table.at_prevalence(0.5),
        # The rows of three classes do not have the weights of other proportions.
        "row by row": lambda: probabilities(pos_label=1).at_prevalence(0.3).roc_as("sequential"),
    }
    refused = refusals(calls)
    assert classes(refused) == dict.fromkeys(calls, "OptionError") | {"not a label": "LabelError"}
    snapshot("evaluation_errors_prevalence", refused)


# --- scores ----------------------------------------------------------------------------------------------


def test_scores_are_weighted_to_it():
    here = rows()
    y, s = here["y"], here["s"]
    for share in (0.01, 0.8):
        weight = np.where(y == 1, share / y.mean(), (1 - share) / (1 - y.mean()))
        ev, weighted = binary().at_prevalence(share), tm.evaluate(y, y_score=s, sample_weight=weight)
        assert values(ev, "auc", "average_precision", "brier") == pytest.approx(
            [
                roc_auc_score(y, s),
                average_precision_score(y, s, sample_weight=weight),
                brier_score_loss(y, s, sample_weight=weight),
            ]
        )
        for name in ("ece", "mce:5", "auc_ovr_macro", "log_loss"):
            assert ev[name].value == pytest.approx(weighted[name].value), name
        for curve, names in {
            "rejection": ("theta", "rejected", "correct", "area", "area_of_all"),
            "calibration": ("predicted", "observed", "count", "ece", "brier"),
            "decision_curve": ("net_benefit", "all", "avoided"),
        }.items():
            for name in names:
                one, two = (np.asarray(getattr(getattr(each, curve), name), float) for each in (ev, weighted))
                np.testing.assert_allclose(one, two, rtol=1e-9, atol=1e-12, err_msg=f"{curve} {name}")
    # Without a threshold, what needs none is there.
    rare = tm.evaluate(y, y_score=10 * s - 3).at_prevalence(0.01)
    weight = np.where(y == 1, 0.01 / y.mean(), 0.99 / (1 - y.mean()))
    assert values(rare, "average_precision") == pytest.approx(
        [average_precision_score(y, s, sample_weight=weight)]
    )
    # ROC and cost curves know no proportions; precision has none where there are no positives.
    np.testing.assert_allclose(binary().cost_curve.cost, binary().at_prevalence(0.01).cost_curve.cost)
    for share in (0, 1):
        ev = tm.evaluate([1, 0, 1, 0], y_score=[0.9, 0.3, 0.2, 0.1]).at_prevalence(share)
        assert ev["auc"].value == ev.roc.auc == ev.roc_as("sequential").auc == 0.75
        assert json.loads(ev.to_json())["curves"]["roc"]["auc"] == 0.75
        assert (ev.precision_recall.why is None) == (share == 1)


def test_probabilities_of_three_classes_are_weighted_to_it():
    here = rows(3)
    y, table = here["y"], here["P"]
    shares = np.array([0.6, 0.3, 0.1])
    weight = shares[y] / (np.bincount(y) / len(y))[y]
    ev = probabilities().at_prevalence(dict(enumerate(shares)))
    weighted = tm.evaluate(y, y_score=table, labels=range(3), sample_weight=weight)
    assert ev["log_loss"].value == pytest.approx(log_loss(y, table, sample_weight=weight))
    squares = ((table - np.eye(3)[y]) ** 2).sum(axis=1)
    assert ev["brier"].value == pytest.approx(np.average(squares, weights=weight))
    for name in ("ece", "top_k_accuracy:2", "auc_ovr_weighted", "auc_ovo_macro"):
        assert ev[name].value == pytest.approx(weighted[name].value), name
    for name in ("theta", "rejected", "correct", "low"):
        np.testing.assert_allclose(getattr(ev.rejection, name), getattr(weighted.rejection, name), atol=1e-12)
    for name in ("predicted", "observed", "count"):
        one, two = (getattr(each.calibration, name) for each in (ev, weighted))
        np.testing.assert_allclose(one, two, atol=1e-9)
    one, two = (each.per_class[1].decision_curve.net_benefit for each in (ev, weighted))
    np.testing.assert_allclose(one, two, atol=1e-12)
    # A pickle has no rows to weight anew.
    back = pickle.loads(pickle.dumps(probabilities())).at_prevalence(dict(enumerate(shares)))
    assert back["ece"].value is None
    assert classes(refusals({"": lambda: back.rejection})) == {"": "OptionError"}


def test_proportions_of_three_classes_mix_the_rest_anew():
    table = np.array(
        [
            *([0.6, 0.2, 0.2], [0.4, 0.3, 0.3], [0.5, 0.4, 0.1]),
            *([0.5, 0.4, 0.1], [0.1, 0.3, 0.6], [0.1, 0.3, 0.6]),
        ]
    )
    shares = {"a": 0.5, "b": 0.49, "c": 0.01}
    ev = tm.evaluate(list("aabbcc"), y_score=table, labels=NAMES).at_prevalence(shares)
    found = ev.per_class["a"]
    # Of the rest 49 of 50 are b: 0.6 is above and 0.4 below them; both are above c.
    assert found["auc"].value == pytest.approx(0.98 * 0.5 + 0.02)
    assert found["brier"].value == pytest.approx(0.5 * 0.26 + 0.49 * 0.25 + 0.01 * 0.01)
    assert found.roc.at(threshold=0.5).fpr == pytest.approx(0.98)
    weight = np.array([0.25, 0.25, 0.245, 0.245, 0.005, 0.005])
    expected = average_precision_score([1, 1, 0, 0, 0, 0], table[:, 0], sample_weight=weight)
    assert found["average_precision"].value == pytest.approx(expected)
    assert pickle.loads(pickle.dumps(ev)).per_class["a"]["auc"].value == found["auc"].value


def test_proportions_with_weights_frequencies_and_groups():
    here = rows(3)
    y, table, times = here["y"], here["P"], here["f"]
    shares = dict(enumerate((0.1, 0.6, 0.3)))
    factor = np.array([shares[label] / times[label == y].sum() for label in y.tolist()])
    expected = roc_auc_score(y == 1, table[:, 1], sample_weight=times * factor)
    made = {"labels": range(3), "pos_label": 1}
    weighted = tm.evaluate(y, y_score=table, sample_weight=times, **made).at_prevalence(shares)
    assert weighted["auc"].value == pytest.approx(expected)
    pair = (
        tm.evaluate(y, y_score=table, sample_weight=times, weight_kind="frequency", **made),
        tm.evaluate(np.repeat(y, times), y_score=np.repeat(table, times, axis=0), **made),
    )
    one, two = (
        [*(getattr(ev["auc"], end) for end in ("value", "se", "low")), ev["brier"].se]
        for ev in (each.at_prevalence(shares) for each in pair)
    )
    assert one == pytest.approx(two)
    # What a slice lacks cannot be told of it.
    cut = tm.evaluate([1, 0, 0, 0, 1, 1], [1, 0, 0, 1, 1, 0], slices={"r": [*"aabbcc"]}).at_prevalence(0.3)
    assert ([part.slice["r"] for part in cut.slices], len(cut.notes)) == (["a"], 2)
    grouped = tm.evaluate(y, y_score=table, groups=np.arange(len(y)), **made).at_prevalence(shares)
    plain = tm.evaluate(y, y_score=table, **made).at_prevalence(shares)
    assert grouped["auc"].se == pytest.approx(plain["auc"].se, rel=0.05)
