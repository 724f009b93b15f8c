"""Scores and thresholds in print."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_LONGEST = 1e15
_LAST_BITS = 1e-15


def written(values: NDArray[np.float64]) -> list[str]:
    """All with the same few decimals where these say everything, else with the figures that differ.

    >>> written(np.array([np.inf, 0.5, 0.25])), written(np.array([3.0, 12.0]))
    (['inf', '0.50', '0.25'], ['3', '12'])
    """
    known = values[np.isfinite(values)]
    distinct = len(np.unique(values))
    forms = [f".{figures}g" for figures in (6, 9, 12, 15, 17)]
    if (np.abs(known) < _LONGEST).all():
        for digits in (0, 2, 3, 4, 5, 6):
            # Halfway between 0.65 and 0.51 is 0.58, but for the last bit.
            if (np.abs(np.round(known, digits) - known) <= _LAST_BITS * np.abs(known)).all():
                forms.insert(0, f".{digits}f")
                break
    for form in forms:
        texts = [f"{value:{form}}" for value in values.tolist()]
        if len(set(texts)) == distinct:
            break
    return texts
