"""Reports described once and drawn by pens; knows nothing of classifiers."""

from __future__ import annotations

from .document import (
    Align,
    Block,
    Column,
    Document,
    Finding,
    Findings,
    Lines,
    Paragraph,
    Section,
    Table,
)
from .escape import distinct, name, terminal
from .latex import latex
from .markdown import markdown
from .numbers import count, interval, number, percent
from .pens import drawn
from .spreadsheet import csv
from .text import text

__all__ = [
    "Align",
    "Block",
    "Column",
    "Document",
    "Finding",
    "Findings",
    "Lines",
    "Paragraph",
    "Section",
    "Table",
    "count",
    "csv",
    "distinct",
    "drawn",
    "interval",
    "latex",
    "markdown",
    "name",
    "number",
    "percent",
    "terminal",
    "text",
]
