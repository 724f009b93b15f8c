"""Marks are equal where rows are, whatever holds the rows."""

from __future__ import annotations

import datetime
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy.sparse import coo_array, csc_matrix, csr_matrix

from tallymark.validation.audit.marks import is_free_text, marks_of, pairs_in

NAN = float("nan")
TABLE = {"a": [1.5, 2.5, 1.5, None, None, 2.5], "b": ["x", "y", "x", "z", "z", None], "c": [1, 2, 1, 3, 3, 2]}
KINDS = [0, 1, 0, 2, 2, 3]
"""Which rows of the table are equal."""


def kinds(X: Any) -> list[int]:
    """Rows numbered by what they are equal to, in the order they come."""
    found = marks_of(X)
    assert found is not None
    seen: dict[int, int] = {}
    return [seen.setdefault(mark, len(seen)) for mark in found.rows.tolist()]


@pytest.mark.parametrize(
    "X",
    [
        pd.DataFrame(TABLE),
        pd.DataFrame(TABLE).convert_dtypes(),
        pd.DataFrame(TABLE).astype({"b": "category"}),
        pl.DataFrame(TABLE),
        pl.DataFrame(TABLE).lazy(),
        pa.table(TABLE),
        np.array(list(zip(*TABLE.values(), strict=True)), object),
        [list(row) for row in zip(*TABLE.values(), strict=True)],
    ],
    ids=["pandas", "nullable", "categories", "polars", "lazy", "pyarrow", "objects", "lists"],
)
def test_rows_of_tables(X: Any) -> None:
    assert kinds(X) == KINDS


@pytest.mark.parametrize(
    ("values", "equal"),
    [
        ([0.0, -0.0, 1.0], [0, 0, 1]),
        ([NAN, 1.0, -NAN], [0, 1, 0]),
        (np.array([2**62, 2**62 + 1, 2**62]), [0, 1, 0]),
        (np.array([2**63, 2**63 + 1, 2**63], np.uint64), [0, 1, 0]),
        (np.array([0.1, 0.2, 0.1], np.float32), [0, 1, 0]),
        (np.array([True, False, True]), [0, 1, 0]),
        (np.array(["2024-01-01", "NaT", "2024-01-01"], "M8[D]"), [0, 1, 0]),
        (np.array(["ab", "a", "ab"]), [0, 1, 0]),
    ],
    ids=["zeros", "missing", "large", "unsigned", "short", "booleans", "dates", "text"],
)
def test_values(values: Any, equal: list[int]) -> None:
    assert kinds(np.reshape(values, (3, 1))) == equal


def test_dates_of_a_table() -> None:
    days = [datetime.date(2024, 1, day) for day in (1, 2, 1)]
    assert kinds(pl.DataFrame({"day": days})) == [0, 1, 0]


@pytest.mark.parametrize(
    ("column", "left_out"),
    [
        ([*range(5, 17)], True),
        ([7.0, 3, 4, 9, 8, 1, 2, 5, 6, 12, 11, 20], True),
        ([f"row {number}" for number in range(12)], True),
        ([number * 1000 for number in range(12)], False),
        ([number + 0.5 for number in range(12)], False),
        ([*range(11), 0], False),
        ([*range(11), None], False),
        ([f"2024-01-{day}" for day in range(10, 22)], False),
        ([f"row {number}" for number in range(11)] + ["line 11"], False),
    ],
    ids=["count", "gaps", "names", "wide", "not whole", "twice", "missing", "dates", "another name"],
)
def test_a_column_that_counts_rows_is_left_out(column: list[Any], left_out: bool) -> None:
    rows = [[value, 0.5] for value in column]
    for X in (rows, pd.DataFrame({"a": column, "b": 0.5}), pl.DataFrame({"a": column, "b": 0.5})):
        found = marks_of(X)
        assert found is not None
        assert len(found.columns) == (1 if left_out else 2)


def test_codes_of_missing_values_among_objects() -> None:
    assert kinds(np.array([[-1], [-2], [-1.0], ["-1"]], object)) == [0, 1, 0, 2]


def test_places_of_values_matter() -> None:
    assert kinds(np.array([[1.0, 2.0], [2.0, 1.0], [1.5, 1.5], [1.0, 2.0]])) == [0, 1, 2, 0]


@pytest.mark.parametrize(
    "X",
    [["a b", "c", "a b"], pd.Series(["a b", "c", "a b"]), np.array(["a b", "c", "a b"])],
    ids=["list", "series", "array"],
)
def test_texts(X: Any) -> None:
    assert kinds(X) == [0, 1, 0]


def test_pictures() -> None:
    pixels = np.zeros((3, 4, 4, 1), np.uint8)
    pixels[1, 2, 3] = 7
    assert kinds(pixels) == [0, 1, 0]


@pytest.mark.parametrize("made", [csr_matrix, csc_matrix, coo_array], ids=["csr", "csc", "coo"])
def test_sparse_rows(made: Any) -> None:
    full = np.array([[0, 1, 0], [0, 0, 0], [0, 1, 0], [1, 0, 0], [0, 0, 0], [0, 2, 0]])
    assert kinds(made(full)) == [0, 1, 0, 2, 1, 3]


def test_sparse_rows_however_they_are_written() -> None:
    # Row 0 has a zero that is written down, row 1 adds up to the 3 of row 2.
    X = csr_matrix(([0, 1, 2, 3], [0, 1, 1, 1], [0, 1, 3, 4]), shape=(3, 2))
    assert kinds(X) == [0, 1, 1]
    assert X.nnz == 4, "what was given must stay as it was"


@pytest.mark.parametrize(
    "X",
    [[[1, 2], [1]], pl.DataFrame({"a": [[1], [1]]}), np.empty((3, 0)), np.array([{}, {}], object)],
    ids=["rows of several lengths", "lists in a column", "no columns", "dictionaries"],
)
def test_what_cannot_be_compared_has_no_marks(X: Any) -> None:
    assert marks_of(X) is None


def test_no_two_of_many_rows_are_taken_for_equal() -> None:
    # All pairs of small whole numbers, whose bits have most in common.
    grid = np.indices((300, 300)).reshape(2, -1).T
    for X in (grid, grid.astype(float), csr_matrix(grid)):
        found = marks_of(X)
        assert found is not None
        assert pairs_in(found.rows) == 0


def test_pairs() -> None:
    assert pairs_in(np.array([7, 7, 7, 1, 2, 2], np.uint64)) == 3 + 1
    assert pairs_in(np.array([7], np.uint64)) == 0


def test_sentences_are_told_from_names() -> None:
    assert is_free_text(np.array(["a model that works", "it does not really work", None], object))
    assert is_free_text(pl.DataFrame({"a": ["a model that works"]})["a"])
    assert not is_free_text(np.array(["New York City", "Berlin"], object))
    assert not is_free_text(np.array([1.0, 2.0]))
