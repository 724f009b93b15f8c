"""`tallymark matrix`: counts alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from tallymark.cli import SETTINGS, examples
from tallymark.cli.options import comma_list, labels_of, output_options, report_options
from tallymark.cli.output import Output
from tallymark.errors import OptionError

if TYPE_CHECKING:
    from tallymark.cli.reporting import Report
    from tallymark.intake.matrices import TypedMatrix
    from tallymark.intake.square import Axis

EXAMPLES = examples(
    "tallymark matrix '150 40; 60 250' --labels +,- --costs '-1 100; 1 0'",
    "tallymark matrix '282 75; 462 4841' --labels yes,no --explain recall",
    r"printf 'actual,a,b,c\na,5,1,0\nb,2,7,1\nc,0,0,9\n' | tallymark matrix - --json",
)


@click.command("matrix", context_settings=SETTINGS, epilog=EXAMPLES)
@click.argument("matrix", nargs=-1, required=True, metavar="MATRIX")
@click.option("--labels", metavar="A,B,...", help="Labels of the rows and columns, in order.")
@click.option(
    "--positive", metavar="LABEL", help="The positive class. [default: 1 of 0/1, else the first label]"
)
@click.option(
    "--costs",
    metavar="COSTS",
    help="What each answer costs, in the order of the matrix or by names; or a file. Always rows = actual, "
    "columns = predicted, whatever --rows says, unless the file names its axes.",
)
@click.option(
    "--rows", type=click.Choice(["actual", "predicted"]), help="What the rows of MATRIX are, if not actual."
)
@report_options
@output_options
def command(
    *,
    matrix: tuple[str, ...],
    labels: str | None,
    positive: str | None,
    costs: str | None,
    rows: Axis | None,
    report: Report,
    output: Output,
) -> None:
    """Evaluate a confusion matrix: typed in quotes with a semicolon between the rows, or a .csv, .tsv,
    .json or .txt file, or - for standard input. Rows are the actual classes and columns the predicted
    ones, unless the file names them otherwise or --rows says so."""
    if len(matrix) > 1:
        raise OptionError(
            f"expected one matrix; got {len(matrix)} arguments.",
            hint="put the matrix into quotes: tallymark matrix '150 40; 60 250'.",
        )
    report.check(output)
    typed = _read(matrix[0], None if labels is None else comma_list(labels, "--labels"), rows)
    from tallymark.tallies import Confusion

    confusion = Confusion(typed.values, None if typed.labels is None else labels_of(typed.labels))
    notes = [f"{note.rstrip('.')}." for note in typed.notes]
    ev = confusion.evaluate(pos_label=positive, costs=costs, notes=notes, **report.options)
    report.write(ev, output)


def _read(matrix: str, labels: list[str] | None, rows: Axis | None) -> TypedMatrix:
    from tallymark.intake.matrices import read_counts

    if matrix != "-":
        return read_counts(matrix, labels=labels, rows=rows)
    from dataclasses import replace

    from tallymark.cli.standard_input import renamed, saved_input

    with saved_input(_suffix) as saved:
        typed = read_counts(saved, labels=labels, rows=rows)
        return replace(typed, notes=tuple(renamed(note, saved) for note in typed.notes))


def _suffix(head: bytes) -> str:
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if start.startswith((b"{", b"[")):
        return ".json"
    if not set(start) - set(b"0123456789 \t\r\n;,.+-eE"):
        return ".txt"
    return ".tsv" if b"\t" in start.partition(b"\n")[0] else ".csv"
