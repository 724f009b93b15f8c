"""Which class each probability column is about, also where answers stand beside them."""

from __future__ import annotations

import polars as pl
import pytest

import tallymark as tm
from tallymark.errors import LabelError
from tallymark.intake.probabilities import ordered_classes, prefixed

ROWS = pl.DataFrame(
    {
        "y": ["a", "b", "a", "b"],
        "said": ["b", "b", "a", "b"],
        "p_c": [0.1, 0.1, 0.4, 0.7],
        "p_a": [0.6, 0.2, 0.3, 0.1],
        "p_b": [0.3, 0.7, 0.3, 0.2],
    }
)
COLUMNS = ["p_c", "p_a", "p_b"]


def test_a_class_without_rows_is_one_all_the_same():
    """Its column stands before the others, which must still be those of their own classes."""
    for options in ({}, {"predicted": "said"}):
        ev = tm.evaluate(ROWS, actual="y", probabilities=COLUMNS, **options)
        assert ev.labels == ("a", "b", "c")
        # a: 0.6 and 0.3 against 0.2 and 0.1; b: 0.7 and 0.2 against 0.3 and 0.3.
        assert [ev.per_class[label]["auc"].value for label in ev.labels] == [1.0, 0.5, None]
        assert ev["brier"].value == pytest.approx((0.26 + 0.14 + 0.74 + 1.14) / 4)


def test_answers_that_no_column_is_about():
    rows = ROWS.with_columns(said=pl.lit("d"))
    with pytest.raises(LabelError, match=r"no probability column is about \['d'\]"):
        tm.evaluate(rows, actual="y", predicted="said", probabilities=COLUMNS)


def test_labels_that_came_as_text_are_numbers_if_all_are():
    assert ordered_classes(["10", "2"], None, text=True) == ([10, 2], (2, 10))
    assert ordered_classes([10, 2, "x"], None, text=True) == (["10", "2", "x"], ("10", "2", "x"))
    assert ordered_classes([2, 10], [10, 2], text=False) == ([2, 10], (10, 2))
    with pytest.raises(LabelError, match="both came"):
        ordered_classes([10, "x"], None, text=False)
    with pytest.raises(LabelError, match="several probability columns"):
        ordered_classes(["1", "1.0"], None, text=True)


def test_a_prefix_is_one_that_all_names_have():
    assert prefixed(["p_a", "p_b"]) == [["p_a", "p_b"], ["a", "b"]]
    assert prefixed(["p_a", "b"]) == [["p_a", "b"]]
