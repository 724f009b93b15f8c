"""`Grouped`: the counts of every group beside their total, in columns; there may be a million groups."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark.tallies.confusion import Confusion, moved
from tallymark.tallies.group_entries import entries, named_by_text, united_groups
from tallymark.tallies.labels import Label


@dataclass(frozen=True, eq=False, init=False)
class Grouped:
    """What a confusion tally is made of, group by group: rows of a group belong together (a patient)."""

    total: Confusion
    keys: tuple[Label, ...]
    group: NDArray[np.int64]
    """Of each entry: the position of its group among the keys."""
    cells: NDArray[np.int64]
    """Of each entry: `actual * K + predicted`; entries go by cell, then by group."""
    counts: NDArray[Any]
    """Of each entry: rows, or the sum of their weights."""

    def __init__(
        self,
        total: Confusion,
        keys: tuple[Label, ...],
        group: NDArray[np.int64],
        cells: NDArray[np.int64],
        counts: NDArray[Any],
    ) -> None:
        found = entries(keys, group, cells, counts)
        names = "total", "keys", "group", "cells", "counts"
        for name, value in zip(names, (total, *found), strict=True):
            object.__setattr__(self, name, value)

    def __len__(self) -> int:
        return len(self.keys)

    def named_by_text(self) -> Grouped:
        """The same, with the names of groups written as text."""
        keys, group = named_by_text(self.keys, self.group)
        return Grouped(self.total, keys, group, self.cells, self.counts)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Grouped):
            return NotImplemented
        return (
            self.total == other.total
            and self.keys == other.keys
            and np.array_equal(self.group, other.group)
            and np.array_equal(self.cells, other.cells)
            and np.array_equal(self.counts, other.counts)
        )

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, ...]:
        # Arrays come back from a pickle writeable: rebuild instead.
        return Grouped, (self.total, self.keys, self.group, self.cells, self.counts)

    def __add__(self, other: Grouped) -> Grouped:
        """A group that both sides know is one group."""
        if not isinstance(other, Grouped):
            return NotImplemented
        total = self.total + other.total
        keys, group = united_groups([(side.keys, side.group) for side in (self, other)])
        cells = [moved(side.cells, side.total.labels, total.labels) for side in (self, other)]
        counts = np.concatenate([self.counts, other.counts])
        return Grouped(total, keys, group, np.concatenate(cells), counts)

    def __radd__(self, other: object) -> Grouped:
        return self if isinstance(other, int) and other == 0 else NotImplemented
