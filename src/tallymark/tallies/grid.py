"""`Grid`: the one definition of a bin, for scores that are counted without being kept."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark.errors import OptionError
from tallymark.tallies.arrays import owned
from tallymark.tallies.confusion import frozen

BINS = 61_440
"""Divisible by 10, 15 and 16, so that bins of a calibration curve end where these do."""
SLICE_BINS = 4_096
"""Of every slice, of which there may be a thousand."""
_LARGEST = 0x7FEFFFFFFFFFFFFF
"""The place of the largest float among all floats; that of the least is its negative."""


@dataclass(frozen=True, eq=False)
class Grid:
    """Bins of equal width from `low` to `high`, one for all scores below and one for all above, and cuts.

    A score x is in bin `floor((x - low) * (bins / (high - low)))`: that never decreases with x, and comes out
    equal wherever arithmetic follows IEEE 754. So an edge is the least float with its number, which need not
    be `low + k * width`. `cuts` are further edges, as a threshold is.

    >>> Grid(0, 1, 4).edges.tolist()
    [-inf, 0.0, 0.25, 0.5, 0.75, 1.0]
    >>> Grid(0, 1, 4).index(np.array([-3, 0.2, 0.25, 1])).tolist()
    [0, 1, 2, 5]
    """

    low: float = 0.0
    high: float = 1.0
    bins: int = BINS
    cuts: NDArray[np.float64] = field(default_factory=lambda: np.empty(0))

    def __post_init__(self) -> None:
        low, high = float(self.low), float(self.high)
        if not (math.isfinite(low) and math.isfinite(high) and low < high and math.isfinite(high - low)):
            raise OptionError(
                f"a grid reaches from a number up to a larger one; got {self.low} to {self.high}."
            )
        if not 1 <= self.bins <= 1 << 24 or not math.isfinite(self.bins / (high - low)):
            raise OptionError(
                f"a grid has from 1 to {1 << 24:,} bins; got {self.bins!r} from {low} to {high}."
            )
        object.__setattr__(self, "low", low)
        object.__setattr__(self, "high", high)
        object.__setattr__(self, "cuts", owned(np.unique(np.asarray(self.cuts, float) + 0.0)))

    def __len__(self) -> int:
        return len(self.edges)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Grid):
            return NotImplemented
        return self._plain == other._plain and np.array_equal(self.cuts, other.cuts)

    def __hash__(self) -> int:
        return hash((self._plain, self.cuts.tobytes()))

    @property
    def _plain(self) -> tuple[float, float, int]:
        return self.low, self.high, self.bins

    def __reduce__(self) -> tuple[Any, ...]:
        return Grid, (*self._plain, np.array(self.cuts))

    def __str__(self) -> str:
        cuts = f" and {len(self.cuts):,} cuts" if len(self.cuts) else ""
        return f"{self.bins:,} bins from {self.low:g} to {self.high:g}{cuts}"

    def cut_at(self, scores: Iterable[float]) -> Grid:
        """With these scores in bins of their own, so that rows above, at and below each are known."""
        at = np.fromiter(scores, float)
        return self.finer(np.concatenate([at, np.nextafter(at, np.inf)]))

    def finer(self, edges: NDArray[np.float64]) -> Grid:
        """With more edges."""
        return Grid(*self._plain, np.concatenate([self.cuts, edges]))

    @cached_property
    def edges(self) -> NDArray[np.float64]:
        """The least score of every bin, ascending; the lowest bin has none."""
        regular = _edges(*self._plain)
        return frozen(np.union1d(regular, self.cuts)) if len(self.cuts) else regular

    def index(self, scores: NDArray[np.float64]) -> NDArray[np.int64]:
        """Which bin each of finite scores is in."""
        place = _regular(scores, *self._plain)
        if not len(self.cuts):
            return place
        place = self._first.take(place)
        inside = np.flatnonzero(place < 0)
        if len(inside):
            place[inside] = np.searchsorted(self.edges, scores[inside], side="right") - 1
        return place

    @cached_property
    def _first(self) -> NDArray[np.int64]:
        """Where every regular bin stands among all; -1 if it is cut."""
        first = np.searchsorted(self.edges, _edges(*self._plain))
        return np.where(np.diff(first, append=len(self.edges)) > 1, -1, first)


def _regular(scores: NDArray[Any], low: float, high: float, bins: int) -> NDArray[np.int64]:
    with np.errstate(over="ignore"):
        place = np.multiply(scores - low if low else scores, bins / (high - low), dtype=np.float64)
    np.floor(place, out=place)
    np.clip(place, -1, bins, out=place)
    place += 1
    return place.astype(np.int64)


@lru_cache(maxsize=64)
def _edges(low: float, high: float, bins: int) -> NDArray[np.float64]:
    """The least float in every bin, by bisection among all floats: rounding may put it anywhere."""
    wanted = np.arange(1, bins + 2)
    below, at = np.full(bins + 1, -_LARGEST), np.full(bins + 1, _LARGEST)
    while (at - 1 > below).any():
        middle = (below >> 1) + (at >> 1) + (below & at & 1)
        reached = _regular(floats_at(middle), low, high, bins) >= wanted
        at = np.where(reached, middle, at)
        below = np.where(reached, below, middle)
    return frozen(np.concatenate([[-np.inf], floats_at(at)]))


def place_among_floats(value: float) -> int:
    """Where a float stands in the order of all floats, of which 0 is the place of 0.0."""
    bits = int(np.float64(abs(value)).view(np.int64))
    return -bits if value < 0 else bits


def floats_at(places: NDArray[np.int64]) -> NDArray[np.float64]:
    """The floats at these places in their order, of which 0 is that of 0.0."""
    return np.copysign(np.abs(places).view(np.float64), np.where(places < 0, -1.0, 1.0))
