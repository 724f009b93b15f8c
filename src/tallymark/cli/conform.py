"""`tallymark conform`: tallymark and other libraries against exact answers."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from tallymark.cli import SETTINGS, examples
from tallymark.cli.options import output_options
from tallymark.cli.output import CSV, DRAWN, JSON, Output, as_json

if TYPE_CHECKING:
    from tallymark.drawing import Document

# Named here so that --help need not read the vectors; a test compares them.
TOPICS = (
    "rates",
    "classes",
    "labels",
    "weights",
    "ranking",
    "probabilities",
    "sets",
    "costs",
    "intervals",
    "comparisons",
)

EXAMPLES = examples(
    "tallymark conform",
    "tallymark conform sklearn --topic ranking",
    "tallymark conform scipy statsmodels --topic comparisons --show all",
    "tallymark conform all --topic rates -o conformance.html",
    "tallymark conform pycm --topic classes --json",
)


@click.command("conform", context_settings=SETTINGS, epilog=EXAMPLES)
@click.argument("peers", nargs=-1, metavar="[LIBRARY]...")
@click.option(
    "--topic",
    "topics",
    type=click.Choice(TOPICS),
    multiple=True,
    help="Ask only questions of this topic. Repeatable.",
)
@click.option(
    "--show",
    type=click.Choice(["differences", "all"]),
    default="differences",
    show_default=True,
    help="List the questions to which somebody gives another answer, or all.",
)
@output_options
def command(*, peers: tuple[str, ...], topics: tuple[str, ...], show: str, output: Output) -> None:
    """Ask questions whose exact answers are known (ties, nothing to divide by, one class, odd labels,
    weights, ends of intervals, tests without a difference) and say who gives what, and why it matters.

    tallymark is asked, and every LIBRARY that is named: sklearn, torchmetrics, pycm, mlxtend, statsmodels,
    scipy, imblearn, or all that are installed. The exit code is 1 when tallymark itself gives another
    answer; what the others give never changes it."""
    output.check((JSON, CSV, *DRAWN))
    from tallymark.conformance import conform
    from tallymark.conformance.description import TITLE
    from tallymark.conformance.result import COLUMNS
    from tallymark.drawing import csv, drawn

    found = conform(peers, topics=topics)

    def describe() -> Document:
        return found.document(every=show == "all")

    output.write({
        **drawn(describe, lambda: replace(describe(), title=TITLE)),
        JSON: lambda: as_json(found.to_dict()),
        CSV: lambda: csv(COLUMNS, found.rows()),
    })  # fmt: skip
    if not found.passed:
        raise click.exceptions.Exit(1)
