"""How long an axis must be for values and their intervals."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_MARGIN = 0.06
# An interval that reaches this many times farther than most would leave no room for the others.
_FARTHEST = 4.0


def reach(value: Floats, low: Floats, high: Floats, always: Sequence[float]) -> tuple[float, float]:
    """From where to where: all values are on it, all of `always`, and all intervals but far wider ones.

    The first of `always` is where no difference is.
    """
    zero = always[0]
    seen = np.append(value[np.isfinite(value)], always)
    distance = np.fmax(np.abs(low - zero), np.abs(high - zero))
    usual = distance[np.isfinite(distance) & (distance > 0)]
    most = max(_FARTHEST * float(np.median(usual)) if len(usual) else 0.0, float(np.abs(seen - zero).max()))
    ends = np.concatenate([low, high])
    seen = np.append(seen, np.clip(ends[~np.isnan(ends)], zero - most, zero + most))
    room = _MARGIN * float(np.ptp(seen)) or abs(zero) / 2 or 0.05
    return float(seen.min()) - room, float(seen.max()) + room
