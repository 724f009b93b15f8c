"""Candidates by rank, when they differ by more than two things."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING

import numpy as np

from tallymark.comparison.figures.spelling import shortened
from tallymark.drawing import number
from tallymark.drawing.figure import Axis, Band, Figure, Line, Mark, Panel, Points, Spans
from tallymark.validation.tuning.figures import shape
from tallymark.validation.tuning.outputs.names import called

if TYPE_CHECKING:
    from tallymark.validation.tuning.result import Tuning
    from tallymark.validation.tuning.search import Tried

_MOST_NAMED, _LONGEST = 20, 44
_MANY, _MARGIN = 100, 0.03
_KEPT, _BEST = 2, 3


def ranking(tuning: Tuning) -> Figure:
    """The best on top with their names; more than twenty as points from the best to the worst."""
    goodness = tuning.search.goodness
    known = [at for at in range(len(goodness)) if not np.isnan(goodness[at])]
    tried = [tuning.candidates[at] for at in sorted(known, key=lambda at: -goodness[at])]
    outdone = sum(each.outdone for each in tuning.candidates)
    lost = len(goodness) - len(known) - outdone
    note = shape.direction(tuning)
    if outdone:
        note += f" Left out: {outdone:,} given up early, which could not become the best."
    if lost:
        note += f" {lost:,} without a score are left out."
    panel = _named(tuning, tried) if len(tried) <= _MOST_NAMED else _many(tuning, tried)
    return Figure((panel,), shape.title(tuning), note)


def _named(tuning: Tuning, tried: list[Tried]) -> Panel:
    several = len({each.candidate.name for each in tuning.candidates}) > 1
    names = shortened([called(each.candidate, several=several) for each in tried], _LONGEST)
    total = float(len(tried))
    height = np.arange(total, 0.0, -1.0) - 0.5
    mean = shape.numbers(each.mean for each in tried)
    spread = shape.numbers(each.deviation for each in tried)
    kept, marks = tuning.outer, list[Mark]()
    if kept.low is not None and kept.high is not None:
        ends = np.array([kept.low, kept.high])
        marks.append(Band(ends, np.zeros(2), np.full(2, total), shape.kept_label(tuning), _KEPT))
    if kept.value is not None:
        marks.append(Line(np.full(2, kept.value), np.array([0.0, total]), shape.kept_label(tuning), _KEPT))
    best = tried.index(tuning.best)
    marks += [
        Spans(height, mean - spread, mean + spread, shape.promised_label(tuning)),
        Points(mean, height, shape.promised_label(tuning)),
        Points(mean[best : best + 1], height[best : best + 1], "chosen", _BEST, hollow=True),
    ]
    around = np.nan_to_num(spread)
    x = Axis(tuning.metric, *shape.reach(mean - around, mean + around, shape.kept_ends(tuning)))
    y = Axis(
        "",
        0.0,
        total,
        names=tuple(zip(height.tolist(), names, strict=True)),
        second_names=tuple(zip(height.tolist(), map(number, mean.tolist()), strict=True)),
    )
    return Panel(x, y, tuple(marks), wide=1.75)


def _of_models(tuning: Tuning, tried: list[Tried], place: shape.Floats, mean: shape.Floats) -> list[Points]:
    """The candidates of each model as a series of their own, which the legend names."""
    label, small = shape.promised_label(tuning, spread=False), len(tried) > _MANY
    owner = np.array([each.candidate.name for each in tried])
    names = list(dict.fromkeys(each.candidate.name for each in tuning.candidates))
    if len(names) == 1:
        return [Points(place, mean, label, small=small)]
    free = (series for series in count() if series not in (_KEPT, _BEST))
    return [
        Points(place[owner == name], mean[owner == name], f"{name}: {label}", series, name=name, small=small)
        for name, series in zip(names, free, strict=False)
        if name in owner
    ]


def _many(tuning: Tuning, tried: list[Tried]) -> Panel:
    place = np.arange(1.0, len(tried) + 1)
    mean = shape.numbers(each.mean for each in tried)
    room = _MARGIN * len(tried)
    across = np.array([1.0 - room, len(tried) + room])
    kept, marks = tuning.outer, list[Mark]()
    if kept.low is not None and kept.high is not None:
        ends = (np.full(2, kept.low), np.full(2, kept.high))
        marks.append(Band(across, *ends, shape.kept_label(tuning), _KEPT))
    if kept.value is not None:
        marks.append(Line(across, np.full(2, kept.value), shape.kept_label(tuning), _KEPT))
    best = tried.index(tuning.best)
    won = f"chosen: {number(tuning.best_score)}"
    marks += _of_models(tuning, tried, place, mean)
    marks.append(Points(place[best : best + 1], mean[best : best + 1], won, _BEST, hollow=True))
    y = Axis(tuning.metric, *shape.reach(mean, shape.kept_ends(tuning)))
    return Panel(Axis("candidates, the best first", *across.tolist()), y, tuple(marks), wide=1.5)
