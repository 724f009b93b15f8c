"""Scores and thresholds in print."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tallymark.curves.shared import cut_at, within_bin
from tallymark.tallies import Scores

_LONGEST = 1e15
_LAST_BITS = 1e-15


def written(values: NDArray[np.float64]) -> list[str]:
    """All with the same few decimals where these say everything, else with the figures that differ.

    >>> written(np.array([np.inf, 0.5, 0.25])), written(np.array([3.0, 12.0]))
    (['inf', '0.50', '0.25'], ['3', '12'])
    """
    distinct = len(np.unique(values))
    texts = _decimals(values)
    for figures in (6, 9, 12, 15, 17):
        if texts is not None and len(set(texts)) == distinct:
            break
        texts = [f"{value:.{figures}g}" for value in values.tolist()]
    assert texts is not None
    return texts


def written_cuts(scores: Scores, thresholds: NDArray[np.float64]) -> list[str]:
    """Thresholds with the same few decimals, or else each as short as it can be; as they are printed they
    take the same rows."""
    texts = _decimals(thresholds)
    if texts is not None:
        printed = np.array(list(map(float, texts)))
        alike = np.array_equal(_called(scores, printed), _called(scores, thresholds))
        if scores.edges is not None or (alike and not any(within_bin(scores, each) for each in printed)):
            return texts
    return [cut_at(scores, threshold) for threshold in thresholds.tolist()]


def _called(scores: Scores, thresholds: NDArray[np.float64]) -> NDArray[np.intp]:
    """How many of the distinct scores are called positive."""
    return np.asarray(scores.called(thresholds))


@np.errstate(under="ignore")
def _decimals(values: NDArray[np.float64]) -> list[str] | None:
    """All with the same few decimals, if these say everything."""
    known = values[np.isfinite(values)]
    if (np.abs(known) >= _LONGEST).any():
        return None
    for digits in (0, 2, 3, 4, 5, 6):
        # Halfway between 0.65 and 0.51 is 0.58, but for the last bit.
        if (np.abs(np.round(known, digits) - known) <= _LAST_BITS * np.abs(known)).all():
            return [f"{value:.{digits}f}" for value in values.tolist()]
    return None
