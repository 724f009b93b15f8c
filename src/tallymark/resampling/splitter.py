"""What all splitters share: scikit-learn's protocol, a fingerprint and a picture."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any

import numpy as np

from tallymark.errors import OptionError, ShapeError
from tallymark.resampling.folds import Folds, Pair, folds_from_pairs


class Splitter(ABC):
    """Cuts rows into training and test rows; the same cuts every time it is asked."""

    @abstractmethod
    def folds(self, X: Any = None, y: Any = None, groups: Any = None) -> Folds:
        """The cuts of these rows."""

    def split(self, X: Any = None, y: Any = None, groups: Any = None) -> Iterator[Pair]:
        """Positions of the rows to train on and to test on, fold by fold."""
        return iter(self.folds(X, y, groups))

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """How many folds there are."""
        return len(self.folds(X, y, groups))

    def fingerprint(self, X: Any = None, y: Any = None, groups: Any = None) -> str:
        """What tells these cuts from others."""
        return self.folds(X, y, groups).fingerprint

    def plot(self, X: Any = None, y: Any = None, groups: Any = None, *, ax: Any = None) -> Any:
        """Draw which rows train and which test."""
        return self.folds(X, y, groups).plot(y, groups, ax=ax)

    def __repr__(self) -> str:
        said = ", ".join(f"{name}={value!r}" for name, value in vars(self).items())
        return f"{type(self).__name__}({said})"

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and vars(self) == vars(other)

    __hash__ = None  # type: ignore[assignment]


def rows_of(X: Any, y: Any = None, groups: Any = None) -> int:
    """How many rows there are, which all that is given must agree on."""
    lengths = {
        name: _length(given) for name, given in (("X", X), ("y", y), ("groups", groups)) if given is not None
    }
    if not lengths:
        raise OptionError("a splitter needs to know the rows: pass X or y.")
    if len(set(lengths.values())) > 1:
        told = ", ".join(f"{name} has {rows:,}" for name, rows in lengths.items())
        raise ShapeError(f"as many rows are needed in each: {told}.")
    return next(iter(lengths.values()))


def _length(given: Any) -> int:
    shape = getattr(given, "shape", None)
    return int(shape[0]) if shape is not None and len(shape) else len(given)


def folds_of(cv: Any, X: Any, y: Any = None, groups: Any = None, *, random_state: int = 0) -> Folds:
    """Folds from whatever says how: a number of folds, a method by name ("holdout:1/3"), a splitter of ours
    or of scikit-learn's, or pairs of positions. A splitter has a seed of its own; the others take this."""
    rows = rows_of(X, y, groups)
    if isinstance(cv, Folds):
        if cv.rows != rows:
            raise ShapeError(f"the folds are of {cv.rows:,} rows, and there are {rows:,}.")
        return cv
    if isinstance(cv, str) or (isinstance(cv, int | np.integer) and not isinstance(cv, bool)):
        from tallymark.resampling.named import splitter_named

        named = cv if isinstance(cv, str) else f"kfold:{cv}"
        cv = splitter_named(named, random_state=random_state)
    if isinstance(cv, Splitter):
        return cv.folds(X, y, groups)
    if hasattr(cv, "split"):
        # Arrays of zeros stand for X: no splitter looks at the features, and X may be of any kind.
        return folds_from_pairs(cv.split(np.zeros(rows), y, groups), rows, _called(cv))
    if hasattr(cv, "__iter__"):
        return folds_from_pairs(cv, rows, "folds as given")
    raise OptionError(
        "cv is a number of folds, a method such as 'holdout:1/3', a splitter or pairs of positions; "
        f"got {cv!r}."
    )


def _called(cv: Any) -> str:
    return " ".join(repr(cv).split())
