"""`tallymark gains`: what the best-scored share of the rows holds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from math import inf
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from tallymark.cli import SETTINGS, curves, examples, pictures
from tallymark.cli.models import Model, read_models
from tallymark.cli.options import number
from tallymark.cli.output import Output
from tallymark.cli.rows import Rows
from tallymark.errors import OptionError

if TYPE_CHECKING:
    from tallymark.curves import Gains
    from tallymark.drawing import Document, Section

SCHEMA = "tallymark/gains/1"
MOST_PARTS = 1000

EXAMPLES = examples(
    r"printf 'y,s\n1,0.9\n1,0.8\n0,0.7\n1,0.6\n0,0.3\n0,0.1\n' | "
    "tallymark gains - --actual y --score s --recall 0.4 --share 0.5",
    r"printf 'bought,s\nyes,0.9\nno,0.5\nyes,0.5\nno,0.3\n' | "
    "tallymark gains - --actual bought --score s --positive yes --parts 4 --json",
)


@click.command("gains", context_settings=SETTINGS, epilog=EXAMPLES)
@click.argument("files", nargs=-1, metavar="[FILE]...")
@click.option(
    "--recall",
    "recalls",
    type=number,
    metavar="R",
    multiple=True,
    help="Ask which share of the rows must be taken to reach this recall. Repeatable.",
)
@click.option(
    "--share",
    "shares",
    type=number,
    metavar="S",
    multiple=True,
    help="Ask which recall the best share of the rows gives. Repeatable.",
)
@click.option(
    "--parts", type=number, metavar="N", default="10", show_default=True, help="Parts of the table."
)
@click.option("--lift", is_flag=True, help="Draw lift instead of gains into the picture.")
@curves.curve_options
def command(
    *,
    files: tuple[str, ...],
    recalls: tuple[float, ...],
    shares: tuple[float, ...],
    parts: float,
    lift: bool,
    rows: Rows,
    models: tuple[str, ...],
    output: Output,
) -> None:
    """Cumulative gains and lift of the scores in FILE. Rows are taken best score first: which share of the
    positives does a share of the rows hold (gains), and how many times more is that than a random choice
    (lift)? You get the questions answered in sentences and the table of tenths; rows of equal score count
    evenly, so that no number depends on the order of the file. A picture is written by -o gains.png, .svg
    or .pdf, with --lift that of the lift, and all points of the curve by -o gains.csv."""
    output.check(curves.SUFFIXES)
    curves.check_drawn(output, {"--lift": lift})
    for option, values in (("--recall", recalls), ("--share", shares)):
        for value in values:
            curves.check_share(option, value)
    if not isinstance(parts, int) or not 1 <= parts <= MOST_PARTS:
        raise OptionError(f"--parts: expected a whole number from 1 to {MOST_PARTS:,}; got {parts}.")
    found = curves.with_scores(read_models(files, models, rows))
    asked = _Asked(recalls, shares, parts)
    draw = pictures.lift if lift else pictures.gains
    curves.write(
        output,
        document=lambda: asked.document(found),
        form=lambda: curves.form(SCHEMA, found, asked.form),
        table=lambda: curves.stacked({model.name: _table(model) for model in found}),
        figure=lambda: draw(found, pictures.Questions(shares, recalls)),
        models=found,
    )


class _Asked(NamedTuple):
    """What gains are asked for."""

    recalls: tuple[float, ...]
    shares: tuple[float, ...]
    parts: int

    def document(self, models: Sequence[Model]) -> Document:
        from tallymark.drawing import Document

        sections = [self._section(model) for model in models]
        return Document("", (*sections, *curves.closing(models, curves.all_findings(models))))

    def _section(self, model: Model) -> Section:
        from tallymark.drawing import Paragraph, Section

        title = "Cumulative gains and lift" + (f" of {model.name}" if model.name else "")
        said = [curves.opening(model)]
        if model.only_answers or model.threshold is not None or model.answered is not None:
            said.append(Paragraph(_called(model)))
        if model.only_answers:
            return Section(title, tuple(said))
        gains = model.ev.gains
        asked = (self.shares, self.recalls) if self.shares or self.recalls else ()
        table = () if gains.why else gains.deciles(self.parts).blocks()
        return Section(title, (*said, *map(Paragraph, gains.answers(*asked)), *table))

    def form(self, model: Model) -> dict[str, Any]:
        called = {"threshold": model.threshold, **model.taken._asdict()}
        if model.only_answers:
            return {"single_point": True, "at": called}
        gains = model.ev.gains
        asked = [{"share": share} for share in self.shares] + [{"recall": recall} for recall in self.recalls]
        return gains.to_dict() | {
            "deciles": gains.deciles(self.parts).to_dict(),
            "answers": [{"asked": each} | _answer(gains, **each) for each in asked],
            **({} if model.threshold is None else {"at": called}),
            **({} if model.answered is None else {"answered": _answered(model)}),
            "findings": curves.listed(curves.findings(model)),
        }


def _called(model: Model) -> str:
    """What the answers take and find."""
    from tallymark.drawing import number, percent

    taken = model.taken
    who = "its answers call" if model.answered is None else f"the answers in {model.answered!r} call"
    if model.threshold is not None:
        who = f"score >= {model.threshold_text} calls"
    if not taken.share:
        return f"Of all rows {who} none positive, so there is no lift."
    if taken.recall is None:
        return f"Of all rows {who} {percent(taken.share)} positive; {model.ev['recall'].why}."
    return (
        f"Of all rows {who} {percent(taken.share)} positive, and among these are {percent(taken.recall)} of "
        f"the positives (lift {number(taken.lift, 2)})."
    )


def _answered(model: Model) -> dict[str, Any]:
    return {"column": model.answered, **model.taken._asdict()}


def _answer(gains: Gains, **asked: float) -> dict[str, Any]:
    """For JSON, which has no infinity."""
    if gains.why:
        return {"share": None, "recall": None, "why": gains.why}
    found = asdict(gains.at(**asked))
    return {name: None if value in (inf, -inf) else value for name, value in found.items()}


def _table(model: Model) -> Any:
    if not model.only_answers:
        return model.ev.gains.table("polars")
    import polars as pl

    return pl.DataFrame({name: [value] for name, value in model.taken._asdict().items()})
