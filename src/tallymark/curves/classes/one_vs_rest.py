"""`OneVsRest`: the ROC curve of every class against all others, and which classes are recognised best."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from tallymark.curves.frames import frame
from tallymark.curves.roc.curve import Roc
from tallymark.curves.roc.figures import DIAGONAL, X, Y
from tallymark.curves.shared import drawn
from tallymark.drawing import (
    Block,
    Column,
    Document,
    Paragraph,
    Section,
    Table,
    count,
    number,
    value_and_interval,
)
from tallymark.drawing import name as visible
from tallymark.drawing.figure import Figure, Line, Mark, Panel
from tallymark.drawing.notebook import Drawn
from tallymark.tallies import Label
from tallymark.tallies.labels import listed, quoted

Area = tuple[float | None, float | None, float | None]
"""The area under the curve with both ends of its interval; None where there is none."""
MOST_COLOURED = 8
_AT_EITHER_END = 3
_MOST_GREY = 100
MEANING = (
    "Each class is set against all others: the AUC is the share of the pairs of a row of the class and a row "
    "of another that the score of the class ranks rightly."
)


@dataclass(frozen=True, eq=False)
class OneVsRest(Drawn):
    """Curves of all classes by label, each about its class against all others, with their areas."""

    curves: Mapping[Label, Roc]
    areas: Mapping[Label, Area]
    level: float = 0.95
    known_support: Mapping[Label, float] = field(default_factory=dict)
    """Rows of every class, so that no curve has to be made to know them; else the curves tell."""

    def support(self, label: Label) -> float:
        """Rows of a class, or the sum of their weights."""
        if label in self.known_support:
            return self.known_support[label]
        found: float = self.curves[label].scores.n_positive
        return found

    @cached_property
    def order(self) -> tuple[Label, ...]:
        """The classes, best recognised first; equally good ones as they came, those without an area last."""

        def worse(label: Label) -> tuple[bool, float]:
            value = self.areas[label][0]
            return value is None, -(value or 0.0)

        return tuple(sorted(self.curves, key=worse))

    @property
    def known(self) -> tuple[Label, ...]:
        """Those that have an area, best first."""
        return tuple(label for label in self.order if self.areas[label][0] is not None)

    @property
    def why(self) -> str | None:
        """Why no class has a curve, if none has."""
        return None if self.known else "all rows are of one class"

    @property
    def undefined(self) -> dict[Label, str]:
        """Those that have none, and why."""
        without = [label for label in self.order if self.areas[label][0] is None]
        return {label: _why(self.curves[label]) for label in without}

    def sure(self, better: Label, worse: Label) -> bool:
        """Whether the intervals of two classes do not overlap."""
        low, high = self.areas[better][1], self.areas[worse][2]
        return low is not None and high is not None and low > high

    # --- on paper --------------------------------------------------------------------------------

    def table(self, library: str | None = None) -> Any:
        """One row per class, best recognised first, as a data frame."""
        areas = np.array([self.areas[label] for label in self.order], float).reshape(-1, 3)
        rows = np.array([self.support(label) for label in self.order])
        columns: dict[str, Any] = {"class": [str(label) for label in self.order], "support": rows}
        return frame(columns | dict(zip(("auc", "low", "high"), areas.T, strict=True)), library)

    def to_dict(self, most: int = 256) -> dict[str, Any]:
        """For JSON; of longer curves about `most` points each."""
        return {"level": self.level, "classes": [self._class(label, most) for label in self.order]}

    def _class(self, label: Label, most: int) -> dict[str, Any]:
        value, low, high = self.areas[label]
        roc = self.curves[label]
        area: dict[str, Any] = {"value": value, "low": low, "high": high}
        if value is None:
            area = {"value": None, "why": _why(roc)}
        curve = roc.to_dict(most)
        shown = {name: curve[name] for name in ("fpr", "tpr", "threshold", "points", "thinned")}
        return {"label": str(label), "support": self.support(label), "auc": area, **shown}

    def document(self) -> Document:
        """Which classes are recognised best, in words and as a table."""
        return Document("", (Section("Every class against the rest", tuple(self._blocks())),))

    def _blocks(self) -> Iterator[Block]:
        yield Paragraph(" ".join((*self.sentences(), MEANING)))
        rows = tuple(
            (
                visible(str(label)),
                count(self.support(label)),
                *value_and_interval(*self.areas[label]),
            )
            for label in self.order
        )
        level = f"{self.level * 100:.10g} % interval"
        titles = Column("class", "left"), Column("support"), Column("AUC"), Column(level)
        yield Table(titles, rows)

    def sentences(self) -> Iterator[str]:
        """Which class is recognised best, which worst, and whether that can be told."""
        known = self.known
        if len(known) > 1:
            best, worst = known[0], known[-1]
            yield (
                f"Recognised best is {quoted(best)} with an AUC of {number(self.areas[best][0])}, worst "
                f"{quoted(worst)} with {number(self.areas[worst][0])}."
            )
            if self.areas[best][1] is not None and not self.sure(best, worst):
                yield "Their intervals overlap, so on other rows the order may be another."
            if below := [label for label in known if (self.areas[label][0] or 0.0) < 0.5]:
                verb = "is" if len(below) == 1 else "are"
                yield f"{listed(below)[1:-1]} {verb} ranked worse than at random."
        yield from self._without()

    def _without(self) -> Iterator[str]:
        undefined = self.undefined
        for why in dict.fromkeys(undefined.values()):
            labels = [label for label, reason in undefined.items() if reason == why]
            yield f"No curve for {listed(labels)[1:-1]}: {why}."

    # --- drawn -----------------------------------------------------------------------------------

    def figure(self) -> Figure:
        """All classes in one picture; of many the best and the worst few in colour, the others in grey."""
        known = self.known
        coloured = known
        if len(known) > MOST_COLOURED:
            coloured = known[:_AT_EITHER_END] + known[-_AT_EITHER_END:]
        others = [label for label in known if label not in coloured]
        grey = [
            Line(self.curves[label].fpr, self.curves[label].tpr, series=None, faint=True)
            for label in others[:: max(1, -(-len(others) // _MOST_GREY))]
        ]
        marks: list[Mark] = [*grey[1:]]
        for series, label in enumerate(coloured):
            roc = self.curves[label]
            area = f"{label}, AUC {number(self.areas[label][0])}"
            marks.append(Line(roc.fpr, roc.tpr, area, series, name=str(label)))
        # One grey line comes last, so that its words stand below the others in the legend.
        marks += [replace(line, label=f"the other {len(others)} classes") for line in grey[:1]]
        panel = Panel(X, Y, (*marks, DIAGONAL), square=True)
        return Figure((panel,), note=" ".join(self._without()))

    def plot(self, ax: Any = None) -> Any:
        """Draw the picture on matplotlib axes, new ones unless given, and return them."""
        return drawn(self.figure(), ax)


def _why(roc: Roc) -> str:
    """Why a class has no curve, in words about it and not about positives."""
    return "no row is of that class" if not roc.scores.n_positive else "every row is of that class"
