"""A Dask scheduler that is none, cannot be reached or is lost: exit code 2, one line, and a bounded wait."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import dask
import distributed
import polars as pl
import pytest

import tallymark as tm
from tallymark.cli import main

EVALUATE = ("evaluate", "rows.parquet", "more.parquet", "--actual", "y", "--score", "s", "--engine", "dask")
VALIDATE = ("validate", "rows.csv", "--target", "y", "--model", "bayes", "--method", "kfold:10")
BOTH = pytest.mark.parametrize("command", [EVALUATE, VALIDATE], ids=["evaluate", "validate"])
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
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rows = pl.DataFrame({"y": [0, 1] * 50, "s": [k / 100 for k in range(100)]})
    rows.write_csv("rows.csv")
    rows.write_parquet("rows.parquet")
    rows.write_parquet("more.parquet")


def answers_nothing(_: socket.socket) -> None:
    """Keeps the connection."""


def closes(connection: socket.socket) -> None:
    connection.close()


def speaks_http(connection: socket.socket) -> None:
    connection.recv(100)
    connection.sendall(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
    connection.close()


def sends_zeros(connection: socket.socket) -> None:
    connection.sendall(bytes(4096))


def sends_garbage(connection: socket.socket) -> None:
    connection.sendall(bytes(range(255, -1, -1)) * 16)


def echoes(connection: socket.socket) -> None:
    while sent := connection.recv(1 << 16):
        connection.sendall(sent)


def shakes_hands_and_closes(connection: socket.socket) -> None:
    connection.sendall(connection.recv(1 << 16))
    connection.recv(1 << 16)
    connection.close()


def shakes_hands_only(connection: socket.socket) -> None:
    connection.sendall(connection.recv(1 << 16))


@contextmanager
def listening(answer: Callable[[socket.socket], None]) -> Iterator[str]:
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


def refused(capfd: pytest.CaptureFixture[str], command: Sequence[str], address: str) -> str:
    """The line that a command with this scheduler fails with."""
    assert main([*command, "--scheduler", address]) == 2
    out, err = capfd.readouterr()
    assert (out, err.count("\n")) == ("", 1), err
    return err


@BOTH
@pytest.mark.parametrize(
    "answer", [closes, speaks_http, sends_zeros, sends_garbage, echoes, shakes_hands_and_closes]
)
def test_another_service(
    capfd: pytest.CaptureFixture[str], command: Sequence[str], answer: Callable[[socket.socket], None]
) -> None:
    with listening(answer) as address:
        said = refused(capfd, command, address)
        assert said.startswith(f"tallymark: no Dask scheduler answers at '{address}'")
        assert "Hint: " in said


def test_a_service_that_never_answers() -> None:
    with listening(answers_nothing) as one, listening(shakes_hands_only) as other:
        calls = [
            subprocess.Popen(
                [sys.executable, "-m", "tallymark", *command, "--scheduler", address],
                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            )
            for command, address in ((EVALUATE, one), (VALIDATE, other))
        ]  # fmt: skip
        for call in calls:
            out, err = call.communicate(timeout=120)
            assert (call.returncode, out, err.count("\n")) == (2, "", 1), err
            assert err.startswith("tallymark: no Dask scheduler answers at 'tcp://127.0.0.1:")


@BOTH
@pytest.mark.parametrize("address", ["nonsense", "tcp://127.0.0.1", "foo://127.0.0.1:1", "inproc://1"])
def test_no_address(capfd: pytest.CaptureFixture[str], command: Sequence[str], address: str) -> None:
    said = refused(capfd, command, address)
    assert said.startswith(f"tallymark: '{address}' is not the address of a scheduler: ")


def evaluated(scheduler: str) -> tm.Evaluation:
    return tm.evaluate("rows.parquet", actual="y", score="s", engine="dask", scheduler=scheduler)


def test_errors_in_python() -> None:
    with listening(closes) as address, pytest.raises(tm.errors.WorkerError, match="no Dask scheduler"):
        evaluated(address)
    with pytest.raises(tm.errors.OptionError, match="not the address"):
        evaluated("nonsense")


def test_a_worker_and_its_scheduler_also_within_an_event_loop(capfd: pytest.CaptureFixture[str]) -> None:
    async def notebook(scheduler: str) -> tm.Evaluation:
        return evaluated(scheduler)

    with distributed.LocalCluster(
        n_workers=1, processes=False, protocol="tcp", dashboard_address="127.0.0.1:0", silence_logs=50
    ) as cluster:
        said = refused(capfd, EVALUATE, cluster.workers[0].address)
        assert said.startswith("tallymark: no Dask scheduler answers")
        assert asyncio.run(notebook(cluster.scheduler_address)).rows == 100


@contextmanager
def scheduler(*options: str, **environment: str) -> Iterator[tuple[str, int]]:
    """The address of a scheduler in a process of its own, and its number."""
    options = ("--port", "0", "--scheduler-file", "found.json", *options)
    with _dask("scheduler", *options, **environment) as process:
        while not (address := _written("found.json")):
            assert process.poll() is None
            time.sleep(0.02)
        yield address, process.pid


def _written(file: str) -> str | None:
    with suppress(OSError, ValueError):
        address: str = json.loads(Path(file).read_text())["address"]
        return address
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


@BOTH
@pytest.mark.parametrize("task", [1, 3], ids=["at first", "later"])
def test_a_scheduler_that_dies(capfd: pytest.CaptureFixture[str], command: Sequence[str], task: int) -> None:
    Path("preload.py").write_text(PRELOAD)
    with scheduler() as (address, pid), ExitStack() as kept:
        options = ("--nthreads", "1", "--no-nanny", "--preload", "preload.py")
        kept.enter_context(_dask("worker", address, *options, SCHEDULER=str(pid), KILL_AT=str(task)))
        assert refused(capfd, command, address).startswith("tallymark: the Dask scheduler was stopped")


# --- TLS -------------------------------------------------------------------------------------------


def openssl(*arguments: str) -> None:
    subprocess.run(["openssl", *arguments], check=True, capture_output=True)


def authority(name: str) -> None:
    openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", f"{name}.key", "-out", f"{name}.pem",
            "-days", "1", "-subj", f"/CN={name}")  # fmt: skip


def configured(authority: str) -> dict[str, Any]:
    """A configuration of Dask in which all have the same certificate."""
    tls = {"ca-file": os.path.abspath(authority)}
    for role in ("scheduler", "worker", "client"):
        tls |= {f"{role}.cert": os.path.abspath("node.pem"), f"{role}.key": os.path.abspath("node.key")}
    settings = {f"distributed.comm.tls.{name}": value for name, value in tls.items()}
    return {"distributed.comm.require-encryption": True, **settings}


def test_tls(capfd: pytest.CaptureFixture[str]) -> None:
    authority("ca")
    authority("other")
    openssl(
        "req", "-newkey", "rsa:2048", "-nodes", "-keyout", "node.key", "-out", "node.csr", "-subj", "/CN=n"
    )
    openssl("x509", "-req", "-in", "node.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial",
            "-days", "1", "-out", "node.pem")  # fmt: skip
    environment = {
        "DASK_" + name.replace(".", "__").replace("-", "_").upper(): str(value)
        for name, value in configured("ca.pem").items()
    }
    with (
        scheduler("--protocol", "tls", **environment) as (address, _),
        _dask("worker", address, "--nthreads", "1", "--no-nanny", **environment),
    ):
        with dask.config.set(configured("ca.pem")):
            assert address.startswith("tls://")
            assert evaluated(address).rows == 100
            said = refused(capfd, EVALUATE, address.replace("tls", "tcp"))
            assert said.startswith("tallymark: Dask's configuration requires encryption")
        assert "needs TLS certificates" in refused(capfd, EVALUATE, address)
        with dask.config.set(configured("other.pem")):
            assert "certificate verify failed" in refused(capfd, EVALUATE, address)
        with dask.config.set(configured("missing.pem")):
            assert "certificates of Dask cannot be read" in refused(capfd, EVALUATE, address)
