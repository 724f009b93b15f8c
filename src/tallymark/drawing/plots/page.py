"""Panels, title and small print put on a page that is as high as they need."""

from __future__ import annotations

import math
from itertools import accumulate

import matplotlib.figure
from matplotlib.axes import Axes

from tallymark.drawing.figure import Cells, Figure

from .heat import cell_height, cell_width
from .labelling import POINTS_PER_INCH, label_panel, margins, write_titles
from .panels import Drawn, draw_after
from .words import FINE, NORMAL, Words

# Lengths are in points. A column of a paper, so that a picture of one panel is printed at its own size.
COLUMN = 3.5 * POINTS_PER_INCH

_PANELS_ACROSS = 2
_TABLES_ACROSS = 3
_NARROWEST = 0.6 * COLUMN
_EDGE = 4.0
_BETWEEN = 16.0
_FLAT = 0.72
# How high a panel is whose upright axis has names: for each of them, at least and at most.
_ROW = 15.0
_LEAST, _MOST = 40.0, 900.0
# Of the room for a panel, what is left beside its scales.
_LIKELY = 0.8
_LINE = 1.35
_PALE = "#555555"


def compose(page: matplotlib.figure.Figure, figure: Figure, words: Words) -> list[Axes]:
    """Draw the figure on an empty page, and give the page the size that it takes."""
    drawn = [draw_after(page.add_axes((0.2, 0.2, 0.6, 0.6)), panel, words) for panel in figure.panels]
    across = _across(figure)
    wide = max(panel.wide for panel in figure.panels)
    room = COLUMN * wide - (2 * _EDGE + (across - 1) * _BETWEEN) / across
    for part in drawn:
        # About as large as it will be, so that as much room is left for its titles as they will take.
        _put(page, part.ax, (0, 0), _shape(part, _LIKELY * room))
        write_titles(part, words)
    sizes = _sizes(drawn, room, words)
    for part, size in zip(drawn, sizes, strict=True):
        _put(page, part.ax, (0, 0), size)
        label_panel(part, part.panel.title, words)
    _lay_out(page, figure, [part.ax for part in drawn], sizes, words)
    return [part.ax for part in drawn]


def _across(figure: Figure) -> int:
    """How many panels stand in a row: tables are compared, so they are not parted."""
    tables = all(any(isinstance(mark, Cells) for mark in panel.marks) for panel in figure.panels)
    return min(len(figure.panels), _TABLES_ACROSS if tables else _PANELS_ACROSS)


def _sizes(drawn: list[Drawn], room: float, words: Words) -> list[tuple[float, float]]:
    """How wide and high each panel is: as its cells need, and all others equally wide."""
    sides = [margins(part.ax) for part in drawn]
    cells = [next((mark for mark in part.panel.marks if isinstance(mark, Cells)), None) for part in drawn]
    plain = [side for side, table in zip(sides, cells, strict=True) if table is None]
    width = (
        room
        - max((left for left, *_ in plain), default=0)
        - max((right for _, _, right, _ in plain), default=0)
    )
    sizes = []
    for part, side, table in zip(drawn, sides, cells, strict=True):
        if table is None:
            sizes.append(_shape(part, width))
        else:
            cell = cell_width(table, room - side[0] - side[2], words)
            height = cell_height(table, cell, words)
            sizes.append((cell * len(table.columns), height * len(table.rows)))
    return sizes


def _shape(part: Drawn, width: float) -> tuple[float, float]:
    y = part.panel.y
    if y.named:
        return width, min(max((y.high - y.low) * _ROW, _LEAST), _MOST)
    return width, width if part.panel.square else width * _FLAT


def _lay_out(
    page: matplotlib.figure.Figure,
    figure: Figure,
    axes: list[Axes],
    sizes: list[tuple[float, float]],
    words: Words,
) -> None:
    """Panels in rows, aligned, with the page around them."""
    sides = [margins(ax) for ax in axes]
    across = _across(figure)
    columns = [range(start, len(axes), across) for start in range(across)]
    rows = [range(start, min(start + across, len(axes))) for start in range(0, len(axes), across)]
    left = [max(sides[index][0] for index in column) for column in columns]
    widths = [
        start + max(sizes[index][0] + sides[index][2] for index in column)
        for start, column in zip(left, columns, strict=True)
    ]
    top = [max(sides[index][3] for index in row) for row in rows]
    heights = [
        start + max(sizes[index][1] + sides[index][1] for index in row)
        for start, row in zip(top, rows, strict=True)
    ]
    width = max(_NARROWEST, sum(widths) + (across - 1) * _BETWEEN + 2 * _EDGE)

    title = _wrapped(words.label(figure.title), width, NORMAL, words)
    note = _wrapped(words.sentence(figure.note), width, FINE, words)
    above, below = _height(title, NORMAL, words), _height(note, FINE, words)
    height = above + sum(heights) + (len(rows) - 1) * _BETWEEN + below + 2 * _EDGE
    page.set_size_inches(_inches(width), _inches(height))

    lefts = list(accumulate((size + _BETWEEN for size in widths), initial=_EDGE))
    tops = list(accumulate((size + _BETWEEN for size in heights), initial=_EDGE + above))
    for index, (ax, size) in enumerate(zip(axes, sizes, strict=True)):
        row, column = divmod(index, across)
        down = tops[row] + top[row] + size[1]
        _put(page, ax, (lefts[column] + left[column], height - down), size)
    if title:
        page.text(_EDGE / width, 1 - _EDGE / height, title, ha="left", va="top", **words.style())
    if note:
        page.text(
            _EDGE / width,
            _EDGE / height,
            note,
            ha="left",
            va="bottom",
            color=_PALE,
            **words.style(FINE),
        )


def _wrapped(text: str, width: float, part: float, words: Words) -> str:
    return words.wrapped(text, width - 2 * _EDGE, part) if text else ""


def _height(text: str, part: float, words: Words) -> float:
    """How much of the page the lines take, with a gap to the panels."""
    size = words.font(part).get_size_in_points()
    return float(size * (_LINE * len(text.split("\n")) + 0.6)) if text else 0.0


def _put(
    page: matplotlib.figure.Figure, ax: Axes, corner: tuple[float, float], size: tuple[float, float]
) -> None:
    across, up = page.get_size_inches() * POINTS_PER_INCH
    ax.set_position((corner[0] / across, corner[1] / up, size[0] / across, size[1] / up))


def _inches(points: float) -> float:
    """Whole hundredths, so that the page has a whole number of dots."""
    return math.ceil(points / POINTS_PER_INCH * 100) / 100
