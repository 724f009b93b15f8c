"""Where on a panel there is room for words. All lengths are in points, from the panel's lower left corner."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from .figure import Anchor
from .scales import Numbers

_GAP = 5.0
_FAR = 14.0
_EDGE = 2.0
_STEP = 2.0
_MOST_SAMPLES = 20_000
# What a place costs, against 1 for each place that was preferred to it: for every point covered, and
# for every box.
_COVERED, _OVERLAP = 4.0, 1000.0

_SIDES: dict[Anchor, tuple[int, int]] = {"right": (1, 0), "left": (-1, 0), "above": (0, 1), "below": (0, -1)}
_CORNERS = ((1, -1), (-1, 1), (1, 1), (-1, -1))


class Box(NamedTuple):
    left: float
    bottom: float
    width: float
    height: float

    def overlaps(self, other: Box) -> bool:
        return (
            self.left < other.left + other.width
            and other.left < self.left + self.width
            and self.bottom < other.bottom + other.height
            and other.bottom < self.bottom + self.height
        )


@dataclass(frozen=True)
class Room:
    """A panel, what is drawn on it, and the boxes of words already there."""

    width: float
    height: float
    ink: Numbers
    """Points on all lines, close to each other, one row each."""
    taken: tuple[Box, ...] = ()

    def with_box(self, box: Box) -> Room:
        return Room(self.width, self.height, self.ink, (*self.taken, box))

    def beside(self, point: tuple[float, float], size: tuple[float, float], asked: Anchor) -> Box:
        """A box of this size near the point, on the side asked for unless another side is freer."""
        return self._freest(self._inside(box) for box in _around(point, size, asked))

    def in_a_corner(self, size: tuple[float, float]) -> Box:
        """A box of this size in the freest corner."""
        right, top = self.width - size[0] - _GAP, self.height - size[1] - _GAP
        corners = (right, _GAP), (right, top), (_GAP, _GAP), (_GAP, top)
        return self._freest(Box(*corner, *size) for corner in corners)

    def _inside(self, box: Box) -> Box:
        left = min(max(box.left, _EDGE), self.width - box.width - _EDGE)
        bottom = min(max(box.bottom, _EDGE), self.height - box.height - _EDGE)
        return box._replace(left=left, bottom=bottom)

    def _freest(self, boxes: Iterable[Box]) -> Box:
        tried = [(self._cost(box) + order, order, box) for order, box in enumerate(boxes)]
        return min(tried)[2]

    def _cost(self, box: Box) -> float:
        across, up = (self.ink - (box.left, box.bottom)).T
        covered = (across > -_EDGE) & (across < box.width + _EDGE) & (up > -_EDGE) & (up < box.height + _EDGE)
        return _COVERED * float(covered.sum()) + _OVERLAP * sum(box.overlaps(other) for other in self.taken)


def _around(point: tuple[float, float], size: tuple[float, float], asked: Anchor) -> Iterator[Box]:
    sides = [_SIDES[asked], *(side for anchor, side in _SIDES.items() if anchor != asked), *_CORNERS]
    for gap in (_GAP, _FAR):
        for across, up in sides:
            yield Box(
                point[0] + across * gap + (across - 1) / 2 * size[0],
                point[1] + up * gap + (up - 1) / 2 * size[1],
                *size,
            )


def along(x: Numbers, y: Numbers) -> Numbers:
    """Points on the line through these, so close to each other that no word fits between them."""
    finite = np.isfinite(x) & np.isfinite(y)
    x, y = x[finite], y[finite]
    if len(x) < 2:
        return np.column_stack((x, y))
    length = np.append(0.0, np.cumsum(np.hypot(np.diff(x), np.diff(y))))
    samples = np.linspace(0.0, length[-1], int(min(length[-1] / _STEP + 2, _MOST_SAMPLES)))
    return np.column_stack((np.interp(samples, length, x), np.interp(samples, length, y)))


def all_ink(parts: Sequence[Numbers]) -> Numbers:
    return np.concatenate(parts) if parts else np.empty((0, 2))
