"""Counts of every group in columns: what grouped tallies of any kind have in common."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallymark.errors import MergeError
from tallymark.tallies.confusion import frozen
from tallymark.tallies.labels import Label, in_order


class Entries(NamedTuple):
    """Groups by name, and of each entry its group, its cell and its count; by cell, then by group."""

    keys: tuple[Label, ...]
    group: NDArray[np.int64]
    cells: NDArray[np.int64]
    counts: NDArray[Any]


def entries(
    keys: tuple[Label, ...], group: NDArray[np.int64], cells: NDArray[np.int64], counts: NDArray[Any]
) -> Entries:
    """In order, those of the same group and cell added up."""
    order = np.lexsort((group, cells))
    group, cells, counts = group[order], cells[order], counts[order]
    starts = np.flatnonzero(np.diff(cells, prepend=-1) | np.diff(group, prepend=-1))
    counts = np.add.reduceat(counts, starts) if len(starts) else counts
    # As in the total, cells without weight are not kept; nor are groups without any weight.
    starts, counts = starts[counts != 0], counts[counts != 0]
    there = np.unique(group[starts])
    if len(there) < len(keys):
        keys = tuple(keys[position] for position in there)
    return Entries(keys, frozen(np.searchsorted(there, group[starts])), frozen(cells[starts]), frozen(counts))


def united_groups(
    sides: Sequence[tuple[tuple[Label, ...], NDArray[np.int64]]],
) -> tuple[tuple[Label, ...], NDArray[np.int64]]:
    """The groups of both sides; one that both know is one group."""
    (first, _), (second, _) = sides
    if first and second and isinstance(first[0], str) != isinstance(second[0], str):
        raise MergeError(
            "groups are named by text on one side and by numbers on the other: "
            f"{first[0]!r} and {second[0]!r}."
        )
    keys = in_order([*first, *second])
    place = {key: position for position, key in enumerate(keys)}
    return keys, np.concatenate(
        [np.array([place[key] for key in own], np.int64)[group] for own, group in sides]
    )
