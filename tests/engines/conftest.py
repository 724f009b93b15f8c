"""What the tests of engines share."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

# Helpers of these tests are imported by their names.
sys.path.insert(0, str(Path(__file__).parent))

CLUSTER = "local-cluster[2,1,1024]"
"""A master, two workers and an executor of each, all of them processes of this machine."""
_QUICKLY = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
"""Compiled in little time rather than well, for what the tests ask is small: it takes half as long."""
SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.log.level": "OFF",
    "spark.ui.showConsoleProgress": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.default.parallelism": "2",
    "spark.sql.shuffle.partitions": "2",
    "spark.driver.maxResultSize": "32m",
    "spark.driver.extraJavaOptions": _QUICKLY,
    "spark.executor.extraJavaOptions": _QUICKLY,
}
_LOCALLY = """
import pickle, sys
import tallymark as tm
from tallymark.intake.engines.spark.store import session_of
script, given, made = pickle.load(sys.stdin.buffer)
with session_of("local[2]") as spark:
    spark.conf.set("spark.sql.shuffle.partitions", "2")
    names = {"spark": spark, "tm": tm, **given}
    exec(script, names)
with open(made, "wb") as file:
    pickle.dump(names["result"], file)
"""


@pytest.hookimpl(wrapper=True)  # before xdist looks for groups, wherever this file was found
def pytest_collection_modifyitems(items: list[pytest.Item]) -> Iterator[None]:
    """What takes the session of Spark, or the cluster of Dask, is run by one worker, so that there is one."""
    for item in items:
        for taken, group in (("spark", "spark"), ("two_workers", "dask")):
            if taken in getattr(item, "fixturenames", ()):
                item.add_marker(pytest.mark.xdist_group(group))
    yield


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A session of Spark whose executors are processes of their own."""
    with pytest.MonkeyPatch.context() as changed:
        changed.setenv("SPARK_HOME", str(spark_home(tmp_path_factory.mktemp("spark"))))
        changed.setenv("PYSPARK_PYTHON", sys.executable)
        session = started(CLUSTER)
        try:
            yield session
        finally:
            session.stop()
            type(session.sparkContext)._gateway.shutdown()


def spark_home(folder: Path) -> Path:
    """Spark as it is installed, but for workers, who write to a folder beside it, not into the package."""
    import pyspark

    for part in Path(pyspark.__file__).parent.iterdir():
        if part.name != "work":
            (folder / part.name).symlink_to(part)
    return folder


def started(master: str, **settings: str) -> Any:
    """A new session of Spark."""
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master(master)
    for name, value in {**SETTINGS, **settings}.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


@pytest.fixture(scope="session")
def on_local_spark(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Any]:
    """Runs a script in a process with a session of `local[2]`, in which Spark is a single process.

    The script finds the session as `spark`, tallymark as `tm` and what else is given by its name, and leaves
    a dictionary `result`, which comes back pickled, with what was written to standard error.
    """

    def result(script: str, **given: Any) -> Any:
        made = tmp_path_factory.mktemp("local") / "result"
        others = {
            name: value for name, value in os.environ.items() if not name.startswith(("SPARK", "PYSPARK"))
        }
        done = subprocess.run(
            [sys.executable, "-W", "ignore", "-c", _LOCALLY],
            input=pickle.dumps((script, given, str(made))),
            env={**others, "SPARK_SUBMIT_OPTS": _QUICKLY},
            stderr=subprocess.PIPE,
        )
        assert done.returncode == 0, done.stderr.decode()
        return pickle.loads(made.read_bytes()) | {"stderr": done.stderr.decode()}

    return result


@pytest.fixture(scope="session")
def two_workers() -> Iterator[Any]:
    from workers import dask_workers

    with dask_workers() as client:
        yield client


@pytest.fixture
def dask_client(two_workers: Any) -> Iterator[Any]:
    """A client of Dask that is active, with two workers who shall live on."""
    with two_workers.as_current():
        yield two_workers


@pytest.fixture
def until() -> Callable[..., Any]:
    """Waits until there is something."""

    def waited(there: Callable[[], Any], seconds: float = 60) -> Any:
        end = time.monotonic() + seconds
        while not (found := there()):
            assert time.monotonic() < end, "it takes too long"
            time.sleep(0.02)
        return found

    return waited
