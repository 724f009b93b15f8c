"""What goes wrong with data frames of Dask: rows, partitions, workers and schedulers."""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from typing import Any

import dask
import dask.dataframe as dd
import distributed
import numpy as np
import pandas as pd
import pytest
from workers import dask_workers

import tallymark as tm
from tallymark.errors import (
    EngineError,
    LabelError,
    MissingValueError,
    OptionError,
    TallymarkError,
    WorkerError,
)
from tallymark.intake.engines.dask import clusters as dask_clusters
from tallymark.intake.engines.dask import runs as dask_runs
from tallymark.intake.engines.dask.clusters import client_of
from tallymark.intake.engines.dask.store import DaskStore

RNG = np.random.default_rng(0)
N = 800
ASKED: dict[str, Any] = {"actual": "y", "score": "score", "weight": "share", "approximate": True}


def _frame() -> pd.DataFrame:
    score = RNG.random(N)
    return pd.DataFrame({"y": (RNG.random(N) < score).astype(float), "score": score, "share": RNG.random(N)})


FRAME = _frame()


def parts(frame: pd.DataFrame = FRAME, number: int = 8) -> Any:
    return dd.from_pandas(frame, npartitions=number)


def told(frame: Any, **asked: Any) -> TallymarkError:
    with pytest.raises(TallymarkError) as caught:
        tm.tally(frame, **{**ASKED, **asked})
    return caught.value


@pytest.fixture(params=["threads", "dask.distributed"])
def anywhere(dask_client: Any, request: pytest.FixtureRequest) -> Iterator[None]:
    with dask.config.set(scheduler=request.param):
        yield


# --- rows ----------------------------------------------------------------------------------------------


def test_bad_rows_of_all_partitions_are_told_at_once(anywhere: None) -> None:
    frame = FRAME.copy()
    frame.loc[[5, 307, 309, 790], "score"] = np.inf
    assert told(parts(frame)).message == (
        "score is infinite in 4 rows, at row 5 of partition 0, rows 7 and 9 of partition 3 and 1 more "
        "(both counted from 0); finite numbers are expected."
    )
    frame = FRAME.copy()
    frame.loc[[110, 200], "y"] = None
    error = told(parts(frame))
    assert isinstance(error, MissingValueError)
    assert error.message == (
        "actual (column 'y') is missing in 2 of 800 rows, at row 10 of partition 1, row 0 of partition 2 "
        "(both counted from 0)."
    )


def test_a_label_that_is_none_is_told_with_its_place(anywhere: None) -> None:
    frame = FRAME.copy()
    frame.loc[303, "y"] = 0.5
    error = told(parts(frame))
    assert isinstance(error, LabelError)
    assert error.message == (
        "actual (column 'y') holds 0.5 at row 3 of partition 3 (both counted from 0); labels are text, whole "
        "numbers or booleans."
    )


# --- partitions ----------------------------------------------------------------------------------------


def _failing(at: int) -> Callable[..., Any]:
    """Within a function, so that it crosses to workers, who have no such module."""

    def work(part: Any) -> Any:
        if part.index[0] == at:
            raise ZeroDivisionError("no such luck\nand so on")
        return part

    return work


def test_a_partition_that_fails_is_named(anywhere: None) -> None:
    error = told(parts().map_partitions(_failing(500), meta=FRAME.iloc[:0]))
    assert isinstance(error, EngineError)
    assert error.message == "Dask failed at partition 5 (counted from 0): ZeroDivisionError: no such luck"


def test_a_partition_of_a_file_that_cannot_be_read_is_named(anywhere: None, tmp_path: Path) -> None:
    for place in range(3):
        FRAME[place * 100 : place * 100 + 100].to_parquet(tmp_path / f"{place}.parquet")
    frame = dd.read_parquet(tmp_path)
    (tmp_path / "1.parquet").write_bytes(b"not what it was")
    error = told(frame)
    assert isinstance(error, EngineError)
    assert error.message.startswith(
        "Dask failed at partition 1 (counted from 0): ArrowInvalid: Parquet magic"
    )


def test_what_fails_while_rows_are_collected_is_told(anywhere: None) -> None:
    frame = parts().map_partitions(_failing(500), meta=FRAME.iloc[:0])
    with pytest.raises(EngineError, match="Dask failed: ZeroDivisionError: no such luck"):
        DaskStore(frame).collected(["y"], 1 << 30, "why")


# --- workers ---------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def workers() -> Iterator[Any]:
    """Workers who may be killed; other tests shall not have what is left of them."""
    with dask_workers() as client:
        yield client


@pytest.fixture
def mortal(workers: Any) -> Iterator[Any]:
    with workers.as_current():
        yield workers


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


def _waiting(folder: Path) -> Callable[..., Any]:
    """Partitions that tell who has them; from the third on they wait until they are told to go on."""

    def work(part: Any) -> Any:
        import time

        (folder / f"{part.index[0]}-{os.getpid()}").touch()
        while part.index[0] >= 200 and not (folder / "go on").exists():
            time.sleep(0.01)
        return part

    return work


def test_a_killed_worker_changes_nothing(mortal: Any, until: Callable[..., Any], tmp_path: Path) -> None:
    killed: list[str] = []

    def kill() -> None:
        waiting = until(lambda: len(found := list(tmp_path.glob("[2-7]*"))) == 2 and found)
        killed.append(waiting[0].name)
        os.kill(int(killed[0].partition("-")[2]), signal.SIGKILL)
        (tmp_path / "go on").touch()

    killer = Thread(target=kill)
    killer.start()
    try:
        found = tm.tally(parts().map_partitions(_waiting(tmp_path), meta=FRAME.iloc[:0]), **ASKED)
    finally:
        killer.join()
    with dask.config.set(scheduler="sync"):
        assert found == tm.tally(parts(), **ASKED)
    lost = killed[0].partition("-")[0]
    assert len(list(tmp_path.glob(f"{lost}-*"))) == 2, "another worker has had it"


def test_a_partition_that_kills_workers_is_told(mortal: Any) -> None:
    def deadly(part: Any) -> Any:
        if part.index[0] == 400:
            os.kill(os.getpid(), signal.SIGKILL)
        return part

    mortal.cluster.scheduler.allowed_failures = 0
    error = told(parts(number=4).map_partitions(deadly, meta=FRAME.iloc[:0]))
    assert isinstance(error, WorkerError)
    said = r"a worker of the Dask cluster died with partition \d \(counted from 0\) at hand, most likely for"
    assert re.match(said, error.message)


def test_a_scheduler_that_is_gone_is_told(until: Callable[..., Any], tmp_path: Path) -> None:
    with dask.config.set({"distributed.comm.timeouts.connect": "1s"}), in_a_thread() as client:

        def close() -> None:
            until(lambda: any(tmp_path.iterdir()))
            client.cluster.scheduler.loop.add_callback(client.cluster.scheduler.close)
            until(lambda: client.cluster.scheduler.status.name == "closed")
            (tmp_path / "go on").touch()

        closer = Thread(target=close)
        closer.start()
        error = told(parts().map_partitions(_waiting(tmp_path), meta=FRAME.iloc[:0]))
        closer.join()
    assert isinstance(error, WorkerError)
    assert error.message == "the Dask scheduler was stopped or restarted, or does not answer."


@pytest.mark.parametrize(
    ("address", "error", "message"),
    [
        ("tcp://127.0.0.1:1", WorkerError, "no Dask scheduler answers at 'tcp://127.0.0.1:1'"),
        ("nonsense", OptionError, "'nonsense' is not the address of a scheduler"),
    ],
    ids=["nobody there", "no address"],
)
def test_addresses_where_no_scheduler_is(
    address: str, error: type[Exception], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dask_clusters, "PATIENCE", 0.2)
    with pytest.raises(error, match=message), client_of(address):
        pass


def test_a_cluster_without_workers_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dask_clusters, "_STARTING", 0.2)
    with dask_workers(0) as client, client.as_current():
        error = told(parts())
        assert error.message == "the cluster has had no worker for 0.2 seconds."
        assert error.hint == f"start some: dask worker {client.scheduler.address}"


def test_it_is_said_when_all_workers_have_gone(
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    until: Callable[..., Any],
    tmp_path: Path,
) -> None:
    monkeypatch.setattr(dask_runs, "_ASK_AGAIN", 0.1)

    def said() -> list[str]:
        return [each.getMessage() for each in caplog.records if each.name == "tallymark"]

    with in_a_thread() as client:

        def go_and_come() -> None:
            until(lambda: any(tmp_path.iterdir()))
            client.cluster.scale(0)
            (tmp_path / "go on").touch()
            until(said)
            client.cluster.scale(1)

        other = Thread(target=go_and_come)
        other.start()
        found = tm.tally(parts().map_partitions(_waiting(tmp_path), meta=FRAME.iloc[:0]), **ASKED)
        other.join()
    assert found.rows == N
    assert said()[0].startswith(
        "tallymark: all workers of the cluster have gone; the run waits until some come."
    )
