"""What stands along the sides of a panel: numbers or names, and what they are of."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from tallymark.drawing.figure import Axis, Names
from tallymark.drawing.lettering import NORMAL, apart
from tallymark.drawing.numbers import count
from tallymark.drawing.scales import Numbers, places, span, unit

from .measuring import LETTERS, LINE, NUMBERS, TEXT
from .ticks import log_ticks, round_ticks, written

_TICKS, _LOG_TICKS = 5, 8
_BETWEEN = 8.0
# From the panel to the numbers or names, and from those to the title.
AWAY = 6.0
_FROM_NUMBERS, _FROM_NAMES = 3.0, 7.0
# Below the line on which letters stand.
DESCENT = 2.0
_TITLE_LINES = 2
# The longest name: beside a panel for each column of a paper, on its other side, where it may be an
# interval, and turned below a panel.
_NAME_ROOM, _NUMBERS_ROOM, _TURNED_ROOM = 130.0, 170.0, 100.0
_SLANT = math.sqrt(0.5)
# Between names that are turned, along the scale.
_TURNED_APART = LINE / _SLANT


class Tick(NamedTuple):
    place: float
    """As a share of the way along the side."""
    text: str


@dataclass(frozen=True)
class Side:
    """Numbers or names along one side of a panel, and a title in lines."""

    ticks: tuple[Tick, ...] = ()
    title: tuple[str, ...] = ()
    named: bool = False
    turned: bool = False
    upright: bool = False

    @property
    def part(self) -> float:
        """The size of the letters."""
        return NORMAL if self.named else NUMBERS

    @property
    def reach(self) -> float:
        """How far the numbers or names reach out from the panel."""
        if not any(tick.text for tick in self.ticks):
            return 0.0
        widest = max(LETTERS.width(tick.text, self.part) for tick in self.ticks)
        if self.upright:
            return AWAY + widest
        return AWAY + DESCENT + (widest * _SLANT + TEXT * _SLANT if self.turned else TEXT)

    @property
    def depth(self) -> float:
        """How far all of it reaches out."""
        return self.title_from + LINE * len(self.title) if self.title else self.reach

    @property
    def title_from(self) -> float:
        """How far from the panel its title begins; farther from names, so as not to be taken for one."""
        return self.reach + (_FROM_NAMES if self.named else _FROM_NUMBERS)

    def overhang(self, length: float, *, second: bool = False) -> tuple[float, float]:
        """How far a side that lies across goes beyond the left and the right end of the panel."""
        left = right = 0.0
        for place, text in self.ticks:
            width = LETTERS.width(text, self.part)
            before, after = (width / 2, width / 2) if not self.turned else (width * _SLANT, TEXT / 2)
            if self.turned and second:
                before, after = after, before
            left, right = max(left, before - place * length), max(right, after - (1 - place) * length)
        return left, right


def main_side(axis: Axis, length: float, wide: float, *, upright: bool) -> Side:
    """Left of a panel or below it."""
    title = _title(axis.label, length)
    if axis.named:
        return _named(axis, axis.names, title, length, _NAME_ROOM * wide, upright=upright)
    if axis.bare:
        return Side(title=title, upright=upright)
    low, high = span(axis)
    for most in range(_LOG_TICKS if axis.log else _TICKS, 0, -1):
        numbers = log_ticks(low, high, most) if axis.log else round_ticks(low, high, most)
        ticks = _ticks(axis, numbers, written(numbers, percent=axis.percent, log=axis.log))
        if _has_room(ticks, length, upright=upright):
            break
    return Side(ticks, title, upright=upright)


def second_side(axis: Axis, length: float, wide: float, *, upright: bool) -> Side:
    """Right of a panel or above it."""
    if axis.second_names:
        return _named(axis, axis.second_names, (), length, _NUMBERS_ROOM * wide, upright=upright)
    if not axis.second_high:
        return Side(upright=upright)
    of, called = unit(axis.second_high)
    highest = axis.second_high / of
    for most in range(_TICKS, 0, -1):
        numbers = round_ticks(0.0, highest, most, whole=of == 1 and highest > 1)
        ticks = tuple(Tick(number / highest, count(number)) for number in numbers)
        if _has_room(ticks, length, upright=upright):
            break
    return Side(ticks, _title(f"{axis.second}{called}", length), upright=upright)


def _title(text: str, length: float) -> tuple[str, ...]:
    if not text:
        return ()
    return tuple(LETTERS.wrapped(LETTERS.label(text), length, most=_TITLE_LINES).split("\n"))


def _ticks(axis: Axis, numbers: Sequence[float], texts: Sequence[str]) -> tuple[Tick, ...]:
    """Each text once: numbers closer than their decimals look the same."""
    found = dict(zip(texts, places(axis, np.array(numbers)), strict=True))
    return tuple(Tick(float(place), text) for text, place in found.items())


def _has_room(ticks: Sequence[Tick], length: float, *, upright: bool) -> bool:
    middles = [tick.place * length for tick in ticks]
    widths = [TEXT if upright else LETTERS.width(tick.text, NUMBERS) for tick in ticks]
    return apart(middles, widths, _BETWEEN)


def _named(
    axis: Axis, names: Names, title: tuple[str, ...], length: float, room: float, *, upright: bool
) -> Side:
    """Names at their places: as many of them as have room above each other, or turned where they collide."""
    at = places(axis, np.array([place for place, _ in names], dtype=np.float64))
    # From left to right, and from top to bottom.
    shown = np.argsort(-at if upright else at, kind="stable").tolist()
    texts = [LETTERS.label(name) for _, name in names]
    turned = False
    if upright:
        shown = _spread(shown, at * length, TEXT)
    else:
        room = length
        turned = not apart(at[shown] * length, [LETTERS.width(texts[index]) for index in shown], _BETWEEN)
        if turned:
            room, shown = _TURNED_ROOM, _spread(shown, at * length, _TURNED_APART)
    kept = LETTERS.cut([texts[index] for index in shown], room)
    ticks = tuple(Tick(float(at[index]), text) for index, text in zip(shown, kept, strict=True))
    return Side(ticks, title, named=True, turned=turned, upright=upright)


def _spread(order: Sequence[int], at: Numbers, distance: float) -> list[int]:
    """Every one, or every second, or third, so that they are this far apart."""
    closest = min((abs(at[b] - at[a]) for a, b in pairwise(order)), default=distance)
    return list(order[:: max(1, math.ceil(distance / max(closest, 1e-3) - 1e-6))])
