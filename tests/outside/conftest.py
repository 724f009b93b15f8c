"""What the tests from outside share: the command line, called as a user would."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tallymark.cli import main


@pytest.fixture
def run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, str, str]]:
    """Calls `tallymark` in an empty folder: the exit code, and what was written to stdout and stderr."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments: str, stdin: bytes | str = b"") -> tuple[int, str, str]:
        content = stdin.encode() if isinstance(stdin, str) else stdin
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
        code = main(arguments)
        written = capsys.readouterr()
        return code, written.out, written.err

    return call
