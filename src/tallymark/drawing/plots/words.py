"""Texts for matplotlib: literal, in letters that an installed font has, and wrapped to a width."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import matplotlib
from matplotlib import font_manager
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import text_to_path

from tallymark.drawing.escape import sentence, terminal
from tallymark.drawing.figure import Cells, Figure, Mark, Note
from tallymark.drawing.lettering import FINE, NORMAL, SMALL, Lettering

__all__ = ["FINE", "NORMAL", "SMALL", "Words", "words_for"]

# On a screen letters are moved to whole dots, and a text becomes wider than its outlines are.
_WIDER = 1.06


@dataclass(frozen=True)
class Words(Lettering):
    """How the texts of a figure are written; the base size is the user's on the user's axes."""

    family: tuple[str, ...]
    missing: frozenset[str]
    """Letters that no installed font has."""

    def label(self, text: str) -> str:
        return self._drawable(terminal(text))

    def sentence(self, text: str) -> str:
        return self._drawable(sentence(text))

    def _drawable(self, text: str) -> str:
        if self.missing.isdisjoint(text):
            return text
        return "".join(_escaped(letter) if letter in self.missing else letter for letter in text)

    def style(self, part: float = NORMAL) -> dict[str, Any]:
        """What makes matplotlib write a text as it is: no formulas between dollar signs, no LaTeX."""
        return {"fontproperties": self.font(part), "parse_math": False, "usetex": False}

    def font(self, part: float = NORMAL) -> FontProperties:
        return FontProperties(family=list(self.family), size=matplotlib.rcParams["font.size"] * part)

    def width(self, text: str, part: float = NORMAL) -> float:
        """In points."""
        width, _, _ = text_to_path.get_text_width_height_descent(text, self.font(part), ismath=False)
        return float(width) * _WIDER


def words_for(figure: Figure, *, any_letter: bool = False) -> Words:
    """How the texts of this figure are written; with `any_letter` whoever shows it has fonts of its own."""
    family = tuple(matplotlib.rcParams["font.family"])
    lacking = frozenset("".join(map(terminal, _texts(figure)))) - _letters_of(family)
    for name, drawable in _others(lacking) if lacking else ():
        family = (*family, name)
        lacking -= drawable
    return Words(family, frozenset() if any_letter else lacking)


def _escaped(letter: str) -> str:
    return letter.encode("unicode_escape").decode()


def _texts(figure: Figure) -> Iterator[str]:
    yield from (figure.title, figure.note)
    for panel in figure.panels:
        yield panel.title
        for axis in (panel.x, panel.y):
            yield from (axis.label, axis.second, *(name for _, name in axis.names + axis.second_names))
        for mark in panel.marks:
            yield from _texts_of(mark)


def _texts_of(mark: Mark) -> Iterable[str]:
    match mark:
        case Note():
            return (mark.text,)
        case Cells():
            texts = (text for row in mark.texts for text in row)
            return (*mark.rows, *mark.columns, mark.x_label, mark.y_label, *texts)
    return (mark.label,)


def _letters_of(family: tuple[str, ...]) -> frozenset[str]:
    files = {font_manager.findfont(FontProperties(family=[name])) for name in family}
    return frozenset().union(*(_letters_in(file) for file in files))


@cache
def _letters_in(file: str) -> frozenset[str]:
    """What a font can draw; nothing if matplotlib cannot draw with it, as with pictures of emoji."""
    try:
        font = font_manager.get_font(file)
    except (OSError, RuntimeError):
        return frozenset()
    return frozenset(map(chr, font.get_charmap())) if font.scalable else frozenset()


def _others(lacking: frozenset[str]) -> Iterator[tuple[str, frozenset[str]]]:
    """Installed upright fonts that have some of the letters, each with those that no earlier one has."""
    fonts = [
        font
        for font in font_manager.fontManager.ttflist
        # matplotlib's own font of placeholders has a box for every letter.
        if font.style == "normal" and not font.name.startswith("Last Resort")
    ]
    for font in sorted(fonts, key=lambda font: (abs(_weight(font.weight) - 400), font.name)):
        drawable = lacking & _letters_in(font.fname)
        if drawable:
            yield font.name, drawable
            lacking -= drawable
        if not lacking:
            return


def _weight(weight: str | int) -> int:
    return weight if isinstance(weight, int) else font_manager.weight_dict.get(weight, 400)
