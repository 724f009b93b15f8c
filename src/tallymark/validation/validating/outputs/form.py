"""A validation as JSON values (schema `tallymark/validation/1`), and as a table of folds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tallymark.validation.data.data_form import data_form
from tallymark.validation.validating.validated import places

if TYPE_CHECKING:
    from tallymark.validation.validating.result import Validation
    from tallymark.validation.validating.validated import Validated


def to_form(validation: Validation) -> dict[str, Any]:
    """Every number; undefined ones say why."""
    from tallymark.validation.validating.result import SCHEMA

    folds = validation.folds
    trained = next(iter(validation.models.values())).sizes.train.tolist()
    return {
        "schema": SCHEMA,
        "data": data_form(validation.data),
        "method": folds.method,
        "runs": folds.runs,
        "fingerprint": validation.fingerprint,
        "folds": [
            {
                "run": run,
                "fold": number,
                **({"left_out": fold.name} if fold.name else {}),
                "n_train": fold.n_train,
                **({} if fold.n_train == distinct else {"n_train_distinct": int(distinct)}),
                "n_test": fold.n_test,
            }
            for (run, number), fold, distinct in zip(places(folds), folds.folds, trained, strict=True)
        ],
        "sampler": validation.sampler,
        "metric": validation.metric,
        "models": [_model(model, validation.metrics) for model in validation.models.values()],
        "baseline": None if validation.baseline is None else _model(validation.baseline, validation.metrics),
        "failed": validation.failed,
        "failures": [each for model in validation.models.values() for each in _failures(model)],
        "notes": list(validation.notes),
        "findings": [finding.to_dict() for finding in validation.findings],
    }


def _model(model: Validated, metrics: tuple[str, ...]) -> dict[str, Any]:
    fitted = bool(len(model.rows))
    efron = model.bootstrap
    return {
        "name": model.name,
        "pipeline": model.pipeline,
        "metrics": {name: model[name].to_dict() for name in metrics},
        "confusion": model.evaluation.confusion.table() if fitted and model.evaluation.confusion else None,
        "training_confusion": None if model.training is None else model.training.table(),
        **({} if efron is None else {"bootstrap": efron.to_dict()}),
        "seconds_per_fit": model.seconds,
        "seconds_per_test": model.ask_seconds,
        "failed": model.failed,
    }


def _failures(model: Validated) -> list[dict[str, Any]]:
    return [
        {"model": model.name, "run": run, "fold": fold, "error": fit.failure}
        for (run, fold), fit in zip(places(model.folds), model.fits, strict=True)
        if fit.failure is not None
    ]


def fold_columns(validation: Validation) -> dict[str, Any]:
    """One row per model and fold, the baseline last."""
    models = [*validation.models.values(), *filter(None, [validation.baseline])]
    folds = validation.folds
    where = np.array(places(folds))
    again = len(models)
    found: dict[str, Any] = {
        "model": [model.name for model in models for _ in folds.folds],
        "run": np.tile(where[:, 0], again),
        "fold": np.tile(where[:, 1], again),
    }
    if any(fold.name for fold in folds.folds):
        found["left_out"] = [fold.name for fold in folds.folds] * again
    # Different rows, for a comparison by this table needs to know how much training sets share.
    found["n_train"], found["n_test"] = (
        np.tile(sizes.astype(np.int64), again) for sizes in (models[0].sizes.train, models[0].sizes.test)
    )
    for name in validation.metrics:
        found[name] = _floats(value for model in models for value in model[name].values)
    for name in validation.metrics:
        found[f"training_{name}"] = _floats(v for model in models for v in model[name].training_values)
    found["fit_seconds"] = np.array([fit.fit_seconds for model in models for fit in model.fits])
    if validation.failed:
        found["failure"] = [fit.failure for model in models for fit in model.fits]
    return found


def _floats(values: Any) -> np.ndarray[Any, np.dtype[np.float64]]:
    return np.array([np.nan if value is None else value for value in values], float)
