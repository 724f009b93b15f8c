"""A matrix of counts typed from a slide or kept in a small file."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

from numpy.typing import NDArray

from tallymark.errors import InputError, LabelError, OptionError, ShapeError, naming
from tallymark.intake.cells import (
    cell_fault,
    check_label_count,
    checked_labels,
    is_empty,
    listed,
    number,
    number_hint,
    quoted,
)
from tallymark.intake.square import ABSENT, Axis, Kind, Written, files_in, read_square, rows_actual

# Beyond it a count is no longer exact as a float.
MOST = 2**53

_COUNTS = Kind("matrix", ("count", "n", "freq", "frequency"), ("matrix", "counts"), "150 40; 60 250", True)
_TOTAL = re.compile(r"(grand |row |column )?(total|sum)s?|all|Σ", re.IGNORECASE)


@dataclass(frozen=True)
class TypedMatrix:
    """Counts with rows = actual and columns = predicted, and what was assumed in reading them."""

    labels: tuple[str, ...] | None
    values: tuple[tuple[int, ...], ...]
    notes: tuple[str, ...]


def read_counts(
    source: str | Path | Sequence[Sequence[int]] | NDArray[Any] | Mapping[Any, Any],
    *,
    labels: Sequence[str] | None = None,
    rows: Axis | None = None,
) -> TypedMatrix:
    """Read a matrix of counts from text, JSON, a file or nested lists.

    `rows` says what the rows of the source are (actual, unless the source names its axes). A source that
    names its labels is read by the names; `labels` then only sets their order.

    >>> read_counts("150 40; 60 250").values
    ((150, 40), (60, 250))
    >>> read_counts("150 40; 60 250", rows="predicted").values
    ((150, 60), (40, 250))
    """
    if rows is not None and rows not in get_args(Axis):
        raise OptionError(f"rows is {rows!r}; expected 'actual' or 'predicted'.")
    given = None if labels is None else checked_labels(labels, "the labels")
    with naming(files_in(source)):
        written, notes = rows_actual(read_square(source, _COUNTS), rows)
        counts = [
            [_count(cell, written, row, column) for column, cell in enumerate(cells)]
            for row, cells in enumerate(written.cells)
        ]
        if written.row_labels is None or written.column_labels is None:
            if given is not None:
                check_label_count(given, len(counts))
            return _checked(TypedMatrix(given, tuple(map(tuple, counts)), notes))
        actual, predicted = written.row_labels, written.column_labels
        _refuse_totals(actual, counts, written.title)
        _refuse_totals(predicted, list(zip(*counts, strict=True)), written.title)
        order = _order(actual, predicted, given, written.title)
        values = _arranged(counts, actual, predicted, order)
        return _checked(TypedMatrix(order, values, notes + _one_sided(actual, predicted, written.title)))


def _count(cell: object, written: Written, row: int, column: int) -> int:
    if cell is ABSENT:
        return 0
    value = number(cell)
    if value is not None and value >= 0 and value == int(value):
        return int(value)
    hint = number_hint(cell)
    if hint is None and is_empty(cell):
        hint = "write 0 where nothing was counted."
    elif hint is None and value is not None and value > 0:
        hint = "a matrix holds counts of rows, not shares or weights."
    raise InputError(
        f"{written.place(row, column)} {cell_fault(cell)}; expected a whole number, 0 or more.", hint=hint
    )


def _refuse_totals(labels: Sequence[str], lines: Sequence[Sequence[int]], title: str) -> None:
    """Refuse a row (or column) that is called a total and is one: its rows would be counted twice."""
    for index, label in enumerate(labels):
        if not _TOTAL.fullmatch(label):
            continue
        others = [line for line, other in zip(lines, labels, strict=True) if not _TOTAL.fullmatch(other)]
        sums = [sum(column) for column in zip(*others, strict=True)]
        if any(sums) and list(lines[index]) == sums:
            raise InputError(
                f"{quoted(label)} in {title} holds the sums of the others; expected the counts alone.",
                hint="delete the row and the column of totals.",
            )


def _order(
    actual: Sequence[str], predicted: Sequence[str], given: tuple[str, ...] | None, title: str
) -> tuple[str, ...]:
    found = tuple(dict.fromkeys([*actual, *predicted]))
    if given is None:
        return found
    if set(given) != set(found):
        raise LabelError(
            f"expected the labels {listed(given)}; {title} has {listed(found)}.",
            hint="labels are case-sensitive; name each label of the matrix once.",
        )
    return given


def _arranged(
    counts: Sequence[Sequence[int]], actual: Sequence[str], predicted: Sequence[str], order: Sequence[str]
) -> tuple[tuple[int, ...], ...]:
    row_of = {label: index for index, label in enumerate(actual)}
    column_of = {label: index for index, label in enumerate(predicted)}
    nothing = (0,) * len(order)

    def row(label: str) -> tuple[int, ...]:
        if label not in row_of:
            return nothing
        line = counts[row_of[label]]
        return tuple(line[column_of[name]] if name in column_of else 0 for name in order)

    return tuple(map(row, order))


def _one_sided(actual: Sequence[str], predicted: Sequence[str], title: str) -> tuple[str, ...]:
    notes = []
    for here, there, side, other in (
        (predicted, actual, "predicted", "actual"),
        (actual, predicted, "actual", "predicted"),
    ):
        seen = set(there)
        alone = [label for label in here if label not in seen]
        if alone:
            subject = "label" if len(alone) == 1 else "labels"
            verb = "is" if len(alone) == 1 else "are"
            notes.append(
                f"{subject} {listed(alone)} {verb} only among the {side} labels of {title}: "
                f"counted as 0 {other} rows"
            )
    return tuple(notes)


def _checked(matrix: TypedMatrix) -> TypedMatrix:
    size = len(matrix.values)
    if size < (2 if matrix.labels is None else 1):
        raise ShapeError(
            f"expected at least 2 classes (2 x 2); got a {size} x {size} matrix.",
            hint="a matrix of one class takes its label: --labels LABEL (in Python labels=[...]).",
        )
    total = sum(map(sum, matrix.values))
    if total == 0:
        raise InputError("every count of the matrix is 0; expected at least one row counted.")
    if total > MOST:
        raise InputError(f"the counts add up to more than 2**53 ({MOST:,}), the most that stays exact.")
    return matrix
