"""Outcomes that are made by workers of Dask and put together there, of which only the last comes here."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from functools import partial
from time import monotonic
from typing import Any

from tallymark.errors import EngineError, TallymarkError, WorkerError
from tallymark.inference.progress import steps
from tallymark.intake.engines.dask.clusters import (
    active_client,
    as_they_come,
    check_workers,
    is_lost,
    say_that_all_have_gone,
    scheduler_lost,
    threads_of,
)
from tallymark.intake.engines.parts import both
from tallymark.intake.engines.tables import one_line

_ASK_AGAIN = 5
"""Seconds after which it is asked whether there are workers: they come and go."""
_WRAPPED = re.compile("method registered to the|deserialization of the task graph")
"""Words of errors that tell nothing but that there was another."""
Called = Callable[[int], str]
"""What messages call a part, by its number."""


def spread(
    tasks: Sequence[Callable[[], Any]],
    what: str,
    client: Any = None,
    called: Called = lambda number: f"part {number:,}",
) -> Any:
    """What tasks make, each an outcome, put together in their order; None if there are none.

    They are done by the workers of a client, or of the one that is active.
    """
    import cloudpickle
    from dask.delayed import delayed

    done = delayed(_done, pure=False)
    return put_together([done(cloudpickle.dumps(task)) for task in tasks], what, called, client)


def _done(message: bytes) -> Any:
    import cloudpickle

    return cloudpickle.loads(message)()


def put_together(found: Sequence[Any], what: str, called: Called, client: Any = None) -> Any:
    """Outcomes that are still to be made, neighbours put together in pairs where they are made.

    So the order is that of the table, and the sum has the same bits however many workers there are.
    """
    from dask.delayed import delayed

    if not found:
        return None
    pair = delayed(_pair, pure=False)
    level = list(found)
    while len(level) > 1:
        pairs = [pair(*level[at : at + 2]) for at in range(0, len(level) - 1, 2)]
        level = pairs + level[2 * len(pairs) :]
    client = client or active_client()
    run = _run_here if client is None else partial(_run_on, client)
    return run(found, level[0], what, called)


def _pair(first: Any, later: Any) -> Any:
    """Both outcomes; None is that of no rows."""
    if first is None or later is None:
        return later if first is None else first
    return both(first, later)


def _run_on(client: Any, found: Sequence[Any], root: Any, what: str, called: Called) -> Any:
    as_completed: Any
    import dask
    from distributed import as_completed

    with engine_error(), _bar(len(found), what) as advance:
        check_workers(client)
        with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1 PiB"}):
            *futures, last = client.compute([*found, root])
        number = {future.key: place for place, future in enumerate(futures)}
        coming = as_completed(futures, loop=client.loop)
        del futures  # nothing that has been added up is kept
        asked, threads = monotonic(), 1
        try:
            for future in as_they_come(coming, _ASK_AGAIN):
                if monotonic() - asked > _ASK_AGAIN:
                    threads, before, asked = threads_of(client), threads, monotonic()
                    if before and not threads:
                        say_that_all_have_gone(client)
                if future is not None:
                    with engine_error(called(number[future.key])):
                        _refuse_lost(future)
                    advance()
            return last.result()
        finally:
            coming.clear()
            last.release()


@contextmanager
def _bar(total: int, what: str) -> Iterator[Callable[[], None]]:
    """Tell it whenever another part is done."""
    bar: Any = steps(total, what)
    with closing(bar):
        yield lambda: next(bar, None)


def _refuse_lost(future: Any) -> None:
    """Raise the error in the place of an outcome; the outcome itself stays where it is."""
    if future.status == "error":
        problem = future.exception()
        future.release()  # an error would hold it, and it the error
        raise problem
    if future.status != "finished":
        raise scheduler_lost()


def _run_here(found: Sequence[Any], root: Any, what: str, called: Called) -> Any:
    compute: Any
    Callback: Any
    from dask.base import compute
    from dask.callbacks import Callback

    left = {each.key: place for place, each in enumerate(found)}

    with _bar(len(found), what) as advance:

        def finished(key: Any, *_: Any) -> None:
            if left.pop(key, None) is not None:
                advance()

        try:
            with Callback(posttask=finished):
                return compute(root)[0]
        except Exception as problem:
            # Dask does not tell what failed, so that is found by trying what is left.
            for place in left.values():
                with engine_error(called(place)):
                    compute(found[place])
            with engine_error():
                raise problem


@contextmanager
def engine_error(part: str | None = None) -> Iterator[None]:
    """Errors of Dask, and of what it was told to do, in one sentence."""
    at = "" if part is None else f" at {part}"
    try:
        yield
    except TallymarkError:
        raise
    except Exception as problem:
        if is_lost(problem):
            raise scheduler_lost() from problem
        if type(problem).__name__ == "KilledWorker":
            times = getattr(problem, "allowed_failures", 0) + 1
            who, how = ("a worker", "") if times == 1 else (f"{times:,} workers", ", one after the other")
            # Dask blames all that a dead worker had at hand, of which one may have been too large.
            had = "" if part is None else f" with {part} at hand"
            raise WorkerError(
                f"{who} of the Dask cluster died{had}{how}, most likely for want of memory.",
                hint="make partitions smaller: frame.repartition(partition_size='50MB').",
            ) from problem
        told = problem.__cause__ if _WRAPPED.search(str(problem)) and problem.__cause__ else problem
        raise EngineError(f"Dask failed{at}: {type(told).__name__}: {one_line(told)}") from problem
