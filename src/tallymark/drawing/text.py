"""The plain text pen: for terminals, logs and mails."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from tallymark.errors import OptionError

from .document import Document, Findings, Lines, Paragraph, Plain, Section, Table
from .escape import cells, distinct, head, sentence, terminal
from .fitting import GUTTER, Fitted, Strip, fitted, padded
from .flat import flat, still

NARROWEST = 20

# Not within a run of blanks, nor between two quotes: such blanks may be a label.
_BREAK = re.compile(r"(?<! ) (?! |(?<=' )')")
# One word, such as a label in a sentence, may fill this many lines before its middle is left out.
_WORD_LINES = 10


def text(document: Document, width: int = 100) -> str:
    """The document in plain text, no line wider than `width` cells and no blanks at line ends.

    Tables too wide first get narrower gutters, then their left-aligned columns and long titles cut, and
    only then are folded into several, with the column repeated that names the rows.
    """
    if width < NARROWEST:
        raise OptionError(
            f"width is {width}, expected at least {NARROWEST} cells.",
            hint="widen the window, or pass a width.",
        )
    parts = [_heading(document.title, "=", width)]
    for section in still(document):
        parts.extend(_section(section, width))
    return "\n\n".join("\n".join(line.rstrip() for line in part) for part in parts if part)


def _section(section: Section, width: int) -> Iterator[list[str]]:
    yield _heading(section.title, "-", width)
    for block in flat(section.blocks):
        yield from _block(block, width)


def _block(block: Plain, width: int) -> Iterator[list[str]]:
    match block:
        case Table():
            yield from _table(block, width)
        case Paragraph():
            yield _wrap(block.text, width, sentence)
        case Lines():
            yield [drawn for line in block.lines for drawn in _line(line, width)]
        case Findings():
            yield _findings(block, width)


def _heading(title: str, underline: str, width: int) -> list[str]:
    lines = _wrap(title, width)
    return [*lines, underline * max(map(cells, lines))] if lines else []


def _findings(findings: Findings, width: int) -> list[str]:
    codes = distinct([terminal(item.code) for item in findings.items], width // 3)
    indent = max(map(cells, codes), default=0) + len(GUTTER)
    lines: list[str] = []
    for code, item in zip(codes, findings.items, strict=True):
        wrapped = _wrap(item.message, width - indent, sentence) or [""]
        lines.append(padded(code, indent, "left") + wrapped[0])
        lines.extend(" " * indent + line for line in wrapped[1:])
    return lines


def _line(line: str, width: int) -> list[str]:
    words = line.strip(" ")
    indent = " " * min(line.index(words), width // 2)
    whole = indent + terminal(words)
    if cells(whole) <= width:
        return [whole]
    first, *rest = _wrap(words, width - len(indent) - len(GUTTER))
    return [indent + first, *(indent + GUTTER + more for more in rest)]


def _wrap(words: str, room: int, escape: Callable[[str], str] = terminal) -> list[str]:
    lines: list[str] = []
    for word in distinct(list(_words(words, room, escape)), _WORD_LINES * room):
        for piece in _pieces(word, room):
            if lines and cells(lines[-1]) + 1 + cells(piece) <= room:
                lines[-1] += f" {piece}"
            else:
                lines.append(piece)
    return lines


def _words(words: str, room: int, escape: Callable[[str], str]) -> Iterator[str]:
    """The words, escaped; runs of blanks stay, as part of a word, unless it is longer than a line."""
    for word in filter(None, _BREAK.split(words.strip(" "))):
        shown = escape(word)
        if " " in shown and head(shown, room) != shown:
            yield from (escape(part) for part in word.split(" ") if part)
        else:
            yield shown


def _pieces(word: str, room: int) -> Iterator[str]:
    start = 0
    while start < len(word):
        # A joined emoji can be wider than the room; then it is torn rather than tried for ever.
        piece = head(word[start:], room) or word[start]
        yield piece
        start += len(piece)


def _table(table: Table, width: int) -> Iterator[list[str]]:
    for part in fitted(table, width):
        yield [*_wrap(f"{table.title} {part.note}", width), *_drawn(part, table.rule_before)]


def _drawn(part: Fitted, rule_before: Sequence[int]) -> Iterator[str]:
    rule = part.gutter.join("-" * strip.width for strip in part.strips)
    if part.has_titles:
        yield _row(part.strips, part.titles, part.gutter)
        yield rule
    for index, row in enumerate(part.rows):
        if index in rule_before:
            yield rule
        yield _row(part.strips, row, part.gutter)


def _row(strips: Sequence[Strip], row: Sequence[str], gutter: str) -> str:
    return gutter.join(
        padded(cell, strip.width, strip.align) for strip, cell in zip(strips, row, strict=True)
    )
