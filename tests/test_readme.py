"""The README's examples run as they stand."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from tallymark.cli import main
from tallymark.data import path

README = (Path(__file__).parent.parent / "README.md").read_text(encoding="utf-8")
PYTHON = "\n".join(re.findall(r"```python\n(.*?)```", README, re.DOTALL))
LINES = [
    line.partition("  #")[0].strip()
    for block in re.findall(r"```sh\n(.*?)```", README, re.DOTALL)
    for line in block.splitlines()
]
COMMANDS = [line for line in LINES if line.startswith("tallymark ")]
FILES = [line for line in LINES if line.startswith("printf ")]


def _is_expression(code: str) -> bool:
    try:
        compile(code.strip(), "README", "eval")
    except SyntaxError:
        return False
    return True


def test_python_examples_give_what_their_comments_say(capsys: pytest.CaptureFixture[str]) -> None:
    names: dict[str, object] = {}
    compared = 0
    for line in PYTHON.splitlines():
        code, _, comment = line.partition("  #")
        said = re.match(r"\s*(\d[\d.]*)", comment)
        if said and _is_expression(code):
            value = eval(code, names)
            assert str(value).startswith(said[1].rstrip(".")), line
            compared += 1
        elif code.strip():
            exec(code, names)
    assert compared >= 5
    assert "recall = tp / (tp + fn)" in capsys.readouterr().out


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_run(command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copy(path("breast_cancer.csv"), tmp_path / "predictions.csv")
    shutil.copy(path("tumours.csv"), tmp_path)
    monkeypatch.chdir(tmp_path)
    for line in FILES:
        subprocess.run(line, shell=True, check=True)
    for before in COMMANDS:
        # What one line writes, a later one reads.
        if before.endswith("-o all.tally") and command.endswith("all.tally") and before != command:
            assert main(shlex.split(before)[1:]) == 0
    assert main(shlex.split(command)[1:]) == 0
