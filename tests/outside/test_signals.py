"""SIGTERM and SIGHUP end the program in order: one line, the status of the signal, nothing left behind."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

import tallymark as tm
from tallymark.cli import main

pytestmark = pytest.mark.skipif(os.name != "posix", reason="other systems have no such signals")

ROWS = "y,s\n" + "1,0.9\n0,0.2\n1,0.4\n0,0.6\n" * 5
MODEL = """
import time
from pathlib import Path
from sklearn.naive_bayes import GaussianNB

class Waiting(GaussianNB):
    def fit(self, X, y):
        Path(f"fit-{time.monotonic_ns()}").touch()
        while not Path("go on").exists():
            time.sleep(0.01)
        return super().fit(X, y)

model = Waiting()
"""
# A worker that makes its first task wait for ever.
PRELOAD = """
import threading
from distributed.diagnostics.plugin import WorkerPlugin

class Waiting(WorkerPlugin):
    def setup(self, worker):
        submit = worker.executors["default"].submit
        worker.executors["default"].submit = lambda function, *_: submit(self.wait)

    def wait(self):
        open("task", "w").close()
        threading.Event().wait()

async def dask_setup(worker):
    await worker.plugin_add(Waiting())
"""
# Each output waits for ever before it gets its name.
WRITING = """
import os, sys, threading
from tallymark.__main__ import run
os.link = os.replace = lambda *_: threading.Event().wait()
sys.argv = ["tallymark", "evaluate", "rows.csv", "--actual", "y", "--score", "s", "-o", "out.json"]
sys.exit(run())
"""
EVALUATE = ("evaluate", "--actual", "y", "--score", "s")


def until(found: Callable[[], Any], seconds: float = 120) -> Any:
    """Wait until there is something."""
    end = time.monotonic() + seconds
    while not (there := found()):
        assert time.monotonic() < end, "it takes too long"
        time.sleep(0.02)
    return there


class Started:
    """The program in a folder of its own, with its temporary files beside it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.temporary = folder / "temporary"
        self.temporary.mkdir()
        (folder / "rows.csv").write_text(ROWS)
        self.processes: list[psutil.Process] = []
        self.process: subprocess.Popen[str]

    def run(self, *arguments: str, shell: str = 'exec "$@"', script: str | None = None, **env: str) -> None:
        python = ["-m", "tallymark"] if script is None else ["-c", script]
        command = [sys.executable, *python, *arguments]
        self.process = subprocess.Popen(
            ["sh", "-c", shell, "sh", *command],
            cwd=self.folder, env={**os.environ, "TMPDIR": str(self.temporary), **env}, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
        )  # fmt: skip

    def children(self) -> list[psutil.Process]:
        return psutil.Process(self.process.pid).children(recursive=True)

    def wait(self, found: Callable[[], Any]) -> None:
        """Until there is something, unless the program ends."""
        until(lambda: found() or self.process.poll() is not None)
        assert self.process.poll() is None, self.process.communicate()

    def end(self, by: int) -> str:
        """What the program writes to stderr on its way to the status of a signal."""
        self.processes = self.children()
        self.process.send_signal(by)
        out, err = self.process.communicate(timeout=120)
        assert (self.process.returncode, out) == (128 + by, "")
        until(lambda: not any(map(_runs, self.processes)))
        assert os.listdir(self.temporary) == []
        return err

    def kill(self) -> None:
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.communicate()


def _runs(process: psutil.Process) -> bool:
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def _is_java(process: psutil.Process) -> bool:
    try:
        return process.name() == "java"
    except psutil.NoSuchProcess:
        return False


@pytest.fixture
def program(tmp_path: Path) -> Iterator[Started]:
    started = Started(tmp_path)
    # Ignored under nohup, and then by the program as well.
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield started
    signal.signal(signal.SIGHUP, before)
    started.kill()


@pytest.mark.parametrize("by", [signal.SIGTERM, signal.SIGHUP], ids=["SIGTERM", "SIGHUP"])
def test_workers_end_and_the_run_can_be_resumed(program: Started, by: int) -> None:
    (program.folder / "own.py").write_text(MODEL)
    program.run(
        "validate", "rows.csv", "--target", "y", "--model", "own:model", "--method", "kfold:4",
        "--jobs", "2", "--run-folder", "night",
    )  # fmt: skip
    program.wait(lambda: len(list(program.folder.glob("fit-*"))) == 2)
    err = program.end(by)
    assert len(program.processes) >= 2
    said = r"tallymark: interrupted\. The same command, or `tallymark (runs resume night \w+)`, goes on .*\n"
    resume = re.fullmatch(said, err)
    assert resume is not None, err
    (program.folder / "go on").touch()
    program.run(*resume[1].split())
    out, _ = program.process.communicate(timeout=120)
    assert program.process.returncode == 0
    assert "accuracy" in out


def test_saved_standard_input_is_removed(program: Started) -> None:
    program.run(*EVALUATE, "-")
    assert program.process.stdin is not None
    program.process.stdin.write(ROWS)
    program.process.stdin.flush()
    program.wait(lambda: os.listdir(program.temporary))
    assert program.end(signal.SIGTERM) == "tallymark: interrupted.\n"


def test_an_output_that_is_being_written_is_removed(program: Started) -> None:
    program.run(script=WRITING)
    before = {"rows.csv", "temporary"}
    program.wait(lambda: set(os.listdir(program.folder)) - before)
    assert program.end(signal.SIGTERM) == "tallymark: interrupted.\n"
    assert set(os.listdir(program.folder)) == before


def test_a_cluster_of_dask_is_stopped(program: Started) -> None:
    _parquet(program.folder / "rows.parquet")
    (program.folder / "preload.py").write_text(PRELOAD)
    program.run(
        *EVALUATE, "rows.parquet", "--engine", "dask",
        DASK_DISTRIBUTED__WORKER__PRELOAD=repr([str(program.folder / "preload.py")]),
    )  # fmt: skip
    program.wait((program.folder / "task").exists)
    assert program.end(signal.SIGTERM) == "tallymark: interrupted.\n"
    assert program.processes


def test_the_java_process_of_spark_is_stopped(program: Started) -> None:
    _parquet(program.folder / "rows.parquet")
    program.run(*EVALUATE, "rows.parquet", "--engine", "spark", "--master", "local[1]")
    program.wait(lambda: any(map(_is_java, program.children())))
    assert program.end(signal.SIGTERM) == "tallymark: interrupted.\n"


def _parquet(path: Path) -> None:
    import polars as pl

    pl.DataFrame({"y": [0, 1, 1, 0], "s": [0.1, 0.9, 0.4, 0.3]}).write_parquet(path)


def test_a_program_in_the_background_which_ignores_ctrl_c_is_ended(program: Started) -> None:
    program.run(*EVALUATE, "-", shell='trap "" INT; exec "$@"')
    program.wait(lambda: os.listdir(program.temporary))
    assert program.end(signal.SIGTERM) == "tallymark: interrupted.\n"


@pytest.mark.parametrize("by", [signal.SIGTERM, signal.SIGHUP], ids=["SIGTERM", "SIGHUP"])
def test_a_signal_that_is_ignored_stays_ignored(program: Started, by: int) -> None:
    program.run(*EVALUATE, "-", shell=f'trap "" {int(by)}; exec "$@"')
    program.wait(lambda: os.listdir(program.temporary))
    program.process.send_signal(by)
    out, err = program.process.communicate(ROWS, timeout=120)
    assert (program.process.returncode, err) == (0, "")
    assert "accuracy" in out


def test_the_library_handles_no_signals(capsys: pytest.CaptureFixture[str]) -> None:
    numbers = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]
    before = [signal.getsignal(number) for number in numbers]
    assert main(["matrix", "3 1; 2 4"]) == 0
    tm.validate("bayes", [[0.0], [1.0], [0.1], [0.9]] * 5, [0, 1, 0, 1] * 5, cv=2, n_jobs=2)
    capsys.readouterr()
    assert [signal.getsignal(number) for number in numbers] == before
