"""Rows of several models matched by their ids."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallymark.errors import InputError
from tallymark.evaluation.known_rows import KnownRows, Order
from tallymark.intake.ids import Values, as_text, in_same_order, not_whole, places, shown, taken

if TYPE_CHECKING:
    import polars as pl

AS_NUMBERS = " Ids that are whole numbers in one model and text in another were read as whole numbers."


class Column(NamedTuple):
    """The ids of one model, in the form that all models have."""

    rows: KnownRows
    values: Values
    lost: Values | None


class Pair(NamedTuple):
    """How the ids of two models go together."""

    at: Order
    """Where each row of the first is in the other, -1 where it is not; None when all are, in this order."""
    shared: int
    only_first: NDArray[np.int64]
    """Rows whose id the other never had, not even in a row that was dropped."""
    only_other: NDArray[np.int64]


def matched_ids(models: Sequence[KnownRows]) -> tuple[str, dict[str, Order]] | None:
    """What must be said, and where the rows that all models have are in each; None if they share none."""
    columns, note = _alike(models)
    first, *others = columns
    pairs = [_pair(first, other) for other in others]
    if not any(pair.shared for pair in pairs):
        _refuse_shared(columns)
        return None
    for other, pair in zip(others, pairs, strict=True):
        if len(pair.only_first) or len(pair.only_other):
            raise _partly_shared(first, other, pair)
    there = np.ones(len(first.rows), bool)
    for pair in pairs:
        if pair.at is not None:
            there &= pair.at >= 0
    every = bool(there.all())
    common = None if every else np.flatnonzero(there)
    order: dict[str, Order] = {first.rows.name: common}
    for other, pair in zip(others, pairs, strict=True):
        order[other.rows.name] = common if pair.at is None else pair.at if every else pair.at[common]
    return note, order


def shared_ids(models: Sequence[KnownRows]) -> int:
    """How many ids the first two models that share any have in common."""
    columns, _ = _alike(models)
    return next((n for one, two in combinations(columns, 2) if (n := _pair(one, two).shared)), 0)


def _alike(models: Sequence[KnownRows]) -> tuple[list[Column], str]:
    """The ids of all models as whole numbers, or as text; never one of each."""
    as_numbers = [isinstance(rows.ids.values, np.ndarray) for rows in models]
    if not all(as_numbers):
        for rows, is_number in zip(models, as_numbers, strict=True):
            if is_number and not rows.ids.written:
                text = models[as_numbers.index(False)]
                raise _of_two_kinds(rows, text)
    columns = []
    for rows in models:
        ids = rows.ids
        assert ids.values is not None
        same_form = all(as_numbers) or not isinstance(ids.values, np.ndarray)
        lost = ids.lost if same_form or ids.lost is None else as_text(ids.lost)
        columns.append(Column(rows, ids.values if same_form else as_text(ids.values), lost))
    mixed = all(as_numbers) and len({rows.ids.written for rows in models}) > 1
    return columns, AS_NUMBERS if mixed else ""


def _of_two_kinds(numbers: KnownRows, text: KnownRows) -> InputError:
    assert numbers.ids.values is not None
    assert text.ids.values is not None
    figures = shown(numbers.ids.values, range(len(numbers)))
    words = shown(text.ids.values, not_whole(text.ids.values))
    return InputError(
        f"the ids of {numbers.called} are whole numbers ({figures}) and those of {text.called} are text "
        f"({words}), so they cannot be matched.",
        hint="write them the same way, for example both as text.",
    )


def _pair(first: Column, other: Column) -> Pair:
    nothing = np.zeros(0, np.int64)
    if in_same_order(first.values, other.values):
        return Pair(None, len(first.rows), nothing, nothing)
    at = places(first.values, other.values)
    seen = np.zeros(len(other.rows), bool)
    seen[at[at >= 0]] = True
    shared = int(seen.sum())
    absent, extra = np.flatnonzero(at < 0), np.flatnonzero(~seen)
    only_first, only_other = _never_had(first, absent, other.lost), _never_had(other, extra, first.lost)
    # A row that one model dropped is shared too.
    shared += len(absent) - len(only_first) + len(extra) - len(only_other)
    return Pair(at, shared, only_first, only_other)


def _never_had(column: Column, rows: NDArray[np.int64], lost: Values | None) -> NDArray[np.int64]:
    if lost is None or not len(rows):
        return rows
    return rows[places(taken(column.values, rows), lost) < 0]


def _partly_shared(first: Column, other: Column, pair: Pair) -> InputError:
    sides = [
        f"{len(only):,} {'is' if len(only) == 1 else 'are'} only in {column.rows.called} "
        f"({shown(column.values, only)})"
        for column, only in ((first, pair.only_first), (other, pair.only_other))
        if len(only)
    ]
    if not pair.shared:
        said = f"{first.rows.called} and {other.rows.called} share no id, and other models share theirs"
    else:
        ids = "1 id" if pair.shared == 1 else f"{pair.shared:,} ids"
        said = f"{first.rows.called} and {other.rows.called} share {ids}"
    return InputError(
        f"{said}; {' and '.join(sides)}.",
        hint="give all models the same rows; a row without an answer can stay in its file with the answer "
        "empty, and be left out by --drop-missing (in Python missing='drop').",
    )


def _refuse_shared(columns: Sequence[Column]) -> None:
    """No other two models share ids either, nor do ids that are written differently look alike."""
    for first, other in combinations(columns[1:], 2):
        pair = _pair(first, other)
        if pair.shared:
            raise InputError(
                f"{first.rows.called} and {other.rows.called} share {pair.shared:,} ids, and "
                f"{columns[0].rows.called} has none of them.",
                hint="give all models the same rows.",
            )
    if isinstance(columns[0].values, np.ndarray):
        return  # a number is written in one way
    for first, other in combinations(columns, 2):
        at = places(_plainly(first.values), _plainly(other.values))
        found = np.flatnonzero(at >= 0)
        if len(found):
            one, two = shown(first.values, found[:1]), shown(other.values, at[found[:1]])
            raise InputError(
                f"{first.rows.called} and {other.rows.called} share no id, but {len(found):,} of them "
                f"{'looks' if len(found) == 1 else 'look'} alike: {one} and {two}.",
                hint="write ids the same way (case, blanks and leading zeros count), or say that these are "
                "other rows (--other-rows, in Python design='other rows').",
            )


def _plainly(values: Values) -> pl.Series:
    """Ids without what is easily written in another way."""
    text = as_text(values).str.strip_chars().str.to_lowercase()
    return text.str.replace(r"\.0+$", "").str.replace(r"^0+(.)", "$1")
