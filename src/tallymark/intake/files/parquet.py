"""Parquet: names, types and columns, with the reader's failures told in one line."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from tallymark.errors import ColumnError, FileError
from tallymark.intake.files.kinds import shown, unreadable

if TYPE_CHECKING:
    import polars as pl


def header(path: Path) -> list[str]:
    return scanned(path).collect_schema().names()


def scanned(path: Path) -> pl.LazyFrame:
    """All columns, not yet read; what the end of the file tells of them is."""
    import polars as pl

    check_end(path, b"PAR1", 12, "a Parquet file")
    with failures_told(path, "Parquet"):
        frame = pl.scan_parquet(path.absolute(), glob=False, hive_partitioning=False)
        frame.collect_schema()
        return frame


def read(path: Path, columns: Sequence[str]) -> pl.DataFrame:
    import polars as pl

    with failures_told(path, "Parquet"):
        frame = pl.read_parquet(path.absolute(), columns=list(columns), glob=False, hive_partitioning=False)
        return frame.select(columns)


def check_end(path: Path, end: bytes, least: int, kind: str) -> None:
    """Refuse a file that lost its end; such files are written from front to back."""
    try:
        with path.open("rb") as file:
            size = file.seek(0, 2)
            file.seek(max(0, size - len(end)))
            whole = file.read() == end and size >= least
    except OSError as error:
        raise unreadable(path, error) from None
    if not whole:
        raise FileError(
            f"{shown(path)} is cut short: it begins but does not end as {kind}.",
            hint="copy or write it again.",
        )


@contextmanager
def failures_told(path: Path, kind: str) -> Iterator[None]:
    """What Polars has against a file, in our words and one line; not for several threads at once."""
    with errors_told(path, kind), _panics_held_back():
        yield


@contextmanager
def errors_told(path: Path, kind: str) -> Iterator[None]:
    """The same in any thread, though what Polars itself prints of a panic is seen."""
    import polars as pl

    try:
        yield
    except OSError as error:
        raise unreadable(path, error) from None
    except pl.exceptions.DuplicateError:
        message = f"{shown(path)} has several columns of the same name; such {kind} files are not read."
        raise ColumnError(message, hint="give each column its own name.") from None
    except pl.exceptions.PanicException:
        raise FileError(
            f"{shown(path)} is damaged, has several columns of one name, or uses another {kind} feature that "
            "is not read.",
            hint="write it again.",
        ) from None
    except pl.exceptions.PolarsError as error:
        reason = " ".join(str(error).split())
        reason = reason if len(reason) <= 80 else reason[:80] + "..."
        raise FileError(
            f"{shown(path)} is damaged, or uses a feature of {kind} that is not read ({reason}).",
            hint="copy or write it again.",
        ) from None


@contextmanager
def _panics_held_back() -> Iterator[None]:
    """Polars tells of a panic on standard error before it raises; what is written meanwhile follows later."""
    sys.stderr.flush()
    kept = os.dup(2)
    with tempfile.TemporaryFile() as held:
        os.dup2(held.fileno(), 2)
        try:
            yield
        finally:
            os.dup2(kept, 2)
            os.close(kept)
            raised = sys.exc_info()[0] is not None
            held.seek(0)
            if not raised and (written := held.read()):
                os.write(2, written)
