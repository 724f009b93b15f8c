"""One panel as one SVG element.

Every mark has attributes for where there are no styles, and classes by which what is around gives it colours:
`ink` words, `mute` numbers and axes, `grid` lines, `ref` lines to compare with, `paper` behind words, and
for series `s0` to `s5` with `l` a stroke, `f` a fill, `b` a band, `h` a hollow marker and `e` a marker with
an edge of paper. Cells have shades `h0` to `h10`, or `hn` for none, and their numbers `t0` to `t10`.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from tallymark.drawing.escape import sentence
from tallymark.drawing.figure import Band, Cells, Line, Mark, Panel, Points, Spans
from tallymark.drawing.scales import span

from . import heat
from .elements import Attributes, element, group, short, unquoted
from .elements import words as text
from .frame import Frame
from .labelling import below, has_markers, inside
from .layout import Layout, lay_out
from .marks import draw
from .measuring import LINE, TEXT
from .sidelines import along_sides, grid

_ALONE: Attributes = {
    "xmlns": "http://www.w3.org/2000/svg",
    "font_family": "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif",
    "font_variant": "tabular-nums",
    "stroke_linejoin": "round",
    "direction": "ltr",
}


def svg(
    panel: Panel,
    described: str,
    name: str,
    key: str = "",
    *,
    described_by: str = "",
    alone: bool = True,
) -> str:
    """The panel as an `<svg>` element; ids in it begin with `name`, and `described` stands for it unseen.

    With a `key` it says by that name to a script where on it numbers are. Not `alone` but in a page or in a
    notebook it is HTML instead of XML and has the fonts around it. There the words may stand already, in the
    element with the id `described_by`.
    """
    layout = lay_out(panel)
    legend, high = below(panel, layout.frame, layout.width, layout.height)
    clip = f"url(#{escape(name)}-c)"
    content = "".join(
        [
            *_title(layout),
            *grid(panel, layout),
            group(list(_marks(panel, layout, clip)), fill="none"),
            *along_sides(panel, layout),
            group(list(inside(panel, layout.frame))),
            group(legend),
        ]
    )
    # A page has many pictures, and in few of them something is cut.
    if alone or clip in content:
        content = _clip(layout, name) + content
    size = short(layout.width), short(layout.height + high)
    drawn = element(
        "svg",
        content,
        _ALONE if alone else {},
        role="img",
        **(
            {"aria_labelledby": described_by} if described_by else {"aria_label": escape(sentence(described))}
        ),
        viewBox=f"0 0 {' '.join(size)}",
        width=size[0],
        height=size[1],
        font_size=TEXT,
        **_findable(layout.frame, key),
    )
    return drawn if alone else unquoted(drawn)


def _findable(frame: Frame, key: str) -> Attributes:
    """Two numbers of either axis and where they are drawn, if it has numbers at all."""
    if not key or any(axis.log or axis.named for axis in (frame.x, frame.y)):
        return {}
    across = *span(frame.x), frame.left, frame.right
    down = *span(frame.y), frame.bottom, frame.top
    return {"data-live": key, "data-axes": " ".join(f"{place:.12g}" for place in (*across, *down))}


def _clip(layout: Layout, name: str) -> str:
    frame = layout.frame
    shape = element("rect", x=frame.left, y=frame.top, width=frame.width, height=frame.height)
    return element("clipPath", shape, id=f"{escape(name)}-c")


def _title(layout: Layout) -> Iterator[str]:
    for row, line in enumerate(layout.title):
        yield text(line, 0, LINE * (row + 1) - 3, class_="ink")


def _marks(panel: Panel, layout: Layout, clip: str) -> Iterator[str]:
    with_markers = has_markers(panel)
    for mark in sorted(panel.marks, key=_height):
        if isinstance(mark, Cells):
            yield from heat.draw(mark, layout.frame)
        elif isinstance(mark, Line | Band | Points | Spans):
            yield draw(mark, layout.frame, clip, with_markers=with_markers)


def _height(mark: Mark) -> int:
    """What lies above what: areas, lines to compare with, lines, points."""
    match mark:
        case Band() | Cells():
            return 0
        case Line() if mark.faint or mark.series is None:
            return 1
        case Points():
            return 3
    return 2
