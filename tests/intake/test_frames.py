"""Every data frame library gives the tally that plain lists give, whatever type a column has."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import tallymark as tm
from tallymark.evaluation import Evaluation, evaluate

Frame = Callable[[dict[str, Any]], Any]

LIBRARIES: dict[str, Frame] = {
    "pandas": pd.DataFrame,
    "pandas on arrow": lambda columns: pd.DataFrame(columns).convert_dtypes(dtype_backend="pyarrow"),
    "polars": pl.DataFrame,
    "polars lazy": pl.LazyFrame,
    "pyarrow": pa.table,
}
every_library = pytest.mark.parametrize("frame", LIBRARIES.values(), ids=LIBRARIES)


def same(one: Evaluation, other: Evaluation) -> None:
    assert one.confusion == other.confusion
    assert [type(label) for label in one.labels] == [type(label) for label in other.labels]
    assert (one.positive, one.threshold, one.dropped) == (other.positive, other.threshold, other.dropped)
    assert one.notes == other.notes


def refusal(error: type[tm.TallymarkError], *data: Any, **options: Any) -> tm.TallymarkError:
    with pytest.raises(error) as caught:
        evaluate(*data, **options)
    assert "\n" not in str(caught.value)
    return caught.value


# --- one test body for every library ----------------------------------------------------------------

LABELS: dict[str, tuple[list[Any], list[Any]]] = {
    "text": (["b", "a", "c", "a"], ["b", "b", "c", "a"]),
    "text with missing": (["b", None, "c", "a"], ["b", "b", None, "a"]),
    "number text": (["10", "9", "9", "0"], ["9", "9", "10", "0"]),
    "integers": ([10, 9, 9, -1], [9, 9, 10, -1]),
    "integers with missing": ([10, None, 9, -1], [9, 9, None, -1]),
    "integers beyond 2**53": ([2**53, 2**53 + 1, 2**62 + 1, 0], [2**53 + 1] * 4),
    "booleans": ([True, False, True, True], [True, True, False, True]),
    "booleans with missing": ([True, None, True, False], [True, True, None, False]),
    "booleans and integers": ([True, False, True, True], [1, 1, 0, 1]),
    "whole floats": ([1.0, 0.0, 1.0, 1.0], [1.0, 1.0, 0.0, 1.0]),
    "whole floats with NaN": ([1.0, math.nan, 1.0, 0.0], [1.0, 1.0, 0.0, 0.0]),
    "decimals": ([Decimal("1.0"), Decimal("0.0"), None, Decimal("2.0")], [1, 0, 1, 1]),
    "dates": ([dt.date(2024, 1, 2), dt.date(2024, 1, 1)] * 2, [dt.date(2024, 1, 2)] * 4),
    "dates with missing": ([dt.date(2024, 1, 2), None] * 2, [dt.date(2024, 1, 2)] * 4),
    "times of day": (
        [dt.datetime(2024, 1, 2, 3, 4), dt.datetime(2024, 1, 1)] * 2,
        [dt.datetime(2024, 1, 1)] * 4,
    ),
    "one class": ([1, 1, 1, 1], [1, 1, 1, 1]),
}


@every_library
@pytest.mark.parametrize(("actual", "predicted"), LABELS.values(), ids=LABELS)
def test_labels_are_counted_as_from_lists(frame: Frame, actual: list[Any], predicted: list[Any]) -> None:
    data = frame({"y": actual, "x": [0, 0, 0, 0], "p": predicted})
    expected = evaluate(actual, predicted, missing="drop")
    same(evaluate(data, actual="y", predicted="p", missing="drop"), expected)
    assert expected.rows == sum(
        a is not None and a == a and p is not None for a, p in zip(actual, predicted, strict=True)
    )


@every_library
def test_scores_are_cut_as_from_lists(frame: Frame) -> None:
    actual, score = ["no", "yes", "yes", "no"], [0.1, 0.5, None, 0.7]
    data = frame({"y": actual, "s": score})
    same(
        evaluate(data, actual="y", score="s", pos_label="yes", missing="drop"),
        evaluate(actual, y_score=score, pos_label="yes", missing="drop"),
    )


@every_library
def test_probabilities_are_read_as_from_lists(frame: Frame) -> None:
    actual, table = ["a", "b", "b"], [[0.2, 0.8], [0.5, 0.5], [0.9, 0.1]]
    data = frame({"y": actual, "p_b": [row[1] for row in table], "p_a": [row[0] for row in table]})
    same(
        evaluate(data, actual="y", probabilities=["p_b", "p_a"], labels=["a", "b"]),
        evaluate(actual, y_score=table, labels=["a", "b"]),
    )


@every_library
def test_columns_are_taken_one_by_one_too(frame: Frame) -> None:
    data = frame({"y": ["a", "b", None], "p": ["a", "a", "b"]})
    eager = data.collect() if isinstance(data, pl.LazyFrame) else data
    same(
        evaluate(eager["y"], eager["p"], missing="drop"),
        evaluate(data, actual="y", predicted="p", missing="drop"),
    )


@every_library
def test_a_frame_of_one_column_is_that_column(frame: Frame) -> None:
    labels, answers, scores = frame({"y": [0, 1, 1]}), frame({"p": [0, 1, 0]}), frame({"s": [0.1, 0.9, 0.2]})
    same(evaluate(labels, answers), evaluate([0, 1, 1], [0, 1, 0]))
    same(evaluate(labels, y_score=scores), evaluate([0, 1, 1], y_score=[0.1, 0.9, 0.2]))


@every_library
def test_missing_values_are_counted_and_placed(frame: Frame) -> None:
    data = frame({"y": ["a", None, "b", None], "s": [0.1, 0.2, None, None]})
    error = refusal(tm.MissingValueError, data, actual="y", score="s", pos_label="a")
    assert error.message == (
        "actual (column 'y') is missing in 2 of 4 rows, at positions 1, 3 (counted from 0); "
        "score (column 's') is missing in 2 of 4 rows, at positions 2, 3 (counted from 0)."
    )


@every_library
def test_a_column_of_nothing_is_missing_everywhere(frame: Frame) -> None:
    data = frame({"y": [None, None], "p": [1, 0], "s": [None, None]})
    assert (
        "actual (column 'y') is missing in 2 of 2 rows"
        in refusal(tm.MissingValueError, data, actual="y", predicted="p").message
    )
    assert (
        "score (column 's') is missing in 2 of 2 rows"
        in refusal(tm.MissingValueError, data, actual="p", score="s").message
    )


@every_library
def test_guessed_columns_are_said(frame: Frame) -> None:
    ev = evaluate(frame({"id": [7, 8], "y_true": [0, 1], "Y_Pred": [0, 0]}))
    assert ev.notes == (
        "column 'y_true' was taken as actual (guessed from its name).",
        "column 'Y_Pred' was taken as predicted (guessed from its name).",
    )
    assert (
        evaluate(frame({"y_true": [0, 1], "y_pred": [0, 0]}), actual="y_true", predicted="y_pred").notes == ()
    )


@every_library
def test_an_absent_column_is_named_with_the_near_one(frame: Frame) -> None:
    error = refusal(tm.ColumnError, frame({"label": [0], "answer": [0]}), actual="labl", predicted="answer")
    assert error.message == "there is no column 'labl'; the columns are 'label', 'answer'."
    assert error.hint == "did you mean 'label'?"
    error = refusal(tm.ColumnError, frame({"y": [0], "answer": [0]}), actual="Y", predicted="answer")
    assert error.hint == "did you mean 'y'? Names are compared exactly."


@every_library
def test_columns_nobody_named_or_guessed_are_asked_for(frame: Frame) -> None:
    error = refusal(tm.ColumnError, frame({"a": [0], "b": [0]}))
    assert error.message == "no column is named for the actual classes; the columns are 'a', 'b'."
    assert error.hint == "say which with --actual COLUMN (in Python actual='COLUMN')."
    error = refusal(tm.ColumnError, frame({"a": [0], "b": [0]}), actual="a")
    assert error.message == "no column is named for the answers or scores; the columns are 'a', 'b'."
    assert error.hint == (
        "say which with --predicted COLUMN or --score COLUMN "
        "(in Python predicted='COLUMN' or score='COLUMN')."
    )


@every_library
def test_ids_are_unique(frame: Frame) -> None:
    data = frame({"id": ["r1", "r2", "r1"], "row": [1, 2, 3], "y": [0, 1, 1], "p": [0, 1, 0]})
    error = refusal(tm.InputError, data, actual="y", predicted="p", id="id")
    assert error.message == (
        "ids must be unique and present; column 'id' repeats 'r1' at positions 0, 2 (counted from 0)."
    )
    assert evaluate(data, actual="y", predicted="p", id="row").rows == 3


@every_library
def test_no_rows_are_an_error(frame: Frame) -> None:
    assert refusal(tm.ShapeError, frame({"y": [], "p": []}), actual="y", predicted="p").message == (
        "there are no rows."
    )


@every_library
def test_text_where_numbers_belong_is_refused(frame: Frame) -> None:
    data = frame({"y": [0, 1], "s": ["0.5", "0.7"]})
    assert refusal(tm.ColumnError, data, actual="y", score="s").message == (
        "score (column 's') is of type String; numbers are expected."
    )


@every_library
def test_infinite_scores_are_placed(frame: Frame) -> None:
    data = frame({"y": [0, 1], "s": [0.5, math.inf]})
    assert refusal(tm.ColumnError, data, actual="y", score="s").message == (
        "score (column 's') is infinite in 1 row, at position 1 (counted from 0); "
        "finite numbers are expected."
    )


@every_library
def test_fractions_where_labels_belong_are_refused(frame: Frame) -> None:
    data = frame({"y": [0, 1], "s": [0.5, 1.0]})
    assert "holds 0.5 at position 0" in refusal(tm.LabelError, data, actual="y", predicted="s").message


# --- types of columns -------------------------------------------------------------------------------


TEXT = ["b", "a", None, "a"]
TEXT_COLUMNS = {
    "pandas str": pd.Series(TEXT),
    "pandas object": pd.Series(TEXT, dtype=object),
    "pandas object with NaN": pd.Series(["b", "a", math.nan, "a"], dtype=object),
    "pandas string": pd.Series(TEXT, dtype="string"),
    "pandas string on arrow": pd.Series(TEXT, dtype="string[pyarrow]"),
    "pandas arrow": pd.Series(TEXT, dtype=pd.ArrowDtype(pa.string())),
    "pandas category": pd.Series(TEXT, dtype="category"),
    "pandas ordered category": pd.Series(pd.Categorical(TEXT, categories=["b", "z", "a"], ordered=True)),
    "polars String": pl.Series(TEXT),
    "polars Categorical": pl.Series(TEXT, dtype=pl.Categorical),
    "polars Enum": pl.Series(TEXT, dtype=pl.Enum(["b", "z", "a"])),
    "polars Object": pl.Series(TEXT, dtype=pl.Object),
    "arrow string": pa.chunked_array([TEXT]),
    "arrow large_string": pa.chunked_array([pa.array(TEXT, pa.large_string())]),
    "arrow string_view": pa.chunked_array([pa.array(TEXT, pa.string_view())]),
    "arrow dictionary": pa.chunked_array([pa.array(TEXT).dictionary_encode()]),
    "arrow in chunks": pa.chunked_array([TEXT[:1], [], TEXT[1:]]),
    "arrow array": pa.array(TEXT),
    "numpy str": np.array(TEXT, object),
    "numpy StringDType": np.array(TEXT, np.dtypes.StringDType(na_object=None)),
    "pandas Categorical": pd.Categorical(TEXT),
    "pandas Index": pd.Index(TEXT),
}
NUMBERS = [3, 0, None, 3]
INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
NUMBER_COLUMNS = {
    **{
        f"pandas {name}": pd.Series(NUMBERS, dtype=name.replace("i", "I").replace("u", "U"))
        for name in INTEGERS
    },
    **{
        f"polars {name}": pl.Series(NUMBERS, dtype=getattr(pl, name.replace("int", "Int").replace("u", "U")))
        for name in INTEGERS
    },
    **{f"arrow {name}": pa.chunked_array([pa.array(NUMBERS, getattr(pa, name)())]) for name in INTEGERS},
    "polars Int128": pl.Series(NUMBERS, dtype=pl.Int128),
    "polars Decimal": pl.Series([Decimal(3), Decimal(0), None, Decimal(3)], dtype=pl.Decimal(10, 2)),
    "polars Float32": pl.Series(NUMBERS, dtype=pl.Float32, strict=False),
    "polars Float64 with NaN": pl.Series([3.0, 0.0, math.nan, 3.0]),
    "pandas float": pd.Series(NUMBERS, dtype=float),
    "pandas float32": pd.Series(NUMBERS, dtype="float32"),
    "pandas Float64": pd.Series(NUMBERS, dtype="Float64"),
    "pandas object": pd.Series(NUMBERS, dtype=object),
    "pandas object of decimals": pd.Series([Decimal(3), Decimal(0), None, Decimal(3)], dtype=object),
    "pandas arrow": pd.Series(NUMBERS, dtype=pd.ArrowDtype(pa.int16())),
    "pandas category": pd.Series(pd.array(NUMBERS, dtype="Int64")).astype("category"),
    "pandas category of floats": pd.Series(NUMBERS).astype("category"),
    "arrow float": pa.chunked_array([pa.array(NUMBERS, pa.float32())]),
    "arrow decimal": pa.chunked_array(
        [pa.array([Decimal(3), Decimal(0), None, Decimal(3)], pa.decimal128(9, 2))]
    ),
    "arrow dictionary": pa.chunked_array([pa.array(NUMBERS).dictionary_encode()]),
    "arrow array": pa.array(NUMBERS),
    "numpy masked": np.ma.array([3, 0, 9, 3], mask=[False, False, True, False]),
}
TRUTHS = [True, False, None, True]
TRUTH_COLUMNS = {
    "pandas boolean": pd.Series(TRUTHS, dtype="boolean"),
    "pandas object": pd.Series(TRUTHS, dtype=object),
    "pandas arrow": pd.Series(TRUTHS, dtype=pd.ArrowDtype(pa.bool_())),
    "pandas category": pd.Series(TRUTHS, dtype="boolean").astype("category"),
    "polars Boolean": pl.Series(TRUTHS),
    "arrow bool": pa.chunked_array([TRUTHS]),
    "numpy object": np.array(TRUTHS, object),
}


@pytest.mark.parametrize("values", TEXT_COLUMNS.values(), ids=TEXT_COLUMNS)
def test_every_type_of_text(values: Any) -> None:
    same(evaluate(values, values, missing="drop"), evaluate(TEXT, TEXT, missing="drop"))


@pytest.mark.parametrize("values", NUMBER_COLUMNS.values(), ids=NUMBER_COLUMNS)
def test_every_type_of_number(values: Any) -> None:
    same(evaluate(values, values, missing="drop"), evaluate(NUMBERS, NUMBERS, missing="drop"))


@pytest.mark.parametrize("values", TRUTH_COLUMNS.values(), ids=TRUTH_COLUMNS)
def test_every_type_of_boolean(values: Any) -> None:
    same(evaluate(values, values, missing="drop"), evaluate(TRUTHS, TRUTHS, missing="drop"))
    same(
        evaluate(values, [1, 0, 0, 1], missing="drop"),
        evaluate([1, 0, None, 1], [1, 0, 0, 1], missing="drop"),
    )


SCORES = [0.25, 1, None, 0]
SCORE_COLUMNS = {
    "pandas float": pd.Series(SCORES, dtype=float),
    "pandas Float32": pd.Series(SCORES, dtype="Float32"),
    "pandas object": pd.Series(SCORES, dtype=object),
    "pandas arrow": pd.Series(SCORES, dtype=pd.ArrowDtype(pa.float64())),
    "polars Float32": pl.Series(SCORES, dtype=pl.Float32, strict=False),
    "polars Float64 with NaN": pl.Series([0.25, 1.0, math.nan, 0.0]),
    "polars Decimal": pl.Series([Decimal("0.25"), Decimal(1), None, Decimal(0)], dtype=pl.Decimal(10, 2)),
    "arrow double": pa.chunked_array([pa.array(SCORES, pa.float64())]),
    "arrow array": pa.array(SCORES, pa.float64()),
    "numpy": np.array([0.25, 1, math.nan, 0], np.float32),
    "numpy masked": np.ma.array([0.25, 1, 9, 0], mask=[0, 0, 1, 0]),
    "list": SCORES,
}


@pytest.mark.parametrize("values", SCORE_COLUMNS.values(), ids=SCORE_COLUMNS)
def test_every_type_of_score(values: Any) -> None:
    ev = evaluate([0, 1, 1, 1], y_score=values, threshold=0.25, missing="drop")
    assert ev.confusion is not None
    assert ev.confusion.matrix.tolist() == [[0, 1], [1, 1]]
    assert ev.dropped == {"missing_score": 1}


def test_booleans_and_integers_may_be_scores() -> None:
    frame = pl.DataFrame({"y": [0, 1], "b": [False, True], "i": [0, 1]})
    for name in ("b", "i"):
        assert evaluate(frame, actual="y", score=name)["accuracy"].value == 1.0


def test_whole_numbers_beyond_64_bits_are_refused() -> None:
    for values in (
        pl.Series([2**63, None], dtype=pl.UInt64),
        pd.Series([2**63, None], dtype="UInt64"),
        pl.Series([2**100, 1], dtype=pl.Int128),
    ):
        assert refusal(tm.LabelError, values, values).message == (
            "actual has whole numbers from 2**63 up or below -2**63."
        )


@pytest.mark.parametrize(
    "values",
    [
        pl.Series([{"a": 1}, {"a": 2}]),
        pl.Series([b"a", b"b"]),
        pl.Series([dt.timedelta(1), dt.timedelta(2)]),
        pd.Series([dt.timedelta(1), dt.timedelta(2)]),
    ],
    ids=str,
)
def test_other_types_are_no_labels(values: Any) -> None:
    refusal(tm.InputError, values, values)


def test_dates_of_every_library_are_written_alike() -> None:
    moments = [dt.datetime(2024, 1, 1), dt.datetime(2024, 1, 2, 12)]
    expected = ("2024-01-01 00:00:00", "2024-01-02 12:00:00")
    for values in (
        moments,
        np.array(moments, "datetime64[ns]"),
        pd.Series(moments),
        pd.Series(moments).astype("datetime64[ns]"),
        pd.Series(moments).astype("category"),
        pl.Series(moments),
        pl.Series(moments, dtype=pl.Datetime("ms")),
        pa.chunked_array([pa.array(moments, pa.timestamp("s"))]),
    ):
        assert evaluate(values, values).labels == expected
    days = [moment.date() for moment in moments]
    for values in (days, np.array(days, "datetime64[D]"), pd.Series(days, dtype=object), pl.Series(days)):
        assert evaluate(values, values).labels == ("2024-01-01", "2024-01-02")


def test_text_mixed_with_numbers_is_refused() -> None:
    values = pd.Series(["a", 1], dtype=object)
    assert refusal(tm.LabelError, values, values).message == (
        "actual mixes text with int: 1 at position 1 (counted from 0)."
    )


# --- names of columns -------------------------------------------------------------------------------


def repeated(names: list[str]) -> list[Any]:
    columns = [[0, 1], [0, 0], [5, 5], [6, 6]]
    return [
        pd.DataFrame(list(zip(*columns, strict=True)), columns=names),
        pa.table(columns, names=names),
    ]


@pytest.mark.parametrize("data", repeated(["y", "p", "x", "x"]), ids=["pandas", "pyarrow"])
def test_a_repeated_name_that_is_not_used_does_no_harm(data: Any) -> None:
    same(evaluate(data, actual="y", predicted="p"), evaluate([0, 1], [0, 0]))


@pytest.mark.parametrize("data", repeated(["y", "p", "x", "p"]), ids=["pandas", "pyarrow"])
def test_a_repeated_name_that_is_used_is_refused(data: Any) -> None:
    error = refusal(tm.ColumnError, data, actual="y", predicted="p")
    assert error.message == "the frame has several columns called 'p'."
    assert error.hint == "rename one of them."


def test_columns_of_pandas_may_be_named_by_numbers() -> None:
    data = pd.DataFrame({0: [0, 1], 1: [0, 0], "x": [5, 5]})
    for actual, predicted in (("0", "1"), (0, 1), (0, "1")):
        same(evaluate(data, actual=actual, predicted=predicted), evaluate([0, 1], [0, 0]))
    same(evaluate(data, actual=0, score=1), evaluate([0, 1], y_score=[0, 0]))
    assert evaluate(data, actual="x", predicted="1", id=0).rows == 2
    error = refusal(tm.ColumnError, data, actual=7, predicted=1)
    assert error.message == "there is no column '7'; the columns are '0', '1', 'x'."


@every_library
def test_a_column_has_one_role(frame: Frame) -> None:
    data = frame({"y": [0, 1], "s": [0.1, 0.9]})
    for roles, name in (
        ({"actual": "y", "predicted": "y"}, "y"),
        ({"actual": "y", "score": "y"}, "y"),
        ({"actual": "y", "predicted": "s", "score": "s"}, "s"),
        ({"actual": "y", "probabilities": ["s", "y"]}, "y"),
    ):
        error = refusal(tm.OptionError, data, **roles)
        assert error.message == f"column {name!r} is named for two roles; a column has one."


# --- what is no frame -------------------------------------------------------------------------------


def test_a_dict_of_columns_is_not_a_frame() -> None:
    columns = {"y": [0, 1], "p": [0, 0]}
    for options in ({}, {"actual": "y", "predicted": "p"}):
        error = refusal(tm.OptionError, columns, **options)
        assert error.message == "a dict is not a data frame."
        assert error.hint == (
            "make one of it (pandas.DataFrame(...), polars.DataFrame(...)), or pass its columns: "
            "evaluate(y_true, y_pred)."
        )
    refusal(tm.OptionError, columns, [0, 1])
    refusal(tm.ShapeError, [0, 1], columns)


def test_a_frame_of_several_columns_is_not_a_column() -> None:
    for frame in (pd.DataFrame, pl.DataFrame):
        refusal(tm.ShapeError, frame({"a": [0, 1], "b": [0, 1]}), [0, 1])


def test_a_lazy_frame_is_asked_for_the_named_columns_only() -> None:
    touched: list[str] = []

    def seen(name: str) -> pl.Expr:
        def note(values: pl.Series) -> pl.Series:
            touched.append(name)
            return values

        return pl.col(name).map_batches(note, return_dtype=pl.Int64)

    lazy = pl.LazyFrame({"y": [0, 1], "p": [0, 1], "x": [0, 1]}).with_columns(map(seen, "ypx"))
    assert evaluate(lazy, actual="y", predicted="p").rows == 2
    assert sorted(set(touched)) == ["p", "y"]
