"""Tests of two models on the same folds, against scipy, mlxtend and the formulas written out."""

from __future__ import annotations

import json
import math

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import stats

from tallymark.errors import OptionError, ShapeError
from tallymark.tests.folds import corrected_t, five_by_two, paired_t

A = [0.81, 0.84, 0.79, 0.90, 0.77, 0.85, 0.80, 0.83, 0.86, 0.78]
B = [0.79, 0.85, 0.75, 0.86, 0.74, 0.80, 0.81, 0.79, 0.84, 0.77]
ALTERNATIVES = ("two-sided", "greater", "less")


# --- paired t -----------------------------------------------------------------------------------


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("level", [0.9, 0.95])
def test_paired_t_is_scipys(alternative, level):
    found = paired_t(A, B, alternative=alternative, confidence_level=level)
    theirs = stats.ttest_rel(A, B, alternative=alternative)
    assert found.statistic == pytest.approx(theirs.statistic, rel=1e-10)
    assert found.p_value == pytest.approx(theirs.pvalue, rel=1e-10)
    assert found.df == 9
    interval = stats.ttest_rel(A, B).confidence_interval(level)
    assert (found.low, found.high) == pytest.approx(tuple(interval), rel=1e-10)
    assert found.alternative == alternative


def test_the_interval_of_the_sources():
    # The sources: var = sum (d_j - mean d)^2 / (k (k - 1)), mean d +- t(k - 1) sqrt(var).
    d = np.subtract(A, B)
    var = ((d - d.mean()) ** 2).sum() / (10 * 9)
    found = paired_t(A, B)
    assert found.value == pytest.approx(d.mean())
    assert found.se == pytest.approx(math.sqrt(var))
    assert found.high - found.value == pytest.approx(2.262 * math.sqrt(var), rel=1e-4)  # t table, 9 df


def test_columns_of_any_library():
    expected = paired_t(A, B).to_dict()
    for column in (tuple, np.array, pd.Series, pl.Series, lambda values: np.array(values, object)):
        assert paired_t(column(A), column(B)).to_dict() == expected
    whole = paired_t(np.array([3, 4, 6], np.int8), np.array([1, 4, 3], np.int8))
    assert whole.value == pytest.approx(5 / 3)


def test_models_that_never_differ():
    for found in (paired_t(A, A), corrected_t(A, A), five_by_two(A, A), five_by_two(A, A, "f")):
        assert (found.statistic, found.p_value) == (0, 1)
        assert (found.value, found.low, found.high) == (0, 0, 0)


def test_equal_differences_are_not_infinitely_sure():
    # In floating point 0.9 - 0.8 and 0.8 - 0.7 are not equal.
    for found in (paired_t([0.9, 0.8, 0.7], [0.8, 0.7, 0.6]), corrected_t([0.9, 0.8, 0.7], [0.8, 0.7, 0.6])):
        assert found.p_value is None
        assert found.statistic is None
        assert found.value == pytest.approx(0.1)
        assert found.why == "the difference is 0.1 in every fold, so there is no spread to judge it by"


def test_one_fold():
    for found in (paired_t([0.9], [0.8]), corrected_t([0.9], [0.8]), corrected_t([0.9], [0.8], 90, 10)):
        assert found.p_value is None
        assert found.why == "one fold does not show how much folds vary"
        json.dumps(found.to_dict(), allow_nan=False)


@pytest.mark.parametrize(
    ("a", "b", "said"),
    [
        ([1, 2], [1, 2, 3], "a has 2 scores and b has 3; they belong together fold by fold"),
        ([], [], "a is empty; it needs one number per fold"),
        (0.9, 0.8, "a must be a list of numbers, one per fold; got 0.9"),
        ([[1, 2], [3]], [1, 2], "a must be a list of numbers"),
        ([[1, 2]], [[1, 2]], r"got shape \(1, 2\)"),
        ([1, None], [1, 2], "a has None at place 2; it takes numbers. Hint: leave that fold out"),
        ([1, 2], [1, float("nan")], r"b has no number \(NaN\) at place 2"),
        ([1, 2], [1, float("inf")], "b has inf at place 2; it takes finite numbers"),
        ([1e200, 2], [1, 2], r"a has 1e\+200 at place 1"),
        (["x", "y"], [1, 2], "a has 'x' at place 1; it takes numbers"),
        ([True, False], [1, 2], "a has True at place 1"),
        (np.array(["2020-01-01"], "M8[D]"), [1], "a has datetime.date"),
    ],
)  # fmt: skip
def test_scores_that_are_none(a, b, said):
    with pytest.raises(ShapeError, match=said):
        paired_t(a, b)


def test_options():
    with pytest.raises(OptionError, match="alternative must be two-sided, greater or less; got 'both'"):
        paired_t(A, B, alternative="both")
    with pytest.raises(OptionError, match=r"write 0.95 for 95 %"):
        corrected_t(A, B, confidence_level=95)


# --- corrected t --------------------------------------------------------------------------------


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_corrected_t_is_the_formula(alternative):
    # Nadeau and Bengio: var * (1/k + n_test/n_train).
    d = np.subtract(A, B)
    t = d.mean() / math.sqrt(d.var(ddof=1) * (1 / 10 + 10 / 90))
    p = {"two-sided": 2 * stats.t.sf(abs(t), 9), "greater": stats.t.sf(t, 9), "less": stats.t.cdf(t, 9)}
    found = corrected_t(A, B, n_train=90, n_test=10, alternative=alternative)
    assert found.statistic == pytest.approx(t)
    assert found.p_value == pytest.approx(p[alternative])
    assert found.high - found.low == pytest.approx(2 * stats.t.ppf(0.975, 9) * d.mean() / t)


def test_without_sizes_it_is_cross_validation():
    # 10 folds: 1/9. Twice 5 folds: 1/4.
    same = ("statistic", "p_value", "low", "high")
    for runs, sizes in ((1, (90, 10)), (2, (80, 20))):
        ours, stated = corrected_t(A, B, runs=runs), corrected_t(A, B, *sizes)
        assert [getattr(ours, name) for name in same] == pytest.approx(
            [getattr(stated, name) for name in same]
        )
    assert corrected_t(A, B, runs=2).note == (
        "sizes taken from 2 runs of 5-fold cross-validation: rows tested / rows trained on = 1/4"
    )


def test_the_plain_t_is_too_sure_by_a_known_factor():
    # sqrt(1 + k n_test/n_train): with 10 folds sqrt(1 + 10/9).
    plain, corrected = paired_t(A, B), corrected_t(A, B)
    assert (corrected.high - corrected.low) / (plain.high - plain.low) == pytest.approx(math.sqrt(1 + 10 / 9))
    assert corrected.p_value > plain.p_value


def test_sizes_per_fold():
    ratios = [11 / 89, *[10 / 90] * 9]
    found = corrected_t(A, B, n_train=[89, *[90] * 9], n_test=[11, *[10] * 9])
    assert found.counts["test_by_train"] == pytest.approx(np.mean(ratios))
    assert found.note == "rows tested / rows trained on = 0.1124, the mean of the folds"
    assert corrected_t(A, B, [90] * 10, 10).note == "rows tested / rows trained on = 0.1111"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"n_train": 90}, "n_train was given without n_test"),
        ({"n_test": 90}, "n_test was given without n_train"),
        ({"n_train": 90, "n_test": 0}, "n_test must be above 0; got 0"),
        ({"n_train": "many", "n_test": 1}, "n_train must be a number"),
        ({"runs": 3}, "10 scores are not 3 runs of equally many folds"),
        ({"runs": 10}, "one fold per run.*Hint: give n_train and n_test"),
        ({"runs": 0}, "runs must be a whole number from 1 up; got 0"),
        ({"runs": 1.5}, "runs must be a whole number from 1 up; got 1.5"),
    ],
)
def test_sizes_that_are_none(options, said):
    with pytest.raises(OptionError, match=said):
        corrected_t(A, B, **options)


def test_a_size_too_few():
    with pytest.raises(ShapeError, match="n_train has 2 sizes for 10 folds"):
        corrected_t(A, B, [90, 90], 10)


# --- 5x2cv --------------------------------------------------------------------------------------


def test_five_by_two_by_hand():
    # d = 1, 3 | 2, 2 | 0, 2 | 1, 1 | 3, 1: s2 = 2, 0, 2, 0, 2.
    d = [[1, 3], [2, 2], [0, 2], [1, 1], [3, 1]]
    zero = np.zeros((5, 2))
    t = five_by_two(d, zero)
    assert t.statistic == pytest.approx(1 / math.sqrt(6 / 5))
    assert t.df == 5
    assert t.p_value == pytest.approx(2 * stats.t.sf(1 / math.sqrt(6 / 5), 5))
    assert (t.value, t.low) == pytest.approx((1, 1 - 2.5706 * math.sqrt(6 / 5)), rel=1e-4)  # t table, 5 df
    f = five_by_two(d, zero, "f")
    assert f.statistic == pytest.approx(34 / (2 * 6))
    assert f.df == (10, 5)
    assert f.p_value == pytest.approx(stats.f.sf(34 / 12, 10, 5))
    assert f.value == pytest.approx(1.6)
    assert five_by_two(np.ravel(d), zero.ravel()).to_dict() == t.to_dict()
    assert five_by_two(pd.DataFrame(d), zero).to_dict() == t.to_dict()


def test_the_interval_of_f_is_what_it_does_not_reject():
    d = np.array([[1, 3], [2, 2], [0, 2], [1, 1], [3, 1]], float)
    found = five_by_two(d, np.zeros((5, 2)), "f")
    for end in (found.low, found.high):
        assert five_by_two(d - end, np.zeros((5, 2)), "f").p_value == pytest.approx(0.05)


def test_runs_that_no_difference_fits():
    far = np.add.outer([0, 100, 200, 300, 400], [0.0, 0.1])
    found = five_by_two(far, np.zeros((5, 2)), "f")
    assert (found.low, found.high) == (None, None)
    assert found.note == "runs differ so much from each other that no difference fits them all"


def test_the_sides_of_five_by_two():
    zero = np.zeros(10)
    d = [1, 3, 2, 2, 0, 2, 1, 1, 3, 1]
    t = stats.t.sf(1 / math.sqrt(6 / 5), 5)
    assert five_by_two(d, zero, alternative="greater").p_value == pytest.approx(t)
    assert five_by_two(d, zero, alternative="less").p_value == pytest.approx(1 - t)
    with pytest.raises(OptionError, match="the F test has no direction"):
        five_by_two(d, zero, "f", alternative="less")


@pytest.mark.parametrize("method", ["t", "f"])
def test_runs_without_spread(method):
    found = five_by_two([2.0] * 10, [1.0] * 10, method)
    assert found.p_value is None
    assert "the two differences of every run are equal" in found.why


def test_five_by_two_refuses():
    with pytest.raises(ShapeError, match=r"a must have the scores of 5 runs of 2 folds; got shape \(9,\)"):
        five_by_two(range(9), range(9))
    with pytest.raises(ShapeError, match="5 runs of 2 folds"):
        five_by_two([[1, 2], [3]], [1])
    with pytest.raises(OptionError, match="method must be one of t, f; got 'F'"):
        five_by_two(A, B, "F")


@pytest.mark.parametrize("method", ["t", "f"])
def test_mlxtend(method):
    from mlxtend import evaluate
    from sklearn.datasets import load_breast_cancer
    from sklearn.naive_bayes import GaussianNB
    from sklearn.tree import DecisionTreeClassifier

    scores = {GaussianNB: [], DecisionTreeClassifier: []}

    def recorded(model, X, y):
        scores[type(model)].append(model.score(X, y))
        return scores[type(model)][-1]

    test = evaluate.paired_ttest_5x2cv if method == "t" else evaluate.combined_ftest_5x2cv
    X, y = load_breast_cancer(return_X_y=True)
    models = GaussianNB(), DecisionTreeClassifier(max_depth=1, random_state=0)
    statistic, p = test(*models, X, y, scoring=recorded, random_seed=1)
    found = five_by_two(*scores.values(), method)
    assert (found.statistic, found.p_value) == pytest.approx((statistic, p))
