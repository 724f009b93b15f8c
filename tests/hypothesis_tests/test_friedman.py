"""Friedman, Nemenyi and pairs of mean ranks, against scipy and arithmetic."""

from __future__ import annotations

import json
import math

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import stats

from tallymark.errors import OptionError, ShapeError
from tallymark.tests.friedman import friedman, nemenyi, post_hoc
from tallymark.tests.studentized import range_quantile, range_tail

RNG = np.random.default_rng(0)
PLAIN = RNG.normal([0, 0.2, 0.9, 1.2], size=(12, 4))
TIED = np.round(PLAIN)


# --- Friedman -----------------------------------------------------------------------------------


@pytest.mark.parametrize("table", [PLAIN, TIED], ids=["plain", "tied"])
def test_friedman_is_scipys(table):
    found = friedman(table)
    theirs = stats.friedmanchisquare(*table.T)
    assert (found.statistic, found.p_value) == pytest.approx((theirs.statistic, theirs.pvalue))
    assert found.df == 3
    assert found.counts["ranks"] == pytest.approx(stats.rankdata(-table, axis=1).mean(axis=0).tolist())


def test_uncorrected_and_f_are_the_formulas():
    ranks = stats.rankdata(-TIED, axis=1).mean(axis=0)
    chi2 = 12 * 12 / (4 * 5) * ((ranks**2).sum() - 4 * 25 / 4)
    assert friedman(TIED, ties="uncorrected").statistic == pytest.approx(chi2)
    f = 11 * chi2 / (12 * 3 - chi2)
    found = friedman(TIED, "f", ties="uncorrected")
    assert found.statistic == pytest.approx(f)
    assert found.df == (3, 33)
    assert found.p_value == pytest.approx(stats.f.sf(f, 3, 33))
    assert friedman(TIED).statistic > chi2


def test_two_models():
    # Equal to the sign test's squared z: 5 wins, 1 loss: (5 - 1)^2 / 6.
    found = friedman([[2, 1]] * 5 + [[1, 2]])
    assert found.statistic == pytest.approx(16 / 6)


def test_models_that_never_differ():
    for method in ("chi2", "f"):
        found = friedman([[1, 1, 1]] * 4, method)
        assert (found.statistic, found.p_value) == (0, 1)


def test_one_data_set():
    found = friedman([[1, 2, 3]])
    assert found.p_value is None
    assert found.why == "one data set: no order of the models repeats itself"


def test_every_data_set_alike():
    # chi2 = N (k - 1); F has no end. 3! orders, the same four times: (1/6)^3.
    assert friedman([[3, 2, 1]] * 4).statistic == pytest.approx(8)
    found = friedman([[3, 2, 1]] * 4, "f")
    assert found.statistic is None
    assert found.p_value == pytest.approx(1 / 6**3)
    # With the first two tied there are 3 orders.
    assert friedman([[3, 3, 1]] * 4, "f").p_value == pytest.approx(1 / 3**3)
    json.dumps(found.to_dict(), allow_nan=False)


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame, pa.table, dict])
def test_tables_of_any_library(library):
    columns = {"tree": PLAIN[:, 0].tolist(), "forest": PLAIN[:, 1].tolist(), "svm": PLAIN[:, 2].tolist()}
    found = friedman(library(columns))
    assert found.statistic == pytest.approx(friedman(PLAIN[:, :3]).statistic)
    assert found.counts["names"] == ("tree", "forest", "svm")
    assert friedman(PLAIN.tolist()).counts["names"] is None


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ([[1, 2], [3]], "every data set needs a score of every model"),
        ([1, 2], r"a row per data set and a column per model; got shape \(2,\)"),
        ([], r"got shape \(0,\)"),
        ([[1], [2]], "two models or more; got one model"),
        (
            {"a": [1, 2], "b": [1]},
            "every model needs a score on every data set; the columns have 2, 1 scores",
        ),
        (pd.DataFrame({"set": ["x"], "a": [1], "b": [2]}), "column 'set' has 'x' at place 1.*such as names"),
        ([[1, 2], [None, 2]], "model 1 has None at place 2"),
        (pl.DataFrame({"a": [1.0, None], "b": [1.0, 2.0]}), r"column 'a' has no number \(NaN\) at place 2"),
        ("abc", "got 'abc'"),
    ],
)
def test_tables_that_are_none(table, said):
    for test in (friedman, nemenyi, post_hoc):
        with pytest.raises(ShapeError, match=said):
            test(table)


def test_options():
    with pytest.raises(OptionError, match="method must be one of chi2, f; got 'F'"):
        friedman(PLAIN, "F")
    with pytest.raises(OptionError, match="ties must be one of corrected, uncorrected; got 'yes'"):
        friedman(PLAIN, ties="yes")


# --- Nemenyi ------------------------------------------------------------------------------------


@pytest.mark.parametrize("k", [2, 3, 5, 10, 30, 100])
def test_the_studentized_range_is_scipys(k):
    for q in (0.1, 1, 3, 5, 7):
        assert range_tail(q, k) == pytest.approx(stats.studentized_range.sf(q, k, np.inf), abs=1e-10)
    for alpha in (0.001, 0.05, 0.5, 0.99):
        q = range_quantile(alpha, k)
        assert stats.studentized_range.sf(q, k, np.inf) == pytest.approx(alpha, abs=1e-9)


def test_far_tails_keep_their_digits():
    # The range of two values is sqrt(2) |z|; far out k values reach it in one of k (k - 1) / 2 pairs.
    for q in (10, 20, 40):
        pair = 2 * stats.norm.sf(q / math.sqrt(2))
        assert range_tail(q, 2) == pytest.approx(pair, rel=1e-9)
        assert range_tail(q, 4) == pytest.approx(6 * pair, rel=1e-6)
    assert range_tail(0, 3) == 1


def test_nemenyi_p_values():
    found = nemenyi(PLAIN)
    ranks = stats.rankdata(-PLAIN, axis=1).mean(axis=0)
    apart = np.abs(ranks[:, None] - ranks) / math.sqrt(4 * 5 / (6 * 12)) * math.sqrt(2)
    assert found.p_values == pytest.approx(stats.studentized_range.sf(apart, 4, np.inf), abs=1e-9)
    assert found.ranks == pytest.approx(tuple(ranks))


def test_p_values_say_what_the_critical_difference_says():
    for alpha in (0.01, 0.05, 0.2, 0.5):
        found = nemenyi(PLAIN, alpha)
        ranks = np.array(found.ranks)
        assert (
            (found.p_values <= alpha) == (np.abs(ranks[:, None] - ranks) >= found.critical_difference)
        ).all()


def test_groups_are_the_largest_not_told_apart():
    # Ranks 1, 2, 3 over 8 data sets: the critical difference is 2.3437 * sqrt(12 / 48) = 1.172.
    frame = pd.DataFrame({"worst": [1] * 8, "best": [3] * 8, "middle": [2] * 8})
    found = nemenyi(frame)
    assert found.critical_difference == pytest.approx(1.172, abs=5e-4)
    assert found.groups == (("best", "middle"), ("middle", "worst"))
    assert nemenyi(frame.to_numpy()).groups == ((1, 2), (2, 0))
    assert nemenyi(frame[:3]).groups == (("best", "middle"), ("middle", "worst"))
    assert nemenyi(frame[:2]).groups == (("best", "middle", "worst"),)
    assert nemenyi(pd.concat([frame] * 5)).groups == ()


def test_groups_against_every_subset():
    rng = np.random.default_rng(1)
    for _ in range(30):
        table = rng.normal(size=(10, 6)) + np.arange(6) / 2
        found = nemenyi(table)
        ranks = np.array(found.ranks)
        order = np.argsort(ranks)
        runs = [frozenset(order[i:j].tolist()) for i in range(6) for j in range(i + 2, 7)
                if ranks[order[j - 1]] - ranks[order[i]] < found.critical_difference]  # fmt: skip
        largest = {run for run in runs if not any(run < other for other in runs)}
        assert {frozenset(group) for group in found.groups} == largest


def test_nemenyi_of_models_that_never_differ():
    found = nemenyi([[1, 1, 1]] * 5)
    assert found.groups == ((0, 1, 2),)
    assert (found.p_values == 1).all()
    json.dumps(found.to_dict(), allow_nan=False)


def test_alpha():
    with pytest.raises(OptionError, match=r"strictly between 0 and 1, got 5. Hint: write 0.05 for 5 %"):
        nemenyi(PLAIN, 5)


# --- pairs of mean ranks ------------------------------------------------------------------------


def test_pairs_are_in_order_of_combinations():
    found = post_hoc(PLAIN)
    assert found.pairs == ((0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3))
    ranks = stats.rankdata(-PLAIN, axis=1).mean(axis=0)
    se = math.sqrt(4 * 5 / (6 * 12))
    assert found.z[1] == pytest.approx((ranks[0] - ranks[2]) / se)
    assert found.p_values[1] == pytest.approx(2 * stats.norm.sf(abs(found.z[1])))


def test_a_control():
    frame = pd.DataFrame(PLAIN, columns=["a", "b", "c", "d"])
    named = post_hoc(frame, control="c")
    assert named.pairs == (("c", "a"), ("c", "b"), ("c", "d"))
    assert post_hoc(PLAIN, control=2).z == named.z
    for control in ("e", 4, -1, True):
        with pytest.raises(OptionError, match="is not a model of the table; the models are a, b, c, d"):
            post_hoc(frame, control=control)
