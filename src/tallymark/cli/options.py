"""Options that commands share, and the words people put into them."""

from __future__ import annotations

import csv
import functools
from collections.abc import Callable, Sequence
from typing import Any

import click

from tallymark.cli.output import JSON, LATEX, Output, refuse_to_replace_inputs
from tallymark.errors import OptionError

Command = Callable[..., None]


def number(text: str) -> int | float:
    """A number; whole ones stay exact."""
    try:
        return int(text)
    except ValueError:
        pass
    try:
        found = float(text)
    except ValueError:
        raise click.BadParameter(f"expected a number; got {text!r}.") from None
    return int(found) if found.is_integer() else found


def whole(text: str) -> int:
    """A whole number from 0 up."""
    try:
        found = int(text)
    except ValueError:
        found = -1
    if found < 0:
        raise click.BadParameter(f"expected a whole number from 0 up; got {text!r}.")
    return found


def zero(text: str) -> float:
    """The one number that undefined classes may count as."""
    if text != "0":
        raise click.BadParameter(f"expected 0; got {text!r}.")
    return 0.0


confidence_option = click.option(
    "--confidence",
    type=number,
    metavar="LEVEL",
    default="0.95",
    show_default=True,
    help="Confidence level of the intervals.",
)

seed_option = click.option(
    "--seed", type=whole, metavar="N", default="0", show_default=True, help="Seed of the random draws."
)
prevalence_option = click.option(
    "--prevalence",
    metavar="SHARE",
    help="Other class shares: one for the positive class (all others keep their proportions), or "
    "LABEL=SHARE,...",
)
undefined_option = click.option(
    "--undefined",
    type=zero,
    metavar="0",
    help="Count classes with an undefined number as 0 in averages.",
)

_OUTPUT = (
    click.option("--json", "as_json", is_flag=True, help="Write one JSON document and nothing else."),
    click.option(
        "-o",
        "--output",
        "path",
        metavar="OUT",
        help="Write to this file, in the format of its suffix: .html (a page with pictures) .txt .md .tex "
        ".json; tables also .csv, and what can be drawn .png .svg .pdf.",
    ),
    click.option("--force", is_flag=True, help="Replace the file if it exists."),
    click.option("--quiet", is_flag=True, help="On standard error, say only what is wrong."),
)


def output_options(function: Command) -> Command:
    """Gather where the result goes into one `output` argument."""

    @functools.wraps(function)
    def gathered(
        *, as_json: bool, path: str | None, force: bool, quiet: bool, latex: bool = False, **others: Any
    ) -> None:
        if as_json and latex:
            raise OptionError(
                "--json and --latex were both given.", hint="the JSON document holds the LaTeX."
            )
        flag = JSON if as_json else LATEX if latex else None
        called(function, Output(flag, path, force, quiet), others)

    return with_options(_OUTPUT, gathered)


def called(function: Command, output: Output, others: dict[str, Any]) -> None:
    """The command itself; a quiet one shows no progress."""
    refuse_to_replace_inputs()
    if not output.quiet:
        function(output=output, **others)
        return
    from tallymark.inference.progress import hidden

    with hidden():
        function(output=output, **others)


def file_options(help: str, default: str | None = None) -> Callable[[Command], Command]:
    """Gather where a file goes, for commands that write nothing else, into one `output` argument."""
    path = click.option(
        *("-o", "--output", "path"), metavar="OUT", default=default, show_default=True, help=help
    )

    def gathering(function: Command) -> Command:
        @functools.wraps(function)
        def gathered(*, path: str | None, force: bool, quiet: bool, **others: Any) -> None:
            called(function, Output(None, path, force, quiet), others)

        return with_options((path, *_OUTPUT[2:]), gathered)

    return gathering


def with_options(options: Sequence[Callable[[Command], Command]], function: Command) -> Command:
    """A command with the options, listed in their order."""
    for option in reversed(options):
        function = option(function)
    return function


_REPORT = (
    click.option("--metric", "metrics", multiple=True, metavar="NAME",
                 help="Add a number, such as f_beta:2. Repeatable."),
    click.option("--explain", multiple=True, metavar="NAME",
                 help="Show how this number comes about, instead of the report. Repeatable."),
    click.option("--normalize", type=click.Choice(["actual", "predicted", "all"]),
                 help="Show the matrix in percent of its rows, its columns or the whole."),
    prevalence_option,
    undefined_option,
    confidence_option,
    seed_option,
)  # fmt: skip


def report_options(function: Command) -> Command:
    """Gather what is asked of an evaluation into one `report` argument."""

    @functools.wraps(function)
    def gathered(
        *,
        metrics: tuple[str, ...],
        explain: tuple[str, ...],
        normalize: str | None,
        prevalence: str | None,
        undefined: float | None,
        confidence: float,
        seed: int,
        **others: Any,
    ) -> None:
        from tallymark.cli.reporting import Report

        report = Report(metrics, explain, normalize, prevalence, undefined, confidence, seed)
        function(report=report, **others)

    return with_options(_REPORT, gathered)


# --- lists on the command line ---------------------------------------------------------------


def comma_list(text: str, option: str) -> list[str]:
    """The items of a list; one that holds a comma is written in double quotes."""
    try:
        lines = list(csv.reader(text.splitlines(keepends=True), strict=True, skipinitialspace=True))
    except csv.Error as problem:
        raise OptionError(f"{option}: {problem} in {text!r}.", hint=_QUOTES) from problem
    if len(lines) > 1:
        raise OptionError(f"{option} holds more than one line: {text!r}.", hint=_QUOTES)
    items = lines[0] if lines else []
    if not items or "" in items:
        raise OptionError(
            f"{option} has an empty item: {text!r}.", hint="separate the items by single commas."
        )
    return items


_QUOTES = "put an item that has a comma or a quote into double quotes: '\"a, b\",c'."


def named_items(items: Sequence[str], option: str, form: str) -> dict[str, str]:
    """`LABEL=VALUE` items by label."""
    found: dict[str, str] = {}
    for item in items:
        name, equals, value = item.partition("=")
        if not (name and equals and value):
            raise OptionError(f"{option}: expected {form}; got {item!r}.")
        if name in found:
            raise OptionError(
                f"{option} gives {name!r} twice: {found[name]!r} and {value!r}.",
                hint="give each a name of its own, once.",
            )
        found[name] = value
    return found


def labels_of(items: Sequence[str]) -> list[str] | list[int]:
    """Labels as typed; whole numbers when every one is a number in plain form."""
    from tallymark.tallies.plain_numbers import whole_numbers

    numbers = whole_numbers(items)
    return list(items) if numbers is None else [numbers[item] for item in items]
