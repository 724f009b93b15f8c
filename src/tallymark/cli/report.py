"""`tallymark report`: one page to look at and to send."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tallymark.cli import SETTINGS, examples
from tallymark.cli.compared import Given, stated_design, with_id
from tallymark.cli.evaluate import evaluating_options
from tallymark.cli.models import read_models
from tallymark.cli.options import (
    confidence_option,
    file_options,
    prevalence_option,
    seed_option,
    undefined_option,
)
from tallymark.cli.output import DRAWN, Output
from tallymark.cli.rows import Rows, row_options
from tallymark.errors import OptionError, TallymarkError

if TYPE_CHECKING:
    from tallymark.comparison.result import Comparison
    from tallymark.drawing import Document
    from tallymark.evaluation import Evaluation
    from tallymark.evaluation.matching import Stated

EXAMPLES = examples(
    r"printf 'y,s\n1,0.9\n1,0.8\n0,0.7\n0,0.3\n' | tallymark report - --actual y --score s -o page.html",
    r"printf 'y,tree,forest\n1,0.9,0.8\n0,0.6,0.1\n1,0.4,0.7\n0,0.1,0.2\n' | "
    "tallymark report - --actual y --model tree=tree --model forest=forest --title 'Two models' -o two.html",
)

_OTHER_SHARES = "differences are told of the rows there are, and --prevalence asks for other class shares."


@click.command("report", context_settings=SETTINGS, epilog=EXAMPLES)
@click.argument("files", nargs=-1, metavar="[FILE]...")
@click.option(
    "--model",
    "models",
    multiple=True,
    metavar="NAME=FILE",
    help="Several models on one page, compared; after FILE, NAME=COLUMN with answers or scores. Repeatable.",
)
@click.option("--title", metavar="TEXT", default="", help="Words at the top of the page.")
@click.option(
    "--worst",
    type=click.IntRange(1),
    metavar="N",
    help="List the N worst errors of each model: rows of the data, which may be private.",
)
@row_options
@evaluating_options
@prevalence_option
@undefined_option
@confidence_option
@seed_option
@click.option("--other-rows", is_flag=True, help="The models were tried on other rows each.")
@click.option("--same-rows", is_flag=True, help="The models were tried on the same rows, in the same order.")
@file_options("Write to this file: .html; the same in words alone as .txt, .md or .tex.", "report.html")
def command(
    *,
    files: tuple[str, ...],
    models: tuple[str, ...],
    title: str,
    worst: int | None,
    rows: Rows,
    evaluating: dict[str, Any],
    prevalence: str | None,
    undefined: float | None,
    confidence: float,
    seed: int,
    other_rows: bool,
    same_rows: bool,
    output: Output,
) -> None:
    """Write one HTML page about the predictions in FILE, or about several models and which is better: verdict
    and findings in words, the numbers with intervals, the matrix, every curve with its table, costs, classes,
    slices, and how each number comes about. FILE and its columns are named as for `tallymark evaluate`, also
    .tally files. The page is one file that asks for nothing from anywhere and reads without scripts: open it
    in any browser, print it, send it."""
    from tallymark.cli.reporting import shares_of
    from tallymark.drawing import drawn

    if files or models:  # else that is what must be said, not that report.html exists already
        output.check(DRAWN)
    shares = shares_of(prevalence)
    design = stated_design(other_rows=other_rows, same_rows=same_rows)
    if (other_rows or same_rows) and len(models) < 2:
        raise OptionError("--other-rows and --same-rows are about several models: --model NAME=FILE, twice.")
    asked = {"confidence_level": confidence, "random_state": seed}
    together = Together(files, models, rows, evaluating, asked, design)
    evs = together.read(undefined)
    if shares is not None:
        evs = {name: ev.at_prevalence(shares) for name, ev in evs.items()}
    output.write(drawn(lambda: _page(evs, title, worst, together, other_shares=shares is not None)))


def _page(
    evs: Mapping[str, Evaluation], title: str, worst: int | None, together: Together, *, other_shares: bool
) -> Document:
    """The page of one model, or of several that are compared where they can be."""
    from tallymark.comparison.outputs.report import describe as describe_comparison
    from tallymark.evaluation.report import describe

    if len(evs) == 1:
        name, ev = next(iter(evs.items()))
        return describe({"": ev}, title=title or name, worst=worst)
    compared = _OTHER_SHARES if other_shares else together.compared(evs)
    if isinstance(compared, str):
        from tallymark.drawing import Paragraph, Section

        said = Paragraph(f"The models are not compared: {compared}")
        return describe(evs, title=title, sections=[Section("Comparison", (said,))], worst=worst)
    return describe_comparison(compared, evs, title, worst)


@dataclass(frozen=True)
class Together:
    """Models that are read for one page, and how they are compared."""

    files: tuple[str, ...]
    models: tuple[str, ...]
    rows: Rows
    evaluating: dict[str, Any]
    asked: dict[str, Any]
    """The confidence level and the seed."""
    design: Stated | None

    def read(self, undefined: float | None) -> dict[str, Evaluation]:
        """Every model, or the one that has no name."""
        more: dict[str, Any] = {"undefined": undefined, **self.evaluating, **self.asked}
        found = read_models(self.files, self.models, self._with_id[0], curve=False, **more)
        return {model.name: replace(model.ev, notes=model.notes) for model in found}

    @cached_property
    def _with_id(self) -> tuple[Rows, tuple[str, ...]]:
        """With the id that files have in common, as a comparison guesses it."""
        from tallymark.evaluation.tally_files import is_tally

        counts = any(is_tally(Path(item.partition("=")[2])) for item in self.models)
        if self.files or not self.models or counts or self.design or self.rows.options["id"] is not None:
            return self.rows, ()
        return with_id(self.rows, self.models)

    def compared(self, evs: Mapping[str, Evaluation]) -> Comparison | str:
        """The comparison, or why there is none; but what was said of the rows must hold."""
        try:
            return self._compared(evs)
        except TallymarkError as problem:
            if self.design is not None:
                raise
            hint = "" if problem.hint is None else f" {problem.hint[:1].upper()}{problem.hint[1:]}"
            return f"{problem.message}{hint}"

    def _compared(self, evs: Mapping[str, Evaluation]) -> Comparison:
        from tallymark.comparison.compare import compare_evaluations
        from tallymark.comparison.question import question

        streamed = all(
            ev.encode is None and (ev.ranked is None or ev.ranked.rows is None) for ev in evs.values()
        )
        again = "-" not in (*self.files, *(item.partition("=")[2] for item in self.models))
        if streamed and again:
            # Rows that are not here are joined where they are, which takes another look at them.
            given = Given(self.files, self.models, (), (), None, self.design)
            costs, clip = self.evaluating["costs"], self.evaluating["clip"]
            return given.compared(self.rows, {"metrics": (), **self.asked}, {}, costs, clip)
        return compare_evaluations(
            evs,
            question(**self.asked),
            design=self.design,
            one_table=bool(self.files),
            notes=self._with_id[1],
        )
