"""The limits of a share, such as recall, at every threshold at once.

Wilson's interval of the rows that the share is of; with weights, of Kish's effective number of them; with
groups, of as many independent rows as have the variance that the groups show, and with Student's quantile. As
for tables (see `cells`), few errors tell little of how they clump, so one more is taken to have shown the
worst there is: groups that are right or wrong as a whole.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark.curves.group_squares import products_above
from tallymark.curves.shared import in_blocks
from tallymark.intervals import z_quantile
from tallymark.metrics import Asked
from tallymark.tallies import Binary, GroupedScores, Scores

Floats = NDArray[np.float64]
_CLUMPED = 1.0
_ONE_GROUP = 1 + 1e-9


def share_of(asked: Asked) -> tuple[str, str] | None:
    """The counts whose ratio a number is, or grows with; None when it has no limits in closed form."""
    if asked.metric.interval in ("jaccard", "f1"):
        return "tp", "relevant"
    return asked.metric.share


@dataclass(frozen=True, eq=False)
class LimitsAtCuts:
    """Of one number; NaN where it is undefined."""

    asked: Asked
    scores: Scores
    groups: GroupedScores | None = None
    level: float = 0.95

    def low(self) -> Floats:
        """The lower limit at every threshold."""
        return in_blocks(len(self.scores.thresholds), lambda at: self.at(at)[0])

    def high(self) -> Floats:
        """The upper limit at every threshold."""
        return in_blocks(len(self.scores.thresholds), lambda at: self.at(at)[1])

    def at(self, places: slice) -> tuple[Floats, Floats]:
        """Both limits at some of the thresholds."""
        share = share_of(self.asked)
        assert share is not None
        cuts = self.scores.cuts(places)
        part, whole = (np.asarray(getattr(cuts, name), float) for name in share)
        with np.errstate(divide="ignore", invalid="ignore"):
            row = self._usual(share[1], whole, places)
            reach: Floats | float = z_quantile(self.level)
            if self.groups is not None:
                moments = _Quadratic(self._moments, places)
                row = _row_in_groups(moments, share, part, whole, row)
                reach = _student(self.level, whole**2 / moments.squared(_coefficients(share[1])))
            low, high = _wilson(part / row, whole / row, reach)
        if self.asked.metric.interval == "f1":
            return 2 * low / (1 + low), 2 * high / (1 + high)
        return low, high

    def _usual(self, whole: str, total: Floats, places: slice) -> Floats:
        """What a row weighs, as a row sees it, among those that the share is of."""
        if self._squared is None:
            return np.ones(len(total))
        return np.asarray(getattr(self._squared.cuts(places), whole) / total)

    @cached_property
    def _squared(self) -> Scores | None:
        """The sums of squared weights, as a tally."""
        squares = self.scores.squares
        return None if squares is None else Scores(self.scores.score, *squares, rows=self.scores.rows)

    @cached_property
    def _moments(self) -> dict[tuple[int, int], Any]:
        assert self.groups is not None
        return _moments(self.groups)


_MORE_THAN_ONE = 1 + 1e-9


def _row_in_groups(
    moments: _Quadratic, share: tuple[str, str], part: Floats, whole: Floats, usual: Floats
) -> Floats:
    """What one independent row weighs: the variance that groups show, for each unit of that of rows."""
    of_part, of_whole = map(_coefficients, share)
    value = part / whole
    sizes = moments.squared(of_whole)
    spread = moments.squared(of_part[:, None] - of_whole[:, None] * value)
    independent = whole * value * (1 - value)
    units = whole**2 / sizes
    worst = sizes / whole
    # All of one group show no variance, and what rounding leaves of it is none.
    told = (independent > 0) & (units > _MORE_THAN_ONE)
    seen = np.where(told, spread * units / np.where(told, (units - 1) * independent, 1.0), worst)
    seen = np.fmax(usual, seen)
    errors = np.minimum(part, whole - part) / usual
    return np.asarray((errors * seen + _CLUMPED * np.fmax(seen, worst)) / (errors + _CLUMPED))


def _coefficients(name: str) -> Floats:
    """How a count is made of TP, FP and all rows of either class."""
    every = np.eye(4)
    return np.array([getattr(Binary(tp, p - tp, fp, n - fp), name) for tp, fp, p, n in every.tolist()], float)


def _moments(groups: GroupedScores) -> dict[tuple[int, int], Any]:
    """Sums over the groups of products of their TP, FP, positives and negatives, at every threshold."""
    size, sides = len(groups.total.score), (groups.positives, groups.negatives)
    totals = [np.bincount(groups.group, side, len(groups)) for side in sides]
    pairs = (0, 0), (0, 1), (1, 1)
    found: dict[tuple[int, int], Any] = dict(zip(pairs, products_above(groups, *sides), strict=True))
    for one, other in pairs:
        found[one + 2, other + 2] = float(totals[one] @ totals[other])
    for one in (0, 1):
        for other in (0, 1):
            steps = np.bincount(groups.place, sides[one] * totals[other][groups.group], size)
            found[one, other + 2] = np.concatenate([[0.0], np.cumsum(steps)])
    return found


@dataclass(frozen=True, eq=False)
class _Quadratic:
    """Sums over groups of squared counts, at some of the thresholds."""

    moments: dict[tuple[int, int], Any]
    places: slice

    def squared(self, coefficients: Floats) -> Floats:
        """Of the count with these coefficients, which may differ from threshold to threshold."""
        total: Any = 0.0
        for (one, other), values in self.moments.items():
            at = values[self.places] if isinstance(values, np.ndarray) else values
            total = total + (1 if one == other else 2) * coefficients[one] * coefficients[other] * at
        # Differences of large products leave dust, also below 0.
        return np.asarray(np.maximum(total, 0.0))


def _student(level: float, units: Floats) -> Floats:
    """Student's quantile for as many groups as they are worth; infinite for one."""
    from scipy.special import stdtrit

    whole = np.floor(np.nan_to_num(units) * _ONE_GROUP)
    distinct, place = np.unique(whole, return_inverse=True)
    reach = np.full(len(distinct), np.inf)
    several = distinct >= 2
    reach[several] = stdtrit(distinct[several] - 1, (1 + level) / 2)
    return reach[place.reshape(-1)]


def _wilson(successes: Floats, n: Floats, reach: Floats | float) -> tuple[Floats, Floats]:
    """Wilson limits with a reach of their own; all that there is where it is infinite."""
    n = np.where(n > 0, n, np.nan)
    square = np.square(reach)
    centre, half = successes + square / 2, reach * np.sqrt(square / 4 + successes * (n - successes) / n)
    low = np.where(np.isinf(reach), 0.0, successes * (successes / n) / (centre + half))
    missed = n - successes
    high = 1 - missed * (missed / n) / (missed + square / 2 + half)
    return np.where(np.isnan(n), np.nan, low), np.where(
        np.isnan(n), np.nan, np.where(np.isinf(reach), 1, high)
    )
