"""A Dask scheduler that is none, cannot be reached or is lost: exit code 2, one line, and a bounded wait."""

import asyncio
import json
import os
import re
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import dask
import distributed
import polars as pl
import pytest

import tallymark as tm
from collected import each

EVALUATE = "evaluate rows.parquet more.parquet --actual y --score s --engine dask"
VALIDATE = "validate rows.csv --target y --model bayes --method kfold:10"
COMMANDS = {"evaluate": EVALUATE, "validate": VALIDATE}
# A worker that kills the scheduler when it starts a task, the first or a later one.
PRELOAD = """
import os, signal
from distributed.diagnostics.plugin import WorkerPlugin

class Killing(WorkerPlugin):
    started = 0

    def transition(self, key, start, finish, **_):
        if finish == "executing":
            self.started += 1
            if self.started == int(os.environ["KILL_AT"]):
                os.kill(int(os.environ["SCHEDULER"]), signal.SIGKILL)

async def dask_setup(worker):
    await worker.plugin_add(Killing())
"""


@pytest.fixture(autouse=True)
def here(run: Any) -> None:
    """Files in the folder in which commands are run."""
    rows = pl.DataFrame({"y": [0, 1] * 50, "s": [k / 100 for k in range(100)]})
    rows.write_csv("rows.csv")
    rows.write_parquet("rows.parquet")
    rows.write_parquet("more.parquet")


def speaks_http(connection: socket.socket) -> None:
    connection.recv(100)
    connection.sendall(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
    connection.close()


def echoes(connection: socket.socket) -> None:
    while sent := connection.recv(1 << 16):
        connection.sendall(sent)


def shakes_hands_and_closes(connection: socket.socket) -> None:
    connection.sendall(connection.recv(1 << 16))
    connection.recv(1 << 16)
    connection.close()


SERVICES: dict[str, Callable[[socket.socket], Any]] = {
    "closes": socket.socket.close,
    "speaks HTTP": speaks_http,
    "sends zeros": lambda connection: connection.sendall(bytes(4096)),
    "sends garbage": lambda connection: connection.sendall(bytes(range(255, -1, -1)) * 16),
    "echoes": echoes,
    "shakes hands and closes": shakes_hands_and_closes,
}


@contextmanager
def listening(answer: Callable[[socket.socket], Any]) -> Iterator[str]:
    """The address of something that answers each connection like this."""
    kept: list[socket.socket] = []

    def serve(connection: socket.socket) -> None:
        with suppress(OSError):
            answer(connection)

    def accept() -> None:
        with suppress(OSError):
            while True:
                kept.append(server.accept()[0])
                threading.Thread(target=serve, args=kept[-1:], daemon=True).start()

    with socket.create_server(("127.0.0.1", 0)) as server:
        accepting = threading.Thread(target=accept, daemon=True)
        accepting.start()
        try:
            yield f"tcp://127.0.0.1:{server.getsockname()[1]}"
        finally:
            server.shutdown(socket.SHUT_RDWR)
            accepting.join()
            for connection in kept:
                connection.close()


def refused(run: Any, command: str, address: str) -> str:
    """The line that a command with this scheduler fails with, without ports and lists that differ."""
    result = run(command, "--scheduler", address)
    assert (result.code, result.out, result.err.count("\n")) == (2, "", 1), result
    said = re.sub(r"(127\.0\.0\.1):\d+", r"\1:PORT", result.err)
    return re.sub(r"known schemes: \[.*?\]", "known schemes: ...", said)


def test_another_service_and_no_address(run: Any, snapshot: Any) -> None:
    texts = {}
    for name, command in COMMANDS.items():
        for kind, answer in SERVICES.items():
            with listening(answer) as address:
                texts[f"{name}: what listens {kind}"] = refused(run, command, address)
        for address in ("nonsense", "tcp://127.0.0.1", "foo://127.0.0.1:1", "inproc://1"):
            texts[f"{name}: {address}"] = refused(run, command, address)
    snapshot("errors_schedulers", texts)


@pytest.mark.thorough
def test_a_service_that_never_answers() -> None:
    """Each call waits as long as the program does for a scheduler."""
    with (
        listening(lambda _: None) as one,
        listening(lambda connection: connection.sendall(connection.recv(1 << 16))) as other,
    ):
        calls = [
            subprocess.Popen(
                [sys.executable, "-m", "tallymark", *command.split(), "--scheduler", address],
                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            )
            for command, address in ((EVALUATE, one), (VALIDATE, other))
        ]  # fmt: skip
        for call in calls:
            out, err = call.communicate(timeout=300)
            assert (call.returncode, out, err.count("\n")) == (2, "", 1), err


def evaluated(scheduler: str) -> tm.Evaluation:
    return tm.evaluate("rows.parquet", actual="y", score="s", engine="dask", scheduler=scheduler)


def test_a_worker_and_its_scheduler_also_within_an_event_loop(run: Any) -> None:
    async def notebook(scheduler: str) -> tm.Evaluation:
        return evaluated(scheduler)

    with distributed.LocalCluster(
        n_workers=1, processes=False, protocol="tcp", dashboard_address="127.0.0.1:0", silence_logs=50
    ) as cluster:
        with pytest.raises(tm.WorkerError):
            evaluated(cluster.workers[0].address)
        # In a thread of its own: where a browser was opened, this one has an event loop already.
        with ThreadPoolExecutor() as pool:
            assert pool.submit(asyncio.run, notebook(cluster.scheduler_address)).result().rows == 100


@contextmanager
def scheduler(*options: str, **environment: str) -> Iterator[tuple[str, int]]:
    """The address of a scheduler in a process of its own, and its number."""
    file = Path("found.json")
    file.unlink(missing_ok=True)
    with _dask("scheduler", "--port", "0", "--scheduler-file", str(file), *options, **environment) as process:
        while not (address := _written(file)):
            assert process.poll() is None
        yield address, process.pid


def _written(file: Path) -> str | None:
    with suppress(OSError, ValueError):
        address: str = json.loads(file.read_text())["address"]
        return address
    threading.Event().wait(0.02)
    return None


@contextmanager
def _dask(role: str, *options: str, **environment: str) -> Iterator[subprocess.Popen[bytes]]:
    command = [sys.executable, "-m", f"distributed.cli.dask_{role}", *options]
    command += ["--host", "127.0.0.1", "--dashboard-address", "127.0.0.1:0"]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    process: Any = subprocess.Popen(command, env={**os.environ, **environment}, **quiet)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


@each(("command", "task"), [(EVALUATE, 1), (EVALUATE, 3), (VALIDATE, 3)])
def test_a_scheduler_that_dies(run: Any, command: str, task: int) -> None:
    Path("preload.py").write_text(PRELOAD)
    with scheduler() as (address, pid), ExitStack() as kept:
        options = ("--nthreads", "1", "--no-nanny", "--preload", "preload.py")
        kept.enter_context(_dask("worker", address, *options, SCHEDULER=str(pid), KILL_AT=str(task)))
        refused(run, command, address)


# --- TLS -------------------------------------------------------------------------------------------


def openssl(arguments: str) -> None:
    subprocess.run(["openssl", *arguments.split()], check=True, capture_output=True)


def configured(authority: str) -> dict[str, Any]:
    """A configuration of Dask in which all have the same certificate."""
    tls = {"ca-file": os.path.abspath(authority)}
    for role in ("scheduler", "worker", "client"):
        tls |= {f"{role}.cert": os.path.abspath("node.pem"), f"{role}.key": os.path.abspath("node.key")}
    settings = {f"distributed.comm.tls.{name}": value for name, value in tls.items()}
    return {"distributed.comm.require-encryption": True, **settings}


def test_tls(run: Any, snapshot: Any) -> None:
    for name in ("ca", "other"):
        openssl(
            f"req -x509 -newkey rsa:2048 -nodes -keyout {name}.key -out {name}.pem -days 1 -subj /CN={name}"
        )
    openssl("req -newkey rsa:2048 -nodes -keyout node.key -out node.csr -subj /CN=n")
    openssl("x509 -req -in node.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 1 -out node.pem")
    environment = {
        "DASK_" + name.replace(".", "__").replace("-", "_").upper(): str(value)
        for name, value in configured("ca.pem").items()
    }
    with (
        scheduler("--protocol", "tls", **environment) as (address, _),
        _dask("worker", address, "--nthreads", "1", "--no-nanny", **environment),
    ):
        texts = {"without certificates": refused(run, EVALUATE, address)}
        with dask.config.set(configured("ca.pem")):
            assert (address[:6], evaluated(address).rows) == ("tls://", 100)
            texts["without TLS"] = refused(run, EVALUATE, address.replace("tls", "tcp"))
        for authority in ("other", "missing"):
            with dask.config.set(configured(f"{authority}.pem")):
                said = refused(run, EVALUATE, address)
            # How OpenSSL words it depends on its version.
            texts[f"the authority is {authority}"] = re.sub(r"\[SSL.*?\)", "[SSL ...]", said)
    snapshot("errors_tls", {case: text.replace(os.getcwd(), "FOLDER") for case, text in texts.items()})
