"""The marks of a panel, and what stands for each in a legend."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator

import numpy as np

from tallymark.drawing.figure import Band, Line, Points, Spans
from tallymark.drawing.palette import GREY, PALETTE, colour_of, line_dashes
from tallymark.drawing.scales import Numbers, within
from tallymark.drawing.thinning import staircase

from .elements import Attributes, element, group, short
from .frame import Frame
from .markers import marker
from .paths import COARSE, Places, coarse, path, rounded, runs

SWATCH = 26.0

# Of a panel: each is about as wide as a line; bands are pale, and their edges as well.
_COLUMNS, _BAND_COLUMNS = 150, 150
# Letters of a path, beyond which it is worth a scale of its own.
_LONG = 450
_THIN, _DASHED, _STROKE, _THICK = 1.1, 1.4, 1.8, 5.0
_MARKER, _ON_LINE = 4.0, 3.0
# Half the height of the end of an interval, and how far its arrow goes back.
_END, _ARROW = 3.5, 4.5
# Of a unit upright.
_BAR = 0.76
_DOT = 3.2
# What stands for a cloud: dots, from the middle.
_CLOUD = (-6, 2), (0, -2), (6, 1)
_CLOUDS = 3
# Of the diagonal of a panel, between two markers on a line, and by how many places they begin apart.
_MARKER_DISTANCE = 0.25
_STARTS = 11


def draw(mark: Line | Band | Points | Spans, frame: Frame, clip: str, *, with_markers: bool = False) -> str:
    """The mark on its panel; `clip` names the shape that cuts off what leaves it."""
    match mark:
        case Line():
            x, y = line_points(mark, frame)
            found = runs(x, y, (frame.left, frame.right), _COLUMNS)
            # A line along the frame shows in its full width, and one that leaves the panel is cut.
            cut = "" if within(frame.x, mark.x) and within(frame.y, mark.y) else clip
            line = _path(found, lambda scale: line_style(mark, scale), cut)
            dots = _markers_along(x, y, mark, frame) if with_markers and _marked(mark) else ""
            return line + dots
        case Band():
            return _path(_outlines(mark, frame), lambda _: band_style(mark), clip, closed=True)
        case Points():
            return _points(mark, frame)
        case Spans(bar=True):
            return _bars(mark, frame)
        case Spans():
            shown = "".join(_spans(mark, frame))
            return element("path", "", span_style(mark), d=shown) if shown else ""


def _path(
    found: Iterable[Places], style: Callable[[float], Attributes], clip: str, *, closed: bool = False
) -> str:
    """All runs in one element; long ones in whole numbers, which it makes small again."""
    found = list(found)
    cut: Attributes = {"clip_path": clip} if clip else {}
    shown = "".join(path(run, closed=closed) for run in found)
    if len(shown) <= _LONG:
        return element("path", "", {**style(1), **cut}, d=shown) if shown else ""
    shown = "".join(path(coarse(run), closed=closed, write=str) for run in found)
    made = element("path", "", style(COARSE), transform=f"scale({short(1 / COARSE)})", d=shown)
    return group([made], cut) if clip else made


def swatch(mark: Line | Band | Points | Spans, x: float, y: float, *, with_markers: bool = False) -> str:
    """What stands for the mark in a legend, from `x` on, around the height `y`."""
    level = f"M{short(x)} {short(y)}h{short(SWATCH)}"
    box = f"M{short(x)} {short(y - 5)}h{short(SWATCH)}v10h{short(-SWATCH)}z"
    middle = x + SWATCH / 2
    match mark:
        case Line():
            dots = marker(mark.series or 0, middle, y, _ON_LINE) if with_markers and _marked(mark) else ""
            return element("path", "", line_style(mark), d=level) + (
                element("path", "", fill_style(mark.series), d=dots) if dots else ""
            )
        case Band():
            return element("path", "", band_style(mark), d=box)
        case Points(small=True):
            dots = "".join(f"M{short(middle + dx)} {short(y + dy)}h0" for dx, dy in _CLOUD)
            return element("path", "", {**cloud_style(mark), "stroke_opacity": 1}, d=dots)
        case Points():
            return element("path", "", point_style(mark), d=marker(mark.series, middle, y, _MARKER))
        case Spans(bar=True):
            return element("path", "", bar_style(mark), d=box)
        case Spans():
            ends = "" if mark.thick else "".join(_end(at, y) for at in (x, x + SWATCH))
            return element("path", "", span_style(mark), d=level + ends)


# --- how each looks: as attributes, for where there are no styles, and as classes, for where there are ----


def line_style(mark: Line, scale: float = 1) -> Attributes:
    width = scale * (_THIN if mark.faint or mark.series is None else _DASHED if mark.dashed else _STROKE)
    dashes = " ".join(f"{length * width:.3g}" for length in line_dashes(mark))
    style = stroke_style(mark.series)
    style["stroke_width"] = width
    return {**style, "stroke_dasharray": dashes} if dashes else style


def stroke_style(series: int | None) -> Attributes:
    return {"class_": "ref" if series is None else f"l s{_slot(series)}", "stroke": colour_of(series)}


def fill_style(series: int | None) -> Attributes:
    if series is None:
        return {"fill": GREY}
    return {"class_": f"f s{_slot(series)}", "fill": colour_of(series)}


def band_style(mark: Band) -> Attributes:
    if mark.series is None:
        return {"fill": GREY, "fill_opacity": ".25"}
    return {"class_": f"b s{_slot(mark.series)}", "fill": colour_of(mark.series), "fill_opacity": ".18"}


def point_style(mark: Points) -> Attributes:
    slot, colour = _slot(mark.series), colour_of(mark.series)
    if mark.hollow:
        return {"class_": f"h s{slot}", "fill": "#FFFFFF", "stroke": colour, "stroke_width": _STROKE}
    return {"class_": f"f e s{slot}", "fill": colour, "stroke": "#FFFFFF"}


def cloud_style(mark: Points) -> Attributes:
    style = stroke_style(mark.series)
    return {**style, "stroke_width": _DOT, "stroke_linecap": "round", "stroke_opacity": ".4"}


def span_style(mark: Spans) -> Attributes:
    return {**stroke_style(mark.series), "stroke_width": _THICK if mark.thick else _STROKE}


def bar_style(mark: Spans) -> Attributes:
    style = fill_style(mark.series)
    return {**style, "fill_opacity": ".3"} if mark.faint else style


def _slot(series: int) -> int:
    return series % len(PALETTE)


def _marked(mark: Line) -> bool:
    return mark.series is not None and not mark.faint and not mark.dashed


# --- where each lies --------------------------------------------------------------------------------------


def line_points(mark: Line, frame: Frame) -> tuple[Numbers, Numbers]:
    """The points of a line as they are drawn, in units of the picture."""
    x, y = frame.across(mark.x), frame.down(mark.y)
    return staircase(x, y) if mark.stepped and len(x) else (x, y)


def _outlines(mark: Band, frame: Frame) -> Iterator[Places]:
    x, low, high = frame.across(mark.x), frame.down(mark.low), frame.down(mark.high)
    there = np.isfinite(x) & np.isfinite(low) & np.isfinite(high)
    edges = np.flatnonzero(np.diff(there.astype(np.int8), prepend=0, append=0))
    for start, stop in edges.reshape(-1, 2).tolist():
        sides = []
        for y in (low, high):
            across, down = x[start:stop], y[start:stop]
            if mark.stepped:
                across, down = staircase(across, down)
            sides += [*runs(across, down, (frame.left, frame.right), _BAND_COLUMNS)]
        if len(sides) == 2:
            yield [*sides[0], *reversed(sides[1])]


def _points(mark: Points, frame: Frame) -> str:
    # What is beyond the panel is shown at its edge.
    x = np.clip(frame.across(mark.x), frame.left, frame.right)
    y = np.clip(frame.down(mark.y), frame.top, frame.bottom)
    there = np.isfinite(x) & np.isfinite(y)
    x, y = x[there], y[there]
    if not len(x):
        return ""
    if mark.small:
        return _cloud(mark, x, y)
    shapes = "".join(
        marker(mark.series, across, down, _MARKER)
        for across, down in zip(x.tolist(), y.tolist(), strict=True)
    )
    return element("path", "", point_style(mark), d=shapes)


def _cloud(mark: Points, x: Numbers, y: Numbers) -> str:
    """Dots at whole units, in a few layers, so that it is darker where there are many."""
    places = list(dict.fromkeys(rounded(np.rint(x), np.rint(y))))
    layers = [places[start::_CLOUDS] for start in range(_CLOUDS)]
    shown = ["".join(f"{path([place])}h0" for place in layer) for layer in layers if layer]
    return group([element("path", d=d) for d in shown], cloud_style(mark))


def _bars(mark: Spans, frame: Frame) -> str:
    shapes = []
    half = _BAR * frame.row / 2
    for left, right, y in _ends(mark, frame):
        shapes.append(f"M{short(left)} {short(y - half)}H{short(right)}v{short(2 * half)}H{short(left)}z")
    if not shapes:
        return ""
    d = "".join(shapes)
    # A faint bar may lie on another one, which must not shine through.
    paper = element("path", class_="paper", fill="#FFFFFF", d=d) if mark.faint else ""
    return paper + element("path", "", bar_style(mark), d=d)


def _ends(mark: Spans, frame: Frame) -> Iterator[tuple[float, float, float]]:
    there = np.isfinite(mark.y) & (np.asarray(mark.low) <= np.asarray(mark.high))
    left, right = (frame.across(np.asarray(end)[there]) for end in (mark.low, mark.high))
    y = frame.down(np.asarray(mark.y)[there])
    yield from zip(
        np.clip(left, frame.left, frame.right).tolist(),
        np.clip(right, frame.left, frame.right).tolist(),
        y.tolist(),
        strict=True,
    )


def _spans(mark: Spans, frame: Frame) -> Iterator[str]:
    there = np.isfinite(mark.y) & (np.asarray(mark.low) <= np.asarray(mark.high))
    wide = zip(frame.across(mark.low)[there].tolist(), frame.across(mark.high)[there].tolist(), strict=True)
    for (left, right, y), (low, high) in zip(_ends(mark, frame), wide, strict=True):
        yield f"M{short(left)} {short(y)}H{short(right)}"
        if not mark.thick:
            yield _arrow(left, y, _ARROW) if low < frame.left - 1e-6 else _end(left, y)
            yield _arrow(right, y, -_ARROW) if high > frame.right + 1e-6 else _end(right, y)


def _end(x: float, y: float) -> str:
    return f"M{short(x)} {short(y - _END)}v{short(2 * _END)}"


def _arrow(x: float, y: float, back: float) -> str:
    return f"M{short(x + back)} {short(y - _END)}L{short(x)} {short(y)}l{short(back)} {short(_END)}"


def _markers_along(x: Numbers, y: Numbers, mark: Line, frame: Frame) -> str:
    """Each series starts at another place, so that the markers of close lines do not meet."""
    there = np.isfinite(x) & np.isfinite(y)
    x, y = np.clip(x[there], frame.left, frame.right), np.clip(y[there], frame.top, frame.bottom)
    if len(x) < 2:
        return ""
    series = mark.series or 0
    length = np.append(0.0, np.cumsum(np.hypot(np.diff(x), np.diff(y))))
    distance = _MARKER_DISTANCE * math.hypot(frame.width, frame.height)
    at = np.arange((series % _STARTS + 0.5) / _STARTS * distance, length[-1], distance)
    places = zip(np.interp(at, length, x).tolist(), np.interp(at, length, y).tolist(), strict=True)
    shapes = "".join(marker(series, across, down, _ON_LINE) for across, down in places)
    return element("path", "", fill_style(mark.series), d=shapes) if shapes else ""
