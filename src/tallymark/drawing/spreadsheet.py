"""CSV that a spreadsheet may open: RFC 4180 in UTF-8, with line ends of one character.

A spreadsheet runs a cell that begins like a formula. Such a text, `=1+1` say, gets an apostrophe in front,
which spreadsheets take as "this is text"; so does one that begins with apostrophes and then like a formula,
and the two stay different. Numbers are never touched. A missing value is nothing; an empty text is `""`.
Control characters other than tabs and line ends are written as escapes, as everywhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from .escape import UNSEEN

Cell = str | int | float | None

_FORMULA = re.compile(rf"'*(?:[\t\r\n]|(?:[ \u3000]|{UNSEEN})*[=+\-@＝＋－＠])")
_CONTROLS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_QUOTED = re.compile(r'[",\r\n]|\A\s|\s\Z|\A\Z')


def csv(columns: Sequence[str], rows: Iterable[Sequence[Cell]]) -> str:
    """Rows below their column names.

    >>> print(csv(["class", "value"], [["=1+1", -0.5], ["a,b", None]]))
    class,value
    '=1+1,-0.5
    "a,b",
    """
    return "\n".join(",".join(map(_field, row)) for row in (columns, *rows))


def _field(cell: Cell) -> str:
    match cell:
        case None:
            return ""
        case float():
            # NumPy's own floats would write their type as well.
            return float.__repr__(cell)
        case int():
            return str(cell)
    text = f"'{cell}" if _FORMULA.match(cell) else cell
    if _CONTROLS.search(text):
        text = _CONTROLS.sub(lambda found: f"\\x{ord(found[0]):02x}", text.replace("\\", "\\\\"))
    return '"' + text.replace('"', '""') + '"' if _QUOTED.search(text) else text
