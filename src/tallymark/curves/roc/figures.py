"""ROC curves as pictures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from tallymark.curves.roc.several_words import sentence
from tallymark.curves.roc.words import as_ranked
from tallymark.curves.shared import BINS
from tallymark.drawing import distinct, number, terminal
from tallymark.drawing.figure import Axis, Band, Figure, Line, Mark, Note, Panel, Points

if TYPE_CHECKING:
    from tallymark.curves.roc.curve import Roc
    from tallymark.curves.roc.from_points import RocOfPoints
    from tallymark.curves.roc.several import Several

X, Y = Axis("false positive rate", 0.0, 1.0), Axis("true positive rate", 0.0, 1.0)
DIAGONAL = Line(np.array([0.0, 1.0]), np.array([0.0, 1.0]), "random guessing", series=None)
_MOST_NAMED = 12
_LONGEST = 40
_SEEN = 0.005
"""A difference in area from which on the order within ties can be seen."""


def roc_figure(roc: Roc, label: str | None, *, band: bool, level: float) -> Figure:
    """The curve with its band, what ties leave open, its hull and the diagonal."""
    if roc.hull is None:
        note = f"There is no curve: {roc.why}."
        return Figure((Panel(X, Y, (DIAGONAL,), title=label or "", square=True),), note=note)
    name = "ROC curve" if label is None else label
    area = "AUC" if as_ranked(roc) else "area"
    marks: list[Mark] = [Line(roc.fpr, roc.tpr, f"{name}, {area} {number(roc.auc)}", name=label or "")]
    limits = roc.band(level) if band else None
    if limits is not None:
        marks.append(Band(*limits.outline(), f"{limits.level * 100:.10g} % band, pointwise"))
    if (roc.optimistic or 0.0) - (roc.pessimistic or 0.0) >= _SEEN:
        open_order = "order within bins open" if roc.in_bins else "order within ties open"
        marks.append(Band(*roc.ties.band, open_order, series=None))
    marks += [Line(roc.hull.fpr, roc.hull.tpr, "convex hull", faint=True), DIAGONAL]
    note = f"{roc.note[:1].upper()}{roc.note[1:]}." if roc.note else ""
    if roc.construction == "bins":
        note = BINS  # as other curves say it, so that one note will do for several
    return Figure((Panel(X, Y, tuple(marks), square=True),), note=note)


def points_figure(roc: RocOfPoints, label: str | None) -> Figure:
    """The settings as points, joined, with their names where there are few."""
    named = [place for place, name in enumerate(roc.names) if name]
    x, y = roc.fpr[named], roc.tpr[named]
    marks: list[Mark] = [
        Line(roc.fpr, roc.tpr, f"{label or 'ROC curve'}, AUC {number(roc.auc)}", name=label or ""),
        Points(x, y, "settings"),
        Line(roc.hull.fpr, roc.hull.tpr, "convex hull", faint=True),
        DIAGONAL,
    ]
    if len(named) <= _MOST_NAMED:
        marks += [
            Note(roc.fpr[place].item(), roc.tpr[place].item(), roc.names[place], "right") for place in named
        ]
    return Figure((Panel(X, Y, tuple(marks), square=True),))


def several_figure(several: Several) -> Figure:
    """All curves, the single points, and the common hull."""
    marks: list[Mark] = []
    for series, (name, curve) in enumerate(several.curves.items()):
        marks.append(Line(curve.fpr, curve.tpr, f"{name}, AUC {number(curve.auc)}", series, name=name))
    for series, (name, (fpr, tpr)) in enumerate(several.points.items(), len(several.curves)):
        marks.append(Points(np.array([fpr]), np.array([tpr]), name, series, name=name))
    marks.append(Line(several.hull.fpr, several.hull.tpr, "common hull", series=None, faint=True))
    marks.append(DIAGONAL)
    # Spelled as in the legend, not as in a message, where backslashes are doubled.
    spelled = dict(zip(several.names, distinct(list(map(terminal, several.names)), _LONGEST), strict=True))

    def quoted(names: Sequence[str]) -> str:
        return ", ".join(f"'{spelled[name]}'" for name in names)

    note = sentence(several, quoted) if len(several.curves) > 1 else ""
    return Figure((Panel(X, Y, tuple(marks), square=True),), note=note)
