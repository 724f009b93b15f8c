"""Scores in an evaluation: areas, losses and curves, from every door."""

from __future__ import annotations

import json
import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import average_precision_score, brier_score_loss, log_loss, roc_auc_score, roc_curve

import tallymark as tm

RANDOM = np.random.default_rng(7)
N = 300
ACTUAL = (RANDOM.random(N) < 0.3).astype(int)
SCORE = np.clip(np.round(0.3 + 0.3 * ACTUAL + 0.25 * RANDOM.normal(size=N), 2), 0.01, 0.99)
WEIGHT = RANDOM.integers(1, 5, N) / 4
GROUP = RANDOM.integers(0, 40, N)
CLASSES = RANDOM.integers(0, 3, N)
TABLE = RANDOM.dirichlet([1, 1, 1], N) + 0.7 * np.eye(3)[CLASSES]
TABLE /= TABLE.sum(axis=1, keepdims=True)


def of(label, among):
    return np.equal(among, label)


def evaluated(**options):
    return tm.evaluate(ACTUAL, y_score=SCORE, **options)


# --- one score -----------------------------------------------------------------------------------


def test_numbers_are_those_of_scikit_learn():
    ev = evaluated()
    assert ev["auc"].value == pytest.approx(roc_auc_score(ACTUAL, SCORE), abs=1e-14)
    assert ev["gini"].value == pytest.approx(2 * roc_auc_score(ACTUAL, SCORE) - 1, abs=1e-14)
    assert ev["average_precision"].value == pytest.approx(average_precision_score(ACTUAL, SCORE), abs=1e-14)
    assert ev["brier"].value == pytest.approx(brier_score_loss(ACTUAL, SCORE), abs=1e-14)
    assert ev["log_loss"].value == pytest.approx(log_loss(ACTUAL, SCORE), abs=1e-14)
    fpr, tpr, _ = roc_curve(ACTUAL, SCORE)
    assert ev["ks"].value == pytest.approx((tpr - fpr).max(), abs=1e-14)
    assert ev["partial_auc_mcclish:0.2"].value == pytest.approx(
        roc_auc_score(ACTUAL, SCORE, max_fpr=0.2), abs=1e-14
    )


def test_with_weights_too():
    ev = evaluated(sample_weight=WEIGHT)
    assert ev["auc"].value == pytest.approx(roc_auc_score(ACTUAL, SCORE, sample_weight=WEIGHT), abs=1e-12)
    expected = average_precision_score(ACTUAL, SCORE, sample_weight=WEIGHT)
    assert ev["average_precision"].value == pytest.approx(expected, abs=1e-12)
    expected = brier_score_loss(ACTUAL, SCORE, sample_weight=WEIGHT)
    assert ev["brier"].value == pytest.approx(expected, abs=1e-12)
    assert "Kish" in ev["auc"].assumption


def test_frequencies_are_rows():
    times = RANDOM.integers(0, 4, N)
    ev = tm.evaluate(ACTUAL, y_score=SCORE, sample_weight=times, weight_kind="frequency")
    repeated = tm.evaluate(np.repeat(ACTUAL, times), y_score=np.repeat(SCORE, times))
    assert ev["auc"].value == repeated["auc"].value
    assert (ev["auc"].low, ev["auc"].high) == (repeated["auc"].low, repeated["auc"].high)


def test_the_area_has_an_interval_with_its_method_and_standard_error():
    auc = evaluated()["auc"]
    assert auc.low < auc.value < auc.high
    assert auc.method == "delong"
    assert auc.n == N
    assert 0 < auc.se < 0.1
    assert auc.assumption == "independent rows"
    assert auc.interval(0.99).low < auc.low


def test_groups_widen_the_interval():
    # Every row ten times over, as ten rows of one patient: as many patients, no more.
    plain = evaluated()["auc"]
    ten = tm.evaluate(np.repeat(ACTUAL, 10), y_score=np.repeat(SCORE, 10), groups=np.repeat(np.arange(N), 10))
    naive = tm.evaluate(np.repeat(ACTUAL, 10), y_score=np.repeat(SCORE, 10))["auc"]
    assert ten["auc"].se == pytest.approx(plain.se, rel=0.02)
    assert naive.se < plain.se / 3
    assert ten["auc"].assumption == "independent groups (300 of them)"


def test_both_classes_have_the_same_area_and_each_its_own_average_precision():
    ev = evaluated()
    one, two = ev.per_class[0], ev.per_class[1]
    assert one["auc"].value == two["auc"].value == ev["auc"].value
    assert two["average_precision"].value == ev["average_precision"].value
    assert one["average_precision"].value == pytest.approx(average_precision_score(1 - ACTUAL, -SCORE))


def test_scores_beside_answers_rank_and_the_answers_are_counted():
    answers = (SCORE > 0.6).astype(int)
    ev = tm.evaluate(ACTUAL, answers, y_score=SCORE)
    assert ev.threshold is None
    assert ev["auc"].value == evaluated()["auc"].value
    assert ev["accuracy"].value == pytest.approx((answers == ACTUAL).mean())


def test_scores_beside_answers_need_the_positive_class():
    with pytest.raises(tm.LabelError, match="a score needs to know the positive class"):
        tm.evaluate(["a", "b", "a"], ["a", "b", "b"], y_score=[0.2, 0.9, 0.4])


def test_without_scores_the_area_says_why_not():
    ev = tm.evaluate(ACTUAL, ACTUAL)
    assert ev["auc"].value is None
    assert ev["auc"].why == "no scores were given"
    with pytest.raises(tm.OptionError, match="there is no curve: no scores were given"):
        _ = ev.roc


def test_scores_that_are_no_probabilities_rank_before_a_threshold_is_known():
    ev = tm.evaluate(ACTUAL, y_score=10 * SCORE - 5)
    assert ev["auc"].value == evaluated()["auc"].value
    assert ev["recall"].why == "pass a threshold"
    assert ev["brier"].why == "scores leave [0, 1], so they are no probabilities"
    assert ev.roc.fpr.tolist() == evaluated().roc.fpr.tolist()
    assert "auc" in str(ev)


def test_one_class_only_says_which_is_missing():
    ev = tm.evaluate([1, 1, 1], y_score=[0.2, 0.7, 0.9])
    assert ev["auc"].value is None
    assert "no row is actually negative" in ev["auc"].why
    assert ev.per_class[1]["auc"].why == ev["auc"].why
    assert json.loads(ev.to_json())["metrics"]["auc"]["value"] is None


def test_one_row():
    ev = tm.evaluate([1], y_score=[0.7])
    assert ev["auc"].value is None
    assert ev["brier"].value == pytest.approx(0.09)
    assert str(ev)


@pytest.mark.parametrize("kind", [np.float32, np.float64, np.float16])
def test_scores_of_every_float_are_exact(kind):
    score = SCORE.astype(kind)
    assert tm.evaluate(ACTUAL, y_score=score)["auc"].value == pytest.approx(roc_auc_score(ACTUAL, score))


def test_negative_zero_is_zero():
    assert tm.auc([0, 1, 0, 1], y_score=[-0.0, 0.0, -1.0, 1.0]) == 3.5 / 4


def test_probability_zero_for_the_true_class_is_said():
    ev = tm.evaluate([1, 0, 1, 0], y_score=[0.0, 0.2, 0.9, 1.0])
    assert ev["log_loss"].value is None
    assert "2 rows" in ev["log_loss"].why
    assert ev["brier"].value == pytest.approx((1 + 0.04 + 0.01 + 1) / 4)


def test_a_constant_score_is_all_ties():
    ev = tm.evaluate([1, 0, 1, 0], y_score=[0.5] * 4)
    assert ev["auc"].value == 0.5
    assert [finding.code for finding in ev.findings].count("TM012") == 1
    assert ev.roc.fpr.tolist() == [0, 1]


# --- one probability per class ---------------------------------------------------------------------


def test_every_class_has_its_own_ranking():
    ev = tm.evaluate(CLASSES, y_score=TABLE, labels=[0, 1, 2])
    for position in range(3):
        expected = roc_auc_score(of(position, CLASSES), TABLE[:, position])
        assert ev.per_class[position]["auc"].value == pytest.approx(expected)
        assert ev.per_class[position].roc.auc == pytest.approx(expected)
    assert ev["auc"].why == "name the positive class"
    squares = ((TABLE - np.eye(3)[CLASSES]) ** 2).sum(axis=1)
    assert ev["brier"].value == pytest.approx(squares.mean())
    assert ev["brier_half"].value == pytest.approx(squares.mean() / 2)
    assert ev["log_loss"].value == pytest.approx(log_loss(CLASSES, TABLE))


def test_columns_of_probabilities_are_matched_by_name():
    frame = pd.DataFrame({"y": CLASSES, **{f"p_{k}": TABLE[:, k] for k in (2, 0, 1)}})
    ev = tm.evaluate(frame, actual="y", probabilities=["p_2", "p_0", "p_1"], pos_label=1)
    assert ev["auc"].value == pytest.approx(roc_auc_score(of(1, CLASSES), TABLE[:, 1]))
    assert ev["log_loss"].value == pytest.approx(log_loss(CLASSES, TABLE))


def test_probabilities_beside_answers_are_matched_by_name_too():
    frame = pd.DataFrame({"y": CLASSES, "a": CLASSES, **{f"p_{k}": TABLE[:, k] for k in (2, 0, 1)}})
    ev = tm.evaluate(frame, actual="y", predicted="a", probabilities=["p_2", "p_0", "p_1"], pos_label=1)
    assert ev["accuracy"].value == 1
    assert ev["auc"].value == pytest.approx(roc_auc_score(of(1, CLASSES), TABLE[:, 1]))


def test_one_score_for_one_of_three_classes():
    ev = tm.evaluate(CLASSES, CLASSES, y_score=TABLE[:, 2], pos_label=2)
    assert ev["auc"].value == pytest.approx(roc_auc_score(of(2, CLASSES), TABLE[:, 2]))
    assert ev.per_class[0]["auc"].why == "the scores are about 2 only"


def test_two_columns_have_the_usual_brier_score():
    table = np.column_stack([1 - SCORE, SCORE])
    ev = tm.evaluate(ACTUAL, y_score=table, labels=[0, 1])
    assert ev["brier"].value == pytest.approx(brier_score_loss(ACTUAL, SCORE))
    assert ev["log_loss"].value == pytest.approx(log_loss(ACTUAL, SCORE))
    assert ev["auc"].value == evaluated()["auc"].value


def test_losses_of_many_classes_under_other_shares():
    shares = np.array([0.2, 0.5, 0.3])
    ev = tm.evaluate(CLASSES, y_score=TABLE, labels=[0, 1, 2])
    weight = (shares / np.bincount(CLASSES) * N)[CLASSES]
    other = ev.at_prevalence(dict(enumerate(shares)))
    assert other["log_loss"].value == pytest.approx(log_loss(CLASSES, TABLE, sample_weight=weight))
    squares = ((TABLE - np.eye(3)[CLASSES]) ** 2).sum(axis=1)
    assert other["brier"].value == pytest.approx(np.average(squares, weights=weight))


def test_votes_are_no_probabilities():
    ev = tm.evaluate([1, 0, 0], votes=[[1, 0, 0], [0, 0, 1]])
    assert ev["auc"].value == 0.75
    assert ev["brier"].why == ev["log_loss"].why == "the scores are votes, so they are no probabilities"


# --- slices, prevalence, pickles, tallies ------------------------------------------------------------


def test_slices_have_areas_of_their_own():
    site = np.where(np.arange(N) % 3 == 0, "a", "b")
    ev = evaluated(slices={"site": site})
    for part in ev.slices:
        rows = site == part.slice["site"]
        assert part["auc"].value == pytest.approx(roc_auc_score(ACTUAL[rows], SCORE[rows]))
    assert "auc" in json.loads(ev.to_json())["slices"][0]["metrics"]


def test_another_prevalence_leaves_the_area_and_moves_average_precision():
    rare = evaluated().at_prevalence(0.01)
    assert rare["auc"].value == pytest.approx(evaluated()["auc"].value)
    weight = np.where(ACTUAL == 1, 0.01 / ACTUAL.mean(), 0.99 / (1 - ACTUAL.mean()))
    expected = average_precision_score(ACTUAL, SCORE, sample_weight=weight)
    assert rare["average_precision"].value == pytest.approx(expected)
    assert rare["brier"].value == pytest.approx(brier_score_loss(ACTUAL, SCORE, sample_weight=weight))


def test_a_pickled_evaluation_keeps_its_ranking():
    for ev in (evaluated(groups=GROUP), tm.evaluate(CLASSES, y_score=TABLE, labels=[0, 1, 2], pos_label=1)):
        again = pickle.loads(pickle.dumps(ev))
        assert again.encoded is None
        for name in ("auc", "average_precision", "brier", "log_loss"):
            assert again[name].value == ev[name].value
            assert (again[name].low, again[name].high) == (ev[name].low, ev[name].high)
        assert again.roc.tpr.tolist() == ev.roc.tpr.tolist()
        with pytest.raises(tm.OptionError, match="counts only"):
            again.roc_as("sequential")


def test_a_tally_of_scores_can_be_evaluated_and_cut():
    whole, tally = evaluated(threshold=0.4), evaluated().curves.scores
    ev = tally.evaluate(threshold=0.4)
    assert ev["mcc"].value == pytest.approx(whole["mcc"].value)
    for name in ("auc", "average_precision", "brier", "recall", "precision"):
        assert ev[name].value == pytest.approx(whole[name].value)
        assert ev[name].low == pytest.approx(whole[name].low)


def test_parts_added_give_the_whole():
    parts = [
        tm.evaluate(ACTUAL[at], y_score=SCORE[at]).curves.scores for at in (slice(0, 100), slice(100, N))
    ]
    assert (parts[0] + parts[1]).evaluate()["auc"].value == evaluated()["auc"].value


def test_bins_have_certified_bounds():
    edges = np.linspace(0, 1, 6)
    counts = [np.histogram(SCORE[of(side, ACTUAL)], edges)[0] for side in (1, 0)]
    auc = tm.Scores.from_bins(*counts, edges).evaluate()["auc"]
    exact = evaluated()["auc"].value
    assert auc.bounds[0] <= exact <= auc.bounds[1]
    assert auc.low <= auc.bounds[0]
    assert auc.high >= auc.bounds[1]
    form = auc.to_dict()
    assert form["exact"] is False
    assert form["bounds"] == list(auc.bounds)


def test_bins_can_be_cut_at_their_edges_only():
    tally = tm.Scores.from_bins([3, 1], [1, 5], edges=[1, 0.5, 0])
    assert tally.evaluate(threshold=0.5)["recall"].value == 0.75
    with pytest.raises(
        tm.OptionError,
        match=r"the threshold 0.4 is within a bin, and only bins were counted\. "
        r"Hint: ask at an edge of the bins, such as 0\.$",
    ):
        tally.evaluate(threshold=0.4)


def test_best_thresholds_come_from_the_same_tally():
    ev = evaluated(threshold="best:f1")
    best = ev.thresholds.best
    assert ev.threshold == best.threshold
    assert ev["f1"].value == pytest.approx(best.value)


# --- outputs -------------------------------------------------------------------------------------


def test_json_has_the_curves():
    form = json.loads(evaluated().to_json())
    fpr, tpr, threshold = roc_curve(ACTUAL, SCORE, drop_intermediate=False)
    roc = form["curves"]["roc"]
    assert roc["fpr"] == pytest.approx(fpr.tolist())
    assert roc["tpr"] == pytest.approx(tpr.tolist())
    assert roc["threshold"][0] is None
    assert roc["threshold"][1:] == pytest.approx(threshold[1:].tolist())
    about_class = {"roc", "precision_recall", "gains", "cost_curve", "decision_curve"}
    assert set(form["curves"]) == about_class | {"calibration", "rejection", "distribution"}
    assert form["per_class"][1]["auc"]["value"] == form["metrics"]["auc"]["value"]


def test_the_report_has_areas_in_the_class_table_and_the_summary():
    text = str(evaluated())
    assert "ROC Area" in text
    assert "?" not in text.split("Detailed Accuracy By Class")[1].split("Averages")[0]
    assert "delong" in text


def test_long_curves_are_thinned_in_json_and_say_so():
    actual = RANDOM.integers(0, 2, 20_000)
    form = json.loads(tm.evaluate(actual, y_score=RANDOM.random(20_000)).to_json())
    assert form["curves"]["roc"]["thinned"] is True
    assert form["curves"]["roc"]["points"] == 20_001
    assert len(form["curves"]["roc"]["fpr"]) < 5_000


def test_shortcuts():
    assert tm.auc(ACTUAL, y_score=SCORE) == pytest.approx(roc_auc_score(ACTUAL, SCORE))
    assert tm.auc(ACTUAL, SCORE) == tm.auc(ACTUAL, y_score=SCORE)
    assert tm.partial_auc(ACTUAL, y_score=SCORE, max_fpr=0.3) == pytest.approx(
        evaluated()["partial_auc:0.3"].value
    )
    assert tm.average_precision(evaluated().curves.scores) == evaluated()["average_precision"].value
    assert tm.brier(ACTUAL, y_score=SCORE) == pytest.approx(brier_score_loss(ACTUAL, SCORE))


def test_explaining_an_area_shows_its_pairs():
    ev = tm.evaluate([1, 0, 1, 0], y_score=[0.9, 0.8, 0.8, 0.1])
    text = str(ev.explain("auc"))
    # Of four pairs three are won and one is tied.
    assert "won = 3, tied = 1" in text
    assert "= (3 + 1 / 2) / (2 * 2)" in text
    assert "= 3.5 / 4" in text
    assert "= 0.875" in text
