"""Arrow, also called Feather or IPC: the file format and the stream format."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tallymark.intake.files.kinds import unreadable
from tallymark.intake.files.parquet import check_end, failures_told

if TYPE_CHECKING:
    import polars as pl

_FILE_MARK = b"ARROW1"
_END_OF_STREAM = b"\xff\xff\xff\xff\x00\x00\x00\x00"


def header(path: Path) -> list[str]:
    import polars as pl

    if _is_stream(path):
        # a stream that lost its last batches reads well: only its end tells that it is whole
        check_end(path, _END_OF_STREAM, 16, "an Arrow stream")
        with failures_told(path, "Arrow"):
            return pl.read_ipc_stream(path.absolute(), n_rows=0).columns
    check_end(path, _FILE_MARK, 20, "an Arrow file")
    with failures_told(path, "Arrow"):
        return list(pl.read_ipc_schema(path.absolute()))


def read(path: Path, columns: Sequence[str]) -> pl.DataFrame:
    import polars as pl

    with failures_told(path, "Arrow"):
        if _is_stream(path):
            return pl.read_ipc_stream(path.absolute(), columns=list(columns)).select(columns)
        return pl.read_ipc(path.absolute(), columns=list(columns)).select(columns)


def _is_stream(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(len(_FILE_MARK)) != _FILE_MARK
    except OSError as error:
        raise unreadable(path, error) from None
