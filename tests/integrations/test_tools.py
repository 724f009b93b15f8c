"""Files, MLflow, build servers and the documentation of integrations."""

import json
import math
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml
from statsmodels.stats.proportion import proportion_confint

import tallymark as tm
from scored import classes, refusals
from tallymark import data
from tallymark.cli import COMMANDS, main

ROOT = Path(__file__).parents[2]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text())
DOCUMENT = (ROOT / "docs" / "integrations.md").read_text(encoding="utf-8")
PREDICTIONS = "y,p\n" + "yes,yes\n" * 9 + "yes,no\n" + "no,no\n" * 10

# --- numbers alone, as a dictionary and as a file ------------------------------------------------


def test_metrics_as_a_dictionary_and_as_a_file(tmp_path: Path) -> None:
    ev = tm.Confusion([[150, 40], [60, 250]], labels=["+", "-"]).evaluate()
    low, high = proportion_confint(150, 190, method="wilson")
    found = tm.metrics_dict(ev, ["sensitivity", "accuracy"])
    assert list(found) == ["recall", "accuracy"]
    assert found["recall"] == pytest.approx({"value": 150 / 190, "low": low, "high": high}, rel=1e-9)
    assert found["accuracy"]["value"] == 0.8
    # What is undefined or infinite is left out; a metric of one's own keeps its name.
    assert set(tm.metrics_dict(ev)) == {name for name, one in ev.metrics.items() if one.value is not None}
    own = tm.evaluate([1, 0], [1, 1], extra={"odds": lambda *_: math.inf, "my number": lambda *_: 0.5})
    assert tm.metrics_dict(own, ["odds", "my number"])["my number"]["value"] == 0.5
    assert "odds" not in tm.metrics_dict(own)
    one, two, there = (tmp_path / f"{name}.json" for name in ("one", "two", "there"))
    tm.save_metrics(ev, one, ["accuracy"])
    tm.save_metrics({"a": ev, "b": ev}, two, ["accuracy"])
    expected = tm.metrics_dict(ev, ["accuracy"])
    assert json.loads(one.read_text()) == expected
    assert json.loads(two.read_text()) == {"a": expected, "b": expected}
    there.write_text("mine")
    refused = refusals(
        {
            "text": lambda: tm.metrics_dict(ev, "recall"),
            "a typing error": lambda: tm.metrics_dict(ev, ["recal"]),
            "a file that exists": lambda: tm.save_metrics(ev, there),
            "YAML": lambda: tm.save_metrics(ev, tmp_path / "metrics.yaml"),
        }
    )
    assert list(classes(refused).values()) == ["OptionError", "MetricError", "FileError", "FileError"]
    assert there.read_text() == "mine"


# --- MLflow --------------------------------------------------------------------------------------


class Recording:
    """A stand-in for MLflow: the functions that are called, and what came of them."""

    def __init__(self, active: str | None = None) -> None:
        self.run = active and _run(active)
        self.metrics: dict[str, float] = {}
        self.tags: dict[str, Any] = {}
        self.files: dict[str, str] = {}

    def active_run(self) -> Any:
        return self.run

    @contextmanager
    def start_run(self) -> Iterator[Any]:
        self.run = _run("started")
        yield self.run
        self.run = None

    def log_metrics(self, metrics: dict[str, float]) -> None:
        assert self.run is not None
        self.metrics |= metrics

    def set_tags(self, tags: dict[str, Any]) -> None:
        self.tags |= tags

    def log_text(self, text: str, artifact_file: str) -> None:
        self.files[artifact_file] = text


def _run(name: str) -> Any:
    return SimpleNamespace(info=SimpleNamespace(run_id=name))


def test_what_is_logged_to_mlflow(monkeypatch: pytest.MonkeyPatch) -> None:
    actual, score = [1] * 4 + [0] * 6, [0.9, 0.8, 0.7, 0.2, 0.6, 0.4, 0.3, 0.2, 0.1, 0.1]
    ev = tm.evaluate(actual, y_score=score, extra={"profit (€)": lambda y, p: float((y == p).sum())})
    recording = Recording()
    monkeypatch.setitem(sys.modules, "mlflow", recording)
    assert (tm.log_to_mlflow(ev), recording.run) == ("started", None)
    # 3 of 4 positives have 0.5 or more, and of 6 negatives 1.
    named = {name: recording.metrics[name] for name in ("recall", "precision", "accuracy", "profit ___")}
    assert named == {"recall": 0.75, "precision": 0.75, "accuracy": 0.8, "profit ___": 8}
    assert recording.metrics["recall_low"] < 0.75 < recording.metrics["recall_high"]
    assert all(isinstance(value, float) for value in recording.metrics.values())
    tags = {"task": "binary", "rows": 10, "positive": 1, "threshold": 0.5, "confidence_level": 0.95}
    assert recording.tags == {f"tallymark.{name}": value for name, value in tags.items()}
    assert json.loads(recording.files["evaluation.json"])["schema"] == "tallymark/evaluation/1"
    assert recording.files["report.html"].startswith("<!doctype html>")
    active = Recording("mine")
    monkeypatch.setitem(sys.modules, "mlflow", active)
    assert tm.log_to_mlflow(ev, prefix="test_", artifacts=False) == "mine"
    assert (active.metrics["test_recall"], active.tags["tallymark.test_rows"], active.files) == (0.75, 10, {})
    assert all(name.startswith("test_") for name in active.metrics)
    # Undefined numbers are left out, and a comparison is two files.
    bare = Recording()
    monkeypatch.setitem(sys.modules, "mlflow", bare)
    tm.log_to_mlflow(tm.evaluate([1, 1, 0], [1, 0, 0]), artifacts=False)
    assert ("recall" in bare.metrics, "auc" in bare.metrics) == (True, False)
    both = Recording()
    monkeypatch.setitem(sys.modules, "mlflow", both)
    models = {f"{at}": tm.evaluate(actual, [int(s >= at) for s in score]) for at in (0.5, 0.3)}
    tm.log_to_mlflow(tm.compare(models), prefix="both/")
    assert (list(both.files), both.metrics) == (["both/comparison.json", "both/report.html"], {})
    assert json.loads(both.files["both/comparison.json"])["schema"] == "tallymark/comparison/1"
    monkeypatch.setitem(sys.modules, "mlflow", None)
    refused = refusals({"a dict": lambda: tm.log_to_mlflow({}), "no MLflow": lambda: tm.log_to_mlflow(ev)})
    assert list(classes(refused).values()) == ["OptionError", "MissingExtraError"]


# --- the composite action of GitHub, and the hook: steps are run as there, in a folder of their own ----


@pytest.fixture
def step(tmp_path: Path) -> Any:
    """Runs a step by its id with what the environment has of it."""
    steps = {one["id"]: one for one in ACTION["runs"]["steps"] if "id" in one}
    (tmp_path / "predictions.csv").write_text(PREDICTIONS)
    github = {name: str(tmp_path / name) for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}

    def run(id: str, **given: str) -> subprocess.CompletedProcess[str]:
        # Every variable of the step is given, and no other.
        own = {name: given.get(name, value) for name, value in steps[id]["env"].items()}
        assert set(given) <= {*own, "PATH"}
        home = {"PATH": given.get("PATH", os.environ["PATH"]), "GITHUB_ACTIONS": "true"}
        return subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", steps[id]["run"]],
            env={**home, **github, "RUNNER_TEMP": str(tmp_path), **own},
            cwd=tmp_path, capture_output=True, text=True, check=False,
        )  # fmt: skip

    return run


def test_the_action_passes_and_fails_and_runs_nothing_of_its_input(step: Any, tmp_path: Path) -> None:
    columns = "predictions.csv --actual y --predicted p --positive yes"
    output = tmp_path / "GITHUB_OUTPUT"
    for arguments, junit, code in (
        (f"""{columns}\n--require 'recall >= 0.5' --require "precision >= 0.6" """, "junit.xml", 0),
        (f"{columns} --require 'recall >= 0.99'", "$(touch bad).xml", 1),
        ("`touch bad` $(touch bad); touch bad", "j.xml", 2),
    ):
        output.write_text("")
        result = step("check", PYTHON=sys.executable, ARGUMENTS=arguments, JUNIT=junit)
        assert (result.returncode, "::error" in result.stderr) == (code, code == 1), result.stderr
        # Of a wrong call nothing is known.
        assert output.read_text() == ("passed=true\n", "passed=false\n", "")[code]
    assert "recall >= 0.5" in (tmp_path / "GITHUB_STEP_SUMMARY").read_text()
    assert "<testsuite" in (tmp_path / "junit.xml").read_text()
    assert not (tmp_path / "bad").exists()


def test_the_action_installs_itself_or_a_version(step: Any, tmp_path: Path) -> None:
    fake = tmp_path / "programs" / "python"
    fake.parent.mkdir()
    # Writes down how it was called; of an environment it makes a place with itself in it.
    fake.write_text(
        '#!/bin/bash\necho "$@" >> "$RUNNER_TEMP/called"\n'
        'if [ "$3" = venv ]; then mkdir -p "$4/bin"; cp "$0" "$4/bin/python"; fi\n'
    )
    fake.chmod(0o755)
    path = f"{fake.parent}:{os.environ['PATH']}"
    for version, wanted in (("", "/the action"), ("1.2", "tallymark==1.2")):
        result = step("install", PATH=path, VERSION=version, SOURCE="/the action")
        assert result.returncode == 0, result.stderr
        called, output = (tmp_path / name for name in ("called", "GITHUB_OUTPUT"))
        pip = "-I -m pip install --quiet --disable-pip-version-check"
        assert called.read_text().splitlines()[-1] == f"{pip} {wanted}"
        assert output.read_text().splitlines()[-1] == f"python={tmp_path}/tallymark/bin/python"


def test_the_files_for_other_tools() -> None:
    # No input is pasted into a script.
    assert not [one for one in ACTION["runs"]["steps"] if "${{" in one.get("run", "")]
    assert set(re.findall(r"inputs\.([\w-]+)", (ROOT / "action.yml").read_text())) == set(ACTION["inputs"])
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    assert hook["id"] == "tallymark-check"
    assert (hook["language"], hook["pass_filenames"], hook["always_run"]) == ("python", False, True)
    program, command = hook["entry"].split()
    assert (program, command in COMMANDS) == ("tallymark", True)
    stages, hooks, (step,) = map(yaml.safe_load, blocks("yaml"))
    command = shlex.split(stages["stages"]["evaluate"]["cmd"])
    assert command[:3] == ["tallymark", "evaluate", "predictions.csv"]
    assert hooks["repos"][0]["hooks"] == [{"id": "tallymark-check"}]
    assert set(step["with"]) <= set(ACTION["inputs"])


# --- what docs/integrations.md shows -------------------------------------------------------------


def blocks(kind: str) -> list[str]:
    return re.findall(rf"```{kind}\n(.*?)```", DOCUMENT, re.DOTALL)


def test_the_document(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("predictions.csv", "main.csv"):
        shutil.copy(data.path("breast_cancer.csv"), tmp_path / name)
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    exec(blocks("python")[0], names)
    names["test_finds_most_tumours"](tm.assert_metric)
    names["test_no_worse_than_main"](tm.assert_not_worse)
    (command,) = blocks("sh")
    assert main(shlex.split(command)[1:]) == 0
    shown, found = json.loads(blocks("json")[0]), json.loads((tmp_path / "metrics.json").read_text())
    assert found == {name: pytest.approx(ends, rel=1e-6) for name, ends in shown.items()}
    assert list(found) == list(shown)
