"""Models that note every fit in a file, so that one process may count another's; and questions about them.

What else they do is in environment variables, not in parameters, so that they stay the same models:
FITS_MADE is the file, FITS_FAIL an error in which those end that learn row 0, FITS_MEET how many processes
wait for each other at their first fit, FITS_WAIT a file without which the first one does not end, FITS_KILL
the number of the fit in which a process is killed, with FITS_PARENT that which started it, once a fit is in
its folder, FITS_FULL the fit from which on no file can grow, and FITS_JOBS how many workers work.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import signal
import warnings
from collections.abc import Callable
from contextlib import redirect_stdout
from functools import cache
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import tallymark as tm
from tallymark.cli import main
from waiting import until

MADE_HERE: list[str] = []
"""No number: values that a model looks at belong to what it is known by."""
ERRORS = {"ValueError": ValueError, "MemoryError": MemoryError, "SystemExit": SystemExit}


def makers(place: str) -> set[str]:
    return {line.partition(" ")[0] for line in Path(place).read_text().splitlines()}


def let_files_grow(size: int | None = None) -> None:
    """To this size of this process; without one, as far as they may."""
    most = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
    resource.setrlimit(resource.RLIMIT_FSIZE, (most if size is None else size, most))


class Counted(GaussianNB):
    """Naive Bayes."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        MADE_HERE.append("fit")
        told, number = os.environ, str(len(MADE_HERE))
        if place := told.get("FITS_MADE"):
            what = len(X), np.asarray(X)[:, 0].sum(), np.flatnonzero(y).sum(), self.var_smoothing
            with open(place, "a", encoding="ascii") as file:
                file.write(f"{os.getpid()} {what}\n")
        if number == "1" and "FITS_MEET" in told:
            until(lambda: len(makers(told["FITS_MADE"])) >= int(told["FITS_MEET"]))
        if number == "1" and "FITS_WAIT" in told:
            until(lambda: os.path.exists(told["FITS_WAIT"]))
        if told.get("FITS_KILL") == number:
            until(lambda: "FITS_FOLDER" not in told or any(Path(told["FITS_FOLDER"]).rglob("*.npz")))
            victim = int(told.get("FITS_PARENT", os.getpid()))
            if victim in (os.getpid(), os.getppid()):  # not who takes care of orphans
                os.kill(victim, signal.SIGKILL)
        if told.get("FITS_FULL") == number:
            let_files_grow(0)
        found = super().fit(X, y, sample_weight)
        if "FITS_FAIL" in told:
            warnings.warn("this may go wrong", stacklevel=1)
            if (np.asarray(X)[:, 0] == 0).any():
                raise ERRORS[told["FITS_FAIL"]]("bad\nvery b\u00e4d \ud800")
        return found


class Holds(ClassifierMixin, BaseEstimator):
    """Predicts the first class of all rows, whatever it holds."""

    def __init__(self, what: Any = None) -> None:
        self.what = what

    def fit(self, _: Any, y: Any) -> Any:
        self.classes_ = np.unique(y)
        return self

    def predict(self, X: Any) -> Any:
        return np.full(X.shape[0] if hasattr(X, "shape") else len(X), self.classes_[0])


def rows(count: int = 90) -> tuple[Any, Any]:
    """Two classes that overlap; the first column tells the row."""
    random = np.random.default_rng(0)
    X = np.column_stack([np.arange(float(count)), random.normal(size=(count, 2))])
    return X, (X[:, 1] + random.normal(size=count) > 0).astype(int)


def told(result: Any) -> str:
    """All that a result says, but for times; of a validation also all predictions, bit for bit."""
    bits = []
    if isinstance(result, tm.Validation):
        floats = [column for column in result.predictions("polars") if column.dtype.is_float()]
        bits = [[column.name, column.to_numpy().tobytes().hex()] for column in floats]
    return json.dumps([timeless(result.to_dict()), bits], indent=1)


def timeless(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: timeless(each) for key, each in value.items() if "seconds" not in key}
    return [timeless(each) for each in value] if isinstance(value, list) else value


class Answer(NamedTuple):
    """What was asked in a folder; `told` is empty if it was refused."""

    told: str
    found: int
    made: int
    said: list[str]
    error: str = ""

    @property
    def counts(self) -> tuple[int, int, int]:
        """Fits found and made, and messages."""
        return self.found, self.made, len(self.said)


class Folder:
    """A run folder, with its messages, in which the place of this test is called HERE."""

    def __init__(self, path: Path, **options: Any) -> None:
        self.path = path
        self.said: list[str] = []
        self.run_folder = tm.RunFolder(
            path, tell=lambda text: self.said.append(self.placeless(text)), **options
        )

    def placeless(self, text: str) -> str:
        return text.replace(str(self.path.parent), "HERE").replace(self.path.name, "runs")

    def ask(self, ask: Callable[..., Any]) -> Answer:
        self.said.clear()
        result, error = "", ""
        try:
            result = told(ask(self.run_folder))
        except tm.TallymarkError as problem:
            error = self.placeless(f"{type(problem).__name__}: {problem}")
        used = self.run_folder.used
        return Answer(result, used.found, used.made, list(self.said), error)

    def listed(self) -> Any:
        """All runs, as `tallymark runs list` tells of them."""
        return self._told("list")["runs"]

    def shown(self) -> Any:
        """The last run, as `tallymark runs show` tells of it."""
        return self._told("show")

    def _told(self, what: str) -> Any:
        with redirect_stdout(StringIO()) as out:
            assert main(["runs", what, str(self.path), "--json"]) == 0
        return json.loads(out.getvalue())

    def contents(self) -> dict[Path, bytes]:
        """The files, by their place in the folder."""
        files = (place for place in self.path.rglob("*") if place.is_file())
        return {place.relative_to(self.path): place.read_bytes() for place in files}

    def records(self, ask: Callable[..., Any]) -> list[Path]:
        """The files that cost one fit when they are gone."""
        found = []
        for place in sorted(self.contents()):
            with TemporaryDirectory() as other:
                copy = Folder(Path(shutil.copytree(self.path, Path(other) / "copy")))
                (copy.path / place).unlink()
                if copy.ask(ask).made == 1:
                    found.append(place)
        return found


@cache
def undisturbed(ask: Callable[..., Any]) -> str:
    """The result without a folder."""
    kept = {name: os.environ.pop(name) for name in [*os.environ] if name.startswith("FITS_")}
    try:
        return told(ask(None))
    finally:
        os.environ.update(kept)


def validate(folder: Any) -> Any:
    """Five runs of two folds, two models: 10 fits are counted."""
    models = {"bayes": Counted(), "tree": DecisionTreeClassifier(max_depth=2)}
    given: dict[str, Any] = {
        "cv": "kfold:5x2",
        "metrics": ["auc", "log_loss"],
        "baseline": False,
        "run_folder": folder,
    }
    return tm.validate(models, *rows(), **given, n_jobs=int(os.environ.get("FITS_JOBS", "1")))


def tune(folder: Any) -> Any:
    """Two candidates in two inner folds of three outer ones and of all rows, and winners."""
    grid = {"var_smoothing": [1e-9, 0.1]}
    return tm.tune(Counted(), *rows(), grid, cv=3, inner_cv=2, run_folder=folder)


def learn(folder: Any) -> Any:
    return tm.learning_curve(Counted(), *rows(), schedule=[0.3, 0.6, 1.0], n_repeats=4, run_folder=folder)


def permute(folder: Any) -> Any:
    return tm.permutation_test(Counted(), *rows(), n_permutations=5, cv=2, run_folder=folder)


def few(folder: Any) -> Any:
    """Three fits."""
    return tm.validate(Counted(), *rows(), cv=3, baseline=False, run_folder=folder)


def large(folder: Any) -> Any:
    """Three fits whose predictions stay in the folder."""
    return tm.validate(Counted(), *rows(9_000), cv=3, baseline=False, run_folder=folder)


QUESTIONS = {ask.__name__: ask for ask in (validate, tune, learn, permute, few, large)}
