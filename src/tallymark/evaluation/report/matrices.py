"""The answers counted: a shaded matrix, and of many classes the worst of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from tallymark.curves.confusion_map import MOST_CLASSES, confusion_figure
from tallymark.curves.shared import share_of
from tallymark.drawing import Beside, Block, Column, Paragraph, Picture, Table, count, number, percent
from tallymark.drawing import name as visible
from tallymark.drawing.figure import Axis, Cells, Figure, Line, Panel
from tallymark.evaluation.report.models import with_interval
from tallymark.metrics import METRICS
from tallymark.tallies.labels import quoted

if TYPE_CHECKING:
    from tallymark.evaluation.report.models import Models
    from tallymark.evaluation.result import Evaluation
    from tallymark.tallies import Confusion

_MOST_IN_TABLE = 40
_MOST_WITH_SHARES = 12
_MOST_WITH_DECIMALS = 5
_MOST_WITH_ROOM = 2
"""Models whose matrices stand beside each other with room for decimals."""
_WIDE = 2.0


def matrices(models: Models) -> Iterator[Block]:
    """A matrix for every model that answers, and of very many classes what is worst."""
    for name, ev in models.items():
        if ev.confusion is not None:
            yield from _matrix(ev, name, narrow=len(models) > _MOST_WITH_ROOM)


def _matrix(ev: Evaluation, name: str, *, narrow: bool) -> Iterator[Block]:
    assert ev.confusion is not None
    size = len(ev.labels)
    if size <= _MOST_IN_TABLE:
        yield shaded(ev.confusion, name, narrow=narrow)
        return
    sorted_f1, pairs = _sorted_f1(ev, name), tuple(_pairs(ev, name))
    if size <= MOST_CLASSES:
        yield Beside(((sorted_f1, *pairs), (_map(ev, name),)))
    else:
        yield Beside(((sorted_f1,), pairs))


def shaded(confusion: Confusion, name: str = "", *, narrow: bool = False) -> Table:
    """Counts, up to twelve classes with their share of the actual class, which also shades them.

    A `narrow` one has whole percents.
    """
    labels = [visible(str(label)) for label in confusion.labels]
    shares, matrix = confusion.normalized("actual"), confusion.matrix
    with_shares = len(labels) <= _MOST_WITH_SHARES
    digits = 0 if narrow or len(labels) > _MOST_WITH_DECIMALS else 1
    rows: list[tuple[str, ...]] = []
    shades: list[tuple[float | None, ...]] = []
    for label, counts, of_class in zip(labels, matrix, shares.tolist(), strict=True):
        cells = [
            f"{count(cell)} ({percent(share, digits)})"
            if with_shares and cell and not np.isnan(share)
            else count(cell)
            for cell, share in zip(counts.tolist(), of_class, strict=True)
        ]
        rows.append((label, *cells, count(counts.sum().item())))
        shades.append((None, *(None if np.isnan(share) else share for share in of_class), None))
    totals = (count(cell) for cell in matrix.sum(axis=0).tolist())
    rows.append(("total", *totals, count(confusion.n)))
    shades.append((None,) * (len(labels) + 2))
    columns = (Column("actual \\ predicted", "left"), *map(Column, labels), Column("total"))
    what = "rows" if confusion.squares is None else "weights"
    stronger = "; the stronger the colour, the more of the actual class"
    of = " (and share of the actual class)" if with_shares else stronger
    title = f"{visible(name)}: {what}{of}" if name else f"{what.capitalize()} by class{of}"
    return Table(columns, tuple(rows), title, (len(labels),), tuple(shades))


def _sorted_f1(ev: Evaluation, name: str) -> Picture:
    """How good the answers are class by class, the worst first."""
    assert ev.counted is not None
    values = np.asarray(METRICS["f1"](ev.counted.each), float)
    known = np.sort(values[np.isfinite(values)])
    half = float(np.median(known)) if len(known) else float("nan")
    none = int((known == 0).sum())
    steps = np.arange(len(known) + 1) / max(len(known), 1)
    heights = np.append(known, known[-1:]) if len(known) else np.zeros(1)
    line = Line(steps[: len(heights)], heights, "F1 of a class", stepped=True)
    across, up = Axis("share of the classes, worst first", percent=True), Axis("F1 of the class")
    said = (
        f"Half of the {count(len(known))} classes have an F1 of at most {number(half)}" if len(known) else ""
    )
    said += f"; {count(none)} {'has' if none == 1 else 'have'} 0." if none else "."
    if len(known):
        places = np.argsort(np.where(np.isfinite(values), values, np.inf), kind="stable")
        said += f" Worst is {quoted(ev.labels[int(places[0])])} with {number(float(known[0]))}."
    title = f"{name}: F1 of every class" if name else "F1 of every class"
    panel = Panel(across, up, (line,), legend="none")
    return Picture(title, Figure((panel,)), said)


def _map(ev: Evaluation, name: str) -> Picture:
    assert ev.confusion is not None
    figure = confusion_figure(ev.confusion)
    figure = replace(figure, panels=tuple(_bare(panel) for panel in figure.panels))
    accuracy = with_interval(ev["accuracy"])
    pairs = ev.confused_pairs(1).pairs
    worst = f", and {_worst(ev)}" if pairs else ""
    title = f"{name}: every class against every answer" if name else "Every class against every answer"
    return Picture(title, figure, f"Accuracy {accuracy}: what is on the diagonal is right{worst}.")


def _bare(panel: Panel) -> Panel:
    """Large, and without counts, which are too small to be read."""
    marks = tuple(
        replace(mark, texts=tuple(("",) * len(row) for row in mark.texts))
        if isinstance(mark, Cells)
        else mark
        for mark in panel.marks
    )
    return replace(panel, marks=marks, wide=_WIDE)


def _worst(ev: Evaluation) -> str:
    (pair,) = ev.confused_pairs(1).pairs
    return (
        f"{quoted(pair.first)} and {quoted(pair.second)} are confused most, {share_of(pair.share)} of all "
        "errors"
    )


def _pairs(ev: Evaluation, name: str) -> Iterator[Block]:
    """Which classes are taken for each other most often; all that is known of them is with the classes."""
    pairs = ev.confused_pairs()
    first = pairs.document().sections[0].blocks[0]
    assert isinstance(first, Paragraph)
    yield Paragraph(f"{name}: {first.text}") if name else first
    rows = tuple(
        (*map(visible, map(str, (pair.first, pair.second))), count(pair.forth), percent(pair.of_first))
        for pair in pairs.pairs
    )
    if rows:
        size = "weight" if pairs.weighted else "rows"
        titles = Column("class", "left"), Column("called", "left"), Column(size), Column("of the class")
        yield Table(titles, rows)
