"""The command line: one module per command, imported when it is used."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from tallymark._version import __version__
from tallymark.input_files import forget_inputs

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

# One line each, so that `tallymark --help` need not import the commands and what they import.
COMMANDS = {
    "demo": "Evaluate two models on a data set shipped with tallymark.",
    "evaluate": "Evaluate predictions: every number with its interval.",
    "matrix": "Evaluate a confusion matrix, typed or in a file.",
    "report": "One HTML page to send: verdict, numbers and pictures.",
    "check": "Stop a build when a model is not good enough, or got worse.",
    "compare": "Is one model better? The valid test and a plain verdict.",
    "roc": "The ROC curve: worked table, area, several models.",
    "pr": "Precision and recall at every threshold; average precision.",
    "gains": "Gains and lift: what the best share of rows holds.",
    "thresholds": "A metric at every threshold, and where it is best.",
    "decide": "The cheapest threshold or reject region, and what it saves.",
    "rejection": "What is right when unclear rows are rejected.",
    "calibration": "Whether probabilities come true as often as they say.",
    "cost-curve": "The least cost at every mix of class shares and costs.",
    "decision-curve": "The net benefit of acting on the probabilities.",
    "validate": "How good a model is on rows it has not seen: fit and test.",
    "tune": "The best parameters, and how good they really are.",
    "learn": "The learning curve: what more training rows would buy.",
    "permute": "Has the model learned anything? Fits on shuffled classes.",
    "runs": "Run folders of the last four: what is done; go on.",
    "plot": "Draw a curve or a confusion matrix as .png, .svg or .pdf.",
    "tally": "Count rows into a small file, where the data is.",
    "merge": "Add up such counts of parts of a table.",
    "interval": "Confidence interval of a share, such as 80 correct of 100.",
    "plan": "How many rows a test set needs, and what one can tell.",
    "explain": "A metric in words and formulas, worked out with your counts.",
    "metrics": "List all metrics with formula, direction, range and aliases.",
    "textbook": "The worked examples of the lectures, and what they print.",
    "conform": "Hold tallymark and other libraries against exact answers.",
    "completion": "What a shell needs to complete commands and options.",
}
SETTINGS = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


def examples(*lines: str) -> str:
    """Commands to copy, at the end of a help text."""
    # The first character tells click to leave the lines as they are.
    return "\n".join(["\b", "Examples:", *(f"  {line}" for line in lines)])


@dataclass(frozen=True)
class Call:
    """What was typed, for commands that keep it."""

    arguments: tuple[str, ...]
    run_folder: str | None = None
    """The folder of the run that is resumed, wherever it was when the command was first typed."""
    resumed: str | None = None
    """That run."""


class _Commands(click.Group):
    """A group that knows the names of its commands and imports one when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in COMMANDS:
            return None
        from importlib import import_module

        command: click.Command = import_module(f"tallymark.cli.{cmd_name.replace('-', '_')}").command
        return command

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem[str]]:
        from click.shell_completion import CompletionItem

        found = [
            CompletionItem(name, help=line) for name, line in COMMANDS.items() if name.startswith(incomplete)
        ]
        return [*found, *click.Command.shell_complete(self, ctx, incomplete)]

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] not in COMMANDS and not args[0].startswith("-"):
            from tallymark.cli.failures import unknown_command

            raise unknown_command(args[0])
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(
    cls=_Commands,
    invoke_without_command=True,
    context_settings=SETTINGS,
    subcommand_metavar="COMMAND ...",
    epilog="Start with `tallymark demo`. Every command has a --help with examples. Exit codes: 0 done, 1 a "
    "check failed, 2 the input or the command cannot be used, 3 some fits failed, 70 a bug of tallymark, 130 "
    "interrupted (143 by SIGTERM, 129 by SIGHUP).",
)
@click.version_option(__version__, message="tallymark %(version)s")
@click.pass_context
def commands(ctx: click.Context) -> None:
    """How good is this classifier, and how sure are we? Counts in; every number out, with its interval."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    forget_inputs()
    try:
        _prepare_output()
        if "_TALLYMARK_COMPLETE" in os.environ:
            from tallymark.cli.completing import answer

            answer(os.environ)
            return 0
        # Not commands.main: it has exit codes of its own for interruptions and broken pipes.
        with commands.make_context("tallymark", list(given), obj=Call(tuple(given))) as context:
            commands.invoke(context)
        sys.stdout.flush()
    except click.exceptions.Exit as done:
        return done.exit_code
    except BaseException as error:  # noqa: BLE001 - every failure becomes one line and an exit code
        from tallymark.cli.failures import report

        return report(error, given)
    return 0


def _prepare_output() -> None:
    """Whatever a terminal cannot show is written as an escape; a closed output swallows everything."""
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - open as long as we run
    reconfigure = getattr(sys.stdout, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="backslashreplace")
