"""What must be said of a validation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from tallymark.tallies.labels import quoted
from tallymark.validation.audit.checks.leave_one_out_ranks import nothing_to_rank
from tallymark.validation.fits.fold_notes import said_of_failures, said_of_folds, said_of_warnings
from tallymark.validation.validating.summary import ONE_SCALE, is_ranked

if TYPE_CHECKING:
    from tallymark.validation.validating.result import Validation
    from tallymark.validation.validating.validated import Validated

_SHOWN = 5
_FEW_ROWS = 10
"""Of a class, below which intervals of numbers about it were seen to hold the truth far too seldom."""


def notes(validation: Validation) -> Iterator[str]:
    """Sentences, those that matter most first."""
    for model in validation.models.values():
        yield from _failures(model)
    for model in validation.models.values():
        yield from _undefined(model, validation.metrics)
    yield from said_of_folds(validation.folds, validation.data)
    yield from _pairs(validation)
    yield from _rare(validation)
    for model in validation.models.values():
        yield from _gain(model, validation.metric)
    yield from _rows(validation)
    yield from _ranked(validation)
    for model in validation.models.values():
        yield from _said_by(model)
    yield from validation.data.notes


def _failures(model: Validated) -> Iterator[str]:
    failed = [fit.failure for fit in model.fits if fit.failure is not None]
    for text in said_of_failures(failed, len(model.fits)):
        yield f"{quoted(model.name)}: {text}"
    if failed and model.way_out is not None:
        yield f"{quoted(model.name)}: {model.way_out}"


def _undefined(model: Validated, metrics: Iterable[str]) -> Iterator[str]:
    """Folds without a number, unless it is because their fit failed or nothing can be ranked in them, which
    is said elsewhere."""
    if model.failed == len(model.fits):
        return
    lost = nothing_to_rank(model.data, model.folds)
    for metric in metrics:
        summary = model[metric]
        if summary.undefined > model.failed and not (lost and is_ranked(metric)):
            there = " Look at pooled." if not summary.n and summary.pooled.value is not None else ""
            yield f"{quoted(model.name)}: {metric} is {summary.remark}.{there}"


def _pairs(validation: Validation) -> Iterator[str]:
    groups = validation.data.groups
    if groups is not None and groups.ndim > 1:
        yield (
            "rows about pairs that share an entity are not independent; intervals take them as if they were "
            "and are too narrow: that of the mean of folds (measured: 0.81 to 0.87 hold the truth instead of "
            "0.95), and even more that of pooled (0.55)."
        )


def _rare(validation: Validation) -> Iterator[str]:
    """Classes with few rows that are tested, each row once however often it is."""
    data = validation.data
    tested = np.zeros(data.rows, bool)
    for fold in validation.folds.folds:
        tested[fold.test] = True
    counts = np.bincount(data.actual[tested], minlength=len(data.labels))
    few = np.flatnonzero((counts < _FEW_ROWS) & (counts > 0)).tolist()
    if not few:
        return
    told = [f"{quoted(data.labels[place])} ({counts[place]})" for place in few[:_SHOWN]]
    if len(few) == 1:
        which = f"class {quoted(data.labels[few[0]])} has only {counts[few[0]]} test rows"
    else:
        rest = f" and {len(few) - _SHOWN:,} others" if len(few) > _SHOWN else ""
        which = f"classes with fewer than {_FEW_ROWS} test rows: {', '.join(told)}{rest}"
    yield f"{which}: intervals of numbers about {'it' if len(few) == 1 else 'them'} are not to be relied on."


def _gain(model: Validated, metric: str) -> Iterator[str]:
    gain = model[metric].gain
    if gain is None or gain.value is None or model.baseline is None:
        return
    if gain.value <= 0:
        yield (
            f"{quoted(model.name)} was no better here in {metric} than always answering the most frequent "
            f"class: it gains {gain.value:.4g}."
        )
    elif gain.low is not None and gain.high is not None and gain.low <= 0:
        yield (
            f"{quoted(model.name)} is not shown to be better in {metric} than always answering the most "
            f"frequent class: it gains {gain.value:.4g} [{gain.low:.4g}, {gain.high:.4g}]."
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
    if told and len(validation.folds) > 1 and not nothing_to_rank(validation.data, validation.folds):
        yield f"pooled {' and '.join(told)}: {ONE_SCALE}."


def _said_by(model: Validated) -> Iterator[str]:
    """Warnings, and why there are no scores."""
    said: Counter[str] = Counter()
    for fit in model.fits:
        said.update(fit.warnings)
        if fit.note is not None:
            said[fit.note] += 1
    for text in said_of_warnings(said, len(model.fits)):
        yield f"{quoted(model.name)}: {text}"
