"""Weights: what each row counts, checked once; whole numbers stay whole."""

from __future__ import annotations

from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from tallymark.errors import ColumnError, OptionError
from tallymark.intake.columns import NumberColumn, Where
from tallymark.tallies.merging import EXACT

WeightKind = Literal["sampling", "frequency"]
"""`sampling`: a row of weight 2 stands for two, but is one row seen. `frequency`: it is two rows seen."""
LARGEST, SMALLEST = 1e50, 1e-50
"""Beyond these the fourth power of a sum of weights, which mcc needs, leaves what a float can hold."""
NEGLIGIBLE = 1e-70
"""Smaller weights count as 0: the fourth power of the sum of a class of them would be 0."""
BETWEEN = f"the largest weight must lie between {SMALLEST:g} and {LARGEST:g}"
DIVIDE = "divide all weights by the same number: only their ratios matter."
NO_FREQUENCIES = "weights that are no frequencies are --weight-kind sampling (weight_kind='sampling')."


def check_kind(kind: str) -> None:
    if kind not in get_args(WeightKind):
        raise OptionError(f"weight_kind must be one of {', '.join(get_args(WeightKind))}; got {kind!r}.")


def checked_weights(column: NumberColumn, kind: WeightKind, where: Where) -> NDArray[Any]:
    """Weights from 0 up, as whole numbers when all are; otherwise an error that names the places."""
    check_kind(kind)
    weights, role = without_negligible(column.values), column.role
    if (weights < 0).any():
        raise _refused(column, weights < 0, where, "weights are 0 or more")
    largest = float(column.values.max())
    if largest == 0:
        raise no_weight(role)
    if not SMALLEST <= largest <= LARGEST:
        raise _refused(column, column.values == largest, where, BETWEEN, hint=DIVIDE)
    whole = weights == np.floor(weights)
    if kind == "frequency" and not whole.all():
        raise _refused(
            column,
            ~whole,
            where,
            "frequencies are whole numbers",
            hint=NO_FREQUENCIES,
        )
    exact = bool(whole.all()) and float(weights.sum()) < EXACT
    if kind == "frequency" and not exact:
        raise too_frequent(role)
    return weights.astype(np.int64) if exact else weights


def without_negligible(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """With 0 in the place of weights that are too small to compute with."""
    negligible = (weights > 0) & (weights < NEGLIGIBLE)
    return np.where(negligible, 0.0, weights) if negligible.any() else weights


def _refused(
    column: NumberColumn, wrong: NDArray[np.bool_], where: Where, rule: str, hint: str | None = None
) -> ColumnError:
    rows = np.flatnonzero(wrong)
    shown = ", ".join(dict.fromkeys(map(written, column.values[rows[:3]].tolist())))
    return ColumnError(f"{column.role} holds {shown} at {where(rows.tolist())}; {rule}.", hint=hint)


def about_weights(kind: str | None, lines: int, rows: int, weightless: int) -> list[str]:
    """What must be said of weights: so many lines stand for so many rows, some of them for none.

    >>> about_weights("frequency", 2, 9, 1)
    ['weights are frequencies: 2 lines stand for 9 rows.', '1 row has weight 0 and counts for nothing.']
    """
    said = []
    if kind == "frequency":
        stand = "1 line stands" if lines == 1 else f"{lines:,} lines stand"
        said.append(f"weights are frequencies: {stand} for {rows:,} rows.")
    if weightless:
        have = "row has weight 0 and counts" if weightless == 1 else "rows have weight 0 and count"
        said.append(f"{weightless:,} {have} for nothing.")
    return said


def no_weight(role: str) -> ColumnError:
    return ColumnError(f"{role} is 0 in every row, so no row would count.")


def too_frequent(role: str) -> ColumnError:
    return ColumnError(f"{role} adds up to 2**53 rows or more, which could not be counted exactly.")


def written(value: float) -> str:
    return str(int(value)) if abs(value) < EXACT and value.is_integer() else repr(value)
