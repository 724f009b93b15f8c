"""Scores that a grid does not hold are told of, with how many they are."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

import tallymark as tm
from tallymark.errors import OptionError
from tallymark.evaluation.outside_grid import about_outside

ROWS = pl.DataFrame({"y": [1, 0, 0, 1, 1, 1], "s": [5.0, -3, 0.2, 0.7, 4, 1], "w": [1.5, 1, 1, 1, 2, 1]})


def said(grid: tuple[float, float], **options: Any) -> list[str]:
    tally = tm.tally(ROWS, actual="y", score="s", approximate=True, grid=grid, **options)
    notes = about_outside(tally.scores, tally.declared.weights)
    # said by whoever evaluates the counts, too, and once
    told = tally.evaluate(threshold=0.5).notes
    assert [note for note in told if "does not hold" in note] == notes
    return notes


@pytest.mark.parametrize(
    ("grid", "sides"),
    [
        ((0, 1), "1 row below it and 2 rows at its end or above share"),
        ((0.2, 0.21), "1 row below it and 4 rows at its end or above share"),
        ((-4, 4), "2 rows at its end or above share"),
    ],
    ids=["both sides", "narrow", "above"],
)
def test_how_many_rows_are_outside(grid: tuple[float, float], sides: str) -> None:
    (note,) = said(grid)
    assert note.startswith(
        f"the grid from {grid[0]} to {grid[1]} does not hold all scores, which reach from "
    )
    assert f"-3 to 5: {sides} a bin" in note
    assert "--grid -3:5 (in Python grid=(-3, 5))" in note


@pytest.mark.parametrize("grid", [(-3, 5), (-100, 100), (-3, 4.5)], ids=["just", "wide", "one score outside"])
def test_nothing_is_said_where_no_order_is_lost(grid: tuple[float, float]) -> None:
    assert said(grid) == []


def test_a_threshold_outside_cuts_what_is_there() -> None:
    assert said((0, 1), threshold=4.5) == []  # each of 4, 5 and -3 is alone in its bin


def test_weights() -> None:
    assert "rows with a weight of 1 below it and rows with a weight of 3.5 at" in said((0, 1), weight="w")[0]


def test_a_grid_without_scores_is_refused() -> None:
    with pytest.raises(OptionError) as caught:
        tm.tally(ROWS, actual="y", predicted="w", approximate=True, grid=(0, 1))
    assert str(caught.value) == (
        "a grid is about scores, and no column of them is named. Hint: name it: --score COLUMN (in Python "
        "score=), or leave out the grid."
    )


def test_a_grid_that_cannot_hold_probabilities_is_refused() -> None:
    rows = pl.DataFrame({"y": [1, 0], "a": [0.25, 0.5], "b": [0.75, 0.5]})
    given: dict[str, Any] = {"actual": "y", "probabilities": {0: "a", 1: "b"}, "approximate": True}
    with pytest.raises(OptionError, match=r"which a grid from 0.2 to 0.3 does not hold"):
        tm.tally(rows, **given, grid=(0.2, 0.3))
    assert tm.tally(rows, **given, grid=(-1, 2)).rows == 2
