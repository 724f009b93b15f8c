"""Several models on one page: which is best where, in words and tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from tallymark.curves.roc.paths import Path
from tallymark.curves.roc.words import counted, table
from tallymark.drawing import Block, Document, Paragraph, Section, count, number, percent
from tallymark.drawing import name as visible
from tallymark.tallies.labels import listed

if TYPE_CHECKING:
    from tallymark.curves.roc.several import Range, Several

MOST_PRINTED = 20
"""Of more ranges or crossings the widest, or the first, are printed."""
_NOTHING = 1e-9
Quoted = Callable[[Sequence[str]], str]
"""How names stand in a sentence."""


def describe(several: Several) -> Document:
    """The models, where each is best, where they cross, and the common hull."""
    sections = [Section("Models", tuple(_models(several)))]
    if len(several.curves) > 1:
        sections.append(Section("Where each is best", tuple(_best(several))))
    sections.append(Section("Common hull", tuple(_hull(several))))
    return Document("", tuple(sections))


def _models(several: Several) -> Iterable[Block]:
    cells = [(visible(name), number(curve.auc), "", "") for name, curve in several.curves.items()]
    cells += [(visible(name), "", number(fpr), number(tpr)) for name, (fpr, tpr) in several.points.items()]
    titles = ("model", "AUC", "FPR", "TPR") if several.points else ("model", "AUC")
    columns = dict(zip(titles, map(list, zip(*cells, strict=True)), strict=False))
    yield table(columns, words=("model",))
    for name, (fpr, tpr) in several.points.items():
        if several.curves:
            yield Paragraph(_placed(several, name, fpr, tpr))


def _placed(several: Several, name: str, fpr: float, tpr: float) -> str:
    """A single point against the curves."""
    at = {other: Path.of(curve).at(np.array([fpr]))[0] for other, curve in several.curves.items()}
    highest = max(at, key=lambda other: at[other])
    gap = tpr - at[highest]
    own = listed([name])[1:-1]
    if gap > 0:
        return f"{own} is one point, {number(gap)} above every curve at its FPR."
    return f"{own} is one point; at its FPR {listed([highest])[1:-1]} reaches a TPR of {number(at[highest])}."


def _best(several: Several) -> Iterable[Block]:
    yield Paragraph(f"{sentence(several)} At the same FPR the one with the higher TPR is better.")
    parts = several.best
    shown = parts
    if len(parts) > MOST_PRINTED:
        widest = sorted(parts, key=lambda part: part.low - part.high)[:MOST_PRINTED]
        shown = tuple(sorted(widest, key=lambda part: part.low))
    if len(parts) > 1:
        yield table(
            {
                "FPR from": [number(part.low) for part in shown],
                "to": [number(part.high) for part in shown],
                "best": [_names(part.names) for part in shown],
            },
            words=("best",),
        )
    if len(parts) > MOST_PRINTED:
        yield Paragraph(f"These are the {MOST_PRINTED} widest of {count(len(parts))} ranges.")
    yield from _crossings(several)


def sentence(several: Several, quoted: Quoted | None = None) -> str:
    """In one sentence where each is best; by shares of the axis where that changes often."""
    quoted, parts = quoted or _quoted, several.best
    if len(parts) == 1:
        how = "is best" if len(parts[0].names) == 1 else "are equally good"
        return f"{quoted(parts[0].names)} {how} at every FPR."
    if len(parts) <= 3:
        said = [f"{quoted(part.names)} {_range(part)}" for part in parts]
        return f"Best are {', '.join(said[:-1])} and {said[-1]}."
    widths = several.widths
    alone = sorted((name for name in widths if widths[name] > _NOTHING), key=lambda name: -widths[name])
    if not alone:
        return "At every FPR several are equally good."
    said = [f"{quoted((name,))} on {percent(widths[name])}" for name in alone]
    never = ", the others never" if len(alone) < len(widths) else ""
    together = 1 - sum(widths.values())
    rest = f"; on {percent(together)} several are equally good" if together > _NOTHING else ""
    return f"Alone the best: {', '.join(said)} of the FPR axis{never}{rest}."


def _range(part: Range) -> str:
    if part.low == 0:
        return f"up to an FPR of {number(part.high)}"
    return f"above {number(part.low)}" if part.high == 1 else f"up to {number(part.high)}"


def _crossings(several: Several) -> Iterable[Block]:
    crossings = several.crossings
    if not crossings:
        yield Paragraph("No two curves cross.")
        return
    shown = crossings[:MOST_PRINTED]
    first = "" if len(shown) == len(crossings) else f", of which the first {MOST_PRINTED}"
    yield Paragraph(f"{counted(len(crossings), 'crossing')}{first}:")
    columns = {
        "FPR": [_stretch(crossing.fpr, crossing.until) for crossing in shown],
        "TPR": [number(crossing.tpr) for crossing in shown],
        "above before": [visible(crossing.before) for crossing in shown],
        "above after": [visible(crossing.after) for crossing in shown],
    }
    yield table(columns, words=("above before", "above after"))


def _hull(several: Several) -> Iterable[Block]:
    stretches = several.on_hull
    if not stretches:
        yield Paragraph("No model is above the diagonal: guessing at random is as good as any of them.")
        return
    yield table(
        {
            "model": [_names(stretch.names) for stretch in stretches],
            "FPR": [_stretch(stretch.low, stretch.high) for stretch in stretches],
            "slope from": [number(stretch.slope_low) for stretch in stretches],
            "to": [number(stretch.slope_high) for stretch in stretches],
        },
        words=("model",),
    )
    yield Paragraph(
        f"The area under the common hull is {number(several.hull.auc)}. A model is the best choice where "
        "cost(FP) * negatives / (cost(FN) * positives) lies between its slopes."
    )
    never = several.never_best
    if never:
        yield Paragraph(f"Never the best choice, whatever the costs and the class shares: {_quoted(never)}.")


def _stretch(low: float, high: float) -> str:
    ends = number(low), number(high)
    return ends[0] if ends[0] == ends[1] else f"{ends[0]} to {ends[1]}"


def _names(names: Sequence[str]) -> str:
    return " = ".join(map(visible, names))


def _quoted(names: Sequence[str]) -> str:
    return listed(list(names))[1:-1]
