"""A table made ready for a page: cells short and different, and where the reader must scroll."""

from __future__ import annotations

from dataclasses import dataclass

from markupsafe import Markup

from tallymark.drawing.document import Table
from tallymark.drawing.escape import distinct
from tallymark.drawing.fitting import naming_columns, natural_width, strips_of
from tallymark.drawing.palette import LEVELS

from .words import CELL_ROOM, isolated

# What still fits on a phone, in letters, and on a screen, in rows.
_NARROW = 34
_TALL = 60
# Longer words are broken rather than kept in one line.
_ONE_LINE = 24
_FEW = 5


@dataclass(frozen=True)
class Cell:
    """One cell, and the classes that it has beside its column's."""

    shown: Markup
    tag: str
    classes: str = ""


@dataclass(frozen=True)
class Row:
    cells: tuple[Cell, ...]
    ruled: bool = False


@dataclass(frozen=True)
class Sheet:
    """A table to be drawn; `head` is None where no column has a title."""

    head: Row | None
    rows: tuple[Row, ...]
    scrolls: bool
    tall: bool
    few: bool
    """Shaded cells, so few that they may be large."""


def sheet(table: Table) -> Sheet:
    """The table with its row names, shades and rules."""
    strips = strips_of(table)
    named = naming_columns(strips)
    lefts = [strip.align == "left" for strip in strips]
    heads = distinct([strip.title for strip in strips], CELL_ROOM)
    body = zip(*(distinct(strip.body, CELL_ROOM) for strip in strips), strict=True)
    shades = table.shades or ((None,) * len(strips),) * len(table.rows)
    rows = tuple(
        Row(
            tuple(
                _row_name(shown, left=left) if shown and place in named else _value(shown, shade, left=left)
                for place, (shown, left, shade) in enumerate(zip(row, lefts, shaded, strict=True))
            ),
            number in table.rule_before,
        )
        for number, (row, shaded) in enumerate(zip(body, shades, strict=True))
    )
    tall = len(rows) > _TALL
    head = Row(tuple(_column_name(shown, left=left) for shown, left in zip(heads, lefts, strict=True)))
    few = bool(table.shades) and len(strips) <= _FEW
    scrolls = tall or natural_width(table) > _NARROW
    return Sheet(head if any(heads) else None, rows, scrolls, tall, few)


def _column_name(shown: str, *, left: bool) -> Cell:
    # A head must say something.
    return Cell(_broken(shown), "th scope=col" if shown else "td", "left" if left else "")


def _row_name(shown: str, *, left: bool) -> Cell:
    return Cell(_broken(shown), "th scope=row", "" if left else "right")


def _value(shown: str, shade: float | None, *, left: bool) -> Cell:
    # Only a share of 0 is level 0, so that a rare one is seen.
    level = "" if shade is None else f"h{max(round(LEVELS * shade), shade > 0):d}"
    text = _broken(shown) if left else isolated(shown)
    return Cell(text, "td", " ".join(filter(None, ("left" if left else "", level))))


def _broken(shown: str) -> Markup:
    text = isolated(shown)
    return Markup("<span class=long>{}</span>").format(text) if len(shown) > _ONE_LINE else text
