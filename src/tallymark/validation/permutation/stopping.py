"""When a permutation test may stop, and what p is of one that may.

Permutations are looked at in the order they are drawn. The test stops as soon as the number of those at least
as good leaves the boundaries of Gandy (2009, Journal of the American Statistical Association 104): they are
set so that, whatever share of all permutations is at least as good, the test stops on the wrong side of alpha
with a chance of `risk` at most.

What can come out has an order, strongest first: stopped low, sooner is stronger; all drawn, fewer at least as
good is stronger; stopped high, later is stronger. More permutations at least as good never make an outcome
stronger, so p and the interval are those of any exact test: the chances of outcomes at least as strong.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallymark.intervals.proportions import bisect

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Cell = tuple[int, int, float]

RISK = 0.001
_DIGITS = 12
_HALF = 1000
"""After so many permutations half of the risk may have been taken, as Gandy proposes."""


@dataclass(frozen=True)
class Rule:
    """Stop as soon as the verdict at a level is clear."""

    most: int
    """Permutations that are drawn where it never is."""
    level: float
    risk: float = RISK
    """The greatest chance of a stop on the wrong side."""

    @property
    def alpha(self) -> float:
        return 1 - self.level


@dataclass(frozen=True)
class Stopped:
    """Where drawing stopped."""

    after: int
    """Permutations looked at."""
    of: int
    """Permutations that were asked for."""
    side: Literal["low", "high"]
    """Whether p is clearly at most alpha, or clearly above."""
    risk: float
    level: float


class Look(NamedTuple):
    """How many of n permutations can be at least as good in a test that goes on till then: a cell for each
    number, and which of them stop now."""

    n: int
    first: int
    """The number of the first cell."""
    chances: Floats
    """Of the cells, when alpha is the share of all permutations that are at least as good."""
    low: int
    """Cells before this one stop low."""
    high: int
    """Cells from this one on stop high."""

    def cells(self, start: int, end: int) -> list[Cell]:
        """Of each n, the number at least as good, and its chance."""
        return [(self.n, self.first + place, float(self.chances[place])) for place in range(start, end)]

    def side(self, as_good: int) -> Literal["low", "high"] | None:
        """On which side a test with so many at least as good stops."""
        if as_good < self.first + self.low:
            return "low"
        return "high" if as_good >= self.first + self.high else None


class Outcomes(NamedTuple):
    """What can have come out, strongest first."""

    n: Ints
    """After how many permutations."""
    as_good: Ints
    """How many of them were at least as good."""
    chances: Floats
    """When alpha is the share of all permutations that are."""
    alpha: float

    def at(self, n: int, as_good: int) -> int:
        """The place of one of them."""
        return int(np.flatnonzero((self.n == n) & (self.as_good == as_good))[0])

    def with_share(self, share: float) -> Floats:
        """Their chances when this share of all permutations is at least as good."""
        return self.chances * np.exp(self._ways(share) - self._ways(self.alpha))

    def _ways(self, share: float) -> Floats:
        """The logarithm of the chance of a single way to each outcome."""
        found: Floats = self.as_good * np.log(share) + (self.n - self.as_good) * np.log1p(-share)
        return found


def looks(alpha: float, risk: float = RISK) -> Iterator[Look]:
    """The boundaries after 1, 2, ... permutations.

    If alpha were the share of permutations at least as good, the chance to have left by n would be at most
    risk * n / (1000 + n) on either side.
    """
    chances, first = np.ones(1), 0
    spent_low = spent_high = 0.0
    n = 0
    while True:
        n += 1
        chances = np.append(chances, 0.0) * (1 - alpha) + np.insert(chances, 0, 0.0) * alpha
        may = risk * n / (_HALF + n)
        below, above = np.cumsum(chances), np.cumsum(chances[::-1])
        low = int(np.searchsorted(below, may - spent_low, side="right"))
        stops_high = int(np.searchsorted(above, may - spent_high, side="right"))
        high = len(chances) - stops_high
        yield Look(n, first, chances, low, high)
        spent_low += float(below[low - 1]) if low else 0.0
        spent_high += float(above[stops_high - 1]) if stops_high else 0.0
        chances, first = chances[low:high], first + low


def stopped(rule: Rule, n: int, as_good: int) -> Stopped | None:
    """Whether a test stops after n permutations, the first at which it may."""
    look = next(islice(looks(rule.alpha, rule.risk), n - 1, None))
    side = look.side(as_good)
    return None if side is None else Stopped(n, rule.most, side, rule.risk, rule.level)


def outcomes(rule: Rule, n: int) -> Outcomes:
    """Of n permutations at most; what comes after n has no part in p of a test that stopped by then."""
    low: list[Cell] = []
    high: list[Cell] = []
    for look in islice(looks(rule.alpha, rule.risk), n):
        size = len(look.chances)
        if look.n < n:
            low += look.cells(0, look.low)
            high += reversed(look.cells(look.high, size))
    rows = [*low, *look.cells(0, size), *reversed(high)]
    ns, as_good, chances = (np.array(column) for column in zip(*rows, strict=True))
    return Outcomes(ns, as_good, chances, rule.alpha)


def p_of(rule: Rule, n: int, as_good: int) -> float:
    """The chance, without a relation, of an outcome at least as strong: (b + 1) / (m + 1) if none of these
    can have stopped before.

    The real classes are then one of the orders that could have been drawn, and every place among them is as
    likely as another: of Polya's urn, after b of n the next is as good with a chance of (b + 1) / (n + 2).
    """
    chances, low, all_go_on = np.ones(1), 0.0, True
    for look in islice(looks(rule.alpha, rule.risk), n):
        next_as_good = (look.first + 1 + np.arange(len(chances))) / (look.n + 1)
        chances = np.append(chances * (1 - next_as_good), 0.0) + np.insert(chances * next_as_good, 0, 0.0)
        if look.n == n:
            break
        stops_high = look.high < len(chances) and as_good >= look.first + look.high
        all_go_on = all_go_on and not look.low and not stops_high
        low += float(chances[: look.low].sum())
        chances = chances[look.low : look.high]
    if all_go_on:
        return (as_good + 1) / (n + 1)
    p = low + float(chances[: as_good - look.first + 1].sum())
    # A sum is off by some 1e-15: with the digits that hold, a p that is 1, or a level, is exactly that.
    return float(f"{p:.{_DIGITS}g}")


def share_interval(rule: Rule, n: int, as_good: int, level: float) -> tuple[float, float]:
    """Between which the share of all permutations that are at least as good lies.

    The ends are those of Clopper and Pearson (1934) with the outcomes of this rule in their order: shares
    for which an outcome at least as strong, or at least as weak, has a chance of (1 - level) / 2.
    """
    found, tail = outcomes(rule, n), (1 - level) / 2
    at = found.at(n, as_good)

    def below_low(share: float) -> bool:
        return bool(found.with_share(share)[at:].sum() < tail)

    def below_high(share: float) -> bool:
        return bool(found.with_share(share)[: at + 1].sum() > tail)

    low = bisect(below_low, 0.0, 1.0) if at else 0.0
    return low, bisect(below_high, 0.0, 1.0) if at < len(found.n) - 1 else 1.0
