"""Differences with their intervals, one row each: a forest plot."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from tallymark.comparison.figures.reach import reach
from tallymark.comparison.figures.spelling import shortened
from tallymark.drawing import number, with_interval
from tallymark.drawing.figure import Axis, Band, Figure, Line, Mark, Panel, Points, Spans

Row: TypeAlias = tuple[str | tuple[str, str], float | None, float | None, float | None]
"""A label, or two models the second of which is subtracted; a value, and the ends of its interval; None where
there is none."""

_WIDE, _OF_PAIRS = 1.75, 2.0
# Letters of a model's name where two of them share a line.
_LONGEST = 13


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
    names = tuple(zip(places, _labels(rows), strict=True))
    numbers = tuple((at, _numbers(*row[1:])) for at, row in zip(places, rows, strict=True))
    x = Axis(x_label, *reach(value, low, high, (zero, *(region or ()))))
    y = Axis("", 0.0, total, names=names, second_names=numbers)
    wide = _WIDE if all(isinstance(row[0], str) for row in rows) else _OF_PAIRS
    return Figure((Panel(x, y, tuple(marks), wide=wide),), title, note)


def _labels(rows: Sequence[Row]) -> list[str]:
    """The two names of a pair are cut each by itself, so that both can be told."""
    models = list(dict.fromkeys(model for row in rows if not isinstance(row[0], str) for model in row[0]))
    short = dict(zip(models, shortened(models, _LONGEST), strict=True))
    return [
        label if isinstance(label, str) else f"{short[label[0]]} less {short[label[1]]}" for label, *_ in rows
    ]


def _numbers(value: float | None, low: float | None, high: float | None) -> str:
    if value is None:
        return "undefined"
    ends = (None, None) if low is None or high is None else (float(low), float(high))
    return with_interval(float(value), *ends)
