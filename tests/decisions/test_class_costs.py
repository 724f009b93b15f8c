"""The cheapest class of every row, checked answer by answer."""

from __future__ import annotations

import json
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tallymark.decisions.class_costs import REJECTED, cheapest, decide_classes
from tallymark.drawing import text
from tallymark.drawing.plots.pen import image
from tallymark.errors import ShapeError

LABELS = ["cat", "dog", "rat"]
COSTS = np.array([[0.0, 1.0, 5.0], [2.0, 0.0, 2.0], [10.0, 3.0, -1.0]])


def rows(n=200, size=3, seed=0):
    generator = np.random.default_rng(seed)
    table = generator.dirichlet(np.ones(size), n)
    classes = np.array([generator.choice(size, p=row) for row in table])
    return table, classes


def cheapest_class(table, costs, reject_cost=None):
    return np.concatenate([answers for _, answers, _ in cheapest(table, costs, reject_cost)])


def one_by_one(row, costs, reject_cost=None):
    """In fractions, so that nothing is rounded: the first of the cheapest, declined only if cheaper.

    If all answers always cost the same, the likeliest.
    """
    chances = [Fraction(str(p)) for p in row]
    exact = [[Fraction(str(cost)) for cost in line] for line in costs.tolist()]
    answers = range(len(row))
    expected = [sum(p * line[k] for p, line in zip(chances, exact, strict=True)) for k in answers]
    same = all(len(set(line)) == 1 for line in exact)
    best = min(answers, key=lambda k: (expected[k], -chances[k] if same else 0, k))
    if reject_cost is not None and Fraction(str(reject_cost)) * sum(chances) < expected[best]:
        return REJECTED
    return best


tenths = st.integers(0, 10).map(lambda k: k / 10)
prices = st.integers(-30, 30).map(lambda k: k / 10)


@st.composite
def problems(draw):
    size = draw(st.integers(2, 4))
    cuts = [
        sorted(draw(st.lists(st.integers(0, 10), min_size=size - 1, max_size=size - 1))) for _ in range(5)
    ]
    table = np.array([np.diff([0, *cut, 10]) / 10 for cut in cuts])
    costs = np.array(draw(st.lists(prices, min_size=size**2, max_size=size**2))).reshape(size, size)
    return table, costs, draw(st.none() | prices)


@given(problems())
@settings(max_examples=300, deadline=None)
def test_as_one_by_one_in_fractions(problem):
    table, costs, reject_cost = problem
    expected = [one_by_one(row, costs, reject_cost) for row in table.tolist()]
    assert cheapest_class(table, costs, reject_cost).tolist() == expected


def test_equal_costs_are_the_most_probable_class():
    table, _ = rows(5_000, 7)
    assert (cheapest_class(table, 1.0 - np.eye(7)) == table.argmax(axis=1)).all()


def test_longer_than_a_block():
    table, _ = rows(70_000, 3)
    whole = cheapest_class(table, COSTS, 0.5)
    assert (
        whole == [one for half in np.array_split(table, 2) for one in cheapest_class(half, COSTS, 0.5)]
    ).all()


def test_probabilities_that_add_up_to_a_hair_less_than_1():
    # Expected costs of 0.4 and 0.6 of what is there, against 0.4: an answer is as cheap as declining.
    table = np.array([[0.6, 0.4]]) * 0.995
    assert cheapest_class(table, 1.0 - np.eye(2), 0.4).tolist() == [0]
    assert cheapest_class(table, 1.0 - np.eye(2), 0.39).tolist() == [REJECTED]


# --- what it costs and saves -----------------------------------------------------------------


@pytest.mark.parametrize("reject_cost", [None, 0.5])
@pytest.mark.parametrize("weighted", [False, True])
def test_costs_row_by_row(weighted, reject_cost):
    table, classes = rows()
    weight = np.random.default_rng(1).lognormal(size=200) if weighted else np.ones(200)
    found = decide_classes(
        table, classes, COSTS, labels=LABELS, reject_cost=reject_cost, weight=weight if weighted else None
    )
    answers = cheapest_class(table, COSTS, reject_cost)
    paid = np.where(answers == REJECTED, reject_cost or 0.0, COSTS[classes, answers])
    before = COSTS[classes, table.argmax(axis=1)]
    assert found.cost == pytest.approx(weight @ paid)
    assert found.mean_cost == pytest.approx(weight @ paid / weight.sum())
    assert found.saving == pytest.approx(weight @ (before - paid))
    assert found.rejected == pytest.approx(weight[answers == REJECTED].sum() / weight.sum())
    assert found.changed == pytest.approx(weight[answers != table.argmax(axis=1)].sum() / weight.sum())
    assert found.confusion.n == pytest.approx(weight[answers != REJECTED].sum())
    for actual in range(3):
        for answer in range(3):
            cell = weight[(classes == actual) & (answers == answer)].sum()
            assert found.confusion.matrix[actual, answer] == pytest.approx(cell)
        assert found.declined[actual] == pytest.approx(
            weight[(classes == actual) & (answers == REJECTED)].sum()
        )
    assert sum(saved for *_, saved in found.changes) == pytest.approx(found.saving)
    constant = min(weight @ COSTS[classes, k] for k in range(3))
    (_, against) = found.savings.items()
    assert against[1].value == pytest.approx(constant - weight @ paid)
    shown = found.savings["most probable class"]
    assert shown.low < shown.value < shown.high


def test_true_probabilities_cost_what_they_say():
    table, classes = rows(20_000)
    found = decide_classes(table, classes, COSTS, labels=LABELS, reject_cost=0.8)
    assert found.mean_cost == pytest.approx(found.believed_mean_cost, abs=0.03)
    assert found.savings["most probable class"].low > 0


def test_frequencies_are_so_many_rows():
    table, classes = rows()
    times = np.random.default_rng(0).integers(0, 3, 200)
    once = decide_classes(np.repeat(table, times, axis=0), np.repeat(classes, times), COSTS, labels=LABELS)
    counted = decide_classes(table, classes, COSTS, labels=LABELS, weight=times, weight_kind="frequency")
    assert counted.confusion == once.confusion
    assert counted.to_dict()["against"]["most probable class"]["saving"] == pytest.approx(
        once.to_dict()["against"]["most probable class"]["saving"]
    )


def test_groups_and_other_shares():
    table, classes = rows(400)
    group = np.arange(400) % 40
    grouped = decide_classes(table, classes, COSTS, labels=LABELS, group=(tuple(range(40)), group))
    saved = grouped.savings["most probable class"]
    assert (saved.method, saved.assumption) == ("group_bootstrap", "independent groups (40 of them)")
    assert saved.low < saved.value < saved.high
    seen = np.bincount(classes, minlength=3) / 400
    plain = decide_classes(table, classes, COSTS, labels=LABELS)
    same = decide_classes(table, classes, COSTS, labels=LABELS, shares=seen)
    assert same.cost == pytest.approx(plain.cost)
    assert same.believed == pytest.approx(plain.believed)


def test_probabilities_are_carried_over_to_other_shares():
    """Saerens et al. 2002: a class that is so many times as frequent is so many times as likely."""
    table, classes = rows(400)
    seen = np.bincount(classes, minlength=3) / 400
    shares = np.array([0.7, 0.2, 0.1])
    found = decide_classes(table, classes, COSTS, labels=LABELS, shares=shares)
    carried = table * shares / seen
    answers = cheapest_class(carried / carried.sum(axis=1, keepdims=True), COSTS)
    paid = COSTS[classes, answers] * (shares / seen)[classes]
    assert found.cost == pytest.approx(paid.sum())
    assert "carried over to the class shares given" in text(found.document())


# --- outputs ---------------------------------------------------------------------------------


def test_outputs():
    table, classes = rows()
    found = decide_classes(table, classes, COSTS, labels=LABELS, reject_cost=0.5)
    said = text(found.document(), width=1_000)
    assert "the class with the lowest expected cost under its probabilities, and none where that" in said
    assert "right when answered" in said
    assert "only as good as the probabilities" in said
    form = json.loads(json.dumps(found.to_dict()))
    assert form["schema"] == "tallymark/class_decision/1"
    assert form["saving"] == found.saving
    assert {change["to"] for change in form["changes"]} <= {*LABELS, None}
    frame = found.table("pandas")
    assert frame["cheapest"].sum() == frame["most_probable"].sum() == 200
    assert (frame["cost"] * frame["cheapest"]).sum() == pytest.approx(found.cost)
    assert frame["answer"].isna().sum() == np.count_nonzero(found.declined)
    assert len(found.figure().panels) == 2
    assert image(found.figure(), ".png")


def test_it_is_short_and_reads_like_any_decision():
    """Row 1 is 'b' by either rule, row 2 is 'a' for most and 'b' is cheaper: 0.4 x 5 against 0.6 x 1."""
    table, costs = np.array([[0.1, 0.9], [0.6, 0.4]]), np.array([[0.0, 1], [5, 0]])
    found = decide_classes(table, np.array([1, 1]), costs, labels=("a", "b"))
    assert repr(found) == "ClassDecision(2 classes, cost 0, saving 5)"
    assert found.threshold is found.low is found.high is None
    declining = decide_classes(table, np.array([1, 1]), costs, labels=("a", "b"), reject_cost=0.5)
    assert repr(declining) == "ClassDecision(2 classes, 50 % declined, cost 0.5, saving 4.5)"


def test_nothing_changes_when_all_errors_cost_the_same():
    table, classes = rows()
    found = decide_classes(table, classes, 1.0 - np.eye(3), labels=LABELS)
    assert (found.saving, found.changed, found.changes) == (0, 0, ())
    assert "Answers that change" not in text(found.document())


def test_no_rows():
    found = decide_classes(np.empty((0, 3)), np.empty(0, int), COSTS, labels=LABELS)
    assert (found.mean_cost, found.rejected, found.saving) == (None, None, None)
    assert repr(found) == "ClassDecision(3 classes, cost 0)"
    assert "There are no rows." in text(found.document())
    json.dumps(found.to_dict())


def test_too_many_classes_for_a_picture():
    table, classes = rows(100, 40)
    found = decide_classes(table, classes, 1.0 - np.eye(40), labels=range(40))
    with pytest.raises(ShapeError, match="at most 30"):
        found.figure()
    text(found.document())
