"""Differences of two proportions, on other rows and on the same rows: formulas, laws and exact coverage."""

import itertools
import json
import math
import pickle
from dataclasses import FrozenInstanceError
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.optimize import minimize_scalar
from scipy.special import xlogy

import tallymark as tm
from formulas import ends

OTHER_ROWS = ("wald", "newcombe", "newcombe_cc", "agresti_caffo", "miettinen_nurminen", "mee")
SAME_ROWS = ("tango", "newcombe", "wald", "bonett_price")
Z90, Z95 = stats.norm.ppf([0.95, 0.975])
pairs = st.integers(1, 60).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
tables = st.tuples(*[st.integers(0, 30)] * 4).filter(any)


def paired(table: tuple[int, ...], method: str = "tango", **options: Any) -> Any:
    """`table` is n11, n01, n10, n00; n01 rows are right by the first model only."""
    n11, n01, n10, n00 = table
    return tm.paired_difference(n11=n11, n01=n01, n10=n10, n00=n00, method=method, **options)


# --- by hand ---------------------------------------------------------------------------------


def test_the_two_models_of_the_sources() -> None:
    found = tm.compare({"a": (0.85, 30), "b": (0.75, 5000)}, method="wald")["accuracy"]
    assert found.outcome.se**2 == pytest.approx(0.15 * 0.85 / 30 + 0.25 * 0.75 / 5000)
    # 0.85 of 30 rows are 25.5 rows, which are not rounded to a count.
    mee = tm.compare({"a": (0.85, 30), "b": (0.75, 5000)}, method="mee")["accuracy"]
    for correct in (25, 26):
        assert mee.low != pytest.approx(tm.difference((correct, 30), (3750, 5000), "mee").low, abs=1e-3)


def test_formulas_by_hand() -> None:
    found = tm.difference((56, 70), (48, 80), "wald")
    se = math.sqrt(0.8 * 0.2 / 70 + 0.6 * 0.4 / 80)
    assert (found.value, found.se, found.statistic) == pytest.approx((0.2, se, 0.2 / se))
    assert ends(found) == pytest.approx((0.2 - Z95 * se, 0.2 + Z95 * se))
    assert found.p_value == pytest.approx(math.erfc(0.2 / se / math.sqrt(2)))
    shares = {"share_a": 0.8, "n_a": 70, "share_b": 0.6, "n_b": 80}
    assert found.counts == shares | {"successes_a": 56, "successes_b": 48}
    assert tm.difference((55.5, 70), (48, 80)).value == pytest.approx(55.5 / 70 - 0.6)
    # 20 right by both models, 12 by the first only, 2 by the second only: 32 / 50 and 22 / 50.
    tango, wald, smoothed = (paired((20, 12, 2, 16), method) for method in ("tango", "wald", "bonett_price"))
    assert tango.value == pytest.approx(32 / 50 - 22 / 50)
    assert tango.p_value == pytest.approx(math.erfc(10 / math.sqrt(14) / math.sqrt(2)))
    assert tango.counts == {"n00": 16, "n01": 12, "n10": 2, "n11": 20}
    assert wald.se == pytest.approx(math.sqrt(14 - 10**2 / 50) / 50)
    assert wald.statistic == pytest.approx(0.2 / wald.se)
    assert smoothed.se == pytest.approx(math.sqrt((16 / 52 - (10 / 52) ** 2) / 52))
    assert (smoothed.low + smoothed.high) / 2 == pytest.approx(10 / 52)
    # 6 * 4 = 3 * 8: the table that independent models would show has Newcombe's limits of other rows.
    other = tm.difference((14, 21), (9, 21), "newcombe")
    assert ends(paired((6, 8, 3, 4), "newcombe")) == pytest.approx(ends(other))


def test_score_limits_are_z_standard_errors_of_the_restricted_likelihood_away() -> None:
    def likeliest(x1: float, n1: float, x2: float, n2: float, supposed: float) -> float:
        """The variance at the likeliest pair of proportions that differ by so much."""

        def against(p2: float) -> float:
            p1 = p2 + supposed
            return -(xlogy(x1, p1) + xlogy(n1 - x1, 1 - p1) + xlogy(x2, p2) + xlogy(n2 - x2, 1 - p2))

        p2 = minimum(against, max(0, -supposed), min(1, 1 - supposed))
        p1 = p2 + supposed
        return p1 * (1 - p1) / n1 + p2 * (1 - p2) / n2

    def likeliest_of_pairs(n01: float, n10: float, n: float, supposed: float) -> float:
        def against(second: float) -> float:
            first = second + supposed
            return -(xlogy(n01, first) + xlogy(n10, second) + xlogy(n - n01 - n10, 1 - first - second))

        second = minimum(against, max(0, -supposed), (1 - supposed) / 2)
        return (2 * second + supposed - supposed**2) / n

    def minimum(function: Any, low: float, high: float) -> float:
        options = {"xatol": 1e-12}
        return float(minimize_scalar(function, bounds=(low, high), method="bounded", options=options).x)

    away = {}
    for counts in [(56, 70, 48, 80), (1, 12, 7, 9), (3, 5, 30, 500), (199, 200, 2, 7)]:
        x1, n1, x2, n2 = counts
        for method, factor in (("mee", 1), ("miettinen_nurminen", (n1 + n2) / (n1 + n2 - 1))):
            found = tm.difference((x1, n1), (x2, n2), method, confidence_level=0.9)
            for limit in ends(found):
                variance = likeliest(*counts, limit) * factor
                away[method, counts, limit] = abs(found.value - limit) / math.sqrt(variance)
    for n01, n10, n in [(12, 2, 50), (1, 7, 21), (9, 3, 32), (40, 35, 80), (3, 1, 1000)]:
        found = paired((n - n01 - n10, n01, n10, 0), confidence_level=0.9)
        for limit in ends(found):
            variance = likeliest_of_pairs(n01, n10, n, limit)
            away["tango", n01, limit] = abs(found.value - limit) / math.sqrt(variance)
    assert away == pytest.approx(dict.fromkeys(away, Z90), abs=1e-5)


def test_score_limits_of_rare_events_keep_their_digits() -> None:
    # Without events the likeliest proportions are the gap and 0, so gap = z^2 (1 - gap) / n.
    n = 10**9
    gap = Z95**2 / (n + Z95**2)
    assert ends(tm.difference((0, n), (0, n), "mee")) == pytest.approx((-gap, gap), rel=1e-9)
    assert ends(paired((n, 0, 0, 0))) == pytest.approx((-gap, gap), rel=1e-9)
    rare, common = (tm.difference(*each, "mee") for each in (((3, n), (9, n)), ((n - 9, n), (n - 3, n))))
    assert ends(common) == pytest.approx(ends(rare), rel=1e-5)


# --- laws ------------------------------------------------------------------------------------


@given(first=pairs, second=pairs, table=tables)
def test_exchanging_models_or_outcomes_changes_the_sign_and_p_values_fit_intervals(
    first: tuple[int, int], second: tuple[int, int], table: tuple[int, int, int, int]
) -> None:
    (x1, n1), (x2, n2), (n11, n01, n10, n00) = first, second, table
    pairs = (first, second), (second, first), ((n1 - x1, n1), (n2 - x2, n2))
    turned = table, (n11, n10, n01, n00), (n00, n10, n01, n11)
    made = {method: [tm.difference(*each, method) for each in pairs] for method in OTHER_ROWS}
    made |= {f"paired {method}": [paired(each, method) for each in turned] for method in SAME_ROWS}
    for method, (found, *turned) in made.items():
        for other in turned:
            assert other.value == pytest.approx(-found.value, abs=1e-12), method
            assert ends(other) == pytest.approx((-found.high, -found.low)), method
            assert other.p_value == pytest.approx(found.p_value, abs=1e-9), method
        assert -1 <= found.low <= found.high <= 1, method
        # Two methods are centred on a value that is drawn towards 0.
        if "agresti" not in method and "bonett" not in method:
            assert found.low <= found.value <= found.high, method
        if found.p_value is not None and 1e-9 < found.p_value < 0.999:
            at = found.interval(1 - found.p_value)
            # On the flank of the score test's variance a limit moves faster than the p-value.
            assert min(abs(at.low), abs(at.high)) == pytest.approx(0, abs=1e-6), method


def test_one_sided_p_values_are_parts_of_the_two_sided_one() -> None:
    other_rows, same_rows = partial(tm.difference, (56, 70), (48, 80)), partial(paired, (20, 12, 2, 16))
    for make, methods in ((other_rows, OTHER_ROWS), (same_rows, SAME_ROWS)):
        for method in methods:
            sides = ("two-sided", "greater", "less")
            two, greater, less = (make(method, alternative=side) for side in sides)
            assert greater.p_value == pytest.approx(two.p_value / 2), method
            assert less.p_value == pytest.approx(1 - two.p_value / 2), method
            assert ends(greater) == ends(two)


# --- no difference, no variance --------------------------------------------------------------


def test_no_difference_at_all() -> None:
    for method in OTHER_ROWS:
        assert tm.difference((20, 40), (20, 40), method).p_value == 1
        none_right = tm.difference((0, 10), (0, 10), method)
        assert none_right.p_value == 1
        assert (none_right.low < 0 < none_right.high) == (method != "wald"), method
    for method in SAME_ROWS:
        agreed = paired((8, 0, 0, 2), method)
        assert (agreed.value, agreed.statistic, agreed.p_value) == (0, 0, 1)
        assert (agreed.low < 0 < agreed.high) == (method != "wald"), method
    # Within half a row the corrected interval has no evidence.
    corrected = tm.difference((5, 10), (11, 23), "newcombe_cc")
    assert (corrected.statistic, corrected.p_value) == (0, 1)


def test_all_against_none_has_no_wald_test_but_others() -> None:
    for found in (tm.difference((10, 10), (0, 20), "wald"), paired((0, 20, 0, 0), "wald")):
        assert (found.low, found.high, found.statistic, found.p_value) == (1, 1, None, None)
        assert found.why
    assert tm.difference((10, 10), (0, 20), "mee").p_value < 1e-6
    for method in ("tango", "newcombe", "bonett_price"):
        found = paired((0, 20, 0, 0), method)
        assert found.high == found.value == 1, method
        assert 0.5 < found.low < 1, method
        assert found.p_value < 0.001, method


def test_pairs_of_any_library_and_what_is_kept() -> None:
    expected = tm.difference((56, 70), (48, 80))
    for first in ((56.0, np.int32(70)), *(kind([56, 70]) for kind in (list, np.array, pd.Series, pl.Series))):
        assert tm.difference(first, (48, 80)) == expected
    greater = tm.difference((56, 70), (48, 80), "newcombe", alternative="greater")
    for found in (greater, paired((20, 12, 2, 16))):
        assert json.loads(json.dumps(found.to_dict(), allow_nan=False))["alternative"] == found.alternative
        again = pickle.loads(pickle.dumps(found)).interval(0.99)
        assert again.low < found.low < found.high < again.high
        assert (again.level, again.p_value) == (0.99, found.p_value)
        with pytest.raises(FrozenInstanceError):
            found.low = 0


# --- coverage, by every possible outcome -----------------------------------------------------


def test_coverage_over_every_outcome_of_twice_eight_rows() -> None:
    n, shares = 8, np.linspace(0.05, 0.95, 19)
    chance = stats.binom.pmf(np.arange(n + 1)[:, None], n, shares)
    both = np.einsum("ai,bj->abij", chance, chance)
    truth = shares[:, None] - shares
    found = {}
    for method in OTHER_ROWS:
        made = [ends(tm.difference((a, n), (b, n), method)) for a in range(n + 1) for b in range(n + 1)]
        low, high = np.array(made).T.reshape(2, n + 1, n + 1)
        held = (low[..., None, None] <= truth + 1e-12) & (truth - 1e-12 <= high[..., None, None])
        coverage = (both * held).sum(axis=(0, 1))
        found[method] = coverage.min(), coverage.mean()
    # At shares near 0 and 1 Wald's interval fails; the others lie about their level.
    lowest, mean = (0.559, 0.88, 0.94, 0.93, 0.93, 0.92), (0.89, 0.95, 0.98, 0.96, 0.96, 0.955)
    least, usual = zip(*(found[method] for method in OTHER_ROWS), strict=True)
    assert (least, usual) == (pytest.approx(lowest, abs=0.015), pytest.approx(mean, abs=0.01))


def test_coverage_over_every_table_of_eight_paired_rows() -> None:
    n = 8
    three = itertools.product(range(n + 1), repeat=3)
    splits = [(*cells, n - sum(cells)) for cells in three if sum(cells) <= n]
    found = {}
    for method in SAME_ROWS:
        low, high = np.array([ends(paired(table, method)) for table in splits]).T
        coverage = []
        for agree, first in itertools.product((0.3, 0.6, 0.8), (0.02, 0.1, 0.15)):
            cells = agree / 2, first, 1 - agree - first, agree / 2
            truth = cells[1] - cells[2]
            chance = stats.multinomial.pmf(splits, n, cells)
            coverage.append(chance[(low <= truth + 1e-12) & (truth - 1e-12 <= high)].sum())
        found[method] = min(coverage), float(np.mean(coverage))
    expected = {"tango": (0.963, 0.98), "newcombe": (0.914, 0.959), "wald": (0.79, 0.872)}
    expected["bonett_price"] = 0.967, 0.983
    for method, pair in expected.items():
        assert found[method] == pytest.approx(pair, abs=0.005), method
