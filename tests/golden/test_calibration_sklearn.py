"""Calibration against scikit-learn, on random data with and without ties and weights."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.calibration import calibration_curve
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import brier_score_loss, log_loss

from tallymark.curves.calibration.curve import Calibration
from tallymark.inference.recalibration.fits import Isotonic, Platt, Rows, Scale
from tallymark.inference.recalibration.gain import folds_of, recalibration
from tallymark.intake.ranking import count_scores


def rows(seed, n=250):
    generator = np.random.default_rng(seed)
    score = generator.beta(0.7, 1.3, n)
    if seed % 2:
        score = score.round(1 + seed % 3)
    return score, generator.random(n) < score**1.5


def weights(kind, n, seed):
    generator = np.random.default_rng(100 + seed)
    return {"none": None, "whole": generator.integers(1, 5, n), "fractions": generator.random(n) + 0.1}[kind]


def counted(score, y, weight=None):
    t = count_scores(score, y, weight=weight)
    return t, Rows(t.score, t.positives, t.negatives, t.effective)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("n_bins", [1, 5, 10, 17])
@pytest.mark.parametrize(("ours", "theirs"), [("width", "uniform"), ("mass", "quantile")])
def test_curves(seed, n_bins, ours, theirs):
    score, y = rows(seed)
    observed, predicted = calibration_curve(y, score, n_bins=n_bins, strategy=theirs)
    curve = Calibration(count_scores(score, y), n_bins, ours)
    assert curve.observed == pytest.approx(observed, abs=1e-14)
    assert curve.predicted == pytest.approx(predicted, abs=1e-14)
    if ours == "mass":
        assert curve.edges.tolist() == np.percentile(score, np.linspace(0, 1, n_bins + 1) * 100).tolist()


@pytest.mark.parametrize("kind", ["none", "whole", "fractions"])
@pytest.mark.parametrize("n_bins", [3, 10])
def test_brier_and_its_parts(kind, n_bins):
    score, y = rows(4)
    weight = weights(kind, len(y), 0)
    curve = Calibration(count_scores(score, y, weight=weight), n_bins)
    expected = brier_score_loss(y, score, sample_weight=weight)
    assert curve.brier == pytest.approx(expected, abs=1e-14)
    assert curve.decomposition.brier == pytest.approx(expected, abs=1e-14)
    assert curve.log_loss == pytest.approx(log_loss(y, score, sample_weight=weight))


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("kind", ["none", "whole", "fractions"])
def test_isotonic(seed, kind):
    score, y = rows(seed)
    weight = weights(kind, len(y), seed)
    theirs = IsotonicRegression(y_min=0, y_max=1, out_of_bounds="clip").fit(score, y, sample_weight=weight)
    asked = np.linspace(0, 1, 1001)
    assert Isotonic.fit(counted(score, y, weight)[1])(asked) == pytest.approx(theirs.predict(asked), abs=1e-9)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("kind", ["none", "fractions"])
@pytest.mark.parametrize("raw", [False, True])
def test_platt(seed, kind, raw):
    score, y = rows(seed)
    score = 40 * (score - 0.2) if raw else score
    weight = weights(kind, len(y), seed)
    t, given = counted(score, y, weight)
    scale = Scale.of(t)
    fitted = Platt.fit(given, scale)
    # Platt's targets as two weighted rows each: one that came true, one that did not.
    up, down = t.effective
    target, each = np.where(y, (up + 1) / (up + 2), 1 / (down + 2)), 1 if weight is None else weight
    x, ones = np.concatenate([scale(score)] * 2)[:, None], np.repeat([1, 0], len(y))
    theirs = LogisticRegression(C=np.inf, tol=1e-10, max_iter=1000)
    theirs.fit(x, ones, sample_weight=np.concatenate([each * target, each * (1 - target)]))
    assert fitted.slope == pytest.approx(theirs.coef_.item(), rel=1e-4)
    assert fitted.intercept == pytest.approx(theirs.intercept_.item(), rel=1e-4, abs=1e-4)


def test_cross_fitted_losses():
    score, y = rows(2)
    t = count_scores(score, y)
    assert len(t.score) == len(y)  # so that the folds of rows can be read off those of scores
    folds = folds_of(t, 5, seed=3)
    after = np.empty(len(y))
    for fold in folds:
        here = np.isin(score, fold.score)
        theirs = IsotonicRegression(y_min=0, y_max=1, out_of_bounds="clip").fit(score[~here], y[~here])
        after[here] = theirs.predict(score[here])
    found = recalibration(folds).isotonic.brier
    assert found.before == pytest.approx(brier_score_loss(y, score))
    assert found.after == pytest.approx(brier_score_loss(y, after))
    gains = (score - y) ** 2 - (after - y) ** 2
    assert found.gain.value == pytest.approx(gains.mean())
    assert found.gain.se == pytest.approx(gains.std(ddof=1) / np.sqrt(len(y)))
