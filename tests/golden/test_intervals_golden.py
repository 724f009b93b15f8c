"""Intervals of proportions against statsmodels and scipy, run in the test."""

from itertools import product

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

import tallymark as tm
from collected import each
from formulas import ends, width

COUNTS = [(0, 1), (1, 1), (0, 20), (20, 20), (1, 29), (4, 10), (15, 148)]
COUNTS += [(81, 263), (999, 1000), (70_000, 10**5)]
LEVELS = [0.8, 0.95, 0.999]
IN_STATSMODELS = {
    "wilson": "wilson", "wald": "normal", "agresti_coull": "agresti_coull", "clopper_pearson": "beta",
    "jeffreys": "jeffreys",
}  # fmt: skip
IN_SCIPY = {"wilson": "wilson", "wilson_cc": "wilsoncc", "clopper_pearson": "exact"}


def bounds(counts, method, level):
    return ends(tm.interval(*counts, method=method, confidence_level=level))


@each("method, counts, level", product(IN_STATSMODELS, COUNTS, LEVELS))
def test_statsmodels_gives_the_same_interval(method, counts, level):
    theirs = proportion_confint(*counts, alpha=1 - level, method=IN_STATSMODELS[method])
    # statsmodels leaves Agresti-Coull uncut, and Jeffreys without the ends of Brown, Cai and DasGupta.
    low, high = max(float(theirs[0]), 0), min(float(theirs[1]), 1)
    if method == "jeffreys":
        low, high = (0 if counts[0] == 0 else low), (1 if counts[0] == counts[1] else high)
    assert bounds(counts, method, level) == pytest.approx((low, high), rel=1e-10, abs=1e-14)


@each("method, counts, level", product(IN_SCIPY, COUNTS, LEVELS))
def test_scipy_gives_the_same_interval(method, counts, level):
    expected = stats.binomtest(*counts).proportion_ci(confidence_level=level, method=IN_SCIPY[method])
    assert bounds(counts, method, level) == pytest.approx(tuple(expected), rel=1e-9, abs=1e-12)


@each("counts, level", product([(x, n) for x, n in COUNTS if 0 < x < n], LEVELS))
def test_mid_p_leaves_half_the_observed_count_in_each_tail(counts, level):
    low, high = bounds(counts, "mid_p", level)
    above = stats.binom.sf(*counts, low) + stats.binom.pmf(*counts, low) / 2
    below = stats.binom.cdf(*counts, high) - stats.binom.pmf(*counts, high) / 2
    assert (above, below) == pytest.approx(((1 - level) / 2,) * 2, rel=1e-9)


def test_wilson_of_many_classes_at_once():
    random = np.random.default_rng(11)
    n = random.integers(1, 10**6, 300)
    hits = random.integers(0, n + 1)
    matrix = np.diag(hits)
    matrix[np.arange(300), np.arange(300) - 1] += n - hits
    ev = tm.Confusion(matrix).evaluate()
    found = np.array([ends(result["recall"]) for result in ev.per_class.values()])
    low, high = proportion_confint(hits, n, alpha=0.05, method="wilson")
    np.testing.assert_allclose(found[:, 0], low, rtol=1e-9, atol=1e-15)
    np.testing.assert_allclose(found[:, 1], high, rtol=1e-12)


@each("level", [1e-6, 0.1, *LEVELS, 1 - 1e-12])
def test_the_z_of_every_level(level):
    # Wald's half width for 2 of 4 is z / 4, for 50 of 100 z / 20.
    n = 4 if level < 0.95 else 100
    found = tm.interval(n // 2, n, method="wald", confidence_level=level)
    assert width(found) * n**0.5 == pytest.approx(stats.norm.isf((1 - level) / 2), rel=1e-8)


@each("n, p", [(1, 0.5), (50, 0.5), (1000, 0.001), (10**6, 0.3), (10**6, 1 - 1e-6)])
def test_binomial(n, p):
    around = n * p + np.linspace(-5, 5, 41) * np.sqrt(n * p * (1 - p))
    k = np.unique(np.clip(np.round(around), 0, n))
    found = tm.binomial(n, p)
    np.testing.assert_allclose(found.pmf(k), stats.binom.pmf(k, n, p), rtol=1e-9)
    np.testing.assert_allclose(found.cdf(k), stats.binom.cdf(k, n, p), rtol=1e-9)
    assert (found.mean, found.variance) == pytest.approx(stats.binom.stats(n, p), rel=1e-9)
