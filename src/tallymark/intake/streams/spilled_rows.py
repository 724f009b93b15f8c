"""The rows of one model in files larger than memory: checked, encoded and sorted by id onto disk."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallymark.errors import LabelError, MissingValueError
from tallymark.inference.progress import scanning
from tallymark.intake.columns import LabelColumn, titled
from tallymark.intake.encoded import distinct
from tallymark.intake.ids import Ids, Values, not_whole, read_ids, taken
from tallymark.intake.roles import Roles
from tallymark.intake.rows import Checks, Rows
from tallymark.intake.sources import Source, blanked
from tallymark.intake.streams.complaints import Complaints
from tallymark.intake.streams.door import Columns, Reading, read_batch
from tallymark.intake.streams.passes import Table, check_largest, check_sum, in_order, marked
from tallymark.intake.streams.spilling import Spill, id_keys, is_typed, refuse_two_kinds, stored
from tallymark.tallies import Label
from tallymark.tallies.merging import EXACT

if TYPE_CHECKING:
    import polars as pl

    from tallymark.intake.streams.scan import Piece, Scan

DROPPED = -1
"""In the place of the class of a row that lacks a value."""
_ROW = "\0row"
"""A column that numbers the rows of a piece, so that those that are left are known."""
_EXAMPLES = 5


@dataclass
class Vocabulary:
    """The labels of a column in the order they were met."""

    role: str
    codes: dict[Label, int] = field(default_factory=dict)

    def encoded(self, column: LabelColumn) -> NDArray[np.int32]:
        """Every row's label as its place here."""
        found, which = distinct(column.values.astype(np.int64, copy=False))
        labels = [column.label(code) for code in found.tolist()]
        known = next(iter(self.codes), None)
        if labels and known is not None and isinstance(known, str) != isinstance(labels[0], str):
            raise LabelError(
                f"{self.role} holds text in some places and numbers in others.",
                hint="write every label the same way.",
            )
        codes = [self.codes.setdefault(label, len(self.codes)) for label in labels]
        return np.array(codes, np.int32)[which] if codes else np.empty(0, np.int32)

    def column(self, rows: int) -> LabelColumn:
        """A row of each label, over and over until there are so many."""
        labels = list(self.codes)
        at = np.arange(rows) % max(1, len(labels))
        if labels and isinstance(labels[0], str):
            names = sorted(map(str, labels))
            place = {name: position for position, name in enumerate(names)}
            return LabelColumn(self.role, np.array([place[str(each)] for each in labels])[at], tuple(names))
        return LabelColumn(self.role, np.array(labels)[at])


@dataclass
class Spilled:
    """The rows of one model on disk, and all that is known of them together."""

    scan: Scan
    roles: Roles
    checks: Checks
    spill: Spill
    actual: Vocabulary
    predicted: Vocabulary | None
    title: str = ""
    """What errors call the model."""
    rows: int = 0
    """Rows that came."""
    left: int = 0
    """Rows that lack nothing."""
    dropped: dict[str, int] = field(default_factory=dict)
    typed: bool = True
    """Whether ids are numbers, and not text."""
    whole_ids: bool = True
    """Whether all ids are whole numbers, be they written as text."""
    some_ids: list[Any] = field(default_factory=list)
    """The first ids, for a message."""
    some_text: list[str] = field(default_factory=list)
    """Ids that are no whole numbers, for a message."""
    scores: tuple[float, float] = (np.inf, -np.inf)
    """The least and the highest score."""
    weight: float = 0.0
    """Of all rows that are left."""
    heaviest: float = 0.0
    weightless: int = 0
    """Rows of weight 0."""
    whole: bool = True
    """Whether all weights are whole numbers."""

    @property
    def whole_weights(self) -> bool:
        """Whether weights are counted as whole numbers."""
        return self.whole and self.weight <= EXACT

    def probe(self) -> Source:
        """A few rows that have every label and the ends of the scores: all that decides how rows are read."""
        width = max(2, len(self.actual.codes), 0 if self.predicted is None else len(self.predicted.codes))
        score = None if self.roles.score is None else np.resize(np.array(self.scores), width)
        rows = Rows(
            self.actual.column(width),
            None if self.predicted is None else self.predicted.column(width),
            score,
            None,
            dict(self.dropped),
            lambda _: "some of its rows",
        )
        return Source(rows)


def spilled(scan: Scan, roles: Roles, checks: Checks, spill: Spill, title: str) -> Spilled:
    """All rows of a model, checked as those of a table in memory are; what is wrong is told once."""
    assert isinstance(roles.actual, str)
    assert roles.predicted is None or isinstance(roles.predicted, str)
    predicted = None if roles.predicted is None else Vocabulary(titled("predicted", roles.predicted))
    made = Spilled(scan, roles, checks, spill, Vocabulary(titled("actual", roles.actual)), predicted, title)
    # The id is none of the columns that the door reads, but the number of the row is.
    inner = replace(roles, id=None, group=None, slices=(_ROW,))
    reading = Reading(inner, scan.text, checks.missing == "drop", (), checks.weight_kind, checks.labels)
    complaints, table, kinds = Complaints(), Table(scan), set[bool]()

    def work(piece: Piece) -> _Batch | None:
        frame = piece.read()
        if not frame.height:
            return None
        columns = read_batch(_prepared(frame, inner, checks), reading, marked)
        assert roles.id is not None
        given = blanked(frame.get_column(roles.id), list(checks.missing_words))
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


def _prepared(frame: pl.DataFrame, roles: Roles, checks: Checks) -> pl.DataFrame:
    """With the rows numbered, and without the words that mean missing."""
    import polars as pl

    words = list(checks.missing_words)
    columns = [frame.get_column(name) for name in roles.used if name != _ROW]
    if words:
        columns = [blanked(column, words).alias(column.name) for column in columns]
    return pl.DataFrame(columns).with_columns(pl.int_range(frame.height, dtype=pl.Int64).alias(_ROW))


class _Batch(NamedTuple):
    """What a worker made of a piece."""

    columns: Columns
    ids: Ids
    keys: NDArray[np.uint64]


def _take(made: Spilled, batch: _Batch) -> None:
    """The rows of a piece, to disk."""
    import polars as pl

    columns, ids, keys = batch
    _note_ids(made, ids)
    kept = columns.slices[_ROW].values
    rows: dict[str, Any] = {"id": stored(ids)}

    def of_all(values: NDArray[Any], nothing: Any) -> NDArray[Any]:
        if len(kept) == ids.total:
            return values
        every = np.full(ids.total, nothing, values.dtype)
        every[kept] = values
        return every

    rows["actual"] = of_all(made.actual.encoded(columns.actual), DROPPED)
    if made.predicted is not None and columns.predicted is not None:
        rows["predicted"] = of_all(made.predicted.encoded(columns.predicted), DROPPED)
    if columns.score is not None:
        if len(columns.score):
            low, high = made.scores
            made.scores = min(low, float(columns.score.min())), max(high, float(columns.score.max()))
        rows["score"] = of_all(columns.score, np.nan)
    if columns.weight is not None:
        _note_weights(made, columns.weight)
        rows["weight"] = of_all(columns.weight.astype(float), np.nan)
    made.left += len(kept)
    for key, number in columns.dropped.items():
        made.dropped[key] = made.dropped.get(key, 0) + number
    made.spill.add(pl.DataFrame(rows), keys)


def _note_ids(made: Spilled, ids: Ids) -> None:
    values = ids.values
    assert values is not None
    whole = isinstance(values, np.ndarray)
    made.typed, made.whole_ids = is_typed(ids), made.whole_ids and whole
    made.some_ids += _first(values, np.arange(min(_EXAMPLES - len(made.some_ids), len(values))))
    if not whole and len(made.some_text) < _EXAMPLES:
        made.some_text += _first(values, not_whole(values)[: _EXAMPLES - len(made.some_text)])


def _first(values: Values, rows: NDArray[np.int64]) -> list[Any]:
    few = taken(values, rows)
    return few.tolist() if isinstance(few, np.ndarray) else few.to_list()


def _note_weights(made: Spilled, weights: NDArray[Any]) -> None:
    if len(weights):
        made.weight += float(weights.sum())
        made.heaviest = max(made.heaviest, float(weights.max()))
        made.weightless += int((weights == 0).sum())
        made.whole = made.whole and bool((weights == np.floor(weights)).all())
