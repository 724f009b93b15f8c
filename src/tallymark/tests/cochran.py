"""Cochran's Q: are several models right equally often on the same rows?

Cochran (1950), Biometrika 37:256-266.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tallymark.errors import OptionError, ShapeError
from tallymark.intervals.checks import on_one_line
from tallymark.tests.outcome import Alternative, Outcome, refuse_sides
from tallymark.tests.scores import named_columns

Floats = NDArray[np.float64]


def cochran_q(correct: Any, *, alternative: Alternative = "two-sided") -> Outcome:
    """Cochran's Q from a table of rows x models: 1 or True where the model has the row right.

    The table is rows of 0 and 1, a frame, or a mapping of columns. Of two models it is McNemar's test,
    uncorrected.

    >>> test = cochran_q([[1, 1, 0], [1, 0, 0], [1, 1, 0], [1, 1, 1]])
    >>> round(test.statistic, 2), test.df
    (4.67, 2)
    """
    refuse_sides(alternative, "Cochran's Q")
    named = named_columns(correct)
    if named is None:
        return _outcome(_checked_table(correct, "correct"), None)
    found = _outcome(_checked_table(_beside(named), "correct"), None)
    return replace(found, counts={**found.counts, "names": tuple(named)})


def cochran_q_of_patterns(patterns: ArrayLike, counts: ArrayLike) -> Outcome:
    """The same from every pattern of right and wrong (patterns x models) and how many rows have it."""
    table = _checked_table(patterns, "patterns")
    weights = np.asarray(counts)
    if weights.shape != (len(table),):
        raise ShapeError(
            f"counts must have one number for each of the {len(table)} patterns, got shape {weights.shape}."
        )
    if weights.dtype.kind not in "iuf" or not np.all(np.isfinite(weights)) or np.any(weights < 0):
        raise OptionError(f"counts must be numbers of rows, 0 or more, got {on_one_line(weights.tolist())}.")
    return _outcome(table, weights.astype(np.float64))


def _beside(named: Mapping[str, Any]) -> NDArray[Any]:
    """Columns side by side as one table."""
    columns = [_column(column, name) for name, column in named.items()]
    for name, column in zip(named, columns, strict=True):
        if column.ndim != 1:
            raise ShapeError(f"column {name!r} must be a list of 0 and 1; got shape {column.shape}.")
    if len({len(column) for column in columns}) > 1:
        sizes = ", ".join(str(len(column)) for column in columns)
        raise ShapeError(f"every model needs a value in every row; the columns have {sizes} of them.")
    if any(column.dtype.kind not in "biuf" for column in columns):
        columns = [column.astype(object) for column in columns]
    return np.column_stack(columns) if columns else np.empty((0, 0))


def _column(given: Any, name: str) -> NDArray[Any]:
    try:
        column = np.asarray(given)
    except ValueError:
        raise ShapeError(f"column {name!r} must be a list of 0 and 1.") from None
    # numpy turns the numbers beside a text into text, and the error would be about them.
    return np.asarray(given, dtype=object) if column.dtype.kind == "U" else column


def _outcome(table: NDArray[np.bool_], weights: Floats | None) -> Outcome:
    models = table.shape[1]
    right_by = np.count_nonzero(table, axis=1)
    uneven = (right_by > 0) & (right_by < models)
    # Rows that all models have right, or none has, say nothing about differences.
    weight = np.ones(int(uneven.sum())) if weights is None else weights[uneven]
    of_model = weight @ table[uneven]
    of_row = right_by[uneven].astype(np.float64)
    spread = float(weight @ (of_row * (models - of_row)))
    gaps = of_model - of_model.mean()
    q = (models - 1) * models * float(gaps @ gaps) / spread if spread > 0 else 0.0
    totals = np.count_nonzero(table, axis=0) if weights is None else weights @ table
    rows = len(table) if weights is None else weights.sum()
    return Outcome(
        "Cochran's Q",
        q,
        _chi_squared_tail(q, models - 1),
        df=models - 1,
        counts={
            "rows": _plain(rows),
            "disagreements": _plain(weight.sum()),
            "right": [_plain(total) for total in totals],
        },
        note=None if spread > 0 else "the models never disagree about a row",
    )


def _chi_squared_tail(statistic: float, df: int) -> float:
    from scipy.special import chdtrc

    return float(chdtrc(df, statistic))


def _plain(number: Any) -> int | float:
    return int(number) if number == int(number) else float(number)


def _checked_table(given: ArrayLike, name: str) -> NDArray[np.bool_]:
    """The table as True and False; 0 and 1 are taken for them, and nothing else is."""
    try:
        table = np.asarray(given)
    except ValueError:
        raise ShapeError(f"{name} must be a table, but its rows are of different lengths.") from None
    if table.ndim != 2:
        raise ShapeError(
            f"{name} must be a table of two dimensions, got {table.ndim}.",
            hint="one row per row of data, one column per model.",
        )
    if table.shape[1] < 2:
        raise ShapeError(
            f"{name} must have two or more columns, got {table.shape[1]}.", hint="one column per model."
        )
    if not len(table):
        raise ShapeError(f"{name} has no rows.")
    if table.dtype.kind == "b":
        return table
    sound = _zero_or_one(table)
    if not sound.all():
        row, column = (int(at[0]) for at in np.nonzero(~sound))
        raise OptionError(
            f"{name} must be of 0 and 1, or False and True; row {row + 1}, column {column + 1} is "
            f"{on_one_line(table[row : row + 1, column].tolist()[0])}.",
            hint="a cell says whether the model has the row right: prediction == actual.",
        )
    return table.astype(np.bool_)


def _zero_or_one(table: NDArray[Any]) -> NDArray[np.bool_]:
    if table.dtype.kind in "iuf":
        return np.asarray((table == 0) | (table == 1))
    if table.dtype.kind != "O":
        return np.zeros(table.shape, dtype=np.bool_)
    # One by one, because a missing value of pandas cannot be compared with anything.
    each = [isinstance(cell, (Real, np.bool_)) and cell in (0, 1) for cell in table.flat]
    return np.reshape(each, table.shape)
