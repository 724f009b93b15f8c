"""What must be said of a validation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tallymark.tallies.labels import quoted
from tallymark.validation.summary import ONE_SCALE, is_ranked

if TYPE_CHECKING:
    from tallymark.resampling.folds import Folds
    from tallymark.validation.result import Validation
    from tallymark.validation.validated import Validated

_SHOWN = 5


def notes(validation: Validation) -> Iterator[str]:
    """Sentences, those that matter most first."""
    for model in validation.models.values():
        yield from _failures(model)
    for model in validation.models.values():
        yield from _undefined(model, validation.metrics)
    yield from _groups(validation)
    for model in validation.models.values():
        yield from _gain(model, validation.metric)
        yield from _agreement(model, validation.metric)
    yield from _rows(validation)
    yield from _ranked(validation)
    for model in validation.models.values():
        yield from _said_by(model)
    yield from validation.data.notes


def _failures(model: Validated) -> Iterator[str]:
    failed = [fit.failure for fit in model.fits if fit.failure is not None]
    if not failed:
        return
    kinds = Counter(failed)
    told = [f"{why}{f' ({n:,} fits)' if len(kinds) > 1 else ''}" for why, n in kinds.most_common(_SHOWN)]
    more = "; and others" if len(kinds) > _SHOWN else ""
    fits = _fits(len(failed), len(model.fits))
    yield f"{quoted(model.name)}: {fits} failed: {'; '.join(told)}{more}."


def _undefined(model: Validated, metrics: Iterable[str]) -> Iterator[str]:
    """Folds without a number, unless it is because their fit failed, which is said already."""
    if model.failed == len(model.fits):
        return
    for metric in metrics:
        summary = model[metric]
        if summary.undefined > model.failed:
            there = " Look at pooled." if not summary.n and summary.pooled.value is not None else ""
            yield f"{quoted(model.name)}: {metric} is {summary.remark}.{there}"


def _groups(validation: Validation) -> Iterator[str]:
    groups = validation.data.groups
    if groups is None:
        return
    folds = validation.folds
    shared = _sharing(folds, groups)
    what = "groups" if groups.ndim == 1 else "entities of pairs"
    if shared:
        ways = "cv=10 or cv='group'" if groups.ndim == 1 else "cv='pairs:5'"
        yield (
            f"in {shared:,} of {len(folds):,} folds {what} of test rows are among the training rows as well, "
            f"so results may be too good; {ways} keeps them apart."
        )
    if groups.ndim > 1:
        yield (
            "rows about pairs that share an entity are not independent; pooled intervals take them as if "
            "they were and are too narrow."
        )


def _sharing(folds: Folds, groups: NDArray[Any]) -> int:
    """Folds with a group on both sides; of pairs, either entity by itself, for they may be of two kinds."""
    kinds = [np.unique(column, return_inverse=True)[1] for column in groups.reshape(len(groups), -1).T]
    shared = 0
    for train, test in folds:
        shared += any(np.isin(codes[test], codes[train]).any() for codes in kinds)
    return shared


def _gain(model: Validated, metric: str) -> Iterator[str]:
    gain = model[metric].gain
    if gain is None or gain.value is None or model.baseline is None:
        return
    if gain.value <= 0:
        yield (
            f"{quoted(model.name)} is no better in {metric} than always answering the most frequent class: "
            f"it gains {gain.value:.4g}."
        )
    elif gain.low is not None and gain.high is not None and gain.low <= 0:
        yield (
            f"{quoted(model.name)} is not shown to be better in {metric} than always answering the most "
            f"frequent class: it gains {gain.value:.4g} [{gain.low:.4g}, {gain.high:.4g}]."
        )


def _agreement(model: Validated, metric: str) -> Iterator[str]:
    """Folds that are alike by chance make a mean look surer than so many rows can make it."""
    mean, pooled = model[metric].mean, model[metric].pooled
    if None in (mean.low, mean.high, pooled.low, pooled.high):
        return
    ends = [float(end) for end in (mean.low, mean.high, pooled.low, pooled.high) if end is not None]
    if 2 * (ends[1] - ends[0]) < ends[3] - ends[2]:
        yield (
            f"{quoted(model.name)}: the folds are more alike than the number of rows explains, so the "
            f"interval of their mean {metric} is too narrow to believe; that of pooled is "
            f"{(ends[3] - ends[2]) / (ends[1] - ends[0]):.2g} times as wide."
        )


def _rows(validation: Validation) -> Iterator[str]:
    """Rows that are tested several times, or never."""
    folds = validation.folds
    times = np.zeros(folds.rows, np.int64)
    for fold in folds.folds:
        times[fold.test] += 1
    never = int((times == 0).sum())
    if never and len(folds) > 1:
        yield f"{never:,} of {folds.rows:,} rows are in no test fold."
    if int(times.max()) > 1 and validation.data.groups is None:
        many = f"{times.max():,} times" if times.min() == times.max() else "several times"
        yield f"rows are tested {many}; pooled intervals count each of them as one."


def _ranked(validation: Validation) -> Iterator[str]:
    told = [name for name in validation.metrics if is_ranked(name)]
    if told and len(validation.folds) > 1:
        yield f"pooled {' and '.join(told)}: {ONE_SCALE}."


def _said_by(model: Validated) -> Iterator[str]:
    """Warnings, and why there are no scores."""
    said: Counter[str] = Counter()
    for fit in model.fits:
        said.update(fit.warnings)
        if fit.note is not None:
            said[fit.note] += 1
    for text, times in said.most_common(_SHOWN):
        yield f"{quoted(model.name)}: {text.rstrip('.:; ')} (in {_fits(times, len(model.fits))})."
    if len(said) > _SHOWN:
        yield f"{quoted(model.name)}: there are {len(said) - _SHOWN:,} other warnings."


def _fits(some: int, total: int) -> str:
    return "the one fit" if total == 1 else f"{some:,} of {total:,} fits"
