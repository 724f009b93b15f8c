"""What a threshold within a bin could do when only bins of the scores were counted.

It calls some of the bin's rows positive: at best all of its positives and none of its negatives, or whatever
else is best. What that gives is known for every bin, and no threshold gives more than the best of them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tallymark.curves.costs.prices import Costs, paid
from tallymark.curves.threshold_curve import NEXT_TO_NONE, without_end
from tallymark.metrics import Asked
from tallymark.tallies import Binary, Scores

if TYPE_CHECKING:
    from tallymark.decisions.constraints import Constraint

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Within:
    """The counts that a threshold within each bin can have at the utmost: one row per choice of them.

    Numbers about answers only rise or only fall with the positives called and with the negatives called, so
    they are best at such a corner, or next to one where they are undefined there.
    """

    corners: Binary

    @classmethod
    def of(cls, scores: Scores) -> Within:
        loose = np.flatnonzero(scores.loose)
        positives, negatives = (
            _ends(totals[loose], totals[loose + 1], totals[-1]) for totals in (scores.tp, scores.fp)
        )
        tp, fn = (side.repeat(len(negatives[0]), axis=0) for side in positives)
        fp, tn = (np.tile(side, (len(positives[0]), 1)) for side in negatives)
        return cls(Binary(tp, fn, fp, tn))

    def __len__(self) -> int:
        return int(self.corners.tp.shape[1])

    @property
    def _flat(self) -> Binary:
        at = self.corners
        return Binary(at.tp.ravel(), at.fn.ravel(), at.fp.ravel(), at.tn.ravel())

    def best(self, asked: Asked, sign: int) -> Floats:
        """The highest, or with -1 the lowest, that it can be in every bin; NaN where it is undefined."""
        values = np.asarray(asked.metric(self._flat, *asked.parameters)).reshape(self.corners.tp.shape)
        return np.asarray(sign * np.fmax.reduce(sign * values, axis=0))

    def endless(self, asked: Asked) -> NDArray[np.bool_]:
        """In which bins it may be infinite, or as large as anything."""
        return np.asarray(without_end(asked, self._flat).reshape(self.corners.tp.shape).any(axis=0))

    def may_keep(self, constraints: Iterable[Constraint]) -> NDArray[np.bool_]:
        """Where a bin may hold a threshold that keeps all that is asked; a confidence limit keeps it only
        where the number does."""
        possible = np.ones(len(self), np.bool_)
        for each in constraints:
            possible &= each.kept(self.best(each.asked, 1 if each.at_least else -1))
        return possible

    def cost(self, costs: Costs) -> Floats:
        """The least that it can cost in every bin."""
        return np.asarray(np.min(paid(self.corners, costs), axis=0))


def _ends(low: NDArray[Any], high: NDArray[Any], total: Any) -> tuple[NDArray[Any], NDArray[Any]]:
    """Rows called and rows left: none of the bin or all of it, and next to these where it has rows."""
    if low.dtype.kind == "i":
        called = np.stack([low, high, np.maximum(low, high - 1), np.minimum(high, low + 1)])
        return called, total - called
    # A weight may be as small as anything.
    there, left = high > low, (total - low, total - high)
    return (
        np.stack([low, high, np.where(there & (low == 0), NEXT_TO_NONE, low), high]),
        np.stack([*left, left[0], np.where(there & (left[1] == 0), NEXT_TO_NONE, left[1])]),
    )
