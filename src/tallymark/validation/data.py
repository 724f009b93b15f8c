"""`DataSet`: rows to learn from, checked once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark.errors import LabelError, OptionError, ShapeError
from tallymark.evaluation import evaluate
from tallymark.intake import frames
from tallymark.intake.encoded import Encoded
from tallymark.resampling.folds import Ints
from tallymark.resampling.splitter import rows_of
from tallymark.tallies import Label
from tallymark.tallies.labels import listed


@dataclass(frozen=True, eq=False)
class DataSet:
    """Features, classes and groups of the same rows."""

    name: str
    X: Any
    """As it came; a model sees rows of it."""
    y: NDArray[Any]
    """The classes as the models see them."""
    actual: Ints
    """The same as positions among the labels."""
    labels: tuple[Label, ...]
    positive: Label | None
    groups: Any = None
    """Rows of one group are not independent; an n x 2 array of entities when rows are about pairs."""
    notes: tuple[str, ...] = ()
    library: str | None = None

    @property
    def rows(self) -> int:
        return len(self.actual)

    @property
    def position(self) -> int | None:
        """Where the positive class stands among the labels."""
        return None if self.positive is None else self.labels.index(self.positive)

    @cached_property
    def classes(self) -> NDArray[Any]:
        """Every label as the models say it, in the order of the labels."""
        seen, first = np.unique(self.actual, return_index=True)
        if len(seen) == len(self.labels):
            return np.asarray(self.y[first])
        known = dict(zip(seen.tolist(), self.y[first].tolist(), strict=True))
        return np.array([known.get(place, label) for place, label in enumerate(self.labels)], self.y.dtype)

    @cached_property
    def sorted_classes(self) -> tuple[NDArray[Any], Ints]:
        """The classes in ascending order, and the position of each among the labels."""
        order = np.argsort(self.classes, kind="stable")
        return self.classes[order], order

    @cached_property
    def fingerprint(self) -> str:
        """What tells these rows from others: their classes, in order."""
        digest = sha256("|".join(map(repr, self.labels)).encode())
        digest.update(self.actual.astype("<i8").tobytes())
        return digest.hexdigest()[:8]

    def at(self, rows: Ints) -> Any:
        """The features of some rows."""
        return rows_at(self.X, rows)


def data_set(
    X: Any,
    y: Any,
    *,
    groups: Any = None,
    labels: Sequence[Label] | None = None,
    pos_label: object = None,
    name: str = "data",
    notes: Sequence[str] = (),
) -> DataSet:
    """A data set from arrays or frames; classes pass the same door as those of `evaluate`."""
    if y is None:
        raise OptionError(
            "the classes are missing.",
            hint="pass X and y; or a data frame or a file, and the name of the column: target=.",
        )
    seen = evaluate(y, y, labels=labels, pos_label=pos_label)
    rows = rows_of(X, np.asarray(y), None if groups is None else np.asarray(groups))
    if not isinstance(seen.encoded, Encoded):
        raise ShapeError("rows have several labels; models are tried on rows with one label each.")
    present = np.unique(seen.encoded.actual)
    if len(present) < 2:
        only = listed([seen.labels[place] for place in present])
        raise LabelError(f"all {rows:,} rows are of one class, {only}: there is nothing to learn.")
    return DataSet(
        name,
        X,
        np.asarray(y),
        seen.encoded.actual,
        seen.labels,
        seen.positive,
        None if groups is None else np.asarray(groups),
        tuple(notes),
        frames.library_of(X) or frames.library_of(y),
    )


def rows_at(X: Any, rows: Ints) -> Any:
    """Some rows of an array, a sparse matrix, a data frame or a list."""
    if hasattr(X, "iloc"):
        return X.iloc[rows]
    if hasattr(X, "take") and hasattr(X, "schema") and not hasattr(X, "__array_interface__"):
        return X[rows] if hasattr(X, "with_columns") else X.take(rows)  # polars; pyarrow
    if isinstance(X, list | tuple):
        return [X[row] for row in rows.tolist()]
    if getattr(X, "format", "csr") not in ("csr", "csc", "lil", "dok"):
        return X.tocsr()[rows]  # a sparse matrix that cannot be indexed
    return X[rows]
