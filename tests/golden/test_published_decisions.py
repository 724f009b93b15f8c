"""Published figures about costs, net benefit and calibration, each with where it stands.

Only figures that were looked up are here. Counts that a source does not print were worked out from the two
numbers it does print, as the comments say.
"""

import numpy as np
import pytest

import tallymark as tm
from collected import each

# --- net benefit (Vickers and Elkin 2006, Medical Decision Making 26:565) ----------------------

# The tutorial of decisioncurveanalysis.org by the method's authors, with R's dcurves: 750 patients, 105 with
# cancer, a logistic model of one marker (MSKCC-Epi-Bio/dcurves, data/dca_tutorial_interventions_vals.csv).
# Threshold, true and false positives (tp_rate and fp_rate by 750), net benefit, interventions avoided of 100.
TUTORIAL = [
    (0.05, 105, 645, 0.09473684210526317, 0),
    (0.07, 99, 569, 0.07489605734767024, -0.4952380952381106),
    (0.10, 78, 281, 0.06237037037037038, 16.133333333333336),
    (0.14, 67, 148, 0.05720930232558139, 35.14285714285714),
    (0.15, 59, 136, 0.04666666666666667, 33.111111111111114),
    (0.20, 41, 77, 0.029, 41.599999999999994),
    (0.25, 29, 51, 0.016000000000000007, 48.79999999999999),
    (0.30, 23, 31, 0.012952380952380951, 56.35555555555555),
    (0.35, 18, 24, 0.006769230769230774, 61.25714285714285),
]


def scores(values, positives, negatives):
    return tm.Scores(np.array(values), np.array(positives), np.array(negatives)).evaluate()


def curve_of(*columns):
    return scores(*columns).decision_curve


def test_the_marker_of_the_decision_curve_tutorial():
    thresholds, tp, fp, benefits, avoided = zip(*TUTORIAL, strict=True)
    edges = [*thresholds, 1]
    rows = [(-np.diff([*called, 0])).tolist() for called in (tp, fp)]
    curve = tm.Scores.from_bins(*rows, edges=edges).evaluate().decision_curve
    assert curve.threshold.tolist() == list(thresholds)
    assert curve.net_benefit == pytest.approx(benefits)
    assert 100 * curve.avoided == pytest.approx(avoided)
    assert curve.all[[0, 2, 5]] == pytest.approx([0.09473684210526317, 0.04444444444444445, -0.075])


def test_family_history_in_the_stata_program():
    """Unit tests of the authors' Stata program `dca` for the same patients, by family history alone.

    At 1 % it has 0.03077441 and at 50 % -0.08933333: tp - fp / 99 = 23.0808 and tp - fp = -67, so 24 and 91.
    """
    curve = curve_of([1.0, 0.0], [24, 81], [91, 554])
    assert curve.at(threshold=0.01) == pytest.approx(0.03077441, abs=1e-8)
    assert curve.at(threshold=0.5) == pytest.approx(-0.08933333, abs=1e-8)
    assert curve.all[[0, 49]] == pytest.approx([0.13131313, -0.72], abs=1e-7)
    assert 100 * curve.avoided[[0, 49]] == pytest.approx([-995.33337, 63.066669], abs=1e-4)


def test_intervention_to_all_in_a_published_table():
    """PMC6993280, table 4, liver cancer: 30 % of the patients have it; the columns Pt and all patients."""
    table = {0.03: 0.278, 0.05: 0.263, 0.08: 0.239, 0.10: 0.222, 0.20: 0.125, 0.30: 0.0}
    table |= {0.40: -0.167, 0.50: -0.4, 0.60: -0.75, 0.70: -1.333, 0.80: -2.5, 0.90: -6.0}
    curve = curve_of([0.5], [3], [7])
    for threshold, benefit in table.items():
        assert curve.all[round(100 * threshold) - 1] == pytest.approx(benefit, abs=5e-4 + 1e-9)


# --- costs (Elkan 2001, The Foundations of Cost-Sensitive Learning, IJCAI 17:973) ---------------

# The German credit data with the costs that Elkan discusses, in the tutorial of R's mlr (mlr-archive/
# mlr-tutorial, cost_sensitive_classif): bad credit called good costs 5, good called bad 1; 300 bad, 700 good.
CREDIT = [[0, 5], [1, 0]]
# prob.Bad of its first six rows, and what it calls them at the theoretical threshold
FIRST = (0.03525092, 0.63222363, 0.02807414, 0.25182703, 0.75193275, 0.26230149)
CALLED = ("Good", "Bad", "Good", "Bad", "Bad", "Bad")
# Mean cost and error rate at 0.5: 0.774 and 0.214, so 140 bad ones missed and 74 false alarms of 1000; at the
# theoretical threshold: 0.478 and 0.346, so 33 and 313.
BY_THRESHOLD = {0.5: (140, 74, 0.774, 0.214), 1 / 6: (33, 313, 0.478, 0.346)}


def test_the_threshold_for_german_credit():
    threshold = tm.cost_threshold(CREDIT, labels=["Bad", "Good"], pos_label="Bad")
    assert threshold == pytest.approx(0.1666667, abs=1e-7)
    assert tuple("Bad" if score >= threshold else "Good" for score in FIRST) == CALLED


def test_costs_of_german_credit():
    for missed, alarms, cost, error in BY_THRESHOLD.values():
        answers = tm.Confusion([[300 - missed, missed], [alarms, 700 - alarms]], labels=["Bad", "Good"])
        ev = answers.evaluate(pos_label="Bad", costs=CREDIT)
        assert ev["mean_cost"].value == pytest.approx(cost)
        assert ev["error_rate"].value == pytest.approx(error)


# --- cost curves (Drummond and Holte 2006, Machine Learning 65:95) -----------------------------


def probability_cost(costs, prior):
    """P(+) cost(FN) / (P(+) cost(FN) + P(-) cost(FP))."""
    (_, missed), (alarm, _) = costs
    return prior * missed / (prior * missed + (1 - prior) * alarm)


def test_german_credit_on_the_cost_curve():
    """The printed mean costs are points of the lines of the two thresholds, by what always erring costs."""
    binned = tm.Scores.from_bins([160, 107, 33], [74, 239, 387], edges=[1, 0.5, 1 / 6, 0])
    curve, worst = binned.evaluate().cost_curve, 0.3 * 5 + 0.7 * 1
    x = probability_cost(CREDIT, 0.3)
    for threshold, (_, _, cost, error) in BY_THRESHOLD.items():
        assert worst * curve.line(threshold).at(probability_cost=x) == pytest.approx(cost)
        # With equal costs the probability cost is the proportion of positives, and the cost the error rate.
        assert curve.line(threshold).at(probability_cost=0.3) == pytest.approx(error)
    assert worst * curve.at(probability_cost=x) == pytest.approx(0.478)
    assert curve.threshold_at(x) == 1 / 6


# --- rejection (Chow 1970, IEEE Transactions on Information Theory 16:41) ----------------------


@each("cost", [0.05, 0.2, 0.5])
def test_the_reject_rule(cost):
    """Fukunaga, Introduction to Statistical Pattern Recognition, p. 78: reject where the lower posterior is
    at least t, so from t to 1 - t; t is the cost of rejecting when an error costs 1."""
    ev = tm.evaluate([1, 0, 1, 0], y_score=[0.9, 0.1, 0.6, 0.4], labels=[1, 0], pos_label=1)
    assert ev.decide(costs=[[0, 1], [1, 0]], reject_cost=cost).chow == pytest.approx((cost, 1 - cost))


# --- calibration (Guo et al. 2017, On Calibration of Modern Neural Networks, ICML 70:1321) -----


def test_calibration_errors_in_the_documentation_of_torchmetrics():
    """BinaryCalibrationError(n_bins=2): 0.2900 with norm l1 and 0.3167 with norm max."""
    ev = scores([0.75, 0.55, 0.25], [2, 1, 0], [0, 0, 2])
    for name, expected in {"ece:2": 0.29, "mce:2": 0.3167}.items():
        assert ev[name].value == pytest.approx(expected, abs=5e-5)
