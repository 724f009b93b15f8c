"""What one row more would do to the areas of several classes: its influence, from which variances come.

All four means of areas are linear in the areas `[i, j]` of class i among rows of i and j, and how much each
of these counts depends on the shares of the classes alone. So one pass over the columns, with one sort of
each, gives all areas and the influence of every row on all four means.

A row of class c takes part in the areas [c, j], by the share of class j that it beats, and in the areas
[i, c], by the share of class i that beats it: these are the placements of DeLong et al. (1988), Biometrics
44:837. Rows of a group move together, so there the influences of a group are added first.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Codes = NDArray[np.intp]
ONE_ROW = 1 + 1e-9
"""Kish's number of one row is 1 but for rounding."""


@dataclass(frozen=True, eq=False)
class Rows:
    """Which class every row is of, what it weighs, and which group it belongs to."""

    classes: Codes
    weight: Floats | None
    """None when every row counts once."""
    frequency: bool
    """Whether a weight says how many rows there are."""
    group: tuple[int, Codes] | None
    """How many groups there are, and which of them each row is of."""
    size: int
    """How many classes there are."""

    @property
    def number(self) -> int:
        """Rows counted, whatever their weight."""
        if self.weight is None:
            return len(self.classes)
        return int(self.weight.sum()) if self.frequency else int(np.count_nonzero(self.weight))

    @property
    def groups(self) -> int | None:
        """Groups that weigh anything."""
        if self.group is None:
            return None
        number, group = self.group
        return int(np.count_nonzero(np.bincount(group, self.weight, number)))

    @property
    def effective(self) -> Floats:
        """Kish's effective number of rows of every class."""
        squares = self.per_class(self.times_squares(np.ones(len(self.classes))))
        return _ratio(self.per_class(self.weight) ** 2, squares)

    def per_class(self, amounts: Floats | None) -> Floats:
        """Sums over the rows of every class; without amounts, how many rows."""
        return np.bincount(self.classes, amounts, self.size).astype(float)

    def times_weight(self, amounts: Floats) -> Floats:
        return amounts if self.weight is None else amounts * self.weight

    def times_squares(self, amounts: Floats) -> Floats:
        """Times the squared weight; so many rows of weight 1 have that many squares."""
        once = self.times_weight(amounts)
        return once if self.frequency else self.times_weight(once)


def counting(shares: Floats) -> Floats:
    """How much every area counts in macro and weighted one-vs-rest and in macro and weighted one-vs-one.

    Classes without rows have a share of 0.
    """
    size, there = len(shares), shares > 0
    number = int(there.sum())
    rest = np.divide(1.0, 1 - shares, out=np.zeros(size), where=shares < 1)
    both = np.multiply.outer(there, there) & ~np.eye(size, dtype=bool)
    of_rest = rest[:, None] * shares[None, :]
    means = (
        of_rest / number,
        shares[:, None] * of_rest,
        np.full((size, size), 1 / (number * (number - 1))),
        (shares[:, None] + shares[None, :]) / (2 * (number - 1)),
    )
    return np.where(both, np.stack(means), 0.0)


def passed(table: NDArray[Any], rows: Rows, support: Floats, counts: Floats) -> tuple[Floats, Floats]:
    """The pairs won, class by class, and of every row its part in each of the means."""
    won, parts = np.zeros((rows.size, rows.size)), np.zeros((len(counts), len(table)))
    for own in np.flatnonzero(support).tolist():
        column = np.ascontiguousarray(table[:, own])
        won[own] = _column(column, rows, own, support, counts[:, own], parts)
    return won, parts


def _column(
    column: NDArray[Any], rows: Rows, own: int, support: Floats, counts: Floats, parts: Floats
) -> Floats:
    """The score of one class: the pairs its rows win, and what every row adds to the means by it."""
    order = np.argsort(column)
    ranked, classes = column[order], rows.classes[order]
    weight = None if rows.weight is None else rows.weight[order]
    last = np.flatnonzero(np.append(ranked[1:] != ranked[:-1], True))

    def below(amounts: Floats) -> Floats:
        """Of every row that has no such amount itself: what stands below it, and half of what is level."""
        total = np.cumsum(amounts)
        if len(last) == len(total):
            return np.asarray(total)
        ends = total[last]
        return np.repeat((ends + np.concatenate([[0.0], ends[:-1]])) / 2, np.diff(last, prepend=-1))

    mine = classes == own
    amounts = mine.astype(float) if weight is None else mine * weight
    total = np.cumsum(amounts)[-1]
    above = total - below(amounts)
    amounts = above if weight is None else above * weight
    won: Floats = np.bincount(classes, amounts, rows.size).astype(float)
    if weight is not None:
        # Sums of weights are rounded, and a class that is always set apart must have an area of 1.
        not_by_all = np.bincount(classes, above != total, rows.size)
        won = np.where(not_by_all == 0, support * support[own], np.minimum(won, support * support[own]))
    won[own] = 0.0
    # In the order of the rows: the share of this class that beats each row of another class.
    beaten_by = np.empty(len(order))
    beaten_by[order] = above / total
    ours = order[mine]
    for count, part in zip(counts, parts, strict=True):
        part += count[rows.classes] * beaten_by
        shares = _ratio(count, support)[classes]
        part[ours] += below(shares if weight is None else shares * weight)[mine]
    return won


# --- variances -------------------------------------------------------------------------------


class ClassSpread(NamedTuple):
    """What influences say of the variance of a mean of areas."""

    variance: float
    carriers: float
    """How many rows or groups the variance rests on; few that count for much make it unsure."""
    freedom: float
    """Degrees of freedom; infinite for rows."""
    worth: Floats
    """As many independent rows of every class would tell as much."""


def spread_of(rows: Rows, support: Floats, part: Floats, of_class: Floats, largest: Floats) -> ClassSpread:
    """The variance of the mean in which every row has this part.

    `of_class` is what one more row of a class does to the mean by the shares of the classes alone, and 0
    where these are given. `largest` is the largest deviation there can be in a class, for a class of one row
    shows none.
    """
    mean = _ratio(rows.per_class(rows.times_weight(part)), support)
    within = (part - mean[rows.classes]) * _ratio(1.0, support)[rows.classes]
    each = within + (of_class / support.sum())[rows.classes]
    effective = rows.effective
    seen = rows.per_class(rows.times_squares(within**2))
    alone = (effective > 0) & (effective <= ONE_ROW)
    # As from one row less: the mean they are measured from is theirs.
    unseen = np.where(alone, largest**2, _ratio(seen, np.where(alone, 0.0, effective - 1)))
    shares = rows.times_squares(each**2)
    variance = float(shares.sum() + unseen.sum())
    if rows.group is None:
        fourth = float(np.sum(shares**2)) if not rows.frequency else float(np.sum(shares * each**2))
        return ClassSpread(variance, _number(float(shares.sum()) ** 2, fourth), math.inf, effective)
    return _of_groups(rows, rows.times_weight(each), variance, unseen[alone].sum(), effective)


def _of_groups(rows: Rows, each: Floats, of_rows: float, unseen: float, effective: Floats) -> ClassSpread:
    assert rows.group is not None
    number, group = rows.group
    amounts = rows.times_weight(np.ones(len(each)))
    together = np.bincount(group, each, number)
    here = rows.groups or 0
    own, groups, least = np.zeros(rows.size), np.zeros(rows.size), np.zeros(rows.size)
    for position in np.flatnonzero(effective).tolist():
        at = np.flatnonzero(rows.classes == position)
        totals, sizes = (np.bincount(group[at], side[at], number) for side in (each, amounts))
        own[position], groups[position] = totals @ totals, np.count_nonzero(sizes)
        least[position] = sizes.sum() ** 2 / (sizes @ sizes)
    every = here / (here - 1) if here > 1 else math.nan
    corrected = own * np.where(groups > 1, groups / np.maximum(groups - 1, 1), every)
    # What the classes of a group have in common.
    shared = float(together @ together - own.sum()) * every
    variance = float(corrected.sum()) + shared + unseen
    # Welch and Satterthwaite: the class that is in fewest groups is the one that is unsure.
    unsure = float(np.sum(corrected**2 / np.maximum(groups - 1, 1)))
    freedom = min(here - 1.0, _number(float(corrected.sum()) ** 2, unsure, here - 1.0))
    design = max(1.0, variance / of_rows) if variance > 0 and of_rows > 0 else math.inf
    squares = np.square(together)
    carriers = _number(float(squares.sum()) ** 2, float(squares @ squares))
    return ClassSpread(variance, carriers, freedom, np.maximum(least, effective / design))


def _ratio(top: Any, bottom: Floats) -> Floats:
    """0 where there is nothing to divide by."""
    return np.asarray(np.divide(top, bottom, out=np.zeros(len(bottom)), where=bottom > 0))


def _number(top: float, bottom: float, otherwise: float = math.nan) -> float:
    return top / bottom if bottom > 0 else otherwise
