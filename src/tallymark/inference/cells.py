"""What is drawn: cells of a table row by row (`Cells`), or group by group (`GroupCells`)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark.tallies import Binary, Confusion, Grouped

MOST_DRAWS = 10_000
MOST_GROUP_DRAWS = 2_000
FEWEST_DRAWS = 200
_WORK = 20_000_000
_AT_ONCE = 1_000_000
_CLUMPED = 1.0
"""Errors taken to have shown the worst clumping; of 0, 1, 2 and 4, 1 covered best."""
_DENSE = 8
"""A table groups x cells is multiplied whole when at least one in so many of its cells is filled."""
_DUST = 1e-13


def in_blocks(number: int, work: int) -> Iterator[int]:
    """How many draws to make at once, until there are enough; `work` is the room one draw takes."""
    at_once = max(1, _AT_ONCE // work)
    for start in range(0, number, at_once):
        yield min(at_once, number - start)


@dataclass(frozen=True)
class Cells:
    """Independent rows: a gamma variable per cell, which makes the shares Dirichlet.

    A cell of weighted rows is the sum of w times an exponential variable of each (Rubin 1981). A gamma
    variable with the same mean and variance has Kish's effective number of rows as its shape.
    """

    shape: NDArray[np.float64]
    scale: NDArray[np.float64] | None = None
    groups: int | None = None

    @classmethod
    def of(cls, confusion: Confusion, cells: NDArray[np.int64], prior: float) -> Cells:
        """All rows of the cells asked for, and `prior` rows more in each."""
        counts = _at(confusion.cells, confusion.counts, cells)
        squares = None if confusion.squares is None else _at(confusion.cells, confusion.squares, cells)
        return cls.weighted(counts, squares, prior)

    @classmethod
    def of_class(cls, confusion: Confusion, position: int, prior: float) -> Cells:
        """The four cells of one class against the rest."""
        squares = None if confusion.squared is None else _four(confusion.squared.binary_at(position))
        return cls.weighted(_four(confusion.binary_at(position)), squares, prior)

    @classmethod
    def of_two(cls, first: Confusion, second: Confusion, cells: NDArray[np.int64], prior: float) -> Cells:
        """The cells of one table, then those of another."""
        sides = first, second
        counts = np.concatenate([_at(side.cells, side.counts, cells) for side in sides])
        if first.squared is None or second.squared is None:
            return cls(counts + prior)
        squared = first.squared, second.squared
        squares = np.concatenate([_at(side.cells, side.counts, cells) for side in squared])
        return cls.weighted(counts, squares, prior)

    @classmethod
    def weighted(
        cls, counts: NDArray[np.float64], squares: NDArray[np.float64] | None, prior: float
    ) -> Cells:
        """From sums of weights and of squared weights; None when every row weighs 1."""
        if squares is None:
            return cls(counts + prior)
        usual = squares.sum() / counts.sum()
        # The square of a very small weight is 0; such a cell is taken for an empty one.
        scale = np.divide(squares, counts, out=np.full(len(counts), usual), where=squares > 0)
        return cls(counts / scale + prior, scale)

    @property
    def work(self) -> int:
        return len(self.shape)

    def number(self, room: int, most: int | None = None) -> int:
        """Draws to make when each takes that much room."""
        return int(np.clip(_WORK // room, FEWEST_DRAWS, most or MOST_DRAWS))

    def draw(self, generator: np.random.Generator, draws: int) -> NDArray[np.float64]:
        """Shares of the cells, a row per draw."""
        drawn = generator.standard_gamma(self.shape, (draws, len(self.shape)))
        if self.scale is not None:
            drawn *= self.scale
        drawn /= drawn.sum(axis=1, keepdims=True)
        return drawn


@dataclass(frozen=True)
class GroupCells:
    """Rows that belong together: whole groups are drawn with replacement (Davison and Hinkley 1997, 3.8).

    The prior keeps its meaning, so many independent rows: each of its rows is made as heavy as the
    groups make a row worth less (the design effect), which also keeps intervals from having no width.
    """

    size: int
    """Number of cells."""
    groups: int
    group: NDArray[np.int64]
    cells: NDArray[np.int64]
    """Of each entry, ascending."""
    counts: NDArray[np.float64]
    prior: float | NDArray[np.float64]
    row: float
    """What one independent row weighs here."""

    @classmethod
    def of(cls, grouped: Grouped, cells: NDArray[np.int64], prior: float) -> GroupCells:
        """The entries in the cells asked for, which hold all of them."""
        places = np.searchsorted(cells, grouped.cells)
        entries = grouped.group, places, grouped.counts
        actual, predicted = np.divmod(cells, len(grouped.total.labels))
        return cls.made(len(cells), len(grouped), *entries, prior, _usual(grouped.total), actual != predicted)

    @classmethod
    def of_class(cls, grouped: Grouped, position: int, prior: float) -> GroupCells:
        """The four cells of one class against the rest, in the order of `Binary`."""
        actual, predicted = np.divmod(grouped.cells, len(grouped.total.labels))
        # tp, fn, fp are 0, 1, 2; of ten thousand classes nearly all entries are none of them.
        near = np.flatnonzero((actual == position) | (predicted == position))
        places = np.where(actual[near] == position, predicted[near] != position, 2)
        groups = len(grouped)
        table = np.bincount(grouped.group[near] * 4 + places, grouped.counts[near], 4 * groups)
        table = table.astype(float).reshape(groups, 4)
        table[:, 3] = np.bincount(grouped.group, grouped.counts, groups) - table.sum(axis=1)
        cells, group = np.nonzero(_DUST * table.sum() < table.T)
        wrong = np.array([False, True, True, False])
        counts = table[group, cells]
        return cls.made(4, groups, group, cells, counts, prior, _usual(grouped.total), wrong)

    @classmethod
    def of_two(cls, part: Grouped, whole: Grouped, cells: NDArray[np.int64], prior: float) -> GroupCells:
        """The cells of a part, then those of the rest of the whole, of the same groups."""
        key = {key: position for position, key in enumerate(whole.keys)}
        group = np.array([key[name] for name in part.keys], np.int64)[part.group]
        here, everywhere = (np.searchsorted(cells, side.cells) for side in (part, whole))
        both = cls.made(
            2 * len(cells),
            len(whole),
            np.concatenate([group, whole.group, group]),
            np.concatenate([here, everywhere + len(cells), here + len(cells)]),
            np.concatenate([part.counts, whole.counts, -part.counts]),
            prior,
            _usual(whole.total),
            np.zeros(2 * len(cells), bool),
        )
        # Groups may lie within the part, which tells nothing of how alike the answers in them are.
        return replace(both, row=cls.of(whole, cells, prior).row)

    @classmethod
    def made(
        cls,
        size: int,
        groups: int,
        group: NDArray[np.int64],
        places: NDArray[np.int64],
        counts: NDArray[Any],
        prior: float | NDArray[np.float64],
        usual: float,
        wrong: NDArray[np.bool_],
    ) -> GroupCells:
        """From entries, those of the same group and place added up.

        `usual` is what a row weighs, and `wrong` tells which cells hold errors.
        """
        keys, inverse = np.unique(places * groups + group, return_inverse=True)
        summed = np.bincount(inverse, weights=counts).astype(float)
        # Differences of fractions leave dust where a part has everything; it is not drawn.
        there = summed > _DUST * summed.sum()
        cells, group = np.divmod(keys[there], groups)
        summed = summed[there]
        group = _by_content(size, groups, group, cells, summed)
        row = _weight_of_a_row(usual, size, cells, group, summed, wrong)
        return cls(size, groups, group, cells, summed, prior, row)

    def fewer(self) -> int:
        """Groups in the first half of the cells, or in the second: the fewer, which limit what is known."""
        first = 2 * self.cells < self.size
        return min(len(np.unique(self.group[side])) for side in (first, ~first))

    @property
    def work(self) -> int:
        return max(self.groups, len(self.counts))

    def number(self, room: int, most: int | None = None) -> int:
        return int(np.clip(_WORK // max(room, self.work), FEWEST_DRAWS, most or MOST_GROUP_DRAWS))

    def draw(self, generator: np.random.Generator, draws: int) -> NDArray[np.float64]:
        """Shares of the cells, a row per draw."""
        chosen = generator.integers(0, self.groups, (draws, self.groups))
        chosen += np.arange(draws)[:, None] * self.groups
        times = np.bincount(chosen.ravel(), minlength=draws * self.groups).reshape(draws, self.groups)
        drawn = self._totals(times)
        if np.any(self.prior):
            drawn += generator.standard_gamma(self.prior, (draws, self.size)) * self.row
        with np.errstate(invalid="ignore"):  # of draws of groups whose weights are dust beside the others'
            drawn /= drawn.sum(axis=1, keepdims=True)
        return drawn

    def _totals(self, times: NDArray[np.int64]) -> NDArray[np.float64]:
        """What the cells add up to when every group counts so many times, a row per draw."""
        if self.size * self.groups <= _DENSE * len(self.counts):
            table = np.zeros((self.groups, self.size))
            table[self.group, self.cells] = self.counts
            return np.asarray(times.astype(float) @ table)
        starts = np.flatnonzero(np.diff(self.cells, prepend=-1))
        totals = np.zeros((len(times), self.size))
        totals[:, self.cells[starts]] = np.add.reduceat(times[:, self.group] * self.counts, starts, axis=1)
        return totals


def _by_content(
    size: int, groups: int, group: NDArray[np.int64], cells: NDArray[np.int64], counts: NDArray[np.float64]
) -> NDArray[np.int64]:
    """Groups numbered by what is in them, so that draws do not depend on what the groups are called."""
    if size * groups > _WORK:
        return group
    table = np.zeros((groups, size))
    table[group, cells] = counts
    return np.asarray(np.argsort(np.lexsort(table.T))[group])


def _usual(total: Confusion) -> float:
    """What a row weighs, as a row sees it: heavy rows are seen more often."""
    return 1.0 if total.squares is None else float(total.squares.sum() / total.n)


def _weight_of_a_row(
    usual: float,
    size: int,
    cells: NDArray[np.int64],
    group: NDArray[np.int64],
    counts: NDArray[np.float64],
    wrong: NDArray[np.bool_],
) -> float:
    """What one independent row weighs here: the variance of the cells' totals over groups, for each unit
    that independent rows would give.

    Few errors tell little of how they clump, and that is what is asked where nearly all is right. So one
    error more is taken to have shown the worst there is: groups that are right or wrong as a whole.
    """
    n = counts.sum()
    shares = np.bincount(cells, weights=counts, minlength=size) / n
    sizes = np.bincount(group, weights=counts)
    worst = float((sizes**2).sum() / n)
    within = np.bincount(cells, weights=counts * sizes[group], minlength=size)
    # The sum over groups of (count - size of the group * share) ** 2, without a table groups x cells.
    spread = (counts**2).sum() - 2 * (shares * within).sum() + (shares**2).sum() * (sizes**2).sum()
    independent = n * (shares * (1 - shares)).sum()
    groups = len(sizes)
    seen = worst if independent <= 0 else max(usual, float(spread * groups / (groups - 1) / independent))
    errors = float(counts[wrong[cells]].sum()) / usual
    return (errors * seen + _CLUMPED * max(seen, worst)) / (errors + _CLUMPED)


def _at(places: NDArray[np.int64], values: NDArray[Any], cells: NDArray[np.int64]) -> NDArray[np.float64]:
    """The values in the cells asked for, which hold all of them; 0 in the others."""
    found = np.zeros(len(cells))
    found[np.searchsorted(cells, places)] = values
    return found


def _four(tally: Binary) -> NDArray[np.float64]:
    return np.array([tally.tp, tally.fn, tally.fp, tally.tn], float)
