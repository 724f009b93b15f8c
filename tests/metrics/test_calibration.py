"""Bins of probabilities, ECE and MCE by hand, and what they can be where only bins were counted."""

import numpy as np
import pytest

import tallymark as tm
from scored import scored

# Bins (0, 0.2]: 0, 0.1, 0.2 of which one came true; (0.4, 0.6]: 0.5, 0.6, both; (0.8, 1]: 1, not.
SCORE = np.array([0.0, 0.1, 0.2, 0.5, 0.6, 1.0])
Y = np.array([0, 0, 1, 1, 1, 0], bool)
SIX = scored(SCORE, Y)


def test_bins_hold_their_upper_edge_and_the_first_holds_0_too() -> None:
    curve = SIX.calibration_as(5)
    assert curve.edges == pytest.approx([0, 0.2, 0.4, 0.6, 0.8, 1])
    assert curve.count.tolist() == [3, 2, 1]
    assert curve.predicted == pytest.approx([0.1, 0.55, 1])
    assert curve.observed == pytest.approx([1 / 3, 1, 0])
    table = curve.table("polars")[["above", "up_to"]]
    assert table.to_numpy().round(1).tolist() == [[0, 0.2], [0.4, 0.6], [0.8, 1]]
    # 3 rows 0.2333 apart, 2 rows 0.45, 1 row 1.
    expected = (3 * (1 / 3 - 0.1) + 2 * 0.45 + 1) / 6
    assert (curve.ece, curve.mce) == (SIX["ece:5"].value, SIX["mce:5"].value) == pytest.approx((expected, 1))
    assert tm.ece(SIX, n_bins=1) == pytest.approx(abs(2.4 - 3) / 6)
    assert tm.ece(SIX) == SIX["ece:10"].value == SIX.calibration.ece


def test_bins_of_equal_mass() -> None:
    # Of six probabilities the median is 0.35, so three are up to it.
    curve = SIX.calibration_as(2, "mass")
    assert (curve.edges.tolist(), curve.count.tolist()) == ([0, 0.35, 1], [3, 3])
    assert curve.ece == pytest.approx((abs(1 - 0.3) + abs(2 - 2.1)) / 6)
    assert tm.ece(Y * 1, y_score=SCORE, n_bins=2, strategy="mass") == curve.ece
    assert tm.mce(Y * 1, y_score=SCORE, n_bins=2, strategy="mass") == curve.mce == pytest.approx(0.7 / 3)
    # Half of a weight of 10 is reached at 0.2, which has 6 at or below it.
    weighted = scored(SCORE, Y, sample_weight=[1, 2, 3, 1, 1, 2])
    assert weighted.calibration_as(2, "mass").edges.tolist() == [0, 0.2, 1]
    assert weighted.calibration_as(5).count.tolist() == [6, 2, 2]
    # Ties stay together, and the mean of equal probabilities is that probability.
    assert scored([0.3] * 7 + [0.9], [1] * 8).calibration_as(4, "mass").count.tolist() == [7, 1]
    assert 0.1 * 3 / 3 != 0.1
    assert scored([0.1] * 3, [0] * 3).calibration.predicted.tolist() == [0.1]


def test_no_probabilities_and_wrong_bins() -> None:
    bins = tm.Scores.from_bins([1, 2], [2, 1], edges=[0, 0.5, 1]).evaluate()
    for ev in (scored([1.5, 0.2], [1, 0]), bins, tm.evaluate(Y * 1, Y * 1)):
        assert [ev[name].value for name in ("ece", "mce")] == [None, None]
    for wrong in (0, -1, 2.5, True, 10**7, "5"):
        with pytest.raises(tm.OptionError):
            SIX.calibration_as(wrong)
    with pytest.raises(tm.OptionError):
        SIX.calibration_as(5, "quantile")
    assert SIX.calibration_as(10_000).count.sum() == 6


# --- where only bins were counted ------------------------------------------------------------------


def test_a_row_on_either_side_of_an_edge_by_hand() -> None:
    # One positive row, somewhere from 0.4 to 0.6: it is off by 0.4 to 0.6, in whichever half it is.
    one = tm.Scores(np.array([0.4]), np.array([1]), np.array([0]), reach=np.array([0.6])).evaluate()
    low, high = one["ece:2"].bounds
    # Counted in both halves it would be off by 0.6 and 0.5, which is more than anything can be.
    assert (low <= 0.4, high) == (True, 1)
    assert one["mce:2"].bounds == pytest.approx((0, 0.6), abs=1e-9)


def test_narrow_bins_leave_little_open() -> None:
    n = 400
    middle = (np.arange(n)[::-1] + 0.5) / n
    positives = np.random.default_rng(0).binomial(1, middle)
    reach = np.nextafter(middle + 0.5 / n, 0)
    binned = tm.Scores(middle - 0.5 / n, positives, 1 - positives, reach=reach).evaluate()
    # Six bins: edges of the curve go through those of the scores.
    for name in ("ece:6", "mce:6"):
        low, high = binned[name].bounds
        assert low <= scored(middle, positives)[name].value <= high < low + 0.08
