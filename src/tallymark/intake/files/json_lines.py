"""JSON lines at the speed of Polars, wherever a glance at the bytes shows that it can lose nothing.

Polars keeps the first of two equal keys, makes text of mixed values and nothing of half a character. So it
is trusted only when every line has each asked key once, with values of one type; else `json_records` reads.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tallymark.intake.files import json_records
from tallymark.intake.files.delimited_text import chunks
from tallymark.intake.files.excerpts import Excerpt

if TYPE_CHECKING:
    import polars as pl

_HALF_CHARACTER = re.compile(rb"\\u[dD][89a-fA-F]")
_NUMBER_STARTS = {bytes([byte]) for byte in b"-0123456789"}
_FRACTION = re.compile(rb"[.eE]")
_LONG = re.compile(rb"[ -][0-9]{16,}(?![.0-9eE])")


def read(path: Path, columns: Sequence[str]) -> pl.DataFrame:
    return read_excerpt(Excerpt(path), columns)


def read_excerpt(excerpt: Excerpt, columns: Sequence[str]) -> pl.DataFrame:
    frame = _read_with_polars(excerpt, columns)
    return json_records.read_excerpt(excerpt, columns, unit="line") if frame is None else frame


def _read_with_polars(excerpt: Excerpt, columns: Sequence[str]) -> pl.DataFrame | None:
    import polars as pl

    if any(re.search(r'["\\]', name) or not name.isprintable() for name in columns):
        return None
    glances = [_Glance(name) for name in columns]
    rows = 0
    for chunk, _ in chunks(excerpt):
        lines = chunk.rstrip() + b"\n"
        rows += lines.count(b"\n")
        if not all(glance.at(lines) for glance in glances):
            return None
    types = [glance.type for glance in glances]
    if None in types:
        return None
    named = {"String": pl.String, "Boolean": pl.Boolean, "Int64": pl.Int64, "Float64": pl.Float64}
    schema = {name: named[str(kind)] for name, kind in zip(columns, types, strict=True)}
    try:
        frame = pl.read_ndjson(excerpt.source, schema=schema)
    except pl.exceptions.PolarsError:
        return None
    nulls = [frame.get_column(glance.name).null_count() == glance.nulls for glance in glances]
    return frame.select(columns) if frame.height == rows and all(nulls) else None


class _Glance:
    """The values of one key as their bytes show them, chunk by chunk."""

    def __init__(self, name: str) -> None:
        written = b'"' + name.encode() + b'"'
        key = re.escape(written) + rb"\s*:"
        self.name = name
        self.nulls = 0
        self._end_of_text = b"\\" + written
        self._beginnings: set[bytes] = set()
        self._whole = True
        self._long = False
        self._value = re.compile(key + rb'\s*("|-?[0-9][-+.0-9eE]*|\S)')
        self._key_or_line = re.compile(rb"\n|" + key)

    def at(self, lines: bytes) -> bool:
        """Whether every line has the key once, with a value that can be left to Polars."""
        values = self._value.findall(lines)
        if len(values) != lines.count(b"\n") or self._end_of_text in lines:
            return False
        distinct = set(values)
        nulls = values.count(b"n") if b"n" in distinct else 0
        if nulls and not self._once_per_line(lines):
            return False
        self.nulls += nulls
        if b'"' in distinct and _HALF_CHARACTER.search(lines):
            return False
        self._note(distinct)
        return True

    def _once_per_line(self, lines: bytes) -> bool:
        # without a null the count of nulls tells; with one, a key twice could make up for a key missing
        found = self._key_or_line.findall(lines)
        return all(one == b"\n" for one in found[1::2]) and len(found) == 2 * lines.count(b"\n")

    def _note(self, distinct: set[bytes]) -> None:
        firsts = {value[:1] for value in distinct}
        if firsts & _NUMBER_STARTS:
            firsts = firsts - _NUMBER_STARTS | {b"0"}
            numbers = b" " + b" ".join(distinct)
            self._whole = self._whole and not _FRACTION.search(numbers)
            self._long = self._long or _LONG.search(numbers) is not None
        self._beginnings |= firsts

    @property
    def type(self) -> str | None:
        """The name of the type of all values, None when it needs a closer look."""
        kinds = self._beginnings - {b"n"}
        if kinds == {b'"'}:
            return "String"
        if kinds and kinds <= {b"t", b"f"}:
            return "Boolean"
        if kinds == {b"0"} and not self._long:
            return "Int64" if self._whole else "Float64"
        return None
