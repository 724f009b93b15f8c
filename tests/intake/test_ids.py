"""The door for ids: what they are read as, what is refused, and how they are looked up."""

from __future__ import annotations

import datetime
import uuid
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tallymark as tm
from tallymark.errors import InputError, OptionError, ShapeError, TallymarkError
from tallymark.intake.encoded import Encoded
from tallymark.intake.ids import Ids, in_same_order, places, read_ids

ACTUAL, PREDICTED = [1, 0, 1, 0], [1, 0, 0, 1]


def listed(values: Any) -> list[Any]:
    return list(values.tolist() if isinstance(values, np.ndarray) else values.to_list())


def ids_of(ev: tm.Evaluation) -> Ids:
    assert isinstance(ev.encoded, Encoded)
    assert ev.encoded.ids is not None
    return ev.encoded.ids


def refused(ids: Any, error: type[TallymarkError] = InputError) -> str:
    with pytest.raises(error) as caught:
        tm.evaluate(ACTUAL, PREDICTED, id=ids)
    return str(caught.value)


# --- what ids are read as --------------------------------------------------------------------------

DAY = datetime.date(2024, 2, 29)
KEY = uuid.UUID(int=7)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ([3, 1, 2, 9], [3, 1, 2, 9]),
        ((3, 1, 2, 9), [3, 1, 2, 9]),
        (np.array([3, 1, 2, 9], np.int16), [3, 1, 2, 9]),
        (np.array([3, 1, 2, 9], np.uint64), [3, 1, 2, 9]),
        (np.array([[3], [1], [2], [9]]), [3, 1, 2, 9]),
        (np.array([3.0, 1.0, 2.0, 9.0]), [3, 1, 2, 9]),
        (pd.Series([3, 1, 2, 9], dtype="Int64"), [3, 1, 2, 9]),
        (pd.Series([3.0, 1.0, 2.0, 9.0]), [3, 1, 2, 9]),
        (pl.Series([3, 1, 2, 9], dtype=pl.UInt64), [3, 1, 2, 9]),
        (pa.array([3, 1, 2, 9]), [3, 1, 2, 9]),
        (pa.chunked_array([[3, 1], [2, 9]]), [3, 1, 2, 9]),
        (pd.DataFrame({"only": [3, 1, 2, 9]}), [3, 1, 2, 9]),
        (list("abcd"), list("abcd")),
        (np.array(list("abcd")), list("abcd")),
        (np.array(list("abcd"), object), list("abcd")),
        (pd.Series(list("abcd")), list("abcd")),
        (pd.Series(list("abcd"), dtype="category"), list("abcd")),
        (pl.Series(list("abcd"), dtype=pl.Categorical), list("abcd")),
        (["07", "7", "7.0", "+7"], ["07", "7", "7.0", "+7"]),
        ([1, "a", 2, "b"], ["1", "a", "2", "b"]),
        ([0.5, 1.5, 2.0, 3.0], ["0.5", "1.5", "2.0", "3.0"]),
        ([2**64, 1, 2, 3], ["18446744073709551616", "1", "2", "3"]),
        (np.array([2**64 - 1, 1, 2, 3], np.uint64), ["18446744073709551615", "1", "2", "3"]),
        ([DAY, KEY, Decimal("1.50"), "x"], ["2024-02-29", str(KEY), "1.50", "x"]),
        (np.array(["2024-02-29", "2024-03-01", "2024-03-02", "2024-03-03"], "M8[D]"), None),
        (np.array(["2024-02-29", "2024-03-01", "2024-03-02", "2024-03-03"], "M8[ns]"), None),
        (np.ma.masked_array([3, 1, 2, 9], False), [3, 1, 2, 9]),
    ],
    ids=lambda value: type(value).__name__,
)
def test_ids_are_whole_numbers_or_text(given: Any, expected: list[Any] | None) -> None:
    ids = ids_of(tm.evaluate(ACTUAL, PREDICTED, id=given))
    assert ids.values is not None
    if expected is None:
        assert listed(ids.values)[0].startswith("2024-02-29")
    else:
        assert listed(ids.values) == expected
    assert (ids.total, ids.kept, ids.lost, ids.written) == (4, None, None, False)


def test_the_same_moment_is_the_same_id_from_every_library() -> None:
    moments = [datetime.datetime(2024, 2, 29, hour) for hour in range(4)]
    forms: list[Any] = [moments, pd.Series(moments), pl.Series(moments), np.array(moments, "M8[ns]")]
    read = [listed(read_ids(form).values) for form in forms]
    assert read == [read[0]] * 4


def test_text_that_is_whole_numbers_in_plain_form_is_read_so_and_remembered() -> None:
    ids = read_ids(["3", "-1", "0", "10"])
    assert listed(ids.values) == [3, -1, 0, 10]
    assert ids.written
    for odd in ("03", "3.0", "+3", " 3", "-0", "3 ", "", "9" * 19):
        assert listed(read_ids(["1", odd]).values) == ["1", odd]


# --- what is refused -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ids", "wrong"),
    [
        ([1, 2, 1, 3], "repeats 1 at positions 0, 2"),
        ([1, 2, 1.0, 3], "repeats 1 at positions 0, 2"),
        ([1, 2, None, 3], "lacks one at position 2"),
        ([1, 1, None, 3], "repeats '1' at positions 0, 1 and lacks one at position 2"),
        ([1.0, float("nan"), 2.0, 3.0], "lacks one at position 1"),
        (pd.Series([1, 2, None, 3]), "lacks one at position 2"),
        (pd.Series(["a", "b", None, "b"]), "repeats 'b' at positions 1, 3 and lacks one at position 2"),
        (pl.Series([1.0, float("nan"), 2.0, 3.0]), "lacks one at position 1"),
        (pl.Series(["a", "a", "b", None]), "repeats 'a' at positions 0, 1 and lacks one at position 3"),
        (["a", "b", "c", "a"], "repeats 'a' at positions 0, 3"),
        (["1", "b", 1, "a"], "repeats '1' at positions 0, 2"),
        ([True, False, True, False], "repeats 1 at positions 0, 2 (4 rows in all share an id)"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_ids_are_unique_and_present(ids: Any, wrong: str) -> None:
    expected = f"ids must be unique and present; id {wrong}."
    assert refused(ids).replace(" (counted from 0)", "") == expected


def test_ids_of_another_length_or_form() -> None:
    assert refused([1, 2, 3], ShapeError) == "actual has 4 rows and id has 3."
    assert refused(np.zeros((4, 2)), ShapeError) == "id must have one dimension; got shape (4, 2)."
    assert refused({1, 2, 3, 4}, ShapeError) == "id must be a column of values; got set."
    assert refused([[1], [2], [3], [4]]) == "ids are text or numbers; got [1]."
    assert refused([b"a", b"b", b"c", b"d"]) == (
        "ids are text or numbers; got b'a'. Hint: decode bytes to text first."
    )


def test_a_name_goes_with_a_frame_and_values_with_arrays() -> None:
    assert refused("row", OptionError) == (
        "id='row' is a name of a column, and arrays have none. Hint: pass the values, or a data frame."
    )
    frame = pd.DataFrame({"y": ACTUAL, "p": PREDICTED})
    with pytest.raises(OptionError) as caught:
        tm.evaluate(frame, actual="y", predicted="p", id=[1, 2, 3, 4])
    assert str(caught.value) == ("with a data frame or a file, id is the name of a column; got [1, 2, 3, 4].")


def test_ids_in_the_order_of_another_index_are_refused() -> None:
    y, ids = pd.Series(ACTUAL), pd.Series([1, 2, 3, 4], index=[3, 2, 1, 0])
    with pytest.raises(ShapeError, match="same index in different order"):
        tm.evaluate(y, PREDICTED, id=ids)


def test_label_sets_have_ids_that_are_unique_too() -> None:
    sets = [{"a"}, {"b"}, {"a", "b"}]
    assert tm.evaluate(sets, sets, id=[1, 2, 3]).rows == 3
    for wrong, said in (([1, 1, 2], "unique"), ([1, 2], "actual has 3 rows and id has 2.")):
        with pytest.raises(InputError, match=said):
            tm.evaluate(sets, sets, id=wrong)


# --- which rows are left ---------------------------------------------------------------------------


def test_dropped_rows_leave_their_ids_behind() -> None:
    ids = ids_of(tm.evaluate(ACTUAL, [1, None, 0, None], id=list("abcd"), missing="drop"))
    assert (listed(ids.values), listed(ids.lost)) == (["a", "c"], ["b", "d"])
    assert ids.kept is not None
    assert ids.kept.tolist() == [0, 2]
    assert (len(ids), ids.total) == (2, 4)


def test_without_ids_the_places_are_known() -> None:
    ids = ids_of(tm.evaluate(ACTUAL, [1, None, 0, 1], missing="drop"))
    assert ids.values is None
    assert ids.kept is not None
    assert ids.kept.tolist() == [0, 2, 3]
    assert ids_of(tm.evaluate(ACTUAL, PREDICTED)).kept is None


def test_files_and_frames_keep_their_ids(tmp_path: Path) -> None:
    table = pl.DataFrame({"k": [5, 3, 9], "y": [1, 0, 1], "p": [1, 1, 0], "s": [2.0, -1.0, 3.0]})
    table.write_csv(tmp_path / "t.csv")
    table.write_parquet(tmp_path / "t.parquet")
    for data, written in ((table, False), (tmp_path / "t.csv", True), (tmp_path / "t.parquet", False)):
        answers = ids_of(tm.evaluate(data, actual="y", predicted="p", id="k"))
        assert (listed(answers.values), answers.written) == ([5, 3, 9], written)
        scores = tm.evaluate(data, actual="y", score="s", id="k")
        assert scores.encoded is None
        assert scores.ranked is not None
        assert scores.ranked.rows is not None
        assert scores.ranked.rows.ids is not None
        assert listed(scores.ranked.rows.ids.values) == [5, 3, 9]


# --- looking ids up --------------------------------------------------------------------------------


def naive(wanted: list[Any], among: list[Any]) -> list[int]:
    return [among.index(value) if value in among else -1 for value in wanted]


close = st.lists(st.integers(-5, 20), unique=True, max_size=15)
apart = st.lists(st.integers(-(2**63), 2**63 - 1) | st.integers(0, 9), unique=True, max_size=15)
words = st.lists(st.text(max_size=3), unique=True, max_size=15)


@given(st.one_of(*(st.tuples(each, each) for each in (close, apart))))
def test_numbers_are_found_where_they_stand(both: tuple[list[int], list[int]]) -> None:
    wanted, among = both
    found = places(np.array(wanted, np.int64), np.array(among, np.int64))
    assert found.tolist() == naive(wanted, among)


@given(words, words)
def test_text_is_found_where_it_stands(wanted: list[str], among: list[str]) -> None:
    sides = pl.Series(wanted, dtype=pl.String), pl.Series(among, dtype=pl.String)
    assert places(*sides).tolist() == naive(wanted, among)
    assert in_same_order(*sides) == (wanted == among)


@pytest.mark.parametrize("number", [lambda _: 0, len])
def test_texts_with_one_number_are_told_apart(monkeypatch: Any, number: Any) -> None:
    """Numbers made from text may coincide, which is so rare that it must be made to happen."""
    monkeypatch.setattr(pl.Series, "hash", lambda self: pl.Series(list(map(number, self.to_list()))))
    wanted, among = ["a", "bb", "c", "dd"], ["dd", "c", "e", "a"]
    assert places(pl.Series(wanted), pl.Series(among)).tolist() == naive(wanted, among)
    assert places(pl.Series(["a"]), pl.Series(["b"])).tolist() == [-1]
