"""Bayesian comparisons, against baycomp, Student's distribution of scipy and what must be so."""

from __future__ import annotations

import json
import math

import baycomp
import numpy as np
import pytest
from scipy import stats

from tallymark.errors import OptionError, ShapeError
from tallymark.tests.bayes import bayesian_signed_rank, bayesian_t

RNG = np.random.default_rng(0)
A, B = 0.80 + RNG.normal(0, 0.03, 20), 0.79 + RNG.normal(0, 0.03, 20)


def three(found):
    return found.worse, found.equivalent, found.better


# --- correlated t -------------------------------------------------------------------------------


@pytest.mark.parametrize("runs", [1, 2, 10])
@pytest.mark.parametrize("rope", [0.0, 0.01, 0.05])
def test_the_posterior_is_students(runs, rope):
    # Corani and Benavoli: rho = 1 / folds per run, scale^2 = s^2 (1/n + rho / (1 - rho)), n - 1 df.
    d, rho = A - B, runs / 20
    shape = stats.t(19, d.mean(), math.sqrt(d.var(ddof=1) * (1 / 20 + rho / (1 - rho))))
    found = bayesian_t(A, B, runs=runs, rope=rope)
    expected = shape.cdf(-rope), shape.cdf(rope) - shape.cdf(-rope), shape.sf(rope)
    assert three(found) == pytest.approx(expected, abs=1e-12)
    assert (found.mean, found.low, found.high) == pytest.approx((d.mean(), *shape.interval(0.95)))
    x = np.linspace(-0.1, 0.1, 7)
    assert found.density(x) == pytest.approx(shape.pdf(x))


def test_correlated_t_of_baycomp():
    for runs in (1, 4):
        theirs = baycomp.two_on_single(B, A, rope=0.01, runs=runs)
        assert three(bayesian_t(A, B, runs=runs)) == pytest.approx(theirs, abs=1e-12)


def test_stated_sizes():
    assert three(bayesian_t(A, B, n_train=190, n_test=10)) == pytest.approx(three(bayesian_t(A, B)))
    wider = bayesian_t(A, B, n_train=20, n_test=10)
    assert wider.high - wider.low > bayesian_t(A, B).high - bayesian_t(A, B).low


def test_the_other_way_round():
    assert three(bayesian_t(B, A)) == pytest.approx(three(bayesian_t(A, B))[::-1])


def test_far_apart_the_other_side_keeps_its_digits():
    d = (A - B) * 0.001 + 0.02
    shape = stats.t(19, d.mean(), math.sqrt(d.var(ddof=1) * (1 / 20 + 1 / 19)))
    assert bayesian_t(d, d * 0).worse == pytest.approx(shape.cdf(-0.01), rel=1e-6)
    assert bayesian_t(d * 0, d).better == pytest.approx(shape.cdf(-0.01), rel=1e-6)


@pytest.mark.parametrize(
    ("shift", "rope", "expected"),
    [
        (0, 0.01, (0, 1, 0)),
        (0, 0, (0, 1, 0)),
        (0.01, 0.01, (0, 1, 0)),
        (0.1, 0.01, (0, 0, 1)),
        (-0.1, 0.01, (1, 0, 0)),
    ],
)
def test_differences_without_spread(shift, rope, expected):
    b = np.array([0.7, 0.8, 0.9])
    found = bayesian_t(b + shift, b, rope=rope)
    assert three(found) == expected
    assert found.curve() is None
    assert found.mean == found.low == found.high == pytest.approx(shift)
    json.dumps(found.to_dict(), allow_nan=False)


def test_correlated_t_refuses():
    with pytest.raises(ShapeError, match="one fold does not show how much folds vary"):
        bayesian_t([0.9], [0.8])
    with pytest.raises(OptionError, match="rope must be 0 or more; got -1"):
        bayesian_t(A, B, rope=-1)
    with pytest.raises(OptionError, match="20 scores are not 3 runs"):
        bayesian_t(A, B, runs=3)
    with pytest.raises(ShapeError, match="belong together"):
        bayesian_t(A, B[:5])


# --- signed rank --------------------------------------------------------------------------------


@pytest.mark.parametrize("rope", [0.0, 0.01])
@pytest.mark.parametrize("n", [1, 5, 20])
def test_signed_rank_of_baycomp(rope, n):
    posterior = baycomp.SignedRankTest(B[:n], A[:n], rope=rope, random_state=1, nsamples=20_000)
    # Shares of 20,000 and 50,000 draws: standard errors up to 0.0042.
    assert three(bayesian_signed_rank(A[:n], B[:n], rope)) == pytest.approx(posterior.probs(), abs=0.017)


def test_signed_rank_draw_by_draw():
    """The weights of the regions and the median of the means in every draw, pair by pair."""
    found = bayesian_signed_rank(A[:4], B[:4], random_state=3, draws=100)
    weights = np.random.default_rng(3).standard_gamma([0.5, 1, 1, 1, 1], (100, 5))
    weights /= weights.sum(axis=1, keepdims=True)
    d = np.append(0, A[:4] - B[:4])
    medians = []
    for draw, row in zip(found.draws, weights, strict=True):
        region = np.zeros(3)
        pairs = [
            ((x + y) / 2, u * v) for x, u in zip(d, row, strict=True) for y, v in zip(d, row, strict=True)
        ]
        for mean, weight in pairs:
            region[0 if mean < -0.01 else 2 if mean > 0.01 else 1] += weight
        assert draw == pytest.approx(region)
        below = 0.0
        for mean, weight in sorted(pairs):
            below += weight
            if below >= 0.5:
                medians.append(mean)
                break
    assert found.mean == pytest.approx(np.mean(medians))
    assert (found.low, found.high) == pytest.approx(tuple(np.quantile(medians, [0.025, 0.975])))


def test_without_a_prior():
    # One data set, no prior: all weight is on its difference.
    assert three(bayesian_signed_rank([0.9], [0.8], prior_strength=0)) == (0, 0, 1)
    assert bayesian_signed_rank([0.9], [0.8], prior_strength=0).mean == pytest.approx(0.1)


def test_the_seed():
    once, again = bayesian_signed_rank(A, B), bayesian_signed_rank(A, B)
    assert once.to_dict() == again.to_dict()
    assert bayesian_signed_rank(A, B, random_state=1).worse != once.worse
    assert bayesian_signed_rank(A, B, random_state=None).worse == pytest.approx(once.worse, abs=0.015)


@pytest.mark.parametrize("rope", [0, 0.01])
def test_models_that_never_differ(rope):
    found = bayesian_signed_rank(A, A, rope)
    assert three(found) == (0, 1, 0)
    assert (found.mean, found.low, found.high) == (0, 0, 0)
    json.dumps(found.to_dict(), allow_nan=False)


def test_the_edge_of_the_rope_counts_half():
    # Every difference is 0.01, the edge: half of each mean of two is above, half within.
    found = bayesian_signed_rank([0.81, 0.71, 0.91], [0.80, 0.70, 0.90], prior_strength=0)
    assert found.draws == pytest.approx(np.tile([0, 0.5, 0.5], (50_000, 1)))
    assert three(found) == (0, 0.5, 0.5)


def test_signed_rank_the_other_way_round():
    assert three(bayesian_signed_rank(B, A)) == pytest.approx(three(bayesian_signed_rank(A, B))[::-1])


@pytest.mark.parametrize("found", [bayesian_t(A, B), bayesian_signed_rank(A, B)], ids=["t", "signed-rank"])
def test_the_curve_is_a_density(found):
    x, density = found.curve()
    assert np.trapezoid(density, x) == pytest.approx(1, abs=0.005)
    assert x[0] <= -0.01 < 0.01 <= x[-1]
    assert x[0] < found.low < found.high < x[-1]
    assert sum(three(found)) == pytest.approx(1)


def test_words():
    assert str(bayesian_t([0.9, 0.8], [0.8, 0.7])) == (
        "Bayesian correlated t: P(worse) = 0.000, P(equivalent) = 0.000, P(better) = 1.000 (rope 0.010)"
    )


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"draws": 10}, "draws must be a whole number from 100 up; got 10"),
        ({"draws": 1000.5}, "draws must be a whole number"),
        ({"random_state": -1}, "random_state must be a whole number from 0 up; got -1"),
        ({"prior_strength": -1}, "prior_strength must be 0 or more; got -1"),
        ({"rope": -0.1}, "rope must be 0 or more"),
        ({"rope": None}, "rope must be a number"),
    ],
)
def test_options(options, said):
    with pytest.raises(OptionError, match=said):
        bayesian_signed_rank(A, B, **options)


def test_too_many_data_sets():
    with pytest.raises(OptionError, match=r"up to 1,000 of them; got 1,001. Hint: wilcoxon takes any number"):
        bayesian_signed_rank(np.arange(1001), np.arange(1001))
