"""Faults that were found from outside, and what all tests have in common."""

from __future__ import annotations

import json
import time

import baycomp
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import stats

import tallymark as tm
from tallymark.comparison.score_tables.data_sets import compare_data_sets
from tallymark.errors import ColumnError, OptionError, ShapeError
from tallymark.tests import (
    Outcome,
    adjust,
    bayesian_signed_rank,
    bayesian_t,
    cochran_q,
    corrected_t,
    delong,
    delong_unpaired,
    five_by_two,
    friedman,
    mcnemar,
    nemenyi,
    paired_t,
    post_hoc,
    sign,
    wilcoxon,
)

OF_TABLES = friedman, nemenyi, post_hoc
OF_COLUMNS = paired_t, corrected_t, five_by_two, wilcoxon, sign, bayesian_t, bayesian_signed_rank
RNG = np.random.default_rng(4)
A, B = RNG.normal(0.8, 0.05, 10), RNG.normal(0.78, 0.05, 10)
TABLE = RNG.normal(size=(9, 3))
Y = [1, 0, 1, 0, 1, 0]
S, T = [0.9, 0.3, 0.8, 0.4, 0.35, 0.6], [0.9, 0.3, 0.2, 0.4, 0.7, 0.1]


# --- ranks --------------------------------------------------------------------------------------


def test_noise_of_floating_point_has_no_rank():
    noisy = np.column_stack([[0.1 + 0.2] * 6, [0.3] * 6])
    assert noisy[0, 0] != noisy[0, 1]
    for method in ("chi2", "f"):
        found = friedman(noisy, method)
        assert (found.p_value, found.counts["ranks"]) == (1, [1.5, 1.5])
    assert nemenyi(noisy).ranks == post_hoc(noisy).ranks == (1.5, 1.5)
    assert nemenyi(noisy).groups == ((0, 1),)
    assert post_hoc(noisy).p_values == (1,)


def test_small_scores_beside_large_ones_keep_their_ranks():
    assert friedman([[3e9, 2e9, 1e9], [3e-9, 2e-9, 1e-9]]).counts["ranks"] == [1, 2, 3]


def test_a_comparison_ranks_as_the_test_does():
    noisy = {
        "a": [0.1 + 0.2, 0.7, 1.0, 0.5],
        "b": [0.3, 0.1 + 0.6, 1 - 1e-15, 0.4],
        "c": [0.2, 0.8, 0.9, 0.6],
    }
    ranks = [7.5 / 4, 8.5 / 4, 2.0]
    assert friedman(noisy).counts["ranks"] == pytest.approx(ranks)
    compared = compare_data_sets(noisy)
    assert compared.outcomes[0].counts["ranks"] == pytest.approx(ranks)
    assert compared.detail.ranks.nemenyi.ranks == pytest.approx(tuple(ranks))


# --- columns and tables -------------------------------------------------------------------------


@pytest.mark.parametrize("test", OF_COLUMNS)
def test_columns_in_another_order(test):
    a, b = pd.Series(A), pd.Series(B)
    with pytest.raises(ShapeError, match="the same index in different order"):
        test(a, b[::-1])
    assert test(a, b[::-1].to_numpy()).to_dict() == test(A, B[::-1]).to_dict()
    assert test(a, b.set_axis(range(10, 20))).to_dict() == test(A, B).to_dict()


def test_frames_and_mappings_in_another_order():
    with pytest.raises(ShapeError, match="the same index in different order"):
        five_by_two(pd.DataFrame(A.reshape(5, 2)), pd.DataFrame(B.reshape(5, 2))[::-1])
    for test in (*OF_TABLES, cochran_q):
        with pytest.raises(ShapeError, match="the same index in different order"):
            test({"a": pd.Series([1, 0, 1]), "b": pd.Series([1, 1, 0])[::-1]})


@pytest.mark.parametrize("test", OF_COLUMNS)
def test_a_frame_of_one_column(test):
    expected = test(A, B).to_dict()
    assert test(pd.DataFrame({"x": A}), pd.DataFrame({"y": B})).to_dict() == expected
    assert test(pl.DataFrame({"x": A}), pa.table({"y": B})).to_dict() == expected
    with pytest.raises(ShapeError, match=r"shape \(10, 2\)"):
        test(pd.DataFrame({"x": A, "y": B}), B)


@pytest.mark.parametrize("test", [*OF_TABLES, cochran_q])
def test_names_that_are_whole_numbers(test):
    rows = [[1, 0, 0], [1, 1, 0], [1, 0, 1]]
    named = test(pd.DataFrame(rows, columns=["0", "1", "2"])).to_dict()
    assert test(pd.DataFrame(rows)).to_dict() == named
    assert test(dict(enumerate(zip(*rows, strict=True)))).to_dict() == named


def test_a_control_whose_name_is_a_number():
    frame = pd.DataFrame(TABLE, columns=[10, 20, 1])
    assert post_hoc(frame, control=20).pairs == (("20", "10"), ("20", "1"))
    assert post_hoc(frame, control=1).pairs == (("1", "10"), ("1", "20"))
    assert post_hoc(frame, control=0).pairs == (("10", "20"), ("10", "1"))


@pytest.mark.parametrize("test", [*OF_TABLES, cochran_q])
def test_a_name_that_is_there_twice(test):
    twice = pd.DataFrame([[1, 0, 1], [0, 1, 1]], columns=["a", "a", "b"])
    for table in (twice, pa.table([[1, 0], [0, 1]], names=["a", "a"])):
        with pytest.raises(ColumnError) as refused:
            test(table)
        assert str(refused.value) == "the frame has several columns called 'a'. Hint: rename one of them."
    with pytest.raises(ColumnError, match="two models of the table have the same name"):
        test({1: [1, 0], "1": [0, 1]})


def test_cochran_of_a_mapping():
    found = cochran_q({"tree": [1, 0, 1], "rule": [True, True, True]})
    assert found.counts == {"rows": 3, "disagreements": 1, "right": [2, 3], "names": ("tree", "rule")}
    assert found.p_value == pytest.approx(stats.chi2.sf(1, 1))
    with pytest.raises(OptionError, match="row 2, column 1 is 'x'"):
        cochran_q({"a": [1, "x"], "b": [1, 1]})
    with pytest.raises(ShapeError, match="every model needs a value in every row; the columns have 3, 2"):
        cochran_q({"a": [1, 0, 1], "b": [1, 1]})
    with pytest.raises(ShapeError, match=r"column 'a' must be a list of 0 and 1; got shape \(\)"):
        cochran_q({"a": 1, "b": 1})
    with pytest.raises(ShapeError, match="column 'b' must be a list of 0 and 1"):
        cochran_q({"a": [1, 0], "b": [[1], [1, 0]]})
    with pytest.raises(ShapeError, match="two or more columns, got 0"):
        cochran_q({})


# --- what every result has ----------------------------------------------------------------------

ASKED = {
    "mcnemar": lambda **given: mcnemar(5, 15, **given),
    "cochran_q": lambda **given: cochran_q([[1, 0], [1, 1], [0, 1]], **given),
    "delong": lambda **given: delong(Y, S, T, **given),
    "delong_unpaired": lambda **given: delong_unpaired(Y, S, Y, T, **given),
    "difference": lambda **given: tm.difference((56, 70), (48, 80), **given),
    "paired_difference": lambda **given: tm.paired_difference(n11=1, n01=1, n10=7, n00=12, **given),
    **{test.__name__: lambda test=test, **given: test(A, B, **given) for test in OF_COLUMNS},
    **{test.__name__: lambda test=test, **given: test(TABLE, **given) for test in OF_TABLES},
}


@pytest.mark.parametrize("name", ASKED)
def test_every_result_has_the_same_fields(name):
    found = ASKED[name](alternative="two-sided")
    form = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    for field in ("statistic", "p_value", "df", "alternative", "method", "assumption"):
        assert field in form
        value = getattr(found, field)
        assert form[field] == (list(value) if isinstance(value, tuple) else value)
    assert found.alternative == "two-sided"
    assert form["counts"]
    assert form["p_value"] is not None or form["why"]
    with pytest.raises(OptionError, match="alternative must be two-sided, greater or less; got 'both'"):
        ASKED[name](alternative="both")


def test_one_public_name_is_no_test():
    public = set(tm.tests.__all__) - {"adjust", "Outcome", "Nemenyi", "PostHoc", "Posterior"}
    assert public == set(ASKED) - {"difference", "paired_difference"}
    with pytest.raises(TypeError):
        adjust([0.1], alternative="two-sided")


@pytest.mark.parametrize("name", ["cochran_q", "friedman", "nemenyi", "post_hoc"])
def test_tests_without_sides(name):
    with pytest.raises(OptionError, match="has no sides, so alternative can only be 'two-sided'; got 'less'"):
        ASKED[name](alternative="less")


@pytest.mark.parametrize("test", [bayesian_t, bayesian_signed_rank])
def test_bayesian_tests_have_both_directions(test):
    with pytest.raises(OptionError, match="worse, equivalent and better have both directions"):
        test(A, B, alternative="greater")


def test_nemenyi_of_all_models_together():
    found = nemenyi(TABLE)
    ranks = stats.rankdata(-TABLE, axis=1).mean(axis=0)
    # In units of the standard deviation of one mean rank, sqrt(k (k + 1) / 12 N).
    statistic = np.ptp(ranks) / np.sqrt(3 * 4 / (12 * 9))
    assert found.statistic == pytest.approx(statistic)
    assert found.p_value == pytest.approx(stats.studentized_range.sf(statistic, 3, np.inf), abs=1e-9)
    assert found.counts == post_hoc(TABLE).counts == {"data_sets": 9, "models": 3}


def test_pairs_as_json():
    form = post_hoc(pd.DataFrame(TABLE, columns=["a", "b", "c"]), control="b").to_dict()
    assert form["pairs"] == [["b", "a"], ["b", "c"]]
    assert len(form["z"]) == len(form["p_values"]) == 2
    assert form["why"] == "every pair has its own, in p_values"


def test_a_difference_keeps_the_counts():
    counts = tm.difference((56, 70), (48, 80)).counts
    assert [counts[name] for name in ("successes_a", "n_a", "successes_b", "n_b")] == [56, 70, 48, 80]


# --- one data set, and many ---------------------------------------------------------------------


def test_one_data_set():
    for test in (nemenyi, post_hoc):
        found = test([[0.9, 0.8, 0.7]])
        assert found.note == found.to_dict()["note"] == "one data set: no order of the models repeats itself"
        assert test(TABLE).note is None
    assert bayesian_signed_rank([0.9], [0.8]).note.startswith("one data set says nothing of others")
    assert bayesian_signed_rank(A, B).note is None


def test_a_thousand_data_sets():
    rng = np.random.default_rng(1)
    a, b = rng.normal(0.8, 0.05, 1000), rng.normal(0.795, 0.05, 1000)
    started = time.process_time()
    found = bayesian_signed_rank(a, b, 0.002)
    # It was 17.6 s; about 3 s now. Of the processor: a busy machine adds nothing to that.
    assert time.process_time() - started < 12
    assert found.counts["draws"] == 50_000
    assert 1000 <= found.counts["interval_draws"] < 50_000
    assert np.allclose(found.draws.sum(axis=1), 1)
    # With so many data sets the posterior is about as wide as Wilcoxon's interval is.
    classic = wilcoxon(a, b)
    assert (found.low, found.high) == pytest.approx((classic.low, classic.high), abs=6e-4)


@pytest.mark.parametrize("rope", [0.0, 0.01])
def test_many_data_sets_of_baycomp(rope):
    rng = np.random.default_rng(2)
    a, b = rng.normal(0.8, 0.05, 60).round(2), rng.normal(0.795, 0.05, 60).round(2)
    theirs = baycomp.SignedRankTest(b, a, rope=rope, random_state=1, nsamples=20_000).probs()
    found = bayesian_signed_rank(a, b, rope)
    assert (found.worse, found.equivalent, found.better) == pytest.approx(theirs, abs=0.017)


@pytest.mark.parametrize("strength", [0.0, 0.5])
@pytest.mark.parametrize("decimals", [1, 2, 9])
def test_regions_and_medians_pair_by_pair(decimals, strength):
    """Tied differences, and those on the edge of the rope, among enough data sets for several stretches."""
    n, rope = 40, 0.1
    d = np.random.default_rng(decimals).normal(0.02, 0.2, n).round(decimals)
    found = bayesian_signed_rank(d, d * 0, rope, random_state=3, draws=200, prior_strength=strength)
    values, prior = (np.append(0, d), [strength]) if strength else (d, [])
    weights = np.random.default_rng(3).standard_gamma([*prior, *[1] * n], (200, len(values)))
    weights /= weights.sum(axis=1, keepdims=True)
    means = ((values[:, None] + values) / 2).round(12).ravel()
    edge = np.isclose(means, rope, atol=1e-12), np.isclose(means, -rope, atol=1e-12)
    order = np.argsort(means)
    medians = []
    for draw, row in zip(found.draws, weights, strict=True):
        of_pair = np.outer(row, row).ravel()
        better = of_pair[(means > rope) & ~edge[0]].sum() + of_pair[edge[0]].sum() / 2
        worse = of_pair[(means < -rope) & ~edge[1]].sum() + of_pair[edge[1]].sum() / 2
        assert draw == pytest.approx((worse, 1 - worse - better, better), abs=1e-12)
        medians.append(means[order][np.searchsorted(np.cumsum(of_pair[order]), 0.5)])
    assert found.mean == pytest.approx(np.mean(medians), abs=1e-9)
    assert (found.low, found.high) == pytest.approx(tuple(np.quantile(medians, [0.025, 0.975])), abs=1e-9)


# --- words --------------------------------------------------------------------------------------


def test_a_control_that_is_no_position():
    with pytest.raises(OptionError) as refused:
        post_hoc(TABLE, control=7)
    assert str(refused.value) == "control 7 is not a model of the table; the models have positions 0 to 2."


def test_shares_go_to_compare():
    with pytest.raises(OptionError, match=r'Hint: tm.compare\(\{"a": \(0.8, 10\), ...\}\) takes shares'):
        tm.difference((0.8, 10), (0.6, 10))
    assert tm.compare({"a": (0.8, 10), "b": (0.6, 10)})["accuracy"].value == pytest.approx(0.2)


def test_p_values_are_no_scores():
    with pytest.raises(ShapeError) as refused:
        adjust(["a"])
    assert "score" not in str(refused.value)


def test_a_p_value_that_floating_point_cannot_hold():
    assert str(mcnemar(0, 100_000)).endswith(", p < 1e-300")
    assert str(mcnemar(0, 100_000, alternative="less")).endswith(", p < 1e-300 (less)")
    assert str(Outcome("a test", 1.0, 2e-300)) == "a test: 1.000, p = 2.0e-300"


def test_zeros_that_were_dropped():
    a, b = [3, 1, 5, 2, 2, 4, 5, 6], [1, 2, 1, 2, 2, 1, 1, 1]
    said = "2 differences of 0 were dropped from the test; the estimate and its interval keep them"
    assert wilcoxon(a, b).note == said
    assert wilcoxon(a[:3] + a[4:], b[:3] + b[4:]).note.startswith("1 difference of 0 was dropped")
    assert wilcoxon([*a, 3, 9, 9], [*b, 1, 9, 5]).note.startswith("3 differences of 0 were")
    for zeros in ("pratt", "split"):
        assert wilcoxon(a, b, zeros=zeros).note is None
    # The median of the 36 means, of which those of the zeros are a part.
    d = np.subtract(a, b)
    first, second = np.triu_indices(8)
    assert wilcoxon(a, b).value == np.median((d[first] + d[second]) / 2)
