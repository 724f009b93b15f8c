"""Rows ranked by the score of one model, so that what goes with a score can be given back to the rows.

Ranking ten million rows takes one sort. `argsort` is twice as slow as a sort of whole numbers that hold a
score's place on a fine grid and the row's position; the few rows that share a place on the grid but not a
score are put in order afterwards, so nothing is rounded.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark.inference.influence import Influences
from tallymark.tallies import GroupedScores, Scores
from tallymark.tallies.confusion import frozen

Floats = NDArray[np.float64]
Positions = NDArray[np.int64]
_WORTH_PACKING = 1 << 16
_SCALES = (1, 10, 100, 1_000, 10_000)
_TRIED = 1_000
_MOST_STEPS = (1 << 16) - 1
_MOST_TO_MEND = 8
"""One row in so many may share its place on the grid with another score; else all rows are sorted anew."""


@dataclass(frozen=True, eq=False)
class Rows:
    """What is known of every row but its scores."""

    is_positive: NDArray[np.bool_]
    weight: NDArray[Any] | None
    """None when every row counts once; never 0."""
    frequency: bool
    """Whether a weight says how many rows there are."""
    group: tuple[int, Positions] | None
    """How many groups there are, and which of them each row is of; all have rows."""

    def __len__(self) -> int:
        return len(self.is_positive)

    def times_weight(self, amounts: NDArray[Any]) -> NDArray[Any]:
        return amounts if self.weight is None else amounts * self.weight

    def times_squares(self, amounts: NDArray[Any]) -> NDArray[Any]:
        """Times the squared weight; so many rows of weight 1 have that many squares."""
        once = self.times_weight(amounts)
        return once if self.frequency else self.times_weight(once)

    def effective(self, side: NDArray[np.bool_] | None = None) -> float:
        """Kish's effective number of rows, of one class or of all."""
        if self.weight is None:
            return float(len(self) if side is None else np.count_nonzero(side))
        weight = (self.weight if side is None else self.weight[side]).astype(float)
        squares = weight if self.frequency else weight**2
        return float(weight.sum() ** 2 / squares.sum()) if len(weight) else 0.0


def rows_of(
    is_positive: NDArray[Any],
    weight: NDArray[Any] | None,
    weight_kind: str,
    groups: tuple[int, NDArray[Any]] | None,
) -> tuple[Rows, NDArray[np.int64] | slice]:
    """The rows that weigh anything, and which these are; groups without such rows are left out."""
    seen: NDArray[np.int64] | slice = slice(None)
    if weight is not None and not weight.all():
        seen = np.flatnonzero(weight)
        weight = weight[seen]
    group = None
    if groups is not None:
        codes = np.asarray(groups[1])[seen].astype(np.int64, copy=False)
        there = np.bincount(codes, minlength=groups[0]) > 0
        group = int(there.sum()), codes if there.all() else (np.cumsum(there) - 1)[codes]
    frequency = weight_kind == "frequency"
    return Rows(np.asarray(is_positive, np.bool_)[seen], weight, frequency, group), seen


@dataclass(frozen=True, eq=False)
class RankedRows:
    """The rows in the order of one model's scores."""

    rows: Rows
    score: Floats

    @cached_property
    def order(self) -> Positions:
        """The rows, best score first."""
        return best_first(self.score)

    @cached_property
    def _ranked(self) -> tuple[Floats, Positions | None]:
        """The distinct scores, and where in the order each begins."""
        ranked = self.score[self.order]
        new = np.ones(len(ranked), np.bool_)
        np.not_equal(ranked[1:], ranked[:-1], out=new[1:])
        if new.all():
            return frozen(ranked), None
        starts = np.flatnonzero(new)
        return frozen(ranked[starts]), starts

    @property
    def starts(self) -> Positions | None:
        """Where in the order each distinct score begins; None when no two rows have the same."""
        return self._ranked[1]

    @cached_property
    def scores(self) -> Scores:
        """The same rows counted by score."""
        rows, (distinct, starts) = self.rows, self._ranked
        hits = rows.is_positive[self.order]

        def added(amounts: NDArray[Any]) -> NDArray[Any]:
            return frozen(amounts if starts is None else np.add.reduceat(amounts, starts))

        if rows.weight is None:
            positives = hits.astype(np.int64)
            return Scores(distinct, added(positives), added(1 - positives))
        weight = rows.weight[self.order]
        sides = [weight * side for side in (hits, ~hits)]
        if rows.frequency:
            return Scores(distinct, added(sides[0]), added(sides[1]))
        # Squared as floats: the square of a whole weight may leave int64.
        squares = [added(np.square(side, dtype=float)) for side in sides]
        counts = [added(side) for side in sides]
        return Scores(distinct, *counts, squares=(squares[0], squares[1]), rows=len(hits))

    @cached_property
    def grouped(self) -> GroupedScores | None:
        """The same by group."""
        rows = self.rows
        if rows.group is None or not len(rows):
            return None
        place = np.empty(len(rows), np.int64)
        distinct, starts = self._ranked
        times = 1 if starts is None else np.diff(starts, append=len(rows))
        place[self.order] = np.repeat(np.arange(len(distinct)), times)
        amounts = np.ones(len(rows), np.int64) if rows.weight is None else rows.weight
        number, group = rows.group
        sides = amounts * rows.is_positive, amounts * ~rows.is_positive
        return GroupedScores(self.scores, tuple(range(number)), group, place, *sides)

    def per_row(self, influences: Influences) -> Floats:
        """What goes with the scores, given to the rows."""
        order, starts, hit = self.order, self.starts, self.rows.is_positive
        given = np.empty(len(order))
        for at, up, down in influences():
            if starts is None:
                rows = order[at]
            else:
                edges = np.append(starts[at], starts[at.stop] if at.stop < len(starts) else len(order))
                rows, times = order[edges[0] : edges[-1]], np.diff(edges)
                up, down = np.repeat(up, times), np.repeat(down, times)
            given[rows] = np.where(hit[rows], up, down)
        return given

    def ranks_like(self, other: RankedRows) -> bool:
        """Whether another model ranks all rows alike, ties and all."""
        theirs, starts = other.score[self.order], self.starts
        falls = np.flatnonzero(theirs[1:] < theirs[:-1]) + 1
        begin = np.arange(1, len(theirs)) if starts is None else starts[1:]
        return bool(np.array_equal(falls, begin) and (theirs[1:] <= theirs[:-1]).all())


def ranked_rows(
    scores: Iterable[NDArray[Any]],
    is_positive: NDArray[Any],
    weight: NDArray[Any] | None,
    weight_kind: str,
    groups: tuple[int, NDArray[Any]] | None,
) -> list[RankedRows]:
    """The same rows in the order of every model's scores."""
    rows, seen = rows_of(is_positive, weight, weight_kind, groups)
    return [RankedRows(rows, np.asarray(score, np.float64)[seen]) for score in scores]


def best_first(score: Floats) -> Positions:
    """The rows in the order of their scores, the highest first."""
    if len(score) >= _WORTH_PACKING:
        steps = _steps(score)
        if steps is not None:
            return np.argsort(steps, kind="stable")  # of such narrow numbers by their digits
        packed = _packed(score)
        if packed is not None:
            return packed
    return np.argsort(-score, kind="stable")


def _steps(score: Floats) -> NDArray[np.uint16] | None:
    """How many steps scores of few decimals, such as votes and percentages, are below the highest."""
    first = score[:_TRIED]
    for scale in _SCALES:
        with np.errstate(over="ignore"):
            short = np.array_equal(np.rint(first * scale) / scale, first)
        if short:
            highest = float(score.max())
            if (highest - float(score.min())) * scale >= _MOST_STEPS:
                return None
            steps = np.rint(score * scale)
            # The very division that gives the score back, so nothing is rounded.
            same = np.array_equal(steps / scale, score)
            return (np.rint(highest * scale) - steps).astype(np.uint16) if same else None
    return None


def _packed(score: Floats) -> Positions | None:
    """The same by a sort of whole numbers; None where too many scores share their place on the grid."""
    bits = (len(score) - 1).bit_length()
    highest, steps = float(score.max()), 2.0 ** (64 - bits) - 1
    span = highest - float(score.min())
    scale = steps / span if span > 0 else 0.0
    if not 0 < scale < np.inf or not np.isfinite(span):
        return None
    keys = np.subtract(highest, score)
    keys *= scale
    codes = keys.astype(np.uint64)
    del keys
    codes <<= np.uint64(bits)
    codes |= np.arange(len(score), dtype=np.uint64)
    codes.sort()
    order = (codes & np.uint64((1 << bits) - 1)).astype(np.int64)
    codes >>= np.uint64(bits)
    level = codes[1:] == codes[:-1]
    if not level.any():
        return order
    # Rows on one place of the grid: in order if they have one score.
    after = np.flatnonzero(level) + 1
    apart = after[score[order[after]] != score[order[after - 1]]]
    if not len(apart):
        return order
    mixed = np.unique(codes[apart])
    first, last = np.searchsorted(codes, mixed), np.searchsorted(codes, mixed, side="right")
    if int((last - first).sum()) > len(score) // _MOST_TO_MEND:
        return None
    places = np.repeat(first, last - first) + _counting_up(last - first)
    rows = order[places]
    order[places] = rows[np.lexsort((-score[rows], codes[places]))]
    return order


def _counting_up(lengths: Positions) -> Positions:
    """0, 1, 2 and so on, anew for every length."""
    ends = np.cumsum(lengths)
    return np.arange(int(ends[-1])) - np.repeat(ends - lengths, lengths)
