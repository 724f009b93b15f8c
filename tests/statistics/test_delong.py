"""DeLong's test as users call it: its numbers, what it takes, and rows that say little."""

import itertools
import json

import numpy as np
import pandas as pd
import polars as pl
import pytest

import tallymark as tm

delong = tm.tests.delong
GENERATOR = np.random.default_rng(0)
Y = (GENERATOR.random(120) < 0.4).astype(int)
A, B = GENERATOR.normal(size=120) + 1.2 * Y, GENERATOR.normal(size=120) + 0.4 * Y


def test_areas_variances_interval_and_p_value_fit_together():
    found = delong(Y, A, B)
    one, two = tm.evaluate(Y, y_score=A)["auc"], tm.evaluate(Y, y_score=B)["auc"]
    assert (found.counts["auc_a"], found.counts["auc_b"]) == (one.value, two.value)
    assert found.counts["variance_a"] == pytest.approx(one.se**2)
    assert found.counts["variance_b"] == pytest.approx(two.se**2)
    assert found.value == one.value - two.value
    assert found.se**2 == pytest.approx(one.se**2 + two.se**2 - 2 * found.counts["covariance"])
    assert found.statistic == pytest.approx(found.value / found.se)
    assert delong(Y, A, B, confidence_level=1 - found.p_value).low == pytest.approx(0, abs=1e-9)
    times = np.random.default_rng(1).integers(1, 4, 120)
    counted = delong(Y, A, B, sample_weight=times, weight_kind="frequency")
    repeated = delong(*(np.repeat(each, times) for each in (Y, A, B)))
    assert (counted.statistic, counted.low) == pytest.approx((repeated.statistic, repeated.low))
    assert delong(Y, A, B, groups=np.arange(120) // 4).df <= 29
    # On other rows the variances add up.
    apart = tm.tests.delong_unpaired(Y, A, Y, B)
    assert apart.se**2 == pytest.approx(one.se**2 + two.se**2)


def test_columns_and_labels_of_any_kind():
    plain = delong(Y, A, B)
    for column in (list, tuple, np.array, pd.Series, pl.Series, np.float32):
        assert delong(Y, column(A), column(B)).p_value == pytest.approx(plain.p_value, rel=1e-4)
    words = np.where(Y, "yes", "no")
    assert delong(Y == 1, A, B).p_value == delong(words, A, B, "yes").p_value == plain.p_value
    assert delong(words, A, B, pos_label="no").value == pytest.approx(-plain.value)
    pooled = delong(np.where(Y, 2, np.arange(120) % 2), A, B, 2)
    assert pooled.p_value == plain.p_value
    assert pooled.note
    lacking = delong(Y, A, [None, *B[1:]], missing="drop")
    assert lacking.p_value == delong(Y[1:], A[1:], B[1:]).p_value
    assert lacking.note


def test_few_rows_and_one_class():
    none = delong(np.zeros(120, int), A, B)
    assert (none.value, none.p_value) == (None, None)
    assert none.why
    assert tm.tests.delong_unpaired(Y, A, np.ones(5, int), A[:5]).why
    scores = [([1, 0, 0, 0], [1, 0, 0, 0]), ([3, 2, 1, 0], [1, 2, 0, 0.5])]
    scores += [([1, 1, 1, 1], [3, 2, 1, 0]), ([5, 5, 5, 5], [1, 1, 1, 1])]
    for truth, (a, b) in itertools.product(([1, 0, 0, 0], [1, 1, 0, 0]), scores):
        found, back = delong(truth, a, b), delong(truth, b, a)
        json.dumps(found.to_dict(), allow_nan=False)
        assert 0 < found.p_value <= 1
        assert found.low <= found.value <= found.high
        assert (back.p_value, -back.high) == pytest.approx((found.p_value, found.low))
