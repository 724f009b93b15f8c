"""The JSON document of an evaluation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tallymark.evaluation.result import NEEDS_SCORES, PER_CLASS
from tallymark.metrics import ask

if TYPE_CHECKING:
    from tallymark.evaluation.result import ClassResult, Evaluation

SCHEMA = "tallymark/evaluation/1"
_UNSCORED = {"value": None, "why": NEEDS_SCORES}


def to_form(ev: Evaluation, *, normalize: str | None, extra: tuple[str, ...]) -> dict[str, Any]:
    """Keys as the interface fixes them; an undefined number is null with a why, never NaN."""
    metrics = ev.metrics | {ask(name).name: ev[name] for name in extra}
    return {
        "schema": SCHEMA,
        "task": ev.task,
        "rows": ev.rows,
        "dropped": dict(ev.dropped),
        "labels": list(ev.labels),
        "positive": ev.positive,
        "threshold": ev.threshold,
        "confusion": _confusion(ev, normalize),
        "metrics": {name: estimate.to_dict() for name, estimate in metrics.items()},
        "per_class": [_class(result) for result in ev.per_class.values()],
        "averages": {
            average: {name: estimate.to_dict() for name, estimate in row.items()}
            for average, row in ev.averages.items()
        },
        "curves": {},
        "costs": _costs(ev),
        "findings": [finding.to_dict() for finding in ev.findings],
        "slices": [],
        "notes": list(ev.notes),
    }


def _confusion(ev: Evaluation, normalize: str | None) -> dict[str, Any] | None:
    if ev.confusion is None:
        return None
    form = ev.confusion.table()
    if normalize is not None and "matrix" in form:
        shares = ev.confusion.normalized(normalize)  # type: ignore[arg-type]
        rows = [[None if np.isnan(share) else share for share in row] for row in shares.tolist()]
        form["normalized"] = {"by": normalize, "matrix": rows}
    return form


def _class(result: ClassResult) -> dict[str, Any]:
    tally = result.tally
    counts = {"tp": tally.tp, "fn": tally.fn, "fp": tally.fp, "tn": tally.tn}
    numbers = {name: result[name].to_dict() for name in PER_CLASS}
    scored = {"auc": _UNSCORED, "average_precision": _UNSCORED}
    return {"label": result.label, "support": result.support, **counts, **numbers, **scored}


def _costs(ev: Evaluation) -> dict[str, Any] | None:
    if ev.costs is None:
        return None
    linear = ev.costs.linear()
    return {
        "labels": list(ev.costs.labels),
        "matrix": [list(row) for row in ev.costs.matrix],
        "cells": list(ev.costs.words()),
        "total": ev["total_cost"].to_dict(),
        "mean": ev["mean_cost"].to_dict(),
        "linear": None if linear is None else {"p": linear[0], "q": linear[1]},
    }
