"""Two models on the same folds: paired t, corrected t and 5x2cv, against scipy, mlxtend and formulas."""

import json
import math

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import tallymark as tm

paired_t, corrected_t, five_by_two = tm.tests.paired_t, tm.tests.corrected_t, tm.tests.five_by_two
A = [0.81, 0.84, 0.79, 0.90, 0.77, 0.85, 0.80, 0.83, 0.86, 0.78]
B = [0.79, 0.85, 0.75, 0.86, 0.74, 0.80, 0.81, 0.79, 0.84, 0.77]
D = np.subtract(A, B)
SIDES = ("two-sided", "greater", "less")


def one_sided(t: float, df: float) -> dict[str, float]:
    return {"two-sided": 2 * stats.t.sf(abs(t), df), "greater": stats.t.sf(t, df), "less": stats.t.cdf(t, df)}


# --- paired t and corrected t ----------------------------------------------------------------


def test_paired_t_is_scipys_and_the_interval_of_the_sources() -> None:
    for side in SIDES:
        for level in (0.9, 0.95):
            found = paired_t(A, B, alternative=side, confidence_level=level)
            theirs = stats.ttest_rel(A, B, alternative=side)
            assert found.statistic == pytest.approx(theirs.statistic, rel=1e-10)
            assert found.p_value == pytest.approx(theirs.pvalue, rel=1e-10)
            assert (found.df, found.alternative) == (9, side)
            interval = stats.ttest_rel(A, B).confidence_interval(level)
            assert (found.low, found.high) == pytest.approx(tuple(interval), rel=1e-10)
    # The sources: var = sum (d_j - mean d)^2 / (k (k - 1)), mean d +- t(k - 1) sqrt(var).
    var = ((D - D.mean()) ** 2).sum() / (10 * 9)
    found = paired_t(A, B)
    assert (found.value, found.se) == pytest.approx((D.mean(), math.sqrt(var)))
    assert found.high - found.value == pytest.approx(2.262 * math.sqrt(var), rel=1e-4)  # t table, 9 df


def test_corrected_t_is_the_formula_of_nadeau_and_bengio() -> None:
    # var * (1/k + n_test/n_train); without sizes those of cross-validation: 10 folds 1/9, twice 5 folds 1/4.
    for runs, sizes, ratio in ((1, (90, 10), 1 / 9), (2, (80, 20), 1 / 4)):
        t = D.mean() / math.sqrt(D.var(ddof=1) * (1 / 10 + ratio))
        for side in SIDES:
            by_sizes = corrected_t(A, B, *sizes, alternative=side)
            for found in (by_sizes, corrected_t(A, B, runs=runs, alternative=side)):
                assert (found.statistic, found.p_value) == pytest.approx((t, one_sided(t, 9)[side]))
                assert found.high - found.low == pytest.approx(2 * stats.t.ppf(0.975, 9) * D.mean() / t)
    # The plain t is too sure by sqrt(1 + k n_test/n_train).
    plain, corrected = paired_t(A, B), corrected_t(A, B)
    assert (corrected.high - corrected.low) / (plain.high - plain.low) == pytest.approx(math.sqrt(1 + 10 / 9))
    each = corrected_t(A, B, n_train=[89, *[90] * 9], n_test=[11, *[10] * 9])
    assert each.counts["test_by_train"] == pytest.approx(np.mean([11 / 89, *[10 / 90] * 9]))


# --- 5x2cv -----------------------------------------------------------------------------------

RUNS = [[1, 3], [2, 2], [0, 2], [1, 1], [3, 1]]
"""Differences: s2 = 2, 0, 2, 0, 2."""
ZERO = np.zeros((5, 2))


def test_five_by_two_by_hand() -> None:
    t = five_by_two(RUNS, ZERO)
    statistic = 1 / math.sqrt(6 / 5)
    for side, p in one_sided(statistic, 5).items():
        assert five_by_two(np.ravel(RUNS), ZERO.ravel(), alternative=side).p_value == pytest.approx(p)
    assert (t.statistic, t.df) == (pytest.approx(statistic), 5)
    assert (t.value, t.low) == pytest.approx((1, 1 - 2.5706 * math.sqrt(6 / 5)), rel=1e-4)  # t table, 5 df
    f = five_by_two(RUNS, ZERO, "f")
    assert (f.statistic, f.df) == (pytest.approx(34 / (2 * 6)), (10, 5))
    assert f.p_value == pytest.approx(stats.f.sf(34 / 12, 10, 5))
    assert f.value == pytest.approx(1.6)
    for end in (f.low, f.high):  # the interval is what the test does not reject
        assert five_by_two(np.subtract(RUNS, end), ZERO, "f").p_value == pytest.approx(0.05)
    assert five_by_two(np.ravel(RUNS), ZERO.ravel()).to_dict() == t.to_dict()
    assert five_by_two(pd.DataFrame(RUNS), ZERO).to_dict() == t.to_dict()
    # Runs so far apart that no difference fits them all.
    far = five_by_two(np.add.outer([0, 100, 200, 300, 400], [0.0, 0.1]), ZERO, "f")
    assert (far.low, far.high) == (None, None)
    assert far.note


@pytest.mark.parametrize("method", ["t", "f"])
def test_five_by_two_is_mlxtends(method: str) -> None:
    from mlxtend import evaluate
    from sklearn.datasets import load_iris
    from sklearn.naive_bayes import GaussianNB
    from sklearn.tree import DecisionTreeClassifier

    scores = {GaussianNB: [], DecisionTreeClassifier: []}

    def recorded(model, X, y):
        scores[type(model)].append(model.score(X, y))
        return scores[type(model)][-1]

    test = evaluate.paired_ttest_5x2cv if method == "t" else evaluate.combined_ftest_5x2cv
    X, y = load_iris(return_X_y=True)
    models = GaussianNB(), DecisionTreeClassifier(max_depth=1, random_state=0)
    statistic, p = test(*models, X, y, scoring=recorded, random_seed=1)
    found = five_by_two(*scores.values(), method)
    assert (found.statistic, found.p_value) == pytest.approx((statistic, p))


# --- no spread -------------------------------------------------------------------------------


def test_differences_without_spread() -> None:
    for found in (paired_t(A, A), corrected_t(A, A), five_by_two(A, A), five_by_two(A, A, "f")):
        assert (found.statistic, found.p_value) == (0, 1)
        assert (found.value, found.low, found.high) == (0, 0, 0)
    # In floating point 0.9 - 0.8 and 0.8 - 0.7 are not equal.
    equal = [0.9, 0.8, 0.7], [0.8, 0.7, 0.6]
    made = [test(*each) for test in (paired_t, corrected_t) for each in (equal, ([0.9], [0.8]))]
    made += [five_by_two([2.0] * 10, [1.0] * 10, method) for method in "tf"]
    for found in (*made, corrected_t([0.9], [0.8], 90, 10)):
        assert (found.p_value, found.statistic) == (None, None)
        assert found.why
        json.dumps(found.to_dict(), allow_nan=False)
    assert paired_t(*equal).value == pytest.approx(0.1)
