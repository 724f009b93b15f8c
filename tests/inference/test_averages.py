"""Averages over classes, some of which have nothing to average."""

from __future__ import annotations

import numpy as np

from tallymark.inference.averages import averaged, mean_of_classes


def test_classes_without_a_value_are_left_out_or_counted_as_said() -> None:
    values = np.array([0.5, np.nan, 1.0])
    assert mean_of_classes(values, np.array([1.0, 0.0, 3.0]), None) == 3.5 / 4
    assert mean_of_classes(values, np.ones(3), 0.0) == 0.5
    assert mean_of_classes(values, np.ones(3), 1.0) == 2.5 / 3


def test_what_is_said_of_them() -> None:
    missing = np.array([False, True, False])
    assert averaged("abc", np.zeros(3, np.bool_), None) is None
    assert averaged("abc", missing, None) == "2 of 3 classes; undefined for ['b']"
    assert averaged("abc", missing, 0.0) == "undefined for ['b'], counted as 0"
