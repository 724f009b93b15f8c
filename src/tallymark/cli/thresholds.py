"""`tallymark thresholds`: a metric at every threshold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from tallymark.cli import SETTINGS, curves, examples, pictures
from tallymark.cli.models import Model, read_models, without_answers
from tallymark.cli.output import Output
from tallymark.cli.rows import Rows
from tallymark.errors import OptionError

if TYPE_CHECKING:
    from tallymark.curves import ThresholdCurves
    from tallymark.drawing import Document, Section

SCHEMA = "tallymark/thresholds/1"

EXAMPLES = examples(
    r"printf 'y,s\n1,0.9\n1,0.8\n0,0.7\n1,0.6\n0,0.3\n' | tallymark thresholds - --actual y --score s",
    r"printf 'y,s\n1,0.9\n1,0.8\n0,0.7\n1,0.6\n0,0.3\n' | "
    "tallymark thresholds - --actual y --score s --metric precision --metric recall --metric f_beta:2 --json",
)


@click.command("thresholds", context_settings=SETTINGS, epilog=EXAMPLES)
@click.argument("files", nargs=-1, metavar="[FILE]...")
@curves.metric_option
@curves.curve_options
def command(
    *, files: tuple[str, ...], metrics: tuple[str, ...], rows: Rows, models: tuple[str, ...], output: Output
) -> None:
    """A metric at every threshold of the scores in FILE, F1 or any other that counts answers, and where it is
    best. The best threshold is looked for among these very rows, so its value is optimistic, and that is
    said. A picture is written by -o thresholds.png, .svg or .pdf, and every threshold with its counts by
    -o thresholds.csv."""
    output.check(curves.SUFFIXES)
    asked = _Asked(checked_metrics(metrics))
    found = ranked_only(read_models(files, models, rows))
    curves.write(
        output,
        document=lambda: asked.document(found),
        form=lambda: curves.form(SCHEMA, found, asked.form),
        table=lambda: curves.stacked({model.name: asked.curves(model).table("polars") for model in found}),
        figure=lambda: pictures.thresholds(found, asked.metrics),
        models=found,
    )


def checked_metrics(metrics: Sequence[str]) -> tuple[str, ...]:
    """Names of metrics that have a value at a threshold, each once."""
    from tallymark.curves import threshold_curves
    from tallymark.tallies import Scores

    made = threshold_curves(Scores.empty(), metrics or ("f1",))
    return tuple(dict.fromkeys(curve.metric for curve in made.curves))


def ranked_only(models: list[Model]) -> list[Model]:
    """Refuse models that have nothing to cut."""
    for model in models:
        if model.only_answers:
            raise OptionError(
                f"{model.called} has answers and no scores, so there is no threshold to move.",
                hint="leave it out, or name a column with its scores.",
            )
    return list(map(without_answers, models))


class _Asked(NamedTuple):
    """Which metrics are followed."""

    metrics: tuple[str, ...]

    def curves(self, model: Model) -> ThresholdCurves:
        from tallymark.curves import threshold_curves

        return threshold_curves(model.scores, self.metrics)

    def document(self, models: Sequence[Model]) -> Document:
        from tallymark.drawing import Document

        sections = [self._section(model) for model in models]
        return Document("", (*sections, *curves.closing(models, curves.all_findings(models))))

    def _section(self, model: Model) -> Section:
        from tallymark.drawing import Paragraph, Section, number

        made = self.curves(model)
        (worked,) = made.document().sections
        said = []
        if model.threshold is not None:
            values = [f"{curve.metric} is {number(curve.at(model.threshold))}" for curve in made.curves]
            said.append(Paragraph(f"At the threshold {model.threshold_text} {', '.join(values)}."))
        title = f"{worked.title}, {model.name}" if model.name else worked.title
        return Section(title, (curves.opening(model), *said, *worked.blocks))

    def form(self, model: Model) -> dict[str, Any]:
        made = self.curves(model)
        at = {}
        if model.threshold is not None:
            values = {curve.metric: curve.at(model.threshold) for curve in made.curves}
            at = {"at": {"threshold": model.threshold, **values}}
        return {"metrics": made.to_dict(), **at, "findings": curves.listed(curves.findings(model))}
