"""What acceptance tests and reviews found in rankings and curves, and stays mended."""

from __future__ import annotations

import copy
import json
import pickle
from typing import Any

import numpy as np
import polars as pl
import pytest
from sklearn.metrics import average_precision_score, brier_score_loss, roc_auc_score

import tallymark as tm
from tallymark.curves import Several

RANDOM = np.random.default_rng(3)
N = 120
ACTUAL = (RANDOM.random(N) < 0.4).astype(int)
SCORE = np.round(0.4 * RANDOM.random(N) + 0.3 * ACTUAL + 0.1, 2)
SITE = np.where(np.arange(N) % 3 == 0, "a", "b")
CLASSES = np.array(list("abc"))[RANDOM.integers(0, 3, N)]
TABLE = RANDOM.dirichlet([1, 1, 1], N)


# --- the door ------------------------------------------------------------------------------------

BEYOND = [2**53, 2**53 + 1]
REFUSAL = (
    "score holds whole numbers beyond 2**53 at position 1 (counted from 0); rounded, different ones could "
    "become equal. Hint: subtract what all of them have in common."
)


@pytest.mark.parametrize(
    "scores", [BEYOND, np.array(BEYOND), pl.Series(BEYOND)], ids=["list", "array", "series"]
)
def test_whole_numbers_that_floats_cannot_hold_are_refused(scores: Any) -> None:
    with pytest.raises(tm.ColumnError) as caught:
        tm.evaluate([1, 0], y_score=scores)
    assert str(caught.value).replace("y_score", "score") == REFUSAL


def test_in_files_too(tmp_path: Any) -> None:
    path = tmp_path / "big.csv"
    path.write_text("y,s\n1,9007199254740992\n0,9007199254740993000\n")
    with pytest.raises(tm.ColumnError, match=r"whole numbers beyond 2\*\*53 at line 3"):
        tm.evaluate(path, actual="y", score="s")
    path.write_text("y,s\n1,1e300\n0,9007199254740992\n")
    assert tm.evaluate(path, actual="y", score="s")["auc"].value == 1


# --- tallies by hand -------------------------------------------------------------------------------


def test_a_tally_by_hand_is_checked() -> None:
    counts = np.array([1, 0]), np.array([0, 1])
    assert tm.Scores([0.9, 0.1], *counts).evaluate()["auc"].value == 1
    for score in ([0.1, 0.9], [0.5, 0.5], [np.nan, 0.1], [np.inf, 0.1], ["b", "a"]):
        with pytest.raises(tm.ShapeError, match="each once, from the highest down"):
            tm.Scores(score, *counts)
    with pytest.raises(tm.ShapeError, match=r"three columns of one length; got \(1,\), \(2,\), \(2,\)"):
        tm.Scores([0.5], *counts)
    with pytest.raises(tm.ShapeError, match="positives of a tally are counts"):
        tm.Scores([0.9, 0.1], np.array([-1, 0]), np.array([0, 1]))


def test_a_form_that_is_none_is_refused() -> None:
    form = tm.Scores.from_bins([3, 1], [1, 2]).to_dict()
    assert tm.Scores.from_dict(form) == tm.Scores.from_bins([3, 1], [1, 2])
    for wrong in ({}, None, [], form | {"schema": "tallymark/confusion/1"}, form | {"score": None}):
        with pytest.raises(tm.InputError):
            tm.Scores.from_dict(wrong)  # type: ignore[arg-type]
    with pytest.raises(tm.InputError):
        tm.Scores.from_dict(form | {"score": form["score"][::-1]})


def test_edges_are_numbers() -> None:
    with pytest.raises(tm.ShapeError, match="edges must be numbers"):
        tm.Scores.from_bins([1], [2], edges=["1", "0"])  # type: ignore[list-item]


def test_weights_leave_no_dust() -> None:
    weight = RANDOM.random(N) + 0.1
    ev = tm.evaluate(ACTUAL, y_score=SCORE, sample_weight=weight)
    lowest = SCORE[ACTUAL == 1].min()
    at = ev.roc.at(threshold=lowest)
    assert at.fn == 0
    assert at.tpr == 1
    assert ev.roc.tpr[ev.roc.threshold <= lowest].tolist() == [1] * int((ev.roc.threshold <= lowest).sum())


# --- evaluations -----------------------------------------------------------------------------------


def test_areas_have_no_difference_from_the_whole_and_say_so() -> None:
    part = tm.evaluate(ACTUAL, y_score=SCORE, slices={"site": SITE}).slices[0]
    for name in ("auc", "brier", "average_precision", "partial_auc:0.2"):
        assert part.difference(name).why.startswith("differences from the whole are made of counts")
    assert pickle.loads(pickle.dumps(part))["auc"].value == part["auc"].value
    part.difference("recall")
    assert pickle.loads(pickle.dumps(part)).difference("recall").value == part.difference("recall").value


def test_slices_show_their_areas() -> None:
    ev = tm.evaluate(ACTUAL, y_score=SCORE, slices={"site": SITE})
    lines = [line for line in str(ev).split("Slices")[1].splitlines() if " auc " in f" {line} "]
    assert len(lines) == 3


def test_pickled_slices_keep_their_rankings() -> None:
    for ev in (
        tm.evaluate(ACTUAL, y_score=SCORE, slices={"site": SITE}),
        tm.evaluate(CLASSES, y_score=TABLE, labels=list("abc"), pos_label="b", slices={"site": SITE}),
    ):
        again = pickle.loads(pickle.dumps(ev))
        assert [part["auc"].value for part in again.slices] == [part["auc"].value for part in ev.slices]
        assert again.slices[0]["auc"].value is not None


def test_a_copy_keeps_the_rows() -> None:
    ev = tm.evaluate(ACTUAL, y_score=SCORE)
    assert copy.deepcopy(ev).roc_as("sequential").auc == ev.roc_as("sequential").auc


def test_losses_of_a_class_are_its_own() -> None:
    ev = tm.evaluate(CLASSES, y_score=TABLE, labels=list("abc"))
    for position, label in enumerate("abc"):
        is_it = (label == CLASSES).astype(int)
        expected = brier_score_loss(is_it, TABLE[:, position])
        assert ev.per_class[label]["brier"].value == pytest.approx(expected)
    two = tm.evaluate(ACTUAL, y_score=SCORE)
    assert two.per_class[0]["brier"].value == two.per_class[1]["brier"].value == two["brier"].value


def test_the_other_class_knows_its_name_and_its_direction() -> None:
    ev = tm.evaluate(ACTUAL, y_score=SCORE)
    other = ev.per_class[0]
    assert other.roc.positive == 0
    low, high = (other.roc.ties.pessimistic, other.roc.ties.optimistic)
    assert low <= other.curves.roc_as("sequential").auc <= high
    assert other.gains.at(share=0.2).recall > 0.2
    assert other.lift.at(share=0.2) is not None
    assert other.thresholds.best is not None


def test_positive_classes_are_text_in_json() -> None:
    form = json.loads(tm.evaluate(ACTUAL, y_score=SCORE).to_json())
    assert form["positive"] == form["curves"]["roc"]["positive"] == "1"


def test_many_classes_are_ranked_one_after_the_other() -> None:
    ev = tm.evaluate(CLASSES, y_score=TABLE, labels=list("abc"))
    expected = [roc_auc_score(label == CLASSES, TABLE[:, at]) for at, label in enumerate("abc")]
    for _ in range(2):
        assert [ev.per_class[label]["auc"].value for label in "abc"] == pytest.approx(expected)


def test_without_a_threshold_what_needs_none_is_there() -> None:
    ev = tm.evaluate(ACTUAL, y_score=10 * SCORE - 3)
    assert [result.support for result in ev.per_class.values()] == [
        int((ACTUAL == 0).sum()),
        int(ACTUAL.sum()),
    ]
    assert ev.per_class[0]["auc"].value == ev["auc"].value
    assert ev.per_class[0]["recall"].why == "pass a threshold"
    rare = ev.at_prevalence(0.01)
    weight = np.where(ACTUAL == 1, 0.01 / ACTUAL.mean(), 0.99 / (1 - ACTUAL.mean()))
    expected = average_precision_score(ACTUAL, SCORE, sample_weight=weight)
    assert rare["average_precision"].value == pytest.approx(expected)


def test_label_sets_without_a_true_label_print() -> None:
    assert "Label" in str(tm.evaluate([set(), set()], [{"a"}, set()]))


def test_the_best_threshold_of_bins_may_be_above_them() -> None:
    bins = tm.Scores.from_bins([1, 1, 1], [50, 60, 70], edges=[1, 0.6, 0.3, 0])
    ev = bins.evaluate(threshold="best:accuracy")
    assert ev["accuracy"].value == 180 / 183
    assert ev.threshold > 1
    assert bins.evaluate(threshold="0.3")["recall"].value == pytest.approx(2 / 3)


# --- curves --------------------------------------------------------------------------------------


def test_there_is_no_band_where_rows_belong_together() -> None:
    ev = tm.evaluate(ACTUAL, y_score=SCORE, groups=np.arange(N) // 4)
    assert ev.roc.band() is None
    assert ev.roc.figure().note == "No band is drawn, because rows belong together in groups."
    assert ev.roc.figure(band=False).note == ""


def test_the_band_has_the_level_of_the_evaluation() -> None:
    roc = tm.evaluate(ACTUAL, y_score=SCORE, confidence_level=0.8).roc
    assert roc.band().level == 0.8
    assert any("80 % band" in getattr(mark, "label", "") for mark in roc.figure().panels[0].marks)
    assert roc.band(0.99).level == 0.99


def test_points_of_different_positive_classes_are_refused() -> None:
    one = tm.Confusion([[150, 40], [60, 250]], labels=["+", "-"])
    two = tm.Confusion([[250, 60], [40, 150]], labels=["-", "+"])
    with pytest.raises(tm.LabelError, match="do not have the same first label") as caught:
        tm.roc_from_points([one, two])
    assert caught.value.hint == "name the positive class: pos_label=..."
    curve = tm.roc_from_points([one, two], pos_label="+")
    assert curve.tpr.tolist() == [0, 150 / 190, 150 / 190, 1]


@pytest.mark.parametrize("kind", ["roc", "pr", "roc+pr", "gains", "lift", "threshold", "confusion"])
def test_every_kind_of_picture(kind: str) -> None:
    figure = tm.evaluate(ACTUAL, y_score=SCORE).figure(kind)
    assert len(figure.panels) == (2 if kind == "roc+pr" else 1)


def test_pictures_that_cannot_be() -> None:
    with pytest.raises(tm.OptionError, match="a picture is one of roc, one-vs-rest, pr, "):
        tm.evaluate(ACTUAL, y_score=SCORE).figure("pie")
    with pytest.raises(tm.OptionError, match="there is no matrix to draw"):
        tm.evaluate(ACTUAL, y_score=SCORE * 9).figure("confusion")
    with pytest.raises(tm.OptionError, match="there is no curve: no scores were given"):
        tm.evaluate(ACTUAL, ACTUAL).figure("gains")


def test_several_models_are_public() -> None:
    assert tm.Several is Several


def test_given_shares_of_many_classes_are_no_part_of_the_spread() -> None:
    shares = np.array([0.2, 0.5, 0.3])
    squares = ((TABLE - np.eye(3)[[list("abc").index(label) for label in CLASSES]]) ** 2).sum(axis=1)
    parts = [squares[label == CLASSES] for label in "abc"]
    # A mean of the means of classes with given shares: its variance is that of a stratified sample.
    expected = np.sqrt(
        sum(share**2 * part.var(ddof=1) / len(part) for share, part in zip(shares, parts, strict=True))
    )
    ev = tm.evaluate(CLASSES, y_score=TABLE, labels=list("abc")).at_prevalence(
        dict(zip("abc", shares, strict=True))
    )
    assert ev["brier"].value == pytest.approx(
        sum(s * part.mean() for s, part in zip(shares, parts, strict=True))
    )
    assert ev["brier"].se == pytest.approx(expected, rel=1e-6)
    twice = tm.evaluate(
        CLASSES, y_score=TABLE, labels=list("abc"), sample_weight=np.full(N, 2), weight_kind="frequency"
    )
    repeated = tm.evaluate(np.repeat(CLASSES, 2), y_score=np.repeat(TABLE, 2, axis=0), labels=list("abc"))
    given = dict(zip("abc", shares, strict=True))
    assert twice.at_prevalence(given)["brier"].se == pytest.approx(repeated.at_prevalence(given)["brier"].se)


# --- found by the second acceptance test -------------------------------------------------------------

TIED_REST = np.array(
    [[0.6, 0.2, 0.2], [0.4, 0.3, 0.3], [0.5, 0.4, 0.1], [0.5, 0.4, 0.1], [0.1, 0.3, 0.6], [0.1, 0.3, 0.6]]
)


def test_other_shares_change_the_mix_of_the_rest() -> None:
    shares = {"a": 0.5, "b": 0.49, "c": 0.01}
    ev = tm.evaluate(list("aabbcc"), y_score=TIED_REST, labels=list("abc")).at_prevalence(shares)
    found = ev.per_class["a"]
    # Of the rest 49 of 50 are b: 0.6 is above and 0.4 below them; both are above c.
    assert found["auc"].value == pytest.approx(0.98 * 0.5 + 0.02)
    assert found["brier"].value == pytest.approx(0.5 * 0.26 + 0.49 * 0.25 + 0.01 * 0.01)
    assert found.roc.at(threshold=0.5).fpr == pytest.approx(0.98)
    times = np.repeat(np.arange(6), [25, 25, 49, 49, 1, 1])  # the shares as numbers of rows, but for a's
    rows = np.concatenate([np.repeat([0, 1], 25), times[times > 1]])
    weight = np.where(np.array(list("aabbcc"))[rows] == "a", 2.0, 1.0)
    is_a = np.array(list("aabbcc"))[rows] == "a"
    expected = average_precision_score(is_a, TIED_REST[rows, 0], sample_weight=weight)
    assert found["average_precision"].value == pytest.approx(expected)
    assert pickle.loads(pickle.dumps(ev)).per_class["a"]["auc"].value == found["auc"].value


def test_other_shares_with_weights_frequencies_and_groups() -> None:
    shares = {"a": 0.1, "b": 0.6, "c": 0.3}
    each = RANDOM.integers(1, 4, N)
    factor = np.array([shares[label] / each[label == CLASSES].sum() for label in CLASSES])
    expected = roc_auc_score(CLASSES == "b", TABLE[:, 1], sample_weight=each * factor)
    made = {"labels": list("abc"), "pos_label": "b"}
    weighted = tm.evaluate(CLASSES, y_score=TABLE, sample_weight=each, **made).at_prevalence(shares)
    assert weighted["auc"].value == pytest.approx(expected)
    counted = tm.evaluate(CLASSES, y_score=TABLE, sample_weight=each, weight_kind="frequency", **made)
    repeated = tm.evaluate(np.repeat(CLASSES, each), y_score=np.repeat(TABLE, each, axis=0), **made)
    one, two = (ev.at_prevalence(shares)["auc"] for ev in (counted, repeated))
    assert (one.value, one.se, one.low) == pytest.approx((two.value, two.se, two.low))
    grouped = tm.evaluate(CLASSES, y_score=TABLE, groups=np.arange(N), **made).at_prevalence(shares)
    plain = tm.evaluate(CLASSES, y_score=TABLE, **made).at_prevalence(shares)
    assert grouped["auc"].se == pytest.approx(plain["auc"].se, rel=0.05)


@pytest.mark.parametrize("share", [0, 1])
def test_a_roc_curve_does_not_change_with_the_shares(share: int) -> None:
    ev = tm.evaluate([1, 0, 1, 0], y_score=[0.9, 0.3, 0.2, 0.1]).at_prevalence(share)
    assert ev["auc"].value == ev.roc.auc == ev.roc_as("sequential").auc == 0.75
    assert ev.roc_as("sequential").document()
    assert json.loads(ev.to_json())["curves"]["roc"]["auc"] == 0.75
    assert ev.precision_recall.why == ("no row is actually positive" if share == 0 else None)


def test_curves_of_two_classes_are_not_compared() -> None:
    one = tm.evaluate(["yes", "no", "yes"], y_score=[0.9, 0.3, 0.2], pos_label="yes").roc
    two = tm.evaluate(["yes", "no", "yes"], y_score=[0.1, 0.7, 0.8], pos_label="no").roc
    with pytest.raises(tm.LabelError, match="'a' is about 'yes' and 'b' is about 'no'"):
        tm.Several({"a": one, "b": two})


def test_what_was_used_can_be_pickled() -> None:
    curve = tm.evaluate(ACTUAL, y_score=SCORE).against_threshold("f_beta:2")
    assert pickle.loads(pickle.dumps(curve)).best == curve.best
    assert pickle.loads(pickle.dumps(tm.recall)) is tm.recall


def test_f_beta_of_nothing_called() -> None:
    why = tm.evaluate([1, 0, 1], [0, 0, 0], labels=[0, 1])["f_beta:0"].why
    assert why.startswith("the class is not predicted, nor does it occur (or beta is 0)")


def test_the_ideal_order_stands_in_the_legend() -> None:
    marks = tm.evaluate(ACTUAL, y_score=SCORE).gains.figure().panels[0].marks
    assert "ideal order" in {getattr(mark, "label", "") for mark in marks}
