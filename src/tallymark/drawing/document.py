"""A report, described once and drawn by any pen.

A document is titles, tables of ready-made strings, sentences, findings and pictures. Numbers come in already
formatted (see `numbers`); text from data comes in raw, because only the pen knows its medium and so
how to escape: nothing here is escaped, cut, padded or wrapped.

A page has more to it than a sheet of plain text: headlines, pictures, and blocks that are folded or stand
side by side. What a pen without these makes of them is in `flat`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from .figure import Figure

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
    `shades` are for pens with colours: 0 to 1 for every cell of every row, None for a cell that has none.
    Long tables in which people look for a row are `searched`, and sorted, where a pen can do that.
    """

    columns: tuple[Column, ...]
    rows: tuple[tuple[str, ...], ...]
    title: str = ""
    rule_before: tuple[int, ...] = ()
    shades: tuple[tuple[float | None, ...], ...] = ()
    searched: bool = False


@dataclass(frozen=True)
class Paragraph:
    """Sentences, wrapped by the pen; labels in them come quoted by `repr`. A `lead` is what to read first."""

    text: str
    lead: bool = False


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


@dataclass(frozen=True)
class Headline:
    """One number that matters, with its interval in brackets, and what it is in a few words.

    `place` is where low, value and high lie between the worst and the best that the number can be, 0 to 1.
    """

    name: str
    value: str
    interval: str = ""
    said: str = ""
    place: tuple[float, float, float] | None = None


@dataclass(frozen=True)
class Headlines:
    """The numbers that matter most."""

    items: tuple[Headline, ...]


@dataclass(frozen=True, eq=False)
class Picture:
    """A figure, what it shows in one sentence, and below it, folded, its numbers and what else is said.

    The sentence stands for the figure where it cannot be seen. By its `key` a script finds the figure.
    """

    title: str
    figure: Figure
    said: str = ""
    blocks: tuple[Block, ...] = ()
    key: str = ""


@dataclass(frozen=True, eq=False)
class Folded:
    """Blocks that are closed until somebody asks for them."""

    title: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True, eq=False)
class Beside:
    """Parts that stand side by side where there is room, and otherwise below each other."""

    parts: tuple[tuple[Block, ...], ...]


@dataclass(frozen=True, eq=False)
class Live:
    """A part of a page that answers to its reader; other pens leave it out.

    A page has one at most, alone in its section, which is hidden until `script` shows it. `markup` is put in
    as it is, so it holds no text from data: that is in `data`, which goes into the page as packed JSON.
    """

    markup: str
    script: str
    style: str
    data: Mapping[str, Any]


Block: TypeAlias = Table | Paragraph | Lines | Findings | Headlines | Picture | Folded | Beside | Live
Plain: TypeAlias = Table | Paragraph | Lines | Findings
"""What every pen can draw."""


@dataclass(frozen=True)
class Section:
    """Blocks under one heading; without a title they follow on without one."""

    title: str
    blocks: tuple[Block, ...]

    @property
    def live(self) -> bool:
        """Whether there is nothing in it without a script."""
        return bool(self.blocks) and all(isinstance(block, Live) for block in self.blocks)


@dataclass(frozen=True)
class Document:
    """A whole report."""

    title: str
    sections: tuple[Section, ...]
