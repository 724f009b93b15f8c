"""Rows of several models that stay in an engine: counted together there."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark.comparison.rows.joined import by_id
from tallymark.comparison.rows.joined_counts import Counting, Counts, Scored
from tallymark.comparison.rows.joined_sums import Measuring, Spreads
from tallymark.intake.engines.joined_rows import Bringing, JoinedTables, ModelTable, Side, kept, run
from tallymark.intake.engines.tables import EngineStore
from tallymark.intake.streams.surveyed import Surveyed

_ROOM = 1 << 25
"""What may go to all workers with one look at the rows, unless a single number takes more."""


@dataclass(frozen=True)
class _CountingBatch:
    """The work of counting a batch, which can be sent to a worker."""

    bringing: Bringing
    counting: Counting

    def __call__(self, batch: Any) -> Counts:
        return self.counting(*self.bringing(batch))


@dataclass(frozen=True)
class _MeasuringBatch:
    """The same, of adding up what its rows add to numbers."""

    bringing: Bringing
    counting: Counting
    measuring: Measuring

    def __call__(self, batch: Any) -> Spreads:
        found, _, _ = self.bringing(batch)
        if found is None:
            nothing = [np.empty(0) for _ in self.counting.scoring]
            return self.measuring(Scored(np.empty(0, np.bool_), None, nothing))
        return self.measuring(self.counting.scored(found))


class _EngineRows:
    """Rows of one table that has what all models say."""

    room = _ROOM

    def __init__(self, tables: Sequence[ModelTable], known: Sequence[Surveyed], how: str) -> None:
        self.how, self.where = how, f"in {tables[0].store.engine}"
        self._tables, self._known = tables, known
        self._used: tuple[EngineStore, list[str], Bringing, Counting] | None = None

    def _counted(
        self, store: EngineStore, columns: list[str], bringing: Bringing, counting: Counting
    ) -> Counts | None:
        self._used = store, columns, bringing, counting
        return run(store, _CountingBatch(bringing, counting), columns, "counting")  # type: ignore[no-any-return]

    def measure(self, measuring: Measuring) -> Spreads:
        assert self._used is not None
        store, columns, bringing, counting = self._used
        work = _MeasuringBatch(bringing, counting, measuring)
        return run(store, work, columns, "counting again")  # type: ignore[no-any-return]


class ColumnsOfOne(_EngineRows):
    """Models that are columns of one table."""

    def __init__(self, tables: Sequence[ModelTable], known: Sequence[Surveyed]) -> None:
        super().__init__(tables, known, "the models answered the same table, row by row.")

    def count(self, counting: Counting, actual: Sequence[NDArray[np.int64]]) -> Counts | None:
        used = [table.reading.roles.used for table in self._tables]
        sides = [
            Side(known, table.reading, {name: name for name in names})
            for known, table, names in zip(self._known, self._tables, used, strict=True)
        ]
        columns = list(dict.fromkeys(name for names in used for name in names))
        return self._counted(self._tables[0].store, columns, Bringing(sides, actual, None), counting)


class JoinedById(_EngineRows):
    """Models with a table each, joined by the ids of their rows; a context that the joined rows live in."""

    def __init__(self, tables: Sequence[ModelTable], known: Sequence[Surveyed]) -> None:
        super().__init__(tables, known, by_id(known))
        self._stack = ExitStack()

    def __enter__(self) -> JoinedById:
        return self

    def __exit__(self, *problem: object) -> None:
        self._stack.close()

    def count(self, counting: Counting, actual: Sequence[NDArray[np.int64]]) -> Counts | None:
        tables, places = JoinedTables(self._tables, self._known), range(len(self._tables))
        store = tables.joined(places)
        if counting.scoring:
            self._stack.enter_context(kept(store))
        counts = self._counted(store, store.names, tables.bringing(places, actual), counting)
        # Ids are there once in every table, so as many rows as each has are all of its rows.
        if counts is not None and all(known.rows == counts.came for known in self._known):
            return counts
        beside = [tables.beside(other, actual) for other in places[1:]]
        if counts is None:
            return Counts(beside)
        alike = [
            replace(note, other_class=known.other_class, other_weight=known.other_weight)
            for note, known in zip(beside, counts.beside, strict=True)
        ]
        return replace(counts, beside=alike)
