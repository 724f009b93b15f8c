"""Clusters of Dask: how one is reached, and how it is waited for."""

from __future__ import annotations

import asyncio
import logging
import multiprocessing
from collections.abc import Iterator
from concurrent.futures import CancelledError
from contextlib import ExitStack, contextmanager, suppress
from ssl import SSLError
from tempfile import TemporaryDirectory
from typing import Any
from weakref import WeakSet

from tallymark._version import __version__
from tallymark.errors import MissingExtraError, OptionError, WorkerError
from tallymark.intake.engines.interrupts import interrupts_held_back
from tallymark.tallies.labels import quoted

PATIENCE = 10
"""Seconds to wait for a scheduler to answer."""
_STARTING = 60
"""Seconds to wait for a first worker, which a cluster that grows on demand may have to start."""
_ANSWERING = 60
"""Seconds to wait for an answer of a scheduler that has answered before, and may be busy."""
_CERTIFICATES = "distributed.comm.tls in Dask's configuration names the certificates."
_known: WeakSet[Any] = WeakSet()
"""Clients whose workers have been seen to import this package."""


@contextmanager
def client_of(scheduler: str | None = None) -> Iterator[Any]:
    """A client that is active meanwhile: of the scheduler at an address; without one, that which is already
    active, or of workers on this machine.
    """
    if scheduler is not None:
        with connected(scheduler) as client, client.as_current():
            yield client
        return
    (Client,) = _required("Client")
    active = active_client()
    if active is not None:
        yield active
        return
    _be_quiet()
    with _workers() as cluster, Client(cluster, set_as_default=False) as client, client.as_current():
        yield client


@contextmanager
def _workers() -> Iterator[Any]:
    """New workers on the cores of this machine."""
    (LocalCluster,) = _required("LocalCluster")
    if getattr(multiprocessing.current_process(), "_inheriting", False):
        # This is such a worker, which imports the script that starts it: it is told of where it is awaited.
        raise SystemExit(1)
    import dask

    elsewhere = dask.config.get("temporary-directory", None)
    with (
        TemporaryDirectory(prefix="tallymark-", dir=elsewhere, ignore_cleanup_errors=True) as scratch,
        ExitStack() as kept,
    ):
        try:
            # The scheduler is told of a place for its files in this way only.
            with interrupts_held_back(), dask.config.set({"temporary-directory": scratch}):
                made = LocalCluster(
                    threads_per_worker=1,
                    dashboard_address="127.0.0.1:0",
                    silence_logs=50,
                    local_directory=scratch,
                )
                cluster = kept.enter_context(made)
        except RuntimeError as problem:
            raise WorkerError(
                f"Dask could not start workers on this machine: {first_line(problem)}",
                hint="workers import the script that starts them, so what it does stands below "
                "`if __name__ == '__main__':`; or start a cluster, and name its scheduler.",
            ) from None
        yield cluster


def active_client() -> Any:
    """The client that Dask would use now; None where it would use threads or processes of its own."""
    get_scheduler: Any
    from dask.base import get_scheduler

    client = getattr(get_scheduler(), "__self__", None)
    return client if hasattr(client, "scheduler_info") else None


@contextmanager
def connected(scheduler: str) -> Iterator[Any]:
    """A client of the scheduler at this address."""
    (Client,) = _required("Client")
    _be_quiet()
    options = _connection_options(scheduler)
    try:
        _find_scheduler(scheduler, options)
        client = Client(scheduler, timeout=PATIENCE, set_as_default=False)
    except Exception as problem:  # anything may listen there, and send anything
        if isinstance(problem.__cause__, SSLError):
            raise WorkerError(
                f"TLS with {quoted(scheduler)} failed: {problem.__cause__}.", hint=_CERTIFICATES
            ) from problem
        raise WorkerError(
            f"no Dask scheduler answers at {quoted(scheduler)} (waited at most {PATIENCE} seconds).",
            hint="`dask scheduler` shows its address when it starts, such as tcp://10.0.0.5:8786, or "
            "tls://10.0.0.5:8786 where it uses TLS.",
        ) from problem
    try:
        yield client
    finally:
        with suppress(TimeoutError):  # of a scheduler that does not answer any more
            client.close(PATIENCE)


def _connection_options(scheduler: str) -> dict[str, Any]:
    """How to connect to this address according to Dask's configuration."""
    get_address_host: Any
    parse_address: Any
    Security: Any
    from distributed.comm.addressing import get_address_host, parse_address
    from distributed.security import Security

    try:
        get_address_host(scheduler)
    except (ValueError, TypeError) as problem:
        raise OptionError(
            f"{quoted(scheduler)} is not the address of a scheduler: {problem}.",
            hint="write tcp://HOST:8786.",
        ) from None
    try:
        options: dict[str, Any] = Security().get_connection_args("client")
    except OSError as problem:
        raise OptionError(
            f"the TLS certificates of Dask cannot be read: {problem}.", hint=_CERTIFICATES
        ) from None
    scheme = parse_address(scheduler)[0]
    if scheme in ("tls", "wss") and options.get("ssl_context") is None:
        raise OptionError(f"{quoted(scheduler)} needs TLS certificates.", hint=_CERTIFICATES)
    if scheme in ("tcp", "ws") and options.get("require_encryption"):
        raise OptionError(
            f"Dask's configuration requires encryption, and {quoted(scheduler)} has none.",
            hint="write tls://HOST:8786.",
        )
    return options


def _required(*names: str) -> list[Any]:
    try:
        import distributed
    except ImportError:
        raise MissingExtraError("a cluster needs Dask.", hint="pip install 'tallymark[dask]'") from None
    return [getattr(distributed, name) for name in names]


def _be_quiet() -> None:
    """What goes wrong is told in a line."""
    for name in ("distributed", "distributed.client"):
        logging.getLogger(name).setLevel(logging.CRITICAL)


def _find_scheduler(address: str, options: dict[str, Any]) -> None:
    """Raise where no scheduler answers; a client takes long to find that out, and is loud."""
    connect: Any
    LoopRunner: Any
    from distributed.comm.core import connect
    from distributed.utils import LoopRunner

    async def identity() -> Any:
        comm = await connect(address, timeout=PATIENCE, **options)
        try:
            await comm.write({"op": "identity", "reply": True})
            return await comm.read()
        finally:
            comm.abort()

    async def bounded() -> Any:
        return await asyncio.wait_for(identity(), PATIENCE)

    # In a thread of its own, for this one may run a loop already, as in a notebook.
    if "workers" not in LoopRunner().run_sync(bounded):
        raise OSError("a worker, or another service, answers")


def is_lost(problem: BaseException) -> bool:
    """Whether an error of Dask says that the connection to the scheduler is lost."""
    CommClosedError: Any
    from distributed.comm.core import CommClosedError

    return isinstance(problem, CancelledError | CommClosedError)


def scheduler_lost(hint: str = "repeat the command when it runs again.") -> WorkerError:
    return WorkerError("the Dask scheduler was stopped or restarted, or does not answer.", hint=hint)


def threads_of(client: Any) -> int:
    """How many tasks the cluster can do at once."""
    try:
        found = client.sync(client.scheduler.ncores, callback_timeout=_ANSWERING)
    except OSError:
        raise scheduler_lost() from None
    return int(sum(found.values()))


def as_they_come(found: Any, seconds: float) -> Iterator[Any]:
    """What a `distributed.as_completed` gives; None when nothing has come for so long."""
    while not found.is_empty():
        with found.thread_condition:
            if not found.has_ready():
                found.thread_condition.wait(seconds)
        yield next(found) if found.has_ready() else None


def say_that_all_have_gone(client: Any) -> None:
    logging.getLogger("tallymark").warning(
        "tallymark: all workers of the cluster have gone; the run waits until some come. "
        "Hint: start some: dask worker %s",
        client.scheduler.address,
    )


def check_workers(client: Any) -> None:
    """Raises where there are no workers, or they cannot do what is asked here; once for every client."""
    if client not in _known:
        wait_for_a_worker(client, _STARTING, __name__, "extra dask")
        _known.add(client)


def wait_for_a_worker(client: Any, seconds: float, module: str, extras: str) -> None:
    """Raises where no worker comes, or one cannot import a module of this package."""
    try:
        # A cluster that grows on demand grows when there is something to do.
        client.submit(int, pure=False).result(timeout=seconds)
        # By what every Python has: a worker that cannot read a message of ours would die of it, in silence.
        said = client.run(eval, f"__import__({module!r}) and None", on_error="return")
    except TimeoutError:
        raise WorkerError(
            f"the cluster has had no worker for {seconds} seconds.",
            hint=f"start some: dask worker {client.scheduler.address}",
        ) from None
    except (CancelledError, OSError):
        raise scheduler_lost() from None
    for worker, problem in said.items():
        if isinstance(problem, Exception):
            raise WorkerError(
                f"the worker {worker} cannot import this tallymark: {type(problem).__name__}: "
                f"{first_line(problem)}",
                hint=f"install tallymark {__version__} on all machines, with the {extras}.",
            )


def first_line(problem: BaseException) -> str:
    """The first words of an error, as a sentence."""
    lines = [line.strip() for line in str(problem).splitlines() if line.strip()]
    return f"{lines[0].rstrip('.')}." if lines else f"{type(problem).__name__}."
