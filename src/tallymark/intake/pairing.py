"""Counting the answers of several models to the same rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark.errors import ShapeError
from tallymark.intake.counting import count_keys
from tallymark.intake.weights import WeightKind
from tallymark.tallies.grouped_paired import GroupedPaired
from tallymark.tallies.labels import Label
from tallymark.tallies.paired import FITS, Paired, mixed

_BLOCK = 1 << 16
_NARROW = 1 << 16
"""Up to this many combinations are counted in one table, block by block so that each stays in the cache."""

Groups = tuple[tuple[Label, ...], NDArray[np.int64]]
"""The names of the groups in order, and the position of every row's group among them."""


def count_paired(
    labels: Sequence[Label],
    names: Sequence[str],
    actual: NDArray[np.int64],
    predicted: Sequence[NDArray[np.int64]],
    weight: NDArray[Any] | None = None,
    weight_kind: WeightKind = "sampling",
    group: Groups | None = None,
    declared: bool = False,
    dropped: Mapping[str, int] | None = None,
) -> tuple[Paired, GroupedPaired | None]:
    """Rows as positions among the labels, counted once; and group by group where they have groups."""
    columns = [actual, *predicted]
    _check(names, columns)
    if group is not None and weight is not None:
        # A row without weight is no row of its group either.
        there = np.flatnonzero(weight)
        columns = [column[there] for column in columns]
        weight, group = weight[there], (group[0], group[1][there])
    size = len(labels)
    space = max(size, 1) ** len(columns)
    if weight is None and group is None and space < FITS:
        dense = space <= _NARROW
        found, counts = (
            _dense(columns, size, space) if dense else np.unique(mixed(columns, size), return_counts=True)
        )
        cells, squares = _unmixed(found, size, len(columns)), None
    else:
        codes = mixed(columns, size)
        if space > max(_NARROW, len(actual)):
            found, first, codes = np.unique(codes, return_index=True, return_inverse=True)
            cells = np.stack([column[first] for column in columns], axis=1)
        else:
            found = np.arange(space)
            cells = _unmixed(found, size, len(columns))
        totals = count_keys(codes, weight)
        cells, counts, squares = cells[totals.keys], totals.counts, totals.squares
    counted = weight is None or weight_kind == "frequency"
    total = Paired.from_cells(
        labels,
        names,
        cells,
        counts,
        squares=None if counted else squares,
        rows=None if counted or weight is None else int((weight > 0).sum()),
        declared=declared,
        dropped=dropped,
    )
    if group is None:
        return total, None
    # Without weight 0 no combination was left out of the total, so its entries are the codes seen.
    place = np.zeros(len(found), np.int64)
    place[totals.keys] = np.arange(len(totals.keys))
    keys, of_row = group
    entries = len(total.cells)
    by_group = count_keys(of_row * entries + place[codes], weight)
    return total, GroupedPaired(total, keys, *np.divmod(by_group.keys, entries), by_group.counts)


def _check(names: Sequence[str], columns: Sequence[NDArray[Any]]) -> None:
    lengths = [len(column) for column in columns]
    if not names or len(names) != len(columns) - 1 or len(set(lengths)) > 1:
        raise ShapeError(
            f"expected the answers of every model to every row; got {len(names)} models and "
            f"{len(columns) - 1} columns of answers, and {', '.join(map(str, lengths))} rows."
        )


def _dense(
    columns: Sequence[NDArray[np.int64]], size: int, space: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The combinations seen, as numbers in base `size`, and their counts."""
    table = np.zeros(space, np.int64)
    rows = len(columns[0])
    # Tables larger than a block would be added up more often than rows are counted.
    block = max(_BLOCK, 4 * space)
    code = np.empty(min(block, rows), np.int64)
    for start in range(0, rows, block):
        part = [column[start : start + block] for column in columns]
        codes = code[: len(part[0])]
        so_far = part[0]
        for column in part[1:]:
            np.multiply(so_far, size, out=codes)
            codes += column
            so_far = codes
        table += np.bincount(codes, minlength=space)
    found = np.flatnonzero(table)
    return found, table[found]


def _unmixed(codes: NDArray[np.int64], size: int, columns: int) -> NDArray[np.int64]:
    """Rows of positions from numbers in base `size`."""
    if not len(codes):
        return np.empty((0, columns), np.int64)
    return np.stack(np.unravel_index(codes, (size,) * columns), axis=1)
