"""Text in blocks of records, each read and proved right by itself; errors name the line of the file."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from tallymark.errors import ColumnError, TallymarkError
from tallymark.intake.files import delimited_text, json_lines, json_records
from tallymark.intake.files.column_types import common_type
from tallymark.intake.files.excerpts import Excerpt
from tallymark.intake.files.gzipped import unpacked
from tallymark.intake.files.kinds import cut, lines_before, shown, size_of
from tallymark.intake.streams.blocks import Block, block_at, block_size, blocks

if TYPE_CHECKING:
    import polars as pl


_SAMPLE = 1 << 18


class TextRows(ABC):
    """The asked columns of one file, which the user knows as `path`."""

    types = None
    rows = None
    delimiter: str | None = None

    def __init__(self, path: Path, columns: Sequence[str], block: int) -> None:
        self.path = path
        self._columns = list(columns)
        self._block = block
        self._heights: dict[int, tuple[int, int]] = {}

    @abstractmethod
    def read(self, excerpt: Excerpt) -> pl.DataFrame:
        """The asked columns of some records."""

    @abstractmethod
    def lines(self, excerpt: Excerpt, rows: Sequence[int]) -> list[int]:
        """The lines of some rows of an excerpt."""

    def reads(self, place: Path) -> Iterator[tuple[int, int, Callable[[], pl.DataFrame]]]:
        """How many of all bytes are read after each piece, and what reads it."""
        size = size_of(place)
        for block in blocks(place, block_size(place, self._block), self.delimiter):
            yield block.end, size, partial(self.read_block, block)

    def sample(self, place: Path) -> tuple[pl.DataFrame, int]:
        """The first rows, and how many bytes they take."""
        first = next(blocks(place, min(self._block, _SAMPLE), self.delimiter))
        return self.read(Excerpt(place, first.content)), first.end

    def read_block(self, block: Block) -> pl.DataFrame:
        try:
            frame = self.read(Excerpt(self.path, block.content, block.start))
        except TallymarkError:
            # to count the lines above takes time, which only an error is worth
            with unpacked(self.path) as place:
                self.read(_excerpt(place, block))
            raise
        self._heights[block.start] = block.end, frame.height
        return frame

    def numbers(self, rows: Sequence[int]) -> list[int]:
        """The lines of some rows of the file (from 0, ascending), all of which have been read."""
        found: list[int] = []
        before = 0
        with unpacked(self.path) as place:
            for start, (end, height) in sorted(self._heights.items()):
                here = [row - before for row in rows if before <= row < before + height]
                if here:
                    found += self.lines(_excerpt(place, block_at(place, start, end)), here)
                before += height
        return found


def _excerpt(place: Path, block: Block) -> Excerpt:
    return Excerpt(place, block.content, block.start, lines_before(place, block.start) + 1)


class DelimitedRows(TextRows):
    """Delimited text; all values are text as written, null when empty."""

    def __init__(
        self, path: Path, columns: Sequence[str], block: int, names: Sequence[str], delimiter: str
    ) -> None:
        super().__init__(path, columns, block)
        self._names = names
        self.delimiter: str = delimiter

    def read(self, excerpt: Excerpt) -> pl.DataFrame:
        return delimited_text.read_excerpt(excerpt, self.delimiter, self._names, self._columns)

    def lines(self, excerpt: Excerpt, rows: Sequence[int]) -> list[int]:
        return delimited_text.excerpt_lines(excerpt, self.delimiter, len(self._names), rows)


class JsonRows(TextRows):
    """JSON lines; each block is typed by its values."""

    def __init__(self, path: Path, columns: Sequence[str], block: int) -> None:
        super().__init__(path, columns, block)
        self._types: dict[str, pl.DataType] = {}

    def read(self, excerpt: Excerpt) -> pl.DataFrame:
        return json_lines.read_excerpt(excerpt, self._columns)

    def read_block(self, block: Block) -> pl.DataFrame:
        import polars as pl

        frame = super().read_block(block)
        for name, dtype in frame.schema.items():
            if dtype != pl.Null:
                before = self._types.setdefault(name, dtype)
                if common_type(before, dtype, numbers_mix=True) is None:
                    raise self._mixed(name)
        return frame

    def _mixed(self, name: str) -> ColumnError:
        """Values of two kinds in two blocks, told as if they had stood in one, whichever was read first."""
        kinds: dict[str, dict[type, int]] = {column: {} for column in self._columns}
        with unpacked(self.path) as place:
            for block in blocks(place, block_size(place, self._block), None):
                for values in super().read_block(block):
                    known = kinds[values.name]
                    for kind in {type(value) for value in values.drop_nulls().head(1).to_list()} - set(known):
                        row = values.is_not_null().arg_max() or 0
                        known[kind] = self.lines(_excerpt(place, block), [row])[0]
                        json_records.refuse_mixed(self.path, "line", values.name, known)
        return ColumnError(
            f"column {cut(name)} of {shown(self.path)} holds lists of text and lists of numbers.",
            hint="write all values of a column in the same way.",
        )

    def lines(self, excerpt: Excerpt, rows: Sequence[int]) -> list[int]:
        return json_records.excerpt_numbers(excerpt, rows, unit="line")
