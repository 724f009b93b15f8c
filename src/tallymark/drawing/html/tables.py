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
    """What one cell shows, and what it begins with, a tag without its brackets."""

    shown: Markup
    tag: Markup


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
    classes: str
    """`few` shaded cells, which may be large; `counted` rows, whose names are numbers; `searched` rows."""


def sheet(table: Table) -> Sheet:
    """The table with its row names, shades and rules."""
    strips = strips_of(table)
    named = naming_columns(strips)
    counted = all(strips[place].align == "right" for place in named)
    lefts = [strip.align == "left" for strip in strips]
    heads = distinct([strip.title for strip in strips], CELL_ROOM)
    bodies = [distinct(strip.body, CELL_ROOM) for strip in strips]
    # In a column of nothing but names each is known to be of its row, and in such a row of its column.
    clear = {place for place in named if heads[place] and all(bodies[place])}
    shades = table.shades or ((None,) * len(strips),) * len(table.rows)
    rows = tuple(
        Row(
            tuple(
                _row_name(shown, clear=place in clear, right=not (left or counted))
                if shown and place in named
                else _value(shown, shade, left=left)
                for place, (shown, left, shade) in enumerate(zip(row, lefts, shaded, strict=True))
            ),
            number in table.rule_before,
        )
        for number, (row, shaded) in enumerate(zip(zip(*bodies, strict=True), shades, strict=True))
    )
    tall = len(rows) > _TALL
    head = Row(
        tuple(
            _column_name(shown, clear=all(heads), left=left) for shown, left in zip(heads, lefts, strict=True)
        )
    )
    kinds = {
        "few": bool(table.shades) and len(strips) <= _FEW,
        "counted": counted,
        "searched": table.searched,
    }
    scrolls = tall or natural_width(table) > _NARROW
    return Sheet(
        head if any(heads) else None, rows, scrolls, tall, " ".join(kind for kind, so in kinds.items() if so)
    )


def _column_name(shown: str, *, clear: bool, left: bool) -> Cell:
    # A head must say something.
    tag = "th" if clear else "th scope=col" if shown else "td"
    return Cell(_broken(shown), _tag(tag, "left" if left else ""))


def _row_name(shown: str, *, clear: bool, right: bool) -> Cell:
    return Cell(_broken(shown), _tag("th" if clear else "th scope=row", "right" if right else ""))


def _value(shown: str, shade: float | None, *, left: bool) -> Cell:
    # Only a share of 0 is level 0, so that a rare one is seen.
    level = "" if shade is None else f"h{max(round(LEVELS * shade), shade > 0):d}"
    text = _broken(shown) if left else isolated(shown)
    return Cell(text, _tag("td", "left" if left else "", level))


def _tag(begin: str, *classes: str) -> Markup:
    named = [each for each in classes if each]
    quote = '"' if len(named) > 1 else ""
    return Markup(f"{begin} class={quote}{' '.join(named)}{quote}" if named else begin)


def _broken(shown: str) -> Markup:
    text = isolated(shown)
    return Markup("<span class=long>{}</span>").format(text) if len(shown) > _ONE_LINE else text
