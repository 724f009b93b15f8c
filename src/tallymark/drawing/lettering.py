"""Texts made to fit, whatever the letters."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

import numpy as np

from .escape import cells, distinct, sentence, terminal
from .figure import Band, Line, Mark, Points

# Sizes as parts of the base size.
NORMAL, SMALL, FINE = 1.0, 0.86, 0.78
_NARROWEST = 4


class Lettering(ABC):
    """Lines and names no wider than the room there is; how wide a text is, a pen knows."""

    @abstractmethod
    def width(self, text: str, part: float = NORMAL) -> float:
        """Of a text in letters of a part of the base size."""

    def label(self, text: str) -> str:
        """A text from data."""
        return terminal(text)

    def sentence(self, text: str) -> str:
        """A sentence of ours, in which texts from data are quoted."""
        return sentence(text)

    def wrapped(self, text: str, room: float, part: float = NORMAL, most: int | None = None) -> str:
        """The text in lines no wider than the room; a word that is wider loses its middle, and so
        does a text that would take more lines than `most`."""
        lines = self._lines(text, room, part)
        left = cells(text)
        while most and len(lines) > most:
            left = min(left - 1, int(left * (most + 0.5) / len(lines)))
            lines = self._lines(distinct([text], left)[0], room, part)
        return "\n".join(lines)

    def _lines(self, text: str, room: float, part: float) -> list[str]:
        lines: list[str] = []
        for word in text.split(" "):
            longer = f"{lines[-1]} {word}" if lines else word
            if lines and self.width(longer, part) <= room:
                lines[-1] = longer
            else:
                lines.append(self.cut([word], room, part)[0])
        return lines

    def cut(self, texts: list[str], room: float, part: float = NORMAL) -> list[str]:
        """The texts, short enough for the room, and different ones still different."""
        shown = texts
        longest = max(map(cells, texts), default=0)
        while longest > _NARROWEST and (widest := max(self.width(text, part) for text in shown)) > room:
            longest = max(_NARROWEST, min(longest - 1, int(longest * room / widest)))
            shown = distinct(texts, longest)
        return shown

    def entries(self, labels: Iterable[str], marks: Sequence[Mark], room: float, part: float) -> list[str]:
        """The labels of a legend: names lose letters before what is said of them does."""
        names = _names(marks, self)
        left = [room - self.width(label.removeprefix(name), part) for label, name in names.items()]
        every = list(dict.fromkeys(names.values()))
        short = dict(zip(every, self.cut(every, min(left, default=room), part), strict=True))
        shown = []
        for label in map(self.label, labels):
            name = names.get(label, "")
            shown.append(short[name] + label.removeprefix(name) if name and label.startswith(name) else label)
        return self.cut(shown, room, part)


def _names(marks: Sequence[Mark], words: Lettering) -> Mapping[str, str]:
    """What each label begins with."""
    named = (mark for mark in marks if isinstance(mark, Line | Band | Points) and mark.name)
    return {words.label(mark.label): words.label(mark.name) for mark in named}


def apart(middles: Iterable[float], widths: Iterable[float], gap: float) -> bool:
    """Whether texts of these widths around these places stand clear of each other.

    >>> apart([0, 20], [10, 20], gap=5), apart([0, 19], [10, 20], gap=5)
    (True, False)
    """
    pairs = pairwise(zip(middles, widths, strict=True))
    return all(right - left >= (one + other) / 2 + gap for (left, one), (right, other) in pairs)


def columns(widths: Sequence[float], gap: float, room: float) -> int:
    """In how many columns entries of these widths have room, filled one column after another.

    >>> columns([30, 10, 30, 10], gap=5, room=50), columns([30, 10, 30, 10], gap=5, room=100)
    (1, 4)
    """
    for count in range(len(widths), 1, -1):
        parts = np.array_split(np.asarray(widths, dtype=np.float64), count)
        if sum(part.max() for part in parts) + (count - 1) * gap <= room:
            return count
    return 1
