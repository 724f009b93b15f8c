"""Tests of models that are right or wrong on the same rows: McNemar's and Cochran's, by hand and exactly."""

import json
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

import tallymark as tm

mcnemar, cochran_q = tm.tests.mcnemar, tm.tests.cochran_q
METHODS = ("corrected", "uncorrected", "exact", "mid_p")
SIDES = ("two-sided", "greater", "less")
whole = st.integers(0, 60)


def at_most(k, n):
    """P(at most k of n heads), exactly."""
    return Fraction(sum(math.comb(n, i) for i in range(k + 1)), 2**n)


# --- McNemar ---------------------------------------------------------------------------------


def test_the_formula_of_the_sources():
    # M = (|n01 - n10| - 1)^2 / (n01 + n10); at 95 % the critical value is 3.84.
    found = mcnemar(5, 15, "corrected")
    assert (found.statistic, found.df) == (pytest.approx(81 / 20), 1)
    assert found.statistic > 3.84
    assert found.p_value < 0.05
    assert mcnemar(6, 16, "corrected").statistic == pytest.approx(81 / 22)
    assert mcnemar(6, 16, "corrected").p_value > 0.05
    # |n01 - n10| - 1 would be -1 for equal counts, and its square 1.
    for counts in ((7, 7), (7, 8)):
        assert (mcnemar(*counts, "corrected").statistic, mcnemar(*counts, "corrected").p_value) == (0, 1)
    # 25 / 8, 36 / 8, and 9 and 9 - 4 of 128.
    made = [mcnemar(1, 7, method, n00=12, n11=1) for method in METHODS]
    assert [each.statistic for each in made] == [25 / 8, 36 / 8, 1, 1]
    assert [each.p_value for each in made[2:]] == pytest.approx([9 / 128, 5 / 128])


@given(n01=whole, n10=whole)
def test_binomial_p_values_are_exact_and_sides_mirror(n01, n10):
    for method in METHODS:
        there = mcnemar(n01, n10, method, alternative="greater", n00=5, n11=9)
        back = mcnemar(n10, n01, method, alternative="less", n00=5, n11=9)
        assert there.p_value == pytest.approx(back.p_value), method
        assert there.value == -back.value
        assert (there.low, there.high) == (pytest.approx(-back.high), pytest.approx(-back.low))
        assert 0 < mcnemar(n01, n10, method).p_value <= 1
    if n01 + n10 == 0:
        return
    n, k = n01 + n10, min(n01, n10)
    middle = Fraction(math.comb(n, k), 2**n)
    exact = {"two-sided": min(2 * at_most(k, n), 1), "greater": 1 - at_most(n01 - 1, n) if n01 else 1}
    # Every division further from the middle, and half of the probability of the two as far.
    as_far = 1 if n01 == n10 else 2
    beyond = sum(Fraction(math.comb(n, i), 2**n) for i in range(n + 1) if abs(2 * i - n) > abs(n01 - n10))
    mid_p = {"two-sided": beyond + as_far * middle / 2, "greater": exact["greater"] - middle / 2}
    for method, expected in (("exact", exact), ("mid_p", mid_p)):
        for side, p in expected.items():
            found = mcnemar(n01, n10, method, alternative=side).p_value
            assert found == pytest.approx(float(p), rel=1e-12), (method, side)


def test_one_sided_tests_of_the_chi_squared_methods():
    for method in ("corrected", "uncorrected"):
        two = mcnemar(16, 6, method)
        assert mcnemar(16, 6, method, alternative="greater").p_value == pytest.approx(two.p_value / 2)
        assert mcnemar(6, 16, method, alternative="less").p_value == pytest.approx(two.p_value / 2)
    for n01, n10 in ((50, 50), (40, 60), (60, 40)):  # the correction follows the binomial distribution
        corrected = mcnemar(n01, n10, "corrected", alternative="greater").p_value
        assert corrected == pytest.approx(float(at_most(n10, 100)), abs=0.001)


def test_the_difference_is_tangos():
    found = mcnemar(12, 2, "uncorrected", n00=16, n11=20)
    tango = tm.paired_difference(n11=20, n01=12, n10=2, n00=16)
    assert found.p_value == pytest.approx(tango.p_value)
    assert (found.value, found.low, found.high, found.level) == (tango.value, tango.low, tango.high, 0.95)
    assert found.counts == {"n00": 16, "n01": 12, "n10": 2, "n11": 20}
    strict = mcnemar(12, 2, n00=16, n11=20, confidence_level=0.99)
    assert strict.level == 0.99
    assert strict.low < found.low
    without = mcnemar(np.int64(12), np.int64(2))
    assert (without.value, without.counts) == (None, {"n01": 12, "n10": 2})
    assert "value" not in without.to_dict()


def test_models_that_never_disagree():
    for method in METHODS:
        for side in SIDES:
            found = mcnemar(0, 0, method, alternative=side, n00=3, n11=97)
            assert (found.statistic, found.p_value, found.value) == (0, 1, 0), (method, side)
            assert found.low < 0 < found.high
            json.dumps(found.to_dict(), allow_nan=False)
    for table in (np.ones((4, 3)), np.zeros((4, 3)), [[1, 1, 1], [0, 0, 0]], [[True, True]]):
        found = cochran_q(table)
        assert (found.statistic, found.p_value) == (0, 1)
        json.dumps(found.to_dict(), allow_nan=False)


def test_weights_are_not_binomial_counts_and_millions_of_rows_are():
    methods = ("corrected", "exact", "mid_p")
    corrected, exact, mid_p = (mcnemar(12.5, 2, method, n00=16, n11=20) for method in methods)
    assert corrected.statistic == pytest.approx(9.5**2 / 14.5)
    for found in (exact, mid_p):
        assert (found.statistic, found.p_value) == (None, None)
        assert found.why
        assert found.low > 0
        json.dumps(found.to_dict(), allow_nan=False)
    # A million coins: the normal curve with its correction is right to three digits.
    many = mcnemar(510_000, 490_000, "corrected").p_value
    assert mcnemar(510_000, 490_000, "exact").p_value == pytest.approx(many, rel=1e-3)
    assert mcnemar(10**7, 0, "exact").p_value == mcnemar(10**7, 0).p_value == 0


def test_false_positives_over_every_outcome_of_thirty_rows():
    """The share of disagreements is 0.3; how many there are is binomial, and then who is right is a coin."""
    n, rates = 30, dict.fromkeys(METHODS, 0.0)
    for disagreements in range(n + 1):
        chance = stats.binom.pmf(disagreements, n, 0.3)
        coins = stats.binom.pmf(range(disagreements + 1), disagreements, 0.5)
        for method in METHODS:
            p = [mcnemar(k, disagreements - k, method).p_value <= 0.05 for k in range(disagreements + 1)]
            rates[method] += chance * float(coins @ p)
    assert rates["corrected"] <= rates["exact"] + 1e-12 <= rates["mid_p"] <= 0.05
    assert rates["mid_p"] > 0.035
    assert 0.04 < rates["uncorrected"] < 0.06
    assert 0.01 < rates["exact"] < 0.03


# --- Cochran ---------------------------------------------------------------------------------

TABLE = [[1, 1, 0], [1, 0, 0], [1, 1, 0], [1, 1, 1], [0, 0, 0]]
tables = st.tuples(st.integers(1, 30), st.integers(2, 5)).flatmap(
    lambda shape: arrays(np.int64, shape, elements=st.integers(0, 1))
)


def test_cochran_by_hand():
    # Columns 4, 3, 1 and rows 2, 1, 2, 3, 0: Q = 2 (3 * 26 - 8^2) / (3 * 8 - 18) = 28 / 6.
    found = cochran_q(TABLE)
    assert (found.statistic, found.df) == (pytest.approx(28 / 6), 2)
    # Chi-squared with two degrees of freedom is exponential.
    assert found.p_value == pytest.approx(np.exp(-28 / 12))
    assert found.counts == {"rows": 5, "disagreements": 3, "right": [4, 3, 1]}
    named = cochran_q({"tree": [1, 0, 1], "rule": [True, True, True]})
    assert named.counts == {"rows": 3, "disagreements": 1, "right": [2, 3], "names": ("tree", "rule")}
    assert named.p_value == pytest.approx(stats.chi2.sf(1, 1))


@given(table=tables)
def test_two_models_are_mcnemars_and_rows_of_agreement_do_not_count(table):
    first, second = table[:, 0], table[:, 1]
    n01, n10 = int(((first == 1) & (second == 0)).sum()), int(((first == 0) & (second == 1)).sum())
    found, expected = cochran_q(table[:, :2]), mcnemar(n01, n10, "uncorrected")
    assert (found.statistic, found.p_value) == pytest.approx((expected.statistic, expected.p_value))
    agreed = np.vstack([table, np.ones_like(table[:1]), np.zeros_like(table[:1])])
    for other in (agreed, 1 - table, table[:, ::-1], table[::-1]):
        assert cochran_q(other).statistic == pytest.approx(cochran_q(table).statistic)


@given(table=tables)
def test_a_comparison_of_models_has_the_same_statistic(table):
    # The comparison counts patterns of answers instead of rows.
    if table.shape[1] < 3:
        return
    models = {f"m{at}": column for at, column in enumerate(table.T)}
    compared = tm.compare(models, np.ones(len(table), int), labels=[0, 1], metric="accuracy")
    (found,) = [each for each in compared.outcomes if each.method.startswith("Cochran")]
    expected = cochran_q(table)
    assert (found.statistic, found.p_value) == pytest.approx((expected.statistic, expected.p_value))
