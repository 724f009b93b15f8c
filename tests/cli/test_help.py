"""Every help text explains its command and has examples that work when pasted."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import click
import pytest

from tallymark import cli
from tallymark.cli import COMMANDS


def command(name: str) -> click.Command:
    context = cli.commands.make_context("tallymark", ["--version"], resilient_parsing=True)
    found = cli.commands.get_command(context, name)
    assert found is not None
    return found


def examples(name: str) -> list[str]:
    lines = (command(name).epilog or "").splitlines()
    return [line.strip() for line in lines if line.startswith("  ")]


EXAMPLES = [example for name in COMMANDS for example in examples(name)]


@pytest.mark.parametrize("name", COMMANDS)
def test_help_has_a_paragraph_and_an_example(run: Any, name: str) -> None:
    result = run(name, "--help")
    assert (result.code, result.err) == (0, "")
    assert len(" ".join((command(name).help or "").split())) > 100
    assert examples(name)
    for example in examples(name):
        assert f"\n    {example}\n" in result.out


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_is_explained(name: str) -> None:
    for parameter in command(name).params:
        if isinstance(parameter, click.Option):
            assert parameter.help, parameter.name


@pytest.mark.parametrize("name", COMMANDS)
def test_one_word_for_one_thing(run: Any, name: str) -> None:
    """Rows are rejected by the curve and declined by a decision."""
    assert "undecided" not in run(name, "--help").out
    assert "declin" not in run(name, "--help").out or name == "decide"


def pasted(line: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """What a shell makes of the line."""
    return subprocess.run(
        ["bash", "-c", f"set -o pipefail; {line}"],
        capture_output=True,
        text=True,
        cwd=folder,
        timeout=60,
        env=os.environ | {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"},
    )


@pytest.mark.parametrize("example", EXAMPLES)
def test_example_works_when_pasted(example: str, run: Any, tmp_path: Path) -> None:
    # Only what is piped in comes from a shell: a new Python for every step would take most of the time.
    for step in re.split("(?: &&|;) (?=tallymark |printf )", example):
        before, _, last = step.rpartition(" | tallymark ")
        piped = pasted(before, tmp_path).stdout if before else ""
        done = run(*shlex.split(last.removeprefix("tallymark ")), stdin=piped)
        assert done.code == 0
    written = re.search(r" -o (\S+)", example)
    if written:
        assert (done.out, done.err) == ("", f"wrote {written[1]}\n")
        assert (tmp_path / written[1]).stat().st_size
        return
    assert done.err == ""
    assert done.out
    if example.endswith("--json"):
        json.loads(done.out)


@pytest.mark.parametrize("example", [examples("evaluate")[0], examples("tally")[0]])
def test_example_works_in_a_shell(example: str, tmp_path: Path) -> None:
    done = pasted(example, tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout
