"""Columns of every kind and library: whatever type a column has, it is read as a plain list is."""

import datetime as dt
import math
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st
from inputs import called, matrix, refusals, refused, rows_of, typed

import tallymark as tm
from collected import each
from scored import classes

DATES = [dt.date(2024, 2, 29), dt.date(2023, 1, 1), dt.date(2024, 2, 29)]
WRITTEN = ["2024-02-29", "2023-01-01", "2024-02-29"]
NAN = math.nan


def objects(values: Any) -> Any:
    return np.array([*values, 0], object)[:-1]


def labels_of(values: Any) -> list[Any]:
    """Of the rows that have one."""
    actual, predicted = rows_of(values, values, missing="drop")
    assert actual == predicted
    return actual


FAMILIES: list[list[Any]] = [[3, 1, -2, 3], [True, False, True], ["b", "a", "", "b"], [0]]
LABELS: list[tuple[Any, list[Any]]] = [
    (form(labels), labels)
    for form in (list, tuple, objects, pd.Series)
    for labels in [*FAMILIES, [2**62 + 1, -(2**63)], [2**63 - 1, 0], [127, -128], [128, 0], [-129, 0]]
]
LABELS += [
    (np.array([0, 1, 1, 100], np.dtype(kind)), [0, 1, 1, 100])
    for kind in (*"bhilq", *"BHILQ", ">i4", "<i2", *"efdg")
]
LABELS += [(np.array([True, False]), [True, False]), ([1.0, 0.0, -0.0, 2.0**62], [1, 0, 0, 2**62])]
LABELS += [([1, 2.0, True], [1, 2, 1]), (np.array(["b", "a", "é"]), ["b", "a", "é"])]
LABELS += [(np.array(["b", "a"], np.dtypes.StringDType()), ["b", "a"])]
LABELS += [(["10", "9", "007"], ["10", "9", "007"]), ([np.int8(3), np.int64(4)], [3, 4])]
LABELS += [([np.float32(3), np.float64(4)], [3, 4]), ([np.bool_(True), False], [True, False])]
LABELS += [([np.str_("b"), "a"], ["b", "a"]), ([Decimal("4.0"), Fraction(6, 2), 5], [4, 3, 5])]
LABELS += [([True, 2], [1, 2]), ([np.uint64(2**62), 0], [2**62, 0]), (DATES, WRITTEN)]
LABELS += [(np.array(DATES, "datetime64[D]"), WRITTEN), (objects(DATES), WRITTEN)]
LABELS += [([dt.datetime(2024, 2, 29, 12, 30)], ["2024-02-29 12:30:00"]), ([dt.time(12, 30)], ["12:30:00"])]
LABELS += [(pa.array([1, 0, 2**60 + 1]), [1, 0, 2**60 + 1])]
LABELS += [(pa.chunked_array([["b"], ["a", "b"]]), ["b", "a", "b"]), (np.array([[3], [4]]), [3, 4])]
LABELS += [(np.array([["b"], ["a"]], object), ["b", "a"]), (pd.DataFrame({"y": [1, 0]}), [1, 0])]
LABELS += [([dt.date.min], ["0001-01-01"]), (["", " ", "NA", "nan", "None"], ["", " ", "NA", "nan", "None"])]
LABELS += [([0, False, 1], [0, 0, 1])]
LABELS += [
    (
        np.array([1, 2], "datetime64[ps]"),
        ["1970-01-01T00:00:00.000000000001", "1970-01-01T00:00:00.000000000002"],
    )
]
LABELS += [(np.array(["10000-01-01"], "datetime64[D]"), ["10000-01-01"])]


@each("values, expected", LABELS, ids=str)
def test_labels_are_plain_values(values: Any, expected: list[Any]) -> None:
    assert typed(labels_of(values)) == typed(expected)
    whole = [0, 1] if expected == [0] else sorted(set(expected))
    assert typed(tm.evaluate(values, values).labels) == typed(whole)


WORDS = st.text(st.characters(exclude_characters="\0"), max_size=5)


@given(st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1) | st.lists(WORDS, min_size=1))
def test_what_goes_in_comes_out(labels: list[Any]) -> None:
    assert typed(labels_of(labels)) == typed(labels)


MISSING = (
    None, NAN, np.float32("nan"), np.float16("nan"), Decimal("NaN"), np.datetime64("NaT"), pd.NA, pd.NaT,
)  # fmt: skip
GAPS: list[tuple[Any, list[Any]]] = [
    (form([labels[0], nothing, labels[1]]), expected)
    for nothing in MISSING
    for labels, expected in (
        ([1, 0], [1, 0]),
        (["b", "a"], ["b", "a"]),
        ([True, False], [True, False]),
        (DATES[:2], WRITTEN[:2]),
        ([Decimal(1), 0], [1, 0]),
    )
    for form in (list, objects)
]
GAPS += [(np.array([1, NAN, 0], np.dtype(kind)), [1, 0]) for kind in "efdg"]
GAPS += [(np.array(["2024-02-29", "NaT", "2023-01-01"], "datetime64[D]"), WRITTEN[:2])]
GAPS += [(np.ma.array([1, 0, 2], mask=[False, True, False]), [1, 2])]
GAPS += [(pa.array([1, None, 2**60 + 1]), [1, 2**60 + 1])]
GAPS += [(pa.chunked_array([["b"], ["a", None]]), ["b", "a"])]


@each("values, expected", GAPS, ids=str)
def test_missing_values_are_dropped_and_counted(values: Any, expected: list[Any]) -> None:
    assert typed(labels_of(values)) == typed(expected)
    assert tm.evaluate(values, values, missing="drop").dropped == {
        "missing_actual": len(values) - len(expected)
    }


FRACTIONS: list[Any] = [[1.0, 0.0, 0.5, 0.25], (1.0, 0.0, 0.5), np.array([1, 0, 0.5])]
FRACTIONS += [np.array([1, NAN, 0.5], np.float32), np.array([[1], [0], [0.5]]), [1, 0, 0.5], [1, None, 0.5]]
FRACTIONS += [[0, True, Decimal("0.5")], objects([0, 1, 0.5])]
REFUSED_LABELS: list[Any] = [["a", 1], (None, 2.5, "a"), objects(["a", True]), ["a", DATES[0]], ["a", b"b"]]
REFUSED_LABELS += [[DATES[0], 1], [1, None, DATES[0]], [b"yes"], np.array([b"yes"]), objects([b"1"])]
REFUSED_LABELS += [*FRACTIONS, [0.0, math.inf], [0, -math.inf], [2**63], [2**64, 0], [-(2**63) - 1]]
REFUSED_LABELS += [[2**63, -1], [2**63, None], np.array([2**63], np.uint64), objects([10**30, 1])]
REFUSED_LABELS += [[np.uint64(2**63), 1], [Decimal(2**70), 1], [2.0**63, 1], np.zeros((2, 1, 1)), np.array(5)]
REFUSED_LABELS += [[{"a": 1}], 5, (label for label in "ab"), {1, 2}, np.array([1j])]
REFUSED_LABELS += [np.array([(1, 2)], "i4,i4"), np.array([1, 2], "timedelta64[D]"), [dt.timedelta(1)], [1j]]
REFUSED_LABELS += [[len], [Decimal("sNaN"), 1], [None, NAN], [], np.empty((0, 1))]


def test_other_labels_are_refused(snapshot: Any) -> None:
    both = [(values, values if hasattr(values, "__len__") else [1, 0]) for values in REFUSED_LABELS]
    beside = [b"bytes", pd.DataFrame({"y": [1, 0], "z": [1, 0]}), {"a": 1}, [1, 0, 1], np.zeros((2, 2))]
    found = refused({called(case[:1]): lambda case=case: tm.evaluate(*case) for case in both})
    snapshot("errors_data_labels", found | refusals([([1, 0], values, {}) for values in beside]))


def scores_of(values: Any, **options: Any) -> list[float]:
    actual = [at % 2 for at in range(len(values))]
    return rows_of(actual, y_score=values, threshold=0, labels=[0, 1], **options)[2]


SCORES: list[tuple[Any, list[float]]] = [
    (np.array([0, 1, 1], np.dtype(kind)), [0.0, 1.0, 1.0])
    for kind in ("?", *"bhilq", *"BHILQ", *"efdg", ">f8")
]
SCORES += [([0.25, 1.0], [0.25, 1.0]), ((1, 0), [1.0, 0.0]), ([1, 0.5], [1.0, 0.5])]
SCORES += [([True, False], [1.0, 0.0]), ([Decimal("0.25"), Fraction(1, 2)], [0.25, 0.5])]
SCORES += [([np.float32(0.5), np.int8(3)], [0.5, 3.0]), ([10**30, -1], [1e30, -1.0])]
SCORES += [([2**53, -(2**53)], [2.0**53, -(2.0**53)]), (np.array([[0.5], [0.75]]), [0.5, 0.75])]
SCORES += [([[0.5], [0.75]], [0.5, 0.75]), (pd.Series([0.5, 2]), [0.5, 2.0])]
SCORES += [([-0.0, 5e-324, 1.7976931348623157e308], [0.0, 5e-324, 1.7976931348623157e308])]


@each("values, expected", SCORES, ids=str)
def test_scores_are_floats(values: Any, expected: list[float]) -> None:
    found = scores_of(values)
    assert found == expected
    assert {type(number) for number in found} == {float}


@each("nothing", (*MISSING[:5], pd.NA, pd.NaT), ids=repr)
def test_missing_scores(nothing: Any) -> None:
    for form in (list, objects):
        assert scores_of(form([0.5, nothing, 1]), missing="drop") == [0.5, 1.0]
    assert scores_of(np.ma.array([0.5, 1.0, 2], mask=[0, 1, 0]), missing="drop") == [0.5, 2.0]
    assert scores_of(np.array([0.5, NAN], np.float32), missing="drop") == [0.5]


REFUSED_SCORES: list[Any] = [["0.5", 0.7], np.array(["0.5", "0.7"]), [0.5, b"1"], [object, 1]]
REFUSED_SCORES += [np.array([1j, 0]), [0.5, math.inf], np.array([-math.inf, math.inf])]
REFUSED_SCORES += [np.array([np.longdouble("1e400"), 1]), np.array([1, 1 + np.longdouble(2) ** -60])]
REFUSED_SCORES += [[2**53 + 1, 0], np.array([0, -(2**53) - 1]), np.zeros((2, 2, 1)), 0.5, np.array(0.5)]
REFUSED_SCORES += ["0.5", [0.5], [NAN, None]]


def test_other_scores_are_refused(snapshot: Any) -> None:
    snapshot("errors_data_scores", refusals([([0, 1], {"y_score": values}) for values in REFUSED_SCORES]))


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1))
def test_scores_come_out_as_they_went_in(numbers: list[float]) -> None:
    assert (
        scores_of(numbers)
        == scores_of(np.array(numbers))
        == scores_of(tuple(map(np.float64, numbers)))
        == numbers
    )


def test_places_in_an_array(snapshot: Any) -> None:
    """One row, a few, and very many."""
    many = np.zeros(2_000, object)
    many[1:] = None
    rows = {
        "one": [0, 0, 0, 0, None],
        "three": [0, None, None, None],
        "2,000": many,
        "2,001": np.append(many, 0),
    }
    calls = {name: lambda values=values: tm.evaluate(values, values) for name, values in rows.items()}
    snapshot("errors_data_places_in_arrays", refused(calls))


Frame = Callable[[dict[str, Any]], Any]
LIBRARIES: dict[str, Frame] = {
    "pandas": pd.DataFrame,
    "pandas on arrow": lambda columns: pd.DataFrame(columns).convert_dtypes(dtype_backend="pyarrow"),
    "polars": pl.DataFrame,
    "polars lazy": pl.LazyFrame,
    "pyarrow": pa.table,
}
NAN, DAY, OTHER = math.nan, dt.date(2024, 1, 2), dt.date(2024, 1, 1)
NOON, NIGHT = dt.datetime(2024, 1, 2, 12), dt.datetime(2024, 1, 1)


def counted(*data: Any, **options: Any) -> tuple[Any, ...]:
    ev = tm.evaluate(*data, missing="drop", **options)
    return typed(ev.labels), matrix(ev), ev.positive, ev.threshold, dict(ev.dropped), ev.rows


TYPED: dict[str, tuple[list[Any], list[Any]]] = {
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
    "whole floats with NaN": ([1.0, NAN, 1.0, 0.0], [1.0, 1.0, 0.0, 0.0]),
    "decimals": ([Decimal("1.0"), Decimal("0.0"), None, Decimal("2.0")], [1, 0, 1, 1]),
    "dates": ([DAY, OTHER] * 2, [DAY] * 4),
    "dates with missing": ([DAY, None] * 2, [DAY] * 4),
    "times": ([NOON, NIGHT] * 2, [NIGHT] * 4),
    "one class": ([1, 1, 1, 1], [1, 1, 1, 1]),
}


@each("name, frame", LIBRARIES.items(), ids=LIBRARIES)
def test_every_library_counts_as_lists_do(name: str, frame: Frame) -> None:
    for case, (actual, predicted) in TYPED.items():
        data = frame({"y": actual, "x": [0, 0, 0, 0], "p": predicted})
        assert counted(data, actual="y", predicted="p") == counted(actual, predicted), case
    actual, score = ["no", "yes", "yes", "no"], [0.1, 0.5, None, 0.7]
    data = frame({"y": actual, "s": score, "u": ["a", "b", None, "c"], "v": ["a"] * 4})
    yes: dict[str, Any] = {"pos_label": "yes"}
    assert counted(data, actual="y", score="s", **yes) == counted(actual, y_score=score, **yes)
    actual, table = ["a", "b", "b"], [[0.2, 0.8], [0.5, 0.5], [0.9, 0.1]]
    ab: dict[str, Any] = {"labels": ["a", "b"]}
    probabilities = frame({"y": actual, "p_b": [row[1] for row in table], "p_a": [row[0] for row in table]})
    named = counted(probabilities, actual="y", probabilities=["p_b", "p_a"], **ab)
    assert named == counted(actual, y_score=table, **ab)
    # One by one, and as frames of one column.
    eager = data.collect() if isinstance(data, pl.LazyFrame) else data
    assert counted(eager["u"], eager["v"]) == counted(data, actual="u", predicted="v")
    alone = [
        frame({column: values})
        for column, values in (("y", [0, 1, 1]), ("p", [0, 1, 0]), ("s", [0.1, 0.9, 0.2]))
    ]
    assert counted(alone[0], alone[1]) == counted([0, 1, 1], [0, 1, 0])
    assert counted(alone[0], y_score=alone[2]) == counted([0, 1, 1], y_score=[0.1, 0.9, 0.2])
    # Well-known names are guessed, and it is said.
    ev = tm.evaluate(frame({"id": [7, 8], "y_true": [0, 1], "Y_Pred": [0, 0]}))
    assert (len(ev.notes), matrix(ev)) == (2, [[1, 0], [1, 0]])
    keyed = frame({"y": [0, 1], "p": [0, 0], "k": [3, 1]})
    assert tm.evaluate(keyed, actual="y", predicted="p", id="k").rows == 2


HOLES = {"y": ["a", None, "b", None], "s": [0.1, 0.2, None, None], "n": [None] * 4, "p": [1, 0, 1, 0]}
NEAR, BARE, BOTH = {"y": [0], "answer": [0]}, {"a": [0], "b": [0]}, {"y": [0, 1], "s": [0.1, 0.9]}
Y_S, Y_P = {"actual": "y", "score": "s"}, {"actual": "y", "predicted": "p"}
WRONG: list[tuple[dict[str, list[Any]], dict[str, Any]]] = [(HOLES, Y_S | {"pos_label": "a"})]
WRONG += [(HOLES, {"actual": "n", "predicted": "p"}), (HOLES, {"actual": "p", "score": "n"})]
WRONG += [({"label": [0], "answer": [0]}, {"actual": "labl", "predicted": "answer"})]
WRONG += [(NEAR, {"actual": "Y", "predicted": "answer"}), (NEAR, {"actual": "yy", "predicted": "answr"})]
WRONG += [(NEAR, {"actual": "y", "predicted": "qqqqqq"}), (BARE, {}), (BARE, {"actual": "a"})]
WRONG += [({"id": ["r1", "r2", "r1"], "y": [0, 1, 1], "p": [0, 1, 0]}, Y_P | {"id": "id"})]
WRONG += [({"y": [], "p": []}, Y_P), ({"y": [0, 1], "s": ["0.5", "0.7"]}, Y_S)]
WRONG += [({"y": [0, 1], "s": [0.5, math.inf]}, Y_S)]
WRONG += [({"y": [0, 1], "s": [0.5, 1.0]}, {"actual": "y", "predicted": "s"})]
WRONG += [({"y": [0, 1], "p": ["0", "1"]}, Y_P), ({"y": [0, 1], "s": [2**53 + 1, 0]}, Y_S)]
WRONG += [(BOTH, {"actual": "y", "predicted": "y"}), (BOTH, Y_S | {"predicted": "s"})]
WRONG += [(BOTH, {"actual": "y", "probabilities": ["s", "y"]})]


def test_every_library_refuses_the_same(snapshot: Any) -> None:
    of = {
        name: {str(at): (frame(data), asked) for at, (data, asked) in enumerate(WRONG)}
        for name, frame in LIBRARIES.items()
    }
    found = [[*refusals(cases).values()] for cases in of.values()]
    assert found == [found[0]] * len(LIBRARIES)
    snapshot(
        "errors_data_frames",
        {f"{at}: {called(case)}": text for at, (case, text) in enumerate(zip(WRONG, found[0], strict=True))},
    )


TEXT, NUMBERS, TRUTHS = ["b", "a", None, "a"], [3, 0, None, 3], [True, False, None, True]
DECIMALS = [Decimal(3), Decimal(0), None, Decimal(3)]
INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
COLUMNS: list[tuple[Any, list[Any]]] = [
    (pd.Series(TEXT, dtype=kind), TEXT)
    for kind in ("str", object, "string", "string[pyarrow]", pd.ArrowDtype(pa.string()), "category")
]
COLUMNS += [(pd.Series(["b", "a", NAN, "a"], dtype=object), TEXT)]
COLUMNS += [(pd.Series(pd.Categorical(TEXT, categories=["b", "z", "a"], ordered=True)), TEXT)]
COLUMNS += [(pd.Categorical(TEXT), TEXT), (pd.Index(TEXT), TEXT)]
COLUMNS += [
    (pl.Series(TEXT, dtype=kind), TEXT)
    for kind in (pl.String, pl.Categorical, pl.Enum(["b", "z", "a"]), pl.Object)
]
COLUMNS += [(pl.Series("^x.*$", TEXT), TEXT)]
COLUMNS += [
    (pa.chunked_array([pa.array(TEXT, kind)]), TEXT)
    for kind in (pa.string(), pa.large_string(), pa.string_view())
]
COLUMNS += [(pa.chunked_array([pa.array(TEXT).dictionary_encode()]), TEXT)]
COLUMNS += [(pa.chunked_array([TEXT[:1], [], TEXT[1:]]), TEXT), (pa.array(TEXT), TEXT)]
COLUMNS += [(np.array(TEXT, object), TEXT), (np.array(TEXT, np.dtypes.StringDType(na_object=None)), TEXT)]
COLUMNS += [
    (pd.Series(NUMBERS, dtype=kind.replace("i", "I").replace("u", "U")), NUMBERS) for kind in INTEGERS
]
COLUMNS += [
    (pl.Series(NUMBERS, dtype=getattr(pl, kind.replace("int", "Int").replace("u", "U"))), NUMBERS)
    for kind in (*INTEGERS, "int128")
]
COLUMNS += [(pa.chunked_array([pa.array(NUMBERS, getattr(pa, kind)())]), NUMBERS) for kind in INTEGERS]
COLUMNS += [(pl.Series(DECIMALS, dtype=pl.Decimal(10, 2)), NUMBERS)]
COLUMNS += [(pl.Series(NUMBERS, dtype=pl.Float32, strict=False), NUMBERS)]
COLUMNS += [(pl.Series([3.0, 0.0, NAN, 3.0]), NUMBERS)]
COLUMNS += [
    (pd.Series(NUMBERS, dtype=kind), NUMBERS)
    for kind in (float, "float32", "Float64", object, pd.ArrowDtype(pa.int16()), "category")
]
COLUMNS += [(pd.Series(DECIMALS, dtype=object), NUMBERS)]
COLUMNS += [(pd.Series(pd.array(NUMBERS, dtype="Int64")).astype("category"), NUMBERS)]
COLUMNS += [(pa.chunked_array([pa.array(NUMBERS, pa.float32())]), NUMBERS)]
COLUMNS += [(pa.chunked_array([pa.array(DECIMALS, pa.decimal128(9, 2))]), NUMBERS)]
COLUMNS += [(pa.chunked_array([pa.array(NUMBERS).dictionary_encode()]), NUMBERS)]
COLUMNS += [(pa.array(NUMBERS), NUMBERS), (np.ma.array([3, 0, 9, 3], mask=[0, 0, 1, 0]), NUMBERS)]
COLUMNS += [
    (pd.Series(TRUTHS, dtype=kind), TRUTHS) for kind in ("boolean", object, pd.ArrowDtype(pa.bool_()))
]
COLUMNS += [(pd.Series(TRUTHS, dtype="boolean").astype("category"), TRUTHS), (pl.Series(TRUTHS), TRUTHS)]
COLUMNS += [(pa.chunked_array([TRUTHS]), TRUTHS), (np.array(TRUTHS, object), TRUTHS)]


@each("values, plain", COLUMNS, ids=str)
def test_labels_of_every_type(values: Any, plain: list[Any]) -> None:
    assert counted(values, values) == counted(plain, plain)
    if plain is TRUTHS:
        assert counted(values, [1, 0, 0, 1]) == counted([1, 0, None, 1], [1, 0, 0, 1])


SHARES = [0.25, 1, None, 0]
SCORE_COLUMNS: list[Any] = [
    pd.Series(SHARES, dtype=kind) for kind in (float, "Float32", object, pd.ArrowDtype(pa.float64()))
]
SCORE_COLUMNS += [pl.Series(SHARES, dtype=pl.Float32, strict=False), pl.Series([0.25, 1.0, NAN, 0.0])]
SCORE_COLUMNS += [pl.Series([Decimal("0.25"), Decimal(1), None, Decimal(0)], dtype=pl.Decimal(10, 2))]
SCORE_COLUMNS += [pl.Series(SHARES, dtype=pl.Object), pa.chunked_array([pa.array(SHARES, pa.float64())])]
SCORE_COLUMNS += [pa.array(SHARES, pa.float64()), np.array([0.25, 1, NAN, 0], np.float32)]
SCORE_COLUMNS += [np.ma.array([0.25, 1, 9, 0], mask=[0, 0, 1, 0])]


@each("values", SCORE_COLUMNS, ids=str)
def test_scores_of_every_type(values: Any) -> None:
    found = rows_of([0, 1, 1, 1], y_score=values, threshold=0.25, missing="drop")
    assert found == ([0, 1, 1], [1, 1, 0], [0.25, 1.0, 0.0])


def test_decimals_of_arrow_are_read_to_the_last_digit() -> None:
    """Arrow itself makes 0.7000000000000001 of 0.700."""
    score = pa.array([Decimal("0.700"), Decimal("0.100")], pa.decimal128(9, 3))
    for values in (score, pa.chunked_array([score]), pd.Series(score, dtype=pd.ArrowDtype(score.type))):
        assert rows_of([1, 0], y_score=values)[2] == [0.7, 0.1]
    frame = pl.DataFrame({"y": [0, 1], "b": [False, True], "i": [0, 1]})
    for name in ("b", "i"):
        assert rows_of(frame, actual="y", score=name) == ([0, 1], [0, 1], [0.0, 1.0])


WIDE: list[Any] = [pl.Series([2**63, None], dtype=pl.UInt64), pd.Series([2**63, None], dtype="UInt64")]
WIDE += [pl.Series([2**100, 1], dtype=pl.Int128), pl.Series([{"a": 1}, {"a": 2}]), pl.Series([b"a", b"b"])]
WIDE += [pl.Series([dt.timedelta(1), dt.timedelta(2)]), pd.Series([dt.timedelta(1), dt.timedelta(2)])]
WIDE += [pd.Series(["a", 1], dtype=object)]


def test_other_types_are_refused(snapshot: Any) -> None:
    beyond = [pl.Series([2**53, 2**53 + 1, None], dtype=pl.UInt64), pl.Series([0, -(2**53) - 1, None])]
    beyond += [pl.Series([0, 2**53, 2**60], dtype=pl.Int128), pd.Series([0, None, 2**60], dtype="Int64")]
    scores = [([0, 1, 1], {"y_score": values, "missing": "drop", "threshold": 1}) for values in beyond]
    snapshot("errors_data_types_of_columns", refusals([*((values, values, {}) for values in WIDE), *scores]))


def test_dates_of_every_library_are_written_alike() -> None:
    moments = [NIGHT, NOON]
    days = [moment.date() for moment in moments]
    forms: list[Any] = [moments, np.array(moments, "datetime64[ns]"), pd.Series(moments)]
    forms += [pd.Series(moments).astype("datetime64[ns]"), pd.Series(moments).astype("category")]
    forms += [pl.Series(moments), pl.Series(moments, dtype=pl.Datetime("ms"))]
    forms += [pa.chunked_array([pa.array(moments, pa.timestamp("s"))])]
    assert [tm.evaluate(form, form).labels for form in forms] == [
        ("2024-01-01 00:00:00", "2024-01-02 12:00:00")
    ] * 8
    forms = [days, np.array(days, "datetime64[D]"), pd.Series(days, dtype=object), pl.Series(days)]
    assert [tm.evaluate(form, form).labels for form in forms] == [("2024-01-01", "2024-01-02")] * 4


def test_repeated_names_and_names_that_are_numbers(snapshot: Any) -> None:
    columns = [[0, 1], [0, 0], [5, 5], [6, 6]]
    expected, roles = counted([0, 1], [0, 0]), {"actual": "y", "predicted": "p"}
    rows = list(zip(*columns, strict=True))
    forms = (lambda names: pd.DataFrame(rows, columns=names), lambda names: pa.table(columns, names=names))
    assert [counted(form(["y", "p", "x", "x"]), **roles) for form in forms] == [expected] * 2
    data = pd.DataFrame({0: [0, 1], 1: [0, 0], "x": [5, 5]})
    for actual, predicted in (("0", "1"), (0, 1), (0, "1")):
        assert counted(data, actual=actual, predicted=predicted) == expected
    assert counted(data, actual=0, score=1) == counted([0, 1], y_score=[0, 0])
    assert tm.evaluate(data, actual="x", predicted="1", id=0).rows == 2
    cases = [*((form(["y", "p", "x", "p"]), roles) for form in forms), (data, {"actual": 7, "predicted": 1})]
    snapshot("errors_data_names_of_columns", refusals(cases))


def test_columns_of_pandas_must_not_be_shuffled(snapshot: Any) -> None:
    actual, other = pd.Series([1, 0], index=[1, 0]), pd.Series([1, 0], index=[0, 1])
    assert matrix(tm.evaluate(actual, other.loc[[1, 0]])) == [[0, 1], [1, 0]]
    assert matrix(tm.evaluate(actual.to_numpy(), other.to_numpy())) == [[1, 0], [0, 1]]
    # Indexes that have nothing in common, or not all, go by position.
    assert matrix(tm.evaluate(actual, pd.Series([1, 0], index=[7, 8]))) == [[1, 0], [0, 1]]
    assert matrix(tm.evaluate(actual, pd.Series([1, 0], index=[1, 8]))) == [[1, 0], [0, 1]]
    table = pd.DataFrame({0: [1, 0], 1: [0, 1]}, index=[0, 1])
    beside: list[dict[str, Any]] = [{name: other} for name in ("sample_weight", "groups", "id")]
    beside += [{"slices": {"s": other}}, {"slices": table}]
    cases: list[tuple[Any, ...]] = [(actual, [1, 0], options) for options in beside]
    votes = [table, [[1, 0], other], {"a": other, "b": [1, 0]}]
    cases += [(actual, {"votes": values}) for values in votes]
    cases += [(actual, other, {}), (actual, {"y_score": other}), (actual, {"y_score": table})]
    snapshot("errors_data_shuffled", refusals(cases))


def test_what_is_no_frame_and_what_has_no_place_beside_one(snapshot: Any) -> None:
    columns, frame = {"y": [0, 1], "p": [0, 0]}, pl.DataFrame({"y": [0, 1], "p": [0, 0]})
    calls: dict[str, Callable[[], Any]] = {
        "a dict": lambda: tm.evaluate(columns),
        "a dict whose columns are named": lambda: tm.evaluate(columns, actual="y", predicted="p"),
        "a dict beside an array": lambda: tm.evaluate(columns, [0, 1]),
        "arrays of which columns are named": lambda: tm.evaluate([0, 1], [0, 1], actual="y"),
        "one array": lambda: tm.evaluate(np.array([0, 1])),
        "a frame beside an array": lambda: tm.evaluate(frame, [0, 1], actual="y"),
        "two columns beside an array": lambda: tm.evaluate(frame, [0, 1]),
    }
    found = refused(calls)
    assert set(classes(found).values()) == {"OptionError", "ShapeError"}
    snapshot("errors_data_no_frames", found)
