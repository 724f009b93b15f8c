"""Completion: what the scripts ask, what they are answered, and a script in a shell."""

import os
import subprocess
import sys
from io import StringIO
from pathlib import Path
from typing import Any

import click
import pytest

import tallymark as tm
from command_lines import bash
from tallymark.cli import COMMANDS, commands, main
from tallymark.cli.completing import BY_PLACEHOLDER, WORDS


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("rows.csv").write_text("y,tree,forest\n1,0.9,0.8\n0,0.2,0.3\n")
    Path("odd name.csv").write_text('"my col","a,b"\n1,2\n')
    Path("bad.csv").write_text("good,ba\x1bd\n1,2\n")
    Path("runs").mkdir()
    return tmp_path


def answers(line: str, breaks: str = "") -> list[list[str]]:
    """Kind, word and meaning of each, as a script reads them."""
    environment = {"_TALLYMARK_COMPLETE": "bash", "_TALLYMARK_LINE": line, "_TALLYMARK_BREAKS": breaks}
    written = StringIO()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "environ", os.environ | environment)
        patch.setattr(sys, "stdout", written)
        assert main([]) == 0
    return [answer.split("\t") for answer in written.getvalue().splitlines()]


def words(line: str, breaks: str = "") -> list[str]:
    return [word for _, word, _ in answers(line, breaks)]


NEXT = {
    "tallymark ev": ["evaluate"], "FOO=1 /opt/bin/tallymark ev": ["evaluate"],
    "tallymark --v": ["--version"], "tallymark runs re": ["resume"],
    "tallymark evaluate --weight": ["--weight", "--weight-kind"],
    "tallymark evaluate --engine d": ["duckdb", "dask"],
    "tallymark evaluate --engine=d": ["--engine=duckdb", "--engine=dask"],
    "tallymark plot roc": ["roc", "roc+pr"], "tallymark completion ": ["bash", "zsh", "fish"],
    "tallymark explain precision_ma": ["precision_macro"], "tallymark explain sensi": ["sensitivity"],
    "tallymark evaluate rows.csv --metric f_beta_mi": ["f_beta_micro:"],
    "tallymark check rows.csv --require 'top": ["top_k_accuracy:"],
    "tallymark evaluate rows.csv --threshold best:y": ["best:youden"],
    "tallymark decide rows.csv --min reca": ["recall="],
    "tallymark tune rows.csv --method ": ["nested:", "three-way:"],
    "tallymark validate rows.csv --method kf": ["kfold:"],
    "tallymark tune rows.csv --picture ": ["search", "optimism"],
    "tallymark conform s": ["sklearn", "statsmodels", "scipy"], "tallymark textbook cost-500": ["cost-500"],
    "tallymark evaluate rows.csv --actual ": ["y", "tree", "forest"],
    "tallymark evaluate rows.csv --actual y --score f": ["forest"],
    "tallymark evaluate rows.csv --votes tree,": ["tree,y", "tree,forest"],
    "tallymark evaluate rows.csv --model a=t": ["a=tree"], "tallymark evaluate --model a=ro": ["a=rows.csv"],
    "tallymark evaluate --model a=ru": ["a=runs/"],
    "tallymark evaluate --model a=rows.csv --score t": ["tree"],
    "tallymark evaluate 'odd name.csv' --actual '": ["my col"],
    "tallymark evaluate nowhere.csv --model a": [],
    # names that a terminal would obey are left out
    "tallymark evaluate bad.csv --actual ": ["good"],
    # nothing is said of a line that is wrong
    "tallymark nothing --a": [],
}  # fmt: skip


@pytest.mark.usefixtures("folder")
def test_what_may_come_next() -> None:
    assert {line: words(line) for line in NEXT} == NEXT
    for line in ("tallymark", "tallymark evaluate rows.csv --x y "):
        assert [answer for answer in answers(line) if answer[0] != "file"] == []


@pytest.mark.usefixtures("folder")
def test_files_and_folders_are_left_to_the_shell() -> None:
    kinds = {
        "tallymark evaluate ro": "file",
        "tallymark evaluate rows.csv -o ": "file",
        "tallymark matrix '1 2; 3 4' --costs ": "file",
        "tallymark runs show ": "dir",
        "tallymark validate rows.csv --run-folder ": "dir",
    }
    assert {line: answers(line)[0][0] for line in kinds} == kinds


@pytest.mark.usefixtures("folder")
def test_bash_gets_back_what_is_a_word_to_it() -> None:
    line = "tallymark evaluate rows.csv --threshold best:y"
    assert answers(line) == [["plain", "best:youden", ""]]
    assert words(line, breaks=":=") == ["youden"]
    assert words("tallymark evaluate rows.csv --model a=t", breaks=":=") == ["tree"]
    assert words("tallymark evaluate --engine=po", breaks=":=") == ["polars"]


@pytest.mark.usefixtures("folder")
def test_words_come_with_their_meaning() -> None:
    assert answers("tallymark merg") == [["plain", "merge", COMMANDS["merge"].removesuffix(".")]]
    assert len(answers("tallymark explain preci")[0][2]) > 20


@pytest.mark.usefixtures("folder")
def test_metrics_offered_can_be_asked_for() -> None:
    for letter in "abcdefghijklmnopqrstuvwxyz":
        for name in words(f"tallymark explain {letter}"):
            assert tm.explain(name.removesuffix(":"))


def test_commands_are_completed_without_importing_them() -> None:
    code = (
        "import os, sys; os.environ |= {'_TALLYMARK_COMPLETE': 'bash', '_TALLYMARK_LINE': 'tallymark '};"
        "from tallymark.cli import main; main();"
        "print([name for name in sys.modules if name.startswith('tallymark.cli.')], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert [line.split("\t")[1] for line in done.stdout.splitlines()] == list(COMMANDS)
    assert done.stderr.count("tallymark.cli.") == 1


def test_words_and_placeholders_are_those_of_the_help() -> None:
    """They are written down a second time, so that completion imports nothing."""
    context = commands.make_context("tallymark", ["--version"], resilient_parsing=True)
    every: list[Any] = [commands.get_command(context, name) for name in COMMANDS]
    every += [each for group in every if isinstance(group, click.Group) for each in group.commands.values()]
    found = [(command, parameter) for command in every for parameter in command.params]
    assert set(BY_PLACEHOLDER) | set(WORDS) <= {parameter.metavar for _, parameter in found}
    for placeholder, offered in WORDS.items():
        of = [(command, p) for command, p in found if p.metavar == placeholder]
        told = " ".join((p if isinstance(p, click.Option) else command).help or "" for command, p in of)
        assert [word for word in offered if word not in told] == []


def test_a_script_for_each_shell(run: Any, snapshot: Any) -> None:
    scripts = {}
    for shell in ("bash", "zsh", "fish"):
        result = run(f"completion {shell}")
        assert (result.code, result.err) == (0, "")
        scripts[shell] = result.out
    snapshot("cli_completion_scripts", scripts)


@pytest.mark.usefixtures("folder")
def test_bash_completes() -> None:
    script = """
        eval "$(tallymark completion bash)"
        compopt() { :; }
        COMP_WORDBREAKS=$' \\t\\n"\\'><=;|&(:'
        COMP_LINE='tallymark evaluate rows.csv --threshold best:y'
        COMP_POINT=${#COMP_LINE}
        _tallymark_completion tallymark
        printf '%s\\n' "${COMPREPLY[@]}"
    """
    done = bash(script)
    assert (done.stdout, done.stderr) == ("youden\n", "")
