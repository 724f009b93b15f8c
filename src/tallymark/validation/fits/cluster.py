"""Fits on a Dask cluster, where workers may come and go."""

from __future__ import annotations

import pickle
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from itertools import islice
from pathlib import Path
from time import monotonic
from typing import Any

import numpy as np

from tallymark.errors import TallymarkError, WorkerError
from tallymark.intake.engines.dask.clusters import (
    as_they_come,
    connected,
    first_line,
    say_that_all_have_gone,
    scheduler_lost,
    threads_of,
    wait_for_a_worker,
)
from tallymark.validation.data.data_set import DataSet
from tallymark.validation.data.sharing import Shelf
from tallymark.validation.fits.fitting import Fit, Task, require_joblib
from tallymark.validation.fits.sending import KEPT, Message, as_here, classes_of, not_sent
from tallymark.validation.runs.describing import Indescribable, described, versions_of
from tallymark.validation.runs.installed import is_installed, version_here

_AHEAD = 2
"""Fits under way per thread of the workers, so that none waits for the next to be sent."""
_ASK_AGAIN = 5
"""Seconds after which it is asked how many workers there are: they come and go."""


@contextmanager
def workers_at(scheduler: str) -> Iterator[None]:
    """Fits within are made by the workers of this scheduler."""
    joblib = require_joblib()
    with connected(scheduler) as client, joblib.parallel_config(backend="dask", client=client):
        yield


def made_on_dask(
    backend: Any, shelf: Shelf, tasks: Iterable[tuple[int, Task]], by: Callable[[Task], Fit]
) -> Iterator[tuple[int, Fit]]:
    """The fits of numbered tasks, each as soon as it is made, by the workers of joblib's Dask backend.

    Without `joblib.Parallel`: it waits for ever for a fit whose workers die again and again, and it scatters
    data, which are then gone with the worker that holds them. Here all that is sent has a recipe, so that
    the scheduler has made again, by another worker, what a dead one held or was about to make.
    """
    as_completed: Any
    from distributed import as_completed

    client = backend.client
    waiting = iter(tasks)
    under_way: dict[Any, tuple[int, Task]] = {}
    versions: dict[int, tuple[Any, dict[str, str]]] = {}
    suspects: list[tuple[int, Task]] = []
    found = as_completed(loop=client.loop, with_results=True, raise_errors=False)

    def send(number: int, task: Task) -> None:
        contents = shelf.place(task.data.X), classes_of(task, shelf), _pickled(by, task)
        # With the model itself, so that no other can come to have its identity.
        if id(task.model) not in versions:
            versions[id(task.model)] = task.model, _versions(task.model)
        needed = versions[id(task.model)][1]
        future = client.submit(worked, *contents, needed, pure=False, **backend.submit_kwargs)
        under_way[future] = number, task
        found.add(future)

    def send_some(threads: int) -> None:
        most = _AHEAD * max(threads, 1)  # for workers that may come when all have gone
        for number, task in islice(waiting, max(most - len(under_way), 0)):
            send(number, task)

    extras = "extras validate and dask"
    wait_for_a_worker(client, backend.wait_for_workers_timeout, __name__, extras)
    threads, asked, alone = threads_of(client), monotonic(), False
    try:
        send_some(threads)
        for each in as_they_come(found, _ASK_AGAIN):
            if monotonic() - asked > _ASK_AGAIN:
                threads, before, asked = threads_of(client), threads, monotonic()
                if before and not threads:
                    say_that_all_have_gone(client)
            if each is None:
                continue
            future, result = each
            number, task = under_way.pop(future)
            send_some(threads)
            status = future.status
            future.release()  # an error would hold it, and it the error
            fit = _fit(status, result, task)
            if fit.lost and not alone:
                # Dask blames every fit that a dead worker had; alone it is seen which one it was.
                suspects.append((number, task))
            else:
                yield number, fit
            if suspects and not under_way:
                alone = True
                send(*suspects.pop(0))
    finally:
        found.clear()
        if under_way:
            with suppress(Exception):  # a cluster that is gone has nothing to cancel
                client.cancel(list(under_way))
        under_way.clear()


def worked(features: Any, classes: DataSet, message: bytes, versions: dict[str, str]) -> Fit:
    """In a worker: one fit, if the versions are those it is asked for."""
    # What is not there is not needed by a fit, or it says so itself.
    here = {name: version for name in versions if (version := version_here(name)) is not None}
    other = [f"{name} {here[name]}, not {versions[name]}" for name in here if here[name] != versions[name]]
    if other:
        raise WorkerError(
            f"a worker has {'; '.join(other)}, so its numbers may be others.",
            hint="install the same versions on all machines.",
        )
    try:
        by, told, config = pickle.loads(message)
    except Exception as problem:
        raise not_sent(f"{type(problem).__name__}: {problem}") from problem
    with as_here(config, {}):  # code of one's own came with the message
        fit: Fit = by(told.read(features, classes))
    return fit


def _fit(status: str, result: Any, task: Task) -> Fit:
    from distributed import KilledWorker

    if status == "finished" and isinstance(result, Fit):
        return result
    if status != "error":
        raise scheduler_lost(f"repeat the command when it runs again; {KEPT}")
    problem = result[1]
    if isinstance(problem, KilledWorker):
        times = problem.allowed_failures + 1
        died = f"{times} workers died in it, one after the other, most likely for want of memory"
        return Fit(np.empty(0, np.int64), n_train=len(task.train), failure=died, lost=True)
    if isinstance(problem, TallymarkError):
        raise problem
    raise WorkerError(
        f"the cluster cannot make a fit: {type(problem).__name__}: {first_line(problem)}",
        hint="its scheduler and workers say more; all of them need the packages that are here, in the same "
        "versions.",
    ) from problem


def _versions(model: Any) -> dict[str, str]:
    """What the numbers of a model depend on, as far as it is known."""
    try:
        return versions_of(described(model))
    except Indescribable:
        return versions_of(None)


def _pickled(by: Callable[[Task], Fit], task: Task) -> bytes:
    """How a task is done, and the task without its data.

    Code of one's own travels with it, unless it holds what cannot be sent, such as a lock: workers on other
    machines have no such module to import.
    """
    import cloudpickle
    from sklearn import get_config

    told = by, Message.of(task), get_config()
    own = _own_modules(len(sys.modules)) - cloudpickle.list_registry_pickle_by_value()
    try:
        for name in own:
            cloudpickle.register_pickle_by_value(sys.modules[name])
        with suppress(Exception):
            return bytes(cloudpickle.dumps(told))
    finally:
        for name in own:
            cloudpickle.unregister_pickle_by_value(sys.modules[name])
    try:
        return bytes(cloudpickle.dumps(told))
    except Exception as problem:
        raise not_sent(f"{type(problem).__name__}: {problem}") from problem


@lru_cache(maxsize=1)
def _own_modules(_loaded: int) -> set[str]:
    """The modules that are neither of Python nor of an installed package, of all that are loaded."""
    return {
        name
        for name, module in list(sys.modules.items())
        if (file := getattr(module, "__file__", None))
        and file.endswith(".py")
        and not is_installed(name, Path(file))
        and name.partition(".")[0] not in ("__main__", "__mp_main__")
        and name == module.__name__
    }
