"""A user's own number of rows, `f(y_true, y_pred)`: its interval comes from resampling the rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark.errors import MetricError
from tallymark.inference.draws import ENOUGH_IN_TAIL, reach_of, tail_of
from tallymark.inference.progress import steps

RESAMPLES = 1_000
_MOST_UNDEFINED = 0.05
_STREAM = 1 << 32
"""Past the streams that the classes of a table draw from."""

Rows = tuple[NDArray[np.int64], NDArray[Any] | None]
"""Positions of rows, and how often each was seen when that is not the rows' own business."""


@dataclass(frozen=True)
class Resampled:
    """A function of rows, asked again for rows, or whole groups, drawn with replacement."""

    name: str
    function: Callable[[NDArray[np.int64], NDArray[Any] | None], float]
    rows: int
    group: NDArray[np.int64] | None = None
    """The group of every row, as positions from 0 up; None when rows are independent."""
    frequency: NDArray[np.int64] | None = None
    """How many rows each line stands for, when it is not one."""
    seed: int = 0

    @property
    def units(self) -> int:
        """How many things were drawn independently: rows or groups."""
        if self.group is not None:
            return int(self.group.max()) + 1
        return self.rows if self.frequency is None else int(self.frequency.sum())

    @cached_property
    def _values(self) -> NDArray[np.float64]:
        generator = np.random.default_rng([self.seed, _STREAM])
        chosen = steps(RESAMPLES, f"resampling {self.name}")
        return np.array([self._value(*self._drawn(generator)) for _ in chosen])

    def _value(self, rows: NDArray[np.int64], times: NDArray[Any] | None) -> float:
        try:
            return self.function(rows, times)
        except MetricError:
            # What works on all rows may fail on a resample, say one without a class: it has no value there.
            return np.nan

    def _drawn(self, generator: np.random.Generator) -> Rows:
        if self.group is not None:
            return self._drawn_groups(generator), None
        if self.frequency is None:
            return generator.integers(0, self.rows, self.rows), None
        times = generator.multinomial(self.units, self.frequency / self.units)
        there = np.flatnonzero(times)
        return there, times[there]

    def _drawn_groups(self, generator: np.random.Generator) -> NDArray[np.int64]:
        units = generator.integers(0, self.units, self.units)
        order, ends = self._by_group
        starts, sizes = (ends - np.diff(ends, prepend=0))[units], np.diff(ends, prepend=0)[units]
        # The rows of every group drawn, one group after the other, without a loop over groups.
        within = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        return np.asarray(order[np.repeat(starts, sizes) + within])

    @cached_property
    def _by_group(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Rows sorted by group, and where each group ends."""
        assert self.group is not None
        return np.argsort(self.group, kind="stable"), np.cumsum(np.bincount(self.group))

    def limits(self, level: float) -> tuple[float, float] | str:
        """Percentiles of the resamples, widened for few rows or groups; or why there are none."""
        if self.units < 2:
            return "there is one row, so there is nothing to resample"
        values = self._values[np.isfinite(self._values)]
        undefined = 1 - len(values) / len(self._values)
        if undefined > _MOST_UNDEFINED:
            return f"it has no value in {undefined:.0%} of the resamples"
        if np.ptp(values) == 0:
            return "every resample gives the same value"
        tail = tail_of(level, self.units)
        if RESAMPLES * tail >= ENOUGH_IN_TAIL:
            low, high = np.quantile(values, [tail, 1 - tail])
            return float(low), float(high)
        half = reach_of(level, self.units) * float(values.std())
        value = self.function(np.arange(self.rows), None)
        return value - half, value + half
