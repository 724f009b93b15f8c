"""Nested training subsets: rows of a training part in an order whose beginnings are the subsets."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from heapq import heappop, heappush
from typing import Any

import numpy as np

from tallymark.resampling.folds import Ints


@dataclass(frozen=True, eq=False)
class Nested:
    """The training rows of one repeat, in order: each subset is a beginning, so it has the smaller ones."""

    order: Ints
    test: Ints
    ends: Ints | None = None
    """Where a subset may end: behind each group; None when anywhere."""
    least: int = 1
    """The shortest beginning with rows of two classes."""

    def rows(self, size: int, *, whole: bool = False) -> Ints:
        """The subset of this size, or as near to it as whole groups come."""
        if whole:
            return self.order
        if self.ends is None:
            return self.order[:size]
        return self.order[: int(self.ends[np.argmin(np.abs(self.ends - size))])]


def nested(train: Ints, test: Ints, actual: Ints, groups: Any, rng: np.random.Generator) -> Nested:
    """Rows in random order with the class shares of the whole in every beginning, to within one row.

    With groups, groups are put in random order instead and stay whole.
    """
    if groups is not None and np.ndim(groups) == 1:
        return _by_group(train, test, actual, groups, rng)
    classes, of_class = np.unique(actual[train], return_inverse=True)
    shuffled = [rng.permutation(np.flatnonzero(of_class == place)) for place in range(len(classes))]
    turns = _turns(tuple(len(rows) for rows in shuffled))
    order = np.empty(len(train), np.int64)
    for place, rows in enumerate(shuffled):
        order[turns == place] = train[rows]
    return Nested(order, test, least=_two_classes(actual[order]))


def _by_group(train: Ints, test: Ints, actual: Ints, groups: Any, rng: np.random.Generator) -> Nested:
    _, of_group, sizes = np.unique(np.asarray(groups)[train], return_inverse=True, return_counts=True)
    place = rng.permutation(len(sizes))
    order = train[np.argsort(place[of_group], kind="stable")]
    ends = np.cumsum(sizes[np.argsort(place)])
    needed = _two_classes(actual[order])
    return Nested(order, test, ends, int(ends[np.searchsorted(ends, needed)]))


def _two_classes(classes: Ints) -> int:
    """How many of the first rows it takes to see two classes; when there is one only, none is too small."""
    other = np.flatnonzero(classes != classes[0])
    return int(other[0]) + 1 if len(other) else 1


@lru_cache(maxsize=8)
def _turns(counts: tuple[int, ...]) -> Ints:
    """Whose turn it is, row after row, so that each class always has its share to within one row.

    Tijdeman's chairman assignment (1980): the j-th row of a class may not come before its share has grown
    to j less `slack`, nor after it has grown to j - 1 and `slack`; of those that may come, the most urgent
    one does. For K classes a slack of 1 - 1/(2K - 2) always works.
    """
    classes, total = len(counts), sum(counts)
    if classes == 1:
        return np.zeros(total, np.int64)
    slack = 1 - 1 / (2 * classes - 2)
    every = [total / number for number in counts]
    given = [0] * classes
    waiting = [(max(1.0, (1 - slack) * every[place]), place) for place in range(classes)]
    waiting.sort()
    ready: list[tuple[float, int]] = []
    turns = np.empty(total, np.int64)
    for turn in range(1, total + 1):
        while waiting and (waiting[0][0] <= turn + 1e-9 or not ready):
            _, place = heappop(waiting)
            heappush(ready, ((given[place] + slack) * every[place], place))
        _, place = heappop(ready)
        turns[turn - 1] = place
        given[place] += 1
        if given[place] < counts[place]:
            heappush(waiting, ((given[place] + 1 - slack) * every[place], place))
    turns.flags.writeable = False
    return turns
