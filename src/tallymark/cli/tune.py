"""`tallymark tune`: the best parameters, and how good they really are."""

from __future__ import annotations

from typing import Any

import click

from tallymark.cli import SETTINGS, examples
from tallymark.cli.learning import (
    check,
    check_picture,
    finish,
    grid,
    made_up,
    metric_option,
    model_option,
    models_named,
    one_metric,
    param_option,
    parameters,
    picture_option,
    prepare_option,
    share,
)
from tallymark.cli.learning_data import Fitting, LearningData, data_options, target_option
from tallymark.cli.options import output_options
from tallymark.cli.output import Output
from tallymark.errors import OptionError

_MADE = made_up(200)
EXAMPLES = examples(
    f"{_MADE} | tallymark tune - --target y --model tree --param max_depth=1,2,4,8",
    f"{_MADE} | tallymark tune - --target y --model knn --method three-way --json",
)
# Named here so that --help need not import what draws them; a test compares them.
KINDS = ("search", "optimism")
_METHODS = "nested, nested:OUTERxINNER, three-way or three-way:VALIDATION,TEST"


@click.command("tune", context_settings=SETTINGS, epilog=EXAMPLES)
@click.argument("files", nargs=-1, metavar="DATA...")
@target_option
@model_option(several=True)
@prepare_option
@param_option(
    "Values of a parameter to try; of several models, MODEL.NAME=... [default: what suits the model]"
)
@click.option(
    "--random",
    type=int,
    metavar="N",
    help="Try so many combinations drawn at random instead of all; a --param may then be a range, "
    "uniform:LOW,HIGH or log:LOW,HIGH.",
)
@click.option(
    "--method",
    metavar="METHOD",
    default="nested:5x5",
    show_default=True,
    help="nested:OUTERxINNER chooses by cross-validation inside the training rows of each outer fold; "
    "three-way:VALIDATION,TEST sets such shares of the rows apart, once.",
)
@click.option(
    "--early-stop",
    is_flag=True,
    help="Give up candidates that cannot become the best any more, which changes no choice; and draw at most "
    "59 at random, of which the best is, in 95 % of searches, among the best 5 % of what can be drawn.",
)
@metric_option("The number to choose by.")
@data_options
@picture_option(KINDS)
@output_options
def command(
    *,
    files: tuple[str, ...],
    models: tuple[str, ...],
    prepare: bool,
    params: tuple[str, ...],
    random: int | None,
    method: str,
    early_stop: bool,
    metrics: tuple[str, ...],
    data: LearningData,
    fitting: Fitting,
    picture: str | None,
    output: Output,
) -> None:
    """Which parameters are best, and how good is the model with them? The best of many looks better than it
    is, so it is measured on rows that took no part in choosing it, and the difference, the optimism, is
    said. DATA is a table (.csv, .tsv, .parquet and so on; - is standard input; several files are parts of
    one table)."""
    metric = one_metric(metrics)
    check(output, metrics)
    check_picture(picture, KINDS, output)
    asked = method_given(method)
    values = _values(params, random)
    learners = models_named(models, prepare=prepare)
    asked |= _candidates(values, random, learners)
    options = fitting.options
    read = data.read(files, data.group)
    costs = fitting.costs_of(read, stated=data.labels_stated)
    from tallymark.validation.tuning.tune import tune

    found = tune(learners, read, metric=metric, early_stop=early_stop, **costs, **asked, **options)
    finish(found, output, picture)


def method_given(text: str) -> dict[str, Any]:
    """How the choice and its test are kept apart."""
    name, colon, sizes = text.partition(":")
    match name:
        case "nested":
            return {"method": name, **(_nested(sizes, text) if colon else {})}
        case "three-way":
            return {"method": name, **(_three_way(sizes, text) if colon else {})}
    raise OptionError(f"--method is {_METHODS}; got {text!r}.")


def _nested(sizes: str, text: str) -> dict[str, int]:
    outer, times, inner = sizes.partition("x")
    if not (outer.isdecimal() and (inner.isdecimal() or not times)):
        raise OptionError(f"--method {text}: expected nested:OUTERxINNER, such as nested:10x5.")
    return {"cv": int(outer), **({"inner_cv": int(inner)} if times else {})}


def _three_way(sizes: str, text: str) -> dict[str, float]:
    parts = sizes.split(",")
    if len(parts) != 2:
        raise OptionError(f"--method {text}: expected three-way:VALIDATION,TEST, such as three-way:0.2,0.2.")
    try:
        validation, test = map(share, parts)
    except click.BadParameter as problem:
        raise OptionError(f"--method {text}: {problem.message}") from None
    if validation + test >= 1:
        raise OptionError(f"--method {text} leaves no rows to train on.")
    return {"validation_size": validation, "test_size": test}


def _values(params: tuple[str, ...], random: int | None) -> dict[str, Any]:
    if random is None:
        return dict(grid(params))
    if random < 1:
        raise OptionError(f"--random {random} tries nothing; a number from 1 up is expected.")
    if not params:
        raise OptionError("--random draws from the values of --param, and there are none.")
    return dict(parameters(params))


def _candidates(values: dict[str, Any], random: int | None, models: dict[str, Any]) -> dict[str, Any]:
    """What is tried with each model; of several, MODEL.NAME tells whose parameter it is."""
    of_models: dict[str, dict[str, Any]] = {}
    for name, given in values.items():
        owner = next((model for model in models if name.startswith(f"{model}.")), None)
        if owner is None and len(models) > 1:
            first = next(iter(models))
            raise OptionError(
                f"--param {name} does not say of which model it is.", hint=f"write {first}.{name}=..."
            )
        short = name if owner is None else name.removeprefix(f"{owner}.")
        of_models.setdefault(owner or next(iter(models)), {})[short] = given
    if random is None:
        return {"param_grid": of_models or None}
    return {"param_distributions": of_models, "n_iter": random}
