"""What the commands that show curves share: their options, what is said beside a curve, and the formats."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from tallymark.cli.models import Model, shared_notes
from tallymark.cli.options import Command, output_options
from tallymark.cli.output import CSV, DRAWN, HTML, JSON, PICTURES, Output, as_json
from tallymark.cli.rows import row_options
from tallymark.errors import OptionError, TallymarkError, precise

if TYPE_CHECKING:
    from tallymark.drawing import Block, Document, Section
    from tallymark.drawing.figure import Figure
    from tallymark.findings import Finding
    from tallymark.inference import Estimate

SUFFIXES = (JSON, CSV, *DRAWN, *PICTURES)

model_option = click.option(
    "--model",
    "models",
    metavar="NAME=FILE",
    multiple=True,
    help="Several models, each in a file with the same columns; or after FILE, NAME=COLUMN, each in a column "
    "of it: scores, or answers, which are a single point. Repeatable.",
)


metric_option = click.option(
    "--metric",
    "metrics",
    metavar="NAME",
    multiple=True,
    help="What to follow over the thresholds: any number that counts answers. Repeatable. [default: f1]",
)


def curve_options(function: Command) -> Command:
    """The options that every curve has: what the rows are, of which models, and where the result goes."""
    return row_options(model_option(output_options(function)))


def check_drawn(output: Output, options: Mapping[str, bool]) -> None:
    """Refuse what is about a picture where none is written."""
    for option, given in options.items():
        if given and output.suffix not in (*PICTURES, HTML):
            raise OptionError(
                f"{option} is about the picture, and none is written.",
                hint=f"leave it out, or write one: -o curve.png ({', '.join(PICTURES)}).",
            )


def was_given(parameter: str) -> bool:
    """Whether an option was typed, whatever its value."""
    source = click.get_current_context().get_parameter_source(parameter)
    return source is not click.core.ParameterSource.DEFAULT


def check_share(option: str, value: float) -> None:
    """A share of something there is any of."""
    if not 0 < value <= 1:
        hint = f"write {value / 100:g} for {value:g} %." if 2 <= value <= 100 else None
        raise OptionError(f"{option}: expected a number above 0 and up to 1; got {value}.", hint=hint)


def with_scores(models: list[Model]) -> list[Model]:
    """Refuse a picture of single points alone."""
    if all(model.only_answers for model in models):
        names = " and ".join(model.called for model in models)
        raise OptionError(
            f"a curve needs scores, and {names} {'has' if len(models) == 1 else 'have'} answers only.",
            hint="name a column with scores: --score COLUMN, or --model NAME=COLUMN after FILE.",
        )
    return models


def refuse_undefined(models: Sequence[Model], curve: Callable[[Model], Any]) -> None:
    """Refuse models that have no such curve: an empty picture tells nothing."""
    for model in models:
        if model.only_answers:
            continue
        try:
            if why := curve(model).why:
                raise OptionError(f"there is no curve: {why}.", about_data=True)
        except OptionError as problem:
            if model.name:
                problem.message = f"model {model.called}: {problem.message}"
            raise


def write(
    output: Output,
    *,
    document: Callable[[], Document],
    form: Callable[[], Mapping[str, Any]],
    table: Callable[[], Any],
    figure: Callable[[], Figure],
    models: Sequence[Model] = (),
    said: str | None = None,
) -> None:
    """The curve in the format asked for; only that one is made.

    On a page the curves of several `models` come in one picture before what there is to say of each, and
    `said` stands below the picture in place of the first sentence.
    """
    from tallymark.drawing import csv, drawn

    def rows() -> str:
        points = table()
        return csv(points.columns, points.iter_rows())

    output.write(
        {
            **drawn(document, partial(_page, document, figure, models, said)),
            JSON: lambda: as_json(form()),
            CSV: rows,
            **{suffix: partial(_image, figure, suffix) for suffix in PICTURES},
        }
    )


def _page(
    document: Callable[[], Document],
    figure: Callable[[], Figure],
    models: Sequence[Model],
    said: str | None,
) -> Document:
    """What is said of the curve, with its picture; a curve that is undefined has none."""
    from tallymark.drawing import Document, Picture, Section
    from tallymark.drawing.illustrated import illustrated

    try:
        picture = figure()
    except TallymarkError:
        return document()
    if len(models) < 2:
        return illustrated(document(), picture, opening=1, said=said)
    sections, name = document().sections, models[0].name
    title = sections[0].title.removesuffix(f" of {name}").removesuffix(f", {name}")
    return Document(title, (Section("", (Picture("", picture),)), *sections))


def _image(figure: Callable[[], Figure], suffix: str) -> bytes:
    from tallymark.drawing.plots.pen import image

    return image(figure(), suffix)


def stacked(tables: Mapping[str, Any], first: str = "model") -> Any:
    """The tables of several models, or of whatever they are of, as one whose first column names each."""
    if list(tables) == [""]:
        return tables[""]
    import polars as pl

    named = [
        table.select(pl.lit(name).alias(first), pl.all().exclude(first)) for name, table in tables.items()
    ]
    return pl.concat(named, how="diagonal_relaxed")


# --- beside the curve --------------------------------------------------------------------------


def opening(model: Model) -> Block:
    """How many rows there are, and of which class."""
    from tallymark.drawing import Paragraph, count
    from tallymark.tallies.labels import quoted

    rows = f"{count(model.ev.rows)} {'row' if model.ev.rows == 1 else 'rows'}"
    if model.ev.position is None:
        return Paragraph(f"{rows}, {len(model.ev.labels)} classes.")
    positives, negatives = model.classes
    weight = "" if model.only_answers or model.scores.squares is None else "by weight "
    return Paragraph(
        f"{rows}, {weight}{count(positives)} positive and {count(negatives)} negative. "
        f"Positive class: {quoted(model.ev.positive)}."
    )


def closing(models: Sequence[Model], found: Iterable[Finding] = ()) -> list[Section]:
    """What must be said with every curve: findings, rows left out, and what was assumed."""
    from tallymark.drawing import Finding as Drawn
    from tallymark.drawing import Findings, Paragraph, Section

    sections = []
    items = tuple(Drawn(finding.code, finding.message) for finding in found)
    if items:
        sections.append(Section("Findings", (Findings(items),)))
    said = [*dropped(models), *(f"Note: {note}" for note in shared_notes(models))]
    if said:
        sections.append(Section("", tuple(map(Paragraph, said))))
    return sections


def dropped(models: Sequence[Model]) -> list[str]:
    from tallymark.drawing import count

    return [
        f"Dropped{f' of {model.called}' if model.name else ''}: {count(rows)} "
        f"{'row' if rows == 1 else 'rows'} ({why.replace('_', ' ')})."
        for model in models
        for why, rows in model.ev.dropped.items()
    ]


def findings(model: Model) -> list[Finding]:
    """What a careful teacher would point out about a ranking."""
    from tallymark.findings import below_half, few_groups, no_probabilities, skew, tied_scores, tuned_here

    checks = [few_groups, below_half, tied_scores, no_probabilities]
    if model.threshold is not None:
        checks = [skew, tuned_here, *checks]
    found = [finding for check in checks if (finding := check.check(model.ev)) is not None]
    return [about(model, finding) for finding in found]


def about(model: Model, finding: Finding) -> Finding:
    """The finding with the model it is about, if models have names."""
    return replace(finding, message=f"{model.called}: {finding.message}") if model.name else finding


def reason(estimate: Estimate) -> str:
    """The value, or "?" with the reason."""
    from tallymark.drawing import number

    return number(estimate.value) + (f" ({estimate.why})" if estimate.value is None else "")


def all_findings(models: Sequence[Model]) -> list[Finding]:
    """Those of every model that ranks; that scores are no probabilities is said once for all."""
    from tallymark.findings import no_probabilities

    ranked = [model for model in models if not model.only_answers]
    found = [finding for model in ranked for finding in findings(model)]
    outside = {model.called: finding for model in ranked if (finding := no_probabilities.check(model.ev))}
    if len(outside) < 2:
        return found
    first = next(iter(outside.values()))
    ends = [[finding.numbers[end] for finding in outside.values()] for end in ("lowest", "highest")]
    once = replace(
        first,
        message=f"the scores of {', '.join(outside)} leave [0, 1] (they run from "
        f"{precise(min(ends[0]), 0, 1)} to "
        f"{precise(max(ends[1]), 0, 1)}), so they are no probabilities: they rank the rows, but Brier and "
        "log loss are "
        "undefined, and there is no threshold to start from.",
    )
    return [*(finding for finding in found if finding.code != first.code), once]


def estimates(rows: Mapping[str, Estimate]) -> list[Block]:
    """Numbers with their intervals, and what must be said of them."""
    from tallymark.drawing import Column, Paragraph, Table, interval, number

    level = next(
        (f"{one.level * 100:.10g} % interval" for one in rows.values() if one.low is not None), "interval"
    )
    columns = (Column("", "left"), Column("value"), Column(level), Column("method", "left"))
    lines = tuple(
        (
            name,
            number(one.value),
            "" if one.low is None else interval(one.low, one.high),
            "" if one.low is None else one.method or "",
        )
        for name, one in rows.items()
    )
    said = []
    assumed = dict.fromkeys(one.assumption for one in rows.values() if one.low is not None and one.assumption)
    if assumed:
        assume = "intervals assume" if len(lines) > 1 else "interval assumes"
        said.append(f"The {assume}: {'; '.join(assumed)}.")
    for name, one in rows.items():
        if one.value is None:
            said.append(f"{name} is undefined: {one.why}.")
        if one.note:
            said.append(f"{name}: {one.note}.")
        if one.bounds is not None and one.bounds[0] < one.bounds[1]:
            said.append(
                f"{name}: only bins were counted, so it lies somewhere in {interval(*one.bounds)}; the "
                "interval is widened to hold that."
            )
    return [Table(columns, lines), *map(Paragraph, said)]


# --- JSON --------------------------------------------------------------------------------------


def form(schema: str, models: Sequence[Model], each: Callable[[Model], Mapping[str, Any]]) -> dict[str, Any]:
    """One document for one model, or for several by their names; the keys of a model are the same."""
    positive = models[0].ev.positive
    start = {"schema": schema, "positive": None if positive is None else str(positive)}
    if not models[0].name:
        return start | _about(models[0]) | dict(each(models[0]))
    return start | {
        "models": [{"name": model.name} | _about(model) | dict(each(model)) for model in models],
        "notes": shared_notes(models),
    }


def _about(model: Model) -> dict[str, Any]:
    return {
        "rows": model.ev.rows,
        "dropped": dict(model.ev.dropped),
        **({} if model.name else {"notes": list(model.notes)}),
    }


def answers(model: Model, names: Mapping[str, str]) -> dict[str, Any]:
    """Numbers of the answers for JSON, each by the name that it has there."""
    return {name: model.ev[metric].to_dict() for name, metric in names.items()}


def listed(found: Iterable[Finding]) -> list[dict[str, Any]]:
    """Findings for JSON."""
    return [finding.to_dict() for finding in found]
