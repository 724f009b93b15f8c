"""The plain text pen: for terminals, logs and mails."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from tallymark.errors import OptionError

from .document import Align, Block, Document, Findings, Lines, Paragraph, Section, Table
from .escape import cells, distinct, head, sentence, terminal

NARROWEST = 20

_GUTTER = "  "
_NARROW_GUTTER = " "
# A label shorter than this says little, and is cut further only to save the table from being folded.
_LABEL_ROOM = 12
_LEAST_LABEL_ROOM = 6
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
    for section in document.sections:
        parts.extend(_section(section, width))
    return "\n\n".join("\n".join(line.rstrip() for line in part) for part in parts if part)


def _section(section: Section, width: int) -> Iterator[list[str]]:
    yield _heading(section.title, "-", width)
    for block in section.blocks:
        yield from _block(block, width)


def _block(block: Block, width: int) -> Iterator[list[str]]:
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
    indent = max(map(cells, codes), default=0) + len(_GUTTER)
    lines: list[str] = []
    for code, item in zip(codes, findings.items, strict=True):
        wrapped = _wrap(item.message, width - indent, sentence) or [""]
        lines.append(_padded(code, indent, "left") + wrapped[0])
        lines.extend(" " * indent + line for line in wrapped[1:])
    return lines


def _line(line: str, width: int) -> list[str]:
    words = line.strip(" ")
    indent = " " * min(line.index(words), width // 2)
    whole = indent + terminal(words)
    if cells(whole) <= width:
        return [whole]
    first, *rest = _wrap(words, width - len(indent) - len(_GUTTER))
    return [indent + first, *(indent + _GUTTER + more for more in rest)]


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


@dataclass(frozen=True)
class _Strip:
    """One column ready to draw: its title, its cells, and the width of the widest of them."""

    align: Align
    title: str
    body: tuple[str, ...]

    @cached_property
    def body_width(self) -> int:
        return max(map(cells, self.body), default=0)

    @cached_property
    def width(self) -> int:
        return max(cells(self.title), self.body_width)

    def cut(self, width: int) -> _Strip:
        title, *body = distinct([self.title, *self.body], width)
        return _Strip(self.align, title, tuple(body))


def _table(table: Table, width: int) -> Iterator[list[str]]:
    if not table.columns:
        return
    strips = _strips(table)
    if fitted := _fitted(strips, width):
        yield [*_wrap(table.title, width), *_drawn(*fitted, table.rule_before)]
    else:
        yield from _folded(table, strips, width)


def _strips(table: Table) -> list[_Strip]:
    body = zip(*table.rows, strict=True) if table.rows else ((),) * len(table.columns)
    return [
        _Strip(column.align, terminal(column.title), tuple(map(terminal, column_cells)))
        for column, column_cells in zip(table.columns, body, strict=True)
    ]


def _fitted(strips: list[_Strip], width: int) -> tuple[list[_Strip], str] | None:
    """The columns, cut as little as possible, and the gutter that make them fit side by side, if any."""
    if len(strips) == 1:
        return [strips[0].cut(width)], _GUTTER
    short = _short_titled(strips, width)
    for candidate, least in ((strips, _LABEL_ROOM), (short, _LABEL_ROOM), (short, _LEAST_LABEL_ROOM)):
        for gutter in (_GUTTER, _NARROW_GUTTER):
            if _total(candidate, gutter) <= width:
                return candidate, gutter
        words = [strip.width for strip in candidate if strip.align == "left"]
        share = _share(words, width - (_total(candidate, _NARROW_GUTTER) - sum(words)))
        if words and share >= least:
            return [
                strip.cut(share) if strip.align == "left" else strip for strip in candidate
            ], _NARROW_GUTTER
    return None


def _short_titled(strips: list[_Strip], room: int) -> list[_Strip]:
    """Titles of numbers cut where they are longer than the numbers, all to different ones."""
    titles = distinct([strip.title for strip in strips], min(_LABEL_ROOM, room))
    return [
        replace(strip, title=title)
        if strip.align == "right" and cells(strip.title) > min(max(_LABEL_ROOM, strip.body_width), room)
        else strip
        for strip, title in zip(strips, titles, strict=True)
    ]


def _share(widths: Sequence[int], room: int) -> int:
    """The width to cut to so that all fit; those that are narrower leave their room to the others."""
    for position, width in enumerate(sorted(widths)):
        share = room // (len(widths) - position)
        if width > share:
            return share
        room -= width
    return max(widths, default=0)


def _folded(table: Table, strips: list[_Strip], width: int) -> Iterator[list[str]]:
    names = _names(strips)
    strips = _foldable(strips, names, width)
    others = [index for index in range(len(strips)) if index not in names]
    widest = max(others, key=lambda index: strips[index].width)
    gutter = _GUTTER if _total(_pick(strips, *names, widest), _GUTTER) <= width else _NARROW_GUTTER
    blocks: list[list[int]] = [[]]
    for index in others:
        if blocks[-1] and _total(_pick(strips, *names, *blocks[-1], index), gutter) > width:
            blocks.append([])
        blocks[-1].append(index)
    done = 0
    for block in blocks:
        note = _note(done, len(block), len(others)) if len(blocks) > 1 else ""
        done += len(block)
        lines = _drawn(_pick(strips, *names, *block), gutter, table.rule_before)
        yield [*_wrap(f"{table.title} {note}", width), *lines]


def _names(strips: list[_Strip]) -> tuple[int, ...]:
    """Which columns name the rows: the first, and if that is mostly empty the last of words as well."""
    last = max((index for index, strip in enumerate(strips) if strip.align == "left"), default=0)
    empty = strips[0].body.count("")
    return (0, last) if last and empty and 2 * empty >= len(strips[0].body) else (0,)


def _foldable(strips: list[_Strip], names: tuple[int, ...], width: int) -> list[_Strip]:
    """The columns cut so that each of them fits beside those that name the rows."""
    label_room = max(_LABEL_ROOM if len(names) == 1 else _LEAST_LABEL_ROOM, width // 4)
    named = {index: strips[index].cut(label_room) for index in names}
    room = width - sum(strip.width + len(_NARROW_GUTTER) for strip in named.values())
    return [
        named.get(index) or strip.cut(min(label_room, room) if strip.align == "left" else room)
        for index, strip in enumerate(_short_titled(strips, room))
    ]


def _pick(strips: Sequence[_Strip], *indexes: int) -> list[_Strip]:
    return [strips[index] for index in sorted(indexes)]


def _note(done: int, shown: int, total: int) -> str:
    which = f"column {done + 1}" if shown == 1 else f"columns {done + 1} to {done + shown}"
    return f"({which} of {total})"


def _total(strips: Sequence[_Strip], gutter: str) -> int:
    return sum(strip.width for strip in strips) + len(gutter) * (len(strips) - 1)


def _drawn(strips: Sequence[_Strip], gutter: str, rule_before: Sequence[int]) -> Iterator[str]:
    rule = gutter.join("-" * strip.width for strip in strips)
    if any(strip.title for strip in strips):
        yield _row(strips, [strip.title for strip in strips], gutter)
        yield rule
    for index, row in enumerate(zip(*(strip.body for strip in strips), strict=True)):
        if index in rule_before:
            yield rule
        yield _row(strips, row, gutter)


def _row(strips: Sequence[_Strip], row: Sequence[str], gutter: str) -> str:
    return gutter.join(
        _padded(cell, strip.width, strip.align) for strip, cell in zip(strips, row, strict=True)
    )


def _padded(cell: str, width: int, align: Align) -> str:
    blanks = " " * (width - cells(cell))
    return cell + blanks if align == "left" else blanks + cell
