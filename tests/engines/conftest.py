"""What the tests of engines share."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

# Helpers of these tests are imported by their names.
sys.path.insert(0, str(Path(__file__).parent))

from workers import SETTINGS, dask_workers

CLUSTER = "local-cluster[2,1,1024]"
"""A master, two workers and an executor of each, all of them processes of this machine."""
ONE_PROCESS = "local[2]"


@pytest.hookimpl(wrapper=True)  # before xdist looks for groups, wherever this file was found
def pytest_collection_modifyitems(items: list[pytest.Item]) -> Iterator[None]:
    """What takes the session of Spark, or the cluster of Dask, is run by one worker, so that there is one."""
    for item in items:
        for taken, group in (("spark", "spark"), ("two_workers", "dask"), ("mortal", "dask")):
            if taken in getattr(item, "fixturenames", ()):
                item.add_marker(pytest.mark.xdist_group(group))
    yield


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config) -> Iterator[Any]:
    """A session of Spark; with --thorough its executors are processes of their own."""
    with pytest.MonkeyPatch.context() as changed:
        changed.setenv("SPARK_HOME", str(spark_home(tmp_path_factory.mktemp("spark"))))
        changed.setenv("PYSPARK_PYTHON", sys.executable)
        session = started(CLUSTER if pytestconfig.option.thorough else ONE_PROCESS)
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
def two_workers() -> Iterator[Any]:
    with dask_workers() as client:
        yield client


@pytest.fixture
def dask_client(two_workers: Any) -> Iterator[Any]:
    """A client of Dask that is active, with two workers who shall live on."""
    with two_workers.as_current():
        yield two_workers
