"""What candidates score where two parameters cross."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tallymark.drawing import number
from tallymark.drawing.figure import Axis, Cells, Figure, Panel
from tallymark.validation.tuning.figures import shape
from tallymark.validation.tuning.outputs.names import said

if TYPE_CHECKING:
    from tallymark.validation.tuning.result import Tuning

_MOST = 12


def cells(tuning: Tuning, down: str, across: str) -> Figure | None:
    """Darker is better; None when the candidates are no whole table, or one too large to read."""
    keys = [(said(own[down]), said(own[across])) for own in (t.candidate.given for t in tuning.candidates)]
    place = {key: at for at, key in enumerate(keys)}
    rows, columns = (tuple(dict.fromkeys(key[side] for key in keys)) for side in (0, 1))
    if not len(keys) == len(place) == len(rows) * len(columns) or max(len(rows), len(columns)) > _MOST:
        return None
    order = [[place[row, column] for column in columns] for row in rows]
    good = tuning.search.goodness[np.array(order)]
    low, high = np.nanmin(good), np.nanmax(good)
    # From a light shade on: the worst cell is not an empty one.
    shade = 0.1 + 0.9 * (good - low) / (high - low) if high > low else np.where(np.isnan(good), np.nan, 0.5)
    texts = tuple(tuple(_text(tuning, at) for at in line) for line in order)
    mark = Cells(rows, columns, shade, texts, across, down)
    panel = Panel(Axis(across), Axis(down), (mark,), legend="none")
    kept = shape.kept_label(tuning)
    note = f"The stronger the colour, the better. {kept[0].upper()}{kept[1:]}."
    return Figure((panel,), shape.title(tuning), note)


def _text(tuning: Tuning, at: int) -> str:
    tried = tuning.candidates[at]
    if tried.outdone:
        return "given up"
    shown = "no score" if tried.mean is None else number(tried.mean)
    return f"{shown}\nchosen" if at == tuning.search.best else shown
