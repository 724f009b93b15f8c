"""Fits that are counted, and processes that work beside this one."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

# Other processes import the models under the same names as this one.
sys.path.insert(0, str(Path(__file__).parent))

from counted import Answer
from things import ONE_FIT, X, Y

import tallymark as tm
from waiting import until

HERE = Path(__file__).parent


class Made:
    """The fits that were made since the test began, by any process."""

    def __init__(self, place: Path) -> None:
        self.place = place

    @property
    def _lines(self) -> list[list[str]]:
        return (
            [line.split(" ", 1) for line in self.place.read_text().splitlines()]
            if self.place.exists()
            else []
        )

    @property
    def fits(self) -> list[str]:
        """What tells one fit from another, in the order they were made."""
        return [fit for _, fit in self._lines]

    @property
    def makers(self) -> set[int]:
        return {int(process) for process, _ in self._lines}

    def forget(self) -> None:
        self.place.unlink(missing_ok=True)


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Made:
    monkeypatch.setenv("FITS_MADE", str(tmp_path / "fits made"))
    return Made(tmp_path / "fits made")


class Nursery:
    """A process that forks others; see forking.py."""

    def __init__(self) -> None:
        one_thread = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
        one_thread["JE_ARROW_MALLOC_CONF"] = "background_thread:false"
        self.process = subprocess.Popen(
            [sys.executable, str(HERE / "forking.py")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, **one_thread, "PYTHONPATH": f"{HERE}{os.pathsep}{HERE.parents[1]}"},
        )

    def answer(self, **call: Any) -> int:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        print(json.dumps(call), file=self.process.stdin, flush=True)
        line = self.process.stdout.readline()
        assert line, "the process that forks has ended"
        return int(line)

    def end(self) -> None:
        """It has read all lines; others may still have its output open."""
        for stream in (self.process.stdin, self.process.stdout):
            assert stream is not None
            stream.close()
        self.process.wait()


@pytest.fixture(scope="session")
def nursery() -> Iterator[Nursery]:
    found = Nursery()
    yield found
    found.end()


class Child:
    """A process that does something, and writes what it found."""

    def __init__(self, nursery: Nursery, out: Path, does: str, *given: Any, **environment: Any) -> None:
        told = {name: str(value) for name, value in environment.items()}
        told |= {name: value for name, value in os.environ.items() if name == "FITS_MADE"}
        self.nursery, self.out = nursery, out
        self.pid = nursery.answer(does=does, given=list(map(str, given)), out=str(out), environment=told)
        self._code: int | None = None

    def code(self) -> int:
        if self._code is None:
            self._code = self.nursery.answer(wait=self.pid)
        return self._code

    def end(self) -> None:
        """With all workers that it has started."""
        for kill in (os.kill, os.killpg) if self._code is None else (os.killpg,):
            with suppress(ProcessLookupError):
                kill(self.pid, signal.SIGKILL)
        self.code()

    def until(self, happened: Callable[[], bool]) -> None:
        """Wait for what it does, or causes, before it ends."""
        until(lambda: happened() or self.out.exists())
        assert happened(), self.out.read_text()

    def was_killed(self) -> bool:
        return self.code() == -signal.SIGKILL

    def text(self) -> str:
        """It must have ended well."""
        assert self.code() == 0, self.out.read_text() if self.out.exists() else self.code()
        return self.out.read_text()

    def lines(self) -> list[str]:
        return self.text().splitlines()

    def answer(self) -> Answer:
        return Answer(*json.loads(self.text()))


@pytest.fixture
def begin(nursery: Nursery, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., Child]]:
    """Start a process: `begin("ask", "few", folder, FITS_KILL=2)`."""
    started: list[Child] = []
    place = tmp_path_factory.mktemp("children")

    def start(*given: Any, **environment: Any) -> Child:
        started.append(Child(nursery, place / f"{len(started)}.txt", *given, **environment))
        return started[-1]

    yield start
    for child in started:
        child.end()


@pytest.fixture
def start(begin: Callable[..., Child]) -> Callable[..., Child]:
    """Start a process that asks a question in a run folder: `start("few", folder, FITS_KILL=2)`."""
    return lambda question, folder, **environment: begin("ask", question, folder, **environment)


@pytest.fixture
def asked(tmp_path: Path) -> Callable[..., tuple[int, int, list[str]]]:
    """Ask of one fit in the folder of the test: how many were made, how many found, and what was told."""

    def ask_for(model: Any, X: Any = X, y: Any = Y, **options: Any) -> tuple[int, int, list[str]]:
        said: list[str] = []
        folder = tm.RunFolder(tmp_path / "runs", tell=said.append)
        given = (X,) if isinstance(X, dict) else (X, y)
        tm.validate(model, *given, **{**ONE_FIT, **options}, run_folder=folder)
        return folder.used.made, folder.used.found, said

    return ask_for
