"""What was asked, so that the same question is known again, and others on the same rows are counted."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tallymark.resampling.folds import Folds
from tallymark.validation.data.data_set import DataSet
from tallymark.validation.runs.describing import (
    Indescribable,
    described,
    digest,
    kind_of,
    settings_of,
    settings_unseeded,
)
from tallymark.validation.runs.hashing import Hashes, tested_hash, tested_rows, written_rows

Question = Callable[[Hashes], dict[str, Any]]
_SHORT = 300
_NAMING = ("name", "rows", "hash", "positive")
"""What of a data set a run is called by; the rest follows from it."""


def question(
    kind: str,
    cuts: Sequence[tuple[DataSet, Folds]],
    models: Mapping[str, Any],
    metric: str,
    seed: int,
    **options: Any,
) -> Question:
    """What is asked of which models on which rows; worked out when there is a folder to record it in."""

    def facts(hashes: Hashes) -> dict[str, Any]:
        tested = [tested_hash(folds) for _, folds in cuts]
        return {
            "question": kind,
            "data": [_data(data, hashes) for data, _ in cuts],
            "method": cuts[0][1].method,
            "folds": [folds.fingerprint for _, folds in cuts],
            "tested": [each for each, _ in tested],
            "test_rows": [rows for _, rows in tested],
            "tested_bits": [written_rows(tested_rows(folds)) for _, folds in cuts],
            "metric": metric,
            "models": [about(name, model) for name, model in models.items()],
            "seed": seed,
            "options": {name: _told(value) for name, value in options.items()},
        }

    return facts


def about(name: str, model: Any, parameters: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """A model, with its parameters, as it is told apart from others."""
    text = _in_words(model)
    given = {key: _in_words(value) for key, value in (parameters or {}).items()}
    return {
        "name": name,
        "kind": kind_of(model),
        "settings": settings_of(model, parameters),
        "settings_unseeded": settings_unseeded(model, parameters),
        "text": text if len(text) <= _SHORT else f"{text[:_SHORT]}...",
        **({"parameters": given} if given else {}),
    }


def name_of(facts: Mapping[str, Any]) -> str:
    """What a run is called: the same in every process that asks the same."""
    # Words stand for a model only where nothing better is known: those of a set come in any order.
    models = [
        {
            key: value
            for key, value in each.items()
            if key != "settings_unseeded" and (key != "text" or each["settings"] is None)
        }
        for each in facts["models"]
    ]
    data = [{key: each[key] for key in _NAMING} for each in facts["data"]]
    rest = {key: value for key, value in facts.items() if key != "tested_bits"}
    return digest({**rest, "data": data, "models": models})[:12]


def _data(data: DataSet, hashes: Hashes) -> dict[str, Any]:
    """A data set as it is told apart from others; and its classes and features each by themselves, for the
    same rows may come with other columns, and the same columns in another container."""
    return {
        "name": data.name,
        "rows": data.rows,
        "hash": _known(hashes.of, data),
        "positive": _told(data.positive),
        "classes": data.fingerprint,
        "features": _known(hashes.of_features, data),
    }


def _known(hashed: Callable[[DataSet], str], data: DataSet) -> str | None:
    try:
        return hashed(data)
    except Indescribable:
        return None


def _told(value: Any) -> Any:
    try:
        return described(value)
    except Indescribable:
        return _in_words(value)


def _in_words(value: Any) -> str:
    """As it shows itself, but for where it is in memory."""
    try:
        text = repr(value)
    except Exception:  # noqa: BLE001 - code of the model's own
        text = type(value).__name__
    return " ".join(re.sub(r" at 0x[0-9a-fA-F]+", "", text).split())
