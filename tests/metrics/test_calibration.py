"""Bins of probabilities, ECE and MCE, by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tallymark.errors import OptionError
from tallymark.intake.ranking import count_scores
from tallymark.metrics import SCORE_METRICS
from tallymark.metrics.calibration import bins_of, ece, mce
from tallymark.tallies import Scores

# Bins (0, 0.2]: 0, 0.1, 0.2 of which one came true; (0.4, 0.6]: 0.5, 0.6, both; (0.8, 1]: 1, not.
SCORE = np.array([0.0, 0.1, 0.2, 0.5, 0.6, 1.0])
Y = np.array([0, 0, 1, 1, 1, 0], bool)
SIX = count_scores(SCORE, Y)


def test_bins_hold_their_upper_edge_and_the_first_holds_0_too():
    bins = bins_of(SIX, 5)
    assert bins.edges == pytest.approx([0, 0.2, 0.4, 0.6, 0.8, 1])
    assert bins.place.tolist() == [0, 2, 4]
    assert bins.count.tolist() == [3, 2, 1]
    assert bins.predicted == pytest.approx([0.1, 0.55, 1])
    assert bins.observed == pytest.approx([1 / 3, 1, 0])
    assert (bins.above.round(1).tolist(), bins.up_to.round(1).tolist()) == ([0, 0.4, 0.8], [0.2, 0.6, 1])
    assert [SIX.score[a:b].tolist() for a, b in zip(bins.start, bins.stop, strict=True)] == [
        [0.2, 0.1, 0.0],
        [0.6, 0.5],
        [1.0],
    ]
    assert bins.total(SIX.score) == pytest.approx([0.3, 1.1, 1.0])


def test_the_two_errors():
    # 3 rows 0.2333 apart, 2 rows 0.45, 1 row 1.
    assert ece(SIX, 5) == pytest.approx((3 * (1 / 3 - 0.1) + 2 * 0.45 + 1) / 6)
    assert mce(SIX, 5) == 1
    assert ece(SIX, 1) == pytest.approx(abs(2.4 - 3) / 6)
    assert ece(SIX) == SCORE_METRICS["ece"](SIX, 10)


def test_bins_of_equal_mass():
    # Of six probabilities the median is 0.35, so three are up to it.
    bins = bins_of(SIX, 2, "mass")
    assert bins.edges == pytest.approx([0, 0.35, 1])
    assert bins.count.tolist() == [3, 3]
    assert ece(SIX, 2, "mass") == pytest.approx((abs(1 - 0.3) + abs(2 - 2.1)) / 6)


def test_ties_stay_together():
    t = count_scores(np.array([0.3] * 7 + [0.9]), np.ones(8, bool))
    assert bins_of(t, 4, "mass").count.tolist() == [7, 1]


def test_the_mean_of_equal_probabilities_is_exact():
    t = count_scores(np.full(3, 0.1), np.zeros(3, bool))
    assert 0.1 * 3 / 3 != 0.1
    assert bins_of(t).predicted.tolist() == [0.1]


def test_weights_count_as_rows_do_but_their_squares_are_kept_apart():
    weight = np.array([1, 2, 3, 1, 1, 2])
    t, repeated = (
        count_scores(SCORE, Y, weight=weight),
        count_scores(np.repeat(SCORE, weight), np.repeat(Y, weight)),
    )
    assert ece(t, 5) == pytest.approx(ece(repeated, 5))
    assert bins_of(t, 5).squares.tolist() == [1 + 4 + 9, 2, 4]
    assert bins_of(t, 5).effective == pytest.approx([36 / 14, 2, 1])
    # Half of a weight of 10 is reached at 0.2, which has 6 at or below it.
    assert bins_of(t, 2, "mass").edges.tolist() == [0, 0.2, 1]


def test_no_probabilities():
    for t in (Scores.empty(), count_scores(np.array([1.5, 0.2]), np.array([True, False]))):
        assert math.isnan(ece(t))
        assert math.isnan(mce(t))
    assert math.isnan(ece(Scores.from_bins([1, 2], [2, 1], edges=[0, 0.5, 1])))


@pytest.mark.parametrize("n_bins", [0, -1, 2.5, True, 10**7, "5"])
def test_wrong_numbers_of_bins(n_bins):
    with pytest.raises(OptionError, match="n_bins must be a whole number from 1 to 10,000; got"):
        bins_of(SIX, n_bins)


def test_wrong_strategy():
    with pytest.raises(OptionError, match="strategy must be 'width' or 'mass'; got 'quantile'"):
        bins_of(SIX, 5, "quantile")


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from([0.0, 0.05, 0.1, 0.3, 0.7, 1.0]), st.booleans()), min_size=1),
    st.integers(1, 12),
    st.sampled_from(["width", "mass"]),
)
def test_every_row_is_in_one_bin(rows, n_bins, strategy):
    score, y = (np.array(side) for side in zip(*rows, strict=True))
    bins = bins_of(count_scores(score, y), n_bins, strategy)
    assert bins.count.sum() == len(rows)
    assert (bins.count > 0).all()
    assert (bins.count * bins.observed).sum() == pytest.approx(y.sum())
    assert (bins.count * bins.predicted).sum() == pytest.approx(score.sum())
    assert (np.diff(bins.predicted) > 0).all()
