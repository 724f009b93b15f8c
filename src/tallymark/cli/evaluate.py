"""`tallymark evaluate`: predictions in files."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

import click

from tallymark.cli import SETTINGS, examples
from tallymark.cli.options import comma_list, labels_of, named_items, output_options, report_options
from tallymark.cli.output import Output
from tallymark.errors import ColumnError, OptionError

if TYPE_CHECKING:
    from tallymark.cli.reporting import Report

EXAMPLES = examples(
    r"printf 'actual,predicted\nyes,yes\nyes,no\nno,no\n' | tallymark evaluate - --positive yes",
    r"printf 'y\tp\n1\t0.9\n0\t0.6\n0\t0.2\n' | tallymark evaluate - --delimiter tab --actual y --score p",
    r"printf 'y,p,sex,w\n1,1,f,2\n0,1,f,1\n0,0,m,1\n' | "
    "tallymark evaluate - --actual y --predicted p --weight w --slice sex",
    r"printf 'y,p\na;b,a\nb,b;c\n' | tallymark evaluate - --actual y --predicted p --set-delimiter ';'",
)


@click.command("evaluate", context_settings=SETTINGS, epilog=EXAMPLES)
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option(
    "--actual",
    metavar="COL",
    help="Column with the true classes; A,B,... for one column of 0 and 1 per label.",
)
@click.option(
    "--predicted", metavar="COL", help="Column with the answers; or as many columns as --actual has."
)
@click.option("--score", metavar="COL", help="Column with a score, higher = more positive.")
@click.option(
    "--probabilities", metavar="COL,...", help="One column per class, by name, or as LABEL=COL,LABEL=COL,..."
)
@click.option("--positive", metavar="LABEL", help="The class that recall, precision and so on are about.")
@click.option("--labels", metavar="A,B,...", help="All classes, in the order to show them in.")
@click.option(
    "--set-delimiter",
    metavar="C",
    help="What separates the labels of a row that has several: 'a;b' in one column.",
)
@click.option(
    "--empty-sets",
    type=click.Choice(["0", "1"]),
    default="1",
    show_default=True,
    help="What a row scores that has no label and was given none.",
)
@click.option("--weight", metavar="COL", help="Column with what each row counts.")
@click.option(
    "--weight-kind",
    type=click.Choice(["sampling", "frequency"]),
    default="sampling",
    show_default=True,
    help="Whether a weight of 2 is one row that stands for two, or two rows seen.",
)
@click.option(
    "--group", "groups", metavar="COL", help="Rows with the same value belong together (a patient)."
)
@click.option(
    "--slice",
    "slices",
    metavar="COL",
    multiple=True,
    help="Also evaluate the rows of each value of this column; A*B for each combination. Repeatable.",
)
@click.option("--id", metavar="COL", help="Column that tells the rows apart; checked to be unique.")
@click.option(
    "--costs", help="What each answer costs: '0 10; 1 0' in the order of --labels, JSON by names, or a file."
)
@click.option("--threshold", metavar="T", help="Cut the score here: a number, best, or best:METRIC.")
@click.option("--drop-missing", is_flag=True, help="Leave out rows with a missing value, and say so.")
@click.option("--missing", metavar="WORD", multiple=True, help="A word that means missing. Repeatable.")
@click.option("--delimiter", metavar="C", help="What separates the columns of a text file; `tab` for tabs.")
@report_options
@output_options
def command(
    *,
    files: tuple[str, ...],
    actual: str | None,
    predicted: str | None,
    probabilities: str | None,
    empty_sets: str,
    positive: str | None,
    labels: str | None,
    drop_missing: bool,
    missing: tuple[str, ...],
    report: Report,
    output: Output,
    **options: Any,
) -> None:
    """Evaluate the predictions in FILE (.csv, .tsv, .ndjson, .arff, also as .gz; .parquet, .arrow, .npz;
    what WEKA prints; - is standard input). Several files, a folder or a quoted pattern such as
    'parts/*.csv' are parts of one table. You get the matrix, every number with its interval, costs,
    and what a careful teacher would point out. Columns that are not named are guessed from their
    names, and the guess is said."""
    if options["score"] is not None and probabilities is not None:
        raise OptionError(
            "--score and --probabilities were both given.",
            hint="--score is one column for two classes, --probabilities one column per class.",
        )
    report.check(output)
    if report.explain and options["slices"]:
        raise OptionError("--explain replaces the report, so --slice would have no effect.")
    _refuse_to_replace_input(files, output)
    report.write(
        _evaluated(
            files,
            (actual, predicted),
            actual=_side(actual, "--actual"),
            predicted=_side(predicted, "--predicted"),
            empty_sets=int(empty_sets),
            probabilities=None if probabilities is None else _columns(probabilities),
            pos_label=positive,
            labels=None if labels is None else labels_of(comma_list(labels, "--labels")),
            missing="drop" if drop_missing else "error",
            missing_words=missing,
            **options,
            **report.options,
        ),
        output,
    )


def _side(text: str | None, option: str) -> str | list[str] | None:
    """One column, or several that are one label each; a name that has a comma stands in double quotes."""
    if text is None or "," not in text:
        return text
    columns = comma_list(text, option)
    return columns[0] if len(columns) == 1 else columns


def _refuse_to_replace_input(files: tuple[str, ...], output: Output) -> None:
    from pathlib import Path

    if output.path is not None and Path(output.path).resolve() in [Path(file).resolve() for file in files]:
        raise OptionError(f"-o {output.path} would replace the data.", hint="name another file.")


def _columns(text: str) -> list[str] | dict[Any, str]:
    items = comma_list(text, "--probabilities")
    if not any("=" in item for item in items):
        return _checked(items)
    named = named_items(items, "--probabilities", "LABEL=COLUMN")
    return dict(zip(labels_of(list(named)), _checked(list(named.values())), strict=True))


def _checked(columns: list[str]) -> list[str]:
    if len(columns) == 1:
        raise OptionError(f"one probability column is a score: use --score {shlex.quote(columns[0])}.")
    for place, column in enumerate(columns):
        if column in columns[:place]:
            raise OptionError(f"column {column!r} is named twice in --probabilities.")
    return columns


def _evaluated(files: tuple[str, ...], typed: tuple[str | None, ...], **options: Any) -> Any:
    try:
        return _read(files, **options)
    except ColumnError as problem:
        # What was taken for several columns may be the name of one.
        whole = next((text for text in typed if text and "," in text and repr(text) in problem.message), None)
        if whole is not None:
            problem.hint = f"a name that has a comma stands in double quotes: '\"{whole}\"'."
        raise


def _read(files: tuple[str, ...], **options: Any) -> Any:
    from pathlib import Path

    from tallymark.evaluation import evaluate

    if "" in files:
        raise OptionError("no file was named: FILE is empty.")
    if "-" not in files:
        return evaluate([Path(file) for file in files], **options)
    if files.count("-") > 1:
        raise OptionError("- (standard input) was given more than once, but it can be read only once.")
    from tallymark.cli.standard_input import saved_input
    from tallymark.intake.files.gzipped import suffix_for

    with saved_input(suffix_for) as saved:
        return evaluate([saved if file == "-" else Path(file) for file in files], **options)
