"""Rows behind the door: columns that fit each other, with the missing ones dealt with."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, NamedTuple, Protocol, get_args

import numpy as np
from numpy.typing import NDArray

from tallymark.errors import LabelError, MissingValueError, OptionError, ShapeError
from tallymark.intake.columns import LabelColumn, NumberColumn, Where
from tallymark.intake.counting import count_pairs
from tallymark.intake.ids import Ids
from tallymark.intake.votes import Votes
from tallymark.intake.weights import WeightKind, checked_weights
from tallymark.tallies import Confusion, Label
from tallymark.tallies.labels import in_order, listed
from tallymark.tallies.plain_numbers import whole_numbers

Missing = Literal["error", "drop"]


class Column(Protocol):
    """What every column has, whatever it holds."""

    @property
    def role(self) -> str: ...
    @property
    def missing(self) -> NDArray[np.bool_] | None: ...
    def __len__(self) -> int: ...


RELABELLED = "labels were read as whole numbers"
LEAVE_OUT = "to leave such rows out and have them counted, use --drop-missing (in Python missing='drop')."


@dataclass(frozen=True)
class Checks:
    """How rows are to be taken."""

    missing: Missing = "error"
    weight_kind: WeightKind = "sampling"
    labels: tuple[Label, ...] | None = None
    """The labels stated, which sets are read by."""
    missing_words: tuple[str, ...] = ()


@dataclass(frozen=True)
class Rows:
    """What is known of every row, encoded; nothing behind here checks again."""

    actual: LabelColumn
    predicted: LabelColumn | None
    score: NDArray[np.float64] | None
    probabilities: NDArray[np.float64] | None
    dropped: dict[str, int]
    where: Where
    weight: NDArray[Any] | None = None
    weight_kind: WeightKind = "sampling"
    group: LabelColumn | None = None
    slices: Mapping[str, LabelColumn] = field(default_factory=dict)
    votes: Votes | None = None
    """What several models answered, until the positive class is known and they become the score."""
    voters: int = 0
    """How many models voted, where the score is the number of their votes."""
    ids: Ids | None = None
    """What tells the rows apart."""

    def __len__(self) -> int:
        return len(self.actual)

    @cached_property
    def actual_counts(self) -> tuple[tuple[Label, ...], NDArray[np.int64]]:
        """Observed actual labels and how many rows have each."""
        codes, _, counts = count_pairs(self.actual.values, np.zeros(len(self), np.int64))
        return tuple(self.actual.label(code) for code in codes.tolist()), counts


def check_missing(missing: str) -> None:
    if missing not in get_args(Missing):
        raise OptionError(f"missing must be 'error' or 'drop'; got {missing!r}.")


def gather(
    actual: LabelColumn,
    predicted: LabelColumn | None,
    score: NumberColumn | None,
    probabilities: Sequence[NumberColumn],
    *,
    votes: Votes | None = None,
    weight: NumberColumn | None = None,
    weight_kind: WeightKind = "sampling",
    group: LabelColumn | None = None,
    slices: Mapping[str, LabelColumn] | None = None,
    ids: Ids | None = None,
    missing: Missing,
    where: Where,
) -> Rows:
    """Columns of equal length; rows with a missing value are an error or are dropped and counted."""
    check_missing(missing)
    slices = slices or {}
    columns = [actual, predicted, score, votes, weight, group, *slices.values(), *probabilities]
    given: list[LabelColumn | NumberColumn | Votes] = [column for column in columns if column is not None]
    ids = Ids(len(actual)) if ids is None else ids
    for column in (*given[1:], ids):
        if len(column) != len(actual):
            raise ShapeError(f"{actual.role} has {len(actual):,} rows and {column.role} has {len(column):,}.")
    if len(actual) == 0:
        raise ShapeError("there are no rows.")
    gone, dropped = gone_from(given)
    if dropped and missing == "error":
        raise missing_error(given, where)
    if dropped:
        if gone.all():
            raise MissingValueError("every row has a missing value, so none is left.")
        kept: list[Any] = [None if column is None else column.without(gone) for column in columns]
        actual, predicted, score, votes, weight, group, *others = kept
        slices = dict(zip(slices, others, strict=False))
        probabilities = others[len(slices) :]
        ids = ids.without(gone)
        where = before_dropping(where, np.flatnonzero(~gone))
    return Rows(
        actual,
        predicted,
        None if score is None else score.values,
        np.column_stack([column.values for column in probabilities]) if probabilities else None,
        dict(sorted(dropped.items())),  # as tallies have them
        where,
        None if weight is None else checked_weights(weight, weight_kind, where),
        weight_kind,
        group,
        slices,
        votes,
        ids=ids,
    )


def gone_from(
    columns: Iterable[Column], times: NDArray[np.int64] | None = None
) -> tuple[NDArray[np.bool_], dict[str, int]]:
    """Rows with anything missing; each is counted once, for the first column that lacks it.

    `times` tells how many rows each stands for, if not one.
    """
    gone = np.zeros(1, bool)
    dropped: dict[str, int] = {}
    for column in columns:
        if column.missing is None:
            continue
        first = column.missing & ~gone
        new = int(first.sum() if times is None else times[first].sum())
        if new:
            key = f"missing_{column.role.partition(' ')[0]}"
            dropped[key] = dropped.get(key, 0) + new
        gone = gone | column.missing
    return gone, dropped


def before_dropping(where: Where, kept: NDArray[np.int64]) -> Where:
    """Places of rows as the user has them, from their positions among the kept ones."""
    return lambda rows: where(kept[list(rows)].tolist())


def missing_error(columns: Sequence[Column], where: Where) -> MissingValueError:
    parts = []
    for column in columns:
        if column.missing is not None:
            rows = np.flatnonzero(column.missing).tolist()
            verb = "are" if column.role.startswith("votes") else "is"
            parts.append(
                f"{column.role} {verb} missing in {len(rows):,} of {len(column):,} rows, at {where(rows)}"
            )
    return MissingValueError(
        f"{'; '.join(parts)}.",
        hint=LEAVE_OUT,
    )


# --- from rows to a tally ----------------------------------------------------------------------


def count_labels(rows: Rows, declared: Sequence[Label] | None, seen: Iterable[Label] = ()) -> Confusion:
    """Count actual against predicted labels; `seen` are labels even if no row has them."""
    assert rows.predicted is not None
    same_family(rows.actual, rows.predicted, declared)
    first, second, counts = count_pairs(rows.actual.values, rows.predicted.values)
    sides = side_of(first, rows.actual.label), side_of(second, rows.predicted.label)
    return tally(*sides, counts, declared=declared, rows=rows, seen=seen)


class Side(NamedTuple):
    """One side of counted pairs: its distinct labels, and which of them each pair has."""

    labels: list[Label]
    which: NDArray[np.int64]


def side_of(codes: NDArray[np.int64], label: Callable[[int], Label]) -> Side:
    distinct, index = np.unique(codes, return_inverse=True)
    return Side([label(code) for code in distinct.tolist()], index)


def tally(
    actual: Side,
    predicted: Side,
    counts: NDArray[np.int64],
    *,
    declared: Sequence[Label] | None,
    rows: Rows,
    seen: Iterable[Label] = (),
) -> Confusion:
    """A confusion tally from distinct pairs of labels."""
    observed = in_order([*actual.labels, *predicted.labels, *seen])
    translate = translation(observed, declared)
    named = [translate(label) for label in actual.labels], [translate(label) for label in predicted.labels]
    labels = tuple(declared) if declared is not None else observed
    place = {label: position for position, label in enumerate(labels)}
    if declared is not None:
        _refuse_undeclared(rows, named, labels, translate)
    first, second = (np.array([place[label] for label in side], np.int64) for side in named)
    cells = first[actual.which] * len(labels) + second[predicted.which]
    return Confusion.from_cells(
        labels,
        cells,
        counts,
        declared=declared is not None,
        dropped=rows.dropped,
        as_written=rows.actual.as_written,
    )


def tally_of_actual(rows: Rows, declared: Sequence[Label] | None) -> Confusion:
    """A tally of the actual labels alone: how they are read, and which were declared."""
    found, counts = rows.actual_counts
    side = Side(list(found), np.arange(len(found)))
    return tally(side, side, counts, declared=declared, rows=rows)


def translation(observed: Sequence[Label], declared: Sequence[Label] | None) -> Callable[[Label], Label]:
    """Declared labels settle how found ones are read: '1' may mean the declared 1, '1.0' the declared '1'."""
    if declared is None:
        return lambda label: label
    exact = {str(label): label for label in declared}
    numbers = whole_numbers(map(str, [*observed, *declared]))
    by_value = {} if numbers is None else {numbers[str(label)]: label for label in declared}
    return lambda label: exact.get(
        str(label), label if numbers is None else by_value.get(numbers[str(label)], label)
    )


def finished(confusion: Confusion, notes: list[str]) -> Confusion:
    """Read a complete set of observed labels: those of a text file become numbers if all are plain ones.

    Only here, on the whole set: a part of the rows may hold '1' and '2' where another holds 'a'.
    """
    if confusion.declared:
        return confusion
    labels = confusion.labels
    numbers = whole_numbers(map(str, labels)) if confusion.as_written else None
    if numbers is not None:
        if respelled(numbers):
            notes.append(f"{RELABELLED}.")
        labels = tuple(numbers[str(label)] for label in labels)
    return confusion.relabelled(labels, _completed(labels))


def respelled(numbers: Mapping[str, int]) -> bool:
    """Whether a label looks another as a number: '1.0' is one with '1', and that must be said."""
    return any(str(number) != text for text, number in numbers.items())


def _completed(labels: Iterable[Label]) -> tuple[Label, ...]:
    """Labels in order; a lone 0, 1, False or True brings its partner, since that convention has two."""
    found = in_order(labels)
    if len(found) == 1:
        for pair in (
            (0, 1),
            ("0", "1"),
            ("0.0", "1.0"),
            (False, True),
            ("False", "True"),
            ("false", "true"),
            ("FALSE", "TRUE"),
        ):
            if type(found[0]) is type(pair[0]) and found[0] in pair:
                return pair
    return found


def same_family(actual: LabelColumn, predicted: LabelColumn, declared: Sequence[Label] | None = None) -> None:
    """Refuse columns whose labels are written in ways that can never be equal."""
    if (actual.names is None) != (predicted.names is None):
        kinds = [
            "text" if column.names is not None else "numbers or booleans" for column in (actual, predicted)
        ]
        raise LabelError(
            f"{actual.role} holds {kinds[0]} and {predicted.role} {kinds[1]}, so no label would ever match.",
            hint="convert one of them, for example both to text.",
        )
    if actual.names is None or predicted.names is None:
        return
    words = [{name.casefold() for name in column.names} for column in (actual, predicted) if column.names]
    if len(words) == 2:
        digits, truths = {"0", "1", "0.0", "1.0"}, {"false", "true"}
        for one, other in (words, words[::-1]):
            if one <= digits and other <= truths:
                raise LabelError(
                    f"one of {actual.role} and {predicted.role} says 0/1 and the other False/True.",
                    hint="write both the same way.",
                )
        _refuse_scores(actual, predicted, declared)


_MOST_DECIMALS = 20
"""Of classes written as decimals; more of them are scores."""
_MEANT = (
    "name the column that holds the classes",
    "pass that column as the score: --score (in Python score=)",
)


def _refuse_scores(actual: LabelColumn, predicted: LabelColumn, declared: Sequence[Label] | None) -> None:
    """Decimals where labels are expected are almost surely scores.

    They are classes where they are declared, where both sides have some, and where all that is predicted
    is among a few actual labels: a class may never be predicted.
    """
    stated = set(map(str, declared or ()))
    truths, answers = set(actual.names or ()), set(predicted.names or ())
    may_be_classes = answers <= truths and len(truths) <= _MOST_DECIMALS
    for column, own, other in ((predicted, answers, truths), (actual, truths, answers)):
        decimals = [name for name in own - stated if _is_fraction(name)]
        if decimals and not any(map(_is_fraction, other)) and not may_be_classes:
            raise LabelError(
                f"{column.role} holds decimals such as {min(decimals)!r}, not labels.",
                hint=f"{_MEANT[column is predicted]}; if these are classes, name them all: --labels (in "
                "Python labels=).",
            )


def _is_fraction(text: str) -> bool:
    try:
        value = float(text)
    except ValueError:
        return False
    return math.isfinite(value) and value % 1 != 0


def _refuse_undeclared(
    rows: Rows,
    named: tuple[list[Label], list[Label]],
    labels: Sequence[Label],
    translate: Callable[[Label], Label],
) -> None:
    for column, side in zip((rows.actual, rows.predicted), named, strict=True):
        extra = in_order(set(side) - set(labels))
        if extra and column is not None:
            raise undeclared(column, extra, labels, translate, rows.where)


def undeclared(
    column: LabelColumn,
    extra: Sequence[Label],
    labels: Sequence[Label],
    translate: Callable[[Label], Label],
    where: Where,
) -> LabelError:
    """The error for labels that are not among the given ones."""
    if column.names is not None:
        codes = [code for code, name in enumerate(column.names) if translate(name) in extra]
    else:
        codes = [int(label) for label in extra]
    places = np.flatnonzero(np.isin(column.values, codes)).tolist()
    return LabelError(
        f"{column.role} holds {listed(extra)} at {where(places)}; the labels given are {listed(labels)}."
    )
