"""The label sets of one side, from every form people have them in, as a table rows x labels."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from tallymark.errors import ColumnError, LabelError, OptionError, ShapeError
from tallymark.intake import frames
from tallymark.intake.columns import LabelColumn, Where, array_places, is_missing, label_column, titled
from tallymark.tallies import Label
from tallymark.tallies.labels import quoted

if TYPE_CHECKING:
    import polars as pl

Form = Literal["sets", "lists", "table"]
MOST_CELLS = 2**32
_LIKE_MISSING = ("na", "n/a", "nan", "null", "none", "nil", "-", "?", "missing", ".")
_EXPECTED = "1 and 0 (or True and False) are expected"


@dataclass(frozen=True)
class SetColumn:
    """Which labels every row has on one side."""

    role: str
    labels: tuple[Label, ...] | None
    """None for the columns of a table that have no names."""
    table: NDArray[np.bool_]
    missing: NDArray[np.bool_] | None = None
    observed: bool = False
    """Whether the labels are those found in sets, rather than the columns of a table."""
    blank: int = 0
    """Empty fields of a text column, which are empty sets."""
    as_written: bool = False
    """Whether labels are from a text file, so that they may be meant as numbers."""

    def __len__(self) -> int:
        return len(self.table)


def form_of(values: Any) -> Form | None:
    """How label sets are written here; None when each row has a single value.

    A list may hold labels or zeros and ones: `lists` are told apart by all of their values.
    """
    if is_sparse(values) or (isinstance(values, np.ndarray) and values.ndim == 2 and values.shape[1] > 1):
        return "table"
    if isinstance(values, np.ndarray) and (values.ndim != 1 or values.dtype != object):
        return None
    if values is None or isinstance(values, str | bytes | Mapping | Set):
        return None
    if not isinstance(values, np.ndarray | list | tuple):
        if frames.is_frame(values):
            return "table" if len(frames.frame_names(values)) > 1 else None
        if not hasattr(values, "__len__") or not _may_hold_lists(values):
            return None
        values = rows_of(values)
    first = next((row for row in values if not is_missing(row)), None)
    if isinstance(first, Set):
        return "sets"
    return "lists" if isinstance(first, list | tuple | np.ndarray) else None


def _may_hold_lists(values: Any) -> bool:
    """By its type alone: a column of ten million numbers must not be turned into Python objects for this."""
    if not frames.is_series(values):
        return "list" in str(getattr(values, "type", "list"))
    import narwhals.stable.v2 as nw

    dtype = nw.from_native(values, series_only=True).dtype
    return isinstance(dtype, nw.List | nw.Array | nw.Object | nw.Unknown)


def is_sparse(values: Any) -> bool:
    """Whether this is a sparse matrix, as scipy and those like it make them."""
    return hasattr(values, "tocsr") and hasattr(values, "shape")


def rows_of(values: Any) -> Sequence[Any]:
    """The rows of a list, an array or a column of any library, as Python holds them."""
    if isinstance(values, list | tuple):
        return values
    if hasattr(values, "to_pylist"):
        return list(values.to_pylist())
    return list(values.to_list() if hasattr(values, "to_list") else values)


def common_length(rows: Sequence[Any]) -> int | None:
    """How long all lists are, missing ones left out; None when they differ."""
    lengths = {len(row) if hasattr(row, "__len__") else 0 for row in rows if not is_missing(row)}
    return lengths.pop() if len(lengths) == 1 else None


def are_marks(rows: Sequence[Any]) -> bool:
    """Whether lists hold nothing but zeros and ones."""
    return all(_is_mark(value) for row in rows if not is_missing(row) for value in row)


def _is_mark(value: Any) -> bool:
    return isinstance(value, int | float | np.generic) and not isinstance(value, str) and value in (0, 1)


# --- sets of labels ------------------------------------------------------------------------------


def sets_column(
    values: Any, role: str, where: Where = array_places, *, as_written: bool = False
) -> SetColumn:
    """From sets, lists or tuples of labels, one per row."""
    rows = rows_of(values)
    missing = np.fromiter(map(is_missing, rows), bool, len(rows))
    for row in np.flatnonzero(~missing).tolist():
        if not isinstance(rows[row], Set | list | tuple | np.ndarray):
            raise _no_set(rows[row], role, where([row]))
    present = [() if gone else row for row, gone in zip(rows, missing, strict=True)]
    lengths = np.fromiter(map(len, present), np.int64, len(present))
    places = np.repeat(np.arange(len(present)), lengths)
    flat = label_column(list(chain.from_iterable(present)), role, _through(places, where))
    return replace(_table(flat, places, missing, where), as_written=as_written)


def _no_set(value: Any, role: str, place: str) -> LabelError:
    hint = "write one label as [LABEL], none as []."
    if isinstance(value, str):
        hint = "write one label as ['LABEL']; for text such as 'a;b' pass set_delimiter=';'."
    return LabelError(
        f"{role} holds {quoted(value)} at {place}; a set or list of labels is expected.", hint=hint
    )


def _through(places: NDArray[np.int64], where: Where) -> Where:
    """Places of rows, from positions among the labels of all rows."""
    return lambda positions: where(np.unique(places[list(positions)]).tolist())


def _table(
    flat: LabelColumn, places: NDArray[np.int64], missing: NDArray[np.bool_], where: Where, blank: int = 0
) -> SetColumn:
    """From the labels of all rows one after the other, and the row each belongs to."""
    role = flat.role
    if flat.missing is not None:
        rows = places[flat.missing]
        raise LabelError(
            f"{role} has a missing value inside a set, at {where(np.unique(rows).tolist())}.",
            hint="leave it out of the set, or make the whole row missing.",
        )
    if flat.names is not None:
        found, codes = np.arange(len(flat.names)), flat.values
    else:
        found, codes = np.unique(flat.values, return_inverse=True)
    labels = tuple(flat.label(code) for code in found.tolist())
    table = blank_table(len(missing), len(labels))
    table[places, codes] = True
    if np.count_nonzero(table) < len(codes):
        cells, times = np.unique(places * len(labels) + codes, return_counts=True)
        row, label = divmod(int(cells[times > 1][0]), len(labels))
        raise LabelError(
            f"{role} names {quoted(labels[label])} twice in one set, at {where([row])}.",
            hint="a row has a label or has it not: name it once.",
        )
    return SetColumn(role, labels, table, missing if missing.any() else None, observed=True, blank=blank)


def blank_table(rows: int, labels: int) -> NDArray[np.bool_]:
    """A table without a mark."""
    if rows * labels > MOST_CELLS:
        raise ShapeError(
            f"{rows:,} rows with {labels:,} labels need more than 2**32 marks.",
            hint="evaluate parts of the rows and add up their tallies.",
        )
    return np.zeros((rows, labels), bool)


# --- text with a delimiter, and columns of lists -------------------------------------------------


def delimited_column(
    values: Any,
    delimiter: str,
    role: str,
    where: Where = array_places,
    *,
    text: bool = False,
    missing_words: Sequence[str] = (),
) -> SetColumn:
    """From text such as `sport;politics`; blanks around labels do not count.

    An empty field is the empty set. In a text file (`text`) there is nothing else an empty field could
    be told from, so only `missing_words` are missing there; elsewhere null is missing.
    """
    import polars as pl

    if not isinstance(delimiter, str) or not delimiter:
        raise OptionError(f"set_delimiter is the text between two labels, such as ';'; got {delimiter!r}.")
    series = _as_text(values, role).str.strip_chars(" \t")
    missing = series.is_in(list(missing_words)).fill_null(False).to_numpy().copy()
    if not text:
        missing |= series.is_null().to_numpy()
    full = ((series.str.len_bytes() > 0).fill_null(False).to_numpy()) & ~missing
    lists = series.filter(pl.Series(full)).str.split(delimiter)
    places = np.repeat(np.flatnonzero(full), lists.list.len().to_numpy())
    flat = lists.explode().str.strip_chars(" \t")
    hollow = np.flatnonzero((flat.str.len_bytes() == 0).to_numpy())
    if len(hollow):
        rows = np.unique(places[hollow]).tolist()
        raise LabelError(
            f"{role} has an empty label in {quoted(series[rows[0]])}, at {where(rows)}.",
            hint=f"write {quoted(delimiter)} only between two labels, and once.",
        )
    column = frames.series_labels(flat, role, _through(places, where))
    return _table(column, places, missing, where, blank=int((~full & ~missing).sum()))


def _as_text(values: Any, role: str) -> pl.Series:
    import polars as pl

    if isinstance(values, pl.Series) and values.dtype == pl.String:
        return values
    rows = [None if is_missing(row) else row for row in rows_of(values)]
    wrong = next((row for row in rows if row is not None and not isinstance(row, str)), None)
    if wrong is not None:
        raise ColumnError(f"{role} holds {quoted(wrong)}; text such as 'a;b' is expected.")
    return pl.Series(values=rows, dtype=pl.String)


# --- tables of zeros and ones --------------------------------------------------------------------


def table_column(values: Any, role: str, where: Where = array_places) -> SetColumn:
    """From a table with a column per label: an array, lists of equal length, a sparse matrix or a frame."""
    if is_sparse(values):
        return SetColumn(role, None, _from_sparse(values, role, where))
    if not isinstance(values, np.ndarray | list | tuple) and frames.is_frame(values):
        names = frames.frame_names(values)
        columns = frames.frame_columns(values, names)
        return marked_columns(columns, role, where, labels=_plain_names(values, names))
    if isinstance(values, np.ndarray) and values.ndim == 2 and values.dtype.kind in "biuf":
        table, missing = _marks(values, role, where)
        return SetColumn(role, None, table, missing if missing.any() else None)
    return _from_rows(rows_of(values), role, where)


def _plain_names(frame: Any, names: Sequence[str]) -> tuple[Label, ...]:
    """Column names as labels; pandas has columns called 0, 1, 2, which stay numbers."""
    given = list(frame.columns) if hasattr(frame, "iloc") else list(names)
    whole = all(isinstance(name, int | np.integer) and not isinstance(name, bool) for name in given)
    return tuple(int(name) for name in given) if whole else tuple(names)


def marked_columns(
    columns: Mapping[str, Any], role: str, where: Where = array_places, labels: Sequence[Label] | None = None
) -> SetColumn:
    """From columns of zeros and ones, one per label, of any data frame library or of a text file."""
    marks = [_marked_column(column, titled(role, name), where) for name, column in columns.items()]
    table = blank_table(len(marks[0][0]), len(marks))
    gone = np.zeros(len(table), bool)
    for position, (marked, missing) in enumerate(marks):
        table[:, position] = marked
        gone |= missing
    names = tuple(columns) if labels is None else tuple(labels)
    return SetColumn(role, names, table, gone if gone.any() else None)


Marked = tuple[NDArray[np.bool_], NDArray[np.bool_]]
"""Where a mark is set, and where it is missing."""


def _marked_column(series: Any, title: str, where: Where) -> Marked:
    import narwhals.stable.v2 as nw

    column = nw.from_native(series, series_only=True)
    if column.dtype.is_numeric() or column.dtype == nw.Boolean:
        numbers = column.cast(nw.Float64).fill_null(float("nan")).to_numpy()
    else:
        numbers = _written(column.to_list(), title, where)
    marked, missing = numbers == 1, np.isnan(numbers)
    wrong = np.flatnonzero(~(marked | missing | (numbers == 0)))
    if len(wrong):
        raise _no_mark(numbers[wrong[0]].item(), title, where(wrong.tolist()))
    return marked, missing


def _written(values: Sequence[Any], title: str, where: Where) -> NDArray[np.float64]:
    """Marks as text or as Python objects; NaN where they are missing."""
    known: dict[Any, float] = {None: math.nan}
    for value in set(values) - {None}:
        mark = math.nan if is_missing(value) else _mark(value)
        if mark is None:
            rows = [row for row, other in enumerate(values) if other == value]
            raise _no_mark(value, title, where(rows))
        known[value] = mark
    return np.fromiter(map(known.__getitem__, values), float, len(values))


def _mark(value: Any) -> float | None:
    """1 or 0 for a mark in any of its spellings, None for anything else."""
    if isinstance(value, str):
        word = value.strip(" \t").casefold()
        return {"true": 1.0, "false": 0.0, "1": 1.0, "0": 0.0, "1.0": 1.0, "0.0": 0.0}.get(word)
    return float(value) if _is_mark(value) else None


def _no_mark(value: Any, title: str, places: str) -> ColumnError:
    hint = "a row has a label (1) or has it not (0); names of labels are passed in sets, such as {2, 5}."
    if isinstance(value, str):
        word = value.strip()
        hint = "write 1 or true where a row has the label, 0 or false where it has not."
    if isinstance(value, str) and word.casefold() in _LIKE_MISSING:
        hint = f"if {word!r} means missing, say so: --missing {word} (in Python missing_words=[{word!r}])."
    elif isinstance(value, float) and 0 < value < 1:
        hint = "scores must be decided first, for example by score >= 0.5."
    return ColumnError(f"{title} holds {quoted(value)} at {places}; {_EXPECTED}.", hint=hint)


def _from_sparse(values: Any, role: str, where: Where) -> NDArray[np.bool_]:
    rows, labels = values.shape
    table = blank_table(rows, labels)
    # Entries of one cell are meant to be added up; tocsr does that, tocoo alone does not.
    cells = values.tocsr().tocoo()
    wrong = np.flatnonzero(~np.isin(cells.data, (0, 1)))
    if len(wrong):
        row, column = int(cells.row[wrong[0]]), int(cells.col[wrong[0]])
        raise _no_mark(cells.data[wrong[0]].item(), _in_column(role, column), where([row]))
    table[cells.row, cells.col] = cells.data == 1
    return table


def _in_column(role: str, column: int) -> str:
    return f"{role} (column {column}, counted from 0)"


def _from_rows(rows: Sequence[Any], role: str, where: Where) -> SetColumn:
    """Lists of zeros and ones, one per row; a row may be missing as a whole."""
    gone = np.fromiter(map(is_missing, rows), bool, len(rows))
    lengths = {
        row: len(rows[row]) if hasattr(rows[row], "__len__") else 0 for row in np.flatnonzero(~gone).tolist()
    }
    if len(set(lengths.values())) > 1:
        first = next(iter(lengths))
        other = next(row for row in lengths if lengths[row] != lengths[first])
        raise ShapeError(
            f"{role} has {lengths[first]} values at {where([first])} and {lengths[other]} at "
            f"{where([other])}; a table has a column per label in every row."
        )
    width = next(iter(lengths.values()), 0)
    filled = [[0] * width if missing else list(row) for row, missing in zip(rows, gone, strict=True)]
    table, missing = _marks(np.array(filled, object).reshape(len(rows), width), role, where)
    gone |= missing
    return SetColumn(role, None, table, gone if gone.any() else None)


def _marks(array: NDArray[Any], role: str, where: Where) -> Marked:
    """A table of marks, and which rows lack one."""
    if array.dtype == bool:
        return array.copy(), np.zeros(len(array), bool)
    if array.dtype == object:
        columns = [_written(column.tolist(), _in_column(role, k), where) for k, column in enumerate(array.T)]
        array = np.column_stack(columns)
    marked = array == 1
    if np.count_nonzero(array) == np.count_nonzero(marked):  # NaN counts as not zero
        return marked, np.zeros(len(array), bool)
    missing = np.isnan(array)
    wrong = np.argwhere(~(marked | missing | (array == 0)))
    if len(wrong):
        row, column = wrong[0].tolist()
        raise _no_mark(array[row, column].item(), _in_column(role, column), where([row]))
    return marked, missing.any(axis=1)
