"""Counting label sets: from two tables rows x labels to a tally."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark.tallies import Label, LabelSets
from tallymark.tallies.label_sets import MOST_JOINT
from tallymark.tallies.merging import EXACT

_BLOCK = 1 << 16
_DENSE = 1 << 20
"""Up to so many possible kinds of rows, they are counted without sorting."""


def count_sets(
    labels: Sequence[Label],
    actual: NDArray[np.bool_],
    predicted: NDArray[np.bool_],
    weights: NDArray[np.float64] | None = None,
    *,
    frequency: bool = False,
    pairs: bool = True,
    declared: bool = False,
    dropped: Mapping[str, int] | None = None,
) -> LabelSets:
    """The tally of two tables rows x labels.

    With `frequency` a weight of 2 is two rows; without `pairs` it is not counted how labels hang together.
    """
    both = actual & predicted
    kinds, which = _kinds(actual, predicted, both)
    tables = both, actual & ~both, predicted & ~both
    if weights is None:
        cells = np.stack([table.sum(axis=0) for table in tables])
        counts = np.bincount(which, minlength=len(kinds))
        joint = _joint(tables, None) if pairs else None
        return LabelSets.from_kinds(
            labels, kinds, counts, cells, joint=joint, declared=declared, dropped=dropped
        )
    squared = np.square(weights, dtype=float)  # as whole numbers, large ones would overflow
    # Whole-number weights stay integers, as far as their sums are exact.
    whole = bool((weights == np.floor(weights)).all())
    kind, square_kind = (
        np.int64 if whole and float(amounts.sum()) < EXACT else np.float64 for amounts in (weights, squared)
    )
    counts = np.bincount(which, weights, minlength=len(kinds)).astype(kind)
    cells = np.stack([_weighed(table, weights) for table in tables]).astype(kind)
    if frequency:
        joint = _joint(tables, weights, kind) if pairs else None
        return LabelSets.from_kinds(
            labels, kinds, counts, cells, joint=joint, declared=declared, dropped=dropped
        )
    return LabelSets.from_kinds(
        labels,
        kinds,
        counts,
        cells,
        squares=np.bincount(which, squared, minlength=len(kinds)).astype(square_kind),
        cell_squares=np.stack([_weighed(table, squared) for table in tables]).astype(square_kind),
        joint=_joint(tables, squared, square_kind) if pairs else None,
        rows=int((weights > 0).sum()),
        declared=declared,
        dropped=dropped,
    )


def _kinds(*tables: NDArray[np.bool_]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Distinct triples of set sizes, and which of them each row has."""
    sizes = [table.sum(axis=1) for table in tables]
    base = 1 + max(int(size.max(initial=0)) for size in sizes)
    codes = (sizes[0] * base + sizes[1]) * base + sizes[2]
    if base**3 <= _DENSE:
        seen, which = np.arange(base**3), codes
    else:
        seen, which = np.unique(codes, return_inverse=True)
    rest, both = np.divmod(seen, base)
    return np.stack([*np.divmod(rest, base), both], axis=1), which


def _joint(
    tables: Sequence[NDArray[np.bool_]], amounts: NDArray[Any] | None, kind: type[Any] = np.int64
) -> NDArray[Any] | None:
    """In how many rows two cells meet, or what these rows amount to."""
    if tables[0].shape[1] > MOST_JOINT:
        return None
    size = len(tables) * tables[0].shape[1]
    total = np.zeros((size, size))
    for start in range(0, len(tables[0]), _BLOCK):
        block = slice(start, start + _BLOCK)
        marks = np.concatenate([table[block] for table in tables], axis=1)
        # Whole numbers up to a block's rows are exact in single precision, which is twice as fast.
        cells: NDArray[Any] = marks.astype(np.float32 if amounts is None else np.float64)
        total += cells.T @ (cells if amounts is None else cells * amounts[block, None])
    return total.astype(kind)


def _weighed(table: NDArray[np.bool_], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Sums of weights down the columns, block by block so that no table of floats is ever made whole."""
    total = np.zeros(table.shape[1])
    for start in range(0, len(table), _BLOCK):
        total += weights[start : start + _BLOCK] @ table[start : start + _BLOCK].astype(float)
    return total
