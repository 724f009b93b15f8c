"""One table of the formats that are read: how to get the names, the columns and the places of rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from tallymark.intake.files import (
    arff,
    arrow,
    delimited_text,
    json_lines,
    json_records,
    numpy_archives,
    parquet,
    weka,
)
from tallymark.intake.files.kinds import Kind, kind_of

if TYPE_CHECKING:
    import polars as pl

DELIMITED = "text"


@dataclass(frozen=True)
class Format:
    """How one kind of file is read.

    `text` when all values are text as written; `unit` is what a row is called in an error, and `numbers`
    tells which unit (from 1) each of the rows (from 0, ascending) is. `header` may be told which names are
    wanted, for kinds where names can turn up anywhere in the file.
    """

    name: str
    unit: str
    header: Callable[[Path, Sequence[str]], list[str]]
    read: Callable[[Path, Sequence[str]], pl.DataFrame]
    numbers: Callable[[Path, Sequence[int]], list[int]]
    text: bool = False

    @property
    def as_written(self) -> bool:
        """Whether labels are text as written, so that they may be meant as numbers."""
        return self.text or self.name == "JSON"


def format_of(path: Path, delimiter: str | None) -> Format:
    """The format of a file; raises for anything that cannot be read."""
    return format_for(*kind_of(path, delimiter))


def format_for(kind: Kind, mark: str) -> Format:
    """The format of files of a kind; `mark` is the delimiter of a text."""
    return _delimited(mark) if kind == "text" else _FORMATS[kind]


def _delimited(mark: str) -> Format:
    return Format(
        DELIMITED,
        "line",
        lambda path, _: delimited_text.header(path, mark),
        lambda path, columns: delimited_text.read(path, mark, columns),
        lambda path, rows: delimited_text.line_numbers(path, mark, rows),
        text=True,
    )


def _any(header: Callable[[Path], list[str]]) -> Callable[[Path, Sequence[str]], list[str]]:
    """A header that is found whatever names are wanted."""
    return lambda path, _: header(path)


def _counted(_: Path, rows: Sequence[int]) -> list[int]:
    return [row + 1 for row in rows]


_FORMATS: dict[Kind, Format] = {
    "Parquet": Format("Parquet", "row", _any(parquet.header), parquet.read, _counted),
    "Arrow": Format("Arrow", "row", _any(arrow.header), arrow.read, _counted),
    "NumPy": Format("NumPy", "row", _any(numpy_archives.header), numpy_archives.read, _counted),
    "JSON lines": Format(
        "JSON",
        "line",
        partial(json_records.header, unit="line"),
        json_lines.read,
        partial(json_records.numbers, unit="line"),
    ),
    "JSON": Format(
        "JSON",
        "item",
        partial(json_records.header, unit="item"),
        partial(json_records.read, unit="item"),
        partial(json_records.numbers, unit="item"),
    ),
    "ARFF": Format("ARFF", "line", _any(arff.header), arff.read, arff.line_numbers, text=True),
    "WEKA": Format(
        "WEKA's predictions",
        "line",
        _any(weka.header),
        weka.read,
        weka.line_numbers,
        text=True,
    ),
}
