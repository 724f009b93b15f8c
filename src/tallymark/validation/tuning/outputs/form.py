"""A tuning as JSON values (schema `tallymark/tuning/1`), and its candidates as a table."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

import numpy as np

from tallymark.validation.data.data_form import data_form
from tallymark.validation.tuning.given import ENOUGH, ERROR, SHARE
from tallymark.validation.tuning.outputs.names import plain, said
from tallymark.validation.validating.validated import fold_names

if TYPE_CHECKING:
    from tallymark.validation.tuning.result import Tuning
    from tallymark.validation.tuning.search import Searched, Tried

_ABSENT = object()


def to_form(tuning: Tuning) -> dict[str, Any]:
    """Every number; undefined ones say why."""
    from tallymark.validation.tuning.result import SCHEMA

    return {
        "schema": SCHEMA,
        "method": tuning.method,
        "data": data_form(tuning.data),
        "metric": tuning.metric,
        "better": tuning.better,
        "search": tuning.trials.how,
        "outer": {"method": tuning.folds.method, "fingerprint": tuning.fingerprint},
        "inner": {"method": tuning.split},
        "best": {
            "model": tuning.best_name,
            "parameters": _parameters(tuning.best),
            "score": tuning.best_score,
            "candidate": tuning.search.best,
            "tied": tuning.search.tied,
        },
        "promised": tuning.inner.to_dict(),
        "kept": tuning.outer.to_dict(),
        "optimism": tuning.optimism.to_dict(),
        "candidates": _candidates(tuning.search),
        "folds": _folds(tuning),
        "evaluation": tuning.evaluation.to_dict(),
        "fits": tuning.n_fits,
        "early_stop": tuning.early_stop,
        "stopped": _stopped(tuning),
        "failed": tuning.failed,
        "notes": list(tuning.notes),
        "findings": [finding.to_dict() for finding in tuning.findings],
    }


def _stopped(tuning: Tuning) -> dict[str, Any] | None:
    """What was saved, by which rule, and how often the rule errs."""
    stopped = tuning.stopped
    if stopped is None:
        return None
    draws = {"asked_for": stopped.draws, "tried": ENOUGH, "share_better": SHARE, "error": ERROR}
    return {
        "given_up": sum(each.outdone for each in tuning.candidates),
        "saved": stopped.saved,
        "of": stopped.of,
        "error": 0.0,
        "draws": None if stopped.draws is None else draws,
    }


def _parameters(tried: Tried) -> dict[str, Any]:
    return {name: plain(value) for name, value in tried.candidate.given.items()}


def _candidates(search: Searched) -> list[dict[str, Any]]:
    return [
        {
            "model": each.candidate.name,
            "parameters": _parameters(each),
            "rank": rank,
            "mean": each.mean,
            "standard_deviation": each.deviation,
            "training": each.training_mean,
            "values": list(each.values),
            "failed": len(each.failures),
            "seconds": each.seconds,
            **({"why": each.why} if each.mean is None else {}),
        }
        for each, rank in zip(search.tried, search.ranks, strict=True)
    ]


def _folds(tuning: Tuning) -> list[dict[str, Any]]:
    """What every outer fold chose, and what it promised and kept."""
    whys = tuning[tuning.metric].whys
    columns = zip(fold_names(tuning.folds), tuning.folds.folds, tuning.inner_searches, strict=True)
    return [
        {
            "fold": name,
            "n_train": fold.n_train,
            "n_test": fold.n_test,
            "candidate": found.best,
            "model": None if found.winner is None else found.winner.candidate.name,
            "parameters": None if found.winner is None else _parameters(found.winner),
            "inner": tuning.inner_values[place],
            "outer": tuning.outer_values[place],
            **({"why": whys[place]} if whys[place] is not None else {}),
        }
        for place, (name, fold, found) in enumerate(columns)
    ]


def columns(tuning: Tuning) -> dict[str, Any]:
    """The candidates, in the order they were tried."""
    tried = tuning.candidates
    names = sorted({name for each in tried for name in each.candidate.given})
    return {
        "rank": _numbers(tuning.search.ranks),
        "model": [each.candidate.name for each in tried],
        **{
            f"param_{name}": _column([each.candidate.given.get(name, _ABSENT) for each in tried])
            for name in names
        },
        "mean": _numbers([each.mean for each in tried]),
        "standard_deviation": _numbers([each.deviation for each in tried]),
        "training": _numbers([each.training_mean for each in tried]),
        "failed": np.array([len(each.failures) for each in tried], np.int64),
        "seconds": np.array([each.seconds for each in tried]),
        "why": [each.why for each in tried],
    }


def _numbers(values: Sequence[float | None]) -> Any:
    if all(isinstance(value, int) for value in values):
        return np.array(values, np.int64)
    return np.array([np.nan if value is None else value for value in values], float)


def _column(values: Sequence[Any]) -> Any:
    """Numbers where all are, else words; a parameter that a model does not have is missing."""
    known = [value for value in values if value is not _ABSENT]
    if any(isinstance(value, bool) or not isinstance(value, Real) for value in known):
        return [None if value is _ABSENT else said(value) for value in values]
    if len(known) == len(values) and all(isinstance(value, Integral) for value in known):
        return np.array(known, np.int64)
    return np.array([np.nan if value is _ABSENT else float(value) for value in values])
