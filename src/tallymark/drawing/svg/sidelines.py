"""The grid of a panel, its axes, and the numbers, names and titles along its sides."""

from __future__ import annotations

from collections.abc import Iterator

from tallymark.drawing.figure import Cells, Panel

from .elements import element, group, short, words
from .layout import Layout
from .measuring import LINE, TEXT
from .sides import AWAY, DESCENT, Side

_GRID, _MUTE = "#E4E4E4", "#595959"
_AXIS = "#767676"
_TICK = 4.0
_MIDDLE = 0.35 * TEXT
# Where letters stand on a line, from its upper edge.
_BASE = 0.8 * TEXT


def grid(panel: Panel, layout: Layout) -> Iterator[str]:
    """Light lines at the ticks, and the axes, of a panel with a frame that has no cells."""
    if not panel.frame or any(isinstance(mark, Cells) for mark in panel.marks):
        return
    frame = layout.frame
    d = "".join(
        f"M{short(frame.left + tick.place * frame.width)} {short(frame.top)}v{short(frame.height)}"
        for tick in layout.bottom.ticks
        if tick.place > 0  # where the axis is
    )
    d += "".join(
        f"M{short(frame.left)} {short(frame.bottom - tick.place * frame.height)}h{short(frame.width)}"
        for tick in layout.left.ticks
        if tick.place > 0
    )
    if d:
        yield element("path", class_="grid", stroke=_GRID, fill="none", d=d)
    # Two lines that enclose no area, because a page may fill what is muted.
    start = f"M{short(frame.left)} {short(frame.bottom)}"
    axes = f"{start}v{short(-frame.height)}{start}h{short(frame.width)}"
    yield element("path", class_="mute", stroke=_AXIS, fill="none", d=axes)


def along_sides(panel: Panel, layout: Layout) -> Iterator[str]:
    """The numbers or names along each side, and what they are of."""
    frame = layout.frame
    cells = any(isinstance(mark, Cells) for mark in panel.marks)
    yield _ticks(layout, framed=panel.frame or cells)
    for side, x, anchor in (
        (layout.left, frame.left - AWAY, "end"),
        (layout.right, frame.right + AWAY, "start"),
    ):
        texts = [
            words(text, x, frame.bottom - place * frame.height + _MIDDLE * side.part)
            for place, text in side.ticks
        ]
        yield group(texts, **_style(side), text_anchor=anchor)
    for side, second in ((layout.bottom, False), (layout.top, True)):
        yield group(
            list(_across(side, layout, second=second)), **_style(side), text_anchor=_anchor(side, second)
        )
    yield group(list(_titles(layout)), class_="ink", text_anchor="middle")


def _style(side: Side) -> dict[str, str | float]:
    if side.named:
        return {"class_": "ink"}
    return {"class_": "mute", "fill": _MUTE, "font_size": TEXT * side.part}


def _anchor(side: Side, second: bool) -> str:
    return "middle" if not side.turned else "start" if second else "end"


def _across(side: Side, layout: Layout, *, second: bool) -> Iterator[str]:
    frame = layout.frame
    y = frame.top - AWAY - DESCENT if second else frame.bottom + AWAY + _BASE
    for place, text in side.ticks:
        x = frame.left + place * frame.width
        if side.turned:
            x += _MIDDLE
            yield words(text, x, y, transform=f"rotate(-45 {short(x)} {short(y)})")
        else:
            yield words(text, x, y)


def _titles(layout: Layout) -> Iterator[str]:
    frame = layout.frame
    middle, height = frame.left + frame.width / 2, frame.top + frame.height / 2
    first = frame.bottom + layout.bottom.title_from + _BASE
    for row, line in enumerate(layout.bottom.title):
        yield words(line, middle, first + LINE * row)
    first = frame.top - layout.top.depth + _BASE
    for row, line in enumerate(layout.top.title):
        yield words(line, middle, first + LINE * row)
    first = frame.left - layout.left.depth + _BASE
    for row, line in enumerate(layout.left.title):
        yield words(line, -height, first + LINE * row, transform="rotate(-90)")
    first = frame.right + layout.right.title_from + _BASE
    for row, line in enumerate(layout.right.title):
        yield words(line, -height, first + LINE * row, transform="rotate(-90)")


def _ticks(layout: Layout, *, framed: bool) -> str:
    """Small lines where no grid says which place a number is of."""
    frame = layout.frame
    places = []
    if not layout.right.named:
        places += [
            (frame.right, frame.bottom - tick.place * frame.height, "h") for tick in layout.right.ticks
        ]
    places += [(frame.left + tick.place * frame.width, frame.top, "v-") for tick in layout.top.ticks]
    if not framed:
        places += [(frame.left + tick.place * frame.width, frame.bottom, "v") for tick in layout.bottom.ticks]
    d = "".join(f"M{short(x)} {short(y)}{way}{short(_TICK)}" for x, y, way in places)
    return element("path", class_="mute", stroke=_AXIS, fill="none", d=d) if d else ""
