"""What a tally of scores is made from by hand, checked."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark.errors import ShapeError, precise
from tallymark.tallies.merging import EXACT, TOO_MANY


def checked_counts(given: Any, what: str) -> NDArray[np.int64]:
    """Whole numbers from 0 up, one per bin."""
    counts = np.asarray(given)
    if counts.ndim != 1 or not len(counts):
        raise ShapeError(f"{what} must be a list of counts, one per bin; got shape {counts.shape}.")
    if counts.dtype == object and all(isinstance(count, int) for count in counts):
        raise ShapeError(TOO_MANY)  # beyond what any whole number of numpy holds
    if counts.dtype.kind not in "iuf":
        raise ShapeError(f"{what} must be counts; got values of type {counts.dtype}.")
    whole = np.isfinite(counts) & (counts == np.floor(counts)) & (counts >= 0)
    if not whole.all():
        at = int(np.argmin(whole))
        raise ShapeError(
            f"counts are whole numbers from 0 up; {what} of bin {at + 1} are {counts[at].item()!r}."
        )
    if counts.sum(dtype=float) > EXACT:
        raise ShapeError(TOO_MANY)
    return counts.astype(np.int64)


def checked_edges(given: Any, bins: int) -> NDArray[np.float64]:
    """Where so many bins begin and end, all the way up or all the way down."""
    try:
        if np.asarray(given).dtype.kind not in "iuf":
            raise TypeError
        edges = np.asarray(given, np.float64) + 0.0
    except (TypeError, ValueError):
        raise ShapeError(f"edges must be numbers; got {given!r}.") from None
    if edges.ndim != 1 or len(edges) != bins + 1:
        raise ShapeError(
            f"{bins} {'bin has' if bins == 1 else 'bins have'} {bins + 1} edges; got {edges.size}.",
            hint="the end of one bin is the beginning of the next, and is given once.",
        )
    if not np.isfinite(edges).all():
        raise ShapeError(f"edges must be finite numbers; got {edges[~np.isfinite(edges)][0]}.")
    steps = np.diff(edges)
    wrong = np.flatnonzero(np.sign(steps) != (np.sign(steps[0]) or 1))
    if len(wrong):
        at = int(wrong[0])
        raise ShapeError(
            f"edges must all go up, or all go down; {precise(edges[at + 1], edges[at])} comes after "
            f"{precise(edges[at], edges[at + 1])}."
        )
    return edges


def checked_scores(*columns: Any) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Distinct scores, best first, with the counts at each."""
    score, positives, negatives = map(np.asarray, columns)
    if score.ndim != 1 or not score.shape == positives.shape == negatives.shape:
        shapes = ", ".join(str(side.shape) for side in (score, positives, negatives))
        raise ShapeError(f"scores, positives and negatives are three columns of one length; got {shapes}.")
    if score.dtype.kind not in "iuf" or not np.isfinite(score).all() or (score[1:] >= score[:-1]).any():
        raise ShapeError(
            "the scores of a tally are finite numbers, each once, from the highest down.",
            hint="rows are counted by tallymark.evaluate; bins go into Scores.from_bins.",
        )
    for side, what in ((positives, "positives"), (negatives, "negatives")):
        if side.dtype.kind not in "iuf" or not (side >= 0).all():
            raise ShapeError(f"{what} of a tally are counts or sums of weights from 0 up.")
    return score, positives, negatives
