"""Bayesian comparisons, against baycomp, Student's distribution of scipy and every draw by hand."""

import itertools
import json
import math
from typing import Any

import baycomp
import numpy as np
import pytest
from scipy import stats

import tallymark as tm

bayesian_t, bayesian_signed_rank = tm.tests.bayesian_t, tm.tests.bayesian_signed_rank
RNG = np.random.default_rng(0)
A, B = 0.80 + RNG.normal(0, 0.03, 20), 0.79 + RNG.normal(0, 0.03, 20)
D = A - B


def three(found: Any) -> tuple[float, float, float]:
    return found.worse, found.equivalent, found.better


# --- correlated t ----------------------------------------------------------------------------


def test_the_posterior_is_students() -> None:
    # Corani and Benavoli: rho = 1 / folds per run, scale^2 = s^2 (1/n + rho / (1 - rho)), n - 1 df.
    x = np.linspace(-0.1, 0.1, 7)
    for runs, rope in itertools.product((1, 2, 10), (0.0, 0.01, 0.05)):
        rho = runs / 20
        shape = stats.t(19, D.mean(), math.sqrt(D.var(ddof=1) * (1 / 20 + rho / (1 - rho))))
        found = bayesian_t(A, B, runs=runs, rope=rope)
        expected = shape.cdf(-rope), shape.cdf(rope) - shape.cdf(-rope), shape.sf(rope)
        assert three(found) == pytest.approx(expected, abs=1e-12), (runs, rope)
        assert (found.mean, found.low, found.high) == pytest.approx((D.mean(), *shape.interval(0.95)))
        assert found.density(x) == pytest.approx(shape.pdf(x))
        assert three(bayesian_t(B, A, runs=runs, rope=rope)) == pytest.approx(three(found)[::-1])
        if rope == 0.01:
            theirs = baycomp.two_on_single(B, A, rope=rope, runs=runs)
            assert three(found) == pytest.approx(theirs, abs=1e-12)
    assert three(bayesian_t(A, B, n_train=190, n_test=10)) == pytest.approx(three(bayesian_t(A, B)))
    wider = bayesian_t(A, B, n_train=20, n_test=10)
    assert wider.high - wider.low > bayesian_t(A, B).high - bayesian_t(A, B).low
    # Far apart, the other side keeps its digits.
    d = D * 0.001 + 0.02
    shape = stats.t(19, d.mean(), math.sqrt(d.var(ddof=1) * (1 / 20 + 1 / 19)))
    assert bayesian_t(d, d * 0).worse == pytest.approx(shape.cdf(-0.01), rel=1e-6)
    assert bayesian_t(d * 0, d).better == pytest.approx(shape.cdf(-0.01), rel=1e-6)


def test_differences_without_spread() -> None:
    b = np.array([0.7, 0.8, 0.9])
    expected = dict.fromkeys([(0, 0.01), (0, 0), (0.01, 0.01)], (0, 1, 0))
    expected |= {(0.1, 0.01): (0, 0, 1), (-0.1, 0.01): (1, 0, 0)}
    made = {(shift, rope): bayesian_t(b + shift, b, rope=rope) for shift, rope in expected}
    assert {case: three(found) for case, found in made.items()} == expected
    for (shift, _), found in made.items():
        assert found.curve() is None
        assert found.mean == found.low == found.high == pytest.approx(shift)
        json.dumps(found.to_dict(), allow_nan=False)
    for rope in (0, 0.01):
        found = bayesian_signed_rank(A, A, rope)
        assert (three(found), found.mean, found.low, found.high) == ((0, 1, 0), 0, 0, 0)
        json.dumps(found.to_dict(), allow_nan=False)


# --- signed rank -----------------------------------------------------------------------------


def test_signed_rank_is_baycomps() -> None:
    rng = np.random.default_rng(2)
    many = [rng.normal(middle, 0.05, 60).round(2) for middle in (0.8, 0.795)]
    for rope, (a, b) in itertools.product((0.0, 0.01), [(A[:1], B[:1]), (A[:5], B[:5]), (A, B), many]):
        theirs = baycomp.SignedRankTest(b, a, rope=rope, random_state=1, nsamples=10_000).probs()
        # Shares of 10,000 and 50,000 draws: standard errors up to 0.0055.
        assert three(bayesian_signed_rank(a, b, rope)) == pytest.approx(theirs, abs=0.022), (rope, len(a))


def test_signed_rank_draw_by_draw() -> None:
    """Weights of the regions and medians of the means, pair by pair; on the edge of the rope half counts."""
    n, rope = 40, 0.1
    for decimals, strength in itertools.product((1, 2, 9), (0.0, 0.5)):
        d = np.random.default_rng(decimals).normal(0.02, 0.2, n).round(decimals)
        found = bayesian_signed_rank(d, d * 0, rope, random_state=3, draws=100, prior_strength=strength)
        values, prior = (np.append(0, d), [strength]) if strength else (d, [])
        weights = np.random.default_rng(3).standard_gamma([*prior, *[1] * n], (100, len(values)))
        weights /= weights.sum(axis=1, keepdims=True)
        means = ((values[:, None] + values) / 2).round(12).ravel()
        edge = np.isclose(means, rope, atol=1e-12), np.isclose(means, -rope, atol=1e-12)
        order, medians = np.argsort(means), []
        for draw, row in zip(found.draws, weights, strict=True):
            of_pair = np.outer(row, row).ravel()
            better = of_pair[(means > rope) & ~edge[0]].sum() + of_pair[edge[0]].sum() / 2
            worse = of_pair[(means < -rope) & ~edge[1]].sum() + of_pair[edge[1]].sum() / 2
            assert draw == pytest.approx((worse, 1 - worse - better, better), abs=1e-12)
            medians.append(means[order][np.searchsorted(np.cumsum(of_pair[order]), 0.5)])
        assert found.mean == pytest.approx(np.mean(medians), abs=1e-9)
        assert (found.low, found.high) == pytest.approx(tuple(np.quantile(medians, [0.025, 0.975])), abs=1e-9)


def test_signed_rank_in_small_cases() -> None:
    # One data set, no prior: all weight is on its difference.
    alone = bayesian_signed_rank([0.9], [0.8], prior_strength=0)
    assert (three(alone), alone.mean) == ((0, 0, 1), pytest.approx(0.1))
    assert alone.note
    assert bayesian_signed_rank(A, B).note is None
    # Every difference is 0.01, the edge: half of each mean of two is above, half within.
    edge = bayesian_signed_rank([0.81, 0.71, 0.91], [0.80, 0.70, 0.90], prior_strength=0)
    assert edge.draws == pytest.approx(np.tile([0, 0.5, 0.5], (50_000, 1)))
    assert three(edge) == (0, 0.5, 0.5)
    assert three(bayesian_signed_rank(B, A)) == pytest.approx(three(bayesian_signed_rank(A, B))[::-1])


def test_the_seed_decides() -> None:
    once, again = bayesian_signed_rank(A, B), bayesian_signed_rank(A, B)
    assert once.to_dict() == again.to_dict()
    assert bayesian_signed_rank(A, B, random_state=1).worse != once.worse
    assert bayesian_signed_rank(A, B, random_state=None).worse == pytest.approx(once.worse, abs=0.015)


def test_the_curve_is_a_density() -> None:
    for found in (bayesian_t(A, B), bayesian_signed_rank(A, B)):
        x, density = found.curve()
        assert np.trapezoid(density, x) == pytest.approx(1, abs=0.005)
        assert x[0] <= -0.01 < 0.01 <= x[-1]
        assert x[0] < found.low < found.high < x[-1]
        assert sum(three(found)) == pytest.approx(1)
