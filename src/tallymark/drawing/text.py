"""The plain text pen: for terminals, logs and mails."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from tallymark.errors import OptionError

from .document import Align, Block, Document, Findings, Lines, Paragraph, Section, Table
from .escape import cells, distinct, head, terminal

NARROWEST = 20

_GUTTER = "  "
# A label shorter than this says too little: rather than cut further, the table is folded.
_LABEL_ROOM = 12
# One word, such as a label in a sentence, may fill this many lines before its middle is left out.
_WORD_LINES = 10


def text(document: Document, width: int = 100) -> str:
    """The document in plain text, no line wider than `width` cells and no blanks at line ends.

    Tables too wide first get their left-aligned columns cut, then are folded into several with the
    first column repeated.
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
            yield _wrap(block.text, width)
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
        wrapped = _wrap(item.message, width - indent) or [""]
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


def _wrap(sentences: str, room: int) -> list[str]:
    lines: list[str] = []
    for word in _words(sentences, room):
        if lines and cells(lines[-1]) + 1 + cells(word) <= room:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines


def _words(sentences: str, room: int) -> Iterator[str]:
    """The words, escaped, those longer than a line in pieces."""
    for word in distinct([terminal(word) for word in sentences.split(" ") if word], _WORD_LINES * room):
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
    first, *others = _fitted(_strips(table), width)
    blocks = _folded(first, others, width)
    done = 0
    for block in blocks:
        note = _note(done, len(block), len(others)) if len(blocks) > 1 else ""
        done += len(block)
        yield [*_wrap(f"{table.title} {note}", width), *_drawn([first, *block], table.rule_before)]


def _strips(table: Table) -> list[_Strip]:
    body = zip(*table.rows, strict=True) if table.rows else ((),) * len(table.columns)
    return [
        _Strip(column.align, terminal(column.title), tuple(map(terminal, column_cells)))
        for column, column_cells in zip(table.columns, body, strict=True)
    ]


def _fitted(strips: list[_Strip], width: int) -> list[_Strip]:
    """The columns cut as little as possible to make them fit side by side, or at least foldable."""
    if _total(strips) <= width:
        return strips
    words = [strip.width for strip in strips if strip.align == "left"]
    share = _share(words, width - (_total(strips) - sum(words)))
    if words and (share >= _LABEL_ROOM or len(strips) == 1):
        return [strip.cut(share) if strip.align == "left" else strip for strip in strips]
    return _foldable(strips, width)


def _foldable(strips: list[_Strip], width: int) -> list[_Strip]:
    if len(strips) == 1:
        return [strips[0].cut(width)]
    label_room = max(_LABEL_ROOM, width // 4)
    first = strips[0].cut(label_room)
    room = width - first.width - len(_GUTTER)
    titles = distinct([strip.title for strip in strips], min(_LABEL_ROOM, room))
    return [first, *(_narrowed(*pair, label_room, room) for pair in zip(strips[1:], titles[1:], strict=True))]


def _narrowed(strip: _Strip, short_title: str, label_room: int, room: int) -> _Strip:
    if strip.align == "left":
        return strip.cut(min(label_room, room))
    if cells(strip.title) > min(max(_LABEL_ROOM, strip.body_width), room):
        strip = _Strip(strip.align, short_title, strip.body)
    return strip.cut(room)


def _share(widths: Sequence[int], room: int) -> int:
    """The width to cut to so that all fit; those that are narrower leave their room to the others."""
    for position, width in enumerate(sorted(widths)):
        share = room // (len(widths) - position)
        if width > share:
            return share
        room -= width
    return max(widths, default=0)


def _folded(first: _Strip, others: list[_Strip], width: int) -> list[list[_Strip]]:
    blocks: list[list[_Strip]] = [[]]
    for strip in others:
        if blocks[-1] and _total([first, *blocks[-1], strip]) > width:
            blocks.append([])
        blocks[-1].append(strip)
    return blocks


def _note(done: int, shown: int, total: int) -> str:
    which = f"column {done + 1}" if shown == 1 else f"columns {done + 1} to {done + shown}"
    return f"({which} of {total})"


def _total(strips: Sequence[_Strip]) -> int:
    return sum(strip.width for strip in strips) + len(_GUTTER) * (len(strips) - 1)


def _drawn(strips: Sequence[_Strip], rule_before: Sequence[int]) -> Iterator[str]:
    widths = [strip.width for strip in strips]
    rule = _GUTTER.join("-" * width for width in widths)
    if any(strip.title for strip in strips):
        yield _row(strips, [strip.title for strip in strips], widths)
        yield rule
    for index, row in enumerate(zip(*(strip.body for strip in strips), strict=True)):
        if index in rule_before:
            yield rule
        yield _row(strips, row, widths)


def _row(strips: Sequence[_Strip], row: Sequence[str], widths: Sequence[int]) -> str:
    return _GUTTER.join(
        _padded(cell, width, strip.align) for strip, cell, width in zip(strips, row, widths, strict=True)
    )


def _padded(cell: str, width: int, align: Align) -> str:
    blanks = " " * (width - cells(cell))
    return cell + blanks if align == "left" else blanks + cell
