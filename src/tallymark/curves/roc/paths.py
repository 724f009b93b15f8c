"""ROC curves as functions of the FPR, compared with each other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from tallymark.curves.shared import DUST

Floats = NDArray[np.float64]


class Drawn(Protocol):
    """What has points."""

    @property
    def fpr(self) -> Floats: ...
    @property
    def tpr(self) -> Floats: ...


@dataclass(frozen=True, eq=False)
class Path:
    """A curve at each of its distinct FPRs; where it goes straight up the highest TPR counts."""

    fpr: Floats
    """Distinct, from 0 to 1."""
    reached: Floats
    """The TPR at its end of the line from the left."""
    leaves: Floats
    """The TPR from where it goes on; higher after a step straight up."""

    @classmethod
    def of(cls, curve: Drawn) -> Path:
        fpr, tpr = curve.fpr, curve.tpr
        if fpr[0] > fpr[-1]:
            fpr, tpr = fpr[::-1], tpr[::-1]
        return cls.through(fpr, tpr)

    @classmethod
    def through(cls, fpr: Floats, tpr: Floats) -> Path:
        """The line through points in the order of their FPR."""
        first = np.flatnonzero(np.concatenate([[True], np.diff(fpr) > 0]))
        last = np.append(first[1:], len(fpr)) - 1
        return cls(fpr[first], tpr[first], tpr[last])

    def at(self, fpr: Floats) -> Floats:
        """The highest TPR at each FPR."""
        return self._on(np.searchsorted(self.fpr, fpr, side="right") - 1, fpr)

    def just_before(self, fpr: Floats) -> Floats:
        """The TPR on the way to each FPR, before any step straight up there."""
        return self._on(np.maximum(np.searchsorted(self.fpr, fpr, side="left") - 1, 0), fpr)

    def _on(self, line: NDArray[np.intp], fpr: Floats) -> Floats:
        after = np.minimum(line + 1, len(self.fpr) - 1)
        width = np.where(after > line, self.fpr[after] - self.fpr[line], 1.0)
        share = (fpr - self.fpr[line]) / width
        return np.asarray(self.leaves[line] + share * (self.reached[after] - self.leaves[line]))


def merged(*grids: Floats) -> Floats:
    """All numbers of ascending lists, ascending, each once."""
    # A stable sort merges what is in order already: a third of the time of np.unique.
    every = np.sort(np.concatenate(grids), kind="stable")
    return np.asarray(every[np.concatenate([[True], every[1:] != every[:-1]])])


def crossings_of(one: Path, two: Path) -> Iterator[tuple[bool, float, float, float]]:
    """Where the first passes the second: whether upwards, at which FPR, until which, at which TPR.

    A crossing lasts from one FPR until another where the two run together between.
    """
    grid = merged(one.fpr, two.fpr)
    gap = np.empty(2 * len(grid) - 2)
    gap[::2] = one.at(grid[:-1]) - two.at(grid[:-1])
    gap[1::2] = one.just_before(grid[1:]) - two.just_before(grid[1:])
    where = np.repeat(grid, 2)[1:-1]
    apart = np.flatnonzero(np.abs(gap) > DUST)
    changes = np.flatnonzero(np.diff(np.sign(gap[apart])))
    start, stop = apart[changes], apart[changes + 1]
    together = stop > start + 1
    low, high = where[np.where(together, start + 1, start)], where[np.where(together, stop - 1, stop)]
    # Both ends of one straight piece: the lines meet inside it.
    inside = ~together & (start % 2 == 0)
    share = gap[start] / (gap[start] - gap[stop])
    met = np.where(inside, low + share * (high - low), low)
    until = np.where(inside, met, high)
    height = np.minimum(one.at(met), two.at(met))
    upwards = gap[stop] > 0
    yield from zip(upwards.tolist(), met.tolist(), until.tolist(), height.tolist(), strict=True)
