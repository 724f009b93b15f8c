"""The door for weights: what is refused, where, and what is said."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tallymark as tm
from tallymark.errors import ColumnError, MissingValueError, OptionError, ShapeError, TallymarkError
from tallymark.intake.columns import NumberColumn, array_places
from tallymark.intake.weights import WeightKind, checked_weights

ACTUAL, PREDICTED = [1, 0, 1, 0], [1, 0, 0, 1]


def checked(values: Any, kind: WeightKind = "sampling") -> Any:
    return checked_weights(NumberColumn("weight", np.array(values, float)), kind, array_places)


def refused(weight: Any, error: type[TallymarkError] = ColumnError, **options: Any) -> str:
    with pytest.raises(error) as caught:
        tm.evaluate(ACTUAL, PREDICTED, sample_weight=weight, **options)
    return str(caught.value)


def test_whole_weights_stay_whole_and_others_do_not() -> None:
    assert checked([1, 2, 3]).dtype == np.int64
    assert checked([1.0, 2.0, 0.0]).dtype == np.int64
    assert checked([1, 2.5]).dtype == np.float64


def test_whole_weights_past_exact_sums_become_fractions() -> None:
    assert checked([2**52, 2**52 - 1]).dtype == np.int64
    assert checked([2**53, 1]).dtype == np.float64  # whose sum as floats is 2**53
    assert checked([2**53, 2**53]).dtype == np.float64


@pytest.mark.parametrize(
    ("weight", "said"),
    [
        (
            [1, -2, 3, -4.5],
            "weight holds -2, -4.5 at positions 1, 3 (counted from 0); weights are 0 or more.",
        ),
        ([1, 1, 1, -0.5], "weight holds -0.5 at position 3 (counted from 0); weights are 0 or more."),
        ([0, 0, 0, 0], "weight is 0 in every row, so no row would count."),
        ([-0.0, 0, 0, 0], "weight is 0 in every row, so no row would count."),
        (
            [1, 1e300, 1, 1],
            "weight holds 1e+300 at position 1 (counted from 0); the largest weight must lie between "
            "1e-50 and 1e+50. Hint: divide all weights by the same number: only their ratios matter.",
        ),
        (
            [1e-60] * 4,
            "weight holds 1e-60 at positions 0, 1, 2 and 1 more (counted from 0); the largest weight must "
            "lie between 1e-50 and 1e+50. Hint: divide all weights by the same number: only their ratios "
            "matter.",
        ),
    ],
)
def test_numbers_that_are_no_weights(weight: list[float], said: str) -> None:
    assert refused(weight) == said


@pytest.mark.parametrize("weight", [["a", "b", "c", "d"], ["1", "2", "3", "4"], [1, 2, "x", 4]])
def test_text_is_no_weight(weight: list[Any]) -> None:
    assert "weight" in refused(weight)


@pytest.mark.parametrize("bad", [float("inf"), float("-inf")])
def test_an_infinite_weight_is_named_with_its_place(bad: float) -> None:
    said = refused([1, 1, bad, 1])
    assert "weight" in said
    assert "position 2" in said


@pytest.mark.parametrize("nothing", [None, float("nan")])
def test_a_missing_weight_is_an_error_or_is_dropped_and_counted(nothing: Any) -> None:
    weight = [1, nothing, 1, 1]
    said = refused(weight, MissingValueError)
    assert said.startswith("weight is missing in 1 of 4 rows, at position 1 (counted from 0).")
    assert "missing='drop'" in said
    ev = tm.evaluate(ACTUAL, PREDICTED, sample_weight=weight, missing="drop")
    assert ev.dropped == {"missing_weight": 1}
    assert ev.rows == 3


def test_places_are_those_before_rows_were_dropped() -> None:
    with pytest.raises(ColumnError, match="holds -1 at position 3"):
        tm.evaluate([1, 0, 1, 0], [1, None, 0, 1], sample_weight=[1, 1, 1, -1], missing="drop")


def test_the_only_weights_left_after_dropping_are_all_zero() -> None:
    with pytest.raises(ColumnError, match="0 in every row"):
        tm.evaluate([1, 0, 1], [1, 0, 0], sample_weight=[0, None, 0], missing="drop")


def test_as_many_weights_as_rows() -> None:
    assert refused([1, 2, 3], ShapeError) == "actual has 4 rows and weight has 3."


@pytest.mark.parametrize("kind", ["freq", "", None, "FREQUENCY"])
def test_the_kind_is_one_of_two(kind: Any) -> None:
    said = refused([1, 1, 1, 1], OptionError, weight_kind=kind)
    assert said == f"weight_kind must be one of sampling, frequency; got {kind!r}."


def test_frequencies_are_whole() -> None:
    said = refused([1, 2.5, 1, 1], weight_kind="frequency")
    assert said.startswith("weight holds 2.5 at position 1 (counted from 0); frequencies are whole numbers.")
    assert "weight_kind='sampling'" in said
    assert checked([1.0, 2.0], "frequency").tolist() == [1, 2]


def test_frequencies_add_up_to_what_can_be_counted() -> None:
    said = refused([2**52, 2**52, 2, 1], weight_kind="frequency")
    assert said == "weight adds up to 2**53 rows or more, which could not be counted exactly."


def test_two_words_for_one_thing() -> None:
    with pytest.raises(OptionError, match="two words for one thing"):
        tm.evaluate(ACTUAL, PREDICTED, weight=[1] * 4, sample_weight=[1] * 4)


def test_a_name_of_a_column_beside_arrays() -> None:
    assert refused("w", OptionError).startswith("weight='w' is a name of a column, and arrays have none.")


def test_rows_without_weight_are_said() -> None:
    ev = tm.evaluate(ACTUAL, PREDICTED, sample_weight=[1, 0, 0, 2])
    assert ev.notes == ("2 rows have weight 0 and count for nothing.",)
    assert ev.rows == 2
    assert ev["accuracy"].value == pytest.approx(1 / 3)
    single = tm.evaluate(ACTUAL, PREDICTED, sample_weight=[1, 0, 1, 2])
    assert single.notes[0].startswith("1 row has weight 0 and count")


def test_frequencies_are_said() -> None:
    ev = tm.evaluate(ACTUAL, PREDICTED, sample_weight=[5, 1, 2, 2], weight_kind="frequency")
    assert ev.notes == ("weights are frequencies: 4 lines stand for 10 rows.",)
    assert ev.rows == 10


def test_booleans_keep_or_leave_a_row() -> None:
    ev = tm.evaluate(ACTUAL, PREDICTED, sample_weight=np.array([True, True, False, True]))
    assert ev["accuracy"].value == pytest.approx(2 / 3)
