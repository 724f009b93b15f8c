"""`tallymark calibration`: whether probabilities can be taken at their word."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from tallymark.cli import SETTINGS, curves, examples
from tallymark.cli.options import confidence_option, number
from tallymark.cli.output import Output
from tallymark.cli.plain_curves import Shown, calibration_of, one_of_many
from tallymark.cli.rows import Rows
from tallymark.errors import OptionError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tallymark.cli.models import Model
    from tallymark.drawing import Section
    from tallymark.findings import Finding
    from tallymark.inference.recalibration.gain import Recalibration
    from tallymark.metrics.calibration import Strategy

EXAMPLES = examples(
    r"printf 'y,s\n1,0.9\n1,0.8\n0,0.7\n1,0.6\n0,0.3\n' | tallymark calibration - --actual y --score s",
    r"printf 'y,a,b,c\na,0.7,0.2,0.1\nb,0.5,0.4,0.1\nc,0.1,0.1,0.8\n' | "
    "tallymark calibration - --actual y --probabilities a,b,c --bins 5 --strategy mass --json",
)


@click.command("calibration", context_settings=SETTINGS, epilog=EXAMPLES)
@click.argument("files", nargs=-1, metavar="[FILE]...")
@click.option(
    "--bins", type=number, metavar="N", default="10", show_default=True, help="How many bins there are."
)
@click.option(
    "--strategy",
    type=click.Choice(["width", "mass"]),
    default="width",
    show_default=True,
    help="Whether bins are equally wide, or hold equally many rows.",
)
@confidence_option
@curves.curve_options
def command(
    *,
    files: tuple[str, ...],
    bins: float,
    strategy: Strategy,
    rows: Rows,
    models: tuple[str, ...],
    confidence: float,
    output: Output,
) -> None:
    """Whether the probabilities in FILE come true as often as they say: the observed share in every bin with
    its interval, the expected and the largest calibration error, the Brier score and its parts, a test, and
    what recalibration would gain on rows that it was not fitted to. With more than two classes it is about
    the probability of the answer, unless --positive names a class. A picture is written by -o
    calibration.png, .svg or .pdf, and all bins by -o calibration.csv."""
    from tallymark.metrics.calibration import MOST_BINS

    if not isinstance(bins, int) or not 1 <= bins <= MOST_BINS:
        raise OptionError(f"--bins: expected a whole number from 1 to {MOST_BINS:,}; got {bins}.")
    shown = Shown(
        "tallymark/calibration/1",
        lambda model: calibration_of(model, bins, strategy),
        about_one=False,
        more=_recalibrated,
        also=_about_recalibration,
        found=_finding,
    )
    shown.write(files, models, rows, output, confidence_level=confidence)


def _recalibration(model: Model) -> Recalibration:
    if not one_of_many(model):
        return model.ev.recalibration
    from tallymark.inference.recalibration.gain import recalibration_of

    known = model.ev.curves.probabilities
    return recalibration_of(known.scores, known.level, known.groups, known.share, seed=model.ev.seed)


def _recalibrated(model: Model) -> dict[str, Any]:
    return {"recalibration": _recalibration(model).to_dict()}


def _about_recalibration(model: Model) -> Sequence[Section]:
    return _recalibration(model).document().sections


def _finding(model: Model) -> Finding | None:
    from tallymark.findings import miscalibrated

    return None if one_of_many(model) else miscalibrated.check(model.ev)
