"""`tallymark tally`: the counts of rows, in a small file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from tallymark.cli import SETTINGS, examples, tally_output
from tallymark.cli.options import number
from tallymark.cli.output import Output
from tallymark.cli.rows import Rows, command_told, opened, row_options
from tallymark.errors import OptionError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tallymark.tallies.tally import Tally

_NEED_ROWS = {"votes": "votes", "id": "ids"}

EXAMPLES = examples(
    r"printf 'y,p\n1,0.9\n0,0.6\n' | tallymark tally - --actual y --score p --quiet --output part.tally && "
    "tallymark evaluate part.tally",
    r"printf 'y,s\n1,-0.5\n0,-2.5\n' | tallymark tally - --actual y --score s --approximate --grid -8:8 "
    "--quiet --output part.tally && tallymark roc part.tally --json",
)


@click.command("tally", context_settings=SETTINGS, epilog=EXAMPLES)
@click.argument("files", nargs=-1, metavar="FILE...")
@row_options
@click.option(
    "--slice",
    "slices",
    metavar="COL",
    multiple=True,
    help="Also count the rows of each value of this column; A*B for each combination. Repeatable.",
)
@click.option(
    "--clip",
    type=number,
    metavar="E",
    help="Keep probabilities so far from 0 and 1 in the log loss, such as 1e-15.",
)
@click.option(
    "--grid",
    metavar="LOW:HIGH",
    help="With --approximate: from where to where scores are counted in bins, if not from 0 to 1. The same "
    "for all parts.",
)
@tally_output.tally_options
def command(
    *,
    files: tuple[str, ...],
    rows: Rows,
    slices: tuple[str, ...],
    clip: float | None,
    grid: str | None,
    output: Output,
) -> None:
    """Count the rows in FILE, where the data is, into a small file. FILE is all that `tallymark evaluate`
    reads, and columns are named in the same way. Tallies of parts are added by `tallymark merge` and
    evaluated by `tallymark evaluate all.tally`: the numbers are those of the whole table. What is said here
    is settled, so count all parts with the same options."""
    if not files:
        raise OptionError("FILE is missing.", hint="name a file, or - for standard input.")
    tally_output.check(output, "part.tally")
    for name, what in _NEED_ROWS.items():
        if rows.options[name] is not None:
            raise OptionError(
                f"{what} need rows, and a tally holds only what they add up to.",
                hint="leave them out, or evaluate the rows themselves: `tallymark evaluate`.",
            )
    if rows.options["tolerance"] is not None:
        raise OptionError(
            "--tolerance would give every part bins of its own, and such tallies do not add up.",
            hint="leave it out.",
        )
    reach = None if grid is None else _ends(grid)
    with opened(files) as paths:
        tally, notes = _counted(rows.named(paths), rows.options, slices, clip, reach)
    names = ("standard input" if file == "-" else file for file in files)
    tally_output.write(output, tally.named(*names), notes)


for option in command.params:
    if option.name in (*_NEED_ROWS, "tolerance"):
        assert isinstance(option, click.Option)
        option.hidden = True  # taken only to say why it has no place here


def _ends(text: str) -> tuple[float, float]:
    low, colon, high = text.partition(":")
    try:
        if not colon:
            raise ValueError
        return float(low), float(high)
    except ValueError:
        raise OptionError(f"--grid: expected LOW:HIGH, such as -5:5; got {text!r}.") from None


def _counted(
    paths: Sequence[Path | str],
    options: dict[str, Any],
    slices: tuple[str, ...],
    clip: float | None,
    grid: tuple[float, float] | None,
) -> tuple[Tally, list[str]]:
    from tallymark.evaluation.tallying import counted

    given = {name: value for name, value in options.items() if name not in (*_NEED_ROWS, "tolerance")}
    with command_told():
        return counted(list(paths), slices=slices, clip=clip, grid=grid, **given)
