"""Rows with several labels: tables of marks, sets and lists, columns, and text with a delimiter."""

import math
from collections import Counter
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import scipy.sparse as sparse
from inputs import refusals, rows_of, written

import tallymark as tm
from collected import each

ACTUAL = [[0, 1, 1], [1, 0, 1], [1, 1, 1], [1, 0, 1]]
PREDICTED = [[0, 0, 1], [1, 0, 1], [1, 1, 0], [1, 1, 0]]
A, P = np.array(ACTUAL), np.array(PREDICTED)
FRAMES = pd.DataFrame(A, columns=list("abc")), pd.DataFrame(P, columns=list("abc"))
NAN = math.nan


def tally(*data: Any, **options: Any) -> tm.LabelSets:
    ev = tm.evaluate(*data, **options)
    found: tm.LabelSets = ev.sets.tally
    return found


def read(*data: Any, **options: Any) -> tuple[Any, ...]:
    """Labels, whether they are stated by the data or the user, and the marks of both sides."""
    counted = tally(*data, **options)
    return counted.labels, counted.declared, *rows_of(*data, **options)


LETTERS, POSITIONS = ("a", "b", "c"), (0, 1, 2)
TABLES: list[tuple[Any, Any, tuple[Any, ...]]] = [(A, P, POSITIONS)]
TABLES += [(A.astype(bool), P.astype(bool), POSITIONS), (A.astype(float), P.astype(np.float32), POSITIONS)]
TABLES += [(ACTUAL, PREDICTED, POSITIONS), ([tuple(row) for row in ACTUAL], PREDICTED, POSITIONS)]
TABLES += [(A.astype(object), P, POSITIONS), (sparse.csr_matrix(A), sparse.coo_array(P), POSITIONS)]
TABLES += [(A, PREDICTED, POSITIONS), (*FRAMES, LETTERS), (*map(pl.from_pandas, FRAMES), LETTERS)]
TABLES += [(*(pl.from_pandas(frame).lazy() for frame in FRAMES), LETTERS)]
TABLES += [(*map(pa.Table.from_pandas, FRAMES), LETTERS), (pd.DataFrame(A), P, POSITIONS)]
TABLES += [(FRAMES[0], FRAMES[1][["c", "a", "b"]], LETTERS), (FRAMES[0], P, LETTERS)]
TABLES += [(pd.DataFrame(np.where(A, "true", "0"), columns=list("abc")), P, LETTERS)]


@each("actual, predicted, labels", TABLES, ids=str)
def test_tables_of_marks(actual: Any, predicted: Any, labels: tuple[Any, ...]) -> None:
    assert read(actual, predicted) == (labels, True, ACTUAL, PREDICTED)
    # Labels name the columns of arrays; they order those of frames, or rename all of them.
    assert read(actual, predicted, labels=["x", "y", "z"]) == (("x", "y", "z"), True, ACTUAL, PREDICTED)
    if labels == LETTERS:
        turned = [A[:, [2, 0, 1]].tolist(), P[:, [2, 0, 1]].tolist()]
        assert read(actual, predicted, labels=["c", "a", "b"]) == (("c", "a", "b"), True, *turned)


SETS, OTHERS = [{"b", "a"}, set(), {"c"}], [["a"], [], ["c", "b"]]
MARKS = [[1, 1, 0], [0, 0, 0], [0, 0, 1]], [[1, 0, 0], [0, 0, 0], [0, 1, 1]]
LISTS = [["a", "b"], [], ["c"]]
FORMS: list[Any] = [SETS, [frozenset(row) for row in SETS], [tuple(row) for row in LISTS]]
FORMS += [np.array(SETS, object), pd.Series(LISTS), pl.Series(LISTS), pa.array(LISTS)]
FORMS += [pa.chunked_array([LISTS[:1], LISTS[1:]]), [np.array(row) for row in LISTS]]


@each("actual", FORMS, ids=str)
def test_sets_of_labels(actual: Any) -> None:
    assert read(actual, OTHERS) == (LETTERS, False, *MARKS)
    declared = [[0, 1, 1, 0], [0, 0, 0, 0], [1, 0, 0, 0]], [[0, 0, 1, 0], [0, 0, 0, 0], [1, 1, 0, 0]]
    assert read(actual, OTHERS, labels=["c", "b", "a", "d"]) == (("c", "b", "a", "d"), True, *declared)
    if isinstance(actual, list):
        assert read([None, *actual], [["z"], *OTHERS], missing="drop") == (LETTERS, False, *MARKS)


def test_lists_of_zeros_and_ones_are_marks_where_they_can_be() -> None:
    assert read([[0, 1], [2, 5]], [[1], [1]])[0] == (0, 1, 2, 5)
    # With other labels declared they can only be labels.
    assert read([[0, 1]], [[1, 0]], labels=[0, 1, 2])[2:] == ([[1, 1, 0]], [[1, 1, 0]])
    assert read([[0, 1]], [[1, 0]], labels=[0, 1])[2:] == ([[0, 1]], [[1, 0]])
    assert read([[0, 1], [1, 1]], [[1, 0], None], missing="drop")[2:] == ([[0, 1]], [[1, 0]])
    assert tally([[], []], [[], []]).labels == ()
    assert read([[1], [2]], [[1], [1]])[0] == (1, 2)
    # A table beside sets.
    assert read([{1}, {2}], np.eye(2), labels=[1, 2])[2:] == ([[1, 0], [0, 1]],) * 2
    assert read([{"a"}, {"c"}, set(), set()], FRAMES[1])[0] == LETTERS
    # What holds one label per row.
    alone = ([0, 1, 1], ["ab", "c", "c"], A[:3, 0], A[:3, :1], FRAMES[0][:3][["a"]], pl.Series([*"abb"]))
    for single in alone:
        assert tm.evaluate(single, single).sets is None


def test_missing_rows_are_dropped_and_counted_once() -> None:
    ev = tm.evaluate([{"a"}, None, {"b"}], [{"a"}, None, NAN], missing="drop")
    assert (ev.dropped, ev.rows, ev.labels) == ({"missing_actual": 1, "missing_predicted": 1}, 1, ("a",))
    holed = np.where(np.arange(12).reshape(4, 3) == 4, NAN, P)
    frame = pl.DataFrame(holed, schema=list("abc"))
    for predicted in (holed, [*PREDICTED[:3], None], frame, holed.astype(object)):
        ev = tm.evaluate(A if not isinstance(predicted, list) else ACTUAL, predicted, missing="drop")
        assert (ev.dropped, ev.rows) == ({"missing_predicted": 1}, 3)
    weight = [1.0, NAN, 2.0, 1.0]
    beside: dict[str, Any] = {"groups": [1, 2, 3, 4], "slices": {"s": list("xxxy")}}
    ev = tm.evaluate(A, P, missing="drop", sample_weight=weight, **beside)
    assert (ev.dropped, ev.rows, [part.rows for part in ev.slices]) == ({"missing_weight": 1}, 3, [2, 1])
    assert ev.sets.tally.n == 4


NAMED: dict[str, Any] = {"actual": ["a", "b"], "predicted": ["pa", "pb"]}
SPLIT: dict[str, Any] = {"actual": "y", "predicted": "p", "set_delimiter": ";"}


def test_columns_and_text_with_a_delimiter() -> None:
    marks = "a,b,pa,pb\n1,true,1,True\n0,False,0,FALSE\n 1,0.0,0,1.0\n"
    expected = [[1, 1], [0, 0], [1, 0]], [[1, 1], [0, 0], [0, 1]]
    frame = pl.DataFrame({"a": [1, 0, 1], "b": [True, False, False], "pa": [1.0, 0, 0], "pb": [1, 0, 1]})
    for data in (written(marks), frame, frame.to_pandas().astype(object)):
        assert read(data, **NAMED) == (("a", "b"), True, *expected)
    other = {"actual": ["b", "a"], "predicted": ["x", "pb"]}
    assert tally(frame.rename({"pa": "x"}), **other).labels == ("b", "a")
    gap = written("a,b,pa,pb\n1,0,1,1\n,1,1,1\nNA,1,0,0\n")
    assert tm.evaluate(gap, missing="drop", missing_words=["NA"], **NAMED).dropped == {"missing_actual": 2}
    # Text; an empty field of a file is the empty set.
    ev = tm.evaluate(written("y,p\nsport; politics,sport\na, a ;b\n,b\n  ,b\nb,\n"), **SPLIT)
    assert (ev.labels, ev.rows, len(ev.notes)) == (("a", "b", "politics", "sport"), 5, 1)
    assert rows_of(written("y,p\na;b,a\n,b\n"), **SPLIT) == ([[1, 1], [0, 0]], [[1, 0], [0, 1]])
    drop: dict[str, Any] = SPLIT | {"missing": "drop"}
    nulls = pd.DataFrame({"y": ["a;b", None, ""], "p": ["a", "a", "b"]})
    for data in (written("y,p\nNA,a\na,b\n"), nulls):
        ev = tm.evaluate(data, missing_words=["NA"] if isinstance(data, str) else [], **drop)
        assert ev.dropped == {"missing_actual": 1}
    assert rows_of(nulls, missing="drop", **SPLIT) == ([[1, 1], [0, 0]], [[1, 0], [0, 1]])
    # Text that is all whole numbers becomes numbers.
    mixed = "10;2,2\n1.0,1\n"
    texts = {mixed: ((1, 2, 10), 1), "10;2,2\n": ((2, 10), 0), "1;x,2\n": (("1", "2", "x"), 0)}
    for text, expected in texts.items():
        ev = tm.evaluate(written(f"y,p\n{text}"), **SPLIT)
        assert (ev.labels, len(ev.notes)) == expected
    found = rows_of(written(f"y,p\n{mixed}"), **SPLIT)
    assert found == ([[0, 1, 1], [1, 0, 0]], [[0, 1, 0], [1, 0, 0]])


def test_counts_of_rows_and_of_weights() -> None:
    counted = tally(A, P)
    assert counted.to_dict()["kinds"] == [[2, 1, 1, 1], [2, 2, 1, 1], [2, 2, 2, 1], [3, 2, 2, 1]]
    assert counted.cells.tolist() == [[3, 1, 2], [0, 1, 2], [0, 1, 0]]
    weighed = tally(A, P, sample_weight=[0.5, 1.5, 2.0, 0.25])
    assert (weighed.counts.tolist(), weighed.rows) == ([0.5, 0.25, 1.5, 2.0], 4)
    assert weighed.squares.tolist() == [0.25, 0.0625, 2.25, 4.0]
    assert weighed.cells[0].tolist() == [1.5 + 2.0 + 0.25, 2.0, 0.5 + 1.5]
    assert weighed.cell_squares[0].tolist() == [2.25 + 4.0 + 0.0625, 4.0, 0.25 + 2.25]
    whole = tally(A, P, sample_weight=[1.0, 2.0, 0.0, 3.0])
    assert (whole.n, type(whole.n), whole.rows) == (6, int, 3)
    assert whole.squares.dtype.kind == whole.cells.dtype.kind == "i"
    often = tally(A, P, sample_weight=[1, 2, 0, 3], weight_kind="frequency")
    repeated = tally(np.repeat(A, [1, 2, 0, 3], axis=0), np.repeat(P, [1, 2, 0, 3], axis=0))
    assert often == repeated
    large = tally(A, P, sample_weight=[2**40, 1, 1, 1])
    assert (large.counts.dtype.kind, large.squares.dtype.kind) == ("i", "f")


@each("labels, rows", [(99, 300), (100, 300), (101, 300), (200, 300), (3, 65_537)], ids=str)
def test_many_labels_and_many_rows(labels: int, rows: int) -> None:
    """With 101 sizes of sets and more, kinds of rows are sorted; rows are summed up in blocks of 65,536."""
    random = np.random.default_rng(0)
    actual, predicted = random.random((rows, labels)) < 0.7, random.random((rows, labels)) < 0.7
    actual[0] = predicted[0] = True
    counted = tally(actual, predicted)
    sizes = (side.sum(axis=1).tolist() for side in (actual, predicted, actual & predicted))
    kinds = Counter(zip(*sizes, strict=True))
    assert dict(zip(map(tuple, counted.sizes.tolist()), counted.counts.tolist(), strict=True)) == kinds
    both = (actual & predicted).sum(axis=0).tolist()
    assert counted.cells[0].tolist() == both
    twice = tally(actual, predicted, sample_weight=np.full(rows, 0.5))
    assert twice.cells[0].tolist() == [cell / 2 for cell in both]
    if labels == 3:
        sides = [actual & predicted, actual & ~predicted, predicted & ~actual]
        parts = np.concatenate(sides, axis=1).astype(int)
        assert counted.joint is not None
        np.testing.assert_array_equal(counted.joint, parts.T @ parts)


def test_what_is_refused(snapshot: Any) -> None:
    a, marks = [["b"], ["b"]], {"a": ["1", "0"], "b": ["0", "1"], "pa": ["1", "1"], "pb": ["1", "1"]}
    rows = (",1,1,1\n", "yes,1,1,1\nyes,1,1,1\n", "NA,1,1,1\n")
    files = [written(f"a,b,pa,pb\n1,0,1,1\n{row}", f"{at}.csv") for at, row in enumerate(rows)]
    twice = sparse.coo_array(([1, 1, 1], ([0, 0, 1], [1, 1, 0])), shape=(2, 2))
    y: dict[str, Any] = {"actual": "y", "predicted": "p"}
    sport = pl.DataFrame({name: [1, 0] for name in ("true_sport", "true_spam", "spam_hat", "sport_hat")})
    cases: list[tuple[Any, ...]] = [(A, P * 0.3), (A, 2 * P - 1), (A, P * 2), (A, sparse.csr_matrix(P * 2))]
    cases += [(ACTUAL, [[0.1, 0.9, 0.2]] * 4), (A, np.where(P, "yes", "0").astype(object))]
    cases += [(np.eye(2), twice), (A, P[:, :2]), (A, P[:2]), (A[:2, :2], [[1, 0], [1]]), (A[:0], P[:0])]
    cases += [(FRAMES[0], FRAMES[1].add_prefix("p_")), (A, P, {"labels": ["x", "y"]})]
    cases += [(*FRAMES, {"labels": ["a", "b", "d"]}), (*FRAMES, {"labels": ["x", "y"]})]
    cases += [(*FRAMES, {"labels": ["a", "b", "c", "d"]}), (LISTS, OTHERS, {"labels": ["a", "b"]})]
    cases += [([None, *LISTS], [["a"], *OTHERS], {"labels": ["a", "b"], "missing": "drop"})]
    cases += [([{"a"}, "ab"], [{"a"}, {"b"}]), ([{1}, 3], [{1}, {2}])]
    cases += [([["b"], ["a", "b", "a"]], [["b"], []]), ([[3], [2, 3, 2]], [[3], []])]
    cases += [([["a"], ["a", None]], [["b"], []]), ([["a", 1], ["a"]], a), ([{"1"}], [{1}])]
    cases += [(A, [0, 1, 1, 0]), ([{1}, {2}], [0, 1]), ([{1}, {2}], np.eye(2))]
    cases += [([[0, 1], 3], [[0, 1], [1, 0]]), ([[0], [1]], [[1], [1]])]
    cases += [([{"a"}, None, {"b"}], [{"a"}, {"a"}, NAN])]
    cases += [([None, {"a"}], [{"a"}, None], {"missing": "drop"}), (A, P, {"missing": "ignore"})]
    cases += [(A, P, {"sample_weight": [1, 2, 3]})]
    cases += [(pl.DataFrame(marks), {"actual": ["a", "b"], "predicted": ["pb", "pa"]})]
    cases += [(sport, {"actual": ["true_sport", "true_spam"], "predicted": ["spam_hat", "sport_hat"]})]
    cases += [(pl.DataFrame(marks), {"actual": ["a", "b"], "predicted": ["pa"]})]
    cases += [(path, NAMED) for path in files]
    cases += [
        (written(f'y,p\na,a\n"{text}",b\n', f"e{at}.csv"), SPLIT)
        for at, text in enumerate(("a;;b", ";a", "a;", ";"))
    ]
    cases += [(written("y,p\na,a\nb;a; b,b\n", "twice.csv"), SPLIT)]
    cases += [(written("y,p\n1;1.0,1\n", "ones.csv"), SPLIT)]
    cases += [(written("y,p\na,a\n", "d.csv"), y | {"set_delimiter": ""})]
    cases += [(pl.DataFrame({"y": ["a"], "p": ["a"]}), y | {"set_delimiter": 3})]
    cases += [(pl.DataFrame({"y": [1], "p": ["a"]}), SPLIT)]
    snapshot("errors_data_label_sets", refusals(cases))
