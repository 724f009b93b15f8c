"""All examples, in the order of the lectures."""

from __future__ import annotations

from collections.abc import Mapping

from . import curves, estimation, matrices, misprints, points, rates, significance, thresholds
from .example import Example

_ROOMS = (matrices, rates, estimation, points, curves, thresholds, significance, misprints)

EXAMPLES: Mapping[str, Example] = {each.name: each for room in _ROOMS for each in room.EXAMPLES}
