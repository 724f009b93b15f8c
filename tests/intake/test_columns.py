from __future__ import annotations

import datetime as dt
import math
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tallymark.errors import ColumnError, LabelError, MissingValueError, ShapeError
from tallymark.intake.columns import array_places, is_missing, label_column, number_column
from tallymark.intake.rows import count_labels, gather

some = settings(max_examples=80, deadline=None)

NAT = np.datetime64("NaT", "D")
DATES = [dt.date(2024, 2, 29), dt.date(2023, 1, 1), dt.date(2024, 2, 29)]


def labels_of(values: Any) -> list[Any]:
    """Every row's label, None where it is missing."""
    column = label_column(values, "actual")
    found: list[Any] = [column.label(code) for code in column.values.tolist()]
    if column.missing is not None:
        found = [None if gone else label for label, gone in zip(found, column.missing, strict=True)]
    return found


def assert_labels(values: Any, expected: list[Any]) -> None:
    found = labels_of(values)
    assert found == expected
    assert [type(label) for label in found] == [type(label) for label in expected]


def refused(values: Any, error: type[Exception] = LabelError) -> Any:
    with pytest.raises(error) as caught:
        label_column(values, "actual")
    assert "\n" not in str(caught.value)
    return caught.value


# --- labels: what is taken ------------------------------------------------------------------------


@pytest.mark.parametrize("sequence", [list, tuple, lambda items: np.array(items, object), pd.Series])
@pytest.mark.parametrize(
    "labels", [[3, 1, -2, 3], [True, False, True], ["b", "a", "", "b"], [0], [2**62 + 1, -(2**63)]]
)
def test_sequences_of_one_family(sequence: Any, labels: list[Any]) -> None:
    assert_labels(sequence(labels), labels)


@pytest.mark.parametrize("kind", [*"bhilq", *"BHILQ", ">i4", "<i2", *"efdg"])
def test_number_arrays_of_every_type(kind: str) -> None:
    assert_labels(np.array([0, 1, 1, 100], np.dtype(kind)), [0, 1, 1, 100])


def test_boolean_arrays() -> None:
    assert_labels(np.array([True, False]), [True, False])


def test_whole_floats_are_integers() -> None:
    assert_labels([1.0, 0.0, -0.0, 2.0**62], [1, 0, 0, 2**62])
    assert_labels([1, 2.0, True], [1, 2, 1])


def test_text_arrays() -> None:
    assert_labels(np.array(["b", "a", "é"]), ["b", "a", "é"])
    assert_labels(np.array(["b", "a", ""], object), ["b", "a", ""])


def test_text_arrays_of_numpys_own_string_type() -> None:
    assert_labels(np.array(["b", "a"], np.dtypes.StringDType()), ["b", "a"])


def test_text_codes_are_places_in_sorted_names() -> None:
    column = label_column(["b", "a", "c", "a"], "actual")
    assert column.names == ("a", "b", "c")
    assert column.values.tolist() == [1, 0, 2, 0]
    assert column.missing is None


@pytest.mark.parametrize(
    ("scalars", "expected"),
    [
        ([np.int8(3), np.int64(4)], [3, 4]),
        ([np.float32(3), np.float64(4)], [3, 4]),
        ([np.bool_(True), np.bool_(False)], [True, False]),
        ([np.str_("b"), np.str_("a")], ["b", "a"]),
        ([Decimal("3"), Decimal("4.0")], [3, 4]),
        ([Fraction(6, 2), 4], [3, 4]),
        ([True, 2], [1, 2]),
        ([True, np.bool_(False)], [True, False]),
        ([np.uint64(2**62), 0], [2**62, 0]),
    ],
)
def test_scalars_of_other_types_become_plain_labels(scalars: list[Any], expected: list[Any]) -> None:
    assert_labels(scalars, expected)
    assert_labels(tuple(scalars), expected)
    assert_labels(np.array(scalars, object), expected)


@pytest.mark.parametrize("labels", [["b", "a"], [1, 0], [True, False], [1.5, 2.5]])
def test_a_list_of_an_arrays_items_is_as_good_as_the_array(labels: list[Any]) -> None:
    array = np.array(labels)
    if array.dtype.kind == "f":
        assert refused(list(array)).hint == refused(array).hint
    else:
        assert_labels(list(array), labels_of(array))


def test_dates_stay_text() -> None:
    expected = ["2024-02-29", "2023-01-01", "2024-02-29"]
    assert_labels(DATES, expected)
    assert_labels(np.array(DATES, "datetime64[D]"), expected)
    assert_labels(np.array(DATES, object), expected)


def test_times_are_text_too() -> None:
    assert labels_of([dt.datetime(2024, 2, 29, 12, 30)]) == ["2024-02-29 12:30:00"]


@pytest.mark.parametrize(
    "dates",
    [
        np.array(["10000-01-01", "2020-01-01"], "datetime64[D]"),
        np.array(["2020-01-01T00:00:00.000000001", "2020-01-01T00:00:00.000000002"], "datetime64[ns]"),
        np.array([1, 2], "datetime64[ps]"),
    ],
    ids=["year 10000", "nanoseconds", "picoseconds"],
)
def test_dates_that_pythons_own_cannot_hold_are_never_numbers_and_never_one(dates: Any) -> None:
    """Converted carelessly, they turn into counts of days, or two of them into one."""
    found = labels_of(dates)
    assert len(set(found)) == 2
    assert not any(isinstance(label, int) or label.isdigit() for label in found)


def test_columns_of_arrow() -> None:
    assert_labels(pa.array([1, None, 2**60 + 1]), [1, None, 2**60 + 1])
    assert_labels(pa.chunked_array([["b"], ["a", None]]), ["b", "a", None])


def test_one_column_of_two_dimensions_is_a_column() -> None:
    assert_labels(np.array([[3], [4]]), [3, 4])
    assert_labels(np.array([["b"], ["a"]], object), ["b", "a"])


def test_no_rows_are_a_column_of_none() -> None:
    for nothing in ([], (), np.empty(0), np.empty(0, object), np.empty((0, 1))):
        assert len(label_column(nothing, "actual")) == 0


@some
@given(st.lists(st.integers(-(2**63), 2**63 - 1)) | st.lists(st.booleans()) | st.lists(st.text()))
def test_what_goes_in_comes_out(labels: list[Any]) -> None:
    assert_labels(labels, labels)


# --- labels: what is missing ----------------------------------------------------------------------


@pytest.mark.parametrize("nothing", [None, math.nan, np.nan, np.float64("nan"), pd.NA, pd.NaT])
@pytest.mark.parametrize("labels", [[1, 0], ["b", "a"], [True, False], [DATES[0], DATES[1]], [Decimal(1), 0]])
@pytest.mark.parametrize("sequence", [list, lambda items: np.array(items, object)])
def test_missing_values_among_labels(nothing: Any, labels: list[Any], sequence: Any) -> None:
    plain = [str(label) if isinstance(label, dt.date) else label for label in labels]
    plain = [int(label) if isinstance(label, Decimal) else label for label in plain]
    assert_labels(sequence([labels[0], nothing, labels[1]]), [plain[0], None, plain[1]])


def test_missing_values_in_float_arrays() -> None:
    for kind in ("e", "f", "d", "g"):
        assert_labels(np.array([1, math.nan, 0], np.dtype(kind)), [1, None, 0])


def test_missing_values_in_date_arrays() -> None:
    assert_labels(np.array(["2024-02-29", "NaT"], "datetime64[D]"), ["2024-02-29", None])


@pytest.mark.parametrize("nothing", [np.float32("nan"), np.float16("nan"), Decimal("NaN"), NAT])
def test_missing_values_of_other_types(nothing: Any) -> None:
    assert is_missing(nothing)
    assert_labels([1, nothing, 0], [1, None, 0])


def test_masked_values_are_missing() -> None:
    masked = np.ma.array([1, 0, 1], mask=[False, True, False])
    assert_labels(masked, [1, None, 1])


def test_a_column_of_nothing_is_all_missing() -> None:
    for nothing in ([None, None], [math.nan], np.array([None, pd.NA], object)):
        column = label_column(nothing, "actual")
        assert column.missing is not None
        assert column.missing.all()


@pytest.mark.parametrize("value", [0, "", "NA", "nan", "None", False, math.inf, b"", dt.date.min])
def test_what_only_looks_missing_is_not(value: Any) -> None:
    assert not is_missing(value)


def test_the_place_of_a_missing_text_is_no_label() -> None:
    assert label_column(["b", None, "a"], "actual").names == ("a", "b")


def test_a_missing_label_does_not_hide_that_two_columns_are_written_differently() -> None:
    columns = label_column(["0", "1", None], "actual"), label_column(["False", "True", "True"], "predicted")
    rows = gather(*columns, None, (), missing="drop", where=array_places)
    with pytest.raises(LabelError, match="says 0/1 and the other False/True"):
        count_labels(rows, None)


def test_missing_labels_are_reported_with_their_places() -> None:
    actual = label_column(["a", None, "b", math.nan, pd.NA, None], "actual")
    predicted = label_column(["a", "a", "b", "b", "b", "b"], "predicted")
    with pytest.raises(MissingValueError) as caught:
        gather(actual, predicted, None, (), missing="error", where=array_places)
    assert caught.value.message == (
        "actual is missing in 4 of 6 rows, at positions 1, 3, 4 and 1 more (counted from 0)."
    )
    assert caught.value.hint is not None
    assert "missing='drop'" in caught.value.hint


# --- labels: what is refused ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (["a", 1], "actual mixes text with int: 1 at position 1 (counted from 0)."),
        ([None, 2.5, "a"], "actual mixes text with float: 2.5 at position 1 (counted from 0)."),
        (["a", True], "actual mixes text with bool: True at position 1 (counted from 0)."),
        (
            ["a", DATES[0]],
            "actual mixes text with date: datetime.date(2024, 2, 29) at position 1 (counted from 0).",
        ),
        (["a", b"b"], "actual mixes text with bytes: b'b' at position 1 (counted from 0)."),
    ],
)
def test_text_mixed_with_something_else_is_refused(values: list[Any], message: str) -> None:
    for sequence in (values, tuple(values), np.array(values, object)):
        error = refused(sequence)
        assert error.message == message
        assert error.hint == "write every label the same way."


def test_dates_mixed_with_numbers_are_refused() -> None:
    assert refused([DATES[0], 1]).hint == "write every label the same way."


@pytest.mark.parametrize("values", [[b"yes"], [b"1", b"0"], np.array([b"yes"]), np.array([b"1"], object)])
def test_bytes_are_refused_with_the_way_out(values: Any) -> None:
    assert refused(values).hint == "decode bytes to text first."


@pytest.mark.parametrize(
    "values",
    [
        [1.0, 0.0, 0.5, 0.25],
        (1.0, 0.0, 0.5),
        np.array([1, 0, 0.5]),
        np.array([1, math.nan, 0.5], np.float32),
        np.array([[1], [0], [0.5]]),
    ],
)
def test_fractions_are_refused_with_their_place(values: Any) -> None:
    error = refused(values)
    assert error.message == (
        "actual holds 0.5 at position 2 (counted from 0); labels are text, whole numbers or booleans."
    )
    assert (
        error.hint
        == "numbers between classes are scores: pass them as the score, or as text if they are classes."
    )


@pytest.mark.parametrize(
    "values", [[1, 0, 0.5], [1, None, 0.5], [0, True, Decimal("0.5")], np.array([0, 1, 0.5], object)]
)
def test_fractions_among_other_things_are_refused_with_their_place(values: Any) -> None:
    error = refused(values)
    assert "0.5" in error.message
    assert "at position 2 (counted from 0)" in error.message
    assert (
        error.hint
        == "numbers between classes are scores: pass them as the score, or as text if they are classes."
    )


@pytest.mark.parametrize("infinite", [math.inf, -math.inf])
def test_infinity_is_no_label(infinite: float) -> None:
    assert f"holds {infinite!r} at position 1" in refused([0.0, infinite]).message
    assert f"holds {infinite!r}" in refused([0, infinite]).message


@pytest.mark.parametrize(
    "values",
    [
        [2**63],
        [2**64, 0],
        [-(2**63) - 1],
        [2**63, -1],
        [2**63, None],
        [2**63, -1, None],
        np.array([2**63], np.uint64),
        np.array([10**30, 1], object),
        [np.uint64(2**63), 1],
        [Decimal(2**70), 1],
    ],
)
def test_whole_numbers_beyond_64_bits_are_refused_with_the_way_out(values: Any) -> None:
    error = refused(values)
    assert error.message == "actual has whole numbers from 2**63 up or below -2**63."
    assert error.hint == "pass such labels as text."


@pytest.mark.parametrize(
    "values",
    [
        np.zeros((2, 2)),
        np.zeros((1, 3), int),
        np.zeros((2, 1, 1)),
        np.array(5),
        [[0, 1], [1, 0]],
        [np.array([1, 2]), np.array([3])],
        [{"a"}],
        [{"a": 1}],
    ],
)
def test_more_than_one_label_per_row_is_refused(values: Any) -> None:
    assert refused(values, ShapeError).message.startswith("actual must h")


@pytest.mark.parametrize("values", ["text", b"bytes", 5, None, (label for label in "ab"), {1, 2}, {"a": 1}])
def test_what_is_no_column_is_refused(values: Any) -> None:
    error = refused(values, ShapeError)
    assert error.message == f"actual must be a column of values; got {type(values).__name__}."


def test_a_frame_is_not_read_as_the_names_of_its_columns() -> None:
    assert_labels(pd.DataFrame({"y": [1, 0]}), [1, 0])
    refused(pd.DataFrame({"y": [1, 0], "z": [1, 0]}), ShapeError)


@pytest.mark.parametrize(
    "values",
    [
        np.array([1j]),
        np.array([(1, 2)], "i4,i4"),
        np.array([1, 2], "timedelta64[D]"),
        [dt.timedelta(1)],
        [1j],
        [object()],
        [len],
        [Decimal("sNaN"), 1],
    ],
)
def test_other_types_are_refused(values: Any) -> None:
    assert "labels are text, whole numbers or booleans" in refused(values).message


# --- numbers --------------------------------------------------------------------------------------


def numbers_of(values: Any) -> list[float | None]:
    column = number_column(values, "score")
    assert column.values.dtype == np.float64
    gone = np.isnan(column.values)
    assert (column.missing is None) == (not gone.any())
    if column.missing is not None:
        np.testing.assert_array_equal(column.missing, gone)
    return [None if missing else number for number, missing in zip(column.values.tolist(), gone, strict=True)]


@pytest.mark.parametrize("kind", ["?", *"bhilq", *"BHILQ", *"efdg", ">f8"])
def test_number_arrays(kind: str) -> None:
    assert numbers_of(np.array([0, 1, 1], np.dtype(kind))) == [0.0, 1.0, 1.0]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([0.25, 1.0], [0.25, 1.0]),
        ((1, 0), [1.0, 0.0]),
        ([1, 0.5], [1.0, 0.5]),
        ([True, False], [1.0, 0.0]),
        ([Decimal("0.25"), Fraction(1, 2)], [0.25, 0.5]),
        ([np.float32(0.5), np.int8(3)], [0.5, 3.0]),
        ([10**30, -1], [1e30, -1.0]),
        (np.array([[0.5], [0.75]]), [0.5, 0.75]),
        (pd.Series([0.5, 2]), [0.5, 2.0]),
        ([], []),
        ([-0.0, 5e-324, 1.7976931348623157e308], [0.0, 5e-324, 1.7976931348623157e308]),
    ],
)
def test_numbers(values: Any, expected: list[float]) -> None:
    assert numbers_of(values) == expected


@pytest.mark.parametrize(
    "nothing", [None, math.nan, np.float32("nan"), pd.NA, pd.NaT, Decimal("NaN")], ids=repr
)
def test_missing_numbers(nothing: Any) -> None:
    assert numbers_of([0.5, nothing, 1]) == [0.5, None, 1.0]
    assert numbers_of(np.array([0.5, nothing, 1], object)) == [0.5, None, 1.0]


def test_missing_numbers_in_float_arrays() -> None:
    assert numbers_of(np.array([0.5, math.nan], np.float32)) == [0.5, None]


def test_masked_numbers_are_missing() -> None:
    assert numbers_of(np.ma.array([0.5, 1.0], mask=[False, True])) == [0.5, None]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([0.5, math.inf], "score is infinite in 1 row, at position 1 (counted from 0)"),
        ([math.inf, -math.inf, 1.0], "score is infinite in 2 rows, at positions 0, 1 (counted from 0)"),
        (np.array([math.inf] * 5), "score is infinite in 5 rows, at positions 0, 1, 2 and 2 more"),
        ([None, math.inf], "score is infinite in 1 row, at position 1 (counted from 0)"),
        ([Decimal("Infinity"), 1], "score is infinite in 1 row, at position 0 (counted from 0)"),
        ([0.5, "0.5"], "score holds '0.5' at position 1 (counted from 0); a number is expected."),
        (["a"], "score holds 'a' at position 0 (counted from 0); a number is expected."),
        ([0.5, b"1"], "score holds b'1' at position 1 (counted from 0); a number is expected."),
        ([1, 1j], "score holds 1j at position 1 (counted from 0); a number is expected."),
        ([1, Decimal("sNaN")], "score holds Decimal('sNaN') at position 1 (counted from 0)"),
        ([1, DATES[0]], "score holds datetime.date(2024, 2, 29) at position 1 (counted from 0)"),
        ([[0.5], [0.5, 1]], "score holds [0.5] at position 0 (counted from 0); a number is expected."),
        (np.array(["0.5"]), "score holds <U3 values; numbers are expected."),
        (np.array([b"1"]), "score holds |S1 values; numbers are expected."),
        (np.array([1j]), "score holds complex128 values; numbers are expected."),
        (np.array(["2024"], "datetime64[Y]"), "score holds datetime64[Y] values; numbers are expected."),
    ],
)
def test_what_is_no_finite_number_is_refused(values: Any, message: str) -> None:
    with pytest.raises(ColumnError) as caught:
        number_column(values, "score")
    assert caught.value.message.startswith(message)


@pytest.mark.parametrize("values", [[10**400], [0.5, 10**400], [None, Decimal("1e400")]])
def test_numbers_too_large_for_a_float_are_refused(values: list[Any]) -> None:
    with pytest.raises(ColumnError, match=f"at position {len(values) - 1}"):
        number_column(values, "score")


def test_numbers_that_only_a_wider_float_holds_are_refused() -> None:
    with pytest.raises(ColumnError, match="infinite in 1 row"):
        number_column(np.array([np.longdouble("1e400"), 1]), "score")


@pytest.mark.parametrize("values", [np.zeros((2, 2)), np.array(0.5), "0.5", 0.5, None])
def test_scores_of_another_shape_are_refused(values: Any) -> None:
    with pytest.raises(ShapeError, match="score must"):
        number_column(values, "score")


@some
@given(st.lists(st.floats(allow_nan=False, allow_infinity=False)))
def test_numbers_come_out_as_they_went_in(numbers: list[float]) -> None:
    assert numbers_of(numbers) == numbers
    assert numbers_of(np.array(numbers)) == numbers
    assert numbers_of(tuple(map(np.float64, numbers))) == numbers


# --- leaving rows out -----------------------------------------------------------------------------


def test_without_takes_rows_out_of_both_kinds() -> None:
    gone = np.array([True, False, False])
    labels, numbers = label_column(["c", "a", "b"], "actual"), number_column([1, 2, 3], "score")
    assert [labels.without(gone).label(code) for code in labels.without(gone).values] == ["a", "b"]
    assert numbers.without(gone).values.tolist() == [2.0, 3.0]
    assert (len(labels), len(numbers)) == (3, 3)


@pytest.mark.parametrize(
    ("rows", "text"),
    [
        ([4], "position 4 (counted from 0)"),
        ([1, 2, 3], "positions 1, 2, 3 (counted from 0)"),
        (list(range(2_000)), "positions 0, 1, 2 and 1,997 more (counted from 0)"),
        ([np.int64(7)], "position 7 (counted from 0)"),
    ],
)
def test_places_in_an_array(rows: list[int], text: str) -> None:
    assert array_places(rows) == text
