"""Arrays inside a tally, which is a value: nobody can write to them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def owned(array: NDArray[Any]) -> NDArray[Any]:
    """The array itself if nobody can write to it; otherwise a copy, for the caller's stays the caller's."""
    below = array.base
    if array.flags.writeable or (isinstance(below, np.ndarray) and below.flags.writeable):
        array = array.copy()
        array.flags.writeable = False
    return array


def from_zero(counts: NDArray[Any], total: Any) -> NDArray[Any]:
    """Running totals, from nothing to everything."""
    totals = np.zeros(len(counts) + 1, counts.dtype)
    if counts.dtype.kind == "i":
        np.cumsum(counts, out=totals[1:])
    else:
        # Rounding grows with every weight added, so they are added in more digits where there are any.
        np.minimum(np.cumsum(counts, dtype=np.longdouble), total, out=totals[1:], casting="same_kind")
        # After the last row there is nothing left, not what was lost in rounding.
        there = np.flatnonzero(counts)
        totals[1 + (there[-1] if len(there) else -1) :] = total
    totals.flags.writeable = False
    return totals
