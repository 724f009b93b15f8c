"""The columns of any X, each as numbers or as text: what a preparation sees of a table."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from numbers import Real
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tallymark.errors import ColumnError, ShapeError
from tallymark.intake import frames
from tallymark.intake.columns import is_missing
from tallymark.tallies.labels import quoted

Kind = Literal["number", "text", "date", "empty"]
"""Text are names of any sort, booleans among them; empty is a column of which every value is missing."""
Floats = NDArray[np.float64]
_DATES = (datetime.date, datetime.time, datetime.timedelta, np.datetime64, np.timedelta64)


@dataclass(frozen=True, eq=False)
class Features:
    """Columns of a table, in their order."""

    columns: Sequence[Any]
    """Columns of a data frame, or arrays."""
    names: tuple[str, ...] | None = None
    """As the data frame calls them; arrays have none."""

    def __len__(self) -> int:
        return len(self.columns)

    def title(self, place: int) -> str:
        """What a message calls a column."""
        return f"column {quoted(self.names[place])}" if self.names else f"column {place} (counted from 0)"

    def kind(self, place: int) -> Kind:
        """What a column holds; an error for what no learner here can use."""
        column = self.columns[place]
        found = _array_kind(column) if isinstance(column, np.ndarray) else _series_kind(column)
        if found is None:
            kind = type(_first(column)).__name__ if _is_of_objects(column) else column.dtype
            raise ColumnError(
                f"{self.title(place)} is of type {kind}; numbers, text or booleans are expected.",
                hint="leave it out, or make such columns of it.",
            )
        return found

    def numbers(self, places: Sequence[int]) -> Floats:
        """Columns side by side as numbers, NaN where one is missing."""
        found = np.empty((_length(self.columns), len(places)), order="F")
        for at, place in enumerate(places):
            try:
                found[:, at] = _numbers(self.columns[place])
            except (TypeError, ValueError):
                raise ColumnError(
                    f"{self.title(place)} holds numbers in the training rows and something else in others."
                ) from None
        return found

    def texts(self, places: Sequence[int]) -> NDArray[Any]:
        """Columns side by side as text, None where one is missing."""
        found = np.empty((_length(self.columns), len(places)), object, order="F")
        for at, place in enumerate(places):
            found[:, at] = _texts(self.columns[place])
        return found


def features_of(X: Any) -> Features:
    """The columns of an array, a list of rows, or a data frame of any library."""
    if not isinstance(X, np.ndarray | list | tuple) and frames.is_frame(X):
        names = frames.frame_names(X)
        return Features(list(frames.frame_columns(X, names).values()), tuple(names))
    array = _array(X)
    if array.ndim != 2:
        raise ShapeError(
            f"X has {array.ndim} {'dimension' if array.ndim == 1 else 'dimensions'}; "
            "rows and columns are expected.",
            hint="one column alone is X.reshape(-1, 1)." if array.ndim == 1 else None,
        )
    return Features(list(array.T))


def is_sparse(X: Any) -> bool:
    """Whether this is a sparse matrix of SciPy."""
    return hasattr(X, "tocsr")


def _array(X: Any) -> NDArray[Any]:
    if isinstance(X, np.ma.MaskedArray):
        masked = X.astype(object)
        masked[np.ma.getmaskarray(X)] = None
        return np.asarray(masked)
    if isinstance(X, np.ndarray) or hasattr(X, "__array__"):
        return np.asarray(X)
    rows = list(X)
    widths = {len(row) if hasattr(row, "__len__") and not isinstance(row, str) else 0 for row in rows}
    if len(widths) > 1:
        raise ShapeError(
            f"rows of X have between {min(widths)} and {max(widths)} values; as many are needed."
        )
    # Never a bare np.asarray: it turns [1, "a"] into text without a word.
    found = np.empty((len(rows), *(widths - {0})), object)
    found[:] = rows
    return found


def _length(columns: Sequence[Any]) -> int:
    return len(columns[0]) if columns else 0


def _series_kind(column: Any) -> Kind | None:
    import narwhals.stable.v2 as nw

    kind = column.dtype
    if column.null_count() == len(column):
        return "empty"
    if kind.is_numeric():
        return "empty" if kind.is_float() and bool(np.isnan(_numbers(column)).all()) else "number"
    if kind in (nw.String, nw.Categorical, nw.Enum, nw.Boolean):
        return "text"
    if kind.is_temporal():
        return "date"
    return kind_of_values(column.to_list()) if kind == nw.Object else None


def _array_kind(column: NDArray[Any]) -> Kind | None:
    kind = column.dtype.kind
    if kind in "iub":
        return "number"
    if kind == "f":
        return "empty" if bool(np.isnan(column).all()) else "number"
    if kind in "MmUT":
        return "date" if kind in "Mm" else "text"
    return kind_of_values(column.tolist()) if kind == "O" else None


def kind_of_values(values: Iterable[Any]) -> Kind | None:
    """The kind of a column whose type does not tell; None for what is neither numbers, text nor dates."""
    kinds: set[type] = {type(value) for value in values if not is_missing(value)}
    if not kinds:
        return "empty"
    if bool not in kinds and all(issubclass(kind, Real | Decimal) for kind in kinds):
        return "number"
    if all(issubclass(kind, str | Real | Decimal | np.bool_) for kind in kinds):
        return "text"
    return "date" if all(issubclass(kind, _DATES) for kind in kinds) else None


def _is_of_objects(column: Any) -> bool:
    return str(column.dtype).lower() == "object"


def _first(column: Any) -> Any:
    return next((value for value in _items(column) if not is_missing(value)), None)


def _items(column: Any) -> list[Any]:
    found: list[Any] = column.tolist() if isinstance(column, np.ndarray) else column.to_list()
    return found


def _numbers(column: Any) -> Floats:
    if not isinstance(column, np.ndarray):
        import narwhals.stable.v2 as nw

        if column.dtype.is_numeric():
            return np.asarray(column.cast(nw.Float64).fill_null(float("nan")).to_numpy())
        column = np.fromiter(column.to_list(), object, len(column))
    if column.dtype.kind == "O":
        return np.array([float("nan") if is_missing(value) else _number(value) for value in column.tolist()])
    return np.asarray(column, float)


def _number(value: Any) -> float:
    if isinstance(value, str):
        raise TypeError  # "7" is a name here, though float() would take it
    return float(value)


def _texts(column: Any) -> list[str | None]:
    return [None if is_missing(item) else str(item) for item in _items(column)]
