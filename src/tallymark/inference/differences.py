"""How much a part of the rows differs from all of them.

The part is within the whole, so the two are not independent: the cells of the part and of the rest are
drawn as one table, and the whole of every draw is the sum of both.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from tallymark.inference.cells import Cells, GroupCells, in_blocks
from tallymark.inference.draws import MOST_WITH_PRIOR, PRIOR_MASS, Counter, Drawn, of_class
from tallymark.inference.estimate import Estimate, undefined
from tallymark.inference.sample import LARGEST, Sample
from tallymark.metrics import Asked
from tallymark.tallies import Confusion, Margins

THE_REST = "there is no other row to compare with"
ONE_SIDED = "all rows here, or all others, are of one group, so there is nothing to resample"
_ENOUGH_GROUPS = 10
"""Measured: with fewer, how many of them are drawn varies so much that this alone is wide enough."""
_DRAWS, _MOST_DRAWS = 4_000, 40_000
_ENOUGH_IN_TAIL = 10
"""Draws beyond a limit; with fewer, more are made."""
_DUST = 1e-13

Question = tuple[Asked, int | None]
"""A number, and the position of the class it is about."""
Ends = tuple[float, float] | str


class Counted(Protocol):
    """A sample of rows of either kind."""

    @property
    def groups(self) -> object: ...
    def of(self, asked: Asked, position: int | None) -> Estimate: ...


Side = TypeVar("Side", bound=Counted)


class PartAndWhole(ABC, Generic[Side]):
    """A part of a sample against the whole of it: what does not depend on the kind of rows.

    Draws are made for several numbers at once and let go; only the limits are kept.
    """

    def __init__(self, part: Side, whole: Side, together: Sequence[Question] = ()) -> None:
        self._part, self._whole = part, whole
        self._together = together
        self._limits: dict[tuple[str, int | None, float], Ends] = {}

    @abstractmethod
    def drawn(self, most: int) -> Drawn[Any] | str:
        """Part and whole in every draw; or why there are none."""

    @abstractmethod
    def value(self, question: Question, side: Any) -> Any:
        """The number in one side of a draw."""

    def of(self, asked: Asked, position: int | None) -> Estimate:
        """The number in the part less the number in the whole."""
        question = asked, position
        here, everywhere = self._part.of(asked, position), self._whole.of(asked, position)
        for estimate in (here, everywhere):
            if estimate.value is None:
                return undefined(estimate.why or "", estimate.level)
        return Estimate(
            float(here) - float(everywhere),
            everywhere.level,
            "dirichlet" if self._whole.groups is None else "group_bootstrap",
            here.n,
            everywhere.assumption,
            ends_at=lambda level: self._ends(question, level),
        )

    def _ends(self, question: Question, level: float) -> Ends:
        key = question[0].name, question[1], level
        if key not in self._limits:
            # A level that is shared out among many slices lies far out in the tails.
            enough = _DRAWS * (1 - level) / 2 >= _ENOUGH_IN_TAIL
            drawn = self.drawn(_DRAWS if enough else _MOST_DRAWS)
            for each in (question, *self._together):
                self._limits[each[0].name, each[1], level] = self._end(each, level, drawn)
        return self._limits[key]

    def _end(self, question: Question, level: float, drawn: Drawn[Any] | str) -> Ends:
        metric = question[0].metric
        here, everywhere = self._part.of(*question), self._whole.of(*question)
        if here.value is None or everywhere.value is None:
            return ""
        if metric.interval == "none":
            return LARGEST
        if isinstance(drawn, str):
            return drawn
        span = metric.range[1] - metric.range[0]

        def difference(both: tuple[Any, Any]) -> Any:
            return self.value(question, both[0]) - self.value(question, both[1])

        return drawn.limits(difference, here.value - everywhere.value, (-span, span), level)


class Difference(PartAndWhole[Sample]):
    """A part of rows that have one label each."""

    def value(self, question: Question, side: Margins) -> Any:
        asked, position = question
        of_all = position is None or asked.metric.about == "all"
        return asked.metric(side if of_all else of_class(side, position or 0), *asked.parameters)

    def drawn(self, most: int) -> Drawn[tuple[Margins, Margins]] | str:
        part, whole = self._part.confusion, self._whole.confusion
        if part.rows == whole.rows:
            return THE_REST
        size = len(whole.labels)
        every = size <= MOST_WITH_PRIOR
        cells = np.arange(size**2) if every else whole.cells
        source = self._source(cells, PRIOR_MASS / size**2 if every else 0.0)
        units = units_of(source)
        if isinstance(units, str):
            return units
        number = source.number(max(2 * len(cells), 10 * size), most)
        generator = np.random.default_rng([self._whole.seed, 0])
        of_part, of_whole = (
            Counter(cells, size, side.n, self._whole.costs, self._whole.shares) for side in (part, whole)
        )
        blocks = []
        for draws in in_blocks(number, max(2 * len(cells), source.work)):
            drawn = source.draw(generator, draws).reshape(draws, 2, len(cells))
            total = drawn[:, 0].sum(axis=1, keepdims=True)
            # None of the part's groups may be drawn; such a draw has no value.
            here = np.divide(drawn[:, 0], total, out=np.full_like(drawn[:, 0], np.nan), where=total > 0)
            blocks.append((of_part.margins(here), of_whole.margins(drawn.sum(axis=1))))
        return Drawn(blocks, blocks[0], number, 2 * len(cells), 0.0, False, units)

    def _source(self, cells: NDArray[np.int64], prior: float) -> Cells | GroupCells:
        part, whole = self._part, self._whole
        if whole.groups is not None and part.groups is not None:
            return GroupCells.of_two(part.groups, whole.groups, cells, prior)
        rest = without(whole.confusion, part.confusion)
        return Cells.of_two(part.confusion, rest, cells, prior)


def units_of(source: Cells | GroupCells) -> int | str | None:
    """How many groups the limits stand on, None without groups; or why there can be no limits."""
    if isinstance(source, Cells):
        return None
    fewer = source.fewer()
    if fewer < 2:
        return ONE_SIDED
    return min(source.groups, max(fewer, _ENOUGH_GROUPS))


def without(whole: Confusion, part: Confusion) -> Confusion:
    """The rows of the whole that are not of the part."""
    at = np.searchsorted(whole.cells, part.cells)

    def rest(all_rows: NDArray[Any], some: NDArray[Any]) -> NDArray[Any]:
        left = all_rows.copy()
        left[at] -= some
        # Differences of fractions leave dust, above or below 0, where the part has everything.
        return np.where(left > _DUST * all_rows, left, 0)

    squares = None
    if whole.squares is not None and part.squares is not None:
        squares = rest(whole.squares, part.squares)
    return Confusion.from_cells(
        whole.labels,
        whole.cells,
        rest(whole.counts, part.counts),
        squares=squares,
        rows=whole.rows - part.rows,
    )
