"""The pictures of one model, or of several on top of each other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from tallymark.cli.models import CUT, Model

if TYPE_CHECKING:
    from tallymark.curves import Roc
    from tallymark.drawing.figure import Figure, Panel
    from tallymark.tallies.confusion import Share

Point = tuple[float | None, float | None]
_GROUPED = "No band is drawn, because rows belong together in groups."


def roc(models: Sequence[Model], *, band: bool = True) -> Figure:
    """With a band around the curve when there is only one."""
    from tallymark.curves import Several

    if len(models) == 1:
        return of_roc(models[0].ev.roc, models[0], band=band)
    every = {model.name: model.point if model.only_answers else model.ev.roc for model in models}
    return with_cuts(Several(every).figure(), models)


def of_roc(curve: Roc, model: Model, *, band: bool) -> Figure:
    """One curve; rows of groups are not independent, and only of independent rows a band is known."""
    figure = curve.figure(
        model.name or None, band=band and not model.grouped, confidence_level=model.ev.level or 0.95
    )
    if band and model.grouped:
        figure = replace(figure, note=f"{figure.note} {_GROUPED}".strip())
    return with_cuts(figure, [model])


def with_cuts(figure: Figure, models: Sequence[Model]) -> Figure:
    """A ROC picture with the points of the thresholds asked for, if any were."""
    for series, model in enumerate(model for model in models if not model.only_answers):
        if model.threshold is not None:
            point = model.ev.roc.at(threshold=model.threshold)
            figure = _with_cut(figure, model, (point.fpr, point.tpr), series)
    return figure


def _with_cut(figure: Figure, model: Model, at: Point, series: int = 0) -> Figure:
    """With the point of the threshold asked for, if one was, and if it has a place."""
    x, y = at
    if model.threshold is None or x is None or y is None:
        return figure
    import numpy as np

    from tallymark.drawing.figure import Points

    label = f"{model.name}, score >= {model.threshold:g}".removeprefix(", ")
    panel, *others = figure.panels
    marks = (*panel.marks, Points(np.array([x]), np.array([y]), label, series))
    return replace(figure, panels=(replace(panel, marks=marks, legend="below"), *others))


def precision_recall(models: Sequence[Model]) -> Figure:
    return _each(
        models,
        lambda model: model.ev.precision_recall.figure(model.name, model.threshold),
        lambda model: (model.ev["recall"].value, model.ev["precision"].value),
    )


def roc_and_precision_recall(models: Sequence[Model]) -> Figure:
    """Side by side, of one model with a remark on skew."""
    from tallymark.curves import roc_and_precision_recall
    from tallymark.drawing.figure import Figure

    left, right = roc(models), precision_recall(models)
    if len(models) == 1:
        return roc_and_precision_recall(left, right, models[0].scores)
    return Figure((*left.panels, *right.panels), note=left.note)


def gains(models: Sequence[Model]) -> Figure:
    return _each(
        models,
        lambda model: _with_cut(model.ev.gains.figure(model.name), model, model.taken[:2]),
        lambda model: model.taken[:2],
    )


def lift(models: Sequence[Model]) -> Figure:
    return _each(
        models,
        lambda model: _with_cut(model.ev.lift.figure(model.name), model, model.taken[::2]),
        lambda model: model.taken[::2],
    )


def thresholds(models: Sequence[Model], metrics: Sequence[str]) -> Figure:
    """One model: all metrics in one panel. Several: a panel for each metric."""
    from tallymark.curves.overlaid import overlaid
    from tallymark.drawing.figure import Figure

    if len(models) == 1:
        return _followed(models[0], metrics)
    figures = [
        overlaid({model.name: _named(_followed(model, [metric]), model.name) for model in models})
        for metric in metrics
    ]
    panels = tuple(panel for figure in figures for panel in figure.panels)
    return Figure(panels, note=figures[0].note)


def _followed(model: Model, metrics: Sequence[str]) -> Figure:
    from tallymark.curves import threshold_curves

    curves = threshold_curves(model.scores, metrics)
    figure = curves.figure()
    if model.threshold is not None:
        for series, curve in enumerate(curves.curves):
            figure = _with_cut(figure, model, (model.threshold, curve.at(model.threshold)), series)
    return figure


def _named(figure: Figure, name: str) -> Figure:
    """The lines called as the model, because the axis names the metric."""
    from tallymark.drawing.figure import Line

    panels: list[Panel] = []
    for panel in figure.panels:
        marks = (
            replace(mark, label=name) if isinstance(mark, Line) and mark.series is not None else mark
            for mark in panel.marks
        )
        panels.append(replace(panel, marks=tuple(marks)))
    return replace(figure, panels=tuple(panels))


def _each(
    models: Sequence[Model], draw: Callable[[Model], Figure], point: Callable[[Model], Point]
) -> Figure:
    """A curve for every model that ranks, a point for every other whose point is defined."""
    if len(models) == 1:
        return draw(models[0])
    from tallymark.curves.overlaid import overlaid

    points = {}
    for model in models:
        x, y = point(model) if model.only_answers else (None, None)
        if x is not None and y is not None:
            points[model.name] = x, y
    return overlaid({model.name: draw(model) for model in models if not model.only_answers}, points)


def confusion(models: Sequence[Model], normalize: Share) -> Figure:
    """A panel for each model."""
    from tallymark.curves import confusion_figure
    from tallymark.drawing.figure import Figure

    panels, notes = [], []
    for model in models:
        assert model.ev.confusion is not None
        figure = confusion_figure(model.ev.confusion, normalize)
        panels += [replace(panel, title=model.name) for panel in figure.panels]
        cut = [note for note in model.notes if note.startswith(CUT)]
        notes += [figure.note, *(f"{note[0].upper()}{note[1:]}" for note in cut)]
    return Figure(tuple(panels), note=" ".join(dict.fromkeys(notes)))
