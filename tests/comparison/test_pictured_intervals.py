"""What pictures of comparisons draw are the intervals, worked out from their formulas."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from tallymark.comparison.question import Folding, question
from tallymark.comparison.score_tables.folds import compare_folds
from tallymark.drawing.figure import Band, Line

FOREST = [0.876, 0.896, 0.866, 0.824, 0.886, 0.886, 0.849, 0.879, 0.867, 0.871]
TREE = [0.860, 0.875, 0.860, 0.811, 0.877, 0.863, 0.834, 0.867, 0.861, 0.859]


def test_the_folds_stand_between_both_intervals() -> None:
    found = compare_folds({"forest": FOREST, "tree": TREE}, question(), Folding(same_folds=True))
    (panel,) = found.figure("folds").panels
    d = np.subtract(FOREST, TREE)
    times = stats.t.ppf(0.975, 9) * d.std(ddof=1)
    plain, corrected = times * math.sqrt(1 / 10), times * math.sqrt(1 / 10 + 1 / 9)
    (band,) = (mark for mark in panel.marks if isinstance(mark, Band))
    assert (band.low[0], band.high[0]) == pytest.approx((d.mean() - corrected, d.mean() + corrected))
    heights = [mark.y[0] for mark in panel.marks if isinstance(mark, Line)]
    # Both ends of the plain interval, no difference, and the mean.
    assert heights == pytest.approx([d.mean() - plain, d.mean() + plain, 0, d.mean()])


def test_differences_that_do_not_matter_are_shaded_to_both_sides_of_none() -> None:
    folding = Folding(same_folds=True, rope=0.02)
    found = compare_folds({"forest": FOREST, "tree": TREE}, question(), folding)
    (band,) = (mark for mark in found.figure("differences").panels[0].marks if isinstance(mark, Band))
    assert sorted({*band.x.tolist()}) == [-0.02, 0.02]
