"""Decisions as users ask for them: against a search row by row, and the laws that tie them to evaluations."""

from __future__ import annotations

import json
import math
import pickle
from fractions import Fraction
from itertools import combinations_with_replacement, pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tallymark as tm
from tallymark.decisions import decide_classes
from tallymark.drawing import text

some = settings(max_examples=60, deadline=None)
# Few distinct scores, so that most rows are tied with others, and weights that halves are exact for.
SCORES = [0.0, 0.125, 0.25, 0.5, 0.75, 1.0]
ROWS = st.lists(
    st.tuples(st.sampled_from(SCORES), st.booleans(), st.sampled_from([0.5, 1.0, 2.0, 3.5])),
    min_size=2,
    max_size=20,
).filter(lambda rows: {positive for _, positive, _ in rows} == {True, False})
CELLS = st.lists(st.integers(-6, 9), min_size=4, max_size=4)

RANDOM = np.random.default_rng(11)
N = 400
ACTUAL = np.where(RANDOM.random(N) < 0.3, "yes", "no")
IS_YES = ACTUAL == "yes"
SCORE = np.clip(np.round(0.3 + 0.3 * IS_YES + 0.25 * RANDOM.normal(size=N), 2), 0.01, 0.99)
WEIGHT = RANDOM.integers(1, 5, N) / 4
TIMES = RANDOM.integers(0, 4, N)
GROUP = RANDOM.integers(0, 40, N)
REGION = RANDOM.choice(["north", "south"], N)
ANSWER = np.where(SCORE + 0.1 * RANDOM.normal(size=N) >= 0.55, "yes", "no")
COSTS = {"yes": {"no": 5}, "no": {"yes": 1}}
FROM_NO = [[0, 1], [5, 0]]
"""The same costs with `no` first."""

KINDS = ["a", "b", "c"]
CLASSES = RANDOM.integers(0, 3, N)
NAMES = np.array(KINDS)[CLASSES]
TABLE = RANDOM.dirichlet([1, 1, 1], N) + 0.5 * np.eye(3)[CLASSES]
TABLE /= TABLE.sum(axis=1, keepdims=True)
CLASS_COSTS = [[0, 1, 4], [2, 0, 1], [8, 3, 0]]


def evaluated(**options):
    return tm.evaluate(ACTUAL, y_score=SCORE, **{"labels": ["yes", "no"], "pos_label": "yes"} | options)


def columns(rows):
    return tuple(np.array(column) for column in zip(*rows, strict=True))


def of_rows(rows, weighted, **options):
    score, positive, weight = columns(rows)
    given_weight = {"sample_weight": weight} if weighted else {}
    return tm.evaluate(positive.astype(int), y_score=score, labels=[1, 0], **given_weight, **options)


def paid(rows, weighted, cells, lower, upper, reject=0):
    """Row by row and exactly: positive from `upper` on, negative below `lower`, declined between them."""
    tp, fn, fp, tn = cells
    total = Fraction(0)
    for score, positive, weight in rows:
        called, not_called = (tp, fn) if positive else (fp, tn)
        cost = called if score >= upper else not_called if score < lower else reject
        total += Fraction(cost) * Fraction(weight if weighted else 1)
    return total


def cut_points(rows):
    return sorted({score for score, _, _ in rows} | {math.inf})


def square(cells):
    return [cells[:2], cells[2:]]


# --- against a search over everything --------------------------------------------------------------


@pytest.mark.parametrize("weighted", [False, True])
@some
@given(rows=ROWS, cells=CELLS)
def test_the_cheapest_threshold_is_the_cheapest_of_all(weighted, rows, cells):
    made = of_rows(rows, weighted).decide(square(cells))
    costs = {cut: paid(rows, weighted, cells, cut, cut) for cut in cut_points(rows)}
    least = min(costs.values())
    good = [cut for cut, cost in costs.items() if cost == least]
    assert made.cost == pytest.approx(float(least), abs=1e-9)
    assert made.threshold == made.high == max(good)
    assert all(cost == least for cut, cost in costs.items() if made.low < cut <= made.high)
    assert made.low == -math.inf or costs[made.low] > least
    # What is as cheap and not in the interval is in the other ones.
    ranks = [cut_points(rows).index(cut) for cut in good]
    assert made.others == sum(after - before > 1 for before, after in pairwise(ranks))
    total = sum(weight if weighted else 1 for _, _, weight in rows)
    assert made.mean_cost == pytest.approx(float(least) / total, abs=1e-9)
    assert made.rejected == 0


@pytest.mark.parametrize("weighted", [False, True])
@some
@given(rows=ROWS, cells=CELLS, threshold=st.sampled_from(SCORES))
def test_savings_are_differences_of_costs(weighted, rows, cells, threshold):
    made = of_rows(rows, weighted, threshold=threshold).decide(square(cells))
    cuts = {"as is": threshold, "all positive": -math.inf, "all negative": math.inf}
    for name, cut in cuts.items():
        expected = float(paid(rows, weighted, cells, cut, cut)) - made.cost
        assert made.savings[name].value == pytest.approx(expected, abs=1e-9)
        assert expected >= -1e-9
    assert made.saving == made.savings["as is"].value


@some
@given(rows=ROWS, cells=CELLS, threshold=st.sampled_from(SCORES), weighted=st.booleans())
def test_the_other_class_is_decided_by_1_less_the_probability(rows, cells, threshold, weighted):
    ev = of_rows(rows, weighted, threshold=threshold)
    tp, fn, fp, tn = cells
    other = ev.per_class[0].decide([[0, 1], [2, 3]])
    assert other.labels == (0, 1)
    # The evaluation has 1 first, so a matrix without names has too: its last row is about class 0.
    assert other.aim.costs.tolist() == [[3, 2], [1, 0]]
    other = ev.per_class[0].decide({1: {1: tp, 0: fn}, 0: {1: fp, 0: tn}})
    # `score < t` and `1 - score > 1 - t` are one thing, so every cut of the one is a cut of the other.
    least = min(paid(rows, weighted, cells, cut, cut) for cut in cut_points(rows))
    assert other.cost == pytest.approx(float(least), abs=1e-9)
    score, positive, weight = columns(rows)
    called = 1 - score >= other.threshold
    weight = weight if weighted else np.ones(len(rows))
    assert other.confusion.matrix.tolist() == [
        [weight[~positive & called].sum(), weight[~positive & ~called].sum()],
        [weight[positive & called].sum(), weight[positive & ~called].sum()],
    ]
    as_is = float(paid(rows, weighted, cells, threshold, threshold))
    assert other.savings["as is"].value == pytest.approx(as_is - other.cost, abs=1e-9)


@pytest.mark.parametrize("weighted", [False, True])
@some
@given(rows=ROWS, cells=CELLS, reject=st.integers(-3, 5))
def test_the_reject_region_is_the_cheapest_of_all_pairs(weighted, rows, cells, reject):
    made = of_rows(rows, weighted).decide(square(cells), reject_cost=reject)
    pairs = combinations_with_replacement(cut_points(rows), 2)
    costs = {pair: paid(rows, weighted, cells, *pair, reject) for pair in pairs}
    least = min(costs.values())
    assert made.cost == pytest.approx(float(least), abs=1e-9)
    lower, upper = made.region or (made.threshold, made.threshold)
    assert costs[lower, upper] == least
    amounts = [weight if weighted else 1 for _, _, weight in rows]

    def declined(low, high):
        inside = (n for (score, _, _), n in zip(rows, amounts, strict=True) if low <= score < high)
        return sum(inside)

    assert made.rejected == pytest.approx(declined(lower, upper) / sum(amounts))
    assert declined(lower, upper) == min(declined(*pair) for pair, cost in costs.items() if cost == least)
    assert made.confusion.n == pytest.approx(sum(amounts) - declined(lower, upper))


@some
@given(rows=ROWS, cells=CELLS, weighted=st.booleans(), bound=st.sampled_from([0.2, 0.5, 0.75, 0.9]))
def test_the_cheapest_of_those_that_keep_what_is_asked(rows, cells, weighted, bound):
    amounts = [Fraction(weight if weighted else 1) for _, _, weight in rows]

    def share(cut, side):
        of = [(n, row[0] >= cut) for n, row in zip(amounts, rows, strict=True) if row[1] in side]
        return sum(n for n, called in of if called) / sum(n for n, _ in of)

    kept = [
        cut
        for cut in cut_points(rows)
        if share(cut, [True]) >= Fraction(str(bound)) and share(cut, [True, False]) <= Fraction(str(0.8))
    ]
    ev = of_rows(rows, weighted)
    asked = {"minimum": {"recall": bound}, "maximum": {"share": 0.8}}
    if not kept:
        with pytest.raises(tm.OptionError, match=r"cannot be met together: .*the least share is "):
            ev.decide(square(cells), **asked)
        return
    made = ev.decide(square(cells), **asked)
    costs = {cut: paid(rows, weighted, cells, cut, cut) for cut in kept}
    assert made.cost == pytest.approx(float(min(costs.values())), abs=1e-9)
    assert made.threshold == max(cut for cut, cost in costs.items() if cost == min(costs.values()))
    assert made.metrics["recall"].value >= bound - 1e-12


# --- laws ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"sample_weight": WEIGHT},
        {"sample_weight": TIMES, "weight_kind": "frequency"},
        {"groups": GROUP},
        {"groups": GROUP, "sample_weight": WEIGHT},
    ],
)
def test_the_saving_is_the_difference_of_the_costs_of_two_evaluations(options):
    ev = evaluated(costs=COSTS, threshold=0.6, **options)
    made = ev.decide()
    then = evaluated(costs=COSTS, threshold=made.threshold, **options)
    assert made.cost == pytest.approx(then["total_cost"].value)
    assert made.mean_cost == pytest.approx(then["mean_cost"].value)
    assert made.saving == pytest.approx(ev["total_cost"].value - then["total_cost"].value)
    assert made.confusion == then.confusion
    saving = made.savings["as is"]
    assert saving.low < saving.value < saving.high
    assert saving.method == ("group_bootstrap" if "groups" in options else "dirichlet")


@pytest.mark.parametrize("prevalence", [0.05, 0.6])
@pytest.mark.parametrize("options", [{}, {"sample_weight": WEIGHT}, {"groups": GROUP}])
def test_other_class_shares_are_rows_weighted_to_them(prevalence, options):
    weight = options.get("sample_weight", np.ones(N))
    share = weight[IS_YES].sum() / weight.sum()
    factor = np.where(IS_YES, prevalence / share, (1 - prevalence) / (1 - share))
    ev = evaluated(**options)
    weighted = evaluated(**options | {"sample_weight": weight * factor})
    for ask in ({}, {"reject_cost": 0.2}, {"minimum": {"recall": 0.8}}):
        expected, of_rows = ev.at_prevalence(prevalence).decide(COSTS, **ask), weighted.decide(COSTS, **ask)
        assert (expected.threshold, expected.low, expected.region) == (
            of_rows.threshold,
            of_rows.low,
            of_rows.region,
        )
        assert expected.cost == pytest.approx(of_rows.cost)
        assert expected.rejected == pytest.approx(of_rows.rejected)
        for name, saving in expected.savings.items():
            assert saving.value == pytest.approx(of_rows.savings[name].value)


def test_answers_given_weigh_what_their_rows_weigh_under_other_shares_of_three_classes():
    answers = np.array(KINDS)[RANDOM.integers(0, 3, N)]
    shares = {"a": 0.8, "b": 0.1, "c": 0.1}
    seen = np.bincount(CLASSES) / N
    weight = np.array([shares[kind] for kind in KINDS])[CLASSES] / seen[CLASSES]
    ev = tm.evaluate(NAMES, answers, y_score=TABLE, labels=KINDS).at_prevalence(shares)
    expected = tm.evaluate(NAMES, answers, y_score=TABLE, labels=KINDS, sample_weight=weight)
    for label in KINDS:
        made, by_hand = (each.per_class[label].decide([[0, 5], [1, 0]]) for each in (ev, expected))
        assert made.cost == pytest.approx(by_hand.cost)
        assert made.saving_against == "as is"
        assert made.saving == pytest.approx(by_hand.saving)
        of_class = np.equal(NAMES, label)
        by_rows = (
            5 * weight[of_class & (answers != label)].sum() + weight[~of_class & (answers == label)].sum()
        )
        assert made.cost_of("as is") == pytest.approx(by_rows)


@pytest.mark.parametrize("threshold", [None, 0.3, "best:youden"])
def test_counts_alone_decide_what_rows_do(threshold):
    ev = evaluated(threshold=threshold)
    tally = ev.per_class["yes"].curves.scores
    counted = tally.evaluate(threshold=threshold)
    of_counts = [[0, 5], [1, 0]]
    for ask in ({}, {"reject_cost": 0.3}, {"best": "mcc"}, {"maximum": {"share": 0.1}}):
        costs, of_tally = (None, None) if "best" in ask else (COSTS, of_counts)
        one, two = ev.decide(costs, **ask), counted.decide(of_tally, **ask)
        forms = [made.to_dict() | {"labels": None, "confusion": None} for made in (one, two)]
        assert forms[0] == forms[1]
    other = ev.per_class["no"].decide(COSTS), counted.per_class["not yes"].decide(of_counts)
    assert other[0].threshold == other[1].threshold
    assert other[0].savings == other[1].savings


def test_parts_added_decide_what_the_whole_does():
    parts = [evaluated().ranked.rows.at(rows).scores(0) for rows in np.array_split(np.arange(N), 3)]
    made = (parts[0] + parts[1] + parts[2]).evaluate().decide([[0, 5], [1, 0]], reject_cost=0.4)
    whole = evaluated().decide(COSTS, reject_cost=0.4)
    assert made.region == whole.region
    assert made.savings == whole.savings


def test_rows_without_weight_are_no_rows():
    weight = np.where(SCORE > 0.8, 0, WEIGHT)
    there = weight > 0
    one = evaluated(sample_weight=weight, groups=GROUP).decide(COSTS, reject_cost=0.3)
    two = tm.evaluate(
        ACTUAL[there], y_score=SCORE[there], pos_label="yes", sample_weight=weight[there], groups=GROUP[there]
    ).decide(COSTS, reject_cost=0.3)
    assert one.region == two.region
    assert one.savings == two.savings


def test_frequencies_are_rows():
    one = evaluated(sample_weight=TIMES, weight_kind="frequency").decide(COSTS)
    two = tm.evaluate(np.repeat(ACTUAL, TIMES), y_score=np.repeat(SCORE, TIMES), pos_label="yes").decide(
        COSTS
    )
    assert one.savings == two.savings
    assert one.confusion.matrix.tolist() == two.confusion.matrix.tolist()


def test_two_columns_of_probabilities_decide_as_the_one_score():
    table = np.column_stack([1 - SCORE, SCORE])
    two = tm.evaluate(ACTUAL, y_score=table, labels=["no", "yes"], pos_label="yes")
    one = evaluated()
    assert two.decide(FROM_NO).threshold == one.decide(COSTS).threshold
    for label in ("yes", "no"):
        of_two, of_one = (each.per_class[label].decide(COSTS) for each in (two, one))
        assert of_two.threshold == pytest.approx(of_one.threshold, abs=1e-15)
        assert of_two.cost == of_one.cost
        assert of_two.closed_threshold == of_one.closed_threshold
        # A tie is the first label's with two columns, and the positive class's with one score.
        ties = int((SCORE == 0.5).sum())
        assert abs(of_two.saving - of_one.saving) <= 5 * ties


@some
@given(rows=ROWS, cells=CELLS.filter(lambda cells: cells[1] > cells[0] and cells[2] > cells[3]))
def test_two_classes_are_answered_as_elkan_cuts(rows, cells):
    score, positive, _ = columns(rows)
    costs = np.array(square(cells), float)
    # Of equally cheap classes the first is taken, and a score at the threshold is called positive.
    made = decide_classes(np.column_stack([score, 1 - score]), (~positive).astype(int), costs, labels=(1, 0))
    ev = of_rows(rows, False, threshold=tm.cost_threshold(square(cells)), costs=square(cells))
    assert made.cost == pytest.approx(ev["total_cost"].value)
    assert made.confusion.matrix.tolist() == ev.confusion.matrix.tolist()


# --- choosing on other rows --------------------------------------------------------------------------


def test_chosen_there_and_reported_here():
    there, here = (
        tm.evaluate(ACTUAL[rows], y_score=SCORE[rows], pos_label="yes", costs=COSTS)
        for rows in (slice(0, 150), slice(150, None))
    )
    made = here.decide(choose_on=there)
    assert made.threshold == there.decide().threshold
    assert made.optimistic is None
    assert made.cross_fitted is None
    at = tm.evaluate(
        ACTUAL[150:], y_score=SCORE[150:], pos_label="yes", costs=COSTS, threshold=made.threshold
    )
    assert made.cost == at["total_cost"].value
    assert made.cost >= here.decide().cost
    assert made.to_dict()["chosen_on"] == {"rows": 150}
    assert "150 rows" in text(made.document())
    counted = there.per_class["yes"].curves.scores.evaluate()
    assert counted.labels == ("yes", "not yes")
    assert here.decide(choose_on=counted).threshold == made.threshold


def test_the_other_class_is_chosen_by_the_same_score():
    """Whichever class the other rows' score is about."""
    other = tm.evaluate(ACTUAL, y_score=1 - SCORE, pos_label="no")
    made = evaluated().decide(COSTS, choose_on=other)
    assert made.threshold == pytest.approx(evaluated().decide(COSTS).threshold, abs=1e-12)


@pytest.mark.parametrize(
    ("choose_on", "said"),
    [
        (tm.Confusion([[1, 2], [3, 4]], labels=["yes", "no"]).evaluate(), "no scores were given"),
        (tm.evaluate([0, 1], y_score=[0.1, 0.9]), "the rows to choose on have no class 'yes'"),
        (SCORE, "choose_on is an evaluation of other rows; got ndarray"),
    ],
)
def test_rows_that_cannot_be_chosen_on(choose_on, said):
    with pytest.raises(tm.OptionError, match=said):
        evaluated().decide(COSTS, choose_on=choose_on)


# --- what is there to decide with ---------------------------------------------------------------------


def test_costs_come_from_the_evaluation_or_the_call():
    ev = evaluated(costs=COSTS)
    assert ev.decide().cost == ev.decide(COSTS).cost == ev.decide([[0, 5], [1, 0]]).cost
    assert ev.decide([[0, 1], [9, 0]]).threshold > ev.decide().threshold
    assert ev.decide(best="f1").cost is None


def test_numbers_of_any_library_are_numbers():
    plain = evaluated().decide([[0, 5], [1, 0]], reject_cost=0.25)
    costs = np.array([[0, 5], [1, 0]], np.int8)
    assert evaluated().decide(costs, reject_cost=np.float32(0.25)).cost == plain.cost
    of_classes = tm.evaluate(NAMES, y_score=TABLE, labels=KINDS)
    made = of_classes.decide(np.array(CLASS_COSTS, np.float32), reject_cost=np.int64(1))
    assert made.cost == of_classes.decide(CLASS_COSTS, reject_cost=1).cost
    json.dumps(made.to_dict(), allow_nan=False)


def test_without_costs_the_best_f1():
    made = evaluated().decide()
    best = evaluated().thresholds.best
    assert (made.threshold, made.low, made.high, made.value) == (
        best.threshold,
        best.low,
        best.high,
        best.value,
    )
    assert (made.cost, made.mean_cost, made.saving, made.savings) == (None, None, None, {})


def test_decision_values_have_no_closed_form():
    ev = tm.evaluate(ACTUAL, y_score=10 * SCORE - 5, pos_label="yes", threshold=0)
    made = ev.decide(COSTS)
    assert made.threshold == pytest.approx(10 * evaluated().decide(COSTS).threshold - 5)
    assert made.closed_threshold is None
    other = ev.per_class["no"].decide(COSTS)
    assert other.cost == made.cost
    assert other.saving == made.saving
    assert other.low < 0 - made.low <= other.high


def test_answers_that_are_no_cut_of_the_score():
    ev = tm.evaluate(ACTUAL, ANSWER, y_score=SCORE, labels=["yes", "no"], pos_label="yes", costs=COSTS)
    made = ev.decide()
    assert made.saving_against == "as is"
    assert made.saving == pytest.approx(ev["total_cost"].value - made.cost)
    assert made.savings["as is"].low < made.saving < made.savings["as is"].high
    assert "which of the answers given" in made.cross_fitted.savings["as is"].note
    other = ev.per_class["no"].decide()
    assert other.saving == pytest.approx(made.saving)


def test_answers_that_never_say_yes():
    ev = tm.evaluate(ACTUAL, np.full(N, "no"), y_score=SCORE, pos_label="yes", groups=GROUP)
    for label in ("yes", "no"):
        made = ev.per_class[label].decide(COSTS)
        name = "all negative" if label == "yes" else "all positive"
        assert made.savings["as is"].value == made.savings[name].value


def test_votes_are_cut_at_a_number_of_votes():
    votes = np.column_stack(
        [np.where(SCORE + 0.2 * RANDOM.normal(size=N) >= 0.5, "yes", "no") for _ in range(5)]
    )
    ev = tm.evaluate(ACTUAL, votes=votes, pos_label="yes")
    made = ev.decide(COSTS)
    yes = (votes == "yes").sum(axis=1)
    costs = {k: 5 * (IS_YES & (yes < k)).sum() + (~IS_YES & (yes >= k)).sum() for k in range(7)}
    assert made.cost == min(costs.values())
    assert costs[int(made.threshold)] == made.cost
    assert made.closed_threshold is None
    assert made.saving_against != "as is"


def test_bins_are_cut_at_their_edges():
    tally = tm.Scores.from_bins([1, 3, 9], [9, 4, 1], edges=[0, 0.25, 0.5, 1])
    made = tally.evaluate(threshold=0.5).decide([[0, 2], [1, 0]])
    # Called from 0 on: 14 alarms; from 0.25: 1 miss and 5 alarms; from 0.5: 4 misses and 1 alarm; never: 13.
    assert (made.threshold, made.low, made.cost) == (0.25, None, 7)
    assert made.saving == 9 - 7
    other = tally.evaluate(threshold=0.5).per_class["not positive"].decide([[0, 2], [1, 0]])
    assert (other.cost, other.saving) == (7, 2)


def test_slices_decide_for_themselves():
    ev = evaluated(slices={"region": REGION}, costs=COSTS)
    for part in ev.slices:
        rows = part.slice["region"] == REGION
        alone = tm.evaluate(ACTUAL[rows], y_score=SCORE[rows], pos_label="yes", costs=COSTS).decide()
        assert part.evaluation.decide().savings == alone.savings


def test_a_pickled_evaluation_decides_the_same():
    for options in ({}, {"groups": GROUP}, {"sample_weight": WEIGHT}):
        ev = evaluated(costs=COSTS, **options)
        back = pickle.loads(pickle.dumps(ev))
        for one, two in ((ev, back), (ev.per_class["no"], back.per_class["no"])):
            assert one.decide().to_dict() == two.decide().to_dict()
            assert one.decide(reject_cost=0.3).to_dict() == two.decide(reject_cost=0.3).to_dict()


def test_a_decision_of_a_data_frame_is_one_of_its_columns():
    frame = pd.DataFrame({"y": ACTUAL, "p": SCORE, "w": WEIGHT, "g": GROUP})
    ev = tm.evaluate(frame, actual="y", score="p", weight="w", groups="g", pos_label="yes")
    made = ev.decide(COSTS)
    assert made.savings == evaluated(sample_weight=WEIGHT, groups=GROUP).decide(COSTS).savings
    assert list(made.table("pandas").columns[:1]) == ["threshold"]


@pytest.mark.parametrize(
    "ask",
    [{}, {"reject_cost": 0.3}, {"minimum": {"recall": 0.5}, "on_lower_bound": True}, {"best": "mcc"}],
)
def test_every_output_of_a_decision(ask):
    costs = None if "best" in ask else COSTS
    for ev in (evaluated(), evaluated(groups=GROUP), evaluated().at_prevalence(0.1)):
        for made in (ev.decide(costs, **ask), ev.per_class["no"].decide(costs, **ask)):
            form = json.loads(json.dumps(made.to_dict(), allow_nan=False))
            assert form["schema"] == "tallymark/decision/1"
            assert form["threshold"] == made.threshold
            assert made.figure().panels
            assert "Decision" in text(made.document())
            assert len(made.table())


# --- more than two classes ------------------------------------------------------------------------------


def row_by_row(table, costs, reject=None):
    expected = table @ np.array(costs, float)
    chosen = expected.argmin(axis=1)
    if reject is not None:
        chosen[expected.min(axis=1) > reject] = -1
    return chosen


@pytest.mark.parametrize("reject", [None, 0.8])
@pytest.mark.parametrize("weight", [None, WEIGHT])
def test_the_cheapest_class_row_by_row(reject, weight):
    ev = tm.evaluate(NAMES, y_score=TABLE, labels=KINDS, costs=CLASS_COSTS, sample_weight=weight)
    made = ev.decide(reject_cost=reject)
    each = np.ones(N) if weight is None else weight
    chosen = row_by_row(TABLE, CLASS_COSTS, reject)
    cost = np.where(chosen < 0, reject or 0, np.array(CLASS_COSTS)[CLASSES, chosen]) @ each
    assert made.cost == pytest.approx(cost)
    assert made.mean_cost == pytest.approx(cost / each.sum())
    assert made.rejected == pytest.approx(each[chosen < 0].sum() / each.sum())
    assert made.saving == pytest.approx(ev["total_cost"].value - cost)
    assert json.loads(json.dumps(made.to_dict(), allow_nan=False))["schema"] == "tallymark/class_decision/1"


def test_other_shares_of_classes_move_their_probabilities():
    shares = {"a": 0.7, "b": 0.2, "c": 0.1}
    times = np.array(list(shares.values())) / (np.bincount(CLASSES) / N)
    moved = TABLE * times
    moved /= moved.sum(axis=1, keepdims=True)
    made = tm.evaluate(NAMES, y_score=TABLE, labels=KINDS).at_prevalence(shares).decide(CLASS_COSTS)
    cost = np.array(CLASS_COSTS)[CLASSES, row_by_row(moved, CLASS_COSTS)] @ times[CLASSES]
    assert made.cost == pytest.approx(cost)


def test_one_class_of_three_against_the_rest():
    ev = tm.evaluate(NAMES, y_score=TABLE, labels=KINDS)
    made = ev.per_class["b"].decide({"b": {"not b": 4}, "not b": {"b": 1}}, minimum={"recall": 0.5})
    alone = tm.evaluate(NAMES == "b", y_score=TABLE[:, 1], labels=[True, False]).decide([[0, 4], [1, 0]])
    assert (made.threshold, made.cost) == (alone.threshold, alone.cost)
    called = TABLE.argmax(axis=1) == 1
    by_rows = 4 * ((CLASSES == 1) & ~called).sum() + ((CLASSES != 1) & called).sum()
    assert made.cost_of("as is") == by_rows


def test_slices_of_three_classes():
    ev = tm.evaluate(NAMES, y_score=TABLE, labels=KINDS, slices={"region": REGION})
    for part in ev.slices:
        rows = part.slice["region"] == REGION
        alone = tm.evaluate(NAMES[rows], y_score=TABLE[rows], labels=KINDS)
        assert part.evaluation.decide(CLASS_COSTS).cost == alone.decide(CLASS_COSTS).cost


# --- refused --------------------------------------------------------------------------------------------


def three():
    return tm.evaluate(NAMES, y_score=TABLE, labels=KINDS)


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda: three().decide(), "depends on costs, and there are none"),
        (lambda: three().decide(CLASS_COSTS, best="f1"), "best is about a threshold, and with more than two"),
        (lambda: three().decide(CLASS_COSTS, minimum={"recall": 0.9}), "minimum is about a threshold"),
        (lambda: three().decide(CLASS_COSTS, choose_on=three()), "choose_on is about a threshold"),
        (lambda: three().decide([[0, 1], [1, 0]]), "expected 3 x 3 costs"),
        (lambda: three().per_class["a"].decide(CLASS_COSTS), "expected 2 x 2 costs.*'a', 'rest'"),
        (lambda: pickle.loads(pickle.dumps(three())).decide(CLASS_COSTS), "rows were not kept.*pickled"),
        (lambda: tm.evaluate(NAMES, NAMES).decide(CLASS_COSTS), "order of the labels"),
        (
            lambda: tm.evaluate(NAMES, NAMES, labels=KINDS).decide(CLASS_COSTS),
            "cannot be told: no scores were given.*one probability per class",
        ),
        (lambda: tm.evaluate(ACTUAL, ACTUAL, pos_label="yes").decide(COSTS), "no scores were given.*y_score"),
        (lambda: tm.evaluate(ACTUAL, y_score=SCORE, pos_label="yes").decide(FROM_NO), "was not stated"),
        (lambda: evaluated().decide(COSTS, best="f1"), "two different aims"),
        (lambda: evaluated().decide(reject_cost=1), "there are no costs"),
        (lambda: evaluated().decide(COSTS, reject_cost=1, minimum={"recall": 1}), "not both"),
        (lambda: evaluated().decide({"yes": {"no": 5}}), "no cost"),
        (lambda: evaluated().decide(COSTS, minimum={"recall": 90}), r"write 0\.9 for 90 %"),
        (lambda: evaluated().decide(COSTS, minimum={"auc": 0.9}), "no value at a threshold"),
        (lambda: evaluated().per_class["no"].decide(COSTS, reject_cost=math.nan), "must be finite"),
        (lambda: three().decide(CLASS_COSTS, reject_cost="1"), "reject_cost must be a number, got '1'"),
        (lambda: evaluated().decide(COSTS, minimum="recall=0.9"), 'write minimum={"recall": 0.9}'),
        (
            lambda: tm.evaluate(
                ACTUAL, y_score=np.column_stack([SCORE, 1 - SCORE]), labels=["yes", "no"]
            ).decide(COSTS),
            r"a threshold is for one class: name the positive class.*per_class\[label\]\.decide",
        ),
        (lambda: tm.evaluate([{"a"}, {"b"}], [{"a"}, {"a"}]).decide(COSTS), "rows have several labels"),
    ],
)
def test_what_cannot_be_decided_is_said(ask, said):
    with pytest.raises(tm.TallymarkError, match=f"(?s){said}"):
        ask()


# --- where to cut calibrated probabilities -------------------------------------------------------------


@pytest.mark.parametrize(
    ("costs", "options", "expected"),
    [
        ([[0, 9], [1, 0]], {}, 0.1),
        ([[0, 1], [9, 0]], {"labels": [0, 1]}, 0.1),
        ([[0, 1], [9, 0]], {"labels": ["no", "yes"], "pos_label": "yes"}, 0.1),
        ({"1": {"0": 9}, "0": {"1": 1}}, {}, 0.1),
        ({1: {0: 9}, 0: {1: 1}}, {"pos_label": 0}, 0.9),
        ({"yes": {"no": 9}, "no": {"yes": 1}}, {"pos_label": "yes"}, 0.1),
        ({"labels": ["yes", "no"], "cost": [[0, 9], [1, 0]]}, {"pos_label": "no"}, 0.9),
        # Elkan (2001), a loan of 1: granting a bad one loses it, granting a good one earns a tenth.
        ([[-0.1, 0], [1, 0]], {}, 1 / 1.1),
        ([[0, 5], [0, 0]], {}, 0.0),
        ([[0, 0], [5, 0]], {}, math.inf),
    ],
)
def test_the_closed_form(costs, options, expected):
    assert tm.cost_threshold(costs, **options) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("costs", "options", "said"),
    [
        ([[1, 1], [1, 1]], {}, "costs the same"),
        ([[5, 0], [0, 5]], {}, "reward being wrong"),
        ({"yes": {"no": 9}, "no": {"yes": 1}}, {}, "positive class"),
        (CLASS_COSTS, {"labels": KINDS}, "tells two classes apart; the costs are of 3"),
        (CLASS_COSTS, {}, "2 x 2"),
        ([[0, 9], [1, 0]], {"labels": ["no", "yes"], "pos_label": "maybe"}, "maybe"),
        ([[0, 9], [1, math.nan]], {}, "nan"),
    ],
)
def test_costs_without_a_threshold(costs, options, said):
    with pytest.raises(tm.TallymarkError, match=said):
        tm.cost_threshold(costs, **options)
