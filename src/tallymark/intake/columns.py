"""One column, checked and encoded: labels as whole numbers with their names, scores as floats."""

from __future__ import annotations

import datetime
import math
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from decimal import Decimal
from numbers import Number
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark.errors import ColumnError, LabelError, NotNumbersError, ShapeError
from tallymark.tallies import Label
from tallymark.tallies.merging import EXACT

Where = Callable[[Sequence[int]], str]
_SHOWN = 3
_BLOCK = 1 << 15
"""Rows looked at together, so that they stay in the cache."""
_BYTE = np.iinfo(np.int8)
_FRACTIONS = "numbers between classes are scores: pass them as the score, or as text if they are classes."
_PLAIN_KINDS: dict[type, type[np.generic]] = {int: np.int64, bool: np.bool_, float: np.float64}


@dataclass(frozen=True)
class LabelColumn:
    """Labels of all rows as whole numbers: themselves, or positions in `names` when they are text."""

    role: str
    values: NDArray[Any]
    names: tuple[str, ...] | None = None
    missing: NDArray[np.bool_] | None = None
    as_written: bool = False
    """Whether text is from a text file, which has no types: it may be read as whole numbers in the end."""

    def __len__(self) -> int:
        return len(self.values)

    def without(self, gone: NDArray[np.bool_]) -> LabelColumn:
        return replace(self, values=self.values[~gone], missing=None)

    def label(self, code: int) -> Label:
        """The label a code stands for."""
        if self.names is not None:
            return self.names[code]
        return bool(code) if self.values.dtype == np.bool_ else int(code)


@dataclass(frozen=True)
class NumberColumn:
    """Scores or probabilities of all rows."""

    role: str
    values: NDArray[np.float64]
    missing: NDArray[np.bool_] | None = None

    def __len__(self) -> int:
        return len(self.values)

    def without(self, gone: NDArray[np.bool_]) -> NumberColumn:
        return replace(self, values=self.values[~gone], missing=None)


def titled(role: str, name: str) -> str:
    """What messages call a column: its role first, then its own name where that is another."""
    return role if name == role else f"{role} (column {name!r})"


def array_places(rows: Sequence[int], more: int = 0) -> str:
    """Places in an array, and how many more there are, for a message."""
    shown = ", ".join(str(int(row)) for row in rows[:_SHOWN])
    number = len(rows) + more
    others = f" and {number - _SHOWN:,} more" if number > _SHOWN else ""
    return f"{'position' if number == 1 else 'positions'} {shown}{others} (counted from 0)"


def label_column(values: Any, role: str, where: Where = array_places) -> LabelColumn:
    """Labels from a list or an array."""
    array = _one_dimension(values, role)
    kind = array.dtype.kind
    if kind == "b":
        return LabelColumn(role, array.copy())
    if kind in "iu":
        return LabelColumn(role, _whole_numbers(array, role))
    if kind == "f":
        return _from_floats(array, role, where)
    if kind == "U":
        return _from_text(array.tolist(), role)
    if kind == "M":
        return _from_text(_dates(array), role)
    if kind in "OT":
        return _from_objects(array.astype(object, copy=False), role, where)
    raise LabelError(
        f"{role} holds values of type {array.dtype}; labels are text, whole numbers or booleans.",
        hint="decode bytes to text first." if kind == "S" else None,
    )


def number_column(values: Any, role: str, where: Where = array_places) -> NumberColumn:
    """Scores from a list or an array."""
    numbers = as_numbers(values, role, where)
    return checked_numbers(numbers, np.isnan(numbers), role, where)


def as_numbers(values: Any, role: str, where: Where) -> NDArray[np.float64]:
    """What a list or an array holds as floats, be they infinite; NaN where a value is missing."""
    array = _one_dimension(values, role)
    if array.dtype.kind == "O":
        array = _objects_to_numbers(array, role, where)
    if array.dtype.kind not in "biuf":
        raise NotNumbersError(f"{role} holds {array.dtype} values; numbers are expected.")
    if array.dtype.kind in "iu":
        refuse_rounded((array > EXACT) | (array < -EXACT), role, where)
    numbers = _doubles(array)
    if array.dtype.kind == "f" and array.dtype.itemsize > numbers.itemsize:
        _refuse_merged(array, numbers, role, where)
    return numbers


def _refuse_merged(wide: NDArray[Any], numbers: NDArray[np.float64], role: str, where: Where) -> None:
    """Numbers of a wider float that differ and would become equal."""
    order = np.argsort(wide, kind="stable")
    wide_sorted, rounded = wide[order], numbers[order]
    merged = (wide_sorted[1:] > wide_sorted[:-1]) & (rounded[1:] == rounded[:-1])
    if merged.any():
        places = np.unique(np.concatenate([order[:-1][merged], order[1:][merged]]))
        raise ColumnError(
            f"{role} holds {wide.dtype} values at {where(places.tolist())} that differ by less than float64 "
            "resolves; rounded, they would become equal.",
            hint="subtract what all of them have in common.",
        )


def refuse_rounded(beyond: NDArray[np.bool_], role: str, where: Where) -> None:
    """Whole numbers that no float holds would become equal without a word."""
    if beyond.any():
        raise ColumnError(
            f"{role} holds whole numbers beyond 2**53 at {where(np.flatnonzero(beyond).tolist())}; rounded, "
            "different ones could become equal.",
            hint="subtract what all of them have in common.",
        )


def checked_numbers(
    numbers: NDArray[np.float64], missing: NDArray[np.bool_], role: str, where: Where
) -> NumberColumn:
    """Finite numbers, or an error that names the places."""
    infinite = np.isinf(numbers)
    if infinite.any():
        rows = np.flatnonzero(infinite).tolist()
        many = f"{len(rows):,} {'row' if len(rows) == 1 else 'rows'}"
        raise ColumnError(f"{role} is infinite in {many}, at {where(rows)}; finite numbers are expected.")
    return NumberColumn(role, numbers, missing if missing.any() else None)


def _one_dimension(values: Any, role: str) -> NDArray[Any]:
    if isinstance(values, str | bytes | Mapping | Set) or not hasattr(values, "__len__"):
        raise ShapeError(f"{role} must be a column of values; got {type(values).__name__}.")
    if isinstance(values, np.ma.MaskedArray):
        array = values.data.astype(object)
        array[np.ma.getmaskarray(values)] = None
    elif isinstance(values, np.ndarray):
        array = values
    elif hasattr(values, "to_pylist"):
        # Arrow: its __array__ would turn whole numbers with nulls into floats.
        array = _from_list(values.to_pylist())
    else:
        array = np.asarray(values) if hasattr(values, "__array__") else _from_list(list(values))
    if array.ndim == 2 and array.shape[1] == 1:
        array = array.ravel()
    if array.ndim != 1:
        raise ShapeError(f"{role} must have one dimension; got shape {array.shape}.")
    return array


def _from_list(items: list[Any]) -> NDArray[Any]:
    """Never a bare np.asarray: it turns [1, "a"] into text and [-1, 2**63] into floats without a word."""
    kinds = set(map(type, items))
    for kind, wanted in _PLAIN_KINDS.items():
        if kinds == {kind}:
            try:
                return np.array(items, wanted)
            except OverflowError:
                break
    return np.fromiter(items, object, len(items))


def _doubles(array: NDArray[Any]) -> NDArray[np.float64]:
    """Always a copy: results must not change when the caller writes to the array later."""
    with np.errstate(over="ignore"):  # what only a wider float holds becomes infinite, which is refused
        return np.array(array, np.float64)


def _whole_numbers(array: NDArray[Any], role: str) -> NDArray[Any]:
    """A copy, for the same reason; of one byte per label where that is enough, which takes less time."""
    narrow = np.empty(len(array), np.int8)
    for start in range(0, len(array), _BLOCK):
        part = array[start : start + _BLOCK]
        # One look at all bits is enough for most labels, and faster than the least and the largest.
        in_range = 0 <= int(np.bitwise_or.reduce(part)) <= _BYTE.max
        if not in_range and (part.min() < _BYTE.min or part.max() > _BYTE.max):
            break
        narrow[start : start + _BLOCK] = part
    else:
        return narrow
    if array.dtype == np.uint64 and int(array.max()) > np.iinfo(np.int64).max:
        raise _too_large(role)
    return array.astype(np.int64)


def _too_large(role: str) -> LabelError:
    return LabelError(
        f"{role} has whole numbers from 2**63 up or below -2**63.", hint="pass such labels as text."
    )


def _from_floats(array: NDArray[Any], role: str, where: Where) -> LabelColumn:
    missing = np.isnan(array)
    wide = np.where(missing, 0.0, array)
    # Before they are rounded: 1 and a little more than 1 are different labels.
    odd, filled = wide != np.floor(wide), _doubles(wide)
    if odd.any() or np.abs(filled).max(initial=0.0) >= 2**63:
        rows = np.flatnonzero(odd if odd.any() else np.abs(filled) >= 2**63)
        raise LabelError(
            f"{role} holds {wide[rows[0]]!s} at {where(rows[:1].tolist())}; "
            "labels are text, whole numbers or booleans.",
            hint=_FRACTIONS,
        )
    return LabelColumn(role, filled.astype(np.int64), None, missing if missing.any() else None)


def _from_text(items: Sequence[str | None], role: str) -> LabelColumn:
    found = set(items)
    names = sorted(name for name in found if name is not None)
    place: dict[str | None, int] = {None: 0}
    place.update((name, position) for position, name in enumerate(names))
    codes = np.fromiter(map(place.__getitem__, items), np.int64, len(items))
    missing = np.fromiter((item is None for item in items), bool, len(items)) if None in found else None
    return LabelColumn(role, codes, tuple(names), missing)


def _dates(array: NDArray[Any]) -> list[str | None]:
    """Dates as Python writes them, so that every library's agree; as numpy does where Python cannot."""
    finer = np.datetime_data(array.dtype)[0] in ("ns", "ps", "fs", "as")
    rounded = array.astype("M8[us]") if finer else array
    held = [
        value if same and isinstance(value, datetime.date) else date
        for value, same, date in zip(rounded.astype(object), rounded == array, array, strict=True)
    ]
    return [None if is_missing(value) else str(value) for value in held]


def is_missing(value: Any) -> bool:
    """None, NaN, and every library's NA and NaT."""
    return (
        value is None
        or type(value).__name__ in ("NAType", "NaTType")
        or (isinstance(value, float | np.floating) and math.isnan(value))
        or (isinstance(value, Decimal) and value.is_qnan())
        or (isinstance(value, np.datetime64) and bool(np.isnat(value)))
    )


def _from_objects(array: NDArray[Any], role: str, where: Where) -> LabelColumn:
    items = array.tolist()
    kinds = set(map(type, items))
    if kinds <= {str}:
        return _from_text(items, role)
    missing = np.fromiter(map(is_missing, items), bool, len(items))
    present = [value for value, gone in zip(items, missing, strict=True) if not gone]
    text = {type(value) for value in present if isinstance(value, str)}
    other = {type(value) for value in present if not isinstance(value, str)}
    if text and other:
        number = next(
            row for row, value in enumerate(items) if not missing[row] and not isinstance(value, str)
        )
        raise LabelError(
            f"{role} mixes text with {type(items[number]).__name__}: {items[number]!r} at {where([number])}.",
            hint="write every label the same way.",
        )
    values = [str(value) for value in present] if text else _plain_labels(items, missing, role, where)
    if any(isinstance(value, str) for value in values):
        filled = iter(values)
        return _from_text([None if gone else str(next(filled)) for gone in missing], role)
    try:
        kind = np.bool_ if values and all(isinstance(value, bool) for value in values) else np.int64
        numbers: NDArray[Any] = np.zeros(len(items), kind)
        numbers[~missing] = values
    except OverflowError as problem:
        raise _too_large(role) from problem
    return LabelColumn(role, numbers, None, missing if missing.any() else None)


def _plain_labels(items: list[Any], missing: NDArray[np.bool_], role: str, where: Where) -> list[Label]:
    """Labels from scalars other than text: whole numbers become int, dates text, but never both."""
    labels: list[Label] = []
    for row, value in enumerate(items):
        if missing[row]:
            continue
        label = _plain(value)
        if label is None:
            if isinstance(value, Sequence | Set | Mapping | np.ndarray) and not isinstance(value, bytes):
                raise ShapeError(f"{role} must hold one label per row; got {value!r} at {where([row])}.")
            raise LabelError(
                f"{role} holds {value!r} at {where([row])}; labels are text, whole numbers or booleans.",
                hint=_hint(value),
            )
        if labels and isinstance(label, str) != isinstance(labels[0], str):
            raise LabelError(
                f"{role} mixes dates with numbers: {value!r} at {where([row])}.",
                hint="write every label the same way.",
            )
        labels.append(label)
    return labels


def _plain(value: Any) -> Label | None:
    if isinstance(value, bool | np.bool_):
        return bool(value)
    if isinstance(value, datetime.date | datetime.time):
        return str(value)
    number: Any = value if isinstance(value, Number) else None
    try:
        return int(number) if int(number) == number else None
    except (TypeError, ValueError, OverflowError):
        return None


def _hint(value: Any) -> str | None:
    if isinstance(value, bytes):
        return "decode bytes to text first."
    if isinstance(value, Number) and not isinstance(value, complex):
        return _FRACTIONS
    return None


def _objects_to_numbers(array: NDArray[Any], role: str, where: Where) -> NDArray[Any]:
    items = array.tolist()
    wide = any(isinstance(value, np.longdouble) for value in items)
    numbers: NDArray[Any] = np.empty(len(array), np.longdouble if wide else np.float64)
    for row, value in enumerate(items):
        if is_missing(value):
            numbers[row] = np.nan
            continue
        try:
            if isinstance(value, str | bytes):
                raise ValueError
            numbers[row] = value if isinstance(value, np.longdouble) else float(value)
        except (TypeError, ValueError, OverflowError):
            raise ColumnError(f"{role} holds {value!r} at {where([row])}; a number is expected.") from None
    return numbers
