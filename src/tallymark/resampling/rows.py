"""Some rows of whatever holds rows."""

from __future__ import annotations

from typing import Any

from tallymark.resampling.folds import Ints

_INDEXED = ("csr", "csc", "lil", "dok")
"""The sparse formats whose rows can be picked."""


def rows_at(X: Any, rows: Ints) -> Any:
    """Some rows of an array, a sparse matrix, a data frame, a column or a list."""
    if hasattr(X, "iloc"):
        return X.iloc[rows]
    if hasattr(X, "to_pylist"):
        return X.take(rows)  # Arrow
    if isinstance(X, list | tuple):
        return [X[row] for row in rows.tolist()]
    if hasattr(X, "tocsr") and X.format not in _INDEXED:
        return X.tocsr()[rows]
    return X[rows]
