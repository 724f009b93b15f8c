"""Tables made to fit a width: columns cut as little as possible, and folded where that is not enough."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from .document import Align, Table
from .escape import cells, distinct, terminal

GUTTER = "  "
NARROW_GUTTER = " "

# A label shorter than this says little, and is cut further only to save the table from being folded.
_LABEL_ROOM = 12
_LEAST_LABEL_ROOM = 6


@dataclass(frozen=True)
class Strip:
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

    def cut(self, width: int) -> Strip:
        """Narrower, with cells that differ still different."""
        title, *body = distinct([self.title, *self.body], width)
        return Strip(self.align, title, tuple(body))


@dataclass(frozen=True)
class Fitted:
    """A table, or a part of one, that fits."""

    strips: list[Strip]
    gutter: str = GUTTER
    note: str = ""
    """Which columns these are, when the table is folded."""

    @property
    def has_titles(self) -> bool:
        return any(strip.title for strip in self.strips)

    @property
    def titles(self) -> list[str]:
        return [strip.title for strip in self.strips]

    @property
    def rows(self) -> Iterator[tuple[str, ...]]:
        return zip(*(strip.body for strip in self.strips), strict=True)


def strips_of(table: Table) -> list[Strip]:
    """The columns of a table, with everything unseen made visible."""
    body = zip(*table.rows, strict=True) if table.rows else ((),) * len(table.columns)
    return [
        Strip(column.align, terminal(column.title), tuple(map(terminal, column_cells)))
        for column, column_cells in zip(table.columns, body, strict=True)
    ]


def natural_width(table: Table) -> int:
    """How many cells wide the table is when nothing is cut."""
    strips = strips_of(table)
    return sum(strip.width for strip in strips) + len(GUTTER) * (len(strips) - 1)


def fitted(table: Table, width: int, gutters: Sequence[str] = (GUTTER, NARROW_GUTTER)) -> Iterator[Fitted]:
    """The table in as few parts as fit the width, the columns that name the rows repeated in each."""
    if not table.columns:
        return
    strips = strips_of(table)
    if whole := _side_by_side(strips, width, gutters):
        yield whole
    else:
        yield from _folded(strips, width, gutters)


def padded(cell: str, width: int, align: Align) -> str:
    """The cell with the blanks that make it as wide as its column."""
    blanks = " " * (width - cells(cell))
    return cell + blanks if align == "left" else blanks + cell


def _side_by_side(strips: list[Strip], width: int, gutters: Sequence[str]) -> Fitted | None:
    """The columns, cut as little as possible, and the gutter that make them fit side by side, if any."""
    if len(strips) == 1:
        return Fitted([strips[0].cut(width)])
    short = _short_titled(strips, width)
    for candidate, least in ((strips, _LABEL_ROOM), (short, _LABEL_ROOM), (short, _LEAST_LABEL_ROOM)):
        for gutter in gutters:
            if _total(candidate, gutter) <= width:
                return Fitted(candidate, gutter)
        words = [strip.width for strip in candidate if strip.align == "left"]
        share = _share(words, width - (_total(candidate, gutters[-1]) - sum(words)))
        if words and share >= least:
            cut = [strip.cut(share) if strip.align == "left" else strip for strip in candidate]
            return Fitted(cut, gutters[-1])
    return None


def _short_titled(strips: list[Strip], room: int) -> list[Strip]:
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


def _folded(strips: list[Strip], width: int, gutters: Sequence[str]) -> Iterator[Fitted]:
    names = naming_columns(strips)
    strips = _foldable(strips, names, width, gutters[-1])
    others = [index for index in range(len(strips)) if index not in names]
    widest = max(others, key=lambda index: strips[index].width)
    roomy = _total(_pick(strips, *names, widest), gutters[0]) <= width
    gutter = gutters[0] if roomy else gutters[-1]
    blocks: list[list[int]] = [[]]
    for index in others:
        if blocks[-1] and _total(_pick(strips, *names, *blocks[-1], index), gutter) > width:
            blocks.append([])
        blocks[-1].append(index)
    done = 0
    for block in blocks:
        note = _note(done, len(block), len(others)) if len(blocks) > 1 else ""
        done += len(block)
        yield Fitted(_pick(strips, *names, *block), gutter, note)


def naming_columns(strips: list[Strip]) -> tuple[int, ...]:
    """Which columns name the rows: the first, and if that is mostly empty the last of words as well."""
    last = max((index for index, strip in enumerate(strips) if strip.align == "left"), default=0)
    empty = strips[0].body.count("")
    return (0, last) if last and empty and 2 * empty >= len(strips[0].body) else (0,)


def _foldable(strips: list[Strip], names: tuple[int, ...], width: int, gutter: str) -> list[Strip]:
    """The columns cut so that each of them fits beside those that name the rows."""
    label_room = max(_LABEL_ROOM if len(names) == 1 else _LEAST_LABEL_ROOM, width // 4)
    named = {index: strips[index].cut(label_room) for index in names}
    room = width - sum(strip.width + len(gutter) for strip in named.values())
    return [
        named.get(index) or strip.cut(min(label_room, room) if strip.align == "left" else room)
        for index, strip in enumerate(_short_titled(strips, room))
    ]


def _pick(strips: Sequence[Strip], *indexes: int) -> list[Strip]:
    return [strips[index] for index in sorted(indexes)]


def _note(done: int, shown: int, total: int) -> str:
    which = f"column {done + 1}" if shown == 1 else f"columns {done + 1} to {done + shown}"
    return f"({which} of {total})"


def _total(strips: Sequence[Strip], gutter: str) -> int:
    return sum(strip.width for strip in strips) + len(gutter) * (len(strips) - 1)
