"""How often the bands of curves hold the truth and their tests reject it, over many drawn samples."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
import pytest

import coverage_calibration as bench
import tallymark as tm

NORMAL = NormalDist()
SAMPLES = 300


def scored(score, positive, **options):
    return tm.evaluate(np.asarray(positive).astype(int), y_score=score, labels=[0, 1], **options)


def five_errors(rate, samples=SAMPLES):
    return 5 * math.sqrt(rate * (1 - rate) / samples)


# --- ROC ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("size", "separation"), [(30, 1.0), (100, 1.5), (100, 0.5)])
def test_the_roc_band_at_a_fixed_rate(size, separation):
    """Scores of two normal distributions: the true curve is TPR = Phi(d + Phi^-1(FPR))."""
    rng = np.random.default_rng(20)
    rates = np.array([0.05, 0.2, 0.5, 0.8])
    truth = np.array([NORMAL.cdf(separation + NORMAL.inv_cdf(rate)) for rate in rates])
    held = np.zeros(len(rates))
    times, positive = 400, np.arange(2 * size) < size
    for _ in range(times):
        score = rng.normal(size=2 * size) + separation * positive
        low, high = scored(score, positive).roc.band(0.9).at(rates)
        held += (low <= truth) & (truth <= high)
    # It may hold more often than promised, because neighbouring rectangles help; three deviations allowed.
    assert (held / times > 0.9 - 3 * math.sqrt(0.09 / times)).all()


# --- rejection ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("theta", [0.0, 0.5, 0.9])
def test_the_rejection_band(theta):
    """Right with probability (1 + margin) / 2: above theta that is halfway between theta and 1 on average."""
    truth, held = (3 + theta) / 4, 0
    for seed in range(400):
        rng = np.random.default_rng(seed)
        margin = rng.random(100)
        right = rng.random(100) < (1 + margin) / 2
        at = scored(margin, right, threshold=0.0).rejection.at(theta=theta)
        held += at.low is not None and at.high is not None and at.low <= truth <= at.high
    # 0.95 less or more than three standard errors of 400 samples.
    assert 0.917 <= held / 400 <= 0.983


def test_the_rejection_band_when_rows_belong_together():
    """Groups of 20 rows that are all right or wrong with a probability of their own, 0.8 in the mean."""
    held, naive = 0, 0
    for seed in range(400):
        rng = np.random.default_rng(seed)
        group = np.repeat(np.arange(30), 20)
        right = rng.random(600) < rng.beta(4, 1, 30)[group]
        margin = rng.random(600)
        for groups in (group, None):
            at = scored(margin, right, threshold=0.0, groups=groups).rejection.at(theta=0.25)
            inside = at.low is not None and at.high is not None and at.low <= 0.8 <= at.high
            held, naive = held + (inside and groups is not None), naive + (inside and groups is None)
    assert 0.917 <= held / 400 <= 0.983
    assert naive / 400 < 0.8


# --- decision curve ----------------------------------------------------------------------------------


@pytest.mark.parametrize("threshold", [0.2, 0.5, 0.8])
def test_the_interval_of_a_net_benefit(threshold):
    """Of 100 uniform scores s >= t, (1 - t^2) / 2 of all rows are positive and (1 - t)^2 / 2 negative."""
    truth = (1 - threshold**2) / 2 - (1 - threshold) ** 2 / 2 * threshold / (1 - threshold)
    rng = np.random.default_rng(11)
    held = 0
    for _ in range(500):
        score = rng.random(100)
        low, high = scored(score, rng.random(100) < score).decision_curve.interval(threshold)
        held += low <= truth <= high
    assert 0.92 < held / 500 < 0.99


def test_a_model_that_knows_nothing_is_rarely_sure():
    """Acting on some at random is never better than the better of all and none."""
    rng = np.random.default_rng(5)
    found = [
        any(low <= 0.3 <= high for low, high in scored(rng.random(300), y).decision_curve.sure)
        for y in rng.random((300, 300)) < 0.3
    ]
    assert np.mean(found) <= 0.03


# --- calibration -------------------------------------------------------------------------------------


@pytest.mark.parametrize("rows", [200, 1000])
@pytest.mark.parametrize("slope", [1.0, 0.7, 0.5])
def test_without_chance_the_errors_are_nearer_to_the_true_ones(rows, slope):
    design = bench.Design(rows, slope=slope)
    found, (ece, mce) = bench.study(design, 100), bench.true_errors(design)
    assert abs(found.debiased_ece - ece) < 0.4 * (found.ece - ece) + 0.01
    assert abs(found.debiased_mce - mce) < 0.75 * (found.mce - mce)


@pytest.mark.parametrize(
    "design",
    [
        bench.Design(50),
        bench.Design(1000, strategy="mass"),
        bench.Design(200, (0.2, 0.2)),
        bench.Design(1000, (0.5, 30.0)),
        bench.Design(300, weighted=True),
        bench.Design(600, groups=30),
    ],
    ids=str,
)
def test_right_probabilities_are_rarely_rejected_and_their_intervals_hold(design):
    found = bench.study(design, SAMPLES)
    assert found.rejected <= 0.05 + five_errors(0.05)
    assert found.warned <= 0.01 + five_errors(0.01)
    # The bins of a sample are nearly independent, so this is far more than so many.
    assert found.coverage >= 0.95 - five_errors(0.05)


def test_rows_of_a_group_break_what_takes_them_for_independent():
    design, generator = bench.Design(1000, groups=50), np.random.default_rng(0)
    alone = [design.draw(generator).scores.evaluate().calibration.test.p_value < 0.05 for _ in range(100)]
    assert np.mean(alone) > 0.15
    assert bench.study(design, 100).rejected <= 0.05 + five_errors(0.05, 100)


def test_wrong_probabilities_are_found():
    found = bench.study(bench.Design(1000, slope=0.6), 50)
    assert found.rejected == 1
    assert found.warned > 0.9


def test_what_platt_gains_is_held():
    assert bench.gains(bench.Design(300, slope=0.6), 200) >= 0.95 - five_errors(0.95, 200)
