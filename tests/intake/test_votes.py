"""Votes: several columns of answers become a score, the number of them that say the positive class."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import tallymark as tm
from tallymark.evaluation import Evaluation, evaluate

ACTUAL = ["yes", "no", "yes", "no", "yes", "no"]
M1 = ["yes", "no", "yes", "yes", "no", "no"]
M2 = ["yes", "no", "no", "no", "no", "no"]
M3 = ["yes", "yes", "yes", "no", "no", "no"]
COUNTS = [3, 1, 2, 1, 0, 0]
COLUMNS = {"y": ACTUAL, "m1": M1, "m2": M2, "m3": M3}
NAMES = ["m1", "m2", "m3"]
SAID = "the score is the number of votes for 'yes' among 3 columns."
# At least 2 votes: rows 0 and 2, both yes; row 4 is missed. Labels in order: no, yes.
AT_TWO = [[3, 0], [1, 2]]


def matrix(ev: Evaluation) -> list[list[int]]:
    assert ev.confusion is not None
    counts: list[list[int]] = ev.confusion.matrix.tolist()
    return counts


def score(ev: Evaluation) -> list[float]:
    assert ev.encoded is not None
    assert ev.encoded.score is not None
    values: list[float] = ev.encoded.score.tolist()
    return values


def refusal(error: type[tm.TallymarkError], *data: Any, **options: Any) -> tm.TallymarkError:
    """The error evaluate() ends with: always one line."""
    with pytest.raises(error) as caught:
        evaluate(*data, **options)
    assert "\n" not in str(caught.value)
    caught.value.message = caught.value.message.removeprefix(f"{data[0]}: ")
    return caught.value


def table() -> np.ndarray[Any, Any]:
    return np.array([M1, M2, M3]).T


# --- the forms votes come in -------------------------------------------------------------------


@pytest.mark.parametrize(
    "votes",
    [
        table(),
        table().astype(object),
        [M1, M2, M3],
        (np.array(M1), M2, pd.Series(M3)),
        {"m1": M1, "m2": M2, "m3": M3},
        pd.DataFrame(table()),
        pd.DataFrame(table(), columns=NAMES),
        pl.DataFrame({name: COLUMNS[name] for name in NAMES}),
        pl.LazyFrame({name: COLUMNS[name] for name in NAMES}),
        pa.table({name: COLUMNS[name] for name in NAMES}),
    ],
    ids=lambda votes: type(votes).__name__,
)
@pytest.mark.parametrize("of", [list, np.array, pd.Series, pl.Series, pa.array])
def test_values(votes: Any, of: Any) -> None:
    ev = evaluate(of(ACTUAL), votes=votes, pos_label="yes", threshold=2)
    assert (matrix(ev), score(ev)) == (AT_TWO, COUNTS)
    assert (ev.threshold, ev.positive, ev.notes) == (2, "yes", (SAID,))


def test_a_frame_with_one_column_may_be_the_actual_classes() -> None:
    ev = evaluate(pd.DataFrame({"y": ACTUAL}), votes=pd.DataFrame(table()), pos_label="yes", threshold=2)
    assert matrix(ev) == AT_TWO


@pytest.mark.parametrize("of", [pd.DataFrame, pl.DataFrame, pl.LazyFrame, pa.table])
def test_columns_of_a_frame(of: Any) -> None:
    ev = evaluate(of(COLUMNS), actual="y", votes=NAMES, pos_label="yes", threshold=2)
    assert (matrix(ev), score(ev), ev.notes) == (AT_TWO, COUNTS, (SAID,))


def test_names_may_come_as_a_tuple_an_index_or_numbers() -> None:
    frame = pd.DataFrame(COLUMNS)
    for names in (tuple(NAMES), frame.columns[1:], np.array(NAMES)):
        assert matrix(evaluate(frame, actual="y", votes=names, pos_label="yes", threshold=2)) == AT_TWO
    numbered = frame.set_axis(range(4), axis=1)
    assert matrix(evaluate(numbered, actual=0, votes=[1, 2, 3], pos_label="yes", threshold=2)) == AT_TWO  # type: ignore[arg-type]


def written(suffix: str) -> Path:
    frame, path = pl.DataFrame(COLUMNS), Path(f"votes{suffix}")
    if suffix == ".csv":
        frame.write_csv(path)
    elif suffix == ".tsv":
        frame.write_csv(path, separator="\t")
    elif suffix == ".csv.gz":
        path.write_bytes(gzip.compress(frame.write_csv().encode()))
    elif suffix == ".parquet":
        frame.write_parquet(path)
    elif suffix == ".arrow":
        frame.write_ipc(path)
    elif suffix == ".ndjson":
        frame.write_ndjson(path)
    elif suffix == ".json":
        frame.write_json(path)
    elif suffix == ".npz":
        np.savez(path, **{name: np.array(values) for name, values in COLUMNS.items()})  # type: ignore[arg-type]
    else:
        lines = [f"@attribute {name} {{no,yes}}" for name in COLUMNS]
        rows = [",".join(row) for row in zip(*COLUMNS.values(), strict=True)]
        path.write_text("\n".join(["@relation votes", *lines, "@data", *rows, ""]))
    return path


SUFFIXES = [".csv", ".tsv", ".csv.gz", ".parquet", ".arrow", ".ndjson", ".json", ".npz", ".arff"]


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_columns_of_a_file(suffix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    ev = evaluate(written(suffix), actual="y", votes=NAMES, pos_label="yes", threshold=2)
    assert (matrix(ev), score(ev), ev.notes) == (AT_TWO, COUNTS, (SAID,))


def test_columns_of_several_files(tmp_path: Path) -> None:
    frame = pl.DataFrame(COLUMNS)
    paths = [tmp_path / "a.csv", tmp_path / "b.csv"]
    frame[:2].write_csv(paths[0])
    frame[2:].write_csv(paths[1])
    ev = evaluate(paths, actual="y", votes=NAMES, pos_label="yes", threshold=2)
    assert (matrix(ev), score(ev)) == (AT_TWO, COUNTS)


def test_actual_is_guessed_beside_votes_and_answers_are_not() -> None:
    frame = pl.DataFrame({**COLUMNS, "predicted": M1, "score": [0.1] * 6})
    ev = evaluate(frame, votes=NAMES, pos_label="yes", threshold=2)
    assert matrix(ev) == AT_TWO
    assert ev.notes == ("column 'y' was taken as actual (guessed from its name).", SAID)


# --- labels ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("no", "yes"), [(0, 1), (False, True), (0.0, 1.0), ("0", "1"), ("False", "True"), ("0.0", "1.0")]
)
def test_conventional_labels_need_no_positive_class(no: Any, yes: Any) -> None:
    def of(words: list[str]) -> list[Any]:
        return [yes if word == "yes" else no for word in words]

    ev = evaluate(of(ACTUAL), votes=[of(M1), of(M2), of(M3)], threshold=2)
    assert (matrix(ev), score(ev)) == (AT_TWO, COUNTS)


def test_one_family_in_several_forms() -> None:
    votes = [[True, False, False], [1, 0, 1], [1.0, 0.0, 1.0]]
    assert score(evaluate([1, 0, 0], votes=votes, threshold=1)) == [3, 0, 2]
    assert score(evaluate([True, False, False], votes=votes, threshold=1)) == [3, 0, 2]
    assert score(evaluate(["1", "0", "0"], votes=[["1.0", "0", "1"], ["1", "0.0", "0"]], threshold=1)) == [
        2,
        0,
        1,
    ]


def test_named_the_way_it_is_written_elsewhere() -> None:
    ev = evaluate(["0", "1", "1"], votes=[["0", "1", "0"], ["0", "1", "1"]], pos_label=0, threshold=1)
    assert (ev.positive, score(ev)) == (0, [2, 0, 1])


def test_labels_are_of_one_family() -> None:
    error = refusal(tm.LabelError, ["a", "b"], votes=[["a", "b"], [0, 1]], pos_label="a", threshold=1)
    assert error.message == (
        "actual holds text and votes (column '2') numbers or booleans, so no label would ever match."
    )
    error = refusal(tm.LabelError, ["0", "1"], votes=[["0", "1"], ["true", "false"]], threshold=1)
    assert error.message == "one of actual and votes (column '2') says 0/1 and the other False/True."
    error = refusal(tm.LabelError, ["0", "1"], votes=[["0", "1"], ["0.2", "0.9"]], threshold=1)
    assert error.message == "votes (column '2') holds decimals such as '0.2', not labels."
    error = refusal(tm.LabelError, [0, 1], votes=[[0, 1], [0.2, 0.9]], threshold=1)
    assert error.message.startswith("votes (column '2') holds 0.2 at position 0")


def test_the_positive_class_is_needed() -> None:
    error = refusal(tm.LabelError, ACTUAL, votes=[M1, M2], threshold=1)
    assert error.message == "votes need to know the positive class; the labels are ['no', 'yes']."
    assert error.hint == "name it, for example --positive yes (in Python pos_label='yes')."
    refusal(tm.LabelError, ACTUAL, M3, votes=[M1, M2])
    error = refusal(tm.LabelError, ACTUAL, votes=[M1, M2], pos_label="Yes", threshold=1)
    assert "did you mean 'yes'?" in str(error)


def test_more_than_two_classes_are_pooled() -> None:
    votes = [["a", "b", "c", "a"], ["a", "c", "a", "b"]]
    ev = evaluate(["a", "b", "c", "a"], votes=votes, pos_label="a", threshold=2)
    assert score(ev) == [2, 0, 1, 1]
    assert (ev.labels, matrix(ev)) == (("a", "rest"), [[1, 1], [0, 2]])
    assert ev.notes == (
        "the score is the number of votes for 'a' among 2 columns.",
        "['b', 'c'] were pooled as 'rest', against 'a'.",
    )


def test_a_class_that_no_row_is_counts_for_nothing_and_is_said() -> None:
    votes = [["yes", "Yes", "no"], ["yes", "maybe", "no"]]
    ev = evaluate(["yes", "yes", "no"], votes=votes, pos_label="yes", threshold=1)
    assert score(ev) == [2, 0, 0]
    assert ev.labels == ("no", "yes")
    assert ev.notes[1] == (
        "some votes say ['Yes', 'maybe'], which no row actually is: they do not count for 'yes'."
    )


def test_a_class_that_was_not_declared_is_an_error_as_for_answers() -> None:
    options: dict[str, Any] = {"pos_label": "yes", "labels": ["yes", "no"], "threshold": 1}
    votes = [["yes", "no", "no"], ["no", "maybe", "no"]]
    error = refusal(tm.LabelError, ["yes", "yes", "no"], votes=votes, **options)
    assert error.message == (
        "votes (column '2') holds ['maybe'] at position 1 (counted from 0); "
        "the labels given are ['yes', 'no']."
    )
    votes[1][1] = "yes"
    ev = evaluate(["yes", "yes", "no"], votes=votes, **options)
    assert (ev.labels, score(ev)) == (("yes", "no"), [1, 1, 0])


def test_a_declared_class_that_no_row_is() -> None:
    options: dict[str, Any] = {"pos_label": "b", "labels": ["a", "b", "c"], "threshold": 1}
    ev = evaluate(["a", "b"], votes=[["c", "b"], ["b", "b"]], **options)
    assert score(ev) == [1, 2]


def test_rows_of_one_class_only() -> None:
    ev = evaluate(["no", "no"], votes=[["yes", "no"], ["yes", "no"]], pos_label="yes", threshold=2)
    assert (score(ev), matrix(ev)) == ([2, 0], [[1, 1], [0, 0]])
    ev = evaluate([1, 1], votes=[[1, 0], [1, 1]], threshold=2)
    assert (score(ev), matrix(ev)) == ([2, 1], [[0, 0], [1, 1]])


def test_no_vote_at_all_is_said() -> None:
    ev = evaluate(["yes", "no"], votes=[["no", "no"], ["no", "no"]], pos_label="yes", threshold=1)
    assert ev.notes[1] == "no vote is for 'yes'."


# --- thresholds and answers --------------------------------------------------------------------


def test_votes_have_no_default_threshold() -> None:
    ev = evaluate(ACTUAL, votes=[M1, M2, M3], pos_label="yes")
    assert (ev.threshold, ev.confusion) == (None, None)
    assert ev["recall"].why == "pass a threshold: a number of votes"
    assert ev.notes[1] == "votes have no default threshold; pass one (a majority is 2 of 3)."
    assert json.loads(ev.to_json())["metrics"]["recall"]["why"] == "pass a threshold: a number of votes"


def test_not_even_where_all_counts_happen_to_lie_between_0_and_1() -> None:
    ev = evaluate([1, 0, 0], votes=[[1, 0, 0], [0, 0, 1]])
    assert ev.threshold is None
    assert ev.notes[1] == "votes have no default threshold; pass one (a majority is 2 of 2)."


def test_the_best_number_of_votes() -> None:
    # F1 at 3, 2, 1, 0 votes: 2*1/(1+3), 2*2/(2+3), 2*2/(4+3), 2*3/(6+3).
    ev = evaluate(ACTUAL, votes=[M1, M2, M3], pos_label="yes", threshold="best")
    assert (ev.threshold, matrix(ev)) == (2, AT_TWO)


def test_answers_beside_votes_are_the_answers() -> None:
    ev = evaluate(ACTUAL, M1, votes=[M2, M3], pos_label="yes")
    assert (matrix(ev), ev.threshold) == ([[2, 1], [1, 2]], None)
    assert score(ev) == [2, 1, 1, 0, 0, 0]
    frame = pd.DataFrame(COLUMNS)
    ev = evaluate(frame, actual="y", predicted="m1", votes=["m2", "m3"], pos_label="yes")
    assert (matrix(ev), score(ev)) == ([[2, 1], [1, 2]], [2, 1, 1, 0, 0, 0])


def test_a_class_that_only_the_answers_name_settles_how_labels_are_read() -> None:
    ev = evaluate(["0", "1"], ["1", "x"], votes=[["1", "1"], ["0", "1"]], pos_label="1")
    assert (ev.labels, ev.positive, score(ev)) == (("0", "1", "x"), "1", [1, 2])


def test_own_metrics_get_the_number_of_votes() -> None:
    def most(y_true: Any, y_pred: Any, y_score: Any) -> float:
        return float(y_score.max())

    ev = evaluate(ACTUAL, votes=[M1, M2, M3], pos_label="yes", threshold=2, extra={"most": most})
    assert ev["most"].value == 3


# --- weights, groups, slices, missing values ---------------------------------------------------


def test_weights_groups_and_slices() -> None:
    beside: dict[str, Any] = {"w": [1, 2, 3, 4, 5, 6], "g": list("aabbcc"), "s": list("xyxyxy")}
    options: dict[str, Any] = {"actual": "y", "votes": NAMES, "pos_label": "yes", "threshold": 2}
    frame = pl.DataFrame({**COLUMNS, **beside})
    ev = evaluate(frame, weight="w", groups="g", slices=["s", "m1"], **options)
    # Rows 1, 3, 5 are rightly no (2 + 4 + 6), rows 0 and 2 rightly yes (1 + 3), row 4 is missed (5).
    assert matrix(ev) == [[12, 0], [5, 4]]
    assert ev["recall"].method == "group_bootstrap"
    assert [part.rows for part in ev.slices] == [3, 3, 3, 3]
    again = evaluate(
        ACTUAL,
        votes=[M1, M2, M3],
        sample_weight=beside["w"],
        groups=beside["g"],
        slices={"s": beside["s"], "m1": M1},
        pos_label="yes",
        threshold=2,
    )
    assert again.to_json() == ev.to_json()


def test_missing_votes_are_an_error_that_names_their_places(tmp_path: Path) -> None:
    path = tmp_path / "votes.csv"
    path.write_text("y,m1,m2,m3\nyes,yes,no,yes\nno,,no,no\nno,no,no,\nyes,yes,,yes\n")
    options: dict[str, Any] = {"actual": "y", "votes": NAMES, "pos_label": "yes", "threshold": 1}
    error = refusal(tm.MissingValueError, path, **options)
    assert error.message == "votes are missing in 3 of 4 rows, at lines 3, 4 and 5."
    ev = evaluate(path, missing="drop", **options)
    assert (ev.rows, dict(ev.dropped), score(ev)) == (1, {"missing_votes": 3}, [2])


def test_one_column_that_lacks_votes_is_named() -> None:
    votes = {"tree": ["yes", None, "no"], "forest": ["yes", "no", "no"]}
    error = refusal(tm.MissingValueError, ["yes", "no", "no"], votes=votes, pos_label="yes")
    assert error.message == (
        "votes (column 'tree') are missing in 1 of 3 rows, at position 1 (counted from 0)."
    )
    table = np.array([[1.0, 1.0], [np.nan, 0.0], [0.0, 0.0]])
    ev = evaluate([1, 0, 0], votes=table, missing="drop", threshold=1)
    assert (dict(ev.dropped), score(ev)) == ({"missing_votes": 1}, [2, 0])
    masked = np.ma.masked_array([[1, 1], [1, 0], [0, 0]], mask=[[0, 0], [1, 0], [0, 0]])
    assert dict(evaluate([1, 0, 0], votes=masked, missing="drop", threshold=1).dropped) == {
        "missing_votes": 1
    }


def test_a_word_may_mean_missing(tmp_path: Path) -> None:
    path = tmp_path / "votes.csv"
    path.write_text("y,m1,m2\nyes,yes,NA\nno,no,no\nyes,yes,yes\n")
    options: dict[str, Any] = {"actual": "y", "votes": ["m1", "m2"], "pos_label": "yes", "threshold": 1}
    ev = evaluate(path, missing="drop", missing_words=["NA"], **options)
    assert (dict(ev.dropped), score(ev)) == ({"missing_votes": 1}, [0, 2])


# --- what is refused ---------------------------------------------------------------------------

FRAME = pd.DataFrame(COLUMNS)
TWICE = pd.DataFrame(table(), columns=["m1", "m1", "m3"])


@pytest.mark.parametrize(
    ("data", "options", "said"),
    [
        (FRAME, {"actual": "y", "votes": "m1"}, "votes are several columns; got ['m1']. Hint: one column of"),
        (FRAME, {"actual": "y", "votes": ["m1"]}, "votes are several columns; got ['m1']."),
        (FRAME, {"actual": "y", "votes": []}, "votes are several columns; got []."),
        (FRAME, {"actual": "y", "votes": ["m1", "m2", "m1"]}, "column 'm1' is named twice among the votes"),
        (FRAME, {"actual": "y", "votes": ["m1", "y"]}, "column 'y' is named for two roles"),
        (FRAME, {"actual": "y", "predicted": "m1", "votes": ["m1", "m2"]}, "column 'm1' is named for two"),
        (FRAME, {"actual": "y", "votes": ["m1", "m9"]}, "there is no column 'm9'"),
        (FRAME, {"actual": "y", "votes": table()}, "votes are names of its columns; got a value of type"),
        (FRAME, {"actual": "y", "score": "m1", "votes": ["m2", "m3"]}, "no place for another score"),
        (
            FRAME,
            {"actual": "y", "probabilities": ["m1", "m2"], "votes": ["m2", "m3"]},
            "or for probabilities",
        ),
        (ACTUAL, {"y_score": [0.1] * 6, "votes": [M1, M2]}, "votes are counted into a score"),
        (ACTUAL, {"votes": ["m1", "m2"]}, "with arrays, votes are a column per model: a table, or a list of"),
        (ACTUAL, {"votes": pd.Series(M1)}, "got a flat Series."),
        (ACTUAL, {"votes": np.array(M1)}, "got a flat ndarray."),
        (ACTUAL, {"votes": M1}, "got a flat list."),
        (
            ACTUAL,
            {"votes": [M1]},
            "votes are several columns; got 1. Hint: one column of answers is predicted",
        ),
        (
            ACTUAL,
            {"votes": np.zeros((6, 2, 2))},
            "votes must have two dimensions, rows and models; got shape",
        ),
        (ACTUAL, {"votes": np.zeros((5, 2))}, "there are 6 rows, but column 1 of the votes has 5 votes."),
        (ACTUAL, {"votes": [M1, M2[:4]]}, "there are 6 rows, but column 2 of the votes has 4 votes."),
        (ACTUAL, {"votes": table().tolist()}, "pass a list of rows as numpy.array(votes)."),
        (ACTUAL, {"votes": [M1, 3]}, "column 2 of the votes has no list of votes."),
        (ACTUAL, {"votes": TWICE}, "several columns of the votes have the same name."),
        (ACTUAL, {"actual": "y", "votes": [M1, M2]}, "column names ['y'] go with a data frame or a file"),
        ([{"a"}, {"b"}], {"y_pred": [{"a"}, {"b"}], "votes": [M1, M2]}, "rows have several labels here"),
        (
            [{"a"}, {"b"}],
            {"y_pred": [{"a"}, {"b"}], "votes": pl.LazyFrame({"v": [1]})},
            "several labels here",
        ),
        (
            FRAME,
            {"actual": ["m1", "m2"], "predicted": ["m3", "y"], "votes": ["a", "b"]},
            "no columns 'a' and 'b'",
        ),
    ],
)
def test_refused(data: Any, options: dict[str, Any], said: str) -> None:
    assert said in str(refusal(tm.TallymarkError, data, pos_label="yes", **options))


def test_label_sets_have_no_votes() -> None:
    frame = pl.DataFrame({"a": [0, 1], "b": [1, 0], "pa": [0, 1], "pb": [1, 1], "v": [0, 1], "w": [1, 1]})
    error = refusal(tm.OptionError, frame, actual=["a", "b"], predicted=["pa", "pb"], votes=["v", "w"])
    assert error.message == "votes are for one label per row, and rows have several labels here."


def test_a_file_with_votes_beside_it_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "votes.csv"
    pl.DataFrame(COLUMNS).write_csv(path)
    error = refusal(tm.OptionError, path, actual="y", votes=table())
    assert "with a data frame or a file, votes are names of its columns" in error.message


def test_rows_in_another_order_are_refused() -> None:
    actual = pd.Series(ACTUAL)
    shuffled = pd.DataFrame(table()).iloc[::-1]
    error = refusal(tm.ShapeError, actual, votes=shuffled, pos_label="yes")
    assert "same index in different order" in error.message
    for columns in ([shuffled[0], shuffled[1]], {"a": shuffled[0], "b": shuffled[1]}):
        assert "different order" in refusal(tm.ShapeError, actual, votes=columns, pos_label="yes").message


def test_a_threshold_decides_nothing_beside_answers() -> None:
    error = refusal(tm.OptionError, ACTUAL, M1, votes=[M2, M3], pos_label="yes", threshold=1)
    assert error.message == "the answers are given, so a threshold has nothing to decide."
