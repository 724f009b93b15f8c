"""The scores of every model on every data set."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tallymark.drawing import number
from tallymark.drawing.figure import Axis, Cells, Figure, Panel

Floats = NDArray[np.float64]

_MOST_IN_COLUMN = 8
"""Models whose scores have room in a column of a paper."""


def scores(
    table: Floats,
    *,
    models: Sequence[str],
    data_sets: Sequence[str],
    ranks: Floats,
    title: str = "",
    note: str = "",
) -> Figure:
    """One row for each data set, darkest where a model ranks best; `ranks` has 1 for the best of its row."""
    table, ranks = np.asarray(table, dtype=np.float64), np.asarray(ranks, dtype=np.float64)
    shade = (len(models) - ranks) / max(len(models) - 1, 1)
    texts = tuple(tuple(map(number, row)) for row in table.tolist())
    cells = Cells(tuple(data_sets), tuple(models), shade, texts, "model", "data set")
    wide = 1.0 if len(models) <= _MOST_IN_COLUMN else 2.0
    panel = Panel(Axis("model"), Axis("data set"), (cells,), legend="none", wide=wide)
    said = "The stronger the colour, the better the rank on that data set."
    return Figure((panel,), title, f"{said} {note}".rstrip())
