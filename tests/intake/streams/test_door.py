"""A batch at the door: what it holds, what is left out, and what is wrong with it."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

from tallymark.errors import LabelError, NotNumbersError, TallymarkError
from tallymark.intake.roles import Roles
from tallymark.intake.streams.complaints import Complaints
from tallymark.intake.streams.door import Columns, Reading, read_batch

ROLES = Roles("y", "p", "s", weight="w", slices=("r",))


def _text(*rows: str) -> pl.DataFrame:
    cells = [[cell or None for cell in row.split(",")] for row in rows]
    return pl.DataFrame(cells, schema=dict.fromkeys("ypswr", pl.String), orient="row")


def _read(frame: pl.DataFrame, roles: Roles = ROLES, *, text: bool = True, **options: Any) -> Columns:
    return read_batch(frame, Reading(roles, text, **options), lambda rows: f"<{list(rows)}>")


def _told(*batches: Columns) -> TallymarkError:
    """What is told of batches that follow each other."""
    total, rows = Complaints(), 0
    for batch in batches:
        total = total.then(batch.complaints.within(0, rows))
        rows += batch.complaints.rows
    with pytest.raises(TallymarkError) as caught:
        total.tell(lambda places, more: f"rows {[row for _, row in places]} and {more} more")
    return caught.value


def test_columns_as_they_are_written():
    read = _read(_text("1,0, 0.5 ,2,a", "0,0,1e-3,3,b"))
    assert not read.complaints.found
    assert [read.actual.label(code) for code in read.actual.values.tolist()] == ["1", "0"]
    assert read.score is not None
    assert read.score.tolist() == [0.5, 0.001]
    assert read.weight is not None
    assert (read.weight.tolist(), read.weight.dtype) == ([2, 3], np.dtype(np.int64))
    assert read.slices["r"].names == ("a", "b")


def test_weights_with_fractions_stay_numbers():
    read = _read(_text("1,0,0.5,2.5,a"))
    assert read.weight is not None
    assert read.weight.tolist() == [2.5]


def test_missing_rows_are_dropped_and_counted_for_the_first_column_that_lacks_one():
    rows = ("1,0,0.5,1,a", ",0,,1,a", "1,,0.5,1,a", "1,0,0.5,,a", "1,0,0.5,1,")
    read = _read(_text(*rows), drop_missing=True)
    assert len(read) == 1
    assert read.dropped == {
        "missing_actual": 1,
        "missing_predicted": 1,
        "missing_weight": 1,
        "missing_slice": 1,
    }


def test_missing_values_of_all_columns_are_told_at_once():
    error = _told(_read(_text("1,0,,1,a", "1,,,1,a")), _read(_text("1,0,0.5,1,a", "1,0,,1,a")))
    assert error.message == (
        "predicted (column 'p') is missing in 1 of 4 rows, at rows [1] and 0 more; "
        "score (column 's') is missing in 3 of 4 rows, at rows [0, 1, 3] and 0 more."
    )


def test_three_examples_and_three_places_are_shown():
    batch = _read(_text(*(f"1,0,{word},1,a" for word in ("a", "b", "a", "c", "d"))))
    assert _told(batch, batch).message == (
        "score (column 's') holds 'a', 'b', 'c' at rows [0, 1, 2] and 7 more; numbers are expected."
    )


def test_nothing_is_counted_of_a_batch_that_something_is_wrong_with():
    assert len(_read(_text("1,0,0.5,1,a", "1,0,x,1,a"))) == 0


def test_what_is_told_first():
    rows = {
        "words": "1,0,x,1,a",
        "infinite": "1,0,inf,1,a",
        "missing": ",0,0.5,1,a",
        "weights": "1,0,0.5,-1,a",
        "labels": "9,0,0.5,1,a",
    }
    said = []
    while rows:
        error = _told(*(_read(_text(row), labels=("0", "1")) for row in reversed(rows.values())))
        said.append(error.message)
        rows.pop(next(iter(rows)))
    for message, part in zip(said, ("'x'", "infinite", "missing", "-1", "['9']"), strict=True):
        assert part in message


def test_a_number_column_that_is_text_is_refused_at_once():
    frame = pl.DataFrame({"y": [1], "s": ["a"]})
    with pytest.raises(
        NotNumbersError, match=r"score \(column 's'\) is of type String; numbers are expected"
    ):
        _read(frame, Roles("y", score="s"), text=False)


def test_text_beside_numbers_is_refused_but_not_where_a_column_has_no_values():
    frame = pl.DataFrame({"y": ["a", "b"], "p": [1, 2]})
    with pytest.raises(LabelError, match="so no label would ever match"):
        _read(frame, Roles("y", "p"), text=False)
    empty = pl.DataFrame({"y": ["a", "b"], "p": pl.Series([None, None], dtype=pl.String)})
    assert _read(empty, Roles("y", "p"), text=False, drop_missing=True).dropped == {"missing_predicted": 2}


def test_many_decimals_as_answers_are_refused_before_they_are_counted():
    frame = pl.DataFrame({"y": ["0", "1"] * 600, "p": [f"0.{row:04}5" for row in range(1200)]})
    with pytest.raises(LabelError, match=r"holds decimals such as '0\.00005', not labels"):
        _read(frame, Roles("y", "p"))


def test_places_of_rows_are_told_by_the_batch():
    frame = pl.DataFrame({"y": [1.0, 0.5], "p": [1, 2]})
    with pytest.raises(LabelError, match=r"holds 0.5 at <\[1\]>"):
        _read(frame, Roles("y", "p"), text=False)


def test_labels_that_were_not_given_are_told_in_their_order():
    roles, labels = Roles("y", "p"), {"text": False, "labels": (1, 2)}
    batches = [pl.DataFrame({"y": [y, 1], "p": [1, 1]}) for y in (10, 9, -3)]
    told = _told(*(_read(batch, roles, **labels) for batch in batches))
    assert told.message.startswith("actual (column 'y') holds [-3, 9, 10] at rows [0, 2, 4]")
