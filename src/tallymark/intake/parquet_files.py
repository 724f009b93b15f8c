"""Parquet: names, types and columns, with the reader's failures told in one line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from tallymark.errors import ColumnError, FileError
from tallymark.intake.file_kinds import shown, unreadable

if TYPE_CHECKING:
    import polars as pl


def header(path: Path) -> list[str]:
    import polars as pl

    _check_end(path)
    with _failures_told(path):
        return pl.scan_parquet(path.absolute(), glob=False, hive_partitioning=False).collect_schema().names()


def read(path: Path, columns: Sequence[str]) -> pl.DataFrame:
    import polars as pl

    with _failures_told(path):
        frame = pl.read_parquet(path.absolute(), columns=list(columns), glob=False, hive_partitioning=False)
        return frame.select(columns)


def _check_end(path: Path) -> None:
    try:
        with path.open("rb") as file:
            size = file.seek(0, 2)
            file.seek(max(0, size - 4))
            whole = file.read() == b"PAR1" and size >= 12
    except OSError as error:
        raise unreadable(path, error) from None
    if not whole:
        raise FileError(
            f"{shown(path)} is cut short: it begins but does not end as a Parquet file.",
            hint="copy or write it again.",
        )


@contextmanager
def _failures_told(path: Path) -> Iterator[None]:
    import polars as pl

    try:
        yield
    except OSError as error:
        raise unreadable(path, error) from None
    except pl.exceptions.DuplicateError:
        message = f"{shown(path)} has several columns of the same name; such Parquet files are not read."
        raise ColumnError(message, hint="give each column its own name.") from None
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        reason = " ".join(str(error).split())
        reason = reason if len(reason) <= 80 else reason[:80] + "..."
        hint = "copy or write it again."
        raise FileError(
            f"{shown(path)} is damaged, or uses a Parquet feature that is not read ({reason}).", hint=hint
        ) from None
