"""Out-of-fold predictions as a table, which `evaluate` and `compare` read."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from io import BytesIO
from typing import TYPE_CHECKING, Any

import numpy as np

from tallymark.drawing import csv
from tallymark.validation.validating.validated import places

if TYPE_CHECKING:
    from tallymark.validation.data.data_set import DataSet
    from tallymark.validation.validating.result import Validation
    from tallymark.validation.validating.validated import Validated


def columns(validation: Validation) -> dict[str, Any]:
    """One line per test row of every fold; nothing where a fit failed."""
    folds, data = validation.folds, validation.data
    where = np.array(places(folds)).repeat([fold.n_test for fold in folds.folds], axis=0)
    rows = np.concatenate([fold.test for fold in folds.folds])
    found: dict[str, Any] = {
        "run": where[:, 0],
        "fold": where[:, 1],
        "actual": _labels(validation, data.actual[rows]),
    }
    for name, model in validation.models.items():
        before = "" if len(validation.models) == 1 else f"{name}_"
        for column, values in _of_model(validation, model):
            found[f"{before}{column}"] = values
    if data.groups is not None and data.groups.ndim == 1:
        found["group" if "group" not in found else "row_group"] = data.groups[rows]
    ids = data.ids_at(rows)
    return {id_name(data, found): ids if isinstance(ids, np.ndarray) else ids.to_list(), **found}


def id_name(data: DataSet, others: Mapping[str, Any]) -> str:
    """What the user calls it, so that other files of theirs can be matched by it."""
    if data.id_name is None:
        return "row"
    return "id" if data.id_name in others else data.id_name


def _of_model(validation: Validation, model: Validated) -> Iterator[tuple[str, Any]]:
    data = validation.data
    answers: list[Any] = []
    for fold, fit in zip(validation.folds.folds, model.fits, strict=True):
        failed = fit.failure is not None
        answers += [None] * fold.n_test if failed else _labels(validation, fit.answers)
    yield "predicted", answers
    shapes = {fit.scores.shape[1:] for fit in model.fits if fit.scores is not None}
    if len(shapes) != 1:
        return
    shape = shapes.pop()
    parts = [
        np.full((fold.n_test, *shape), np.nan) if fit.scores is None else fit.scores
        for fold, fit in zip(validation.folds.folds, model.fits, strict=True)
    ]
    scores = np.concatenate(parts)
    if scores.ndim == 1:
        yield "score", scores
    elif data.position is not None and len(data.labels) == 2:
        yield "score", scores[:, data.position]
    else:
        for place, label in enumerate(data.labels):
            yield f"p_{label}", scores[:, place]


def _labels(validation: Validation, at: Any) -> list[Any]:
    labels = validation.data.labels
    return [labels[place] for place in at.tolist()]


def writers(validation: Validation) -> dict[str, Callable[[], str | bytes]]:
    """By suffix."""

    def text() -> str:
        found = columns(validation)
        cells = [getattr(values, "tolist", lambda values=values: values)() for values in found.values()]
        lines = ([None if cell != cell else cell for cell in line] for line in zip(*cells, strict=True))
        return csv(tuple(found), lines)

    def parquet() -> bytes:
        held = BytesIO()
        validation.predictions("polars").write_parquet(held)
        return held.getvalue()

    return {".csv": text, ".parquet": parquet}
