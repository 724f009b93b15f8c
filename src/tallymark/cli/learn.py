"""`tallymark learn`: the learning curve."""

from __future__ import annotations

from typing import Any

import click

from tallymark.cli import SETTINGS, examples
from tallymark.cli.learning import (
    check,
    cut,
    finish,
    made_up,
    metric_option,
    model_option,
    models_named,
    one_metric,
    prepare_option,
    share,
)
from tallymark.cli.learning_data import Fitting, LearningData, data_options, target_option
from tallymark.cli.options import comma_list, number, output_options, whole
from tallymark.cli.output import Output
from tallymark.errors import OptionError

_MADE = made_up(400)
EXAMPLES = examples(
    f"{_MADE} | tallymark learn - --target y --model tree",
    f"{_MADE} | tallymark learn - --target y --model tree --model bayes --schedule 20,50,100,200 --json",
    f"{_MADE} | tallymark learn - --target y --model logistic --progressive",
)
_NAMED = ("geometric", "arithmetic")


@click.command("learn", context_settings=SETTINGS, epilog=EXAMPLES)
@click.argument("files", nargs=-1, metavar="DATA...")
@target_option
@model_option(several=True)
@prepare_option
@click.option(
    "--schedule",
    metavar="HOW",
    default="geometric",
    show_default=True,
    help="Numbers of training rows: geometric (each --factor times the last), arithmetic (each --step more), "
    "or a list: 100,200,400.",
)
@click.option(
    "--start", type=number, metavar="N", help="The smallest number of training rows, or share of them."
)
@click.option("--factor", type=number, metavar="F", help="Of the geometric schedule. [default: 2]")
@click.option("--step", type=number, metavar="N", help="Of the arithmetic schedule: rows, or a share.")
@click.option("--sizes", type=whole, metavar="N", help="How many numbers of training rows there are.")
@click.option(
    "--repeats", type=whole, metavar="N", help="How often it is all done with other rows. [default: 10]"
)
@click.option("--test-size", type=share, metavar="S", help="Share of the rows to test on. [default: 1/3]")
@click.option(
    "--method", metavar="METHOD", help="Other cuts than repeated hold-out, as in `tallymark validate`."
)
@click.option("--progressive", is_flag=True, help="Stop where more rows no longer pay.")
@click.option(
    "--tolerance",
    type=number,
    metavar="D",
    help="A gain up to this does not pay, with --progressive. [default: 0.005]",
)
@metric_option("What the curve shows.")
@data_options
@output_options
def command(
    *,
    files: tuple[str, ...],
    models: tuple[str, ...],
    prepare: bool,
    metrics: tuple[str, ...],
    method: str | None,
    data: LearningData,
    fitting: Fitting,
    output: Output,
    **given: Any,
) -> None:
    """How good does a model get with more training rows, and would more of them pay? It is fitted on ever
    more rows of DATA, each set a part of the next, and tested on the same other rows; this is repeated, and
    the curve is the mean with its deviation. DATA is a table (.csv, .tsv, .parquet and so on; - is standard
    input; several files are parts of one table)."""
    metric = one_metric(metrics)
    check(output, metrics)
    asked = schedule_given(given) | cuts_given(given, method)
    learners = models_named(models, prepare=prepare)
    groups = data.group
    if method is not None:
        asked["cv"], groups = cut(method, data, fitting.seed)
    options = fitting.options
    read = data.read(files, groups)
    costs = fitting.costs_of(read, stated=data.labels_stated)
    from tallymark.validation.learning.curve import learning_curve

    finish(learning_curve(learners, read, metric=metric, **costs, **asked, **options), output)


def schedule_given(given: dict[str, Any]) -> dict[str, Any]:
    """The numbers of training rows, as arguments."""
    how = given["schedule"]
    said = {name: given[name] for name in ("start", "factor", "step", "sizes") if given[name] is not None}
    if how in _NAMED:
        wrong = "step" if how == "geometric" else "factor"
        if wrong in said:
            raise OptionError(
                f"--{wrong} is of the {_NAMED[how == 'geometric']} schedule, and --schedule is {how}."
            )
    else:
        how = _listed(how)
        if said:
            raise OptionError(
                f"--{next(iter(said))} and a list of sizes do not go together.", hint="give one of them."
            )
    if "sizes" in said:
        said["n_sizes"] = said.pop("sizes")
    if given["tolerance"] is not None:
        if not given["progressive"]:
            raise OptionError("--tolerance says where --progressive stops: give that too.")
        said["tolerance"] = given["tolerance"]
    return {"schedule": how, "progressive": given["progressive"], **said}


def _listed(text: str) -> list[float]:
    try:
        return [number(word) for word in comma_list(text, "--schedule")]
    except click.BadParameter:
        raise OptionError(
            f"--schedule is geometric, arithmetic or a list such as 100,200,400; got {text!r}."
        ) from None


def cuts_given(given: dict[str, Any], method: str | None) -> dict[str, Any]:
    """How often, and on how many rows, each size is tested."""
    said = {"n_repeats": given["repeats"], "test_size": given["test_size"]}
    said = {name: value for name, value in said.items() if value is not None}
    if said and method is not None:
        option = "--repeats" if "n_repeats" in said else "--test-size"
        raise OptionError(
            f"{option} and --method both say which rows are tested on.", hint="give one of them."
        )
    return said
