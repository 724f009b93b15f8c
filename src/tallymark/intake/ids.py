"""What tells rows apart: their ids, and their places before rows were dropped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tallymark.errors import InputError, ShapeError
from tallymark.intake import frames
from tallymark.intake.columns import Where, array_places, is_missing
from tallymark.tallies.labels import quoted

if TYPE_CHECKING:
    import polars as pl

Values: TypeAlias = "NDArray[np.int64] | pl.Series"
"""Whole numbers, or a column of text."""
_SHOWN = 5
_CLOSE = 4
"""Numbers that lie within so many times their count are looked up in a table."""


@dataclass(frozen=True, eq=False)
class Ids:
    """The ids of the rows, where there are any, and which of the rows given are left."""

    total: int
    """Rows before any was dropped."""
    values: Values | None = None
    """An id for every row that is left."""
    lost: Values | None = None
    """The ids of the dropped rows."""
    dropped: NDArray[np.int64] | None = None
    """Where the dropped rows stood; None when none was dropped."""
    written: bool = False
    """Whether the ids are whole numbers that came as text."""

    role = "id"
    missing = None

    def __len__(self) -> int:
        return self.total if self.dropped is None else self.total - len(self.dropped)

    @cached_property
    def kept(self) -> NDArray[np.int64] | None:
        """Where the rows that are left stood; None when none was dropped."""
        return None if self.dropped is None else np.delete(np.arange(self.total), self.dropped)

    def without(self, gone: NDArray[np.bool_]) -> Ids:
        """Without rows that lack a value."""
        dropped = np.flatnonzero(gone)
        if self.values is None:
            return replace(self, dropped=dropped)
        left, lost = taken(self.values, np.flatnonzero(~gone)), taken(self.values, dropped)
        return replace(self, values=left, lost=lost, dropped=dropped)

    def called(self, row: int) -> str:
        """What a message calls one of the rows that are left."""
        if self.values is not None:
            return f"id {shown(self.values, [row])}"
        return f"row {int(row if self.kept is None else self.kept[row]) + 1:,}"


def read_ids(values: Any, *, name: str | None = None, where: Where = array_places) -> Ids:
    """Ids from a column of any kind: each there, and each once; `name` is what its table calls it."""
    ids = unchecked_ids(values)
    assert ids.values is not None
    if not _distinct(ids.values):
        import polars as pl

        series = as_text(ids.values) if ids.written else pl.Series(ids.values)
        again = np.flatnonzero((series.is_duplicated() & series.is_not_null()).to_numpy())
        lacking = where(np.flatnonzero(series.is_null().to_numpy()).tolist()) if series.null_count() else ""
        column = "id" if name is None else f"column {name!r}"
        if not len(again):
            raise wrong_ids(column, lacking=lacking)
        value = series[int(again[0])]
        first = where(np.flatnonzero((series == value).fill_null(False).to_numpy())[:2].tolist())
        raise wrong_ids(column, quoted(value), first, len(again), lacking)
    return ids


def wrong_ids(
    column: str, repeated: str = "", first: str = "", rows: int = 0, lacking: str = ""
) -> InputError:
    """The error for ids that are missing, or there twice; `first` is where one of these stands first."""
    more = f" ({rows:,} rows in all share an id)" if rows > 2 else ""
    found = [f"repeats {repeated} at {first}{more}"] if repeated else []
    found += [f"lacks one at {lacking}"] if lacking else []
    return InputError(f"ids must be unique and present; {column} {' and '.join(found)}.")


def unchecked_ids(values: Any) -> Ids:
    """The same, though some may be missing or there more than once."""
    column = _column(values)
    numbers = column if isinstance(column, np.ndarray) else _whole(column)
    given = column if numbers is None else numbers
    return Ids(len(given), given, written=given is not column)


def _column(values: Any) -> Values:
    """Whole numbers, or text with nulls where an id is missing."""
    import polars as pl

    if frames.is_series(values):
        return _of_series(values)
    array = _one_dimension(values)
    if isinstance(array, np.ndarray):
        if array.dtype.kind in "iu" and _fit(array):
            return array.astype(np.int64)
        finer = array.dtype.kind == "M" and np.datetime_data(array.dtype)[0] in ("ns", "ps", "fs", "as")
        array = (array.astype("M8[us]") if finer else array).tolist()
    if set(map(type, array)) == {str}:
        return pl.Series(array, dtype=pl.String)
    return _of_items(array)


def _fit(array: NDArray[Any]) -> bool:
    """Whether whole numbers can be signed ones."""
    return array.dtype != np.uint64 or not len(array) or int(array.max()) < 2**63


def _one_dimension(values: Any) -> NDArray[Any] | list[Any]:
    if isinstance(values, str | bytes | Mapping | Set) or not hasattr(values, "__len__"):
        raise ShapeError(f"id must be a column of values; got {type(values).__name__}.")
    if hasattr(values, "to_pylist"):
        return list(values.to_pylist())
    array = values if isinstance(values, np.ndarray) else None
    if array is None and hasattr(values, "__array__"):
        array = np.asarray(values)
    if array is None:
        return list(values)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array.ravel()
    if array.ndim != 1:
        raise ShapeError(f"id must have one dimension; got shape {array.shape}.")
    return array.tolist() if isinstance(array, np.ma.MaskedArray) else array


def _of_series(values: Any) -> Values:
    import narwhals.stable.v2 as nw
    import polars as pl

    series = nw.from_native(values, series_only=True)
    kind, complete = series.dtype, not series.null_count()
    if kind.is_integer() and kind not in (nw.Int128, nw.UInt128) and complete:
        array: NDArray[Any] = series.to_numpy()
        if _fit(array):
            return array.astype(np.int64)
    if kind in (nw.String, nw.Categorical, nw.Enum) and series.implementation.is_polars():
        text: pl.Series = series.to_native().cast(pl.String)
        return text
    if kind == nw.String and complete:
        return pl.Series(series.to_list(), dtype=pl.String)
    return _of_items(series.to_list())


def _of_items(items: list[Any]) -> Values:
    """Any values: whole numbers as such while all are and fit, else everything as text."""
    import polars as pl

    gone = [is_missing(item) for item in items]
    there = [item for item, missing in zip(items, gone, strict=True) if not missing]
    several = (bytes, Sequence, Mapping, Set, np.ndarray)
    odd = [item for item in there if isinstance(item, several) and not isinstance(item, str)]
    if odd:
        hint = "decode bytes to text first." if isinstance(odd[0], bytes) else None
        raise InputError(f"ids are text or numbers; got {quoted(odd[0])}.", hint=hint)
    whole = all(isinstance(item, int | np.integer) or _is_whole(item) for item in there)
    if whole and len(there) == len(items) and all(-(2**63) <= item < 2**63 for item in items):
        return np.fromiter(map(int, items), np.int64, len(items))
    written = [
        None if missing else str(int(item) if whole else item)
        for item, missing in zip(items, gone, strict=True)
    ]
    return pl.Series(written, dtype=pl.String)


def _is_whole(item: Any) -> bool:
    return isinstance(item, float | np.floating) and float(item).is_integer()


def _whole(text: pl.Series) -> NDArray[np.int64] | None:
    """Text as whole numbers, if that is how every one of them is written: 7, but neither 007 nor 7.0."""
    import polars as pl

    # The first one tells most columns of other text without a look at all of them.
    for part in (text.head(1), text):
        numbers = part.cast(pl.Int64, strict=False)
        if numbers.null_count() or not (numbers.cast(pl.String) == part).all():
            return None
    return numbers.to_numpy()


def _distinct(values: Values) -> bool:
    import polars as pl

    if isinstance(values, np.ndarray) and bool((values[1:] > values[:-1]).all()):
        return True
    series = pl.Series(values)
    return not series.null_count() and series.n_unique() == len(series)


# --- looking ids up ------------------------------------------------------------------------------


def taken(values: Values, rows: NDArray[np.int64]) -> Values:
    """The ids of some rows."""
    return values[rows] if isinstance(values, np.ndarray) else values.gather(rows)


def shown(values: Values, rows: Any) -> str:
    """A few of the ids, for a message."""
    few = taken(values, np.asarray(rows[:_SHOWN], np.int64))
    items = few.tolist() if isinstance(few, np.ndarray) else few.to_list()
    return ", ".join(map(quoted, items)) + (", ..." if len(rows) > _SHOWN else "")


def not_whole(text: Values) -> NDArray[np.int64]:
    """Where ids are no whole numbers in plain form."""
    import polars as pl

    numbers = pl.Series(text).cast(pl.Int64, strict=False).cast(pl.String)
    return np.flatnonzero(numbers.ne_missing(pl.Series(text)).to_numpy())


def as_text(values: Values) -> pl.Series:
    """The ids as they are written."""
    import polars as pl

    return pl.Series(values).cast(pl.String)


def in_same_order(first: Values, other: Values) -> bool:
    """Whether two columns hold the same ids row by row."""
    if isinstance(first, np.ndarray) and isinstance(other, np.ndarray):
        return np.array_equal(first, other)
    return as_text(first).equals(as_text(other))


def places(wanted: Values, among: Values) -> NDArray[np.int64]:
    """Where each id stands among others; -1 where it does not. Both are numbers, or both text."""
    if not len(wanted) or not len(among):
        return np.full(len(wanted), -1)
    if not isinstance(wanted, np.ndarray) or not isinstance(among, np.ndarray):
        return _places_of_text(as_text(wanted), as_text(among))
    low, high = (int(end) for end in (among.min(), among.max()))
    if high - low <= _CLOSE * len(among):
        table = np.full(high - low + 1, -1)
        table[among - low] = np.arange(len(among))
        inside = (wanted >= low) & (wanted <= high)
        # Below and above the table there is nothing; 0 is looked up and not taken.
        return np.where(inside, table[np.where(inside, wanted - low, 0)], -1)
    return _joined(wanted, among)[0]


def _places_of_text(wanted: pl.Series, among: pl.Series) -> NDArray[np.int64]:
    """By a number made from each text, which is faster; two texts with one number are told apart after."""
    found, certain = _joined(wanted.hash(), among.hash())
    there = np.flatnonzero(found >= 0)
    if certain and (among.gather(found[there]) == wanted.gather(there)).all():
        return found
    return _joined(wanted, among)[0]


def _joined(wanted: Values, among: Values) -> tuple[NDArray[np.int64], bool]:
    """Where each value stands among others, and whether each was found once at most."""
    import polars as pl

    sides = (
        pl.DataFrame({"value": values}).with_row_index(side)
        for side, values in (("at", wanted), ("place", among))
    )
    pairs = next(sides).join(next(sides), on="value")
    found = np.full(len(wanted), -1)
    found[pairs["at"].to_numpy()] = pairs["place"].to_numpy()
    return found, int((found >= 0).sum()) == len(pairs)
