"""The JSON document of an evaluation."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np

from tallymark.errors import OptionError
from tallymark.evaluation.classes import PER_CLASS
from tallymark.evaluation.slices import headlines
from tallymark.metrics import ask

if TYPE_CHECKING:
    from tallymark.evaluation.classes import ClassResult
    from tallymark.evaluation.result import Evaluation
    from tallymark.evaluation.slices import Slice
    from tallymark.tallies import Confusion, Label

SCHEMA = "tallymark/evaluation/1"
_OF_CLASS = ("roc", "precision_recall", "gains", "cost_curve", "decision_curve")
_OF_ANSWERS = ("calibration", "rejection", "distribution")


@np.errstate(under="ignore")
def to_form(ev: Evaluation, *, normalize: str | None, extra: tuple[str, ...]) -> dict[str, Any]:
    """Keys as the interface fixes them; an undefined number is null with a why, never NaN."""
    metrics = ev.metrics | {ask(name).name: ev[name] for name in extra if name not in ev.own}
    return {
        "schema": SCHEMA,
        "task": ev.task,
        "rows": ev.rows,
        "dropped": dict(ev.dropped),
        "labels": _texts(ev.labels),
        "positive": None if ev.positive is None else str(ev.positive),
        "threshold": ev.threshold,
        "confusion": _confusion(ev, normalize),
        "metrics": {name: estimate.to_dict() for name, estimate in metrics.items()},
        "per_class": [_class(result) for result in ev.per_class.values()],
        "averages": {
            average: {name: estimate.to_dict() for name, estimate in row.items()}
            for average, row in ev.averages.items()
        },
        "curves": _curves(ev),
        "costs": _costs(ev),
        "findings": [finding.to_dict() for finding in ev.findings],
        **({} if ev.sets is None else {"empty_sets": ev.sets.empty_sets}),
        "slices": [_slice(part, headlines(ev)) for part in ev.each_slice()],
        "notes": list(ev.notes),
    }


def _slice(part: Slice, names: Iterable[str]) -> dict[str, Any]:
    return {
        "slice": {column: str(value) for column, value in part.slice.items()},
        "rows": part.rows,
        "few_rows": part.few,
        "compared": {"slices": part.among, "adjustment": "bonferroni"},
        "metrics": {name: estimate.to_dict() for name, estimate in part.evaluation.metrics.items()},
        "differences": {
            name: part.difference(name).to_dict() | {"differs": part.differs(name)} for name in names
        },
        "confusion": _confusion(part.evaluation, None),
    }


def _confusion(ev: Evaluation, normalize: str | None) -> dict[str, Any] | None:
    if ev.confusion is None:
        return None
    form = ev.confusion.table() | {"labels": _texts(ev.labels)}
    if normalize is not None:
        form["normalized"] = {"by": normalize, **_shares(ev.confusion, normalize, dense="matrix" in form)}
    return form


def _shares(confusion: Confusion, by: Any, *, dense: bool) -> dict[str, Any]:
    if not dense:
        return {"cells": confusion.listed_cells(confusion.cell_shares(by))}
    rows = confusion.normalized(by).tolist()
    return {"matrix": [[None if share != share else share for share in row] for row in rows]}


def _texts(labels: Iterable[Label]) -> list[str]:
    """Labels are text in JSON, so that a reader need not know whether they were numbers."""
    return [str(label) for label in labels]


def _class(result: ClassResult) -> dict[str, Any]:
    counts = {name: getattr(result.tally, name, None) for name in ("tp", "fn", "fp", "tn")}
    numbers = {name: result[name].to_dict() for name in PER_CLASS}
    return {"label": str(result.label), "support": result.support, **counts, **numbers}


def _curves(ev: Evaluation) -> dict[str, Any]:
    """The curves of the positive class and of the answers, when there are scores."""
    found: dict[str, Any] = {}
    ranked = not isinstance(ev.ranking(ev.position), str)
    for name in (*(_OF_CLASS if ranked else ()), *_OF_ANSWERS):
        # There is none without scores, of votes where a probability is needed, or without a threshold.
        with suppress(OptionError):
            found[name] = getattr(ev, name).to_dict()
    return found


def _costs(ev: Evaluation) -> dict[str, Any] | None:
    if ev.costs is None:
        return None
    linear = ev.costs.linear()
    return {
        "labels": _texts(ev.costs.labels),
        "matrix": [list(row) for row in ev.costs.matrix],
        "cells": list(ev.costs.words()),
        "total": ev["total_cost"].to_dict(),
        "mean": ev["mean_cost"].to_dict(),
        "linear": None if linear is None else {"p": linear[0], "q": linear[1]},
    }
