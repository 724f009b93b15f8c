"""How clear answers are: from the scores of one class to a tally of margins, with right and wrong answers."""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tallymark.errors import OptionError
from tallymark.tallies import GroupedScores, Scores
from tallymark.tallies.confusion import frozen
from tallymark.tallies.scores import BINNED, OUTSIDE

Form = Literal["margin", "distance"]
Floats = NDArray[np.float64]

_HALF = 0.5
_EPSILON = float(np.finfo(np.float64).eps)
_TINY, _HUGE = 1e-250, 1e250
"""Numbers so small or large cannot be rounded to a number of decimals."""
_DIGITS = 15
"""Decimal digits that every float has."""


def margins_of(
    scores: Scores, threshold: float | None = None, groups: GroupedScores | None = None
) -> tuple[Scores, GroupedScores | None, Form]:
    """The rows by the margin of their answer, best first; its positives are the rows answered rightly.

    `score >= threshold` is answered with the positive class. Probabilities cut at 0.5 have the margin
    |2p - 1|, best less second-best class; any others the distance of the score from the threshold.

    >>> scores = Scores(np.array([0.7, 0.6, 0.3]), np.array([1, 0, 1]), np.array([0, 1, 2]))
    >>> margins, _, form = margins_of(scores)
    >>> margins.score.tolist(), margins.positives.tolist(), margins.negatives.tolist(), form
    ([0.4, 0.2], [3, 0], [1, 1], 'margin')
    """
    cut, form = _cut(scores, threshold)
    above = scores.called(cut)
    margin = _distances(scores.score, cut, above)
    if form == "margin":
        margin *= 2
    # Both sides from the clearest on, which a stable sort merges in one pass.
    order = np.concatenate([np.arange(above), np.arange(len(margin) - 1, above - 1, -1)])
    order = order[np.argsort(-margin[order], kind="stable")]
    ranked = margin[order]
    new = np.ones(len(ranked), np.bool_)
    np.not_equal(ranked[1:], ranked[:-1], out=new[1:])
    starts = np.flatnonzero(new)

    def sides(positives: NDArray[Any], negatives: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
        """Right and wrong at each margin."""
        right = np.concatenate([positives[:above], negatives[above:]])
        wrong = np.concatenate([negatives[:above], positives[above:]])
        if not len(starts):
            return right, wrong
        return frozen(np.add.reduceat(right[order], starts)), frozen(np.add.reduceat(wrong[order], starts))

    total = Scores(
        frozen(ranked[starts]),
        *sides(scores.positives, scores.negatives),
        squares=None if scores.squares is None else sides(*scores.squares),
        rows=scores.rows,
        dropped=scores.dropped,
    )
    if groups is None:
        return total, None, form
    place = np.empty(len(order), np.int64)
    place[order] = np.cumsum(new) - 1
    called = groups.place < above
    right = np.where(called, groups.positives, groups.negatives)
    wrong = np.where(called, groups.negatives, groups.positives)
    return total, GroupedScores(total, groups.keys, groups.group, place[groups.place], right, wrong), form


def _cut(scores: Scores, threshold: float | None) -> tuple[float, Form]:
    """Where the scores are cut, and what their distance from there is."""
    if not scores.exact:
        raise OptionError(
            f"there are no margins: {BINNED}.",
            hint="it takes every score: count them without bins, which is without --approximate.",
        )
    probable = not len(scores.score) or bool(scores.score[0] <= 1 and scores.score[-1] >= 0)
    if threshold is None and not probable:
        raise OptionError(
            f"{OUTSIDE}, and where they are cut was not said.",
            hint="pass a threshold; decision values are usually cut at 0.",
            about_data=True,
        )
    cut = _HALF if threshold is None else threshold
    if not math.isfinite(cut):
        raise OptionError(f"there is no distance from the threshold {cut!r}.", hint="pass a finite one.")
    return cut, "margin" if probable and cut == _HALF else "distance"


@np.errstate(under="ignore")
def _distances(score: Floats, cut: float, above: int) -> Floats:
    """Of each score from the cut, equal where they are equal on paper.

    A difference of two floats is off by the last bit or so: 0.7 - 0.5 is not quite 0.5 - 0.3, and neither is
    quite 0.2. So a distance below the cut that a distance above it equals within what rounding can do becomes
    that one, and then each is rounded to the 15 digits that the numbers behind it surely have.
    """
    with np.errstate(over="ignore"):
        distance = np.minimum(np.abs(score - cut), np.finfo(np.float64).max)
    if cut == 0 or distance.max(initial=0.0) > _HUGE:
        return distance  # nothing was rounded
    over, under = distance[:above][::-1], distance[above:]
    if len(over) and len(under):
        at = np.searchsorted(over, under)
        for near in (over[np.maximum(at - 1, 0)], over[np.minimum(at, len(over) - 1)]):
            # Both scores and the cut may be off by half a bit, and so may both differences.
            twin = np.abs(near - under) <= 2 * _EPSILON * (abs(cut) + under)
            np.copyto(under, near, where=twin)
    if abs(cut) < _TINY:
        return distance
    # Digits are counted from the first one of score and cut, whichever is larger.
    powers = [math.ceil(math.log10(abs(cut) + end)) for end in (0.0, distance.max(initial=0.0))]
    if powers[0] == powers[1]:
        return np.asarray(np.round(distance, _DIGITS - powers[0]), np.float64)
    first = np.ceil(np.log10(abs(cut) + distance))
    for power in np.unique(first).tolist():
        np.copyto(distance, np.round(distance, _DIGITS - int(power)), where=first == power)
    return distance
