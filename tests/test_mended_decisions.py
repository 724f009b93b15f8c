"""What examiners found in decisions, calibration and many classes, and must not come back."""

from __future__ import annotations

import math
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


# --- what is compared, with what ----------------------------------------------------------------------


def _random(rows=90, seed=4):
    random = np.random.default_rng(seed)
    actual = (random.random(rows) < 0.4).astype(int)
    return actual, (random.random(rows) * 0.6 + 0.3 * actual).round(2), random


WEIGHTS = {
    "none": ("sampling", lambda _: None),
    "int": ("sampling", lambda random: random.integers(1, 4, 90)),
    "float": ("sampling", lambda random: random.random(90) + 0.1),
    "frequency": ("frequency", lambda random: random.integers(1, 4, 90)),
}
ASKED = ({}, {"reject_cost": 0.4}, {"minimum": {"recall": 0.8}}, {"minimum": {"recall": 0.8}, "best": "f1"})


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize("ask", ASKED, ids=str)
def test_every_kind_of_weight_has_all_of_a_decision(weights, grouped, ask):
    actual, score, random = _random()
    kind, make = WEIGHTS[weights]
    groups = list(range(30)) * 3 if grouped else None
    ev = tm.evaluate(
        actual, y_score=score, sample_weight=make(random), weight_kind=kind, groups=groups, labels=[1, 0]
    )
    found = ev.decide(None if "best" in ask else COSTS, **ask)
    form = found.to_dict()
    fitted = form["cross_fitted"]
    if "best" in ask:
        assert 0 <= fitted["value"] <= 1
    else:
        assert math.isfinite(fitted["cost"])
    assert set(fitted["metrics"]) == set(ask.get("minimum", ()))
    assert all(0 <= value <= 1 for value in fitted["metrics"].values())
    assert "On new rows" in text(found.document())
    assert found.figure().panels


def test_as_is_says_what_it_is():
    actual, score, random = _random()
    answers = random.integers(0, 2, 90)
    cut = tm.evaluate(actual, y_score=score, threshold=0.4, labels=[1, 0])
    given = tm.evaluate(actual, answers, y_score=score, labels=[1, 0])
    table = np.column_stack([score, (1 - score) / 2, (1 - score) / 2])
    names = np.array(["b", "a"])[actual]
    one = tm.evaluate(names, y_score=table, labels=["a", "b", "c"]).per_class["a"]
    for ev, words in (
        (cut, "as is (score >= 0.4)"),
        (given, "as is (the answers given)"),
        (given.at_prevalence(0.1), "as is (the answers given)"),
        (one, "as is (the most probable class)"),
    ):
        found = ev.decide(COSTS)
        assert found.to_dict()["against"]["as is"]["words"] == words
        assert f"Against {words} it" in " ".join(text(found.document()).split())


def test_a_threshold_tuned_on_the_same_rows_is_no_fair_rival():
    actual, score, _ = _random()
    tuned = tm.evaluate(actual, y_score=score, threshold="best:cost", costs=COSTS, labels=[1, 0])
    unfair = "The threshold as is was itself tuned on these rows, for cost"
    other = tm.evaluate(*_random(seed=5)[:1], y_score=_random(seed=5)[1], labels=[1, 0])
    for found in (tuned.decide(), tuned.decide(choose_on=other)):
        assert unfair in " ".join(text(found.document()).split())
        assert "tuned here" in found.to_dict()["against"]["as is"]["words"]
    plain = tm.evaluate(actual, y_score=score, threshold=0.4, labels=[1, 0]).decide(COSTS)
    assert "tuned" not in text(plain.document())


def test_the_answers_of_some_classes_are_printed_with_the_rows_declined():
    table = [[0.7, 0.2, 0.1], [0.5, 0.4, 0.1], [0.1, 0.1, 0.8]]
    ev = tm.evaluate(list("abc"), y_score=table, labels=list("abc"))
    costs = [[0, 1, 1], [9, 0, 1], [1, 1, 0]]
    # Expected costs of a, b, c: 1.9 0.8 0.9; 3.7 0.6 0.9; 1.7 0.9 0.2. So b, b, c; the first two declined.
    for ask, lines in (
        ({}, ["a 0 1 0 1", "b 0 1 0 1", "c 0 0 1 1", "total 0 2 1 3"]),
        ({"reject_cost": 0.5}, ["a 0 0 0 1 1", "b 0 0 0 1 1", "c 0 0 1 0 1", "total 0 0 1 2 3"]),
    ):
        told = [" ".join(line.split()) for line in text(ev.decide(costs, **ask).document()).split("\n")]
        assert [line for line in told if line in lines] == lines
    gains = text(ev.decide([[-1, 1, 1], [9, -1, 1], [1, 1, -1]]).document())
    # Expected of a, b, c: 1.2 0.6 0.9 -> b; 3.2 0.2 0.9 -> b; 1.6 0.8 -0.6 -> c. They cost 1, -1 and -1.
    assert "Going by the probabilities a row costs 0.067 on average; in fact it gains 0.333." in " ".join(
        gains.split()
    )


def test_rejection_by_distance_says_from_which_threshold():
    rejection = evaluated(threshold=0.35).rejection
    assert (rejection.form, rejection.threshold, rejection.to_dict()["threshold"]) == ("distance", 0.35, 0.35)
    assert "nearer than theta to the threshold 0.35." in " ".join(text(rejection.document()).split())
    assert evaluated().rejection.threshold is None
