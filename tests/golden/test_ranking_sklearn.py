"""Metrics of scores against scikit-learn and scipy, on random data of every awkward kind."""

from itertools import product

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import average_precision_score, brier_score_loss, log_loss, roc_auc_score

import tallymark as tm
from collected import each

SCORES = ("distinct", "rounded", "two levels", "constant", "float32", "signed zeros", "any real", "votes")


def kinds(seed):
    """Scores of every awkward kind, by name."""
    generator = np.random.default_rng(seed)
    n = int(generator.integers(20, 400))
    positive = generator.random(n) < generator.uniform(0.05, 0.95)
    positive[:2] = True, False
    smooth = 1 / (1 + np.exp(-generator.normal(size=n) - positive))
    return positive, {
        "distinct": smooth,
        "rounded": np.round(smooth, 1),
        "two levels": (smooth > 0.5).astype(float),
        "constant": np.full(n, 0.25),
        "float32": smooth.astype(np.float32),
        "signed zeros": np.where(generator.random(n) < 0.5, -0.0, np.round(smooth)),
        "any real": generator.normal(size=n) * 1e6,
        "votes": generator.integers(0, 6, n).astype(float),
    }


def weights(kind, n, seed):
    generator = np.random.default_rng(seed + 1000)
    made = {"whole": generator.integers(1, 5, n), "fractions": generator.lognormal(size=n)}
    weight = made.get(kind, generator.integers(0, 3, n) * 0.5)
    weight[:2] = 1  # both classes must weigh something
    return None if kind == "none" else weight


def evaluated(positive, score, weight=None):
    return tm.evaluate(positive.astype(int), y_score=score, labels=[0, 1], sample_weight=weight)


@each("score, kind, seed", product(SCORES, ["none", "whole", "fractions", "with zeros"], range(4)))
def test_rankings(score, kind, seed):
    positive, scores = kinds(seed)
    given = scores[score]
    weight = weights(kind, len(positive), seed)
    ev = evaluated(positive, given, weight)
    area = roc_auc_score(positive, given, sample_weight=weight)
    assert ev["auc"].value == pytest.approx(area, abs=1e-15 if weight is None else 1e-12)
    assert ev["gini"].value == pytest.approx(2 * area - 1, abs=1e-12)
    for limit in (0.05, 0.3, 0.99):
        expected = roc_auc_score(positive, given, sample_weight=weight, max_fpr=limit)
        assert ev[f"partial_auc_mcclish:{limit}"].value == pytest.approx(expected, abs=1e-12)
    expected = average_precision_score(positive, given, sample_weight=weight)
    assert ev["average_precision"].value == pytest.approx(expected, abs=1e-12)


@each("score, seed", product(SCORES, range(4)))
def test_ks_and_area_are_the_statistics_of_two_samples(score, seed):
    positive, scores = kinds(seed)
    ev = evaluated(positive, scores[score])
    # scipy answers in the precision of what it is given.
    up, down = ((scores[score] + 0.0).astype(float)[side] for side in (positive, ~positive))
    expected = stats.ks_2samp(up, down, method="asymp").statistic
    assert ev["ks"].value == pytest.approx(expected, abs=1e-14)
    assert ev["auc"].value == stats.mannwhitneyu(up, down).statistic / (len(up) * len(down))


@each("score, kind, seed", product(SCORES[:5], ["none", "whole", "fractions"], range(4)))
def test_losses(score, kind, seed):
    positive, scores = kinds(seed)
    given = np.clip(scores[score].astype(float), 0.01, 0.99)
    weight = weights(kind, len(positive), seed)
    ev = evaluated(positive, given, weight)
    expected = brier_score_loss(positive, given, sample_weight=weight)
    assert ev["brier"].value == pytest.approx(expected, abs=1e-13)
    expected = log_loss(positive, given, sample_weight=weight)
    assert ev["log_loss"].value == pytest.approx(expected, abs=1e-13)
