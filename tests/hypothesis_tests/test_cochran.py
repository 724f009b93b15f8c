from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from tallymark.errors import OptionError, ShapeError
from tallymark.tests.cochran import cochran_q, cochran_q_of_patterns
from tallymark.tests.friedman import friedman
from tallymark.tests.mcnemar import mcnemar

TABLE = [[1, 1, 0], [1, 0, 0], [1, 1, 0], [1, 1, 1], [0, 0, 0]]
tables = st.tuples(st.integers(1, 30), st.integers(2, 5)).flatmap(
    lambda shape: arrays(np.int64, shape, elements=st.integers(0, 1))
)
some_examples = settings(max_examples=25, deadline=None)


def test_by_hand():
    # Columns 4, 3, 1 and rows 2, 1, 2, 3, 0: Q = 2 (3 * 26 - 8^2) / (3 * 8 - 18) = 28 / 6.
    found = cochran_q(TABLE)
    assert (found.statistic, found.df) == (pytest.approx(28 / 6), 2)
    # Chi-squared with two degrees of freedom is exponential.
    assert found.p_value == pytest.approx(np.exp(-28 / 12))
    assert found.counts == {"rows": 5, "disagreements": 3, "right": [4, 3, 1]}
    assert found.alternative == "two-sided"
    assert "Cochran's Q" in str(found)


@some_examples
@given(table=tables)
def test_two_models_are_mcnemars(table):
    first, second = table[:, 0], table[:, 1]
    n01, n10 = int(((first == 1) & (second == 0)).sum()), int(((first == 0) & (second == 1)).sum())
    found, expected = cochran_q(table[:, :2]), mcnemar(n01, n10, "uncorrected")
    assert found.statistic == pytest.approx(expected.statistic)
    assert found.p_value == pytest.approx(expected.p_value)


@some_examples
@given(table=tables)
def test_patterns_are_rows_counted(table):
    patterns, counts = np.unique(table, axis=0, return_counts=True)
    found, counted = cochran_q(table), cochran_q_of_patterns(patterns, counts)
    assert counted.statistic == pytest.approx(found.statistic)
    assert counted.p_value == pytest.approx(found.p_value)
    assert counted.counts == found.counts


@some_examples
@given(table=tables)
def test_only_rows_of_disagreement_count_and_sides_do_not_matter(table):
    found = cochran_q(table)
    agreed = np.vstack([table, np.ones_like(table[:1]), np.zeros_like(table[:1])])
    for other in (agreed, 1 - table, table[:, ::-1], table[::-1]):
        assert cochran_q(other).statistic == pytest.approx(found.statistic)


@pytest.mark.parametrize("table", [np.ones((4, 3)), np.zeros((4, 3)), [[1, 1, 1], [0, 0, 0]], [[True, True]]])
def test_models_that_never_disagree(table):
    found = cochran_q(table)
    assert (found.statistic, found.p_value) == (0, 1)
    assert "never disagree" in found.note
    json.dumps(found.to_dict(), allow_nan=False)


def test_any_table_will_do():
    expected = cochran_q(TABLE)
    array = np.array(TABLE)
    names = ["tree", "forest", "rule"]
    plain = array.astype(bool), array.astype(np.float32), array.astype(np.uint8), tuple(map(tuple, TABLE))
    for given_table in plain:
        assert cochran_q(given_table) == expected
    named = replace(expected, counts={**expected.counts, "names": tuple(names)})
    for given_table in (
        pd.DataFrame(array, columns=names),
        pd.DataFrame(array == 1, columns=names).astype("boolean"),
        pl.DataFrame(array, schema=names),
        pl.DataFrame(array == 1, schema=names),
        pl.LazyFrame(array, schema=names),
        dict(zip(names, array.T.tolist(), strict=True)),
    ):
        assert cochran_q(given_table) == named


def test_weights_of_patterns():
    found = cochran_q_of_patterns([[1, 0], [0, 1], [1, 1]], [2.5, 0.5, 7])
    assert found.statistic == pytest.approx(2**2 / 3)
    assert found.counts == {"rows": 10, "disagreements": 3, "right": [9.5, 7.5]}


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ([1, 0, 1], "correct must be a table of two dimensions, got 1."),
        (None, "correct must be a table of two dimensions, got 0."),
        ([[1], [0]], "correct must have two or more columns, got 1."),
        (np.empty((0, 3)), "correct has no rows."),
        ([[1, 0], [1]], "correct must be a table, but its rows are of different lengths."),
    ],
)
def test_shapes_that_are_refused(table, message):
    with pytest.raises(ShapeError) as caught:
        cochran_q(table)
    assert caught.value.message == message


@pytest.mark.parametrize(
    ("table", "found"),
    [
        ([[1, 0], [1, 2]], "row 2, column 2 is 2."),
        ([[1, 0], [1, np.nan]], "row 2, column 2 is nan."),
        ([[1, None]], "row 1, column 2 is None."),
        ([["1", "0"]], "row 1, column 1 is '1'."),
        ([[0.9, 0.2]], "row 1, column 1 is 0.9."),
        (pd.DataFrame({"a": ["yes"], "b": [1]}), "row 1, column 1 is 'yes'."),
        (pd.DataFrame({"a": [True, None], "b": [True, True]}, dtype="boolean"), "row 2, column 1 is <NA>."),
    ],
)
def test_cells_that_are_refused(table, found):
    with pytest.raises(OptionError) as caught:
        cochran_q(table)
    assert caught.value.message == f"correct must be of 0 and 1, or False and True; {found}"


def test_counts_that_are_refused():
    with pytest.raises(ShapeError, match="one number for each of the 2 patterns"):
        cochran_q_of_patterns([[1, 0], [0, 1]], [1])
    for counts in ([1, -1], [1, np.nan], ["1", "2"]):
        with pytest.raises(OptionError, match="counts must be numbers of rows"):
            cochran_q_of_patterns([[1, 0], [0, 1]], counts)


@pytest.mark.parametrize("alternative", ["greater", "less"])
def test_no_sides(alternative):
    """More than two models have no direction; the word is taken, and refused when it names one."""
    with pytest.raises(OptionError, match="has no sides"):
        cochran_q([[1, 0, 1], [0, 1, 1]], alternative=alternative)
    with pytest.raises(OptionError, match="has no sides"):
        friedman([[1, 0, 1], [0, 1, 1]], alternative=alternative)
    assert cochran_q([[1, 0], [0, 1]], alternative="two-sided").p_value == 1
