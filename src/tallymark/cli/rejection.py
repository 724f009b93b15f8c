"""`tallymark rejection`: what a model gains when unclear rows are rejected."""

from __future__ import annotations

import click

from tallymark.cli import SETTINGS, curves, examples
from tallymark.cli.options import confidence_option
from tallymark.cli.output import Output
from tallymark.cli.plain_curves import Shown, rejection_of
from tallymark.cli.rows import Rows

EXAMPLES = examples(
    r"printf 'y,s\n1,0.9\n1,0.8\n0,0.7\n1,0.6\n0,0.3\n' | tallymark rejection - --actual y --score s",
    r"printf 'y,a,b,c\na,0.7,0.2,0.1\nb,0.5,0.4,0.1\nc,0.1,0.1,0.8\n' | "
    "tallymark rejection - --actual y --probabilities a,b,c --json",
    r"printf 'y,s\n1,2.5\n1,-0.3\n0,0.4\n0,-3\n' | "
    "tallymark rejection - --actual y --score s --threshold 0",
)

SHOWN = Shown("tallymark/rejection/1", rejection_of, about_one=False, takes_cut=True)


@click.command("rejection", context_settings=SETTINGS, epilog=EXAMPLES)
@click.argument("files", nargs=-1, metavar="[FILE]...")
@confidence_option
@curves.curve_options
def command(
    *, files: tuple[str, ...], rows: Rows, models: tuple[str, ...], confidence: float, output: Output
) -> None:
    """Reject a row when its best class is not ahead of the second best by at least theta, and follow which
    share of the rest is right: from one probability per class (with --positive, of that class against the
    rest), or from one score (with decision values and a --threshold, the distance from it). What it costs to
    reject is weighed by `tallymark decide --reject-cost`. A picture is written by -o rejection.png, .svg or
    .pdf, and all points by -o rejection.csv."""
    SHOWN.write(files, models, rows, output, confidence_level=confidence)
