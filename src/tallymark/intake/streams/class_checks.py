"""What may be wrong with one probability per class in a batch."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from tallymark.errors import TallymarkError
from tallymark.intake.columns import LabelColumn, NumberColumn
from tallymark.intake.encoded import distinct
from tallymark.intake.probabilities import (
    bad_probabilities,
    no_column,
    outside_error,
    percent_rows,
    sum_error,
    sum_shown,
)
from tallymark.intake.rows import translation
from tallymark.intake.streams.complaints import Complaints, Told, in_brackets
from tallymark.tallies import Label
from tallymark.tallies.labels import quoted

_PERCENT = "percent"
_NO_COLUMN, _OUTSIDE, _SUM = 20, 21, 22
"""Told in this order, after all that may be wrong with single columns."""


def check_classes(
    actual: LabelColumn,
    table: Sequence[NumberColumn],
    classes: Sequence[Label],
    here: NDArray[np.bool_],
    complaints: Complaints,
) -> None:
    """Rows of classes without a column, and rows whose probabilities are none; only those that are here."""
    rows = np.column_stack([column.values for column in table])
    outside, wrong, totals = bad_probabilities(rows)
    percent = percent_rows(rows, totals)
    complaints.add((_NO_COLUMN, 0), _strange(actual, classes) & here, _lacking(actual.role), _label(actual))
    complaints.add((_OUTSIDE, 0), outside & here, _outside, lambda row: _PERCENT if percent[row] else "")
    complaints.add((_SUM, 0), wrong & here, _sums, lambda row: sum_shown(totals[row]))


def _strange(actual: LabelColumn, classes: Sequence[Label]) -> NDArray[np.bool_]:
    """Rows of a class that no column is about."""
    codes = distinct(actual.values.astype(np.int64, copy=False))[0].tolist()
    found = [actual.label(code) for code in codes]
    translate = translation(found, classes)
    strange = [code for code, label in zip(codes, found, strict=True) if translate(label) not in classes]
    return np.isin(actual.values, strange)


def _label(actual: LabelColumn) -> Callable[[int], str]:
    return lambda row: quoted(actual.label(int(actual.values[row])))


def _lacking(role: str) -> Told:
    def told(examples: Sequence[str], _: int, where: str) -> TallymarkError:
        which = "them" if len(examples) > 1 else "it"
        return no_column(in_brackets(examples), f", and {role} holds {which} at {where}")

    return told


def _outside(examples: Sequence[str], number: int, where: str) -> TallymarkError:
    return outside_error(number, where, percent=list(examples) == [_PERCENT])


def _sums(examples: Sequence[str], number: int, where: str) -> TallymarkError:
    return sum_error(number, where, examples[0])
