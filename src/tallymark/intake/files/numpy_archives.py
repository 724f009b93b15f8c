"""NumPy's .npz: named arrays of one dimension are columns. Nothing is unpickled: a pickle can run code."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tallymark.errors import ColumnError, FileError, ShapeError
from tallymark.intake.files.kinds import shown, unreadable
from tallymark.intake.files.zip_archives import Archive, Header, NotAnArray, zip_archive
from tallymark.intake.streams.memory import refuse_unfit

if TYPE_CHECKING:
    import polars as pl

_NUMBER, _TEXT = 24, 130
"""Bytes that a value takes while it is read, beside twice its own size."""


def header(path: Path) -> list[str]:
    with _opened(path) as archive:
        names = [name.removesuffix(".npy") for name in archive.names if name.endswith(".npy")]
    if not names:
        raise FileError(f"{shown(path)} holds no NumPy arrays.")
    return names


def headers(path: Path, columns: Sequence[str]) -> list[Header]:
    """Types and lengths of columns, before any of them is read."""
    with _opened(path) as archive:
        return [_header(path, name, archive) for name in columns]


def check_memory(path: Path, found: Sequence[Header], memory: int | None) -> None:
    """Refuse arrays that take more memory to read than is allowed, or than the machine has."""
    needed = sum(
        2 * each.bytes + each.shape[0] * (_TEXT if each.dtype.kind in "SU" else _NUMBER) for each in found
    )
    refuse_unfit(shown(path), needed, memory, "save the table as Parquet, which is read in pieces.")


def read(path: Path, columns: Sequence[str]) -> pl.DataFrame:
    import polars as pl

    check_memory(path, headers(path, columns), None)
    with _opened(path) as archive:
        arrays = {name: archive.array(name) for name in columns}
    for name, array in arrays.items():
        if len(array) != len(arrays[columns[0]]):
            raise ShapeError(
                f"the arrays of {shown(path)} differ in length: {columns[0]!r} has "
                f"{len(arrays[columns[0]]):,} values and {name!r} has {len(array):,}."
            )
    return pl.DataFrame([_series(path, name, arrays[name]) for name in columns])


def _header(path: Path, name: str, archive: Archive) -> Header:
    """What an array will be, if it can be a column."""
    try:
        found = archive.header(name)
    except NotAnArray:
        raise FileError(f"{name!r} in {shown(path)} is no NumPy array.") from None
    if found.dtype.hasobject:
        raise ColumnError(
            f"the array {name!r} in {shown(path)} holds Python objects, which are never unpickled: "
            "a file could run code so.",
            hint=f"save it as text or numbers: {name}=numpy.array({name}.tolist()).",
        )
    if len(found.shape) != 1:
        hint = "save each of its columns as an array of its own." if len(found.shape) == 2 else None
        raise ShapeError(
            f"the array {name!r} in {shown(path)} has the shape {found.shape}; a column has one dimension.",
            hint=hint,
        )
    return found


def _series(path: Path, name: str, array: np.ndarray[Any, Any]) -> pl.Series:
    import polars as pl

    kind, size = array.dtype.kind, array.dtype.itemsize
    if kind in "biu" or (kind == "f" and size in (4, 8)):
        return pl.Series(name, array.astype(array.dtype.newbyteorder("="), copy=False))
    if kind == "f" and size == 2:
        return pl.Series(name, array.astype(np.float32))
    if kind == "U":
        return pl.Series(name, array.tolist(), dtype=pl.String)
    if kind == "S":
        try:
            return pl.Series(name, [text.decode() for text in array.tolist()], dtype=pl.String)
        except UnicodeDecodeError:
            pass
    raise ColumnError(
        f"the array {name!r} in {shown(path)} is of type {array.dtype}; text, whole numbers, "
        "floats or booleans are expected."
    )


@contextmanager
def _opened(path: Path) -> Iterator[Archive]:
    try:
        with zip_archive(path) as archive:
            yield archive
    except OSError as error:
        raise unreadable(path, error) from None
    except zipfile.BadZipFile:
        raise _damaged(path) from None


def _damaged(path: Path) -> FileError:
    return FileError(f"{shown(path)} is cut short or damaged.", hint="copy or write it again.")
