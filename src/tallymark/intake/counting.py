"""Counting pairs of whole numbers, block by block so that every pass stays in the cache."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallymark.tallies.merging import EXACT

_BLOCK = 1 << 15
_BITS = 10
"""Tables up to 2**10 x 2**10 are counted densely; wider ranges are squeezed by sorting first."""
_NARROW = 1 << 20
_SUMMED = 1 << 13

Pairs = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]


def count_pairs(actual: NDArray[Any], predicted: NDArray[Any]) -> Pairs:
    """Distinct (actual, predicted) pairs of integers, and how many rows have each."""
    if len(actual) == 0:
        return (np.empty(0, np.int64),) * 3
    dense = _dense(actual, predicted, 0)
    if dense is not None:
        return dense
    lowest = min(int(actual.min()), int(predicted.min()))
    highest = max(int(actual.max()), int(predicted.max()))
    if highest - lowest < 1 << _BITS:
        shifted = _dense(actual, predicted, lowest)
        assert shifted is not None
        return shifted
    return _sparse(actual, predicted)


def _dense(actual: NDArray[Any], predicted: NDArray[Any], lowest: int) -> Pairs | None:
    """Counts by one bincount per block; None when a value is negative or needs more than _BITS bits."""
    bits, table = 1, np.zeros(4, np.int64)
    code = np.empty(min(_BLOCK, len(actual)), np.int64)
    for start in range(0, len(actual), _BLOCK):
        rows, columns = actual[start : start + _BLOCK], predicted[start : start + _BLOCK]
        if lowest:
            rows, columns = rows.astype(np.int64) - lowest, columns.astype(np.int64) - lowest
        # One look at all bits tells whether any value is negative or too large: no min, no max.
        reach = int(np.bitwise_or.reduce(rows)) | int(np.bitwise_or.reduce(columns))
        if reach < 0 or reach >> _BITS:
            return None
        if reach >> bits:
            table = _widened(table, bits, reach.bit_length())
            bits = reach.bit_length()
        pair = code[: len(rows)]
        np.left_shift(rows, bits, out=pair, dtype=np.int64)
        np.bitwise_or(pair, columns, out=pair, dtype=np.int64)
        table += np.bincount(pair, minlength=len(table))
    cells = np.flatnonzero(table)
    return (cells >> bits) + lowest, (cells & ((1 << bits) - 1)) + lowest, table[cells]


def _widened(table: NDArray[np.int64], bits: int, wanted: int) -> NDArray[np.int64]:
    wide = np.zeros((1 << wanted, 1 << wanted), np.int64)
    wide[: 1 << bits, : 1 << bits] = table.reshape(1 << bits, 1 << bits)
    return wide.ravel()


class Totals(NamedTuple):
    """What the rows of each key add up to."""

    keys: NDArray[np.int64]
    counts: NDArray[Any]
    squares: NDArray[Any] | None


def count_keys(keys: NDArray[np.int64], weight: NDArray[Any] | None) -> Totals:
    """Distinct whole numbers from 0 up, with the rows of each, or the sums of their weights and squares."""
    span = int(keys.max()) + 1 if len(keys) else 0
    if span <= max(_NARROW, len(keys)):
        found, codes = np.arange(span), keys
    else:
        found, codes = np.unique(keys, return_inverse=True)
    if weight is None:
        counts = np.bincount(codes, minlength=len(found))
        seen = np.flatnonzero(counts)
        return Totals(found[seen], counts[seen], None)
    seen = np.flatnonzero(np.bincount(codes, minlength=len(found)))
    # Squared as floats: the square of a whole weight may leave int64.
    amounts = weight, np.square(weight, dtype=float)
    sums, squares = (_sums(codes, each, len(found))[seen] for each in amounts)
    # Whole weights stay whole, as long as their squares add up exactly.
    exact = float(squares.sum()) <= EXACT
    return Totals(found[seen], sums.astype(weight.dtype), squares.astype(weight.dtype) if exact else squares)


def _sums(codes: NDArray[np.int64], amounts: NDArray[Any], size: int) -> NDArray[np.float64]:
    """Sums per code, block by block: rounding then grows with a block and not with all rows."""
    totals, lost = np.zeros(size), np.zeros(size)
    length = max(_SUMMED, 8 * size)
    for start in range(0, len(codes), length):
        block = slice(start, start + length)
        part = np.bincount(codes[block], weights=amounts[block], minlength=size)
        # What adding a block rounds away is kept (Knuth's two-sum).
        grown = totals + part
        added = grown - totals
        lost += (totals - (grown - added)) + (part - added)
        totals = grown
    return totals + lost


def _sparse(actual: NDArray[Any], predicted: NDArray[Any]) -> Pairs:
    values, codes = np.unique(np.concatenate([actual, predicted]), return_inverse=True)
    pairs, counts = np.unique(codes[: len(actual)] * len(values) + codes[len(actual) :], return_counts=True)
    rows, columns = np.divmod(pairs, len(values))
    return values[rows], values[columns], counts
