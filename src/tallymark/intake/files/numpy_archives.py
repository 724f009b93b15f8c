"""NumPy's .npz: named arrays of one dimension are columns. Nothing is unpickled: a pickle can run code."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tallymark.errors import ColumnError, FileError, ShapeError
from tallymark.intake.files.kinds import shown, unreadable

if TYPE_CHECKING:
    import polars as pl


def header(path: Path) -> list[str]:
    with _failures_told(path), zipfile.ZipFile(path) as archive:
        names = [name.removesuffix(".npy") for name in archive.namelist() if name.endswith(".npy")]
    if not names:
        raise FileError(f"{shown(path)} holds no NumPy arrays.")
    return names


def read(path: Path, columns: Sequence[str]) -> pl.DataFrame:
    import polars as pl

    with _failures_told(path), np.load(path, allow_pickle=False) as archive:
        arrays = {name: _array(path, name, archive) for name in columns}
    for name, array in arrays.items():
        if len(array) != len(arrays[columns[0]]):
            raise ShapeError(
                f"the arrays of {shown(path)} differ in length: {columns[0]!r} has "
                f"{len(arrays[columns[0]]):,} values and {name!r} has {len(array):,}."
            )
    return pl.DataFrame([_series(path, name, arrays[name]) for name in columns])


def _array(path: Path, name: str, archive: Any) -> np.ndarray[Any, Any]:
    try:
        array = archive[name]
    except ValueError as error:
        if "allow_pickle" in str(error):
            raise ColumnError(
                f"the array {name!r} in {shown(path)} holds Python objects, which are never unpickled: "
                "a file could run code so.",
                hint=f"save it as text or numbers: {name}=numpy.array({name}.tolist()).",
            ) from None
        raise
    if not isinstance(array, np.ndarray):
        raise FileError(f"{name!r} in {shown(path)} is no NumPy array.")
    if array.ndim != 1:
        hint = "save each of its columns as an array of its own." if array.ndim == 2 else None
        raise ShapeError(
            f"the array {name!r} in {shown(path)} has the shape {array.shape}; a column has one dimension.",
            hint=hint,
        )
    return array


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
def _failures_told(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise unreadable(path, error) from None
    except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, NotImplementedError, SyntaxError):
        raise _damaged(path) from None
    except (ColumnError, FileError, ShapeError):
        raise
    except ValueError:
        raise _damaged(path) from None


def _damaged(path: Path) -> FileError:
    return FileError(f"{shown(path)} is cut short or damaged.", hint="copy or write it again.")
