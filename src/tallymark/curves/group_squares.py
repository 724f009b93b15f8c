"""How much the rows above every threshold are worth, when rows of a group belong together."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark.intervals import z_quantile
from tallymark.tallies import GroupedScores

Floats = NDArray[np.float64]

_CLUMPED = 1.0
"""Errors taken to have shown the worst clumping, where few have shown any."""


def worth_of_groups(groups: GroupedScores, level: float) -> Floats:
    """At each threshold, so many independent rows would say as much about the share of positives above it.

    Wilson's interval of that share at this level, from so many rows, is then that of the groups: the share
    is a ratio of two sums over groups, whose linearised variance shows what a row is worth (Cochran 1977,
    Sampling Techniques, 6.3), and with few groups it reaches as far as Student says. NaN where fewer than
    two groups have rows.
    """
    total = groups.total
    above, wrong = total.tp + total.fp, total.fp
    squared = above if total.squares is None else _running(total.squares[0] + total.squares[1])
    of_wrong, of_both, of_all = products_above(groups, groups.negatives, groups.positives + groups.negatives)
    number = _groups_above(groups)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = wrong / above
        one_row, worst = squared / above, of_all / above
        spread = of_wrong - 2 * share * of_both + share**2 * of_all
        seen = spread * number / (number - 1) / (wrong * (1 - share))
        # Where all rows are alike nothing is seen of how they clump.
        seen = np.where(wrong * (1 - share) > 0, np.maximum(one_row, seen), worst)
        # Few errors tell little of it, so one error more is taken to have shown the worst there is.
        errors = np.minimum(wrong, above - wrong) / one_row
        weight = (errors * seen + _CLUMPED * np.maximum(seen, worst)) / (errors + _CLUMPED)
        # Wilson's limits depend on n / z**2 only, so another quantile is as good as fewer rows.
        return np.asarray(above / weight * (z_quantile(level) / _student(number, level)) ** 2)


def products_above(
    groups: GroupedScores, one: NDArray[Any], other: NDArray[Any]
) -> tuple[Floats, Floats, Floats]:
    """At each threshold, over the groups: one**2, one * other and other**2 of what each has above it.

    Both columns have an amount for every entry. As the threshold sinks a group's sums grow entry by entry,
    and their products with them.
    """
    import polars as pl

    order = np.lexsort((groups.place, groups.group))
    place, group = groups.place[order], groups.group[order]
    starts = np.flatnonzero(np.diff(group, prepend=-1))

    def within(amounts: NDArray[Any]) -> tuple[Floats, Floats]:
        """Of each entry, what its group has before it, and with it."""
        table = pl.DataFrame({"group": group, "amount": amounts[order].astype(float)})
        # Not a difference of sums over all groups, in which a light group beside a heavy one is lost.
        after = table.select(pl.col("amount").cum_sum().over("group")).to_series().to_numpy()
        before = np.concatenate(([0.0], after[:-1]))
        before[starts] = 0
        return before, after

    def along(steps: Floats) -> Floats:
        return _running(np.bincount(place, weights=steps, minlength=len(groups.total.score)))

    first, second = within(one), within(other)
    return (
        along(first[1] ** 2 - first[0] ** 2),
        along(first[1] * second[1] - first[0] * second[0]),
        along(second[1] ** 2 - second[0] ** 2),
    )


def _groups_above(groups: GroupedScores) -> Floats:
    """At each threshold, how many groups have rows above it."""
    size = len(groups.total.score)
    highest = np.full(len(groups), size)
    np.minimum.at(highest, groups.group, groups.place)
    return _running(np.bincount(highest, minlength=size + 1)[:size])


def _running(amounts: NDArray[Any]) -> Floats:
    return np.concatenate([[0.0], np.cumsum(amounts)])


def _student(number: Floats, level: float) -> Floats:
    """Standard errors to reach, with so many groups; NaN for fewer than two."""
    from scipy.special import stdtrit

    groups, at = np.unique(number, return_inverse=True)
    reach = np.full(len(groups), np.nan)
    some = groups > 1
    reach[some] = stdtrit(groups[some] - 1, (1 + level) / 2)
    return reach[at]
