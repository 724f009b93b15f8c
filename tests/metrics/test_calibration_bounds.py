"""Bounds of calibration errors from bins: never above 1, and close where bins are narrow."""

from __future__ import annotations

import numpy as np
import pytest

from tallymark.metrics.calibration import Strategy, ece, mce
from tallymark.metrics.calibration_bounds import calibration_bounds
from tallymark.tallies import Scores


def test_a_row_on_either_side_of_an_edge_by_hand() -> None:
    # One positive row, somewhere from 0.4 to 0.6: it is off by 0.4 to 0.6, in whichever half it is.
    one = Scores(np.array([0.4]), np.array([1]), np.array([0]), reach=np.array([0.6]))
    mean, largest = calibration_bounds(one, 2)
    assert mean[0] <= 0.4
    # Counted in both halves it would be off by 0.6 and 0.5, which is more than anything can be.
    assert mean[1] == 1
    assert largest == pytest.approx((0, 0.6), abs=1e-9)


@pytest.mark.parametrize("strategy", ["width", "mass"])
def test_narrow_bins_leave_little_open(strategy: Strategy) -> None:
    n = 400
    middle = (np.arange(n)[::-1] + 0.5) / n
    positives = np.random.default_rng(0).binomial(1, middle)
    exact = Scores(middle, positives, 1 - positives)
    low, high = middle - 0.5 / n, np.nextafter(middle + 0.5 / n, 0)
    binned = Scores(low, positives, 1 - positives, reach=high)
    # Six bins: edges of the curve go through those of the scores, or lie between two of them.
    mean, largest = calibration_bounds(binned, 6, strategy)
    for found, bounds in ((ece(exact, 6, strategy), mean), (mce(exact, 6, strategy), largest)):
        assert bounds[0] <= found <= bounds[1]
        assert bounds[1] - bounds[0] < 0.08
