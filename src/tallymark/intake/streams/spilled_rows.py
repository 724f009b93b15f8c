"""The rows of one model in files larger than memory: checked, encoded and sorted by id onto disk."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallymark.errors import MissingValueError
from tallymark.inference.progress import scanning
from tallymark.intake.ids import Ids, read_ids
from tallymark.intake.roles import Roles
from tallymark.intake.rows import Checks
from tallymark.intake.sources import blanked
from tallymark.intake.streams.complaints import Complaints
from tallymark.intake.streams.door import Columns, Reading, read_batch
from tallymark.intake.streams.passes import Table, check_largest, check_sum, in_order, marked
from tallymark.intake.streams.spilling import Spill, id_keys, is_typed, refuse_two_kinds, stored
from tallymark.intake.streams.surveyed import Surveyed

if TYPE_CHECKING:
    from tallymark.intake.streams.scan import Piece, Scan


@dataclass
class Spilled(Surveyed):
    """The rows of one model on disk, and all that is known of them together."""

    scan: Scan = field(kw_only=True)
    spill: Spill = field(kw_only=True)


def spilled(scan: Scan, roles: Roles, checks: Checks, spill: Spill, title: str) -> Spilled:
    """All rows of a model, checked as those of a table in memory are; what is wrong is told once."""
    made = Spilled(roles, checks, title, scan=scan, spill=spill)
    # The id is none of the columns that the door reads.
    inner = replace(roles, id=None, group=None)
    words, kind = checks.missing_words, checks.weight_kind
    drop, as_written = checks.missing == "drop", scan.format.as_written
    reading = Reading(inner, scan.text, drop, words, kind, checks.labels, as_written=as_written)
    complaints, table, kinds = Complaints(), Table(scan), set[bool]()

    def work(piece: Piece) -> _Batch | None:
        frame = piece.read()
        if not frame.height:
            return None
        columns = read_batch(frame, reading, marked)
        assert roles.id is not None
        given = blanked(frame.get_column(roles.id), list(words))
        ids = read_ids(given, name=roles.id, where=marked)
        return _Batch(columns, ids, id_keys(ids))

    with scanning(scan.bytes, "reading") as advance, closing(in_order(scan.pieces(), work)) as results:
        for piece, future in results:
            batch: _Batch | None = table.result(piece.part, future)
            rows = 0 if batch is None else batch.ids.total
            if batch is not None:
                complaints = complaints.then(table.placed(batch.columns.complaints, piece.part))
            table.add(piece.part, rows)
            if batch is not None and not complaints.found:
                kinds.add(is_typed(batch.ids))
                refuse_two_kinds(kinds, str(roles.id))
                _take(made, batch)
            advance(piece.bytes, rows)
    complaints.tell(table.where)
    made.rows = len(table)
    if not made.left:
        raise MissingValueError("every row has a missing value, so none is left.")
    check_largest(made.heaviest, reading)
    check_sum(made.weight, reading)
    return made


class _Batch(NamedTuple):
    """What a worker made of a piece."""

    columns: Columns
    ids: Ids
    keys: NDArray[np.uint64]


def _take(made: Spilled, batch: _Batch) -> None:
    """The rows of a piece, to disk."""
    import polars as pl

    columns, ids, keys = batch
    made.note_ids(ids)
    rows: dict[str, Any] = {"id": stored(ids), **made.encoded(columns, ids.total)}
    made.note(columns)
    made.spill.add(pl.DataFrame(rows), keys)
