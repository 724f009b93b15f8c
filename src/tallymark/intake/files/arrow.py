"""Arrow, also called Feather or IPC: the file format and the stream format."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tallymark.intake.files.kinds import unreadable
from tallymark.intake.files.parquet import check_end, failures_told

if TYPE_CHECKING:
    import polars as pl

FILE_MARK = b"ARROW1"
END_OF_STREAM = b"\xff\xff\xff\xff\x00\x00\x00\x00"


def header(path: Path) -> list[str]:
    return list(schema(path))


def schema(path: Path) -> Mapping[str, pl.DataType]:
    """The types of all columns of a file that is whole."""
    import polars as pl

    if is_stream(path):
        # a stream that lost its last batches reads well: only its end tells that it is whole
        check_end(path, END_OF_STREAM, 16, "an Arrow stream")
        with failures_told(path, "Arrow"):
            return pl.read_ipc_stream(path.absolute(), n_rows=0).schema
    check_end(path, FILE_MARK, 20, "an Arrow file")
    with failures_told(path, "Arrow"):
        return pl.read_ipc_schema(path.absolute())


def read(path: Path, columns: Sequence[str]) -> pl.DataFrame:
    import polars as pl

    with failures_told(path, "Arrow"):
        if is_stream(path):
            return pl.read_ipc_stream(path.absolute(), columns=list(columns)).select(columns)
        return pl.read_ipc(path.absolute(), columns=list(columns)).select(columns)


def is_stream(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(len(FILE_MARK)) != FILE_MARK
    except OSError as error:
        raise unreadable(path, error) from None
