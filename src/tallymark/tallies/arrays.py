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
