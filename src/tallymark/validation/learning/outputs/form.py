"""A learning curve as JSON values (schema `tallymark/learning-curve/1`), and as a table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from tallymark.validation.data.data_form import data_form
from tallymark.validation.learning.outputs.description import TIMES, more_data, stopping

if TYPE_CHECKING:
    from tallymark.validation.learning.result import LearningCurve, ModelCurve, Point


def to_form(curve: LearningCurve) -> dict[str, Any]:
    """Every number of the curve; undefined ones say why."""
    from tallymark.validation.learning.result import SCHEMA

    stopped = curve.stopped
    better = next(iter(curve.models.values())).asked.metric.better
    return {
        "schema": SCHEMA,
        "metric": curve.metric,
        "better": None if better == "neither" else better,
        "data": data_form(curve.data),
        "schedule": {"name": curve.schedule.name, "sizes": list(curve.schedule.sizes)},
        "cv": {"method": curve.folds.method, "repeats": len(curve.folds), "fingerprint": curve.fingerprint},
        "models": [_model(model) for model in curve.models.values()],
        "baseline": curve.baseline.to_dict(),
        "progressive": None
        if stopped is None
        else {**stopped.to_dict(), "text": stopping(stopped, curve.metric)},
        "more_data": list(more_data(curve)),
        "fits": curve.fits,
        "failed": curve.failed,
        "notes": list(curve.notes),
        "findings": [finding.to_dict() for finding in curve.findings],
    }


def _model(model: ModelCurve) -> dict[str, Any]:
    law = model.law
    last = int(model.sizes[-1])
    return {
        "name": model.name,
        "pipeline": model.pipeline,
        "points": [_point(point) for point in model.points],
        "law": {"why": law}
        if isinstance(law, str)
        else {"a": model.sign * law.a, "b": model.sign * law.b, "c": law.c},
        "more_data": [
            {
                "rows": times * last,
                "value": model.extrapolate(times * last).to_dict(),
                "gain": model.gain(times * last).to_dict(),
            }
            for times in TIMES
        ],
    }


def _point(point: Point) -> dict[str, Any]:
    return {
        "size": point.size,
        "n_train": point.n_train,
        "mean": point.mean.to_dict(),
        "standard_deviation": point.deviation,
        "training": point.training,
        "seconds": point.seconds,
        "undefined": point.undefined,
        "values": list(point.values),
        "why": list(point.whys),
    }


def columns(curve: LearningCurve) -> Mapping[str, Any]:
    """One row per model and size."""
    models = list(curve.models.values())
    each = {"mean": "mean", "low": "low", "high": "high", "standard_deviation": "deviation"}
    numbers = {
        name: np.concatenate([getattr(model, attribute) for model in models])
        for name, attribute in {**each, "training": "training", "seconds": "seconds"}.items()
    }
    points = [point for model in models for point in model.points]
    return {
        "model": [model.name for model in models for _ in model.points],
        "size": np.array([point.size for point in points]),
        "n_train": np.array([point.n_train for point in points]),
        "metric": [curve.metric for _ in points],
        **numbers,
        "repeats": np.array([len(point.values) for point in points]),
        "undefined": np.array([point.undefined for point in points]),
    }
