"""Where on a picture a panel is, and where on the panel its numbers are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tallymark.drawing.figure import Axis
from tallymark.drawing.scales import Numbers, places, span


@dataclass(frozen=True)
class Frame:
    """A rectangle between two axes, in units of the picture, from its upper left corner."""

    x: Axis
    y: Axis
    left: float
    top: float
    width: float
    height: float

    @property
    def right(self) -> float:
        return self.left + self.width

    @property
    def bottom(self) -> float:
        return self.top + self.height

    @property
    def row(self) -> float:
        """How high a unit of the upright axis is."""
        low, high = span(self.y)
        return self.height / (high - low)

    def across(self, values: Numbers) -> Numbers:
        return self.left + places(self.x, np.asarray(values, dtype=np.float64)) * self.width

    def down(self, values: Numbers) -> Numbers:
        return self.bottom - places(self.y, np.asarray(values, dtype=np.float64)) * self.height
