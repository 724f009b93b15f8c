"""A number for every row, equal where rows are: copies are found by sorting, however many rows there are."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark.errors import TallymarkError
from tallymark.intake import frames
from tallymark.intake.columns import is_missing
from tallymark.validation.learners.features import features_of, is_sparse

Bits = NDArray[np.uint64]
_MISSING = np.uint64(0x7FF8000000000001)
"""What stands for a missing value: no number, and equal to itself."""
# Odd constants without a pattern; products with them spread every bit of a value over all bits.
_FIRST, _SECOND = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9)
_LOOKED_AT, _WORDS = 1_000, 4
_LEAST_COUNTED = 10
"""Rows from which on it can be seen that a column counts them."""
_NAME = re.compile(r"(\D*)(\d+)(\D*)")
_RARE = 0.02
"""The share of rows up to which a word is rare."""
_BLOCK = 1 << 16
"""Rows that are marked at a time, so that they stay in the processor's cache."""


@dataclass(frozen=True, eq=False)
class Marks:
    """Marks of all rows, and the columns they are of."""

    rows: Bits
    columns: Sequence[Any]
    """None of a sparse matrix."""
    match: float | None = None
    """Of a sparse matrix: the chance that two rows have the same rare words."""

    def of_column(self, place: int) -> Bits:
        """What a column adds to the marks of the rows."""
        return _mixed(_bits(self.columns[place]), place)


def marks_of(X: Any) -> Marks | None:
    """Marks of the rows of any features; None of features that cannot be told apart."""
    try:
        if is_sparse(X):
            return _of_sparse(X)
        columns = [column for column in _columns(X) if not _counts_rows(column)]
        if not columns:
            return None
        rows = np.zeros(len(columns[0]), np.uint64)
        for place, column in enumerate(columns):
            rows += _mixed(_bits(column), place)
    except (TallymarkError, TypeError, ValueError):  # such as values that are lists
        return None
    return Marks(rows, columns)


def pairs_in(marks: Bits) -> int:
    """Pairs of equal marks."""
    if len(marks) < 2:
        return 0
    ordered = np.sort(marks)
    ends = np.flatnonzero(np.r_[ordered[1:] != ordered[:-1], True])
    times = np.diff(ends, prepend=-1)
    return int((times * (times - 1) // 2).sum())


def match_in(marks: Bits) -> float:
    """The share of pairs that are equal."""
    n = len(marks)
    return pairs_in(marks) / (n * (n - 1) / 2) if n > 1 else 0.0


def with_classes(marks: Bits, actual: NDArray[np.int64]) -> Bits:
    """Marks that are equal where the rows and their classes are."""
    return marks + _mixed(actual.astype(np.uint64), -1)


def is_free_text(column: Any) -> bool:
    """Whether a column holds sentences rather than names: two alike are no accident."""
    values = islice((each for each in _some(column) if not is_missing(each)), _LOOKED_AT)
    blanks = [value.count(" ") if isinstance(value, str) else 0 for value in values]
    return bool(blanks) and sum(blanks) >= (_WORDS - 1) * len(blanks)


def _some(column: Any) -> list[Any]:
    first = column[:_LOOKED_AT]
    return first.tolist() if isinstance(first, np.ndarray) else first.to_list()  # type: ignore[no-any-return]


def _counts_rows(column: Any) -> bool:
    """Whether a column only counts rows: whole numbers without large gaps, no two alike, alone or as in p17.

    Measurements are all different too, but neither whole nor that close.
    """
    values = column if isinstance(column, np.ndarray) else np.asarray(column.to_numpy())
    if values.dtype.kind in "OUT":
        values = _numbers_in(values.tolist())
    n = len(values)
    if n < _LEAST_COUNTED or values.dtype.kind not in "iuf":
        return False
    low, high = float(values.min()), float(values.max())
    return high - low < 2 * n and bool((values == np.floor(values)).all()) and len(np.unique(values)) == n


def _numbers_in(names: list[Any]) -> NDArray[np.float64]:
    """Numbers among objects, or of names that are alike but for a number; none of others."""
    if all(isinstance(name, int | float) for name in names):
        return np.array(names, float)
    found: set[tuple[str, ...]] = set()
    numbers = []
    for name in names:
        parts = _NAME.fullmatch(name) if isinstance(name, str) else None
        if parts is None or len(found | {parts.group(1, 3)}) > 1:
            return np.empty(0)
        found.add(parts.group(1, 3))
        numbers.append(float(parts[2]))
    return np.array(numbers)


def _columns(X: Any) -> Sequence[Any]:
    if isinstance(X, list | tuple) and len(X) and isinstance(X[0], str):
        return [np.array(X, object)]
    dimensions = getattr(X, "ndim", 2)
    if frames.is_series(X) or dimensions == 1:
        return [np.asarray(X)]
    if dimensions > 2:
        X = np.asarray(X).reshape(len(X), -1)
    return features_of(X).columns


def _bits(column: Any) -> Bits:
    """A number for every value of a column, the same for the same value."""
    if not isinstance(column, np.ndarray):
        return _series_bits(column)
    kind = column.dtype.kind
    if kind == "f":
        found = column + 0.0 if column.dtype == np.float64 else column.astype(np.float64) + 0.0  # no -0.0
        bits = found.view(np.uint64)
        bits[np.isnan(found)] = _MISSING
        return bits
    if kind in "iubMm":
        return column.astype(np.int64).view(np.uint64)
    values = (_MISSING if is_missing(value) else _hash(value) for value in column.tolist())
    return np.fromiter(values, np.uint64, len(column))


def _hash(value: Any) -> int:
    # Python's hashes of -1 and -2, which often stand for missing values, are equal; none is -1.
    return (hash(value) + bool(value == -1)) % 2**64


def _series_bits(column: Any) -> Bits:
    if not column.dtype.is_numeric():
        return _bits(np.fromiter(column.to_list(), object, len(column)))
    if not column.null_count():
        return _bits(np.asarray(column.to_numpy()))
    missing = np.asarray(column.is_null().to_numpy())
    bits = _bits(np.asarray(column.fill_null(0).to_numpy()))
    bits[missing] = _MISSING
    return bits


def _mixed(bits: Bits, place: int) -> Bits:
    """Spread over all bits, and other for every column: sums of them are equal by accident only."""
    found = np.empty(len(bits), np.uint64)
    start = np.uint64((place + 2) * 0xD1B54A32D192ED03 % 2**64)
    for at in range(0, len(bits), _BLOCK):
        part = bits[at : at + _BLOCK] + start
        part *= _FIRST
        part ^= part >> np.uint64(32)
        part *= _SECOND
        part ^= part >> np.uint64(29)
        found[at : at + _BLOCK] = part
    return found


def _of_sparse(X: Any) -> Marks:
    csr = X.tocsr()
    if not csr.has_canonical_format:
        csr = csr.copy()
        csr.sum_duplicates()
    there = csr.data != 0
    cells = _mixed(_bits(csr.data) + _mixed(csr.indices.astype(np.uint64), 0), 1)
    sums = np.r_[np.uint64(0), np.cumsum(np.where(there, cells, np.uint64(0)), dtype=np.uint64)]
    rows = sums[csr.indptr[1:]] - sums[csr.indptr[:-1]]
    filled = np.bincount(csr.indices[there], minlength=csr.shape[1]) / csr.shape[0]
    # Levels of a few names make equal rows, and are not rare. Words go with each other: hence the half.
    rare = filled[filled <= _RARE]
    match = float(np.exp(np.log(rare**2 + (1 - rare) ** 2).sum() / 2))
    return Marks(rows, (), match)
