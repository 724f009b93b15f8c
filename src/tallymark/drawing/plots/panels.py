"""One panel drawn on matplotlib axes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.axes._secondary_axes import SecondaryAxis
from matplotlib.axis import Axis as Scale
from matplotlib.lines import Line2D
from matplotlib.patches import Polygon
from matplotlib.ticker import FuncFormatter, NullLocator, PercentFormatter
from matplotlib.typing import LineStyleType
from numpy.typing import NDArray

from tallymark.drawing.figure import Axis, Band, Cells, Line, Mark, Names, Note, Panel, Points, Spans
from tallymark.drawing.numbers import count
from tallymark.drawing.palette import PALETTE, Dashes, colour_of, line_dashes
from tallymark.drawing.scales import series_of, span, within
from tallymark.drawing.scales import unit as unit_of
from tallymark.drawing.thinning import COLUMNS, staircase, thinned
from tallymark.errors import OptionError

from .bars import draw_bars
from .heat import draw_cells
from .names import write_names
from .ticks import log_ticks, ticks
from .words import Words

MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", "*", "p", ">")

# Bands are filled, and a fill is written with every one of its points.
_BAND_COLUMNS = COLUMNS // 5
# Of the diagonal of a panel, between two markers on a line.
_MARKER_DISTANCE = 0.25
_THOUSAND = 1000


@dataclass(frozen=True)
class Stroke:
    """How a series looks."""

    colour: str
    marker: str

    @classmethod
    def of(cls, series: int | None) -> Stroke:
        marker = "" if series is None else MARKERS[series % len(MARKERS)]
        return cls(colour_of(series), marker)


def _line_style(dashes: Dashes) -> LineStyleType:
    return (0, dashes) if dashes else "solid"


@dataclass(frozen=True)
class Drawn:
    """A panel on its axes, before its legend and its notes, which need to know how large it is."""

    ax: Axes
    panel: Panel
    named: dict[str, tuple[Artist, ...]]
    """What the legend names: the artists by their label."""
    titles: tuple[tuple[Scale, str], ...]
    """What each scale is of."""
    seconds: tuple[SecondaryAxis, ...] = ()
    """Scales on the opposite sides."""
    artists: tuple[Artist, ...] = ()
    """All marks, with a label or not."""

    @property
    def has_data(self) -> bool:
        """Whether there is more than lines to compare with."""
        return any(isinstance(mark, Cells) or series_of(mark) is not None for mark in self.panel.marks)


# What was drawn on axes before, kept with them.
_BEFORE = "_tallymark"


def draw_after(ax: Axes, panel: Panel, words: Words) -> Drawn:
    """A panel on axes that may have one already: the new series look different and join the legend."""
    before: Drawn | None = getattr(ax, _BEFORE, None)
    if before is not None and any(artist.axes is ax for artist in before.artists):
        _refuse_other_names(before.panel, panel)
    if before is not None and any(artist.axes is ax for each in before.named.values() for artist in each):
        first = before.panel
        taken = 1 + max((series_of(mark) or 0 for mark in first.marks), default=0)
        marks = tuple(_moved(mark, taken, before) for mark in panel.marks)
        new = replace(
            panel,
            x=_wider(first.x, panel.x),
            y=_wider(first.y, panel.y),
            marks=tuple(mark for mark in marks if mark is not None),
        )
        for second in before.seconds:
            second.remove()
        drawn = draw_panel(ax, new, words)
        panel = replace(new, marks=(*first.marks, *new.marks))
        drawn = replace(drawn, panel=panel, named=before.named | drawn.named)
    else:
        drawn = draw_panel(ax, panel, words)
    setattr(ax, _BEFORE, drawn)
    return drawn


def _refuse_other_names(first: Panel, second: Panel) -> None:
    """Two pictures whose rows have other names would be read by the names of one of them."""
    if any(_names(one) != _names(other) for one, other in ((first.x, second.x), (first.y, second.y))):
        raise OptionError(
            "there is a picture on these axes whose scales have other names.",
            hint="draw on axes of its own, or clear these with ax.clear().",
        )


def _names(axis: Axis) -> tuple[Names, Names]:
    return axis.names, axis.second_names


def _moved(mark: Mark, taken: int, before: Drawn) -> Mark | None:
    """A mark as one of later series; None for what is there already, such as a line to compare with."""
    if isinstance(mark, Cells):
        return mark
    if isinstance(mark, Note):
        known = [other.text for other in before.panel.marks if isinstance(other, Note)]
        return None if mark.text in known else mark
    if mark.series is None:
        return None if any(_same(mark, other) for other in before.panel.marks) else mark
    label, number = mark.label, 2
    while label and label in before.named:
        label, number = f"{mark.label} ({number})", number + 1
    return replace(mark, series=mark.series + taken, label=label)


def _same(mark: Line | Band | Points | Spans, other: Mark) -> bool:
    """Whether both are one line, or the same by their name."""
    if not isinstance(mark, Line) or not isinstance(other, Line) or other.series is not None:
        return False
    alike = np.array_equal(mark.x, other.x) and np.array_equal(mark.y, other.y)
    return mark.label == other.label and (bool(mark.label) or alike)


def _wider(first: Axis, second: Axis) -> Axis:
    """As long as both; counts on a second scale only where they are the same for both."""
    wide = replace(second, low=min(first.low, second.low), high=max(first.high, second.high))
    alike = (first.second, first.second_high, first.high) == (second.second, second.second_high, second.high)
    return wide if alike else replace(wide, second="", second_high=None)


def draw_panel(ax: Axes, panel: Panel, words: Words) -> Drawn:
    """The marks and the axes of a panel."""
    cells = next((mark for mark in panel.marks if isinstance(mark, Cells)), None)
    seconds: list[SecondaryAxis] = []
    titles: list[tuple[Scale, str]]
    if cells:
        draw_cells(ax, cells, words)
        titles = [(ax.xaxis, cells.x_label), (ax.yaxis, cells.y_label)]
    else:
        titles = [(ax.xaxis, panel.x.label), (ax.yaxis, panel.y.label)]
        for scale, axis in ((ax.xaxis, panel.x), (ax.yaxis, panel.y)):
            _set_axis(ax, scale, axis)
            seconds += write_names(ax, scale, axis, panel.wide, words)
            if axis.second_high:
                second, title = _opposite(ax, scale, axis, axis.second_high)
                seconds.append(second)
                titles.append(title)
        if panel.square:
            ax.set_box_aspect(1)
        if not panel.frame:
            ax.grid(False)
            ax.spines[:].set_visible(False)
    named: dict[str, tuple[Artist, ...]] = {}
    artists: list[Artist] = []
    many = max((series_of(mark) or 0 for mark in panel.marks), default=0) >= len(PALETTE)
    for mark in panel.marks:
        match mark:
            case Line():
                artist: Artist = _line(ax, panel, mark, with_markers=many)
            case Band():
                artist = _band(ax, panel, mark)
            case Points():
                artist = _points(ax, panel, mark)
            case Spans(bar=True):
                artist = draw_bars(ax, mark, span(panel.x), Stroke.of(mark.series).colour)
            case Spans():
                artist = _spans(ax, panel, mark)
            case _:
                continue
        artists.append(artist)
        if mark.label:
            named[mark.label] = (*named.get(mark.label, ()), artist)
    return Drawn(ax, panel, named, tuple(titles), tuple(seconds), tuple(artists))


def polyline(panel: Panel, mark: Line) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The points of a line as they are drawn."""
    return _path(panel, mark.x, mark.y, stepped=mark.stepped)


def _path(
    panel: Panel,
    x: NDArray[np.float64],
    y: NDArray[np.float64],
    *,
    stepped: bool,
    columns: int = COLUMNS,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    x, y = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if stepped:
        x, y = staircase(x, y)
    return thinned(x, y, *span(panel.x), columns)


def _line(ax: Axes, panel: Panel, mark: Line, *, with_markers: bool) -> Line2D:
    x, y = polyline(panel, mark)
    stroke = Stroke.of(mark.series)
    thin = mark.faint or mark.series is None
    (line,) = ax.plot(
        x,
        y,
        color=stroke.colour,
        linestyle=_line_style(line_dashes(mark)),
        linewidth=0.8 if thin else 1.1 if mark.dashed else 1.4,
        # A line along the frame shows in its full width, and one that leaves the panel is cut.
        clip_on=not (within(panel.x, x) and within(panel.y, y)),
        zorder=2.2 if thin else 3,
    )
    if with_markers and mark.series is not None and not mark.faint and not mark.dashed:
        # Each series starts at another place, so that the markers of close lines do not meet.
        start = _MARKER_DISTANCE * (mark.series % len(MARKERS) + 0.5) / len(MARKERS)
        line.set(marker=stroke.marker, markersize=4, markevery=(start, _MARKER_DISTANCE))
    return line


def _band(ax: Axes, panel: Panel, mark: Band) -> Polygon:
    low, high = (
        np.column_stack(_path(panel, mark.x, y, stepped=mark.stepped, columns=_BAND_COLUMNS))
        for y in (mark.low, mark.high)
    )
    corners = np.concatenate((low, high[::-1]))
    colour = Stroke.of(mark.series).colour
    band = Polygon(corners[np.isfinite(corners).all(axis=1)], closed=True, zorder=1.5)
    band.set(facecolor=(colour, 0.18), edgecolor=(colour, 0.5), linewidth=0.5)
    ax.add_patch(band)
    return band


def _points(ax: Axes, panel: Panel, mark: Points) -> Line2D:
    stroke = Stroke.of(mark.series)
    (points,) = ax.plot(
        # What is beyond the panel is shown at its edge.
        np.clip(mark.x, *span(panel.x)),
        np.clip(mark.y, *span(panel.y)),
        linestyle="none",
        marker=stroke.marker,
        markersize=2.5 if mark.small else 6,
        markerfacecolor="white" if mark.hollow else stroke.colour,
        markeredgecolor=stroke.colour if mark.hollow else "white",
        markeredgewidth=1.3 if mark.hollow else 0.0 if mark.small else 0.7,
        alpha=0.4 if mark.small else None,
        clip_on=False,
        zorder=4,
    )
    return points


def _spans(ax: Axes, panel: Panel, mark: Spans) -> Line2D:
    limits = span(panel.x)
    there = np.isfinite(mark.y) & (mark.low <= mark.high)
    y, low, high = mark.y[there], mark.low[there], mark.high[there]
    colour = Stroke.of(mark.series).colour
    nowhere = np.full(len(y), np.nan)
    (lines,) = ax.plot(
        np.column_stack((np.clip(low, *limits), np.clip(high, *limits), nowhere)).ravel(),
        np.column_stack((y, y, nowhere)).ravel(),
        color=colour,
        linewidth=4.0 if mark.thick else 1.4,
        solid_capstyle="butt",
        clip_on=False,
        zorder=3,
    )
    if mark.thick:
        return lines
    style: dict[str, Any] = {"linestyle": "none", "color": colour, "clip_on": False, "zorder": 3}
    for at, beyond, arrow in ((low, low < limits[0], "<"), (high, high > limits[1], ">")):
        for marker, shown in (("|", ~beyond), (arrow, beyond)):
            if shown.any():
                x = np.clip(at[shown], *limits)
                ax.plot(x, y[shown], marker=marker, markersize=5, markeredgewidth=1.2, **style)
    return lines


def _set_axis(ax: Axes, scale: Scale, axis: Axis) -> None:
    low, high = span(axis)
    if axis.log:
        (ax.set_xscale if scale is ax.xaxis else ax.set_yscale)("log")
        scale.set_minor_locator(NullLocator())
    (ax.set_xlim if scale is ax.xaxis else ax.set_ylim)(low, high)
    if axis.named:
        return
    if axis.bare:
        scale.set_ticks([])
        return
    scale.set_major_locator(log_ticks(low, high) if axis.log else ticks())
    if axis.percent:
        scale.set_major_formatter(PercentFormatter(1.0, symbol="%"))
    elif axis.log or max(abs(low), abs(high)) >= _THOUSAND:
        scale.set_major_formatter(FuncFormatter(_count))


def _opposite(ax: Axes, scale: Scale, axis: Axis, most: float) -> tuple[SecondaryAxis, tuple[Scale, str]]:
    """Another scale on the opposite side, up to `most`, with its title."""
    across = scale is ax.xaxis
    low, high = span(axis)
    factor = most / (high - low)
    scales = partial(_scaled, low, factor), partial(_unscaled, low, factor)
    second = (
        ax.secondary_xaxis("top", functions=scales)
        if across
        else ax.secondary_yaxis("right", functions=scales)
    )
    other = second.xaxis if across else second.yaxis
    unit, called = unit_of(most)
    other.set_major_locator(ticks(whole=unit == 1 and most > 1))
    other.set_major_formatter(FuncFormatter(partial(_count, unit=unit)))
    return second, (other, f"{axis.second}{called}")


def _scaled(low: float, factor: float, value: NDArray[np.float64]) -> NDArray[np.float64]:
    return (np.asarray(value) - low) * factor


def _unscaled(low: float, factor: float, value: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(value) / factor + low


def _count(value: float, _position: int | None, unit: float = 1.0) -> str:
    return count(value / unit)
