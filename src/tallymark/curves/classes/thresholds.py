"""Where to cut the score of every class, each class taken alone against all others."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from tallymark.curves.equally_good import Best
from tallymark.curves.frames import frame
from tallymark.curves.shared import counts_at, cut_at, finite, row_at, spelled, spelled_up
from tallymark.curves.threshold_curve import OPTIMISTIC, ThresholdCurve
from tallymark.drawing import Block, Column, Document, Paragraph, Section, Table, count, number
from tallymark.drawing import name as visible
from tallymark.drawing.notebook import Described
from tallymark.metrics import METRICS
from tallymark.tallies import Label, Scores
from tallymark.tallies.labels import quoted

SEVERAL_OR_NONE = (
    "Cut like this every class is answered for itself, so a row can be called several classes, or none."
)


@dataclass(frozen=True)
class ClassThreshold:
    """The best threshold of one class, and what it does there."""

    label: Label
    support: Any
    """Rows of the class, or the sum of their weights."""
    best: Best | None
    why: str | None
    """Why no threshold is best."""
    called: Any = None
    """Rows that are called the class."""
    precision: float | None = None
    recall: float | None = None
    printed: tuple[str, str] = ("?", "?")
    """The threshold, and what every lower one that is as good is above, in few digits."""


@dataclass(frozen=True)
class ClassThresholds(Described):
    """The best threshold of every class by one metric; `class_thresholds` finds them."""

    metric: str
    classes: tuple[ClassThreshold, ...]

    def table(self, library: str | None = None) -> Any:
        """One row per class, as a data frame; an infinite threshold calls nothing the class."""
        bests = [each.best for each in self.classes]
        columns: dict[str, Any] = {
            "class": [str(each.label) for each in self.classes],
            "support": np.array([each.support for each in self.classes]),
        }
        for name in ("threshold", "low", "high", "value"):
            values = [np.nan if best is None else getattr(best, name) for best in bests]
            columns[self.metric if name == "value" else name] = np.array(values, float)
        for name in ("precision", "recall"):
            columns.setdefault(name, np.array([getattr(each, name) for each in self.classes], float))
        return frame(columns, library)

    def to_dict(self) -> dict[str, Any]:
        """For JSON; an infinite end is null."""
        return {"metric": self.metric, "classes": [_form(each) for each in self.classes]}

    def document(self) -> Document:
        """The thresholds as a table, and what to make of them."""
        return Document("", (Section("A threshold for every class", tuple(self._blocks())),))

    def _blocks(self) -> Iterator[Block]:
        shown = [name for name in ("precision", "recall") if name != self.metric]
        titles = ("class", "support", "score >=", "as good above", self.metric, *shown, "called")
        columns = tuple(Column(title, "right" if place else "left") for place, title in enumerate(titles))
        yield Table(columns, tuple(_printed(each, shown) for each in self.classes))
        for each in self.classes:
            if each.best is None:
                yield Paragraph(f"No threshold is best for {quoted(each.label)}: {each.why}.")
        if any(each.best is not None for each in self.classes):
            yield Paragraph(f"{OPTIMISTIC} {SEVERAL_OR_NONE}")


def class_thresholds(scores: Iterable[tuple[Label, Scores]], metric: str = "f1") -> ClassThresholds:
    """The best threshold of every class, from the scores of each against all others, one after the other."""
    found = []
    name = metric
    for label, each in scores:
        curve = ThresholdCurve(each, metric)
        name = curve.metric
        found.append(_found(label, curve))
    return ClassThresholds(name, tuple(found))


def _found(label: Label, curve: ThresholdCurve) -> ClassThreshold:
    scores, best = curve.scores, curve.best
    support = scores.n_positive
    if not support:
        return ClassThreshold(label, support, None, "no row is of that class")
    if best is None:
        return ClassThreshold(label, support, None, curve.no_best)
    counts = counts_at(scores, row_at(scores, best.threshold))
    precision, recall = (finite(float(METRICS[name](counts))) for name in ("precision", "recall"))
    printed = _few_digits(scores, best)
    return ClassThreshold(label, support, best, None, counts.predicted_positive, precision, recall, printed)


def _few_digits(scores: Scores, best: Best) -> tuple[str, str]:
    """Between bins nothing is known, so there the second is empty."""
    if best.low is None or math.isinf(best.low):
        return cut_at(scores, best.threshold), "" if best.low is None else "any"
    low = spelled_up(best.low, best.high)
    return spelled(best.high, float(low)), low


def _form(each: ClassThreshold) -> dict[str, Any]:
    form: dict[str, Any] = {"label": str(each.label), "support": each.support}
    if each.best is None:
        return form | {"threshold": None, "why": each.why}
    ends = {name: finite(getattr(each.best, name)) for name in ("threshold", "low", "high", "value")}
    rest = {name: getattr(each, name) for name in ("called", "precision", "recall")}
    return form | ends | {"others": each.best.others} | rest


def _printed(each: ClassThreshold, shown: list[str]) -> tuple[str, ...]:
    value = None if each.best is None else each.best.value
    rest = (number(getattr(each, name)) for name in shown)
    cells = (count(each.support), *each.printed, number(value), *rest, count(each.called))
    return (visible(str(each.label)), *cells)
