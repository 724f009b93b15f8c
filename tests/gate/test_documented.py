"""The examples of docs/gate.md run as they stand."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import polars as pl
import pytest
import yaml

import tallymark as tm
from tallymark.cli import main
from tallymark.data import path

TEXT = (Path(__file__).parents[2] / "docs" / "gate.md").read_text(encoding="utf-8")


def _blocks(kind: str) -> list[str]:
    return re.findall(rf"^```{kind}\n(.*?)^```", TEXT, re.DOTALL | re.MULTILINE)


def _commands(block: str) -> list[str]:
    return block.replace("\\\n", " ").splitlines()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The demo as both models, under the names and columns of the examples."""
    monkeypatch.delenv("GITHUB_ACTIONS", raising=False)
    monkeypatch.chdir(tmp_path)
    shutil.copy(path("breast_cancer.csv"), "predictions.csv")
    demo = pl.read_csv("predictions.csv")
    both = demo.with_columns(y=(pl.col("actual") == "malignant").cast(int), p="bayes_score")
    both.write_csv("main.csv")
    both.write_csv("new.csv")
    return tmp_path


def test_the_commands_run(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first, *others = [command for block in _blocks("sh") for command in _commands(block)]
    assert main(shlex.split(first)[1:]) == 0
    (shown,) = re.findall(r"^```\n(Passed.*?)^```", TEXT, re.DOTALL | re.MULTILINE)
    assert capsys.readouterr().out.startswith(shown)
    for command in others:
        assert main(shlex.split(command, comments=True)[1:]) == 0, command


def test_the_python_runs(folder: Path) -> None:
    ev = tm.evaluate("predictions.csv", actual="actual", score="bayes_score", pos_label="malignant")
    (block,) = _blocks("python")
    exec(block, {"tm": tm, "ev": ev, "main": ev})
    assert (folder / "gate.xml").exists()


def test_the_configuration_is_all_that_is_needed(folder: Path) -> None:
    (table,) = _blocks("toml")
    (folder / "pyproject.toml").write_text(table)
    (actions, stage) = map(yaml.safe_load, _blocks("yaml"))
    for line in (actions[1]["run"], stage["check-model"]["script"][1]):
        assert main([*shlex.split(line, comments=True)[1:], "--force"]) == 0
    assert (folder / "tallymark.xml").exists()
