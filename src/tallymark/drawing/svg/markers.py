"""Shapes that tell series apart where colours do not."""

from __future__ import annotations

import math

import numpy as np

from .elements import short
from .paths import path, rounded

_Corners = tuple[tuple[float, float], ...]


def _around(count: int, *radii: float, start: float = 0.0) -> _Corners:
    """Corners around a centre, the first on top, at these distances by turns."""
    turns = [start + 2 * math.pi * corner / count for corner in range(count)]
    return tuple(
        (radii[corner % len(radii)] * math.sin(turn), -radii[corner % len(radii)] * math.cos(turn))
        for corner, turn in enumerate(turns)
    )


def _turned(corners: _Corners, turn: float) -> _Corners:
    cosine, sine = math.cos(turn), math.sin(turn)
    return tuple((x * cosine - y * sine, x * sine + y * cosine) for x, y in corners)


_TRIANGLE = ((0.0, -1.15), (1.15, 0.85), (-1.15, 0.85))
_ARM = 0.42
_PLUS = tuple(
    (x * 1.15, y * 1.15)
    for x, y in (
        *((-_ARM, -1), (_ARM, -1), (_ARM, -_ARM), (1, -_ARM), (1, _ARM), (_ARM, _ARM)),
        *((_ARM, 1), (-_ARM, 1), (-_ARM, _ARM), (-1, _ARM), (-1, -_ARM), (-_ARM, -_ARM)),
    )
)
# A circle has no corners.
_SHAPES: tuple[_Corners, ...] = (
    (),
    _around(4, 1.25, start=math.pi / 4),
    _TRIANGLE,
    _around(4, 1.3),
    _turned(_TRIANGLE, math.pi),
    _PLUS,
    _turned(_PLUS, math.pi / 4),
    _turned(_TRIANGLE, -math.pi / 2),
    _around(10, 1.4, 0.6),
    _around(5, 1.2),
    _turned(_TRIANGLE, math.pi / 2),
)


def marker(series: int, x: float, y: float, radius: float) -> str:
    """The shape of a series around a point, as a path."""
    corners = _SHAPES[series % len(_SHAPES)]
    if corners:
        across, down = np.array(corners).T * radius
        return path(rounded(across + x, down + y), closed=True)
    half, whole = short(radius), short(2 * radius)
    arc = f"a{half} {half} 0 1 0"
    return f"M{short(x - radius)} {short(y)}{arc} {whole} 0{arc}-{whole} 0z"
