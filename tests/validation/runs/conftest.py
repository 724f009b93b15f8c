"""What the tests of run folders share."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
# Other processes import the models under the same name as this one.
sys.path.insert(0, str(HERE))


class Made:
    """The fits that were made since the test began, by whatever process."""

    def __init__(self, place: Path) -> None:
        self.place = place

    @property
    def _lines(self) -> list[str]:
        return self.place.read_text().splitlines() if self.place.exists() else []

    @property
    def fits(self) -> list[str]:
        """What tells one fit from another, in the order they were made."""
        return [line.partition(" ")[2] for line in self._lines]

    @property
    def makers(self) -> set[int]:
        return {int(line.partition(" ")[0]) for line in self._lines}

    def forget(self) -> None:
        self.place.unlink(missing_ok=True)


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Made:
    place = tmp_path / "fits made"
    monkeypatch.setenv("FITS_MADE", str(place))
    return Made(place)


class Nursery:
    """Starts processes that work beside this one."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, str(HERE / "nursery.py")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def ask(self, **call: Any) -> int:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(json.dumps(call), file=self._process.stdin, flush=True)
        return int(self._process.stdout.readline())

    def close(self) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()


class Child:
    """One of them."""

    def __init__(self, nursery: Nursery, question: str, out: Path, **options: Any) -> None:
        self._nursery, self._out = nursery, out
        seen = {name: os.environ[name] for name in ("FITS_MADE", "FITS_FAIL") if name in os.environ}
        self.pid = nursery.ask(start=question, options=options, out=str(out), environment=seen)

    def kill(self) -> None:
        os.kill(self.pid, signal.SIGKILL)

    def wait(self) -> int:
        """The exit code, once it has ended; that of a signal is negative."""
        return self._nursery.ask(wait=self.pid)

    def answer(self) -> str:
        """What it found; it must have ended well."""
        code = self.wait()
        assert code == 0, self._out.read_text() if self._out.exists() else f"exit code {code}"
        return self._out.read_text()


@pytest.fixture(scope="session")
def nursery() -> Iterator[Nursery]:
    found = Nursery()
    yield found
    found.close()


@pytest.fixture
def start(nursery: Nursery, tmp_path: Path) -> Any:
    """Start a process that asks a question."""
    started: list[Child] = []

    def begin(question: str, **options: Any) -> Child:
        options = {name: str(value) if isinstance(value, Path) else value for name, value in options.items()}
        started.append(Child(nursery, question, tmp_path / f"child {len(started)}.txt", **options))
        return started[-1]

    return begin
