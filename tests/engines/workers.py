"""Workers of Dask on this machine, and how Java is asked to start."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

QUICKLY = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
"""Compiled in little time rather than well, for what the tests ask is small: it takes half as long."""
SETTINGS = {
    "spark.ui.enabled": "false", "spark.log.level": "OFF", "spark.ui.showConsoleProgress": "false",
    "spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1",
    "spark.default.parallelism": "2", "spark.sql.shuffle.partitions": "2",
    "spark.driver.maxResultSize": "32m", "spark.driver.extraJavaOptions": QUICKLY,
    "spark.executor.extraJavaOptions": QUICKLY,
}  # fmt: skip


@contextmanager
def dask_workers(count: int = 2) -> Iterator[Any]:
    """A client of workers that are processes of this machine."""
    import dask
    import distributed

    quiet = {"logging.distributed": "critical", "distributed.nanny.environ.PYTHONWARNINGS": "ignore"}
    with (
        dask.config.set(quiet),
        distributed.LocalCluster(
            n_workers=count, threads_per_worker=1, dashboard_address=":0", silence_logs=50
        ) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):
        yield client
