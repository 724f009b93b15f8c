"""`tallymark evaluate`: predictions in files."""

from __future__ import annotations

import functools
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from tallymark.cli import SETTINGS, examples
from tallymark.cli.metrics_file import check_metrics_file, metrics_file_option, write_metrics_file
from tallymark.cli.models import read_models
from tallymark.cli.options import Command, number, output_options, report_options, with_options
from tallymark.cli.output import Output
from tallymark.cli.rows import Rows, row_options
from tallymark.errors import OptionError

if TYPE_CHECKING:
    from tallymark.cli.reporting import Report

EXAMPLES = examples(
    r"printf 'actual,predicted\nyes,yes\nyes,no\nno,no\n' | tallymark evaluate - --positive yes",
    r"printf 'y\tp\n1\t0.9\n0\t0.6\n0\t0.2\n' | tallymark evaluate - --delimiter tab --actual y --score p",
    r"printf 'y,p,sex,w\n1,1,f,2\n0,1,f,1\n0,0,m,1\n' | "
    "tallymark evaluate - --actual y --predicted p --weight w --slice sex",
    r"printf 'y,p\na;b,a\nb,b;c\n' | tallymark evaluate - --actual y --predicted p --set-delimiter ';'",
)


_EVALUATING = (
    click.option("--set-delimiter", metavar="C",
                 help="What separates the labels of a row that has several: 'a;b' in one column. Or name one "
                 "column of 0 and 1 per label: --actual A,B,... --predicted PA,PB,..."),
    click.option("--empty-sets", type=click.Choice(["0", "1"]), default="1", show_default=True,
                 help="What a row scores that has no label and was given none."),
    click.option("--slice", "slices", metavar="COL", multiple=True,
                 help="Also evaluate the rows of each value of this column; A*B for each combination. "
                 "Repeatable."),
    click.option("--costs", metavar="COSTS",
                 help="What each answer costs: '0 10; 1 0' in the order of --labels, JSON by "
                 "names, or a file."),
    click.option("--clip", type=number, metavar="E",
                 help="Keep probabilities so far from 0 and 1 in the log loss, such as 1e-15; otherwise it "
                 "is infinite when a row gave its class probability 0."),
)  # fmt: skip


def evaluating_options(function: Command) -> Command:
    """Gather what is known of the rows besides their columns into one `evaluating` argument."""

    @functools.wraps(function)
    def gathered(
        *,
        set_delimiter: str | None,
        empty_sets: str,
        slices: tuple[str, ...],
        costs: str | None,
        clip: float | None,
        **others: Any,
    ) -> None:
        evaluating = {
            "set_delimiter": set_delimiter,
            "empty_sets": int(empty_sets),
            "slices": slices,
            "costs": costs,
            "clip": clip,
        }
        function(evaluating=evaluating, **others)

    return with_options(_EVALUATING, gathered)


@click.command("evaluate", context_settings=SETTINGS, epilog=EXAMPLES)
@click.argument("files", nargs=-1, metavar="[FILE]...")
@click.option(
    "--model",
    "models",
    multiple=True,
    metavar="NAME=FILE",
    help="Evaluate several models, each on its own; after FILE, NAME=COLUMN with answers or scores. "
    "`tallymark compare` says which is better. Repeatable.",
)
@row_options
@evaluating_options
@report_options
@metrics_file_option
@output_options
def command(
    *,
    files: tuple[str, ...],
    models: tuple[str, ...],
    rows: Rows,
    evaluating: dict[str, Any],
    report: Report,
    metrics_file: str | None,
    output: Output,
) -> None:
    """Evaluate the predictions in FILE (.csv, .tsv, .ndjson, .arff, also as .gz; .parquet, .arrow, .npz;
    what WEKA prints; - is standard input). Several files, a folder or a quoted pattern such as
    'parts/*.csv' are parts of one table; so are .tally files, into which `tallymark tally` counts rows.
    You get the matrix, every number with its interval, costs, and what a careful teacher would point out.
    Columns that are not named are guessed from their names, and the guess is said."""
    report.check(output)
    check_metrics_file(metrics_file, report, output)
    if report.explain and evaluating["slices"]:
        raise OptionError("--explain replaces the report, so --slice would have no effect.")
    if report.explain and models:
        raise OptionError("--explain shows one model; --model names several.", hint="leave one of them out.")
    options = evaluating | report.options
    if models:
        named = read_models(files, models, rows, curve=False, **options)
        evs = {model.name: replace(model.ev, notes=model.notes) for model in named}
        report.write_each(evs, output)
        write_metrics_file(metrics_file, evs, report, output)
        return
    if not files:
        raise OptionError(
            "FILE is missing.", hint="name a file, - for standard input, or models: --model NAME=FILE."
        )
    ev = rows.evaluated(files, **options)
    report.write(ev, output)
    write_metrics_file(metrics_file, {"": ev}, report, output)
