"""`learning_curve`: models learn from more and more rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any

import numpy as np

from tallymark.errors import OptionError, precise
from tallymark.evaluation.settings import checked_seed
from tallymark.intake.costs import CostsGiven
from tallymark.intervals import checked_level
from tallymark.metrics import Asked, ask
from tallymark.resampling.folds import Folds
from tallymark.resampling.holdout import RepeatedHoldout
from tallymark.resampling.splitter import folds_of
from tallymark.tallies import Label
from tallymark.validation.data.data_set import DataSet
from tallymark.validation.data.given import models_of, one_data_set
from tallymark.validation.data.sharing import shared_features
from tallymark.validation.fits.asking import answerable, checked_sampler, scored_by_one, with_costs
from tallymark.validation.fits.fitting import require_joblib
from tallymark.validation.fits.scoring import Scorer
from tallymark.validation.learners.by_name import described
from tallymark.validation.learning.progressive import Stop
from tallymark.validation.learning.result import LearningCurve, ModelCurve
from tallymark.validation.learning.schedule import Named, Schedule, scheduled, within
from tallymark.validation.learning.subsets import Nested, nested
from tallymark.validation.learning.work import Work
from tallymark.validation.runs.folder import RunFolder, folder_of
from tallymark.validation.runs.questions import question
from tallymark.validation.runs.recording import recording

_REPEATS, _TEST_SIZE = 10, 1 / 3
_SUBSETS = 0
"""What the random stream is for; the fits have others."""


def learning_curve(
    models: Any,
    X: Any = None,
    y: Any = None,
    *,
    schedule: Named | Sequence[float] = "geometric",
    n_sizes: int | None = None,
    start: float | None = None,
    factor: float | None = None,
    step: float | None = None,
    cv: Any = None,
    n_repeats: int = _REPEATS,
    test_size: float = _TEST_SIZE,
    metric: str = "accuracy",
    scoring: str | None = None,
    progressive: bool = False,
    tolerance: float = 0.005,
    target: str | None = None,
    groups: Any = None,
    labels: Sequence[Label] | None = None,
    pos_label: object = None,
    costs: CostsGiven | None = None,
    sampler: Any = None,
    n_jobs: int | None = None,
    run_folder: str | PathLike[str] | RunFolder | None = None,
    confidence_level: float = 0.95,
    random_state: int | None = 0,
    **reading: Any,
) -> LearningCurve:
    """How good models are after learning from more and more rows.

    schedule: "geometric" (start, start * factor, ...; Provost, Jensen and Oates 1999), "arithmetic" (start,
    start + step, ...; John and Langley 1996), or sizes as a list of rows or of shares. All end with the whole
    training part. Without a start, "geometric" halves (factor 2) from there, and "arithmetic" takes n_sizes
    equal steps (10).

    cv: which rows train and test, by default `n_repeats` hold-outs of `test_size` of the rows. In a repeat
    all models are tested on the same rows, and learn from the same subsets, each of which contains the
    smaller ones and has the same class shares to within one row. With groups a subset has whole groups.

    progressive: sizes are run one after the other, up to the first at which, of every model, each of the
    last two doublings of the rows brought less than `tolerance`: the upper confidence bounds of their gains,
    paired over the repeats and corrected for the rows they share, are below it. It goes on while all repeats
    gain the same, for that bounds nothing, and while a model is within `tolerance` of always answering the
    most frequent class. In simulations made to mislead it, up to 3 % of runs with bounds of 95 % stopped
    where the last doubling was in truth worth the tolerance (benchmarks/coverage_learning.py); with other
    bounds that was not measured. That the next doubling brings no more than the last is taken for granted.

    run_folder: where finished fits are kept, so that the same call goes on from there. random_state: None
    is 0.
    """
    asked = ask(scored_by_one(scoring, metric))
    level, seed = checked_level(confidence_level), checked_seed(random_state)
    _check_tolerance(tolerance)
    if progressive:
        _check_progressive(asked, level)
    checked_sampler(sampler)
    learners = models_of(models)
    data = one_data_set(X, y, target=target, groups=groups, labels=labels, pos_label=pos_label, **reading)
    data, costs = with_costs(data, costs, stated=labels is not None)
    scorer = Scorer(data, asked, costs)
    answerable(data, (asked,), costs)
    folds = _folds(data, cv, n_repeats, test_size, seed)
    parts = _parts(folds, data, seed)
    plan = _plan(parts, data, schedule, n_sizes=n_sizes, start=start, factor=factor, step=step)
    asks = question(
        "learn", [(data, folds)], learners, asked.name, seed,
        sizes=plan.sizes, progressive=tolerance if progressive else None, costs=costs, sampler=sampler,
    )  # fmt: skip
    with shared_features(require_joblib()), recording(folder_of(run_folder), asks) as record:
        work = Work(data, folds, parts, plan, scorer, sampler, level, seed, n_jobs, record)
        stopped = work.progressively(learners, tolerance) if progressive else None
        if not progressive:
            work.at_once(learners)
        found = _result(work, learners, stopped)
        if record is not None:
            record.finish({name: each.points[-1].mean.value for name, each in found.models.items()})
    return found


def _result(work: Work, learners: Mapping[str, Any], stopped: Stop | None) -> LearningCurve:
    asked = work.scorer.asked
    curves = {
        name: ModelCurve(
            name, asked, tuple(points), work.shared, work.level, work.seed, described(learners[name])
        )
        for name, points in work.points.items()
    }
    return LearningCurve(
        data=work.data,
        folds=work.folds,
        schedule=work.schedule,
        metric=asked.name,
        models=curves,
        baseline=work.baseline,
        stopped=stopped,
        fits=work.fits,
        failed=work.failed,
        failure=work.failure,
        notes=tuple(work.notes()),
        library=work.data.library,
        estimators=learners,
    )


def _check_tolerance(tolerance: Any) -> None:
    if isinstance(tolerance, bool) or not isinstance(tolerance, int | float) or not tolerance > 0:
        raise OptionError(f"tolerance is a number above 0, the smallest gain that pays; got {tolerance!r}.")


def _check_progressive(asked: Asked, level: float) -> None:
    """Refuse to stop by what cannot tell where to."""
    if asked.metric.better == "neither":
        raise OptionError(f"{asked.name} is better neither when high nor when low, so no gain in it can pay.")
    if level < 0.5:
        raise OptionError(
            f"confidence_level is {precise(level, 0.5)}: a bound that is more often wrong than right "
            "cannot say where to "
            "stop.",
            hint="with --progressive (progressive=True) take 0.5 or more; 0.95 is usual.",
        )


def _folds(data: DataSet, cv: Any, n_repeats: int, test_size: float, seed: int) -> Folds:
    if cv is None:
        cv = RepeatedHoldout(n_repeats, test_size=test_size, random_state=seed)
    elif n_repeats != _REPEATS or test_size != _TEST_SIZE:
        said = f"n_repeats={n_repeats}" if n_repeats != _REPEATS else f"test_size={test_size:g}"
        raise OptionError(f"{said} and cv both say which rows are tested on.", hint="give one of them.")
    return folds_of(cv, data.X, data.y, data.groups, random_state=seed)


def _parts(folds: Folds, data: DataSet, seed: int) -> list[Nested]:
    return [
        nested(train, test, data.actual, data.groups, _stream(seed, _SUBSETS, repeat))
        for repeat, (train, test) in enumerate(folds)
    ]


def _plan(
    parts: Sequence[Nested], data: DataSet, schedule: Named | Sequence[float], **options: Any
) -> Schedule:
    """The sizes that all training parts have."""
    rows = [len(part.order) for part in parts]
    classes = len(data.labels)
    least = max(classes, *(part.least for part in parts))
    plan = scheduled(schedule, whole=round(float(np.mean(rows))), classes=classes, least=least, **options)
    return within(plan, min(rows), least)


def _stream(seed: int, *key: int) -> np.random.Generator:
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=key))
