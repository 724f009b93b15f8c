"""From where to where a scale runs, where on it a number lies, and in what large numbers are counted."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from .figure import Axis, Cells, Mark, Note

Numbers = NDArray[np.float64]

_MANY = 100_000
_POWERS = {3: "thousands", 6: "millions", 9: "billions", 12: "trillions"}
# Close to where floats end there are neither ticks nor places.
_FARTHEST = 1e306
_LEAST = 1e-300


def span(axis: Axis) -> tuple[float, float]:
    """From where to where the axis runs, also when all of the data is one number."""
    low, high = max(axis.low, -_FARTHEST), min(axis.high, _FARTHEST)
    if low < high:
        return low, high
    room = abs(low) / 2 or 0.5
    return low - room, low + room


@np.errstate(under="ignore")
def places(axis: Axis, values: Numbers) -> Numbers:
    """As shares of the way along the axis; on a logarithmic one, all below it for 0 and less."""
    low, high = span(axis)
    if axis.log:
        values = np.log(np.maximum(values, _LEAST))
        low, high = math.log(low), math.log(high)
    # Halved, because the distance may be beyond floats.
    return (values / 2 - low / 2) / (high / 2 - low / 2)


def within(axis: Axis, values: Numbers) -> bool:
    """Whether none of them is beyond the axis."""
    low, high = span(axis)
    return bool(((values >= low) & (values <= high)).all())


def unit(highest: float) -> tuple[float, str]:
    """In what large numbers are counted, so that each takes a few figures only, and how to say that.

    >>> unit(5_000), unit(2_000_000)
    ((1.0, ''), (1000.0, ', in thousands'))
    """
    if highest < _MANY:
        return 1.0, ""
    power = 3 * int((math.log10(highest) - 2) // 3)
    word = _POWERS.get(power)
    return 10.0**power, f", in {word}" if word else f", in units of 1e{power}"


def series_of(mark: Mark) -> int | None:
    return None if isinstance(mark, Cells | Note) else mark.series
