"""A tally of a table: a value that is added only to its like."""

from __future__ import annotations

import pickle
from typing import Any

import polars as pl
import pytest

import tallymark as tm
from tallymark.errors import LabelError, MergeError

ROWS = pl.DataFrame(
    {
        "y": [1, 0, 1, 0, 1],
        "p": [1, 1, 0, 0, 1],
        "s": [0.9, 0.7, 0.4, 0.2, 0.7],
        "w": [1, 2, 0, 1, 3],
        "sex": ["f", "m", "f", "m", "f"],
    }
)


def counted(**options: Any) -> tm.Tally:
    return tm.tally(ROWS, **{"actual": "y", "score": "s"} | options)


def test_what_it_holds() -> None:
    tally = counted(predicted="p", slices=["sex"])
    assert tally.rows == 5
    assert tally.counted.matrix.tolist() == [[1, 1], [1, 2]]
    assert isinstance(tally.scores, tm.Scores)
    assert tally.scores.score.tolist() == [0.9, 0.7, 0.4, 0.2]
    assert tally.scores.positives.tolist() == [1, 1, 1, 0]
    assert {key: part.rows for key, part in tally.slices["sex",].items()} == {("f",): 3, ("m",): 2}
    assert repr(tally) == "Tally(Confusion(2 labels [0, 1], 5 rows), Scores(4 distinct scores, 5 rows))"
    with pytest.raises(TypeError):
        tally.slices["sex",] = {}  # type: ignore[index]


def test_rows_of_weight_0_are_told_and_not_counted() -> None:
    tally = counted(weight="w")
    assert (tally.rows, tally.lines, tally.weightless) == (4, 5, 1)
    assert "1 row has weight 0 and counts for nothing." in tally.evaluate().notes
    frequencies = counted(weight="w", weight_kind="frequency")
    assert (frequencies.rows, frequencies.lines, frequencies.weightless) == (7, 5, 1)
    assert "weights are frequencies: 5 lines stand for 7 rows." in frequencies.evaluate().notes


def test_it_is_a_value() -> None:
    tally = counted(slices=["sex"], approximate=True)
    assert pickle.loads(pickle.dumps(tally)) == tally
    assert tally == tally.named("elsewhere.csv")
    assert tally != counted(slices=["sex"])
    assert tally != "a tally"
    assert sum([tally, tally]) == tally + tally
    with pytest.raises(TypeError):
        tally + 1  # type: ignore[operator]


def test_sources_and_notes_are_kept_once() -> None:
    plain = ROWS.rename({"y": "actual"})
    one = tm.tally(plain, score="s").named("a.csv")
    both = one + tm.tally(plain, score="s").named("b.csv", "a.csv")
    assert both.sources == ("a.csv", "b.csv")
    assert both.notes == ("column 'actual' was taken as actual (guessed from its name).",)
    assert both.evaluate().notes[0] == both.notes[0]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"approximate": True}, "scores: each kept and on a grid of 61,440 bins from 0 to 1 and"),
        ({"pos_label": "0"}, "the positive class: not named and 0."),
        ({"predicted": "p"}, "a column of answers: no and yes."),
        ({"weight": "w"}, "weights: none and 'sampling'."),
        ({"slices": ["sex", "sex*p"]}, "slices: none and sex, sex*p."),
        ({"labels": [1, 0]}, "labels: not given and [1, 0]."),
        ({"threshold": 0.3}, "threshold: not given and 0.3."),
        (
            {"missing": "drop", "pos_label": 0},
            "the positive class: not named and 0; missing values: an error and dropped.",
        ),
    ],
    ids=["grid", "positive", "answers", "weights", "slices", "labels", "threshold", "missing"],
)
def test_what_was_declared_differently_is_not_added(options: dict[str, Any], said: str) -> None:
    with pytest.raises(MergeError) as caught:
        counted().named("a.csv", "c.csv") + counted(**options).named("b.csv")
    start = "a.csv and 1 more and b.csv were declared differently, so they do not add up: "
    assert caught.value.message.startswith(start + said)
    assert caught.value.hint
    assert ("--approximate" in caught.value.hint) == ("approximate" in options)


def test_a_class_named_as_text_is_the_same() -> None:
    first = counted(pos_label="0")
    assert first + first == first + counted(pos_label=0.0)
    assert counted(pos_label=True).evaluate()["auc"].value == counted().evaluate()["auc"].value


def test_without_names_they_are_the_first_and_the_second() -> None:
    with pytest.raises(MergeError, match="the first tally and the second were declared differently"):
        counted() + counted(predicted="p")


def test_numbers_and_text_are_not_added() -> None:
    text = ROWS.with_columns(pl.col("y").cast(pl.String))
    with pytest.raises(LabelError, match="all numbers or all text"):
        counted() + tm.tally(text, actual="y", score="s")


def test_nothing_counted_is_said() -> None:
    with pytest.raises(tm.ShapeError, match="no rows"):
        tm.tally(ROWS.clear(), actual="y", score="s")
