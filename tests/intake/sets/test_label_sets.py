from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sparse

from tallymark.errors import (
    ColumnError,
    LabelError,
    MissingValueError,
    OptionError,
    ShapeError,
    TallymarkError,
)
from tallymark.intake.columns import number_column
from tallymark.intake.sets.counting import count_sets
from tallymark.intake.sets.label_sets import EncodedSets, holds_sets, read_columns, read_delimited, read_sets

ACTUAL = [[0, 1, 1], [1, 0, 1], [1, 1, 1], [1, 0, 1]]
PREDICTED = [[0, 0, 1], [1, 0, 1], [1, 1, 0], [1, 1, 0]]
A, P = np.array(ACTUAL), np.array(PREDICTED)
FRAMES = pd.DataFrame(A, columns=list("abc")), pd.DataFrame(P, columns=list("abc"))


def lines(rows: Sequence[int]) -> str:
    return "line " + ", ".join(str(row + 2) for row in rows)


def marks(encoded: EncodedSets) -> tuple[list[list[int]], list[list[int]]]:
    return encoded.actual.astype(int).tolist(), encoded.predicted.astype(int).tolist()


def refused(kind: type[TallymarkError], call: Any) -> TallymarkError:
    with pytest.raises(kind) as caught:
        call()
    return caught.value


# --- tables ------------------------------------------------------------------------------------

TABLES = {
    "whole numbers": (A, P),
    "booleans": (A.astype(bool), P.astype(bool)),
    "floats": (A.astype(float), P.astype(np.float32)),
    "lists": (ACTUAL, PREDICTED),
    "tuples": ([tuple(row) for row in ACTUAL], PREDICTED),
    "objects": (A.astype(object), P),
    "sparse": (sparse.csr_matrix(A), sparse.coo_array(P)),
    "array and list": (A, PREDICTED),
}


@pytest.mark.parametrize("form", TABLES)
def test_tables_without_names(form: str) -> None:
    encoded = read_sets(*TABLES[form])
    assert marks(encoded) == (ACTUAL, PREDICTED)
    assert (encoded.labels, encoded.declared, encoded.dropped, encoded.kept) == ((0, 1, 2), True, {}, None)


@pytest.mark.parametrize(
    "frames",
    [
        FRAMES,
        tuple(map(pl.from_pandas, FRAMES)),
        tuple(pl.from_pandas(frame).lazy() for frame in FRAMES),
        tuple(map(pa.Table.from_pandas, FRAMES)),
    ],
    ids=["pandas", "polars", "lazy", "pyarrow"],
)
def test_frames_name_the_labels(frames: tuple[Any, Any]) -> None:
    encoded = read_sets(*frames)
    assert (encoded.labels, marks(encoded), encoded.notes) == (("a", "b", "c"), (ACTUAL, PREDICTED), ())


def test_frames_are_matched_by_name_and_it_is_said() -> None:
    encoded = read_sets(FRAMES[0], FRAMES[1][["c", "a", "b"]])
    assert marks(encoded) == (ACTUAL, PREDICTED)
    assert encoded.notes == ("the columns of predicted were matched to those of actual by name.",)


def test_frames_with_other_names_are_refused() -> None:
    error = refused(LabelError, lambda: read_sets(FRAMES[0], FRAMES[1].add_prefix("p_")))
    assert error.message == (
        "the columns of actual are ['a', 'b', 'c'] and those of predicted ['p_a', 'p_b', 'p_c']."
    )
    assert ".to_numpy()" in str(error.hint)


def test_a_frame_beside_an_array_is_taken_in_order_and_it_is_said() -> None:
    encoded = read_sets(FRAMES[0], P)
    assert (encoded.labels, marks(encoded)) == (("a", "b", "c"), (ACTUAL, PREDICTED))
    assert encoded.notes == ("the columns of predicted have no names; they were taken in order.",)


def test_columns_called_by_numbers_stay_numbers() -> None:
    assert read_sets(pd.DataFrame(A), P).labels == (0, 1, 2)


def test_labels_name_the_columns_of_arrays() -> None:
    assert read_sets(A, P, labels=["x", "y", "z"]).labels == ("x", "y", "z")
    error = refused(LabelError, lambda: read_sets(A, P, labels=["x", "y"]))
    assert error.message == "2 labels ['x', 'y'] for tables of 3 columns."


def test_labels_order_the_columns_of_frames_or_rename_all_of_them() -> None:
    ordered = read_sets(*FRAMES, labels=["c", "a", "b"])
    assert ordered.actual.astype(int).tolist() == A[:, [2, 0, 1]].tolist()
    renamed = read_sets(*FRAMES, labels=["x", "y", "z"])
    assert marks(renamed) == (ACTUAL, PREDICTED)
    assert renamed.notes == ("columns were taken in the order of the labels given.",)
    error = refused(LabelError, lambda: read_sets(*FRAMES, labels=["a", "b", "d"]))
    assert error.message == "the columns are ['a', 'b', 'c'] and the labels given are ['a', 'b', 'd']."


@pytest.mark.parametrize(
    ("table", "message", "hint"),
    [
        (P * 0.3, "predicted (column 2, counted from 0) holds 0.3 at position 0", "score >= 0.5"),
        (2 * P - 1, "predicted (column 0, counted from 0) holds -1 at position 0", "has a label (1)"),
        (P * 2, "predicted (column 2, counted from 0) holds 2 at position 0", "such as {2, 5}"),
        (sparse.csr_matrix(P * 2), "predicted (column 2, counted from 0) holds 2 at position 0", "(0)"),
        (
            [[0.1, 0.9, 0.2]] * 4,
            "predicted (column 0, counted from 0) holds 0.1 at positions 0, 1",
            "score >= 0.5",
        ),
    ],
)
def test_other_values_are_refused_with_their_place(table: Any, message: str, hint: str) -> None:
    error = refused(ColumnError, lambda: read_sets(A if not isinstance(table, list) else ACTUAL, table))
    assert error.message.startswith(message)
    assert "1 and 0 (or True and False) are expected" in error.message
    assert hint in str(error.hint)


def test_entries_of_one_sparse_cell_are_added_up() -> None:
    twice = sparse.coo_array(([1, 1, 1], ([0, 0, 1], [1, 1, 0])), shape=(2, 2))
    error = refused(ColumnError, lambda: read_sets(np.eye(2), twice))
    assert "holds 2 at position 0" in error.message


def test_shapes_must_agree() -> None:
    assert (
        refused(ShapeError, lambda: read_sets(A, P[:, :2])).message
        == "actual has 3 columns and predicted has 2."
    )
    assert (
        refused(ShapeError, lambda: read_sets(A, P[:2])).message == "actual has 4 rows and predicted has 2."
    )
    assert (
        "2 values at position 0" in refused(ShapeError, lambda: read_sets(A[:2, :2], [[1, 0], [1]])).message
    )
    assert refused(ShapeError, lambda: read_sets(A[:0], P[:0])).message == "there are no rows."


# --- sets --------------------------------------------------------------------------------------

SETS = [{"b", "a"}, set(), {"c"}], [["a"], [], ["c", "b"]]
IN_MARKS = [[1, 1, 0], [0, 0, 0], [0, 0, 1]], [[1, 0, 0], [0, 0, 0], [0, 1, 1]]
LISTS = [["a", "b"], [], ["c"]]


@pytest.mark.parametrize(
    "actual",
    [
        SETS[0],
        [frozenset(row) for row in SETS[0]],
        [tuple(row) for row in LISTS],
        np.array(SETS[0], object),
        pd.Series(LISTS),
        pl.Series(LISTS),
        pa.array(LISTS),
        pa.chunked_array([LISTS[:1], LISTS[1:]]),
        [np.array(row) for row in LISTS],
    ],
    ids=["sets", "frozensets", "tuples", "objects", "pandas", "polars", "arrow", "chunks", "arrays"],
)
def test_sets_of_labels(actual: Any) -> None:
    encoded = read_sets(actual, SETS[1])
    assert (encoded.labels, encoded.declared, marks(encoded)) == (("a", "b", "c"), False, IN_MARKS)


def test_numbers_as_labels() -> None:
    assert read_sets([[0, 1], [2, 5]], [[1], [1]]).labels == (0, 1, 2, 5)


def test_declared_labels_order_the_columns_and_allow_no_other() -> None:
    encoded = read_sets(*SETS, labels=["c", "b", "a", "d"])
    assert (encoded.labels, encoded.declared) == (("c", "b", "a", "d"), True)
    assert encoded.actual.astype(int).tolist() == [[0, 1, 1, 0], [0, 0, 0, 0], [1, 0, 0, 0]]
    error = refused(LabelError, lambda: read_sets(*SETS, labels=["a", "b"]))
    assert error.message == "actual holds ['c'] at position 2 (counted from 0); the labels are ['a', 'b']."


def test_a_bare_text_is_no_set_of_its_letters() -> None:
    error = refused(LabelError, lambda: read_sets([{"a"}, "ab"], [{"a"}, {"b"}]))
    assert (
        error.message
        == "actual holds 'ab' at position 1 (counted from 0); a set or list of labels is expected."
    )
    assert error.hint == "write one label as ['LABEL']; for text such as 'a;b' pass set_delimiter=';'."
    assert "holds 3 at position 1" in refused(LabelError, lambda: read_sets([{1}, 3], [{1}, {2}])).message


def test_a_set_names_a_label_once() -> None:
    error = refused(LabelError, lambda: read_sets([["b"], ["a", "b", "a"]], [["b"], []]))
    assert error.message == "actual names 'a' twice in one set, at position 1 (counted from 0)."


def test_a_missing_value_inside_a_set_is_refused() -> None:
    error = refused(LabelError, lambda: read_sets([["a"], ["a", None]], [["b"], []]))
    assert error.message == "actual has a missing value inside a set, at position 1 (counted from 0)."


def test_text_and_numbers_never_match() -> None:
    error = refused(LabelError, lambda: read_sets([{"1"}], [{1}]))
    assert (
        error.message == "actual holds text labels and predicted number ones, so no label would ever match."
    )


def test_both_sides_need_the_same_form() -> None:
    error = refused(ShapeError, lambda: read_sets(A, [0, 1, 1, 0]))
    assert error.message == "predicted holds one value per row (list) and the other side a table."
    error = refused(LabelError, lambda: read_sets([{1}, {2}], np.eye(2)))
    assert error.message == "one side holds label sets and the other a table whose columns have no names."
    assert marks(read_sets([{1}, {2}], np.eye(2), labels=[1, 2])) == ([[1, 0], [0, 1]],) * 2
    assert read_sets([{"a"}, {"c"}, set(), set()], FRAMES[1]).labels == ("a", "b", "c")


def test_lists_of_zeros_and_ones_are_marks_and_it_is_said() -> None:
    assert read_sets(ACTUAL, PREDICTED).notes == (
        "lists of zeros and ones were read as a column per label, not as labels 0 and 1.",
    )
    # With other labels declared they can only be labels.
    assert read_sets([[0, 1]], [[1, 0]], labels=[0, 1, 2]).predicted.tolist() == [[True, True, False]]
    assert read_sets([[], []], [[], []]).labels == ()
    assert (
        "holds 3 at position 1"
        in refused(LabelError, lambda: read_sets([[0, 1], 3], [[0, 1], [1, 0]])).message
    )
    error = refused(ShapeError, lambda: read_sets([[0], [1]], [[1], [1]]))
    assert error.message == "every list holds one 0 or 1, which may be a mark or a label."


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (A, True),
        (sparse.csr_matrix(A), True),
        (FRAMES[0], True),
        (SETS[0], True),
        (SETS[1], True),
        (pl.Series(LISTS), True),
        (pd.Series(LISTS), True),
        (pa.array(LISTS), True),
        ([None, {"a"}], True),
        ([0, 1], False),
        (["ab", "c"], False),
        (A[:, 0], False),
        (A[:, :1], False),
        (FRAMES[0][["a"]], False),
        (FRAMES[0]["a"], False),
        (pl.Series(["a"]), False),
        (pa.array([1, 2]), False),
        ([], False),
        ("ab", False),
        (None, False),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_holds_label_sets(values: Any, expected: bool) -> None:
    assert holds_sets(values) is expected


# --- missing rows ------------------------------------------------------------------------------


def test_missing_rows_are_an_error_that_counts_them() -> None:
    error = refused(MissingValueError, lambda: read_sets([{"a"}, None, {"b"}], [{"a"}, {"a"}, float("nan")]))
    assert error.message == (
        "actual is missing in 1 of 3 rows, at position 1 (counted from 0); "
        "predicted is missing in 1 of 3 rows, at position 2 (counted from 0)."
    )
    assert "--drop-missing" in str(error.hint)


def test_missing_rows_can_be_dropped_and_are_counted_once() -> None:
    encoded = read_sets([{"a"}, None, {"b"}], [{"a"}, None, float("nan")], missing="drop")
    assert encoded.dropped == {"missing_actual": 1, "missing_predicted": 1}
    assert encoded.kept is not None
    assert (encoded.kept.tolist(), len(encoded), encoded.where([0])) == (
        [0],
        1,
        "position 0 (counted from 0)",
    )
    assert dict(encoded.count().dropped) == encoded.dropped
    # 'b' was in a dropped row only, so it was never counted.
    assert encoded.labels == ("a",)


def test_a_missing_mark_makes_its_row_missing() -> None:
    holed = np.where(np.arange(12).reshape(4, 3) == 4, np.nan, P)
    assert read_sets(A, holed, missing="drop").dropped == {"missing_predicted": 1}
    assert read_sets(ACTUAL, [*PREDICTED[:3], None], missing="drop").dropped == {"missing_predicted": 1}


def test_columns_beside_take_their_rows_along() -> None:
    weight = number_column([1.0, float("nan"), 2.0, 1.0], "weight")
    encoded = read_sets(A, P, missing="drop", beside=[weight])
    assert encoded.dropped == {"missing_weight": 1}
    assert encoded.kept is not None
    assert encoded.kept.tolist() == [0, 2, 3]
    assert encoded.where([1]) == "position 2 (counted from 0)"


def test_nothing_left_and_wrong_words() -> None:
    refused(MissingValueError, lambda: read_sets([None, {"a"}], [{"a"}, None], missing="drop"))
    refused(OptionError, lambda: read_sets(A, P, missing="ignore"))  # type: ignore[arg-type]


# --- columns of a file or frame ----------------------------------------------------------------


def columns(**given: list[Any]) -> dict[str, pl.Series]:
    return {name: pl.Series(values, strict=False) for name, values in given.items()}


def test_columns_are_matched_by_order() -> None:
    encoded = read_columns(
        columns(a=["1", "0", " 1"], b=["true", "False", "0.0"]), columns(pa=[1, 0, 0], pb=[True, False, True])
    )
    assert encoded.labels == ("a", "b")
    assert marks(encoded) == ([[1, 1], [0, 0], [1, 0]], [[1, 1], [0, 0], [0, 1]])
    assert encoded.declared


@pytest.mark.parametrize(
    ("actual", "predicted", "hint"),
    [
        ("ab", ["pb", "pa"], "pa,pb"),
        (["true_sport", "true_spam"], ["spam_hat", "sport_hat"], "sport_hat,spam_hat"),
    ],
)
def test_another_order_is_refused(actual: Sequence[str], predicted: list[str], hint: str) -> None:
    sides = [{name: pl.Series([1, 0]) for name in names} for names in (actual, predicted)]
    error = refused(ColumnError, lambda: read_columns(*sides))
    assert error.message.startswith("columns are matched by order, but ")
    assert error.hint == f"name the predicted ones in the order {hint}."


def test_names_that_say_nothing_go_by_order() -> None:
    assert read_columns(columns(a=[1], b=[0]), columns(x=[1], y=[1])).predicted.tolist() == [[True, True]]


def test_an_empty_field_in_a_column_of_marks_is_missing() -> None:
    sides = columns(a=["1", None], b=["0", "1"]), columns(pa=["1", "1"], pb=["1", "1"])
    assert (
        "actual is missing in 1 of 2 rows, at line 3"
        in refused(MissingValueError, lambda: read_columns(*sides, where=lines)).message
    )
    assert read_columns(*sides, missing="drop").dropped == {"missing_actual": 1}


def test_other_words_in_a_column_are_refused_with_line_and_column() -> None:
    def reading(word: Any) -> Any:
        return lambda: read_columns(columns(a=["1", word]), columns(b=["1", "0"]), where=lines)

    error = refused(ColumnError, reading("yes"))
    assert (
        error.message
        == "actual (column 'a') holds 'yes' at line 3; 1 and 0 (or True and False) are expected."
    )
    assert error.hint == "write 1 or true where a row has the label, 0 or false where it has not."
    assert "--missing NA" in str(refused(ColumnError, reading("NA")).hint)


def test_as_many_columns_on_both_sides() -> None:
    error = refused(ColumnError, lambda: read_columns(columns(a=[1], b=[0]), columns(x=[1])))
    assert error.message == "2 columns are named for actual and 1 for predicted."
    refused(ColumnError, lambda: read_columns({}, {}))


# --- text with a delimiter ---------------------------------------------------------------------


def delimited(actual: list[Any], predicted: list[Any], **given: Any) -> EncodedSets:
    sides = (pl.Series(values, dtype=pl.String) for values in (actual, predicted))
    return read_delimited(*sides, **({"set_delimiter": ";", "text": True} | given))


def test_text_with_a_delimiter() -> None:
    encoded = delimited(["sport; politics", "a"], ["sport", " a ;b"])
    assert encoded.labels == ("a", "b", "politics", "sport")
    assert marks(encoded) == ([[0, 0, 1, 1], [1, 0, 0, 0]], [[0, 0, 0, 1], [1, 1, 0, 0]])
    assert encoded.notes == ()


def test_an_empty_field_is_the_empty_set_and_it_is_said() -> None:
    encoded = delimited(["a", None, "  "], [None, "b", "b"])
    assert marks(encoded) == ([[1, 0], [0, 0], [0, 0]], [[0, 0], [0, 1], [0, 1]])
    assert encoded.notes == ("empty fields were read as empty sets: 2 in actual and 1 in predicted.",)


def test_words_for_missing_and_nulls_of_frames_are_missing() -> None:
    sides = ["NA", "a"], ["a", "b"]
    assert delimited(*sides, missing_words=["NA"], missing="drop").dropped == {"missing_actual": 1}
    frames = pd.Series(["a;b", None, ""]), pd.Series(["a", "a", "b"])
    encoded = read_delimited(*frames, set_delimiter=";", text=False, missing="drop")
    assert encoded.dropped == {"missing_actual": 1}
    assert marks(encoded) == ([[1, 1], [0, 0]], [[1, 0], [0, 1]])


@pytest.mark.parametrize("text", ["a;;b", ";a", "a;", ";"])
def test_an_empty_label_is_refused(text: str) -> None:
    error = refused(LabelError, lambda: delimited(["a", text], ["a", "b"], where=lines))
    assert error.message == f"actual has an empty label in {text!r}, at line 3."


def test_a_label_twice_is_refused_with_its_line() -> None:
    error = refused(LabelError, lambda: delimited(["a", "b;a; b"], ["a", "b"], where=lines))
    assert error.message == "actual names 'b' twice in one set, at line 3."


def test_delimiter_and_type_are_checked() -> None:
    for wrong in ("", 3):
        refused(OptionError, lambda wrong=wrong: delimited(["a"], ["a"], set_delimiter=wrong))
    error = refused(ColumnError, lambda: read_delimited([1], ["a"], set_delimiter=";", text=False))
    assert error.message == "actual holds 1; text such as 'a;b' is expected."


def test_text_that_is_all_whole_numbers_becomes_numbers_at_the_end() -> None:
    encoded = delimited(["10;2", "1.0"], ["2", "1"])
    assert encoded.labels == ("1", "1.0", "10", "2")
    finished = encoded.finished()
    assert finished.labels == (1, 2, 10)
    assert marks(finished) == ([[0, 1, 1], [1, 0, 0]], [[0, 1, 0], [1, 0, 0]])
    assert finished.notes == ("labels were read as whole numbers.",)
    assert delimited(["1;x"], ["2"]).finished().labels == ("1", "2", "x")
    assert "names 1 twice" in refused(LabelError, lambda: delimited(["1;1.0"], ["1"]).finished()).message


# --- counting ----------------------------------------------------------------------------------


def test_the_worked_example() -> None:
    tally = read_sets(A, P).count()
    assert tally.to_dict()["kinds"] == [[2, 1, 1, 1], [2, 2, 1, 1], [2, 2, 2, 1], [3, 2, 2, 1]]
    assert tally.cells.tolist() == [[3, 1, 2], [0, 1, 2], [0, 1, 0]]


def test_weights_are_added_and_so_are_their_squares() -> None:
    tally = read_sets(A, P).count(weights=np.array([0.5, 1.5, 2.0, 0.25]))
    assert tally.counts.tolist() == [0.5, 0.25, 1.5, 2.0]
    assert tally.squares is not None
    assert tally.squares.tolist() == [0.25, 0.0625, 2.25, 4.0]
    assert tally.cells[0].tolist() == [1.5 + 2.0 + 0.25, 2.0, 0.5 + 1.5]
    assert tally.cell_squares is not None
    assert tally.cell_squares[0].tolist() == [2.25 + 4.0 + 0.0625, 4.0, 0.25 + 2.25]
    assert tally.rows == 4


def test_whole_weights_stay_integers() -> None:
    tally = read_sets(A, P).count(weights=np.array([1.0, 2.0, 0.0, 3.0]))
    assert (tally.n, type(tally.n), tally.rows) == (6, int, 3)
    assert tally.squares is not None
    assert tally.squares.dtype.kind == tally.cells.dtype.kind == "i"


def test_many_labels_are_counted_the_same_way() -> None:
    # More kinds than are counted densely: 150 ** 3 is past 2 ** 20.
    random = np.random.default_rng(0)
    actual, predicted = random.random((300, 200)) < 0.7, random.random((300, 200)) < 0.7
    tally = count_sets(range(200), actual, predicted)
    kinds = {(int(y.sum()), int(z.sum()), int((y & z).sum())) for y, z in zip(actual, predicted, strict=True)}
    assert {tuple(sizes) for sizes in tally.sizes.tolist()} == kinds
    assert tally.cells[0].tolist() == (actual & predicted).sum(axis=0).tolist()
