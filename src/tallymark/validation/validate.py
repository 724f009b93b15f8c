"""`validate`: models tried on rows they have not learned."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, overload

import numpy as np

from tallymark.errors import InputError
from tallymark.evaluation.evaluate import checked_seed
from tallymark.intake import frames
from tallymark.intake.costs import CostsGiven
from tallymark.intervals import checked_level
from tallymark.metrics import FROM_SCORES, Asked, ask
from tallymark.resampling.folds import Fold, Folds
from tallymark.resampling.splitter import folds_of
from tallymark.tallies import Label
from tallymark.tallies.labels import quoted
from tallymark.validation.asking import answerable, checked_sampler, ordered_costs
from tallymark.validation.data import DataSet
from tallymark.validation.experiment import Experiment
from tallymark.validation.fitting import Fit, Task, run
from tallymark.validation.given import data_sets_of, models_of
from tallymark.validation.result import Validation
from tallymark.validation.scoring import numbers_from_scores
from tallymark.validation.summary import Sizes
from tallymark.validation.validated import Validated, is_bootstrap

BASELINE = "majority"


@overload
def validate(models: Any, X: Mapping[str, Any], y: None = None, **options: Any) -> Experiment: ...


@overload
def validate(
    models: Any,
    X: Any = None,
    y: Any = None,
    *,
    cv: Any = 10,
    target: str | None = None,
    groups: Any = None,
    metric: str = "accuracy",
    metrics: Sequence[str] = (),
    labels: Sequence[Label] | None = None,
    pos_label: object = None,
    costs: CostsGiven | None = None,
    sampler: Any = None,
    baseline: bool = True,
    n_jobs: int | None = None,
    confidence_level: float = 0.95,
    random_state: int | None = 0,
    **reading: Any,
) -> Validation: ...


def validate(
    models: Any,
    X: Any = None,
    y: Any = None,
    *,
    cv: Any = 10,
    target: str | None = None,
    groups: Any = None,
    metric: str = "accuracy",
    metrics: Sequence[str] = (),
    labels: Sequence[Label] | None = None,
    pos_label: object = None,
    costs: CostsGiven | None = None,
    sampler: Any = None,
    baseline: bool = True,
    n_jobs: int | None = None,
    confidence_level: float = 0.95,
    random_state: int | None = 0,
    **reading: Any,
) -> Validation | Experiment:
    """How good is a model on rows it has not learned? Mean and spread over the folds, and pooled.

    `models` is an estimator, the name of a learner ("tree"), a list of these, or `{"name": estimator}`.
    The data are `X` and `y`; or a data frame or files with the classes in the column `target`; or several
    data sets by name, `{"iris": (X, y), ...}`, which make an `Experiment`.
    `cv` is a number of folds, a method by name ("holdout:1/3", "kfold:5x2", "loo", "bootstrap:200"), a
    splitter of tallymark's or scikit-learn's, or pairs of positions (rows to train on, rows to test on).
    Rows of one of the `groups` belong together: they are kept on one side, and are not independent.

    `metric` is the number that the report is about; `metrics` are worked out beside it, and any other can be
    asked of the result. `sampler` over- or undersamples training rows only. `baseline` is always answering
    the most frequent class of the training rows. A fit that fails is counted, and the others go on.
    `n_jobs` workers give the same result as one. `reading` is about tables: features, ignore, id, text,
    missing, missing_words, delimiter.
    """
    named = models_of(models)
    checked_sampler(sampler)
    asked = _asked(metric, metrics)
    options: dict[str, Any] = {"target": target, "groups": groups, "labels": labels, "pos_label": pos_label}
    data_sets = data_sets_of(X, y, **options, **reading)
    level, seed = checked_level(confidence_level), checked_seed(random_state)
    plans = [
        _Plan(
            data,
            folds_of(cv, data.X, data.y, data.groups, random_state=seed),
            named,
            asked,
            ordered_costs(costs, data, stated=labels is not None),
            sampler,
            baseline,
            level,
            seed,
        )
        for data in data_sets.values()
    ]
    for plan in plans:
        answerable(plan.data, asked, plan.costs)
    tasks = (task for plan in plans for task in plan.tasks())
    found = run(tasks, n_jobs=n_jobs, what="fitting", total=sum(plan.total for plan in plans))
    results = [plan.result(found) for plan in plans]
    _refuse_all_failed(results)
    if isinstance(X, Mapping) and not frames.is_frame(X):
        return Experiment(dict(zip(data_sets, results, strict=True)), asked[0].name)
    return results[0]


@dataclass(frozen=True, eq=False)
class _Plan:
    """All fits of one data set."""

    data: DataSet
    folds: Folds
    models: Mapping[str, Any]
    asked: tuple[Asked, ...]
    costs: CostsGiven | None
    sampler: Any
    baseline: bool
    level: float
    seed: int

    @property
    def total(self) -> int:
        return len(self.models) * (len(self.folds) + self._bootstrap)

    @property
    def _bootstrap(self) -> bool:
        return is_bootstrap(self.folds)

    def tasks(self) -> Iterator[Task]:
        """Made when their turn comes: the training rows of all folds together may be many."""
        scored = [each for each in self.asked if each.metric.about in FROM_SCORES]
        of_training = partial(numbers_from_scores, self.data, scored) if scored else None
        for model in self.models.values():
            for place, (train, test) in enumerate(self.folds):
                # The same stream for every model, so that one more model changes nothing for the others.
                seed = self.seed, place
                yield Task(model, self.data, train, test, seed, sampler=self.sampler, of_training=of_training)
            if self._bootstrap:
                rows = np.arange(self.data.rows)
                seed = self.seed, len(self.folds)
                yield Task(model, self.data, rows, rows, seed, sampler=self.sampler, ask_training=False)

    def result(self, found: Iterator[Fit]) -> Validation:
        """The next fits, as many as there are tasks."""
        from tallymark.validation.learners import described

        about: dict[str, Any] = {
            "data": self.data,
            "folds": self.folds,
            "sizes": Sizes.of(self.folds),
            "metrics": self.asked,
            "costs": self.costs,
            "level": self.level,
            "seed": self.seed,
        }
        baseline = None
        if self.baseline:
            fits = tuple(_majority(self.data, fold) for fold in self.folds.folds)
            name = BASELINE if BASELINE not in self.models else "baseline"
            baseline = Validated(name, "always the most frequent class", **about, fits=fits)
        models = {}
        for name, model in self.models.items():
            fits = tuple(next(found) for _ in range(len(self.folds)))
            models[name] = Validated(
                name,
                described(model),
                **about,
                fits=fits,
                baseline=baseline,
                apparent=next(found) if self._bootstrap else None,
            )
        sampler = None if self.sampler is None else " ".join(repr(self.sampler).split())
        names = tuple(each.name for each in self.asked)
        return Validation(self.data, self.folds, models, baseline, names[0], names, sampler)


def _asked(metric: str, metrics: Sequence[str]) -> tuple[Asked, ...]:
    others = (metrics,) if isinstance(metrics, str) else tuple(metrics)
    return tuple({each.name: each for each in map(ask, (metric, *others))}.values())


def _majority(data: DataSet, fold: Fold) -> Fit:
    """Always the most frequent class of the training rows; nothing needs to be fitted for that."""
    size = len(data.labels)
    counts = np.bincount(data.actual[fold.train], minlength=size)
    top = int(counts.argmax())
    training = np.zeros((size, size), np.int64)
    training[:, top] = counts
    scores = np.broadcast_to(counts / counts.sum(), (fold.n_test, size))
    return Fit(np.full(fold.n_test, top), scores, training, fold.n_train)


def _refuse_all_failed(results: Sequence[Validation]) -> None:
    models = [model for each in results for model in each.models.values()]
    if any(len(model.rows) for model in models):
        return
    first = models[0].fits[0]
    many = sum(model.failed for model in models)
    fits = "the fit" if many == 1 else f"all {many:,} fits"
    raise InputError(f"{fits} failed; the first, of {quoted(models[0].name)}: {first.failure}.")
