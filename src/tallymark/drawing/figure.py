"""A picture, described once and drawn by any pen.

A figure is panels side by side; a panel is two axes and the marks on them. Numbers come as data, texts from
data come raw: only the pen knows its medium, and so how to escape, cut, place and wrap.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers: TypeAlias = NDArray[np.float64]

Anchor = Literal["left", "right", "above", "below"]
Legend = Literal["inside", "below", "none"]
Names: TypeAlias = tuple[tuple[float, str], ...]
_MOST_NUMBERED = 60
"""Rows or columns of cells."""


@dataclass(frozen=True)
class Axis:
    """One direction of a panel, from `low` to `high`, with ticks in percent if asked.

    `second` names another scale on the opposite side, such as counts beside shares: it runs from 0 to
    `second_high` while the axis runs from `low` to `high`.

    `names` stand at their places instead of numbers, and `second_names` on the opposite side. An upright axis
    with names is as long as they need, with one row for each unit. A `bare` axis has no numbers. On a `log`
    axis, whose ends are above 0, equal factors are equally far apart.
    """

    label: str = ""
    low: float = 0.0
    high: float = 1.0
    percent: bool = False
    second: str = ""
    second_high: float | None = None
    names: Names = ()
    second_names: Names = ()
    bare: bool = False
    log: bool = False

    @property
    def named(self) -> bool:
        return bool(self.names or self.second_names)


@dataclass(frozen=True, eq=False)
class Line:
    """A line through points, in their order; where a number is not finite it is interrupted.

    `series` chooses colour and dashes; None is a reference, such as a diagonal, thin and grey.
    `stepped`: each y holds until the next x. `faint`: less important than its series, such as a hull.
    `dashed`: no longer measured, such as where a series is thought to go on.
    `name` is what the label begins with and may lose letters of, where the whole has no room.
    """

    x: Numbers
    y: Numbers
    label: str = ""
    series: int | None = 0
    stepped: bool = False
    faint: bool = False
    name: str = ""
    dashed: bool = False


@dataclass(frozen=True, eq=False)
class Band:
    """The area between two lines over the same x, such as an interval; `name` as for a line."""

    x: Numbers
    low: Numbers
    high: Numbers
    label: str = ""
    series: int | None = 0
    stepped: bool = False
    name: str = ""


@dataclass(frozen=True, eq=False)
class Points:
    """Marked points; the shape goes with the series, so that grey print tells them apart.

    `hollow` ones are something found, such as a best point, and filled ones something asked for. `name` as
    for a line. `small` ones are a cloud, in which none matters by itself.
    """

    x: Numbers
    y: Numbers
    label: str = ""
    series: int = 0
    hollow: bool = False
    name: str = ""
    small: bool = False


@dataclass(frozen=True, eq=False)
class Spans:
    """Level lines, each from `low` to `high` at its own height, such as intervals; NaN is none.

    Where one leaves the panel it ends in an arrow. `thick`: a bar without ends, such as one that joins.
    `bar`: as high as the most of a unit, such as a part of a whole; `faint` bars are less important.
    """

    y: Numbers
    low: Numbers
    high: Numbers
    label: str = ""
    series: int | None = 0
    thick: bool = False
    bar: bool = False
    faint: bool = False


@dataclass(frozen=True)
class Note:
    """Words beside a point; the pen may take another side than the one asked for to find room."""

    x: float
    y: float
    text: str
    anchor: Anchor = "right"


@dataclass(frozen=True, eq=False)
class Cells:
    """A table of shaded cells, first row on top; it alone says what the axes of its panel are.

    `shade` is 0 to 1, or NaN for a cell without a share. A text may have several lines.
    """

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    shade: Numbers
    texts: tuple[tuple[str, ...], ...]
    x_label: str = ""
    y_label: str = ""

    @property
    def crowded(self) -> bool:
        """Whether numbers in the cells would be too small to read, and names beside all have no room."""
        return max(len(self.rows), len(self.columns)) > _MOST_NUMBERED


Mark: TypeAlias = Line | Band | Points | Spans | Note | Cells


@dataclass(frozen=True)
class Panel:
    """Marks on two axes; those with a label are named in the legend, once for each label.

    `wide` counts columns of a paper. Without a `frame` there is no grid either.
    """

    x: Axis
    y: Axis
    marks: tuple[Mark, ...]
    title: str = ""
    square: bool = False
    legend: Legend = "below"
    wide: float = 1.0
    frame: bool = True


@dataclass(frozen=True)
class Figure:
    """Panels, a title above them, and below them in small print what was assumed."""

    panels: tuple[Panel, ...]
    title: str = ""
    note: str = ""
