"""What may come next on a command line, for the scripts of `tallymark completion`."""

from __future__ import annotations

import glob
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial

import click
from click.shell_completion import CompletionItem, ShellComplete, split_arg_string

Complete = Callable[[click.Context, str], "list[CompletionItem[str]]"]

LONGEST_MEANING = 70
_CURSOR = "\0"


def answer(environment: Mapping[str, str]) -> None:
    """Print the completions of a line; nothing at all when something is wrong with it."""
    with suppress(Exception):
        args, before, incomplete = typed(environment["_TALLYMARK_LINE"])
        left_out = _left_out(before + incomplete, environment.get("_TALLYMARK_BREAKS", ""))
        for item in completions(args, incomplete):
            word = f"{before}{item.value}"[left_out:]
            if word.isprintable():
                sys.stdout.write(f"{item.type}\t{word}\t{_shortened(item.help or '')}\n")


def typed(line: str) -> tuple[list[str], str, str]:
    """The words after `tallymark`, and the one that is being typed; `--option=` before its value is apart."""
    words = split_arg_string(line + _CURSOR)
    start = next((place for place, word in enumerate(words) if word.endswith("tallymark")), 0)
    *args, last = words[start + 1 :]
    last = last.removesuffix(_CURSOR)
    option, equals, value = last.partition("=")
    if equals and option.startswith("--"):
        return [*args, option], f"{option}=", value
    return args, "", last


def _left_out(word: str, breaks: str) -> int:
    """How much of the word bash does not want back: to bash, a word begins anew after a : or =."""
    return 1 + max((word.rfind(mark) for mark in ":=" if mark in breaks), default=-1)


def completions(args: list[str], incomplete: str) -> list[CompletionItem[str]]:
    """What could stand in the place of the incomplete word."""
    from tallymark.cli import commands

    name = next((word for word in args if not word.startswith("-")), "")
    context = click.Context(commands, info_name="tallymark")
    found = commands.get_command(context, name)
    if found is not None:
        _teach(found)
    return ShellComplete(commands, {}, "tallymark", "_TALLYMARK_COMPLETE").get_completions(args, incomplete)


def _teach(command: click.Command) -> None:
    """Let the parameters of a command complete what their placeholder in the help stands for."""
    for parameter in command.params:
        known = _known(command, parameter)
        if known is not None:
            parameter.shell_complete = known  # type: ignore[assignment, method-assign]
    for each in command.commands.values() if isinstance(command, click.Group) else ():
        _teach(each)


def _known(command: click.Command, parameter: click.Parameter) -> Complete | None:
    placeholder = parameter.metavar or ""
    if isinstance(parameter.type, click.Choice):
        return None
    if placeholder in WORDS:
        told = (parameter if isinstance(parameter, click.Option) else command).help or ""
        return partial(_words, [word for word in WORDS[placeholder] if word in told])
    return BY_PLACEHOLDER.get(placeholder)


def _shortened(meaning: str) -> str:
    """The first sentence of a help text, on one short line."""
    sentence = " ".join(meaning.split()).partition(". ")[0].removesuffix(".")
    return sentence if len(sentence) <= LONGEST_MEANING else f"{sentence[:LONGEST_MEANING].rstrip()} ..."


def _starting(words: Iterable[str], incomplete: str) -> list[CompletionItem[str]]:
    return [CompletionItem(word) for word in words if word.startswith(incomplete)]


# --- what the placeholders stand for ---------------------------------------------------------


def _files(_: click.Context, incomplete: str) -> list[CompletionItem[str]]:
    return [CompletionItem(incomplete, type="file")]


def _folders(_: click.Context, incomplete: str) -> list[CompletionItem[str]]:
    return [CompletionItem(incomplete, type="dir")]


def _words(words: Sequence[str], _: click.Context, incomplete: str) -> list[CompletionItem[str]]:
    return _starting(words, incomplete)


def _columns(ctx: click.Context, incomplete: str) -> list[CompletionItem[str]]:
    """The columns of the first file; of a list, for its last item."""
    before, comma, _ = incomplete.rpartition(",")
    given = before.split(",")
    names = [name for name in _header(ctx) if name not in given and "," not in name]
    return _starting([f"{before}{comma}{name}" for name in names], incomplete)


def _header(ctx: click.Context) -> list[str]:
    from pathlib import Path

    from tallymark.intake.files.formats import format_of

    named = [item.partition("=")[2] for item in ctx.params.get("models") or ()]
    files = [Path(file) for file in (*_files_named(ctx), *named)]
    path = next((file for file in files if file.is_file()), None)
    # A packed file would be unpacked whole.
    if path is None or path.suffix.lower() == ".gz":
        return []
    return format_of(path, ctx.params.get("delimiter")).header(path, ())


def _files_named(ctx: click.Context) -> tuple[str, ...]:
    # An option that still lacks its value stops click before it gives the arguments their names.
    return (*(ctx.params.get("files") or ()), *ctx.args)


def _metrics(_: click.Context, incomplete: str) -> list[CompletionItem[str]]:
    """All metrics; once something is typed, also their averages and other names."""
    from tallymark.metrics import AVERAGES, METRICS, SCORE_METRICS, SET_METRICS

    every = METRICS | SCORE_METRICS | SET_METRICS
    asked = {name if metric.plain else f"{name}:": metric.meaning for name, metric in every.items()}
    if incomplete:
        asked |= {alias: metric.meaning for metric in every.values() for alias in metric.aliases}
        averaged = [metric for metric in METRICS.values() if not metric.needs_costs]
        asked |= {f"{m.name}_{a}{'' if m.plain else ':'}": m.meaning for m in averaged for a in AVERAGES}
    return [CompletionItem(name, help=asked[name]) for name in sorted(asked) if name.startswith(incomplete)]


def _limits(_: click.Context, incomplete: str) -> list[CompletionItem[str]]:
    """A number that counts answers, and its limit to come."""
    from tallymark.metrics import METRICS

    return _starting(
        (*(f"{name}=" for name, metric in METRICS.items() if metric.plain), "share="), incomplete
    )


def _textbook(_: click.Context, incomplete: str) -> list[CompletionItem[str]]:
    """The names of the worked examples."""
    from tallymark.textbook import EXAMPLES

    return _starting(("all", "misprints", *EXAMPLES), incomplete)


def _models(ctx: click.Context, incomplete: str) -> list[CompletionItem[str]]:
    """After NAME=, a column of the file that was named, or else a file."""
    name, equals, value = incomplete.partition("=")
    if not equals:
        return []
    if _files_named(ctx):
        return _starting([f"{name}={column}" for column in _header(ctx)], incomplete)
    paths = sorted(glob.glob(f"{glob.escape(value)}*"))
    return [CompletionItem(f"{name}={path}{os.sep if os.path.isdir(path) else ''}") for path in paths]


WORDS = {
    "T": ("best", "best:accuracy", "best:cost", "best:f1", "best:youden"),
    "WAY": ("grouped", "sequential", "opposite", "bins:", "quantiles:"),
    "METHOD": (
        *("kfold:", "holdout:", "repeated:", "loo", "group:", "pairs:", "bootstrap:"),
        *("nested:", "three-way:"),
    ),
    "[NAME=]MODEL": ("logistic", "tree", "forest", "boosting", "knn", "bayes", "majority", "vote:"),
    "HOW": ("geometric", "arithmetic"),
    "KIND": (
        *("differences", "roc", "agreement", "folds", "critical-difference", "posterior", "scores"),
        *("training", "split", "intervals", "search", "optimism"),
    ),
    "[LIBRARY]...": (
        *("sklearn", "torchmetrics", "pycm", "mlxtend", "statsmodels", "scipy", "imblearn", "all"),
    ),
}
"""Words that a value may begin with; an option takes those of its help, an argument those of its command."""

BY_PLACEHOLDER: dict[str, Complete] = {
    **dict.fromkeys(("FILE", "FILE...", "[FILE]...", "DATA...", "MATRIX", "COSTS", "JSON"), _files),
    **dict.fromkeys(("OUT", "OUT.html", "OUT.csv", "OUT.tally"), _files),
    **dict.fromkeys(("FOLDER", "[FOLDER]"), _folders),
    **dict.fromkeys(("COL", "COL,...", "COL,COL,..."), _columns),
    **dict.fromkeys(("NAME", "METRIC", "[METRIC]", "REQUIREMENT"), _metrics),
    "NAME=VALUE": _limits,
    "[NAME]...": _textbook,
    "NAME=FILE": _models,
}
"""How the value of an option or argument is completed, by the placeholder that its help shows."""
