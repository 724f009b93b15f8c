"""`tallymark runs`: what is in run folders, and going on from there."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tallymark.cli import SETTINGS, Call, commands, examples
from tallymark.cli.failures import say
from tallymark.cli.learning import made_up
from tallymark.cli.options import output_options
from tallymark.cli.output import DRAWN, JSON, Output, as_json
from tallymark.cli.run_folder import RESUMED, reads_standard_input
from tallymark.errors import FileError, OptionError, TallymarkError

if TYPE_CHECKING:
    from tallymark.validation.runs.folder import RunFolder
    from tallymark.validation.runs.looking import Look

_ASKED = "--target y --model bayes --run-folder night --quiet"
_MADE = f"{made_up(100)} | tallymark validate - {_ASKED}"
EXAMPLES = examples(f"{_MADE}; tallymark runs list", f"{_MADE}; tallymark runs show night")
_NAMED = 3
"""Folders that an error names."""
_WIDTH = 80
"""Of a list, which is looked at in a terminal of any size."""


class _Parts(click.Group):
    """A group that lists its commands as they follow each other in use."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(self.commands)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] not in self.commands and not args[0].startswith("-"):
            raise OptionError(
                f"there is no command {args[0]!r} of `tallymark runs`.",
                hint=f"the commands are {', '.join(self.commands)}.",
            )
        return super().resolve_command(ctx, args)


@click.group(
    "runs",
    cls=_Parts,
    invoke_without_command=True,
    context_settings=SETTINGS,
    subcommand_metavar="COMMAND ...",
    epilog=EXAMPLES,
)
@click.pass_context
def command(ctx: click.Context) -> None:
    """What validate, tune, learn and permute have done with --run-folder FOLDER. Every finished fit is kept
    there, so that a run which was interrupted goes on where it was, in this process or in several at once;
    a fit that failed is kept with its traceback."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


folder_argument = click.argument("folder", metavar="FOLDER")
run_argument = click.argument("name", metavar="[RUN]", required=False)


@command.command(
    "list",
    short_help="The runs of a folder, or of all run folders in it.",
    epilog=examples(f"{_MADE}; tallymark runs list"),
)
@click.argument("folder", metavar="[FOLDER]", default=".")
@output_options
def list_runs(*, folder: str, output: Output) -> None:
    """The runs of a run folder, or of the run folders in FOLDER and in its folders (by default here): what
    was asked, of which models on which data, how many fits are done, how many failed, and the state. A run
    is running, interrupted (the same command goes on from there), stopped by an error, or finished."""
    output.check((JSON, *DRAWN))
    from tallymark.drawing import drawn, text

    runs = _runs_at(folder)
    from tallymark.cli import runs_shown

    output.write(
        {
            **drawn(lambda: runs_shown.listed(runs)),
            ".txt": lambda: text(runs_shown.listed(runs), _WIDTH),
            JSON: lambda: as_json(runs_shown.list_form(runs)),
        }
    )


@command.command(
    "show",
    short_help="One run: what was asked, how far it is, what failed.",
    epilog=examples(f"{_MADE}; tallymark runs show night"),
)
@folder_argument
@run_argument
@click.option("--all", "every", is_flag=True, help="All failed fits, each with its traceback.")
@output_options
def show_run(*, folder: str, name: str | None, every: bool, output: Output) -> None:
    """One run of a run folder: what was asked and with which command, on which data, how far it is, what
    came out, which fits failed and with what traceback, and which other runs were tested on the same rows.
    RUN is the beginning of a run's name; by default it is the last that was asked for."""
    output.check((JSON, *DRAWN))
    from tallymark.cli import runs_shown
    from tallymark.drawing import drawn

    look = _look(folder, name)
    output.write(
        {
            **drawn(lambda: runs_shown.shown(look, every=every)),
            JSON: lambda: as_json(runs_shown.show_form(look)),
        }
    )


@command.command(
    "resume",
    short_help="Go on with a run that was interrupted.",
    epilog=examples(
        f"{made_up(100)} > a.csv; tallymark validate a.csv {_ASKED}; tallymark runs resume night"
    ),
)
@folder_argument
@run_argument
@click.option("--force", is_flag=True, help="Replace the file that the command writes, if it exists.")
@click.option("--retry-failed", is_flag=True, help="Try again the fits that failed.")
def resume_run(*, folder: str, name: str | None, force: bool, retry_failed: bool) -> None:
    """Go on with a run that was interrupted: the command that was typed then is run again, where it was
    typed, and takes the finished fits from FOLDER, wherever that is now. Its result is that of a run without
    interruption. Data that have changed since are refused. RUN is the beginning of a run's name; by default
    it is the last that was asked for and is not finished, else the last. A finished run shows its result
    again."""
    look = _unfinished(folder, name)
    arguments = _resumable(look)
    _refuse_running(look, arguments)
    flags = (*(["--force"] if force else ()), *(["--retry-failed"] if retry_failed else ()))
    _run_again(look, arguments, flags)


# --- which runs ----------------------------------------------------------------------------------------


def _look(folder: str, name: str | None) -> Look:
    from tallymark.validation.runs.folder import existing
    from tallymark.validation.runs.looking import look_for

    return look_for(existing(folder, say), name)


def _unfinished(folder: str, name: str | None) -> Look:
    """The run to resume."""
    look = _look(folder, name)
    if name is not None or look.state != "finished":
        return look
    from tallymark.validation.runs.folder import RunFolder
    from tallymark.validation.runs.looking import looks

    quiet = RunFolder(look.folder.path, tell=lambda _: None)
    waiting = [each for each in looks(quiet) if each.state in ("interrupted", "stopped")]
    return max(waiting, key=lambda each: each.asked, default=look)


def _runs_at(folder: str) -> list[Look]:
    """All runs of all run folders at a place; folders that cannot be read are told, unless it is the one."""
    from tallymark.validation.runs.folder import existing, folders_under
    from tallymark.validation.runs.looking import looks

    place = Path(folder)
    if not place.is_dir():
        raise FileError(
            f"{folder!r} is {'a file' if place.exists() else 'not there'}.",
            hint="name a run folder, or a folder that holds some.",
        )
    found: list[RunFolder] = []
    for each in folders_under(place):
        try:
            found.append(existing(each, say))
        except TallymarkError as problem:
            if each == place:
                raise
            say(problem.message)
    if not found:
        raise FileError(
            f"there is no run folder in {folder!r}.",
            hint="it is made by --run-folder FOLDER of validate, tune, learn and permute.",
        )
    runs = [look for each in found for look in looks(each)]
    if not runs:
        names = ", ".join(repr(str(each.path)) for each in found[:_NAMED])
        raise FileError(
            f"there is no run that can be read in {names}.",
            hint="runs are made by validate, tune, learn and permute with that --run-folder.",
        )
    return runs


# --- going on --------------------------------------------------------------------------------------------


def _resumable(look: Look) -> list[str]:
    """The command line of a run; an error where there is none that can be run again."""
    given: Any = look.record["arguments"]
    if given is None:
        raise OptionError(
            f"run {look.run} was asked for from Python, so there is no command to run again.",
            hint="make the same call again with the same run_folder: it goes on from there.",
        )
    if not isinstance(given, list) or not given or given[0] not in RESUMED:
        raise FileError(
            f"the record of run {look.run} has no command of {', '.join(RESUMED)} in it.",
            hint="run the command itself again, with the same --run-folder.",
        )
    return list(map(str, given))


def _refuse_running(look: Look, arguments: Sequence[str]) -> None:
    if look.state != "running":
        return
    from shlex import join

    raise OptionError(
        f"run {look.run} is running, in another process.",
        hint=f"to help it, run the same command beside it, in {str(look.record['folder'])!r}: "
        f"`{join(['tallymark', *arguments])}`.",
    )


def _run_again(look: Look, arguments: list[str], flags: Sequence[str]) -> None:
    from contextlib import chdir
    from os import curdir
    from shlex import join

    folder, there = look.folder.path, Path(str(look.record["folder"]))
    if there.is_dir():
        folder = folder if there.samefile(curdir) else folder.absolute()
    found, again = _parsed(look, arguments, flags, folder)
    say(f"run {look.run}: {join(['tallymark', *arguments])}")
    if not there.is_dir():
        say(f"the folder it was typed in, {str(there)!r}, is gone; it runs here instead.")
    elif not there.samefile(curdir):
        say(f"it runs in {str(there)!r}, where it was typed.")
    with chdir(there if there.is_dir() else curdir), again:
        found.invoke(again)


def _parsed(
    look: Look, arguments: Sequence[str], flags: Sequence[str], folder: Path
) -> tuple[click.Command, click.Context]:
    name, *rest = arguments
    found = commands.get_command(click.get_current_context(), name)
    assert found is not None
    call = Call(tuple(arguments), run_folder=str(folder), resumed=look.run)
    again = found.make_context(f"tallymark {name}", [*flags, *rest], obj=call)
    if reads_standard_input(again):
        raise OptionError(
            f"run {look.run} read its data from standard input, which is gone.",
            hint="run the same command again, with the same data.",
        )
    return found, again
