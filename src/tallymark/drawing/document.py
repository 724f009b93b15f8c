"""A report, described once and drawn by any pen.

A document is titles, tables of ready-made strings, sentences and findings. Numbers come in already
formatted (see `numbers`); text from data comes in raw, because only the pen knows its medium and so
how to escape: nothing here is escaped, cut, padded or wrapped.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

Align = Literal["left", "right"]


@dataclass(frozen=True)
class Column:
    """The head of one column: left for words, which a pen short of room may cut; right for numbers."""

    title: str
    align: Align = "right"


@dataclass(frozen=True)
class Table:
    """Rows of cells; the first cell of a row names the row, and is repeated when a pen folds the table.

    Where the first column is mostly empty, the last left-aligned column names the rows with it.
    `rule_before` holds the indexes of the rows above which a line is drawn, such as an average below
    the classes. Without any column title no heading is drawn: a plain list of names and values.
    """

    columns: tuple[Column, ...]
    rows: tuple[tuple[str, ...], ...]
    title: str = ""
    rule_before: tuple[int, ...] = ()


@dataclass(frozen=True)
class Paragraph:
    """Sentences, wrapped by the pen; labels in them come quoted by `repr`."""

    text: str


@dataclass(frozen=True)
class Lines:
    """Short lines whose breaks and indents mean something, such as a worked formula."""

    lines: tuple[str, ...]


@dataclass(frozen=True)
class Finding:
    """Something a reader should know, in sentences, with the code it is looked up by."""

    code: str
    message: str


@dataclass(frozen=True)
class Findings:
    """All that was found, in order of importance."""

    items: tuple[Finding, ...]


Block: TypeAlias = Table | Paragraph | Lines | Findings


@dataclass(frozen=True)
class Section:
    """Blocks under one heading; without a title they follow on without one."""

    title: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True)
class Document:
    """A whole report."""

    title: str
    sections: tuple[Section, ...]
