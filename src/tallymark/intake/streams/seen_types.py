"""The types that the pieces of a table turned out to have, where no schema tells them before."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from tallymark.intake.files.column_types import common_schema
from tallymark.intake.files.formats import Format

if TYPE_CHECKING:
    import polars as pl


class SeenTypes:
    """Refuses pieces whose types do not fit those of other pieces, as text beside numbers."""

    def __init__(self, paths: Sequence[Path], columns: Sequence[str], form: Format) -> None:
        self._paths, self._columns = paths, columns
        self._numbers_mix = form.name == "JSON"
        self._lock = Lock()
        self._first: dict[tuple[pl.DataType, ...], int] = {}
        """The first part that has each set of types."""

    def note(self, part: int, frame: pl.DataFrame) -> None:
        types = tuple(frame.dtypes)
        with self._lock:
            if self._first.get(types, part + 1) <= part:
                return
            self._first[types] = part
            # in the order of the parts, whichever was read first
            found = sorted(self._first, key=self._first.__getitem__)
            common_schema(
                [self._paths[self._first[each]] for each in found],
                [dict(zip(self._columns, each, strict=True)) for each in found],
                numbers_mix=self._numbers_mix,
            )
