"""The pictures of several models on top of each other, or side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from tallymark.drawing.figure import Axis, Band, Cells, Figure, Line, Mark, Note, Panel, Points, Spans


def overlaid(
    figures: Mapping[str, Figure], points: Mapping[str, tuple[float, float]] | None = None
) -> Figure:
    """Every model a series of its own; what they have in common, such as a diagonal, is drawn once.

    The figures are of one kind, and `points` are models that only answer. Bands would cover each other, and
    are left out.
    """
    marks = tuple(
        Points(np.array([x]), np.array([y]), name, series, name=name)
        for series, (name, (x, y)) in enumerate((points or {}).items(), len(figures))
    )
    columns = zip(*(figure.panels for figure in figures.values()), strict=True)
    panels = tuple(_panel(tuple(figures), panels, marks) for panels in columns)
    notes = {name: figure.note for name, figure in figures.items() if figure.note}
    shared = len(notes) == len(figures) and len(set(notes.values())) == 1
    said = set(notes.values()) if shared else [f"{name}: {note}" for name, note in notes.items()]
    return Figure(panels, note=" ".join(said))


def side_by_side(figures: Sequence[Figure]) -> Figure:
    """The panels of all of them in a row, and each note once."""
    notes = dict.fromkeys(figure.note for figure in figures if figure.note)
    return Figure(tuple(panel for figure in figures for panel in figure.panels), note=" ".join(notes))


def _panel(names: Sequence[str], panels: Sequence[Panel], points: Sequence[Points]) -> Panel:
    x, y = (_axis([getattr(panel, side) for panel in panels]) for side in ("x", "y"))
    own: list[Mark] = []
    shared: list[Mark] = []
    for series, (name, panel) in enumerate(zip(names, panels, strict=True)):
        for mark in panel.marks:
            reference = isinstance(mark, Note) or (isinstance(mark, Line) and mark.series is None)
            if reference and all(any(_same(mark, other) for other in each.marks) for each in panels):
                shared += [] if series else [mark]
            elif not isinstance(mark, Band | Cells | Spans):
                own.append(_of_model(mark, name, series))
    return replace(panels[0], x=x, y=y, marks=(*own, *points, *shared), legend="below")


def _of_model(mark: Line | Points | Note, name: str, series: int) -> Mark:
    if isinstance(mark, Note):
        return replace(mark, text=f"{name}: {mark.text}")
    if mark.series is None:
        return replace(mark, label=f"{name}: {mark.label}" if mark.label else "")
    label = mark.label
    if isinstance(mark, Points) and label and not label.startswith(name):
        label = f"{name}: {label}"  # the point of each model looks different
    return replace(mark, series=series, label=label, name=name if label.startswith(name) else "")


def _axis(axes: Sequence[Axis]) -> Axis:
    """As long as the longest; counts on a second scale only where they are the same for all."""
    axis = replace(axes[0], low=min(each.low for each in axes), high=max(each.high for each in axes))
    alike = len({(each.second, each.second_high, each.high) for each in axes}) == 1
    return axis if alike else replace(axis, second="", second_high=None)


def _same(one: Mark, two: Mark) -> bool:
    if isinstance(one, Line) and isinstance(two, Line):
        return one.label == two.label and np.array_equal(one.x, two.x) and np.array_equal(one.y, two.y)
    return isinstance(one, Note) and one == two
