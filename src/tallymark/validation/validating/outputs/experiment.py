"""An experiment as a report, a table and pictures."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from tallymark.drawing import Block, Column, Document, Paragraph, Section, Table, count, interval, number
from tallymark.drawing import name as visible
from tallymark.drawing.figure import Axis, Figure, Line, Mark, Panel, Points, Spans
from tallymark.metrics import ask
from tallymark.validation.described import findings_sections
from tallymark.validation.validating.outputs.description import in_words
from tallymark.validation.validating.outputs.pictures import CORRECTED, WIDE, floats, reach

if TYPE_CHECKING:
    from tallymark.validation.validating.experiment import Experiment

# Lines of text that a model takes, and that are free between two data sets.
_PER_MODEL, _BETWEEN = 0.7, 0.6


def describe(experiment: Experiment) -> Document:
    """Sections in the order people read them."""
    sections = [
        Section("Experiment", tuple(_opening(experiment))),
        Section(f"Result: {experiment.metric}", tuple(_result(experiment))),
        Section("Data sets", (_data_sets(experiment),)),
        *findings_sections(experiment.findings),
    ]
    if experiment.notes:
        sections.append(Section("Notes", tuple(Paragraph(f"Note: {note}") for note in experiment.notes)))
    return Document("", tuple(sections))


def _opening(experiment: Experiment) -> Iterator[Block]:
    models, sets = len(experiment.models), len(experiment.data_sets)
    methods = list(dict.fromkeys(each.folds.method for each in experiment.data_sets.values()))
    how = methods[0] if len(methods) == 1 else "folds of several kinds"
    fits = sum(models * len(each.folds) for each in experiment.data_sets.values())
    many = f"{models} model{'s' if models > 1 else ''} on {sets} data set{'s' if sets > 1 else ''}"
    yield Paragraph(f"{many}; {how}; {count(fits)} fits.")
    for model in next(iter(experiment.data_sets.values())).models.values():
        yield Paragraph(in_words(model.name, model.pipeline))


def _result(experiment: Experiment) -> Iterator[Block]:
    table = experiment.experimenter()
    if table is not None:
        yield from table.blocks()
    else:
        yield _means(experiment)
    if len(experiment.models) > 1 and len(experiment.data_sets) > 1:
        yield Paragraph("Are they different over all data sets? Ask with --compare (.compare()).")


def _means(experiment: Experiment) -> Table:
    """Of folds that marks cannot be made of."""
    heads = (Column("data set", "left"), *(Column(visible(name)) for name in experiment.models))
    rows = [
        (
            visible(name),
            *(number(model[experiment.metric].mean.value) for model in each.models.values()),
        )
        for name, each in experiment.data_sets.items()
    ]
    return Table(heads, tuple(rows))


def _data_sets(experiment: Experiment) -> Table:
    """Every model on every data set: with interval, pooled, on the rows learned, and against the baseline."""
    heads = ("data set", "rows", "model", "mean of folds", "interval", "pooled", "training", "gain", "s/fit")
    rows: list[tuple[str, ...]] = []
    starts: list[int] = []
    for name, each in experiment.data_sets.items():
        starts.append(len(rows))
        for place, (called, model) in enumerate(each.models.items()):
            summary = model[experiment.metric]
            gain = None if summary.gain is None else summary.gain.value
            rows.append(
                (
                    visible(name) if not place else "",
                    count(each.data.rows) if not place else "",
                    visible(called),
                    number(summary.mean.value),
                    interval(summary.mean.low, summary.mean.high),
                    number(summary.pooled.value),
                    number(summary.training),
                    number(gain),
                    f"{model.seconds:.2g}",
                )
            )
    columns = tuple(Column(title, "left" if title in ("data set", "model") else "right") for title in heads)
    return Table(columns, tuple(rows), rule_before=tuple(starts[1:]))


def columns(experiment: Experiment) -> dict[str, Any]:
    """The tables of all data sets below each other; a column that only some have is empty in the others."""
    parts = {name: each.columns() for name, each in experiment.data_sets.items()}
    names = dict.fromkeys(column for part in parts.values() for column in part)
    found: dict[str, Any] = {
        "dataset": [name for name, part in parts.items() for _ in range(len(part["model"]))]
    }
    for column in names:
        cells = [part.get(column, [None] * len(part["model"])) for part in parts.values()]
        arrays = all(isinstance(each, np.ndarray) for each in cells)
        found[column] = np.concatenate(cells) if arrays else [cell for each in cells for cell in each]
    return found


# --- pictures ----------------------------------------------------------------------------------------


def figures(experiment: Experiment) -> dict[str, Callable[[], Figure]]:
    """By kind, the most telling first."""
    return {"intervals": lambda: intervals(experiment), "scores": lambda: scores(experiment)}


def intervals(experiment: Experiment) -> Figure:
    """Of every data set the mean of the folds of each model, with its interval, and the baseline."""
    sets = list(experiment.data_sets.values())
    high = _PER_MODEL * len(experiment.models) + _BETWEEN
    bottoms = np.arange(len(sets) - 1, -1.0, -1.0) * high
    found = {name: [each.models[name][experiment.metric].mean for each in sets] for name in experiment.models}
    base = floats(
        None if each.baseline is None else each.baseline[experiment.metric].mean.value for each in sets
    )
    marks: list[Mark] = []
    if np.isfinite(base).any():
        x = np.column_stack((base, base, np.full(len(base), np.nan))).ravel()
        y = np.column_stack((bottoms, bottoms + high, np.full(len(base), np.nan))).ravel()
        marks.append(Line(x, y, "most frequent class", None))
    for place, (name, means) in enumerate(found.items()):
        value, low, up = (floats(getattr(mean, end) for mean in means) for end in ("value", "low", "high"))
        height = bottoms + high - _BETWEEN / 2 - _PER_MODEL * (place + 0.5)
        there = np.isfinite(value)
        marks.append(Spans(height, low, up, series=place))
        marks.append(Points(value[there], height[there], name, place, name=name))
    seen = [end for means in found.values() for mean in means for end in (mean.value, mean.low, mean.high)]
    across = Axis(
        f"{experiment.metric}, mean of folds", *reach([*seen, *base[np.isfinite(base)]], experiment.metric)
    )
    names = tuple(zip((bottoms + high / 2).tolist(), experiment.data_sets, strict=True))
    upright = Axis("", 0.0, high * len(sets), names=names)
    return Figure((Panel(across, upright, tuple(marks), wide=WIDE),), "", CORRECTED)


def scores(experiment: Experiment) -> Figure:
    """The mean of every model on every data set, darkest where it is best."""
    from tallymark.comparison.figures.scores import scores as drawn
    from tallymark.tests.friedman import row_ranks
    from tallymark.tests.scores import Table as Scores

    table = experiment.table_of_scores(baseline=False)
    way = -1 if ask(experiment.metric).metric.better == "lower" else 1
    return drawn(
        table.means,
        models=table.models,
        data_sets=table.data_sets,
        ranks=row_ranks(Scores(way * table.means, table.models)),
        title=f"{experiment.metric}, mean of folds",
    )
