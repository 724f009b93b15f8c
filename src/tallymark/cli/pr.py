"""`tallymark pr`: precision against recall."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from tallymark.cli import SETTINGS, curves, examples, pictures
from tallymark.cli.models import Model, read_models
from tallymark.cli.options import confidence_option
from tallymark.cli.output import Output
from tallymark.cli.rows import Rows

if TYPE_CHECKING:
    from tallymark.drawing import Block, Document

SCHEMA = "tallymark/precision_recall/1"

EXAMPLES = examples(
    r"printf 'y,s\n1,0.9\n1,0.8\n0,0.7\n1,0.6\n0,0.3\n' | tallymark pr - --actual y --score s",
    r"printf 'y,s\nspam,0.9\nham,0.7\nspam,0.6\nham,0.2\n' | "
    "tallymark pr - --actual y --score s --positive spam --threshold 0.5 --json",
    r"printf 'y,a,b\n1,0.9,0.7\n1,0.4,0.8\n0,0.6,0.1\n0,0.1,0.2\n' | "
    "tallymark pr - --actual y --model first=a --model second=b",
)


@click.command("pr", context_settings=SETTINGS, epilog=EXAMPLES)
@click.argument("files", nargs=-1, metavar="[FILE]...")
@confidence_option
@curves.curve_options
def command(
    *, files: tuple[str, ...], rows: Rows, models: tuple[str, ...], confidence: float, output: Output
) -> None:
    """Precision and recall at every threshold of the scores in FILE, the average precision with its
    confidence interval, and the precision that random answers would have. Between two points the curve is a
    step: a straight line would promise precisions that no threshold gives. A picture is written by
    -o pr.png, .svg or .pdf, and all points of the curve by -o pr.csv."""
    output.check(curves.SUFFIXES)
    found = curves.with_scores(read_models(files, models, rows, confidence_level=confidence))
    curves.write(
        output,
        document=lambda: _document(found),
        form=lambda: curves.form(SCHEMA, found, _form),
        table=lambda: curves.stacked({model.name: _table(model) for model in found}),
        figure=lambda: pictures.precision_recall(found),
        models=found,
    )


def _document(models: list[Model]) -> Document:
    from tallymark.drawing import Document, Section

    numbers = {
        model.name or "average precision": model.ev["average_precision"]
        for model in models
        if not model.only_answers
    }
    title = "How sure it is" if len(models) == 1 else "Average precision"
    sections = [section for model in models for section in _sections(model)]
    sections.append(Section(title, tuple(curves.estimates(numbers))))
    return Document("", (*sections, *curves.closing(models, curves.all_findings(models))))


def _sections(model: Model) -> list[Any]:
    from tallymark.drawing import Paragraph, Section

    title = f"Precision and recall of {model.name}" if model.name else "Precision and recall"
    blocks: list[Block] = [curves.opening(model)]
    if model.only_answers:
        return [Section(title, (*blocks, Paragraph(f"Its answers have {_rates(model)}.")))]
    (worked,) = model.ev.precision_recall.document().sections
    blocks += worked.blocks
    if model.threshold is not None:
        precision, recall = _numbers(model)
        at = f"At the threshold {model.threshold_text}"
        blocks.append(Paragraph(f"{at} the precision is {precision} and the recall {recall}."))
    if model.answered is not None:
        blocks.append(Paragraph(f"The answers in {model.answered!r} have {_rates(model)}."))
    return [Section(title, tuple(blocks))]


def _rates(model: Model) -> str:
    return "a precision of {} and a recall of {}".format(*_numbers(model))


def _numbers(model: Model) -> list[str]:
    return [curves.reason(model.ev[name]) for name in ("precision", "recall")]


def _form(model: Model) -> dict[str, Any]:
    numbers = curves.answers(model, {"precision": "precision", "recall": "recall"})
    if model.only_answers:
        return {"single_point": True, "at": {"threshold": None} | numbers}
    at: dict[str, Any] = {} if model.threshold is None else {"at": {"threshold": model.threshold} | numbers}
    if model.answered is not None:
        at["answered"] = {"column": model.answered} | numbers
    average = {"average_precision": model.ev["average_precision"].to_dict()}
    form = {key: value for key, value in model.ev.precision_recall.to_dict().items() if key != "bounds"}
    return form | average | at | {"findings": curves.listed(curves.findings(model))}


def _table(model: Model) -> Any:
    if not model.only_answers:
        return model.ev.precision_recall.table("polars")
    import polars as pl

    tally = model.answers
    rates = {name: [model.ev[name].value] for name in ("precision", "recall")}
    return pl.DataFrame({"tp": [tally.tp], "fp": [tally.fp], **rates})
