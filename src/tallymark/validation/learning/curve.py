"""`learning_curve`: models learn from more and more rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tallymark.errors import OptionError
from tallymark.evaluation.evaluate import checked_seed
from tallymark.intake.costs import CostsGiven
from tallymark.intervals import checked_level
from tallymark.metrics import Asked, ask
from tallymark.resampling.folds import Folds
from tallymark.resampling.holdout import RepeatedHoldout
from tallymark.resampling.splitter import folds_of
from tallymark.tallies import Label
from tallymark.validation.data import DataSet
from tallymark.validation.given import models_of, one_data_set
from tallymark.validation.learning.result import LearningCurve, ModelCurve
from tallymark.validation.learning.schedule import Named, Schedule, scheduled
from tallymark.validation.learning.subsets import Nested, nested
from tallymark.validation.learning.work import Work
from tallymark.validation.scoring import Scorer

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
    progressive: bool = False,
    tolerance: float = 0.005,
    target: str | None = None,
    groups: Any = None,
    labels: Sequence[Label] | None = None,
    pos_label: object = None,
    costs: CostsGiven | None = None,
    sampler: Any = None,
    n_jobs: int | None = None,
    confidence_level: float = 0.95,
    random_state: int = 0,
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

    progressive: sizes are run one after the other, up to the first at which, of every model, the last
    doubling of the rows brought less than `tolerance`: the upper confidence bound of its gain, paired over
    the repeats and corrected for the rows they share, is below it. Each bound is wrong with a probability of
    1 - confidence_level; of whole runs no more were measured to stop too soon. That the next doubling brings
    no more than the last one did is taken for granted.
    """
    asked, level, seed = ask(metric), checked_level(confidence_level), checked_seed(random_state)
    learners = models_of(models)
    data = one_data_set(X, y, target=target, groups=groups, labels=labels, pos_label=pos_label, **reading)
    _check(asked, data, costs, progressive, tolerance)
    folds = _folds(data, cv, n_repeats, test_size, seed)
    parts = [
        nested(train, test, data.actual, data.groups, _stream(seed, _SUBSETS, repeat))
        for repeat, (train, test) in enumerate(folds)
    ]
    whole = round(float(np.mean([len(part.order) for part in parts])))
    plan = scheduled(
        schedule,
        whole=whole,
        classes=len(data.labels),
        least=max(max(part.least for part in parts), len(data.labels)),
        n_sizes=n_sizes,
        start=start,
        factor=factor,
        step=step,
    )
    scorer = Scorer(data, asked, costs)
    work = Work(data, folds, parts, _fitting(plan, parts), scorer, sampler, level, seed, n_jobs)
    stopped = work.progressively(learners, tolerance) if progressive else None
    if not progressive:
        work.at_once(learners)
    curves = {
        name: ModelCurve(name, asked, tuple(points), work.shared, level, seed)
        for name, points in work.points.items()
    }
    return LearningCurve(
        data=data,
        folds=folds,
        schedule=work.schedule,
        metric=asked.name,
        models=curves,
        baseline=work.baseline(),
        stopped=stopped,
        fits=work.fits,
        failed=work.failed,
        failure=work.failure,
        notes=tuple(work.notes()),
        library=data.library,
    )


def _check(asked: Asked, data: DataSet, costs: CostsGiven | None, progressive: bool, tolerance: Any) -> None:
    """Refuse before any work is done what could not be answered after it."""
    found = asked.metric
    if found.about == "sets":
        raise OptionError(
            f"{asked.name} is about rows with several labels; models are tried on rows with one."
        )
    of_one = found.about in ("class", "scores") and asked.average is None and not found.symmetric
    if of_one and data.positive is None:
        raise OptionError(
            f"{asked.name} is about one class: name the positive one (pos_label=, --positive).",
            hint=f"the classes are {', '.join(map(repr, data.labels[:10]))}.",
        )
    if found.needs_costs and costs is None:
        raise OptionError(f"{asked.name} needs to know what errors cost: pass costs.")
    if progressive and found.better == "neither":
        raise OptionError(f"{asked.name} is better neither when high nor when low, so no gain in it can pay.")
    if isinstance(tolerance, bool) or not isinstance(tolerance, int | float) or not tolerance > 0:
        raise OptionError(f"tolerance is a number above 0, the smallest gain that pays; got {tolerance!r}.")


def _folds(data: DataSet, cv: Any, n_repeats: int, test_size: float, seed: int) -> Folds:
    if cv is None:
        cv = RepeatedHoldout(n_repeats, test_size=test_size, random_state=seed)
    elif n_repeats != _REPEATS or test_size != _TEST_SIZE:
        said = f"n_repeats={n_repeats}" if n_repeats != _REPEATS else f"test_size={test_size:g}"
        raise OptionError(f"{said} and cv both say which rows are tested on.", hint="give one of them.")
    return folds_of(cv, data.X, data.y, data.groups, random_state=seed)


def _fitting(plan: Schedule, parts: Sequence[Nested]) -> Schedule:
    """Without sizes that are short of the whole but more than the smallest training part has."""
    shortest = min(len(part.order) for part in parts)
    kept = tuple(size for size in plan.sizes[:-1] if size < shortest)
    return Schedule(plan.name, (*kept, plan.sizes[-1]), plan.log, plan.notes)


def _stream(seed: int, *key: int) -> np.random.Generator:
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=key))
