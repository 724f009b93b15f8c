"""docs/reference/commands.md, from the commands themselves and from documents that they print."""

from __future__ import annotations

import inspect
import io
import json
import os
import shlex
from collections.abc import Callable, Iterable
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click

from tallymark.cli import COMMANDS, SETTINGS, commands, main
from tallymark.cli.learning_data import data_options
from tallymark.cli.options import output_options, report_options
from tallymark.cli.rows import row_options

OPENING = """# Commands

<!-- Made by `python tools/make_reference.py`: change the commands, not this file. -->

What `tallymark COMMAND --help` prints, in one place, and what is in the JSON documents. Options that many
commands share stand [once, further down](#options-that-commands-share). All examples can be pasted into a
shell as they are, and the tests do so. The tab key completes commands, options, metrics and columns once your
shell knows how: see [completion](#completion).
"""

EXIT_CODES = """## Exit codes

| code | what it means |
|---|---|
| 0 | done |
| 1 | a requirement of `tallymark check` is not met, or `tallymark conform` finds tallymark wrong |
| 2 | the input, the command or a missing extra: one line says what is wrong, where, and what to do |
| 3 | `validate`, `tune`, `learn` or `permute` finished, but some fits failed |
| 70 | a bug of tallymark; the line says how to report it |
| 130 | interrupted (143 by SIGTERM, 129 by SIGHUP) |
"""

DOCUMENTS = """## JSON documents

`--json` prints one document and nothing else; `-o OUT.json` writes the same. Every document has a `schema`
with a number that changes when a key changes its meaning; new keys may be added. An *estimate* is an object
with `value`, `low`, `high`, `level`, `method`, `n` and `assumption`; where they apply `se`, `note`, `exact`
and `bounds`; or `value: null` and `why` when the number is undefined. Under each command stand the keys of
the document that it prints for a small table. What they mean, and which keys only turn up with some options,
is told there or in [output.md](../output.md#curves).
"""


@dataclass(frozen=True)
class Shared:
    """Options that several commands have in common."""

    title: str
    words: str
    options: Callable[[Any], Any]

    @property
    def found(self) -> list[click.Option]:
        made = click.command(self.title)(self.options(lambda **_: None))
        return [option for option in made.params if isinstance(option, click.Option)]


SHARED = (
    Shared("The rows", "What the columns of the files are, and how they are read.", row_options),
    Shared("The report", "What is asked of an evaluation, and how it is shown.", report_options),
    Shared("The data and the fits", "For commands that fit models.", data_options),
    Shared("The output", "Where the result goes.", output_options),
)

ROWS = "rows.csv --actual y --score s"
DATA = "data.csv --target y"
CALLS = {
    "evaluate": f"evaluate {ROWS}",
    "matrix": "matrix '5 1; 2 7' --labels a,b --costs '0 1; 1 0'",
    "check": f"check {ROWS} --require 'accuracy >= 0.1'",
    "compare": "compare rows.csv --actual y --model s=s --model t=t",
    "roc": f"roc {ROWS}",
    "pr": f"pr {ROWS}",
    "gains": f"gains {ROWS} --share 0.2",
    "thresholds": f"thresholds {ROWS}",
    "decide": f"decide {ROWS} --labels 1,0 --costs '0 5; 1 0'",
    "rejection": f"rejection {ROWS}",
    "calibration": f"calibration {ROWS}",
    "cost-curve": f"cost-curve {ROWS}",
    "decision-curve": f"decision-curve {ROWS}",
    "validate": f"validate {DATA} --model bayes --method kfold:2 --run-folder kept --quiet",
    "tune": f"tune {DATA} --model bayes --param var_smoothing=0.1 --method three-way",
    "learn": f"learn {DATA} --model bayes --schedule 10,20 --repeats 2",
    "permute": f"permute {DATA} --model bayes --method kfold:2 --permutations 2",
    "runs list": "runs list kept",
    "runs show": "runs show kept",
    "interval": "interval --correct 80 --of 100",
    "plan": "plan --half-width 0.05",
    "explain": "explain recall --tp 5 --fn 1 --fp 2 --tn 7",
    "metrics": "metrics",
    "textbook": "textbook",
    "conform": "conform --topic costs",
}
"""A call of each command that prints a document, on rows that are made up."""


_EVALUATION = {
    "task": "`binary`, `multiclass` or `multilabel`",
    "rows": "rows that were counted",
    "dropped": "rows that were left out, by why",
    "labels": "all classes, as text, in order",
    "positive": "the positive class, or null",
    "threshold": "where the score was cut; null when answers were given",
    "confusion": "counts, rows actual and columns predicted; with `--normalize` also shares",
    "metrics": "every number",
    "per_class": "for each class its counts and numbers",
    "averages": "of each metric over the classes",
    "curves": "by name, where there are scores",
    "costs": "the cost matrix, its cells in words, and what all answers cost; null without costs. Where "
    "right and wrong answers have one price each, `linear` has both",
    "findings": "what to point out, each with a `code`, a `message` and `numbers`",
    "slices": "of each slice its `slice`, `rows`, `metrics` and `confusion`",
    "notes": "what was settled on the way, in sentences",
}
MEANINGS = {
    "evaluate": _EVALUATION,
    "interval": {
        "correct": "how many were right",
        "of": "of how many",
        "value": "their share",
        "low": "lower end of the interval",
        "high": "upper end",
        "method": "how it was made",
        "level": "its confidence level",
        "z": "the quantile of the normal distribution that belongs to it",
        "assumption": "what it rests on",
    },
    "plan": {
        "question": "what was asked: `half_width`, `difference` or `rows`",
        "metric": "what is measured",
        "n": "rows of the test set; of each of the two when models are compared on other rows",
        "counted": "those of them, on average, that the metric is a share of",
        "groups": "groups, where rows come in groups",
        "design_effect": "how many times more rows that takes",
        "expected": "the value planned for; null is the worst case",
        "level": "confidence level",
        "half_width": "half of the length of the interval that is to be expected",
        "low": "its lower end",
        "high": "its upper end",
        "textbook_n": "rows by z^2 p (1 - p) / h^2, to compare with",
        "chance": "how often a sample of this size gives that half width or a smaller one",
        "difference": "the one asked for, or the smallest that is found",
        "values": "the values of two models that are so far apart",
        "power": "how often a difference that exists is found",
        "paired": "whether both models answer the same rows",
        "disagreement": "share of the rows that exactly one of the two gets right",
        "method": "which interval or test was planned for",
        "assumption": "what it rests on",
        "notes": "what was settled on the way, in sentences",
        "table": "the same for fewer and for more rows",
        "same_rows": "the smallest difference by how often two models disagree, when that was not given",
    },
    "explain": {
        "name": "the metric",
        "meaning": "one sentence",
        "facts": "range, when undefined, interval, other names, reference",
        "steps": "the formula, and with counts the value, line by line",
        "interval": "the interval, line by line",
        "value": "null without counts, or where it is undefined",
        "why": "why it is undefined",
    },
    "textbook": {
        "chapters": "the chapters of the lectures",
        "sources": "the documents, by file",
        "examples": "what can be worked out; with a NAME, also what was printed and what was found",
    },
    "conform": {
        "vectors": "which questions were asked",
        "passed": "whether tallymark gave the exact answers",
        "libraries": "who was asked, and how many answers were right, by another convention, or wrong",
        "results": "every question with its exact answer and what each library replied",
    },
    "metrics": {"metrics": "every metric with its facts; an end of a range that is infinite is null"},
}
"""What keys mean, where docs/output.md does not tell it."""


def commands_page() -> str:
    """The whole page."""
    documents = _documents()
    sections = [_section(name, command, documents) for name, command in _every().items()]
    shared = [_shared(each) for each in SHARED]
    parts = [OPENING, _index(), EXIT_CODES, DOCUMENTS, *sections]
    return "\n".join([*parts, "## Options that commands share\n", *shared])


def _every() -> dict[str, click.Command]:
    """All commands, and those within a group after it."""
    found: dict[str, click.Command] = {}
    for name in COMMANDS:
        command = commands.get_command(click.Context(commands), name)
        assert command is not None
        found[name] = command
        if isinstance(command, click.Group):
            found |= {f"{name} {each}": inner for each, inner in command.commands.items()}
    return found


def _index() -> str:
    rows = [f"| [{name}](#{name}) | {line} |" for name, line in COMMANDS.items()]
    return "\n".join(["| command | what it does |", "|---|---|", *rows, ""])


def _section(name: str, command: click.Command, documents: dict[str, Any]) -> str:
    lines = [f"## {name}\n", f"`tallymark {name} {' '.join(_pieces(command))}`\n", *_help(command)]
    own, shared = _options(command)
    if own:
        lines += ["| option | |", "|---|---|", *map(_row, own), ""]
    if shared:
        links = [f"[{each.title.lower()}](#{each.title.lower().replace(' ', '-')})" for each in shared]
        lines.append(f"{'Also' if own else 'Its'} options about {', '.join(links)}.\n")
    lines += _examples(command)
    if name in documents:
        lines.append(_keys(name, documents[name]))
    return "\n".join(lines)


def _pieces(command: click.Command) -> list[str]:
    return command.collect_usage_pieces(click.Context(command, **SETTINGS))


def _help(command: click.Command) -> Iterable[str]:
    """The paragraphs of the help; one that is set as it is stays so."""
    for paragraph in inspect.cleandoc(command.help or "").split("\n\n"):
        if paragraph.startswith("\b"):
            yield f"```text\n{paragraph.removeprefix(chr(8)).strip()}\n```\n"
        else:
            yield f"{' '.join(paragraph.split())}\n".replace("*", r"\*").replace("<", r"\<")


def _options(command: click.Command) -> tuple[list[click.Option], list[Shared]]:
    """Those that only this command has, and the groups that it has whole."""
    options = [option for option in command.params if isinstance(option, click.Option)]
    shown = [_row(option) for option in options]
    shared = [each for each in SHARED if all(_row(option) in shown for option in each.found)]
    elsewhere = {_row(option) for each in shared for option in each.found}
    return [option for option in options if _row(option) not in elsewhere], shared


def _row(option: click.Option) -> str:
    names = ", ".join([*option.opts, *option.secondary_opts])
    value = f" {option.metavar or option.type.name.upper()}"
    told = (option.help or "").replace("|", r"\|").replace("*", r"\*")
    if isinstance(option.type, click.Choice) and option.metavar is None:
        value = ""
        told += f" One of {', '.join(f'`{choice}`' for choice in option.type.choices)}."
    if option.show_default and option.default is not None:
        told += f" [default: {option.default}]"
    if option.required:
        told += " Required."
    return f"| `{names}{'' if option.is_flag else value}` | {told} |"


def _examples(command: click.Command) -> Iterable[str]:
    lines = [line.strip() for line in (command.epilog or "").splitlines() if line.startswith("  ")]
    if lines:
        yield "\n".join(["```text", *lines, "```\n"])


def _shared(shared: Shared) -> str:
    rows = map(_row, shared.found)
    return "\n".join([f"### {shared.title}\n", f"{shared.words}\n", "| option | |", "|---|---|", *rows, ""])


# --- what is in the documents ----------------------------------------------------------------


def _documents() -> dict[str, Any]:
    """What each call prints."""
    before = Path.cwd()
    with TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            _make_rows()
            return {name: _printed(call) for name, call in CALLS.items()}
        finally:
            os.chdir(before)


def _make_rows() -> None:
    """Forty rows with scores that know something of the class."""
    rows = [(row % 2, 0.3 * (row % 2) + 0.013 * (row * 7 % 40), 0.015 * (row * 11 % 40)) for row in range(40)]
    lines = [f"{actual},{score:.3f},{other:.3f}" for actual, score, other in rows]
    for name, header in {"rows.csv": "y,s,t", "data.csv": "y,a,b"}.items():
        Path(name).write_text("\n".join([header, *lines, ""]), encoding="utf-8")


def _printed(call: str) -> Any:
    written = io.StringIO()
    with redirect_stdout(written):
        code = main([*shlex.split(call), "--json"])
    assert code == 0, call
    return json.loads(written.getvalue())


def _keys(name: str, document: dict[str, Any]) -> str:
    keys = [key for key in document if key != "schema"]
    schema = f"JSON: `{document['schema']}`"
    if name in MEANINGS:
        rows = [f"| `{key}` | {MEANINGS[name][key]}{_inside(document[key])} |" for key in keys]
        return "\n".join([f"{schema}:\n", "| key | |", "|---|---|", *rows, ""])
    told = ", ".join(f"`{key}`{_inside(document[key])}" for key in keys)
    return f"{schema} with {told}.\n"


def _inside(value: Any) -> str:
    """What is in an object, or in each of a list of objects."""
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return f" (a list: {_names(value[0])})"
    if isinstance(value, list) and not value:
        return " (a list)"
    if not isinstance(value, dict) or not value:
        return ""
    if _is_estimate(value):
        return " (an estimate)"
    if any("." in key for key in value):
        return ""
    if all(_is_estimate(each) for each in value.values()):
        return " (by name, estimates)"
    return f" ({_names(value)})"


def _names(found: dict[str, Any]) -> str:
    return ", ".join(f"`{key}`" for key in found)


def _is_estimate(value: Any) -> bool:
    return isinstance(value, dict) and "value" in value and ("method" in value or "why" in value)
