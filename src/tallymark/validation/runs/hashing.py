"""What tells the rows of a data set from others: a hash of all that models see of them."""

from __future__ import annotations

import binascii
import zlib
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark.intake import frames
from tallymark.resampling.folds import Folds
from tallymark.validation.data.data_set import DataSet
from tallymark.validation.runs.describing import Indescribable, array_hash, described, digest
from tallymark.validation.runs.tables import is_table, sparse_hash, table_hash

_LENGTH = 32
_DATA_SETS = 4
"""Whose hashes are kept: every permutation of all classes makes one, and what is kept stays in memory."""
_FEATURES = 32
"""The same of features, which many data sets share."""
_END = 64
"""Bytes beyond those of the rows, so that the end of what was compressed is met."""
_MOST_ROWS = 1_000_000
"""Of a data set whose test rows are kept one by one."""


class Hashes:
    """Hashes of data sets, each worked out once; features that several share are read once."""

    def __init__(self) -> None:
        self._data_sets = _Kept(_DATA_SETS)
        self._features = _Kept(_FEATURES)

    def of(self, data: DataSet) -> str:
        """Features, classes and groups; raises `Indescribable` for features that cannot be told apart."""
        return self._data_sets.once(data, self._of_data)

    def of_features(self, data: DataSet) -> str:
        """The features alone: numbers are the same in an array and in any data frame."""
        return self._features.once(data.X, _values_hash)[:_LENGTH]

    def _of_data(self, data: DataSet) -> str:
        found = {
            "features": self._features.once(data.X, _features_hash),
            "y": described(data.y),
            "labels": described(list(data.labels)),
            "actual": array_hash(data.actual),
            "groups": described(None if data.groups is None else np.asarray(data.groups)),
        }
        return digest(found)[:_LENGTH]


class _Kept:
    """The last few hashes."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._known: dict[tuple[int, str], tuple[Any, str | Indescribable]] = {}
        """With what was hashed, so that no other object can come to have its identity."""

    def once(self, value: Any, work: Callable[[Any], str]) -> str:
        key = id(value), work.__name__
        found = self._known.pop(key, None) or (value, _tried(work, value))
        self._known[key] = found  # last in line
        if len(self._known) > self._most:
            del self._known[next(iter(self._known))]
        if isinstance(found[1], Indescribable):
            raise found[1]
        return found[1]


def _tried(work: Callable[[Any], str], value: Any) -> str | Indescribable:
    try:
        return work(value)
    except Indescribable as problem:
        return problem


def tested_rows(folds: Folds) -> NDArray[np.bool_]:
    """Which rows are tested on, in whatever folds."""
    tested = np.zeros(folds.rows, bool)
    for fold in folds.folds:
        tested[fold.test] = True
    return tested


def tested_hash(folds: Folds) -> tuple[str, int]:
    """The set of rows that are tested on, in whatever folds, and how many they are."""
    tested = tested_rows(folds)
    return array_hash(np.packbits(tested))[:_LENGTH], int(tested.sum())


def written_rows(rows: NDArray[np.bool_]) -> str | None:
    """Some of all rows as a short text; None of so many that it would be long."""
    if len(rows) > _MOST_ROWS:
        return None
    return binascii.b2a_base64(zlib.compress(np.packbits(rows).tobytes()), newline=False).decode()


def read_rows(text: str, rows: int) -> NDArray[np.bool_]:
    """The same, of so many rows; raises ValueError for any other text."""
    try:
        packed = zlib.decompressobj()
        bits = np.frombuffer(packed.decompress(binascii.a2b_base64(text), rows // 8 + _END), np.uint8)
    except zlib.error as problem:
        raise ValueError(str(problem)) from None
    if not packed.eof:
        raise ValueError("the text is cut short, or is of more rows")
    return np.unpackbits(bits, count=rows).astype(bool)


def _features_hash(X: Any) -> str:
    if hasattr(X, "tocsr"):
        return sparse_hash(X)
    return table_hash(X) if is_table(X) else digest(described(X))


def _values_hash(X: Any) -> str:
    """Column by column, so that no copy of all is made."""
    if type(X) in (np.ndarray, np.memmap) and X.ndim == 2 and X.dtype.kind in "biuf":
        return digest([_numbers_hash(X[:, place]) for place in range(X.shape[1])])
    if is_table(X) and len(getattr(X, "shape", ())) == 2:
        columns = frames.frame_columns(X, frames.frame_names(X)).values()
        numbers = all(column.dtype.is_numeric() or str(column.dtype) == "Boolean" for column in columns)
        if numbers and len(columns) == X.shape[1]:  # none of a name that is there twice
            return digest([_numbers_hash(_numbers(column)) for column in columns])
    return _features_hash(X)


def _numbers(column: Any) -> NDArray[np.float64]:
    """A column of any data frame, NaN where a number is missing."""
    filled = column.fill_null(0 if column.dtype.is_numeric() else False)
    return np.where(column.is_null().to_numpy(), np.nan, filled.to_numpy().astype(np.float64))


def _numbers_hash(column: NDArray[Any]) -> str:
    numbers = column.astype(np.float64)
    numbers[np.isnan(numbers)] = np.nan  # one of the many that there are
    return array_hash(numbers)
