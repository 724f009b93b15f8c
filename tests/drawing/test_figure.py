from __future__ import annotations

from dataclasses import FrozenInstanceError

import numpy as np
import pytest

from tallymark.drawing import Axis, Cells, Figure, Line, Note, Panel, Points


def test_what_need_not_be_said() -> None:
    line = Line(np.array([0.0, 1.0]), np.array([0.0, 1.0]))
    panel = Panel(Axis("x"), Axis("y"), (line,))
    assert (line.label, line.series, line.stepped, line.faint) == ("", 0, False, False)
    assert (panel.x.low, panel.x.high, panel.x.percent, panel.x.second_high) == (0.0, 1.0, False, None)
    assert (panel.title, panel.square, panel.legend) == ("", False, "below")
    assert Figure((panel,)) == Figure((panel,), title="", note="")
    assert Note(0, 0, "here").anchor == "right"


def test_a_figure_is_frozen_and_can_be_a_key() -> None:
    points = Points(np.array([0.5]), np.array([0.5]))
    figure = Figure((Panel(Axis(), Axis(), (points,)),))
    assert {figure: 1}[Figure((Panel(Axis(), Axis(), (points,)),))] == 1
    with pytest.raises(FrozenInstanceError):
        figure.title = "another"  # type: ignore[misc]


def test_marks_with_arrays_are_compared_by_identity() -> None:
    shade = np.zeros((1, 1))
    cells = Cells(("a",), ("a",), shade, (("0",),))
    assert cells == cells
    assert cells != Cells(("a",), ("a",), shade, (("0",),))
