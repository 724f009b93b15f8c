"""What one row more would do to a number of a ranking: its influence, from which variances come.

A number's variance is the sum over the rows of their squared influence. For the area under the ROC curve
that is the variance of DeLong et al. (1988), Biometrics 44:837. Rows of a group move together, so there the
influences of a group are added first, as Obuchowski (1997), Biometrics 53:567, does for the area.

Influences go with the scores, one for the positives at a score and one for the negatives, and are made in
blocks from the best score down, so that no array as long as the data is needed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallymark.metrics.scores import blocks, part_of, room
from tallymark.tallies import GroupedScores, Scores

Floats = NDArray[np.float64]
_ONE_ROW = 1e-9
"""Kish's number of one row is 1 but for rounding."""


class Influence(NamedTuple):
    """Of the rows at some neighbouring scores."""

    at: slice
    of_positive: Floats
    of_negative: Floats


Influences = Callable[[], Iterator[Influence]]


def of_auc(t: Scores, area: float) -> Iterator[Influence]:
    """A row's placement among the rows of the other class, less the mean."""
    positives, negatives = t.n_positive, t.n_negative
    for each in blocks(t):
        # Ties count half: a placement is the mean of the shares above and below the tied rows.
        beaten = 1 - (each.fp_before + each.fp) / (2 * negatives)
        beaten_by = (each.tp_before + each.tp) / (2 * positives)
        yield Influence(each.at, (beaten - area) / positives, (beaten_by - area) / negatives)


def of_partial_share(t: Scores, fpr: float, share: float) -> Iterator[Influence]:
    """Of the partial area over its limit: as of the whole, but the limit is a quantile of the negatives."""
    positives, negatives = t.n_positive, t.n_negative
    height = _height(t, fpr)
    for each in blocks(t):
        start, end = each.fp_before / negatives, each.fp / negatives
        above = np.clip((fpr - start) / np.where(end > start, end - start, 1.0), 0.0, 1.0)
        before, after = each.tp_before / positives, each.tp / positives
        # Of tied rows, those above the limit: their mean height on the line to where it is cut.
        mean = before + (after - before) * above / 2
        yield Influence(
            each.at,
            (room(each, negatives, fpr) / fpr - share) / positives,
            (above * (mean - height) / fpr - (share - height)) / negatives,
        )


def _height(t: Scores, fpr: float) -> float:
    """The true positive rate where the false positive rate reaches the limit, on a line between points."""
    limit = fpr * t.n_negative
    for each in blocks(t):
        reached = np.flatnonzero(each.fp >= limit)
        if len(reached):
            at = reached[0]
            along = (limit - each.fp_before[at]) / each.negatives[at] if each.negatives[at] else 1.0
            return float((each.tp_before[at] + along * each.positives[at]) / t.n_positive)
    return 1.0


def of_average_precision(t: Scores, value: float, *, fixed: bool) -> Iterator[Influence]:
    """A row counts in its own precision if it is positive, and in that of every positive below it.

    With `fixed` class shares only the rows of a class differ from each other, not the number of them.
    """
    lifted, lowered = _below(t)
    of_class = [0.0, 0.0]
    if fixed:
        for at, *sides in of_average_precision(t, value, fixed=False):
            of_class[0] += float((t.positives[at] * sides[0]).sum()) / t.n_positive
            of_class[1] += float((t.negatives[at] * sides[1]).sum()) / (t.n_negative or 1)
    for each in blocks(t):
        gains = part_of(each.positives, each.called)
        losses = gains * each.precision
        lift, cost = (
            total - np.concatenate([[0.0], np.cumsum(part)])
            for total, part in ((lifted, gains), (lowered, losses))
        )
        lifted, lowered = lift[-1], cost[-1]
        own = each.precision - value
        yield Influence(
            each.at,
            (own + lift[:-1] - cost[:-1]) / t.n_positive - of_class[0],
            -cost[:-1] / t.n_positive - of_class[1],
        )


@np.errstate(under="ignore")
def _below(t: Scores) -> tuple[float, float]:
    """Over all positives: what one more positive above adds to their precision, and one more row takes."""
    gain = loss = 0.0
    for each in blocks(t):
        gains = part_of(each.positives, each.called)
        gain += float(gains.sum())
        loss += float((gains * each.precision).sum())
    return gain, loss


# --- variances -------------------------------------------------------------------------------


class Spread(NamedTuple):
    """What influences say of a number's variance."""

    variance: float
    """NaN where a class has but one row, or one group."""
    parts: tuple[float, float]
    """What the positives and the negatives add to it."""
    carriers: float
    """How many rows or groups the variance rests on; few that count for much make it unsure."""
    freedom: float
    """Degrees of freedom; infinite for rows, which are many wherever the variance is used."""
    worth: tuple[float, float]
    """As many independent rows of either class would tell as much."""


def spread_of(t: Scores, influences: Influences, groups: GroupedScores | None = None) -> Spread:
    """The variance of the number whose rows have these influences."""
    rows = _of_rows(t, influences)
    return rows if groups is None else _of_groups(groups, list(influences()), rows)


@np.errstate(under="ignore")
def _of_rows(t: Scores, influences: Influences) -> Spread:
    counts = t.positives, t.negatives
    squares = t.squares or counts
    totals, fourth = np.zeros(2), 0.0
    for at, *sides in influences():
        for side, influence in enumerate(sides):
            shares = squares[side][at] * np.square(influence)
            totals[side] += shares.sum()
            # Of rows that share a score: as many of them as their weights are worth have each as much.
            alike = np.square(counts[side][at].astype(float))
            fourth += float(np.sum(np.square(shares) * squares[side][at] / np.where(alike > 0, alike, 1.0)))
    # As from one row less: the mean they are measured from is theirs.
    rows = t.effective
    up, down = (
        float(part) * n / (n - 1) if n > 1 + _ONE_ROW else math.nan
        for part, n in zip(totals, rows, strict=True)
    )
    return Spread(up + down, (up, down), _ratio(float(totals.sum()) ** 2, fourth), math.inf, rows)


def _of_groups(groups: GroupedScores, influences: list[Influence], rows: Spread) -> Spread:
    sides = [np.concatenate([each[side] for each in influences]) for side in (1, 2)]
    none, one = np.zeros(len(sides[0])), np.ones(len(sides[0]))
    up, down = groups.per_group(sides[0], none), groups.per_group(none, sides[1])
    sizes = groups.per_group(one, none), groups.per_group(none, one)
    number = [int(np.count_nonzero(size)) for size in sizes]
    own = [_ratio(float(each @ each) * n, n - 1) for each, n in zip((up, down), number, strict=True)]
    variance = sum(own) + 2 * float(up @ down) * len(groups) / (len(groups) - 1)
    together = np.square(up + down)
    # Welch and Satterthwaite: the class that is in fewer groups is the one that is unsure.
    unsure = sum(_ratio(each**2, n - 1) for each, n in zip(own, number, strict=True))
    freedom = min(len(groups) - 1.0, _ratio(sum(own) ** 2, unsure))
    # A variance larger than that of as many independent rows takes away from what they are worth, but even
    # rows of a group that are all alike are worth one.
    design = max(1.0, variance / rows.variance) if variance > 0 and rows.variance > 0 else math.inf
    least = [float(size.sum()) ** 2 / float(size @ size) if size.any() else 0.0 for size in sizes]
    worth = max(least[0], rows.worth[0] / design), max(least[1], rows.worth[1] / design)
    carriers = _ratio(float(together.sum()) ** 2, float(together @ together))
    return Spread(variance, (own[0], own[1]), carriers, freedom, worth)


def _ratio(top: float, bottom: float) -> float:
    return top / bottom if bottom else math.nan
