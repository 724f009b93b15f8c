"""Differences of proportions of other rows. Coverages are benchmarks/coverage_differences.py in small."""

from __future__ import annotations

import dataclasses
import importlib.util
import json
import math
import pickle
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar
from scipy.special import xlogy

from tallymark.errors import OptionError
from tallymark.intervals import z_quantile
from tallymark.intervals.differences import (
    DIFFERENCE_METHODS,
    bounds_of_difference,
    difference,
    of_proportions,
    score_limits,
)

FILE = Path(__file__).parents[2] / "benchmarks" / "coverage_differences.py"
_spec = importlib.util.spec_from_file_location("coverage_differences", FILE)
study = importlib.util.module_from_spec(_spec)
sys.modules["coverage_differences"] = study
_spec.loader.exec_module(study)

some_examples = settings(max_examples=25, deadline=None)
pairs = st.integers(1, 60).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


def test_the_two_models_of_the_sources():
    # n1 = 30, e1 = 0.15, n2 = 5000, e2 = 0.25: variance 0.0043, 0.100 +- 0.128, not significant.
    errors = of_proportions(0.25, 5000, 0.15, 30)
    assert errors.value == pytest.approx(0.1)
    assert errors.se**2 == pytest.approx(0.15 * 0.85 / 30 + 0.25 * 0.75 / 5000)
    assert round(errors.se**2, 4) == 0.0043
    assert round(errors.high - errors.value, 3) == round(errors.value - errors.low, 3) == 0.128
    assert errors.low < 0 < errors.high
    assert errors.p_value > 0.05


def test_wald_by_hand():
    found = difference((56, 70), (48, 80))
    se = math.sqrt(0.8 * 0.2 / 70 + 0.6 * 0.4 / 80)
    assert (found.se, found.statistic) == (pytest.approx(se), pytest.approx(0.2 / se))
    assert (found.low, found.high) == (pytest.approx(0.2 - 1.959964 * se), pytest.approx(0.2 + 1.959964 * se))
    assert found.p_value == pytest.approx(math.erfc(0.2 / se / math.sqrt(2)))
    shares = {"share_a": 0.8, "n_a": 70, "share_b": 0.6, "n_b": 80}
    assert found.counts == {"successes_a": 56, "successes_b": 48, **shares}
    assert of_proportions(0.8, 70, 0.6, 80).counts == shares


def test_shares_are_not_rounded_to_counts():
    # 0.85 of 30 rows are 25.5 rows.
    as_given = of_proportions(0.85, 30, 0.75, 5000, "mee")
    for correct in (25, 26):
        assert as_given.low != pytest.approx(difference((correct, 30), (3750, 5000), "mee").low, abs=1e-3)
    assert as_given.value == pytest.approx(0.1)


@pytest.mark.parametrize("method", DIFFERENCE_METHODS)
@some_examples
@given(first=pairs, second=pairs)
def test_order_and_side_only_change_the_sign(method, first, second):
    found = difference(first, second, method)
    swapped = difference(second, first, method)
    failures = difference((first[1] - first[0], first[1]), (second[1] - second[0], second[1]), method)
    for other in (swapped, failures):
        assert other.value == pytest.approx(-found.value, abs=1e-12)
        assert (other.low, other.high) == (pytest.approx(-found.high), pytest.approx(-found.low))
        assert other.p_value == pytest.approx(found.p_value, abs=1e-9)


@pytest.mark.parametrize("method", DIFFERENCE_METHODS)
@some_examples
@given(first=pairs, second=pairs)
def test_a_p_value_is_where_the_interval_meets_zero(method, first, second):
    found = difference(first, second, method)
    assert -1 <= found.low <= found.high <= 1
    if method != "agresti_caffo":
        assert found.low <= found.value <= found.high
    if found.p_value is None or not 1e-9 < found.p_value < 0.999:
        return
    ends = found.interval(1 - found.p_value)
    # On the flank of the score test's variance a limit moves faster than the p-value.
    assert min(abs(ends.low), abs(ends.high)) == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize("method", DIFFERENCE_METHODS)
def test_one_sided_p_values(method):
    two = difference((56, 70), (48, 80), method)
    greater, less = (difference((56, 70), (48, 80), method, alternative=side) for side in ("greater", "less"))
    assert greater.p_value == pytest.approx(two.p_value / 2)
    assert less.p_value == pytest.approx(1 - two.p_value / 2)
    assert (greater.low, greater.high) == (two.low, two.high)


@pytest.mark.parametrize("method", DIFFERENCE_METHODS)
def test_no_difference(method):
    assert difference((20, 40), (20, 40), method).p_value == 1
    none_right = difference((0, 10), (0, 10), method)
    assert none_right.p_value == 1
    assert (none_right.low < 0 < none_right.high) == (method != "wald")


def test_where_walds_formula_has_no_variance():
    found = difference((10, 10), (0, 20))
    assert (found.low, found.high, found.statistic, found.p_value) == (1, 1, None, None)
    assert "shows no variance" in found.why
    assert difference((0, 10), (0, 20)).note == found.why
    assert difference((10, 10), (0, 20), "mee").p_value < 1e-6


def test_newcombe_corrected_has_no_evidence_within_half_a_row():
    found = difference((5, 10), (11, 23), "newcombe_cc")
    assert (found.statistic, found.p_value) == (0, 1)


def likeliest_variance(x1, n1, x2, n2, supposed):
    """The restricted likelihood climbed numerically."""

    def against(p2):
        p1 = p2 + supposed
        return -(xlogy(x1, p1) + xlogy(n1 - x1, 1 - p1) + xlogy(x2, p2) + xlogy(n2 - x2, 1 - p2))

    ends = max(0, -supposed), min(1, 1 - supposed)
    p2 = minimize_scalar(against, bounds=ends, method="bounded", options={"xatol": 1e-12}).x
    p1 = p2 + supposed
    return p1 * (1 - p1) / n1 + p2 * (1 - p2) / n2


@pytest.mark.parametrize("counts", [(56, 70, 48, 80), (1, 12, 7, 9), (3, 5, 30, 500), (199, 200, 2, 7)])
def test_score_limits_are_so_many_standard_errors_away(counts):
    x1, n1, x2, n2 = counts
    value, z = x1 / n1 - x2 / n2, z_quantile(0.9)
    for method, factor in (("mee", 1), ("miettinen_nurminen", (n1 + n2) / (n1 + n2 - 1))):
        for limit in bounds_of_difference(x1 / n1, n1, x2 / n2, n2, method, 0.9):
            variance = likeliest_variance(x1, n1, x2, n2, limit) * factor
            assert abs(value - limit) / math.sqrt(variance) == pytest.approx(z, abs=1e-5)


def test_score_limits_of_rare_events_keep_their_digits():
    # With no events in 1e9 and 1e9 rows the likeliest shares are `gap` and 0, so gap = z^2 (1 - gap) / n.
    n, z = 1e9, z_quantile(0.95)
    low, high = score_limits(0, n, 0, n, z, "mee")
    assert (float(-low), float(high)) == (pytest.approx(z * z / (n + z * z), rel=1e-10),) * 2
    rare, common = score_limits(3, n, 9, n, z, "mee"), score_limits(n - 9, n, n - 3, n, z, "mee")
    assert [float(end) for end in common] == pytest.approx([float(end) for end in rare], rel=1e-5)


def test_arrays_of_counts_are_the_counts_one_by_one():
    first, second = np.arange(8)[:, None], np.arange(6)[None, :]
    low, high = score_limits(first, 7, second, 5, z_quantile(0.95), "miettinen_nurminen")
    for a in range(8):
        for b in range(6):
            one = bounds_of_difference(a / 7, 7, b / 5, 5, "miettinen_nurminen", 0.95)
            assert (low[a, b], high[a, b]) == pytest.approx(one, abs=1e-12)


def test_any_pair_of_numbers_will_do():
    expected = difference((56, 70), (48, 80))
    for first in (
        [56, 70],
        np.array([56, 70]),
        pd.Series([56, 70]),
        pl.Series([56, 70]),
        (56.0, np.int32(70)),
    ):
        assert difference(first, (48, 80)) == expected
    assert difference((55.5, 70), (48, 80)).value == pytest.approx(55.5 / 70 - 0.6)


def test_the_result_can_be_kept_and_asked_again():
    found = difference((56, 70), (48, 80), "newcombe", alternative="greater")
    assert json.loads(json.dumps(found.to_dict(), allow_nan=False))["alternative"] == "greater"
    again = pickle.loads(pickle.dumps(found)).interval(0.99)
    assert again.low < found.low < found.high < again.high
    assert (again.level, again.p_value) == (0.99, found.p_value)
    with pytest.raises(dataclasses.FrozenInstanceError):
        found.low = 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (((56, 70), (48,)), "second must be a pair (successes, rows), got (48,)."),
        ((56, 70), "first must be a pair (successes, rows), got 56."),
        (("56/70", (48, 80)), "first must be a pair (successes, rows), got '56/70'."),
        (((0.85, 30), (0.75, 5000)), "successes of first must be a count, but 0.85 is a share."),
        (((71, 70), (48, 80)), "successes of first must be between 0 and its 70 rows, got 71."),
        (((-1, 70), (48, 80)), "successes of first must be between 0 and its 70 rows, got -1."),
        (((0, 0), (48, 80)), "rows of first must be at least 1, got 0."),
        (((56, 70), (True, 80)), "successes of second must be a number, got True."),
        (((56, 70), (None, 80)), "successes of second must be a number, got None."),
        (((56, 70), (48, math.inf)), "rows of second must be finite, got inf."),
        (((56, 70), (math.nan, 80)), "successes of second must be finite, got nan."),
        (((56, 70), (48, 80), "score"), "method must be one of wald, newcombe, newcombe_cc, "),
        (((56, 70), (48, 80), None), "method must be one of wald, newcombe, newcombe_cc, "),
    ],
)
def test_what_is_refused(arguments, message):
    with pytest.raises(OptionError) as caught:
        difference(*arguments)
    assert caught.value.message.startswith(message)


def test_what_else_is_refused():
    for shares, message in (((85, 30, 0.75, 50), "share between 0 and 1"), ((0.8, 0, 0.7, 50), "n1 must be")):
        with pytest.raises(OptionError, match=message):
            of_proportions(*shares)
    with pytest.raises(OptionError, match="alternative must be two-sided, greater or less; got 'bigger'"):
        difference((1, 2), (1, 2), alternative="bigger")
    with pytest.raises(OptionError, match=r"write 0\.95 for 95 %"):
        difference((1, 2), (1, 2), confidence_level=95)


# --- coverage --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("method", "lowest", "mean"),
    [
        ("wald", (0.3, 0.4), (0.89, 0.91)),
        ("newcombe", (0.89, 0.95), (0.945, 0.96)),
        ("newcombe_cc", (0.93, 0.95), (0.97, 0.99)),
        ("agresti_caffo", (0.92, 0.95), (0.95, 0.97)),
        ("miettinen_nurminen", (0.93, 0.95), (0.95, 0.97)),
        ("mee", (0.92, 0.95), (0.945, 0.96)),
    ],
)
def test_coverage_of_twice_ten_rows(method, lowest, mean):
    found = study.over_all_shares(method, 10, 10)
    assert lowest[0] < found.lowest < lowest[1]
    assert mean[0] < found.mean < mean[1]


def test_the_measuring_itself():
    # Of one row each with shares 1/2 Wald holds 0 only if both are right or both wrong.
    assert study.coverage("wald", 1, 1, 0.5, 0.5) == pytest.approx(0.5)
    assert study.coverage("mee", 1, 1, 0.5, 0.5) == pytest.approx(1)
