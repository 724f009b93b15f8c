"""What the live part of a page knows: counts of every model, class by class."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from tallymark.curves.shared import DUST
from tallymark.drawing import count, distinct, terminal
from tallymark.drawing import name as visible
from tallymark.evaluation.live.curve import BINARY, NOTHING, curve, of_classes
from tallymark.intervals.proportions import z_quantile

if TYPE_CHECKING:
    from tallymark.evaluation.result import Evaluation
    from tallymark.inference import Ranking
    from tallymark.tallies import Confusion, Label, Scores

    Models: TypeAlias = Mapping[str, Evaluation]

MOST_CLASSES = 100
PICTURES = {
    "roc": ["fpr recall"],
    "precision-recall": ["recall precision"],
    "gains": ["share recall"],
    "lift": ["share lift"],
    "thresholds": ["threshold f1", "threshold precision", "threshold recall", "threshold"],
    "cost": ["threshold page_cost"],
    "cost-curve": ["weight normalised"],
    "decision-curve": ["threshold benefit"],
    "rejection": ["left accuracy"],
    "calibration": ["threshold"],
    "distribution": ["threshold"],
    "course": ["threshold aim"],
}
"""By the key of a picture what the script shows on it: two numbers are a point, one is a line across."""
_LONGEST_LABEL = 60
Cells: TypeAlias = list[float]
"""TP, FN, FP and TN."""


def live_data(models: Models) -> dict[str, Any] | None:
    """For the page's script; None where there is nothing to try."""
    known = {name: ev for name, ev in models.items() if _can_be_tried(ev)}
    labels = _labels(known) if known else ()
    made = [_model(name, ev, labels) for name, ev in known.items()]
    if not labels or not any(_scored(model) or any(map(_answered, model["came"])) for model in made):
        return None
    first = next(iter(known.values()))
    assert first.level is not None
    return {
        "z": z_quantile(first.level),
        "grouped": _grouped(known, labels),
        "classes": _classes(first, labels),
        "models": sorted(made, key=_scored, reverse=True),
        "costs": _costs(first, labels),
        "prior": _prior(first, labels),
        "pictures": PICTURES,
        "note": " ".join(_notes(known, labels)),
    }


def _can_be_tried(ev: Evaluation) -> bool:
    """Whether rows have one label each; with many classes also whether they are as they came."""
    known = ev.sample or ev.ranked
    return known is not None and (len(ev.labels) <= 2 or known.shares is None)


def _notes(models: Models, labels: Sequence[Label]) -> Iterator[str]:
    """What readers must know of all that they try."""
    classes = len(next(iter(models.values())).labels)
    if classes > 2:
        yield "One class against the rest."
        yield "The answers as they came, by the largest probability, have no threshold."
    if MOST_CLASSES == len(labels) < classes:
        yield f"The {count(len(labels))} most frequent of {count(classes)} classes can be tried."
    if _grouped(models, labels):
        yield "Rows belong to groups. Intervals that allow for it are not worked out here."
    else:
        level = next(iter(models.values())).level
        assert level is not None
        yield f"Intervals are {100 * level:.10g} % (Wilson) and take the rows as independent."


def _note(curve: Mapping[str, Any]) -> str:
    """What readers must know of the thresholds of a curve."""
    tried = len(curve["positives"])
    if tried < curve["scores"]:
        return f"{count(tried)} of {count(curve['scores'])} thresholds can be tried."
    if curve["exact"]:
        return ""
    return "Rows were counted in bins, whose edges are the thresholds that can be tried."


# --- classes ---------------------------------------------------------------------------------------


def _labels(models: Models) -> tuple[Label, ...]:
    """The classes that can be tried, the positive one first."""
    first = next(iter(models.values()))
    if first.positive is not None and len(first.labels) <= 2:
        return (first.positive,)
    if len(first.labels) <= 2:
        # The page's own costs and shares are those of one side.
        known = first.sample or first.ranked
        given = first.costs is not None or (known is not None and known.shares is not None)
        return first.labels[:1] if given else first.labels
    scored = next((ev for ev in models.values() if ev.ranked is not None), None)
    if scored is None or scored.ranked is None:
        return ()
    if scored.ranked.about is not None:
        return (scored.labels[scored.ranked.about],)
    labels = sorted(scored.labels, key=lambda label: label != first.positive)
    if len(labels) <= MOST_CLASSES:
        return tuple(labels)
    rows = {label: result.support for label, result in scored.per_class.items()}
    often = sorted(labels, key=lambda label: (label != first.positive, -rows[label]))[:MOST_CLASSES]
    return tuple(label for label in labels if label in set(often))


def _classes(ev: Evaluation, labels: Sequence[Label]) -> list[dict[str, str]]:
    """Every class and what is against it, long labels without their middle."""
    every = (*labels, *(label for label in ev.labels if label not in set(labels)))
    shown = distinct([terminal(visible(str(label))) for label in every], _LONGEST_LABEL)
    rest = [shown[1], shown[0]] if len(every) == 2 else [f"not {each}" for each in shown]
    return [{"label": one, "rest": other} for _, one, other in zip(labels, shown, rest, strict=False)]


def _costs(ev: Evaluation, labels: Sequence[Label]) -> Cells | None:
    """With the class that comes first as the positive one; None with more classes than two."""
    if ev.costs is None or len(ev.labels) != 2:
        return None
    first = ev.labels.index(labels[0])
    order = first, 1 - first
    return [ev.costs.matrix[actual][called] for actual in order for called in order]


def _prior(ev: Evaluation, labels: Sequence[Label]) -> float | None:
    """The share of the first class that was asked for, if one was."""
    known = ev.sample or ev.ranked
    if known is None or known.shares is None:
        return None
    return float(known.shares[ev.labels.index(labels[0])])


# --- models ----------------------------------------------------------------------------------------


def _model(name: str, ev: Evaluation, labels: Sequence[Label]) -> dict[str, Any]:
    positions = [ev.labels.index(label) if label in ev.labels else None for label in labels]
    counted = None if ev.sample is None else ev.sample.confusion
    came = _cells(counted, positions)
    squares = _cells(None if counted is None else counted.squared, positions)
    return {
        "name": name and terminal(visible(name)),
        "came": [_sums(*each) for each in zip(came, squares, strict=True)],
        "curves": [_curve(ev, *each) for each in zip(positions, came, strict=True)],
    }


def _scored(model: Mapping[str, Any]) -> bool:
    return any(curve["scores"] for curve in model["curves"])


def _answered(came: Mapping[str, Any]) -> bool:
    return bool(came["tp"][-1] or came["fp"][-1])


def _sums(came: Cells | None, squares: Cells | None) -> dict[str, Any]:
    """The answers as they came like a curve with a single threshold."""
    tp, fn, fp, tn = came or [0, 0, 0, 0]
    sums: dict[str, Any] = {"tp": [0, tp, tp + fn], "fp": [0, fp, fp + tn]}
    if squares is not None:
        tp, fn, fp, tn = squares
        sums["squares"] = [[0, tp, tp + fn], [0, fp, fp + tn]]
    return sums


def _cells(confusion: Confusion | None, positions: Sequence[int | None]) -> list[Cells | None]:
    """The answers as they came, of every class against the rest."""
    if confusion is None:
        return [None] * len(positions)
    each = confusion.margins.each
    cells = np.stack([each.tp, each.fn, each.fp, each.tn], axis=1).tolist()
    return [None if position is None else cells[position] for position in positions]


def _curve(ev: Evaluation, position: int | None, came: Cells | None) -> dict[str, Any]:
    found = _ranking(ev, position)
    if found is None or not found.scores.n:
        return {**NOTHING, "note": ""}
    cut = ev.threshold if position == ev.position else None
    many = len(ev.labels) > 2
    if cut is None and not many:
        cut = _answering(found.scores, came)
    made = curve(found.scores, cut, of_classes(len(ev.labels)) if many else BINARY)
    return {**made, "note": _note(made)}


def _answering(scores: Scores, came: Cells | None) -> float | None:
    """The threshold at which as many rows of either class are called positive, if there is one."""
    if came is None:
        return None
    dust = DUST * scores.n
    same = np.flatnonzero((abs(scores.tp - came[0]) <= dust) & (abs(scores.fp - came[2]) <= dust))
    if not len(same):
        return None
    return float(scores.score[same[0] - 1]) if same[0] else math.inf


def _ranking(ev: Evaluation, position: int | None) -> Ranking | None:
    found = "" if position is None else ev.ranking(position)
    return None if isinstance(found, str) else found


def _grouped(models: Models, labels: Sequence[Label]) -> bool:
    known = [ev.sample or _of_label(ev, labels[0]) for ev in models.values()]
    return any(each is not None and each.groups is not None for each in known)


def _of_label(ev: Evaluation, label: Label) -> Ranking | None:
    return _ranking(ev, ev.labels.index(label) if label in ev.labels else None)
