"""The words on a panel whose size is known: numbers in cells, notes beside points, the legend."""

from __future__ import annotations

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.axis import Axis as Scale
from matplotlib.axis import XAxis
from matplotlib.legend import Legend
from matplotlib.transforms import ScaledTranslation

from tallymark.drawing.figure import Axis, Cells, Line, Note, Panel, Points, Spans
from tallymark.drawing.lettering import apart, columns
from tallymark.drawing.placing import Room, all_ink, along
from tallymark.drawing.scales import Numbers, places, span

from .heat import write_numbers
from .names import fit_names, is_named
from .panels import Drawn, polyline
from .ticks import LOG_TICKS, TICKS, log_ticks, ticks
from .words import SMALL, Words

POINTS_PER_INCH = 72

_NOTE = "_tallymark_note"
_GAP = 4.0
_BETWEEN_TICKS = 5.0
# Behind words on a panel.
_PAPER = {"facecolor": "white", "edgecolor": "none", "alpha": 0.75, "pad": 0.8}
# Of the width of a panel, for one line of a note, and for a legend inside.
_NOTE_ROOM = 0.55
_LEGEND_ROOM = 0.9
# A longer title of a scale loses its middle.
_TITLE_LINES = 2
# In units of the font's size, as matplotlib counts them in a legend.
_HANDLE, _PAD, _SPACING = 2.8, 0.6, 1.4


def label_panel(drawn: Drawn, title: str, words: Words) -> None:
    """Everything that had to wait for the panel's size."""
    ax, panel = drawn.ax, drawn.panel
    write_titles(drawn, words)
    width, height = _measured(ax)
    if not any(isinstance(mark, Cells) for mark in panel.marks):
        for scale in (ax.xaxis, *(child.xaxis for child in ax.child_axes)):
            if not is_named(scale):
                _spread_ticks(scale, width, words)
        fit_names((ax, *drawn.seconds), (width, height), words)
    if title:
        ax.set_title(words.wrapped(words.label(title), width), loc="left", **words.style())
    for mark in panel.marks:
        if isinstance(mark, Cells):
            write_numbers(ax, mark, width / max(len(mark.columns), 1), words)
    legend = panel.legend if drawn.named else "none"
    if legend == "inside" or any(isinstance(mark, Note) for mark in panel.marks):
        room = _notes(ax, panel, Room(width, height, _ink(panel, (width, height))), words)
        if legend == "inside":
            _legend_inside(drawn, room, words)
    if legend == "below":
        _legend_below(drawn, width, words)


def write_titles(drawn: Drawn, words: Words) -> None:
    """What the scales are of, in as many lines as it takes, but few."""
    drawn.ax.apply_aspect()
    width, height = _measured(drawn.ax)
    for scale, title in drawn.titles:
        room = width if isinstance(scale, XAxis) else height
        scale.set_label_text(words.wrapped(words.label(title), room, most=_TITLE_LINES), **words.style())


def _spread_ticks(scale: Scale, width: float, words: Words) -> None:
    """As few ticks as it takes for their numbers not to run together."""
    low, high = sorted(scale.get_view_interval())
    log = scale.get_scale() == "log"
    axis = Axis(low=low, high=high, log=log)
    for most in range(LOG_TICKS if log else TICKS, 1, -1):
        shown = [place for place in scale.get_majorticklocs() if low <= place <= high]
        texts = scale.get_major_formatter().format_ticks(shown)
        middles = places(axis, np.array(shown)) * width
        if apart(middles, [words.width(text, SMALL) for text in texts], _BETWEEN_TICKS):
            return
        scale.set_major_locator(log_ticks(low, high, most - 1) if log else ticks(most - 1))


def write_in_middle(ax: Axes, text: str, words: Words) -> None:
    """A sentence in place of a curve."""
    lines = words.wrapped(words.sentence(text), _measured(ax)[0] * _LEGEND_ROOM, SMALL)
    style = {"ha": "center", "va": "center", "zorder": 5, "bbox": _PAPER, **words.style(SMALL)}
    ax.text(0.5, 0.5, lines, transform=ax.transAxes, **style)


def margins(ax: Axes) -> tuple[float, float, float, float]:
    """How far what is drawn reaches over the panel: left, bottom, right, top, in points."""
    frame, whole = ax.get_window_extent(), ax.get_tightbbox()
    if whole is None:
        return 0.0, 0.0, 0.0, 0.0
    unit = POINTS_PER_INCH / ax.figure.dpi
    return (
        (frame.x0 - whole.x0) * unit,
        (frame.y0 - whole.y0) * unit,
        (whole.x1 - frame.x1) * unit,
        (whole.y1 - frame.y1) * unit,
    )


def _measured(artist: Artist) -> tuple[float, float]:
    extent = artist.get_window_extent()
    figure = artist.get_figure()
    unit = POINTS_PER_INCH / figure.dpi if figure else 1.0
    return extent.width * unit, extent.height * unit


def _ink(panel: Panel, size: tuple[float, float]) -> Numbers:
    parts = []
    for mark in panel.marks:
        if isinstance(mark, Line):
            x, y = polyline(panel, mark)
            parts.append(along(*_places(panel, x, y, size)))
        elif isinstance(mark, Points):
            x, y = _places(panel, np.asarray(mark.x), np.asarray(mark.y), size)
            parts.extend(np.column_stack((x + dx, y + dy)) for dx in (-2, 0, 2) for dy in (-2, 0, 2))
        elif isinstance(mark, Spans):
            for low, high, up in zip(mark.low, mark.high, mark.y, strict=True):
                ends = np.clip([low, high], *span(panel.x))
                parts.append(along(*_places(panel, ends, np.full(2, up), size)))
    return all_ink(parts)


def _places(panel: Panel, x: Numbers, y: Numbers, size: tuple[float, float]) -> tuple[Numbers, Numbers]:
    """Where on a panel of this size the points are."""
    return places(panel.x, x) * size[0], places(panel.y, y) * size[1]


def _notes(ax: Axes, panel: Panel, room: Room, words: Words) -> Room:
    """Each note beside its point, where it covers least; what is left of the room."""
    for earlier in [text for text in ax.texts if hasattr(text, _NOTE)]:
        earlier.remove()  # of a curve drawn before, whose notes are among these
    for note in panel.marks:
        if not isinstance(note, Note):
            continue
        x, y = np.clip(note.x, *span(panel.x)), np.clip(note.y, *span(panel.y))
        written = ax.annotate(
            words.wrapped(words.sentence(note.text), room.width * _NOTE_ROOM, SMALL),
            (x, y),
            (0, 0),
            textcoords="offset points",
            ha="left",
            va="bottom",
            annotation_clip=False,
            bbox=_PAPER,
            zorder=5,
            **words.style(SMALL),
        )
        setattr(written, _NOTE, note)
        across, up = map(float, _places(panel, x, y, (room.width, room.height)))
        box = room.beside((across, up), _measured(written), note.anchor)
        written.set_position((box.left - across, box.bottom - up))
        room = room.with_box(box)
    return room


def _legend_below(drawn: Drawn, width: float, words: Words) -> None:
    ax = drawn.ax
    left, below, _, _ = margins(ax)
    labels = _labels(drawn, width + left, words)
    legend = _legend(drawn, labels, _columns(labels, width + left, words), words)
    # A legend wider than the panel begins farther left, below the ticks.
    back = min(left, max(0.0, _measured(legend)[0] - width))
    away = ScaledTranslation(
        -back / POINTS_PER_INCH, -(below + _GAP) / POINTS_PER_INCH, ax.figure.dpi_scale_trans
    )
    legend.set_bbox_to_anchor((0, 0), ax.transAxes + away)
    legend.set_frame_on(False)


def _legend_inside(drawn: Drawn, room: Room, words: Words) -> None:
    legend = _legend(drawn, _labels(drawn, room.width * _LEGEND_ROOM, words), 1, words)
    legend.get_frame().set(facecolor="white", edgecolor="none", alpha=0.75)
    box = room.in_a_corner(_measured(legend))
    corner = box.left / room.width, (box.bottom + box.height) / room.height
    legend.set_bbox_to_anchor(corner, drawn.ax.transAxes)


def _legend(drawn: Drawn, labels: list[str], columns: int, words: Words) -> Legend:
    # Written afterwards: matplotlib leaves out an entry that begins with an underscore.
    legend = drawn.ax.legend(
        list(drawn.named.values()),
        ["x"] * len(labels),
        ncols=columns,
        loc="upper left",
        prop=words.font(SMALL),
        handlelength=_HANDLE,
        handletextpad=_PAD,
        columnspacing=_SPACING,
        labelspacing=0.35,
        borderpad=0.2,
        borderaxespad=0,
        alignment="left",
    )
    for text, label in zip(legend.get_texts(), labels, strict=True):
        text.set(text=label, **words.style(SMALL))
    return legend


def _labels(drawn: Drawn, width: float, words: Words) -> list[str]:
    return words.entries(drawn.named, drawn.panel.marks, width - _beside_text(words), SMALL)


def _columns(labels: list[str], width: float, words: Words) -> int:
    em = words.font(SMALL).get_size_in_points()
    return columns(
        [words.width(label, SMALL) + _beside_text(words) for label in labels], _SPACING * em, width
    )


def _beside_text(words: Words) -> float:
    """How much of an entry is not its text, with the padding around the whole legend."""
    return float((_HANDLE + _PAD + 0.4) * words.font(SMALL).get_size_in_points())
