"""What examiners found in decisions, calibration and many classes, and must not come back."""

from __future__ import annotations

import pickle
import warnings
from fractions import Fraction

import numpy as np
import pytest

import tallymark as tm
from tallymark.drawing import text

COSTS = [[0, 5], [1, 0]]


def evaluated(**options):
    return tm.evaluate([1, 0, 1, 0, 1, 0], y_score=[0.9, 0.1, 0.8, 0.3, 0.4, 0.6], labels=[1, 0], **options)


@pytest.mark.parametrize("weights", [[1, 2, 1, 1, 3, 1], [1] * 18, [0, 1, 1, 1, 1, 1], [0.5, 2, 1, 1, 1, 1]])
@pytest.mark.parametrize("groups", [None, list(range(9)) * 2])
def test_whole_weights_have_all_of_a_decision(weights, groups):
    actual, score = [1, 0, 1, 0, 1, 0] * 3, [0.9, 0.1, 0.8, 0.3, 0.4, 0.6] * 3
    weight = (weights * 3)[:18]
    ev = tm.evaluate(actual, y_score=score, sample_weight=weight, groups=groups, labels=[1, 0])
    form = ev.decide(COSTS).to_dict()
    assert form["cross_fitted"]["cost"] >= form["cost"] - 1e-9
    assert ev.recalibration.platt.brier.after is not None


def test_large_costs_do_not_blur_the_reject_region():
    rows = 300_000
    actual = np.concatenate([np.ones(1000, int), np.zeros(rows, int)])
    score = np.concatenate([np.full(1000, 0.5), np.full(2, 0.9), np.full(rows - 2, 0.1)])
    ev = tm.evaluate(actual, y_score=score, labels=[1, 0])
    # Two false alarms and a thousand hits are declined: 1,002 x 0.0005.
    assert ev.decide([[0, 1e7], [1, 0]], reject_cost=0.0005).cost == pytest.approx(0.501)
    few = tm.evaluate([1, 0, 0, 0, 0], y_score=[0.9, 0.1, 0.2, 0.3, 0.95], labels=[1, 0])
    assert few.decide([[0, 1e12], [1, 0]], reject_cost=0.2).cost == pytest.approx(0.4)


def test_one_prohibitive_class_does_not_blur_the_others():
    table = [[0.5, 0.3, 0.2], [0.1, 0.8, 0.1], [0.1, 0.1, 0.8]]
    costs = [[0, 1, 0.1], [1e13, 0, 0.1], [0.1, 0, 0.1]]
    chosen = tm.evaluate(list("abc"), y_score=table, labels=list("abc")).decide(costs)
    expected = []
    for row in table:
        chances = [Fraction(str(p)) for p in row]
        sums = [
            sum(p * Fraction(str(line[k])) for p, line in zip(chances, costs, strict=True)) for k in range(3)
        ]
        expected.append(sums.index(min(sums)))
    assert chosen.confusion.matrix.tolist() == np.eye(3, dtype=int)[expected].tolist()


def test_where_all_answers_cost_the_same_the_most_probable_class_stays():
    table = [[0.2, 0.5, 0.3], [0.1, 0.2, 0.7]]
    same = tm.evaluate(["b", "c"], y_score=table, labels=list("abc")).decide(np.ones((3, 3)))
    assert same.changed == 0
    assert same.confusion.margins.correct == 2


def test_where_nothing_is_to_decide_nothing_is_optimistic():
    told = text(evaluated().decide([[1, 1], [1, 1]]).document())
    assert "There is nothing to decide: whatever a row is called costs the same." in told
    assert "On new rows" not in told


def test_what_was_chosen_on_other_rows_is_not_called_cheapest_here():
    other = tm.evaluate([1, 1, 0, 0], y_score=[0.9, 0.16, 0.1, 0.05], labels=[1, 0])
    told = text(evaluated().decide(COSTS, choose_on=other).document())
    assert "theory and rows agree" not in told


def test_numbers_of_any_size_are_recalibrated_without_a_warning():
    for score in ([5e-324, 0.2, 0.5, 0.9, 1e-310, 0.7], [1e308, -1e308, 3, 4, 5, 6]):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            made = tm.evaluate([0, 1] * 6, y_score=score * 2, threshold=0.5).recalibration
        assert made.platt.brier.after is not None


def test_votes_are_no_probabilities_wherever_they_lie():
    ev = tm.evaluate([1, 0, 1, 0], votes=[[1, 0, 0, 0], [0, 0, 1, 0]], threshold=1, labels=[1, 0])
    assert ev.decide(COSTS).closed_threshold is None


def test_answers_beside_a_score_are_as_is_in_every_slice():
    random = np.random.default_rng(0)
    actual, score = random.integers(0, 2, 80), random.random(80).round(2)
    answer, site = random.integers(0, 2, 80), random.integers(0, 2, 80)
    import polars as pl

    frame = pl.DataFrame({"y": actual, "s": score, "a": answer, "site": site})
    ev = tm.evaluate(frame, actual="y", score="s", predicted="a", slices=["site"], labels=[1, 0])
    for part in ev.slices:
        there = site == part.slice["site"]
        now = tm.evaluate(actual[there], answer[there], labels=[1, 0], costs=COSTS)["total_cost"].value
        found = part.evaluation.decide(COSTS)
        assert found.saving_against == "as is"
        assert found.cost + found.saving == pytest.approx(now)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: evaluated().decide(COSTS, on_lower_bound=True), "nothing is asked of any"),
        (
            lambda: tm.evaluate([1, 0], [1, 0], labels=[1, 0]).decide(COSTS),
            "there is nothing to decide: no scores",
        ),
        (lambda: tm.cost_threshold(COSTS, pos_label=1), "a bare matrix has the positive class first"),
        (
            lambda: tm.evaluate(_frame(), actual="y", probabilities=["p"]),
            "one probability column is a score: pass score='p'",
        ),
    ],
)
def test_errors_say_what_to_do(call, message):
    with pytest.raises(tm.OptionError, match=message):
        call()


def _frame():
    import polars as pl

    return pl.DataFrame({"y": [1, 0], "p": [0.8, 0.3]})


def test_every_interval_names_its_method_and_what_it_assumes():
    ev = evaluated()
    for curve in (ev.calibration, ev.rejection, ev.decision_curve):
        form = curve.to_dict()
        assert form["method"]
        assert form["assumption"] == "independent rows"
    told = text(ev.decide(COSTS).document())
    assert "Intervals: Wilson's; independent rows." in told


def test_a_decision_survives_a_pickle():
    found = pickle.loads(pickle.dumps(evaluated())).decide(COSTS)
    assert (found.threshold, found.cost) == (0.4, 1.0)
