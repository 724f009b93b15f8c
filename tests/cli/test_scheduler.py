"""`--scheduler`: the fits of a command are made by a Dask cluster."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import distributed
import numpy as np
import polars as pl
import pytest

from tallymark.intake.engines.dask import clusters as dask_clusters

RNG = np.random.default_rng(0)
X = RNG.normal(size=200)
FRAME = pl.DataFrame({"x": X, "y": (X + RNG.normal(size=200) > 0).astype(int)})


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    with distributed.LocalCluster(
        n_workers=1,
        threads_per_worker=2,
        processes=False,
        protocol="tcp://",
        dashboard_address=":0",
        silence_logs=50,
    ) as found:
        yield found


def timeless(part: Any) -> Any:
    """JSON without times."""
    if isinstance(part, dict):
        return {key: timeless(each) for key, each in part.items() if "seconds" not in key}
    return [timeless(each) for each in part] if isinstance(part, list) else part


@pytest.mark.parametrize(
    "question",
    [
        "validate --model bayes",
        "tune --model bayes --param var_smoothing=1e-9,1e-2 --method nested:2x2",
        "learn --model bayes --sizes 3 --repeats 2",
        "permute --model bayes --permutations 4",
    ],
    ids=["validate", "tune", "learn", "permute"],
)
def test_the_same_answer_from_a_cluster(cluster: Any, run: Any, question: str) -> None:
    FRAME.write_csv("data.csv")
    words = [*question.split(), "data.csv", "--target", "y", "--json"]
    found = run(*words, "--scheduler", cluster.scheduler_address)
    assert (found.code, found.err) == (0, "")
    assert timeless(json.loads(found.out)) == timeless(run(*words).json)
    assert not [name for name in cluster.scheduler.clients if name != "fire-and-forget"], "it has left"


def test_a_run_folder_is_written_by_the_command_itself(cluster: Any, run: Any, tmp_path: Path) -> None:
    FRAME.write_csv("data.csv")
    words = ["validate", "--model", "bayes", "data.csv", "--target", "y", "--json", "--run-folder", "kept"]
    first = run(*words, "--scheduler", cluster.scheduler_address)
    assert len(list(Path("kept", "fits").iterdir())) == 10
    assert run(*words).out == first.out, "the fits are taken from there, times and all"


@pytest.mark.parametrize(
    ("address", "message"),
    [
        pytest.param(
            "nonsense",
            "tallymark: 'nonsense' is not the address of a scheduler: missing port number in address "
            "'nonsense'. Hint: write tcp://HOST:8786.\n",
            id="no address",
        ),
        pytest.param(
            "tcp://127.0.0.1:1",
            "tallymark: no Dask scheduler answers at 'tcp://127.0.0.1:1' (waited at most 0.2 seconds). Hint: "
            "`dask scheduler` shows its address when it starts, such as tcp://10.0.0.5:8786, or "
            "tls://10.0.0.5:8786 where it uses TLS.\n",
            id="nobody there",
        ),
    ],
)
def test_addresses_where_no_scheduler_is(
    run: Any, address: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dask_clusters, "PATIENCE", 0.2)
    found = run("validate", "data.csv", "--target", "y", "--model", "bayes", "--scheduler", address)
    assert (found.code, found.out, found.err) == (2, "", message)


def test_workers_are_here_or_there(run: Any) -> None:
    words = ["validate", "data.csv", "--target", "y", "--model", "bayes", "--jobs", "2"]
    found = run(*words, "--scheduler", "tcp://127.0.0.1:1")
    assert (found.code, found.err) == (
        2,
        "tallymark: --jobs is for this machine, and --scheduler for another. Hint: leave out --jobs: all "
        "workers of the cluster are used.\n",
    )
