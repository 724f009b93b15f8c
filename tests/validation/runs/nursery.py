"""A process that forks others on demand: they start at once, for all is imported, and miss no threads.

Every line of its input is a call: {"start": name, "options": {...}, "out": file, "environment": {...}} is
answered with the number of a new process that does it, {"wait": number} with the exit code of that process.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import traceback
import warnings
from collections.abc import Callable
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from typing import Any

import numpy as np
import polars  # noqa: F401 - so that no child has to
import scipy.special  # noqa: F401
from counted_models import Counted, told
from sklearn.tree import DecisionTreeClassifier

import tallymark as tm
import tallymark.validation
from tallymark.validation.runs import installed

for each in walk_packages(tallymark.validation.__path__, "tallymark.validation."):
    import_module(each.name)
# What is installed is looked up once, not by every child.
installed._distributions()


def rows() -> tuple[Any, Any]:
    """Ninety rows of two classes that overlap; the first column tells the row."""
    random = np.random.default_rng(0)
    X = np.column_stack([np.arange(90.0), random.normal(size=(90, 2))])
    return X, (X[:, 1] + random.normal(size=90) > 0).astype(int)


def validate(folder: str | None, pause: float = 0.0, folds: int = 9, n_jobs: int | None = None) -> str:
    """Ten runs, two models."""
    models = {"bayes": Counted(pause=pause), "tree": DecisionTreeClassifier(max_depth=2)}
    given = {"cv": f"kfold:10x{folds}", "metrics": ["auc"], "n_jobs": n_jobs}
    result = tm.validate(models, *rows(), **given, run_folder=folder)
    scores = [fit.scores.tobytes() for model in result.models.values() for fit in model.fits]
    return told(result) + sha256(b"".join(scores)).hexdigest()


def tune(folder: str | None, pause: float = 0.0, n_jobs: int | None = None) -> str:
    """Three candidates in 5 inner folds of 5 outer ones and of all rows, and 5 winners: 95 fits."""
    grid = {"var_smoothing": [1e-9, 1e-3, 0.1]}
    return told(tm.tune(Counted(pause=pause), *rows(), grid, n_jobs=n_jobs, run_folder=folder))


def learn(folder: str | None, pause: float = 0.0) -> str:
    """Four sizes, ten repeats."""
    shares = [0.25, 0.5, 0.75, 1.0]
    return told(tm.learning_curve(Counted(pause=pause), *rows(), schedule=shares, run_folder=folder))


def permute(folder: str | None, pause: float = 0.0) -> str:
    """One fit and 40 with permuted classes."""
    return told(tm.permutation_test(Counted(pause=pause), *rows(), n_permutations=40, run_folder=folder))


def few(folder: str | None, dies_at: int = 0) -> str:
    """Three fits; what changes the folder is counted, and the call of that number is the last."""
    if dies_at:
        _make_mortal(dies_at)
    return told(tm.validate(Counted(), *rows(), cv=3, baseline=False, run_folder=folder))


QUESTIONS: dict[str, Callable[..., str]] = {
    "validate": validate,
    "tune": tune,
    "learn": learn,
    "permute": permute,
    "few": few,
}


def _make_mortal(last: int) -> None:
    """Kill this process in a call of the system, half done where it can be."""
    left = last
    writing = (os.write, Path.write_bytes)

    def counted(call: Callable[..., Any]) -> Callable[..., Any]:
        def mortal(*given: Any, **options: Any) -> Any:
            nonlocal left
            left -= 1
            if not left:
                if call in writing:
                    call(given[0], given[1][: len(given[1]) // 2])
                os.kill(os.getpid(), signal.SIGKILL)
            return call(*given, **options)

        return mortal

    for name in ("replace", "symlink", "write", "mkdir", "unlink"):
        setattr(os, name, counted(getattr(os, name)))
    for name in ("write_bytes", "unlink"):
        setattr(Path, name, counted(getattr(Path, name)))


def _be(call: dict[str, Any]) -> None:
    """Do it, and end here."""
    out = Path(call["out"])
    try:
        os.environ.update(call["environment"])
        warnings.simplefilter("error")
        said = QUESTIONS[call["start"]](**call["options"])
        out.write_text(said)
        code = 0
    except BaseException:  # noqa: BLE001 - nothing of the parent may run on in here
        out.write_text(traceback.format_exc())
        code = 1
    os._exit(code)


def main() -> None:
    for line in sys.stdin:
        call = json.loads(line)
        if "wait" in call:
            print(os.waitstatus_to_exitcode(os.waitpid(call["wait"], 0)[1]), flush=True)
            continue
        child = os.fork()
        if not child:
            _be(call)
        print(child, flush=True)


if __name__ == "__main__":
    main()
