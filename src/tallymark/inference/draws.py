"""Dirichlet draws over the cells of a confusion matrix: one set of draws serves every metric.

With few classes, prior mass 2 is spread evenly over all cells: that keeps the coverage near its level
where a percentile bootstrap falls short, and never gives an interval of zero width. With many, mass on
cells never seen would drown the data, so only seen cells are drawn (the Bayesian bootstrap, Rubin 1981).

Averages over many classes with few rows each, F1 above all, are biased on a sample, and their draws are
biased once more; so with more than two classes the middle of the draws is moved back by twice the bias,
which the draws themselves show: their mean value less the value at their mean.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from tallymark.intervals import z_quantile
from tallymark.tallies import Binary, Confusion, Margins

PRIOR_MASS = 2.0
MOST_WITH_PRIOR = 20
"""Up to this many classes the prior covers all cells; above, only the cells seen are drawn."""
MOST_DRAWS = 10_000
FEWEST_DRAWS = 200
ENOUGH_DRAWS = 2_000
"""With fewer, limits come from mean and deviation: sharper than the tails of so few draws."""
_NO_SPREAD = 1e-12
_GAMMAS = 20_000_000
_AT_ONCE = 1_000_000

Tally = TypeVar("Tally", Binary, Margins)


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

    def moves(self, span: tuple[float, float]) -> bool:
        """Whether the limits of a number with that range are moved back by the bias the draws show."""
        # A ratio without an upper bound has draws so far out that their mean says nothing of bias.
        return self.moved and bool(np.isfinite(span).all())

    def limits(
        self, function: Callable[[Tally], Any], value: float, span: tuple[float, float], level: float
    ) -> tuple[float, float] | str:
        """The interval of a number, from its values over the draws; or why there is none."""
        values = np.concatenate([function(block) for block in self.blocks])
        values = values[np.isfinite(values)]
        if len(values) == 0 or np.ptp(values) < _NO_SPREAD * max(1.0, abs(value)):
            return "the draws show no spread: what was never seen cannot be drawn"
        moved = self.moves(span)
        bias = float(np.nan_to_num(values.mean() - function(self.mean)[0])) if moved else 0.0
        if self.number >= ENOUGH_DRAWS:
            tail = (1 - level) / 2
            low, high = np.quantile(values, [tail, 1 - tail]) - 2 * bias
        else:
            half = z_quantile(level) * values.std()
            low, high = value - bias - half, value - bias + half
        return max(span[0], float(low)), min(span[1], float(high))


class Draws:
    """Plausible matrices given the counts, made on first need and kept."""

    def __init__(
        self,
        confusion: Confusion,
        *,
        seed: int = 0,
        costs: NDArray[np.float64] | None = None,
        shares: NDArray[np.float64] | None = None,
    ) -> None:
        self._confusion = confusion
        self._seed = seed
        self._costs = costs
        self._shares = shares

    @cached_property
    def margins(self) -> Drawn[Margins]:
        """The whole table: hits, actual and predicted rows of every class."""
        size = len(self._confusion.labels)
        if size <= MOST_WITH_PRIOR:
            cells, counts = np.arange(size**2), self._confusion.matrix.ravel()
            prior = PRIOR_MASS / size**2
        else:
            cells, counts, prior = self._confusion.cells, self._confusion.counts, 0.0
        # Ten numbers per class at least: margins are kept, and with few cells they are what takes room.
        number = int(np.clip(_GAMMAS // max(len(cells), 10 * size), FEWEST_DRAWS, MOST_DRAWS))
        at_once = max(1, _AT_ONCE // len(cells))
        generator = np.random.default_rng([self._seed, 0])
        counter = _Counter(cells, size, self._confusion.n, self._costs, self._shares)
        blocks, total = [], np.zeros(len(cells))
        for start in range(0, number, at_once):
            drawn = _dirichlet(generator, counts + prior, min(at_once, number - start))
            total += drawn.sum(axis=0)
            blocks.append(counter.margins(drawn))
        return Drawn(blocks, counter.margins(total[None] / number), number, len(cells), prior, size > 2)

    def binary(self, position: int) -> Drawn[Binary]:
        """One class against the rest."""
        if len(self._confusion.labels) == 2 or self._shares is not None:
            whole = self.margins
            blocks = [_of_class(block, position) for block in whole.blocks]
            mean = _of_class(whole.mean, position)
            return Drawn(blocks, mean, whole.number, whole.cells, whole.prior, moved=False)
        tally = self._confusion.binary(self._confusion.labels[position])
        counts = np.array([tally.tp, tally.fn, tally.fp, tally.tn], float)
        number = MOST_DRAWS if len(self._confusion.labels) <= MOST_WITH_PRIOR else ENOUGH_DRAWS
        # A stream of its own per class: the answer must not depend on which class was asked first.
        generator = np.random.default_rng([self._seed, position + 1])
        drawn = _dirichlet(generator, counts + PRIOR_MASS / 4, number) * tally.n
        blocks = [Binary(*drawn.T)]
        mean = Binary(*drawn.mean(axis=0)[:, None])
        return Drawn(blocks, mean, number, 4, PRIOR_MASS / 4, moved=False)


@dataclass(frozen=True)
class _Counter:
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


def _of_class(margins: Margins, position: int) -> Binary:
    each = margins.each
    tp, fn, fp, tn = (cell[:, position] for cell in (each.tp, each.fn, each.fp, each.tn))
    return Binary(tp, fn, fp, tn)


def _dirichlet(generator: np.random.Generator, shape: NDArray[np.float64], draws: int) -> NDArray[np.float64]:
    drawn = generator.standard_gamma(shape, (draws, len(shape)))
    drawn /= drawn.sum(axis=1, keepdims=True)
    return drawn
