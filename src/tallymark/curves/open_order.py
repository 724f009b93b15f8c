"""What the order of rows within bins leaves open of a curve."""

from __future__ import annotations

import numpy as np

from tallymark.metrics.rounding import rounding
from tallymark.tallies import Scores


def best_case(scores: Scores) -> Scores:
    """The rows in the best order that bins leave possible: in every bin all positives above all negatives.

    No threshold calls more positives, whatever the negatives it calls. The scores are made up.

    >>> best_case(Scores.from_bins([2, 1], [1, 3])).tp.tolist()
    [0, 2, 2, 3, 3]
    """
    loose = scores.loose
    last = np.cumsum(1 + loose) - 1
    size = len(loose) + int(loose.sum())
    positives, negatives = (np.zeros(size, side.dtype) for side in (scores.positives, scores.negatives))
    positives[last - loose] = scores.positives
    negatives[last] = scores.negatives
    return Scores(np.arange(size, 0, -1.0), positives, negatives, rows=scores.rows)


def dust_of(scores: Scores) -> float:
    """What rounding can do to a share of the rows: nothing to one of whole counts, which is rounded once."""
    whole = scores.positives.dtype.kind == scores.negatives.dtype.kind == "i"
    return 0.0 if whole else rounding(scores.rows, fractions=True)


def between(known: float, best: float, dust: float) -> tuple[float, float] | None:
    """From what is known to what is best, for a share; further by what rounding can do. None: it is known."""
    if known == best:
        return None
    return max(0.0, min(known, best) - dust), min(1.0, max(known, best) + dust)
