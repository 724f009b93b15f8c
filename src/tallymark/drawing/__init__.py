"""Reports described once and drawn by pens; knows nothing of classifiers."""

from __future__ import annotations

from .document import (
    Align,
    Beside,
    Block,
    Column,
    Document,
    Finding,
    Findings,
    Folded,
    Headline,
    Headlines,
    Lines,
    Live,
    Paragraph,
    Picture,
    Section,
    Table,
)
from .escape import distinct, name, terminal
from .figure import Anchor, Axis, Band, Cells, Figure, Line, Mark, Note, Panel, Points, Spans
from .latex import latex
from .markdown import markdown
from .numbers import (
    NO_INTERVAL,
    bracketed,
    count,
    interval,
    level_text,
    number,
    numbers_together,
    percent,
    percents_together,
    value_and_interval,
    with_interval,
)
from .pens import drawn
from .pictured import pictured
from .plots.pen import draw, image
from .spreadsheet import csv
from .text import text

__all__ = [
    "NO_INTERVAL",
    "Align",
    "Anchor",
    "Axis",
    "Band",
    "Beside",
    "Block",
    "Cells",
    "Column",
    "Document",
    "Figure",
    "Finding",
    "Findings",
    "Folded",
    "Headline",
    "Headlines",
    "Line",
    "Lines",
    "Live",
    "Mark",
    "Note",
    "Panel",
    "Paragraph",
    "Picture",
    "Points",
    "Section",
    "Spans",
    "Table",
    "bracketed",
    "count",
    "csv",
    "distinct",
    "draw",
    "drawn",
    "image",
    "interval",
    "latex",
    "level_text",
    "markdown",
    "name",
    "number",
    "numbers_together",
    "percent",
    "percents_together",
    "pictured",
    "terminal",
    "text",
    "value_and_interval",
    "with_interval",
]
