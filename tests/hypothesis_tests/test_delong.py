"""DeLong's test as users call it: what it takes, what it refuses, what it says."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import polars as pl
import pytest

import tallymark as tm
from tallymark.errors import ColumnError, LabelError, MissingValueError, OptionError, ShapeError
from tallymark.tests.delong import delong, delong_unpaired

GENERATOR = np.random.default_rng(0)
Y = (GENERATOR.random(120) < 0.4).astype(int)
A, B = GENERATOR.normal(size=120) + 1.2 * Y, GENERATOR.normal(size=120) + 0.4 * Y


def test_areas_and_their_spread_are_those_of_evaluate():
    found = delong(Y, A, B)
    one, two = tm.evaluate(Y, y_score=A)["auc"], tm.evaluate(Y, y_score=B)["auc"]
    assert (found.counts["auc_a"], found.counts["auc_b"]) == (one.value, two.value)
    assert found.counts["variance_a"] == pytest.approx(one.se**2)
    assert found.counts["variance_b"] == pytest.approx(two.se**2)
    assert found.value == one.value - two.value
    assert found.se**2 == pytest.approx(one.se**2 + two.se**2 - 2 * found.counts["covariance"])
    assert found.statistic == pytest.approx(found.value / found.se)


def test_the_interval_ends_at_0_where_the_p_value_says():
    found = delong(Y, A, B)
    at = delong(Y, A, B, confidence_level=1 - found.p_value)
    assert at.low == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("as_column", [list, tuple, np.array, pd.Series, pl.Series, np.float32])
def test_columns_of_any_library(as_column):
    assert delong(Y, as_column(A), as_column(B)).p_value == pytest.approx(delong(Y, A, B).p_value, rel=1e-4)


def test_labels_of_any_kind():
    plain = delong(Y, A, B).p_value
    assert delong(Y == 1, A, B).p_value == plain
    assert delong(np.where(Y, "yes", "no"), A, B, "yes").p_value == plain
    turned = delong(np.where(Y, "yes", "no"), A, B, pos_label="no")
    assert turned.value == pytest.approx(-delong(Y, A, B).value)
    pooled = delong(np.where(Y, 2, np.arange(120) % 2), A, B, 2)
    assert pooled.p_value == plain
    assert "pooled" in pooled.note


def test_frequencies_are_rows():
    times = np.random.default_rng(1).integers(1, 4, 120)
    counted = delong(Y, A, B, sample_weight=times, weight_kind="frequency")
    repeated = delong(*(np.repeat(each, times) for each in (Y, A, B)))
    assert (counted.statistic, counted.low) == pytest.approx((repeated.statistic, repeated.low))


def test_groups_have_students_distribution():
    found = delong(Y, A, B, groups=np.arange(120) // 4)
    assert found.df <= 29
    assert "groups (30" in found.assumption


def test_rows_that_lack_a_score_are_left_out_of_both():
    lacking = [None, *B[1:]]
    found = delong(Y, A, lacking, missing="drop")
    assert found.p_value == delong(Y[1:], A[1:], B[1:]).p_value
    assert found.note == "1 row left out: missing_score_b"
    with pytest.raises(MissingValueError, match="score_b is missing in 1 of 120 rows"):
        delong(Y, A, lacking)


def test_one_class_is_no_test_and_no_error():
    found = delong(np.zeros(120, int), A, B)
    assert (found.value, found.p_value) == (None, None)
    assert found.why == "no row is actually positive (positives = 0)"
    unpaired = delong_unpaired(Y, A, np.ones(5, int), A[:5])
    assert unpaired.why == "b: no row is actually negative (negatives = 0)"


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ([1, 0, 0, 0], [1, 0, 0, 0]),
        ([3, 2, 1, 0], [1, 2, 0, 0.5]),
        ([1, 1, 1, 1], [3, 2, 1, 0]),
        ([5, 5, 5, 5], [1, 1, 1, 1]),
    ],
)
def test_few_rows_never_give_numbers_that_are_none(a, b):
    for truth in ([1, 0, 0, 0], [1, 1, 0, 0]):
        found = delong(truth, a, b)
        json.dumps(found.to_dict(), allow_nan=False)
        assert 0 < found.p_value <= 1
        assert found.low <= found.value <= found.high
        back = delong(truth, b, a)
        assert (back.p_value, -back.high) == pytest.approx((found.p_value, found.low))


def test_what_it_refuses():
    with pytest.raises(ShapeError, match="y_true has 120 rows and score_a has 5"):
        delong(Y, A[:5], B)
    with pytest.raises(ShapeError, match=r"score_b has 2 columns.*\[:, 1\]"):
        delong(Y, A, np.column_stack([B, B]))
    with pytest.raises(ShapeError, match="no rows"):
        delong([], [], [])
    with pytest.raises(ShapeError, match="one group"):
        delong(Y, A, B, groups=np.zeros(120, int))
    with pytest.raises(ShapeError, match="same index in different order"):
        delong(pd.Series(Y), pd.Series(A), pd.Series(B)[::-1])
    with pytest.raises(LabelError, match="positive class"):
        delong(np.where(Y, "yes", "no"), A, B)
    with pytest.raises(ColumnError, match="score_b holds 'x'"):
        delong(Y, A, ["x"] * 120)
    with pytest.raises(ColumnError, match="score_a is infinite"):
        delong(Y, np.where(A > 0, np.inf, A), B)
    with pytest.raises(OptionError, match="alternative must be"):
        delong(Y, A, B, alternative="both")
    with pytest.raises(OptionError, match="confidence_level"):
        delong(Y, A, B, confidence_level=95)
    with pytest.raises(OptionError, match="no weights"):
        delong(Y, A, B, weight_kind="frequency")
