"""Data frames, columns and sparse tables described by all that models see of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from tallymark.intake import frames
from tallymark.validation.runs.describing import Indescribable, array_hash, described, digest, items_hash
from tallymark.validation.runs.functions import name_of

_KNOWN = {
    "pandas": ("DataFrame", "Series"),
    "polars": ("DataFrame", "LazyFrame", "Series"),
    "pyarrow": ("Table", "ChunkedArray"),
}


def is_table(X: Any) -> bool:
    """Whether this is a data frame or a column of some library."""
    return not isinstance(X, list | tuple | np.ndarray) and (frames.is_frame(X) or frames.is_series(X))


def table_hash(X: Any) -> str:
    """Raises `Indescribable` for those of libraries whose frames may hold more than is looked at here."""
    library, kind = frames.library_of(X), type(X)
    if kind.__module__.partition(".")[0] != library or kind.__name__ not in _KNOWN.get(library, ()):
        raise Indescribable(f"a table of type {kind.__module__}.{kind.__name__} cannot be told from others")
    if library == "pandas":
        found = _pandas(X)
    elif library == "polars":
        found = _polars(X.collect() if kind.__name__ == "LazyFrame" else X)
    else:
        found = _arrow(X)
    return digest([library, kind.__name__, found])


def sparse_hash(X: Any) -> str:
    """Values by row, in whatever order they are stored; and the format, which models see."""
    rows = X.tocsr().sorted_indices()
    parts = map(described, (rows.data, rows.indices, rows.indptr))
    return digest([name_of(type(X)), X.format, list(X.shape), str(X.dtype), *parts])


# --- pandas ----------------------------------------------------------------------------------------------


def _pandas(X: Any) -> list[Any]:
    if X.ndim == 1:
        return [described(X.name), _index(X.index), described(X.attrs), _pandas_column(X)]
    columns = [_pandas_column(X.iloc[:, place]) for place in range(X.shape[1])]
    return [_index(X.columns), _index(X.index), described(X.attrs), columns]


def _index(index: Any) -> Any:
    """Names of rows or columns; None where they only count the rows."""
    kind, names = type(index).__name__, described(list(index.names))
    if kind == "RangeIndex":
        steps = [index.start, index.stop, index.step]
        return None if index.names == [None] and steps == [0, len(index), 1] else [kind, names, steps]
    levels = [index.get_level_values(place) for place in range(index.nlevels)]
    values = [_pandas_column(level.to_series(index=range(len(level)))) for level in levels]
    return [kind, names, str(getattr(index, "freq", None)), values]


def _pandas_column(column: Any) -> list[Any]:
    dtype = column.dtype
    told = [type(dtype).__name__, str(dtype), repr(getattr(dtype, "na_value", None))]
    if type(dtype).__name__ == "CategoricalDtype":
        # Models see the order of categories, and those that no row has.
        codes = array_hash(column.cat.codes.to_numpy())
        return ["categories", bool(dtype.ordered), _index(dtype.categories), codes]
    if type(dtype).__name__ == "ArrowDtype":
        return [*told, _arrow_column(column.array.__arrow_array__())]
    if type(dtype).__name__ == "DatetimeTZDtype":
        column = column.dt.tz_convert(None)
    if isinstance(column.dtype, np.dtype) and not column.dtype.hasobject:
        return [*told, array_hash(column.to_numpy())]
    values = column.astype(object).tolist()
    return [*told, *_with_missing(values, column.isna().to_numpy())]


def _with_missing(values: list[Any], missing: Any) -> list[Any]:
    """Missing values apart, so that the others are hashed quickly: there are several kinds of them."""
    places = np.flatnonzero(missing).tolist()
    kinds = [values[place] for place in places]
    for place in places:
        values[place] = None
    told = {each: described(kind) for each, kind in {id(kind): kind for kind in kinds}.items()}
    return [
        array_hash(np.asarray(missing, bool)),
        items_hash(values),
        digest([told[id(kind)] for kind in kinds]),
    ]


# --- polars and Arrow --------------------------------------------------------------------------------------


def _polars(X: Any) -> list[Any]:
    columns = [X] if type(X).__name__ == "Series" else X.get_columns()
    return [[column.name, repr(column.dtype), *_polars_column(column)] for column in columns]


def _polars_column(column: Any) -> list[Any]:
    dtype, missing = column.dtype, array_hash(column.is_null().to_numpy())
    kind = str(dtype.base_type())
    if kind in ("Categorical", "Enum"):
        # Numbers that models may see as well.
        return [missing, *_polars_column(column.to_physical()), items_hash(column.cast(str).to_list())]
    if dtype.is_temporal():
        return [missing, *_polars_column(column.to_physical())]
    if kind != "Decimal" and (dtype.is_numeric() or kind == "Boolean"):
        return [missing, array_hash(column.fill_null(False if kind == "Boolean" else 0).to_numpy())]
    return [missing, items_hash(column.to_list())]


def _arrow(X: Any) -> list[Any]:
    if type(X).__name__ == "ChunkedArray":
        return _arrow_column(X)
    columns = [[str(field), described(field.metadata), field.nullable] for field in X.schema]
    return [described(X.schema.metadata), columns, [_arrow_column(each) for each in X.columns]]


def _arrow_column(column: Any) -> list[Any]:
    kind, missing = str(column.type), column.is_null().to_numpy()
    found = [kind, array_hash(missing)]
    if kind.startswith("dictionary"):
        parts = column.chunks if hasattr(column, "chunks") else [column]
        words = [[items_hash(part.dictionary.to_pylist()), len(part)] for part in parts]
        numbers = [items_hash(part.indices.to_pylist()) for part in parts]
        return [*found, words, numbers]
    if kind.startswith(("int", "uint", "float", "double")):
        filled = column.fill_null(0)
        values = filled.to_numpy() if hasattr(filled, "chunks") else filled.to_numpy(zero_copy_only=False)
        return [*found, array_hash(values)]
    return [*found, items_hash(column.to_pylist())]
