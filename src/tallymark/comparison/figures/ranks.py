"""Mean ranks of models over data sets, and which of them cannot be told apart."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from tallymark.comparison.figures.spelling import shortened
from tallymark.drawing import number
from tallymark.drawing.figure import Axis, Figure, Line, Mark, Names, Note, Panel, Spans

_LONGEST = 22
# Columns of a paper, for a few models and for more of them.
_WIDE, _WIDER, _FEW = 1.75, 2.0, 8
# From which part of the axis on its scale is too long for words beside it.
_LONG = 0.7
_MOST_TICKS = 11
_JOINED, _SCALE = 1, 4
# Heights in rows: between two bars, and between the bars and what is above or below them.
_BAR, _GAP = 0.5, 0.5
# How far a bar reaches over the ranks that it joins, as a part of the axis.
_OVER = 0.012


class _Model(NamedTuple):
    name: str
    rank: float
    on_left: bool
    height: float


def critical_difference(
    names: Sequence[str],
    ranks: Sequence[float],
    cd: float | None,
    groups: Sequence[Sequence[int]],
    *,
    title: str = "",
    note: str = "",
) -> Figure:
    """The diagram of Demšar (2006): better models to the right, and bars join what is not told apart.

    `groups` are places in `names`; `cd` is the least difference of two ranks that tells models apart.
    """
    # Ranks are drawn with a minus sign, so that the best one is on the right.
    worst, best = -float(max(len(names), 2)), -1.0
    over = _OVER * (best - worst)
    bars = list(_bars(groups, ranks, 3 * over))
    levels = max((level for *_, level in bars), default=0)
    scale, bottom = _scale(cd, worst, best)
    highest = bottom + math.ceil(len(names) / 2)
    top = highest + _BAR * levels + _GAP
    models = list(_models(names, ranks, highest))
    marks: list[Mark] = [_span(top, worst, best, None)]
    for model in models:
        x = np.array([-model.rank, -model.rank, worst if model.on_left else best])
        marks.append(Line(x, np.array([top, model.height, model.height])))
    for low, high, level in bars:
        marks.append(_span(top - _BAR * level, -high - over, over - low, _JOINED, thick=True))
    left, right = (_named(models, on_left=side) for side in (True, False))
    x_axis = Axis("", worst, best, second_names=_ticks(len(names)))
    y_axis = Axis("", 0.0, top, names=left, second_names=right)
    wide = _WIDE if len(names) <= _FEW else _WIDER
    panel = Panel(x_axis, y_axis, (*marks, *scale), legend="none", wide=wide, frame=False)
    return Figure((panel,), title, note)


def _models(names: Sequence[str], ranks: Sequence[float], highest: float) -> Iterator[_Model]:
    """The worse half on the left; the outermost has the highest line, so that no line crosses another."""
    shown = shortened(names, _LONGEST)
    order = sorted(range(len(names)), key=lambda place: -ranks[place])
    for place, model in enumerate(order):
        on_left = place < len(names) // 2
        down = place if on_left else len(names) - 1 - place
        yield _Model(shown[model], float(ranks[model]), on_left, highest - 0.5 - down)


def _bars(
    groups: Sequence[Sequence[int]], ranks: Sequence[float], gap: float
) -> Iterator[tuple[float, float, int]]:
    """From which rank to which each bar goes, and on which level it has room, counted from the axis down."""
    owned = ([float(ranks[place]) for place in group] for group in groups if len(group) > 1)
    taken: list[float] = []
    for low, high in sorted((min(own), max(own)) for own in owned):
        level = next((level for level, end in enumerate(taken) if end + gap < low), len(taken))
        taken[level : level + 1] = [high]
        yield low, high, level + 1


def _scale(cd: float | None, worst: float, best: float) -> tuple[tuple[Mark, ...], float]:
    """How long the critical difference is, below everything else, and how many rows that takes."""
    if cd is None:
        return (), 0.0
    said = f"CD = {number(float(cd), 2)}"
    if cd < _LONG * (best - worst):
        return (_span(0.5, worst, worst + cd, _SCALE), Note(worst + cd, 0.5, said)), 1.0
    return (_span(1.5, worst, worst + cd, _SCALE), Note((worst + best) / 2, 1.5, said, "below")), 2.0


def _span(height: float, low: float, high: float, series: int | None, *, thick: bool = False) -> Spans:
    return Spans(np.array([height]), np.array([low]), np.array([high]), series=series, thick=thick)


def _named(models: Sequence[_Model], *, on_left: bool) -> Names:
    return tuple(
        (model.height, f"{model.name}  {number(model.rank, 2)}")
        for model in models
        if model.on_left == on_left
    )


def _ticks(models: int) -> Names:
    step = math.ceil(models / _MOST_TICKS)
    return tuple((-float(rank), str(rank)) for rank in range(1, max(models, 2) + 1, step))
