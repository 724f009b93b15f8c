"""The cheapest class of every row, prediction by prediction."""

import json
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tallymark as tm
from scored import classes, refusals, shown

LABELS = ["cat", "dog", "rat"]
COSTS = np.array([[0.0, 1.0, 5.0], [2.0, 0.0, 2.0], [10.0, 3.0, -1.0]])
REJECTED = -1
PRICES = st.integers(-30, 30).map(lambda k: k / 10)


def rows(n=200, size=3, seed=0):
    generator = np.random.default_rng(seed)
    table = generator.dirichlet(np.ones(size), n)
    return table, (table.cumsum(axis=1) < generator.random((n, 1))).sum(axis=1)


def decided(table, actual, costs=COSTS, reject_cost=None, *, labels=None, prevalence=None, **options):
    labels = list(range(table.shape[1])) if labels is None else labels
    ev = tm.evaluate(np.array(labels)[actual], y_score=table, labels=labels, **options)
    ev = ev if prevalence is None else ev.at_prevalence(dict(zip(labels, prevalence, strict=True)))
    return ev.decide(np.asarray(costs).tolist(), reject_cost=reject_cost)


def one_by_one(row, costs, reject_cost=None):
    """In fractions, so that nothing is rounded: the first of the cheapest, rejected only if that is cheaper.

    If all predictions always cost the same, the likeliest.
    """
    chances = [Fraction(str(p)) for p in row]
    exact = [[Fraction(str(cost)) for cost in line] for line in costs]
    labels = range(len(row))
    expected = [sum(p * line[k] for p, line in zip(chances, exact, strict=True)) for k in labels]
    same = all(len(set(line)) == 1 for line in exact)
    best = min(labels, key=lambda k: (expected[k], -chances[k] if same else 0, k))
    if reject_cost is not None and Fraction(str(reject_cost)) * sum(chances) < expected[best]:
        return REJECTED
    return best


def cells(actual, answers, size, weight=None):
    weight = np.ones(len(actual)) if weight is None else weight
    matrix = np.zeros((size, size + 1))
    np.add.at(matrix, (actual, answers), weight)
    return matrix[:, :size].tolist(), matrix[:, size].tolist()


@st.composite
def problems(draw):
    size = draw(st.integers(3, 4))
    ends = st.lists(st.integers(0, 10), min_size=size - 1, max_size=size - 1).map(sorted)
    table = np.array([np.diff([0, *draw(ends), 10]) / 10 for _ in range(5)])
    costs = np.array(draw(st.lists(PRICES, min_size=size**2, max_size=size**2))).reshape(size, size)
    return table, costs.tolist(), draw(st.none() | PRICES)


@given(problems())
def test_as_one_by_one_in_fractions(problem):
    table, costs, reject_cost = problem
    size, actual = table.shape[1], np.arange(5) % table.shape[1]
    answers = np.array([one_by_one(row, costs, reject_cost) for row in table.tolist()])
    found = decided(table, actual, costs, reject_cost)
    declined = [0.0] * size if found.declined is None else list(found.declined)
    assert (found.confusion.matrix.tolist(), declined) == cells(actual, answers, size)


def test_many_rows_and_equal_costs():
    table, actual = rows(70_000)  # more than a block
    expected = table @ COSTS
    answers = np.where(expected.min(axis=1) > 0.5, REJECTED, expected.argmin(axis=1))
    found = decided(table, actual, COSTS, 0.5)
    assert (found.confusion.matrix.tolist(), list(found.declined)) == cells(actual, answers, 3)
    # Probabilities that are right cost what they say.
    assert found.mean_cost == pytest.approx(found.believed_mean_cost, abs=0.02)
    assert found.savings["most probable class"].low > 0
    # All errors alike: the most probable class, and nothing changes.
    table, actual = rows(2000, 7)
    same = decided(table, actual, 1.0 - np.eye(7))
    assert same.confusion.matrix.tolist() == cells(actual, table.argmax(axis=1), 7)[0]
    assert (same.saving, same.changed, same.changes) == (0, 0, ())


def test_probabilities_that_add_up_to_a_hair_less_than_1():
    # Expected costs of 0.4 and 0.6 of what is there, against 0.4: a prediction is as cheap as rejecting.
    table = np.array([[0.6, 0.4, 0.0]]) * 0.995
    costs = 1.0 - np.eye(3)
    assert [decided(table, np.array([0]), costs, reject).rejected for reject in (0.4, 0.39)] == [0, 1]


def test_frequencies_groups_and_other_proportions():
    table, actual = rows()
    times = np.random.default_rng(0).integers(0, 3, 200)
    once = decided(np.repeat(table, times, axis=0), np.repeat(actual, times))
    counted = decided(table, actual, sample_weight=times, weight_kind="frequency")
    assert counted.confusion.matrix.tolist() == once.confusion.matrix.tolist()
    assert counted.to_dict()["against"] == once.to_dict()["against"]
    table, actual = rows(400)
    saved = decided(table, actual, groups=np.arange(400) % 40).savings["most probable class"]
    assert saved.method == "group_bootstrap"
    assert saved.low < saved.value < saved.high
    seen = np.bincount(actual, minlength=3) / 400
    plain, same = decided(table, actual), decided(table, actual, prevalence=seen)
    assert (same.cost, same.believed) == pytest.approx((plain.cost, plain.believed))
    # A class that is so many times as frequent is so many times as likely (Saerens et al. 2002).
    shares = np.array([0.7, 0.2, 0.1])
    carried = table * shares / seen
    answers = (carried / carried.sum(axis=1, keepdims=True) @ COSTS).argmin(axis=1)
    paid = COSTS[actual, answers] * (shares / seen)[actual]
    assert decided(table, actual, prevalence=shares).cost == pytest.approx(paid.sum())


def test_texts_tables_and_pictures(snapshot):
    table, actual = rows()
    found = decided(table, actual, COSTS, 0.5, labels=LABELS)
    form = json.loads(json.dumps(found.to_dict()))
    assert (form["schema"], form["saving"]) == ("tallymark/class_decision/1", found.saving)
    assert {change["to"] for change in form["changes"]} <= {*LABELS, None}
    frame = found.table("pandas")
    assert frame["cheapest"].sum() == frame["most_probable"].sum() == 200
    assert (frame["cost"] * frame["cheapest"]).sum() == pytest.approx(found.cost)
    assert frame["answer"].isna().sum() == np.count_nonzero(found.declined)
    assert found.threshold is found.low is found.high is None
    assert len(found.plot()) == 2
    texts = {"three classes": found, "errors alike": decided(table, actual, 1 - np.eye(3), labels=LABELS)}
    texts["other proportions"] = decided(table, actual, labels=LABELS, prevalence=[0.7, 0.2, 0.1])
    weight = np.arange(200) % 3 + 0.5
    texts["weights"] = decided(table, actual, 2 * COSTS, labels=LABELS, sample_weight=weight)
    wide, kinds = rows(100, 40)
    many = decided(wide, kinds, 1.0 - np.eye(40))
    assert classes(refusals({"picture": many.plot})) == {"picture": "ShapeError"}
    assert str(many)
    said = {name: f"{each!r}\n\n{shown(each)}" for name, each in texts.items()}
    snapshot("text_class_decisions", said)
