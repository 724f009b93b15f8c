"""Files, folders and servers of others decide nothing that the user did not allow."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from command_lines import write

TABLE = """[tool.tallymark]
files = ["predictions.csv"]
actual = "y"
predicted = "p"
positive = "yes"
require = ["recall.value >= 0.5"]
"""
PREDICTIONS = "y,p\n" + "yes,yes\n" * 9 + "yes,no\n" + "no,no\n" * 10
GREEN_OR_NOT = "check predictions.csv --actual y --predicted p --require 'accuracy >= 0'"
ACTION = yaml.safe_load((Path(__file__).parents[2] / "action.yml").read_text())


@pytest.fixture
def checkout(run: Any, monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """A folder with predictions and a configuration."""
    for name in ("GITHUB_ACTIONS", "SUDO_UID"):
        monkeypatch.delenv(name, raising=False)
    Path(".git").mkdir()
    write({"predictions.csv": PREDICTIONS, "pyproject.toml": TABLE})
    return monkeypatch


# --- [tool.tallymark] ------------------------------------------------------------------------------


def test_a_configuration_file_cannot_run_replace_or_hide(run: Any, checkout: Any, snapshot: Any) -> None:
    texts = {}
    for line in (
        'engine = "dask"',
        'master = "spark://127.0.0.1:9"',
        'scheduler = "tcp://127.0.0.1:9"',
        "force = true",
        'output = "gate.html"',
        "quiet = true",
    ):
        write({"pyproject.toml": f"{TABLE}{line}\n"})
        result = run("check")
        assert (result.code, result.out) == (2, ""), line
        texts[line] = result.err
    write({"pyproject.toml": TABLE})
    # What it decided is reported.
    for line, code in {"check": 0, "check predictions.csv --require 'recall.value >= 0.99'": 1}.items():
        result = run(line)
        assert result.code == code
        texts[line] = result.err
    snapshot("configuration_of_others", texts)


def test_a_configuration_file_of_another_user_is_not_read(run: Any, checkout: Any) -> None:
    checkout.setattr(os, "geteuid", lambda: os.getuid() + 1)
    result = run("check")
    assert (result.code, result.out) == (2, "")
    warning, error = result.err.splitlines()
    assert "--config pyproject.toml" in warning
    assert run("check --quiet").err.splitlines()[0] == warning
    assert run("check --no-config").err.splitlines() == [error]
    # It is not even parsed, and naming it is consent.
    write({"pyproject.toml": "="})
    assert run("check").err.splitlines()[0] == warning
    write({"pyproject.toml": TABLE})
    assert run("check --config pyproject.toml").code == 0
    # Nor does it stop anything where it cannot be opened.
    opened = Path.open

    def unreadable(path: Path, *given: Any, **more: Any) -> Any:
        if path.name == "pyproject.toml":
            raise PermissionError(13, "Permission denied", str(path))
        return opened(path, *given, **more)

    checkout.setattr(Path, "open", unreadable)
    assert run(GREEN_OR_NOT).code == 0


def test_root_reads_the_file_of_the_caller_of_sudo_and_of_no_one_else(run: Any, checkout: Any) -> None:
    owner = os.getuid()
    if owner == 0:
        owner = 4321
        os.chown("pyproject.toml", owner, -1)
    checkout.setattr(os, "geteuid", lambda: 0)
    codes = [run("check").code]
    for user in (owner + 1, owner):
        checkout.setenv("SUDO_UID", str(user))
        codes.append(run("check").code)
    # Only root takes SUDO_UID into account.
    checkout.setattr(os, "geteuid", lambda: owner + 1)
    assert [*codes, run("check").code] == [2, 2, 0, 2]


# --- the GitHub action -----------------------------------------------------------------------------


def test_modules_in_the_checkout_cannot_turn_the_action_green(tmp_path: Path) -> None:
    (step,) = (each for each in ACTION["runs"]["steps"] if each.get("id") == "check")
    checkout, temporary = tmp_path / "checkout", tmp_path / "temporary"
    for folder in (checkout, temporary):
        folder.mkdir()
    (checkout / "predictions.csv").write_text(PREDICTIONS)
    for module in ("click", "shlex", "tallymark", "sitecustomize", "numpy"):
        (checkout / f"{module}.py").write_text("import os\nopen('ran', 'w')\nos._exit(0)\n")
    environment = {name: str(value) for name, value in step["env"].items()} | {
        "PATH": os.environ["PATH"], "PYTHONPATH": str(checkout), "PYTHON": sys.executable,
        "ARGUMENTS": "predictions.csv --actual y --predicted p --positive yes --require 'recall >= 0.99'",
        "JUNIT": "junit.xml", "RUNNER_TEMP": str(temporary), "GITHUB_OUTPUT": str(temporary / "output"),
    }  # fmt: skip
    result = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
        env=environment, cwd=checkout, capture_output=True, text=True,
    )  # fmt: skip
    assert not (checkout / "ran").exists()
    assert result.returncode == 1, result.stderr
    assert (temporary / "output").read_text() == "passed=false\n"


def test_every_python_of_the_action_is_isolated() -> None:
    lines = [line.strip() for each in ACTION["runs"]["steps"] for line in each.get("run", "").splitlines()]
    calls = [line for line in lines if line.startswith(("python ", '"$installed"', '"$PYTHON"'))]
    assert len(calls) == 4
    assert all(call.split()[1] == "-I" for call in calls)
