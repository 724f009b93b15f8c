"""Label sets behind the door: two tables rows x labels that fit each other, ready to be counted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark.errors import ColumnError, LabelError, MissingValueError, OptionError, ShapeError
from tallymark.intake.columns import LabelColumn, NumberColumn, Where, array_places
from tallymark.intake.rows import (
    RELABELLED,
    Missing,
    before_dropping,
    gone_from,
    missing_error,
    respelled,
    translation,
)
from tallymark.intake.sets.columns import (
    SetColumn,
    are_marks,
    blank_table,
    common_length,
    delimited_column,
    form_of,
    marked_columns,
    rows_of,
    sets_column,
    table_column,
)
from tallymark.intake.sets.counting import count_sets
from tallymark.intake.sets.names import refuse_other_order, with_names
from tallymark.tallies import Label, LabelSets
from tallymark.tallies.labels import family, in_order, listed, quoted
from tallymark.tallies.plain_numbers import whole_numbers


@dataclass(frozen=True)
class EncodedSets:
    """Which labels every row has and was given; nothing behind here checks again."""

    labels: tuple[Label, ...]
    actual: NDArray[np.bool_]
    """Rows x labels."""
    predicted: NDArray[np.bool_]
    declared: bool
    """Whether the labels were stated, by a person or by the columns of a table, rather than found in sets."""
    dropped: dict[str, int]
    where: Where
    kept: NDArray[np.int64] | None = None
    """Positions of these rows among those given; None when all were kept."""
    notes: tuple[str, ...] = ()
    as_written: bool = False
    """Whether labels are from a text file, so that they may be meant as numbers."""

    def __len__(self) -> int:
        return len(self.actual)

    def count(
        self, weights: NDArray[Any] | None = None, *, frequency: bool = False, pairs: bool = True
    ) -> LabelSets:
        """The tally of these rows."""
        return count_sets(
            self.labels,
            self.actual,
            self.predicted,
            weights,
            frequency=frequency,
            pairs=pairs,
            declared=self.declared,
            dropped=self.dropped,
        )

    def finished(self) -> EncodedSets:
        """Labels of text files that are all plain whole numbers become numbers.

        Only of the whole set of labels: a part of the rows may hold '1' and '2' where another holds 'a'.
        """
        texts = [label for label in self.labels if isinstance(label, str)]
        numbers = whole_numbers(texts)
        if self.declared or not self.as_written or not texts or numbers is None:
            return self
        target = in_order(numbers.values())
        sides = [
            _onto(SetColumn(role, tuple(numbers.values()), table), target, self.where)
            for role, table in (("actual", self.actual), ("predicted", self.predicted))
        ]
        notes = (*self.notes, f"{RELABELLED}.") if respelled(numbers) else self.notes
        return replace(self, labels=target, actual=sides[0], predicted=sides[1], notes=notes)


# --- from what people have -----------------------------------------------------------------------


def holds_sets(values: Any) -> bool:
    """Whether rows have several labels here: a table of marks, or sets or lists of labels."""
    return form_of(values) is not None


def read_sets(
    y_true: Any,
    y_pred: Any,
    *,
    labels: Sequence[Label] | None = None,
    missing: Missing = "error",
    where: Where = array_places,
    roles: tuple[str, str] = ("actual", "predicted"),
    beside: Sequence[LabelColumn | NumberColumn] = (),
    as_written: bool = False,
) -> EncodedSets:
    """From arrays, sparse matrices or frames of zeros and ones, or from sets or lists of labels.

    `labels` are as `stated` leaves them. Rows in which a column `beside` (weights) is missing go too.
    """
    sides = (y_true, roles[0]), (y_pred, roles[1])
    forms = [form_of(values) for values, _ in sides]
    for (values, role), form, other in zip(sides, forms, forms[::-1], strict=True):
        if form is None:
            raise ShapeError(
                f"{role} holds one value per row ({type(values).__name__}) and the other side "
                f"{'a table' if other == 'table' else 'sets of labels'}.",
                hint="give both the same form: tables with a column per label, or sets of labels.",
            )
    notes: list[str] = []
    as_table = _lists_are_tables(y_true, y_pred, forms, labels, notes)
    made = [
        table_column(values, role, where)
        if form == "table" or (form == "lists" and as_table)
        else sets_column(values, role, where, as_written=as_written)
        for (values, role), form in zip(sides, forms, strict=True)
    ]
    return encode(made[0], made[1], labels=labels, missing=missing, where=where, beside=beside, notes=notes)


def _lists_are_tables(
    y_true: Any, y_pred: Any, forms: Sequence[str | None], labels: Sequence[Label] | None, notes: list[str]
) -> bool:
    """Whether lists hold a mark for every label, rather than labels; decided on all of their values."""
    if "sets" in forms or "lists" not in forms:
        return False
    if "table" in forms:
        return True
    both = rows_of(y_true), rows_of(y_pred)
    width = common_length(both[0])
    if not width or width != common_length(both[1]) or (labels is not None and len(labels) != width):
        return False
    marks = [are_marks(rows) for rows in both]
    if not any(marks) or (width == 1 and not all(marks)):
        return False
    if width == 1:
        raise ShapeError(
            "every list holds one 0 or 1, which may be a mark or a label.",
            hint="for one label per row pass flat lists; for label sets pass sets: {0}, {1}.",
        )
    notes.append("lists of zeros and ones were read as a column per label, not as labels 0 and 1.")
    return True


def read_columns(
    actual: Mapping[str, Any],
    predicted: Mapping[str, Any],
    *,
    labels: Sequence[Label] | None = None,
    missing: Missing = "error",
    where: Where = array_places,
    beside: Sequence[LabelColumn | NumberColumn] = (),
) -> EncodedSets:
    """From columns of a frame or file, one per label and side, matched by their order."""
    if len(actual) != len(predicted) or not actual:
        raise ColumnError(
            f"{len(actual)} columns are named for actual and {len(predicted)} for predicted.",
            hint="name one column per label on each side, in the same order.",
        )
    refuse_other_order(tuple(actual), tuple(predicted))
    first = marked_columns(actual, "actual", where)
    second = marked_columns(predicted, "predicted", where, labels=first.labels)
    return encode(first, second, labels=labels, missing=missing, where=where, beside=beside)


def read_delimited(
    actual: Any,
    predicted: Any,
    *,
    set_delimiter: str,
    text: bool,
    as_written: bool = False,
    labels: Sequence[Label] | None = None,
    missing: Missing = "error",
    missing_words: Sequence[str] = (),
    where: Where = array_places,
    roles: tuple[str, str] = ("actual", "predicted"),
    beside: Sequence[LabelColumn | NumberColumn] = (),
) -> EncodedSets:
    """From two columns of text such as `sport;politics`; `text` when they come from a text file."""
    sides = [
        delimited_column(values, set_delimiter, role, where, text=text, missing_words=missing_words)
        for values, role in zip((actual, predicted), roles, strict=True)
    ]
    sides = [replace(side, as_written=as_written) for side in sides]
    blank = [f"{side.blank:,} in {side.role}" for side in sides if side.blank]
    notes = [f"empty fields were read as empty sets: {' and '.join(blank)}."] if blank else []
    return encode(sides[0], sides[1], labels=labels, missing=missing, where=where, beside=beside, notes=notes)


# --- both sides together -------------------------------------------------------------------------


def encode(
    actual: SetColumn,
    predicted: SetColumn,
    *,
    labels: Sequence[Label] | None,
    missing: Missing,
    where: Where,
    beside: Sequence[LabelColumn | NumberColumn] = (),
    notes: Sequence[str] = (),
) -> EncodedSets:
    """Two sides over the same labels, without the rows that lack a value."""
    if missing not in ("error", "drop"):
        raise OptionError(f"missing must be 'error' or 'drop'; got {missing!r}.")
    given = [actual, predicted, *beside]
    for column in given[1:]:
        if len(column) != len(actual):
            raise ShapeError(f"{actual.role} has {len(actual):,} rows and {column.role} has {len(column):,}.")
    if not len(actual):
        raise ShapeError("there are no rows.")
    said = list(notes)
    columns = with_names([actual, predicted], labels, said)
    of_tables = next((column.labels for column in columns if not column.observed), None)
    stated = labels if labels is not None else of_tables
    target = tuple(stated) if stated is not None else _united(columns)
    sides = [_onto(column, target, where) for column in columns]
    gone, dropped = gone_from(given)
    if dropped and missing == "error":
        raise missing_error(given, where)
    kept = None
    if dropped:
        if gone.all():
            raise MissingValueError("every row has a missing value, so none is left.")
        kept = np.flatnonzero(~gone)
        sides = [side[kept] for side in sides]
        where = before_dropping(where, kept)
        if stated is None:
            # A label that only dropped rows had was never counted.
            seen = np.asarray((sides[0] | sides[1]).any(axis=0))
            sides = [side[:, seen] for side in sides]
            target = tuple(label for label, found in zip(target, seen, strict=True) if found)
    as_written = all(column.as_written for column in (actual, predicted) if column.observed)
    declared = stated is not None
    first, second = sides
    return EncodedSets(target, first, second, declared, dropped, where, kept, tuple(said), as_written)


def _united(columns: Sequence[SetColumn]) -> tuple[Label, ...]:
    """All labels found on either side, in order."""
    kinds = [family(column.labels or ()) for column in columns]
    if None not in kinds and kinds[0] != kinds[1]:
        raise LabelError(
            f"{columns[0].role} holds {kinds[0]} labels and {columns[1].role} {kinds[1]} ones, "
            "so no label would ever match.",
            hint="convert one of them, for example both to text.",
        )
    return in_order([label for column in columns for label in column.labels or ()])


def _onto(column: SetColumn, target: Sequence[Label], where: Where) -> NDArray[np.bool_]:
    """The table of a side, with the target labels as its columns."""
    found = column.labels or ()
    translate = translation(found, target)
    names = [translate(label) for label in found]
    if names == list(target):
        return column.table
    extra = in_order({name for name in names if name not in target})
    if extra:
        wrong = column.table[:, [name in extra for name in names]].any(axis=1)
        raise LabelError(
            f"{column.role} holds {listed(extra)} at {where(np.flatnonzero(wrong).tolist())}; "
            f"the labels are {listed(target)}."
        )
    place = {label: position for position, label in enumerate(target)}
    table = blank_table(len(column), len(target))
    for position, name in enumerate(names):
        marked = column.table[:, position]
        twice = np.flatnonzero(table[:, place[name]] & marked)
        if len(twice):
            raise LabelError(
                f"{column.role} names {quoted(name)} twice in one set, at {where(twice.tolist())}.",
                hint="a row has a label or has it not: name it once.",
            )
        table[:, place[name]] |= marked
    return table
