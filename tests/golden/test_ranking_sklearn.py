"""Numbers from scores against scikit-learn and scipy, on random data of every awkward kind."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import average_precision_score, brier_score_loss, log_loss, roc_auc_score

from tallymark.inference import Losses, Ranking
from tallymark.intake.ranking import count_scores
from tallymark.metrics import ask
from tallymark.tallies import Sums


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


SCORES = ("distinct", "rounded", "two levels", "constant", "float32", "signed zeros", "any real", "votes")


def weights(kind, n, seed):
    generator = np.random.default_rng(seed + 1000)
    return {
        "none": None,
        "whole": generator.integers(1, 5, n),
        "fractions": generator.lognormal(size=n),
        "with zeros": generator.integers(0, 3, n) * 0.5,
    }[kind]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("kind", ["none", "whole", "fractions", "with zeros"])
@pytest.mark.parametrize("score", SCORES)
def test_rankings(score, kind, seed):
    positive, scores = kinds(seed)
    given = scores[score]
    weight = weights(kind, len(positive), seed)
    if weight is not None:
        weight[:2] = 1  # both classes must weigh something
    made = Ranking(count_scores(given, positive, weight=weight))
    exact = {"abs": 1e-15 if weight is None else 1e-12}

    def found(name):
        return made.of(ask(name)).value

    area = roc_auc_score(positive, given, sample_weight=weight)
    assert found("auc") == pytest.approx(area, **exact)
    assert found("gini") == pytest.approx(2 * area - 1, abs=1e-12)
    for limit in (0.05, 0.3, 0.99):
        expected = roc_auc_score(positive, given, sample_weight=weight, max_fpr=limit)
        assert found(f"partial_auc_mcclish:{limit}") == pytest.approx(expected, abs=1e-12)
    expected = average_precision_score(positive, given, sample_weight=weight)
    assert found("average_precision") == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("score", SCORES)
def test_ks_is_the_two_sample_statistic(score, seed):
    positive, scores = kinds(seed)
    given = scores[score] + 0.0
    made = Ranking(count_scores(given, positive))
    # scipy answers in the precision of what it is given.
    exact = given.astype(float)
    expected = stats.ks_2samp(exact[positive], exact[~positive], method="asymp").statistic
    assert made.of(ask("ks")).value == pytest.approx(expected, abs=1e-14)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("kind", ["none", "whole", "fractions"])
@pytest.mark.parametrize("score", ["distinct", "rounded", "constant", "float32"])
def test_losses(score, kind, seed):
    positive, scores = kinds(seed)
    given = np.clip(scores[score].astype(float), 0.01, 0.99)
    weight = weights(kind, len(positive), seed)
    losses = Ranking(count_scores(given, positive, weight=weight)).losses
    expected = brier_score_loss(positive, given, sample_weight=weight)
    assert losses.of(ask("brier")).value == pytest.approx(expected, abs=1e-13)
    expected = log_loss(positive, given, sample_weight=weight)
    assert losses.of(ask("log_loss")).value == pytest.approx(expected, abs=1e-13)


@pytest.mark.parametrize("classes", [3, 7])
def test_losses_of_several_classes(classes):
    generator = np.random.default_rng(classes)
    actual = generator.integers(0, classes, 200)
    table = generator.dirichlet(np.ones(classes), 200)
    losses = Losses(Sums.of_probabilities(table, actual))
    expected = log_loss(actual, table, labels=range(classes))
    assert losses.of(ask("log_loss")).value == pytest.approx(expected)
    distances = np.square(table - np.eye(classes)[actual]).sum(axis=1)
    found = losses.of(ask("brier"))
    assert found.value == pytest.approx(distances.mean())
    assert found.se == pytest.approx(distances.std(ddof=1) / np.sqrt(200))
    assert losses.of(ask("brier_half")).value == pytest.approx(distances.mean() / 2)


def test_the_area_is_that_of_mann_and_whitney():
    positive, scores = kinds(9)
    given = scores["rounded"]
    statistic = stats.mannwhitneyu(given[positive], given[~positive]).statistic
    pairs = positive.sum() * (~positive).sum()
    assert Ranking(count_scores(given, positive)).of(ask("auc")).value == statistic / pairs
