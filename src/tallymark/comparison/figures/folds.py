"""Differences fold by fold, and how sure their mean is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import count

import numpy as np

from tallymark.comparison.figures.reach import reach
from tallymark.comparison.figures.spelling import shortened
from tallymark.drawing import interval, level_text, number
from tallymark.drawing.figure import Axis, Band, Figure, Line, Mark, Names, Panel, Points

Interval = tuple[float, float]
_PLAIN = 1
# Every fold has a name up to so many, and of more only some.
_ALL_NAMED, _SOME_NAMED = 12, 6
_MANY = 40


def folds(
    differences: Sequence[float],
    *,
    plain: Interval | None = None,
    corrected: Interval | None = None,
    level: float = 0.95,
    names: Sequence[str] | None = None,
    y_label: str = "difference",
    title: str = "",
    note: str = "",
) -> Figure:
    """Every difference as a point, their mean, and its intervals by the plain and the corrected t test."""
    value = np.asarray(differences, dtype=np.float64)
    x = np.arange(1.0, len(value) + 1)
    left, right = 0.5, len(value) + 0.5
    across, mean = np.array([left, right]), float(value.mean())
    marks: list[Mark] = []
    if corrected is not None:
        bottom, top = (np.full(2, end) for end in corrected)
        marks.append(Band(across, bottom, top, _named("corrected t", corrected, level)))
    if plain is not None:
        label = _named("plain t", plain, level)
        marks += [Line(across, np.full(2, end), label, _PLAIN) for end in plain]
    marks += [
        Line(across, np.zeros(2), "no difference", series=None),
        Line(across, np.full(2, mean), f"mean {number(mean)}"),
        Points(x, value, "a fold", small=len(value) > _MANY),
    ]
    shown = [ends for ends in (plain, corrected) if ends is not None]
    low, high = np.array(shown, dtype=np.float64).reshape(-1, 2).T
    y = Axis(y_label, *reach(value, low, high, (0.0,)))
    fold = Axis("fold", left, right, names=_ticks(len(value), names))
    return Figure((Panel(fold, y, tuple(marks)),), title, note)


def _named(called: str, ends: Interval, level: float) -> str:
    return f"{level_text(level)} {called} {interval(float(ends[0]), float(ends[1]))}"


def _ticks(total: int, names: Sequence[str] | None) -> Names:
    """Every fold, or those at round numbers."""
    shown = shortened(names) if names else [str(place) for place in range(1, total + 1)]
    places: Iterable[int] = range(1, total + 1)
    if total > _ALL_NAMED:
        step = next(step for step in _round_numbers() if total <= step * _SOME_NAMED)
        places = (1, *range(step, total + 1, step))
    return tuple((float(place), shown[place - 1]) for place in places)


def _round_numbers() -> Iterator[int]:
    for power in count():
        yield from (10**power, 2 * 10**power, 5 * 10**power)
