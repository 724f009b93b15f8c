"""Delimited text: Polars reads it, a byte scan proves its reading right, and a plain pass names the lines.

Polars fills short lines with nulls, hides long ones when columns are chosen, and misreads quotes
inside unquoted fields and lone carriage returns. So every file is scanned for its skeleton (delimiters,
line ends and quotes, outside quoted fields); only where that is flawless is Polars' answer taken.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from tallymark.errors import FileError
from tallymark.intake.files.excerpts import Excerpt
from tallymark.intake.files.kinds import UTF8_MARK, bad_bytes, shown, unreadable

if TYPE_CHECKING:
    import polars as pl

_QUOTE = 0x22
_CHUNK = 1 << 18
_MARK = UTF8_MARK.decode()


def header(path: Path, delimiter: str) -> list[str]:
    for _, fields in _records(Excerpt(path), delimiter):
        if fields:
            if any("\0" in name for name in fields):
                raise bad_bytes(path)
            if len(fields) > 1 or fields[0].strip() or path.read_bytes().strip():
                return fields
            break
    raise FileError(f"{shown(path)} has only blank lines.")


def read(path: Path, delimiter: str, columns: Sequence[str]) -> pl.DataFrame:
    """The asked columns as text; an empty field is null."""
    return read_excerpt(Excerpt(path), delimiter, header(path, delimiter), columns)


def read_excerpt(
    excerpt: Excerpt, delimiter: str, names: Sequence[str], columns: Sequence[str]
) -> pl.DataFrame:
    """The asked columns of some records of a file whose header holds `names`."""
    positions = [names.index(name) for name in columns]
    with ThreadPoolExecutor(1) as pool:
        reading = pool.submit(_read_with_polars, excerpt, delimiter, len(names), positions)
        scan = _scan(excerpt, delimiter, len(names))
    if scan is not None and reading.exception() is None:
        frame = reading.result()
        frame.columns = list(columns)
        if frame.height in (scan.rows, scan.rows + scan.trailing_blank) and not may_repeat_header(frame):
            return frame.head(scan.rows)
    return _read_carefully(excerpt, delimiter, names, columns)


def may_repeat_header(frame: pl.DataFrame) -> bool:
    """Whether a row has the column names as its values; then the whole line is compared with the header."""
    import polars as pl

    same = [
        # pandas writes an index under an empty name, and an empty field is null
        pl.col(name).is_in([name, _MARK + name]) | (pl.col(name).is_null() & (name == ""))
        for name in frame.columns
    ]
    return bool(same) and not frame.lazy().filter(*same).head(1).collect().is_empty()


def proven_rows(path: Path, delimiter: str, width: int) -> int | None:
    """How many rows a file has that any reader reads in the same way; None when one may read it otherwise."""
    scan = _scan(Excerpt(path), delimiter, width)
    return None if scan is None else scan.rows


def line_numbers(path: Path, delimiter: str, rows: Sequence[int]) -> list[int]:
    """The line of the file (from 1) on which each of the rows (from 0, ascending) starts."""
    return excerpt_lines(Excerpt(path), delimiter, 0, rows)


def excerpt_lines(excerpt: Excerpt, delimiter: str, width: int, rows: Sequence[int]) -> list[int]:
    """The same for the rows of an excerpt, of which the first is 0."""
    wanted, found = set(rows), []
    for row, (line, _) in enumerate(excerpt_rows(excerpt, delimiter, width)):
        if row in wanted:
            found.append(line)
            if len(found) == len(wanted):
                break
    return found


def _read_with_polars(excerpt: Excerpt, delimiter: str, width: int, positions: Sequence[int]) -> pl.DataFrame:
    import polars as pl

    return pl.read_csv(
        excerpt.source,
        separator=delimiter,
        # Polars renames duplicate columns and fails when the new name is taken: positions are safe
        has_header=False,
        skip_rows=int(excerpt.begins_file),
        schema={str(position): pl.String for position in range(width)},
        columns=list(positions),
        null_values="",
        glob=False,
    ).select(str(position) for position in positions)


def _read_carefully(
    excerpt: Excerpt, delimiter: str, names: Sequence[str], columns: Sequence[str]
) -> pl.DataFrame:
    import polars as pl

    found: dict[int, list[str | None]] = {names.index(name): [] for name in columns}
    for line, fields in excerpt_rows(excerpt, delimiter, len(names)):
        if _is_header(fields, names):
            raise _repeated_header(excerpt.path, line)
        for position, values in found.items():
            values.append(fields[position] or None)
    return pl.DataFrame(
        {names[position]: pl.Series(values, dtype=pl.String) for position, values in found.items()}
    )


def _is_header(fields: Sequence[str], names: Sequence[str]) -> bool:
    first = fields[0]
    if first.startswith(_MARK):  # as when files that begin with a mark are joined
        first = first.removeprefix(_MARK).strip('"')
    return any(names) and first == names[0] and list(fields[1:]) == list(names[1:])


def _repeated_header(path: Path, line: int) -> FileError:
    return FileError(
        f"line {line} of {shown(path)} repeats the header, so it is not a row.",
        hint="if files were joined, keep the header of the first only, or name them as separate files.",
    )


def excerpt_rows(excerpt: Excerpt, delimiter: str, width: int) -> Iterator[tuple[int, list[str]]]:
    """Line number and fields of every row under the header; a ragged line is an error."""
    if excerpt.begins_file:
        width = 0
    for line, fields in _records(excerpt, delimiter):
        if width == 0:
            width = len(fields)
        elif len(fields) == width:
            yield line, fields
        elif not fields and width == 1:
            yield line, [""]
        elif fields:
            raise _ragged(excerpt.path, delimiter, line, len(fields), width)


def _ragged(path: Path, delimiter: str, line: int, count: int, width: int) -> FileError:
    fields = "1 field" if count == 1 else f"{count:,} fields"
    hint = f"a field with {delimiter!r} in it must stand in double quotes."
    if count < width:
        hint = "every line needs a field for every column, if only an empty one."
    return FileError(f"line {line} of {shown(path)} has {fields}; the header has {width:,}.", hint=hint)


def _records(excerpt: Excerpt, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Line number and fields of every record, header included; a blank line has no fields.

    Reads as Python's csv module does, but text behind a closing quote is an error, fields may be of any
    length without touching csv's global limit, and the line of an unclosed quote is known.
    """
    path = excerpt.path
    try:
        with excerpt.open(newline="") as file:
            numbered = enumerate(file, excerpt.line)
            for number, line in numbered:
                if '"' in line:
                    yield number, _quoted_record(path, delimiter, number, line, numbered)
                elif bare := line.rstrip("\r\n"):
                    yield number, bare.split(delimiter)
                else:
                    yield number, []
    except UnicodeDecodeError:
        raise bad_bytes(path) from None
    except OSError as error:
        raise unreadable(path, error) from None


def _quoted_record(
    path: Path, delimiter: str, number: int, line: str, following: Iterator[tuple[int, str]]
) -> list[str]:
    fields = []
    at = 0
    while True:
        opened = number
        if line.startswith('"', at):
            field, number, line, at = _quoted_field(path, number, line, at + 1, following)
        else:
            end = line.find(delimiter, at)
            field, at = (line[at:end], end) if end >= 0 else (line[at:].rstrip("\r\n"), len(line))
        fields.append(field)
        if line.startswith(delimiter, at):
            at += 1
        elif line[at:].rstrip("\r\n"):
            raise _text_after_quote(path, opened, number)
        else:
            return fields


def _quoted_field(
    path: Path, number: int, line: str, at: int, following: Iterator[tuple[int, str]]
) -> tuple[str, int, str, int]:
    """The text of the field whose quote opened just before `at`, and the place behind its closing quote."""
    opened, pieces = number, []
    while True:
        end = line.find('"', at)
        if end >= 0:
            pieces.append(line[at:end])
            if not line.startswith('"', end + 1):
                return "".join(pieces), number, line, end + 1
            pieces.append('"')
            at = end + 2
        else:
            pieces.append(line[at:])
            number, line = next(following, (number, ""))
            at = 0
            if not line:
                raise FileError(
                    f"the quote opened on line {opened} of {shown(path)} is never closed.",
                    hint="a field that begins with a quote must also end with one.",
                )


def _text_after_quote(path: Path, opened: int, closed: int) -> FileError:
    span = f"line {opened}" if opened == closed else f"line {opened} and closed on line {closed}"
    return FileError(
        f"the quoted field opened on {span} of {shown(path)} has text after its closing quote.",
        hint='inside a quoted field a quote is written twice ("").',
    )


@dataclass(frozen=True)
class _Scan:
    rows: int
    trailing_blank: int


def _scan(excerpt: Excerpt, delimiter: str, width: int) -> _Scan | None:
    """The number of rows of a file without any flaw; None when a plain pass must look closer."""
    skeleton = _Skeleton(delimiter, width) if delimiter.isascii() else None
    blank, begins = 0, excerpt.begins_file
    for chunk, last in chunks(excerpt):
        # of one column, a blank line above the header would pass for the header
        if begins and chunk.startswith((b"\n", b"\r")):
            skeleton = None
        begins = False
        if 0 in chunk or not (chunk.isascii() or _is_utf8(chunk)):
            raise bad_bytes(excerpt.path)
        if skeleton is None:
            continue
        lone_returns = b"\r" in chunk and chunk.count(b"\r") != chunk.count(b"\r\n")
        if last and width > 1:
            blank, chunk = _without_blank_end(chunk)
        if lone_returns or not skeleton.fits(chunk):
            skeleton = None
    if skeleton is None or not skeleton.complete:
        return None
    return _Scan(rows=skeleton.records - int(excerpt.begins_file), trailing_blank=blank)


def chunks(excerpt: Excerpt) -> Iterator[tuple[bytes, bool]]:
    """The text in pieces that each end with a newline, and whether it is the last."""
    path, content = excerpt.path, excerpt.content
    try:
        with path.open("rb") if content is None else io.BytesIO(content) as file:
            chunk = file.read(_CHUNK) + file.readline()
            chunk = chunk.removeprefix(UTF8_MARK) if content is None else chunk
            while following := file.read(_CHUNK):
                yield chunk, False
                chunk = following + file.readline()
            yield (chunk if chunk.endswith(b"\n") else chunk + b"\n"), True
    except OSError as error:
        raise unreadable(path, error) from None


def _without_blank_end(chunk: bytes) -> tuple[int, bytes]:
    body = chunk.rstrip(b"\r\n")
    line_ends = chunk.count(b"\n", len(body))
    return (line_ends - 1, body + b"\n") if body else (line_ends, b"")


class _Skeleton:
    """Follows the delimiters and line ends that stand outside quoted fields, chunk by chunk."""

    def __init__(self, delimiter: str, width: int) -> None:
        mark = delimiter.encode()
        self.records = 0
        self._record = mark * (width - 1) + b"\n"
        self._flesh = bytes(set(range(256)) - set(mark + b'\n"'))
        self._may_open_after = bytes_in(mark + b'\n"')
        self._may_close_before = bytes_in(mark + b'\n\r"')
        self._inside = 0
        self._begun = b""

    @property
    def complete(self) -> bool:
        return not self._inside and not self._begun

    def fits(self, chunk: bytes) -> bool:
        bones = chunk.translate(None, self._flesh)
        if self._inside or b'"' in bones:
            if not self._quotes_fit(chunk):
                return False
            bones = self._outside_quotes(bones)
        bones = self._begun + bones
        whole, left = divmod(len(bones), len(self._record))
        self._begun = bones[len(bones) - left :]
        self.records += whole
        return bones[: len(bones) - left] == self._record * whole

    def _quotes_fit(self, chunk: bytes) -> bool:
        """Every quote opens or closes a whole field, or is one of a doubled pair."""
        content = np.frombuffer(chunk, dtype=np.uint8)
        quotes = np.flatnonzero(content == _QUOTE)
        opening, closing = quotes[self._inside :: 2], quotes[1 - self._inside :: 2]
        # a chunk ends with a newline: index -1, before its first byte, finds one too, and +1 stays inside
        return bool(
            self._may_open_after[content[opening - 1]].all()
            and self._may_close_before[content[closing + 1]].all()
        )

    def _outside_quotes(self, bones: bytes) -> bytes:
        content = np.frombuffer(bones, dtype=np.uint8)
        is_quote = content == _QUOTE
        # counting wraps at 256, which leaves odd and even as they are
        inside = (np.cumsum(is_quote, dtype=np.uint8) + np.uint8(self._inside)) & 1
        self._inside = int(inside[-1]) if inside.size else self._inside
        outside: bytes = content[(inside == 0) & ~is_quote].tobytes()
        return outside


def bytes_in(allowed: bytes) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    table = np.zeros(256, dtype=np.bool_)
    table[list(allowed)] = True
    return table


def _is_utf8(chunk: bytes) -> bool:
    try:
        chunk.decode()
    except UnicodeDecodeError:
        return False
    return True
