"""Which class each probability column is about, settled before the first row is counted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from tallymark.intake.probabilities import (
    IN_ORDER_GIVEN,
    matched_columns,
    no_column,
    ordered_classes,
    prefixed,
    refuse_other_number,
    unmatched,
)
from tallymark.intake.rows import finished
from tallymark.intake.streams.door import Reading
from tallymark.tallies import Confusion, Label
from tallymark.tallies.labels import in_order, listed
from tallymark.tallies.plain_numbers import whole_numbers


def from_some_labels(labels: Sequence[Label], reading: Reading, notes: list[str]) -> Reading:
    """By the labels of the first rows: columns that fit all labels fit some of them in no other way."""
    text = bool(labels) and isinstance(labels[0], str)
    numbers = whole_numbers(map(str, labels)) if text and reading.as_written else None
    known = in_order(labels if numbers is None else numbers.values())
    if known and isinstance(known[0], bool):
        known = (False, True)
    return _settled(reading, known, notes, text=text, all_seen=False)


def refuse_otherwise(reading: Reading, counted: Confusion) -> None:
    """Whether the labels of all rows fit the columns as well, as is asked of rows in memory."""
    seen = [
        label for label, rows in zip(counted.labels, counted.margins.actual.tolist(), strict=True) if rows
    ]
    text = bool(seen) and isinstance(seen[0], str)
    none = np.empty(0, np.int64)
    found = Confusion.from_cells(in_order(seen), none, none, as_written=counted.as_written)
    known = finished(found, []).labels
    _settled(reading, known, [], text=text, all_seen=True)


def _settled(
    reading: Reading, known: Sequence[Label], notes: list[str], *, text: bool, all_seen: bool
) -> Reading:
    """With the probability columns in the order of the classes that they are about."""
    columns, declared = reading.roles.probability_columns, reading.labels
    stated = reading.roles.probabilities
    labels = tuple(stated) if isinstance(stated, Mapping) else None
    if declared is not None:
        known = declared
    found = matched_columns(columns, labels, known)
    if found is None:
        found = _nearly(columns, labels, known, declared, notes, all_seen=all_seen)
    refuse_other_number(found, len(columns), columns)
    classes, order = ordered_classes(found, declared, text=text, as_written=reading.as_written)
    by_class = {label: columns[classes.index(label)] for label in order}
    return replace(reading, roles=replace(reading.roles, probabilities=by_class), classes=order)


def _nearly(
    columns: Sequence[str],
    stated: Sequence[Label] | None,
    known: Sequence[Label],
    declared: Sequence[Label] | None,
    notes: list[str],
    *,
    all_seen: bool,
) -> list[Label]:
    """Where a label has no column of its name: by the order declared, else what the names say.

    Which rows have the label without a column is told when all of them have been counted.
    """
    if stated is None and declared is not None:
        notes.append(IN_ORDER_GIVEN)
        return list(declared)
    for texts in [list(map(str, stated))] if stated is not None else prefixed(columns):
        lacking = [label for label in known if str(label) not in texts]
        if stated is not None or len(lacking) < len(known):
            if all_seen or declared is not None:
                raise no_column(listed(lacking))
            return list(texts)
    raise unmatched(known)
