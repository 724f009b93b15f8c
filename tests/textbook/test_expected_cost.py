"""The sources' expected cost of a threshold, and their cost matrices at the thresholds that gave them."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from tallymark.curves.costs.expected_cost import ExpectedCost
from tallymark.decisions import decide
from tallymark.inference import Ranking
from tallymark.tallies import Scores


def as_scores(matrix):
    """A matrix as scores: rows called positive have 1, the others 0."""
    (tp, fn), (fp, tn) = matrix
    return Scores(np.array([1.0, 0.0]), np.array([tp, fn]), np.array([fp, tn]))


def test_the_formula_of_the_sources_at_every_threshold(expected_cost_of_a_threshold_case):
    assert "cost(FP)*P(FP)*#neg + cost(FN)*P(FN)*#pos" in expected_cost_of_a_threshold_case["statement"]
    random = np.random.default_rng(0)
    positives, negatives = random.integers(0, 6, 12), random.integers(0, 9, 12)
    scores = Scores(np.arange(12, 0, -1.0), positives, negatives)
    false_positive, false_negative, true_positive, true_negative = 3, 7, -2, 1
    for hit, rest in ((0, 0), (true_positive, true_negative)):
        curve = ExpectedCost(scores, np.array([[hit, false_negative], [false_positive, rest]]))
        for place in range(13):
            called, refused = positives[:place].sum(), positives[place:].sum()
            alarms, quiet = negatives[:place].sum(), negatives[place:].sum()
            of_positives, of_negatives = int(positives.sum()), int(negatives.sum())
            expected = (
                false_positive * Fraction(int(alarms), of_negatives) * of_negatives
                + false_negative * Fraction(int(refused), of_positives) * of_positives
                + hit * Fraction(int(called), of_positives) * of_positives
                + rest * Fraction(int(quiet), of_negatives) * of_negatives
            )
            assert curve.total[place] == expected
        best = curve.best
        assert best.value == curve.total.min()
        assert curve.at(best.threshold).total == best.value


def test_the_cost_cases_at_their_thresholds(cost_case):
    curve = ExpectedCost(as_scores(cost_case["matrix"]), np.array(cost_case["costs"]))
    assert curve.at(1.0).total == cost_case["expected"]["total_cost"]


def test_the_worked_formula_of_a_cost_case(all_cases):
    case = all_cases["cost-500-M1"]
    decision = decide(
        Ranking(as_scores(case["matrix"])), case["costs"], labels=("+", "-"), minimum={"precision": 0.7}
    )
    assert decision.threshold == 1.0
    assert decision.formula == (
        "E(cost) = cost(FP) x P(FP) x negatives + cost(FN) x P(FN) x positives"
        " + cost(TP) x P(TP) x positives",
        "        = 1 x 60/310 x 310 + 100 x 40/190 x 190 + (-1) x 150/190 x 190",
        "        = 60 + 4,000 + (-150)",
        "        = 3,910",
    )


def test_with_misses_so_dear_both_models_are_best_cut_where_all_is_positive(all_cases):
    """Calling everything positive costs 310 - 190 for M1, 205 - 295 for M2: less than their answers."""
    first, second = (all_cases[name] for name in ("cost-500-M1", "cost-500-M2"))
    found = [
        ExpectedCost(as_scores(case["matrix"]), np.array(case["costs"])).best.value
        for case in (first, second)
    ]
    assert found == [pytest.approx(120), pytest.approx(-90)]
