"""Columns whose values tell that they were prepared with all rows."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark.errors import TallymarkError
from tallymark.validation.learners.features import features_of, is_sparse

Floats = NDArray[np.float64]
_FEW_VALUES = 10
"""Values up to which a column is a code or a grade rather than a measurement."""
_EXACT = 1e-9
_ROUNDED = 1e-6
"""What is left of an exact number after a file of six decimals."""
_BY_CHANCE = 1e-3
"""Standard errors of a mean, a deviation or a correlation, within which chance hardly ever puts it."""
_MOST = 200
"""Columns whose correlations are looked at."""
_FEWEST = {"standardised": 2, "scaled": 3, "components": 2, "imputed": 1}
_ENDS = ((0.0, 1.0), (-1.0, 1.0))
_WHOLES = (10, 16, 20, 100, 255, 1000, 1023, 4095, 65535)
"""What grades and pixels are divided by, whatever rows there are."""
_MANY = 0.01
"""The share of rows from which on a value is frequent."""


@dataclass(frozen=True, eq=False)
class _Column:
    """A column of measurements, and what it is like over all rows."""

    name: str | int
    values: Floats
    mean: float
    deviation: float
    low: float
    high: float
    groups: NDArray[np.int64] | None = None
    """Of the rows, counted from 0."""

    @property
    def tolerance(self) -> float:
        """Of a mean or a deviation, in units of the deviation."""
        return max(_ROUNDED, _BY_CHANCE / math.sqrt(len(self.values)))

    @property
    def is_centred(self) -> bool:
        """Whether the mean over all rows is 0, and not because it is in every group."""
        if abs(self.mean) > self.tolerance * self.deviation:
            return False
        if self.groups is None:
            return True
        sizes = np.bincount(self.groups)
        sums = np.bincount(self.groups, self.values)
        return bool(np.abs(sums).max() > _ROUNDED * self.deviation * sizes.max())

    @property
    def is_mirrored(self) -> bool:
        """Whether it is symmetric about 0, as sine and cosine, grids and circles are."""
        ordered = np.sort(self.values)
        return bool(np.abs(ordered + ordered[::-1]).max() <= _ROUNDED * self.deviation)

    @property
    def is_standardised(self) -> bool:
        n = len(self.values)
        of_sample = self.deviation * math.sqrt(n / (n - 1))
        return self.is_centred and min(abs(self.deviation - 1), abs(of_sample - 1)) <= self.tolerance

    @property
    def ends(self) -> tuple[float, float] | None:
        """The ends it was scaled to, or has by itself."""
        found = (pair for pair in _ENDS if np.allclose((self.low, self.high), pair, rtol=0, atol=_EXACT))
        return next(found, None)

    @property
    def ends_by_itself(self) -> bool:
        """Whether ends come of what it is: shares of a hundred, pixels, ranks, values cut at both ends."""
        at_ends = [np.count_nonzero(self.values == end) for end in (self.low, self.high)]
        if min(at_ends) >= max(3, _MANY * len(self.values)):
            return True
        steps = np.diff(np.unique(self.values))
        return bool(np.ptp(steps) <= _ROUNDED * steps.max()) or any(map(self._is_in_steps_of, _WHOLES))

    def _is_in_steps_of(self, whole: int) -> bool:
        steps = self.values * whole
        return bool(np.abs(steps - np.rint(steps)).max() <= _ROUNDED)

    @property
    def is_imputed(self) -> bool:
        """Whether a frequent value is the mean, or the median of the others: filling gaps moves neither."""
        fewest = max(3, _MANY * len(self.values))
        at_mean = np.abs(self.values - self.mean) <= _ROUNDED * self.deviation
        # It is the middle of all values too. This is cheap; to count every value is not.
        at_middle = self.values == np.median(self.values)
        if max(np.count_nonzero(at_mean), np.count_nonzero(at_middle)) < fewest:
            return False
        values, times = np.unique(self.values, return_counts=True)
        often, most = int(times.argmax()), int(times.max())
        if most < fewest or most <= 2 * np.sort(times)[-2]:
            return False
        if abs(values[often] - self.mean) <= _ROUNDED * self.deviation:
            # 0 is the mean of rows that are mirrored, and frequent among differences.
            return not self.is_centred
        # 40 hours are frequent and the median too: of whole numbers, or grades, it tells nothing.
        others = len(self.values) - most
        return bool(
            2 * times[:often].sum() == others
            and 2 * len(values) > others
            and values[often] != np.rint(values[often])
        )

    @property
    def is_measured(self) -> bool:
        """Whether it has many values."""
        return len(np.unique(self.values)) > _FEW_VALUES


def prepared_columns(X: Any, groups: Any = None) -> dict[str, list[str | int]]:
    """Columns by what was done with them: standardised, scaled, components or imputed.

    Columns that have mean 0 in every group were prepared group by group, which tells nothing of other groups.
    """
    kept: dict[str, list[_Column]] = {"standardised": [], "scaled": [], "components": [], "imputed": []}
    unscaled = False
    for column in _numeric(X, groups):
        ends, imputed = column.ends, column.is_imputed
        plain = not (ends or imputed or column.is_centred)
        # How many values a column has takes longest, and one that is not scaled is enough.
        if (plain and unscaled) or not column.is_measured:
            continue
        unscaled = unscaled or ends is None
        if column.is_standardised:
            kept["standardised"].append(column)
        if column.is_centred and len(kept["components"]) < _MOST and not column.is_mirrored:
            kept["components"].append(column)
        if ends and not column.ends_by_itself:
            kept["scaled"].append(column)
        if imputed:
            kept["imputed"].append(column)
    # Shares and pixels have these ends too, though not in all columns at once.
    if unscaled or len({column.ends for column in kept["scaled"]}) > 1:
        kept["scaled"] = []
    if not _are_components(kept["components"]):
        kept["components"] = []
    elif len(kept["components"]) >= _FEWEST["components"]:
        kept["standardised"] = []  # components of one size: what they are says more
    return {
        kind: [column.name for column in columns]
        for kind, columns in kept.items()
        if len(columns) >= _FEWEST[kind]
    }


def _numeric(X: Any, by: Any) -> Iterator[_Column]:
    """Columns of numbers that are not all the same, one at a time."""
    if is_sparse(X):
        return
    single = None if by is None or np.ndim(by) > 1 else np.unique(by, return_inverse=True)[1]
    try:
        table = features_of(X)
        places = [place for place in range(len(table)) if table.kind(place) == "number"]
        for place in places:
            values = table.numbers([place])[:, 0]
            known = np.isfinite(values)
            values = values[known]
            if len(values) > _FEW_VALUES and values.min() < values.max():
                name = table.names[place] if table.names else place
                with np.errstate(over="ignore", invalid="ignore"):
                    mean, deviation = float(values.mean()), float(values.std())
                low, high = float(values.min()), float(values.max())
                groups = None if single is None else single[known]
                yield _Column(name, values, mean, deviation, low, high, groups)
    except TallymarkError:  # features that are no table
        return


def _are_components(columns: list[_Column]) -> bool:
    """Whether columns of the same rows are not correlated, to the last digits, and the largest come first."""
    if len(columns) < _FEWEST["components"] or len({len(column.values) for column in columns}) > 1:
        return False
    tolerance = columns[0].tolerance
    sizes = np.array([column.deviation for column in columns])
    if (sizes[1:] > sizes[:-1] * (1 + tolerance)).any():
        return False
    found = np.corrcoef([column.values for column in columns])
    return bool(np.abs(found[np.triu_indices(len(columns), 1)]).max() <= tolerance)
