"""TM014: curves that cross."""

from __future__ import annotations

import numpy as np

from tallymark.curves import Several, roc_of_rows
from tallymark.findings import curves_cross

CLASSES = np.array([1, 1, 0, 1, 0, 0, 1, 0], bool)
# Early: two positives first, one far behind. Late: one negative first, then all positives.
EARLY = np.array([8, 7, 6, 2, 5, 4, 1, 3], float)
LATE = np.array([7, 6, 8, 5, 3, 2, 4, 1], float)


def test_crossing_curves_are_pointed_out_with_their_shares() -> None:
    several = Several({"early": roc_of_rows(EARLY, CLASSES), "late": roc_of_rows(LATE, CLASSES)})
    found = curves_cross.check(several)
    assert found is not None
    assert found.code == "TM014"
    # Up to an FPR of 1/4 early has a TPR of 1/2 and late none; from there on late has all positives.
    assert found.numbers["best_share"] == {"late": 0.75, "early": 0.25}
    assert found.numbers["crossings"] == 1
    assert (
        "the curves cross, once at 0.250: the highest is 'late' on 75.0%, 'early' on 25.0%" in found.message
    )


def test_one_that_is_best_everywhere_is_not() -> None:
    perfect = CLASSES.astype(float)
    assert (
        curves_cross.check(Several({"a": roc_of_rows(perfect, CLASSES), "b": roc_of_rows(LATE, CLASSES)}))
        is None
    )
    assert curves_cross.check(Several({"a": roc_of_rows(LATE, CLASSES), "rule": (0.1, 0.4)})) is None
