"""The pictures of one model, or of several on top of each other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from tallymark.cli.curves import refuse_undefined
from tallymark.cli.models import Model

if TYPE_CHECKING:
    from tallymark.curves import Roc
    from tallymark.drawing.figure import Figure
    from tallymark.tallies.confusion import Share

Point = tuple[float | None, float | None]


class Questions(NamedTuple):
    """Shares and recalls that gains are asked about."""

    shares: tuple[float, ...] = ()
    recalls: tuple[float, ...] = ()


NOTHING_ASKED = Questions()


def roc(models: Sequence[Model], *, band: bool = True) -> Figure:
    """With a band around the curve when there is only one."""
    from tallymark.curves import Several

    if len(models) == 1:
        return of_roc(models[0].ev.roc, models[0], band=band)
    every = {model.name: model.point if model.only_answers else model.ev.roc for model in models}
    return with_cuts(Several(every).figure(), models)


def of_roc(curve: Roc, model: Model, *, band: bool) -> Figure:
    """One curve."""
    refuse_undefined([model], lambda _: curve)
    figure = with_cuts(curve.figure(model.name or None, band=band), [model])
    return _with_answers(figure, model, ("fpr", "recall"))


def with_cuts(figure: Figure, models: Sequence[Model]) -> Figure:
    """A ROC picture with the points of the thresholds asked for, if any were."""
    for series, model in enumerate(model for model in models if not model.only_answers):
        if model.threshold is not None:
            point = model.ev.roc.at(threshold=model.threshold)
            figure = _with_cut(figure, model, (point.fpr, point.tpr), series)
    return figure


def _with_cut(figure: Figure, model: Model, at: Point, series: int = 0) -> Figure:
    """With the point of the threshold asked for, if one was, and if it has a place."""
    if model.threshold is None:
        return figure
    return _with_point(figure, model, at, f"score >= {model.threshold_text}", series)


def _with_answers(figure: Figure, model: Model, metrics: tuple[str, str]) -> Figure:
    """With the point of answers that were named beside the scores, if they were."""
    if model.answered is None:
        return figure
    x, y = (model.ev[name].value for name in metrics)
    return _with_point(figure, model, (x, y), f"answers in {model.answered!r}", 1)


def _with_point(figure: Figure, model: Model, at: Point, said: str, series: int = 0) -> Figure:
    x, y = at
    if x is None or y is None:
        return figure
    import numpy as np

    from tallymark.drawing.figure import Points

    label = f"{model.name}, {said}".removeprefix(", ")
    panel, *others = figure.panels
    marks = (*panel.marks, Points(np.array([x]), np.array([y]), label, series, name=model.name))
    return replace(figure, panels=(replace(panel, marks=marks, legend="below"), *others))


def precision_recall(models: Sequence[Model]) -> Figure:
    from tallymark.drawing import number

    def at(model: Model) -> Point:
        return model.ev["recall"].value, model.ev["precision"].value

    def draw(model: Model) -> Figure:
        figure = model.ev.precision_recall.figure(model.name)
        if model.threshold is not None:
            recall, precision = map(number, at(model))
            said = f"score >= {model.threshold_text}"
            if len(models) == 1:
                said += f": precision {precision}, recall {recall}"
            figure = _with_point(figure, model, at(model), said)
        return _with_answers(figure, model, ("recall", "precision"))

    refuse_undefined(models, lambda model: model.ev.precision_recall)
    return _each(models, draw, at)


def roc_and_precision_recall(models: Sequence[Model], *, band: bool = True) -> Figure:
    """Side by side, of one model with a remark on skew."""
    from tallymark.curves import roc_and_precision_recall
    from tallymark.drawing.figure import Figure

    left, right = roc(models, band=band), precision_recall(models)
    if len(models) == 1:
        return roc_and_precision_recall(left, right, models[0].scores, models[0].threshold)
    return Figure((*left.panels, *right.panels), note=left.note)


def gains(models: Sequence[Model], asked: Questions = NOTHING_ASKED) -> Figure:
    """Shares of the positives, with the answers to what was asked."""

    def draw(model: Model) -> Figure:
        figure = _with_cut(model.ev.gains.figure(model.name), model, model.taken[:2])
        figure = _with_answers(figure, model, ("predicted_positive_rate", "recall"))
        return _with_questions(figure, model, asked, "recall")

    refuse_undefined(models, lambda model: model.ev.gains)
    return _each(models, draw, lambda model: model.taken[:2])


def lift(models: Sequence[Model], asked: Questions = NOTHING_ASKED) -> Figure:
    """Times more positives than at random, with the answers to what was asked."""

    def draw(model: Model) -> Figure:
        figure = _with_cut(model.ev.lift.figure(model.name), model, model.taken[::2])
        if model.answered is not None:
            figure = _with_point(figure, model, model.taken[::2], f"answers in {model.answered!r}", 1)
        return _with_questions(figure, model, asked, "lift")

    refuse_undefined(models, lambda model: model.ev.gains)
    return _each(models, draw, lambda model: model.taken[::2])


def _with_questions(figure: Figure, model: Model, asked: Questions, up: str) -> Figure:
    from tallymark.curves.shared import share_of
    from tallymark.drawing import number

    gains = model.ev.gains
    if gains.why:
        return figure
    every = [{"share": share} for share in asked.shares] + [{"recall": recall} for recall in asked.recalls]
    for series, each in enumerate(every, 2):
        point = gains.at(**each)
        value = share_of(point.recall) if up == "recall" else number(point.lift, 2)
        said = f"best {share_of(point.share)}: {up} {value}"
        if "recall" in each and up == "lift":
            said = f"recall {share_of(each['recall'])}: {said}"
        figure = _with_point(figure, model, (point.share, getattr(point, up)), said, series)
    return figure


def thresholds(models: Sequence[Model], metrics: Sequence[str]) -> Figure:
    """One model: all metrics in one panel. Several: a panel for each metric."""
    from tallymark.curves.overlaid import overlaid
    from tallymark.drawing.figure import Figure

    if len(models) == 1:
        return _followed(models[0], metrics)
    figures = [overlaid({model.name: _followed(model, [metric]) for model in models}) for metric in metrics]
    panels = tuple(panel for figure in figures for panel in figure.panels)
    return Figure(panels, note=figures[0].note)


def _followed(model: Model, metrics: Sequence[str]) -> Figure:
    from tallymark.curves import threshold_curves
    from tallymark.drawing import number

    curves = threshold_curves(model.scores, metrics)
    # Of several models the axis names the metric, and the legend the model.
    figure = curves.figure(model.name)
    if model.threshold is not None:
        for series, curve in enumerate(curves.curves):
            value = curve.at(model.threshold)
            said = f"score >= {model.threshold_text}: {curve.metric} {number(value)}"
            figure = _with_point(figure, model, (model.threshold, value), said, series)
    return figure


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


def distribution(models: Sequence[Model]) -> Figure:
    """A panel for each model."""
    from tallymark.curves.overlaid import side_by_side

    refuse_undefined(models, lambda model: model.ev.distribution)
    return side_by_side([model.ev.distribution.figure(model.name) for model in models])


def confusion(models: Sequence[Model], normalize: Share) -> Figure:
    """A panel for each model."""
    from tallymark.curves import confusion_figure
    from tallymark.drawing.figure import Figure
    from tallymark.evaluation.counted import AboutCut

    panels, notes = [], []
    for model in models:
        assert model.ev.confusion is not None
        figure = confusion_figure(model.ev.confusion, normalize)
        panels += [replace(panel, title=model.name) for panel in figure.panels]
        cut = [note for note in model.notes if isinstance(note, AboutCut)]
        notes += [figure.note, *(f"{note[0].upper()}{note[1:]}" for note in cut)]
    return Figure(tuple(panels), note=" ".join(dict.fromkeys(notes)))
