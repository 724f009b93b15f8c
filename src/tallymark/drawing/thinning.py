"""Long lines made short without a visible difference."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]

# Of the width of a panel: in a column of a paper, at 600 dots per inch, less than half a dot.
COLUMNS = 4096


def thinned(
    x: Numbers, y: Numbers, low: float, high: float, columns: int = COLUMNS
) -> tuple[Numbers, Numbers]:
    """Some of the points, in their order, whose line looks the same on a panel from `low` to `high`.

    The panel is cut into narrow columns. Of consecutive points in one column the first, the last, the
    lowest and the highest stay: both lines cover the same heights there, so neither has a point farther
    from the other than the width of a column. All that is left or right of the panel is one column each.
    A line whose x only rises or only falls keeps at most four points for each column.

    >>> x = np.linspace(0, 1, 1_000_001)
    >>> [len(part) for part in thinned(x, x**2, 0, 1)]
    [8192, 8192]
    """
    if len(x) <= columns:
        return x, y
    column = _columns(x, y, low, high, columns)
    starts = np.flatnonzero(np.diff(column, prepend=column[0] - 1))
    ends = np.append(starts[1:], len(x)) - 1
    height = np.where(np.isfinite(y), y, 0.0)
    kept = np.unique(
        np.concatenate(
            (starts, ends, _first(np.minimum, height, starts, ends), _first(np.maximum, height, starts, ends))
        )
    )
    return x[kept], y[kept]


def staircase(x: Numbers, y: Numbers) -> tuple[Numbers, Numbers]:
    """The line on which each y holds until the next x.

    >>> staircase(np.array([0.0, 1.0, 2.0]), np.array([5.0, 6.0, 7.0]))
    (array([0., 1., 1., 2., 2.]), array([5., 5., 6., 6., 7.]))
    """
    return np.repeat(x, 2)[1:], np.repeat(y, 2)[:-1]


def _columns(x: Numbers, y: Numbers, low: float, high: float, columns: int) -> NDArray[np.int64]:
    finite = np.isfinite(x) & np.isfinite(y)
    place = np.floor((np.where(finite, x, low) - low) * (columns / (high - low)))
    # The last column has its right edge as well: what is beyond it is not drawn.
    place = np.where(x > high, columns, np.clip(place, -1, columns - 1))
    # A gap is a column of its own, so that the line stays interrupted.
    return np.where(finite, place, -2).astype(np.int64)


def _first(
    extreme: np.ufunc, height: Numbers, starts: NDArray[np.intp], ends: NDArray[np.intp]
) -> NDArray[np.intp]:
    """Where each run of points first has its extreme height."""
    found = np.flatnonzero(height == np.repeat(extreme.reduceat(height, starts), ends - starts + 1))
    return found[np.searchsorted(found, starts)]
