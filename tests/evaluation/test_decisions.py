"""Decisions of evaluations: laws that tie them to costs of evaluations, other classes, tallies and slices."""

import json
import math
import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tallymark as tm
from deciding import CELLS, ROWS, of_rows, paid, thresholds_of, weights_of
from scored import classes, refusals
from tallymark.data import path

RANDOM = np.random.default_rng(11)
N = 400
IS_YES = RANDOM.random(N) < 0.3
ACTUAL = np.where(IS_YES, "yes", "no")
SCORE = np.clip(np.round(0.3 + 0.3 * IS_YES + 0.25 * RANDOM.normal(size=N), 2), 0.01, 0.99)
WEIGHT, TIMES = RANDOM.integers(1, 5, N) / 4, RANDOM.integers(0, 4, N)
GROUP, REGION = RANDOM.integers(0, 40, N), RANDOM.choice(["north", "south"], N)
ANSWER = np.where(SCORE + 0.1 * RANDOM.normal(size=N) >= 0.55, "yes", "no")
COSTS, SQUARE = {"yes": {"no": 5}, "no": {"yes": 1}}, [[0, 5], [1, 0]]

KINDS = ["a", "b", "c"]
CLASSES = RANDOM.integers(0, 3, N)
NAMES = np.array(KINDS)[CLASSES]
TABLE = RANDOM.dirichlet([1, 1, 1], N) + 0.5 * np.eye(3)[CLASSES]
TABLE /= TABLE.sum(axis=1, keepdims=True)
CLASS_COSTS = [[0, 1, 4], [2, 0, 1], [8, 3, 0]]


def decided(**options):
    return tm.evaluate(ACTUAL, y_score=SCORE, **{"labels": ["yes", "no"], "pos_label": "yes"} | options)


def three(**options):
    return tm.evaluate(NAMES, y_score=TABLE, labels=KINDS, **options)


def known(decision):
    return decision.threshold, decision.low, decision.region, decision.savings


# --- against the costs of evaluations --------------------------------------------------------------------


def test_the_saving_is_the_difference_of_the_costs_of_two_evaluations():
    for options in (
        {},
        {"sample_weight": WEIGHT},
        {"sample_weight": TIMES, "weight_kind": "frequency"},
        {"groups": GROUP},
        {"groups": GROUP, "sample_weight": WEIGHT},
    ):
        ev = decided(costs=COSTS, threshold=0.6, **options)
        made = ev.decide()
        then = decided(costs=COSTS, threshold=made.threshold, **options)
        assert (made.cost, made.mean_cost) == pytest.approx(
            (then["total_cost"].value, then["mean_cost"].value)
        )
        assert made.saving == pytest.approx(ev["total_cost"].value - then["total_cost"].value)
        assert made.confusion == then.confusion
        saving = made.savings["as is"]
        assert saving.low < saving.value < saving.high
        assert saving.method == ("group_bootstrap" if "groups" in options else "dirichlet")
        # Costs come from the evaluation or from the call.
        assert made.cost == ev.decide(COSTS).cost == ev.decide(SQUARE).cost
        # Pickled, it decides the same, about both classes.
        back = pickle.loads(pickle.dumps(ev))
        for one, two in ((ev, back), (ev.per_class["no"], back.per_class["no"])):
            assert one.decide().to_dict() == two.decide().to_dict()
            assert one.decide(reject_cost=0.3).to_dict() == two.decide(reject_cost=0.3).to_dict()
    both = decided(sample_weight=WEIGHT, groups=GROUP).decide(COSTS)
    frame = pd.DataFrame({"y": ACTUAL, "p": SCORE, "w": WEIGHT, "g": GROUP})
    ev = tm.evaluate(frame, actual="y", score="p", weight="w", groups="g", pos_label="yes")
    assert ev.decide(COSTS).savings == both.savings
    assert ev.decide(COSTS).table().columns[0] == "threshold"


def test_a_saving_has_the_interval_of_the_comparison():
    rows = pd.read_csv(path("breast_cancer.csv"))
    about = {"actual": "actual", "pos_label": "malignant"}
    costs = {"malignant": {"benign": 20}, "benign": {"malignant": 1}}
    ev = tm.evaluate(rows, score="bayes_score", predicted="tree_predicted", **about)
    cut = np.where(rows["bayes_score"] >= ev.decide(costs).threshold, "malignant", "benign")
    answers = {"now": rows["tree_predicted"], "cut": cut}
    compared = tm.compare(answers, rows["actual"], costs=costs, metric="total_cost", pos_label="malignant")
    saving, difference = ev.decide(costs).savings["as is"], compared["total_cost"]
    assert (saving.value, saving.n, saving.note) == (difference.value, difference.estimate.n, None)
    assert (saving.low, saving.high) == pytest.approx((difference.low, difference.high))
    # Other proportions make rows neither more nor fewer, and weights count as Kish says.
    bayes = tm.evaluate(rows, score="bayes_score", **about)
    rare = bayes.at_prevalence(0.008)
    assert rare["precision"].n == rare.decide(costs).savings["all negative"].n == 569
    weight = np.tile([1.0, 2.0], 285)[:569]
    weighted = tm.evaluate(rows.assign(w=weight), score="bayes_score", weight="w", **about)
    for each in (weighted, weighted.at_prevalence(0.1)):
        assert each.decide(costs).savings["as is"].n == pytest.approx(weight.sum() ** 2 / (weight**2).sum())
    shares = {"a": 0.1, "b": 0.2, "c": 0.7}
    saving = three().at_prevalence(shares).decide(CLASS_COSTS).savings["most probable class"]
    assert (saving.n, saving.assumption) == (N, "independent rows")


@given(ROWS, CELLS, st.booleans())
def test_the_other_class_is_decided_by_1_minus_the_probability(rows, cells, weighted):
    ev = of_rows(rows, weighted, threshold=0.4)
    tp, fn, fp, tn = cells
    other = ev.per_class["no"].decide([[0, 1], [2, 3]])
    assert other.labels == ("no", "yes")
    # The evaluation has "yes" first, so a matrix without names has too: its last row is about "no".
    assert other.aim.costs.tolist() == [[3, 2], [1, 0]]
    other = ev.per_class["no"].decide({"yes": {"yes": tp, "no": fn}, "no": {"yes": fp, "no": tn}})
    weights = weights_of(rows, weighted)
    # `score < t` and `1 - score > 1 - t` are one thing, so every cut of the one is a cut of the other.
    least = min(paid(rows, weights, cells, cut, cut) for cut in thresholds_of(rows))
    assert other.cost == pytest.approx(float(least), abs=1e-9)
    score, positive, _ = (np.array(column) for column in zip(*rows, strict=True))
    high, each = np.round(1 - score, 12) >= other.threshold, np.array(weights, float)
    assert other.confusion.matrix.tolist() == [
        [each[~positive & high].sum(), each[~positive & ~high].sum()],
        [each[positive & high].sum(), each[positive & ~high].sum()],
    ]
    saved = float(paid(rows, weights, cells, 0.4, 0.4) - least)
    assert other.savings["as is"].value == pytest.approx(saved, abs=1e-9)


def test_other_proportions_are_rows_weighted_to_them():
    for options in ({}, {"sample_weight": WEIGHT}, {"groups": GROUP}):
        weight = options.get("sample_weight", np.ones(N))
        share = weight[IS_YES].sum() / weight.sum()
        factor = np.where(IS_YES, 0.05 / share, 0.95 / (1 - share))
        ev, weighted = (
            decided(**options).at_prevalence(0.05),
            decided(**options | {"sample_weight": weight * factor}),
        )
        for ask in ({}, {"reject_cost": 0.2}, {"minimum": {"recall": 0.8}}):
            one, two = ev.decide(COSTS, **ask), weighted.decide(COSTS, **ask)
            assert known(one)[:3] == known(two)[:3]
            assert (one.cost, one.rejected) == pytest.approx((two.cost, two.rejected))
            for name, saving in one.savings.items():
                assert saving.value == pytest.approx(two.savings[name].value)
    # Predictions of three classes that were given weigh what their rows weigh.
    answers = np.array(KINDS)[RANDOM.integers(0, 3, N)]
    shares = {"a": 0.8, "b": 0.1, "c": 0.1}
    weight = np.array([shares[kind] for kind in KINDS])[CLASSES] / (np.bincount(CLASSES) / N)[CLASSES]
    ev = tm.evaluate(NAMES, answers, y_score=TABLE, labels=KINDS).at_prevalence(shares)
    expected = tm.evaluate(NAMES, answers, y_score=TABLE, labels=KINDS, sample_weight=weight)
    for label in KINDS:
        one, two = (each.per_class[label].decide(SQUARE) for each in (ev, expected))
        assert (one.cost, one.saving) == pytest.approx((two.cost, two.saving))
        own, said = np.equal(NAMES, label), answers == label
        by_rows = 5 * weight[own & ~said].sum() + weight[~own & said].sum()
        assert one.saving_against == "as is"
        assert one.cost_of("as is") == pytest.approx(by_rows)
    # Rates of the decision have the intervals of an evaluation that is cut there, at its level.
    options = {"sample_weight": WEIGHT, "confidence_level": 0.8}
    rare = decided(**options).at_prevalence(0.1)
    made = rare.decide(COSTS)
    cut = decided(threshold=made.threshold, **options).at_prevalence(0.1)
    for name, shown in (("precision",) * 2, ("recall",) * 2, ("predicted_positive_rate", "share")):
        one, two = ((found.low, found.high, found.n) for found in (made.metrics[shown], cut[name]))
        assert one == pytest.approx(two), name
    asked = {"minimum": {"precision": 0.1}, "on_lower_bound": True}
    assert classes(refusals({"": lambda: rare.decide(COSTS, **asked)})) == {"": "OptionError"}


# --- the same rows in another form -----------------------------------------------------------------------


def test_counts_parts_frequencies_and_two_columns_decide_as_rows_do():
    for threshold in (None, 0.3, "best:youden"):
        ev = decided(threshold=threshold)
        counted = ev.per_class["yes"].curves.scores.evaluate(threshold=threshold)
        for ask in ({}, {"reject_cost": 0.3}, {"best": "mcc"}, {"maximum": {"share": 0.1}}):
            costs, of_counts = (None, None) if "best" in ask else (COSTS, SQUARE)
            forms = [
                made.to_dict() | {"labels": None, "confusion": None}
                for made in (ev.decide(costs, **ask), counted.decide(of_counts, **ask))
            ]
            assert forms[0] == forms[1]
        one, two = ev.per_class["no"].decide(COSTS), counted.per_class["not yes"].decide(SQUARE)
        assert (one.threshold, one.savings) == (two.threshold, two.savings)
    parts = [
        tm.evaluate(IS_YES[at].astype(int), y_score=SCORE[at], labels=[1, 0]).curves.scores
        for at in np.array_split(np.arange(N), 3)
    ]
    added = sum(parts, tm.Scores.empty()).evaluate().decide(SQUARE, reject_cost=0.4)
    assert known(added) == known(decided().decide(COSTS, reject_cost=0.4))
    weight = np.where(SCORE > 0.8, 0, WEIGHT)  # rows without weight are no rows
    there = weight > 0
    one = decided(sample_weight=weight, groups=GROUP)
    given = {"sample_weight": weight[there], "groups": GROUP[there], "pos_label": "yes"}
    two = tm.evaluate(ACTUAL[there], y_score=SCORE[there], **given)
    assert known(one.decide(COSTS, reject_cost=0.3)) == known(two.decide(COSTS, reject_cost=0.3))
    one, two = (
        decided(sample_weight=TIMES, weight_kind="frequency").decide(COSTS),
        tm.evaluate(np.repeat(ACTUAL, TIMES), y_score=np.repeat(SCORE, TIMES), pos_label="yes").decide(COSTS),
    )
    assert (one.savings, one.confusion.n) == (two.savings, two.confusion.n)
    table = np.column_stack([1 - SCORE, SCORE])
    two, one = tm.evaluate(ACTUAL, y_score=table, labels=["no", "yes"], pos_label="yes"), decided()
    assert two.decide([[0, 1], [5, 0]]).threshold == one.decide(COSTS).threshold
    for label in ("yes", "no"):
        pair = [each.per_class[label].decide(COSTS) for each in (two, one)]
        assert pair[0].threshold == pytest.approx(pair[1].threshold, abs=1e-15)
        assert (pair[0].cost, pair[0].closed_threshold) == (pair[1].cost, pair[1].closed_threshold)
        # A tie is the first label's with two columns, and the positive class's with one score.
        assert abs(pair[0].saving - pair[1].saving) <= 5 * (SCORE == 0.5).sum()


def test_chosen_on_other_rows():
    there, here = (
        tm.evaluate(ACTUAL[at], y_score=SCORE[at], pos_label="yes", costs=COSTS)
        for at in (slice(0, 150), slice(150, None))
    )
    made = here.decide(choose_on=there)
    # Other proportions are also those of the rows to choose on.
    rare = here.at_prevalence(0.05).decide(choose_on=there).threshold
    assert rare == there.at_prevalence(0.05).decide().threshold != made.threshold
    # Costs that are known leave it open to choose what is best for a metric.
    assert (here.decide(best="f1").cost, made.threshold) == (None, there.decide().threshold)
    counted = there.per_class["yes"].curves.scores.evaluate()
    assert here.decide(choose_on=counted).threshold == made.threshold
    # Whichever class the score of the other rows is about.
    other = tm.evaluate(ACTUAL, y_score=1 - SCORE, pos_label="no")
    plain = decided().decide(COSTS)
    assert decided().decide(COSTS, choose_on=other).threshold == pytest.approx(plain.threshold, abs=1e-12)


def test_slices_decide_for_themselves():
    ev, many = decided(slices={"region": REGION}, costs=COSTS), three(slices={"region": REGION})
    frame = pd.DataFrame({"y": ACTUAL, "s": SCORE, "a": ANSWER, "region": REGION})
    given = tm.evaluate(frame, actual="y", score="s", predicted="a", slices=["region"], pos_label="yes")
    for part, of_many, beside in zip(ev.slices, many.slices, given.slices, strict=True):
        here = part.slice["region"] == REGION
        alone = tm.evaluate(ACTUAL[here], y_score=SCORE[here], pos_label="yes", costs=COSTS)
        assert part.evaluation.decide().savings == alone.decide().savings
        alone = tm.evaluate(NAMES[here], y_score=TABLE[here], labels=KINDS)
        assert of_many.evaluation.decide(CLASS_COSTS).cost == alone.decide(CLASS_COSTS).cost
        # Predictions beside a score are "as is" in every slice.
        now = tm.evaluate(ACTUAL[here], ANSWER[here], pos_label="yes", costs=COSTS)["total_cost"].value
        found = beside.evaluation.decide(COSTS)
        assert (found.saving_against, found.cost + found.saving) == ("as is", pytest.approx(now))


# --- kinds of scores and predictions ---------------------------------------------------------------------


def test_kinds_of_scores_and_predictions():
    best, made = decided().thresholds.best, decided().decide()  # without costs the best F1
    assert known(made) == (best.threshold, best.low, None, {})
    assert (made.high, made.value, made.cost, made.saving) == (best.high, best.value, None, None)
    ev = tm.evaluate(ACTUAL, y_score=10 * SCORE - 5, pos_label="yes", threshold=0)
    made, other = ev.decide(COSTS), ev.per_class["no"].decide(COSTS)
    assert made.threshold == pytest.approx(10 * decided().decide(COSTS).threshold - 5)
    assert made.closed_threshold is None
    assert (other.cost, other.saving) == (made.cost, made.saving)
    assert other.low < 0 - made.low <= other.high
    # Predictions that are no cut of the score, and predictions that are never positive.
    ev = tm.evaluate(ACTUAL, ANSWER, y_score=SCORE, labels=["yes", "no"], pos_label="yes", costs=COSTS)
    made, other = ev.decide(), ev.per_class["no"].decide()
    assert made.saving_against == "as is"
    assert made.saving == pytest.approx(ev["total_cost"].value - made.cost) == pytest.approx(other.saving)
    assert made.savings["as is"].low < made.saving < made.savings["as is"].high
    ev = tm.evaluate(ACTUAL, np.full(N, "no"), y_score=SCORE, pos_label="yes", groups=GROUP)
    for label, name in (("yes", "all negative"), ("no", "all positive")):
        savings = ev.per_class[label].decide(COSTS).savings
        assert savings["as is"].value == savings[name].value
    # Votes are cut at a number of votes.
    votes = np.column_stack(
        [np.where(SCORE + 0.2 * RANDOM.normal(size=N) >= 0.5, "yes", "no") for _ in range(5)]
    )
    made = tm.evaluate(ACTUAL, votes=votes, pos_label="yes").decide(COSTS)
    yes = (votes == "yes").sum(axis=1)
    costs = {k: 5 * (IS_YES & (yes < k)).sum() + (~IS_YES & (yes >= k)).sum() for k in range(7)}
    assert made.cost == min(costs.values()) == costs[int(made.threshold)]
    assert (made.closed_threshold, made.saving_against != "as is") == (None, True)
    few = tm.evaluate([1, 0, 1, 0], votes=[[1, 0, 0, 0], [0, 0, 1, 0]], threshold=1, labels=[1, 0])
    assert few.decide(SQUARE).closed_threshold is None
    # Bins from 0 on: 14 alarms; from 0.25: 1 miss and 5 alarms; from 0.5: 4 misses and 1 alarm; never: 13.
    ev = tm.Scores.from_bins([1, 3, 9], [9, 4, 1], edges=[0, 0.25, 0.5, 1]).evaluate(threshold=0.5)
    for label, cut in ((ev.positive, 0.25), ("not positive", -0.25)):
        made = ev.per_class[label].decide([[0, 2], [1, 0]])
        assert (made.threshold, made.cost, made.saving, made.low) == (cut, 7, 9 - 7, None)


def test_a_given_threshold_costs_and_saves():
    """A miss costs 10 and a false alarm 1. At 0.65 there is one of each, at 0.5 one false alarm."""
    five = tm.evaluate([1, 1, 0, 1, 0], y_score=[0.9, 0.8, 0.7, 0.6, 0.3], labels=[1, 0])
    made = five.decide([[0, 10], [1, 0]], threshold=0.65)
    assert (made.threshold, made.low, made.high, made.cost, made.given) == (0.65, 0.6, 0.7, 11, True)
    assert {name: saving.value for name, saving in made.savings.items()} == {
        "as is": 1 - 11,
        "all positive": 2 - 11,
        "all negative": 30 - 11,
    }
    assert (made.optimistic, made.cross_fitted, made.to_dict()["aim"]["given"]) == (None, None, True)


def test_one_class_of_three_against_the_rest():
    made = three().per_class["b"].decide({"b": {"not b": 4}, "not b": {"b": 1}}, minimum={"recall": 0.5})
    alone = tm.evaluate(NAMES == "b", y_score=TABLE[:, 1], labels=[True, False]).decide([[0, 4], [1, 0]])
    assert (made.threshold, made.cost) == (alone.threshold, alone.cost)
    called = TABLE.argmax(axis=1) == 1
    assert made.cost_of("as is") == 4 * ((CLASSES == 1) & ~called).sum() + ((CLASSES != 1) & called).sum()
    ev = three(costs=CLASS_COSTS, sample_weight=WEIGHT)
    made, expected = ev.decide(reject_cost=0.8), TABLE @ np.array(CLASS_COSTS, float)
    chosen = np.where(expected.min(axis=1) > 0.8, -1, expected.argmin(axis=1))
    cost = np.where(chosen < 0, 0.8, np.array(CLASS_COSTS)[CLASSES, chosen]) @ WEIGHT
    assert (made.cost, made.mean_cost) == pytest.approx((cost, cost / WEIGHT.sum()))
    assert made.rejected == pytest.approx(WEIGHT[chosen < 0].sum() / WEIGHT.sum())
    assert made.saving == pytest.approx(ev["total_cost"].value - cost)
    # A row of classes that are not to be expected keeps its probabilities.
    table = [[0.0, 0.0, 1.0], [0.6, 0.3, 0.1], [0.2, 0.7, 0.1], [0.1, 0.2, 0.7]]
    ev = tm.evaluate([2, 0, 1, 2], y_score=table, labels=[0, 1, 2]).at_prevalence({0: 0.5, 1: 0.5, 2: 0})
    json.dumps(ev.decide(1 - np.eye(3)).to_dict(), allow_nan=False)
    assert math.isfinite(ev.decide(1 - np.eye(3)).believed)


def test_numbers_that_blur():
    actual = np.concatenate([np.ones(1000, int), np.zeros(300_000, int)])
    score = np.concatenate([np.full(1000, 0.5), np.full(2, 0.9), np.full(299_998, 0.1)])
    ev = tm.evaluate(actual, y_score=score, labels=[1, 0])
    # Two false alarms and a thousand hits are declined: 1,002 x 0.0005.
    assert ev.decide([[0, 1e7], [1, 0]], reject_cost=0.0005).cost == pytest.approx(0.501)
    few = tm.evaluate([1, 0, 0, 0, 0], y_score=[0.9, 0.1, 0.2, 0.3, 0.95], labels=[1, 0])
    assert few.decide([[0, 1e12], [1, 0]], reject_cost=0.2).cost == pytest.approx(0.4)
    # Expected costs are 3e12, 0.5, 0.1; 8e12, 0.1, 0.1; 1e12, 0.1, 0.1: of equally cheap classes the first.
    table = [[0.5, 0.3, 0.2], [0.1, 0.8, 0.1], [0.1, 0.1, 0.8]]
    costs = [[0, 1, 0.1], [1e13, 0, 0.1], [0.1, 0, 0.1]]
    chosen = tm.evaluate(list("abc"), y_score=table, labels=list("abc")).decide(costs)
    assert chosen.confusion.matrix.tolist() == [[0, 0, 1], [0, 1, 0], [0, 1, 0]]
    assert tm.evaluate([0, 0], y_score=[0.1, 0.2], labels=[1, 0]).decide([[0, 10_000], [1 / 3, 0]]).cost == 0
    # (0.9 - 0.09) / 0.9 = 0.9 and 0.09 / 0.1 = 0.9: there is nothing to decline.
    assert few.decide([[0, 0.1], [0.9, 0]], reject_cost=0.09).chow == (0.9, 0.9)


def test_savings_have_the_level_and_the_seed_of_the_evaluation():
    for make, costs, name in ((decided, COSTS, "all negative"), (three, CLASS_COSTS, "most probable class")):
        sides = ({}, {}, {"random_state": 1}, {"confidence_level": 0.5})
        one, same, other, half = (make(**options).decide(costs).savings[name] for options in sides)
        assert one.low == same.low != other.low
        assert one.low < half.low < half.high < one.high
        assert (half.level, half.low) == (0.5, one.interval(0.5).low)


def test_every_kind_of_weight_has_all_of_a_decision():
    both = {"minimum": {"recall": 0.8}, "best": "f1"}
    ways = ({}, {"reject_cost": 0.4}, both, {"minimum": {"recall": 0.5}, "on_lower_bound": True})
    for kind, weight in (("sampling", None), ("sampling", WEIGHT), ("frequency", TIMES)):
        for groups in (None, GROUP):
            ev = decided(sample_weight=weight, weight_kind=kind, groups=groups)
            for ask in ways:
                fitted = ev.decide(None if "best" in ask else COSTS, **ask).to_dict()["cross_fitted"]
                assert (0 <= fitted["value"] <= 1) if "best" in ask else math.isfinite(fitted["cost"])
                assert set(fitted["metrics"]) == set(ask.get("minimum", ()))
                assert all(0 <= value <= 1 for value in fitted["metrics"].values())
    # Rates of rows that are all of one group can be anything.
    y, score = [1, 1, 0, 1] + [0] * 12, [0.84, 0.96, 0.93, 1.0] + [0.1] * 12
    weight, groups = [0.77, 0.26, 0.96, 1.06] + [1] * 12, [0] * 4 + list(range(1, 13))
    ev = tm.evaluate(y, y_score=score, labels=[1, 0], sample_weight=weight, groups=groups)
    for rate in ev.decide([[0, 2], [1, 0]]).metrics.values():
        assert 0 <= rate.low <= rate.high <= 1
    made = decided().decide(COSTS, minimum={"sensitivity": 0.5})  # a synonym is the same constraint
    assert list(made.metrics) == ["recall", "precision", "specificity", "share"]


# --- in words --------------------------------------------------------------------------------------------


def test_what_is_compared_in_words(snapshot):
    actual, answers = IS_YES[:90].astype(int), RANDOM.integers(0, 2, 90)
    score, threshold_of = SCORE[:90], {"labels": [1, 0]}
    cut = tm.evaluate(actual, y_score=score, threshold=0.4, **threshold_of)
    beside = tm.evaluate(actual, answers, y_score=score, **threshold_of)
    tuned = tm.evaluate(actual, y_score=score, threshold="best:cost", costs=SQUARE, **threshold_of)
    made = {
        "a threshold": cut.decide(SQUARE),
        "predictions": beside.decide(SQUARE),
        "predictions at another prevalence": beside.at_prevalence(0.1).decide(SQUARE),
        "the most probable class": three().per_class["a"].decide(SQUARE),
        "tuned here": tuned.decide(),
        "tuned here, chosen elsewhere": tuned.decide(choose_on=cut),
    }
    words = {name: found.to_dict()["against"]["as is"]["words"] for name, found in made.items()}
    snapshot("evaluation_decisions", words)
    for name, found in made.items():
        assert words[name] in " ".join(str(found).split()), name


# --- refused ---------------------------------------------------------------------------------------------


def test_what_cannot_be_decided(snapshot):
    predicted, unnamed = (
        tm.evaluate(ACTUAL, ACTUAL, pos_label="yes"),
        tm.evaluate(ACTUAL, y_score=SCORE, pos_label="yes"),
    )
    two_columns = tm.evaluate(ACTUAL, y_score=np.column_stack([SCORE, 1 - SCORE]), labels=["yes", "no"])
    calls = {
        "no costs of classes": lambda: three().decide(),
        "best of classes": lambda: three().decide(CLASS_COSTS, best="f1"),
        "minimum of classes": lambda: three().decide(CLASS_COSTS, minimum={"recall": 0.9}),
        "classes on other rows": lambda: three().decide(CLASS_COSTS, choose_on=three()),
        "a threshold for classes": lambda: three().decide(CLASS_COSTS, threshold=0.0),
        "2 x 2 costs of three": lambda: three().decide([[0, 1], [1, 0]]),
        "3 x 3 costs of one": lambda: three().per_class["a"].decide(CLASS_COSTS),
        "classes pickled": lambda: pickle.loads(pickle.dumps(three())).decide(CLASS_COSTS),
        "costs without an order": lambda: tm.evaluate(NAMES, NAMES).decide(CLASS_COSTS),
        "predicted classes": lambda: tm.evaluate(NAMES, NAMES, labels=KINDS).decide(CLASS_COSTS),
        "no scores": lambda: predicted.decide(COSTS),
        "costs in no order": lambda: unnamed.decide([[0, 1], [5, 0]]),
        "a cost is missing": lambda: decided().decide({"yes": {"no": 5}}),
        "auc is no constraint": lambda: decided().decide(COSTS, minimum={"auc": 0.9}),
        "a cost is the aim": lambda: decided().decide(COSTS, maximum={"mean_cost": 0.1}),
        "reject cost nan": lambda: decided().per_class["no"].decide(COSTS, reject_cost=math.nan),
        "reject cost as text": lambda: three().decide(CLASS_COSTS, reject_cost="1"),
        "a minimum as text": lambda: decided().decide(COSTS, minimum="recall=0.9"),
        "two columns": lambda: two_columns.decide(COSTS),
        "label sets": lambda: tm.evaluate([{"a"}, {"b"}], [{"a"}, {"a"}]).decide(COSTS),
        "choose on counts": lambda: decided().decide(
            COSTS, choose_on=tm.Confusion([[1, 2], [3, 4]], labels=["yes", "no"]).evaluate()
        ),
        "choose on other classes": lambda: decided().decide(
            COSTS, choose_on=tm.evaluate([0, 1], y_score=[0.1, 0.9])
        ),
        "choose on an array": lambda: decided().decide(COSTS, choose_on=SCORE),
        "nothing on a lower bound": lambda: decided().decide(COSTS, on_lower_bound=True),
        "a threshold and a minimum": lambda: decided().decide(COSTS, threshold=0.65, minimum={"recall": 0.5}),
        "a threshold and rejecting": lambda: decided().decide(COSTS, threshold=0.65, reject_cost=1),
        "a threshold as text": lambda: decided().decide(COSTS, threshold="low"),
        "a threshold without costs": lambda: decided().decide(threshold=0.65),
        "one probability column": lambda: tm.evaluate(
            pd.DataFrame({"y": [1, 0], "p": [0.8, 0.3]}), actual="y", probabilities=["p"]
        ),
    }
    closed = {
        "all the same": ([[1, 1], [1, 1]], {}), "wrong is rewarded": ([[5, 0], [0, 5]], {}),
        "no positive": (COSTS, {}), "three named": (CLASS_COSTS, {"labels": KINDS}),
        "three": (CLASS_COSTS, {}),
        "not a label": ([[0, 9], [1, 0]], {"labels": ["no", "yes"], "pos_label": "maybe"}),
        "nan": ([[0, 9], [1, math.nan]], {}), "a bare matrix with a positive": (SQUARE, {"pos_label": 1}),
    }  # fmt: skip
    calls |= {
        f"cost_threshold {name}": lambda costs=costs, options=options: tm.cost_threshold(costs, **options)
        for name, (costs, options) in closed.items()
    }
    refused = refusals(calls)
    assert not [name for name, text in refused.items() if text.startswith("not refused")]
    found = {name: kind for name, kind in classes(refused).items() if kind != "OptionError"}
    assert set(found.values()) <= {"CostError", "MetricError", "LabelError", "ShapeError"}
    assert {name for name, kind in found.items() if kind == "MetricError"} == {"auc is no constraint"}
    snapshot("evaluation_errors_decisions", refused)


def test_the_closed_form_of_the_threshold():
    for costs, options, expected in (
        ([[0, 9], [1, 0]], {}, 0.1),
        ([[0, 1], [9, 0]], {"labels": ["no", "yes"], "pos_label": "yes"}, 0.1),
        ({1: {0: 9}, 0: {1: 1}}, {"pos_label": 0}, 0.9),
        ({"labels": ["yes", "no"], "cost": [[0, 9], [1, 0]]}, {"pos_label": "no"}, 0.9),
        # Elkan (2001), a loan of 1: granting a bad one loses it, granting a good one earns a tenth.
        ([[-0.1, 0], [1, 0]], {}, 1 / 1.1),
        ([[0, 5], [0, 0]], {}, 0.0),
        ([[0, 0], [5, 0]], {}, math.inf),
    ):
        assert tm.cost_threshold(costs, **options) == pytest.approx(expected), costs
