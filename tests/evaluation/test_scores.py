"""Areas and losses of scores and probabilities: of either class, clipped, counted, and why undefined."""

import json

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.metrics import average_precision_score, brier_score_loss, log_loss, roc_auc_score

import tallymark as tm
from scored import classes, refusals
from shapes import binary, probabilities, rows, values

HERE, THREE = rows(), rows(3)
Y, S = HERE["y"], HERE["s"]
CLASSES, TABLE = THREE["y"], THREE["P"]
SITE = np.where(np.arange(300) % 3 == 0, "a", "b")
CLIP_Y, CLIP_S = np.array([1, 1, 0, 0, 1, 0]), np.array([0.9, 0.0, 0.2, 1.0, 0.7, 0.4])


def is_class(label, among=CLASSES):
    return np.equal(among, label)


def test_both_classes():
    one, two = binary().per_class[0], binary().per_class[1]
    for name in ("auc", "brier"):
        assert one[name].value == two[name].value == binary()[name].value
    assert two["average_precision"].value == binary()["average_precision"].value
    assert one["average_precision"].value == pytest.approx(average_precision_score(1 - Y, -S))
    assert one.roc.positive == 0
    # 1 - p is the number on paper: 1 - 0.93 is 0.07, not 0.06999999999999995.
    for size in (10, 100, 1_000):
        steps = np.arange(size + 1)
        actual = (steps * 7 % 11 > 4).astype(int)
        score, rest = steps / size, (size - steps) / size
        one = tm.evaluate(actual, y_score=score).per_class[0].decision_curve
        two = tm.evaluate(actual, y_score=np.column_stack([rest, score]), labels=[0, 1]).per_class[0]
        for threshold in rest[1:-1:7]:
            assert one.at(threshold=threshold) == two.decision_curve.at(threshold=threshold), threshold


def test_scores_beside_predictions():
    answers = (S > 0.6).astype(int)
    ev = tm.evaluate(Y, answers, y_score=S)
    assert (ev.threshold, ev["auc"].value) == (None, binary()["auc"].value)
    assert ev["accuracy"].value == pytest.approx((answers == Y).mean())
    one = tm.evaluate(CLASSES, CLASSES, y_score=TABLE[:, 2], pos_label=2)
    assert one["auc"].value == pytest.approx(roc_auc_score(is_class(2), TABLE[:, 2]))
    assert one.per_class[0]["auc"].value is None


def test_the_best_threshold():
    ev = binary(threshold="best:f1")
    best = ev.thresholds.best
    assert (ev.threshold, ev["f1"].value) == (best.threshold, pytest.approx(best.value))
    # Of bins it may be above all of them, and a threshold may be an edge, also as text.
    bins = tm.Scores.from_bins([1, 1, 1], [50, 60, 70], edges=[1, 0.6, 0.3, 0])
    above = bins.evaluate(threshold="best:accuracy")
    assert above["accuracy"].value == 180 / 183
    assert above.threshold > 1
    assert bins.evaluate(threshold="0.3")["recall"].value == pytest.approx(2 / 3)


# --- what is undefined -----------------------------------------------------------------------------------


def test_reasons_for_undefined_metrics(snapshot):
    plain, outside = tm.evaluate(Y, Y), tm.evaluate(Y, y_score=10 * S - 5)
    one, votes = (
        tm.evaluate([1, 1, 1], y_score=[0.2, 0.7, 0.9]),
        tm.evaluate([1, 0, 0], votes=[[1, 0, 0], [0, 0, 1]]),
    )
    impossible = tm.evaluate([1, 0, 1, 0], y_score=[0.0, 0.2, 0.9, 1.0])
    reasons = {
        "no scores": plain["auc"], "recall of scores outside": outside["recall"],
        "brier of scores outside": outside["brier"], "recall of a class": outside.per_class[0]["recall"],
        "one class": one["auc"], "one row": tm.evaluate([1], y_score=[0.7])["auc"],
        "probability 0": impossible["log_loss"], "votes": votes["brier"],
        "no positive class": probabilities()["auc"],
        "about one of three": tm.evaluate(CLASSES, CLASSES, y_score=TABLE[:, 2], pos_label=2).per_class[0][
            "auc"
        ],
        "a slice": binary_slices().slices[0].difference("auc"),
    }  # fmt: skip
    assert [name for name, found in reasons.items() if found.value is not None] == []
    snapshot("evaluation_reasons", {name: str(found.why) for name, found in reasons.items()})
    assert outside["auc"].value == outside.per_class[0]["auc"].value == binary()["auc"].value
    assert outside.roc.fpr.tolist() == binary().roc.fpr.tolist()
    assert [found.support for found in outside.per_class.values()] == [(Y == 0).sum(), Y.sum()]
    assert one.per_class[1]["auc"].why == one["auc"].why
    assert tm.evaluate([1], y_score=[0.7])["brier"].value == pytest.approx(0.09)
    assert impossible["brier"].value == pytest.approx((1 + 0.04 + 0.01 + 1) / 4)
    assert (votes["auc"].value, votes["log_loss"].why) == (0.75, votes["brier"].why)
    constant = tm.evaluate([1, 0, 1, 0], y_score=[0.5] * 4)
    assert (constant["auc"].value, constant.roc.fpr.tolist()) == (0.5, [0, 1])
    assert [finding.code for finding in constant.findings].count("TM012") == 1


def binary_slices():
    return tm.evaluate(Y, y_score=S, slices={"site": SITE})


def test_whole_numbers_that_floats_cannot_hold_are_refused(tmp_path):
    beyond = [2**53, 2**53 + 1]
    for scores in (beyond, np.array(beyond), pl.Series(beyond)):
        with pytest.raises(tm.ColumnError):
            tm.evaluate([1, 0], y_score=scores)
    path = tmp_path / "big.csv"
    path.write_text("y,s\n1,9007199254740992\n0,9007199254740993000\n")
    with pytest.raises(tm.ColumnError) as caught:
        tm.evaluate(path, actual="y", score="s")
    assert "line 3" in caught.value.message
    path.write_text("y,s\n1,1e300\n0,9007199254740992\n")
    assert tm.evaluate(path, actual="y", score="s")["auc"].value == 1


# --- one probability per class -----------------------------------------------------------------------------


def test_areas_of_classes():
    ev = probabilities()
    for position in range(3):
        found, of_class = ev.per_class[position], is_class(position)
        expected = roc_auc_score(of_class, TABLE[:, position])
        assert (found["auc"].value, found.roc.auc) == pytest.approx((expected, expected))
        brier = brier_score_loss(of_class.astype(int), TABLE[:, position])
        assert found["brier"].value == pytest.approx(brier)
    two = tm.evaluate(Y, y_score=np.column_stack([1 - S, S]), labels=[0, 1])
    for average in ("macro", "weighted"):
        for how in ("ovr", "ovo"):
            name = f"auc_{how}_{average}"
            shortcut = getattr(tm, name)
            assert shortcut(CLASSES, y_score=TABLE, labels=range(3)) == shortcut(ev) == ev[name].value
            for pair in (binary(), two):
                assert pair[name].value == pytest.approx(roc_auc_score(Y, S))
                assert (pair[name].low, pair[name].high) == (pair["auc"].low, pair["auc"].high)
    assert two["top_k_accuracy:1"].value == pytest.approx(((S >= 0.5) == Y).mean(), abs=0.01)
    areas = {label: roc_auc_score(is_class(label), TABLE[:, label]) for label in range(3)}
    assert ev.one_vs_rest.order == tuple(sorted(areas, key=areas.get, reverse=True))
    assert {label: ev.one_vs_rest.areas[label][0] for label in areas} == pytest.approx(areas)
    assert set(binary().one_vs_rest.order) == {0, 1}


def test_columns_of_probabilities_are_matched_by_name():
    frame = pd.DataFrame({"y": CLASSES, "a": CLASSES, **{f"p_{k}": TABLE[:, k] for k in (2, 0, 1)}})
    for beside in ({}, {"predicted": "a"}):
        ev = tm.evaluate(frame, actual="y", probabilities=["p_2", "p_0", "p_1"], pos_label=1, **beside)
        assert values(ev, "auc", "log_loss") == pytest.approx(
            [roc_auc_score(is_class(1), TABLE[:, 1]), log_loss(CLASSES, TABLE)]
        )
        assert (ev["accuracy"].value == 1) == bool(beside)


# --- clip ------------------------------------------------------------------------------------------------


def test_clip_keeps_probabilities_from_0_and_1(snapshot):
    for clip in (1e-15, 1e-7, 0.01):
        for groups in (None, [1, 1, 2, 2, 3, 3]):
            ev = tm.evaluate(CLIP_Y, y_score=CLIP_S, clip=clip, groups=groups)
            found = ev["log_loss"]
            assert found.value == pytest.approx(log_loss(CLIP_Y, np.clip(CLIP_S, clip, 1 - clip)))
            assert found.low < found.value < found.high
            assert ev["brier"].value == tm.evaluate(CLIP_Y, y_score=CLIP_S)["brier"].value
    inside = np.clip(CLIP_S, 1e-6, 1 - 1e-6)
    for options in (
        {"y_score": CLIP_S},
        {"y_score": np.column_stack([1 - CLIP_S, CLIP_S]), "labels": [0, 1]},
    ):
        ev = tm.evaluate(CLIP_Y, clip=1e-6, **options)
        assert ev.calibration.log_loss == pytest.approx(log_loss(CLIP_Y, inside))
        assert tm.evaluate(CLIP_Y, **options).calibration.log_loss is None
    plain = tm.evaluate(CLIP_Y, y_score=CLIP_S, clip=1e-6)
    weight = np.where(CLIP_Y == 1, 0.2 / 3, 0.8 / 3)
    expected = log_loss(CLIP_Y, inside, sample_weight=weight)
    assert plain.at_prevalence(0.2)["log_loss"].value == pytest.approx(expected)
    assert plain.curves.scores.evaluate(clip=1e-6)["log_loss"].value == pytest.approx(plain["log_loss"].value)
    table = np.array([[0.7, 0.3, 0.0], [0.2, 0.8, 0.0], [0.5, 0.5, 0.0], [0.1, 0.1, 0.8], [0.0, 0.6, 0.4]])
    actual = np.array([0, 1, 2, 2, 0])
    three = tm.evaluate(actual, y_score=table, labels=[0, 1, 2], clip=1e-6)
    own = np.clip(table[np.arange(5), actual], 1e-6, 1 - 1e-6)
    of_class = log_loss(actual == 2, np.clip(table[:, 2], 1e-6, 1 - 1e-6))
    assert three["log_loss"].value == pytest.approx(-np.log(own).mean())
    assert three.per_class[2]["log_loss"].value == pytest.approx(of_class)
    calls = {
        f"clip {clip}": lambda clip=clip: tm.evaluate(CLIP_Y, y_score=CLIP_S, clip=clip)
        for clip in (0, 0.5, -1e-3, True, "a", np.nan, 1e-17)
    }
    calls["predictions"] = lambda: tm.evaluate(CLIP_Y, CLIP_Y, clip=1e-15)
    refused = refusals(calls)
    assert set(classes(refused).values()) == {"OptionError"}
    snapshot("evaluation_clip", refused | {"note": plain.notes[-1]})


# --- tallies, pickles, slices ------------------------------------------------------------------------------


def test_tallies_of_scores_are_evaluated_cut_and_added():
    whole, tally = binary(threshold=0.4), binary().curves.scores
    ev = tally.evaluate(threshold=0.4)
    assert ev["mcc"].value == pytest.approx(whole["mcc"].value)
    for name in ("auc", "average_precision", "brier", "recall", "precision"):
        assert (ev[name].value, ev[name].low) == pytest.approx((whole[name].value, whole[name].low)), name
    # Weights that are no binary fractions leave no dust at the ends of the curve.
    weight = np.random.default_rng(3).random(300) + 0.1
    roc, lowest = tm.evaluate(Y, y_score=S, sample_weight=weight).roc, S[Y == 1].min()
    assert (roc.at(threshold=lowest).fn, roc.at(threshold=lowest).tpr) == (0, 1)
    assert set(roc.tpr[roc.threshold <= lowest]) == {1}


def test_what_is_no_tally_of_scores(snapshot):
    counts = np.array([1, 0]), np.array([0, 1])
    assert tm.Scores([0.9, 0.1], *counts).evaluate()["auc"].value == 1
    tally = tm.Scores.from_bins([3, 1], [1, 5], edges=[1, 0.5, 0])
    assert tally.evaluate(threshold=0.5)["recall"].value == 0.75
    scores = [[0.1, 0.9], [0.5, 0.5], [np.nan, 0.1], [np.inf, 0.1], ["b", "a"], [0.5]]
    calls = {f"scores {each}": lambda each=each: tm.Scores(each, *counts) for each in scores}
    calls |= {
        "negative": lambda: tm.Scores([0.9, 0.1], np.array([-1, 0]), np.array([0, 1])),
        "edges of text": lambda: tm.Scores.from_bins([1], [2], edges=["1", "0"]),
        "within a bin": lambda: tally.evaluate(threshold=0.4),
    }
    refused = refusals(calls)
    assert classes(refused) == dict.fromkeys(calls, "ShapeError") | {"within a bin": "OptionError"}
    snapshot("evaluation_errors_scores", refused)


def test_slices_have_areas_of_their_own():
    ev = binary_slices()
    for part in ev.slices:
        here = part.slice["site"] == SITE
        assert part["auc"].value == pytest.approx(roc_auc_score(Y[here], S[here]))
    assert "auc" in json.loads(ev.to_json())["slices"][0]["metrics"]
    lines = [line for line in str(ev).split("Slices")[1].splitlines() if " auc " in f" {line} "]
    assert len(lines) == 3
    for name in ("brier", "average_precision", "partial_auc:0.2"):
        assert ev.slices[0].difference(name).why == ev.slices[0].difference("auc").why
