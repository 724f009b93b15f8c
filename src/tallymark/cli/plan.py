"""`tallymark plan`: how many rows a test set needs, and what a given one can tell."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from tallymark.cli import SETTINGS, examples
from tallymark.cli.options import confidence_option, number, output_options
from tallymark.cli.output import DRAWN, JSON, Output, as_json

if TYPE_CHECKING:
    from tallymark.drawing import Document

EXAMPLES = examples(
    "tallymark plan --half-width 0.01",
    "tallymark plan --half-width 0.05 --expected 0.9 --metric recall --prevalence 0.1",
    "tallymark plan --half-width 0.02 --expected 0.8 --rows-per-group 20 --icc 0.1",
    "tallymark plan --difference 0.02 --expected 0.85 --power 0.9",
    "tallymark plan --difference 0.02 --expected 0.85 --disagreement 0.1",
    "tallymark plan --rows 1000 --expected 0.85",
    "tallymark plan --rows 1000 --difference 0.03 --disagreement 0.1 --json",
)


@click.command("plan", context_settings=SETTINGS, epilog=EXAMPLES)
@click.option(
    "--half-width",
    type=number,
    metavar="WIDTH",
    help="Ask how many rows make the interval twice this long.",
)
@click.option(
    "--difference",
    type=number,
    metavar="AMOUNT",
    help="Ask how many rows tell two models apart, the second better by this (negative: worse).",
)
@click.option(
    "--rows",
    type=number,
    metavar="N",
    help="Ask what so many rows can tell; with --difference, how surely they find it.",
)
@click.option(
    "--expected",
    type=number,
    metavar="SHARE",
    help="The value you expect (of the first model). [default: the worst case, 0.5]",
)
@click.option(
    "--metric",
    metavar="NAME",
    default="accuracy",
    show_default=True,
    help="What is measured: any metric that is a share of rows.",
)
@click.option(
    "--prevalence",
    type=number,
    metavar="SHARE",
    help="Share of rows that are actual positives, for recall, specificity, fpr, fnr.",
)
@click.option(
    "--predicted-positive-rate",
    type=number,
    metavar="SHARE",
    help="Share of rows that are predicted positives, for precision, npv, fdr.",
)
@click.option(
    "--power",
    type=number,
    metavar="SHARE",
    help="How often a difference that exists is to be found. [default: 0.8]",
)
@click.option("--paired", is_flag=True, help="Both models answer the same rows.")
@click.option(
    "--disagreement",
    type=number,
    metavar="SHARE",
    help="Share of the same rows that exactly one of two models gets right; implies --paired.",
)
@click.option(
    "--rows-per-group", type=number, metavar="N", help="How many rows come from one group, such as a patient."
)
@click.option("--icc", type=number, metavar="R", help="Correlation of two rows of one group, from 0 to 1.")
@confidence_option
@output_options
def command(*, confidence: float, output: Output, **given: Any) -> None:
    """How many rows a test set needs, or what a given one can tell. Ask one of three questions: how many
    rows give an interval of some --half-width, how many find a --difference between two models, or what
    can be told from so many --rows."""
    output.check((JSON, *DRAWN))
    from tallymark.drawing import drawn
    from tallymark.planning import plan

    made = plan(confidence_level=confidence, **given)

    def report() -> Document:
        return replace(made.document(), title="How many rows a test set needs")

    output.write({**drawn(made.document, report), JSON: lambda: as_json(made.to_dict())})
