"""How probable it is that one model is better, worse, or as good in practice."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from tallymark.comparison.figures.spelling import shortened
from tallymark.drawing import count, number, percent
from tallymark.drawing.figure import Axis, Band, Figure, Line, Mark, Panel, Points

Floats = NDArray[np.float64]
Probabilities = tuple[float, float, float]
"""Of the first model being worse, equivalent, better."""

_WORSE, _EQUIVALENT, _BETTER = 1, 2, 0
_MARGIN = 0.08
_MOST_DRAWS = 1500


def posterior(
    x: Floats,
    density: Floats,
    rope: float,
    probabilities: Probabilities,
    names: tuple[str, str],
    *,
    x_label: str = "",
    title: str = "",
    note: str = "",
) -> Figure:
    """The density of the difference, first model less second, in parts: from -`rope` to `rope` it is too
    small to matter.

    A single place, or a density that is not finite, stands for a difference without any doubt: a line.
    """
    x, density = np.asarray(x, dtype=np.float64), np.asarray(density, dtype=np.float64)
    if len(x) == 1 or not np.isfinite(density).all():
        x, density = x[[np.argmax(np.nan_to_num(density, nan=np.inf))]], np.zeros(1)
    low, high = float(min(x.min(), -rope)), float(max(x.max(), rope))
    margin = _MARGIN * (high - low) or 0.05
    across = Axis(x_label or f"{names[0]} less {names[1]}", low - margin, high + margin)
    top = 1.05 * float(density.max()) or 1.0
    marks: list[Mark] = list(_parts(x, density, (across.low, across.high), rope, probabilities, names))
    if len(x) == 1:
        marks.append(Line(np.repeat(x, 2), np.array([0.0, top]), f"certainly {number(x[0].item())}"))
    marks += [Line(np.full(2, edge), np.array([0.0, top]), series=None) for edge in sorted({-rope, rope})]
    return Figure((Panel(across, Axis("density", 0.0, top, bare=True), tuple(marks)),), title, note)


def _parts(
    x: Floats,
    density: Floats,
    ends: tuple[float, float],
    rope: float,
    probabilities: Probabilities,
    names: tuple[str, str],
) -> Iterator[Band]:
    """The area under the density left of the region, in it and right of it."""
    cuts = ends[0], -rope, rope, ends[1]
    labels = f"{names[1]} is better", _within(rope), f"{names[0]} is better"
    starts = names[1], "", names[0]
    for place, series in enumerate((_WORSE, _EQUIVALENT, _BETTER)):
        low, high = cuts[place : place + 2]
        if low == high:
            continue
        at = np.concatenate([[low], x[(x > low) & (x < high)], [high]])
        height = np.interp(at, x, density, left=0.0, right=0.0)
        label = f"{labels[place]}: {percent(probabilities[place])}"
        yield Band(at, np.zeros(len(at)), height, label, series, name=starts[place])


def simplex(
    draws: Floats,
    rope: float,
    probabilities: Probabilities,
    names: tuple[str, str],
    *,
    title: str = "",
    note: str = "",
) -> Figure:
    """A triangle of draws, each the probabilities of worse, equivalent, better; a corner is a certainty."""
    shares = np.asarray(draws, dtype=np.float64)[:_MOST_DRAWS]
    corners = np.array([[0.0, 0.0], [0.5, 1.0], [1.0, 0.0]])
    cloud = shares @ corners
    marks: list[Mark] = []
    for series, own in ((_WORSE, 0), (_EQUIVALENT, 1), (_BETTER, 2)):
        x, y = cloud[shares.argmax(axis=1) == own].T
        marks.append(Points(x, y, series=series, small=True))
    marks.append(_reference(corners[[0, 1, 2, 0]]))
    middle = corners.mean(axis=0)
    for one, two in ((0, 1), (1, 2), (2, 0)):
        side = corners[[one, two]].mean(axis=0)
        marks.append(_reference(np.array([middle, side])))
    first, second = shortened(names)
    worse, equivalent, better = map(percent, probabilities)
    bottom = (0.0, f"{second} is better: {worse}"), (1.0, f"{first} is better: {better}")
    top = ((0.5, f"{_within(rope)}: {equivalent}"),)
    across, up = Axis(names=bottom, second_names=top), Axis(bare=True)
    panel = Panel(across, up, tuple(marks), square=True, frame=False, legend="none", wide=1.25)
    said = f"Each of {count(len(shares))} points is a draw of the three probabilities on another data set."
    return Figure((panel,), title, f"{said} {note}".rstrip())


def _reference(places: Floats) -> Line:
    return Line(places[:, 0], places[:, 1], series=None)


def _within(rope: float) -> str:
    return f"within {number(float(rope))} of each other"
