"""Files in: the asked columns of CSV, TSV and Parquet files as one frame, and where each row came from."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from tallymark.errors import ColumnError, FileError
from tallymark.intake import parquet_files, text_files
from tallymark.intake.file_kinds import checked_delimiter, listed, shown, text_delimiter

if TYPE_CHECKING:
    import polars as pl

_NAMES_SHOWN = 12
_LETTERS_SHOWN = 40
_PLACES_SHOWN = 3


@dataclass(frozen=True)
class Part:
    """One file of a table; `delimiter` is None for Parquet."""

    path: Path
    delimiter: str | None
    rows: int


@dataclass(frozen=True, eq=False)
class Table:
    """The asked columns of one or more files; `text` when every value is text as written, null when empty."""

    frame: pl.DataFrame
    text: bool
    parts: tuple[Part, ...]

    def where(self, rows: Sequence[int]) -> str:
        """Words for row positions (from 0): `line 7`, `lines 3, 7, 12 and 1,201 more`, `row 7 of b.pq`."""
        found = np.unique(np.asarray(rows, dtype=np.int64))
        first = [int(row) for row in found[:_PLACES_SHOWN]]
        more = [f"{len(found) - len(first):,} more"] if len(found) > len(first) else []
        if len(self.parts) == 1:
            unit, numbers = _numbers(self.parts[0], first)
            return f"{unit} {listed(numbers + more)}"
        return listed(self._by_part(first) + more)

    def _by_part(self, rows: list[int]) -> list[str]:
        names = [part.path.name for part in self.parts]
        phrases = []
        start = 0
        for part in self.parts:
            here = [row - start for row in rows if start <= row < start + part.rows]
            start += part.rows
            if here:
                unit, numbers = _numbers(part, here)
                name = Path(part.path.name) if names.count(part.path.name) == 1 else part.path
                phrases.append(f"{unit} {listed(numbers)} of {shown(name)}")
        return phrases


def _numbers(part: Part, rows: list[int]) -> tuple[str, list[str]]:
    if part.delimiter is None:
        unit, numbers = "row", [row + 1 for row in rows]
    else:
        unit, numbers = "line", text_files.line_numbers(part.path, part.delimiter, rows)
    return unit if len(rows) == 1 else f"{unit}s", [str(number) for number in numbers]


def column_names(path: str | Path, *, delimiter: str | None = None) -> list[str]:
    """The names in the header of one file, duplicates kept."""
    place = Path(path)
    return _header(place, text_delimiter(place, checked_delimiter(delimiter)))


def read_table(paths: Sequence[str | Path], columns: Sequence[str], *, delimiter: str | None = None) -> Table:
    """Reads the asked columns; several paths are parts of one table."""
    import polars as pl

    if not paths:
        raise FileError("no file was named.")
    places = [Path(path) for path in paths]
    asked = list(dict.fromkeys(columns))
    delimiter = checked_delimiter(delimiter)
    delimiters = [text_delimiter(place, delimiter) for place in places]
    _check_one_kind(places, delimiters)
    frames = [_read_part(place, mark, asked) for place, mark in zip(places, delimiters, strict=True)]
    _check_same_types(places, frames)
    frame = pl.concat(frames)
    if frame.height == 0:
        names = listed([shown(place) for place in places])
        raise FileError(f"there are no rows in {names}, only the names of the columns.")
    parts = zip(places, delimiters, (frame.height for frame in frames), strict=True)
    return Table(frame=frame, text=delimiters[0] is not None, parts=tuple(Part(*part) for part in parts))


def _header(path: Path, delimiter: str | None) -> list[str]:
    return parquet_files.header(path) if delimiter is None else text_files.header(path, delimiter)


def _read_part(path: Path, delimiter: str | None, asked: list[str]) -> pl.DataFrame:
    names = _header(path, delimiter)
    _check_columns(path, delimiter, names, asked)
    if delimiter is None:
        return parquet_files.read(path, asked)
    positions = [names.index(name) for name in asked]
    frame = text_files.read(path, delimiter, len(names), positions)
    frame.columns = asked
    return frame


def _check_one_kind(paths: list[Path], delimiters: list[str | None]) -> None:
    for path, delimiter in zip(paths, delimiters, strict=True):
        if (delimiter is None) != (delimiters[0] is None):
            pair = f"{shown(paths[0])} and {shown(path)}"
            raise FileError(
                f"{pair} cannot be parts of one table: one is text, the other Parquet.",
                hint="name files of one kind.",
            )


def _check_same_types(paths: list[Path], frames: list[pl.DataFrame]) -> None:
    for path, frame in zip(paths, frames, strict=True):
        for name, dtype in frame.schema.items():
            expected = frames[0].schema[name]
            if dtype != expected:
                raise ColumnError(
                    f"column {_cut(name)} is {expected} in {shown(paths[0])} but {dtype} in {shown(path)}.",
                    hint="write the parts with equal types.",
                )


def _check_columns(path: Path, delimiter: str | None, names: list[str], asked: list[str]) -> None:
    absent = [name for name in asked if name not in names]
    if absent:
        word = "column" if len(absent) == 1 else "columns"
        raise ColumnError(
            f"{shown(path)} has no {word} {listed([_cut(name) for name in absent])}; {_columns_of(names)}.",
            hint=_hint(delimiter, names, absent),
        )
    for name in asked:
        if names.count(name) > 1:
            places = [str(position) for position, other in enumerate(names, 1) if other == name]
            raise ColumnError(
                f"{shown(path)} has {len(places)} columns named {_cut(name)} (columns {listed(places)}).",
                hint="give each its own name in the header.",
            )


def _columns_of(names: list[str]) -> str:
    words = [_cut(name) for name in names[:_NAMES_SHOWN]]
    if len(names) > _NAMES_SHOWN:
        words.append(f"{len(names) - _NAMES_SHOWN:,} more")
    return f"its columns are {listed(words)}" if len(names) > 1 else f"its only column is {listed(words)}"


def delimiter_hint(names: Sequence[str]) -> str | None:
    """What to try when a header looks as if another delimiter had been used."""
    if len(names) == 1:
        for other in ";\t|,":
            if other in names[0]:
                word = "tab" if other == "\t" else other
                return f"the header has {other!r} in it: try delimiter '{word}' (--delimiter '{word}')."
    return None


def _hint(delimiter: str | None, names: list[str], absent: list[str]) -> str | None:
    wrong_delimiter = None if delimiter is None else delimiter_hint(names)
    if wrong_delimiter:
        return wrong_delimiter
    if delimiter is not None and all(is_number(name) for name in names):
        return "the first line must hold the names of the columns."
    close = [(name, _closest(name, names)) for name in absent]
    pairs = [f"{_cut(other)} for {_cut(name)}" for name, other in close if other is not None]
    return f"did you mean {listed(pairs)}? Names are compared exactly." if pairs else None


def _closest(name: str, names: list[str]) -> str | None:
    same = [other for other in names if other.strip().casefold() == name.strip().casefold()]
    close = same or difflib.get_close_matches(name, names, n=1)
    return close[0] if close else None


def is_number(text: str) -> bool:
    """Whether a text is a number as Python reads one."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def _cut(name: str) -> str:
    return repr(name if len(name) <= _LETTERS_SHOWN else name[:_LETTERS_SHOWN] + "...")
