"""A validation described as a document, for any pen to draw."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from tallymark.drawing import (
    Block,
    Column,
    Document,
    Paragraph,
    Section,
    Table,
    count,
    interval,
    level_text,
    number,
)
from tallymark.drawing import name as visible
from tallymark.metrics import ask
from tallymark.tallies.labels import listed, quoted
from tallymark.validation.described import findings_sections
from tallymark.validation.page import MATRICES
from tallymark.validation.validating.validated import fold_names

if TYPE_CHECKING:
    from tallymark.validation.validating.result import Validation
    from tallymark.validation.validating.summary import Summary
    from tallymark.validation.validating.validated import Validated

MOST_FOLDS = 20
"""Folds that are listed one by one; of more, how they spread."""
_MOST_LABELS = 10
_MOST_MATRICES = 4
_QUARTERS = {"least": 0.0, "first quarter": 0.25, "median": 0.5, "third quarter": 0.75, "greatest": 1.0}


def describe(validation: Validation) -> Document:
    """Sections in the order people read them."""
    sections = [
        Section("Validation", tuple(_opening(validation))),
        Section(f"Result: {validation.metric}{_way(validation.metric)}", tuple(_result(validation))),
    ]
    if len(validation.metrics) > 1:
        sections.append(Section("Other numbers", tuple(_others(validation))))
    if any(model.bootstrap is not None for model in validation.models.values()):
        sections.append(Section("Bootstrap estimates of the error rate", tuple(_bootstrap(validation))))
    if len(validation.folds) > 1 and any(model[validation.metric].n for model in validation.models.values()):
        sections.append(Section("Folds", tuple(_folds(validation))))
    matrices = tuple(_matrices(validation))
    if matrices:
        sections.append(Section(MATRICES, matrices))
    if validation.notes:
        told = tuple(Paragraph(f"Note: {note}") for note in validation.notes)
        sections.insert(2, Section("", told))
    return Document("", (*sections, *findings_sections(validation.findings)))


def _way(metric: str) -> str:
    better = ask(metric).metric.better
    return "" if better == "neither" else f" ({better} is better)"


def _opening(validation: Validation) -> Iterator[Block]:
    data, folds = validation.data, validation.folds
    classes = np.bincount(data.actual, minlength=len(data.labels))
    said = [
        f"{count(data.rows)} rows, {len(data.labels)} classes: {listed(data.labels)[1:-1]}; the largest has "
        f"{count(int(classes.max()))} rows.",
    ]
    if data.positive is not None:
        said.append(f"Positive class: {quoted(data.positive)}.")
    if data.groups is not None and data.groups.ndim == 1:
        said.append(f"{count(len(np.unique(data.groups)))} groups of rows that belong together.")
    said.append(f"{folds.method[:1].upper()}{folds.method[1:]}: {_sizes(validation)}.")
    if validation.sampler is not None:
        said.append(f"Training rows, and only those, are resampled by {validation.sampler}.")
    yield Paragraph(" ".join(said))
    for model in validation.models.values():
        yield Paragraph(in_words(model.name, model.pipeline))


def in_words(name: str, pipeline: str) -> str:
    """A model by its name, which words about a learner of ours begin with as well."""
    return f"{quoted(name)}: {pipeline.removeprefix(f'{name}: ').rstrip('.')}."


def _sizes(validation: Validation) -> str:
    folds = validation.folds.folds
    train, test = ([getattr(fold, which) for fold in folds] for which in ("n_train", "n_test"))
    if len(folds) == 1:
        return f"{count(train[0])} to train on, {count(test[0])} to test on"
    return f"{count(len(folds))} fits per model, each on {_range(train)} rows and tested on {_range(test)}"


def _range(sizes: list[int]) -> str:
    low, high = min(sizes), max(sizes)
    return count(low) if low == high else f"{count(low)} to {count(high)}"


# --- the table that is read first --------------------------------------------------------------------


def _result(validation: Validation) -> Iterator[Block]:
    everyone = _everyone(validation)
    summaries = [model[validation.metric] for model in everyone]
    several = len(validation.folds) > 1
    level = level_text(everyone[0].level)
    columns: list[tuple[str, list[str]]] = []
    if several:
        columns += [
            ("mean of folds", [_plus_minus(each) for each in summaries]),
            (f"{level} interval", [interval(each.mean.low, each.mean.high) for each in summaries]),
        ]
    columns += [
        ("pooled" if several else validation.metric, [number(each.pooled.value) for each in summaries]),
        (f"{level} interval", [interval(each.pooled.low, each.pooled.high) for each in summaries]),
    ]
    if any(each.training is not None for each in summaries):
        # What always gives one answer learns nothing by heart.
        learned = [(number(each.training), _signed(each.gap)) for each in summaries]
        learned[len(validation.models) :] = [("-", "-")] * (len(everyone) - len(validation.models))
        columns += [("training", [each for each, _ in learned]), ("gap", [each for _, each in learned])]
    if validation.baseline is not None:
        columns.append(("gain", [_gain(each) for each in summaries]))
    columns.append(("s/fit", [_seconds(model) for model in everyone]))
    rows = [
        (visible(model.name), *(cells[place] for _, cells in columns)) for place, model in enumerate(everyone)
    ]
    heads = (Column("model", "left"), *(Column(title) for title, _ in columns))
    rule = (len(validation.models),) if validation.baseline is not None else ()
    yield Table(heads, tuple(rows), rule_before=rule)
    yield Paragraph(" ".join(_legend(validation, summaries)))


def _legend(validation: Validation, summaries: list[Summary]) -> Iterator[str]:
    if len(validation.folds) > 1:
        yield (
            "Mean of folds: ± standard deviation of the folds; its interval is the one to believe: by the "
            "corrected t, for training sets overlap (Nadeau and Bengio 2003), and no narrower than pooled. "
            "No variance of such a mean is unbiased (Bengio and Grandvalet 2004). Pooled: all test rows "
            "counted together, the models of all folds taken as one; its interval is too narrow for learners "
            "that change with their training rows (measured: 0.80 to 0.95 hold the truth instead of 0.95). "
            "Both are of models that learned fewer rows than there are."
        )
        for name, summary in zip(validation.models, summaries, strict=False):
            if summary.mean.value is not None and summary.mean.low is None:
                yield f"No interval of the mean of {quoted(name)}: {summary.mean.note}."
    else:
        yield "It is of a model that learned fewer rows than there are."
    if any(each.training is not None for each in summaries):
        yield "Training: on the rows learned; gap: by how much that is better."
    if validation.baseline is not None:
        told = "" if len(validation.folds) == 1 else ", fold by fold"
        yield f"Gain: over {quoted(validation.baseline.name)}, {validation.baseline.pipeline}{told}."


def _plus_minus(summary: Summary) -> str:
    if summary.mean.value is None:
        return number(None)
    spread = "" if summary.deviation is None else f" ± {number(summary.deviation)}"
    short = f" ({summary.n} of {len(summary.values)})" if summary.undefined else ""
    return f"{number(summary.mean.value)}{spread}{short}"


def _gain(summary: Summary) -> str:
    """With the folds it is of, where they are not those of the mean."""
    gain = summary.gain
    if gain is None:
        return "-"
    short = "" if gain.n in (None, summary.n) else f" ({count(gain.n)} of {len(summary.values)})"
    return f"{_signed(gain.value)}{short}"


def _signed(value: float | None) -> str:
    if value is None:
        return number(None)
    return f"+{number(value)}" if value > 0 else number(value)


def _seconds(model: Validated) -> str:
    if not model.seconds:
        return "-"
    return f"{model.seconds:.2g}" if model.seconds < 10 else count(round(model.seconds))


def _everyone(validation: Validation) -> list[Validated]:
    beside = [] if validation.baseline is None else [validation.baseline]
    return [*validation.models.values(), *beside]


# --- what follows ------------------------------------------------------------------------------------


def _others(validation: Validation) -> Iterator[Block]:
    heads = ("", "model", "mean of folds", "interval", "pooled", "interval", "training", "gain")
    rows: list[tuple[str, ...]] = []
    starts: list[int] = []
    for name in validation.metrics[1:]:
        starts.append(len(rows))
        for place, model in enumerate(_everyone(validation)):
            each = model[name]
            rows.append(
                (
                    name if not place else "",
                    visible(model.name),
                    _plus_minus(each),
                    interval(each.mean.low, each.mean.high),
                    number(each.pooled.value),
                    interval(each.pooled.low, each.pooled.high),
                    "-" if model is validation.baseline else number(each.training),
                    _gain(each),
                )
            )
    columns = tuple(Column(title, "left" if place < 2 else "right") for place, title in enumerate(heads))
    yield Table(columns, tuple(rows), rule_before=tuple(starts[1:]))


def _bootstrap(validation: Validation) -> Iterator[Block]:
    names = ("apparent", "out_of_bag", "no_information", "overfitting", "error_632", "error_632_plus")
    titles = ("apparent", "out of bag", "no information", "overfitting", ".632", ".632+")
    found = [(model.name, model.bootstrap) for model in validation.models.values()]
    rows = [
        (visible(name), *(number(getattr(each, key)) for key in names))
        for name, each in found
        if each is not None
    ]
    yield Table((Column("model", "left"), *(Column(title) for title in titles)), tuple(rows))
    yield Paragraph(
        "Apparent: of the model that learned all rows, on them. Out of bag: of every row, by the models that "
        "had not drawn it; as a rule too high, for they learned 63 % of the rows. .632 and .632+ weigh the "
        "two (Efron 1983; Efron and Tibshirani 1997); .632 fails where a model learns by heart (1-NN), which "
        ".632+ is meant for."
    )
    for _, each in found:
        yield from (Paragraph(f"Note: {note}") for note in (each.notes if each is not None else ()))


def _folds(validation: Validation) -> Iterator[Block]:
    everyone = _everyone(validation)
    columns = [model[validation.metric].values for model in everyone]
    heads = tuple(Column(visible(model.name)) for model in everyone)
    if len(validation.folds) > MOST_FOLDS:
        yield Paragraph(f"How {validation.metric} spreads over {count(len(validation.folds))} folds.")
        defined = [[value for value in column if value is not None] for column in columns]
        rows = [
            (
                title,
                *(number(float(np.quantile(values, at))) if values else number(None) for values in defined),
            )
            for title, at in _QUARTERS.items()
        ]
        yield Table((Column("", "left"), *heads), tuple(rows))
        return
    names = fold_names(validation.folds)
    sizes = [(count(fold.n_train), count(fold.n_test)) for fold in validation.folds.folds]
    yield Table(
        (Column("fold", "left"), Column("train"), Column("test"), *heads),
        tuple(
            (visible(name), *sizes[place], *(number(column[place]) for column in columns))
            for place, name in enumerate(names)
        ),
        title=f"{validation.metric} of every fold",
    )


def _matrices(validation: Validation) -> Iterable[Block]:
    labels = validation.data.labels
    if len(labels) > _MOST_LABELS or len(validation.models) > _MOST_MATRICES:
        return
    for model in validation.models.values():
        confusion = model.evaluation.confusion if len(model.rows) else None
        if confusion is None:
            continue
        corner = Column("actual \\ predicted", "left")
        rows = tuple(
            (visible(str(label)), *(count(cell) for cell in line))
            for label, line in zip(labels, confusion.matrix.tolist(), strict=True)
        )
        title = quoted(model.name) if len(validation.models) > 1 else ""
        yield Table((corner, *(Column(visible(str(label))) for label in labels)), rows, title=title)
