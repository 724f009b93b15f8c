"""Files as a store of rows: read piece by piece on this machine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from tallymark.intake import frames
from tallymark.intake.columns import LabelColumn, titled
from tallymark.intake.encoded import distinct
from tallymark.intake.sources import blanked
from tallymark.intake.streams.complaints import Complaints
from tallymark.intake.streams.door import Reading, read_batch
from tallymark.intake.streams.passes import Table, count_files, in_order, marked
from tallymark.intake.streams.scan import scan_files
from tallymark.intake.streams.spilling import unique_ids
from tallymark.tallies import Label
from tallymark.tallies.tally import Declared, Tally

if TYPE_CHECKING:
    from tallymark.intake.streams.scan import Piece, Scan


class FileStore:
    """Files that are open, and how they are read."""

    called = "the files"

    def __init__(self, scan: Scan, files: Sequence[Path], delimiter: str | None) -> None:
        self.scan = scan
        self.text, self.as_written = scan.text, scan.format.as_written
        self._files, self._delimiter = files, delimiter

    def holds_lists(self, column: str) -> bool:
        return self.scan.types is not None and self.scan.types[column].is_nested()

    def count(
        self,
        reading: Reading,
        declared: Declared,
        memory: int,
        what: str = "reading",
        check: Callable[[Tally], None] = lambda _: None,
    ) -> Tally:
        return count_files(self.scan, reading, declared, memory, what, check)

    def some_labels(self, reading: Reading) -> list[Label]:
        name, scan = reading.roles.actual, self.scan
        assert isinstance(name, str)
        before: dict[int, int] = {}
        for piece in scan.pieces():
            column = piece.read().get_column(name)
            start = before.get(piece.part, 0)
            before[piece.part] = start + len(column)
            if reading.missing_words:
                column = blanked(column, list(reading.missing_words))

            def where(rows: Sequence[int], part: int = piece.part, start: int = start) -> str:
                return scan.where([(part, start + int(row)) for row in rows])

            labels = labels_of(frames.series_labels(column, titled("actual", name), where))
            if labels:
                return labels
        return []

    def wrong(self, reading: Reading) -> tuple[int, str]:
        table, complaints = Table(self.scan), Complaints()

        def work(piece: Piece) -> tuple[int, Complaints]:
            frame = piece.read()
            return len(frame), read_batch(frame, reading, marked).complaints

        with closing(in_order(self.scan.pieces(), work)) as results:
            for piece, future in results:
                height, found = table.result(piece.part, future)
                complaints = complaints.then(table.placed(found, piece.part))
                table.add(piece.part, height)
        return complaints.first(table.where)

    def refuse_repeated(self, column: str, memory: int) -> None:
        with scan_files(self._files, [column], delimiter=self._delimiter, memory=memory) as ids:
            unique_ids(ids, column, memory)


def labels_of(column: LabelColumn) -> list[Label]:
    """The labels that a column holds."""
    values = column.values if column.missing is None else column.values[~column.missing]
    return [column.label(code) for code in distinct(values.astype(np.int64, copy=False))[0].tolist()]
