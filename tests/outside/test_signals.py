"""SIGTERM and SIGHUP end the program in order: one line, the status of the signal, nothing left behind."""

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import polars as pl
import psutil
import pytest

import tallymark as tm
from tallymark.cli import main
from waiting import until

ROWS = "y,s\n" + "1,0.9\n0,0.2\n1,0.4\n0,0.6\n" * 5
MODEL = """
import threading
from pathlib import Path
from uuid import uuid4
from sklearn.naive_bayes import GaussianNB

class Waiting(GaussianNB):
    def fit(self, X, y):
        Path(f"fit-{uuid4()}").touch()
        while not Path("go on").exists():
            threading.Event().wait(0.01)
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
LIMIT = 300
"""Seconds after which a program that hangs is given up."""


class Started:
    """The program in a folder of its own, with its temporary files beside it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.temporary = folder / "temporary"
        self.temporary.mkdir()
        (folder / "rows.csv").write_text(ROWS)
        pl.DataFrame({"y": [0, 1, 1, 0], "s": [0.1, 0.9, 0.4, 0.3]}).write_parquet(folder / "rows.parquet")
        self.processes: list[psutil.Process] = []
        self.process: subprocess.Popen[str]

    def run(self, *arguments: str, shell: str = 'exec "$@"', script: str | None = None, **env: str) -> None:
        python = ["-m", "tallymark"] if script is None else ["-c", script]
        self.process = subprocess.Popen(
            ["sh", "-c", shell, "sh", sys.executable, *python, *arguments],
            cwd=self.folder, env={**os.environ, "TMPDIR": str(self.temporary), **env}, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
        )  # fmt: skip

    def children(self) -> list[psutil.Process]:
        return psutil.Process(self.process.pid).children(recursive=True)

    def wait(self, found: Callable[[], Any]) -> None:
        """Until there is something, unless the program ends."""
        until(lambda: found() or self.process.poll() is not None)
        assert found(), self.process.communicate(timeout=LIMIT)

    def end(self, by: int = signal.SIGTERM) -> str:
        """The line that the program writes to stderr on its way to the status of a signal."""
        self.processes = self.children()
        self.process.send_signal(by)
        out, err = self.process.communicate(timeout=LIMIT)
        assert (self.process.returncode, out, err.count("\n")) == (128 + by, "", 1), err
        until(lambda: not any(map(_runs, self.processes)))
        assert os.listdir(self.temporary) == []
        return err

    def kill(self) -> None:
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.communicate()


def _runs(process: psutil.Process) -> bool:
    with suppress(psutil.NoSuchProcess):
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    return False


def _is_java(process: psutil.Process) -> bool:
    with suppress(psutil.NoSuchProcess):
        return process.name() == "java"
    return False


@pytest.fixture
def program(tmp_path: Path) -> Iterator[Started]:
    started = Started(tmp_path)
    # Ignored under nohup, and then by the program as well.
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield started
    signal.signal(signal.SIGHUP, before)
    started.kill()


def test_workers_end_and_the_run_can_be_resumed(program: Started) -> None:
    (program.folder / "own.py").write_text(MODEL)
    program.run(
        "validate", "rows.csv", "--target", "y", "--model", "own:model", "--method", "kfold:4",
        "--jobs", "2", "--run-folder", "night",
    )  # fmt: skip
    program.wait(lambda: len(list(program.folder.glob("fit-*"))) == 2)
    resume = re.search(r"`tallymark (runs resume night \w+)`", program.end())
    assert resume is not None
    assert len(program.processes) >= 2
    (program.folder / "go on").touch()
    program.run(*resume[1].split())
    out, _ = program.process.communicate(timeout=LIMIT)
    assert (program.process.returncode, bool(out)) == (0, True)


def test_saved_standard_input_is_removed_also_in_a_background_that_ignores_ctrl_c(program: Started) -> None:
    usual, ignoring = 'exec "$@"', 'trap "" INT; exec "$@"'
    for by, shell in ((signal.SIGTERM, usual), (signal.SIGHUP, usual), (signal.SIGTERM, ignoring)):
        program.run(*EVALUATE, "-", shell=shell)
        assert program.process.stdin is not None
        # More than is read before the file is made.
        program.process.stdin.write(ROWS + "1,0.9\n" * 300_000)
        program.process.stdin.flush()
        program.wait(lambda: any(path.is_file() for path in program.temporary.rglob("*")))
        program.end(by)


def test_an_output_that_is_being_written_is_removed(program: Started) -> None:
    before = set(os.listdir(program.folder))
    program.run(script=WRITING)
    program.wait(lambda: set(os.listdir(program.folder)) - before)
    program.end()
    assert set(os.listdir(program.folder)) == before


def test_workers_of_dask_are_stopped(program: Started) -> None:
    (program.folder / "preload.py").write_text(PRELOAD)
    preload = repr([str(program.folder / "preload.py")])
    program.run(*EVALUATE, "rows.parquet", "--engine", "dask", DASK_DISTRIBUTED__WORKER__PRELOAD=preload)
    program.wait((program.folder / "task").exists)
    program.end()
    assert program.processes


@pytest.mark.thorough
def test_java_is_stopped(program: Started) -> None:
    program.run(*EVALUATE, "rows.parquet", "--engine", "spark", "--master", "local[1]")
    program.wait(lambda: any(map(_is_java, program.children())))
    program.end()


def test_a_signal_that_is_ignored_stays_ignored(program: Started) -> None:
    for by in (signal.SIGTERM, signal.SIGHUP):
        program.run(*EVALUATE, "-", "--json", shell=f'trap "" {int(by)}; exec "$@"')
        program.wait(lambda: os.listdir(program.temporary))
        program.process.send_signal(by)
        out, err = program.process.communicate(ROWS, timeout=LIMIT)
        assert (program.process.returncode, err, json.loads(out)["rows"]) == (0, "", 20)


def test_the_library_handles_no_signals(capsys: pytest.CaptureFixture[str]) -> None:
    numbers = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]
    before = [signal.getsignal(number) for number in numbers]
    assert main(["matrix", "3 1; 2 4"]) == 0
    tm.validate("bayes", [[0.0], [1.0], [0.1], [0.9]] * 5, [0, 1, 0, 1] * 5, cv=2, n_jobs=2)
    capsys.readouterr()
    assert [signal.getsignal(number) for number in numbers] == before
