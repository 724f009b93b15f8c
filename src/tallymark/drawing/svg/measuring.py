"""How wide texts are, without any font at hand."""

from __future__ import annotations

from functools import cache

from tallymark.drawing.escape import cells
from tallymark.drawing.lettering import NORMAL, Lettering

TEXT = 12.0
"""The size of letters, in units of the picture."""
LINE = 15.0
"""From one line to the next."""
NUMBERS = 11 / TEXT
"""The size of the numbers along a scale, as a part of all others."""

# In ems. The widest that browsers come with (DejaVu Sans), so that with any other there is room to spare.
_WIDTHS = {
    "'": 0.28, "ijl": 0.28, "I": 0.30, " ,.": 0.32, "/:;\\|": 0.34, "f-": 0.36, "()[]t!": 0.40,
    "r": 0.42, '"*_`': 0.50, "Jsz": 0.53, "?c": 0.55, "LFk": 0.58, "vxyP": 0.61, "TYaoe": 0.62,
    "ESbdghnpqu$0123456789{}": 0.64, "K": 0.66, "AVBRXZC": 0.70, "U": 0.74, "HN": 0.76, "DG&": 0.78,
    "OQ": 0.79, "w": 0.82, "#+<=>^~": 0.84, "M": 0.87, "%": 0.95, "m": 0.98, "W@…": 1.0,
}  # fmt: skip
_KNOWN = {letter: width for letters, width in _WIDTHS.items() for letter in letters}
# Of letters other than these, such as Greek or Cyrillic, and of those that take two cells, such as Chinese.
_OTHER, _WIDE = 0.8, 1.05


class Letters(Lettering):
    """Texts as wide as they are in a page, in units of the picture."""

    def width(self, text: str, part: float = NORMAL) -> float:
        return sum(map(_em, text)) * TEXT * part


@cache
def _em(letter: str) -> float:
    return _KNOWN.get(letter) or (0.0, _OTHER, _WIDE)[cells(letter)]


LETTERS = Letters()
