"""`tallymark check`: does the model keep what is required of it?"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from tallymark.cli import SETTINGS, examples
from tallymark.cli.checked_inputs import Inputs
from tallymark.cli.compared import stated_design
from tallymark.cli.configuration import FILES, config_options, configuration
from tallymark.cli.evaluate import evaluating_options
from tallymark.cli.failures import say, visible
from tallymark.cli.options import (
    confidence_option,
    number,
    output_options,
    prevalence_option,
    seed_option,
    undefined_option,
)
from tallymark.cli.output import DRAWN, JSON, Output, as_json, refuse_to_replace_inputs
from tallymark.cli.rows import Rows, row_options
from tallymark.errors import FileError, OptionError

if TYPE_CHECKING:
    from tallymark.gate import Gate

EXAMPLES = examples(
    r"printf 'y,p\n1,0.9\n1,0.8\n0,0.6\n0,0.2\n' | "
    "tallymark check - --actual y --score p --require 'auc.value >= 0.8'",
    "tallymark check --matrix '282 75; 462 4841' --labels yes,no --require 'recall >= 0.7' "
    "--require 'accuracy >= 0.89'",
    r"printf 'y,p\n1,1\n1,0\n0,0\n' | "
    "tallymark evaluate - --actual y --predicted p --quiet --output main.json && "
    r"printf 'y,p\n1,1\n1,1\n0,0\n' | "
    "tallymark check - --actual y --predicted p --baseline main.json --no-worse f1 --margin 0.01",
)
FAILED = 1
XML = ".xml"


@click.command("check", context_settings=SETTINGS, epilog=EXAMPLES)
@click.argument("files", nargs=-1, metavar="[FILE]...")
@click.option(
    "--require",
    multiple=True,
    metavar="REQUIREMENT",
    help="METRIC >= LIMIT, also with >, <= or <: judged by the end of the interval that makes it harder, or "
    "by the value alone: recall.value. recall@LABEL is of one class, recall[COL=VALUE] of one slice, "
    "recall[COL] of every one. Repeatable.",
)
@click.option(
    "--baseline",
    metavar="FILE",
    help="What the model is held against: predictions in the same columns, or a .json or .tally file.",
)
@click.option(
    "--no-worse",
    multiple=True,
    metavar="METRIC",
    help="A number that must not be worse than the baseline's; with a margin of its own: 'f1 by 0.02'. "
    "Repeatable.",
)
@click.option(
    "--margin",
    type=number,
    metavar="D",
    help="How much worse does not matter, such as 0.01. [default: 0]",
)
@click.option("--other-rows", is_flag=True, help="The baseline was tried on other rows.")
@click.option("--same-rows", is_flag=True, help="The baseline was tried on the same rows, in the same order.")
@click.option("--matrix", metavar="MATRIX", help="A confusion matrix in the place of FILE, as for `matrix`.")
@row_options
@evaluating_options
@prevalence_option
@undefined_option
@confidence_option
@seed_option
@click.option("--junit", metavar="FILE", help="Also write JUnit XML to this file (.xml).")
@click.option(
    "--github/--no-github",
    default=None,
    help="Say failures as GitHub shows them with a run, and add to its summary. [default: where GitHub runs "
    "it]",
)
@config_options
@output_options
def command(
    *,
    files: tuple[str, ...],
    require: tuple[str, ...],
    baseline: str | None,
    no_worse: tuple[str, ...],
    margin: float | None,
    other_rows: bool,
    same_rows: bool,
    matrix: str | None,
    rows: Rows,
    evaluating: dict[str, Any],
    prevalence: str | None,
    undefined: float | None,
    confidence: float,
    seed: int,
    junit: str | None,
    github: bool | None,
    output: Output,
) -> None:
    """Stop a build when a model is not good enough, or got worse: exit code 1 when a requirement fails, 0
    when all are met. FILE is what `tallymark evaluate` reads, or the .json that it wrote. A number counts
    with the end of its interval that is against it, and one that is undefined fails. --no-worse holds
    numbers against a --baseline: by the interval of the difference where its predictions are given.
    Options that are the same each time stand in pyproject.toml, in [tool.tallymark]."""
    targets = _Targets(output, junit, github)
    targets.check()
    design = stated_design(other_rows=other_rows, same_rows=same_rows)
    options = evaluating | {"undefined": undefined, "confidence_level": confidence, "random_state": seed}
    inputs = Inputs(files, matrix, baseline, rows, options, prevalence, require, no_worse, margin)
    _report_configuration(inputs, quiet=output.quiet)
    refuse_to_replace_inputs(inputs.named)
    gate = inputs.checked(design)
    targets.write(gate)
    if not gate.passed:
        raise click.exceptions.Exit(FAILED)


def _report_configuration(inputs: Inputs, *, quiet: bool) -> None:
    found = configuration()
    for path in map(os.path.relpath, found.not_read):
        say(f"{path!r} belongs to another user and was not read. Hint: to use its options, --config {path}.")
    if found.path is not None and not quiet:
        files = (FILES,) if found.files and inputs.named is found.files else ()
        taken = ", ".join((*files, *found.taken(click.get_current_context())))
        click.echo(visible(f"options from {os.path.relpath(found.path)}: {taken or 'none'}"), err=True)


@dataclass(frozen=True)
class _Targets:
    """All places where the outcome goes."""

    output: Output
    junit: str | None
    github: bool | None

    def check(self) -> None:
        """Refuse, before any work is done, what could not be written."""
        from tallymark.evaluation.saving import check_target

        self.output.check((JSON, XML, *DRAWN))
        if self.junit is not None:
            check_target(self.junit, (XML,), overwrite=self.output.force)
            same = self.output.path and os.path.realpath(self.junit) == os.path.realpath(self.output.path)
            if same:
                raise OptionError(f"-o and --junit both name {self.junit!r}.", hint="leave one of them out.")

    def write(self, gate: Gate) -> None:
        """Write what came of it everywhere, whether it passed or not."""
        from tallymark.evaluation.saving import save

        self._write_report(gate)
        if self.output.path is not None and not self.output.quiet:
            # The table is in the file; a log that ends here must not be silent about what came of it.
            click.echo(gate.verdict, err=True)
        if self.junit is not None:
            save(self.junit, {XML: gate.to_junit}, overwrite=self.output.force)
            self.output.say_written(self.junit)
        here = os.environ.get("GITHUB_ACTIONS") == "true"
        if here if self.github is None else self.github:
            _tell_github(gate)

    def _write_report(self, gate: Gate) -> None:
        from tallymark.cli.failures import discard_output

        try:
            self.output.write({**gate.writers(), JSON: lambda: as_json(gate.to_dict())})
            sys.stdout.flush()
        except BrokenPipeError:
            # Whoever was reading has seen enough (`| head`); what failed has failed all the same.
            discard_output()


def _tell_github(gate: Gate) -> None:
    for line in gate.annotations():
        click.echo(visible(line), err=True)
    place = os.environ.get("GITHUB_STEP_SUMMARY")
    if not place:
        return
    try:
        with open(place, "a", encoding="utf-8", errors="backslashreplace") as file:
            file.write(gate.summary())
    except OSError as problem:
        raise FileError(f"cannot write the summary {place!r}: {problem.strerror}.") from problem
