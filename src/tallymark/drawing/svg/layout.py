"""How large a panel is, and where on the picture it lies beside all that stands along it."""

from __future__ import annotations

import math
from dataclasses import dataclass

from tallymark.drawing.figure import Axis, Cells, Panel
from tallymark.drawing.scales import span

from . import heat
from .frame import Frame
from .measuring import LETTERS, LINE
from .sides import Side, main_side, second_side

WIDTH = 400
_FLAT = 210
# How high a panel is whose upright axis has names: for each of them, at least and at most; where there are
# very many, as high as their lines need, until names have to be left out.
_ROW, _LEAST, _MOST, _MOST_OF_LINES = 24, 60, 2400, 6000
# Around everything: half of what stands at the end of a scale, and half of a line along the frame.
_EDGE = 7
_MARGIN = 3
_NARROWEST = 80
_TITLE_LINES = 3
_ROUNDS = 4


@dataclass(frozen=True)
class Layout:
    """A panel on its picture: the frame, what stands along its sides, and the lines of its title."""

    frame: Frame
    left: Side
    bottom: Side
    right: Side
    top: Side
    title: tuple[str, ...]
    width: float
    height: float


def lay_out(panel: Panel) -> Layout:
    """The sides need to know how large the panel is, and it what they leave: so it is settled in rounds."""
    cells = next((mark for mark in panel.marks if isinstance(mark, Cells)), None)
    x, y = heat.axes(cells) if cells else (panel.x, panel.y)
    whole = WIDTH * panel.wide
    width, height = whole, _height(panel, y, whole)
    title = (
        tuple(LETTERS.wrapped(LETTERS.label(panel.title), whole, most=_TITLE_LINES).split("\n"))
        if panel.title
        else ()
    )
    for _ in range(_ROUNDS):
        left = main_side(y, height, panel.wide, upright=True)
        right = second_side(y, height, panel.wide, upright=True)
        bottom = main_side(x, width, panel.wide, upright=False)
        top = second_side(x, width, panel.wide, upright=False)
        ends = bottom.overhang(width), top.overhang(width, second=True)
        # Whole numbers take fewer letters, and lines of the grid are sharper.
        before = math.ceil(max(left.depth + _MARGIN, _EDGE, *(end[0] + _MARGIN for end in ends)))
        after = math.ceil(max(right.depth + _MARGIN, _EDGE, *(end[1] + _MARGIN for end in ends)))
        if cells:
            width, height = heat.size(cells, whole - before - after, square=panel.square)
        else:
            width = max(math.floor(whole) - before - after, _NARROWEST)
            height = _height(panel, y, width)
    above = math.ceil(max(top.depth + _MARGIN, _EDGE) + (LINE * len(title) + _MARGIN if title else 0))
    frame = Frame(x, y, before, above, width, height)
    return Layout(
        frame,
        left,
        bottom,
        right,
        top,
        title,
        before + width + after if cells else max(whole, before + width + after),
        above + height + math.ceil(max(bottom.depth + _MARGIN, _EDGE)),
    )


def _height(panel: Panel, y: Axis, width: float) -> float:
    if y.named:
        low, high = span(y)
        rows = high - low
        return round(max(min(max(rows * _ROW, _LEAST), _MOST), min(rows * LINE, _MOST_OF_LINES)))
    return width if panel.square else _FLAT
