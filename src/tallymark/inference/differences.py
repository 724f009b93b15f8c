"""How much a part of the rows differs from all of them.

The part is within the whole, so the two are not independent: the cells of the part and of the rest are
drawn as one table, and the whole of every draw is the sum of both.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark.inference.cells import Cells, GroupCells, in_blocks
from tallymark.inference.draws import MOST_WITH_PRIOR, PRIOR_MASS, Counter, Drawn, of_class
from tallymark.inference.estimate import Estimate, undefined
from tallymark.inference.sample import LARGEST, ONE_GROUP, Sample
from tallymark.metrics import Asked
from tallymark.tallies import Confusion, Margins

THE_REST = "there is no other row to compare with"
ONE_OTHER = "all other rows are of one group, so there is nothing to resample"
_DRAWS, _MOST_DRAWS = 4_000, 40_000
_ENOUGH_IN_TAIL = 10
"""Draws beyond a limit; with fewer, more are made."""
_DUST = 1e-13


@dataclass(frozen=True)
class Difference:
    """A part of a sample against the whole of it."""

    part: Sample
    whole: Sample

    def of(self, asked: Asked, position: int | None) -> Estimate:
        """The number in the part less the number in the whole."""
        level = self.whole.level
        values = [side.of(asked, position) for side in (self.part, self.whole)]
        for estimate in values:
            if estimate.value is None:
                return undefined(estimate.why or "", level)
        here, everywhere = (float(estimate) for estimate in values)
        span = asked.metric.range[1] - asked.metric.range[0]

        def difference(both: tuple[Margins, Margins]) -> Any:
            return _value(asked, position, both[0]) - _value(asked, position, both[1])

        def ends(at: float) -> tuple[float, float] | str:
            drawn = LARGEST if asked.metric.interval == "none" else self._at(at)
            if isinstance(drawn, str):
                return drawn
            return drawn.limits(difference, here - everywhere, (-span, span), at)

        return Estimate(
            here - everywhere,
            level,
            "dirichlet" if self.whole.groups is None else "group_bootstrap",
            values[0].n,
            self.whole.assumption,
            ends_at=ends,
        )

    def _at(self, level: float) -> Drawn[tuple[Margins, Margins]] | str:
        """Enough draws for a level; one that is shared out among many slices lies far out in the tails."""
        return self._drawn if _DRAWS * (1 - level) / 2 >= _ENOUGH_IN_TAIL else self._more_drawn

    @cached_property
    def _drawn(self) -> Drawn[tuple[Margins, Margins]] | str:
        return self._made(_DRAWS)

    @cached_property
    def _more_drawn(self) -> Drawn[tuple[Margins, Margins]] | str:
        return self._made(_MOST_DRAWS)

    def _made(self, most: int) -> Drawn[tuple[Margins, Margins]] | str:
        part, whole = self.part.confusion, self.whole.confusion
        if part.rows == whole.rows:
            return THE_REST
        if self.part.groups is not None and len(self.part.groups) < 2:
            return ONE_GROUP
        size = len(whole.labels)
        every = size <= MOST_WITH_PRIOR
        cells = np.arange(size**2) if every else whole.cells
        prior = PRIOR_MASS / size**2 if every else 0.0
        source = self._source(cells, prior)
        groups = _groups_on_either_side(source, len(cells)) if isinstance(source, GroupCells) else None
        if groups is not None and groups < 2:
            return ONE_OTHER
        number = source.number(max(2 * len(cells), 10 * size), most)
        generator = np.random.default_rng([self.whole.seed, 0])
        of_part, of_whole = (
            Counter(cells, size, side.n, self.whole.costs, self.whole.shares) for side in (part, whole)
        )
        blocks = []
        for draws in in_blocks(number, max(2 * len(cells), source.work)):
            drawn = source.draw(generator, draws).reshape(draws, 2, len(cells))
            total = drawn[:, 0].sum(axis=1, keepdims=True)
            # None of the part's groups may be drawn; such a draw has no value.
            here = np.divide(drawn[:, 0], total, out=np.full_like(drawn[:, 0], np.nan), where=total > 0)
            blocks.append((of_part.margins(here), of_whole.margins(drawn.sum(axis=1))))
        return Drawn(blocks, blocks[0], number, 2 * len(cells), prior, False, groups)

    def _source(self, cells: NDArray[np.int64], prior: float) -> Cells | GroupCells:
        part, whole = self.part, self.whole
        if whole.groups is not None and part.groups is not None:
            return GroupCells.of_two(part.groups, whole.groups, cells, prior)
        rest = without(whole.confusion, part.confusion)
        return Cells.of_two(part.confusion, rest, cells, prior)


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


def _groups_on_either_side(source: GroupCells, cells: int) -> int:
    """Groups with rows in the part, or in the rest: the fewer, for they limit what can be known."""
    in_part = source.cells < cells
    return min(len(np.unique(source.group[side])) for side in (in_part, ~in_part))


def _value(asked: Asked, position: int | None, margins: Margins) -> Any:
    tally = margins if position is None or asked.metric.about == "all" else of_class(margins, position)
    return asked.metric(tally, *asked.parameters)
