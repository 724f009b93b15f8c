"""How well the scores put positives before the rest."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from tallymark.curves import Several
from tallymark.curves.overlaid import overlaid
from tallymark.curves.shared import cut_at, share_of
from tallymark.drawing import Block, Column, Lines, Paragraph, Table, count, number
from tallymark.drawing.figure import Figure
from tallymark.evaluation.report.curves import Shown, figure_of, found, pictures, tables_of, with_point
from tallymark.evaluation.report.models import with_interval
from tallymark.evaluation.report.verdict import ranked_right

if TYPE_CHECKING:
    from tallymark.curves import Lift, PrecisionRecall, Roc
    from tallymark.evaluation.report.models import Models
    from tallymark.evaluation.result import Evaluation

_TAKEN = 0.2
_TENTH = 0.1
_ASKED_RECALL = 0.8
_RATES = (0.0, 0.01, 0.05, 0.1, 0.2, 0.5)


def ranking(models: Models) -> Iterator[Block]:
    """ROC, precision and recall, gains and lift, of the positive class."""
    scored = {name: ev for name, ev in models.items() if ev.ranked is not None}
    if not scored or _about_all_classes(scored):
        return
    _, reasons = found(scored, lambda ev: ev.roc)
    if len(reasons) == len(scored) and len(set(reasons.values())) == 1:
        yield Paragraph(f"There are no curves of the ranking: {reasons.popitem()[1]}.")
        return
    yield from pictures((_roc_curve(models), _precision_recall(models), _GAINS, _lift(models)), scored)


def _about_all_classes(models: Models) -> bool:
    """Whether there are more classes than two and none of them is the one to find."""
    return all(ev.positive is None and len(ev.labels) > 2 for ev in models.values())


# --- what they say -------------------------------------------------------------------------------


def _area_in_words(ev: Evaluation, _: Roc) -> str:
    right = ranked_right(ev)
    return f"AUC {_area(ev, _)}: of all pairs of a positive and a negative row the score ranks {right}."


def _area(ev: Evaluation, _: Roc) -> str:
    auc = ev["auc"]
    off = f" (off by at most {auc.off_by})" if auc.bounds is not None else ""
    return f"{with_interval(auc)}{off}"


def _precision_in_words(ev: Evaluation, curve: PrecisionRecall) -> str:
    point = curve.at(recall=_ASKED_RECALL)
    return (
        f"Average precision {with_interval(ev['average_precision'])}, at random {number(curve.baseline)}; "
        f"where {share_of(_ASKED_RECALL)} of the positives are found, {share_of(point.precision or 0.0)} of "
        "the alarms are true."
    )


def _lift_in_words(_: Evaluation, curve: Lift) -> str:
    lift = number(curve.at(share=_TENTH).lift, 2)
    return f"The best tenth of the rows holds {lift} times as many positives as a random tenth."


# --- drawn ---------------------------------------------------------------------------------------


def _roc_curve(models: Models) -> Shown:
    """With the points of the answers, for which all models are needed."""

    def draw(curves: Mapping[str, Roc]) -> Figure:
        return _roc_figure(models, curves)

    blocks = _points_and_area if len(models) == 1 else _points
    find, tell = (lambda ev: ev.roc), _area_in_words
    return Shown("ROC curve", find, tell, "AUC", _area, draw, blocks, whole=True, key="roc")


def _precision_recall(models: Models) -> Shown:
    def draw(curves: Mapping[str, PrecisionRecall]) -> Figure:
        return _precision_figure(models, curves)

    def tell(ev: Evaluation, _: PrecisionRecall) -> str:
        return with_interval(ev["average_precision"])

    return Shown(
        "Precision and recall",
        lambda ev: ev.precision_recall,
        _precision_in_words,
        "Average precision",
        tell,
        draw,
        tables_of,
        key="precision-recall",
    )


def _roc_figure(models: Models, curves: Mapping[str, Roc]) -> Figure:
    """With the point of the answers; of several models with those that only answer."""
    answers = {name: (ev["fpr"].value, ev["recall"].value) for name, ev in models.items()}
    if len(models) == 1:
        ((name, curve),) = curves.items()
        return with_point(curve.figure(name or None), answers[name], _cut(models[name]), 0)
    points = _only_answering(models, answers)
    figure = Several({**curves, **points}).figure()
    for series, name in enumerate(curves):
        figure = with_point(figure, answers[name], "", series)
    return figure


def _precision_figure(models: Models, curves: Mapping[str, PrecisionRecall]) -> Figure:
    answers = {name: (ev["recall"].value, ev["precision"].value) for name, ev in models.items()}
    single = len(models) == 1
    figures = {
        name: with_point(figure_of(curve, name), answers[name], _cut(models[name]) if single else "", 0)
        for name, curve in curves.items()
    }
    return next(iter(figures.values())) if single else overlaid(figures, _only_answering(models, answers))


def _only_answering(
    models: Models, answers: Mapping[str, tuple[float | None, float | None]]
) -> dict[str, tuple[float, float]]:
    """The points of models without scores, where they have one."""
    return {
        name: (x, y)
        for name, (x, y) in answers.items()
        if models[name].ranked is None and x is not None and y is not None
    }


def _cut(ev: Evaluation) -> str:
    """How the answers are called in a legend."""
    return "the answers" if ev.threshold is None else f"score >= {cut_at(ev.curves.scores, ev.threshold)}"


def _lift(models: Models) -> Shown:
    """With a table of tenths; of several models fifths, to be short."""
    parts = 10 if len(models) == 1 else 5
    return Shown(
        "Lift",
        lambda ev: ev.lift,
        _lift_in_words,
        "Lift of the best tenth of the rows",
        lambda _, curve: number(curve.at(share=_TENTH).lift, 2),
        blocks=lambda curve: curve.gains.deciles(parts).blocks(),
        whole=True,
        key="lift",
    )


# --- numbers -------------------------------------------------------------------------------------


def _points_and_area(curve: Roc) -> Iterator[Block]:
    """The points, what the area is made of, and what the hull says."""
    yield from _points(curve)
    for section in curve.document().sections[1:-1]:
        yield from (block for block in section.blocks if isinstance(block, Paragraph))


def _points(curve: Roc) -> Iterator[Block]:
    """How much is found at low false positive rates."""
    rows = []
    for rate in _RATES:
        point = curve.at(fpr=rate)
        counts = count(point.tp), count(point.fp)
        shares = number(point.tpr), number(point.fpr)
        rows.append((share_of(rate), cut_at(curve.scores, point.threshold), *counts, *shares))
    titles = ("FPR of at most", "score >=", "TP", "FP", "TPR", "FPR")
    yield Table(tuple(map(Column, titles)), tuple(rows), "The highest TPR")


_GAINS = Shown(
    "Cumulative gains",
    lambda ev: ev.gains,
    lambda _, curve: curve.answers((_TAKEN,), ())[0],
    f"Share of the positives among the best {share_of(_TAKEN)} of the rows",
    lambda _, curve: share_of(curve.at(share=_TAKEN).recall),
    blocks=lambda curve: (Lines(curve.answers()),),
    key="gains",
)
