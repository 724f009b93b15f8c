"""The same bits whoever makes the fits, and words for what may happen to workers."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from itertools import count

import joblib
import numpy as np
import pytest
from joblib.parallel import ThreadingBackend, register_parallel_backend
from sklearn.decomposition import PCA
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

import tallymark as tm
from tallymark.errors import OptionError, WorkerError
from tallymark.validation.data.data_set import data_set
from tallymark.validation.fits.fitting import Task, fit
from tallymark.validation.fits.workers import made

RNG = np.random.default_rng(0)
X = RNG.normal(size=(300, 4))
Y = (X[:, 0] + RNG.normal(size=300) > 0).astype(int)
DATA = data_set(X, Y)
MODELS = {
    "logistic": make_pipeline(PCA(3), LogisticRegression()),
    "forest": RandomForestClassifier(5),
    "boosting": HistGradientBoostingClassifier(max_iter=5, early_stopping=True),
    "neighbours": KNeighborsClassifier(),
}


def bits(found: tm.validation.Validation) -> list[bytes]:
    """All that models said, fold by fold."""
    return [
        part.tobytes()
        for model in found.models.values()
        for each in model.fits
        for part in (each.answers, each.scores, each.training)
    ]


@pytest.fixture(scope="module")
def alone() -> list[bytes]:
    return bits(tm.validate(MODELS, X, Y, cv=3, metric="auc"))


@pytest.mark.parametrize(
    ("backend", "n_jobs"),
    [("loky", 2), ("loky", 3), ("threading", 3), ("multiprocessing", 2)],
    ids=["two processes", "three processes", "three threads", "forked processes"],
)
def test_the_same_bits_for_any_workers(backend: str, n_jobs: int, alone: list[bytes]) -> None:
    with joblib.parallel_config(backend=backend, n_jobs=n_jobs):
        assert bits(tm.validate(MODELS, X, Y, cv=3, metric="auc")) == alone


def test_the_same_bits_for_rows_that_native_threads_would_share() -> None:
    """With two threads of BLAS the scores of these rows are others in the last bits."""
    from threadpoolctl import threadpool_limits

    wide = RNG.normal(size=(12_000, 100))
    data = data_set(wide, (wide[:, 0] > 0).astype(int))
    task = Task(LogisticRegression(), data, np.arange(11_000), np.arange(11_000, 12_000), (0, 1))
    found = []
    for threads in (1, 2, 4):
        with threadpool_limits(threads):
            scores = fit(task).scores
            assert scores is not None
            found.append(scores.tobytes())
    assert len(set(found)) == 1


# --- backends that give lists ------------------------------------------------------------------------------


class Lists(ThreadingBackend):
    """Like Spark's: results come when all of a call are there."""

    supports_return_generator = False


register_parallel_backend("lists", Lists)


@pytest.mark.parametrize("n_jobs", [1, 2], ids=["one worker", "two workers"])
def test_backends_that_give_lists_are_asked_slice_by_slice(n_jobs: int, alone: list[bytes]) -> None:
    drawn = count()
    rows = np.arange(300)
    tasks = ((next(drawn), Task(GaussianNB(), DATA, rows[::2], rows[1::2], (0, 1))) for _ in range(50))
    with joblib.parallel_config(backend="lists", n_jobs=n_jobs):
        found = made(joblib, tasks, n_jobs=None, by=fit)
        next(found)
        assert next(drawn) <= 4 * n_jobs, "no more than a slice is made before the first is here"
        assert len(list(found)) == 49
        assert bits(tm.validate(MODELS, X, Y, cv=3, metric="auc")) == alone


def test_whoever_stops_early_is_not_warned_of_work_in_vain() -> None:
    rows = np.arange(300)
    tasks = ((number, Task(GaussianNB(), DATA, rows[::2], rows[1::2], (0, 1))) for number in range(50))
    found = made(joblib, tasks, n_jobs=2, by=fit)
    next(found)
    found.close()


# --- what may happen to processes --------------------------------------------------------------------------

OWN = """
import os, signal, threading
from sklearn.naive_bayes import GaussianNB

class Dies(GaussianNB):
    def fit(self, X, y):
        os.kill(os.getpid(), signal.SIGKILL)

class Holds(GaussianNB):
    def __init__(self, lock=None):
        super().__init__()
        self.lock = lock

def holds():
    return Holds(threading.Lock())
"""


@pytest.fixture
def table(tmp_path, monkeypatch) -> str:
    (tmp_path / "own_models.py").write_text(OWN)
    np.savetxt(tmp_path / "data.csv", np.c_[X, Y], delimiter=",", header="a,b,c,d,y", comments="")
    monkeypatch.chdir(tmp_path)
    return "data.csv"


def validated(table: str, model: str) -> subprocess.CompletedProcess[str]:
    """The command, in a process of its own with two workers."""
    words = ["validate", table, "--target", "y", "--model", model, "--method", "kfold:4", "--jobs", "2"]
    return subprocess.run(
        [sys.executable, "-m", "tallymark", *words], capture_output=True, text=True, timeout=120, check=False
    )


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="signals of Unix")
def test_a_worker_that_dies_is_told_in_words(table: str) -> None:
    found = validated(table, "own_models:Dies")
    assert (found.returncode, found.stdout) == (2, "")
    assert found.stderr == (
        "tallymark: a worker died in the middle of a fit, most likely for want of memory. Hint: take fewer "
        "workers: --jobs 1 (n_jobs=1); a run folder, --run-folder FOLDER (run_folder=), keeps the fits that "
        "are finished.\n"
    )


def test_a_model_that_cannot_be_sent_is_told_in_words(table: str) -> None:
    found = validated(table, "own_models:holds")
    assert (found.returncode, found.stdout) == (2, "")
    assert found.stderr.startswith("tallymark: a fit cannot be sent to the workers: ")
    assert "lock" in found.stderr
    assert found.stderr.count("\n") == 1


class FromNowhere(GaussianNB):
    """Of a module that no worker can import."""


@pytest.mark.skipif(os.name == "nt", reason="processes start otherwise")
def test_a_model_that_workers_cannot_import_is_told_in_words(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "not_to_be_found", sys.modules[__name__])
    monkeypatch.setattr(FromNowhere, "__module__", "not_to_be_found")
    with pytest.raises(WorkerError, match="No module named 'not_to_be_found'") as caught:
        tm.validate(FromNowhere(), X, Y, cv=3, n_jobs=2)
    assert caught.value.hint is not None
    assert caught.value.hint.startswith("workers import the code of a model")


def test_an_error_of_the_plan_is_itself() -> None:
    def tasks():
        yield 0, Task(GaussianNB(), DATA, np.arange(10), np.arange(10, 20), (0, 1))
        raise OptionError("no further.")

    with pytest.raises(OptionError, match="no further"):
        list(made(joblib, tasks(), n_jobs=2, by=fit))
