"""A decision as a picture: the cost against the threshold, and the ROC curve with the line of equal cost."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from tallymark.curves.costs.expected_cost import ExpectedCost
from tallymark.curves.roc.figures import DIAGONAL, X, Y
from tallymark.curves.shared import BINS, cut_at
from tallymark.curves.threshold_curve import ThresholdCurve
from tallymark.curves.threshold_marks import ends, heights
from tallymark.decisions.decision import AS_IS, Decision
from tallymark.decisions.iso_cost import iso_cost_line
from tallymark.decisions.ways import Way, answered
from tallymark.drawing import number
from tallymark.drawing.figure import Axis, Band, Figure, Line, Mark, Panel, Points
from tallymark.tallies import Binary

_CHOSEN, _AS_IS, _DECLINED = 1, 4, 2


def decision_figure(decision: Decision) -> Figure:
    """Two panels, or one where there is but one class."""
    panels = [_against_threshold(decision)]
    if decision.scores.pairs:
        panels.append(_roc(decision))
    notes = [] if decision.scores.exact else [BINS]
    if decision.optimistic is not None:
        notes.append(decision.optimistic)
    return Figure(tuple(panels), note=" ".join(notes))


def _against_threshold(decision: Decision) -> Panel:
    curve = decision.curve
    if isinstance(curve, ExpectedCost):
        return curve.panel(best=False, more=tuple(_costs(decision, curve)))
    low, high = ends(decision.scores)
    marks = _course(curve, low, high), *_chosen(decision, decision.value, heights([curve]))
    return Panel(Axis("threshold", low, high), Axis(curve.metric, *heights([curve])), marks)


def _course(curve: ThresholdCurve, low: float, high: float) -> Line:
    scores, value = curve.scores, curve.value
    if not scores.exact:
        return Line(scores.score, value[1:])
    return Line(np.concatenate([[high], scores.score, [low]]), np.append(value, value[-1]), stepped=True)


def _costs(decision: Decision, curve: ExpectedCost) -> Iterator[Mark]:
    """What was chosen, what is done now, and where rows are declined."""
    yield from _chosen(decision, decision.mean_cost, curve.heights)
    way, now = decision.against.get(AS_IS), decision.cost_of(AS_IS) if AS_IS in decision.against else None
    if now is not None:
        mean = now / decision.scores.n
        if isinstance(way, Way):
            at = np.clip([way.upper], *ends(decision.scores))
            label = f"as is, {number(mean)} at {cut_at(decision.scores, way.upper)}"
            yield Points(at, np.array([mean]), label, series=_AS_IS)
        else:
            label = f"as is, {number(mean)}"
            yield Line(np.array(ends(decision.scores)), np.full(2, mean), label, series=None)


def _chosen(decision: Decision, height: float | None, span: tuple[float, float]) -> Iterator[Mark]:
    low, high = ends(decision.scores)
    if height is None:
        return
    if decision.region is not None:
        x = np.clip(decision.region, low, high)
        yield Band(x, np.full(2, span[0]), np.full(2, span[1]), "declined", series=_DECLINED)
        label = f"with these declined, {number(height)}"
        yield Line(np.array([low, high]), np.full(2, height), label, series=_CHOSEN)
        return
    right = min(decision.high, high)
    if decision.low is not None:
        x = np.array([max(decision.low, low), right])
        same = "equally cheap" if decision.aim.costs is not None else "equally good"
        yield Band(x, np.full(2, span[0]), np.full(2, span[1]), same, series=_DECLINED)
    cut = cut_at(decision.scores, decision.high)
    where = "above every score" if math.isinf(decision.high) else f"at {cut}"
    word = "cheapest" if decision.aim.costs is not None else "best"
    if decision.aim.constraints or decision.chosen_on is not None:
        word = "chosen"
    label = f"{word}, {number(height)} {where}"
    yield Points(np.array([right]), np.array([height]), label, series=_CHOSEN, hollow=True)


def _roc(decision: Decision) -> Panel:
    scores = decision.scores
    marks: list[Mark] = [Line(scores.fp / scores.n_negative, scores.tp / scores.n_positive, "ROC curve")]
    if decision.aim.costs is not None and decision.region is None:
        line = iso_cost_line(scores, decision.aim.costs, decision.threshold)
        if line is not None:
            slope = "upright" if math.isinf(line.slope) else f"slope {line.slope:.3g}"
            marks.append(Line(line.fpr, line.tpr, f"equal cost, {slope}", series=_CHOSEN, faint=True))
    marks += _points(decision)
    return Panel(X, Y, (*marks, DIAGONAL), square=True)


def _points(decision: Decision) -> Iterator[Mark]:
    """Where the thresholds are on the ROC curve."""
    cuts = {"chosen": decision.threshold}
    if decision.region is not None:
        cuts = {"positive from here up": decision.region[1], "negative below": decision.region[0]}
    for label, threshold in cuts.items():
        counts = answered(decision.scores, Way.cut(threshold)).counts
        yield _point(counts, label, _CHOSEN if label != "negative below" else _DECLINED, hollow=True)
    if AS_IS in decision.against:
        yield _point(decision.answered_by(AS_IS).counts, "as is", _AS_IS)


def _point(counts: Binary, label: str, series: int, *, hollow: bool = False) -> Points:
    x, y = counts.fp / counts.actual_negative, counts.tp / counts.actual_positive
    return Points(np.array([x]), np.array([y]), label, series=series, hollow=hollow)
