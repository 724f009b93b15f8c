"""`tallymark demo`. The counts are taken from the shipped file by plain Python."""

from __future__ import annotations

import csv
import shlex
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tallymark import data
from tallymark.cli import main


def counts(model: str) -> Counter[tuple[str, str]]:
    with data.path("breast_cancer.csv").open() as file:
        return Counter((row["actual"], row[f"{model}_predicted"]) for row in csv.DictReader(file))


def cost(model: str) -> int:
    found = counts(model)
    return 10 * found["malignant", "benign"] + found["benign", "malignant"]


def test_reports_both_models(run: Any) -> None:
    result = run("demo")
    assert (result.code, result.err) == (0, "")
    tree = counts("tree")
    assert f"{tree['malignant', 'malignant']} TP" in result.out
    assert f"{tree['malignant', 'benign']} FN" in result.out
    row = next(line for line in result.out.splitlines() if line.startswith("total_cost") and "]" in line[:40])
    assert row.split()[1] == str(cost("tree"))
    beside = [line for line in result.out.splitlines() if line.count("[") == 2 and "total_cost" in line]
    assert [f"{cost(model)} [" in beside[0] for model in ("tree", "bayes")] == [True, True]
    assert "doi:10.24432/C5DW2B" in result.out
    assert "nothing was sent anywhere" in result.out.replace("\n", " ")


def test_text_fits_the_page_except_for_commands(run: Any) -> None:
    lines = run("demo").out.splitlines()
    assert all(len(line) <= 100 for line in lines if not line.startswith("  tallymark "))


def test_suggested_commands_work(
    run: Any, capsys: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    out = run("demo").out
    suggested = [line.strip() for line in out.splitlines() if line.startswith("  tallymark ")]
    assert len(suggested) == 16
    assert sum(str(data.path("breast_cancer.csv")) in line for line in suggested) == 10
    for line in suggested:
        assert main(shlex.split(line)[1:]) == 0
        _, drawn, picture = line.partition(" -o ")
        assert capsys.readouterr().err == (f"wrote {picture}\n" if drawn else "")
    for picture in ("decision.png", "roc.png"):
        assert (tmp_path / picture).stat().st_size > 10_000
