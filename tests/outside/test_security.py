"""Files, folders and servers of others decide nothing that the user did not allow."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from tallymark.cli import main

Check = Callable[..., tuple[int, str, str]]

TABLE = """[tool.tallymark]
files = ["predictions.csv"]
actual = "y"
predicted = "p"
positive = "yes"
require = ["recall.value >= 0.5"]
"""
PREDICTIONS = "y,p\n" + "yes,yes\n" * 9 + "yes,no\n" + "no,no\n" * 10


@pytest.fixture
def check(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Check:
    """Runs `tallymark check` in a folder with predictions; returns exit code, stdout and stderr."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GITHUB_ACTIONS", raising=False)
    monkeypatch.delenv("SUDO_UID", raising=False)
    Path(".git").mkdir()
    Path("predictions.csv").write_text(PREDICTIONS)

    def call(*arguments: str) -> tuple[int, str, str]:
        code = main(("check", *arguments))
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return call


# --- [tool.tallymark] ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("key", "line"),
    [
        ("engine", 'engine = "dask"'),
        ("master", 'master = "spark://127.0.0.1:9"'),
        ("scheduler", 'scheduler = "tcp://127.0.0.1:9"'),
        ("force", "force = true"),
        ("output", 'output = "gate.html"'),
        ("quiet", "quiet = true"),
    ],
)
def test_a_configuration_file_cannot_run_replace_or_hide(check: Check, key: str, line: str) -> None:
    Path("pyproject.toml").write_text(f"{TABLE}{line}\n")
    code, out, err = check()
    assert (code, out) == (2, "")
    assert err == (
        f"tallymark: 'pyproject.toml': {key!r} is not allowed in [tool.tallymark]. "
        f"Hint: remove it there, and give --{key} on the command line.\n"
    )


def test_what_a_configuration_file_decided_is_reported(check: Check) -> None:
    Path("pyproject.toml").write_text(TABLE)
    code, _, err = check()
    assert (code, err) == (0, "options from pyproject.toml: files, require, actual, predicted, positive\n")
    code, _, err = check("predictions.csv", "--require", "recall.value >= 0.99")
    assert (code, err) == (1, "options from pyproject.toml: actual, predicted, positive\n")


def test_a_configuration_file_of_another_user_is_not_read(
    check: Check, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("pyproject.toml").write_text(TABLE)
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    code, out, err = check()
    assert (code, out) == (2, "")
    warning, error = err.splitlines()
    assert warning == (
        "tallymark: 'pyproject.toml' belongs to another user and was not read. "
        "Hint: to use its options, --config pyproject.toml."
    )
    assert error.startswith("tallymark: nothing is required.")
    assert check("--quiet")[2].splitlines()[0] == warning
    assert check("--no-config")[2].splitlines() == [error]
    # It is not even parsed, and naming it is consent.
    Path("pyproject.toml").write_text("=")
    assert check()[2].splitlines()[0] == warning
    Path("pyproject.toml").write_text(TABLE)
    assert check("--config", "pyproject.toml")[0] == 0


def test_root_reads_the_file_of_the_caller_of_sudo_and_of_no_one_else(
    check: Check, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("pyproject.toml").write_text(TABLE)
    owner = os.getuid()
    if owner == 0:
        owner = 4321
        os.chown("pyproject.toml", owner, -1)
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert check()[0] == 2
    monkeypatch.setenv("SUDO_UID", str(owner + 1))
    assert check()[0] == 2
    monkeypatch.setenv("SUDO_UID", str(owner))
    assert check()[0] == 0
    # Only root takes SUDO_UID into account.
    monkeypatch.setattr(os, "geteuid", lambda: owner + 1)
    assert check()[0] == 2


def test_a_file_of_another_user_that_cannot_be_read_stops_nothing(
    check: Check, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("pyproject.toml").write_text(TABLE)
    owner = os.getuid()
    opened = Path.open

    def unreadable(path: Path, *given: Any, **more: Any) -> Any:
        if path.name == "pyproject.toml":
            raise PermissionError(13, "Permission denied", str(path))
        return opened(path, *given, **more)

    monkeypatch.setattr(Path, "open", unreadable)
    monkeypatch.setattr(os, "geteuid", lambda: owner + 1)
    code, _, err = check("predictions.csv", "--actual", "y", "--predicted", "p", "--require", "accuracy >= 0")
    assert code == 0, err


# --- the GitHub action -----------------------------------------------------------------------------


def test_modules_in_the_checkout_cannot_turn_the_action_green(tmp_path: Path) -> None:
    action = yaml.safe_load((Path(__file__).parents[2] / "action.yml").read_text())
    (step,) = (each for each in action["runs"]["steps"] if each.get("id") == "check")
    checkout, temporary = tmp_path / "checkout", tmp_path / "temporary"
    for folder in (checkout, temporary):
        folder.mkdir()
    (checkout / "predictions.csv").write_text(PREDICTIONS)
    for module in ("click", "shlex", "tallymark", "sitecustomize", "numpy"):
        (checkout / f"{module}.py").write_text("import os\nopen('ran', 'w')\nos._exit(0)\n")
    environment = {name: str(value) for name, value in step["env"].items()} | {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(checkout),
        "PYTHON": sys.executable,
        "ARGUMENTS": "predictions.csv --actual y --predicted p --positive yes --require 'recall >= 0.99'",
        "JUNIT": "junit.xml",
        "RUNNER_TEMP": str(temporary),
        "GITHUB_OUTPUT": str(temporary / "output"),
    }
    result = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
        env=environment, cwd=checkout, capture_output=True, text=True,
    )  # fmt: skip
    assert not (checkout / "ran").exists()
    assert result.returncode == 1, result.stderr
    assert (temporary / "output").read_text() == "passed=false\n"


def test_every_python_of_the_action_is_isolated() -> None:
    action = yaml.safe_load((Path(__file__).parents[2] / "action.yml").read_text())
    lines = [line.strip() for each in action["runs"]["steps"] for line in each.get("run", "").splitlines()]
    calls = [line for line in lines if line.startswith(("python ", '"$installed"', '"$PYTHON"'))]
    assert len(calls) == 4
    assert all(call.split()[1] == "-I" for call in calls)
