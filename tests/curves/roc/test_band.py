"""The pointwise band: against its definition, and whether it covers what it promises."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallymark.curves import roc_of, roc_of_rows
from tallymark.errors import OptionError
from tallymark.intervals import interval
from tallymark.tallies import Scores

NORMAL = NormalDist()


def rectangles(curve, level):
    side = math.sqrt(level)
    totals = curve.tp.max(), curve.fp.max()
    for tp, fp in zip(curve.tp.tolist(), curve.fp.tolist(), strict=True):
        true = interval(tp, int(totals[0]), confidence_level=side)
        false = interval(fp, int(totals[1]), confidence_level=side)
        yield false.low, false.high, true.low, true.high


@given(
    st.lists(st.booleans(), min_size=2, max_size=15).filter(lambda rows: len(set(rows)) == 2), st.floats(0, 1)
)
def test_band_joins_rectangles_of_wilson_intervals(positive, f):
    """Without ties: the highest top of those that begin by f, the lowest bottom of those not ended by f."""
    curve = roc_of_rows(np.arange(len(positive), 0, -1.0), np.array(positive), "grouped")
    low, high = curve.band(0.9).at(f)
    every = list(rectangles(curve, 0.9))
    dust = 1e-12  # f may be the end of a rectangle but for the last bit
    highs = [{top for left, _, _, top in every if left <= f + sign * dust} for sign in (-1, 0, 1)]
    lows = [{bottom for _, right, bottom, _ in every if right >= f + sign * dust} for sign in (-1, 0, 1)]
    assert any(high == pytest.approx(max(tops, default=0), abs=1e-9) for tops in highs)
    assert any(low == pytest.approx(min(bottoms, default=1), abs=1e-9) for bottoms in lows)


@pytest.mark.parametrize("levels", [2, 5, 1000])
def test_band_holds_the_curve_and_grows_with_the_level(levels):
    rng = np.random.default_rng(levels)
    positive = rng.random(300) < 0.4
    score = np.round((rng.normal(size=300) + positive) * levels) / levels
    curve = roc_of_rows(score, positive, "grouped")
    narrow, wide = curve.band(0.8), curve.band(0.99)
    for f, t in zip(curve.fpr, curve.tpr, strict=True):
        (low, high), (lowest, highest) = narrow.at(f), wide.at(f)
        assert lowest <= low <= t <= high <= highest


def test_few_levels_of_score_leave_no_gap():
    """With many rows the rectangles are small and far apart; between them the band follows the curve."""
    curve = roc_of(
        Scores(np.array([3.0, 2.0, 1.0]), np.array([6000, 3000, 1000]), np.array([1000, 3000, 6000]))
    )
    grid = np.linspace(0, 1, 101)
    low, high = curve.band().at(grid)
    middle = np.interp(grid, curve.fpr, curve.tpr)
    assert (low <= middle).all()
    assert (middle <= high).all()
    assert (high - low).max() < 0.12


def test_bins_widen_the_band():
    positives, negatives = np.array([60, 30, 10]), np.array([10, 30, 60])
    known = roc_of(Scores(np.array([3.0, 2.0, 1.0]), positives, negatives)).band()
    binned = roc_of(Scores.from_bins(positives, negatives)).band()
    grid = np.linspace(0, 1, 101)
    assert (binned.at(grid)[0] <= known.at(grid)[0] + 1e-12).all()
    assert (binned.at(grid)[1] >= known.at(grid)[1] - 1e-12).all()
    # Nothing is known between the edges: there the true curve may go along either side of the box.
    low, high = binned.at(0.25)
    assert low < 0.6
    assert high > 0.9


def test_outline_is_the_band():
    rng = np.random.default_rng(0)
    positive = rng.random(60) < 0.5
    band = roc_of_rows(rng.normal(size=60) + positive, positive, "grouped").band()
    x, low, high = band.outline()
    assert (x[0], x[-1]) == (0, 1)
    assert (np.diff(x) >= 0).all()
    wide = np.flatnonzero(np.diff(x) > 1e-9)
    middle = (x[wide] + x[wide + 1]) / 2
    assert (low[wide] + low[wide + 1]) / 2 == pytest.approx(band.at(middle)[0])
    assert (high[wide] + high[wide + 1]) / 2 == pytest.approx(band.at(middle)[1])


def test_long_outlines_are_thinned_outwards():
    rng = np.random.default_rng(0)
    positive = rng.random(5000) < 0.5
    band = roc_of_rows(rng.normal(size=5000) + positive, positive, "grouped").band()
    x, low, high = band.outline(most=200)
    assert len(x) == 2 * 200 - 2
    grid = rng.random(500)
    part = np.searchsorted(x[::2], grid, side="right") - 1
    assert (low[::2][part] <= band.at(grid)[0]).all()
    assert (high[::2][part] >= band.at(grid)[1]).all()


def test_weights_use_the_effective_number_of_rows():
    rng = np.random.default_rng(4)
    positive, score = rng.random(100) < 0.5, rng.normal(size=100)
    plain = roc_of_rows(score, positive, "grouped").band()
    equal = roc_of_rows(score, positive, "grouped", weight=np.full(100, 3.0)).band()
    uneven = roc_of_rows(score, positive, "grouped", weight=rng.exponential(size=100)).band()
    grid = np.linspace(0, 1, 41)
    assert equal.at(grid)[1] == pytest.approx(plain.at(grid)[1])
    width = [np.mean(band.at(grid)[1] - band.at(grid)[0]) for band in (plain, uneven)]
    assert width[1] > 1.2 * width[0]


@pytest.mark.parametrize("level", [0, 1, 1.5, "high"])
def test_wrong_levels(level):
    with pytest.raises(OptionError):
        roc_of_rows(np.array([0.1, 0.2]), np.array([True, False])).band(level)


@pytest.mark.parametrize(("size", "separation"), [(30, 1.0), (100, 1.5), (100, 0.5)])
def test_coverage_at_a_fixed_rate(size, separation):
    """Scores of two normal distributions: the true curve is TPR = Phi(d + Phi^-1(FPR))."""
    rng = np.random.default_rng(20)
    rates = np.array([0.05, 0.2, 0.5, 0.8])
    truth = np.array([NORMAL.cdf(separation + NORMAL.inv_cdf(rate)) for rate in rates])
    held = np.zeros(len(rates))
    times, positive = 400, np.arange(2 * size) < size
    for _ in range(times):
        score = rng.normal(size=2 * size) + separation * positive
        low, high = roc_of_rows(score, positive, "grouped").band(0.9).at(rates)
        held += (low <= truth) & (truth <= high)
    # It may hold more often than promised, because neighbouring rectangles help; three deviations allowed.
    assert (held / times > 0.9 - 3 * math.sqrt(0.09 / times)).all()
