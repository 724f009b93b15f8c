"""Differences of the accuracies of two models on the same rows."""

from __future__ import annotations

import importlib.util
import json
import math
import pickle
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar
from scipy.special import xlogy

from tallymark.errors import OptionError
from tallymark.intervals import z_quantile
from tallymark.intervals.paired_differences import PAIRED_METHODS, paired_difference, tango

FILE = Path(__file__).parents[2] / "benchmarks" / "coverage_differences.py"
_spec = importlib.util.spec_from_file_location("coverage_paired_proportions", FILE)
study = importlib.util.module_from_spec(_spec)
sys.modules["coverage_paired_proportions"] = study
_spec.loader.exec_module(study)

some_examples = settings(max_examples=25, deadline=None)
counts = st.fixed_dictionaries({name: st.integers(0, 30) for name in ("n00", "n01", "n10", "n11")}).filter(
    lambda given: sum(given.values()) > 0
)


def test_value_is_the_accuracy_of_the_first_less_that_of_the_second():
    # 20 by both, 12 by the first only, 2 by the second only: 32 / 50 and 22 / 50.
    found = paired_difference(n11=20, n01=12, n10=2, n00=16)
    assert found.value == pytest.approx(32 / 50 - 22 / 50)
    assert found.p_value == pytest.approx(math.erfc(10 / math.sqrt(14) / math.sqrt(2)))
    assert found.low > 0
    assert found.counts == {"n00": 16, "n01": 12, "n10": 2, "n11": 20}


def test_wald_and_bonett_price_by_hand():
    wald = paired_difference(n11=20, n01=12, n10=2, n00=16, method="wald")
    assert wald.se == pytest.approx(math.sqrt(14 - 10**2 / 50) / 50)
    assert wald.statistic == pytest.approx(0.2 / wald.se)
    smoothed = paired_difference(n11=20, n01=12, n10=2, n00=16, method="bonett_price")
    assert smoothed.se == pytest.approx(math.sqrt((16 / 52 - (10 / 52) ** 2) / 52))
    assert (smoothed.low + smoothed.high) / 2 == pytest.approx(10 / 52)


@pytest.mark.parametrize("method", PAIRED_METHODS)
@some_examples
@given(given_counts=counts)
def test_order_and_side_only_change_the_sign(method, given_counts):
    found = paired_difference(**given_counts, method=method)
    n00, n01, n10, n11 = (given_counts[name] for name in ("n00", "n01", "n10", "n11"))
    swapped = paired_difference(n00=n00, n01=n10, n10=n01, n11=n11, method=method)
    failures = paired_difference(n00=n11, n01=n10, n10=n01, n11=n00, method=method)
    for other in (swapped, failures):
        assert (other.low, other.high) == (pytest.approx(-found.high), pytest.approx(-found.low))
        assert other.p_value == (None if found.p_value is None else pytest.approx(found.p_value, abs=1e-9))


@pytest.mark.parametrize("method", PAIRED_METHODS)
@some_examples
@given(given_counts=counts)
def test_a_p_value_is_where_the_interval_meets_zero(method, given_counts):
    found = paired_difference(**given_counts, method=method)
    assert -1 <= found.low <= found.high <= 1
    if method != "bonett_price":
        assert found.low <= found.value <= found.high
    if found.p_value is None or not 1e-9 < found.p_value < 0.999:
        return
    ends = found.interval(1 - found.p_value)
    assert min(abs(ends.low), abs(ends.high)) == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize("method", PAIRED_METHODS)
def test_models_that_never_disagree(method):
    found = paired_difference(n11=8, n01=0, n10=0, n00=2, method=method)
    assert (found.value, found.statistic, found.p_value) == (0, 0, 1)
    if method == "wald":
        assert (found.low, found.high) == (0, 0)
        assert "tango does" in found.note
    else:
        assert found.low < 0 < found.high


def test_tango_of_models_that_never_disagree():
    # The likeliest cells are gap and 0, so gap = z^2 (1 - gap) / n.
    z = z_quantile(0.95)
    assert tango(0, 0, 50, 0.95) == (
        pytest.approx(-z * z / (50 + z * z)),
        pytest.approx(z * z / (50 + z * z)),
    )
    assert tango(0, 0, 1e9, 0.95)[1] == pytest.approx(z * z / (1e9 + z * z), rel=1e-9)


def test_one_model_right_in_all_rows_and_the_other_in_none():
    for method in ("tango", "newcombe", "bonett_price"):
        found = paired_difference(n11=0, n01=20, n10=0, n00=0, method=method)
        assert found.high == found.value == 1
        assert 0.5 < found.low < 1
        assert found.p_value < 0.001
    wald = paired_difference(n11=0, n01=20, n10=0, n00=0, method="wald")
    assert (wald.p_value, wald.statistic) == (None, None)
    assert "no variance" in wald.why


def likeliest_variance(n01, n10, n, supposed):
    """The likelihood of the three cells, climbed numerically."""
    rest = n - n01 - n10

    def against(second):
        first = second + supposed
        return -(xlogy(n01, first) + xlogy(n10, second) + xlogy(rest, 1 - first - second))

    ends = max(0, -supposed), (1 - supposed) / 2
    second = minimize_scalar(against, bounds=ends, method="bounded", options={"xatol": 1e-12}).x
    return (2 * second + supposed - supposed**2) / n


@pytest.mark.parametrize("counts", [(12, 2, 50), (1, 7, 21), (9, 3, 32), (40, 35, 80), (3, 1, 1000)])
def test_tango_limits_are_so_many_standard_errors_away(counts):
    n01, n10, n = counts
    for limit in tango(n01, n10, n, 0.9):
        variance = likeliest_variance(n01, n10, n, limit)
        assert abs((n01 - n10) / n - limit) / math.sqrt(variance) == pytest.approx(z_quantile(0.9), abs=1e-5)


def test_arrays_of_tables_are_the_tables_one_by_one():
    n01, n10, n = np.array([12, 1, 0, 5]), np.array([2, 7, 0, 5]), np.array([50, 21, 10, 0])
    low, high = tango(n01, n10, n, 0.95)
    for at in range(3):
        one = tango(int(n01[at]), int(n10[at]), int(n[at]), 0.95)
        assert (low[at], high[at]) == pytest.approx(one)
    assert np.isnan([low[3], high[3]]).all()
    assert all(math.isnan(end) for end in tango(0, 0, 0, 0.95))


def test_newcombe_without_correlation_is_newcombe_of_other_rows():
    from tallymark.intervals.differences import difference

    # 6 * 4 = 3 * 8: the table is what independent models would show.
    paired = paired_difference(n11=6, n01=8, n10=3, n00=4, method="newcombe")
    other = difference((14, 21), (9, 21), "newcombe")
    assert (paired.low, paired.high) == (pytest.approx(other.low), pytest.approx(other.high))


def test_one_sided_and_kept():
    two = paired_difference(n11=20, n01=12, n10=2, n00=16)
    greater = paired_difference(n11=20, n01=12, n10=2, n00=16, alternative="greater")
    assert greater.p_value == pytest.approx(two.p_value / 2)
    assert json.loads(json.dumps(greater.to_dict(), allow_nan=False))["counts"]["n01"] == 12
    assert pickle.loads(pickle.dumps(two)).interval(0.99).low < two.low


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"n11": -1}, "n11 must be 0 or more, got -1."),
        ({"n01": "3"}, "n01 must be a number, got '3'."),
        ({"n01": True}, "n01 must be a number, got True."),
        ({"n10": math.nan}, "n10 must be finite, got nan."),
        ({"n00": None}, "n00 must be a number, got None."),
        ({"method": "mcnemar"}, "method must be one of tango, newcombe, wald, bonett_price; got 'mcnemar'."),
        ({"alternative": "more"}, "alternative must be two-sided, greater or less; got 'more'."),
        ({"n11": 0, "n01": 0, "n10": 0, "n00": 0}, "the four counts must add up to 1 or more, got 0."),
    ],
)
def test_what_is_refused(change, message):
    with pytest.raises(OptionError) as caught:
        paired_difference(**({"n11": 20, "n01": 12, "n10": 2, "n00": 16} | change))
    assert caught.value.message == message


# --- coverage --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("method", "lowest"), [("tango", 0.93), ("newcombe", 0.93), ("wald", 0.3), ("bonett_price", 0.94)]
)
def test_coverage_of_ten_rows(method, lowest):
    found = study.over_paired_designs(method, 10)
    assert found.lowest > lowest
    assert (found.mean > 0.95) == (method != "wald")


def test_the_tables_and_their_probabilities():
    # Tables of 10 rows in 4 cells: (10 + 3 choose 3).
    assert len(study.paired_tables(10)) == 13 * 12 * 11 // 6
    for cells in study.paired_designs():
        assert sum(cells) == pytest.approx(1)
        assert study._multinomial(10, cells).sum() == pytest.approx(1)
