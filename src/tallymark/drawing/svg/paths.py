"""Lines as paths of few letters, without a visible difference.

Places are in units of the picture, from its upper left corner; a path has them in tenths.
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby

import numpy as np

from tallymark.drawing.scales import Numbers
from tallymark.drawing.thinning import thinned

from .elements import tenths

Places = Sequence[tuple[int, int]]

# In tenths of a unit: how far a point may lie from the line that leaves it out. A line is 18 wide.
_OFF, _COARSE_OFF = 0.8, 4.0
COARSE = 5
"""Parts of a unit in which long lines are written."""
# A place farther away than this is as good as there.
_FARTHEST = 1e6


def runs(x: Numbers, y: Numbers, ends: tuple[float, float], columns: int) -> Iterator[Places]:
    """The parts of a line between gaps, each in as few points as look the same; a lone point is no line.

    Of the panel between these ends, at most four points for each of the `columns` are looked at.
    """
    for part in _between_gaps(*thinned(x, y, *ends, columns)):
        found = corners(part)
        if len(found) > 1:
            yield found


def rounded(x: Numbers, y: Numbers) -> list[tuple[int, int]]:
    """In whole tenths."""
    both = np.rint(np.clip(np.column_stack((x, y)), -_FARTHEST, _FARTHEST) * 10).astype(np.int64)
    return [(across, down) for across, down in both.tolist()]


def coarse(points: Iterable[tuple[int, int]]) -> Places:
    """The line in fewer corners, and in whole fifths of a unit instead of tenths."""
    kept = corners(points, _COARSE_OFF)
    return [place for place, _ in groupby((round(x * COARSE / 10), round(y * COARSE / 10)) for x, y in kept)]


def corners(points: Iterable[tuple[int, int]], off: float = _OFF) -> Places:
    """The line with those points left out that lie on it anyway, or no farther away than `off`.

    From the last point that is kept, a new line has to pass close to all since: that leaves it a range of
    directions, which gets narrower with each point (Williams 1978).

    >>> corners([(0, 0), (10, 0), (20, 0), (20, 0), (20, 30)])
    [(0, 0), (20, 0), (20, 30)]
    """
    kept: list[tuple[int, int]] = []
    last: tuple[int, int] | None = None
    base, low, high, away = 1 + 0j, -math.pi, math.pi, 0.0
    for point in points:
        if last is None:
            kept.append(point)
        elif point != last:
            step = complex(point[0] - kept[-1][0], point[1] - kept[-1][1])
            if last != kept[-1]:
                turn = cmath.phase(step / base) if step else math.pi
                if not low <= turn <= high or abs(step) < away:
                    kept.append(last)
                    step = complex(point[0] - last[0], point[1] - last[1])
            if last == kept[-1]:
                base, low, high = step, -math.pi, math.pi
            turn, away = cmath.phase(step / base), abs(step)
            room = math.asin(min(1.0, off / away))
            low, high = max(low, turn - room), min(high, turn + room)
        last = point
    if last is not None and last != kept[-1]:
        kept.append(last)
    return kept


def path(points: Places, *, closed: bool = False, write: Callable[[int], str] = tenths) -> str:
    """The points as a path, in steps from one to the next.

    >>> path([(0, 0), (15, 0), (15, -4), (20, 1)])
    'M0 0h1.5v-.4l.5.5'
    """
    (x, y), *others = points
    parts = ["M", write(x), write(y)]
    letter = "M"
    for across, down in others:
        step = across - x, down - y
        x, y = across, down
        used, numbers = ("h", step[:1]) if not step[1] else ("v", step[1:]) if not step[0] else ("l", step)
        parts += [used] * (used != letter) + [write(number) for number in numbers]
        letter = used
    return "".join(_spaced(parts)) + "z" * closed


def _spaced(parts: Iterable[str]) -> Iterator[str]:
    """A blank only between numbers that would otherwise be read as one."""
    before = "M"
    for part in parts:
        parted = before.isalpha() or part.isalpha() or part[0] == "-" or (part[0] == "." in before)
        yield part if parted else f" {part}"
        before = part


def _between_gaps(x: Numbers, y: Numbers) -> Iterator[list[tuple[int, int]]]:
    there = np.isfinite(x) & np.isfinite(y)
    edges = np.flatnonzero(np.diff(there.astype(np.int8), prepend=0, append=0))
    for start, stop in edges.reshape(-1, 2).tolist():
        yield rounded(x[start:stop], y[start:stop])
