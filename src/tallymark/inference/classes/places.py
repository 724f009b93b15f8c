"""The most probable class of every row, the place of its true class, and how sure shares of such rows are."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallymark.inference.classes.influence import ONE_ROW, Floats, Rows
from tallymark.inference.sets import UNLIKE

_BLOCK = 1 << 17
"""Scores looked at in one go, so that no second table as large as theirs is made."""
_NO_SPREAD = 1e-12


class Answers(NamedTuple):
    """What one probability per class says of every row."""

    answer: NDArray[np.int64]
    """The most probable class; of equals the first."""
    confidence: Floats
    """The highest probability."""
    margin: Floats
    """How far it is above the second highest."""
    tied: int
    """Rows in which several are the highest."""


def answered(table: NDArray[Any]) -> Answers:
    """The most probable class of every row, and how clear it is."""
    rows = len(table)
    answer, best, second = np.empty(rows, np.int64), np.empty(rows), np.empty(rows)
    length = max(1, _BLOCK // max(1, table.shape[1]))
    for start in range(0, rows, length):
        block = slice(start, start + length)
        scores = table[block]
        answer[block] = scores.argmax(axis=1)
        second[block], best[block] = np.partition(scores, -2, axis=1)[:, -2:].T
    # Rounded, so that margins that are equal on paper are equal.
    return Answers(answer, best, np.round(best - second, 15), int(np.count_nonzero(best == second)))


class TopSpread(NamedTuple):
    """How far the share of rows whose class has one of the first places spreads."""

    variance: float
    worth: float
    """As many independent rows would tell as much."""
    freedom: float


def placed(table: NDArray[Any], classes: NDArray[np.intp]) -> NDArray[np.intp]:
    """How many classes stand before the true one in every row; of equal scores, those of labels before."""
    before = np.empty(len(table), np.intp)
    positions = np.arange(table.shape[1])
    length = max(1, _BLOCK // max(1, table.shape[1]))
    for start in range(0, len(table), length):
        block = slice(start, start + length)
        scores, own = table[block], classes[block, None]
        true = np.take_along_axis(scores, own, axis=1)
        ahead = (scores > true) | ((scores == true) & (positions < own))
        before[block] = np.count_nonzero(ahead, axis=1)
    return before


def top_spreads(rows: Rows, place: NDArray[np.intp], shares: Floats | None) -> tuple[TopSpread, ...]:
    """Of the first place, the first two and so on; with given shares rows spread within their class only."""
    support = rows.per_class(rows.weight)
    if not support.any():
        return ()
    factor = np.ones(rows.size)
    if shares is not None:
        factor = np.divide(shares * support.sum(), support, out=factor, where=support > 0)
    amounts = rows.times_weight(factor[rows.classes]) / support.sum()
    squares = rows.times_squares(factor[rows.classes] ** 2) / support.sum() ** 2
    kinds = rows.classes * rows.size + place

    def within(values: Floats) -> Floats:
        """[c, k]: sums over the rows of class c whose place is k or a better one."""
        table = np.bincount(kinds, values, rows.size**2).reshape(rows.size, rows.size)
        return np.asarray(np.cumsum(table, axis=1))

    made = []
    for k, found in enumerate(_shares_of_rows(within(amounts), within(squares), fixed=shares is not None)):
        if rows.group is None:
            made.append(found.of_rows())
        else:
            each = amounts * ((place <= k) - found.centre[rows.classes])
            made.append(_of_groups(rows, each, found.variance, found.worth))
    return tuple(made)


def counted_spreads(places: NDArray[Any], squares: NDArray[Any] | None) -> tuple[TopSpread, ...]:
    """The same from how many rows have each place, or from the sums of their weights and of these squared."""
    total = float(places.sum())
    if not total:
        return ()
    hits = np.cumsum(places / total)[None, :]
    hit_squares = np.cumsum((places if squares is None else squares) / total**2)[None, :]
    return tuple(found.of_rows() for found in _shares_of_rows(hits, hit_squares, fixed=False))


class _Share(NamedTuple):
    """A share of rows, each of which is hit or missed."""

    variance: float
    worth: float
    centre: Floats
    """What rows of every class spread around."""
    effective: float

    def of_rows(self) -> TopSpread:
        """When rows are independent: as from one less, for the share they are measured from is theirs."""
        n = self.effective
        return TopSpread(self.variance * (n / (n - 1) if n > ONE_ROW else 1.0), self.worth, math.inf)


def _shares_of_rows(hits: Floats, hit_squares: Floats, *, fixed: bool) -> Iterator[_Share]:
    """Of the first place, the first two and so on, from sums over rows of class c up to place k, [c, k]."""
    effective = 1 / float(hit_squares[:, -1].sum())
    for k in range(hits.shape[1]):
        share = float(hits[:, k].sum())
        centre = np.full(len(hits), share)
        if fixed:
            centre = np.divide(hits[:, k], hits[:, -1], out=centre, where=hits[:, -1] > 0)
        missed = hit_squares[:, -1] - hit_squares[:, k]
        variance = float((hit_squares[:, k] * (1 - centre) ** 2 + missed * centre**2).sum())
        worth = effective
        largest = share * (1 - share)
        if fixed and largest > _NO_SPREAD:
            # As for means of other numbers between two ends: inference/sets.py.
            each = variance * effective
            worth = effective * largest * (effective + UNLIKE) / (effective * each + UNLIKE * largest)
        yield _Share(variance, worth, centre, effective)


def _of_groups(rows: Rows, each: Floats, of_rows: float, worth: float) -> TopSpread:
    assert rows.group is not None
    number, group = rows.group
    totals = np.bincount(group, each, number)
    sizes = np.bincount(group, rows.weight, number).astype(float)
    here = int(np.count_nonzero(sizes))
    variance = float(totals @ totals) * (here / (here - 1) if here > 1 else 1.0)
    # Even rows of a group that are all alike are worth one.
    design = max(1.0, variance / of_rows) if of_rows > 0 else math.inf
    least = float(sizes.sum()) ** 2 / float(sizes @ sizes)
    return TopSpread(variance, max(least, worth / design), here - 1.0)
