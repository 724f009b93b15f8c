"""Calibration against scikit-learn, on random data with and without ties and weights."""

from itertools import product

import numpy as np
import pytest
from sklearn.calibration import calibration_curve
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import brier_score_loss, log_loss

import tallymark as tm
from collected import each

WEIGHTS = ("none", "whole", "fractions")


def rows(seed, n=250):
    generator = np.random.default_rng(seed)
    score = generator.beta(0.7, 1.3, n)
    if seed % 2:
        score = score.round(1 + seed % 3)
    return score, generator.random(n) < score**1.5


def weights(kind, n, seed=0):
    generator = np.random.default_rng(100 + seed)
    return {"none": None, "whole": generator.integers(1, 5, n), "fractions": generator.random(n) + 0.1}[kind]


def evaluated(score, y, weight=None, **options):
    return tm.evaluate(y.astype(int), y_score=score, labels=[0, 1], sample_weight=weight, **options)


@each("seed", range(8))
def test_curves(seed):
    score, y = rows(seed)
    ev = evaluated(score, y)
    for n_bins, (ours, theirs) in product([1, 5, 10, 17], [("width", "uniform"), ("mass", "quantile")]):
        observed, predicted = calibration_curve(y, score, n_bins=n_bins, strategy=theirs)
        curve = ev.calibration_as(n_bins, ours)
        assert curve.observed == pytest.approx(observed, abs=1e-14)
        assert curve.predicted == pytest.approx(predicted, abs=1e-14)
        if ours == "mass":
            expected = np.percentile(score, np.linspace(0, 1, n_bins + 1) * 100)
            assert curve.edges.tolist() == expected.tolist()


@each("kind, n_bins", product(WEIGHTS, [3, 10]))
def test_brier_and_its_parts(kind, n_bins):
    score, y = rows(4)
    weight = weights(kind, len(y))
    curve = evaluated(score, y, weight).calibration_as(n_bins)
    expected = brier_score_loss(y, score, sample_weight=weight)
    assert curve.brier == pytest.approx(expected, abs=1e-14)
    assert curve.decomposition.brier == pytest.approx(expected, abs=1e-14)
    assert curve.log_loss == pytest.approx(log_loss(y, score, sample_weight=weight))


@each("seed, kind", product(range(6), WEIGHTS))
def test_isotonic_regression_on_folds(seed, kind):
    """Five groups are five folds, which scikit-learn can be given too."""
    score, y = rows(seed)
    weight, fold = weights(kind, len(y), seed), np.arange(len(y)) % 5
    each_weight = np.ones(len(y)) if weight is None else weight
    after = np.empty(len(y))
    for here in (fold == number for number in range(5)):
        fitted = IsotonicRegression(y_min=0, y_max=1, out_of_bounds="clip")
        fitted.fit(score[~here], y[~here], sample_weight=each_weight[~here])
        after[here] = fitted.predict(score[here])
    found = evaluated(score, y, weight, groups=fold).recalibration.isotonic.brier
    assert found.before == pytest.approx(brier_score_loss(y, score, sample_weight=weight))
    assert found.after == pytest.approx(brier_score_loss(y, after, sample_weight=weight))
    gains = (score - y) ** 2 - (after - y) ** 2
    mean = np.average(gains, weights=each_weight)
    assert found.gain.value == pytest.approx(mean)
    sums = np.bincount(fold, each_weight * (gains - mean))
    assert found.gain.se == pytest.approx(np.sqrt(5 / 4 * (sums**2).sum()) / each_weight.sum())


@each("seed, kind, raw", product(range(4), ["none", "fractions"], [False, True]))
def test_platt_scaling(seed, kind, raw):
    score, y = rows(seed)
    score = 40 * (score - 0.2) if raw else score
    weight = weights(kind, len(y), seed)
    each_weight = np.ones(len(y)) if weight is None else weight
    fitted = evaluated(score, y, weight).recalibration.platt
    x = score
    if not raw:
        # The logit of 0 and of 1 is taken half as far from the end as that of the next score.
        inner = score[(score > 0) & (score < 1)]
        kept = np.clip(score, inner.min() / 2, 1 - (1 - inner.max()) / 2)
        x = np.log(kept / (1 - kept))
    # Platt's targets as two weighted rows each, one of either class; rows count by Kish's effective size.
    up, down = (each_weight[side].sum() ** 2 / (each_weight[side] ** 2).sum() for side in (y, ~y))
    target = np.where(y, (up + 1) / (up + 2), 1 / (down + 2))
    both, ones = np.concatenate([x, x])[:, None], np.repeat([1, 0], len(y))
    theirs = LogisticRegression(C=np.inf, tol=1e-10, max_iter=1000)
    theirs.fit(both, ones, sample_weight=np.concatenate([each_weight * target, each_weight * (1 - target)]))
    assert fitted.slope == pytest.approx(theirs.coef_.item(), rel=1e-4)
    assert fitted.intercept == pytest.approx(theirs.intercept_.item(), rel=1e-4, abs=1e-4)
