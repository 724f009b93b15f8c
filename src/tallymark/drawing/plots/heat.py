"""Shaded cells with a number in each, such as a confusion matrix."""

from __future__ import annotations

import math

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap

from tallymark.drawing.figure import Cells
from tallymark.drawing.palette import NO_SHARE, SHADES, ink_on, shade

from .words import NORMAL, SMALL, Words

_SHADES = LinearSegmentedColormap.from_list("tallymark", SHADES).with_extremes(bad=NO_SHARE)
_RULE = "#D8D8D8"

_FEW_LABELS = 15
_LABEL_ROOM = 115.0
_SMALLEST = 0.67
_LARGEST_CELL, _SMALLEST_CELL = 72.0, 15.0
_PADDING = 4.0
# How high a line of a cell is, against the size of its letters.
_LINE = 1.6


def draw_cells(ax: Axes, cells: Cells, words: Words) -> None:
    """The cells and their labels; the numbers need to know how large a cell is, see `write_numbers`."""
    height, width = len(cells.rows), len(cells.columns)
    shares = np.ma.masked_invalid(np.asarray(cells.shade, dtype=np.float64).reshape(height, width))
    rules = {"rasterized": True} if cells.crowded else {"edgecolors": _RULE, "linewidth": 0.4}
    ax.pcolormesh(shares, cmap=_SHADES, vmin=0, vmax=1, **rules)
    ax.set(xlim=(0, width), ylim=(height, 0))
    ax.grid(False)
    ax.tick_params(length=0)
    for spine in ax.spines.values():
        spine.set_visible(cells.crowded)
    for scale, names in ((ax.xaxis, cells.columns), (ax.yaxis, cells.rows)):
        step = math.ceil(len(names) / _FEW_LABELS) if cells.crowded else 1
        shown = words.cut([words.label(name) for name in names[::step]], _LABEL_ROOM, SMALL)
        scale.set_ticks(np.arange(0, len(names), step) + 0.5, shown, **words.style(SMALL))


def cell_width(cells: Cells, room: float, words: Words) -> float:
    """In points: as the room allows, but never too narrow for its number."""
    wanted = room / max(len(cells.columns), 1)
    if cells.crowded:
        return wanted
    widest = max((words.width(line, _SMALLEST) for line in _lines(cells)), default=0.0)
    return max(min(wanted, _LARGEST_CELL), widest + _PADDING, _SMALLEST_CELL)


def cell_height(cells: Cells, width: float, words: Words) -> float:
    """As its width, but of a table with more rows than columns only as high as its lines need."""
    rows, columns = max(len(cells.rows), 1), len(cells.columns)
    square = width * columns / rows
    if cells.crowded:
        return min(width, square)
    lines = max((text.count("\n") + 1 for row in cells.texts for text in row), default=1)
    return min(width, max(square, lines * _LINE * words.font().get_size_in_points()))


def write_numbers(ax: Axes, cells: Cells, width: float, words: Words) -> None:
    """A number in each cell, in the colour that stands out, and labels turned where they would collide."""
    labels = ax.get_xticklabels()
    if max((words.width(label.get_text(), SMALL) for label in labels), default=0.0) > width - _PADDING:
        for label in labels:
            label.set(rotation=45, ha="right", rotation_mode="anchor")
    if cells.crowded:
        return
    widest = max((words.width(line) for line in _lines(cells)), default=1.0) or 1.0
    size = min(NORMAL, max(_SMALLEST, (width - _PADDING) / widest))
    for row, texts in enumerate(cells.texts):
        for column, text in enumerate(texts):
            shown = "\n".join(words.label(line) for line in text.split("\n"))
            ink = ink_on(shade(float(cells.shade[row, column])))
            ax.text(column + 0.5, row + 0.5, shown, ha="center", va="center", color=ink, **words.style(size))


def _lines(cells: Cells) -> list[str]:
    return [line for texts in cells.texts for text in texts for line in text.split("\n")]
