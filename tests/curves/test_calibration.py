"""The calibration curve by hand: its intervals, its errors with and without chance, its test."""

import json
import math
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from formulas import wilson
from scored import binned, columns, of_one_group, scored

# Five bins: 0.1 x 10 of which 2, 0.3 x 10 of which 2, 0.7 x 10 of which 9; the others are empty.
SCORE = np.repeat([0.1, 0.3, 0.7], 10)
Y = np.repeat([1, 0, 1, 0, 1, 0], [2, 8, 2, 8, 9, 1]).astype(bool)
THIRTY = scored(SCORE, Y).calibration_as(5)
ROWS = st.lists(st.tuples(st.floats(0, 1), st.booleans(), st.sampled_from([0.5, 1.0, 3.0])), min_size=1)


def calibration(score, y, n_bins=10, strategy="width", **options):
    return scored(score, y, **options).calibration_as(n_bins, strategy)


def test_by_hand() -> None:
    assert THIRTY.predicted.tolist() == [0.1, 0.3, 0.7]
    assert THIRTY.observed == pytest.approx([0.2, 0.2, 0.9])
    assert THIRTY.count.tolist() == [10, 10, 10]
    assert THIRTY.edges == pytest.approx([0, 0.2, 0.4, 0.6, 0.8, 1])
    ends = np.array([THIRTY.low, THIRTY.high]).T
    assert ends == pytest.approx(np.array([wilson(right / 10, 10) for right in (2, 2, 9)]))
    assert (THIRTY.ece, THIRTY.mce) == pytest.approx(((0.1 + 0.1 + 0.2) / 3, 0.2))
    names = ["above", "up_to", "predicted", "observed", "low", "high", "count"]
    assert THIRTY.table("pandas").columns.tolist() == names
    form = json.loads(json.dumps(THIRTY.to_dict(), allow_nan=False))
    assert (form["n_bins"], form["strategy"], form["count"]) == (5, "width", [10] * 3)
    assert form["ece"] == THIRTY.ece
    # 10 x 0.1 x 0.9 + 20 x 0.3 x 0.7 = 5.1: all bins in one, of which 13 came true instead of 11.
    assert (form["test"]["df"], form["test"]["statistic"]) == (1, pytest.approx(4 / 5.1))
    assert set(form["decomposition"]) == {"reliability", "resolution", "uncertainty", "within"}
    assert THIRTY.debiased_ece is not None
    assert pickle.loads(pickle.dumps(THIRTY)).to_dict() == THIRTY.to_dict()


def test_the_bin_of_a_probability() -> None:
    assert THIRTY.at(probability=0.05) == THIRTY.at(probability=0.2) == THIRTY.at(0)
    found, empty = THIRTY.at(probability=0.21), THIRTY.at(probability=0.5)
    assert (found.count, found.predicted, found.observed) == (10, 0.3, 0.2)
    assert (found.above, found.up_to) == pytest.approx((0.2, 0.4))
    assert (found.low, found.high) == pytest.approx(wilson(0.2, 10))
    assert (empty.count, empty.predicted, empty.observed, empty.low) == (0, None, None, None)


def test_the_parts_of_the_brier_score() -> None:
    parts, base = THIRTY.decomposition, 13 / 30
    assert parts.reliability == pytest.approx((0.01 + 0.01 + 0.04) / 3)
    assert parts.resolution == pytest.approx((2 * (0.2 - base) ** 2 + (0.9 - base) ** 2) / 3)
    assert parts.uncertainty == pytest.approx(base * (1 - base))
    # Probabilities do not differ within the bins.
    assert parts.within == pytest.approx(0, abs=1e-15)
    assert THIRTY.brier == pytest.approx(np.mean((SCORE - Y) ** 2))
    # One bin: variance of 0.1 and 0.3 around 0.2, minus twice the covariance with the truth.
    parts = calibration([0.1, 0.3], [0, 1], 1).decomposition
    assert (parts.within, parts.brier) == pytest.approx((0.01 - 2 * 0.05, (0.01 + 0.49) / 2))


@given(ROWS, st.integers(1, 20), st.sampled_from(["width", "mass"]), st.booleans())
def test_the_parts_add_up_for_any_bins(rows, n_bins, strategy, weighted) -> None:
    score, y, weight = columns(rows)
    curve = calibration(score, y, n_bins, strategy, sample_weight=weight if weighted else None)
    expected = np.average((score - y) ** 2, weights=weight if weighted else None)
    assert curve.decomposition.brier == pytest.approx(expected, abs=1e-12)


def test_the_test_by_hand() -> None:
    y = np.repeat([1, 0, 1, 0], [15, 25, 30, 10])
    test = calibration(np.repeat([0.25, 0.75], 40), y).test
    # 15 instead of 10, with a variance of 40 x 0.25 x 0.75; 30 as expected.
    assert (test.statistic, test.df, test.bins) == (pytest.approx(25 / 7.5), 2, 2)
    assert test.p_value == pytest.approx(stats.chi2.sf(25 / 7.5, 2))
    # 20 x 0.05 x 0.95 = 0.95 and 20 x 0.45 x 0.55 = 4.95 make one of 5.9; what is left joins it.
    test = calibration(np.repeat([0.05, 0.45, 0.95], 20), np.zeros(60)).test
    assert (test.bins, test.statistic) == (1, pytest.approx((20 * 1.45) ** 2 / (0.95 + 4.95 + 0.95)))
    test = calibration([0.0, 0.4], [1, 0]).test
    assert (test.p_value, bool(test.why)) == (None, True)


def test_weights_stand_for_fewer_rows() -> None:
    weight = np.where(np.arange(30) % 2, 3.0, 1.0)
    curve = calibration(SCORE, Y, 5, sample_weight=weight)
    kish = 20**2 / (5 * 9 + 5)
    share = np.average(Y[:10], weights=weight[:10])
    assert curve.observed[0] == pytest.approx(share)
    assert (curve.low[0], curve.high[0]) == pytest.approx(wilson(share, kish))
    # In the test, too: the statistic is that of Kish's number of rows.
    score, y = np.repeat([0.25, 0.75], 40), np.repeat([1, 0, 1, 0], [15, 25, 30, 10])
    plain = calibration(score, y, sample_weight=np.full(80, 0.5)).test
    assert plain.statistic == pytest.approx(25 / 7.5)


def test_what_chance_adds_to_one_bin() -> None:
    calm, wide, narrow = (calibration(np.full(100, 0.5), np.arange(100) < n) for n in (50, 90, 54))
    # No gap at all: all that is left is 0.
    assert (calm.ece, calm.debiased_ece, calm.debiased_mce) == (0, 0, 0)
    # A gap of 0.4 is 8 standard errors: nothing is taken off, but for the last digits.
    assert wide.debiased_ece == pytest.approx(0.4, abs=1e-6)
    assert wide.debiased_mce == pytest.approx(0.4, abs=1e-3)
    # One smaller than its standard error, 0.05: the mean of |z| of a standard normal number is taken off.
    assert narrow.debiased_ece == pytest.approx(max(0, 0.04 - 0.05 * math.sqrt(2 / math.pi)), abs=1e-4)


def test_what_chance_adds_to_the_largest() -> None:
    """Two gaps of 8/240, 1.17 standard errors: as large by chance as the larger of two |z|, 2 / sqrt(pi)."""
    y = np.concatenate([np.arange(240) < 60 + 8, np.arange(240) < 180 - 8])
    curve = calibration(np.repeat([0.25, 0.75], 240), y)
    # The variance of a gap is the mean of that of 68 of 240 and that of 0.25.
    error = math.sqrt((68 / 240 * 172 / 240 + 0.25 * 0.75) / 2 / 240)
    assert (curve.ece, curve.mce) == pytest.approx((8 / 240, 8 / 240))
    assert curve.debiased_mce == pytest.approx(8 / 240 - error * 2 / math.sqrt(math.pi), abs=1e-4)


def test_groups_are_what_is_independent() -> None:
    alone = calibration(SCORE, Y, 5, groups=np.arange(30))
    reach = stats.t.ppf(0.975, 9)
    assert alone.low == pytest.approx([wilson(right / 10, 10, reach)[0] for right in (2, 2, 9)])
    # Four groups that are all alike, of which two came true.
    y, group = np.repeat([1, 0, 1, 0], 10), np.repeat(np.arange(4), 10)
    alike = calibration(np.full(40, 0.5), y, groups=group)
    assert (alike.low[0], alike.high[0]) == pytest.approx(wilson(0.5, 4, stats.t.ppf(0.975, 3)))
    assert (alike.test.df, alike.test.method) == (3, "largest_t")


def test_the_test_of_groups_by_hand() -> None:
    """The gap in standard errors of the sums of the groups, for two bins twice the p-value (Bonferroni)."""
    rng = np.random.default_rng(1)
    group, score = np.repeat(np.arange(8), 20), np.tile([0.25, 0.75], 80)
    y = rng.random(160) < score + np.repeat(rng.uniform(-0.25, 0.05, 8), 20)
    ratios = []
    for p in (0.25, 0.75):
        gaps = np.bincount(group[score == p], (y - score)[score == p])
        spread = gaps - gaps.sum() / 8
        ratios.append(abs(gaps.sum()) / math.sqrt(max(spread @ spread * 8 / 7, 80 * p * (1 - p))))
    test = calibration(score, y, groups=group).test
    assert (test.statistic, test.df, test.bins) == (pytest.approx(max(ratios)), 7, 2)
    assert test.p_value == pytest.approx(min(1, 4 * stats.t.sf(max(ratios), 7)))
    two = calibration(np.full(40, 0.5), np.arange(40) % 4 > 0, groups=np.arange(40) // 20).test
    assert (two.df, two.p_value is None) == (1, False)


def test_bins_of_one_group_have_no_interval() -> None:
    curve = calibration(SCORE, Y, 5, groups=np.where(SCORE == 0.7, 0, np.arange(30)))
    assert np.isnan(curve.low).tolist() == [False, False, True]
    assert (curve.at(probability=0.65).low, curve.to_dict()["low"][2]) == (None, None)
    assert curve.debiased_ece < curve.ece
    test = of_one_group(SCORE, Y).calibration_as(5).test
    assert (test.p_value, bool(test.why)) == (None, True)


def test_no_curve_of_bins_and_of_scores_outside() -> None:
    for ev in (scored([1.5, 0.2], [1, 0]), binned([1], [1], [0, 1])):
        curve = ev.calibration
        values = curve.ece, curve.mce, curve.debiased_ece, curve.debiased_mce, curve.decomposition
        assert (bool(curve.why), values, curve.test.p_value) == (True, (None,) * 5, None)
        assert json.loads(json.dumps(curve.to_dict(), allow_nan=False))["why"] == curve.why
        assert len(curve.table()) == 0


def test_an_impossible_row_makes_the_log_loss_infinite() -> None:
    assert calibration([0.0, 0.4], [1, 0]).log_loss is None
    clipped = calibration([0.0, 0.4], [1, 0], clip=0.01)
    assert clipped.log_loss == pytest.approx(-(math.log(0.01) + math.log(0.6)) / 2)
