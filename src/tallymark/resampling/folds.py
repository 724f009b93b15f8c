"""`Folds`: which rows train and which rows test, told apart by a fingerprint however they were made."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tallymark.errors import OptionError, ShapeError

if TYPE_CHECKING:
    from tallymark.drawing.figure import Figure

Ints = NDArray[np.int64]
Pair = tuple[Ints, Ints]
"""Rows to train on, rows to test on."""


@dataclass(frozen=True, eq=False)
class Fold:
    """One cut of the rows."""

    test: Ints
    """Positions, ascending."""
    rows: int
    """Of the whole data set."""
    kept: Ints | None = None
    """Rows to train on, a row as often as it is drawn; None when they are all others that are used."""
    run: int = 0
    name: str = ""
    """What is left out, where that has a name, such as a group."""
    unused: Ints | None = None
    """Rows that neither train nor test, where `kept` does not say so."""

    @property
    def train(self) -> Ints:
        if self.kept is not None:
            return self.kept
        rest = np.ones(self.rows, bool)
        rest[self.test] = False
        if self.unused is not None:
            rest[self.unused] = False
        return np.flatnonzero(rest)

    @property
    def n_train(self) -> int:
        if self.kept is not None:
            return len(self.kept)
        return self.rows - len(self.test) - (0 if self.unused is None else len(self.unused))

    @property
    def n_test(self) -> int:
        return len(self.test)


@dataclass(frozen=True, eq=False)
class Folds:
    """Cuts of one data set; iterating gives pairs of positions, as scikit-learn's splitters do."""

    folds: tuple[Fold, ...]
    rows: int
    method: str
    """In words: "10-fold cross-validation, stratified"."""
    runs: int = 1
    """How often every row is tested on, where that is equally often."""
    notes: tuple[str, ...] = ()
    """What a reader of results should know, such as classes too rare for every fold."""
    bootstrap: bool = False
    """Whether rows to train on are drawn with replacement, as many as there are."""

    def __len__(self) -> int:
        return len(self.folds)

    def __iter__(self) -> Iterator[Pair]:
        return ((fold.train, fold.test) for fold in self.folds)

    @cached_property
    def fingerprint(self) -> str:
        """The same for the same rows in the same folds, whoever made them."""
        digest = sha256(f"{self.rows}:{len(self)}".encode())
        for fold in self.folds:
            digest.update(f"|{fold.n_test}:".encode())
            digest.update(np.sort(fold.test).astype("<i8").tobytes())
            if not _is_rest(fold):
                digest.update(b"&")
                digest.update(np.sort(fold.train).astype("<i8").tobytes())
        return digest.hexdigest()[:16]

    def figure(self, y: Any = None, groups: Any = None) -> Figure:
        """The folds as a picture: which rows train, which test; with their classes and groups if given."""
        from tallymark.resampling.figures import folds_figure

        return folds_figure(self, y, groups)

    def plot(self, y: Any = None, groups: Any = None, *, ax: Any = None) -> Any:
        """Draw the folds on matplotlib axes, new ones unless given, and return them."""
        from tallymark.drawing.plots.pen import draw

        return draw(self.figure(y, groups), ax)


def _is_rest(fold: Fold) -> bool:
    """Whether training takes every row that is not tested on, once."""
    if fold.kept is None:
        return fold.unused is None or not len(fold.unused)
    if len(fold.kept) != fold.rows - fold.n_test:
        return False
    seen = np.zeros(fold.rows, bool)
    seen[fold.test] = seen[fold.kept] = True
    return bool(seen.all())


def folds_from_pairs(pairs: Iterable[Any], rows: int, method: str) -> Folds:
    """Folds from pairs of positions that came from anywhere, checked."""
    made: list[Fold] = []
    for place, pair in enumerate(pairs):
        try:
            train, test = pair
        except (TypeError, ValueError):
            raise OptionError(
                f"fold {place + 1} is not a pair of training rows and test rows; got {type(pair).__name__}."
            ) from None
        kept, tested = (_positions(part, rows, place) for part in (train, test))
        if not len(kept) or not len(tested):
            raise OptionError(f"fold {place + 1} has no rows to {'test' if len(kept) else 'train'} on.")
        if len(np.unique(tested)) < len(tested):
            raise OptionError(f"fold {place + 1} tests a row twice.")
        shared = np.intersect1d(kept, tested)
        if len(shared):
            raise OptionError(
                f"fold {place + 1} trains on {len(shared):,} of the rows it tests on, such as row "
                f"{shared[0]}."
            )
        fold = Fold(np.sort(tested), rows, kept)
        made.append(Fold(fold.test, rows) if _is_rest(fold) else fold)
    if not made:
        raise OptionError("there are no folds.")
    return with_runs(made, rows, method)


def with_runs(folds: Sequence[Fold], rows: int, method: str) -> Folds:
    """Folds in their order, with the run each is of, where runs test every row once."""
    run, numbered = 0, []
    tested = np.zeros(rows, bool)
    for fold in folds:
        if tested[fold.test].any():
            return Folds(tuple(folds), rows, method)
        tested[fold.test] = True
        numbered.append(replace(fold, run=run))
        if tested.all():
            run += 1
            tested[:] = False
    if tested.any():
        return Folds(tuple(folds), rows, method)
    return Folds(tuple(numbered), rows, method, run)


def _positions(part: Any, rows: int, place: int) -> Ints:
    found = np.asarray(part)
    if found.ndim == 1 and found.dtype == bool:
        if len(found) != rows:
            raise ShapeError(f"fold {place + 1} marks {len(found):,} rows, and there are {rows:,}.")
        found = np.flatnonzero(found)
    if found.ndim != 1 or (len(found) and found.dtype.kind not in "iu"):
        raise OptionError(f"fold {place + 1}: rows are told by their positions, whole numbers from 0 up.")
    if len(found) and (int(found.min()) < 0 or int(found.max()) >= rows):
        raise OptionError(
            f"fold {place + 1} names row {int(found.max() if found.min() >= 0 else found.min())}, "
            f"and there are rows 0 to {rows - 1:,}."
        )
    return found.astype(np.int64)
