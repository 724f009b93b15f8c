"""Intervals that hold those of all exact scores which bins of scores leave possible."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from tallymark.inference.influence import Spread
from tallymark.inference.influence_bounds import SpreadBounds
from tallymark.tallies import Scores

if TYPE_CHECKING:
    from tallymark.inference.ranking import Limits, Part

    Chosen = Callable[[str, Part, Spread], tuple[str, str | None, Limits]]

NOT_SURE = "only bins of the scores were counted, and how far its standard error is off is not certified"
FAR = "only bins of the scores were counted, and what it adds to the interval is not certified at every order"
_HALF = 0.5


class Sure(NamedTuple):
    """What bins leave open of a share."""

    share: tuple[float, float]
    spread: SpreadBounds | None
    """None where it is not known."""
    steepest: float | None = None
    """No standard error is more than so many times the distance of the share from 0 or 1; None: not known."""


def steepest_of_auc(t: Scores) -> float:
    """What rows lack of placements of 1 adds up to what the area lacks, and so do its squares at most."""
    factors = (n / (n - 1) if n > 1 else math.nan for n in t.effective)
    # With weights the mean that placements are measured from may add as much again.
    return math.sqrt(sum(factors) * (1 if t.squares is None else 2))


def over_bounds(
    chosen: Chosen, kind: str, part: Part, spread: Spread, sure: Sure, no_spread: float
) -> tuple[Limits, str | None]:
    """Limits that hold those of every share with every standard error, and what is not sure of them.

    On the logit scale the limits, seen from one end of the shares to the other, first rise and then fall, or
    fall and then rise, so they are farthest out at the ends.
    """
    low, high = sure.share
    shares, note = [low, part.share, high], None
    if sure.spread is None or math.isnan(spread.variance):
        worst, least = spread, spread.variance
        note = NOT_SURE if sure.spread is None else None
    else:
        worst = spread._replace(variance=sure.spread.se[1] ** 2, carriers=sure.spread.carriers)
        least = sure.spread.se[0] ** 2
        if sure.steepest is not None:
            # Where that is less than the largest standard error there is a corner, or one in the middle.
            corner = min(0.5, sure.spread.se[1] / sure.steepest)
            shares += [share for share in (corner, 1 - corner) if low < share < high]
    if sure.steepest is None:
        here = part.share * (1 - part.share)
        far = [share for share in shares if share * (1 - share) < _HALF * here]
        if far:
            # The closer to 0 or 1, the less a standard error can be, but nobody knows how much.
            shares = [share for share in shares if share not in far or share in (0, 1)]
            note = note or FAR
    each = [chosen(kind, replace(part, share=share), _at(share, worst, sure.steepest))[2] for share in shares]
    if least < no_spread:  # then the exact scores may show no variance at all
        alike = spread._replace(variance=0.0)
        each += [chosen(kind, replace(part, share=share), alike)[2] for share in shares]

    own = chosen(kind, part, worst)[2]

    def limits(level: float) -> tuple[float, float]:
        ends = [one(level) for one in each]
        if note is not None:  # as far beyond the bounds as the value's own interval reaches beyond it
            down, up = own(level)
            ends.append((max(0.0, low - (part.share - down)), min(1.0, high + (up - part.share))))
        return min(end[0] for end in ends), max(end[1] for end in ends)

    return limits, note


def _at(share: float, worst: Spread, steepest: float | None) -> Spread:
    if steepest is None or math.isnan(worst.variance):
        return worst
    most = (steepest * min(share, 1 - share)) ** 2
    return worst._replace(variance=min(worst.variance, most))
