"""Means of areas over classes, and the first k places, by hand."""

from __future__ import annotations

import math
import pickle
from itertools import product

import numpy as np
import pytest

from tallymark.errors import MetricError
from tallymark.inference.classes.places import placed
from tallymark.inference.classes.ranking import class_ranking
from tallymark.metrics import ask, formulas
from tallymark.metrics.classes import (
    AREAS,
    auc_ovo_macro,
    auc_ovo_weighted,
    auc_ovr_macro,
    auc_ovr_weighted,
    top_k_accuracy,
    words_of,
)
from tallymark.tallies.class_ranks import ClassRanks

# Three classes of 2, 1 and 1 rows; the areas [i, j] are 3/4, 1, 1/2, 1, 0 and 1.
HAND = ClassRanks(
    ("a", "b", "c"),
    np.array([2, 1, 1]),
    np.array([[0, 1.5, 2], [1, 0, 1], [0, 1, 0]]),
    np.array([2, 1, 1]),
)


def test_areas_by_hand():
    assert HAND.areas[0, 1] == 3 / 4
    assert HAND.areas[1].tolist()[::2] == [1 / 2, 1]
    # a against the rest: (1.5 + 2) / (2 * 2); b: (1 + 1) / (1 * 3); c: (0 + 1) / (1 * 3).
    assert HAND.one_vs_rest.tolist() == pytest.approx([7 / 8, 2 / 3, 1 / 3])
    assert auc_ovr_macro(HAND) == pytest.approx((7 / 8 + 2 / 3 + 1 / 3) / 3)
    assert auc_ovr_weighted(HAND) == pytest.approx((2 * 7 / 8 + 2 / 3 + 1 / 3) / 4)


def test_pairs_of_classes_by_hand():
    # a and b: (3/4 + 1/2) / 2, a and c: (1 + 0) / 2, b and c: (1 + 1) / 2.
    assert HAND.pair_areas.tolist() == [5 / 8, 1 / 2, 1]
    assert auc_ovo_macro(HAND) == pytest.approx((5 / 8 + 1 / 2 + 1) / 3)
    assert auc_ovo_weighted(HAND) == pytest.approx((3 * 5 / 8 + 3 / 2 + 2 * 1) / 8)


def test_first_places():
    assert [top_k_accuracy(HAND, k) for k in (1, 2, 3, 4)] == [2 / 4, 3 / 4, 1, 1]


@pytest.mark.parametrize("name", AREAS)
def test_formulas_give_the_value(name):
    metric = ask(name).metric
    assert formulas.value(metric.formula, words_of(HAND)) == pytest.approx(metric(HAND))


def test_names():
    assert ask("hand_till").name == "auc_ovo_macro"
    assert ask("top_k_accuracy:3").name == "top_k_accuracy:3"
    for wrong in ("top_k_accuracy", "top_k_accuracy:0", "top_k_accuracy:1.5", "auc_ovr_macro:2"):
        with pytest.raises(MetricError):
            ask(wrong)


def test_a_pickle_is_a_value_again():
    again = pickle.loads(pickle.dumps(HAND))
    assert again.won.tolist() == HAND.won.tolist()
    assert not again.won.flags.writeable


# --- from rows, pair by pair -----------------------------------------------------------------


def brute(table, classes, size, weight=None):
    """won[i, j] by looking at every pair of rows."""
    weight = np.ones(len(table)) if weight is None else weight
    won = np.zeros((size, size))
    for one, two in product(range(len(table)), repeat=2):
        i, j = classes[one], classes[two]
        if i != j:
            half = np.sign(table[one, i] - table[two, i]) / 2 + 0.5
            won[i, j] += weight[one] * weight[two] * half
    return won


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("decimals", [1, 8])
@pytest.mark.parametrize("size", [2, 3, 5])
def test_pairs_are_counted_as_one_by_one(size, decimals, weighted):
    generator = np.random.default_rng(size)
    classes = generator.integers(0, size, 40)
    table = generator.dirichlet(np.ones(size), 40).round(decimals)
    weight = generator.random(40) if weighted else None
    ranks = class_ranking(table, classes, labels=range(size), weight=weight).ranks
    assert ranks.won == pytest.approx(brute(table, classes, size, weight), abs=1e-12)
    expected = np.bincount(classes, weight, size)
    assert ranks.support == pytest.approx(expected, abs=1e-12)


def test_a_class_that_is_always_set_apart_has_an_area_of_exactly_1():
    generator = np.random.default_rng(0)
    classes = generator.integers(0, 3, 200)
    table = np.eye(3)[classes] + generator.random((200, 3)) / 2
    for shares in (None, np.array([0.1, 0.3, 0.6])):
        weight = generator.random(200)
        ranks = class_ranking(table, classes, labels="abc", weight=weight, shares=shares).ranks
        for metric in (auc_ovr_macro, auc_ovr_weighted, auc_ovo_macro, auc_ovo_weighted):
            assert metric(ranks) == 1


def test_of_equal_scores_the_first_label_stands_before():
    table = np.array([[0.4, 0.4, 0.2], [0.4, 0.4, 0.2], [0.2, 0.4, 0.4], [1 / 3] * 3])
    assert placed(table, np.array([0, 1, 2, 2])).tolist() == [0, 1, 1, 2]


def test_places_are_those_of_argmax():
    generator = np.random.default_rng(1)
    table = generator.integers(0, 4, (300, 5)).astype(float)
    classes = generator.integers(0, 5, 300)
    first = placed(table, classes) == 0
    assert (first == (table.argmax(axis=1) == classes)).all()


def test_classes_without_rows_are_left_out():
    table = np.array([[0.9, 0.1, 0.0], [0.2, 0.7, 0.1], [0.6, 0.4, 0.0]])
    two = class_ranking(table[:, :2], np.array([0, 1, 0]), labels="ab").ranks
    three = class_ranking(table, np.array([0, 1, 0]), labels="abc").ranks
    for metric in (auc_ovr_macro, auc_ovr_weighted, auc_ovo_macro, auc_ovo_weighted):
        assert metric(three) == metric(two) == 1


@pytest.mark.parametrize("rows", [0, 3])
@pytest.mark.parametrize("name", AREAS)
def test_undefined_without_rows_of_two_classes(name, rows):
    ranks = class_ranking(np.ones((rows, 2)), np.zeros(rows, int), labels="ab").ranks
    assert math.isnan(ask(name).metric(ranks))
