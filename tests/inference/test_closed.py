from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats.contingency import relative_risk
from statsmodels.stats.contingency_tables import Table2x2
from statsmodels.stats.proportion import proportion_confint

from tallymark.inference import Sample, closed
from tallymark.metrics import ask
from tallymark.tallies import Binary, Confusion

Z = 1.959963984540054
RATIOS = ("lr_plus", "lr_minus", "diagnostic_odds_ratio")
TABLES = [Binary(tp=670, fn=74, fp=202, tn=640), Binary(tp=32, fn=3, fp=49, tn=28), Binary(5, 1, 2, 9)]


def test_jaccard_is_the_share_of_hits_among_the_rows_that_matter():
    # 30 hits among 30 + 10 + 5 rows; the 955 true negatives say nothing.
    expected = proportion_confint(30, 45, method="wilson")
    assert closed.jaccard(Binary(tp=30, fn=10, fp=5, tn=955), 0.95) == pytest.approx(expected, rel=1e-12)


def test_f1_carries_the_jaccard_limits_over():
    low, high = proportion_confint(30, 45, alpha=0.1, method="wilson")
    expected = (2 * low / (1 + low), 2 * high / (1 + high))
    assert closed.f1(Binary(tp=30, fn=10, fp=5, tn=955), 0.9) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("tally", [Binary(20, 0, 0, 30), Binary(0, 5, 5, 40)])
def test_f1_has_width_where_the_bootstrap_has_none(tally):
    low, high = closed.f1(tally, 0.95)
    assert 0 <= low < high <= 1
    assert high - low > 0.05


@pytest.mark.parametrize("level", [0.9, 0.95, 0.99])
@pytest.mark.parametrize("tally", TABLES)
def test_odds_ratio_equals_statsmodels(tally, level):
    peer = Table2x2(np.array([[tally.tp, tally.fn], [tally.fp, tally.tn]]))
    expected = peer.oddsratio_confint(1 - level, method="normal")
    assert closed.log_scale("diagnostic_odds_ratio", tally, level) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("level", [0.9, 0.95, 0.99])
@pytest.mark.parametrize("tally", TABLES)
def test_likelihood_ratios_equal_the_relative_risks_of_scipy(tally, level):
    positives, negatives = tally.tp + tally.fn, tally.fp + tally.tn
    plus = relative_risk(tally.tp, positives, tally.fp, negatives).confidence_interval(level)
    minus = relative_risk(tally.fn, positives, tally.tn, negatives).confidence_interval(level)
    assert closed.log_scale("lr_plus", tally, level) == pytest.approx((plus.low, plus.high), rel=1e-9)
    assert closed.log_scale("lr_minus", tally, level) == pytest.approx((minus.low, minus.high), rel=1e-9)


def test_lr_plus_as_published():
    # R package epiR, epi.tests, example 1 (Scott et al. 2008, Table 1): 3.75 (95 % CI 3.32 to 4.24).
    low, high = closed.log_scale("lr_plus", Binary(tp=670, fn=74, fp=202, tn=640), 0.95)
    assert (round(low, 2), round(high, 2)) == (3.32, 4.24)


def test_lr_minus_by_the_formula_of_simel():
    # Simel, Samsa and Matchar (1991): var ln LR- = sens / (fn) + (1 - spec) / tn, in this table
    # sens = 32 / 35 and spec = 28 / 77.
    ratio = (3 / 35) / (28 / 77)
    half = Z * math.sqrt((32 / 35) / 3 + (49 / 77) / 28)
    expected = (ratio * math.exp(-half), ratio * math.exp(half))
    low, high = closed.log_scale("lr_minus", Binary(tp=32, fn=3, fp=49, tn=28), 0.95)
    assert (low, high) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("name", RATIOS)
@pytest.mark.parametrize("empty", ["tp", "fn", "fp", "tn"])
def test_an_empty_cell_still_gives_finite_limits(name, empty):
    tally = Binary(**({"tp": 12, "fn": 4, "fp": 3, "tn": 40} | {empty: 0}))
    low, high = closed.log_scale(name, tally, 0.95)
    assert 0 < low < high < math.inf


def test_an_empty_cell_adds_one_half_to_every_cell():
    # Haldane (1956): the odds ratio of 12.5, 0.5, 3.5, 40.5.
    half = Z * math.sqrt(1 / 12.5 + 1 / 0.5 + 1 / 3.5 + 1 / 40.5)
    ratio = 12.5 * 40.5 / (0.5 * 3.5)
    expected = (ratio * math.exp(-half), ratio * math.exp(half))
    limits = closed.log_scale("diagnostic_odds_ratio", Binary(tp=12, fn=0, fp=3, tn=40), 0.95)
    assert limits == pytest.approx(expected, rel=1e-12)


def test_an_estimate_of_zero_lies_in_its_interval():
    # lr_minus is 0 without misses, while the limits come from one half of a miss.
    estimate = Sample(Confusion([[12, 0], [3, 40]])).of_class(ask("lr_minus"), 0)
    assert estimate.value == 0
    assert estimate.low == 0
    assert estimate.high == pytest.approx(closed.log_scale("lr_minus", Binary(12, 0, 3, 40), 0.95)[1])


@pytest.mark.parametrize(
    ("name", "method", "n"),
    [
        ("recall", "wilson", 16),
        ("precision", "wilson", 15),
        ("f1", "wilson_jaccard", 19),
        ("jaccard", "wilson_jaccard", 19),
        ("lr_plus", "log", 59),
        ("diagnostic_odds_ratio", "log", 59),
        ("informedness", "dirichlet", 59),
    ],
)
def test_which_interval_a_number_gets(name, method, n):
    estimate = Sample(Confusion([[12, 4], [3, 40]])).of_class(ask(name), 0)
    assert (estimate.method, estimate.n) == (method, n)
