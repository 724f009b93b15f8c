"""The ROC curve of every class against the rest, and what they come to on average."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from tallymark.cli import curves
from tallymark.cli.models import Model
from tallymark.cli.output import Output
from tallymark.errors import OptionError

if TYPE_CHECKING:
    from tallymark.curves import OneVsRest
    from tallymark.drawing import Document
    from tallymark.drawing.figure import Figure
    from tallymark.inference import Estimate

SCHEMA = "tallymark/one_vs_rest/1"


def write(model: Model, given: Mapping[str, object], output: Output) -> None:
    """All classes of one model; `given` are options that are about one."""
    for option, value in given.items():
        if value:
            raise OptionError(
                f"{option} is about the curve of one class, and there are {len(model.ev.labels)}.",
                hint="name one with --positive LABEL.",
            )
    every = _known(model)
    curves.write(
        output,
        document=lambda: _document(model),
        form=lambda: curves.form(SCHEMA, [model], _form),
        table=lambda: _points(every),
        figure=every.figure,
    )


def figure(model: Model) -> Figure:
    """The curves of all classes in one picture."""
    return _known(model).figure()


def _known(model: Model) -> OneVsRest:
    every = model.ev.one_vs_rest
    curves.refuse_undefined([model], lambda _: every)
    return every


def _points(every: OneVsRest) -> Any:
    """All points of all curves, the best recognised class first."""
    tables = {str(label): every.curves[label].table("polars") for label in every.order}
    return curves.stacked(tables, "class")


def _document(model: Model) -> Document:
    from tallymark.drawing import Document, Section

    (worked,) = model.ev.one_vs_rest.document().sections
    numbers = _averages(model)
    return Document(
        "",
        (
            Section(worked.title, (curves.opening(model), *worked.blocks)),
            Section("On average", tuple(curves.estimates(numbers))),
            *model.ev.class_thresholds().document().sections,
            *curves.closing([model], curves.findings(model)),
        ),
    )


def _averages(model: Model) -> dict[str, Estimate]:
    from tallymark.metrics.classes import AREAS

    return {name: model.ev[name] for name in AREAS}


def _form(model: Model) -> dict[str, Any]:
    return {
        **model.ev.one_vs_rest.to_dict(),
        "averages": {name: average.to_dict() for name, average in _averages(model).items()},
        "thresholds": model.ev.class_thresholds().to_dict(),
        "findings": curves.listed(curves.findings(model)),
    }
