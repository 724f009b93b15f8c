"""`ClassRanks`: how well the score of every class sets its rows apart from those of every other class."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark.tallies.arrays import owned
from tallymark.tallies.confusion import frozen
from tallymark.tallies.labels import Label

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ClassRanks:
    """Pairs of rows of different classes, ranked by the score of either class, and places of the true class.

    Two of them cannot be added: pairs of a row of one and a row of the other were never compared.

    >>> ranks = ClassRanks(("a", "b"), np.array([2, 1]), np.array([[0, 1.5], [2, 0]]), np.array([2, 1]))
    >>> ranks.areas[0, 1].item(), ranks.pair_areas.tolist()
    (0.75, [0.875])
    """

    labels: tuple[Label, ...]
    support: NDArray[Any]
    """Rows of every class, or the sum of their weights."""
    won: Floats
    """[i, j]: pairs of a row of class i and one of class j in which the first has the higher score of class
    i; of equal scores half counts."""
    places: NDArray[Any]
    """Rows whose true class has the highest of its row's scores, the second highest and so on; of equal
    scores the first in the order of the labels is taken for the higher."""

    def __post_init__(self) -> None:
        for name in ("support", "won", "places"):
            object.__setattr__(self, name, owned(getattr(self, name)))

    def __reduce__(self) -> tuple[Any, ...]:
        # Arrays come back from a pickle writeable: rebuild instead.
        return ClassRanks, tuple(getattr(self, each.name) for each in fields(self))

    @property
    def n(self) -> Any:
        """Rows of all classes, or the sum of their weights."""
        return self.support.sum().item()

    @cached_property
    def there(self) -> NDArray[np.bool_]:
        """Which classes have rows."""
        return frozen(self.support > 0)

    @cached_property
    def areas(self) -> Floats:
        """[i, j]: the area under the ROC curve of class i among rows of i and j; NaN where one has none."""
        pairs = np.multiply.outer(self.support, self.support).astype(float)
        np.fill_diagonal(pairs, 0.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            return frozen(np.where(pairs > 0, self.won / pairs, np.nan))

    @cached_property
    def one_vs_rest(self) -> Floats:
        """The area of every class against all others; NaN of a class without rows, or without others."""
        rest = np.where(np.isnan(self.areas), 0.0, self.support)
        # Summed the same way above and below, so that a class that is always set apart gives exactly 1.
        won, of = (rest * np.nan_to_num(self.areas)).sum(axis=1), rest.sum(axis=1)
        return frozen(np.divide(won, of, out=np.full(len(of), np.nan), where=of > 0))

    @cached_property
    def pairs(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Every two classes that both have rows, once, in the order of the labels."""
        there = np.flatnonzero(self.there)
        first, second = np.triu_indices(len(there), 1)
        return there[first], there[second]

    @property
    def pair_areas(self) -> Floats:
        """Of each of these pairs the mean of its two areas, which is what Hand and Till (2001) average."""
        first, second = self.pairs
        return (self.areas[first, second] + self.areas[second, first]) / 2

    @property
    def pair_rows(self) -> NDArray[Any]:
        """Rows of each of these pairs of classes."""
        first, second = self.pairs
        return np.asarray(self.support[first] + self.support[second])
