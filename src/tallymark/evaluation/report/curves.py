"""A curve of one model or of several as a picture, with what it says and its numbers below."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from tallymark.curves.overlaid import overlaid, side_by_side
from tallymark.drawing import Block, Folded, Picture, Table
from tallymark.drawing.figure import Figure, Note, Points
from tallymark.errors import OptionError
from tallymark.evaluation.report.models import MOST_ROWS, MOST_ROWS_OF_SEVERAL, parted, shortened, why_absent

if TYPE_CHECKING:
    from tallymark.evaluation.report.models import Models
    from tallymark.evaluation.result import Evaluation


def _every_section(curve: Any) -> tuple[Block, ...]:
    """All that the curve says, further sections folded."""
    first, *others = curve.document().sections
    return (*first.blocks, *(Folded(section.title, section.blocks) for section in others))


def on_top(curves: Mapping[str, Any]) -> Figure:
    """The curves of all models in one panel; of several the sentence below has the values, no notes."""
    if len(curves) == 1:
        ((name, curve),) = curves.items()
        return figure_of(curve, name)
    return overlaid({name: _without_notes(curve.figure(name)) for name, curve in curves.items()})


def _without_notes(figure: Figure) -> Figure:
    panels = (
        replace(panel, marks=tuple(mark for mark in panel.marks if not isinstance(mark, Note)))
        for panel in figure.panels
    )
    return replace(figure, panels=tuple(panels))


@dataclass(frozen=True)
class Shown:
    """A kind of picture: how its curve is found, drawn and put into words."""

    title: str
    find: Callable[[Evaluation], Any]
    say: Callable[[Evaluation, Any], str]
    """What the curve of a single model shows."""
    measure: str
    """What is told of each of several models."""
    tell: Callable[[Evaluation, Any], str]
    """Its value."""
    draw: Callable[[Mapping[str, Any]], Figure] = on_top
    blocks: Callable[[Any], Iterable[Block]] = _every_section
    """The numbers of one curve."""
    whole: bool = False
    """Whether a table is no choice of points, and so is never shortened."""
    key: str = ""
    """By which a script finds the picture."""

    def of(self, models: Models) -> Block:
        """The picture, or one sentence that says why there is none."""
        curves, reasons = found(models, self.find)
        if not curves:
            return why_absent({name: f"{self.title}: {why}." for name, why in reasons.items()})
        said = self._said(models, curves)
        for name, why in reasons.items():
            said += f" {name}: {why}."
        figure = self.draw(curves)
        if figure.note and figure.note in said:
            figure = replace(figure, note="")
        numbers = {name: tuple(self.blocks(curve)) for name, curve in curves.items()}
        if not self.whole:
            most = MOST_ROWS if len(models) == 1 else MOST_ROWS_OF_SEVERAL
            numbers = {name: shortened(blocks, most) for name, blocks in numbers.items()}
        return Picture(self.title, figure, said, parted(numbers), self.key)

    def _said(self, models: Models, curves: Mapping[str, Any]) -> str:
        if len(models) == 1:
            ((name, curve),) = curves.items()
            said = self.say(models[name], curve)
            return f"{name}: {said}" if name else said
        each = (f"{name} {self.tell(models[name], curve)}" for name, curve in curves.items())
        return f"{self.measure}: {', '.join(each)}."


def found(models: Models, find: Callable[[Evaluation], Any]) -> tuple[dict[str, Any], dict[str, str]]:
    """The curve of every model that has one, and why the others have none."""
    curves: dict[str, Any] = {}
    reasons: dict[str, str] = {}
    for name, ev in models.items():
        try:
            curve = find(ev)
        except OptionError as problem:
            reasons[name] = problem.message.removeprefix("there is no curve: ").rstrip(".")
            continue
        # Curves of several metrics say of each of them why it is undefined.
        why = getattr(curve, "why", None)
        if why:
            reasons[name] = why
        else:
            curves[name] = curve
    return curves, reasons


def pictures(kinds: Iterable[Shown], models: Models) -> Iterator[Block]:
    return (kind.of(models) for kind in kinds)


def in_panels(curves: Mapping[str, Any]) -> Figure:
    """A panel for each model."""
    return side_by_side([curve.figure(name) for name, curve in curves.items()])


def figure_of(curve: Any, name: str) -> Figure:
    """The figure of one curve; without a name as it is drawn alone."""
    made: Figure = curve.figure(name) if name else curve.figure()
    return made


def tables_of(curve: Any) -> Iterator[Block]:
    """Only the tables of what the curve says, where the words stand beside the picture already."""
    blocks = (block for section in curve.document().sections for block in section.blocks)
    return (block for block in blocks if isinstance(block, Table))


def with_point(figure: Figure, at: tuple[float | None, float | None], label: str, series: int) -> Figure:
    """With one more point, where the answers are, if it has a place."""
    x, y = at
    if x is None or y is None:
        return figure
    panel, *others = figure.panels
    mark = Points(np.array([x]), np.array([y]), label, series)
    return replace(figure, panels=(replace(panel, marks=(*panel.marks, mark)), *others))
