"""`tallymark interval`: how sure a share is."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from tallymark.cli import SETTINGS, examples
from tallymark.cli.options import confidence_option, number, output_options
from tallymark.cli.output import DRAWN, JSON, Output, as_json
from tallymark.errors import OptionError

if TYPE_CHECKING:
    from tallymark.drawing import Document
    from tallymark.intervals import Interval

SCHEMA = "tallymark/interval/1"
DIGITS = 4
# Named here so that --help need not import the arithmetic; a test compares them.
METHODS = ("wilson", "wilson_cc", "clopper_pearson", "mid_p", "agresti_coull", "jeffreys", "wald")

EXAMPLES = examples(
    "tallymark interval --correct 80 --of 100",
    "tallymark interval --correct 80 --of 100 --confidence 0.8 --explain",
    "tallymark interval --correct 81 --of 263 --method all",
)


@click.command("interval", context_settings=SETTINGS, epilog=EXAMPLES)
@click.option(
    "--correct",
    type=number,
    metavar="N",
    required=True,
    help="How many were right (or had whatever is counted).",
)
@click.option("--of", type=number, metavar="N", required=True, help="How many there were.")
@click.option(
    "--method", type=click.Choice([*METHODS, "all"]), default="wilson", show_default=True, help="How."
)
@confidence_option
@click.option("--explain", is_flag=True, help="Show the Wilson interval step by step.")
@output_options
def command(
    *, correct: float, of: float, method: str, confidence: float, explain: bool, output: Output
) -> None:
    """Confidence interval of a share: between which values the true share lies when so many of so many
    rows were right. Wilson's interval is the one to use unless you must match another's numbers."""
    if explain and method != "wilson":
        raise OptionError(
            f"--explain shows the steps of wilson, not of {method}.", hint="leave out --method."
        )
    output.check((JSON, *DRAWN))
    from tallymark.drawing import drawn
    from tallymark.intervals import METHODS as EVERY
    from tallymark.intervals import interval, wilson_steps

    chosen = [name for name in EVERY if method in (name, "all")]
    found = [interval(correct, of, method=name, confidence_level=confidence) for name in chosen]
    steps = wilson_steps(correct, of, found[0].level) if explain else ()

    def describe() -> Document:
        return _document(found, [text for text, _ in steps])

    output.write({
        **drawn(describe, lambda: replace(describe(), title="Confidence interval of a share")),
        JSON: lambda: as_json(_form(found, method == "all", steps)),
    })  # fmt: skip


def _document(found: list[Interval], steps: list[str]) -> Document:
    from tallymark.drawing import Column, Document, Lines, Section, Table, count, number
    from tallymark.drawing import interval as ends

    first = found[0]
    share = f"{count(first.correct)} of {count(first.of)} = {number(first.value, DIGITS)}"
    level = f"{first.level * 100:.10g} % interval"
    blocks: list[Any] = []
    if len(found) == 1:
        drawn = ends(first.low, first.high, DIGITS)
        blocks.append(Lines((share, f"{level}: {drawn} ({first.method}, assumes {first.assumption})")))
    else:
        columns = (Column("method", "left"), Column("low"), Column("high"))
        rows = tuple((one.method, number(one.low, DIGITS), number(one.high, DIGITS)) for one in found)
        blocks += [Lines((share, f"{level}s, assuming {first.assumption}:")), Table(columns, rows)]
    if steps:
        blocks.append(Lines(tuple(f"  {step}" for step in steps)))
    return Document("", (Section("", tuple(blocks)),))


def _form(found: list[Interval], every: bool, steps: tuple[tuple[str, str], ...]) -> dict[str, Any]:
    from tallymark.intervals import z_quantile

    first = found[0]
    shared = {"level": first.level, "z": z_quantile(first.level), "assumption": first.assumption}
    form: dict[str, Any] = {"schema": SCHEMA, "correct": first.correct, "of": first.of, "value": first.value}
    ends = [{"low": one.low, "high": one.high, "method": one.method} for one in found]
    form |= ({"intervals": ends} if every else ends[0]) | shared
    return form | ({"steps": [{"text": text, "latex": latex} for text, latex in steps]} if steps else {})
