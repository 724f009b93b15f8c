"""Where a tally goes: a file that two commands write."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from tallymark.cli.failures import visible
from tallymark.cli.options import Command, called, with_options
from tallymark.cli.output import Output
from tallymark.errors import OptionError

if TYPE_CHECKING:
    from tallymark.tallies.tally import Tally

_OPTIONS = (
    click.option("-o", "--output", "path", metavar="OUT.tally", help="Write to this file."),
    click.option("--force", is_flag=True, help="Replace the file if it exists."),
    click.option("--quiet", is_flag=True, help="On standard error, say only what is wrong."),
)


def tally_options(function: Command) -> Command:
    """Gather where a tally goes into one `output` argument."""

    @functools.wraps(function)
    def gathered(*, path: str | None, force: bool, quiet: bool, **others: Any) -> None:
        called(function, Output(None, path, force, quiet), others)

    return with_options(_OPTIONS, gathered)


def check(output: Output, example: str) -> None:
    """Refuse, before any work is done, what could not be written."""
    if output.path is None:
        raise OptionError("a tally is written to a file, and none is named.", hint=f"add -o {example}.")
    from tallymark.evaluation.tally_files import SUFFIX, check_suffix

    check_suffix(output.path)
    output.check([SUFFIX])


def write(output: Output, tally: Tally, notes: Sequence[str]) -> None:
    """Write the tally whole, and say what is in it."""
    from pathlib import Path

    from tallymark.drawing import count
    from tallymark.intake.streams.memory import in_words

    assert output.path is not None
    tally.save(output.path, overwrite=output.force)
    if output.quiet:
        return
    for note in notes:
        click.echo(f"note: {visible(note)}", err=True)
    rows = "1 row" if tally.rows == 1 else f"{count(tally.rows)} rows"
    dropped = "".join(f", {count(n)} left out ({why.replace('_', ' ')})" for why, n in tally.dropped.items())
    size = in_words(Path(output.path).stat().st_size)
    click.echo(f"wrote {visible(output.path)}: {rows}{dropped}, {size}", err=True)
