"""`tallymark decision-curve`: net benefit."""

from __future__ import annotations

import click

from tallymark.cli import SETTINGS, curves, examples
from tallymark.cli.options import confidence_option
from tallymark.cli.output import Output
from tallymark.cli.plain_curves import Shown
from tallymark.cli.rows import Rows

EXAMPLES = examples(
    r"printf 'y,s\n1,0.9\n1,0.8\n0,0.7\n1,0.6\n0,0.3\n' | tallymark decision-curve - --actual y --score s",
    r"printf 'y,a,b\n1,0.9,0.7\n1,0.4,0.8\n0,0.6,0.1\n0,0.1,0.2\n' | "
    "tallymark decision-curve - --actual y --model first=a --model second=b --json",
)

SHOWN = Shown("tallymark/decision_curve/1", lambda model: model.ev.decision_curve, about_one=True)


@click.command("decision-curve", context_settings=SETTINGS, epilog=EXAMPLES)
@click.argument("files", nargs=-1, metavar="[FILE]...")
@confidence_option
@curves.curve_options
def command(
    *, files: tuple[str, ...], rows: Rows, models: tuple[str, ...], confidence: float, output: Output
) -> None:
    """The decision curve of the probabilities in FILE (Vickers and Elkin 2006): the net benefit of acting on
    rows whose probability reaches the threshold at which one would act, against acting on all rows and on
    none. A picture is written by -o decision.png, .svg or .pdf, and all points by -o decision.csv."""
    SHOWN.write(files, models, rows, output, confidence_level=confidence)
