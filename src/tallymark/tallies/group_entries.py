"""Counts of every group in columns: what grouped tallies of any kind have in common."""

from __future__ import annotations

import math
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
    there = np.flatnonzero(np.bincount(group[starts], minlength=len(keys)))
    if len(there) < len(keys):
        keys = tuple(keys[position] for position in there)
        group = np.searchsorted(there, group)
    return Entries(keys, frozen(group[starts]), frozen(cells[starts]), frozen(counts))


def united_groups(
    sides: Sequence[tuple[tuple[Label, ...], NDArray[np.int64]]],
) -> tuple[tuple[Label, ...], NDArray[np.int64]]:
    """The groups of both sides; one that both know is one group."""
    (first, one), (second, two) = sides
    if first == second:
        return first, np.concatenate([one, two])
    if first and second and isinstance(first[0], str) != isinstance(second[0], str):
        return united_groups(_as_text(sides))
    keys = in_order([*first, *second])
    return keys, np.concatenate([_places(own, keys)[group] for own, group in sides])


def _places(names: Sequence[Label], among: tuple[Label, ...]) -> NDArray[np.int64]:
    """Where each of the names is among others."""
    place = dict(zip(among, range(len(among)), strict=True))
    return np.fromiter(map(place.__getitem__, names), np.int64, len(names))


def named_by_text(
    keys: tuple[Label, ...], group: NDArray[np.int64]
) -> tuple[tuple[Label, ...], NDArray[np.int64]]:
    """The same groups, their names written, in the order of text."""
    names = [str(key) for key in keys]
    order = in_order(names)
    return order, _places(names, order)[group]


def _as_text(
    sides: Sequence[tuple[tuple[Label, ...], NDArray[np.int64]]],
) -> list[tuple[tuple[Label, ...], NDArray[np.int64]]]:
    """Where fractions made text of the numbers of one side, those of the other are text as well."""
    (first, _), (second, _) = sides
    text, numbers = (first, second) if isinstance(first[0], str) else (second, first)
    word = next((name for name in text if not _is_number(str(name))), None)
    if word is not None or isinstance(numbers[0], bool):
        raise MergeError(
            "groups are named by text on one side and by numbers on the other: "
            f"{(text[0] if word is None else word)!r} and {numbers[0]!r}.",
            hint="write the groups of all parts the same way.",
        )
    return [named_by_text(*side) for side in sides]


def _is_number(name: str) -> bool:
    """Whether it is how a number is written where a column of numbers became text."""
    try:
        value = float(name)
    except ValueError:
        return False
    return math.isfinite(value) and name == (str(int(value)) if value.is_integer() else repr(value))
