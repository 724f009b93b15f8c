"""A pointwise confidence band around an ROC curve."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tallymark.curves.roc.paths import Path
from tallymark.intervals import checked_level, wilson_bounds
from tallymark.tallies import Scores

Floats = NDArray[np.float64]
_MOST_CORNERS = 4096


@dataclass(frozen=True, eq=False)
class RocBand:
    """At each threshold a rectangle that holds the true (FPR, TPR) with the confidence level; joined.

    The rates of the two classes are independent, so each side is a Wilson interval at the square root of
    the level. The band runs along the upper left corners of the rectangles and along the lower right ones.
    It is pointwise: it holds the true TPR at one FPR with the level, not the whole true curve. It errs on
    the wide side, because a point is held by neighbouring rectangles as well: at 0.95, simulated normal
    scores were held 0.99 to 1.00 of the time, and 0.94 where the TPR was beyond 0.999.
    """

    lower: Path
    upper: Path
    level: float
    assumption: str = "independent rows"

    @classmethod
    def of(cls, scores: Scores, confidence_level: float = 0.95) -> RocBand:
        """From a tally with rows of both classes."""
        level = checked_level(confidence_level)
        n_positive, n_negative = scores.effective
        side = math.sqrt(level)
        tpr_low, tpr_high = wilson_bounds(scores.tp / scores.tp[-1] * n_positive, n_positive, side)
        fpr_low, fpr_high = wilson_bounds(scores.fp / scores.fp[-1] * n_negative, n_negative, side)
        if not scores.exact:
            # What lies between the edges of a bin is unknown, so the band takes the corner of both.
            fpr_low, tpr_high = np.repeat(fpr_low, 2)[:-1], np.repeat(tpr_high, 2)[1:]
            fpr_high, tpr_low = np.repeat(fpr_high, 2)[1:], np.repeat(tpr_low, 2)[:-1]
        lower = Path.through(np.append(0.0, fpr_high), np.append(0.0, tpr_low))
        upper = Path.through(np.append(fpr_low, 1.0), np.append(tpr_high, 1.0))
        return cls(lower, upper, level)

    def at(self, fpr: float | Floats) -> tuple[Floats, Floats]:
        """The lowest and the highest TPR that go with an FPR."""
        where = np.asarray(fpr, np.float64)
        return self.lower.just_before(where), self.upper.at(where)

    def outline(self, most: int = _MOST_CORNERS) -> tuple[Floats, Floats, Floats]:
        """FPR, low and high from corner to corner; where one jumps, its FPR comes twice.

        With more corners than `most` some are left out, and the outline is a little wider than the band.
        """
        ends = np.union1d(self.lower.fpr, self.upper.fpr)
        wider = len(ends) > most
        if wider:
            ends = ends[np.linspace(0, len(ends) - 1, most).astype(np.intp)]
        low, high = np.empty(2 * len(ends) - 2), np.empty(2 * len(ends) - 2)
        low[::2], high[::2] = self.lower.at(ends[:-1]), self.upper.at(ends[:-1])
        low[1::2], high[1::2] = self.lower.just_before(ends[1:]), self.upper.just_before(ends[1:])
        if wider:
            low[1::2], high[::2] = low[::2], high[1::2]
        return np.repeat(ends, 2)[1:-1], low, high
