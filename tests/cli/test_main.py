"""The entry point: help without imports, exit codes, and streams that misbehave."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import tallymark
from tallymark import cli
from tallymark.cli import COMMANDS, main

HEAVY = {"numpy", "scipy", "polars", "narwhals", "rich", "pandas", "sklearn", "matplotlib", "pyarrow"}
UTF8 = os.environ | {"PYTHONIOENCODING": "utf-8"}


def python(code: str, **options: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, **options)


def shell(command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """A command in bash, with this environment's `tallymark` first; the exit code is that of tallymark."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        ["bash", "-c", f"{command}; exit ${{PIPESTATUS[0]}}"],
        capture_output=True,
        text=True,
        timeout=60,
        env=UTF8 | {"PATH": path} | environment,
    )


def imported_by(statement: str) -> set[str]:
    code = f"import sys\n{statement}\nprint('\\n'.join(sys.modules), file=sys.stderr)"
    done = python(code)
    assert done.returncode == 0
    return {name.split(".")[0] for name in done.stderr.split()} & HEAVY


# --- start-up --------------------------------------------------------------------------------


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], *([name, "--help"] for name in COMMANDS)])
def test_help_imports_nothing_heavy(arguments: list[str]) -> None:
    assert imported_by(f"from tallymark.cli import main; main({arguments!r})") == set()


def test_group_help_imports_no_command() -> None:
    done = python(
        "import sys; from tallymark.cli import main; main(['--help']);"
        "print([name for name in sys.modules if name.startswith('tallymark.cli.')], file=sys.stderr)"
    )
    assert done.stderr == "[]\n"


def test_import_tallymark_imports_nothing_heavy() -> None:
    assert imported_by("import tallymark") == set()


def test_a_matrix_needs_no_data_frames() -> None:
    statement = "from tallymark.cli import main; main(['matrix', '150 40; 60 250'])"
    assert imported_by(statement) <= {"numpy", "scipy"}


# --- help, version, unknown commands ---------------------------------------------------------


@pytest.mark.parametrize("arguments", [[], ["--help"], ["-h"]])
def test_help_lists_every_command(run: Any, arguments: list[str]) -> None:
    result = run(*arguments)
    assert (result.code, result.err) == (0, "")
    width = max(map(len, COMMANDS))
    for name, line in COMMANDS.items():
        assert f"  {name:<{width}}  {line}\n" in result.out


def test_every_listed_command_is_one() -> None:
    context = cli.commands.make_context("tallymark", ["--version"], resilient_parsing=True)
    for name in COMMANDS:
        command = cli.commands.get_command(context, name)
        assert command is not None
        assert command.name == name


def test_version(run: Any) -> None:
    assert run("--version").out == f"tallymark {tallymark.__version__}\n"


def test_runs_as_a_module() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tallymark", "--version"], capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stdout) == (0, f"tallymark {tallymark.__version__}\n")


# --- exit codes ------------------------------------------------------------------------------


def failing(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr("tallymark.intervals.interval", fail)


CALL = ("interval", "--correct", "1", "--of", "2")


def test_a_bug_is_70_and_says_what_to_report(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    failing(monkeypatch, ZeroDivisionError("one\ntwo"))
    result = run(*CALL)
    version = ".".join(map(str, sys.version_info[:3]))
    assert (result.code, result.out) == (70, "")
    assert result.err == (
        f"tallymark: this is a bug of tallymark, please report it: version {tallymark.__version__}, Python "
        f"{version}, command `tallymark interval --correct 1 --of 2`, ZeroDivisionError: one\\ntwo. "
        "Hint: with TALLYMARK_TRACEBACK=1 in the environment the traceback is shown.\n"
    )


def test_a_bug_shows_its_traceback_when_asked(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    failing(monkeypatch, ZeroDivisionError("one"))
    monkeypatch.setenv("TALLYMARK_TRACEBACK", "1")
    result = run(*CALL)
    assert result.code == 70
    assert result.err.startswith("Traceback (most recent call last):\n")
    assert result.err.splitlines()[-1].startswith("tallymark: this is a bug of tallymark")


def test_interruption_is_130(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    failing(monkeypatch, KeyboardInterrupt())
    result = run(*CALL)
    assert (result.code, result.out, result.err) == (130, "", "tallymark: interrupted.\n")


def test_a_real_interruption_is_130_too() -> None:
    code = (
        "import os, signal, sys, threading; from tallymark.cli import main;"
        "threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start();"
        "sys.exit(main(['evaluate', '-']))"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.wait(timeout=60) == 130
        assert process.stderr is not None
        assert process.stderr.read() == "tallymark: interrupted.\n"


def test_too_little_memory_is_2(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    failing(monkeypatch, MemoryError())
    result = run(*CALL)
    assert result.code == 2
    assert result.err == (
        "tallymark: there is not enough memory for this."
        " Hint: close other programs, or evaluate fewer rows at once.\n"
    )


def test_a_refusing_system_is_2(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    failing(monkeypatch, OSError(5, "Input/output error", "/dev/tape"))
    result = run(*CALL)
    assert result.code == 2
    assert result.err == "tallymark: the system refused to read or write '/dev/tape': Input/output error.\n"


def test_main_takes_the_arguments_of_the_process(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    monkeypatch.setattr(sys, "argv", ["tallymark", "--version"])
    assert main() == 0
    assert capsys.readouterr().out == f"tallymark {tallymark.__version__}\n"


# --- streams ---------------------------------------------------------------------------------


@pytest.mark.parametrize("call", ["metrics --json", "--help", "demo"])
def test_a_reader_that_leaves_is_no_failure(call: str) -> None:
    done = shell(f"tallymark {call} | true")
    assert (done.returncode, done.stderr) == (0, "")


def test_head_gets_its_line() -> None:
    done = shell("tallymark metrics | head -1")
    assert (done.returncode, done.stdout, done.stderr) == (0, "Metrics\n", "")


class Full(io.StringIO):
    """A disk without room."""

    def write(self, _: str) -> int:
        raise OSError(28, "No space left on device")


@pytest.mark.parametrize("call", ["metrics", "--help"])
def test_a_full_disk_is_said(call: str, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    monkeypatch.setattr(sys, "stdout", Full())
    assert main([call]) == 2
    assert capsys.readouterr().err == (
        "tallymark: the system refused to write to standard output: No space left on device.\n"
    )


def test_closed_streams_are_survived() -> None:
    assert shell("tallymark metrics >&-").returncode == 0
    assert shell("tallymark evaluate nowhere.csv 2>&-").returncode == 2


def test_a_terminal_without_the_letters_gets_escapes() -> None:
    done = shell("tallymark matrix '1 2; 3 4' --labels ä,β", PYTHONIOENCODING="ascii")
    assert (done.returncode, done.stderr) == (0, "")
    assert r"'\xe4', '\u03b2'" in done.stdout


def test_json_stays_json_on_such_a_terminal() -> None:
    done = shell("tallymark matrix '1 2; 3 4' --labels ä,😀 --json", PYTHONIOENCODING="ascii")
    assert json.loads(done.stdout)["labels"] == ["ä", "😀"]
