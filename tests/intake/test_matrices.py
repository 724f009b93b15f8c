from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import confusion_matrix

from tallymark.errors import (
    FileError,
    InputError,
    LabelError,
    OptionError,
    ShapeError,
    TallymarkError,
)
from tallymark.intake.matrices import TypedMatrix, read_counts

FIGURES = ((150, 40), (60, 250))

NO_NUL = "a text file has none: is it binary data, or was the writing of it broken off?"


def at(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


# --- typed ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "source",
    [
        "150 40; 60 250",
        "150 40;60 250;",
        "  150   40 ;\t60 250 ; ",
        "150,40;60,250",
        "150, 40; 60 , 250",
        "150 40\n60 250\n",
        "150 40;\r\n\r\n60 250;\r\n",
        "150.0 40.; 6e1 2.5e+02",
        "+150 0040; 60 250",
        "[[150, 40], [60, 250]]",
        ' [[150.0, 40], ["60", 250]] ',
        '{"matrix": [[150, 40], [60, 250]]}',
        '{"counts": [[150, 40], [60, 250]]}',
        [[150, 40], [60, 250]],
        ((150, 40.0), [60, Fraction(250)]),
        [np.array([150, 40]), (np.int64(60), np.float32(250))],
        np.array([[150, 40], [60, 250]], dtype=np.uint16),
        np.array([[150.0, 40.0], [60.0, 250.0]]),
    ],
)
def test_bare_sources_hold_the_same_counts(source: Any) -> None:
    assert read_counts(source) == TypedMatrix(None, FIGURES, ())
    assert read_counts(source, labels=["+", "-"]).labels == ("+", "-")


@pytest.mark.parametrize(
    "source",
    [
        '{"labels": ["+", "-"], "matrix": [[150, 40], [60, 250]]}',
        '{"rows": "actual", "matrix": [[150, 40], [60, 250]], "labels": ["+", "-"]}',
        '{"+": {"+": 150, "-": 40}, "-": {"-": 250, "+": 60}}',
        {"labels": ["+", "-"], "matrix": np.array(FIGURES)},
        {"+": {"+": 150, "-": 40}, "-": {"+": 60, "-": 250}},
    ],
)
def test_labelled_sources_hold_the_same_counts(source: Any) -> None:
    assert read_counts(source) == TypedMatrix(("+", "-"), FIGURES, ())
    turned = read_counts(source, labels=["-", "+"])
    assert turned == TypedMatrix(("-", "+"), ((250, 60), (40, 150)), ())


def test_labels_of_numbers_and_booleans_are_named_by_their_text() -> None:
    assert read_counts('{"labels": [0, 1], "matrix": [[1, 2], [3, 4]]}').labels == ("0", "1")
    assert read_counts('{"labels": [true, false], "matrix": [[1, 2], [3, 4]]}').labels == ("True", "False")
    assert read_counts([[1, 2], [3, 4]], labels=np.array([7, 8])).labels == ("7", "8")  # type: ignore[arg-type]


def test_rows_predicted_is_turned_round() -> None:
    assert read_counts("150 60; 40 250", rows="predicted").values == FIGURES
    assert read_counts('{"+": {"+": 150, "-": 60}, "-": {"+": 40, "-": 250}}', rows="predicted") == (
        TypedMatrix(("+", "-"), FIGURES, ())
    )
    source = '{"rows": "predicted", "matrix": [[150, 60], [40, 250]]}'
    assert read_counts(source).values == FIGURES
    assert read_counts(source).notes == ('rows of the matrix are predicted (named so in "rows")',)
    assert read_counts(source, rows="predicted") == TypedMatrix(None, FIGURES, ())


@given(
    st.integers(2, 6).flatmap(
        lambda size: st.lists(
            st.lists(st.integers(0, 2**40), min_size=size, max_size=size), min_size=size, max_size=size
        )
    )
)
def test_what_is_written_is_read(matrix: list[list[int]]) -> None:
    matrix[0][0] += 1
    expected = tuple(map(tuple, matrix))
    assert read_counts("; ".join(" ".join(map(str, row)) for row in matrix)).values == expected
    assert read_counts(json.dumps(matrix)).values == expected
    assert read_counts(matrix, rows="predicted").values == tuple(zip(*expected, strict=True))


def test_the_largest_total_is_taken_and_one_more_is_not() -> None:
    assert read_counts([[2**53 - 1, 0], [0, 1]]).values == ((2**53 - 1, 0), (0, 1))
    with pytest.raises(InputError, match=r"more than 2\*\*53 \(9,007,199,254,740,992\)"):
        read_counts("9007199254740992 0; 0 1")


# --- files ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("conf.csv", ",a,b\na,150,40\nb,60,250\n"),
        ("conf.csv", "actual,a,b\na,150,40\nb,60,250"),
        ("conf.csv", "Actual\\Predicted,b,a\nb,250,60\na,40,150\n"),
        ("conf.csv", "TRUTH / prediction , b , a\n a , 40 , 150\n b , 250, 60\n"),
        ("conf.csv", "True label|Predicted label,a,b\r\na,150,40\r\nb,60,250\r\n"),
        ("conf.csv", '"","a","b"\r"a","150","40"\r"b","60","250"\r'),
        ("conf.csv", "\ufeff,a,b\n\na,150,40\n,,\nb,60,250\n"),
        ("conf.csv", ";a;b\na;150;40\nb;60;250\n"),
        ("conf.csv", "\ta\tb\na\t150\t40\nb\t60\t250\n"),
        ("CONF.TSV", "reference\ta\tb\na\t150\t40\nb\t60\t250\n"),
        ("conf.csv", "actual,predicted,count\na,a,150\na,b,40\nb,a,60\nb,b,250\n"),
        ("conf.csv", "n,Pred,Truth\n150,a,a\n40,b,a\n60,a,b\n250,b,b\n"),
        ("conf.tsv", "Prediction\tReference\tFreq\na\ta\t150\nb\ta\t40\na\tb\t60\nb\tb\t250\n"),
        ("conf.csv", "true;pred;Frequency\na;a;150\na;b;40\nb;a;60\nb;b;250\n"),
        ("conf.json", '{"labels": ["a", "b"], "matrix": [[150, 40], [60, 250]]}'),
        ("conf.json", '{"a": {"a": 150, "b": 40}, "b": {"a": 60, "b": 250}}'),
    ],
)
def test_files_with_names(tmp_path: Path, name: str, content: str) -> None:
    path = at(tmp_path, name, content)
    assert read_counts(path, labels=["a", "b"]) == TypedMatrix(("a", "b"), FIGURES, ())
    assert read_counts(str(path), labels=["b", "a"]).values == ((250, 60), (40, 150))


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("conf.txt", "150 40\n60 250\n"),
        ("conf.txt", "150, 40; 60, 250"),
        ("conf.txt", "[[150, 40], [60, 250]]"),
        ("conf.csv", "150,40\n60,250\n"),
        ("conf.csv", "150;40\n60;250\n"),
        ("conf.tsv", "150\t40\n60\t250\n"),
        ("conf.json", "\ufeff[[150, 40], [60, 250]]"),
    ],
)
def test_files_without_names(tmp_path: Path, name: str, content: str) -> None:
    assert read_counts(at(tmp_path, name, content)) == TypedMatrix(None, FIGURES, ())


@pytest.mark.parametrize("corner", ["predicted", "PRED \\ true", "prediction/actual", "system\\truth"])
def test_a_corner_that_says_predicted_turns_the_table_round(tmp_path: Path, corner: str) -> None:
    path = at(tmp_path, "conf.csv", f"{corner},a,b\na,150,60\nb,40,250\n")
    expected = f"rows of conf.csv are predicted (named so in the corner '{corner}')"
    assert read_counts(path) == TypedMatrix(("a", "b"), FIGURES, (expected,))


def test_a_header_of_truth_values_is_not_a_long_table(tmp_path: Path) -> None:
    path = at(tmp_path, "conf.csv", "predicted,true,false\ntrue,150,60\nfalse,40,250\n")
    assert read_counts(path).labels == ("true", "false")
    assert read_counts(path).values == FIGURES


def test_a_corner_that_says_nothing_known_is_reported(tmp_path: Path) -> None:
    path = at(tmp_path, "conf.csv", "row_0,a,b\na,150,40\nb,60,250\n")
    assert read_counts(path).values == FIGURES
    assert read_counts(path).notes == (
        "the corner 'row_0' of conf.csv does not name the axes: rows are taken as actual",
    )
    assert read_counts(path, rows="actual").notes == ()
    assert read_counts(path, rows="predicted").values == ((150, 60), (40, 250))


def test_order_is_that_of_the_actual_axis_then_of_labels_only_on_the_other(tmp_path: Path) -> None:
    path = at(tmp_path, "conf.csv", "actual\\predicted,a,c,b\nb,1,2,3\na,4,5,6\n")
    assert read_counts(path) == TypedMatrix(
        ("b", "a", "c"),
        ((3, 1, 2), (6, 4, 5), (0, 0, 0)),
        ("label 'c' is only among the predicted labels of conf.csv: counted as 0 actual rows",),
    )
    turned = at(tmp_path, "turned.csv", "predicted\\actual,a,c,b\nb,1,2,3\na,4,5,6\n")
    assert read_counts(turned) == TypedMatrix(
        ("a", "c", "b"),
        ((4, 0, 1), (5, 0, 2), (6, 0, 3)),
        (
            "rows of turned.csv are predicted (named so in the corner 'predicted\\actual')",
            "label 'c' is only among the actual labels of turned.csv: counted as 0 predicted rows",
        ),
    )


def test_pairs_missing_from_a_long_table_are_zero(tmp_path: Path) -> None:
    path = at(tmp_path, "conf.csv", "actual,predicted,n\nx,y,3\ny,y,4\n")
    assert read_counts(path) == TypedMatrix(
        ("x", "y"),
        ((0, 3), (0, 4)),
        ("label 'x' is only among the actual labels of conf.csv: counted as 0 predicted rows",),
    )


def test_many_labels_on_one_side_make_one_note(tmp_path: Path) -> None:
    columns = [f"c{index}" for index in range(8)]
    path = at(tmp_path, "conf.csv", f"actual,{','.join(columns)}\nc0,{','.join('1' * 8)}\n")
    assert read_counts(path).notes == (
        "labels 'c1', 'c2', 'c3', 'c4', 'c5' and 2 more are only among the predicted labels of conf.csv: "
        "counted as 0 actual rows",
    )


def test_a_class_called_all_that_is_no_sum_is_counted(tmp_path: Path) -> None:
    path = at(tmp_path, "conf.csv", "actual,a,All\na,1,2\nAll,3,4\n")
    assert read_counts(path).values == ((1, 2), (3, 4))


def test_files_that_pandas_writes_agree_with_scikit_learn(tmp_path: Path) -> None:
    generator = np.random.default_rng(3)
    actual = pd.Series(generator.choice(["cat", "dog", "a,b", "owl;x"], 200), name="actual")
    predicted = pd.Series(generator.choice(["cat", "dog", "a,b", "owl;x"], 200), name="predicted")
    labels = ["owl;x", "dog", "cat", "a,b"]
    expected = tuple(map(tuple, confusion_matrix(actual, predicted, labels=labels).tolist()))
    table = pd.crosstab(actual, predicted)
    table.to_csv(tmp_path / "square.csv")
    table.T.to_csv(tmp_path / "turned.csv")
    table.stack().rename("count").reset_index().sample(frac=1, random_state=1).to_csv(
        tmp_path / "long.csv", index=False
    )
    for name in ("square.csv", "turned.csv", "long.csv"):
        assert read_counts(tmp_path / name, labels=labels).values == expected


def test_a_name_of_digits_is_typed_and_an_existing_file_of_another_name_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    at(tmp_path, "1 2;3 4", "not read")
    at(tmp_path, "a;b.txt", "5 6; 7 8")
    assert read_counts("1 2;3 4").values == ((1, 2), (3, 4))
    assert read_counts("a;b.txt").values == ((5, 6), (7, 8))


# --- refused -------------------------------------------------------------------------------------

WHOLE = "; expected a whole number, 0 or more."
THOUSANDS = " Hint: write numbers without thousands separators (4841, not 4,841)."
NOT_SHARES = " Hint: a matrix holds counts of rows, not shares or weights."
WRITE_ZERO = " Hint: write 0 where nothing was counted."


@pytest.mark.parametrize(
    ("source", "kind", "message"),
    [
        ("1 2; 3 x", InputError, "row 2, column 2 holds 'x'" + WHOLE),
        ("x 2; 3 4", InputError, "row 1, column 1 holds 'x'" + WHOLE),
        ("1 0.5; 3 4", InputError, "row 1, column 2 holds '0.5'" + WHOLE + NOT_SHARES),
        ("1 -3; 3 4", InputError, "row 1, column 2 holds '-3'" + WHOLE),
        ("1 NaN; 3 4", InputError, "row 1, column 2 holds 'NaN'" + WHOLE),
        ("1 inf; 3 4", InputError, "row 1, column 2 holds 'inf'" + WHOLE),
        ("1 1e999; 3 4", InputError, "row 1, column 2 holds '1e999'" + WHOLE),
        ("1 1_000; 3 4", InputError, "row 1, column 2 holds '1_000'" + WHOLE),
        ("1 ٣; 3 4", InputError, "row 1, column 2 holds '٣'" + WHOLE),
        (
            "1 12%; 3 4",
            InputError,
            f"row 1, column 2 holds '12%'{WHOLE} Hint: give the numbers themselves, not percentages.",
        ),
        ("4.841 462; 75 282", InputError, "row 1, column 1 holds '4.841'" + WHOLE + THOUSANDS),
        ("4'841 462; 75 282", InputError, """row 1, column 1 holds "4'841\"""" + WHOLE + THOUSANDS),
        ("1,,2; 3 4 5; 6 7 8", InputError, "row 1, column 2 is empty" + WHOLE + WRITE_ZERO),
        ("1,2,; 3,4,5; 6,7,8", InputError, "row 1, column 3 is empty" + WHOLE + WRITE_ZERO),
        ([[1, 2], [3, None]], InputError, "row 2, column 2 is empty" + WHOLE + WRITE_ZERO),
        ([[1, True], [3, 4]], InputError, "row 1, column 2 holds True" + WHOLE),
        ([[1, float("nan")], [3, 4]], InputError, "row 1, column 2 holds nan" + WHOLE),
        ([[1, [2]], [3, 4]], InputError, "row 1, column 2 holds [2]" + WHOLE),
        (np.array([[1, 2.5], [3, 4]]), InputError, "row 1, column 2 holds 2.5" + WHOLE + NOT_SHARES),
        ("[[1, NaN], [3, 4]]", InputError, "row 1, column 2 holds nan" + WHOLE),
        ("[[1, -Infinity], [3, 4]]", InputError, "row 1, column 2 holds -inf" + WHOLE),
        ('{"a": {"b": "x"}}', InputError, "actual 'a', predicted 'b' holds 'x'" + WHOLE),
        (
            "4,841 462; 75 282",
            ShapeError,
            "row 2 has 2 cells; row 1 has 3. Hint: a comma separates cells; write 4841, not 4,841.",
        ),
        (
            "4,841 462; 75 1,282",
            ShapeError,
            "expected as many columns as rows; the matrix is 2 x 3. "
            "Hint: a comma separates cells; write 4841, not 4,841.",
        ),
        ("1 2; 3", ShapeError, "row 2 has 1 cell; row 1 has 2."),
        ("1 2 3; 4 5 6", ShapeError, "expected as many columns as rows; the matrix is 2 x 3."),
        ("[[1, 2], [3, 4], [5, 6]]", ShapeError, "expected as many columns as rows; the matrix is 3 x 2."),
        ("1 2;; 3 4", ShapeError, "row 2 of the matrix is empty."),
        (";1 2; 3 4", ShapeError, "row 1 of the matrix is empty."),
        ("5", ShapeError, "expected at least 2 classes (2 x 2); got a 1 x 1 matrix."),
        ("{}", ShapeError, "expected at least 2 classes (2 x 2); got a 0 x 0 matrix."),
        ("", ShapeError, "the matrix has no rows. Hint: type rows such as '150 40; 60 250'."),
        ([], ShapeError, "the matrix has no rows. Hint: type rows such as '150 40; 60 250'."),
        ([1, 2], ShapeError, "row 1 is 1; expected a list of numbers."),
        (["12", "34"], ShapeError, "row 1 is '12'; expected a list of numbers."),
        (
            "0 0; 0 0",
            InputError,
            "every count of the matrix is 0; expected at least one row counted.",
        ),
        (
            7,
            InputError,
            "expected the matrix as rows of numbers; got int. "
            "Hint: write rows such as [[150, 40], [60, 250]], or names: {actual: {predicted: value}}.",
        ),
        (
            "conf.dat",
            InputError,
            "'conf.dat' is neither a matrix nor the name of a file that exists. Hint: type rows such as "
            "'150 40; 60 250', or the path of a .json, .csv, .tsv, .txt file.",
        ),
        (
            "[[1, 2], [3 4]]",
            InputError,
            "the matrix is not valid JSON: Expecting ',' delimiter (line 1, column 13).",
        ),
        (
            "[" * 100_000,
            InputError,
            "the matrix is not valid JSON: a number is too long, or it is nested too deeply.",
        ),
        (
            f"[[1, {'1' * 5000}], [3, 4]]",
            InputError,
            "the matrix is not valid JSON: a number is too long, or it is nested too deeply.",
        ),
        (
            '{"labels": ["a", "b", "c"], "matrix": [[1, 2], [3, 4]]}',
            LabelError,
            "expected as many labels as rows; got 3 ('a', 'b', 'c') for a 2 x 2 matrix.",
        ),
        (
            '{"labels": ["a", "a"], "matrix": [[1, 2], [3, 4]]}',
            LabelError,
            "the labels of the matrix hold 'a' twice.",
        ),
        (
            '{"labels": ["a", 1.5], "matrix": [[1, 2], [3, 4]]}',
            LabelError,
            "one of the labels of the matrix is 1.5; expected a label (text or a whole number).",
        ),
        (
            '{"labels": "ab", "matrix": [[1, 2], [3, 4]]}',
            LabelError,
            "the labels of the matrix are 'ab'; expected a list of labels.",
        ),
        (
            '{"rows": "across", "matrix": [[1, 2], [3, 4]]}',
            InputError,
            "\"rows\" of the matrix is 'across'; expected actual or predicted.",
        ),
        (
            '{"matrix": [[1, 2], [3, 4]], "counts": [[1, 2], [3, 4]]}',
            InputError,
            "the matrix gives 'counts' twice.",
        ),
        (
            '{"a": {"a": 1, "b": 2, "b": 3}, "b": {}}',
            InputError,
            "the matrix gives actual 'a', predicted 'b' twice.",
        ),
        ('{"a": {"b": 2}, "a": {"b": 3}}', InputError, "the matrix gives actual 'a' twice."),
        (
            '{"labels": ["a", "b"], "matrix": [[1, 2], [3, 4]], "more": 1}',
            InputError,
            "actual 'labels' holds ['a', 'b']; expected a value for each predicted label. "
            'Hint: write {actual: {predicted: value}}, or only "labels" and "matrix".',
        ),
        (
            '{"a": {"a": 1, "Total": 1}, "b": {"a": 3, "Total": 3}}',
            InputError,
            "'Total' in the matrix holds the sums of the others; expected the counts alone. "
            "Hint: delete the row and the column of totals.",
        ),
    ],
)
def test_bad_text_and_values_are_named(source: Any, kind: type[TallymarkError], message: str) -> None:
    with pytest.raises(kind) as caught:
        read_counts(source)
    assert type(caught.value) is kind
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("name", "content", "kind", "message"),
    [
        (
            "conf.csv",
            "actual,a,b\na,1,2\n\nb,3,x\n",
            InputError,
            "line 4, column 'b' of conf.csv holds 'x'" + WHOLE,
        ),
        (
            "conf.csv",
            "predicted,a,b\na,1,2\nb,3,x\n",
            InputError,
            "line 3, column 'b' of conf.csv holds 'x'" + WHOLE,
        ),
        (
            "conf.csv",
            ",a,b\na,,2\nb,3,4\n",
            InputError,
            "line 2, column 'a' of conf.csv is empty" + WHOLE + WRITE_ZERO,
        ),
        (
            "conf.csv",
            ',a,b\na,"4,841",2\nb,3,4\n',
            InputError,
            "line 2, column 'a' of conf.csv holds '4,841'" + WHOLE + THOUSANDS,
        ),
        (
            "conf.csv",
            '"4,841",462\n75,282\n',
            InputError,
            "line 1, column 1 of conf.csv holds '4,841'" + WHOLE + THOUSANDS,
        ),
        ("conf.csv", "1,2\n3,x\n", InputError, "line 2, column 2 of conf.csv holds 'x'" + WHOLE),
        ("conf.txt", "1 2\n3 x\n", InputError, "row 2, column 2 of conf.txt holds 'x'" + WHOLE),
        ("conf.json", "[[1, 2], [3, -1]]", InputError, "row 2, column 2 of conf.json holds -1" + WHOLE),
        (
            "conf.csv",
            "actual,predicted,count\na,a,1\na,b,1.5\n",
            InputError,
            "line 3, column 'count' of conf.csv holds '1.5'" + WHOLE + NOT_SHARES,
        ),
        (
            "conf.csv",
            "actual,predicted,count\na,a,1\na,b,2\na,a,3\n",
            InputError,
            "conf.csv gives actual 'a', predicted 'a' twice: line 2, column 'count' of conf.csv, "
            "and line 4, column 'count' of conf.csv.",
        ),
        (
            "conf.csv",
            "actual,predicted,count\na,a,1\n,b,2\n",
            LabelError,
            "line 3, column 'actual' of conf.csv holds no label.",
        ),
        (
            "conf.csv",
            "actual,predicted,count\n",
            ShapeError,
            "conf.csv has a header and nothing under it.",
        ),
        (
            "conf.csv",
            "actual,predicted\na,b\nb,b\n",
            InputError,
            "line 1 of conf.csv names the columns 'actual', 'predicted'; expected also count or n or freq "
            "or frequency. Hint: one line for each prediction is read by `tallymark evaluate`.",
        ),
        (
            "conf.csv",
            "a,b\n1,2\n3,4\n",
            LabelError,
            "no row of conf.csv has the label of a column: its columns are 'b', its rows '1', '3'. "
            "Hint: give labels in the header and in the first column, or in neither, or one line for each "
            "pair under the header actual,predicted,count.",
        ),
        (
            "conf.csv",
            ",a,a\na,1,2\nb,3,4\n",
            LabelError,
            "line 1 of conf.csv names the column 'a' twice.",
        ),
        (
            "conf.csv",
            ",a,b\na,1,2\nb,3,4\na,5,6\n",
            LabelError,
            "line 4 of conf.csv names the row 'a' again (first on line 2).",
        ),
        ("conf.csv", ",a,\na,1,2\nb,3,4\n", LabelError, "line 1, column 3 of conf.csv holds no label."),
        ("conf.csv", ",a,b\na,1,2\n,3,4\n", LabelError, "line 3, column 1 of conf.csv holds no label."),
        (
            "conf.csv",
            "actual/true,a,b\na,1,2\nb,3,4\n",
            InputError,
            "the corner 'actual/true' of conf.csv calls both axes actual.",
        ),
        (
            "conf.csv",
            "actual,a,b,Total\na,1,2,3\nb,3,4,7\nTotal,4,6,10\n",
            InputError,
            "'Total' in conf.csv holds the sums of the others; expected the counts alone. "
            "Hint: delete the row and the column of totals.",
        ),
        (
            "conf.csv",
            "predicted,a,b\na,1,2\nb,3,4\nSUM,4,6\n",
            InputError,
            "'SUM' in conf.csv holds the sums of the others; expected the counts alone. "
            "Hint: delete the row and the column of totals.",
        ),
        (
            "conf.csv",
            "actual,a,b\na,1,2\nb,3\n",
            FileError,
            "line 3 of conf.csv has 2 cells; line 1 has 3. "
            "Hint: write numbers without thousands separators (4841, not 4,841), and every cell.",
        ),
        (
            "conf.csv",
            "actual,a,b\na,4,841,2\nb,3,4\n",
            FileError,
            "line 2 of conf.csv has 4 cells; line 1 has 3. "
            "Hint: write numbers without thousands separators (4841, not 4,841), and every cell.",
        ),
        (
            "conf.csv",
            "a,b\na,1,2\nb,3,4\n",
            FileError,
            "line 2 of conf.csv has 3 cells; line 1 has 2. "
            "Hint: the header needs a cell above the row labels; it may be empty.",
        ),
        (
            "conf.csv",
            ',a,b\na,1,2\n"b,3,4\n',
            FileError,
            "a quote opened on line 3 of conf.csv is never closed.",
        ),
        (
            "conf.tsv",
            ",a,b\na,1,2\nb,3,4\n",
            FileError,
            "line 1 of conf.tsv has one cell; expected several, separated by tabs. "
            "Hint: commas and semicolons go in a .csv file, tabs in .tsv, blanks in .txt.",
        ),
        (
            "conf.csv",
            ",a,b\na,1,2\nb,3,4\n".encode("utf-16"),
            FileError,
            "conf.csv holds UTF-16 text, not UTF-8 text. "
            "Hint: convert it: iconv -f utf-16 -t utf-8 conf.csv > conf-utf8.csv",
        ),
        (
            "conf.csv",
            ",a,b\na,1,2\nb,3,4\n".encode("utf-16-le"),
            FileError,
            "conf.csv holds UTF-16 text, not UTF-8 text. "
            "Hint: convert it: iconv -f utf-16le -t utf-8 conf.csv > conf-utf8.csv",
        ),
        (
            "conf.csv",
            ",ja,né\nja,1,2\nné,3,4\n".encode("latin-1"),
            FileError,
            "line 1 of conf.csv is not UTF-8 (byte 0xE9). "
            "Hint: if the text is Latin-1, convert it: iconv -f latin1 -t utf-8 conf.csv > conf-utf8.csv",
        ),
        ("conf.csv", "", FileError, "conf.csv is empty (0 bytes)."),
        ("conf.csv", "a,\0\n", FileError, f"line 1 of conf.csv has a NUL byte. Hint: {NO_NUL}"),
        ("conf.csv", ",,\n,,\n", FileError, "conf.csv holds no values."),
        (
            "conf.json",
            "[[1, 2]",
            FileError,
            "conf.json is not valid JSON: Expecting ',' delimiter (line 1, column 8).",
        ),
        (
            "conf.xlsx",
            "1 2",
            FileError,
            "expected a file that ends in .json, .csv, .tsv, .txt; got 'conf.xlsx'. "
            "Hint: rename it by what is in it; .txt holds rows such as '150 40; 60 250'.",
        ),
    ],
)
def test_bad_files_are_named_with_the_place(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    content: str | bytes,
    kind: type[TallymarkError],
    message: str,
) -> None:
    at(tmp_path, name, content)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(kind) as caught:
        read_counts(name)
    assert type(caught.value) is kind
    assert str(caught.value) == message


@pytest.mark.parametrize("name", ["missing.csv", "MISSING.JSON", "deep/missing.tsv", "two words.txt"])
def test_a_missing_file_is_named(tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for source in (name, Path(name)):
        with pytest.raises(FileError) as caught:
            read_counts(source)
        folder = ": there is no folder deep" if "/" in name else ""
        assert str(caught.value) == f"there is no file {name}{folder}."


def test_a_directory_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"is a folder, not a file\. Hint: name the files in it\.$"):
        read_counts(str(tmp_path))


@pytest.mark.parametrize(
    ("corner", "rows", "message"),
    [
        (
            "actual\\predicted",
            "predicted",
            "rows='predicted' was given, but the corner 'actual\\predicted' of conf.csv says that its rows "
            "are actual. Hint: drop the option, or correct the table.",
        ),
        (
            "Prediction",
            "actual",
            "rows='actual' was given, but the corner 'Prediction' of conf.csv says that its rows are "
            "predicted. Hint: drop the option, or correct the table.",
        ),
    ],
)
def test_rows_against_the_corner_is_refused(tmp_path: Path, corner: str, rows: Any, message: str) -> None:
    path = at(tmp_path, "conf.csv", f"{corner},a,b\na,1,2\nb,3,4\n")
    with pytest.raises(InputError) as caught:
        read_counts(path, rows=rows)
    assert str(caught.value) == message


def test_rows_against_a_header_or_a_key_is_refused(tmp_path: Path) -> None:
    path = at(tmp_path, "conf.csv", "actual,predicted,n\na,b,1\n")
    with pytest.raises(InputError, match=r"but the header of conf\.csv says that its rows are actual"):
        read_counts(path, rows="predicted")
    with pytest.raises(InputError, match=r'but "rows" of the matrix says that its rows are predicted'):
        read_counts('{"rows": "predicted", "matrix": [[1, 2], [3, 4]]}', rows="actual")


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (["a"], "expected as many labels as rows; got 1 ('a') for a 2 x 2 matrix."),
        (["a", "a"], "the labels hold 'a' twice."),
        (["a", ""], "one of the labels is ''; expected a label (text or a whole number)."),
        (["a", " "], "one of the labels is ' '; expected a label (text or a whole number)."),
        (["a", None], "one of the labels is None; expected a label (text or a whole number)."),
        ("ab", "the labels are 'ab'; expected a list of labels."),
    ],
)
def test_labels_that_do_not_fit_are_refused(labels: Any, message: str) -> None:
    with pytest.raises(LabelError) as caught:
        read_counts("1 2; 3 4", labels=labels)
    assert str(caught.value) == message


def test_labels_must_be_those_of_the_source() -> None:
    source = '{"labels": ["a", "b"], "matrix": [[1, 2], [3, 4]]}'
    with pytest.raises(LabelError) as caught:
        read_counts(source, labels=["a", "B"])
    assert str(caught.value) == (
        "expected the labels 'a', 'B'; the matrix has 'a', 'b'. "
        "Hint: labels are case-sensitive; name each label of the matrix once."
    )


def test_a_third_word_for_rows_is_refused() -> None:
    with pytest.raises(OptionError, match=r"^rows is 'columns'; expected 'actual' or 'predicted'\.$"):
        read_counts("1 2; 3 4", rows="columns")  # type: ignore[arg-type]
