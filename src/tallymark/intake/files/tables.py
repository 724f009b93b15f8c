"""Files in: the asked columns of files of one kind as one frame, and where each row came from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from tallymark.errors import ColumnError, FileError
from tallymark.intake.files import arff
from tallymark.intake.files.column_types import common_schema
from tallymark.intake.files.formats import DELIMITED, Format, format_of
from tallymark.intake.files.gzipped import unpacked
from tallymark.intake.files.kinds import checked_delimiter, cut, listed, shown, size_of
from tallymark.intake.frames import nearest
from tallymark.intake.streams.memory import refuse_unfit

if TYPE_CHECKING:
    import polars as pl

_NAMES_SHOWN = 12
PLACES_SHOWN = 3


@dataclass(frozen=True)
class Part:
    """One file of a table."""

    path: Path
    format: Format
    rows: int


@dataclass(frozen=True, eq=False)
class Table:
    """The asked columns of one or more files; `text` when every value is text as written, null when empty."""

    frame: pl.DataFrame
    text: bool
    parts: tuple[Part, ...]

    @property
    def as_written(self) -> bool:
        return self.parts[0].format.as_written

    def where(self, rows: Sequence[int]) -> str:
        """Words for row positions (from 0): `line 7`, `lines 3, 7, 12 and 1,201 more`, `row 7 of b.pq`."""
        found = np.unique(np.asarray(rows, dtype=np.int64))
        ends = np.cumsum([part.rows for part in self.parts])
        first = found[:PLACES_SHOWN]
        part = np.searchsorted(ends, first, side="right")
        row = first - np.concatenate(([0], ends))[part]
        places = list(zip(part.tolist(), row.tolist(), strict=True))
        return in_words([part.path for part in self.parts], places, len(found), self._numbers)

    def _numbers(self, part: int, rows: list[int]) -> tuple[str, list[int]]:
        path, form = self.parts[part].path, self.parts[part].format
        with unpacked(path) as place:
            return form.unit, form.numbers(place, rows)


def in_words(
    paths: Sequence[Path],
    places: Sequence[tuple[int, int]],
    count: int,
    numbers: Callable[[int, list[int]], tuple[str, list[int]]],
) -> str:
    """Words for the first few of `count` places, each a part and a row of it, both from 0 and ascending.

    `numbers` tells what the rows of a part are called, and which of these each row is.
    """
    more = [f"{count - len(places):,} more"] if count > len(places) else []
    names = [path.name for path in paths]
    phrases: list[str] = []
    for part in dict.fromkeys(part for part, _ in places):
        rows = [row for other, row in places if other == part]
        unit, found = numbers(part, rows)
        unit = unit if len(rows) == 1 else f"{unit}s"
        if len(paths) == 1:
            return f"{unit} {listed([*map(str, found), *more])}"
        name = Path(names[part]) if names.count(names[part]) == 1 else paths[part]
        phrases.append(f"{unit} {listed([str(number) for number in found])} of {shown(name)}")
    return listed(phrases + more)


def column_names(path: str | Path, *, delimiter: str | None = None) -> list[str]:
    """The names of the columns of one file, duplicates kept."""
    with unpacked(Path(path)) as place:
        return format_of(place, checked_delimiter(delimiter)).header(place, ())


def refuse_absent(path: Path, columns: Sequence[str], *, delimiter: str | None = None) -> None:
    """Refuse columns that a file does not have, all at once."""
    with unpacked(path) as place:
        form, asked = format_of(place, checked_delimiter(delimiter)), list(dict.fromkeys(columns))
        check_columns(path, form, form.header(place, asked), asked)


def nominal_columns(path: str | Path, *, delimiter: str | None = None) -> list[str]:
    """Columns that a file declares to hold names, as ARFF does, even if these are 1, 2 and 3."""
    with unpacked(Path(path)) as place:
        return arff.nominal(place) if format_of(place, checked_delimiter(delimiter)).name == "ARFF" else []


def read_table(paths: Sequence[str | Path], columns: Sequence[str], *, delimiter: str | None = None) -> Table:
    """Reads the asked columns; several paths are parts of one table."""
    if not paths:
        raise FileError("no file was named.")
    places = [Path(path) for path in paths]
    for place in places:
        size_of(place)  # before the first part is read, which may take long
    asked = list(dict.fromkeys(columns))
    delimiter = checked_delimiter(delimiter)
    parts: list[Part] = []
    frames: list[pl.DataFrame] = []
    for place in places:
        part, frame = _read_part(place, delimiter, asked, parts)
        parts.append(part)
        frames.append(frame)
    frame = _joined(places, frames, numbers_mix=parts[0].format.name == "JSON")
    if frame.height == 0:
        raise no_rows(places)
    return Table(frame=frame, text=parts[0].format.text, parts=tuple(parts))


def no_rows(paths: Sequence[Path]) -> FileError:
    names = [shown(path) for path in paths[:_NAMES_SHOWN]]
    more = [f"{len(paths) - len(names):,} more"] if len(paths) > len(names) else []
    return FileError(f"there are no rows in {listed(names + more)}, only the names of the columns.")


def _read_part(
    path: Path, delimiter: str | None, asked: list[str], before: list[Part]
) -> tuple[Part, pl.DataFrame]:
    with unpacked(path) as place:
        if place != path:
            refuse_unfit(shown(path), size_of(place), None, "evaluate a part of it.")
        form = format_of(place, delimiter)
        if before:
            check_one_kind(before[0].path, before[0].format, path, form)
        check_columns(place, form, form.header(place, asked), asked)
        frame = form.read(place, asked)
    return Part(path, form, frame.height), frame


def check_one_kind(first: Path, first_form: Format, path: Path, form: Format) -> None:
    if form.name != first_form.name:
        raise FileError(
            f"{shown(first)} and {shown(path)} cannot be parts of one table: one is "
            f"{first_form.name}, the other {form.name}.",
            hint="name files of one kind.",
        )


def _joined(paths: list[Path], frames: list[pl.DataFrame], *, numbers_mix: bool) -> pl.DataFrame:
    """The parts under each other, their columns widened to a type that holds all values unchanged."""
    import polars as pl

    types = common_schema(paths, [frame.schema for frame in frames], numbers_mix=numbers_mix)
    return pl.concat([frame.cast(types) for frame in frames])  # type: ignore[arg-type]


def check_columns(path: Path, form: Format, names: list[str], asked: list[str]) -> None:
    absent = [name for name in asked if name not in names]
    if absent:
        word = "column" if len(absent) == 1 else "columns"
        raise ColumnError(
            f"{shown(path)} has no {word} {listed([cut(name) for name in absent])}; {_columns_of(names)}.",
            hint=_hint(form, names, absent),
        )
    for name in asked:
        if names.count(name) > 1:
            places = [str(position) for position, other in enumerate(names, 1) if other == name]
            raise ColumnError(
                f"{shown(path)} has {len(places)} columns named {cut(name)} (columns {listed(places)}).",
                hint="give each its own name in the header.",
            )


def _columns_of(names: list[str]) -> str:
    if not names:
        return "it has no columns"
    words = [cut(name) for name in names[:_NAMES_SHOWN]]
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


def _hint(form: Format, names: list[str], absent: list[str]) -> str | None:
    wrong_delimiter = delimiter_hint(names) if form.name == DELIMITED else None
    if wrong_delimiter:
        return wrong_delimiter
    if form.name == DELIMITED and all(is_number(name) for name in names):
        return "the first line must hold the names of the columns."
    close = [(name, nearest(name, names)) for name in absent]
    pairs = [f"{cut(other)} for {cut(name)}" for name, other in close if other is not None]
    return f"did you mean {listed(pairs)}? Names are compared exactly." if pairs else None


def is_number(text: str) -> bool:
    """Whether a text is a number as Python reads one."""
    try:
        float(text)
    except ValueError:
        return False
    return True
