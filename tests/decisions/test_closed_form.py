"""Elkan's closed form against a search over probabilities in exact fractions."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallymark.decisions.closed_form import at_prevalence, closed_form, cost_threshold
from tallymark.errors import CostError

COSTS = st.lists(st.integers(-20, 20), min_size=4, max_size=4)
PROBABILITIES = [Fraction(step, 60) for step in range(61)]


def expected_costs(cells, probability):
    """What calling a row positive, and negative, is expected to cost."""
    hit, miss, alarm, rest = cells
    return (
        probability * hit + (1 - probability) * alarm,
        probability * miss + (1 - probability) * rest,
    )


@given(COSTS)
def test_no_probability_is_answered_more_dearly_than_it_must_be(cells):
    form = closed_form(np.array(cells, float).reshape(2, 2))
    for probability in PROBABILITIES:
        positive, negative = expected_costs(cells, probability)
        if form.threshold is None:
            continue
        called = float(probability) >= form.threshold
        # At the threshold itself both cost the same; a float may lie on either side of it.
        if abs(float(probability) - form.threshold) > 1e-12:
            assert (positive if called else negative) == min(positive, negative)


@given(COSTS)
def test_where_there_is_no_threshold_none_is_cheapest_for_all_or_all_are(cells):
    form = closed_form(np.array(cells, float).reshape(2, 2))
    both = [expected_costs(cells, probability) for probability in PROBABILITIES]
    if form.kind == "indifferent":
        assert all(positive == negative for positive, negative in both)
    elif form.kind == "reversed":
        # Positive is the cheaper call for the least probable rows, negative for the most probable.
        assert both[0][0] < both[0][1]
        assert both[-1][0] > both[-1][1]


@pytest.mark.parametrize(
    ("costs", "expected"),
    [
        ([[0, 9], [1, 0]], 0.1),
        ([[0, 1], [1, 0]], 0.5),
        ([[-1, 100], [1, 0]], 1 / 102),
        ([[-1, 200], [20, 0]], 20 / 221),
        ([[0, 0.3], [0.1, 0]], 0.25),
        ([[0, 5], [0, 0]], 0.0),
        ([[0, 5], [-1, 0]], 0.0),
        ([[0, 0], [1, 0]], math.inf),
        ([[1, 0], [1, 0]], math.inf),
    ],
)
def test_thresholds_by_hand(costs, expected):
    assert cost_threshold(costs) == pytest.approx(expected)


def test_a_constant_added_to_what_a_class_costs_changes_nothing():
    assert cost_threshold([[7, 16], [4, 3]]) == cost_threshold([[0, 9], [1, 0]])


def test_costs_that_make_no_difference_are_refused():
    with pytest.raises(CostError) as caught:
        cost_threshold([[1, 1], [2, 2]])
    assert str(caught.value) == (
        "no threshold is cheapest: whatever a row is called costs the same, so every threshold is as cheap. "
        "Hint: rows are actual, columns predicted; right answers usually cost less than wrong ones."
    )


def test_costs_that_reward_being_wrong_are_refused_and_say_what_would_be_cheapest():
    with pytest.raises(CostError) as caught:
        cost_threshold([[5, 0], [0, 1]])
    assert caught.value.message == (
        "no threshold is cheapest: these costs reward being wrong: for either class the wrong answer costs "
        "less than the right one, so the rows to call positive are those with a probability of at most "
        "0.1667."
    )


def test_the_formula_is_shown_with_its_numbers():
    assert closed_form(np.array([[-1, 100], [1, 0]])).words == (
        "(C(FP) - C(TN)) / (C(FP) - C(TN) + C(FN) - C(TP)) = (1 - 0) / (1 - 0 + 100 - (-1)) = 0.00980392"
    )


@given(*(st.floats(0.01, 0.99) for _ in range(3)))
def test_other_shares_as_elkan_writes_it(p, b, other):
    written = other * (p - p * b) / (b - p * b + other * p - b * other)
    assert at_prevalence(p, sample=b, other=other) == pytest.approx(written)
    assert at_prevalence(at_prevalence(p, sample=b, other=other), sample=other, other=b) == pytest.approx(p)


def test_other_shares_by_bayes():
    """A test that finds 80 % of the ill and 10 % of the others: at 50 % ill a positive is ill with 8/9."""
    assert at_prevalence(8 / 9, sample=0.5, other=0.1) == pytest.approx(0.08 / (0.08 + 0.09))
    assert at_prevalence(0.0, sample=0.3, other=0.1) == 0
    assert at_prevalence(1.0, sample=0.3, other=0.1) == 1


def test_json():
    assert closed_form(np.array([[0, 0], [1, 0]])).to_dict()["threshold"] is None
    assert closed_form(np.array([[0, 9], [1, 0]])).to_dict()["threshold"] == 0.1
