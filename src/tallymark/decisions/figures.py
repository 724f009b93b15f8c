"""A decision as a picture: the cost against the threshold, and the ROC curve with the line of equal cost."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from itertools import cycle

import numpy as np

from tallymark.curves.costs.expected_cost import ExpectedCost
from tallymark.curves.roc.figures import DIAGONAL, X, Y
from tallymark.curves.shared import BINS, cut_at, share_of
from tallymark.curves.threshold_curve import ThresholdCurve
from tallymark.curves.threshold_marks import ends, heights
from tallymark.decisions.decision import AS_IS, Decision
from tallymark.decisions.iso_cost import iso_cost_line
from tallymark.decisions.saving_words import cut_of
from tallymark.decisions.ways import Way, answered
from tallymark.drawing import count, number
from tallymark.drawing.figure import Axis, Band, Figure, Line, Mark, Panel, Points
from tallymark.tallies import Binary
from tallymark.tallies.labels import quoted

_CHOSEN, _AS_IS, _DECLINED = 1, 4, 2
_EXCLUDED = None, 3, 5
_MARGIN = 0.06


def decision_figure(decision: Decision) -> Figure:
    """Two panels as high as wide, or one where there is but one class."""
    panels = [_against_threshold(decision)]
    if decision.scores.pairs:
        panels = [replace(panels[0], square=True), _roc(decision)]
    return Figure(tuple(panels), note=" ".join(_notes(decision)))


def _notes(decision: Decision) -> Iterator[str]:
    positive, share = quoted(decision.labels[0]), decision.ranking.share
    yield f"Positive is {positive}: a row is called so when its score is at least the threshold."
    if share is not None:
        yield f"All of it is what to expect when {share_of(share)} of the rows are {positive}."
    if not decision.scores.exact:
        yield BINS
    if decision.elsewhere is not None:
        rows, what = decision.elsewhere.scores.rows, "Chosen"
        if decision.aim.constraints:
            what += " and excluded"
        yield f"{what} on {'one other row' if rows == 1 else f'{count(rows)} other rows'}."
    if decision.optimistic is not None:
        yield decision.optimistic


def _against_threshold(decision: Decision) -> Panel:
    curve = decision.curve
    if isinstance(curve, ExpectedCost):
        panel = curve.panel(best=False)
        span = _with_declined(decision, panel.y)
        marks = *panel.marks, *_marks(decision, decision.mean_cost, span)
        return replace(panel, y=replace(panel.y, low=span[0], high=span[1]), marks=marks, legend="below")
    low, high = ends(decision.scores)
    span = heights([curve])
    marks = _course(curve, low, high), *_marks(decision, decision.value, span)
    return Panel(Axis("threshold", low, high), Axis(curve.metric, *span), marks)


def _with_declined(decision: Decision, y: Axis) -> tuple[float, float]:
    """From where to where costs go: declining may make it cheaper than any threshold is."""
    least = y.low if decision.mean_cost is None else decision.mean_cost
    return (y.low if least >= y.low else least - _MARGIN * (y.high - least)), y.high


def _course(curve: ThresholdCurve, low: float, high: float) -> Line:
    scores, value = curve.scores, curve.value
    if not scores.exact:
        return Line(scores.score, value[1:])
    return Line(np.concatenate([[high], scores.score, [low]]), np.append(value, value[-1]), stepped=True)


def _marks(decision: Decision, height: float | None, span: tuple[float, float]) -> Iterator[Mark]:
    """What was not to be chosen from, what was chosen, and what is done now."""
    yield from _excluded(decision, span)
    if height is not None:
        yield from _chosen(decision, height, span)
    if AS_IS in decision.against:
        yield from _now(decision)


def _excluded(decision: Decision, span: tuple[float, float]) -> Iterator[Mark]:
    """The thresholds that do not keep what is asked, where it was chosen."""
    chosen_on = decision.elsewhere or decision.ranking
    low, high = ends(decision.scores)
    x = np.clip(np.concatenate([[high], chosen_on.scores.score, [low]]), low, high)
    for each, series in zip(decision.aim.constraints, cycle(_EXCLUDED)):
        keeping = each.kept(each.values(chosen_on))
        top = np.where(keeping, span[0], span[1])
        if not keeping.all():
            label, bottom = f"excluded: {each.excluded}", np.full(len(x), span[0])
            yield Band(x, bottom, np.append(top, top[-1]), label, series, stepped=True)


def _chosen(decision: Decision, height: float, span: tuple[float, float]) -> Iterator[Mark]:
    low, high = ends(decision.scores)
    if decision.region is not None:
        x = np.clip(decision.region, low, high)
        yield Band(x, np.full(2, span[0]), np.full(2, span[1]), "declined", series=_DECLINED)
        label = f"with these declined, {number(height)}"
        yield Line(np.array([low, high]), np.full(2, height), label, series=_CHOSEN)
        return
    highest = decision.threshold if decision.given else decision.high
    right = min(highest, high)
    # What is equally good where it was chosen need not be so on these rows.
    if decision.low is not None and decision.elsewhere is None and not decision.given:
        x = np.array([max(decision.low, low), right])
        same = "equally cheap" if decision.aim.costs is not None else "equally good"
        yield Band(x, np.full(2, span[0]), np.full(2, span[1]), same, series=_DECLINED)
    where = "above every score" if math.isinf(highest) else f"at {cut_of(decision, highest)}"
    word = "cheapest" if decision.aim.costs is not None else "best"
    if decision.aim.constraints or decision.elsewhere is not None:
        word = "chosen"
    if decision.given:
        word = "given"
    label = f"{word}, {number(height)} {where}"
    yield Points(np.array([right]), np.array([height]), label, series=_CHOSEN, hollow=True)


def _now(decision: Decision) -> Iterator[Mark]:
    """The answers as they are: a point where a threshold makes them, else a line."""
    way, found = decision.against[AS_IS], decision.answered_by(AS_IS)
    if decision.aim.costs is None:
        height = decision.aim.value(found.counts)
    else:
        height = found.cost(decision.aim.costs) / decision.scores.n
    if height is None:
        return
    label = f"{_as_is(decision)}, {number(height)}"
    if isinstance(way, Way):
        at = np.clip([way.upper], *ends(decision.scores))
        label = f"{label} at {cut_at(decision.scores, way.upper)}"
        yield Points(at, np.array([height]), label, series=_AS_IS)
    else:
        yield Line(np.array(ends(decision.scores)), np.full(2, height), label, series=None)


def _as_is(decision: Decision) -> str:
    """In a legend, which says elsewhere where the threshold is."""
    assert decision.as_is is not None
    words = "tuned here" if decision.as_is.tuned_for else decision.as_is.words
    return f"as is ({words})" if words else "as is"


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
    cuts = {"given" if decision.given else "chosen": decision.threshold}
    if decision.region is not None:
        cuts = {"positive from here up": decision.region[1], "negative below": decision.region[0]}
    for label, threshold in cuts.items():
        counts = answered(decision.scores, Way.cut(threshold)).counts
        yield _point(counts, label, _CHOSEN if label != "negative below" else _DECLINED, hollow=True)
    if AS_IS in decision.against:
        yield _point(decision.answered_by(AS_IS).counts, _as_is(decision), _AS_IS)


def _point(counts: Binary, label: str, series: int, *, hollow: bool = False) -> Points:
    x, y = counts.fp / counts.actual_negative, counts.tp / counts.actual_positive
    return Points(np.array([x]), np.array([y]), label, series=series, hollow=hollow)
