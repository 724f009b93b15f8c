"""How far off rounding can put a number."""

from __future__ import annotations

import math

import numpy as np

EPSILON = float(np.finfo(np.float64).eps)


_CHAIN = 1 << 20
"""Rows are added up in blocks, and these then: no number is the last of a longer chain of additions."""


def rounding(rows: int, *, fractions: bool = False) -> float:
    """What rounding can do to a sum over so many rows, as a part of it.

    Fractions, such as weights, may all be rounded the same way: a third added up a million times.
    """
    return EPSILON * (16 + (2 * min(rows, _CHAIN) if fractions else 4 * math.sqrt(rows)))
