"""What docs/gate.md says of pyproject.toml and of pipelines is all that is needed."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import pytest
import yaml

from tallymark.cli import main
from tallymark.data import path

TEXT = (Path(__file__).parents[2] / "docs" / "gate.md").read_text(encoding="utf-8")


def _blocks(kind: str) -> list[str]:
    return re.findall(rf"^```{kind}\n(.*?)^```", TEXT, re.DOTALL | re.MULTILINE)


def test_the_configuration_is_all_that_is_needed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GITHUB_ACTIONS", raising=False)
    monkeypatch.chdir(tmp_path)
    for name in ("predictions.csv", "main.csv"):
        shutil.copy(path("breast_cancer.csv"), name)
    (table,) = _blocks("toml")
    (tmp_path / "pyproject.toml").write_text(table)
    (actions, stage) = map(yaml.safe_load, _blocks("yaml"))
    for line in (actions[1]["run"], stage["check-model"]["script"][1]):
        assert main([*shlex.split(line, comments=True)[1:], "--force"]) == 0
    assert (tmp_path / "tallymark.xml").exists()
