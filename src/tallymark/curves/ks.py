"""Where the two classes are farthest apart."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tallymark.curves.points import DUST
from tallymark.tallies import Scores

_LARGEST = 2**63 - 1


class KsPoint(NamedTuple):
    """The threshold with the largest difference of TPR and FPR."""

    threshold: float
    tpr: float
    fpr: float


def ks_point(scores: Scores) -> KsPoint | None:
    """The highest threshold at which TPR - FPR is largest; None with one class only.

    >>> ks_point(Scores.from_bins([3, 1, 0], [0, 1, 3], edges=[1, 0.6, 0.3, 0]))
    KsPoint(threshold=0.6, tpr=0.75, fpr=0.0)
    """
    if not scores.pairs:
        return None
    tp, fp = scores.tp, scores.fp
    if tp.dtype.kind in "iu" and scores.pairs > _LARGEST:
        tp, fp = tp.astype(object), fp.astype(object)
    # Multiplied out, because a difference of two shares is rounded, and equals may differ.
    apart = tp * fp[-1] - fp * tp[-1]
    rounding = DUST * apart.max() if apart.dtype.kind == "f" else 0
    place = int(np.argmax(apart >= apart.max() - rounding))
    tpr, fpr = float(tp[place] / tp[-1]), float(fp[place] / fp[-1])
    return KsPoint(float(scores.thresholds[place]), tpr, fpr)
