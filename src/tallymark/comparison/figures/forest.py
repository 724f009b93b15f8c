"""Differences with their intervals, one row each: a forest plot."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from tallymark.comparison.figures.reach import reach
from tallymark.drawing import interval, number
from tallymark.drawing.figure import Axis, Band, Figure, Line, Mark, Panel, Points, Spans

Row: TypeAlias = tuple[str, float | None, float | None, float | None]
"""A label, a value, and the ends of its interval; None where there is none."""

_WIDE = 1.75


def forest(
    rows: Sequence[Row],
    *,
    title: str = "",
    x_label: str = "difference",
    note: str = "",
    zero: float = 0.0,
    region: tuple[float, float] | None = None,
) -> Figure:
    """The rows from top to bottom, with a line at no difference; within `region` a difference is too small to
    matter."""
    total = float(len(rows))
    value, low, high = np.array([row[1:] for row in rows], dtype=np.float64).reshape(-1, 3).T
    height = np.arange(len(rows), 0.0, -1.0) - 0.5
    marks: list[Mark] = []
    if region is not None:
        label = f"too small to matter: {number(region[0])} to {number(region[1])}"
        marks.append(Band(np.array(region), np.zeros(2), np.full(2, total), label, series=2))
    there = np.isfinite(value)
    marks += [
        Line(np.full(2, zero), np.array([0.0, total]), series=None),
        Spans(height, low, high),
        Points(value[there], height[there]),
    ]
    places = height.tolist()
    names = tuple((at, row[0]) for at, row in zip(places, rows, strict=True))
    numbers = tuple((at, _numbers(*row[1:])) for at, row in zip(places, rows, strict=True))
    x = Axis(x_label, *reach(value, low, high, (zero, *(region or ()))))
    y = Axis("", 0.0, total, names=names, second_names=numbers)
    return Figure((Panel(x, y, tuple(marks), wide=_WIDE),), title, note)


def _numbers(value: float | None, low: float | None, high: float | None) -> str:
    if value is None:
        return "undefined"
    shown = number(float(value))
    return shown if low is None or high is None else f"{shown} {interval(float(low), float(high))}"
