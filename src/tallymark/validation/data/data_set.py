"""`DataSet`: rows to learn from, checked once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark.errors import LabelError, MissingValueError, OptionError, ShapeError
from tallymark.evaluation import Evaluation, evaluate
from tallymark.intake import frames
from tallymark.intake.columns import array_places
from tallymark.intake.encoded import Encoded
from tallymark.intake.ids import Values, taken
from tallymark.intake.sources import labels_in
from tallymark.resampling.folds import Ints
from tallymark.resampling.grouping import coded
from tallymark.resampling.rows import rows_at
from tallymark.resampling.splitter import rows_of
from tallymark.tallies import Label
from tallymark.tallies.labels import listed, quoted


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
    ids: Values | None = None
    """What tells the rows apart: the user's ids, or positions in a table of which rows were dropped. Without
    them it is the position of the row."""
    id_name: str | None = None
    """The column that the ids are from; None for positions."""

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
        text = isinstance(self.y[0], str)
        said = [known.get(at, str(label) if text else label) for at, label in enumerate(self.labels)]
        # Not of y's own type: a longer text, or a larger number, would be cut to fit.
        return np.array(said, object if self.y.dtype == object else None)

    @cached_property
    def class_counts(self) -> Ints:
        """Rows of every class, in the order of the labels."""
        return np.bincount(self.actual, minlength=len(self.labels))

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

    @cached_property
    def without_features(self) -> DataSet:
        """What a fit needs beside them; always the same object."""
        return replace(self, X=None, notes=(), library=None, ids=None, id_name=None)

    def ids_at(self, rows: Ints) -> Values:
        """What tells some rows apart."""
        return rows if self.ids is None else taken(self.ids, rows)


def data_set(
    X: Any,
    y: Any,
    *,
    groups: Any = None,
    labels: Sequence[Label] | None = None,
    pos_label: object = None,
    name: str = "data",
    notes: Sequence[str] = (),
    ids: Values | None = None,
    id_name: str | None = None,
) -> DataSet:
    """A data set from arrays or frames; classes pass the same door as those of `evaluate`."""
    if y is None:
        raise OptionError(
            "the classes are missing.",
            hint="pass X and y; or a data frame or a file, and the name of the column: target=.",
        )
    if isinstance(y, str):
        raise OptionError(
            f"y is a class per row; got {quoted(y)}.", hint=f"a column of the table is target={y!r}."
        )
    library = frames.library_of(X) or frames.library_of(y)
    if len(getattr(y, "shape", ())) == 2 and y.shape[1] == 1:
        y = np.asarray(y)[:, 0]
    seen = _seen(y, labels, pos_label)
    # Copies: the intervals of a validation are computed when they are first asked for.
    classes, groups = np.array(y), None if groups is None else np.array(groups)
    if classes.dtype.kind == "T":  # text of any length, which scikit-learn does not take
        classes = np.array(classes.tolist())
    rows = rows_of(X, classes, groups)
    if groups is not None:
        _check_groups(groups)
    if not isinstance(seen.encoded, Encoded):
        raise ShapeError("rows have several labels; models are tried on rows with one label each.")
    present = np.unique(seen.encoded.actual)
    if len(present) < 2:
        only = listed([seen.labels[place] for place in present])
        raise LabelError(f"all {rows:,} rows are of one class, {only}: there is nothing to learn.")
    return DataSet(
        name,
        X,
        _written_alike(classes, seen.encoded.actual),
        seen.encoded.actual,
        seen.labels,
        seen.positive,
        groups,
        tuple(notes),
        library,
        ids,
        id_name,
    )


def _check_groups(groups: NDArray[Any]) -> None:
    """Refuses missing groups, and groups of several types, which cannot be sorted."""
    for column in groups.reshape(len(groups), -1).T:
        coded(column, "groups")
        if column.dtype != object:
            continue
        try:
            np.unique(column)
        except TypeError:
            labels_in(column, "groups")  # names the first value of another type
            raise LabelError("groups has values of several types.", hint="convert them to text.") from None


def _written_alike(y: NDArray[Any], actual: Ints) -> NDArray[Any]:
    """Classes as models see them: "1" and "1.0" are one label, and so one class to learn."""
    if not isinstance(y[0], str):
        return y
    present, first, place = np.unique(actual, return_index=True, return_inverse=True)
    return y if len(set(y.tolist())) == len(present) else np.asarray(y[first][place])


def _seen(y: Any, labels: Sequence[Label] | None, pos_label: object) -> Evaluation:
    try:
        return evaluate(y, y, labels=labels, pos_label=pos_label)
    except MissingValueError:
        column = labels_in(y, "y")
        assert column.missing is not None
        rows = np.flatnonzero(column.missing).tolist()
        raise MissingValueError(
            f"the class is missing in {len(rows):,} of {len(column):,} rows, at {array_places(rows)}.",
            hint="leave such rows out of X and y.",
        ) from None
