"""The same bits whoever makes the fits, nothing of a fit reaches another, and what may happen to workers."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import warnings
from contextlib import suppress
from functools import partial
from pathlib import Path
from threading import Barrier, Event, Lock, Thread

import dask
import distributed
import joblib
import numpy as np
import polars as pl
import pytest
import sklearn
from joblib.parallel import ThreadingBackend, register_parallel_backend
from sklearn.compose import make_column_transformer
from sklearn.decomposition import PCA
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import ExtraTreeClassifier
from threadpoolctl import threadpool_info, threadpool_limits

import tallymark as tm
from scored import classes, refusals
from scripted_models import without_times
from waiting import until
from watched import Acts, Says, Watched, few_files, said, set_version, wait_for_a_sign

pytestmark = pytest.mark.xdist_group("cluster of fits")
N = 1_200
"""More than the 1,000 rows whose classes travel with each fit."""
RNG = np.random.default_rng(0)
X = RNG.normal(size=(N, 4))
Y = np.where(X[:, 0] + RNG.normal(size=N) > 0, "yes", "no")
FEW = {"X": X[:60], "y": Y[:60]}
HALVES = [(np.arange(0, 60, 2), np.arange(1, 60, 2))]
GRID = {"var_smoothing": [1e-9, 1e-2]}
SHUFFLED, NOISE = RNG.permutation(N), RNG.permutation(FEW["y"])


def bits(found):
    """All that models said, and what is said of it."""
    columns = []
    if isinstance(found, tm.Validation):
        assert found.failed == 0, found.notes
        numbers = found.predictions("polars").select(pl.col(pl.Float64))
        columns = [column.to_numpy().tobytes() for column in numbers]
    return columns, without_times(found.to_dict())


class Counted:
    """Features that count how often they are pickled here."""

    pickled = 0

    def __init__(self, values):
        self.values, self.shape = values, values.shape

    def __len__(self):
        return len(self.values)

    def __getitem__(self, rows):
        return self.values[rows]

    def __reduce__(self):
        Counted.pickled += 1
        return np.asarray, (self.values,)


# Of folds, of rows drawn again, sampled and in no order, of permuted classes, and of a search.
LINEAR = {"logistic": make_pipeline(PCA(3), LogisticRegression()), "tree": ExtraTreeClassifier()}
BAYES, OBJECTS = GaussianNB(), Y.astype(object)
SMOOTH = {"a": BAYES, "b": GaussianNB(var_smoothing=0.1)}
ONCE = [(SHUFFLED[:700], np.sort(SHUFFLED[800:])[::-1])]
QUESTIONS = {
    "folds": lambda X: tm.validate(LINEAR, X, Y, cv=3, metric="auc", pos_label="yes"),
    "bootstrap": lambda X: tm.validate(LINEAR["tree"], X, Y, cv="bootstrap:2", sampler=tm.Oversampling()),
    "no order": lambda X: tm.validate(SMOOTH, X, OBJECTS, cv=ONCE),
    "training": lambda X: tm.permutation_test(BAYES, X, Y, cv=2, n_permutations=3),
    "all": lambda X: tm.permutation_test(
        BAYES, X, OBJECTS, cv=2, n_permutations=2, permute="all", param_grid=GRID
    ),
    "tune": lambda X: tm.tune(BAYES, X, Y, GRID, cv=2, inner_cv=2),
    "learn": lambda X: tm.learning_curve(BAYES, X, Y, schedule=[50, 200], n_repeats=2, progressive=True),
    "boosting": lambda X: tm.validate(
        HistGradientBoostingClassifier(max_iter=3, early_stopping=True), X, Y, cv=2
    ),
}


@pytest.fixture(scope="module")
def alone():
    return {name: bits(ask(X)) for name, ask in QUESTIONS.items()}


def differing(alone, sent):
    """The questions that are answered otherwise, or for which features are not sent so often."""
    wrong = []
    for name in QUESTIONS:
        Counted.pickled = 0
        found = bits(QUESTIONS[name](Counted(X)))
        wrong += [] if (found == alone[name], Counted.pickled) == (True, sent) else [(name, Counted.pickled)]
    return wrong


def is_configured():
    """scikit-learn is set on workers as it is here."""
    frame = pl.DataFrame({"x0": X[:, 0], "x1": X[:, 1], "y": Y})
    steps = make_pipeline(StandardScaler(), make_column_transformer(("passthrough", ["x0"])), GaussianNB())
    with sklearn.config_context(transform_output="polars"):
        return tm.validate(steps, frame, target="y", cv=2, n_jobs=2).failed == 0


def files_in(folder):
    return [place for place in folder.rglob("*") if place.is_file()]


class Lists(ThreadingBackend):
    """Like Spark's: results come when all of a call are there."""

    supports_return_generator = False


class LokyBackend(joblib._parallel_backends.LokyBackend):
    """A task is sent when another has come back, however short they are."""

    def compute_batch_size(self):
        return 1


register_parallel_backend("lists", Lists)
register_parallel_backend("singly", LokyBackend)


# --- processes and threads of this machine ------------------------------------------------------------


def test_any_workers_give_the_same_bits_and_features_are_sent_once(alone, tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    cases = {"loky": (2, 1), "threading": (3, 0), "lists": (2, 0)}
    wrong = {}
    for backend, (jobs, sent) in cases.items():
        with joblib.parallel_config(backend=backend, n_jobs=jobs):
            wrong[backend] = differing(alone, sent)
            assert is_configured(), backend
        assert not files_in(tmp_path), "nothing stays behind"
    assert wrong == {backend: [] for backend in cases}
    few = Acts(partial(few_files, tmp_path))
    with joblib.parallel_config(backend="singly", n_jobs=2):
        found = tm.permutation_test(few, X, Y, cv=2, n_permutations=60, permute="all")
    assert not found.failed


def fork():
    """Of three questions, asked of forked processes, whether they are answered alike, and what was sent.

    Before the last fork nothing may start threads: polars computes nothing, nor OpenMP, which boosting uses.
    """
    found, sent = {}, {}
    with joblib.parallel_config(backend="multiprocessing", n_jobs=2):
        for name in ("no order", "training", "tune"):
            Counted.pickled = 0
            found[name], sent[name] = QUESTIONS[name](Counted(X)), Counted.pickled
    print({name: (bits(each) == bits(QUESTIONS[name](X)), sent[name]) for name, each in found.items()})


@pytest.mark.thorough
@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes of Unix")
def test_processes_that_are_forked_give_the_same_bits(tmp_path):
    """In an interpreter of its own: this one has threads, and a fork copies the locks that they hold."""
    here = Path(__file__)
    folders = os.pathsep.join(map(str, (here.parent, here.parents[1])))
    call = [sys.executable, "-c", f"import {here.stem}; {here.stem}.fork()"]
    environment = {**os.environ, "PYTHONPATH": folders, "TMPDIR": str(tmp_path)}
    done = subprocess.run(call, env=environment, capture_output=True, text=True, timeout=300)
    expected = dict.fromkeys(("no order", "training", "tune"), (True, 1))
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"{expected}\n"
    assert not files_in(tmp_path)


def test_native_threads_change_no_bits():
    """With two threads of BLAS the scores of these rows are others in the last bits."""
    wide = np.random.default_rng(1).normal(size=(12_000, 100))
    cut = [(np.arange(11_000), np.arange(11_000, 12_000))]
    found = []
    for native in (1, 2, 4):
        with threadpool_limits(native):
            model = LogisticRegression()
            found.append(bits(tm.validate(model, wide, wide[:, 0] > 0, cv=cut, baseline=False)))
    assert found[0] == found[1] == found[2]


def test_stopping_early_makes_little_more_than_is_needed_and_warns_of_nothing():
    for workers, more in (({"n_jobs": 1}, 1), ({"backend": "lists", "n_jobs": 2}, 4 * 2 * 2)):
        Watched.learned.clear()
        with joblib.parallel_config(**workers):
            found = tm.permutation_test(Watched(), **FEW, cv=2, n_permutations=500, early_stop=True)
        # Of the real classes and of those looked at; and those that were under way.
        needed = 2 * (1 + found.to_dict()["n_permutations"])
        assert needed <= len(Watched.learned) <= needed + more < 500
    # Warnings are errors in these tests.
    found = tm.permutation_test(BAYES, FEW["X"], NOISE, n_permutations=300, early_stop=True, n_jobs=2)
    assert found.to_dict()["n_permutations"] < 300


class Seeded(Watched):
    """It keeps the seeds that it was given."""

    seeds = []  # noqa: RUF012

    def __init__(self, random_state=None):
        self.random_state = random_state

    def fit(self, X, y):
        Seeded.seeds.append(self.random_state)
        return super().fit(X, y)


def test_an_open_random_state_is_filled_from_the_stream_and_a_set_one_kept():
    def seeds(model, **options):
        Seeded.seeds.clear()
        tm.validate(model, **FEW, baseline=False, **{"cv": 3, **options})
        return list(Seeded.seeds)

    model = Seeded()
    found = [*seeds(make_pipeline(StandardScaler(), model)), *seeds(model, random_state=1)]
    assert all(isinstance(seed, int) for seed in found)
    assert len(set(found)) == 6, "every fold has its own"
    assert model.random_state is None
    assert seeds(model, random_state=1) == found[3:]
    assert seeds(Seeded(5)) == [5, 5, 5]
    Seeded.seeds.clear()
    tm.tune(Seeded(), **FEW, param_grid={"random_state": [6]}, cv=2, inner_cv=2)
    assert set(Seeded.seeds) == {6}
    without = said(Says(["no"] * 30), **FEW)[1]
    assert without["failed"] == 0, "a model without parameters has no chance to fill"


def warned(found):
    return {name: model.fits[0].warnings for name, model in found.models.items()}


def threads(kind):
    return {each["num_threads"] for each in threadpool_info() if each["user_api"] == kind}


def test_fits_in_threads_leave_no_trace(capsys):
    both, third = Barrier(2, timeout=60), Event()

    def loud():
        both.wait()
        # The quiet one has left by then: whoever leaves first ends nothing for the others.
        warnings.warn("loud" if third.wait(60) else "alone", UserWarning, stacklevel=1)
        print("printed")

    # Functions, for a copy of a model copies the barrier of a method.
    models = {"loud": Acts(loud), "quiet": Acts(lambda: both.wait()), "third": Acts(lambda: third.set())}
    before = sys.stdout, list(warnings.filters), warnings.showwarning
    with joblib.parallel_config(backend="threading", n_jobs=2):
        found = tm.validate(models, **FEW, cv=HALVES, baseline=False)
    assert warned(found) == {"loud": ("UserWarning: loud",), "quiet": (), "third": ()}
    assert (sys.stdout, warnings.filters, warnings.showwarning) == before
    print("afterwards")
    assert tuple(capsys.readouterr()) == ("afterwards\n", "printed\n")
    with pytest.warns(UserWarning, match="still shown"):
        warnings.warn("still shown", UserWarning, stacklevel=1)


def test_a_fit_has_one_native_thread_and_the_warnings_from_below():
    seen, before = [], (threads("blas"), threads("openmp"))
    assert before[0], "numpy brings a BLAS"

    def start():
        helper = Thread(target=lambda: warnings.warn("from below", RuntimeWarning, stacklevel=1))
        helper.start()
        helper.join()
        seen.extend((threads("blas"), threads("openmp") <= {1}))

    def nest():
        inner = Acts(lambda: warnings.warn("inner", UserWarning, stacklevel=1))
        found = tm.validate({"inner": inner}, **FEW, cv=HALVES, baseline=False)
        assert warned(found) == {"inner": ("UserWarning: inner",)}
        warnings.warn("outer", UserWarning, stacklevel=1)

    models = {"thread": Acts(start), "nested": Acts(nest)}
    found = tm.validate(models, **FEW, cv=HALVES, baseline=False)
    assert warned(found) == {
        "thread": ("RuntimeWarning: from below",), "nested": ("UserWarning: outer",)
    }  # fmt: skip
    assert (seen, (threads("blas"), threads("openmp"))) == ([{1}, True], before)


class FromNowhere(GaussianNB):
    """Of a module that no worker can import."""


class Unknown(GaussianNB):
    """Of a module that is not there when it arrives."""

    def __reduce__(self):
        return __import__, ("not_to_be_found",)


ONE_GROUP = {"cv": [(range(1, 60), range(1))], "groups": np.arange(60) == 0, "permute": "all"}
ERRORS = {
    "a lock": lambda: tm.validate({"m": Acts(Lock().acquire)}, **FEW, n_jobs=2),
    "no such module": lambda: tm.validate(Unknown(), **FEW, n_jobs=2),
    "the plan": lambda: tm.permutation_test(
        BAYES, **FEW, n_permutations=1, param_grid=GRID, n_jobs=2, **ONE_GROUP
    ),
}


def test_what_happens_to_processes_is_told_in_words(monkeypatch, snapshot):
    monkeypatch.setitem(sys.modules, "not_to_be_found", sys.modules[__name__])
    monkeypatch.setattr(FromNowhere, "__module__", "not_to_be_found")
    calls = {"a worker died": lambda: tm.validate(Acts(partial(os._exit, 3)), **FEW, n_jobs=2), **ERRORS}
    refused = refusals(calls | {"no such module": lambda: tm.validate(FromNowhere(), **FEW, n_jobs=2)})
    assert list(classes(refused).values()) == ["WorkerError"] * 3 + ["OptionError"]
    snapshot("errors_workers", refused)
    assert tm.validate(BAYES, **FEW, n_jobs=2).failed == 0, "other workers are started"


# --- a cluster of Dask --------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def client():
    quiet = {"logging.distributed": "critical", "distributed.nanny.environ.PYTHONWARNINGS": "ignore"}
    local = {"dashboard_address": ":0", "silence_logs": 50, "n_workers": 2, "threads_per_worker": 1}
    with (
        dask.config.set(quiet),
        distributed.LocalCluster(**local, processes=True) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
        joblib.parallel_config(backend="dask", client=client),
    ):
        yield client


def test_a_cluster_gives_the_same_bits_from_small_messages(alone, client, monkeypatch):
    assert differing(alone, 1) == []
    assert is_configured()
    found = tm.permutation_test(BAYES, FEW["X"], NOISE, n_permutations=300, early_stop=True)
    assert found.to_dict()["n_permutations"] < 300
    until(lambda: client.run_on_scheduler(lambda dask_scheduler: not dask_scheduler.tasks))
    sizes, submit = [], client.submit

    def weighed(function, *given, **options):
        sizes.extend(len(each) for each in given if isinstance(each, bytes))
        return submit(function, *given, **options)

    monkeypatch.setattr(client, "submit", weighed)
    rows = 100_000
    x, y = np.arange(rows * 2.0).reshape(rows, 2), np.arange(rows) % 2
    tm.permutation_test(BAYES, x, y, cv="holdout:1/10", n_permutations=1)
    plain, permuted = sizes
    assert plain < 5_000 + rows / 8, "of the rows a fit learns and is tested on, there is a bit for each"
    assert permuted < plain + rows, "of permuted classes there is a byte for each row"


def test_what_happens_on_a_cluster_is_told_in_words(client, snapshot):
    refused = refusals(ERRORS)
    client.run(set_version, "0.1")
    try:
        refused |= refusals({"another version": lambda: tm.validate(BAYES, **FEW)})
    finally:
        client.run(set_version, sklearn.__version__)
    with (
        distributed.LocalCluster(n_workers=0, dashboard_address=":0", silence_logs=50) as cluster,
        distributed.Client(cluster, set_as_default=False) as empty,
        joblib.parallel_config(backend="dask", client=empty, wait_for_workers_timeout=0.2),
    ):
        refused |= refusals({"no workers": lambda: tm.validate(BAYES, **FEW)})
    assert list(classes(refused).values()) == ["WorkerError"] * 2 + ["OptionError"] + ["WorkerError"] * 2
    told = {name: text.replace(sklearn.__version__, "VERSION") for name, text in refused.items()}
    told = {name: text.replace(cluster.scheduler_address, "ADDRESS") for name, text in told.items()}
    snapshot("errors_clusters", told)


class Deadly(GaussianNB):
    """With 900 rows it kills its worker, and at first all others too."""

    def __init__(self, folder=""):
        super().__init__()
        self.folder = folder

    def fit(self, X, y):
        workers, here = Path(self.folder) / "workers", str(os.getpid())
        (workers / here).touch()
        if len(X) == 900:
            others = (
                [] if (workers / "all").exists() else [p.name for p in workers.iterdir() if p.name != here]
            )
            (workers / "all").touch()
            for pid in (*others, here):
                with suppress(ProcessLookupError):
                    os.kill(int(pid), signal.SIGKILL)
        return super().fit(X, y)


def start_workers_anew(client, done):
    """On a busy machine Dask has been seen to give up a killed worker instead of starting it again."""
    lost = 0
    while not done.wait(0.1):
        lost = 0 if client.nthreads() else lost + 1
        if lost == 100:
            client.cluster.scale(len(client.cluster.worker_spec) + 1)
            lost = 0


@pytest.mark.thorough
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="signals of Unix")
def test_a_fit_that_kills_its_workers_fails_and_those_beside_it_are_not_blamed(client, tmp_path, snapshot):
    """Dask blames all that a dead worker had; and no failure of a machine is kept as one of the model."""
    (tmp_path / "workers").mkdir()
    folds = [(range(900 if fold == 3 else 1000), range(1000, N)) for fold in range(6)]
    client.cluster.scheduler.allowed_failures = 1
    done, given = Event(), {"X": X, "y": Y, "cv": folds, "pos_label": "yes", "baseline": False}
    helper = Thread(target=start_workers_anew, args=(client, done))
    helper.start()
    try:
        found = tm.validate({"m": Deadly(str(tmp_path))}, **given, run_folder=tmp_path / "run")
    finally:
        done.set()
        helper.join()
    (failure,) = found.to_dict()["failures"]
    assert failure["fold"] == 4
    assert len(list((tmp_path / "run" / "fits").glob("*.npz"))) == 5
    snapshot("failures_of_workers", {"a fit that kills its workers": failure["error"]})
    with joblib.parallel_config(backend="sequential"):
        alone = tm.validate({"m": BAYES}, **given)
    tables = [each.predictions("polars").filter(pl.col("fold") != 4) for each in (found, alone)]
    assert tables[0].equals(tables[1])


@pytest.mark.thorough
def test_it_is_said_when_all_workers_have_gone(tmp_path, caplog):
    """It is looked at every five seconds."""

    def said_by_tallymark():
        return [record.getMessage() for record in caplog.records if record.name == "tallymark"]

    def go_and_come():
        until(lambda: (tmp_path / "begun").exists() or ended.is_set())
        cluster.scale(0)
        (tmp_path / "go on").touch()
        until(lambda: said_by_tallymark() or ended.is_set())
        cluster.scale(1)

    ended, helper = Event(), Thread(target=go_and_come)
    local = {"dashboard_address": ":0", "silence_logs": 50, "n_workers": 1, "threads_per_worker": 1}
    with (
        distributed.LocalCluster(**local, processes=False) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
        joblib.parallel_config(backend="dask", client=client),
    ):
        helper.start()
        try:
            found = tm.validate(Acts(partial(wait_for_a_sign, tmp_path)), **FEW, cv=8)
        finally:
            ended.set()
            helper.join()
        assert found.failed == 0
        (message,) = said_by_tallymark()
        assert cluster.scheduler_address in message
