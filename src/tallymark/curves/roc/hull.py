"""The convex hull of an ROC curve: the points that some costs and class shares make the best choice."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark.curves.shared import plain
from tallymark.tallies.confusion import frozen

_PRODUCTS_FIT = 2**62
_LAST_BITS = 1e-12
_BLOCK = 1 << 16
_WORTH_A_PASS = 0.05
"""A pass over all points that takes out a smaller share of them costs more than it saves."""


@dataclass(frozen=True, eq=False)
class Hull:
    """The vertices from (0, 0) to (1, 1), no three of them on a line."""

    fpr: NDArray[np.float64]
    tpr: NDArray[np.float64]

    def __post_init__(self) -> None:
        frozen(self.fpr)
        frozen(self.tpr)

    @property
    def auc(self) -> float:
        """The area below it: what the best threshold for every slope, or a coin between two, reaches."""
        return area(self.fpr, self.tpr)

    @property
    def slope(self) -> NDArray[np.float64]:
        """Of each side; infinite where it goes straight up."""
        with np.errstate(divide="ignore"):
            return frozen(np.diff(self.tpr) / np.diff(self.fpr))

    def to_dict(self) -> dict[str, Any]:
        return {"auc": self.auc, "fpr": self.fpr.tolist(), "tpr": self.tpr.tolist()}


@dataclass(frozen=True, eq=False)
class ThresholdHull(Hull):
    """The hull of a curve made of thresholds."""

    threshold: NDArray[np.float64]

    def __post_init__(self) -> None:
        super().__post_init__()
        frozen(self.threshold)

    """Where each vertex is reached; the first is infinity or, ascending, where nothing is called positive."""

    def to_dict(self) -> dict[str, Any]:
        return super().to_dict() | {"threshold": plain(self.threshold)}


def upper_hull(x: NDArray[Any], y: NDArray[Any]) -> NDArray[np.intp]:
    """Places of the vertices of the upper hull, for points in the order of x, and of y where x is equal.

    Points on a side are no vertices, and of equal points the first counts. Whole numbers are compared
    exactly, others but for their last bits.
    """
    if x.dtype.kind == "i" and int(np.ptp(x)) * int(np.ptp(y)) >= _PRODUCTS_FIT:
        x, y = x.astype(np.float64), y.astype(np.float64)
    starts = range(0, len(x), _BLOCK)
    if len(starts) == 1:
        return _of_block(x, y)
    # A vertex of the whole is one of the part it lies in.
    parts = [start + _of_block(x[start : start + _BLOCK], y[start : start + _BLOCK]) for start in starts]
    kept = np.concatenate(parts)
    return np.asarray(kept[_of_block(x[kept], y[kept])])


def _of_block(x: NDArray[Any], y: NDArray[Any]) -> NDArray[np.intp]:
    dust = 0 if x.dtype.kind == "i" else _LAST_BITS
    moved = np.concatenate([[True], (np.diff(x) != 0) | (np.diff(y) != 0)])
    kept: NDArray[np.intp] = np.flatnonzero(moved)
    while len(kept) > 2:
        # A point on or below the line between its neighbours is no vertex, so all such go at once.
        right, up = np.diff(x[kept]), np.diff(y[kept])
        before_it, after_it = right[1:] * up[:-1], right[:-1] * up[1:]
        vertex = np.concatenate([[True], after_it < before_it - dust * np.abs(before_it), [True]])
        before, kept = len(kept), kept[vertex]
        if len(kept) == before:
            return kept
        if len(kept) > (1 - _WORTH_A_PASS) * before:
            return np.asarray(kept[_chain(x[kept].tolist(), y[kept].tolist(), dust)])
    return kept


def _chain(x: list[Any], y: list[Any], dust: float) -> list[int]:
    """Andrew's monotone chain (1979), for what is left when passes take out little."""
    kept: list[int] = []
    for place in range(len(x)):
        while len(kept) > 1:
            a, b = kept[-2], kept[-1]
            before_it = (x[place] - x[b]) * (y[b] - y[a])
            if (x[b] - x[a]) * (y[place] - y[b]) < before_it - dust * abs(before_it):
                break
            kept.pop()
        kept.append(place)
    return kept


def area(x: NDArray[Any], y: NDArray[Any]) -> float:
    """The sum of the trapezoids below the points."""
    return float(np.sum(np.abs(np.diff(x)) * (y[1:] + y[:-1])) / 2)
