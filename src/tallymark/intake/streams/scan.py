"""Files of one table, read piece by piece: checked before the first piece is read, and watched meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Protocol

from tallymark.errors import FileError, TallymarkError
from tallymark.intake.files.column_types import common_schema
from tallymark.intake.files.formats import Format, format_for
from tallymark.intake.files.gzipped import SUFFIX as GZIP_SUFFIX
from tallymark.intake.files.gzipped import named_as, unpacked, unpacked_size
from tallymark.intake.files.kinds import checked_delimiter, kind_of, shown, size_of
from tallymark.intake.files.numpy_archives import check_memory, headers
from tallymark.intake.files.tables import PLACES_SHOWN, check_columns, check_one_kind, in_words, no_rows
from tallymark.intake.streams.arrow_rows import ArrowRows
from tallymark.intake.streams.blocks import BLOCK, block_for
from tallymark.intake.streams.memory import refuse_unfit
from tallymark.intake.streams.parquet_rows import ParquetRows, rows_at_once
from tallymark.intake.streams.seen_types import SeenTypes
from tallymark.intake.streams.text_rows import DelimitedRows, JsonRows, TextRows

if TYPE_CHECKING:
    import polars as pl

# Files that are read in one piece take so many times their size: ARFF 12, a list in JSON 3.
_WHOLE_FILE = {"JSON": 5}
_WHOLE_TEXT = 12
_WHOLE_ALWAYS = 64 << 20
"""What such files may take however little memory is allowed."""
_DEFLATE = 1_032
"""How many times its size compressed text unpacks to at most."""
_MOST_TIMES = 100
"""How many times the size of a text the rows in it can take in memory, and more."""

Read = Callable[[], "pl.DataFrame"]


class Rows(Protocol):
    """The asked columns of one file; types and rows are known where the file tells before it is read."""

    @property
    def types(self) -> Mapping[str, pl.DataType] | None: ...
    @property
    def rows(self) -> int | None: ...
    def reads(self, place: Path) -> Iterator[tuple[int, int, Read]]:
        """In order: how much of all will have been read, how much there is, and what reads the next piece."""


class Piece:
    """Some rows of one file, in any thread read once."""

    def __init__(self, part: int, size: int, read: Read) -> None:
        self.part = part
        self.bytes = size
        self._read: Read | None = read

    def read(self) -> pl.DataFrame:
        assert self._read is not None, "a piece is read once"
        # the block that is to be read is not needed any longer
        read, self._read = self._read, None
        return read()


@contextmanager
def scan_files(
    paths: Sequence[str | Path],
    columns: Sequence[str],
    *,
    delimiter: str | None = None,
    memory: int | None = None,
    block: int = BLOCK,
    may_be_empty: bool = False,
) -> Iterator[Scan]:
    """The asked columns of files that are parts of one table, to be read piece by piece.

    Pieces are smaller where there is little `memory`; `block` is how many bytes of text one has at most.
    Some parts of a larger table may be empty, the whole is not.
    """
    if not paths:
        raise FileError("no file was named.")
    block = block if memory is None else block_for(memory)
    with ExitStack() as unpacking:
        places, mark = [Path(path) for path in paths], checked_delimiter(delimiter)
        yield Scan(places, columns, mark, block, unpacking, memory=memory, may_be_empty=may_be_empty)


class Scan:
    """The files, what is known of them before they are read, and their pieces."""

    def __init__(
        self,
        paths: Sequence[Path],
        columns: Sequence[str],
        delimiter: str | None,
        block: int,
        unpacking: ExitStack,
        *,
        memory: int | None = None,
        may_be_empty: bool = False,
    ) -> None:
        self.parts = tuple(paths)
        self.columns = tuple(dict.fromkeys(columns))
        self._delimiter = delimiter
        self._block = block
        self._memory = memory
        self._may_be_empty = may_be_empty
        self._unpacking = unpacking
        self._unpacked: tuple[int, Path] | None = None
        self._stamps = [_Stamp.of(path) for path in self.parts]
        self.bytes = sum(stamp.size for stamp in self._stamps)
        self.names: tuple[str, ...] = ()
        self._found: dict[int, tuple[Format, Rows]] = {}
        for part, path in enumerate(self.parts):
            # what is compressed is looked at when it is unpacked, one at a time
            if part == 0 or path.suffix.lower() != GZIP_SUFFIX:
                self._rows(part)
        self.format = self._found[0][0]
        self.text = self.format.text
        self.types = self._common_types()
        counts = [rows.rows for _, rows in self._found.values()]
        self.rows = None if self.types is None else sum(count or 0 for count in counts)
        self._refuse_empty(self.rows == 0)
        self._seen = SeenTypes(self.parts, self.columns, self.format)

    def part_types(self) -> list[Mapping[str, pl.DataType] | None]:
        """The types of every part, where a file tells them before it is read."""
        return [rows.types for _, (_, rows) in sorted(self._found.items())]

    def part_heights(self) -> list[int]:
        """The rows of every part, where all files tell them before they are read."""
        return [rows.rows or 0 for _, (_, rows) in sorted(self._found.items())]

    def _common_types(self) -> Mapping[str, pl.DataType] | None:
        known = {part: rows.types for part, (_, rows) in self._found.items() if rows.types is not None}
        paths = [self.parts[part] for part in known]
        return common_schema(paths, list(known.values()), numbers_mix=False) if known else None

    def pieces(self) -> Iterator[Piece]:
        """All pieces in the order of the table; each pass over them begins anew."""
        watch = _Watch()
        for part, stamp in enumerate(self._stamps):
            given = 0
            with self.opened(part) as place, stamp.watched():
                for done, whole, read in self._rows(part).reads(place):
                    until = stamp.size * done // whole if whole else stamp.size
                    watch.begin()
                    yield Piece(part, until - given, partial(self._read, part, read, watch))
                    given = until
        watch.end()
        self._refuse_empty(watch.empty)

    def _refuse_empty(self, empty: bool) -> None:
        if empty and not self._may_be_empty:
            raise no_rows(self.parts)

    def where(self, places: Sequence[tuple[int, int]], more: int = 0) -> str:
        """Words for places in the table, each a part and a row of it, both from 0, and for how many more."""
        found = sorted(set(places))
        return in_words(self.parts, found[:PLACES_SHOWN], len(found) + more, self.numbers)

    def sample(self) -> tuple[pl.DataFrame, int, int] | None:
        """The first rows of a text, how many bytes they take, and how many the files have when unpacked."""
        source = self._rows(0)
        if not isinstance(source, TextRows):
            return None
        with self.opened(0) as place:
            return *source.sample(place), self._unpacked_bytes(place)

    def whole_files(self) -> int:
        """About how much memory files of a kind take that is read in one piece."""
        with self.opened(0) as place:
            return self._unpacked_bytes(place) * _WHOLE_FILE.get(self.format.name, _WHOLE_TEXT)

    def _unpacked_bytes(self, first: Path) -> int:
        """How much text there is; any part may be compressed better than the first, unpacked here."""
        guess = self.bytes * size_of(first) // self._stamps[0].size
        most = guess if self._memory is None else self._memory
        packed = [path.suffix.lower() == GZIP_SUFFIX for path in self.parts]
        if guess > most or not any(packed[1:]) or self.bytes * _DEFLATE <= most // _MOST_TIMES:
            return guess
        total = size_of(first)
        for path, stamp, is_packed in zip(self.parts[1:], self._stamps[1:], packed[1:], strict=True):
            total += unpacked_size(path, most - total) if is_packed else stamp.size
        return total

    def numbers(self, part: int, rows: Sequence[int]) -> tuple[str, list[int]]:
        """What rows of a part are called, and which of these (from 1) each of some rows (from 0) is."""
        form, source = self._found[part]
        if isinstance(source, TextRows):
            return form.unit, source.numbers(rows)
        with unpacked(self.parts[part]) as place:
            return form.unit, form.numbers(place, rows)

    def _read(self, part: int, read: Read, watch: _Watch) -> pl.DataFrame:
        with self._stamps[part].watched():
            frame = read()
        types = self._found[part][1].types
        if types is None:
            self._seen.note(part, frame)
        elif types != self.types:
            frame = frame.cast(self.types)  # type: ignore[arg-type]
        watch.read(frame.height)
        self._refuse_empty(watch.empty)
        return frame

    # --- one part ------------------------------------------------------------------------------

    def _rows(self, part: int) -> Rows:
        if part not in self._found:
            with self.opened(part) as place:
                self._found[part] = self._looked_at(part, place)
        return self._found[part][1]

    def _looked_at(self, part: int, place: Path) -> tuple[Format, Rows]:
        path, columns = self.parts[part], self.columns
        kind, mark = kind_of(place, self._delimiter)
        form = format_for(kind, mark)
        if part:
            check_one_kind(self.parts[0], self._found[0][0], path, form)
        names = form.header(place, columns)
        self.names = self.names or tuple(names)
        check_columns(place, form, names, list(columns))
        if kind == "Parquet":
            return form, ParquetRows(place, columns, rows_at_once(len(columns), self._block))
        if kind == "Arrow":
            return form, ArrowRows(place, columns, rows_at_once(len(columns), self._block))
        if kind == "text":
            return form, DelimitedRows(path, columns, self._block, names, mark)
        if kind == "JSON lines":
            return form, JsonRows(path, columns, self._block)
        self._refuse_unfit(path, form, place)
        return form, _WholeFile(path, form, columns)

    def _refuse_unfit(self, path: Path, form: Format, place: Path) -> None:
        """What is read in one piece has to fit into the memory."""
        if self._memory is None:
            return
        if form.name == "NumPy":
            check_memory(place, headers(place, self.columns), self._memory)
            return
        needed = size_of(place) * _WHOLE_FILE.get(form.name, _WHOLE_TEXT)
        if needed > _WHOLE_ALWAYS:
            refuse_unfit(shown(path), needed, self._memory, "save the table as CSV, which is read in pieces.")

    @contextmanager
    def opened(self, part: int) -> Iterator[Path]:
        """The file, or what it unpacks to, which is kept until another one is unpacked."""
        path = self.parts[part]
        if path.suffix.lower() != GZIP_SUFFIX:
            yield path
            return
        if self._unpacked is None or self._unpacked[0] != part:
            self._unpacking.close()
            self._unpacked = part, self._unpacking.enter_context(unpacked(path))
        with named_as(path, self._unpacked[1]):
            yield self._unpacked[1]


class _WholeFile:
    """A file of a kind that is read in one piece."""

    types = None
    rows = None

    def __init__(self, path: Path, form: Format, columns: Sequence[str]) -> None:
        self._path, self._form, self._columns = path, form, columns

    def reads(self, _: Path) -> Iterator[tuple[int, int, Read]]:
        yield 1, 1, self._read

    def _read(self) -> pl.DataFrame:
        with unpacked(self._path) as place:
            return self._form.read(place, self._columns)


class _Watch:
    """What is under way in one pass, so that a table without rows is noticed, whoever is last."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._under_way = 1
        self._height = 0

    def begin(self) -> None:
        with self._lock:
            self._under_way += 1

    def read(self, height: int) -> None:
        with self._lock:
            self._height += height
        self.end()

    def end(self) -> None:
        with self._lock:
            self._under_way -= 1

    @property
    def empty(self) -> bool:
        with self._lock:
            return not self._under_way and not self._height


@dataclass(frozen=True)
class _Stamp:
    """What a file was like before it was read."""

    path: Path
    size: int
    facts: tuple[int, ...]

    @classmethod
    def of(cls, path: Path) -> _Stamp:
        return cls(path, size_of(path), _facts(path))

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Refuse what was read of a file that changed meanwhile; what failed may have failed for that."""
        try:
            yield
        except TallymarkError:
            self._check()
            raise
        self._check()

    def _check(self) -> None:
        hint = "wait until it is written, or read a copy of it."
        try:
            facts = _facts(self.path)
        except FileNotFoundError:
            raise FileError(f"{shown(self.path)} was removed while it was read.", hint=hint) from None
        except OSError:
            return  # whoever reads it will tell
        if facts != self.facts:
            now = facts[0]
            how = f"; it had {self.size:,} bytes and has {now:,} now" if now != self.size else ""
            raise FileError(f"{shown(self.path)} changed while it was read{how}.", hint=hint)


def _facts(path: Path) -> tuple[int, ...]:
    found = path.stat()
    return found.st_size, found.st_mtime_ns, found.st_ino, found.st_dev
