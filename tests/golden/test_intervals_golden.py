"""Intervals against statsmodels and scipy.stats, run in the test."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from tallymark.intervals import binomial, bounds, wilson_bounds, z_quantile

COUNTS = [
    (0, 1),
    (1, 1),
    (0, 20),
    (20, 20),
    (1, 29),
    (4, 10),
    (15, 148),
    (81, 263),
    (999, 1000),
    (70_000, 10**5),
]
LEVELS = [0.8, 0.95, 0.999]
IN_STATSMODELS = {
    "wilson": "wilson",
    "wald": "normal",
    "agresti_coull": "agresti_coull",
    "clopper_pearson": "beta",
    "jeffreys": "jeffreys",
}
IN_SCIPY = {"wilson": "wilson", "wilson_cc": "wilsoncc", "clopper_pearson": "exact"}


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("counts", COUNTS)
@pytest.mark.parametrize("method", IN_STATSMODELS)
def test_statsmodels_gives_the_same_interval(method, counts, level):
    low, high = (
        float(limit) for limit in proportion_confint(*counts, alpha=1 - level, method=IN_STATSMODELS[method])
    )
    # statsmodels leaves Agresti-Coull uncut, and Jeffreys without the ends of Brown, Cai and DasGupta.
    low, high = max(low, 0), min(high, 1)
    if method == "jeffreys":
        low, high = (0 if counts[0] == 0 else low), (1 if counts[0] == counts[1] else high)
    assert bounds(*counts, method, level) == pytest.approx((low, high), rel=1e-10, abs=1e-14)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("counts", COUNTS)
@pytest.mark.parametrize("method", IN_SCIPY)
def test_scipy_gives_the_same_interval(method, counts, level):
    expected = stats.binomtest(*counts).proportion_ci(confidence_level=level, method=IN_SCIPY[method])
    assert bounds(*counts, method, level) == pytest.approx(tuple(expected), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("counts", [(x, n) for x, n in COUNTS if 0 < x < n])
def test_mid_p_leaves_half_the_observed_count_in_each_tail(counts, level):
    successes, n = counts
    low, high = bounds(successes, n, "mid_p", level)
    above = stats.binom.sf(successes, n, low) + stats.binom.pmf(successes, n, low) / 2
    below = stats.binom.cdf(successes, n, high) - stats.binom.pmf(successes, n, high) / 2
    assert (above, below) == pytest.approx(((1 - level) / 2,) * 2, rel=1e-9)


def test_wilson_of_ten_thousand_classes():
    random = np.random.default_rng(11)
    n = random.integers(1, 10**6, 10_000)
    successes = random.integers(0, n + 1)
    low, high = wilson_bounds(successes, n, 0.95)
    expected_low, expected_high = proportion_confint(successes, n, alpha=0.05, method="wilson")
    np.testing.assert_allclose(low, expected_low, rtol=1e-9, atol=1e-15)
    np.testing.assert_allclose(high, expected_high, rtol=1e-12)


@pytest.mark.parametrize("level", [1e-6, 0.1, *LEVELS, 1 - 1e-12])
def test_z_quantile(level):
    assert z_quantile(level) == pytest.approx(stats.norm.isf((1 - level) / 2), rel=1e-9)


@pytest.mark.parametrize(("n", "p"), [(1, 0.5), (50, 0.5), (1000, 0.001), (10**6, 0.3), (10**6, 1 - 1e-6)])
def test_binomial(n, p):
    around = n * p + np.linspace(-5, 5, 41) * np.sqrt(n * p * (1 - p))
    k = np.unique(np.clip(np.round(around), 0, n))
    np.testing.assert_allclose(binomial(n, p).pmf(k), stats.binom.pmf(k, n, p), rtol=1e-9)
    np.testing.assert_allclose(binomial(n, p).cdf(k), stats.binom.cdf(k, n, p), rtol=1e-9)
    assert (binomial(n, p).mean, binomial(n, p).variance) == pytest.approx(stats.binom.stats(n, p), rel=1e-9)
