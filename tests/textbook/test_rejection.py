"""The rejection curve of the sources: fraction correct against fraction rejected, as theta varies."""

from __future__ import annotations

import numpy as np
import pytest

from tallymark.curves.rejection.curve import Rejection
from tallymark.curves.rejection.margins import margins_of
from tallymark.decisions.reject import chow_thresholds, reject_region
from tallymark.drawing import text
from tallymark.intake.ranking import count_scores

# Activations of three classes, and the class that is true.
ACTIVATION = np.array(
    [[0.8, 0.1, 0.1], [0.5, 0.4, 0.1], [0.2, 0.5, 0.3], [0.3, 0.3, 0.4], [0.1, 0.1, 0.8], [0.4, 0.2, 0.4]]
)
TRUE = np.array([0, 1, 1, 0, 2, 0])


def test_the_best_class_must_exceed_the_second_best_by_theta(rejection_curve_case):
    statement = rejection_curve_case["statement"]
    assert "does not exceed the second best's by at least theta" in statement
    assert "plot fraction correct against fraction rejected" in statement
    ordered = np.sort(ACTIVATION)
    margin = (ordered[:, -1] - ordered[:, -2]).round(15)
    right = ACTIVATION.argmax(axis=1) == TRUE
    curve = Rejection(count_scores(margin, right))
    for theta in (0.0, 0.05, 0.1, 0.15, 0.2, 0.5, 0.7):
        accepted = [row for row, best in enumerate(ordered) if best[-1] - best[-2] >= theta - 1e-12]
        point = curve.at(theta=theta)
        assert point.rejected == pytest.approx(1 - len(accepted) / 6)
        assert point.correct == pytest.approx(np.mean([right[row] for row in accepted]))
    assert curve.theta.tolist() == [0, 0.1, 0.2, 0.7]
    assert curve.rejected == pytest.approx([0, 1 / 6, 3 / 6, 4 / 6])
    assert curve.correct == pytest.approx([4 / 6, 3 / 5, 1, 1])
    (panel,) = curve.figure().panels
    assert (panel.x.label, panel.y.label) == ("share of rows rejected", "share right among the accepted")


def test_within_theta_of_the_decision_boundary(rejection_curve_case):
    """The same for decision values: a point within theta of the boundary is rejected."""
    value = np.array([2.0, 0.5, 0.25, -0.25, -1.0, -3.0])
    margins, _, form = margins_of(count_scores(value, np.array([1, 0, 1, 1, 0, 0], bool)), 0.0)
    curve = Rejection(margins, form)
    assert curve.at(theta=0.5).rejected == pytest.approx(2 / 6)
    assert curve.at(theta=0.5).correct == pytest.approx(3 / 4)
    assert "nearer than theta to the threshold" in " ".join(text(curve.document()).split())


def test_the_cost_of_rejecting_against_the_costs_of_errors(rejection_curve_case):
    assert "weigh the cost of rejecting against the costs of FP and FN" in rejection_curve_case["statement"]
    # cost(FP) = 1, cost(FN) = 4, rejecting 0.5: positive from 1 - 0.5 / 1 on, negative up to 0.5 / 4.
    costs = np.array([[0.0, 4], [1, 0]])
    assert chow_thresholds(costs, 0.5) == (0.125, 0.5)
    p = np.repeat([0.05, 0.3, 0.7], 20)
    positive = np.concatenate([np.arange(20) < hits for hits in (1, 6, 14)])
    region = reject_region(count_scores(p, positive), costs, 0.5)
    # 0.05: 1 miss at 4, against 10 for rejecting; 0.3: 24 or 14 against 10; 0.7: 6 false alarms against 10.
    assert (region.lower, region.upper, region.rejected) == (0.3, 0.7, 20)
    assert region.cost == 4 + 10 + 6
    assert region.cost_without == 4 + 14 + 6
