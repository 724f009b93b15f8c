"""`tallymark merge`: tallies added up."""

from __future__ import annotations

import click

from tallymark.cli import SETTINGS, examples, tally_output
from tallymark.cli.output import Output
from tallymark.cli.rows import opened
from tallymark.errors import OptionError

EXAMPLES = examples(
    r"printf 'actual,predicted\n1,1\n0,1\n' | tallymark tally - --quiet --output a.tally && "
    r"printf 'actual,predicted\n0,0\n1,0\n' | tallymark tally - --quiet --output b.tally && "
    "tallymark merge a.tally b.tally --quiet --output all.tally && tallymark evaluate all.tally",
)


@click.command("merge", context_settings=SETTINGS, epilog=EXAMPLES)
@click.argument("files", nargs=-1, metavar="FILE...")
@click.option(
    "--memory",
    metavar="SIZE",
    help="How much memory exact scores may take, such as 2GB; by default half of the machine's.",
)
@tally_output.tally_options
def command(*, files: tuple[str, ...], memory: str | None, output: Output) -> None:
    """Add up tallies that `tallymark tally` wrote. FILE is a .tally file, a quoted pattern such as
    'parts/*.tally', or a folder that holds them. The sum is the tally of all rows, as if they had been
    counted at once; tallies that were counted with other options are refused. `tallymark evaluate` also
    takes several tallies, without a file for their sum."""
    if not files:
        raise OptionError("FILE is missing.", hint="name the tallies to add, such as part-*.tally.")
    tally_output.check(output, "all.tally")
    from tallymark.evaluation.tally_files import add_files, tally_list

    with opened(files) as given:
        paths, notes = tally_list(given)
        tally, said = add_files(paths, memory)
    tally_output.write(output, tally, notes + said)
