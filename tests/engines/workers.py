"""Workers of Dask on this machine."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


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
