"""The process itself: what it imports, exit codes, full disks, readers that leave, interruptions."""

import errno
import gzip
import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import tallymark
from command_lines import bash, is_one_line
from tallymark.cli import COMMANDS, commands, main

HEAVY = {"numpy", "scipy", "polars", "narwhals", "rich", "pandas", "sklearn", "matplotlib", "pyarrow"}


def python(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)


def shell(command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """A command in bash; the exit code is that of tallymark."""
    asked = {"PYTHONIOENCODING": "utf-8"} | environment
    return bash(f"{command}; exit ${{PIPESTATUS[0]}}", **asked)


# --- what is imported ------------------------------------------------------------------------


def test_help_imports_nothing_heavy_and_of_the_commands_none() -> None:
    calls = [["--version"], ["--help"], *([name, "--help"] for name in COMMANDS)]
    code = f"""if True:
        import sys, json, tallymark
        from tallymark.cli import main
        found = [["import tallymark", sorted(sys.modules)]]
        for call in {calls!r}:
            main(call)
            found.append([" ".join(call), sorted(sys.modules)])
        print(json.dumps(found), file=sys.stderr)
    """
    done = python(code)
    assert done.returncode == 0, done.stderr
    for call, names in json.loads(done.stderr):
        assert {name.partition(".")[0] for name in names} & HEAVY == set(), call
        if call in ("--version", "--help"):
            assert [name for name in names if name.startswith("tallymark.cli.")] == []


def test_a_matrix_needs_no_data_frames() -> None:
    done = python(
        "import sys; from tallymark.cli import main; main(['matrix', '150 40; 60 250']);"
        "print(*sys.modules, file=sys.stderr)"
    )
    assert {name.partition(".")[0] for name in done.stderr.split()} & HEAVY <= {"numpy", "scipy"}


def test_every_listed_command_is_one() -> None:
    context = commands.make_context("tallymark", ["--version"], resilient_parsing=True)
    assert [commands.get_command(context, name).name for name in COMMANDS] == list(COMMANDS)


def test_version(run: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    version = f"tallymark {tallymark.__version__}\n"
    assert run("--version").out == version
    monkeypatch.setattr(sys, "argv", ["tallymark", "--version"])
    assert (main(), capsys.readouterr().out) == (0, version)
    done = subprocess.run([sys.executable, "-m", "tallymark", "--version"], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, version)


# --- exit codes ------------------------------------------------------------------------------


@pytest.fixture
def failing(run: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Calls a command that meets an error of any kind."""

    def call(error: BaseException) -> Any:
        def fail(*_: object, **__: object) -> None:
            raise error

        monkeypatch.setattr("tallymark.intervals.interval", fail)
        return run("interval --correct 1 --of 2")

    return call


def test_a_bug_is_70_and_says_what_to_report(failing: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    result = failing(ZeroDivisionError("one\ntwo"))
    assert (result.code, result.out, is_one_line(result.err)) == (70, "", True)
    version = ".".join(map(str, sys.version_info[:3]))
    for part in (
        f"version {tallymark.__version__}, Python {version}, command `tallymark interval --correct 1 --of 2`",
        "ZeroDivisionError: one\\ntwo",
        "TALLYMARK_TRACEBACK=1",
    ):
        assert part in result.err
    monkeypatch.setenv("TALLYMARK_TRACEBACK", "1")
    again = failing(ZeroDivisionError("one"))
    assert again.code == 70
    assert again.err.startswith("Traceback (most recent call last):\n")
    assert is_one_line(f"{again.err.splitlines()[-1]}\n")


def test_errors_of_the_system_have_their_codes(failing: Any, snapshot: Any) -> None:
    errors = {
        "Ctrl-C": (KeyboardInterrupt(), 130),
        "memory": (MemoryError(), 2),
        "system": (OSError(5, "Input/output error", "/dev/tape"), 2),
    }
    said = {}
    for name, (error, code) in errors.items():
        result = failing(error)
        assert (result.code, result.out, is_one_line(result.err)) == (code, "", True), name
        said[name] = result.err
    snapshot("cli_errors_system", said)


READING = """
import io, os, signal, sys
from tallymark.cli import main

class Interrupting(io.RawIOBase):
    def readable(self):
        return True
    def readinto(self, _):
        os.kill(os.getpid(), signal.SIGINT)
        return 0

sys.stdin = io.TextIOWrapper(io.BufferedReader(Interrupting()))
sys.exit(main(["evaluate", "-"]))
"""
IMPORTING = """
import sys
class Interrupting:
    def find_spec(self, name, *_):
        if name == "tallymark.cli":
            RAISED
sys.meta_path.insert(0, Interrupting())
from tallymark.__main__ import run
sys.exit(run())
"""


def test_a_real_interruption_is_130_whenever_it_comes() -> None:
    """While standard input is read, and during the first imports."""
    raised = "raise KeyboardInterrupt"
    for code in (READING, *(IMPORTING.replace("RAISED", each) for each in (raised, f"exec({raised!r})"))):
        done = python(code)
        assert (done.returncode, done.stderr) == (130, "tallymark: interrupted.\n")


# --- streams ---------------------------------------------------------------------------------


def test_a_reader_that_leaves_is_no_failure() -> None:
    for call in ("metrics --json | true", "--help | true"):
        done = shell(f"tallymark {call}")
        assert (done.returncode, done.stderr) == (0, "")
    done = shell("tallymark metrics | head -1")
    assert (done.returncode, done.stdout, done.stderr) == (0, "Metrics\n", "")


class Full(io.StringIO):
    """A disk without room."""

    def write(self, _: Any) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


FULL = "tallymark: the system refused to write to standard output: No space left on device.\n"


def test_a_full_disk_is_told(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    for call in ("metrics", "--help"):
        monkeypatch.setattr(sys, "stdout", Full())
        assert main([call]) == 2
        assert capsys.readouterr().err == FULL


def test_a_full_standard_output_is_told() -> None:
    done = shell("tallymark metrics --json > /dev/full")
    assert (done.returncode, done.stderr) == (2, FULL)


def test_a_full_folder_of_temporary_files_is_named(
    run: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    Path("x.csv.gz").write_bytes(gzip.compress(b"actual,predicted\n1,1\n0,0\n"))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    opened = Path.open

    def full(self: Path, mode: str = "r", *more: Any, **options: Any) -> Any:
        return Full() if mode == "wb" else opened(self, mode, *more, **options)

    monkeypatch.setattr(Path, "open", full)
    for name in ("-", "x.csv.gz"):
        result = run(f"evaluate {name}", stdin="actual,predicted\n1,1\n0,0\n")
        assert (result.code, result.out, result.err.count("\n")) == (2, "", 1)
        assert str(tmp_path) in result.err
        assert "No space left" in result.err
        assert "TMPDIR=" in result.err


def test_closed_streams_are_survived() -> None:
    assert shell("tallymark metrics >&-").returncode == 0
    assert shell("tallymark evaluate nowhere.csv 2>&-").returncode == 2


def test_a_terminal_without_the_letters_gets_escapes_and_json_stays_json() -> None:
    done = shell("tallymark matrix '1 2; 3 4' --labels ä,β", PYTHONIOENCODING="ascii")
    assert (done.returncode, done.stderr) == (0, "")
    assert r"'\xe4', '\u03b2'" in done.stdout
    done = shell("tallymark matrix '1 2; 3 4' --labels ä,😀 --json", PYTHONIOENCODING="ascii")
    assert json.loads(done.stdout)["labels"] == ["ä", "😀"]
