"""Fit a model on some rows and ask it about others: the one place where models are trained."""

from __future__ import annotations

import sys
import traceback
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from time import monotonic, perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark.errors import InputError, MissingExtraError, OptionError
from tallymark.resampling.folds import Ints
from tallymark.tallies.labels import quoted
from tallymark.validation.data import DataSet

Floats = NDArray[np.float64]
_ROUNDING = 0.01
"""By how much probabilities of a row may miss 1."""


@dataclass(frozen=True, eq=False)
class Task:
    """One fit: which model learns which rows, and which rows it is asked about."""

    model: Any
    data: DataSet
    train: Ints
    test: Ints
    seed: tuple[int, ...]
    """The seed of the run, and what tells this fit from its others; the same for any number of workers."""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    labels: NDArray[Any] | None = None
    """Classes to learn instead of the true ones of the training rows."""
    sampler: Any = None
    """Over- or undersampling of the training rows: anything with `fit_resample(X, y)`."""
    ask_training: bool = True
    """Whether the model is asked about the rows it learned as well."""


@dataclass(frozen=True, eq=False)
class Fit:
    """What a trained model said about the test rows; the model itself is not kept."""

    answers: Ints
    """Positions among the labels; empty when the fit failed."""
    scores: Floats | None = None
    """A probability per label (n x K); or n numbers that rise with the positive class."""
    training: NDArray[np.int64] | None = None
    """K x K counts of the rows it learned."""
    n_train: int = 0
    """Rows it learned, after over- or undersampling."""
    fit_seconds: float = 0.0
    ask_seconds: float = 0.0
    failure: str | None = None
    """The error, in a line, of a fit that raised."""
    trace: str | None = None
    warnings: tuple[str, ...] = ()
    note: str | None = None
    """Why there are no scores, when the model has some that cannot be used."""


def run(tasks: Sequence[Task], *, n_jobs: int | None, what: str) -> Iterator[Fit]:
    """All fits, in the order of the tasks, with progress and the time left on a terminal."""
    joblib = require_joblib()
    work = (joblib.delayed(fit)(task) for task in tasks)
    made = joblib.Parallel(n_jobs=n_jobs, return_as="generator")(work)
    yield from shown(made, len(tasks), what)


def shown(made: Iterable[Any], total: int, what: str) -> Iterator[Any]:
    """The same one after the other; a bar on standard error once it takes longer than a moment."""
    started, iterator = monotonic(), iter(made)
    for done, each in enumerate(iterator):
        yield each
        if monotonic() - started > 1 and sys.stderr.isatty() and done + 1 < total:
            from rich.console import Console
            from rich.progress import track

            yield from track(
                iterator, what, total, completed=done + 1, console=Console(stderr=True), transient=True
            )
            return


def fit(task: Task) -> Fit:
    """Train and ask; an error of the model is a result like any other."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            found = _fitted(task)
        except Exception as problem:  # noqa: BLE001 - whatever a model raises, the other fits go on
            return Fit(
                np.empty(0, np.int64),
                failure=_line(problem),
                trace="".join(traceback.format_exception(problem)),
                n_train=len(task.train),
            )
    said = tuple(dict.fromkeys(f"{each.category.__name__}: {_first_line(each.message)}" for each in caught))
    return found if not said else Fit(**{**vars(found), "warnings": said})


def _fitted(task: Task) -> Fit:
    data = task.data
    rng = np.random.default_rng(np.random.SeedSequence(task.seed[0], spawn_key=task.seed[1:]))
    X, y = data.at(task.train), data.y[task.train] if task.labels is None else task.labels
    learned, classes = X, y
    started = perf_counter()
    if task.sampler is not None:
        learned, classes = seeded(task.sampler, rng).fit_resample(X, y)
    model = seeded(task.model, rng, task.parameters)
    model.fit(learned, classes)
    fitted = perf_counter()
    asked = data.at(task.test)
    answers = positions(data, model.predict(asked))
    scores, note = _scores(data, model, asked, np.unique(classes))
    asked_at = perf_counter()
    training = None
    if task.ask_training and task.labels is None:
        training = _counts(data, data.actual[task.train], positions(data, model.predict(X)))
    return Fit(answers, scores, training, len(classes), fitted - started, asked_at - fitted, note=note)


def seeded(model: Any, rng: np.random.Generator, parameters: Mapping[str, Any] | None = None) -> Any:
    """A fresh copy with these parameters, whose chance comes from the stream where it was left open."""
    from sklearn.base import clone

    copy = clone(model, safe=False)
    if parameters:
        copy.set_params(**parameters)
    if not hasattr(copy, "get_params"):
        return copy
    open_ = [
        name
        for name, value in sorted(copy.get_params(deep=True).items())
        if value is None and name.rpartition("__")[2] == "random_state"
    ]
    return copy.set_params(**{name: int(rng.integers(2**31)) for name in open_}) if open_ else copy


def positions(data: DataSet, answers: Any) -> Ints:
    """Answers as positions among the labels."""
    said = np.asarray(answers)
    if said.ndim == 2 and said.shape[1] == 1:
        said = said[:, 0]
    if said.ndim != 1:
        raise InputError(f"the model answered with {said.ndim} dimensions; one label per row is expected.")
    known, order = data.sorted_classes
    try:
        place = np.minimum(np.searchsorted(known, said), len(known) - 1)
        right = known[place] == said
    except TypeError:  # labels of several types cannot be put in order
        right = np.zeros(len(said), bool)
    if not np.all(right):
        stranger = said[np.argmin(right)]
        raise InputError(
            f"the model answered {quoted(getattr(stranger, 'item', lambda: stranger)())}, which is no class; "
            "is it a classifier?"
        )
    return order[place]


def _scores(data: DataSet, model: Any, asked: Any, learned: NDArray[Any]) -> tuple[Floats | None, str | None]:
    classes = np.asarray(getattr(model, "classes_", learned))
    if hasattr(model, "predict_proba"):
        found = np.asarray(model.predict_proba(asked), float)
        if found.ndim != 2 or found.shape[1] != len(classes):
            return None, "predict_proba gives no column per class, so there are no scores"
        if not np.isfinite(found).all() or (np.abs(found.sum(axis=1) - 1) > _ROUNDING).any():
            return None, "predict_proba gives no probabilities that add up to 1, so there are no scores"
        scores = np.zeros((len(found), len(data.labels)))
        scores[:, positions(data, classes)] = found
        return scores, None
    if hasattr(model, "decision_function"):
        found = np.asarray(model.decision_function(asked), float)
        if found.ndim != 1 or len(classes) != 2 or len(data.labels) != 2:
            return None, "decision_function gives no probabilities, which more than two classes need"
        if data.position is None:
            return None, "decision_function is the score of one class: name the positive class to use it"
        # It rises with the second class; of two, the other's is the same turned round.
        second = int(positions(data, classes)[1])
        return found if second == data.position else -found, None
    return None, None


def _counts(data: DataSet, actual: Ints, answers: Ints) -> NDArray[np.int64]:
    size = len(data.labels)
    return np.bincount(actual * size + answers, minlength=size * size).reshape(size, size)


def _line(problem: Exception) -> str:
    return f"{type(problem).__name__}: {_first_line(problem)}"


def _first_line(message: object) -> str:
    lines = [line.strip() for line in str(message).splitlines() if line.strip()]
    return lines[0] if lines else "without a message"


def require_joblib() -> Any:
    """joblib, once scikit-learn is there as well."""
    try:
        import joblib
        import sklearn  # noqa: F401
    except ImportError:
        raise MissingExtraError(
            "fitting models needs scikit-learn and joblib.", hint="pip install 'tallymark[validate]'"
        ) from None
    return joblib


def checked_model(name: str, model: Any) -> Any:
    """Something that can be fitted and asked."""
    for method in ("fit", "predict"):
        if not callable(getattr(model, method, None)):
            raise OptionError(f"model {quoted(name)} has no method {method}; got {type(model).__name__}.")
    if isinstance(model, type):
        raise OptionError(
            f"model {quoted(name)} is the class {model.__name__}; a model made from it is expected.",
            hint=f"write {model.__name__}().",
        )
    return model
