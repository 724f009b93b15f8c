"""The door for a batch: its columns checked as those of a whole table are, but what is wrong is counted.

What is wrong with a row may be wrong with rows of other parts as well, and all of it is told once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tallymark.errors import ColumnError, LabelError, NotNumbersError, TallymarkError
from tallymark.intake import frames
from tallymark.intake.columns import LabelColumn, NumberColumn, Where, titled
from tallymark.intake.roles import Roles
from tallymark.intake.rows import gone_from, same_family, translation
from tallymark.intake.sources import blanked, sorting_column
from tallymark.intake.streams.class_checks import check_classes
from tallymark.intake.streams.complaints import MISSING, Complaints, Told, in_brackets
from tallymark.intake.weights import (
    BETWEEN,
    DIVIDE,
    LARGEST,
    NO_FREQUENCIES,
    WeightKind,
    without_negligible,
    written,
)
from tallymark.tallies import Label
from tallymark.tallies.labels import listed, quoted
from tallymark.tallies.merging import EXACT

if TYPE_CHECKING:
    import polars as pl

_NUMBERS, _, _WEIGHTS, _LABELS = 0, MISSING, 2, 3
"""What is told first, as it is of a whole table; then what is wrong with probabilities."""
_NONE, _ROUNDED, _INFINITE = range(3)
"""What may be wrong with the numbers of a column."""
_MANY_LABELS = 1_000
_LARGEST_SUM = EXACT >> 13
"""Of weights of a batch that are counted as whole numbers, so that thousands of batches add up exactly."""


@dataclass(frozen=True)
class Reading:
    """How the columns of every batch are to be taken."""

    roles: Roles
    text: bool
    """Whether every value is text as written in a file."""
    drop_missing: bool = False
    missing_words: tuple[str, ...] = ()
    weight_kind: WeightKind = "sampling"
    labels: tuple[Label, ...] | None = None
    classes: tuple[Label, ...] = ()
    """What the probability columns are about, in their order."""
    as_written: bool = False
    """Whether labels are from a text file, be its numbers typed or not."""


@dataclass(frozen=True)
class Columns:
    """The rows of a batch that can be counted."""

    actual: LabelColumn
    predicted: LabelColumn | None
    score: NDArray[np.float64] | None
    probabilities: NDArray[np.float64] | None
    weight: NDArray[Any] | None
    slices: Mapping[str, LabelColumn]
    dropped: Mapping[str, int]
    complaints: Complaints = field(default_factory=Complaints)
    kept: NDArray[np.bool_] | None = None
    """Which rows of the batch these are; None if they are all of them."""
    group: LabelColumn | None = None

    def __len__(self) -> int:
        return len(self.actual)

    def at(self, rows: NDArray[np.int64]) -> Columns:
        """Some of the rows; what was dropped is told of the whole."""

        def labels(column: LabelColumn) -> LabelColumn:
            return replace(column, values=column.values[rows])

        def numbers(values: NDArray[Any] | None) -> NDArray[Any] | None:
            return None if values is None else values[rows]

        return Columns(
            labels(self.actual),
            None if self.predicted is None else labels(self.predicted),
            numbers(self.score),
            numbers(self.probabilities),
            numbers(self.weight),
            slices={},
            dropped={},
            group=None if self.group is None else labels(self.group),
        )


def read_batch(batch: Any, reading: Reading, where: Where, times: NDArray[np.int64] | None = None) -> Columns:
    """The columns of a batch, which is a data frame or has columns by name.

    `where` tells the places of its rows, and `times` how many rows each stands for, if not one.
    """
    roles = reading.roles
    column = {name: batch[name] for name in roles.used}
    height = len(column[str(roles.actual)])
    complaints = Complaints(height if times is None else int(times.sum()), times=times)
    words = list(reading.missing_words)
    if words:
        column = {name: blanked(each, words) for name, each in column.items()}
    turn = iter(range(len(column)))

    def labels(name: str, role: str) -> LabelColumn:
        reader = frames.text_labels if reading.as_written else frames.series_labels
        return reader(column[name], titled(role, name), where)

    def numbers(name: str, role: str) -> NumberColumn:
        return _numbers(column[name], titled(role, name), complaints, next(turn), where, text=reading.text)

    def sorting(name: str, role: str) -> LabelColumn:
        def fractions(_: Any, title: str) -> NumberColumn:
            reader = frames.text_numbers if reading.text else frames.series_numbers
            return reader(column[name], title, where)

        return sorting_column(lambda _, __: labels(name, role), fractions, name, titled(role, name))

    assert isinstance(roles.actual, str)
    assert roles.predicted is None or isinstance(roles.predicted, str)
    # In this order, so that of several faults the same is told as of a table in memory.
    weight = None if roles.weight is None else numbers(roles.weight, "weight")
    group = None if roles.group is None else sorting(roles.group, "group")
    slices = {name: sorting(name, "slice") for name in roles.slices}
    actual = labels(roles.actual, "actual")
    predicted = None if roles.predicted is None else labels(roles.predicted, "predicted")
    score = None if roles.score is None else numbers(roles.score, "score")
    table = [numbers(name, "probability") for name in roles.probability_columns]
    beside = (weight, group, *slices.values(), *table)
    given = [each for each in (actual, predicted, score, *beside) if each is not None]
    gone, dropped = gone_from(given, times)
    if not reading.drop_missing:
        for place, each in enumerate(given):
            complaints.missing(place, each.role, each.missing)
    here = np.broadcast_to(~gone, height)
    if weight is not None:
        weight = replace(weight, values=without_negligible(weight.values))
        _check_weights(weight, here, reading.weight_kind, complaints)
    for place, side in enumerate((actual, predicted)):
        if side is not None and reading.labels is not None:
            _check_labels(side, here, reading.labels, complaints, place)
    if predicted is not None:
        _check_families(actual, predicted, here, reading.labels)
    if table:
        check_classes(actual, table, reading.classes, here, complaints)
    if complaints.found:
        gone = np.ones(height, np.bool_)  # nothing is worked out from what may be wrong
    if gone.any():
        actual = actual.without(gone)
        predicted = None if predicted is None else predicted.without(gone)
        score = None if score is None else score.without(gone)
        weight = None if weight is None else weight.without(gone)
        group = None if group is None else group.without(gone)
        slices = {name: each.without(gone) for name, each in slices.items()}
        table = [each.without(gone) for each in table]
    return Columns(
        actual,
        predicted,
        None if score is None else score.values,
        np.column_stack([each.values for each in table]) if table else None,
        None if weight is None else _amounts(weight.values, reading.weight_kind),
        slices,
        dropped,
        complaints,
        ~gone if gone.any() else None,
        group,
    )


def _numbers(
    column: Any, role: str, complaints: Complaints, turn: int, where: Where, *, text: bool
) -> NumberColumn:
    """Numbers of a column; where there are none, rows are missing."""
    at = 3 * turn
    if text:
        numbers = _from_text(column, role, complaints, at)
        values = (numbers.fill_null(float("nan")) if numbers.null_count() else numbers).to_numpy()
    else:
        values, beyond = frames.typed_numbers(column, role, where)
        if beyond is not None:
            complaints.add((_NUMBERS, at + _ROUNDED), beyond, _rounded(role))
    if np.isfinite(values).all():
        return NumberColumn(role, values)
    missing = np.isnan(values)
    infinite = np.isinf(values)
    if infinite.any():
        complaints.add((_NUMBERS, at + _INFINITE), infinite, _infinite(role))
    return NumberColumn(role, values, missing if missing.any() else None)


def _from_text(column: pl.Series, role: str, complaints: Complaints, at: int) -> pl.Series:
    import polars as pl

    numbers = column.cast(pl.Float64, strict=False)
    if numbers.null_count() > column.null_count():
        numbers = column.str.strip_chars(" \t").cast(pl.Float64, strict=False)
    # "nan" reads as a number, but in a text file only an empty field is missing.
    if numbers.null_count() > column.null_count() or numbers.is_nan().any():
        wrong = (column.is_not_null() & (numbers.is_null() | numbers.is_nan())).to_numpy()
        first = str(column[int(wrong.argmax())])
        told = _not_numbers(role, first)
        complaints.add((_NUMBERS, at + _NONE), wrong, told, lambda row: quoted(str(column[row])))
    if (numbers.abs() >= EXACT).any():
        plain = column.str.strip_chars(" \t")
        beyond = (numbers.abs() >= EXACT) & plain.str.contains(r"^[+-]?\d+$") & (plain != str(EXACT))
        complaints.add((_NUMBERS, at + _ROUNDED), beyond.fill_null(False).to_numpy(), _rounded(role))
    return numbers


def _check_weights(
    weight: NumberColumn, here: NDArray[np.bool_], kind: WeightKind, complaints: Complaints
) -> None:
    values, role = weight.values, weight.role

    def held(row: int) -> str:
        return written(float(values[row]))

    complaints.add((_WEIGHTS, 0), (values < 0) & here, _refused(role, "weights are 0 or more"), held)
    complaints.add((_WEIGHTS, 1), (values > LARGEST) & here, _refused(role, BETWEEN, DIVIDE), held)
    if kind == "frequency":
        told = _refused(role, "frequencies are whole numbers", NO_FREQUENCIES)
        complaints.add((_WEIGHTS, 2), (values != np.floor(values)) & here, told, held)


def _amounts(weights: NDArray[np.float64], kind: WeightKind) -> NDArray[Any]:
    """Whole weights as whole numbers."""
    most = EXACT if kind == "frequency" else _LARGEST_SUM
    whole = (weights == np.floor(weights)).all() and float(weights.sum()) < most
    return weights.astype(np.int64) if whole else weights


def _check_labels(
    column: LabelColumn,
    here: NDArray[np.bool_],
    labels: tuple[Label, ...],
    complaints: Complaints,
    place: int,
) -> None:
    codes = np.unique(column.values[here]).tolist()
    found = [column.label(code) for code in codes]
    translate = translation(found, labels)
    strange = [code for code, label in zip(codes, found, strict=True) if translate(label) not in labels]
    if strange:
        wrong = np.isin(column.values, strange) & here
        told = _undeclared(column.role, labels)
        complaints.add(
            (_LABELS, place), wrong, told, lambda row: quoted(column.label(int(column.values[row])))
        )


def _check_families(
    actual: LabelColumn,
    predicted: LabelColumn,
    here: NDArray[np.bool_],
    labels: tuple[Label, ...] | None,
) -> None:
    """Refuse labels that can never be equal; what their words tell, all of them do, and not some."""
    if here.any():
        many = any(side.names is not None and len(side.names) > _MANY_LABELS for side in (actual, predicted))
        if many or (actual.names is None) != (predicted.names is None):
            same_family(actual, predicted, labels)


# --- how it is told ----------------------------------------------------------------------------


def _not_numbers(role: str, first: str) -> Told:
    return lambda examples, _, where: NotNumbersError(
        f"{role} holds {', '.join(examples)} at {where}; numbers are expected.",
        hint=frames.number_hint(first),
    )


def _infinite(role: str) -> Told:
    def told(_: Sequence[str], number: int, where: str) -> TallymarkError:
        rows = "1 row" if number == 1 else f"{number:,} rows"
        return ColumnError(f"{role} is infinite in {rows}, at {where}; finite numbers are expected.")

    return told


def _rounded(role: str) -> Told:
    return lambda _, __, where: ColumnError(
        f"{role} holds whole numbers beyond 2**53 at {where}; rounded, different ones could become equal.",
        hint="subtract what all of them have in common.",
    )


def _refused(role: str, rule: str, hint: str | None = None) -> Told:
    return lambda examples, _, where: ColumnError(
        f"{role} holds {', '.join(examples)} at {where}; {rule}.", hint=hint
    )


def _undeclared(role: str, labels: tuple[Label, ...]) -> Told:
    return lambda examples, _, where: LabelError(
        f"{role} holds {in_brackets(examples)} at {where}; the labels given are {listed(labels)}."
    )
