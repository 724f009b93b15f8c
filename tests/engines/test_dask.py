"""Data frames of Dask: the same tally as in memory, whoever counts, and what goes wrong."""

from __future__ import annotations

import datetime
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path
from threading import Thread
from typing import Any

import dask
import dask.dataframe as dd
import distributed
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from sklearn.metrics import roc_auc_score
from workers import dask_workers

import tallymark as tm
from alike import alike
from collected import each
from scored import classes, refusals
from waiting import until

RNG, N = np.random.default_rng(0), 3_000


def _frame() -> pd.DataFrame:
    actual = RNG.integers(0, 2, N)
    score = np.clip(RNG.normal(0.3 + 0.3 * actual, 0.2), 0, 1)
    columns: dict[str, Any] = {
        "y": actual,
        "p": (score > 0.5).astype(int),
        "score": score,
        "rounded": score.round(2),
    }
    columns |= {
        "whole": RNG.integers(0, 4, N),
        "share": RNG.random(N),
        "gaps": np.where(RNG.random(N) < 0.1, np.nan, score),
    }
    columns |= {"region": RNG.choice(["north", "south", "east"], N), "device": RNG.choice(["old", "new"], N)}
    for size in (3, 25):
        probabilities = RNG.dirichlet(np.ones(size), N)
        columns |= {f"{size} {place}": probabilities[:, place] for place in range(size)}
        columns[f"of {size}"] = RNG.integers(0, size, N)
    return pd.DataFrame(columns).set_index(RNG.integers(0, 9, N))  # an index that tells nothing


FRAME = _frame()


def of_classes(size: int) -> dict[str, Any]:
    return {"actual": f"of {size}", "probabilities": {str(place): f"{size} {place}" for place in range(size)}}


ON_GRID: dict[str, Any] = {"actual": "y", "score": "score", "approximate": True, "weight": "share"}
ASKED: dict[str, dict[str, Any]] = {
    "labels": {"actual": "y", "predicted": "p"},
    "scores": {"actual": "y", "score": "score"},
    "few scores, sliced": {"actual": "y", "score": "rounded", "slices": ["region", "region*device"]},
    "grid, whole weights": {"actual": "y", "score": "rounded", "approximate": True, "weight": "whole"},
    "grid, weights, sliced": {**ON_GRID, "slices": ["device"]},
    "scores, weights": {"actual": "y", "score": "score", "weight": "share"},
    "frequencies": {"actual": "y", "predicted": "p", "weight": "whole", "weight_kind": "frequency"},
    "3 classes": of_classes(3),
    "25 classes": {**of_classes(25), "approximate": True},
    "missing": {"actual": "y", "score": "gaps", "missing": "drop"},
}


def parts(number: int, frame: pd.DataFrame = FRAME) -> Any:
    return dd.from_pandas(frame, npartitions=number, sort=False)


@contextmanager
def in_a_thread() -> Iterator[Any]:
    """A client that is active, of a worker in this process."""
    with (
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=1, processes=False, dashboard_address=":0", silence_logs=50
        ) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
        client.as_current(),
    ):
        yield client


# --- the same tally ----------------------------------------------------------------------------------


def test_workers_count_what_is_counted_in_memory(dask_client: Any) -> None:
    for asked in ASKED.values():
        found = tm.tally(parts(5), **asked)
        alike(found, tm.tally(FRAME, **asked))
        with dask.config.set(scheduler="threads"):
            assert tm.tally(parts(5), **asked) == found, "the same bits without a cluster"
    sliced = tm.tally(parts(7), **ASKED["grid, weights, sliced"])
    with in_a_thread():
        assert tm.tally(parts(7), **ASKED["grid, weights, sliced"]) == sliced, "and with one worker"
    # Counting again makes bounds narrow.
    found = tm.evaluate(parts(3), actual="y", score="score", approximate=True, tolerance=1e-7)["auc"]
    low, high = found.bounds
    assert low - 1e-12 <= roc_auc_score(FRAME["y"], FRAME["score"]) <= high + 1e-12 < low + 1e-7


def test_partitions_do_not_matter() -> None:
    empty = parts(3).map_partitions(lambda part: part[part["device"] == "none"], meta=FRAME.iloc[:0])
    for name in ("scores", "grid, weights, sliced", "3 classes"):
        whole = tm.tally(parts(1), **ASKED[name])
        for frame in (parts(2), parts(7), dd.concat([empty, parts(4), empty])):
            alike(tm.tally(frame, **ASKED[name]), whole)


_DATE = datetime.datetime(2024, 2, 29)
KINDS: dict[str, tuple[list[Any], Any]] = {
    "whole numbers": ([0, 1, 1], "int64"),
    "nullable": ([0, None, 1], "Int64"),
    "arrow": ([0, None, 1], pd.ArrowDtype(pa.int64())),
    "floats": ([0.0, -0.0, np.nan], "float64"),
    "booleans": ([True, False, True], "bool"),
    "nullable booleans": ([True, None, False], "boolean"),
    "objects": ([True, None, False], object),
    "text": (["a", "b", None], "str"),
    "text as objects": (["a", "b", None], object),
    "text in arrow": (["a", "b", None], "string[pyarrow]"),
    "categories": (["a", "b", None], "category"),
    "whole categories": ([3, 1, 1], "category"),
    "decimals": ([Decimal("1.0"), None, Decimal(0)], object),
    "decimals in arrow": ([Decimal("1.0"), None, Decimal(0)], pd.ArrowDtype(pa.decimal128(9, 2))),
    "dates": ([_DATE, None, _DATE + datetime.timedelta(1)], "datetime64[us]"),
}


@pytest.fixture
def as_they_are() -> Iterator[None]:
    """Otherwise Dask makes text of all objects."""
    with dask.config.set({"dataframe.convert-string": False, "scheduler": "sync"}):
        yield


@each("kind", KINDS)
def test_columns_of_all_kinds(as_they_are: None, kind: str) -> None:
    values, of = KINDS[kind]
    frame = pd.DataFrame(
        {name: pd.Series(side, dtype=of) for name, side in (("y", values * 4), ("p", values[::-1] * 4))}
    )
    frame.index = [1, 1, 2] * 4
    asked = ASKED["labels"] | {"missing": "drop"}
    found = tm.tally(parts(3, frame), **asked)
    assert found == tm.tally(frame, **asked)
    complete = [not any(map(pd.isna, pair)) for pair in zip(values, reversed(values), strict=True)]
    assert found.rows == 4 * sum(complete)


def test_names_and_ids(as_they_are: None, snapshot: Any) -> None:
    numbers = pd.DataFrame({0: [0, 1, 1], 1: [0, 0, 1]})
    assert tm.tally(parts(2, numbers), actual="0", predicted="1") == tm.tally(
        numbers, actual="0", predicted="1"
    )
    beside = pd.DataFrame([[0, 1, 1, 1]], columns=["y", "other", "p", "other"])
    assert tm.tally(parts(1, beside), **ASKED["labels"]).rows == 1
    twice = pd.DataFrame([[0, 1, 1]], columns=["y", "p", "p"])
    ids: dict[str, Any] = {
        "whole numbers": [3, 1, 3, 3],
        "text": ["a", "b", "c", "a"],
        "categories": pd.Categorical(["a", "b", "c", "b"]),
        "floats": [0.0, 1.0, -0.0, np.nan],
        "missing": pd.array([7, None, 8, 9], "Int64"),
    }
    four = pd.DataFrame({"y": [0, 1, 1, 0], "p": [0, 1, 1, 1]})
    asked = ASKED["labels"] | {"id": "id"}
    assert tm.evaluate(parts(3, four.assign(id=[3, 1, 2, 0])), **asked).rows == 4
    calls = {
        f"ids {name}": lambda each=each: tm.evaluate(parts(3, four.assign(id=each)), **asked)
        for name, each in ids.items()
    }
    calls["a name twice"] = lambda: tm.tally(parts(1, twice), **ASKED["labels"])
    calls["no rows"] = lambda: tm.tally(
        parts(2).map_partitions(lambda part: part.iloc[:0]), **ASKED["labels"]
    )
    many = pd.DataFrame({"y": [0, 1] * 50_000, "score": np.linspace(0, 1, 100_000)})
    own: dict[str, Any] = {"actual": "y", "score": "score", "extra": {"own": max}, "memory": "1MB"}
    calls["rows that do not fit"] = lambda: tm.evaluate(parts(3, many), **own)
    refused = refusals(calls)
    assert classes(refused) == dict.fromkeys(calls, "InputError") | {
        "a name twice": "ColumnError",
        "no rows": "ShapeError",
        "rows that do not fit": "MemoryLimitError",
    }
    snapshot("engines_refused_dask", refused)


# --- where it runs -----------------------------------------------------------------------------------


def test_only_the_whole_comes_here_and_nothing_stays(
    dask_client: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    fetched: list[int] = []
    gather = distributed.Client._gather

    def counted(self: Any, futures: Any, **options: Any) -> Any:
        fetched.append(len(futures))
        return gather(self, futures, **options)

    tm.tally(parts(5), **ASKED["labels"])  # the workers are looked at once
    monkeypatch.setattr(distributed.Client, "_gather", counted)
    tm.tally(parts(5), **ASKED["labels"])
    assert fetched == [1]
    monkeypatch.undo()
    until(lambda: not dask_client.run_on_scheduler(lambda dask_scheduler: len(dask_scheduler.tasks)))


@pytest.mark.thorough
def test_workers_are_started_where_there_are_none(tmp_path: Path) -> None:
    FRAME[["y", "p"]].to_parquet(tmp_path / "rows.parquet", index=False)
    assert tm.tally(tmp_path / "rows.parquet", engine="dask", **ASKED["labels"]).rows == N
    with pytest.raises(ValueError):  # noqa: PT011 - there is no client any more
        distributed.get_client()


def test_a_script_that_its_workers_would_run_again(tmp_path: Path) -> None:
    FRAME[["y", "p"]].to_parquet(tmp_path / "rows.parquet", index=False)
    (tmp_path / "script.py").write_text(
        "import tallymark as tm\ntry:\n"
        "    tm.evaluate('rows.parquet', actual='y', predicted='p', engine='dask')\n"
        "except tm.WorkerError as problem:\n    print(problem)\n"
    )
    found = subprocess.run(
        [sys.executable, "script.py"], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert "`if __name__ == '__main__':`" in found.stdout
    assert "Traceback" not in found.stderr


# --- what goes wrong ---------------------------------------------------------------------------------

ROWS = FRAME[:800].reset_index(drop=True).assign(y=lambda frame: frame["y"].astype(float))


def failing(at: int) -> Callable[..., Any]:
    """Within a function, so that it crosses to workers, who have no such module."""

    def work(part: Any) -> Any:
        if part.index[0] == at:
            raise ZeroDivisionError("no such luck\nand so on")
        return part

    return work


def test_rows_and_partitions(dask_client: Any, tmp_path: Path, snapshot: Any) -> None:
    endless, lacking, halves = ROWS.copy(), ROWS.copy(), ROWS.copy()
    endless.loc[[5, 307, 309, 790], "score"] = np.inf
    lacking.loc[[110, 200], "y"] = None
    halves.loc[303, "y"] = 0.5
    for place in range(3):
        ROWS[place * 100 : place * 100 + 100].to_parquet(tmp_path / f"{place}.parquet")
    files = dd.read_parquet(tmp_path)
    (tmp_path / "1.parquet").write_bytes(b"not what it was")
    failed = parts(8, ROWS).map_partitions(failing(500), meta=ROWS.iloc[:0])
    calls = {
        "infinite": lambda: tm.tally(parts(8, endless), **ON_GRID),
        "missing": lambda: tm.tally(parts(8, lacking), **ON_GRID),
        "no label": lambda: tm.tally(parts(8, halves), **ON_GRID),
        "a partition that fails": lambda: tm.tally(failed, **ON_GRID),
        "rows that fail to come": lambda: tm.evaluate(failed, actual="y", score="score", threshold="best"),
        "a file that is not what it was": lambda: tm.tally(files, **ON_GRID),
    }
    expected = dict.fromkeys(calls, "EngineError") | {
        "infinite": "ColumnError",
        "missing": "MissingValueError",
        "no label": "LabelError",
    }
    for scheduler in ("threads", "dask.distributed"):
        with dask.config.set(scheduler=scheduler):
            refused = refusals(calls)
        assert classes(refused) == expected
        # What pyarrow says of the file is its own matter.
        refused["a file that is not what it was"] = refused["a file that is not what it was"].partition(
            ": Parquet"
        )[0]
        snapshot("engines_faults_dask", refused)


@pytest.fixture(scope="module")
def mortal() -> Iterator[Any]:
    """Workers who may be killed; other tests shall not have what is left of them."""
    with dask_workers() as client, client.as_current():
        yield client


def waiting(folder: Path) -> Callable[..., Any]:
    """Partitions that tell who has them; from the third on they wait until they are told to go on."""

    def work(part: Any) -> Any:
        from threading import Event

        (folder / f"{part.index[0]}-{os.getpid()}").touch()
        while part.index[0] >= 200 and not (folder / "go on").exists():
            Event().wait(0.01)
        return part

    return work


@contextmanager
def meanwhile(work: Callable[[], None], folder: Path) -> Iterator[None]:
    def then_go_on() -> None:
        try:
            work()
        finally:
            (folder / "go on").touch()

    other = Thread(target=then_go_on)
    other.start()
    try:
        yield
    finally:
        other.join()


def test_a_killed_worker_changes_nothing(mortal: Any, tmp_path: Path) -> None:
    killed: list[str] = []

    def kill() -> None:
        held = until(lambda: len(found := list(tmp_path.glob("[2-7]*"))) == 2 and found)
        killed.append(held[0].name)
        os.kill(int(killed[0].partition("-")[2]), signal.SIGKILL)

    with meanwhile(kill, tmp_path):
        found = tm.tally(parts(8, ROWS).map_partitions(waiting(tmp_path), meta=ROWS.iloc[:0]), **ON_GRID)
    with dask.config.set(scheduler="sync"):
        assert found == tm.tally(parts(8, ROWS), **ON_GRID)
    lost = killed[0].partition("-")[0]
    assert len(list(tmp_path.glob(f"{lost}-*"))) == 2, "another worker has had it"

    def deadly(part: Any) -> Any:
        if part.index[0] == 400:
            os.kill(os.getpid(), signal.SIGKILL)
        return part

    mortal.cluster.scheduler.allowed_failures = 0
    with pytest.raises(tm.WorkerError):
        tm.tally(parts(4, ROWS).map_partitions(deadly, meta=ROWS.iloc[:0]), **ON_GRID)


def test_a_scheduler_that_is_gone(tmp_path: Path) -> None:
    # A client reads this when it is made: how long it tries to find its scheduler again.
    with dask.config.set({"distributed.comm.timeouts.connect": "1s"}), in_a_thread() as client:

        def close() -> None:
            until(lambda: any(tmp_path.iterdir()))
            client.cluster.scheduler.loop.add_callback(client.cluster.scheduler.close)
            until(lambda: client.cluster.scheduler.status.name == "closed")

        with meanwhile(close, tmp_path), pytest.raises(tm.WorkerError):
            tm.tally(parts(8, ROWS).map_partitions(waiting(tmp_path), meta=ROWS.iloc[:0]), **ON_GRID)
    ROWS.to_csv(tmp_path / "rows.csv")
    with pytest.raises(tm.OptionError):
        tm.tally(tmp_path / "rows.csv", engine="dask", scheduler="nonsense", **ON_GRID)


@pytest.mark.thorough
def test_no_scheduler(tmp_path: Path) -> None:
    """Where nothing listens it is tried again for ten seconds."""
    ROWS.to_csv(tmp_path / "rows.csv")
    with pytest.raises(tm.WorkerError):
        tm.tally(tmp_path / "rows.csv", engine="dask", scheduler="tcp://127.0.0.1:1", **ON_GRID)


@pytest.mark.thorough
def test_it_is_said_when_all_workers_have_gone(caplog: pytest.LogCaptureFixture, tmp_path: Path) -> None:
    """It is looked at every five seconds."""

    def said() -> list[str]:
        return [each.getMessage() for each in caplog.records if each.name == "tallymark"]

    with in_a_thread() as client:

        def go_and_come() -> None:
            until(lambda: any(tmp_path.iterdir()))
            client.cluster.scale(0)
            (tmp_path / "go on").touch()
            until(said)
            client.cluster.scale(1)

        with meanwhile(go_and_come, tmp_path):
            found = tm.tally(parts(8, ROWS).map_partitions(waiting(tmp_path), meta=ROWS.iloc[:0]), **ON_GRID)
    assert (found.rows, len(said())) == (800, 1)
