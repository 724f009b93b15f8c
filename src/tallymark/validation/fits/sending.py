"""What crosses to a worker for a fit: where its data are, and a task that is small without them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tallymark.errors import WorkerError
from tallymark.resampling.folds import Ints
from tallymark.validation.data.data_set import DataSet
from tallymark.validation.data.sharing import Shelf
from tallymark.validation.runs.code import loaded_from_others

if TYPE_CHECKING:
    from tallymark.validation.fits.fitting import Task

_FEW_ROWS = 1_000
"""Up to so many, classes travel with the task, which is quicker than to look for them."""
_LARGE: dict[str, Any] = {"data": None, "train": None, "test": None, "labels": None}
"""What a task in a message is without."""
KEPT = "a run folder, --run-folder FOLDER (run_folder=), keeps the fits that are finished."


@dataclass(frozen=True, eq=False)
class Message:
    """A task without its data."""

    task: Task
    train: Rows
    test: Rows | None
    """None: all rows that are not trained on."""
    labels: tuple[NDArray[Any], NDArray[Any] | None] | None
    """Classes to learn instead of the true ones."""

    @classmethod
    def of(cls, task: Task) -> Message:
        rows = task.data.rows
        train, test = Rows.of(task.train, rows), Rows.of(task.test, rows)
        others = np.array_equal(train.others(rows), task.test)
        labels = None if task.labels is None else _coded(task.labels)
        return cls(replace(task, **_LARGE), train, None if others else test, labels)

    def read(self, features: Any, classes: DataSet) -> Task:
        """The task as it was."""
        rows = classes.rows
        return replace(
            self.task,
            data=replace(classes, X=features),
            train=self.train.positions(rows),
            test=self.train.others(rows) if self.test is None else self.test.positions(rows),
            labels=None if self.labels is None else _decoded(*self.labels),
        )


def classes_of(task: Task, shelf: Shelf) -> Any:
    """What stands for all of the data but the features."""
    found = task.data.without_features
    return found if found.rows <= _FEW_ROWS else shelf.place(found)


class Parcel:
    """A task that becomes small when it is pickled; where it stays in this process it is itself."""

    def __init__(self, task: Task, shelf: Shelf | None = None) -> None:
        self.task = task
        self._shelf = shelf
        self._contents: tuple[Any, ...] = ()

    def __reduce__(self) -> Any:
        if self._shelf is None:
            return Parcel, (self.task,)
        # Kept, because what is on the shelf stays there as long as something refers to it.
        self._contents = self._shelf.place(self.task.data.X), classes_of(self.task, self._shelf)
        return _unpacked, (*self._contents, Message.of(self.task))


def _unpacked(features: Any, classes: DataSet, message: Message) -> Parcel:
    return Parcel(message.read(features, classes))


@contextmanager
def as_here(config: Mapping[str, Any], files: Mapping[str, str]) -> Iterator[None]:
    """In a worker: scikit-learn set as it is where the fits are asked for, and code of the same files."""
    from sklearn import config_context

    _refuse_edited(files)
    with config_context(**config):
        yield
    _refuse_edited(files)  # what was imported on the way


def _refuse_edited(files: Mapping[str, str]) -> None:
    name = loaded_from_others(files)
    if name is not None:
        raise WorkerError(
            f"the code of {name} was edited while the run was under way, and a worker has the new one.",
            hint="ask again: all fits are then made with the code as it is now.",
        )


def not_sent(why: str) -> WorkerError:
    """A fit did not get to a worker, or did not come back; of a traceback the last line says why."""
    lines = [line for each in why.splitlines() if (line := each.strip(' "'))]
    return WorkerError(
        f"a fit cannot be sent to the workers: {lines[-1].rstrip('.') if lines else 'nobody said why'}.",
        hint="workers import the code of a model, and get a copy of all it holds; where that cannot be, fit "
        "in one process: --jobs 1 and no --scheduler (n_jobs=1, and no backend of joblib's).",
    )


@dataclass(frozen=True, eq=False)
class Rows:
    """Positions of rows: a bit for each row of the data, or the positions in as few bytes as hold them."""

    packed: NDArray[Any]
    are_bits: bool

    @classmethod
    def of(cls, positions: Ints, rows: int) -> Rows:
        narrow = positions.astype(np.min_scalar_type(rows))
        if narrow.nbytes * 8 <= rows or not (np.diff(positions) > 0).all():
            return cls(narrow, are_bits=False)
        there = np.zeros(rows, bool)
        there[positions] = True
        return cls(np.packbits(there), are_bits=True)

    def positions(self, rows: int) -> Ints:
        return np.flatnonzero(self._there(rows)) if self.are_bits else self.packed.astype(np.int64)

    def others(self, rows: int) -> Ints:
        """The rows that are not among them."""
        return np.flatnonzero(~self._there(rows))

    def _there(self, rows: int) -> NDArray[np.bool_]:
        if self.are_bits:
            return np.unpackbits(self.packed, count=rows).astype(bool)
        there = np.zeros(rows, bool)
        there[self.packed] = True
        return there


def _coded(labels: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any] | None]:
    """The distinct ones, and which of them each is."""
    if labels.dtype == object:  # pickle itself writes equal objects once
        return labels, None
    values, codes = np.unique(labels, return_inverse=True)
    return values, codes.astype(np.min_scalar_type(len(values)))


def _decoded(values: NDArray[Any], codes: NDArray[Any] | None) -> NDArray[Any]:
    return values if codes is None else np.asarray(values[codes])
