"""What winners promised where they were chosen, and what they kept on rows that took no part."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tallymark.comparison.figures.spelling import shortened
from tallymark.drawing import interval, number
from tallymark.drawing.figure import Axis, Band, Figure, Line, Mark, Panel, Points, Spans
from tallymark.validation.tuning.figures import shape
from tallymark.validation.tuning.outputs.names import called
from tallymark.validation.validating.validated import fold_names

if TYPE_CHECKING:
    from tallymark.validation.tuning.result import Tuning

_MOST_ROWS, _LONGEST, _MANY = 25, 40, 100
_PROMISED, _KEPT = 0, 2


def optimism(tuning: Tuning) -> Figure:
    """Outer folds one below the other, the mean last; of many a cloud of points."""
    promised, kept = shape.numbers(tuning.inner_values), shape.numbers(tuning.outer_values)
    panel = _rows(tuning, promised, kept) if len(kept) <= _MOST_ROWS else _cloud(tuning, promised, kept)
    gap = tuning.optimism
    ends = "" if gap.low is None else f" {interval(gap.low, gap.high)}"
    said = (
        f"Optimism {number(gap.value)}{ends}: by how much the promise was better. {shape.direction(tuning)}"
    )
    return Figure((panel,), f"{tuning.metric}: promised and kept", said)


def _rows(tuning: Tuning, promised: shape.Floats, kept: shape.Floats) -> Panel:
    nested = tuning.method == "nested"
    names = [f"fold {name}" if name.isdigit() else name for name in fold_names(tuning.folds)]
    chosen = _chosen(tuning)
    if nested:
        promised, kept = (
            np.append(values, np.nan if estimate.value is None else estimate.value)
            for values, estimate in ((promised, tuning.inner), (kept, tuning.outer))
        )
        names, chosen = [*names, "mean"], [*chosen, ""]
    else:
        names = ["the winner"]
    total = float(len(names))
    height = np.arange(total, 0.0, -1.0) - 0.5
    low, high = np.fmin(promised, kept), np.fmax(promised, kept)
    ends = tuning.outer.low, tuning.outer.high
    marks: list[Mark] = []
    if ends[0] is not None and ends[1] is not None:
        marks.append(Band(np.array(ends), np.zeros(2), np.full(2, total), shape.kept_label(tuning), _KEPT))
    x = Axis(tuning.metric, *shape.reach(promised, kept, shape.kept_ends(tuning)))
    where = ("inner folds", "outer folds") if nested else ("validation rows", "test rows")
    marks += [
        Spans(height, low, high, series=None),
        Points(promised, height, f"promised in {where[0]}", _PROMISED, hollow=True),
        Points(kept, height, f"kept in {where[1]}", _KEPT),
    ]
    if nested:
        marks.insert(0, Line(np.array([x.low, x.high]), np.ones(2), series=None))
    places = height.tolist()
    y = Axis(
        "",
        0.0,
        total,
        names=tuple(zip(places, shortened(names), strict=True)),
        second_names=tuple(zip(places, chosen, strict=True)),
    )
    return Panel(x, y, tuple(marks), wide=1.75)


def _chosen(tuning: Tuning) -> list[str]:
    several = len({each.candidate.name for each in tuning.candidates}) > 1
    winners = [each.winner for each in tuning.inner_searches]
    words = ["none" if won is None else called(won.candidate, several=several) for won in winners]
    return shortened(words, _LONGEST)


def _cloud(tuning: Tuning, promised: shape.Floats, kept: shape.Floats) -> Panel:
    ends = shape.reach(promised, kept)
    both = np.isfinite(promised) & np.isfinite(kept)
    marks = (
        Line(np.array(ends), np.array(ends), "as promised", series=None),
        Points(
            promised[both],
            kept[both],
            f"an outer fold ({int(both.sum()):,})",
            _KEPT,
            small=int(both.sum()) > _MANY,
        ),
    )
    x, y = Axis(f"{tuning.metric} promised", *ends), Axis(f"{tuning.metric} kept", *ends)
    return Panel(x, y, marks, square=True)
