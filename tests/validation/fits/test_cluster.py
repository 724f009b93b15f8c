"""Fits on a real Dask cluster: the same bits, data sent once, and workers that are killed change nothing."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Lock, Thread
from typing import Any

import dask
import distributed
import joblib
import numpy as np
import polars as pl
import pytest
import sklearn
from imblearn.ensemble import BalancedBaggingClassifier
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import tallymark as tm
from tallymark.errors import MissingExtraError, OptionError, WorkerError
from tallymark.validation.data import sharing
from tallymark.validation.data.data_set import data_set
from tallymark.validation.fits import cluster as of_cluster
from tallymark.validation.fits.fitting import Task, fit

pytestmark = pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="signals of Unix")
RNG = np.random.default_rng(0)
N = 2_000
X = RNG.normal(size=(N, 4))
Y = (X[:, 0] + RNG.normal(size=N) > 0).astype(int)
FRAME = pl.DataFrame({**{f"x{place}": X[:, place] for place in range(4)}, "y": Y})
MODELS = {
    "logistic": LogisticRegression(),
    "forest": RandomForestClassifier(5),
    "boosting": HistGradientBoostingClassifier(max_iter=5),
}


@contextmanager
def cluster_of_two() -> Iterator[Any]:
    quiet = {"logging.distributed": "critical", "distributed.nanny.environ.PYTHONWARNINGS": "ignore"}
    with (
        dask.config.set(quiet),
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0", silence_logs=50
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    with cluster_of_two() as client:
        yield client


@pytest.fixture
def spread(client: Any) -> Iterator[Any]:
    """Fits are made by a cluster whose workers live on."""
    with joblib.parallel_config(backend="dask", client=client):
        yield client


@pytest.fixture
def mortal() -> Iterator[Any]:
    """Fits are made by a cluster whose workers may be killed; others shall not have what is left of it."""
    with cluster_of_two() as client, joblib.parallel_config(backend="dask", client=client):
        done = Event()
        helper = Thread(target=_replace_the_lost, args=(client, done))
        helper.start()
        try:
            yield client
        finally:
            done.set()
            helper.join()


def _replace_the_lost(client: Any, done: Event) -> None:
    """On a busy machine Dask has been seen to give up a killed worker instead of starting it again."""
    while not done.wait(10):
        if not client.nthreads():
            client.cluster.scale(len(client.cluster.worker_spec) + 1)


def told(found: Any) -> Any:
    """The result as JSON, but for times."""

    def timeless(part: Any) -> Any:
        if isinstance(part, dict):
            return {key: timeless(each) for key, each in part.items() if "seconds" not in key}
        return [timeless(each) for each in part] if isinstance(part, list) else part

    return timeless(json.loads(found.to_json()))


def bits(found: Any) -> list[bytes]:
    fits = [each for model in found.models.values() for each in model.fits]
    assert all(each.failure is None for each in fits), [each.failure for each in fits]
    return [part.tobytes() for each in fits for part in (each.answers, each.scores, each.training)]


# --- the same bits ------------------------------------------------------------------------------------------


def test_the_same_bits_as_in_one_process(spread: Any) -> None:
    found = tm.validate(MODELS, FRAME, target="y", cv=3, metric="auc")
    with joblib.parallel_config(backend="loky"):
        alone = tm.validate(MODELS, FRAME, target="y", cv=3, metric="auc")
    assert bits(found) == bits(alone)
    assert told(found) == told(alone)


ASKED: dict[str, Callable[[], Any]] = {
    "tune": lambda: tm.tune(GaussianNB(), X, Y, param_grid={"var_smoothing": [1e-9, 1e-2]}, cv=2),
    "learning curve": lambda: tm.learning_curve(GaussianNB(), X, Y, schedule=[50, 200], n_repeats=3),
    "permuted training rows": lambda: tm.permutation_test(GaussianNB(), X, Y, n_permutations=5),
    "all permuted, tuned": lambda: tm.permutation_test(
        GaussianNB(), X, Y, n_permutations=3, permute="all", param_grid={"var_smoothing": [1e-9, 1e-2]}
    ),
}


@pytest.mark.parametrize("question", ASKED)
def test_every_question_has_the_same_answer(spread: Any, question: str) -> None:
    found = ASKED[question]()
    with joblib.parallel_config(backend="loky"):
        assert told(found) == told(ASKED[question]())


# --- what is sent -------------------------------------------------------------------------------------------


class Counted:
    """Features that count how often they are pickled here."""

    pickled = 0

    def __init__(self, values: Any) -> None:
        self.values = values
        self.shape = values.shape

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, rows: Any) -> Any:
        return self.values[rows]

    def __reduce__(self) -> Any:
        Counted.pickled += 1
        return np.asarray, (self.values,)


@pytest.mark.parametrize("question", ["validate", "tune", "learn", "permute"])
def test_features_are_sent_once(spread: Any, question: str, monkeypatch: pytest.MonkeyPatch) -> None:
    placed = []
    put = sharing._on_cluster
    monkeypatch.setattr(
        sharing, "_on_cluster", lambda client, thing: (placed.append(thing), put(client, thing))[1]
    )
    match question:
        case "validate":
            tm.validate({"a": GaussianNB(), "b": GaussianNB()}, X, Y, cv=4)
        case "tune":
            tm.tune(GaussianNB(), X, Y, param_grid={"var_smoothing": [1e-9, 1e-2]}, cv=2)
        case "learn":
            tm.learning_curve(GaussianNB(), X, Y, schedule=[50, 100, 200], n_repeats=3, progressive=True)
        case _:
            tm.permutation_test(GaussianNB(), X, Y, n_permutations=4, permute="all")
    assert sum(thing is X for thing in placed) == 1


def test_what_is_put_on_the_cluster_is_pickled_once(spread: Any) -> None:
    Counted.pickled = 0
    with sharing.shared_features(joblib) as shelf:
        features = shelf.place(Counted(X))
        sums = [spread.submit(np.sum, features, pure=False) for _ in range(6)]
        assert {each.result() for each in sums} == {X.sum()}
    assert Counted.pickled == 1


def test_a_message_is_small() -> None:
    rows = 100_000
    data = data_set(np.zeros((rows, 2)), np.arange(rows) % 2)
    fold = np.arange(rows) % 10 == 0
    task = Task(GaussianNB(), data, np.flatnonzero(~fold), np.flatnonzero(fold), (0, 1))
    assert len(of_cluster._pickled(fit, task)) < 5_000 + rows / 8


def test_nothing_stays_on_the_cluster(spread: Any) -> None:
    tm.validate(GaussianNB(), X, Y, cv=4)
    _until(lambda: not spread.run_on_scheduler(lambda dask_scheduler: len(dask_scheduler.tasks)))


# --- workers that are killed --------------------------------------------------------------------------------


class Slow(GaussianNB):
    """Tells that it is at work, and takes its time. Of this file, which workers cannot import."""

    def __init__(self, folder: Any = "") -> None:
        super().__init__()
        self.folder = folder

    def fit(self, X: Any, y: Any) -> Any:
        Path(self.folder, f"{os.getpid()}-{time.monotonic_ns()}").touch()
        time.sleep(0.15)
        return super().fit(X, y)


def _until(there: Callable[[], Any], seconds: float = 30) -> Any:
    end = time.monotonic() + seconds
    while not (found := there()):
        assert time.monotonic() < end, "it takes too long"
        time.sleep(0.02)
    return found


def _holder(client: Any) -> int:
    """The process that has the features."""

    def holder(dask_scheduler: Any) -> str | None:
        held = [task for key, task in dask_scheduler.tasks.items() if key.startswith("_same-")]
        return next((worker.address for task in held for worker in task.who_has), None)

    address = _until(lambda: client.run_on_scheduler(holder))
    return int(client.run(os.getpid, workers=[address])[address])


def _busy(folder: Path) -> int:
    """A process that has begun a second fit."""
    begun = [each.name.partition("-")[0] for each in folder.iterdir()]
    return next((int(each) for each in begun if begun.count(each) > 1), 0)


@pytest.mark.parametrize("victim", ["at work", "holding the data", "every one"])
def test_a_killed_worker_changes_nothing(mortal: Any, victim: str, tmp_path: Path) -> None:
    killed: list[int] = []

    def kill() -> None:
        busy = _until(lambda: _busy(tmp_path))
        others = mortal.run(os.getpid).values() if victim == "every one" else ()
        first = _holder(mortal) if victim == "holding the data" else busy
        for each in {first, *others}:
            os.kill(each, signal.SIGKILL)
            killed.append(each)

    killer = Thread(target=kill)
    killer.start()
    try:
        found = tm.validate(Slow(str(tmp_path)), X, Y, cv=8, metric="auc")
    finally:
        killer.join()
    assert len(killed) == (2 if victim == "every one" else 1)
    with joblib.parallel_config(backend="loky"):
        alone = tm.validate(GaussianNB(), X, Y, cv=8, metric="auc")
    assert bits(found) == bits(alone)


class Deadly(GaussianNB):
    """Kills every worker that fits it."""

    def fit(self, *_: Any) -> Any:
        os.kill(os.getpid(), signal.SIGKILL)


def test_a_fit_that_kills_its_workers_fails_and_the_others_go_on(mortal: Any) -> None:
    """joblib's own way of using Dask waits for it for ever."""
    scheduler = mortal.cluster.scheduler
    usual, scheduler.allowed_failures = scheduler.allowed_failures, 1
    try:
        found = tm.validate(
            {"bayes": GaussianNB(), "deadly": Deadly()}, X, Y, cv=[(range(1000), range(1000, N))]
        )
    finally:
        scheduler.allowed_failures = usual
    (fine,), (dead,) = (model.fits for model in found.models.values())
    assert fine.failure is None
    assert dead.failure == "2 workers died in it, one after the other, most likely for want of memory"


class DeadlyWithFewRows(GaussianNB):
    """Kills the worker that fits it on 900 rows."""

    def fit(self, X: Any, y: Any) -> Any:
        time.sleep(0.05)
        if len(X) == 900:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().fit(X, y)


def test_fits_beside_a_deadly_one_are_not_blamed(mortal: Any, tmp_path: Path) -> None:
    """Dask blames all that a dead worker had; and no failure of a machine is kept as one of the model."""
    scheduler = mortal.cluster.scheduler
    usual, scheduler.allowed_failures = scheduler.allowed_failures, 0
    folds = [(range(900 if fold == 3 else 1000), range(1000, N)) for fold in range(8)]
    try:
        found = tm.validate(DeadlyWithFewRows(), X, Y, cv=folds, run_folder=tmp_path)
    finally:
        scheduler.allowed_failures = usual
    (model,) = found.models.values()
    assert [fit.failure is not None for fit in model.fits] == [fold == 3 for fold in range(8)]
    assert len(list((tmp_path / "fits").glob("*.npz"))) == 7


# --- what may go wrong --------------------------------------------------------------------------------------


def test_a_model_that_cannot_be_pickled_is_told_in_words(spread: Any) -> None:
    with pytest.raises(WorkerError, match=r"a fit cannot be sent to the workers: .*lock"):
        tm.validate(Slow(Lock()), X, Y, cv=3)


class Unknown(GaussianNB):
    """Of a module that is not there when it arrives."""

    def __reduce__(self) -> Any:
        return __import__, ("not_to_be_found",)


def test_a_model_that_workers_cannot_have_is_told_in_words(spread: Any) -> None:
    with pytest.raises(
        WorkerError, match="cannot be sent to the workers: ModuleNotFoundError: No module named"
    ):
        tm.validate(Unknown(), X, Y, cv=3)


def test_other_versions_on_a_worker_are_refused(spread: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    real = of_cluster._versions(GaussianNB())
    monkeypatch.setattr(of_cluster, "_versions", lambda _: {**real, "scikit-learn": "0.1", "not_there": "1"})
    with pytest.raises(WorkerError) as caught:
        tm.validate(GaussianNB(), X, Y, cv=3)
    worker, asked = f"scikit-learn {real['scikit-learn']}", "0.1"
    assert caught.value.message == f"a worker has {worker}, not {asked}, so its numbers may be others."


def test_versions_are_those_of_the_libraries_of_the_model() -> None:
    sampler = BalancedBaggingClassifier()
    assert {"python", "numpy", "scipy", "scikit-learn", "tallymark"} == {*of_cluster._versions(GaussianNB())}
    assert "imblearn" in of_cluster._versions(sampler)
    assert of_cluster._versions(lambda table: table) == of_cluster._versions(GaussianNB())


def test_scikit_learn_is_set_on_workers_as_it_is_here(spread: Any) -> None:
    steps = make_pipeline(StandardScaler(), make_column_transformer(("passthrough", ["x0"])), GaussianNB())
    with sklearn.config_context(transform_output="polars"):
        found = tm.validate(steps, FRAME, target="y", cv=3)
    assert [each.failure for each in next(iter(found.models.values())).fits] == [None] * 3


def test_an_error_of_the_plan_comes_through(spread: Any) -> None:
    groups = np.zeros(N)
    groups[0] = 1
    with pytest.raises(OptionError, match="all training rows of a fold are of one group"):
        tm.permutation_test(
            GaussianNB(), X, Y, cv=[(range(1, N), range(1))], groups=groups, n_permutations=1, permute="all",
            param_grid={"var_smoothing": [1e-9, 1e-2]},
        )  # fmt: skip


def test_stopping_early_ends_the_work(spread: Any, tmp_path: Path) -> None:
    data = data_set(X, Y)
    tasks = (Task(Slow(str(tmp_path)), data, np.arange(100), np.arange(100, N), (0, 1)) for _ in range(100))
    from tallymark.validation.fits.workers import made

    found = made(joblib, enumerate(tasks), n_jobs=None, by=fit)
    next(found)
    found.close()
    _until(lambda: not spread.run_on_scheduler(lambda dask_scheduler: len(dask_scheduler.tasks)))
    assert len(list(tmp_path.iterdir())) < 10


def test_a_cluster_without_workers_is_told_in_words() -> None:
    with (
        distributed.LocalCluster(n_workers=0, dashboard_address=":0", silence_logs=50) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
        joblib.parallel_config(backend="dask", client=client, wait_for_workers_timeout=0.2),
        pytest.raises(WorkerError, match=r"the cluster has had no worker for 0.2 seconds") as caught,
    ):
        tm.validate(GaussianNB(), X, Y, cv=3)
    assert caught.value.hint == f"start some: dask worker {cluster.scheduler_address}"


def test_it_is_said_when_all_workers_have_gone(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    monkeypatch.setattr(of_cluster, "_ASK_AGAIN", 0.1)

    def said() -> list[str]:
        return [each.getMessage() for each in caplog.records if each.name == "tallymark"]

    with (
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=1, processes=False, dashboard_address=":0", silence_logs=50
        ) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
        joblib.parallel_config(backend="dask", client=client),
    ):

        def go_and_come() -> None:
            _until(lambda: any(tmp_path.iterdir()))
            cluster.scale(0)
            _until(said)
            cluster.scale(1)

        other = Thread(target=go_and_come)
        other.start()
        found = tm.validate(Slow(str(tmp_path)), X, Y, cv=8)
        other.join()
    assert [fit.failure for fit in found.models["Slow"].fits] == [None] * 8
    assert said() == [
        "tallymark: all workers of the cluster have gone; the run waits until some come. "
        f"Hint: start some: dask worker {cluster.scheduler_address}"
    ]


def test_workers_that_leave_before_anything_is_sent_lose_nothing(
    spread: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(of_cluster, "threads_of", lambda _: 0)
    found = tm.validate(GaussianNB(), X, Y, cv=5)
    with joblib.parallel_config(backend="loky"):
        assert bits(found) == bits(tm.validate(GaussianNB(), X, Y, cv=5))


def test_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(MissingExtraError) as caught, of_cluster.workers_at("tcp://127.0.0.1:1"):
        pass
    assert caught.value.hint == "pip install 'tallymark[dask]'"
