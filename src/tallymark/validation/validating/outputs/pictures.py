"""Pictures of a validation."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tallymark.drawing import number, with_interval
from tallymark.drawing.figure import Axis, Figure, Line, Mark, Panel, Points, Spans
from tallymark.metrics import ask

if TYPE_CHECKING:
    from tallymark.inference import Estimate
    from tallymark.validation.validating.result import Validation
    from tallymark.validation.validating.summary import Summary

Floats = NDArray[np.float64]

WIDE = 1.75
CORRECTED = "Interval by the corrected t, for training sets of folds overlap; no narrower than pooled."
_MANY = 40
"""Folds from which on their points are small."""
_ROOM = 0.06
# How many lines of text a model takes; of these, where its folds are strewn, and their mean below them.
_HIGH, _STREWN, _MEAN = 2.2, (0.88, 0.42), 0.2


def figures(validation: Validation) -> dict[str, Callable[[], Figure]]:
    """By kind, the most telling first."""
    known = {"folds": lambda: folds(validation), "training": lambda: training(validation)}
    data = validation.data
    return {**known, "split": lambda: validation.folds.figure(data.y, data.groups)}


def folds(validation: Validation) -> Figure:
    """The value of every fold as a point, their mean and its interval below them, model by model."""
    summaries = [model[validation.metric] for model in validation.models.values()]
    several = len(validation.folds) > 1
    high = _HIGH if several else 1.0
    bottoms = [high * (len(summaries) - 1 - place) for place in range(len(summaries))]
    top = high * len(summaries)
    base = None if validation.baseline is None else validation.baseline[validation.metric].mean.value
    marks: list[Mark] = []
    if base is not None:
        said = f"most frequent class {number(base)}"
        marks.append(Line(np.full(2, base), np.array([0.0, top]), said, None))
    for summary, bottom in zip(summaries, bottoms, strict=True):
        marks += _with_folds(summary, bottom) if several else _alone(summary.pooled, bottom + 0.5)
    shown = [summary.mean if several else summary.pooled for summary in summaries]
    middles = [bottom + high / 2 for bottom in bottoms]
    names = tuple(zip(middles, validation.models, strict=True))
    beside = tuple(zip(middles, map(_numbers, shown), strict=True))
    seen = [end for each in shown for end in (each.value, each.low, each.high)]
    seen += [base, *(value for summary in summaries for value in summary.values)]
    x = Axis(validation.metric, *reach(seen, validation.metric))
    y = Axis("", 0.0, top, names=names, second_names=beside)
    note = CORRECTED if several else ""
    return Figure((Panel(x, y, tuple(marks), wide=WIDE),), _title(validation), note)


def _with_folds(summary: Summary, bottom: float) -> list[Mark]:
    values = floats(summary.values)
    there = np.isfinite(values)
    # The same fold stands at the same height for every model.
    height = bottom + _HIGH * np.linspace(*_STREWN, len(values))
    small = len(values) > _MANY
    points = Points(values[there], height[there], "a fold", hollow=not small, small=small)
    return [points, *_alone(summary.mean, bottom + _HIGH * _MEAN, "mean of folds")]


def _alone(estimate: Estimate, at: float, label: str = "all test rows") -> list[Mark]:
    if estimate.value is None:
        return []
    low, high = floats((estimate.low,)), floats((estimate.high,))
    level = f"{estimate.level * 100:.10g} % interval"
    height = np.array([at])
    return [
        Spans(height, low, high, level if estimate.low is not None else "", 1),
        Points(np.array([estimate.value]), height, label, 1),
    ]


def training(validation: Validation) -> Figure:
    """Of every fold the value on the rows learned and on those tested; below the diagonal a model knows the
    rows it learned better than others."""
    marks: list[Mark] = []
    seen: list[float] = []
    for place, (name, model) in enumerate(validation.models.items()):
        summary = model[validation.metric]
        learned, tested = floats(summary.training_values), floats(summary.values)
        both = np.isfinite(learned) & np.isfinite(tested)
        if both.any():
            seen += [*learned[both].tolist(), *tested[both].tolist()]
            few = len(learned) <= _MANY
            marks.append(
                Points(learned[both], tested[both], name, place, hollow=few, small=not few, name=name)
            )
            if len(learned) > 1:
                mean = np.array([learned[both].mean()]), np.array([tested[both].mean()])
                marks.append(Points(*mean, "", place))
    low, high = reach(seen, validation.metric)
    ends = np.array([low, high])
    marks.insert(0, Line(ends, ends, "equally good", None))
    panel = Panel(
        Axis(f"{validation.metric}, rows learned", low, high),
        Axis(f"{validation.metric}, test rows", low, high),
        tuple(marks),
        square=True,
    )
    note = "A point is a fold, a filled one the mean." if len(validation.folds) > 1 else ""
    return Figure((panel,), _title(validation), note)


def _numbers(shown: Estimate) -> str:
    if shown.value is None:
        return "undefined"
    return with_interval(shown.value, shown.low, shown.high)


def _title(validation: Validation) -> str:
    return f"{validation.folds.method}, {validation.data.rows:,} rows"


def floats(values: Iterable[float | None]) -> Floats:
    """As numbers, NaN where there is none."""
    return np.array([np.nan if value is None else value for value in values], float)


def reach(values: Iterable[float | None], metric: str) -> tuple[float, float]:
    """From where to where an axis runs, hardly beyond what the number can be."""
    seen = [value for value in values if value is not None] or [0.0, 1.0]
    limits = ask(metric).metric.range
    low, high = min(seen), max(seen)
    room = _ROOM * (high - low) or 0.05
    return max(low - room, limits[0] - room / 2), min(high + room, limits[1] + room / 2)
