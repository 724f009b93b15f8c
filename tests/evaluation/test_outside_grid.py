"""Scores that a grid does not hold are told of, with how many they are."""

from typing import Any

import polars as pl

import tallymark as tm
from scored import classes, refusals

ROWS = pl.DataFrame({"y": [1, 0, 0, 1, 1, 1], "s": [5.0, -3, 0.2, 0.7, 4, 1], "w": [1.5, 1, 1, 1, 2, 1]})


def counted(grid: tuple[float, float], **options: Any) -> tm.Tally:
    return tm.tally(ROWS, actual="y", score="s", approximate=True, grid=grid, **options)


def notes(grid: tuple[float, float], **options: Any) -> list[str]:
    """What is said of the counts besides how they were made."""
    said = counted(grid, **options).evaluate(threshold=0.5).notes
    return [note for note in said if "--grid" in note]


def test_how_many_rows_are_outside(snapshot: Any) -> None:
    shown = {
        f"a grid from {low} to {high}": notes((low, high)) for low, high in ((0, 1), (0.2, 0.21), (-4, 4))
    }
    shown["weights"] = notes((0, 1), weight="w")
    assert [len(each) for each in shown.values()] == [1] * 4
    snapshot("outside_grid", {name: note for name, (note,) in shown.items()})
    # Nothing is said where no order is lost: one score alone may be outside.
    for grid in ((-3, 5), (-100, 100), (-3, 4.5)):
        assert notes(grid) == []
    # A threshold outside cuts what is there: each of 4, 5 and -3 is alone in its bin.
    assert notes((0, 1), threshold=4.5) == []


def test_grids_that_hold_nothing(snapshot: Any) -> None:
    rows = pl.DataFrame({"y": [1, 0], "a": [0.25, 0.5], "b": [0.75, 0.5]})
    given: dict[str, Any] = {"actual": "y", "probabilities": {0: "a", 1: "b"}, "approximate": True}
    refused = refusals(
        {
            "no scores": lambda: tm.tally(ROWS, actual="y", predicted="w", approximate=True, grid=(0, 1)),
            "probabilities": lambda: tm.tally(rows, **given, grid=(0.2, 0.3)),
        }
    )
    assert set(classes(refused).values()) == {"OptionError"}
    snapshot("outside_grid_errors", refused)
    assert tm.tally(rows, **given, grid=(-1, 2)).rows == 2
