"""McNemar's test by hand, and how often it is wrong (benchmarks/coverage_differences.py in small)."""

from __future__ import annotations

import importlib.util
import json
import math
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tallymark.errors import OptionError
from tallymark.intervals.paired_differences import paired_difference
from tallymark.tests.mcnemar import MCNEMAR_METHODS, mcnemar, methods_of

FILE = Path(__file__).parents[2] / "benchmarks" / "coverage_differences.py"
_spec = importlib.util.spec_from_file_location("coverage_mcnemar", FILE)
study = importlib.util.module_from_spec(_spec)
sys.modules["coverage_mcnemar"] = study
_spec.loader.exec_module(study)

some_examples = settings(max_examples=25, deadline=None)
whole = st.integers(0, 60)


def at_most(k, n):
    """P(at most k of n heads), exactly."""
    return Fraction(sum(math.comb(n, i) for i in range(k + 1)), 2**n)


def test_the_formula_of_the_sources():
    # M = (|n01 - n10| - 1)^2 / (n01 + n10); at 95 % the critical value is 3.84.
    found = mcnemar(5, 15)
    assert (found.statistic, found.df) == (pytest.approx(81 / 20), 1)
    assert found.statistic > 3.84
    assert found.p_value < 0.05
    assert found.note == "the critical value at a confidence level of 0.95 is 3.841"
    assert mcnemar(6, 16).statistic == pytest.approx(81 / 22)
    assert mcnemar(6, 16).p_value > 0.05


def test_the_correction_does_not_turn_round():
    # |n01 - n10| - 1 would be -1 for equal counts, and its square 1.
    assert (mcnemar(7, 7).statistic, mcnemar(7, 7).p_value) == (0, 1)
    assert (mcnemar(7, 8).statistic, mcnemar(7, 8).p_value) == (0, 1)


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize("method", MCNEMAR_METHODS)
def test_models_that_never_disagree(method, alternative):
    found = mcnemar(0, 0, method, alternative=alternative, n00=3, n11=97)
    assert (found.statistic, found.p_value, found.value) == (0, 1, 0)
    assert found.low < 0 < found.high
    assert "never disagree" in found.note
    json.dumps(found.to_dict(), allow_nan=False)


@some_examples
@given(n01=whole, n10=whole)
def test_the_binomial_tests_are_exact(n01, n10):
    if n01 + n10 == 0:
        return
    n, k = n01 + n10, min(n01, n10)
    middle = Fraction(math.comb(n, k), 2**n)
    tails = min(2 * at_most(k, n), 1)
    assert mcnemar(n01, n10, "exact").p_value == pytest.approx(float(tails), rel=1e-12)
    # Every division further from the middle, and half of the probability of the two as far.
    as_far = 1 if n01 == n10 else 2
    beyond = sum(Fraction(math.comb(n, i), 2**n) for i in range(n + 1) if abs(2 * i - n) > abs(n01 - n10))
    mid_p = beyond + as_far * middle / 2
    assert mcnemar(n01, n10, "mid_p").p_value == pytest.approx(float(mid_p), rel=1e-12)
    greater = 1 - at_most(n01 - 1, n) if n01 else Fraction(1)
    assert mcnemar(n01, n10, "exact", alternative="greater").p_value == pytest.approx(float(greater))
    assert mcnemar(n01, n10, "mid_p", alternative="greater").p_value == pytest.approx(
        float(greater - middle / 2)
    )


@pytest.mark.parametrize("method", MCNEMAR_METHODS)
@some_examples
@given(n01=whole, n10=whole)
def test_the_first_model_and_the_second_change_sides(method, n01, n10):
    there = mcnemar(n01, n10, method, alternative="greater", n00=5, n11=9)
    back = mcnemar(n10, n01, method, alternative="less", n00=5, n11=9)
    assert there.p_value == pytest.approx(back.p_value)
    assert there.value == -back.value
    assert (there.low, there.high) == (pytest.approx(-back.high), pytest.approx(-back.low))
    assert 0 < mcnemar(n01, n10, method).p_value <= 1


@pytest.mark.parametrize("method", ["corrected", "uncorrected"])
def test_one_side_is_half_of_both(method):
    two = mcnemar(16, 6, method)
    assert mcnemar(16, 6, method, alternative="greater").p_value == pytest.approx(two.p_value / 2)
    assert mcnemar(6, 16, method, alternative="less").p_value == pytest.approx(two.p_value / 2)


def test_the_one_sided_correction_follows_the_binomial():
    for n01, n10 in ((50, 50), (40, 60), (60, 40)):
        corrected = mcnemar(n01, n10, alternative="greater").p_value
        assert corrected == pytest.approx(float(at_most(n10, 100)), abs=0.001)


def test_the_uncorrected_test_is_tangos():
    found = mcnemar(12, 2, "uncorrected", n00=16, n11=20)
    tango = paired_difference(n11=20, n01=12, n10=2, n00=16)
    assert found.p_value == pytest.approx(tango.p_value)
    assert (found.value, found.low, found.high, found.level) == (tango.value, tango.low, tango.high, 0.95)
    assert found.counts == {"n00": 16, "n01": 12, "n10": 2, "n11": 20}


def test_without_the_other_rows_there_is_no_difference():
    found = mcnemar(np.int64(12), np.int64(2))
    assert found.value is None
    assert found.counts == {"n01": 12, "n10": 2}
    assert "value" not in found.to_dict()


def test_the_level_sets_interval_and_critical_value():
    found = mcnemar(12, 2, n00=16, n11=20, confidence_level=0.99)
    assert found.level == 0.99
    assert found.note.endswith("0.99 is 6.635")
    assert found.low < mcnemar(12, 2, n00=16, n11=20).low


def test_all_methods():
    found = methods_of(1, 7, n00=12, n11=1)
    assert [each.method for each in found] == [
        "McNemar, corrected",
        "McNemar, uncorrected",
        "McNemar, exact",
        "McNemar, mid-p",
    ]
    # 25 / 8, 36 / 8, and 9 and 9 - 4 of 128.
    assert [each.statistic for each in found] == [25 / 8, 36 / 8, 1, 1]
    assert found[2].p_value == pytest.approx(9 / 128)
    assert found[3].p_value == pytest.approx(5 / 128)


def test_weights_are_no_binomial_counts():
    corrected, _, exact, mid_p = methods_of(12.5, 2, n00=16, n11=20)
    assert corrected.statistic == pytest.approx(9.5**2 / 14.5)
    for found in (exact, mid_p):
        assert (found.statistic, found.p_value) == (None, None)
        assert "not 12.5" in found.why
        assert found.low > 0
        json.dumps(found.to_dict(), allow_nan=False)


def test_many_rows():
    found = mcnemar(510_000, 490_000, "exact")
    # A million coins: the normal curve with its correction is right to three digits.
    assert found.p_value == pytest.approx(mcnemar(510_000, 490_000).p_value, rel=1e-3)
    assert mcnemar(10**7, 0, "exact").p_value == 0
    assert mcnemar(10**7, 0).p_value == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n01": -1}, "n01 must be 0 or more, got -1."),
        ({"n01": "5"}, "n01 must be a number, got '5'."),
        ({"n01": [5]}, "n01 must be a number, got [5]."),
        ({"n10": None}, "n10 must be a number, got None."),
        ({"n10": True}, "n10 must be a number, got True."),
        ({"n10": math.inf}, "n10 must be finite, got inf."),
        ({"n00": 3}, "n00 is given without n11."),
        ({"n11": 3}, "n11 is given without n00."),
        ({"n00": 3, "n11": -1}, "n11 must be 0 or more, got -1."),
        ({"method": "yates"}, "method must be one of corrected, uncorrected, exact, mid_p; got 'yates'."),
        ({"alternative": "more"}, "alternative must be two-sided, greater or less; got 'more'."),
        ({"confidence_level": 1}, "confidence_level must be strictly between 0 and 1, got 1."),
    ],
)
def test_what_is_refused(arguments, message):
    with pytest.raises(OptionError) as caught:
        mcnemar(**({"n01": 5, "n10": 15} | arguments))
    assert caught.value.message == message


# --- type I error ----------------------------------------------------------------------------


@pytest.mark.parametrize("n", [10, 30, 100])
def test_the_careful_tests_keep_their_level(n):
    for share in (0.05, 0.1, 0.2, 0.3, 0.5):
        exact, mid_p = (study.type_one_error(method, n, share) for method in ("exact", "mid_p"))
        corrected = study.type_one_error("corrected", n, share)
        assert corrected <= exact + 1e-12 <= mid_p + 2e-12
        assert mid_p <= 0.05


def test_the_uncorrected_test_is_nearest_to_its_level():
    errors = {method: study.type_one_error(method, 100, 0.3) for method in MCNEMAR_METHODS}
    assert errors["exact"] < 0.035
    assert 0.044 <= errors["mid_p"] <= 0.05 < errors["uncorrected"] < 0.053


def test_the_measuring_itself():
    # Six disagreements: only 6:0 and 0:6 are rejected at 0.05 by the exact test, 2 of 64.
    assert study.rejected("exact", 6, 0.05) == pytest.approx(2 / 64)
    assert study.type_one_error("exact", 6, 1.0) == pytest.approx(2 / 64)
