"""Completion: what the scripts ask, what they are answered, and the scripts themselves in a shell."""

from __future__ import annotations

import os
import subprocess
import sys
from io import StringIO
from pathlib import Path
from typing import Any

import click
import pytest

from tallymark import cli
from tallymark.cli import COMMANDS, main
from tallymark.cli.completing import BY_PLACEHOLDER, WORDS, completions, typed
from tallymark.cli.completion import SCRIPTS
from tallymark.decisions.threshold import OBJECTIVES
from tallymark.metrics import ask


def after(line: str) -> list[str]:
    args, before, incomplete = typed(line)
    return [f"{before}{item.value}" for item in completions(args, incomplete)]


def kinds(line: str) -> list[str]:
    args, _, incomplete = typed(line)
    return [item.type for item in completions(args, incomplete)]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("rows.csv").write_text("y,tree,forest\n1,0.9,0.8\n0,0.2,0.3\n")
    Path("odd name.csv").write_text('"my col","a,b"\n1,2\n')
    Path("runs").mkdir()
    return tmp_path


# --- what may come next ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("tallymark ev", ["evaluate"]),
        ("FOO=1 /opt/bin/tallymark ev", ["evaluate"]),
        ("tallymark --v", ["--version"]),
        ("tallymark runs re", ["resume"]),
        ("tallymark evaluate --weight", ["--weight", "--weight-kind"]),
        ("tallymark evaluate --engine d", ["duckdb", "dask"]),
        ("tallymark evaluate --engine=d", ["--engine=duckdb", "--engine=dask"]),
        ("tallymark plot roc", ["roc", "roc+pr"]),
        ("tallymark completion ", ["bash", "zsh", "fish"]),
        ("tallymark explain precision_ma", ["precision_macro"]),
        ("tallymark explain sensi", ["sensitivity"]),
        ("tallymark evaluate rows.csv --metric f_beta_mi", ["f_beta_micro:"]),
        ("tallymark check rows.csv --require 'top", ["top_k_accuracy:"]),
        ("tallymark evaluate rows.csv --threshold best:y", ["best:youden"]),
        ("tallymark decide rows.csv --min reca", ["recall="]),
        ("tallymark tune rows.csv --method ", ["nested:", "three-way:"]),
        ("tallymark validate rows.csv --method kf", ["kfold:"]),
        ("tallymark tune rows.csv --picture ", ["search", "optimism"]),
        ("tallymark conform s", ["sklearn", "statsmodels", "scipy"]),
        ("tallymark textbook cost-500", ["cost-500"]),
        ("tallymark evaluate rows.csv --actual ", ["y", "tree", "forest"]),
        ("tallymark evaluate rows.csv --actual y --score f", ["forest"]),
        ("tallymark evaluate rows.csv --votes tree,", ["tree,y", "tree,forest"]),
        ("tallymark evaluate rows.csv --model a=t", ["a=tree"]),
        ("tallymark evaluate --model a=r", ["a=rows.csv", "a=runs/"]),
        ("tallymark evaluate --model a=rows.csv --score t", ["tree"]),
        ("tallymark evaluate 'odd name.csv' --actual '", ["my col"]),
        ("tallymark evaluate nowhere.csv --model a", []),
    ],
)
@pytest.mark.usefixtures("folder")
def test_next_words(line: str, words: list[str]) -> None:
    assert after(line) == words


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("tallymark evaluate ro", "file"),
        ("tallymark evaluate rows.csv -o ", "file"),
        ("tallymark matrix '1 2; 3 4' --costs ", "file"),
        ("tallymark runs show ", "dir"),
        ("tallymark validate rows.csv --run-folder ", "dir"),
    ],
)
@pytest.mark.usefixtures("folder")
def test_files_are_left_to_the_shell(line: str, kind: str) -> None:
    assert kinds(line) == [kind]


def test_commands_are_completed_without_importing_them() -> None:
    code = (
        "import os, sys; os.environ |= {'_TALLYMARK_COMPLETE': 'bash', '_TALLYMARK_LINE': 'tallymark '};"
        "from tallymark.cli import main; main();"
        "print([name for name in sys.modules if name.startswith('tallymark.cli.')], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert [line.split("\t")[1] for line in done.stdout.splitlines()] == list(COMMANDS)
    assert done.stderr == "['tallymark.cli.completing']\n"


# --- words that are written down a second time -----------------------------------------------


def parameters() -> list[tuple[click.Command, click.Parameter]]:
    context = cli.commands.make_context("tallymark", ["--version"], resilient_parsing=True)
    found = [cli.commands.get_command(context, name) for name in COMMANDS]
    every = [command for command in found if command is not None]
    every += [each for group in every if isinstance(group, click.Group) for each in group.commands.values()]
    return [(command, parameter) for command in every for parameter in command.params]


def test_words_and_placeholders_are_those_of_the_help() -> None:
    shown = {parameter.metavar for _, parameter in parameters()}
    assert set(BY_PLACEHOLDER) | set(WORDS) <= shown
    for placeholder, words in WORDS.items():
        of = [(command, p) for command, p in parameters() if p.metavar == placeholder]
        told = " ".join((p if isinstance(p, click.Option) else command).help or "" for command, p in of)
        assert [word for word in words if word not in told] == []
    assert {word.removeprefix("best:") for word in WORDS["T"]} == {"best", *OBJECTIVES}


@pytest.mark.usefixtures("folder")
def test_metrics_offered_can_be_asked_for() -> None:
    for letter in "abcdefghijklmnopqrstuvwxyz":
        for name in after(f"tallymark explain {letter}"):
            assert ask(name.removesuffix(":"), general=True)


# --- what the scripts get --------------------------------------------------------------------


def answered(line: str, breaks: str = "") -> list[str]:
    environment = {"_TALLYMARK_COMPLETE": "bash", "_TALLYMARK_LINE": line, "_TALLYMARK_BREAKS": breaks}
    written = StringIO()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "environ", os.environ | environment)
        patch.setattr(sys, "stdout", written)
        assert main([]) == 0
    return written.getvalue().splitlines()


@pytest.mark.usefixtures("folder")
def test_bash_gets_back_what_is_a_word_to_it() -> None:
    line = "tallymark evaluate rows.csv --threshold best:y"
    assert answered(line) == ["plain\tbest:youden\t"]
    assert answered(line, breaks=":=") == ["plain\tyouden\t"]
    assert answered("tallymark evaluate rows.csv --model a=t", breaks=":=") == ["plain\ttree\t"]
    assert answered("tallymark evaluate --engine=po", breaks=":=") == ["plain\tpolars\t"]


@pytest.mark.usefixtures("folder")
def test_words_come_with_their_meaning() -> None:
    assert answered("tallymark merg") == [f"plain\tmerge\t{COMMANDS['merge'].removesuffix('.')}"]
    assert answered("tallymark explain preci")[0].endswith(
        "\tShare of the predicted positives that are positive"
    )


@pytest.mark.usefixtures("folder")
def test_names_that_a_terminal_would_obey_are_left_out() -> None:
    Path("bad.csv").write_text("good,ba\x1bd\n1,2\n")
    assert answered("tallymark evaluate bad.csv --actual ") == ["plain\tgood\t"]


@pytest.mark.parametrize("line", ["tallymark", "tallymark nothing --a", "tallymark evaluate rows.csv --x y "])
@pytest.mark.usefixtures("folder")
def test_nothing_is_said_of_a_line_that_is_wrong(line: str) -> None:
    assert [word for word in answered(line) if not word.startswith("file\t")] == []


@pytest.mark.parametrize("shell", SCRIPTS)
def test_script_is_printed(run: Any, shell: str) -> None:
    result = run("completion", shell)
    assert (result.code, result.err) == (0, "")
    assert result.out == SCRIPTS[shell]


def test_other_shells_are_refused(run: Any) -> None:
    result = run("completion", "csh")
    assert (result.code, result.out) == (2, "")
    assert "bash" in result.err


def test_bash_completes(folder: Path) -> None:
    script = """
        eval "$(tallymark completion bash)"
        compopt() { :; }
        COMP_WORDBREAKS=$' \\t\\n"\\'><=;|&(:'
        COMP_LINE='tallymark evaluate rows.csv --threshold best:y'
        COMP_POINT=${#COMP_LINE}
        _tallymark_completion tallymark
        printf '%s\\n' "${COMPREPLY[@]}"
    """
    done = subprocess.run(
        ["bash", "--norc", "-c", script],
        capture_output=True,
        text=True,
        cwd=folder,
        timeout=60,
        env=os.environ | {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"},
    )
    assert (done.stdout, done.stderr) == ("youden\n", "")
