"""What docs/integrations.md shows of tests, files and other tools is so."""

from __future__ import annotations

import json
import re
import shlex
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

import tallymark as tm
from tallymark.cli import main
from tallymark.data import path

TEXT = (Path(__file__).parents[2] / "docs" / "integrations.md").read_text(encoding="utf-8")


def _blocks(kind: str) -> list[str]:
    return re.findall(rf"```{kind}\n(.*?)```", TEXT, re.DOTALL)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("predictions.csv", "main.csv"):
        shutil.copy(path("breast_cancer.csv"), tmp_path / name)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_tests_pass(folder: Path) -> None:
    names: dict[str, Any] = {}
    exec(_blocks("python")[0], names)
    names["test_finds_most_tumours"](tm.assert_metric)
    names["test_no_worse_than_main"](tm.assert_not_worse)


def test_the_file_of_numbers_is_as_shown(folder: Path) -> None:
    (command,) = _blocks("sh")
    assert main(shlex.split(command)[1:]) == 0
    (shown,) = _blocks("json")
    found = json.loads((folder / "metrics.json").read_text())
    assert found == {name: pytest.approx(ends, rel=1e-6) for name, ends in json.loads(shown).items()}
    assert list(found) == list(json.loads(shown))


def test_the_files_for_other_tools_can_be_read() -> None:
    stages, hooks, (step,) = map(yaml.safe_load, _blocks("yaml"))
    command = stages["stages"]["evaluate"]["cmd"]
    assert shlex.split(command)[:3] == ["tallymark", "evaluate", "predictions.csv"]
    assert hooks["repos"][0]["hooks"] == [{"id": "tallymark-check"}]
    action = yaml.safe_load((Path(__file__).parents[2] / "action.yml").read_text())
    assert set(step["with"]) <= set(action["inputs"])
