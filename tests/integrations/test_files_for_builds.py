"""The composite action and the hook: their steps are run as GitHub runs them, in a folder of their own."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]
PREDICTIONS = "y,p\n" + "yes,yes\n" * 9 + "yes,no\n" + "no,no\n" * 10


@pytest.fixture(scope="module")
def action() -> Any:
    return yaml.safe_load((ROOT / "action.yml").read_text())


@pytest.fixture
def step(action: Any, tmp_path: Path) -> Any:
    """Runs a step by its id with what the environment has of it; returns the exit code and what was said."""
    steps = {each["id"]: each for each in action["runs"]["steps"] if "id" in each}
    (tmp_path / "predictions.csv").write_text(PREDICTIONS)
    github = {name: str(tmp_path / name) for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}

    def run(id: str, **given: str) -> subprocess.CompletedProcess[str]:
        script = tmp_path / "step.sh"
        script.write_text(steps[id]["run"])
        # Every variable of the step is given, and no other.
        own = {name: given.get(name, value) for name, value in steps[id]["env"].items()}
        assert set(given) <= {*own, "PATH"}
        home = {"PATH": given.get("PATH", os.environ["PATH"]), "GITHUB_ACTIONS": "true"}
        return subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(script)],
            env={**home, **github, "RUNNER_TEMP": str(tmp_path), **own},
            cwd=tmp_path,
            capture_output=True,
            text=True,
        )

    return run


def test_no_input_is_pasted_into_a_script(action: Any) -> None:
    for each in action["runs"]["steps"]:
        assert "${{" not in each.get("run", "")
    said = (ROOT / "action.yml").read_text()
    assert set(re.findall(r"inputs\.([\w-]+)", said)) == set(action["inputs"])


def test_the_action_passes(step: Any, tmp_path: Path) -> None:
    columns = "--actual y --predicted p --positive yes"
    arguments = f"""predictions.csv {columns}\n--require 'recall >= 0.5' --require "precision >= 0.6" """
    result = step("check", PYTHON=sys.executable, ARGUMENTS=arguments, JUNIT="junit.xml")
    assert (result.returncode, result.stderr.count("::error")) == (0, 0), result.stderr
    assert (tmp_path / "GITHUB_OUTPUT").read_text() == "passed=true\n"
    assert "recall >= 0.5" in (tmp_path / "GITHUB_STEP_SUMMARY").read_text()
    assert "<testsuite" in (tmp_path / "junit.xml").read_text()


def test_the_action_fails_and_runs_nothing_of_its_input(step: Any, tmp_path: Path) -> None:
    arguments = "predictions.csv --actual y --predicted p --positive yes --require 'recall >= 0.99'"
    result = step("check", PYTHON=sys.executable, ARGUMENTS=arguments, JUNIT="$(touch bad).xml")
    assert result.returncode == 1
    assert "::error" in result.stderr
    assert (tmp_path / "GITHUB_OUTPUT").read_text() == "passed=false\n"
    result = step(
        "check", PYTHON=sys.executable, ARGUMENTS="`touch bad` $(touch bad); touch bad", JUNIT="j.xml"
    )
    assert result.returncode == 2
    assert not (tmp_path / "bad").exists()
    assert (tmp_path / "GITHUB_OUTPUT").read_text() == "passed=false\n"


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
        installed = (tmp_path / "called").read_text().splitlines()[-1]
        assert installed == f"-I -m pip install --quiet --disable-pip-version-check {wanted}"
        python = (tmp_path / "GITHUB_OUTPUT").read_text().splitlines()[-1]
        assert python == f"python={tmp_path}/tallymark/bin/python"


def test_the_hook_calls_a_command_that_there_is() -> None:
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    assert hook["id"] == "tallymark-check"
    assert (hook["language"], hook["pass_filenames"], hook["always_run"]) == ("python", False, True)
    from tallymark.cli import COMMANDS

    program, command = hook["entry"].split()
    assert program == "tallymark"
    assert command in COMMANDS
