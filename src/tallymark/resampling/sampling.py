"""Balance the classes of training rows by chance: draw rows of small classes again, or fewer of large ones.

The interface is imbalanced-learn's. Rows to test on are never sampled: they keep the shares of the classes.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from math import ceil, floor
from typing import Any

import numpy as np

from tallymark.errors import LabelError, MissingValueError, OptionError, ShapeError
from tallymark.evaluation.settings import checked_seed
from tallymark.intake.columns import array_places
from tallymark.intake.encoded import encoded
from tallymark.intake.sources import labels_in
from tallymark.resampling.folds import Ints
from tallymark.resampling.parameters import Parameters
from tallymark.resampling.rows import rows_at
from tallymark.resampling.splitter import rows_of
from tallymark.tallies import Label
from tallymark.tallies.labels import find, quoted

Ratio = float | Mapping[Label, int]
# 0.07 x 100 is a little more than 7 in floating point, and means 7.
_ROUNDING = 1e-9


class Sampling(Parameters, ABC):
    """What over- and undersampling share."""

    sample_indices_: Ints
    """The positions of the rows that came out, among those that went in."""

    def __init__(self, ratio: Ratio = 1.0, *, random_state: int | None = None) -> None:
        _check(ratio)
        if random_state is not None:
            checked_seed(random_state)
        self.ratio = ratio
        self.random_state = random_state

    def __str__(self) -> str:
        how = type(self).__name__.lower()
        if isinstance(self.ratio, Mapping):
            return f"{how} to {', '.join(f'{n:,} rows of {quoted(k)}' for k, n in self.ratio.items())}"
        share = "as many rows as" if self.ratio == 1 else f"at least {self.ratio:g} of the rows of"
        return f"{how} until every class has {share} the largest"

    def fit_resample(self, X: Any, y: Any) -> tuple[Any, Any]:
        """The rows drawn, X and y as they came: a data frame stays a data frame."""
        labels, actual = _classes(X, y)
        members = [np.flatnonzero(actual == place) for place in range(len(labels))]
        counts = np.array([len(rows) for rows in members])
        if isinstance(self.ratio, Mapping):
            wanted = self._as_counted(self.ratio, labels, counts)
        else:
            wanted = self._by_ratio(self.ratio, counts)
        rng = np.random.default_rng(self.random_state)
        self.sample_indices_ = self._drawn(members, wanted, rng)
        return rows_at(X, self.sample_indices_), rows_at(y, self.sample_indices_)

    def _as_counted(self, given: Mapping[Label, int], labels: Sequence[Label], counts: Ints) -> Ints:
        wanted = counts.copy()
        for label, count in given.items():
            place = labels.index(find(label, labels, "class"))
            self._check_count(labels[place], int(counts[place]), count)
            wanted[place] = count
        return wanted

    @abstractmethod
    def _by_ratio(self, ratio: float, counts: Ints) -> Ints:
        """Rows of each class afterwards."""

    @abstractmethod
    def _check_count(self, label: Label, have: int, want: int) -> None:
        """Refuse what cannot be."""

    @abstractmethod
    def _drawn(self, members: Sequence[Ints], wanted: Ints, rng: np.random.Generator) -> Ints:
        """Positions of the rows that come out."""


class Oversampling(Sampling):
    """Rows of the smaller classes are drawn again, at random; every row is kept.

    Afterwards each class has at least `ratio` times the rows of the largest; or as many as
    `{label: count}` says, classes it leaves out as they are. Without a `random_state` each call draws anew.

    >>> _, y = Oversampling(0.5, random_state=0).fit_resample([[1], [2], [3], [4], [5]], list("aaaab"))
    >>> "".join(y)
    'aaaabb'
    """

    def _by_ratio(self, ratio: float, counts: Ints) -> Ints:
        return np.maximum(counts, ceil(ratio * int(counts.max()) - _ROUNDING))

    def _check_count(self, label: Label, have: int, want: int) -> None:
        if want < have:
            raise OptionError(
                f"class {quoted(label)} has {have:,} rows, and oversampling keeps them all; got {want:,}.",
                hint="Undersampling takes rows away.",
            )

    def _drawn(self, members: Sequence[Ints], wanted: Ints, rng: np.random.Generator) -> Ints:
        again = [
            rng.choice(rows, count - len(rows)) for rows, count in zip(members, wanted.tolist(), strict=True)
        ]
        return np.concatenate([np.arange(sum(map(len, members))), *again])


class Undersampling(Sampling):
    """Rows of the larger classes are taken away, at random; no row is there twice.

    Afterwards no class has more than the smallest divided by `ratio`; or as many as `{label: count}` says,
    classes it leaves out as they are. The rows stay in order. Without a `random_state` each call draws anew.

    >>> _, y = Undersampling(0.5, random_state=0).fit_resample([[1], [2], [3], [4], [5]], list("aaaab"))
    >>> "".join(y)
    'aab'
    """

    def _by_ratio(self, ratio: float, counts: Ints) -> Ints:
        return np.minimum(counts, floor(int(counts.min()) / ratio + _ROUNDING))

    def _check_count(self, label: Label, have: int, want: int) -> None:
        if want > have:
            raise OptionError(
                f"class {quoted(label)} has {have:,} rows, and undersampling adds none; got {want:,}.",
                hint="Oversampling draws rows again.",
            )

    def _drawn(self, members: Sequence[Ints], wanted: Ints, rng: np.random.Generator) -> Ints:
        kept = [
            rng.choice(rows, count, replace=False)
            for rows, count in zip(members, wanted.tolist(), strict=True)
        ]
        return np.sort(np.concatenate(kept))


def _classes(X: Any, y: Any) -> tuple[tuple[Label, ...], Ints]:
    """The labels, and the position of each row's among them."""
    if not rows_of(X, y):
        raise ShapeError("there are no rows.")
    column = labels_in(y, "y")
    if column.missing is not None:
        where = array_places(np.flatnonzero(column.missing).tolist())
        raise MissingValueError(f"y is missing at {where}; rows without a class cannot be balanced.")
    return encoded(column)


def _check(ratio: Any) -> None:
    if isinstance(ratio, Mapping):
        for label, count in ratio.items():
            if isinstance(count, bool) or not isinstance(count, int | np.integer) or count < 1:
                raise OptionError(
                    f"class {quoted(label)} needs a whole number of rows from 1 up; got {count!r}."
                )
        if not ratio:
            raise LabelError("no class is named.", hint='write {"rare": 100}.')
        return
    # `not (0 < ratio <= 1)` is true of NaN as well.
    number = isinstance(ratio, int | float | np.integer | np.floating) and not isinstance(ratio, bool)
    if not number or not 0 < ratio <= 1:
        raise OptionError(
            f"ratio is what small classes have over the largest, above 0 and at most 1; got {ratio!r}.",
            hint='for numbers of rows write {"rare": 100}.',
        )
