"""Dirichlet draws over the cells of a confusion matrix: one set of draws serves every metric.

With few classes, prior mass 2 is spread evenly over all cells: that keeps the coverage near its level
where a percentile bootstrap falls short, and never gives an interval of zero width. With many, mass on
cells never seen would drown the data, so only seen cells are drawn (the Bayesian bootstrap, Rubin 1981).

Averages over many classes with few rows each, F1 above all, are biased on a sample, and their draws are
biased once more; so with more than two classes the middle of the draws is moved back by twice the bias,
which the draws themselves show: their mean value less the value at their mean.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Generic, TypeVar
from weakref import ref

import numpy as np
from numpy.typing import NDArray

from tallymark.inference.cells import Cells, GroupCells, in_blocks
from tallymark.intervals import student_quantile, z_quantile
from tallymark.tallies import Binary, Confusion, Grouped, Margins

PRIOR_MASS = 2.0
MOST_WITH_PRIOR = 20
"""Up to this many classes the prior covers all cells; above, only the cells seen are drawn."""
ENOUGH_DRAWS = 2_000
"""With fewer, limits come from mean and deviation: sharper than the tails of so few draws."""
ENOUGH_IN_TAIL = 2
"""Draws beyond a limit; with fewer, the outermost draw is not far enough, and the deviation counts too."""
_NO_SPREAD = 1e-12

Tally = TypeVar("Tally")


@dataclass(frozen=True)
class Drawn(Generic[Tally]):
    """Plausible tallies in blocks (draws along the first axis), and their mean."""

    blocks: Sequence[Tally]
    mean: Tally
    number: int
    cells: int
    prior: float
    """What each cell was given on top of its count."""
    moved: bool
    """Whether there are enough classes for a bias that matters."""
    groups: int | None = None
    """How many groups were resampled; None when rows are independent."""
    _last: list[tuple[ref[Any], NDArray[np.float64]]] = field(default_factory=list, repr=False, compare=False)

    def moves(self, span: tuple[float, float]) -> bool:
        """Whether the limits of a number with that range are moved back by the bias the draws show."""
        # A ratio without an upper bound has draws so far out that their mean says nothing of bias.
        return self.moved and bool(np.isfinite(span).all())

    def limits(
        self, function: Callable[[Tally], Any], value: float, span: tuple[float, float], level: float
    ) -> tuple[float, float] | str:
        """The interval of a number, from its values over the draws; or why there is none."""
        values = self._defined(function)
        if len(values) == 0 or np.ptp(values) < _NO_SPREAD * max(1.0, abs(value)):
            return "the draws show no spread: what was never seen cannot be drawn"
        moved = self.moves(span)
        bias = float(np.nan_to_num(values.mean() - function(self.mean)[0])) if moved else 0.0
        tail = (1 - level) / 2 if self.groups is None else tail_of(level, self.groups)
        reach = z_quantile(level) if self.groups is None else reach_of(level, self.groups)
        half = reach * values.std()
        low, high = value - bias - half, value - bias + half
        if self.number >= ENOUGH_DRAWS:
            ends = np.quantile(values, [tail, 1 - tail]) - 2 * bias
            if self.number * tail >= ENOUGH_IN_TAIL:
                low, high = ends
            else:
                low, high = min(low, ends[0]), max(high, ends[1])
        return max(span[0], float(low)), min(span[1], float(high))

    def _defined(self, function: Callable[[Tally], Any]) -> NDArray[np.float64]:
        """A number in the draws where it is defined; those of the last number asked for are kept."""
        # A p-value asks for the limits of one number at thirty levels.
        for asked, values in self._last:
            if asked() is function:
                return values
        values = np.concatenate([function(block) for block in self.blocks])
        values = values[np.isfinite(values)]
        self._last[:] = [(ref(function), values)]
        return values


def reach_of(level: float, units: int) -> float:
    """Deviations to go from the middle when so many things were resampled: further than the normal says.

    What is resampled spreads less than what was sampled, by (units - 1) / units, and the spread itself is
    uncertain: Hesterberg (2015), The American Statistician 69, 371, on widening percentile intervals.
    """
    return math.sqrt(units / (units - 1)) * student_quantile(level, units - 1)


def tail_of(level: float, units: int) -> float:
    """The share of resamples to leave out on either side."""
    from scipy.special import ndtr

    return float(ndtr(-reach_of(level, units)))


class Draws:
    """Plausible matrices given the counts, made on first need and kept."""

    def __init__(
        self,
        confusion: Confusion,
        *,
        seed: int = 0,
        costs: NDArray[np.float64] | None = None,
        shares: NDArray[np.float64] | None = None,
        groups: Grouped | None = None,
    ) -> None:
        self._confusion = confusion
        self._seed = seed
        self._costs = costs
        self._shares = shares
        self._groups = groups
        self._last: tuple[int, Drawn[Binary]] | None = None

    @cached_property
    def margins(self) -> Drawn[Margins]:
        """The whole table: hits, actual and predicted rows of every class."""
        size = len(self._confusion.labels)
        every = size <= MOST_WITH_PRIOR
        cells = np.arange(size**2) if every else self._confusion.cells
        prior = PRIOR_MASS / size**2 if every else 0.0
        counter = Counter(cells, size, self._confusion.n, self._costs, self._shares)
        source = self._source(cells, prior)
        # Ten numbers per class at least: margins are kept, and with few cells they are what takes room.
        number = source.number(max(len(cells), 10 * size))
        generator = np.random.default_rng([self._seed, 0])
        blocks, total = [], np.zeros(len(cells))
        for draws in in_blocks(number, max(len(cells), source.work)):
            drawn = source.draw(generator, draws)
            total += drawn.sum(axis=0)
            blocks.append(counter.margins(drawn))
        mean = counter.margins(total[None] / number)
        return Drawn(blocks, mean, number, len(cells), prior, size > 2, source.groups)

    def _source(self, cells: NDArray[np.int64], prior: float) -> Cells | GroupCells:
        if self._groups is not None:
            return GroupCells.of(self._groups, cells, prior)
        return Cells.of(self._confusion, cells, prior)

    def binary(self, position: int) -> Drawn[Binary]:
        """One class against the rest; the last one asked for is kept, not all of ten thousand."""
        last = self._last
        if last is None or last[0] != position:
            self._last = last = position, self._binary(position)
        return last[1]

    def _binary(self, position: int) -> Drawn[Binary]:
        if len(self._confusion.labels) == 2 or self._shares is not None:
            whole = self.margins
            blocks = [of_class(block, position) for block in whole.blocks]
            mean = of_class(whole.mean, position)
            return Drawn(blocks, mean, whole.number, whole.cells, whole.prior, False, whole.groups)
        prior = PRIOR_MASS / 4
        source: Cells | GroupCells
        if self._groups is not None:
            source = GroupCells.of_class(self._groups, position, prior)
        else:
            source = Cells.of_class(self._confusion, position, prior)
        classes = len(self._confusion.labels)
        number = source.number(4) if classes <= MOST_WITH_PRIOR else ENOUGH_DRAWS
        if self._groups is not None:
            number = source.number(source.work * classes // MOST_WITH_PRIOR)
        # A stream of its own per class: the answer must not depend on which class was asked first.
        generator = np.random.default_rng([self._seed, position + 1])
        drawn = np.concatenate([source.draw(generator, draws) for draws in in_blocks(number, source.work)])
        drawn *= self._confusion.n
        blocks = [Binary(*drawn.T)]
        return Drawn(blocks, Binary(*drawn.mean(axis=0)[:, None]), number, 4, prior, False, source.groups)


@dataclass(frozen=True)
class Counter:
    """From drawn cell shares to margins, cells being in row order."""

    cells: NDArray[np.int64]
    size: int
    n: float
    costs: NDArray[np.float64] | None
    shares: NDArray[np.float64] | None

    def margins(self, drawn: NDArray[np.float64]) -> Margins:
        rows, columns = np.divmod(self.cells, self.size)
        drawn = drawn * self.n
        if self.shares is not None:
            with np.errstate(invalid="ignore", divide="ignore"):
                factors = self.shares * self.n / self._per_class(drawn, rows)
            drawn *= np.nan_to_num(factors)[:, rows]
        order = np.argsort(columns, kind="stable")
        diagonal = rows == columns
        hits = np.zeros((len(drawn), self.size))
        hits[:, rows[diagonal]] = drawn[:, diagonal]
        return Margins(
            hits=hits,
            actual=self._per_class(drawn, rows),
            predicted=self._per_class(drawn[:, order], columns[order]),
            n=float(self.n),
            cost=None if self.costs is None else drawn @ self.costs.ravel()[self.cells],
        )

    def _per_class(self, drawn: NDArray[np.float64], classes: NDArray[np.int64]) -> NDArray[np.float64]:
        """Sums over neighbouring cells of the same class."""
        starts = np.flatnonzero(np.diff(classes, prepend=-1))
        totals = np.zeros((len(drawn), self.size))
        totals[:, classes[starts]] = np.add.reduceat(drawn, starts, axis=1)
        return totals


def of_class(margins: Margins, position: int) -> Binary:
    """One class against the rest, in every draw."""
    each = margins.each
    tp, fn, fp, tn = (cell[:, position] for cell in (each.tp, each.fn, each.fp, each.tn))
    return Binary(tp, fn, fp, tn)
