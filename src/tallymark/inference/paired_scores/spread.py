"""The variance of a difference from what every row adds to it.

As `inference/influence.py` has it for one model, so that the difference from a model that says nothing has
the variance of the other one.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from tallymark.inference.paired_scores.ranked import Floats, Rows

_ONE_ROW = 1 + 1e-9
"""Kish's number of one row is 1 but for rounding."""


class RowSpread(NamedTuple):
    """What rows say of the variance of a difference."""

    variance: float
    """NaN where a class has but one row, or there is one group."""
    carriers: float
    """How many rows or groups the variance rests on."""
    freedom: float
    """Degrees of freedom; infinite for rows ranked, which are many wherever the variance is used."""


def of_classes(rows: Rows, influence: Floats) -> RowSpread:
    """Of numbers of a ranking: rows are measured from the mean of their class, which is theirs."""
    if rows.group is not None:
        return _of_groups(rows, influence)
    squares = np.square(influence)
    shares = rows.times_squares(squares)
    total = float(shares.sum())
    above = float(shares[rows.is_positive].sum())
    parts = (above, rows.effective(rows.is_positive)), (total - above, rows.effective(~rows.is_positive))
    variance = sum(part * n / (n - 1) if n > _ONE_ROW else math.nan for part, n in parts)
    return RowSpread(variance, _carriers(rows, shares, squares), math.inf)


def of_means(rows: Rows, amount: Floats) -> RowSpread:
    """Of the mean of something every row has."""
    weight = float(len(rows) if rows.weight is None else rows.weight.sum())
    apart = amount - float(rows.times_weight(amount).sum()) / weight
    if rows.group is not None:
        number, group = rows.group
        totals = np.bincount(group, rows.times_weight(apart), number) / weight
        squares = np.square(totals)
        variance = float(squares.sum()) * number / (number - 1) if number > 1 else math.nan
        return RowSpread(variance, _ratio(float(squares.sum()) ** 2, float(squares @ squares)), number - 1.0)
    squares = np.square(apart)
    shares = rows.times_squares(squares) / weight**2
    n = rows.effective()
    variance = float(shares.sum()) * n / (n - 1) if n > _ONE_ROW else math.nan
    return RowSpread(variance, _carriers(rows, shares, squares / weight**2), max(1.0, n - 1))


def _carriers(rows: Rows, shares: Floats, squares: Floats) -> float:
    # A frequency is so many rows that each have as much.
    fourth = float(np.sum(shares * squares) if rows.frequency else np.sum(np.square(shares)))
    return _ratio(float(shares.sum()) ** 2, fourth)


def _of_groups(rows: Rows, influence: Floats) -> RowSpread:
    """Obuchowski (1997), Biometrics 53:567: rows of a group move together, so theirs are added first."""
    assert rows.group is not None
    number, group = rows.group
    amounts, hit = rows.times_weight(influence), rows.is_positive
    if number < 2:
        return RowSpread(math.nan, math.nan, math.nan)
    up, down = (np.bincount(group, np.where(side, amounts, 0.0), number) for side in (hit, ~hit))
    of_class = [int(np.count_nonzero(np.bincount(group[side], minlength=number))) for side in (hit, ~hit)]
    own = [_ratio(float(each @ each) * n, n - 1) for each, n in zip((up, down), of_class, strict=True)]
    variance = sum(own) + 2 * float(up @ down) * number / (number - 1)
    # Welch and Satterthwaite: the class that is in fewer groups is the one that is unsure.
    unsure = sum(_ratio(each**2, n - 1) for each, n in zip(own, of_class, strict=True))
    freedom = min(number - 1.0, _ratio(sum(own) ** 2, unsure))
    together = np.square(up + down)
    return RowSpread(variance, _ratio(float(together.sum()) ** 2, float(together @ together)), freedom)


def _ratio(top: float, bottom: float) -> float:
    return top / bottom if bottom else math.nan
