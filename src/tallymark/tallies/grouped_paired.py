"""`GroupedPaired`: the paired counts of every group beside their total, in columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark.tallies.group_entries import entries, united_groups
from tallymark.tallies.labels import Label
from tallymark.tallies.paired import Paired, mixed


@dataclass(frozen=True, eq=False, init=False)
class GroupedPaired:
    """What a paired tally is made of, group by group: rows of a group belong together (a patient)."""

    total: Paired
    keys: tuple[Label, ...]
    group: NDArray[np.int64]
    """Of each entry: the position of its group among the keys."""
    entry: NDArray[np.int64]
    """Of each entry: the position of its combination in the total; entries go by it, then by group."""
    counts: NDArray[Any]
    """Of each entry: rows, or the sum of their weights."""

    def __init__(
        self,
        total: Paired,
        keys: tuple[Label, ...],
        group: NDArray[np.int64],
        entry: NDArray[np.int64],
        counts: NDArray[Any],
    ) -> None:
        found = entries(keys, group, entry, counts)
        names = "total", "keys", "group", "entry", "counts"
        for name, value in zip(names, (total, *found), strict=True):
            object.__setattr__(self, name, value)

    def __len__(self) -> int:
        return len(self.keys)

    def pair(self, a: str, b: str) -> GroupedPaired:
        """Two of the models alone, in this order."""
        whole = self.total
        columns = whole.actual, whole.answers(a), whole.answers(b)
        # Distinct codes go up as the combinations of the new total do.
        entry = np.unique(mixed(columns, len(whole.labels)), return_inverse=True)[1].reshape(-1)
        return GroupedPaired(whole.pair(a, b), self.keys, self.group, entry[self.entry], self.counts)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, GroupedPaired):
            return NotImplemented
        return (
            self.total == other.total
            and self.keys == other.keys
            and np.array_equal(self.group, other.group)
            and np.array_equal(self.entry, other.entry)
            and np.array_equal(self.counts, other.counts)
        )

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, ...]:
        # Arrays come back from a pickle writeable: rebuild instead.
        return GroupedPaired, (self.total, self.keys, self.group, self.entry, self.counts)

    def __add__(self, other: GroupedPaired) -> GroupedPaired:
        """A group that both sides know is one group."""
        if not isinstance(other, GroupedPaired):
            return NotImplemented
        sides = self, other
        total = self.total + other.total
        keys, group = united_groups([(side.keys, side.group) for side in sides])
        cells = np.concatenate([side.total.moved(total.labels) for side in sides if side.total.names])
        places = np.unique(mixed(cells.T, len(total.labels)), return_inverse=True)[1].reshape(-1)
        first = len(self.total.cells)
        entry = places[:first][self.entry], places[first:][other.entry]
        counts = np.concatenate([self.counts, other.counts])
        return GroupedPaired(total, keys, group, np.concatenate(entry), counts)

    def __radd__(self, other: object) -> GroupedPaired:
        return self if isinstance(other, int) and other == 0 else NotImplemented
