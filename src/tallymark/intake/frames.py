"""Columns of any data frame, through Narwhals; and of text files, whose columns are all text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tallymark.errors import ColumnError, NotNumbersError
from tallymark.intake.columns import (
    LabelColumn,
    NumberColumn,
    Where,
    array_places,
    as_numbers,
    checked_numbers,
    label_column,
    number_column,
    refuse_rounded,
)
from tallymark.intake.files.kinds import listed
from tallymark.tallies.labels import quoted
from tallymark.tallies.merging import EXACT

if TYPE_CHECKING:
    import narwhals.stable.v2 as nw
    import polars as pl

_EXAMPLES = 3


def is_frame(data: Any) -> bool:
    """Whether this is a data frame or lazy table of some library."""
    import narwhals.stable.v2 as nw

    frame, _ = distinct_names(data)
    return isinstance(nw.from_native(frame, pass_through=True), nw.DataFrame | nw.LazyFrame)


def is_series(data: Any) -> bool:
    """Whether this is a column of some data frame library."""
    if isinstance(data, np.ndarray | list | tuple):
        return False
    import narwhals.stable.v2 as nw

    return isinstance(nw.from_native(data, pass_through=True, allow_series=True), nw.Series)


def library_of(data: Any) -> str | None:
    """The name of the library a frame or a column is of; None for anything else."""
    if isinstance(data, np.ndarray | list | tuple):
        return None
    import narwhals.stable.v2 as nw

    found = nw.from_native(distinct_names(data)[0], pass_through=True, allow_series=True)
    return found.implementation.value if isinstance(found, nw.DataFrame | nw.LazyFrame | nw.Series) else None


def library_without_order(data: Any) -> str | None:
    """The name of the library of a table whose rows have no order; None for anything else."""
    if isinstance(data, np.ndarray | list | tuple):
        return None
    import narwhals.stable.v2 as nw

    found = nw.from_native(distinct_names(data)[0], pass_through=True)
    if not isinstance(found, nw.LazyFrame):
        return None
    kind = found.implementation
    if kind.is_polars() or kind.is_dask():
        return None
    return "DuckDB" if kind.is_duckdb() else "Spark" if kind.is_spark_like() else kind.value


def frame_names(data: Any) -> list[str]:
    """Column names of a frame."""
    import narwhals.stable.v2 as nw

    frame, _ = distinct_names(data)
    return list(nw.from_native(frame).collect_schema().names())


def frame_columns(data: Any, names: Sequence[str]) -> dict[str, nw.Series[Any]]:
    """The asked columns of a frame; a lazy one is collected, those columns only."""
    import narwhals.stable.v2 as nw

    distinct, repeated = distinct_names(data)
    names = [str(name) for name in names]
    for name in names:
        if name in repeated:
            raise repeated_name(name)
    frame = nw.from_native(distinct)
    check_names(names, frame.collect_schema().names())
    if isinstance(frame, nw.LazyFrame):
        frame = frame.select(list(dict.fromkeys(names))).collect()
    return {name: frame.get_column(name) for name in names}


def distinct_names(data: Any) -> tuple[Any, set[str]]:
    """A frame as Narwhals takes it, every name text and there once; and the names that were repeated."""
    kind = type(data)  # a relation of DuckDB runs its query to tell whether it has an attribute itself
    if hasattr(kind, "iloc") and hasattr(kind, "columns"):
        given = list(data.columns)
    elif hasattr(kind, "column_names") and hasattr(kind, "schema"):
        given = list(data.column_names)
    else:
        return data, set()
    names = [str(name) for name in given]
    times = Counter(names)
    if len(times) == len(names) and names == given:
        return data, set()
    alone = [position for position, name in enumerate(names) if times[name] == 1]
    kept = [names[position] for position in alone]
    if hasattr(data, "map_partitions"):
        chosen = data.map_partitions(_renamed, alone, kept)
    else:
        chosen = _renamed(data, alone, kept) if hasattr(data, "iloc") else data.select(alone)
    return chosen, {name for name in names if times[name] > 1}


def _renamed(frame: Any, positions: list[int], names: list[str]) -> Any:
    """Some columns of a frame of Pandas, or of a part of one of Dask."""
    return frame.iloc[:, positions].set_axis(names, axis=1)


def repeated_name(name: str) -> ColumnError:
    """The error for a column that is there more than once."""
    return ColumnError(f"the frame has several columns called {name!r}.", hint="rename one of them.")


def check_names(names: Sequence[str], known: Sequence[str]) -> None:
    """Refuse columns that are not there, all at once."""
    lacking = list(dict.fromkeys(name for name in names if name not in known))
    if lacking:
        raise absent(lacking, known)


def absent(names: Sequence[str], known: Sequence[str]) -> ColumnError:
    """The error for columns that are not there."""
    there = "is no column" if len(names) == 1 else "are no columns"
    shown = ", ".join(repr(column) for column in known[:12]) + (", ..." if len(known) > 12 else "")
    return ColumnError(
        f"there {there} {listed([repr(name) for name in names])}; the columns are {shown}.",
        hint=_meant(names, known),
    )


def _meant(names: Sequence[str], known: Sequence[str]) -> str | None:
    near = [(name, column) for name in names if (column := nearest(name, known, 0.5)) is not None]
    if not near:
        return None
    alone = len(names) == 1
    pairs = [f"{column!r}" if alone else f"{column!r} for {name!r}" for name, column in near]
    same = any(_folded(name) == _folded(column) for name, column in near)
    return f"did you mean {listed(pairs)}?{' Names are compared exactly.' if same else ''}"


def nearest(name: str, known: Sequence[str], cutoff: float = 0.6) -> str | None:
    """The column that is called almost so: the same in other letters, else the most alike."""
    import difflib

    same = [column for column in known if _folded(column) == _folded(name)]
    close = same or difflib.get_close_matches(name, known, n=1, cutoff=cutoff)
    return close[0] if close else None


def _folded(name: str) -> str:
    return name.strip().casefold()


def _unnamed(series: Any) -> nw.Series[Any]:
    """A column by itself: Polars takes a name such as "^x$" for a pattern."""
    import narwhals.stable.v2 as nw

    column: nw.Series[Any] = nw.from_native(series, series_only=True)
    return column.alias("")


def text_labels(series: Any, role: str, where: Where) -> LabelColumn:
    """Labels written as text in a file."""
    return replace(series_labels(series, role, where), as_written=True)


def series_labels(series: Any, role: str, where: Where = array_places) -> LabelColumn:
    """Labels from a column of any library."""
    import narwhals.stable.v2 as nw

    column = _unnamed(series)
    kind = column.dtype
    if column.null_count() == len(column) or kind in (nw.Int128, nw.UInt128, nw.Object):
        return label_column(column.to_list(), role, where)
    if kind.is_integer() or kind == nw.Boolean:
        missing = column.is_null().to_numpy()
        if not missing.any():
            return label_column(column.to_numpy(), role, where)
        filled = column.fill_null(False if kind == nw.Boolean else 0)
        return LabelColumn(role, label_column(filled.to_numpy(), role, where).values, None, missing)
    if kind.is_float():
        return label_column(column.cast(nw.Float64).fill_null(float("nan")).to_numpy(), role, where)
    if kind in (nw.String, nw.Categorical, nw.Enum) and column.implementation.is_polars():
        return _text_labels(column.to_native(), role)
    if kind in (nw.String, nw.Categorical, nw.Enum) or kind.is_decimal() or kind.is_temporal():
        # Not cast to text: categories may be numbers, and every library writes dates differently.
        return label_column(column.to_list(), role, where)
    raise ColumnError(f"{role} is of type {kind}; labels are text, whole numbers or booleans.")


def _text_labels(series: pl.Series, role: str) -> LabelColumn:
    import polars as pl

    text = series.cast(pl.String)
    missing = text.is_null().to_numpy()
    # Polars sorts text by its UTF-8 bytes, which is by code point.
    names = text.drop_nulls().unique().sort().to_list()
    codes = text.cast(pl.Enum(names)).to_physical().fill_null(0).to_numpy()
    return LabelColumn(role, codes.astype(np.int64), tuple(names), missing if missing.any() else None)


def series_numbers(series: Any, role: str, where: Where = array_places) -> NumberColumn:
    """Numbers from a column of any library."""
    values, beyond = typed_numbers(series, role, where)
    if beyond is not None:
        refuse_rounded(beyond, role, where)
    return number_column(values, role, where)


def typed_numbers(
    series: Any, role: str, where: Where
) -> tuple[NDArray[np.float64], NDArray[np.bool_] | None]:
    """The numbers of a column of any library, NaN where one is missing; and which of them were rounded."""
    import narwhals.stable.v2 as nw

    column = _unnamed(series)
    kind, beyond = column.dtype, None
    if kind.is_numeric() and _is_arrow(column):
        # Arrow makes 0.7000000000000001 of 0.700, and fails at whole numbers that no float holds.
        column = nw.from_native(column.to_polars(), series_only=True)
    # Polars refuses to compare numbers of other types with any that they cannot hold.
    if kind in (nw.Int64, nw.UInt64, nw.Int128, nw.UInt128):
        large = column > EXACT
        large = large if kind in (nw.UInt64, nw.UInt128) else large | (column < -EXACT)
        beyond = large.fill_null(False).to_numpy().astype(bool)
    if kind.is_numeric() or kind == nw.Boolean:
        numbers = column.cast(nw.Float64)
        return (numbers.fill_null(float("nan")) if numbers.null_count() else numbers).to_numpy(), beyond
    if kind == nw.Object or column.null_count() == len(column):
        return as_numbers(column.to_list(), role, where), None
    raise NotNumbersError(f"{role} is of type {kind}; numbers are expected.")


def _is_arrow(column: nw.Series[Any]) -> bool:
    """Whether Arrow holds a column, be it one of pandas."""
    native = column.to_native()
    return column.implementation.is_pyarrow() or hasattr(getattr(native, "dtype", None), "pyarrow_dtype")


def text_numbers(series: Any, role: str, where: Where) -> NumberColumn:
    """Numbers written as text in a file."""
    numbers, trimmed = numbers_written(series)
    # "nan" reads as a number, but in a text file only an empty field is missing.
    if numbers.null_count() > series.null_count() or numbers.is_nan().any():
        rows = np.flatnonzero((series.is_not_null() & (numbers.is_null() | numbers.is_nan())).to_numpy())
        raise NotNumbersError(
            f"{role} holds {_examples(series, rows)} at {where(rows.tolist())}; numbers are expected.",
            hint=number_hint(str(series[int(rows[0])])),
        )
    # 2**53 + 1 reads as 2**53, so what is as large as that is looked at as it is written.
    if (numbers.abs() >= EXACT).any():
        beyond = (numbers.abs() >= EXACT) & trimmed.str.contains(r"^[+-]?\d+$") & (trimmed != str(EXACT))
        refuse_rounded(beyond.fill_null(False).to_numpy(), role, where)
    missing = numbers.is_null().to_numpy()
    return checked_numbers(numbers.fill_null(float("nan")).to_numpy(), missing, role, where)


def numbers_written(series: pl.Series) -> tuple[pl.Series, pl.Series]:
    """Numbers as they are written in a file, null where none is; and the text, without blanks around it."""
    import polars as pl

    numbers = series.cast(pl.Float64, strict=False)
    if numbers.null_count() > series.null_count():  # blanks around a number are rare, and cost time
        series = series.str.strip_chars(" \t")
        numbers = series.cast(pl.Float64, strict=False)
    return numbers, series


def _examples(series: Any, rows: Any) -> str:
    seen = list(dict.fromkeys(str(series[int(row)]) for row in rows[:50]))
    return ", ".join(quoted(value) for value in seen[:_EXAMPLES])


def number_hint(value: str) -> str | None:
    word = value.strip()
    if word.casefold() in ("na", "n/a", "nan", "null", "none", "nil", "-", "?", "missing", "."):
        return f"if {word!r} means missing, say so: --missing {word} (in Python missing_words=[{word!r}])."
    if word.count(",") == 1 and word.replace(",", "").lstrip("+-").isdigit():
        return "decimals are written with a point, not a comma."
    if word.endswith("%"):
        return "write percentages as shares: 0.25 for 25%."
    return None
