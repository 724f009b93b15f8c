"""One panel as one SVG element.

Every mark has attributes for where there are no styles, and classes by which a page gives it colours:
`ink` words, `mute` numbers and axes, `grid` lines, `ref` lines to compare with, `paper` behind words, and
for series `s0` to `s5` with `l` a stroke, `f` a fill, `b` a band, `h` a hollow marker and `e` a marker with
an edge of paper. Cells have shades `h0` to `h10`, or `hn` for none, and their numbers `t0` to `t10`.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from tallymark.drawing.escape import sentence
from tallymark.drawing.figure import Band, Cells, Line, Mark, Panel, Points, Spans

from . import heat
from .elements import element, group, short
from .elements import words as text
from .labelling import below, has_markers, inside
from .layout import Layout, lay_out
from .marks import draw
from .measuring import LINE, TEXT
from .sidelines import along_sides, grid

_FONTS = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"


def svg(panel: Panel, described: str, name: str) -> str:
    """The panel as an `<svg>` element; ids in it begin with `name`, and `described` stands for it unseen."""
    layout = lay_out(panel)
    legend, high = below(panel, layout.frame, layout.width, layout.height)
    content = "".join(
        [
            *_clip(layout, name),
            *_title(layout),
            *grid(panel, layout),
            group(
                list(_marks(panel, layout, f"url(#{escape(name)}-c)")), fill="none", stroke_linejoin="round"
            ),
            *along_sides(panel, layout),
            group(list(inside(panel, layout.frame))),
            group(legend),
        ]
    )
    size = short(layout.width), short(layout.height + high)
    return element(
        "svg",
        content,
        xmlns="http://www.w3.org/2000/svg",
        role="img",
        aria_label=escape(sentence(described)),
        viewBox=f"0 0 {' '.join(size)}",
        width=size[0],
        height=size[1],
        font_family=_FONTS,
        font_size=TEXT,
        font_variant="tabular-nums",
        direction="ltr",
    )


def _clip(layout: Layout, name: str) -> Iterator[str]:
    frame = layout.frame
    shape = element("rect", x=frame.left, y=frame.top, width=frame.width, height=frame.height)
    yield element("clipPath", shape, id=f"{escape(name)}-c")


def _title(layout: Layout) -> Iterator[str]:
    for row, line in enumerate(layout.title):
        yield text(line, 0, LINE * (row + 1) - 3, class_="ink", fill="#000000")


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
