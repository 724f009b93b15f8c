"""Running the command line inside the test, in a folder of its own."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tallymark.cli import main

FILES = {
    "answers.csv": "actual,predicted\nyes,yes\nyes,yes\nyes,no\nno,no\nno,yes\nno,no\nno,no\nno,no\n",
    "scores.csv": "y,s\nyes,0.9\nno,0.2\nyes,0.4\nno,0.6\n",
    "digits.csv": "actual,predicted\n1,1\n0,1\n1,0\n0,0\n1,1\n",
    "probabilities.csv": "y,p_a,p_b,p_c\na,0.8,0.1,0.1\nb,0.2,0.7,0.1\nc,0.5,0.1,0.4\n",
    "missing.csv": "actual,predicted\nyes,yes\nyes,\nno,no\nNA,no\n",
    "matrix.csv": "predicted,a,b\na,5,2\nb,1,7\n",
}


@dataclass(frozen=True)
class Result:
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one JSON document on stdout; nothing else may have been written."""
        assert (self.code, self.err) == (0, "")
        return json.loads(self.out, parse_constant=pytest.fail)


Run = Callable[..., Result]


@pytest.fixture
def run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., Result]:
    """Calls `tallymark` with the arguments, in a folder that holds FILES."""
    monkeypatch.chdir(tmp_path)
    for name, content in FILES.items():
        Path(name).write_text(content)

    def call(*arguments: str, stdin: str | bytes = b"") -> Result:
        data = stdin.encode() if isinstance(stdin, str) else stdin
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        code = main(arguments)
        captured = capsys.readouterr()
        return Result(code, captured.out, captured.err)

    return call
