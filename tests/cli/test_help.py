"""Every help text explains its command and has examples that work when pasted."""

import json
import re
from pathlib import Path
from typing import Any

import click
import pytest

from command_lines import bash
from tallymark.cli import COMMANDS, commands


def every_command() -> dict[str, click.Command]:
    """By what is typed; of a group its own commands, too."""
    context = commands.make_context("tallymark", ["--version"], resilient_parsing=True)
    found: dict[str, click.Command] = {}
    for name in COMMANDS:
        found[name] = command = commands.get_command(context, name)  # type: ignore[assignment]
        if isinstance(command, click.Group):
            found |= {f"{name} {inner}": each for inner, each in command.commands.items()}
    return found


EVERY = every_command()


def examples(name: str) -> list[str]:
    lines = (EVERY[name].epilog or "").splitlines()
    return [line.strip() for line in lines if line.startswith("  ")]


def test_help(run: Any, snapshot: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "102")
    said = {"tallymark": run("--help").out}
    assert said["tallymark"] == run("").out == run("-h").out
    for name, command in EVERY.items():
        result = run(f"{name} --help")
        assert (result.code, result.err) == (0, "")
        said[name] = result.out
        assert len(" ".join((command.help or "").split())) > 100 or isinstance(command, click.Group), name
        assert examples(name) or isinstance(command, click.Group), name
        assert all(f"\n    {example}\n" in result.out for example in examples(name)), name
        for parameter in command.params:
            assert not isinstance(parameter, click.Option) or parameter.help, f"{name} {parameter.name}"
    assert run("runs").out == said["runs"]
    snapshot("help", said)


def wrong_with(example: str, run: Any, folder: Path) -> str:
    """Only what is piped in comes from a shell: a new Python for every step would take most of the time."""
    for step in re.split(r"(?: &&|;) (?=tallymark |printf )", example):
        before, *steps = re.split(r"(?:^| \| )tallymark ", step)
        piped = bash(f"set -eo pipefail; {before}").stdout if before else ""
        for words in steps:
            done = run(words, stdin=piped)
            if done.code != 0:
                return f"exit code {done.code}: {done.err}"
    written = re.search(r" -o (\S+)", example)
    if written:
        size = (folder / written[1]).stat().st_size
        return "" if (done.out, done.err) == ("", f"wrote {written[1]}\n") and size else f"wrote {done.err}"
    if "runs resume" not in example and done.err:
        return done.err
    if example.endswith("--json"):
        json.loads(done.out)
    return "" if done.out else "nothing was shown"


def test_examples_work_when_pasted(run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = []
    for name in EVERY:
        for place, example in enumerate(examples(name)):
            folder = tmp_path / f"{name}{place}".replace(" ", "_")
            folder.mkdir()
            monkeypatch.chdir(folder)
            problem = wrong_with(example, run, folder)
            wrong += [f"{example}: {problem}"] if problem else []
    assert wrong == []


def test_an_example_works_in_a_shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = bash(f"set -eo pipefail; {examples('tally')[0]}")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout
