"""`tallymark plot`: a picture."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import click

from tallymark.cli import SETTINGS, curves, examples, pictures, roc_classes
from tallymark.cli.models import Model, about_one_class, read_models
from tallymark.cli.options import confidence_option, file_options
from tallymark.cli.output import PICTURES, Output
from tallymark.cli.plain_curves import calibration_of, drawn, refuse_cut, rejection_of
from tallymark.cli.rows import Rows, row_options
from tallymark.cli.thresholds import checked_metrics, ranked_only
from tallymark.errors import OptionError

if TYPE_CHECKING:
    from tallymark.drawing.figure import Figure
    from tallymark.tallies.confusion import Share

ANSWERS = ("rejection", "calibration")
"""Kinds that are about the answers, whatever class they name."""
KINDS = (
    *("roc", "one-vs-rest", "pr", "roc+pr", "gains", "lift", "threshold", "confusion"),
    *(*ANSWERS, "cost", "decision", "distribution"),
)
OF_CLASSES = ("one-vs-rest", "roc", "roc+pr")
"""Kinds that are about all classes, or that have a sister which is."""
MOST_MATRICES = 3

EXAMPLES = examples(
    r"printf 'y,s\n1,0.9\n1,0.8\n0,0.7\n0,0.3\n' | tallymark plot roc - --actual y --score s -o roc.png",
    r"printf 'y,a,b\n1,0.9,0.7\n1,0.4,0.8\n0,0.6,0.1\n0,0.1,0.2\n' | "
    "tallymark plot roc+pr - --actual y --model first=a --model second=b -o both.svg --title 'Two models'",
    r"printf 'actual,predicted\nyes,yes\nyes,no\nno,no\n' | tallymark plot confusion - -o matrix.pdf",
)


@click.command("plot", context_settings=SETTINGS, epilog=EXAMPLES)
@click.argument("kind", metavar="KIND", type=click.Choice(KINDS))
@click.argument("files", nargs=-1, metavar="[FILE]...")
@curves.metric_option
@click.option(
    "--normalize",
    type=click.Choice(["actual", "predicted", "all"]),
    help="Of confusion: shade by the share of this. [default: actual]",
)
@click.option("--no-band", is_flag=True, help="Of roc and roc+pr: draw no confidence band.")
@confidence_option
@click.option("--title", metavar="TEXT", default="", help="Words above the picture.")
@row_options
@curves.model_option
@file_options("Write to this file: .png, .svg or .pdf.")
def command(
    *,
    kind: str,
    files: tuple[str, ...],
    metrics: tuple[str, ...],
    normalize: Share | None,
    no_band: bool,
    confidence: float,
    title: str,
    rows: Rows,
    models: tuple[str, ...],
    output: Output,
) -> None:
    """Draw KIND as a picture: roc, one-vs-rest (the ROC curve of every class), pr (precision and recall),
    roc+pr (both side by side), gains, lift, threshold (a metric against the threshold), confusion (the matrix
    as a heat map; up to three models side by side), rejection, calibration, cost (the cost curve), decision
    (the net benefit) or distribution (the scores of each class; several models side by side). The suffix of
    -o sets the format: .png, .svg or .pdf. Colours are safe for the colour-blind, and lines differ in grey
    print."""
    if output.path is None:
        hint = f"add -o {kind.replace('+', '-')}.png (or .svg, .pdf)."
        raise OptionError("a picture needs a file to be written to.", hint=hint)
    output.check(PICTURES)
    with_band = ("roc", "roc+pr")
    with_interval = (*with_band, *ANSWERS, "decision")
    for option, given, of in (
        ("--metric", metrics, ("threshold",)),
        ("--normalize", normalize, ("confusion",)),
        ("--no-band", no_band, with_band),
        ("--confidence", curves.was_given("confidence"), with_interval),
    ):
        if given and kind not in of:
            about = " and ".join((", ".join(of[:-1]), of[-1]) if len(of) > 1 else of)
            raise OptionError(f"{option} is about plot {about}, so with {kind} it would have no effect.")
    if no_band and curves.was_given("confidence"):
        raise OptionError("--confidence is that of the band, and --no-band draws none.")
    if kind in ("calibration", "cost", "decision"):
        refuse_cut(rows)
    asked = checked_metrics(metrics) if kind == "threshold" else ()
    about_one = kind not in (*ANSWERS, *OF_CLASSES, "distribution")
    of_curve = {"curve": kind != "confusion", "about_one": about_one}
    found = read_models(files, models, rows, **of_curve, confidence_level=confidence)
    draw: dict[str, Callable[[], Figure]] = {
        "roc": partial(pictures.roc, found, band=not no_band),
        "pr": partial(pictures.precision_recall, found),
        "roc+pr": partial(pictures.roc_and_precision_recall, found, band=not no_band),
        "gains": partial(pictures.gains, found),
        "lift": partial(pictures.lift, found),
        "threshold": partial(pictures.thresholds, found, asked),
        "confusion": partial(pictures.confusion, found, normalize or "actual"),
        "one-vs-rest": partial(roc_classes.figure, found[0]),
        "rejection": partial(drawn, found, rejection_of),
        "calibration": partial(drawn, found, calibration_of),
        "cost": partial(drawn, found, lambda model: model.ev.cost_curve),
        "decision": partial(drawn, found, lambda model: model.ev.decision_curve),
        "distribution": partial(pictures.distribution, found),
    }
    _check(kind, found)
    figure = draw[kind]()
    from tallymark.drawing.plots.pen import image

    titled = replace(figure, title=title)
    output.write({suffix: partial(image, titled, suffix) for suffix in PICTURES})


def _check(kind: str, models: list[Model]) -> None:
    if kind in ("roc", "roc+pr"):
        for model in models:
            about_one_class(model, "`tallymark plot one-vs-rest` draws the ROC curve of every class")
    if kind == "one-vs-rest" and len(models) > 1:
        raise OptionError(
            "a picture of all classes is of one model.", hint="draw each into a file of its own."
        )
    if kind in ("threshold", "one-vs-rest", *ANSWERS, "cost", "decision", "distribution"):
        if len(models) == 1 and models[0].answered is not None and kind == "threshold":
            raise OptionError("the answers have no threshold, so --predicted would have no effect.")
        ranked_only(models)
    elif kind != "confusion":
        curves.with_scores(models)
    elif len(models) > MOST_MATRICES:
        raise OptionError(
            f"{len(models)} matrices side by side cannot be read; at most {MOST_MATRICES} are drawn.",
            hint="draw each into a file of its own.",
        )
    else:
        for model in models:
            if model.ev.confusion is None:
                raise OptionError(
                    f"there is no matrix{f' of {model.called}' if model.name else ''}: {model.ev.why_not}.",
                    hint="--threshold T cuts the score.",
                )
