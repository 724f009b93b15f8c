"""Fit a model on some rows and ask it about others: the one place where models are trained."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from time import perf_counter
from traceback import format_exception
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tallymark.errors import InputError, MissingExtraError, OptionError
from tallymark.inference.progress import shown
from tallymark.resampling.folds import Ints
from tallymark.resampling.splitter import rows_of
from tallymark.tallies.labels import quoted
from tallymark.validation.data.data_set import DataSet
from tallymark.validation.fits.surroundings import undisturbed
from tallymark.validation.fits.workers import made

if TYPE_CHECKING:
    from tallymark.validation.runs.recording import Recording

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
    of_training: Callable[[DataSet, Ints, Fit], Mapping[str, Any]] | None = None
    """Numbers to work out from the scores of the rows it learned, which are not kept. It holds no data: what
    it needs of them is handed to it."""
    files: Mapping[str, str] = field(default_factory=dict)
    """Hashes of the files of modules of one's own that the fit is known by: workers must have the same."""


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
    """Where it was raised."""
    warnings: tuple[str, ...] = ()
    lost: bool = False
    """Whether it was not the model that failed but the machine it was on, so that it is worth another try."""
    note: str | None = None
    """Why there are no scores, when the model has some that cannot be used."""
    of_training: Mapping[str, Any] = field(default_factory=dict)
    """What the task asked to be worked out from the scores of the rows it learned."""


def run(
    tasks: Iterable[Task],
    *,
    n_jobs: int | None,
    what: str,
    total: int | None = None,
    by: Callable[[Task], Fit] | None = None,
    record: Recording | None = None,
) -> Iterator[Fit]:
    """All fits, in the order of the tasks, with progress and the time left on a terminal.

    Tasks may be made one by one as they are needed; then `total` says how many there are. `by` is what does
    one of them, `fit` unless given. Work without a name in `what` shows no progress: it is part of another.
    `record` takes those from a run folder that are there, and puts the others there.
    """
    if total is None:
        tasks = list(tasks)
        total = len(tasks)
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, int | np.integer | None) or n_jobs == 0:
        raise OptionError(f"n_jobs is a number of workers, or -1 for one per processor; got {n_jobs!r}.")
    joblib = require_joblib()
    waiting: list[Fit] = []
    make = partial(made, joblib, n_jobs=n_jobs, by=by or fit)
    found = _in_order(make(enumerate(tasks))) if record is None else record.fits(tasks, total, make, by)
    for each in shown(found, total, what):
        yield from waiting
        waiting = [each]
    # The last one when all is cleared away: nobody asks for one more than there are.
    yield from waiting


def _in_order(made: Iterable[tuple[int, Fit]]) -> Iterator[Fit]:
    """The fits by number, from 0 up."""
    early: dict[int, Fit] = {}
    number = 0
    for place, each in made:
        early[place] = each
        while number in early:
            yield early.pop(number)
            number += 1


def fit(task: Task) -> Fit:
    """Train and ask; an error of the model is a result like any other."""
    with undisturbed() as caught:
        try:
            found = _fitted(task)
        except (Exception, SystemExit) as problem:  # noqa: BLE001 - whatever it raises, the others go on
            trace = "".join(format_exception(problem))
            found = Fit(np.empty(0, np.int64), n_train=len(task.train), failure=_line(problem), trace=trace)
    said = tuple(dict.fromkeys(f"{_kind(each.category)}: {_first_line(each.message)}" for each in caught))
    return replace(found, warnings=said)


def _fitted(task: Task) -> Fit:
    data = task.data
    X = data.at(task.train)
    started = perf_counter()
    model, classes = trained(task, X)
    fitted = perf_counter()
    asked = data.at(task.test)
    answers = answers_of(data, model, asked, len(task.test))
    scores, note = scores_of(data, model, asked, np.unique(classes))
    asked_at = perf_counter()
    training: NDArray[np.int64] | None = None
    of_training: Mapping[str, Any] = {}
    if task.ask_training and task.labels is None:
        said = answers_of(data, model, X, len(task.train))
        training = _counts(data, data.actual[task.train], said)
        if task.of_training is not None:
            learned_scores, _ = scores_of(data, model, X, np.unique(classes))
            of_training = task.of_training(data, task.train, Fit(said, learned_scores))
    seconds = fitted - started, asked_at - fitted
    return Fit(answers, scores, training, len(classes), *seconds, note=note, of_training=of_training)


def trained(task: Task, X: Any) -> tuple[Any, NDArray[Any]]:
    """The model after it learned the training rows, whose features are X; and the classes it learned."""
    rng = np.random.default_rng(np.random.SeedSequence(task.seed[0], spawn_key=task.seed[1:]))
    y = task.data.y[task.train] if task.labels is None else task.labels
    if task.sampler is not None:
        X, y = seeded(task.sampler, rng).fit_resample(X, y)
    model = seeded(task.model, rng, task.parameters)
    model.fit(X, y)
    return model, np.asarray(y)


def seeded(model: Any, rng: np.random.Generator, parameters: Mapping[str, Any] | None = None) -> Any:
    """A fresh copy with these parameters, whose chance comes from the stream where it was left open."""
    from sklearn.base import clone

    copy = clone(model, safe=False)
    if parameters:
        # Copies: a parameter may be a model itself, which would be shared by all fits.
        copy.set_params(**{name: clone(value, safe=False) for name, value in parameters.items()})
    if not hasattr(copy, "get_params"):
        return copy
    open_ = [
        name
        for name, value in sorted(copy.get_params(deep=True).items())
        if value is None and name.rpartition("__")[2] == "random_state"
    ]
    return copy.set_params(**{name: int(rng.integers(2**31)) for name in open_}) if open_ else copy


def answers_of(data: DataSet, model: Any, asked: Any, rows: int) -> Ints:
    """What a trained model answers to rows with these features, as positions among the labels."""
    answers = positions(data, model.predict(asked))
    if len(answers) != rows:
        raise InputError(f"the model gave {len(answers):,} answers to {rows:,} rows.")
    return answers


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
            "a model must answer with one of the classes"
        )
    return order[place]


def scores_of(
    data: DataSet, model: Any, asked: Any, learned: NDArray[Any]
) -> tuple[Floats | None, str | None]:
    """Its scores of the same rows, as `Fit` has them; or None, and why there are none if it has some."""
    classes = np.asarray(getattr(model, "classes_", learned))
    if hasattr(model, "predict_proba"):
        found = np.asarray(model.predict_proba(asked), float)
        if found.shape != (rows_of(asked), len(classes)):
            return None, "predict_proba gives no row per row and column per class, so there are no scores"
        sums = found.sum(axis=1)
        if not np.isfinite(sums).all() or (found < -_ROUNDING).any() or (np.abs(sums - 1) > _ROUNDING).any():
            return None, "predict_proba gives no probabilities that add up to 1, so there are no scores"
        scores = np.zeros((len(found), len(data.labels)))
        scores[:, positions(data, classes)] = np.clip(found, 0, 1)
        return scores, None
    if hasattr(model, "decision_function"):
        found = np.asarray(model.decision_function(asked), float)
        if len(data.labels) != 2:
            return None, "decision_function gives no probabilities, which more than two classes need"
        if found.shape != (rows_of(asked),) or len(classes) != 2 or not np.isfinite(found).all():
            return None, "decision_function gives no number per row, so there are no scores"
        if data.position is None:
            return None, "decision_function is the score of one class: name the positive class to use it"
        # It rises with the second class; of two, the other's is the same turned round.
        second = int(positions(data, classes)[1])
        return found if second == data.position else -found, None
    return None, None


def _counts(data: DataSet, actual: Ints, answers: Ints) -> NDArray[np.int64]:
    size = len(data.labels)
    return np.bincount(actual * size + answers, minlength=size * size).reshape(size, size)


def _kind(category: type[Warning]) -> str:
    """What a warning is called: by its class, unless it has words for it."""
    return str(getattr(category, "words", category.__name__))


def _line(problem: BaseException) -> str:
    return f"{type(problem).__name__}: {_first_line(problem)}".rstrip(".")


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
        # Some have it only once they are fitted, as a stack of models does; their class has it before.
        if not callable(getattr(model, method, None)) and not hasattr(type(model), method):
            raise OptionError(f"model {quoted(name)} has no method {method}; got {type(model).__name__}.")
    if isinstance(model, type):
        raise OptionError(
            f"model {quoted(name)} is the class {model.__name__}; a model made from it is expected.",
            hint=f"write {model.__name__}().",
        )
    return model
