"""Pictures of several models on top of each other."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tallymark.curves.overlaid import overlaid
from tallymark.drawing.figure import Axis, Band, Figure, Line, Note, Panel, Points

ENDS = np.array([0.0, 1.0])


def figure(name: str, *, level: float = 0.5, high: float = 1.0, rows: float = 10.0) -> Figure:
    marks = (
        Line(ENDS, np.array([0.0, level]), name),
        Band(ENDS, ENDS, ENDS, "band"),
        Line(ENDS, ENDS, "diagonal", series=None),
        Line(ENDS, np.full(2, level), "baseline", series=None),
        Note(0.2, 0.9, "the same"),
        Note(0.5, level, "best"),
        Points(np.array([0.5]), np.array([level])),
    )
    x, y = Axis("share", second="rows", second_high=rows), Axis("value", high=high)
    return Figure((Panel(x, y, marks, legend="none"),), note="Small print.")


def test_models_are_series_and_what_they_share_is_drawn_once() -> None:
    made = overlaid({"a": figure("a"), "b": figure("b", level=0.7)}, {"rule": (0.1, 0.4)})
    (panel,) = made.panels
    assert made.note == "Small print."
    assert panel.legend == "below"
    lines = [(mark.label, mark.series) for mark in panel.marks if isinstance(mark, Line)]
    assert lines == [("a", 0), ("a: baseline", None), ("b", 1), ("b: baseline", None), ("diagonal", None)]
    assert [mark.text for mark in panel.marks if isinstance(mark, Note)] == ["a: best", "b: best", "the same"]
    assert [(mark.label, mark.series) for mark in panel.marks if isinstance(mark, Points)] == [
        ("", 0), ("", 1), ("rule", 2),
    ]  # fmt: skip
    assert not any(isinstance(mark, Band) for mark in panel.marks)


def test_small_print_says_whose_it_is() -> None:
    plain = replace(figure("b"), note="")
    assert overlaid({"a": figure("a"), "b": plain}).note == "a: Small print."


def test_axes_hold_every_model() -> None:
    (same,) = overlaid({"a": figure("a"), "b": figure("b", high=3.0)}).panels
    assert (same.y.high, same.x.second_high) == (3.0, 10.0)
    (other,) = overlaid({"a": figure("a"), "b": figure("b", rows=20.0)}).panels
    assert (other.x.second, other.x.second_high) == ("", None)
