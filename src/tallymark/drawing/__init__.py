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
from .numbers import count, interval, number, percent
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
    "distinct",
    "interval",
    "name",
    "number",
    "percent",
    "terminal",
    "text",
]
