"""`tallymark permute`: has the model learned anything?"""

from __future__ import annotations

from typing import Any

import click

from tallymark.cli import SETTINGS, examples
from tallymark.cli.learning import (
    check,
    cut,
    finish,
    grid,
    made_up,
    method_option,
    metric_option,
    model_option,
    one_metric,
    one_model,
    param_option,
    prepare_option,
)
from tallymark.cli.learning_data import Fitting, LearningData, data_options, target_option
from tallymark.cli.options import output_options
from tallymark.cli.output import Output
from tallymark.errors import OptionError

_MADE = made_up(100)
EXAMPLES = examples(
    f"{_MADE} | tallymark permute - --target y --model bayes",
    f"{_MADE} | tallymark permute - --target y --model tree --param max_depth=1,2 --permutations 19 --json",
    f"{_MADE} | tallymark permute - --target y --model bayes --permutations 10000 --early-stop",
)


@click.command("permute", context_settings=SETTINGS, epilog=EXAMPLES)
@click.argument("files", nargs=-1, metavar="DATA...")
@target_option
@model_option(several=False)
@prepare_option
@click.option(
    "--permutations",
    type=int,
    metavar="N",
    default=200,
    show_default=True,
    help="How often the classes are shuffled and the model is fitted again; with --early-stop, at most.",
)
@click.option(
    "--early-stop",
    is_flag=True,
    help="Stop when it is clear on which side of 1 - confidence the p-value of all permutations is; wrong in "
    "at most 1 of 1,000 tests.",
)
@click.option(
    "--permute",
    type=click.Choice(["training", "all"]),
    help="Whose classes are shuffled. [default: those of the training rows; all where rows are tested on "
    "several times]",
)
@param_option("Values of a parameter to choose from, with shuffled classes as with the true ones.")
@method_option("holdout:1/3")
@metric_option("The number that is tested.")
@data_options
@output_options
def command(
    *,
    files: tuple[str, ...],
    models: tuple[str, ...],
    prepare: bool,
    permutations: int,
    early_stop: bool,
    permute: Any,
    params: tuple[str, ...],
    method: str,
    metrics: tuple[str, ...],
    data: LearningData,
    fitting: Fitting,
    output: Output,
) -> None:
    """Has the model learned anything, or could chance do as well? The classes of the training rows are
    shuffled, so that there is nothing to learn, and all is done again: choosing parameters, fitting, and the
    test on rows whose classes were left alone. The p-value is the share of such runs, the true one among
    them, that are as good. DATA is a table (.csv, .tsv, .parquet and so on; - is standard input; several
    files are parts of one table)."""
    metric = one_metric(metrics)
    check(output, metrics)
    if permutations < 1:
        raise OptionError(
            f"--permutations {permutations} compares with nothing; a number from 1 up is expected."
        )
    values = grid(params)
    model = one_model(models, "permute", prepare=prepare)
    cv, groups = cut(method, data, fitting.seed)
    options = fitting.options
    read = data.read(files, groups)
    costs = fitting.costs_of(read, stated=data.labels_stated)
    from tallymark.validation.permutation.permute import permutation_test

    found = permutation_test(
        model,
        read,
        cv=cv,
        n_permutations=permutations,
        early_stop=early_stop,
        permute=permute,
        param_grid=values or None,
        metric=metric,
        **costs,
        **options,
    )
    finish(found, output)
