"""Columns that follow from others are no evidence of their own."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from tallymark.validation.audit.free import free_columns
from tallymark.validation.audit.marks import marks_of

RANDOM = np.random.default_rng(0)
A, B = RANDOM.normal(10, 1, 300), RANDOM.normal(10, 1, 300)
COARSE = RANDOM.integers(0, 5, (300, 3))


def free(X: Any) -> list[int]:
    marks = marks_of(X)
    assert marks is not None
    return sorted(free_columns(marks, np.unique(marks.rows, return_index=True)[1]))


@pytest.mark.parametrize(
    ("columns", "left"),
    [
        ((A, B), [0, 1]),
        ((A, B, A + B), [0, 1]),
        ((A, B, A * B, A / B**2), [0, 1]),
        ((A, A**2, np.log(A), np.exp(A), 7 - A), [0]),
        ((np.sin(A), np.cos(A)), [0]),
        ((A, B, A + RANDOM.normal(size=300)), [0, 1, 2]),
        ((*COARSE.T, COARSE.sum(axis=1), A), [0, 1, 2, 4]),
        ((A, np.full(300, 3.0)), [0]),
    ],
    ids=["two", "a sum", "products", "functions of one", "a circle", "noise", "a total", "constant"],
)
def test_numbers(columns: Any, left: list[int]) -> None:
    assert free(np.column_stack(columns)) == left


def test_gaps_do_not_hide_what_follows() -> None:
    X = np.column_stack((A, B, A * B))
    X[RANDOM.random(300) < 0.05] = np.nan
    assert len(free(X)) == 2


def test_columns_with_many_gaps_take_no_rows_from_others() -> None:
    holed = np.where(RANDOM.random((300, 6)) < 0.5, np.nan, RANDOM.normal(size=(300, 6)))
    assert {0, 1} <= set(free(np.column_stack((A, B, holed))))


def test_names() -> None:
    code = RANDOM.integers(0, 40, 300)
    name = [f"{number % 7} of {number}" for number in code]
    other = [f"{number % 7} of {number}" for number in RANDOM.integers(0, 40, 300)]
    assert len(free(pd.DataFrame({"code": code, "name": name}))) == 1
    assert len(free(pd.DataFrame({"code": code, "other": other}))) == 2


def test_few_rows_leave_few_columns() -> None:
    # Of 20 rows, 20 columns could tell any other.
    assert len(free(RANDOM.normal(size=(20, 20)))) <= 4


def test_what_leaves_no_row_is_no_error() -> None:
    X = RANDOM.normal(size=(40, 50))
    X[np.arange(50) % 40, np.arange(50)] = np.nan
    assert free(X) == []
    assert len(free(np.array([[1e308, 1.0], [-1e308, 2.0], [3e307, 5.0]] * 9) / [1, 3])) <= 2
