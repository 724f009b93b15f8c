"""`tallymark validate`: how good a model is on rows it has not seen."""

from __future__ import annotations

from os.path import realpath
from typing import TYPE_CHECKING, Any

import click

from tallymark.cli import SETTINGS, examples
from tallymark.cli.failures import say
from tallymark.cli.learning import (
    check,
    check_picture,
    cut,
    finish,
    made_up,
    method_option,
    metric_option,
    model_option,
    models_named,
    picture_option,
    prepare_option,
)
from tallymark.cli.learning_data import Fitting, LearningData, data_options, target_option
from tallymark.cli.options import named_items, output_options
from tallymark.cli.output import CSV, JSON, Output, as_json
from tallymark.errors import OptionError, TallymarkError

if TYPE_CHECKING:
    from tallymark.comparison import Comparison
    from tallymark.validation.data.data_set import DataSet
    from tallymark.validation.validating.result import Validation

_MADE = made_up(200)
EXAMPLES = examples(
    f"{_MADE} | tallymark validate - --target y --model tree",
    f"{_MADE} | tallymark validate - --target y --model tree --model logistic --metric auc --compare",
    f"{_MADE} | tallymark validate - --target y --model bayes --method bootstrap:50 --json",
)
# Named here so that --help need not import what draws them; a test compares them.
KINDS = ("folds", "training", "split")
OF_SEVERAL = ("intervals", "scores")


@click.command("validate", context_settings=SETTINGS, epilog=EXAMPLES)
@click.argument("files", nargs=-1, metavar="DATA...")
@target_option
@model_option(several=True)
@prepare_option
@method_option("kfold:10")
@metric_option("What the estimate is about; more are worked out beside the first. Repeatable.")
@click.option(
    "--data",
    "data_sets",
    multiple=True,
    metavar="NAME=FILE",
    help="One of several data sets, on which all models are tried; where their columns differ, "
    "--target NAME=COL and --positive NAME=LABEL. Repeatable.",
)
@data_options
@click.option(
    "--compare", "compared", is_flag=True, help="Also say which model is better, and how sure that is."
)
@click.option(
    "--predictions",
    metavar="OUT.csv",
    help="Also write what models answered to rows they had not seen, for `tallymark evaluate` and `compare`; "
    ".csv or .parquet.",
)
@picture_option(KINDS, f"; of several data sets {', '.join(OF_SEVERAL)}")
@output_options
def command(
    *,
    files: tuple[str, ...],
    models: tuple[str, ...],
    prepare: bool,
    method: str,
    metrics: tuple[str, ...],
    data_sets: tuple[str, ...],
    data: LearningData,
    fitting: Fitting,
    compared: bool,
    predictions: str | None,
    picture: str | None,
    output: Output,
) -> None:
    """How good is a model on rows it has not seen? It is fitted on some rows of DATA (.csv, .tsv, .parquet
    and so on; - is standard input; several files are parts of one table) and tested on others, fold by
    fold, beside the baseline that always answers the most frequent class. Missing values and text are dealt
    with inside the fold, and it is said how. You get the mean over the folds with an interval that minds
    that training sets overlap, the same of all answers together, and what it was on the training rows."""
    named = named_items(data_sets, "--data", "NAME=FILE")
    check(output, metrics)
    check_picture(picture, OF_SEVERAL if named else KINDS, output)
    _check_predictions(predictions, bool(named), output)
    if bool(files) == bool(named):
        raise OptionError(
            "DATA and --data do not go together." if files else "DATA is missing.",
            hint="name a file, - for standard input, or several data sets: --data NAME=FILE.",
        )
    learners = models_named(models, prepare=prepare)
    if compared and named and len(learners) < 2:
        raise OptionError("--compare takes two models or more on several data sets; got one --model.")
    cv, groups = cut(method, data, fitting.seed)
    options = fitting.options
    read = data.read_each(named, groups) if named else data.read(files, groups)
    metric, *beside = metrics or ("accuracy",)
    costs = _costs(read, data, fitting)
    from tallymark.validation.validating.validate import validate

    found: Any = validate(learners, read, cv=cv, metric=metric, metrics=beside, **costs, **options)
    if predictions is not None:
        found.write_predictions(predictions, overwrite=output.force)
        output.say_written(predictions)
        _say_repeated(found, output)
    if not compared:
        finish(found, output, picture)
        return
    try:
        more = _with_comparison(found)
    except TallymarkError:
        finish(found, output, picture)  # what was fitted is not lost
        raise
    finish(found, output, picture, more)


def _say_repeated(found: Validation, output: Output) -> None:
    """Rows that stand in a file several times are not so many rows."""
    tested = len(next(iter(found.models.values())).rows)
    if output.quiet or tested <= found.data.rows:
        return
    from tallymark.validation.validating.outputs.predictions import id_name

    say(
        f"rows are in it several times: evaluate it with --group {id_name(found.data, {})}, and compare "
        "models by folds (--compare here), not by its rows"
    )


def _costs(read: DataSet | dict[str, DataSet], data: LearningData, fitting: Fitting) -> dict[str, Any]:
    if not isinstance(read, dict):
        return fitting.costs_of(read, stated=data.labels_stated)
    for each in read.values():
        fitting.costs_of(each, stated=data.labels_stated)
    return {"costs": fitting.costs, "labels": data.options["labels"]}


def _check_predictions(path: str | None, several: bool, output: Output) -> None:
    if path is None:
        return
    from tallymark.evaluation.saving import check_target

    if several:
        raise OptionError(
            "--predictions are of one data set; --data names several.", hint="leave one of them out."
        )
    place = check_target(path, (CSV, ".parquet"), overwrite=output.force)
    if output.path is not None and realpath(place) == realpath(output.path):
        raise OptionError("--predictions and -o name the same file.")


def _with_comparison(found: Any) -> dict[str, Any]:
    """The report and the comparison below it; in JSON it is one more key."""
    from tallymark.drawing import Document, drawn

    comparison = _comparison(found)

    def both() -> Document:
        first, second = found.document(), comparison.document()
        return Document(first.title, (*first.sections, *second.sections))

    drawings = drawn(both, lambda: found.report(comparison))
    return {**drawings, JSON: lambda: as_json({**found.to_dict(), "comparison": comparison.to_dict()})}


def _comparison(found: Any) -> Comparison:
    """Fold by fold; row by row where one fold, or folds of one row, show nothing of how much folds vary."""
    folds = getattr(found, "folds", None)
    by_rows = folds is not None and (len(folds) == 1 or all(fold.n_test == 1 for fold in folds.folds))
    comparison: Comparison = found.compare(per="rows") if by_rows else found.compare()
    return comparison
