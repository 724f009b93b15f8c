"""Where to cut the scores: what every threshold gives, what it costs, and what may be left undecided."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from tallymark.curves import ExpectedCost, ThresholdCurves, threshold_curves
from tallymark.curves.benefit.words import main_range
from tallymark.curves.overlaid import overlaid
from tallymark.curves.rejection.words import targets
from tallymark.curves.shared import BINS, cut_at, share_of, why_undefined
from tallymark.drawing import Block, Paragraph, number, percents_together
from tallymark.drawing.figure import Figure
from tallymark.errors import OptionError
from tallymark.evaluation.report.curves import Shown, on_top, pictures, tables_of
from tallymark.evaluation.report.models import in_percent

if TYPE_CHECKING:
    from tallymark.curves import DecisionCurve, Rejection
    from tallymark.evaluation.report.models import Models
    from tallymark.evaluation.result import Evaluation

_FOLLOWED = ("f1", "precision", "recall")
_REJECTED = 0.1


def thresholds(models: Models) -> Iterator[Block]:
    """Metrics, costs and net benefit against the threshold, and rejection."""
    scored = {name: ev for name, ev in models.items() if ev.ranked is not None}
    one_class = {name: ev for name, ev in scored.items() if not isinstance(ev.ranking(ev.position), str)}
    if one_class:
        yield (_METRICS if len(one_class) == 1 else _F1).of(one_class)
        priced = {name: ev for name, ev in one_class.items() if ev.costs is not None and len(ev.labels) == 2}
        if priced:
            yield _PAID.of(priced)
        yield from pictures((_COST_CURVE, _DECISION_CURVE), one_class)
        yield REJECTION.of(scored)


# --- metrics -------------------------------------------------------------------------------------


def _followed(ev: Evaluation) -> ThresholdCurves:
    scores = ev.curves.expected
    why = why_undefined(scores)
    if why:
        raise OptionError(f"there is no curve: {why}.", about_data=True)
    return threshold_curves(scores, _FOLLOWED)


def _best(ev: Evaluation, curves: ThresholdCurves) -> str:
    best = next(curves.curves[0].sentences())
    now = ev["f1"].value if ev.counted is not None else None
    return best if now is None else f"{best} The answers as they are have {number(now)}."


def _of_f1(curves: Mapping[str, ThresholdCurves]) -> Figure:
    """All metrics of one model, and of several F1 alone."""
    if len(curves) == 1:
        return next(iter(curves.values())).figure()
    return overlaid({name: each.curves[0].figure(name) for name, each in curves.items()})


_METRICS = Shown(
    "F1, precision and recall against the threshold",
    _followed,
    _best,
    "Highest f1",
    lambda _, curves: curves.curves[0].briefly.removeprefix("best ") or "undefined",
    _of_f1,
    tables_of,
    key="thresholds",
)
_F1 = replace(_METRICS, title="F1 against the threshold")


# --- costs ---------------------------------------------------------------------------------------


def _paid(ev: Evaluation) -> ExpectedCost:
    """What answers cost, the positive class first."""
    assert ev.costs is not None
    assert ev.position is not None
    order = [ev.position, 1 - ev.position]
    return ExpectedCost(ev.curves.expected, np.array(ev.costs.matrix, float)[np.ix_(order, order)])


def _cheapest(ev: Evaluation, curve: ExpectedCost) -> str:
    best = _first_words(curve)
    now = ev["mean_cost"].value if ev.counted is not None else None
    return best if now is None else f"{best} The answers as they are cost {number(now)} a row."


def _cheapest_briefly(_: Evaluation, curve: ExpectedCost) -> str:
    assert curve.best is not None
    return f"{number(curve.best.value / curve.scores.n)} at {cut_at(curve.scores, curve.best.threshold)}"


def _first_words(curve: Any) -> str:
    """The first paragraph of what a curve says."""
    block = curve.document().sections[0].blocks[0]
    assert isinstance(block, Paragraph)
    return block.text


def _formula_and_table(curve: ExpectedCost) -> Iterator[Block]:
    blocks = curve.document().sections[0].blocks
    return (block for block in blocks if not isinstance(block, Paragraph))


_PAID = Shown(
    "Cost against the threshold",
    _paid,
    _cheapest,
    "Least cost of a row, and the threshold",
    _cheapest_briefly,
    blocks=_formula_and_table,
    key="cost",
)
_COST_CURVE = Shown(
    "Cost curve",
    lambda ev: ev.cost_curve,
    lambda _, curve: " ".join(islice(curve.sentences(), 2)),
    "Mean cost over all probability costs, without looking at the scores 0.25",
    lambda _, curve: number(curve.area),
    blocks=_formula_and_table,
    key="cost-curve",
)


# --- net benefit and rejection -------------------------------------------------------------------


def _useful_briefly(_: Evaluation, curve: DecisionCurve) -> str:
    if not curve.useful:
        return "at none"
    low, high = main_range(curve, curve.useful)
    return f"from {low:.3g} to {high:.3g}"


def _without_note(curves: Mapping[str, DecisionCurve]) -> Figure:
    """The note says where it is useful, which is said below the picture."""
    exact = all(curve.scores.exact for curve in curves.values())
    return replace(on_top(curves), note="" if exact else BINS)


def _rejected(ev: Evaluation, curve: Rejection) -> str:
    first = next(targets(curve), "")
    right = ev["accuracy"] if ev.counted is not None else None
    share, *_ = (
        percents_together(curve.accuracy) if right is None or right.value is None else in_percent(right)
    )
    return f"With nothing rejected {share} are right. {first}".rstrip()


def _rejected_briefly(_: Evaluation, curve: Rejection) -> str:
    point = curve.at(rejected=_REJECTED)
    return " and ".join(percents_together(curve.accuracy, point.correct))


_DECISION_CURVE = Shown(
    "Decision curve",
    lambda ev: ev.decision_curve,
    lambda _, curve: _first_words(curve),
    "Thresholds at which acting on the probabilities is better than acting on all rows and on none",
    _useful_briefly,
    _without_note,
    blocks=lambda curve: curve.document().sections[0].blocks[1:],
    key="decision-curve",
)
REJECTION = Shown(
    "Rejection",
    lambda ev: ev.rejection,
    _rejected,
    f"Share right with nothing and with up to {share_of(_REJECTED)} rejected",
    _rejected_briefly,
    key="rejection",
)
