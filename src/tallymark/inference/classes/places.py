"""Which place the true class of every row has among its scores, and how sure shares of such rows are."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallymark.inference.classes.influence import ONE_ROW, Floats, Rows
from tallymark.inference.sets import UNLIKE

_BLOCK = 1 << 17
"""Scores looked at in one go, so that no second table as large as theirs is made."""
_NO_SPREAD = 1e-12


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

    hits, hit_squares = within(amounts), within(squares)
    effective = 1 / float(hit_squares[:, -1].sum())
    made = []
    for k in range(rows.size):
        share = float(hits[:, k].sum())
        centre = np.full(rows.size, share)
        if shares is not None:
            centre = np.divide(hits[:, k], hits[:, -1], out=centre, where=hits[:, -1] > 0)
        missed = hit_squares[:, -1] - hit_squares[:, k]
        variance = float((hit_squares[:, k] * (1 - centre) ** 2 + missed * centre**2).sum())
        worth = effective
        largest = share * (1 - share)
        if shares is not None and largest > _NO_SPREAD:
            # As for means of other numbers between two ends: inference/sets.py.
            each = variance * effective
            worth = effective * largest * (effective + UNLIKE) / (effective * each + UNLIKE * largest)
        if rows.group is not None:
            made.append(_of_groups(rows, amounts * ((place <= k) - centre[rows.classes]), variance, worth))
            continue
        variance *= effective / (effective - 1) if effective > ONE_ROW else 1.0
        made.append(TopSpread(variance, worth, math.inf))
    return tuple(made)


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
