"""Commands that fit models in a run folder: which folder it is, and what is said of it at the end."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING

import click

from tallymark.cli import Call, commands
from tallymark.cli.failures import FAILED_FITS, INTERRUPTED, say
from tallymark.errors import OptionError, TallymarkError

if TYPE_CHECKING:
    from tallymark.validation.runs.folder import RunFolder

RESUMED = ("validate", "tune", "learn", "permute")
"""Commands that have runs, by the name of the question."""


def run_folder_of(path: str | None, *, retry_failed: bool) -> RunFolder | None:
    """The folder asked for, if any is; of a run that is resumed, where that is now."""
    if path is None:
        if retry_failed:
            raise OptionError(
                "--retry-failed is about fits that failed in a run folder, and none is named.",
                hint="give --run-folder FOLDER.",
            )
        return None
    if not path:
        raise OptionError("--run-folder is the path of a folder; got ''.", hint="name a folder.")
    from pathlib import Path

    from tallymark.validation.runs.folder import RunFolder

    call = click.get_current_context().find_object(Call)
    assert call is not None
    return RunFolder(
        Path(call.run_folder or path),
        retry_failed=retry_failed,
        arguments=call.arguments,
        resumed=call.resumed,
        tell=cache(say),
    )


@contextmanager
def told_of(folder: RunFolder | None, *, quiet: bool) -> Iterator[None]:
    """However the work in a folder ends, say what was done and where one goes on from there."""
    try:
        yield
    except KeyboardInterrupt:
        if folder is None or folder.used.run is None:
            raise
        say(f"interrupted. The same command{_or_resume(folder)} goes on from there.")
        raise click.exceptions.Exit(INTERRUPTED) from None
    except click.exceptions.Exit as done:
        if folder is not None and done.exit_code == FAILED_FITS:
            say(
                f"{_done(folder)}; `tallymark runs show {_typed(folder)}` shows the tracebacks, and "
                "--retry-failed tries again what failed."
            )
        raise
    except TallymarkError:
        _say_done(folder, quiet=quiet)
        raise
    else:
        _say_done(folder, quiet=quiet)


def _say_done(folder: RunFolder | None, *, quiet: bool) -> None:
    if folder is not None and folder.used.run is not None and not quiet:
        say(f"{_done(folder)}; `tallymark runs show {_typed(folder)}` tells more.")


def _done(folder: RunFolder) -> str:
    used = folder.used
    fits = "1 fit was" if used.found == 1 else f"{used.found:,} fits were"
    return f"run folder {str(folder.path)!r}: {fits} found in it, {used.made:,} made now"


def _or_resume(folder: RunFolder) -> str:
    """Standard input cannot be read a second time."""
    if reads_standard_input(click.get_current_context()):
        return ""
    return f", or `tallymark runs resume {_typed(folder)} {folder.used.run}`,"


def reads_standard_input(context: click.Context) -> bool:
    """Whether a command that fits models was given - for data."""
    data_sets = (item.partition("=")[2] for item in context.params.get("data_sets") or ())
    return "-" in (*context.params.get("files", ()), *data_sets)


def way_to_resume(arguments: Sequence[str] | None, folder: str, run: str) -> str | None:
    """The command that goes on with a run; None where there is none, for standard input is read once."""
    if not arguments or arguments[0] not in RESUMED:
        return None
    from shlex import join

    name, *rest = map(str, arguments)
    found = commands.get_command(click.Context(commands), name)
    assert found is not None
    try:
        again = found.make_context(name, rest, resilient_parsing=True)
    except (click.ClickException, TallymarkError):
        return None
    return None if reads_standard_input(again) else join(["tallymark", "runs", "resume", folder, run])


def _typed(folder: RunFolder) -> str:
    from shlex import quote

    return quote(str(folder.path))
