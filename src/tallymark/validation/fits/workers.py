"""Who makes the fits: this process, others of this machine, or those of a cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from itertools import islice
from pickle import PicklingError
from typing import TYPE_CHECKING, Any

from tallymark.errors import WorkerError
from tallymark.validation.data.sharing import DASK, Shelf, shared_features
from tallymark.validation.fits.sending import KEPT, Parcel, as_here, not_sent
from tallymark.validation.fits.surroundings import undisturbed

if TYPE_CHECKING:
    from tallymark.validation.fits.fitting import Fit, Task

_AT_ONCE = 4
"""Fits per worker of one call, where results come only when all of a call are there."""


def made(
    joblib: Any, tasks: Iterable[tuple[int, Task]], *, n_jobs: int | None, by: Callable[[Task], Fit]
) -> Iterator[tuple[int, Fit]]:
    """The fits of numbered tasks, each as soon as it is made."""
    backend, _ = joblib.parallel.get_active_backend()
    with shared_features(joblib) as shelf:
        if type(backend).__name__ == DASK:
            from tallymark.validation.fits.cluster import made_on_dask

            yield from made_on_dask(backend, shelf, tasks, by)
        else:
            with _told():
                yield from _made_by_joblib(joblib, backend, shelf, tasks, n_jobs, by)


def _made_by_joblib(
    joblib: Any,
    backend: Any,
    shelf: Shelf,
    tasks: Iterable[tuple[int, Task]],
    n_jobs: int | None,
    by: Callable[[Task], Fit],
) -> Iterator[tuple[int, Fit]]:
    from sklearn import get_config

    under_way: dict[int, Parcel] = {}
    config = get_config()

    def work() -> Iterator[Any]:
        for number, task in tasks:
            under_way[number] = Parcel(task, shelf)
            yield joblib.delayed(_numbered)(number, by, under_way[number], config)

    for number, fit in _called(joblib, backend, work(), n_jobs):
        del under_way[number]
        yield number, fit


def _called(joblib: Any, backend: Any, work: Iterator[Any], n_jobs: int | None) -> Iterator[tuple[int, Fit]]:
    if getattr(backend, "supports_return_generator", False):
        found = joblib.Parallel(n_jobs=n_jobs, return_as="generator_unordered")(work)
        try:
            for each in found:  # noqa: UP028 - which would close it before its warnings are caught
                yield each
        except GeneratorExit:
            # It warns of work in vain, which is the price of stopping early with several workers.
            with undisturbed():
                found.close()
            raise
        return
    # Ray's and Spark's give results only in a list; short ones, so that they come in along the way.
    at_once = _AT_ONCE * joblib.effective_n_jobs(n_jobs)
    with joblib.Parallel(n_jobs=n_jobs) as parallel:
        while some := list(islice(work, at_once)):
            yield from parallel(some)


def _numbered(
    number: int, by: Callable[[Task], Fit], parcel: Parcel, config: dict[str, Any]
) -> tuple[int, Fit]:
    with as_here(config, parcel.task.files):
        return number, by(parcel.task)


@contextmanager
def _told() -> Iterator[None]:
    """What may happen to processes, in words."""
    try:
        yield
    except BrokenProcessPool as problem:
        if "un-serialize" in str(problem):
            raise not_sent(str(problem.__cause__ or problem)) from problem
        raise WorkerError(
            "a worker died in the middle of a fit, most likely for want of memory.",
            hint=f"take fewer workers: --jobs 1 (n_jobs=1); {KEPT}",
        ) from problem
    except PicklingError as problem:
        raise not_sent(str(problem.__cause__ or problem)) from problem
