"""`validate`: models tried on rows they have not learned."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any, overload

import numpy as np

from tallymark.errors import InputError
from tallymark.evaluation.settings import checked_seed
from tallymark.intake.costs import CostsGiven
from tallymark.intervals import checked_level
from tallymark.metrics import Asked, ask
from tallymark.resampling.folds import Folds
from tallymark.resampling.splitter import folds_of
from tallymark.tallies import Label
from tallymark.tallies.labels import quoted
from tallymark.validation.data.data_set import DataSet
from tallymark.validation.data.given import are_several, data_sets_of, models_of
from tallymark.validation.fits.asking import answerable, checked_sampler, scored_by, with_costs
from tallymark.validation.fits.failures import way_out
from tallymark.validation.fits.fitting import Fit, Task, run
from tallymark.validation.fits.scoring import of_training
from tallymark.validation.learners.majority import majority_fit
from tallymark.validation.runs.folder import RunFolder, folder_of
from tallymark.validation.runs.questions import Question, question
from tallymark.validation.runs.recording import recording
from tallymark.validation.validating.experiment import Experiment
from tallymark.validation.validating.result import Validation
from tallymark.validation.validating.summary import Sizes
from tallymark.validation.validating.validated import Validated

BASELINE = "majority"


@overload
def validate(models: Any, X: Mapping[str, Any], y: None = None, **options: Any) -> Experiment: ...


@overload
def validate(models: Any, X: Any = None, y: Any = None, **options: Any) -> Validation: ...


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
    scoring: str | Sequence[str] | None = None,
    labels: Sequence[Label] | None = None,
    pos_label: object = None,
    costs: CostsGiven | None = None,
    sampler: Any = None,
    baseline: bool = True,
    n_jobs: int | None = None,
    run_folder: str | PathLike[str] | RunFolder | None = None,
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
    asked of the result; `scoring` is scikit-learn's word for one or several of them. `sampler` over- or
    undersamples training rows only. `baseline` is always answering the most frequent class. A fit that fails
    is counted, and the others go on. `n_jobs` workers give the same result as one. What is finished is kept
    in the `run_folder`, if one is named: the same call goes on from there. A `random_state` of None is 0.
    `reading` is about tables: features, ignore, id, text, missing, missing_words, delimiter.
    """
    named = models_of(models)
    checked_sampler(sampler)
    asked = _asked(*scored_by(scoring, metric, metrics))
    options: dict[str, Any] = {"target": target, "groups": groups, "labels": labels, "pos_label": pos_label}
    data_sets = data_sets_of(X, y, **options, **reading)
    level, seed = checked_level(confidence_level), checked_seed(random_state)
    plans = [
        _Plan(
            data,
            folds_of(cv, data.X, data.y, data.groups, random_state=seed),
            named,
            asked,
            of_answers,
            sampler,
            baseline,
            level,
            seed,
        )
        for each in data_sets.values()
        for data, of_answers in [with_costs(each, costs, stated=labels is not None)]
    ]
    for plan in plans:
        answerable(plan.data, asked, plan.costs)
    tasks = (task for plan in plans for task in plan.tasks())
    total = sum(plan.total for plan in plans)
    with recording(folder_of(run_folder), _question(plans)) as record:
        found = run(tasks, n_jobs=n_jobs, what="fitting", total=total, record=record)
        results = [plan.result(found, () if record is None else record.earlier) for plan in plans]
        _refuse_all_failed(results)
        if record is not None:
            record.finish({each.data.name: _outcome(each) for each in results})
    if are_several(X):
        return Experiment(dict(zip(data_sets, results, strict=True)), asked[0].name)
    return results[0]


def _question(plans: Sequence[_Plan]) -> Question:
    first = plans[0]
    return question(
        "validate",
        [(plan.data, plan.folds) for plan in plans],
        first.models,
        first.asked[0].name,
        first.seed,
        metrics=[each.name for each in first.asked],
        costs=first.costs,
        sampler=first.sampler,
    )


def _outcome(result: Validation) -> dict[str, float | None]:
    """By model, the number that the report is about."""
    return {name: model.mean_value(result.metric) for name, model in result.models.items()}


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
        return len(self.models) * (len(self.folds) + self.folds.bootstrap)

    def tasks(self) -> Iterator[Task]:
        """Made when their turn comes: the training rows of all folds together may be many."""
        learned = of_training(self.asked)
        for model in self.models.values():
            for place, (train, test) in enumerate(self.folds):
                # The same stream for every model, so that one more model changes nothing for the others.
                seed = self.seed, place
                yield Task(model, self.data, train, test, seed, sampler=self.sampler, of_training=learned)
            if self.folds.bootstrap:
                rows = np.arange(self.data.rows)
                seed = self.seed, len(self.folds)
                yield Task(model, self.data, rows, rows, seed, sampler=self.sampler, ask_training=False)

    def result(self, found: Iterator[Fit], earlier: Sequence[Mapping[str, Any]]) -> Validation:
        """The next fits, as many as there are tasks."""
        from tallymark.validation.learners.by_name import described

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
            fits = tuple(majority_fit(self.data, train, test) for train, test in self.folds)
            name = BASELINE if BASELINE not in self.models else "baseline"
            top = quoted(self.data.labels[int(self.data.class_counts.argmax())])
            baseline = Validated(name, f"always {top}, the most frequent class", **about, fits=fits)
        models = {}
        for name, model in self.models.items():
            fits = tuple(next(found) for _ in range(len(self.folds)))
            models[name] = Validated(
                name,
                described(model),
                **about,
                fits=fits,
                baseline=baseline,
                apparent=next(found) if self.folds.bootstrap else None,
                way_out=way_out(model, self.data, (fit.failure for fit in fits)),
            )
        sampler = None if self.sampler is None else " ".join(str(self.sampler).split())
        names = tuple(each.name for each in self.asked)
        return Validation(
            self.data, self.folds, models, baseline, names[0], names, sampler, self.models, earlier
        )


def _asked(metric: str, metrics: Sequence[str]) -> tuple[Asked, ...]:
    others = (metrics,) if isinstance(metrics, str) else tuple(metrics)
    return tuple({each.name: each for each in map(ask, (metric, *others))}.values())


def _refuse_all_failed(results: Sequence[Validation]) -> None:
    models = [model for each in results for model in each.models.values()]
    if any(len(model.rows) for model in models):
        return
    first = models[0].fits[0]
    many = sum(model.failed for model in models)
    fits = "the fit" if many == 1 else f"all {many:,} fits"
    raise InputError(
        f"{fits} failed; the first, of {quoted(models[0].name)}: {first.failure}.", hint=models[0].way_out
    )
