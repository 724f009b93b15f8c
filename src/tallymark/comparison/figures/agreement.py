"""Where two models are right together, and where only one of them is."""

from __future__ import annotations

import numpy as np

from tallymark.comparison.figures.spelling import shortened, spelled
from tallymark.drawing import count, percent
from tallymark.drawing.figure import Axis, Cells, Figure, Panel

_ANSWERS = "wrong", "right"
# Letters of a name beside the table.
_LONGEST = 22


def agreement(
    n00: float, n01: float, n10: float, n11: float, *, names: tuple[str, str], note: str = ""
) -> Figure:
    """The four counts as a table, shaded by their share of all rows.

    n01 are the rows that only the first model has right, and n10 those that only the second has: the first
    model's answers are the columns, the second's the rows.
    """
    counts = (n00, n01), (n10, n11)
    total = n00 + n01 + n10 + n11
    shares = np.array(counts, dtype=np.float64) / (total or np.nan)
    texts = tuple(
        tuple(_text(f"n{row}{column}", cell, total) for column, cell in enumerate(cells))
        for row, cells in enumerate(counts)
    )
    across, down = shortened(names, _LONGEST)
    cells = Cells(_ANSWERS, _ANSWERS, shares, texts, across, down)
    panel = Panel(Axis(across), Axis(down), (cells,), square=True, legend="none")
    first, second = spelled(names)
    said = f"Only {first} is right: {count(n01)}. Only {second} is right: {count(n10)}. "
    said += f"Shade and percent: share of all {count(total)} rows." if total else "There are no rows."
    return Figure((panel,), note=f"{said} {note}".rstrip())


def _text(name: str, cell: float, total: float) -> str:
    return f"{name}\n{count(cell)}\n{percent(cell / total)}" if total else f"{name}\n{count(cell)}"
