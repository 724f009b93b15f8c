"""A tally of scores dealt into parts that add up to it: to fit on some rows what is tried on others."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark.errors import OptionError
from tallymark.tallies import GroupedScores, Scores
from tallymark.tallies.confusion import frozen

Counts = NDArray[Any]
_MOST_DEALT = 1 << 25
"""Rows that are dealt one by one; of more, every score's by chance."""


def folds_of(
    scores: Scores, k: int = 5, seed: int = 0, groups: GroupedScores | None = None
) -> tuple[Scores, ...]:
    """The rows dealt at random into `k` parts, of either class as many to each.

    With groups a group stays whole. Of rows with weights a tally only has the sums, so those of a class that
    share a score are dealt as if they were equally heavy, as many as Kish's number says.

    >>> folds = folds_of(Scores.from_bins([6, 4], [5, 5], edges=[1, 0.5, 0]), k=5)
    >>> [fold.n for fold in folds], sum(folds).positives.tolist()
    ([4, 4, 4, 4, 4], [6, 4])
    """
    if groups is not None:
        return tuple(fold.total for fold in grouped_folds_of(groups, k, seed))
    return tuple(_only(fold, _there(fold)) for fold in aligned_folds(scores, k, seed))


def grouped_folds_of(groups: GroupedScores, k: int = 5, seed: int = 0) -> tuple[GroupedScores, ...]:
    """The groups dealt at random into `k` parts; each part knows its groups."""
    of_group, folds = _of_group(groups, k, seed), aligned_grouped_folds(groups, k, seed)
    return tuple(_only_groups(fold, of_group == number) for number, fold in enumerate(folds))


def aligned_folds(scores: Scores, k: int = 5, seed: int = 0) -> Iterator[Scores]:
    """The same parts one by one, each at all scores of the tally, also those it has no rows of.

    So a part can be taken away from the tally place by place.
    """
    generator = np.random.default_rng(seed)
    counts = scores.positives, scores.negatives
    units = counts if scores.squares is None else tuple(map(_kish, counts, scores.squares))
    sides = [_dealt(*side, _checked(k), generator) for side in zip(counts, units, strict=True)]
    entries = [int(each.sum()) for each in units]
    rows = _rows(scores, [sum(len(range(fold, each, k)) for each in entries) for fold in range(k)])
    for fold in range(k):
        positives, negatives = (dealt(fold) for dealt in sides)
        yield _part(scores, positives, negatives, rows[fold], first=not fold)


def aligned_grouped_folds(groups: GroupedScores, k: int = 5, seed: int = 0) -> Iterator[GroupedScores]:
    """The same of parts of the groups, each with all keys, also those of groups it has nothing of."""
    total = groups.total
    of_entry = _of_group(groups, k, seed)[groups.group]
    rows = _rows(total, np.bincount(of_entry, minlength=k).tolist())
    for fold in range(k):
        entries = np.flatnonzero(of_entry == fold)
        place, sides = groups.place[entries], (groups.positives[entries], groups.negatives[entries])
        positives, negatives = (
            np.bincount(place, side, len(total.score)).astype(side.dtype) for side in sides
        )
        part = _part(total, positives, negatives, rows[fold], first=not fold)
        yield GroupedScores(part, groups.keys, groups.group[entries], place, *sides)


def _checked(k: int) -> int:
    if isinstance(k, bool) or not isinstance(k, int) or k < 2:
        raise OptionError(f"folds must be a whole number from 2 up; got {k!r}.")
    return k


def _of_group(groups: GroupedScores, k: int, seed: int) -> NDArray[np.int64]:
    """The part that each group is dealt to."""
    return np.random.default_rng(seed).permutation(np.arange(len(groups)) % _checked(k))


def _kish(amounts: Counts, squares: Counts) -> Counts:
    """As how many equally heavy rows the rows behind each sum of weights count."""
    number = np.divide(amounts.astype(float) ** 2, squares, out=np.zeros(len(amounts)), where=squares > 0)
    return np.asarray(np.maximum(np.rint(number), amounts > 0).astype(np.int64))


def _dealt(amounts: Counts, rows: Counts, k: int, generator: np.random.Generator) -> Callable[[int], Counts]:
    """What a part gets of every amount, which so many equal rows make up.

    Parts are of the same size, but not alike along the scores: were they, a part would tell of the others.
    """
    whole = rows is amounts

    def share(dealt: Counts) -> Counts:
        return dealt if whole else amounts * np.divide(dealt, rows, out=np.zeros(len(rows)), where=rows > 0)

    if int(rows.sum()) > _MOST_DEALT:
        parts = generator.multinomial(rows, np.full(k, 1 / k)).T  # so many are as good as even
        return lambda fold: share(parts[fold])
    place = np.repeat(np.arange(len(rows)), rows)
    part = np.tile(np.arange(k, dtype=np.min_scalar_type(k)), -(-len(place) // k))[: len(place)]
    generator.shuffle(part)
    return lambda fold: share(np.bincount(np.compress(part == fold, place), minlength=len(rows)))


def _rows(scores: Scores, sizes: list[int]) -> list[int | None]:
    """Rows of each part: with weights nobody counted them apart, so as many as its share of the deal."""
    if scores.squares is None:
        return [None] * len(sizes)
    # Rounded down, for then a part with entries has rows.
    ends = np.cumsum([0, *sizes]) * scores.rows // max(1, sum(sizes))
    return list(map(int, np.diff(ends)))


def _part(scores: Scores, positives: Counts, negatives: Counts, rows: int | None, *, first: bool) -> Scores:
    """The part with these counts; the first has all that was dropped."""
    squares = None
    if scores.squares is not None:
        sides = zip(scores.squares, (scores.positives, scores.negatives), (positives, negatives), strict=True)
        up, down = (frozen(square * _share(part, every)) for square, every, part in sides)
        squares = (up, down)
    dropped = scores.dropped if first else None
    return scores.with_counts(positives, negatives, squares=squares, rows=rows, dropped=dropped)


def _share(part: Counts, whole: Counts) -> NDArray[np.float64]:
    """Where groups share a score, squared weights are shared out as the weights are."""
    return np.asarray(np.divide(part, whole, out=np.zeros(len(part)), where=whole > 0))


def _there(part: Scores) -> NDArray[np.bool_]:
    """Which of the scores it has rows of."""
    return np.asarray((part.positives > 0) | (part.negatives > 0))


def _only(part: Scores, there: NDArray[np.bool_]) -> Scores:
    """Without the scores it has no rows of."""
    squares = None if part.squares is None else (part.squares[0][there], part.squares[1][there])
    return Scores(
        part.score[there],
        part.positives[there],
        part.negatives[there],
        squares=squares,
        positive=part.positive,
        edges=part.edges,
        rows=part.rows,
        dropped=part.dropped,
        reach=None if part.reach is None else part.reach[there],
    )


def _only_groups(part: GroupedScores, own: NDArray[np.bool_]) -> GroupedScores:
    """Without the scores and groups that are of other parts."""
    there = _there(part.total)
    return GroupedScores(
        _only(part.total, there),
        tuple(key for key, here in zip(part.keys, own.tolist(), strict=True) if here),
        (np.cumsum(own) - 1)[part.group],
        (np.cumsum(there) - 1)[part.place],
        part.positives,
        part.negatives,
    )
