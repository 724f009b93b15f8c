"""The ROC curves of two models, and where each of them is the better one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from tallymark.comparison.figures.spelling import shortened
from tallymark.curves.roc.curve import Roc
from tallymark.curves.roc.from_points import RocOfPoints
from tallymark.curves.roc.paths import Path
from tallymark.curves.roc.several import Several
from tallymark.drawing.figure import Band, Figure, Mark, Points

# More crossings than this are noise, and their marks would hide the curves.
_MOST_CROSSINGS = 8
_CROSSING = 4
# Letters of a name in the legend, beside its area.
_LONGEST = 32


def roc_pair(curves: Mapping[str, Roc | RocOfPoints]) -> Figure:
    """The curves with their crossings; what lies between two of them has the colour of the better one."""
    several = Several(dict(zip(shortened(list(curves), _LONGEST), curves.values(), strict=True)))
    figure = several.figure()
    panel = figure.panels[0]
    marks: list[Mark] = [*_between(several), *panel.marks]
    met = several.crossings
    if met and len(met) <= _MOST_CROSSINGS:
        x, y = np.array([(crossing.fpr, crossing.tpr) for crossing in met]).T
        marks.append(Points(x, y, "crossing" if len(met) == 1 else "crossings", _CROSSING, hollow=True))
    return replace(figure, panels=(replace(panel, marks=tuple(marks)),))


def _between(several: Several) -> Iterator[Band]:
    """For each of two models the area by which it is above the other."""
    if len(several.curves) != 2:
        return
    paths = [Path.of(curve) for curve in several.curves.values()]
    met = [crossing.fpr for crossing in several.crossings]
    grid = np.unique(np.concatenate([*(path.fpr for path in paths), met]))
    # Twice each: where one line ends, and, after a step straight up, where the next begins.
    x = np.repeat(grid, 2)[1:-1]
    heights = [np.column_stack((path.at(grid[:-1]), path.just_before(grid[1:]))).ravel() for path in paths]
    for series, (name, alone) in enumerate(several.widths.items()):
        if alone > 0:
            own, other = heights[series], heights[1 - series]
            yield Band(x, other, np.maximum(own, other), f"{name} is better", series, name=name)
