"""Adjusted p-values, against statsmodels, the procedures step by step, and every partition by hand."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from tallymark.errors import OptionError, ShapeError
from tallymark.tests.adjust import adjust

THEIRS = {"holm": "holm", "hochberg": "simes-hochberg", "hommel": "hommel", "bonferroni": "bonferroni"}
METHODS = (*THEIRS, "shaffer", "bergmann_hommel")
chances = st.sampled_from([0.0, 0.001, 0.004, 0.01, 0.02, 0.03, 0.04, 0.05, 0.2, 0.5, 0.9, 1.0])


@settings(max_examples=25, deadline=None)
@given(st.lists(chances | st.floats(0, 1), min_size=1, max_size=12))
def test_the_usual_ones_are_those_of_statsmodels(p):
    for method, theirs in THEIRS.items():
        assert adjust(p, method) == pytest.approx(multipletests(p, method=theirs)[1])


def pairs_within(k: int):
    """The pairs within the groups of every partition of k models, from all colourings of the models."""
    pairs = list(itertools.combinations(range(k), 2))
    return {
        frozenset(at for at, (i, j) in enumerate(pairs) if colours[i] == colours[j])
        for colours in itertools.product(range(k), repeat=k)
    }


@settings(max_examples=40, deadline=None)
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


@settings(max_examples=40, deadline=None)
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


@settings(max_examples=40, deadline=None)
@given(st.sampled_from([3, 6, 10, 15]).flatmap(lambda m: st.lists(st.floats(0, 1), min_size=m, max_size=m)))
def test_laws(p):
    found = {method: adjust(p, method) for method in METHODS}
    for adjusted in found.values():
        assert (adjusted >= np.array(p) * (1 - 1e-12)).all()
        assert (adjusted <= 1).all()
        order = np.argsort(p, kind="stable")
        assert (np.diff(adjusted[order]) >= -1e-12).all()
    slack = 1 + 1e-12
    assert (found["holm"] <= found["bonferroni"] * slack).all()
    assert (found["hochberg"] <= found["holm"] * slack).all()
    assert (found["hommel"] <= found["hochberg"] * slack).all()
    assert (found["shaffer"] <= found["holm"] * slack).all()
    assert (found["bergmann_hommel"] <= found["shaffer"] * slack).all()


@pytest.mark.parametrize("method", METHODS)
def test_one_comparison_needs_no_adjustment(method):
    assert adjust([0.03], method).tolist() == [0.03]


@pytest.mark.parametrize("method", METHODS)
def test_equal_p_values_stay_equal(method):
    found = adjust([0.02, 0.01, 0.02, 0.3, 0.02, 0.01], method)
    assert found[0] == found[2] == found[4]
    assert found[1] == found[5]


def test_the_order_given_is_kept():
    # Sorted 0.01, 0.03, 0.04 by 3, 2, 1 is 0.03, 0.06, 0.04; never falling: 0.03, 0.06, 0.06.
    assert adjust([0.01, 0.04, 0.03]).tolist() == pytest.approx([0.03, 0.06, 0.06])
    assert adjust(pd.Series([0.04, 0.03, 0.01])).tolist() == pytest.approx([0.06, 0.06, 0.03])


def test_twelve_models():
    p = np.random.default_rng(0).uniform(size=66) ** 4
    found = adjust(p, "bergmann_hommel")
    assert (found <= adjust(p, "shaffer") * (1 + 1e-12)).all()
    assert found.min() == pytest.approx(66 * p.min())  # all models may be equal


@pytest.mark.parametrize(
    ("p", "method", "error", "said"),
    [
        ([0.1, 0.2], "shaffer", OptionError, r"got 2 p-values. Hint: there are 1 for 2 models"),
        ([0.1] * 78, "bergmann_hommel", OptionError, r"up to 12; got 13 models. Hint: shaffer takes any"),
        ([0.1, 1.2], "holm", OptionError, r"p-values are from 0 to 1; got 1.2 at place 2"),
        ([-0.1], "holm", OptionError, r"got -0.1 at place 1"),
        ([0.1], "none", OptionError, "method must be one of holm, hochberg, hommel"),
        ([], "holm", ShapeError, "p_values is empty"),
        ([0.1, None], "holm", ShapeError, "p_values has None at place 2"),
        ([0.1, float("nan")], "holm", ShapeError, r"p_values has no number \(NaN\) at place 2"),
        (0.1, "holm", ShapeError, r"p_values must be a list of numbers, one per comparison; got 0.1"),
    ],
)  # fmt: skip
def test_refused(p, method, error, said):
    with pytest.raises(error, match=said):
        adjust(p, method)
