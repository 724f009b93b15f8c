"""Files that DuckDB reads: Parquet is counted by it, and text comes as written, batch by batch."""

from __future__ import annotations

import glob
from bisect import bisect_right
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tallymark.errors import EngineError, FileError, MissingExtraError
from tallymark.intake.engines.duckdb.store import DuckStore, frames_of, interruptible
from tallymark.intake.engines.file_parts import FileParts, FileTask, FromFile, in_turn
from tallymark.intake.engines.parts import Failed
from tallymark.intake.engines.store import Store
from tallymark.intake.files.delimited_text import may_repeat_header, proven_rows
from tallymark.intake.files.kinds import cut, kind_of, shown
from tallymark.intake.files.tables import PLACES_SHOWN, in_words
from tallymark.intake.streams.complaints import Place

if TYPE_CHECKING:
    import polars as pl

    from tallymark.intake.streams.scan import Scan


@contextmanager
def connected() -> Iterator[Any]:
    """A database of its own, without tables."""
    try:
        import duckdb
    except ImportError:
        raise MissingExtraError(
            "the engine duckdb needs DuckDB.", hint="pip install 'tallymark[duckdb]'"
        ) from None
    with duckdb.connect() as connection:
        yield connection


@contextmanager
def duckdb_files(scan: Scan, files: Sequence[Path], delimiter: str | None, memory: int) -> Iterator[Store]:
    """Files at hand, read by DuckDB."""
    kind = scan.format.name
    if kind == "Parquet":
        with connected() as connection:
            yield ParquetAtHand(connection, scan)
    elif kind == "text":
        with connected():  # so that it is known to be there
            yield FileParts(scan, files, delimiter, memory, in_turn, _TextFile)
    else:
        raise FileError(
            f"the engine duckdb reads Parquet and delimited text, and {shown(files[0])} is {kind}.",
            hint="leave out the engine, or take another: polars, dask and spark read all kinds of files.",
        )


class DuckParquet(DuckStore):
    """Parquet files, each row with the one that it is from."""

    def __init__(self, connection: Any, places: Sequence[str], names: Sequence[str] = ()) -> None:
        self.file = free_name(names)
        listed = ", ".join(map(_text, places))
        # Folders named as region=north are no columns of files that were named one by one.
        folders = "false" if names else "true"
        with self.failing():
            table = connection.sql(
                f"SELECT * FROM read_parquet([{listed}], filename = {_text(self.file)}, "
                f"union_by_name = true, hive_partitioning = {folders})"
            )
        super().__init__(table)


class ParquetAtHand(DuckParquet):
    """Files that have been looked at here."""

    def __init__(self, connection: Any, scan: Scan) -> None:
        self._connection, self._parts = connection, scan.parts
        self._ends = list(accumulate(scan.part_heights()))
        _refuse_alike(scan)
        super().__init__(connection, [glob.escape(str(path)) for path in scan.parts], scan.names)

    @property
    def called(self) -> str:
        return "the files"

    @contextmanager
    def failing(self) -> Iterator[None]:
        try:
            with super().failing():
                yield
        except EngineError as problem:
            broken = next(filter(self._is_broken, self._parts), None)
            if broken is not None and shown(broken) not in problem.message:
                problem.message = problem.message.replace("failed", f"failed at {shown(broken)}", 1)
            raise

    def _is_broken(self, path: Path) -> bool:
        """Whether DuckDB cannot read the file to its end."""
        try:
            with super().failing():
                self._connection.execute(
                    f"SELECT max(hash(COLUMNS(*))) FROM read_parquet({_text(glob.escape(str(path)))})"
                ).fetchall()
        except EngineError:
            return True
        return False

    def where(self, places: Sequence[Place], more: int = 0) -> str:
        rows = sorted({row for _, row in places})
        part = [bisect_right(self._ends, row) for row in rows]
        found = [(at, row - (self._ends[at - 1] if at else 0)) for at, row in zip(part, rows, strict=True)]

        def told(_: int, rows: list[int]) -> tuple[str, list[int]]:
            return "row", [row + 1 for row in rows]

        return in_words(self._parts, found[:PLACES_SHOWN], len(found) + more, told)


def free_name(names: Sequence[str]) -> str:
    """A name for the column that holds the file, which no other column has in any case."""
    taken, name = {each.casefold() for each in names}, "file"
    while name in taken:
        name += "_"
    return name


def _refuse_alike(scan: Scan) -> None:
    """Refuse columns that differ in case only, which DuckDB takes for one."""
    for name in scan.columns:
        alike = next(
            (each for each in scan.names if each != name and each.casefold() == name.casefold()), None
        )
        if alike is not None:
            raise EngineError(
                f"DuckDB cannot tell the columns {cut(name)} and {cut(alike)} apart.",
                hint="give one of them another name, or leave out the engine.",
            )


class _TextFile(FileTask):
    """Delimited text, read by DuckDB where that is proven to read it as our own reader does."""

    def made(self, scan: Scan) -> FromFile | Failed:
        import duckdb

        with scan.opened(0) as place:
            mark = kind_of(place, self.delimiter)[1]
            names = scan.format.header(place, ())
            height = proven_rows(place, mark, len(names))
            if height is None:
                return super().made(scan)

            def numbers(rows: Sequence[int]) -> list[int]:
                return scan.format.numbers(place, rows)

            try:
                with (
                    interruptible(),
                    connected() as connection,
                    closing(self._frames(connection, place, mark, names)) as read,
                ):
                    found, rows = self.counted(scan, read, numbers, side_by_side=True)
            except (duckdb.Error, OSError):  # of Arrow, once rows have been handed over
                rows = -1  # lines of many megabytes, or line ends of two kinds
            return found if rows == height else super().made(scan)

    def _frames(
        self, connection: Any, place: Path, mark: str, names: Sequence[str]
    ) -> Generator[pl.DataFrame, None, None]:
        # By their places, for names may be there twice.
        known = ", ".join(f"'{at}': 'VARCHAR'" for at in range(len(names)))
        chosen = ", ".join(f'"{names.index(name)}"' for name in self.columns)
        table = connection.sql(
            f"SELECT {chosen} FROM read_csv({_text(glob.escape(str(place)))}, columns = {{{known}}}, "
            f"""auto_detect = false, header = true, delim = {_text(mark)}, quote = '"', escape = '"', """
            "nullstr = '', comment = '', compression = 'none', strict_mode = true)"
        )
        for frame in frames_of(table):
            frame.columns = list(self.columns)
            if may_repeat_header(frame):
                return  # too few rows, so that our own reader looks at the lines
            yield frame


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"
