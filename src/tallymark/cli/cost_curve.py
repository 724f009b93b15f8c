"""`tallymark cost-curve`: the least cost whatever classes and costs will be."""

from __future__ import annotations

import click

from tallymark.cli import SETTINGS, curves, examples
from tallymark.cli.output import Output
from tallymark.cli.plain_curves import Shown
from tallymark.cli.rows import Rows

EXAMPLES = examples(
    r"printf 'y,s\n1,0.9\n1,0.8\n0,0.7\n1,0.6\n0,0.3\n' | tallymark cost-curve - --actual y --score s",
    r"printf 'y,a,b\n1,0.9,0.7\n1,0.4,0.8\n0,0.6,0.1\n0,0.1,0.2\n' | "
    "tallymark cost-curve - --actual y --model first=a --model second=b --json",
)

SHOWN = Shown("tallymark/cost_curve/1", lambda model: model.ev.cost_curve, about_one=True)


@click.command("cost-curve", context_settings=SETTINGS, epilog=EXAMPLES)
@click.argument("files", nargs=-1, metavar="[FILE]...")
@curves.curve_options
def command(*, files: tuple[str, ...], rows: Rows, models: tuple[str, ...], output: Output) -> None:
    """The cost curve of the scores in FILE (Drummond and Holte 2006): the least expected cost, as a share of
    the largest, at every mix of class shares and costs, and where that beats calling every row the same. For
    costs that are known, `tallymark decide` finds the threshold. A picture is written by -o cost.png, .svg or
    .pdf, and all points by -o cost.csv."""
    SHOWN.write(files, models, rows, output)
