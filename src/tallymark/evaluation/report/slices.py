"""The same numbers for every part of the rows, and which parts are worse."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np

from tallymark.drawing import Block, Folded, Picture, count
from tallymark.drawing import name as visible
from tallymark.drawing.figure import Axis, Figure, Line, Panel, Points, Spans
from tallymark.evaluation.report.models import with_interval
from tallymark.evaluation.slice_tables import tables
from tallymark.evaluation.slices import headlines, ranked_headlines
from tallymark.tallies.labels import quoted

if TYPE_CHECKING:
    from tallymark.evaluation.report.models import Models
    from tallymark.evaluation.result import Evaluation
    from tallymark.evaluation.slices import Slice

_MOST_DRAWN = 30
_WIDE = 1.75
_MARGIN = 0.05


def slices(models: Models) -> Iterator[Block]:
    """A picture for every way the rows are sliced, and all numbers below."""
    for name, ev in models.items():
        if not ev.sliced:
            continue
        blocks = (*_pictures(ev), Folded("Numbers of every slice", tuple(tables(ev))))
        if len(models) == 1:
            yield from blocks
        else:
            yield Folded(name, blocks)


def _pictures(ev: Evaluation) -> Iterator[Block]:
    metric = next(iter((*headlines(ev), *ranked_headlines(ev))), None)
    if metric is None:
        return
    for columns, found in groupby(ev.slices, key=lambda part: tuple(part.slice)):
        known = [part for part in found if part[metric].value is not None]
        if len(known) > 1:
            yield _picture(ev, metric, columns, known)


def _picture(ev: Evaluation, metric: str, columns: Sequence[str], known: Sequence[Slice]) -> Picture:
    worst, *_, best = sorted(known, key=lambda part: float(part[metric]))
    by = " and ".join(visible(column) for column in columns)
    said = (
        f"{metric} is lowest in {quoted(worst.name)}, {with_interval(worst[metric])} on {count(worst.rows)} "
        f"rows, and highest in {quoted(best.name)}, {with_interval(best[metric])}; all rows have "
        f"{with_interval(ev[metric])}."
    )
    if metric in headlines(ev):
        said += _different(metric, known)
    drawn = known
    if len(known) > _MOST_DRAWN:
        drawn = sorted(known, key=lambda part: float(part[metric]))[:_MOST_DRAWN]
        said += f" Drawn are the {_MOST_DRAWN} of {count(len(known))} slices with the lowest."
    return Picture(f"{metric} by {by}", _intervals(ev, metric, drawn), said)


def _different(metric: str, known: Sequence[Slice]) -> str:
    """Which slices differ from all rows even when the error is shared out among them."""
    names = [quoted(part.name) for part in known if part.differs(metric)]
    if not names:
        return " None differs clearly from all rows."
    more = f" and {len(names) - 3:,} more" if len(names) > 3 else ""
    return (
        f" {', '.join(names[:3])}{more} clearly {'differs' if len(names) == 1 else 'differ'} from all rows."
    )


def _intervals(ev: Evaluation, metric: str, known: Sequence[Slice]) -> Figure:
    total = float(len(known))
    ends = [(float(each), each.low, each.high) for each in (part[metric] for part in known)]
    value, low, high = np.array(ends, dtype=np.float64).reshape(-1, 3).T
    height = np.arange(len(known), 0.0, -1.0) - 0.5
    whole = float(ev[metric])
    seen = np.concatenate([value, low, high, [whole]])
    left, right = float(np.nanmin(seen)), float(np.nanmax(seen))
    margin = _MARGIN * (right - left) or _MARGIN
    marks = (
        Line(np.full(2, whole), np.array([0.0, total]), "all rows", series=None),
        Spans(height, low, high),
        Points(value, height),
    )
    texts = [", ".join(visible(str(each)) for each in part.slice.values()) for part in known]
    names = tuple(zip(height.tolist(), texts, strict=True))
    numbers = tuple(
        (at, with_interval(part[metric])) for at, part in zip(height.tolist(), known, strict=True)
    )
    axes = Axis(metric, left - margin, right + margin), Axis(names=names, second_names=numbers, high=total)
    return Figure((Panel(*axes, marks, wide=_WIDE),))
