"""Parquet in slices of rows: Polars decodes only the pages that a slice needs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from tallymark.intake.files import parquet
from tallymark.intake.streams.blocks import BLOCK

if TYPE_CHECKING:
    import polars as pl

MOST_ROWS = 1 << 20  # the size of row group that other writers take
MOST_CELLS = 1 << 22
_LONG_GROUP = 8
_LARGEST_FOOTER = 1 << 18


def rows_at_once(columns: int, block: int = BLOCK) -> int:
    """How many rows make a piece of some tens of megabytes, or of fewer where blocks of text are smaller."""
    return max(1, min(MOST_ROWS, MOST_CELLS // max(1, columns)) * block // BLOCK)


class ParquetRows:
    """The asked columns of one file."""

    def __init__(self, path: Path, columns: Sequence[str], step: int) -> None:
        import polars as pl

        self._path = path
        # what the footer tells is kept with the frame, so that it is read once and not for every slice
        self._frame = parquet.scanned(path).select(list(columns))
        self._step = step
        self._alone = Lock()
        with parquet.failures_told(path, "Parquet"):
            self.types: Mapping[str, pl.DataType] = self._frame.collect_schema()
            self.rows: int = self._frame.select(pl.len()).collect().item()

    def reads(self, place: Path) -> Iterator[tuple[int, int, Callable[[], pl.DataFrame]]]:
        """How many of all rows are read after each piece, and what reads it."""
        groups = _row_groups(place) or []
        step = self._step
        # Each slice of a row group reads all its bytes, if not their values: fewer and one at a time. Of
        # 2e7 rows in one group even slices took twice as long; where groups are short they are as good.
        long = max(groups, default=0) > _LONG_GROUP * step
        start = 0
        for stop in _stops(groups, self.rows, 4 * step if long else step):
            yield stop, self.rows, partial(self._read, start, stop - start, alone=long)
            start = stop

    def _read(self, start: int, count: int, *, alone: bool) -> pl.DataFrame:
        if alone:
            with self._alone:
                return self._read(start, count, alone=False)
        with parquet.errors_told(self._path, "Parquet"):
            return self._frame.slice(start, count).collect()


def _stops(groups: Sequence[int], rows: int, step: int) -> Iterator[int]:
    """Where to cut: between row groups if these are small, evenly inside large ones."""
    if sum(groups) != rows:
        groups = [rows]
    start = end = 0
    for group in groups:
        if start < end and end + group - start > step:
            yield end
            start = end
        cuts = -(-group // step)
        yield from (end + group * cut // cuts for cut in range(1, cuts))
        if cuts > 1:
            start = end + group * (cuts - 1) // cuts
        end += group
    if start < end or not rows:
        yield end


# --- the footer --------------------------------------------------------------------------------


def _row_groups(path: Path) -> list[int] | None:
    """The rows of each row group; None if the footer is too long to look at, for then they are many."""
    try:
        with path.open("rb") as file:
            size = file.seek(-8, 2)
            length = int.from_bytes(file.read(4), "little")
            if length > min(size, _LARGEST_FOOTER):
                return None
            file.seek(size - length)
            footer = file.read(length)
        # https://github.com/apache/parquet-format: FileMetaData.row_groups is field 4, its num_rows 3
        return [int(group[3]) for group in _Thrift(footer).struct()[4]]
    except (OSError, IndexError, KeyError, TypeError, ValueError, RecursionError):
        return None


class _Thrift:
    """A reader of Thrift's compact protocol: a struct is a dict from field number to value."""

    def __init__(self, content: bytes) -> None:
        self._content = content
        self._at = 0

    def struct(self) -> dict[int, Any]:
        fields: dict[int, Any] = {}
        number = 0
        while head := self._byte():
            number = number + (head >> 4) if head >> 4 else self._whole()
            kind = head & 15
            fields[number] = kind == 1 if kind in (1, 2) else self._value(kind)
        return fields

    def _value(self, kind: int) -> Any:
        if kind in (1, 2, 3):  # a truth value in a list takes a byte
            return self._byte()
        if kind in (4, 5, 6):
            return self._whole()
        if kind == 7:
            return self._bytes(8)
        if kind == 8:
            return self._bytes(self._varint())
        if kind in (9, 10):
            head = self._byte()
            count = self._varint() if head >> 4 == 15 else head >> 4
            return [self._value(head & 15) for _ in range(count)]
        if kind == 12:
            return self.struct()
        raise ValueError(f"kind {kind}")

    def _byte(self) -> int:
        self._at += 1
        return self._content[self._at - 1]

    def _bytes(self, count: int) -> bytes:
        self._at += count
        return self._content[self._at - count : self._at]

    def _varint(self) -> int:
        value = shift = 0
        while True:
            byte = self._byte()
            value |= (byte & 127) << shift
            if byte < 128:
                return value
            shift += 7

    def _whole(self) -> int:
        value = self._varint()
        return (value >> 1) ^ -(value & 1)
