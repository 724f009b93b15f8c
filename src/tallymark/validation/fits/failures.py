"""What may help when a model cannot be fitted."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from tallymark.errors import TallymarkError
from tallymark.intake.files.kinds import listed
from tallymark.validation.data.data_set import DataSet
from tallymark.validation.learners.features import Features, features_of, is_sparse
from tallymark.validation.learners.preparation import Preparation

_ABOUT_VALUES = ("ValueError:", "TypeError:")
"""What models raise that are given text or missing values; other errors have other causes."""


def way_out(model: Any, data: DataSet, failures: Iterable[str | None]) -> str | None:
    """A sentence about columns that a model may not take as they are; None where that is not the cause."""
    if not any(failure and failure.startswith(_ABOUT_VALUES) for failure in failures) or _is_prepared(model):
        return None
    found = _demanding(data.X)
    if not found:
        return None
    return (
        f"the data have {listed(found)}, which not every model takes: --prepare makes numbers of them inside "
        "the fold (in Python make_pipeline(tm.Preparation(), model))."
    )


def _is_prepared(model: Any) -> bool:
    parts = model.get_params(deep=True).values() if hasattr(model, "get_params") else ()
    return any(isinstance(part, Preparation) for part in parts)


def _demanding(X: Any) -> list[str]:
    """What the columns hold beside numbers."""
    if is_sparse(X):
        return []
    try:
        table = features_of(X)
        kinds = [table.kind(place) for place in range(len(table))]
        gone = _lack_values(table, kinds)
    except TallymarkError:  # features of a kind that no preparation takes either
        return []
    # A column of booleans is text to a preparation, and numbers to most models.
    text = any(
        kind == "text" and str(column.dtype) != "Boolean"
        for kind, column in zip(kinds, table.columns, strict=True)
    )
    there = {"text": text, "dates": "date" in kinds, "missing values": gone}
    return [what for what, is_there in there.items() if is_there]


def _lack_values(table: Features, kinds: list[Any]) -> bool:
    numbers = [place for place, kind in enumerate(kinds) if kind == "number"]
    texts = [place for place, kind in enumerate(kinds) if kind == "text"]
    return (
        "empty" in kinds
        or bool(np.isnan(table.numbers(numbers)).any())
        or any(None in column for column in table.texts(texts).T.tolist())
    )
