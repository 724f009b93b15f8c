"""What giving every row its cheapest class costs and saves: in words, as data and as a picture."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from tallymark.curves.costs.prices import costs_or_gains
from tallymark.curves.frames import frame
from tallymark.curves.shared import drawn, share_of
from tallymark.decisions.form import table_of
from tallymark.decisions.saving_words import shown
from tallymark.drawing import (
    Block,
    Column,
    Document,
    Paragraph,
    Section,
    Table,
    count,
    number,
    percent,
)
from tallymark.drawing import name as visible
from tallymark.drawing.figure import Axis, Cells, Figure, Panel
from tallymark.drawing.illustrated import illustrated
from tallymark.drawing.notebook import Glanced
from tallymark.drawing.saved import Saved
from tallymark.errors import ShapeError
from tallymark.inference import Estimate
from tallymark.tallies import Confusion, Label

MOST_PROBABLE = "most probable class"
CHEAPEST = "cheapest class"
DECLINED = "declined"
SCHEMA = "tallymark/class_decision/1"
MOST_DRAWN = 30
MOST_PRINTED = 10
"""Classes whose matrix of answers is in the text."""
_MOST_SIDE_BY_SIDE = 8
_MOST_CHANGES = 10


@dataclass(frozen=True, eq=False)
class ClassDecision(Glanced, Saved):
    """Every row is given the class with the lowest expected cost under its probabilities, or none.

    `decide_classes` makes it.
    """

    labels: tuple[Label, ...]
    costs: NDArray[np.float64]
    """A row for every actual class, a column for every answer."""
    reject_cost: float | None
    before: Confusion
    """With the most probable class of every row."""
    confusion: Confusion
    """With the cheapest class, of the rows that get an answer."""
    declined: NDArray[np.float64]
    """Of every actual class: the rows that get none."""
    changes: tuple[tuple[int, int, Any, float], ...]
    """Answers other than the most probable class, most frequent first: the positions of the two answers (one
    past the last is no answer), for how many rows, and what that saves."""
    cost: float
    n: Any
    """Rows, or the sum of their weights."""
    believed: float
    """What these answers would cost if the probabilities were true."""
    savings: Mapping[str, Estimate]
    """What all rows together save against other ways to answer."""
    weighted: bool = False
    shares: NDArray[np.float64] | None = None
    """Of the classes, when they were given and are not the sample's own."""
    threshold: ClassVar[None] = None
    """Where classes are chosen row by row there is none; here, with `low` and `high`, for code that reads
    any decision."""
    low: ClassVar[None] = None
    high: ClassVar[None] = None

    @property
    def mean_cost(self) -> float | None:
        """Cost of one row."""
        return self.cost / self.n if self.n else None

    @property
    def believed_mean_cost(self) -> float | None:
        """Cost of one row if the probabilities were true."""
        return self.believed / self.n if self.n else None

    @property
    def saving(self) -> float | None:
        """What all rows together save against giving each its most probable class."""
        return self.savings[MOST_PROBABLE].value

    @property
    def rejected(self) -> float | None:
        """The share of rows that get no answer."""
        return float(self.declined.sum() / self.n) if self.n else None

    @property
    def changed(self) -> float | None:
        """The share of rows that get another answer than their most probable class, or none."""
        return float(sum(rows for _, _, rows, _ in self.changes) / self.n) if self.n else None

    # --- handed on -------------------------------------------------------------------------------

    def table(self, library: str | None = None) -> Any:
        """One row per actual class and answer that occurs: its cost, and its rows in either way."""
        size = len(self.labels)
        cells = np.union1d(self.before.cells, self.confusion.cells)
        actual, answer = np.divmod(cells, size)
        columns: dict[str, Any] = {
            "actual": [str(self.labels[at]) for at in actual],
            "answer": [str(self.labels[at]) for at in answer],
            "cost": self.costs[actual, answer],
            "most_probable": _at(self.before, cells),
            "cheapest": _at(self.confusion, cells),
        }
        if self.reject_cost is not None:
            there = np.flatnonzero(self.declined)
            columns["actual"] += [str(self.labels[at]) for at in there]
            columns["answer"] += [None] * len(there)
            none = np.zeros(len(there), columns["most_probable"].dtype)
            added = (np.full(len(there), self.reject_cost), none, self.declined[there])
            for name, more in zip(("cost", "most_probable", "cheapest"), added, strict=True):
                kind = columns[name].dtype
                columns[name] = np.concatenate([columns[name], more.astype(kind)])
        return frame(columns, library)

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        names = [*map(str, self.labels), None]
        return {
            "schema": SCHEMA,
            "labels": names[:-1],
            "costs": self.costs.tolist(),
            "reject_cost": self.reject_cost,
            "cost": self.cost,
            "mean_cost": self.mean_cost,
            "believed_mean_cost": self.believed_mean_cost,
            "saving": self.saving,
            "saving_against": MOST_PROBABLE,
            "against": {name: {"saving": found.to_dict()} for name, found in self.savings.items()},
            "rejected": self.rejected,
            "changed": self.changed,
            "changes": [
                {"from": names[plain], "to": names[chosen], "rows": rows, "saving": saved}
                for plain, chosen, rows, saved in self.changes
            ],
            "confusion": table_of(self.confusion),
            "declined": self.declined.tolist(),
            "most_probable": table_of(self.before),
        }

    def document(self) -> Document:
        """What it costs and saves, and which answers change."""
        sections = [Section("The cheapest class for every row", tuple(self._blocks()))]
        if self.n and len(self.labels) <= MOST_PRINTED:
            sections.append(Section("The answers", (self._matrix(),)))
        if self.changes:
            sections.append(Section("Answers that change", tuple(self._changed())))
        return Document("", tuple(sections))

    def _blocks(self) -> Iterator[Block]:
        declining = ""
        if self.reject_cost is not None:
            declining = f", and none where that is above {number(self.reject_cost)}, the cost of declining"
        under = (
            ""
            if self.shares is None
            else " For that the probabilities were carried over to the class shares given; the most probable "
            "class is that of the probabilities as they came."
        )
        yield Paragraph(
            "Every row is given the class with the lowest expected cost under its probabilities"
            f"{declining}.{under}"
        )
        if not self.n:
            yield Paragraph("There are no rows.")
            return
        yield self._ways()
        for name, saved in self.savings.items():
            yield Paragraph(self._saves(name, saved))
        believed, found = (
            costs_or_gains(cost or 0.0, number) for cost in (self.believed_mean_cost, self.mean_cost)
        )
        yield Paragraph(
            f"Going by the probabilities a row {believed} on average; in fact it {found}. The answers were "
            "not fitted to these rows, but they are only as good as the probabilities."
        )

    def _ways(self) -> Table:
        before = self.cost + (self.saving or 0.0)
        cells = [(MOST_PROBABLE, before, self.before), (CHEAPEST, self.cost, self.confusion)]
        rows = []
        for name, cost, confusion in cells:
            right = confusion.margins.correct / confusion.n if confusion.n else None
            share = self.rejected if confusion is self.confusion else 0.0
            answered = (percent(share),) if self.reject_cost is not None else ()
            rows.append((name, count(cost), number(cost / self.n), percent(right), *answered))
        titles = ["", "cost", "per row", "right", *((DECLINED,) if self.reject_cost is not None else ())]
        if self.reject_cost is not None:
            titles[3] = "right when answered"
        columns = tuple(Column(title, "right" if place else "left") for place, title in enumerate(titles))
        return Table(columns, tuple(rows))

    def _matrix(self) -> Table:
        names = tuple(visible(str(label)) for label in self.labels)
        counts, answers = self._given(self.confusion, self.declined, names)
        body = [(*row, sum(row)) for row in counts.tolist()]
        columns = (Column("actual \\ answer", "left"), *map(Column, (*answers, "total")))
        totals = [sum(column) for column in zip(*body, strict=True)]
        rows = [
            (name, *(count(shown(cell)) for cell in row))
            for name, row in zip((*names, "total"), (*body, totals), strict=True)
        ]
        return Table(columns, tuple(rows), rule_before=(len(body),))

    def _given(
        self, confusion: Confusion, declined: NDArray[np.float64], names: tuple[str, ...]
    ) -> tuple[NDArray[np.float64], tuple[str, ...]]:
        """The answers by actual class, and what they are; with a cost of declining that is one of them."""
        counts = confusion.matrix.astype(float)
        if self.reject_cost is None:
            return counts, names
        return np.column_stack([counts, declined]), (*names, DECLINED)

    def _saves(self, name: str, saved: Estimate) -> str:
        value = saved.value or 0.0
        what, more = ("saves", "") if value >= 0 else ("costs", " more")
        against = f"the {name}" if name == MOST_PROBABLE else f"answering {name}"
        text = f"Against {against} it {what} {count(abs(value))}{more}"
        text += f", {number(abs(value) / self.n)} per row" if value else ""
        if saved.low is None:
            return f"{text} ({saved.note})."
        low, high = saved.low, saved.high or 0.0
        unsure = " That holds 0: it may save nothing." if low <= 0 <= high else ""
        if value < 0:
            low, high = -high, -low
        return f"{text}; {saved.level * 100:.10g} % interval [{count(low)}, {count(high)}].{unsure}"

    def _changed(self) -> Iterator[Block]:
        names = [*(visible(str(label)) for label in self.labels), DECLINED]
        rows = tuple(
            (names[plain], names[chosen], count(amount), count(saved))
            for plain, chosen, amount, saved in self.changes[:_MOST_CHANGES]
        )
        heads = Column("instead of", "left"), Column("answer", "left")
        yield Table((*heads, Column("weight" if self.weighted else "rows"), Column("saves")), rows)
        more = len(self.changes) - len(rows)
        rest = f" {count(more)} more changes are not listed." if more > 0 else ""
        none = "" if self.reject_cost is None else " or none"
        yield Paragraph(f"{percent(self.changed)} of all rows get another answer{none}.{rest}")

    # --- drawn -----------------------------------------------------------------------------------

    def figure(self) -> Figure:
        """The answers before and after, by actual class, shaded by their share of it."""
        size = len(self.labels)
        if size > MOST_DRAWN:
            raise ShapeError(
                f"a picture of {size:,} classes cannot be read; at most {MOST_DRAWN} are drawn.",
                hint="the table has them all.",
            )
        panels = [self._panel(CHEAPEST, self.confusion, self.declined)]
        if size <= _MOST_SIDE_BY_SIDE:
            panels.insert(0, self._panel(MOST_PROBABLE, self.before, np.zeros(size)))
        note = "Shade: share of the actual class."
        if self.mean_cost is not None:
            before = (self.cost + (self.saving or 0.0)) / self.n
            note += f" Mean cost {number(self.mean_cost)}; with the most probable class {number(before)}."
        return Figure(tuple(panels), note=note)

    def _panel(self, title: str, confusion: Confusion, declined: NDArray[np.float64]) -> Panel:
        names = tuple(map(str, self.labels))
        counts, answers = self._given(confusion, declined, names)
        whole = counts.sum(axis=1, keepdims=True)
        shares = np.divide(counts, whole, out=np.full(counts.shape, np.nan), where=whole > 0)
        texts = tuple(tuple(count(cell) for cell in row) for row in counts.tolist())
        cells = Cells(names, answers, shares, texts, "answer", "actual")
        axes = Axis("answer"), Axis("actual")
        return Panel(*axes, (cells,), title=title, square=True, legend="none")

    def report(self) -> Document:
        """All of it, with the picture unless there are too many classes for one, as a page."""
        document = self.document()
        return document if len(self.labels) > MOST_DRAWN else illustrated(document, self.figure())

    def glance(self) -> Document:
        """The same: all of it is about one choice."""
        return self.report()

    def plot(self, ax: Any = None) -> Any:
        """Draw the picture on matplotlib axes, new ones unless given, and return them."""
        return drawn(self.figure(), ax)

    def __repr__(self) -> str:
        declined = f", {share_of(self.rejected)} declined" if self.rejected else ""
        saving = "" if self.saving is None else f", saving {self.saving:g}"
        return f"ClassDecision({len(self.labels):,} classes{declined}, cost {self.cost:g}{saving})"


def _at(confusion: Confusion, cells: NDArray[np.int64]) -> NDArray[Any]:
    """The counts of some cells."""
    found = np.zeros(len(cells), confusion.counts.dtype)
    found[np.searchsorted(cells, confusion.cells)] = confusion.counts
    return found
