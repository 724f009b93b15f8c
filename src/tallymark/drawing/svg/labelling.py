"""Words on a panel and below it: notes beside points, and the legend."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from tallymark.drawing.figure import Band, Line, Note, Panel, Points, Spans
from tallymark.drawing.lettering import NORMAL, columns
from tallymark.drawing.palette import PALETTE
from tallymark.drawing.placing import Box, Room, all_ink, along
from tallymark.drawing.scales import Numbers, series_of
from tallymark.drawing.thinning import thinned

from .elements import element, words
from .frame import Frame
from .marks import SWATCH, line_points, swatch
from .measuring import LETTERS, LINE, TEXT

Named = dict[str, list[Line | Band | Points | Spans]]

_NOTE_LINES = 6
# Of the width of a panel, for one line of a note, and for a legend inside.
_NOTE_ROOM, _LEGEND_ROOM = 0.55, 0.9
_PADDING = 3.0
_ROW = 18.0
_BESIDE, _BETWEEN = 6.0, 18.0
_ABOVE = 6.0
_COLUMNS = 400
# From the middle of a line to where its letters stand.
_MIDDLE = 0.35 * TEXT


@dataclass(frozen=True)
class Legend:
    """Entries in columns, and how much room they take."""

    labels: list[str]
    marks: list[list[Line | Band | Points | Spans]]
    widths: list[float]
    """Of the columns."""
    with_markers: bool

    @property
    def width(self) -> float:
        return sum(self.widths) + _BETWEEN * (len(self.widths) - 1)

    @property
    def height(self) -> float:
        return _ROW * max(map(len, self._columns))

    @property
    def _columns(self) -> list[list[int]]:
        """The places of the entries in each column."""
        return [part.tolist() for part in np.array_split(np.arange(len(self.labels)), len(self.widths))]

    def draw(self, x: float, y: float) -> Iterator[str]:
        """From the upper left corner on."""
        for width, entries in zip(self.widths, self._columns, strict=True):
            for row, entry in enumerate(entries):
                middle = y + _ROW * (row + 0.5)
                for mark in self.marks[entry]:
                    yield swatch(mark, x, middle, with_markers=self.with_markers)
                yield words(self.labels[entry], x + SWATCH + _BESIDE, middle + _MIDDLE, class_="ink")
            x += width + _BETWEEN


def legend_of(panel: Panel, room: float, *, single: bool = False) -> Legend | None:
    """What names the marks, in as many columns as have room."""
    named: Named = {}
    for mark in panel.marks:
        if isinstance(mark, Line | Band | Points | Spans) and mark.label:
            named.setdefault(mark.label, []).append(mark)
    if not named:
        return None
    labels = LETTERS.entries(named, panel.marks, room - SWATCH - _BESIDE, NORMAL)
    widths = [SWATCH + _BESIDE + LETTERS.width(label) for label in labels]
    count = 1 if single else columns(widths, _BETWEEN, room)
    parts = np.array_split(np.array(widths), count)
    return Legend(labels, list(named.values()), [float(part.max()) for part in parts], has_markers(panel))


def has_markers(panel: Panel) -> bool:
    """Whether there are more series than colours, so that lines need markers."""
    return max((series_of(mark) or 0 for mark in panel.marks), default=0) >= len(PALETTE)


def inside(panel: Panel, frame: Frame) -> Iterator[str]:
    """Each note beside its point, where it covers least, and a legend in what is left of the room."""
    room = Room(frame.width, frame.height, _ink(panel, frame))
    for note in panel.marks:
        if isinstance(note, Note):
            wide = frame.width * _NOTE_ROOM
            lines = LETTERS.wrapped(LETTERS.sentence(note.text), wide, most=_NOTE_LINES).split("\n")
            size = max(map(LETTERS.width, lines)) + 2 * _PADDING, LINE * len(lines) + _PADDING
            box = room.beside(_place(note, frame), size, note.anchor)
            room = room.with_box(box)
            yield from _written(box, lines, frame)
    if panel.legend == "inside" and (legend := legend_of(panel, frame.width * _LEGEND_ROOM, single=True)):
        box = room.in_a_corner((legend.width + 2 * _PADDING, legend.height + 2 * _PADDING))
        yield _paper(box, frame)
        x, y = _corner(box, frame)
        yield from legend.draw(x + _PADDING, y + _PADDING)


def below(panel: Panel, frame: Frame, width: float, top: float) -> tuple[list[str], float]:
    """The legend below a panel, and how high it is."""
    legend = legend_of(panel, width - _PADDING) if panel.legend == "below" else None
    if legend is None:
        return [], 0.0
    # One wider than the panel begins farther left, below the ticks.
    x = max(0.0, min(frame.left, width - _PADDING - legend.width))
    return list(legend.draw(x, top + _ABOVE)), legend.height + _ABOVE


def _place(note: Note, frame: Frame) -> tuple[float, float]:
    """On the panel, from its lower left corner, and at its edge for what is beyond it."""
    x = float(np.clip(frame.across(np.array(note.x)), frame.left, frame.right))
    y = float(np.clip(frame.down(np.array(note.y)), frame.top, frame.bottom))
    return x - frame.left, frame.bottom - y


def _written(box: Box, lines: list[str], frame: Frame) -> Iterator[str]:
    yield _paper(box, frame)
    x, y = _corner(box, frame)
    for row, line in enumerate(lines):
        middle = y + _PADDING / 2 + LINE * (row + 0.5)
        yield words(line, x + _PADDING, middle + _MIDDLE, class_="ink")


def _paper(box: Box, frame: Frame) -> str:
    x, y = _corner(box, frame)
    return element(
        "rect",
        class_="paper",
        fill="#FFFFFF",
        fill_opacity=".75",
        x=x,
        y=y,
        width=box.width,
        height=box.height,
    )


def _corner(box: Box, frame: Frame) -> tuple[float, float]:
    return frame.left + box.left, frame.bottom - box.bottom - box.height


def _ink(panel: Panel, frame: Frame) -> Numbers:
    parts = []
    for mark in panel.marks:
        if isinstance(mark, Line):
            x, y = thinned(*line_points(mark, frame), frame.left, frame.right, _COLUMNS)
            parts.append(along(x - frame.left, frame.bottom - y))
        elif isinstance(mark, Points):
            x, y = frame.across(mark.x) - frame.left, frame.bottom - frame.down(mark.y)
            parts.extend(np.column_stack((x + dx, y + dy)) for dx in (-3, 0, 3) for dy in (-3, 0, 3))
        elif isinstance(mark, Spans):
            left, right = (
                np.clip(frame.across(end), frame.left, frame.right) for end in (mark.low, mark.high)
            )
            for low, high, down in zip(left, right, frame.down(mark.y), strict=True):
                ends = np.array([low, high]) - frame.left
                parts.append(along(ends, np.full(2, frame.bottom - down)))
    return all_ink(parts)
