"""Averages over classes, some of which may have nothing to average."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark.tallies import Label
from tallymark.tallies.labels import listed


def averaged(labels: Sequence[Label], missing: NDArray[np.bool_], undefined_as: float | None) -> str | None:
    """What must be said of an average: for which classes there is nothing to average."""
    if not missing.any():
        return None
    names = listed([labels[position] for position in np.flatnonzero(missing).tolist()])
    if undefined_as is not None:
        return f"undefined for {names}, counted as {undefined_as:g}"
    return f"{int((~missing).sum())} of {len(missing)} classes; undefined for {names}"


def mean_of_classes(values: Any, weights: Any, undefined_as: float | None) -> Any:
    """Weighted mean along the classes; classes without a value have weight 0 or count as `undefined_as`."""
    filled = np.where(np.isnan(values), 0.0 if undefined_as is None else undefined_as, values)
    total = weights.sum(axis=-1)
    with np.errstate(invalid="ignore"):
        return (filled * weights).sum(axis=-1) / total
