"""A confusion matrix as a picture: the darker, the more of the class."""

from __future__ import annotations

from typing import Literal

import numpy as np

from tallymark.drawing import count, percent
from tallymark.drawing.figure import Axis, Cells, Figure, Panel
from tallymark.errors import OptionError, ShapeError
from tallymark.tallies import Confusion

Share = Literal["actual", "predicted", "all"]
MOST_CLASSES = 100
_MOST_WITH_SHARES = 12
_WORDS: dict[Share, str] = {
    "actual": "the actual class",
    "predicted": "the predicted class",
    "all": "all rows",
}
_NOTHING: dict[Share, str] = {
    "actual": "no row is actually of that class",
    "predicted": "that class was never predicted",
    "all": "there are no rows",
}


def confusion_figure(confusion: Confusion, normalize: Share = "actual") -> Figure:
    """Counts, shaded by their share of the actual class, of the predicted one or of all rows."""
    if normalize not in _WORDS:
        raise OptionError(f"normalize must be one of {', '.join(_WORDS)}; got {normalize!r}.")
    size = len(confusion.labels)
    if size > MOST_CLASSES:
        raise ShapeError(
            f"a picture of {size:,} classes cannot be read; at most {MOST_CLASSES} are drawn.",
            hint="the report lists the most frequent confusions.",
        )
    shares, counts = confusion.normalized(normalize), confusion.matrix
    with_shares = size <= _MOST_WITH_SHARES
    texts = tuple(
        tuple(_text(cell, share, with_shares) for cell, share in zip(*row, strict=True))
        for row in zip(counts.tolist(), shares.tolist(), strict=True)
    )
    names = tuple(str(label) for label in confusion.labels)
    cells = Cells(names, names, shares, texts, "predicted", "actual")
    note = f"Shade{' and percent' if with_shares else ''}: share of {_WORDS[normalize]}."
    if np.isnan(shares).any():
        note += f" Grey: {_NOTHING[normalize]}."
    panel = Panel(Axis("predicted"), Axis("actual"), (cells,), square=True, legend="none")
    return Figure((panel,), note=note)


def _text(cell: float, share: float, with_share: bool) -> str:
    return f"{count(cell)}\n{percent(share)}" if with_share and not np.isnan(share) else count(cell)
