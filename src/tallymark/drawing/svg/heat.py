"""Shaded cells with a number in each, such as a confusion matrix."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator

import numpy as np

from tallymark.drawing.figure import Axis, Cells
from tallymark.drawing.palette import LEVELS, ink_on, shade

from .elements import element, group, short, words
from .frame import Frame
from .measuring import LETTERS, TEXT

# In a larger table the cells of nothing are empty, so that the others are found.
_MOST_ZEROS = 20
_LARGEST, _SMALLEST = 104, 20
# Of a table that need not be square.
_HIGHEST = 48
_PADDING = 6.0
# The smallest letters of a number, as a part of all others, and how high a line of it is.
_SMALL = 9 / TEXT
_LINE = 1.3
_MOST_LINES = 4
_RULE = "#D8D8D8"


def axes(cells: Cells) -> tuple[Axis, Axis]:
    """The rows and columns as scales with names, the first row on top."""
    height, width = len(cells.rows), len(cells.columns)
    across = tuple((place + 0.5, name) for place, name in enumerate(cells.columns))
    upright = tuple((height - place - 0.5, name) for place, name in enumerate(cells.rows))
    return (
        Axis(cells.x_label, 0.0, float(width), names=across),
        Axis(cells.y_label, 0.0, float(height), names=upright),
    )


def size(cells: Cells, room: float, *, square: bool) -> tuple[float, float]:
    """How wide and high all cells are: as the room allows, but none too narrow for its number."""
    rows, columns = max(len(cells.rows), 1), max(len(cells.columns), 1)
    width = room / columns
    if cells.crowded:
        return room, min(room, room * rows / columns)
    lines = _lines(cells)
    widest = max((LETTERS.width(line) for text in lines for line in text), default=0.0)
    width = max(math.floor(min(width, _LARGEST)), math.ceil(widest * _SMALL + _PADDING), _SMALLEST)
    most = max(map(len, lines), default=1)
    height = round(min(width, max(width * columns / rows, most * _LINE * TEXT + _PADDING)))
    return width * columns, (height if square else min(height, _HIGHEST)) * rows


def draw(cells: Cells, frame: Frame) -> Iterator[str]:
    """All cells of one shade in one shape, thin lines between them, and their numbers."""
    height, width = len(cells.rows), len(cells.columns)
    if not height or not width:
        return
    levels = _levels(np.asarray(cells.shade, dtype=np.float64).reshape(height, width))
    across, down = frame.width / width, frame.height / height
    scaled = f"translate({short(frame.left)} {short(frame.top)})scale({across:.4g} {down:.4g})"
    yield group(list(_shades(levels)), transform=scaled, shape_rendering="crispEdges")
    if cells.crowded:
        return
    yield _rules(frame, height, width)
    yield from _numbers(cells, frame, levels)


def _levels(shares: np.ndarray) -> np.ndarray:
    """0 to 10, and -1 for none; only a share of 0 is level 0, so that a rare one is seen."""
    level = np.clip(np.rint(np.nan_to_num(shares) * LEVELS), np.nan_to_num(shares) > 0, LEVELS)
    return np.where(np.isnan(shares), -1, level).astype(np.int64)


def _shades(levels: np.ndarray) -> Iterator[str]:
    """The most frequent shade as one rectangle below all others, because most cells may be of it."""
    found, counts = np.unique(levels, return_counts=True)
    height, width = levels.shape
    for level in found[np.argsort(-counts, kind="stable")].tolist():
        most = level == found[counts.argmax()]
        d = f"M0 0h{width}v{height}h-{width}z" if most else _shape(levels == level)
        yield element("path", class_=f"h{_called(level)}", fill=_colour(level), d=d)


def _called(level: int) -> str:
    return "n" if level < 0 else str(level)


def _colour(level: int) -> str:
    return shade(level / LEVELS if level >= 0 else math.nan)


def _shape(there: np.ndarray) -> str:
    """A rectangle for each run of cells in a row, in cells from the upper left corner."""
    parts = []
    for row, line in enumerate(there):
        edges = np.flatnonzero(np.diff(line.astype(np.int8), prepend=0, append=0))
        parts += [f"M{start} {row}h{stop - start}v1h{start - stop}z" for start, stop in edges.reshape(-1, 2)]
    return "".join(parts)


def _rules(frame: Frame, rows: int, columns: int) -> str:
    across = [frame.left + frame.width * place / columns for place in range(columns + 1)]
    down = [frame.top + frame.height * place / rows for place in range(rows + 1)]
    d = "".join(f"M{short(x)} {short(frame.top)}v{short(frame.height)}" for x in across)
    d += "".join(f"M{short(frame.left)} {short(y)}h{short(frame.width)}" for y in down)
    return element("path", class_="grid", stroke=_RULE, stroke_width=0.5, fill="none", d=d)


def _numbers(cells: Cells, frame: Frame, levels: np.ndarray) -> Iterator[str]:
    across, down = frame.width / len(cells.columns), frame.height / len(cells.rows)
    texts = _lines(cells)
    widest = max((LETTERS.width(line) for text in texts for line in text), default=1.0) or 1.0
    letters = TEXT * min(1.0, max(_SMALL, (across - _PADDING) / widest))
    large = max(len(cells.rows), len(cells.columns)) > _MOST_ZEROS
    found: defaultdict[int, list[str]] = defaultdict(list)
    for place, lines in enumerate(texts):
        row, column = divmod(place, len(cells.columns))
        if large and lines == ["0"]:
            continue
        x = frame.left + (column + 0.5) * across
        y = frame.top + (row + 0.5) * down + letters * (0.35 - (len(lines) - 1) * _LINE / 2)
        found[int(levels[row, column])] += [
            words(line, x, y + number * letters * _LINE) for number, line in enumerate(lines)
        ]
    for level, parts in sorted(found.items()):
        name = f"t{_called(level)}" if level >= 0 else "ink"
        yield group(parts, class_=name, fill=ink_on(_colour(level)), font_size=letters, text_anchor="middle")


def _lines(cells: Cells) -> list[list[str]]:
    """Of each cell, row by row."""
    return [
        [
            LETTERS.cut([LETTERS.label(line)], _LARGEST)[0]
            for line in text.split("\n", _MOST_LINES)[:_MOST_LINES]
        ]
        for texts in cells.texts
        for text in texts
    ]
