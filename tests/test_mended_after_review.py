"""What a review of decisions, calibration and many classes found, and must not come back."""

from __future__ import annotations

import json

import numpy as np
import pytest

import tallymark as tm
from tallymark.inference.ranking import one_less
from tallymark.intake.ranking import count_scores

COSTS = [[0, 5], [1, 0]]


def test_one_less_a_probability_is_the_number_on_paper():
    for digits in (1, 2, 3, 4):
        steps = np.arange(10**digits + 1)
        assert (one_less(steps / 10**digits) == (10**digits - steps) / 10**digits).all()
    assert one_less(np.array([1 / 3, 1e-20, 0.0])).tolist() == [1 - 1 / 3, 1.0, 1.0]


def test_the_other_class_of_one_score_is_that_of_two_columns():
    score = np.array([0.93, 0.5, 0.2, 0.97, 0.07, 0.61])
    actual = np.array(["yes", "no", "no", "yes", "no", "yes"])
    one = tm.evaluate(actual, y_score=score, pos_label="yes").per_class["no"]
    table = np.column_stack([[0.07, 0.5, 0.8, 0.03, 0.93, 0.39], score])
    two = tm.evaluate(actual, y_score=table, labels=["no", "yes"]).per_class["no"]
    for threshold in (0.03, 0.07, 0.39, 0.5, 0.8, 0.93):
        assert one.decision_curve.at(threshold=threshold) == two.decision_curve.at(threshold=threshold)


def test_weights_do_not_change_what_cross_fitting_says_of_few_scores():
    generator = np.random.default_rng(0)
    score = generator.integers(1, 10, 5_000) / 10
    actual = (generator.random(5_000) < score).astype(int)
    plain = tm.evaluate(actual, y_score=score, labels=[1, 0]).decide(COSTS)
    weighed = tm.evaluate(actual, y_score=score, labels=[1, 0], sample_weight=np.full(5_000, 2.0))
    found = weighed.decide(COSTS)
    assert found.cost == 2 * plain.cost
    assert found.cross_fitted.cost == pytest.approx(2 * plain.cross_fitted.cost, rel=0.01)


def test_recalibration_at_the_shares_of_the_sample_is_that_of_the_sample():
    generator = np.random.default_rng(0)
    score = generator.integers(1, 10, 2_000) / 10
    actual = (generator.random(2_000) < score).astype(int)
    ev = tm.evaluate(actual, y_score=score)
    here, same = ev.recalibration, ev.at_prevalence(actual.mean()).recalibration
    assert same.isotonic.brier.after == pytest.approx(here.isotonic.brier.after)
    assert same.platt.brier.after == pytest.approx(here.platt.brier.after, abs=1e-4)


def test_probabilities_next_to_1_are_recalibrated():
    score = [1.0, 0.9999999999999999, 0.5, 0.2, 0.9, 0.1, 0.7, 0.4, 0.3, 0.8] * 2
    found = tm.evaluate([1, 0, 1, 0, 1, 0, 1, 0, 0, 1] * 2, y_score=score).recalibration
    json.dumps(found.to_dict(), allow_nan=False)
    assert 0 < found.platt.brier.after < 1


def test_a_clip_that_is_lost_in_1_is_refused():
    with pytest.raises(tm.OptionError, match="clip is too small"):
        tm.evaluate([1, 0], y_score=[0.5, 1.0], clip=1e-17)


def test_too_many_classes_to_pair_say_so():
    size = 2_001
    table = np.full((2, size), 1 / size)
    found = tm.evaluate([0, 1], y_score=table, labels=list(range(size)))["auc_ovo_macro"]
    assert found.value is None
    assert found.why == "there are more than 2,000 classes, too many to compare each with each"


def test_a_threshold_takes_as_many_scores_as_reach_it():
    scores = count_scores(np.array([0.3, 0.7, 0.7, 0.9, 0.1]), np.ones(5, bool))
    assert [scores.called(t) for t in (-np.inf, 0.1, 0.2, 0.7, 0.75, 0.9, 0.95, np.inf)] == [
        4,
        4,
        3,
        2,
        1,
        1,
        0,
        0,
    ]
    assert scores.called(np.array([0.2, 0.9])).tolist() == [3, 1]


def test_numbers_under_other_shares_have_the_interval_of_the_evaluation():
    generator = np.random.default_rng(0)
    actual = generator.integers(0, 2, 300)
    score = generator.random(300) * 0.6 + 0.3 * actual
    made = tm.evaluate(actual, y_score=score, labels=[1, 0]).at_prevalence(0.1).decide([[0, 20], [1, 0]])
    cut = tm.evaluate(actual, y_score=score, labels=[1, 0], threshold=made.threshold).at_prevalence(0.1)
    for name, shown in (
        ("precision", "precision"),
        ("recall", "recall"),
        ("predicted_positive_rate", "share"),
    ):
        assert (made.metrics[shown].low, made.metrics[shown].high) == (cut[name].low, cut[name].high)
    with pytest.raises(tm.OptionError, match="with other class shares precision has no confidence limit"):
        tm.evaluate(actual, y_score=score, labels=[1, 0]).at_prevalence(0.1).decide(
            COSTS, minimum={"precision": 0.1}, on_lower_bound=True
        )


def test_one_class_and_costs_of_many_digits():
    ev = tm.evaluate([0, 0], y_score=[0.1, 0.2], labels=[1, 0])
    assert ev.decide([[0, 10_000], [1 / 3, 0]]).cost == 0


def test_a_row_of_classes_that_are_not_to_be_expected_keeps_its_probabilities():
    table = [[0.0, 0.0, 1.0], [0.6, 0.3, 0.1], [0.2, 0.7, 0.1], [0.1, 0.2, 0.7]]
    ev = tm.evaluate([2, 0, 1, 2], y_score=table, labels=[0, 1, 2]).at_prevalence({0: 0.5, 1: 0.5, 2: 0})
    made = ev.decide(1 - np.eye(3))
    json.dumps(made.to_dict(), allow_nan=False)
    assert made.believed == made.believed


def test_chow_at_the_very_point_where_declining_begins_to_pay():
    from tallymark.decisions.reject import chow_thresholds

    # (0.9 - 0.09) / 0.9 = 0.9 and 0.09 / 0.1 = 0.9: there is nothing to decline.
    lower, upper = chow_thresholds(np.array([[0, 0.1], [0.9, 0]]), 0.09)
    assert lower == upper == 0.9


def test_a_constraint_by_another_name_is_the_same_constraint():
    ev = tm.evaluate([1, 0, 1, 0], y_score=[0.9, 0.4, 0.6, 0.1], labels=[1, 0])
    made = ev.decide(COSTS, minimum={"sensitivity": 0.5})
    assert list(made.metrics) == ["recall", "precision", "specificity", "share"]


def test_decision_values_with_groups_have_a_report():
    ev = tm.evaluate([1, 0, 1, 0], y_score=[2, -1, 0.3, -0.4], groups=[0, 1, 2, 3])
    form = json.loads(ev.to_json())["curves"]["calibration"]
    assert form["why"] == "scores leave [0, 1], so they are no probabilities"
    assert form["low"] == []


def test_rates_of_rows_that_are_all_of_one_group_can_be_anything():
    actual, score = [1, 1, 0, 1] + [0] * 12, [0.84, 0.96, 0.93, 1.0] + [0.1] * 12
    weight, groups = [0.77, 0.26, 0.96, 1.06] + [1] * 12, [0] * 4 + list(range(1, 13))
    ev = tm.evaluate(actual, y_score=score, labels=[1, 0], sample_weight=weight, groups=groups)
    for name, rate in ev.decide([[0, 2], [1, 0]]).metrics.items():
        assert 0 <= rate.low <= rate.high <= 1, name
    few = tm.evaluate([1, 0, 0, 0], y_score=[0.1, 0.5, 1, 0], groups=list("aaab"), labels=[1, 0])
    found = few.decide(minimum={"recall": 0.9})
    json.dumps(found.to_dict(), allow_nan=False)
    assert (found.metrics["f1"].low, found.metrics["f1"].high) == (0, 1)


def test_one_row_that_outweighs_all_others():
    ev = tm.evaluate([1, 0, 1, 0], y_score=[1, 0.5, 1, 0], sample_weight=[10_000, 1, 1, 1])
    assert ev["log_loss"].low is None
    assert "make up nearly all of the weight" in ev["log_loss"].note
    json.loads(ev.to_json())


@pytest.mark.parametrize("score", [[1e308, -1e308, 0.5, 1], [1e308, 1, 2, 3], [1e-300, 0.2, 0.5, 0.7]])
@pytest.mark.parametrize("threshold", [0.5, 1e-300, 0])
def test_distances_of_any_size(score, threshold):
    found = tm.evaluate([1, 0, 1, 0], y_score=score, threshold=threshold).rejection
    assert found.correct[0] == tm.evaluate([1, 0, 1, 0], y_score=score, threshold=threshold)["accuracy"].value


def test_a_cost_is_the_aim_and_no_constraint():
    ev = tm.evaluate([1, 0, 1, 0], y_score=[0.9, 0.4, 0.6, 0.1], labels=[1, 0])
    with pytest.raises(tm.OptionError, match="mean_cost is what is made least"):
        ev.decide(COSTS, maximum={"mean_cost": 0.1})
