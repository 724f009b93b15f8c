"""Test rows that are equal to training rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tallymark.resampling.folds import Fold, Folds, Ints
from tallymark.validation.audit.marks import Marks, marks_of
from tallymark.validation.data.data_set import DataSet

Flags = NDArray[np.bool_]
FEWEST, SHARE = 3, 0.01
"""Test rows with a twin below which nothing is said."""


@dataclass(frozen=True, eq=False)
class Twins:
    """Rows of one class with equal features, one of which is tested and another learned."""

    marks: Marks
    tested: Ints
    """Rows that are tested on, each once."""
    rows: Ints
    """Those that have a twin among the training rows of a fold that tests them."""
    other_class: int
    """How many equal a training row of another class."""
    in_folds: tuple[Flags, ...]
    """Which test rows of each fold have a twin among its training rows."""

    @property
    def share(self) -> float:
        return len(self.rows) / len(self.tested)

    @property
    def many(self) -> bool:
        """Whether they are enough to speak of."""
        return len(self.rows) >= FEWEST and self.share >= SHARE


def twins_of(data: DataSet, folds: Folds) -> Twins | None:
    """None where no two rows are equal, or rows cannot be compared."""
    marks = marks_of(data.X)
    if marks is None or len(marks.rows) != data.rows:
        return None
    ordered = np.sort(marks.rows)
    again = np.unique(ordered[1:][ordered[1:] == ordered[:-1]])
    equal = np.flatnonzero(np.isin(marks.rows, again)) if len(again) else again
    if not len(equal):
        return None
    kinds = _Kinds(data, equal, np.searchsorted(again, marks.rows[equal]))
    tested, paired, other = (np.zeros(data.rows, bool) for _ in range(3))
    in_folds = []
    for fold in folds.folds:
        same, different = kinds.met(fold)
        tested[fold.test] = True
        paired[fold.test[same]] = True
        other[fold.test[different]] = True
        in_folds.append(same)
    return Twins(marks, np.flatnonzero(tested), np.flatnonzero(paired), int(other.sum()), tuple(in_folds))


class _Kinds:
    """Rows that equal another: what features they have, and with what class."""

    def __init__(self, data: DataSet, rows: Ints, features: Ints) -> None:
        self._place = np.full(data.rows, -1)
        self._place[rows] = np.arange(len(rows))
        self._features = features
        both = features * len(data.labels) + data.actual[rows]
        self._both = np.unique(both, return_inverse=True)[1]
        self._all = self._counts(np.arange(len(rows)))

    def met(self, fold: Fold) -> tuple[Flags, Flags]:
        """Which test rows equal a training row of their class, and which one of another."""
        if fold.kept is None:
            away = fold.test if fold.unused is None else np.concatenate([fold.test, fold.unused])
            gone = self._counts(self._among(away))
            features, both = (every - lost for every, lost in zip(self._all, gone, strict=True))
        else:
            features, both = self._counts(self._among(fold.kept))
        place = self._place[fold.test]
        alike = np.where(place >= 0, both[self._both[place]], 0)
        equal = np.where(place >= 0, features[self._features[place]], 0)
        return alike > 0, equal > alike

    def _among(self, rows: Ints) -> Ints:
        place = self._place[rows]
        return place[place >= 0]

    def _counts(self, places: Ints) -> tuple[Ints, Ints]:
        features = np.bincount(self._features[places], minlength=int(self._features.max()) + 1)
        return features, np.bincount(self._both[places], minlength=int(self._both.max()) + 1)
