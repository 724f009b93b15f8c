"""What the columns of tables of marks are called, and which columns of the two sides belong together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import takewhile

from tallymark.errors import ColumnError, LabelError, ShapeError
from tallymark.intake.sets.columns import SetColumn
from tallymark.tallies import Label
from tallymark.tallies.labels import listed


def refuse_other_order(actual: tuple[str, ...], predicted: tuple[str, ...]) -> None:
    """`a, b` beside `pred_b, pred_a` would be matched wrongly, without a word."""
    stems = _stems(actual), _stems(predicted)
    if set(stems[0]) == set(stems[1]) and stems[0] != stems[1]:
        matching = [predicted[stems[1].index(stem)] for stem in stems[0]]
        raise ColumnError(
            f"columns are matched by order, but {listed(predicted)} name the labels in another order than "
            f"{listed(actual)}.",
            hint=f"name the predicted ones in the order {','.join(matching)}.",
        )


def _stems(names: Sequence[str]) -> list[str]:
    """Names without what all of them begin and end with."""
    start = _shared(names)
    rest = [name[start:] for name in names]
    end = _shared([name[::-1] for name in rest])
    return [name[: len(name) - end] for name in rest]


def _shared(names: Sequence[str]) -> int:
    """With how many letters all names begin."""
    return len(list(takewhile(lambda letters: len(set(letters)) == 1, zip(*names, strict=False))))


def with_names(columns: list[SetColumn], labels: Sequence[Label] | None, notes: list[str]) -> list[SetColumn]:
    """The same columns; those of tables without names, or with others than the labels given, are named."""
    tables = [column for column in columns if not column.observed]
    if not tables:
        return columns
    widths = [column.table.shape[1] for column in tables]
    if len(set(widths)) > 1:
        raise ShapeError(f"{tables[0].role} has {widths[0]} columns and {tables[1].role} has {widths[1]}.")
    named = [column for column in tables if column.labels is not None]
    names = named[0].labels if named else _positions(widths[0], len(tables) == 2, labels)
    assert names is not None
    for other in named[1:]:
        _refuse_other_names(named[0], other)
        if other.labels != names:
            notes.append(f"the columns of {other.role} were matched to those of {named[0].role} by name.")
    for other in tables:
        if named and other.labels is None:
            notes.append(f"the columns of {other.role} have no names; they were taken in order.")
    renamed = _renamed(names, labels, notes)
    return [
        column
        if column.observed
        else replace(column, labels=tuple(renamed[name] for name in column.labels or names))
        for column in columns
    ]


def _positions(width: int, both: bool, labels: Sequence[Label] | None) -> tuple[Label, ...]:
    """What the columns of tables without names are called: as stated, or by position."""
    if labels is not None and len(labels) != width:
        raise LabelError(f"{len(labels)} labels {listed(labels)} for tables of {width} columns.")
    if labels is None and not both:
        raise LabelError(
            "one side holds label sets and the other a table whose columns have no names.",
            hint="give the labels in the order of the columns: --labels (in Python labels=).",
        )
    return tuple(range(width)) if labels is None else tuple(labels)


def _refuse_other_names(first: SetColumn, second: SetColumn) -> None:
    if set(first.labels or ()) != set(second.labels or ()):
        raise LabelError(
            f"the columns of {first.role} are {listed(first.labels or ())} and those of {second.role} "
            f"{listed(second.labels or ())}.",
            hint="give them the same names; to go by order, pass one of them without names: .to_numpy().",
        )


def _renamed(names: Sequence[Label], labels: Sequence[Label] | None, notes: list[str]) -> dict[Label, Label]:
    """What the columns of a table are called; labels that are none of their names rename them in order."""
    if labels is None:
        return {name: name for name in names}
    by_text = {str(label): label for label in labels}
    known = [str(name) in by_text for name in names]
    if all(known) and len(labels) == len(names):
        return {name: by_text[str(name)] for name in names}
    if any(known) or len(labels) != len(names):
        raise LabelError(
            f"the columns are {listed(names)} and the labels given are {listed(labels)}.",
            hint="give the names of all columns, or one new name for each of them.",
        )
    notes.append("columns were taken in the order of the labels given.")
    return dict(zip(names, labels, strict=True))
