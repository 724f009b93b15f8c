"""Adjusted p-values, against statsmodels, the procedures step by step, and every partition by hand."""

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

import tallymark as tm

adjust = tm.tests.adjust
THEIRS = {"holm": "holm", "hochberg": "simes-hochberg", "hommel": "hommel", "bonferroni": "bonferroni"}
METHODS = (*THEIRS, "shaffer", "bergmann_hommel")
chances = st.sampled_from([0.0, 0.001, 0.004, 0.01, 0.02, 0.03, 0.04, 0.05, 0.2, 0.5, 0.9, 1.0])


@given(st.lists(chances | st.floats(0, 1), min_size=1, max_size=12))
def test_the_usual_methods_are_those_of_statsmodels(p):
    for method, theirs in THEIRS.items():
        assert adjust(p, method) == pytest.approx(multipletests(p, method=theirs)[1]), method


def pairs_within(k: int):
    """The pairs within the groups of every partition of k models, from all colourings of the models."""
    pairs = list(itertools.combinations(range(k), 2))
    return {
        frozenset(at for at, (i, j) in enumerate(pairs) if colours[i] == colours[j])
        for colours in itertools.product(range(k), repeat=k)
    }


@given(st.sampled_from([1, 3, 6, 10]).flatmap(lambda m: st.lists(chances, min_size=m, max_size=m)))
def test_bergmann_hommel_by_its_definition(p):
    """Kept at alpha: all sets of pairs that can be equal at once with smallest p above alpha / size."""
    k = round((1 + math.sqrt(1 + 8 * len(p))) / 2)
    sets = [each for each in pairs_within(k) if each]
    adjusted = adjust(p, "bergmann_hommel")
    for alpha in (0.01, 0.05, 0.1, 0.25, 0.7):
        kept = set().union(*(each for each in sets if min(p[at] for at in each) > alpha / len(each)))
        # Made monotone: a pair is kept too when one with a smaller p-value is.
        kept = {at for at in range(len(p)) if any(p[other] <= p[at] for other in kept)}
        assert {at for at in range(len(p)) if adjusted[at] > alpha * (1 + 1e-12)} == kept


@given(st.lists(chances, min_size=10, max_size=10))
def test_shaffer_by_its_definition(p):
    """Step i multiplies by the most pairs that can still be equal when i - 1 are not."""
    possible = {len(each) for each in pairs_within(5)}
    assert possible == {0, 1, 2, 3, 4, 6, 10}
    highest, expected = 0.0, [0.0] * 10
    for step, at in enumerate(sorted(range(10), key=lambda at: p[at])):
        highest = max(highest, p[at] * max(each for each in possible if each <= 10 - step))
        expected[at] = min(1, highest)
    assert adjust(p, "shaffer") == pytest.approx(expected)


@given(st.sampled_from([3, 6, 10, 15]).flatmap(lambda m: st.lists(st.floats(0, 1), min_size=m, max_size=m)))
def test_methods_are_monotone_and_ordered_by_power(p):
    found = {method: adjust(p, method) for method in METHODS}
    for method, adjusted in found.items():
        assert (adjusted >= np.array(p) * (1 - 1e-12)).all(), method
        assert (adjusted <= 1).all(), method
        assert (np.diff(adjusted[np.argsort(p, kind="stable")]) >= -1e-12).all(), method
    slack = 1 + 1e-12
    weaker_than = {"holm": "bonferroni", "hochberg": "holm", "hommel": "hochberg", "shaffer": "holm"}
    for stronger, weaker in (*weaker_than.items(), ("bergmann_hommel", "shaffer")):
        assert (found[stronger] <= found[weaker] * slack).all(), stronger


def test_single_equal_unordered_and_many_p_values():
    for method in METHODS:
        assert adjust([0.03], method).tolist() == [0.03], method
        equal = adjust([0.02, 0.01, 0.02, 0.3, 0.02, 0.01], method)
        assert (equal[0], equal[1]) == (equal[2], equal[5]) == (equal[4], equal[5]), method
    # Sorted 0.01, 0.03, 0.04 by 3, 2, 1 is 0.03, 0.06, 0.04; never falling: 0.03, 0.06, 0.06.
    assert adjust([0.01, 0.04, 0.03]).tolist() == pytest.approx([0.03, 0.06, 0.06])
    assert adjust(pd.Series([0.04, 0.03, 0.01])).tolist() == pytest.approx([0.06, 0.06, 0.03])
    ten_models = np.random.default_rng(0).uniform(size=45) ** 4
    assert adjust(ten_models, "bergmann_hommel").min() == pytest.approx(45 * ten_models.min())
