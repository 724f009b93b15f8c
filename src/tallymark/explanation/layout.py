"""Lines that fit a page: equations break before their equal signs, words get a hanging indent."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tallymark.drawing.escape import cells, head

WIDTH = 100

_INDENT = "  "
# An equal sign farther to the right leaves too little room for what follows it.
_FARTHEST = 40
_DEEPEST = 4
# Not after an operator, nor before an equal sign: a line begins with `+ 5` and never ends in `tp =`.
_BREAKS = re.compile(r"(?<=[^-+*/= ]) (?!= )")


def filled(text: str, first: str = "", hanging: str = "  ") -> list[str]:
    """The text in lines of at most `WIDTH` cells, `first` before the first and `hanging` before the others.

    What goes on within parentheses is indented further.

    >>> [len(line) for line in filled("four " * 29 + "four")]
    [99, 51]
    """
    lines, start, depth = [], first, 0
    while cells(start) + cells(text) > WIDTH:
        line, text = _parted(text, WIDTH - cells(start))
        lines.append(start + line)
        depth += _depth(line)
        start = hanging + _INDENT * max(0, min(depth, _DEEPEST))
    return [*lines, start + text]


def _parted(text: str, room: int) -> tuple[str, str]:
    """What fits in the room, and the rest: outside parentheses and before a sum, if that can be."""
    fits = head(text, room)
    breaks = [found.start() for found in _BREAKS.finditer(text, 0, len(fits) + 3)]
    breaks = [at for at in breaks if at <= len(fits)]
    if not breaks:
        # One word, such as a label without blanks, longer than a line.
        piece = fits or text[0]
        return piece, text[len(piece) :]
    at = min(breaks, key=lambda at: (_depth(text[:at]), text[at + 1] in "*/", -at))
    return text[:at], text[at + 1 :]


def _depth(text: str) -> int:
    return text.count("(") - text.count(")")


def column_of(left: str) -> int:
    """Where the equal signs below this left side stand."""
    column = cells(left) + 1
    return column if column <= _FARTHEST else len(_INDENT)


def equation(sides: Sequence[str], column: int) -> list[str]:
    """An equation in one line or, where that is too long, in one line per equal sign, all in that column.

    An empty left side goes on from the line before.
    """
    left, *others = sides
    begins = f"{left} " if left else " " * column
    whole = f"{_INDENT}{begins}= {' = '.join(others)}"
    if cells(whole) <= WIDTH:
        return [whole]
    in_place = cells(begins) == column
    lines = [] if in_place else filled(left, _INDENT, _INDENT * 2)
    start = below = f"{_INDENT}{' ' * column}= "
    if in_place:
        start = f"{_INDENT}{begins}= "
    for side in others:
        lines += filled(side, start, " " * len(below))
        start = below
    return lines
