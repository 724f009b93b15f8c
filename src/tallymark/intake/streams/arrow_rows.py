"""Arrow in record batches: the file format by slices of rows, the stream format by bytes."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from tallymark.errors import FileError
from tallymark.intake.files import arrow
from tallymark.intake.files.kinds import shown, unreadable
from tallymark.intake.files.parquet import errors_told

if TYPE_CHECKING:
    import polars as pl

_CONTINUED = b"\xff\xff\xff\xff"
_RECORDS = 3
_MOST_BYTES = 1 << 26
_MOST_ROWS = 1 << 32
"""More than a batch can have."""


@dataclass(frozen=True)
class _Message:
    """A message of the format: where it begins and ends; how many rows it has, None if it holds no rows."""

    start: int
    end: int
    rows: int | None


class _Damaged(Exception):
    """What is written there cannot be."""


class ArrowRows:
    """The asked columns of one file."""

    def __init__(self, path: Path, columns: Sequence[str], step: int) -> None:
        self._path = path
        self._columns = list(columns)
        self._step = step
        schema = arrow.schema(path)
        self.types: Mapping[str, pl.DataType] = {name: schema[name] for name in self._columns}
        self._stream = arrow.is_stream(path)
        try:
            with path.open("rb") as file:
                self._messages = list(_streamed(file)) if self._stream else _listed(file)
        except OSError as error:
            raise unreadable(path, error) from None
        except (_Damaged, IndexError, struct.error):
            raise _damaged(path) from None
        self.rows = sum(message.rows or 0 for message in self._messages)

    def reads(self, _: Path) -> Iterator[tuple[int, int, Callable[[], pl.DataFrame]]]:
        """How many of all rows are read after each piece, and what reads it."""
        before: list[_Message] = []
        start = 0
        for batches in self._pieces():
            count = sum(message.rows or 0 for message in batches)
            if count or not self.rows:
                part = partial(self._part_of_stream, [*before, *batches]) if self._stream else None
                read = part or partial(self._slice, start, count)
                yield start + count, self.rows, partial(self._whole, count, read)
            before += [message for message in batches if message.rows is None]
            start += count

    def _pieces(self) -> Iterator[list[_Message]]:
        """Batches are read whole; small ones are read together."""
        piece: list[_Message] = []
        rows = size = 0
        for message in self._messages:
            rows += message.rows or 0
            size += message.end - message.start
            if piece and (rows > self._step or size > _MOST_BYTES):
                yield piece
                piece, rows, size = [], message.rows or 0, message.end - message.start
            piece.append(message)
        yield piece

    def _whole(self, count: int, read: Callable[[], pl.DataFrame]) -> pl.DataFrame:
        """A piece with as many rows as the file says that there are."""
        frame = read()
        if frame.height != count:
            raise _damaged(self._path)
        return frame

    def _slice(self, start: int, count: int) -> pl.DataFrame:
        import polars as pl

        with errors_told(self._path, "Arrow"):
            frame = pl.scan_ipc(self._path.absolute(), glob=False, hive_partitioning=False)
            return frame.select(self._columns).slice(start, count).collect()

    def _part_of_stream(self, messages: Sequence[_Message]) -> pl.DataFrame:
        """A stream of its own: the schema and the dictionaries, some batches, the end."""
        import polars as pl

        with errors_told(self._path, "Arrow"):
            with self._path.open("rb") as file:
                content = b"".join((*_contents(file, messages), arrow.END_OF_STREAM))
            return pl.read_ipc_stream(content, columns=self._columns).select(self._columns)


def _damaged(path: Path) -> FileError:
    return FileError(f"{shown(path)} is damaged.", hint="copy or write it again.")


def _contents(file: BinaryIO, messages: Sequence[_Message]) -> Iterator[bytes]:
    for message in messages:
        file.seek(message.start)
        yield file.read(message.end - message.start)


def _streamed(file: BinaryIO) -> Iterator[_Message]:
    start = 0
    while (found := _message(file, start)) is not None:
        yield found
        start = found.end
    if file.read(1):
        raise _Damaged


def _listed(file: BinaryIO) -> list[_Message]:
    """The batches of a file, which its footer lists."""
    end = file.seek(-4 - len(arrow.FILE_MARK), 2)
    (length,) = struct.unpack("<i", file.read(4))
    if not 0 < length <= end:
        raise _Damaged
    file.seek(end - length)
    footer = file.read(length)
    (table,) = struct.unpack_from("<I", footer, 0)
    vector = _field(footer, table, 3)
    if vector is None:
        return []
    vector += struct.unpack_from("<I", footer, vector)[0]
    (count,) = struct.unpack_from("<I", footer, vector)
    starts = [struct.unpack_from("<q", footer, vector + 4 + 24 * place)[0] for place in range(count)]
    found = [message for start in starts if (message := _message(file, start)) is not None]
    if len(found) < count:
        raise _Damaged
    return found


def _message(file: BinaryIO, start: int) -> _Message | None:
    """The message at a place; None at the end of a stream."""
    whole = file.seek(0, 2)
    if not 0 <= start < whole:
        raise _Damaged
    file.seek(start)
    mark = file.read(4)
    # writers before 2019 left out the mark
    head = file.read(4) if mark == _CONTINUED else mark
    (length,) = struct.unpack("<i", head)
    if length == 0:
        return None
    body = file.tell() + length
    if length < 0 or body > whole:
        raise _Damaged
    content = file.read(length)
    (table,) = struct.unpack_from("<I", content, 0)
    kind, size = _field(content, table, 1), _field(content, table, 3)
    end = body + (0 if size is None else struct.unpack_from("<q", content, size)[0])
    if not body <= end <= whole:
        raise _Damaged
    if kind is None or content[kind] != _RECORDS:
        return _Message(start, end, None)
    records = _field(content, table, 2)
    if records is None:
        raise _Damaged
    records += struct.unpack_from("<I", content, records)[0]
    at = _field(content, records, 0)
    rows = 0 if at is None else struct.unpack_from("<q", content, at)[0]
    if not 0 <= rows < _MOST_ROWS:
        raise _Damaged
    return _Message(start, end, rows)


def _field(content: bytes, table: int, number: int) -> int | None:
    """The place of a field of a table of FlatBuffers; None for one that is left out."""
    (back,) = struct.unpack_from("<i", content, table)
    size, _ = struct.unpack_from("<HH", content, table - back)
    if 4 + 2 * number >= size:
        return None
    (offset,) = struct.unpack_from("<H", content, table - back + 4 + 2 * number)
    return table + offset if offset else None
