"""`tune`: choose parameters, and estimate the choice on rows that took no part in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from os import PathLike
from typing import Any, Literal, get_args

import numpy as np

from tallymark.errors import InputError, OptionError, TallymarkError
from tallymark.evaluation.settings import checked_seed
from tallymark.intake.costs import CostsGiven
from tallymark.intervals import checked_level
from tallymark.metrics import ask
from tallymark.resampling import three_way_split
from tallymark.resampling.folds import Fold, Folds, Ints
from tallymark.resampling.splitter import folds_of
from tallymark.tallies import Label
from tallymark.validation.data.data_set import DataSet
from tallymark.validation.data.given import one_data_set
from tallymark.validation.data.sharing import shared_features
from tallymark.validation.fits.asking import answerable, checked_sampler, directed, scored_by_one, with_costs
from tallymark.validation.fits.fitting import Fit, Task, require_joblib, run
from tallymark.validation.fits.fold_notes import all_failed
from tallymark.validation.fits.scoring import Scorer
from tallymark.validation.runs.folder import RunFolder, folder_of
from tallymark.validation.runs.questions import about, question
from tallymark.validation.runs.recording import Recording, recording
from tallymark.validation.tuning.candidates import Candidate, Space
from tallymark.validation.tuning.given import Trials, trials_of
from tallymark.validation.tuning.racing import raced
from tallymark.validation.tuning.result import Tuning
from tallymark.validation.tuning.search import Search, Searched, Tried, search_on, searched, way_out_of

Method = Literal["nested", "three-way"]
# What tells the fits of a search, of the chosen ones and of the final model apart in their chance.
_SEARCH, _REFIT, _FINAL = range(3)
_USUAL_FOLDS, _USUAL_SHARE = 5, 0.2


def tune(
    model: Any,
    X: Any = None,
    y: Any = None,
    param_grid: Space | Sequence[Space] | None = None,
    *,
    param_distributions: Space | Sequence[Space] | None = None,
    n_iter: int = 20,
    method: Method = "nested",
    cv: Any = None,
    inner_cv: Any = None,
    validation_size: float | None = None,
    test_size: float | None = None,
    metric: str = "accuracy",
    scoring: str | None = None,
    target: str | None = None,
    groups: Any = None,
    labels: Sequence[Label] | None = None,
    pos_label: object = None,
    costs: CostsGiven | None = None,
    sampler: Any = None,
    early_stop: bool = False,
    n_jobs: int | None = None,
    run_folder: str | PathLike[str] | RunFolder | None = None,
    confidence_level: float = 0.95,
    random_state: int | None = 0,
    **reading: Any,
) -> Tuning:
    """The best of some candidates, and what the best is worth on rows that took no part in choosing it.

    "nested": the search runs inside the training rows of every outer fold (`cv`, 5), by inner folds
    (`inner_cv`, 5), and its winner is asked about the outer test rows once. The mean of the outer folds is
    what choosing this way is worth; a last search on all rows gives the parameters and the model to use.

    "three-way": candidates learn the training rows and are scored on the validation rows (`validation_size`,
    0.2); the winner learns both and is asked about the test rows (`test_size`, 0.2) once.

    Candidates are all combinations of `param_grid`, or `n_iter` drawn at random from `param_distributions`:
    lists, distributions of scipy.stats, or functions of a generator. A learner known by name ("tree") has a
    usual grid. Several models, each with its own: `tune({"tree": (tree, grid), "knn": (knn, grid)}, X, y)`.

    `early_stop`: a candidate is given up once it cannot become the best even with perfect scores in its other
    inner folds, which changes no choice; and of a model no more than 59 candidates are drawn, of which the
    best is, in 95 % of searches, among the best 5 % of what can be drawn.

    What is finished is kept in the `run_folder`, if one is named: the same call goes on from there.
    """
    seed, level = checked_seed(random_state), checked_level(confidence_level)
    if method not in get_args(Method):
        raise OptionError(f"method must be one of {', '.join(get_args(Method))}; got {method!r}.")
    nested = {"cv": cv, "inner_cv": inner_cv}
    three_way = {"validation_size": validation_size, "test_size": test_size}
    _refuse(method, three_way if method == "nested" else nested)
    checked_sampler(sampler)
    asked = directed(ask(scored_by_one(scoring, metric)))
    trials = trials_of(model, param_grid, param_distributions, n_iter, seed, early_stop=early_stop)
    data = one_data_set(X, y, target=target, groups=groups, labels=labels, pos_label=pos_label, **reading)
    data, costs = with_costs(data, costs, stated=labels is not None)
    scorer = Scorer(data, asked, costs)
    answerable(data, (asked,), costs)
    plan = _Plan(trials, data, scorer, sampler, n_jobs, folder_of(run_folder), seed, level, early_stop)
    if method == "three-way":
        return _three_way(plan, *(_USUAL_SHARE if size is None else size for size in three_way.values()))
    return _nested(plan, *(_USUAL_FOLDS if cut is None else cut for cut in nested.values()))


def _refuse(method: Method, others: Mapping[str, Any]) -> None:
    """Options of the other method would be without effect."""
    for name, given in others.items():
        if given is not None:
            hint = "validation_size= and test_size=" if method == "three-way" else "cv= and inner_cv="
            raise OptionError(
                f"{name} has no effect with method={method!r}; got {given!r}.",
                hint=f"{hint} say how rows are cut there; leave out {name}= or take the other method.",
            )


@dataclass(frozen=True, eq=False)
class _Plan:
    """What both ways of tuning need."""

    trials: Trials
    data: DataSet
    scorer: Scorer
    sampler: Any
    n_jobs: int | None
    folder: RunFolder | None
    seed: int
    level: float
    early_stop: bool

    def recorded(self, folds: Folds, inner: str) -> AbstractContextManager[Recording | None]:
        """What keeps the fits in the run folder, if there is one."""
        models = {each.name: each.model for each in self.trials.candidates}
        asks = question(
            "tune",
            [(self.data, folds)],
            models,
            self.scorer.asked.name,
            self.seed,
            candidates=[[each.name, dict(each.parameters)] for each in self.trials.candidates],
            inner=inner,
            early_stop=self.early_stop,
            costs=self.scorer.costs,
            sampler=self.sampler,
        )
        return recording(self.folder, asks)

    def task(self, candidate: Candidate, train: Ints, test: Ints, *key: int) -> Task:
        """The fit of a chosen candidate."""
        return Task(
            candidate.model,
            self.data,
            train,
            test,
            (self.seed, *key),
            candidate.parameters,
            sampler=self.sampler,
            ask_training=False,
        )

    def searched(self, searches: Sequence[Search], record: Recording | None) -> list[Searched]:
        way = raced if self.early_stop else searched
        return way(searches, n_jobs=self.n_jobs, what="trying candidates", record=record)

    def search(self, rows: Ints, inner_cv: Any, place: int) -> Search:
        """The search on all rows, at place 0, or on the training rows of an outer fold."""
        try:
            return search_on(
                self.trials.candidates,
                self.data,
                rows,
                inner_cv,
                self.scorer,
                seed=(self.seed, _SEARCH, place),
                sampler=self.sampler,
                ask_training=not place,
            )
        except TallymarkError as problem:
            where = f"inside outer fold {place}" if place else "inner folds of all rows"
            raise type(problem)(f"{where}: {problem.message}", hint=problem.hint) from None


def _nested(plan: _Plan, cv: Any, inner_cv: Any) -> Tuning:
    data = plan.data
    if not isinstance(inner_cv, str | int | np.integer) and not hasattr(inner_cv, "split"):
        raise OptionError(
            f"inner_cv says how rows are cut inside every outer fold; got {type(inner_cv).__name__}.",
            hint="pass a number of folds, a method such as 'holdout:1/3', or a splitter.",
        )
    outer = folds_of(cv, data.y, data.y, data.groups, random_state=plan.seed)
    every = np.arange(data.rows)
    parts = [every, *(fold.train for fold in outer.folds)]
    searches = [plan.search(rows, inner_cv, place) for place, rows in enumerate(parts)]
    with shared_features(require_joblib()), plan.recorded(outer, searches[0].folds.method) as record:
        final, *inner = plan.searched(searches, record)
        winner = _winner(plan, final, inner)
        fits = _refitted(plan, inner, outer.folds, record)
        found = Tuning(
            "nested", data, plan.scorer, plan.trials, outer, searches[0].folds, final, tuple(inner), fits,
            plan.task(winner.candidate, every, every, _FINAL), plan.level, plan.early_stop,
            () if record is None else record.earlier,
        )  # fmt: skip
        _finish(found, record)
    return found


def _three_way(plan: _Plan, validation_size: float, test_size: float) -> Tuning:
    data = plan.data
    parts = three_way_split(
        data.y,
        groups=data.groups,
        validation_size=validation_size,
        test_size=test_size,
        random_state=plan.seed,
    )
    train, validation, test = parts
    split = f"{len(train):,} rows to learn, {len(validation):,} to choose by, {len(test):,} to test on"
    chosen_by = Folds((Fold(validation, data.rows, train),), data.rows, split)
    seed = (plan.seed, _SEARCH, 0)
    every = np.arange(data.rows)
    search = Search(plan.trials.candidates, plan.scorer, every, chosen_by, seed, plan.sampler, True)
    both = np.sort(np.concatenate([train, validation]))
    folds = Folds((Fold(np.sort(test), data.rows, both),), data.rows, "one test set", notes=parts.notes)
    with shared_features(require_joblib()), plan.recorded(folds, split) as record:
        (final,) = plan.searched([search], record)
        winner = _winner(plan, final, [])
        fits = _refitted(plan, [final], folds.folds, record)
        found = Tuning(
            "three-way", data, plan.scorer, plan.trials, folds, chosen_by, final, (final,), fits,
            # The same key as the fit that was asked about the test rows: it is that model.
            plan.task(winner.candidate, both, folds.folds[0].test, _REFIT, 0), plan.level, plan.early_stop,
            () if record is None else record.earlier,
        )  # fmt: skip
        _finish(found, record)
    return found


def _finish(found: Tuning, record: Recording | None) -> None:
    if record is not None:
        chosen = found.best.candidate
        record.finish({found.metric: found.outer.value}, about(chosen.name, chosen.model, chosen.parameters))


def _refitted(
    plan: _Plan, inner: Sequence[Searched], folds: Sequence[Fold], record: Recording | None
) -> tuple[Fit, ...]:
    """The winner of every search, trained on all rows the search had and asked about the test rows, once."""
    tasks = {
        place: plan.task(found.winner.candidate, fold.train, fold.test, _REFIT, place)
        for place, (found, fold) in enumerate(zip(inner, folds, strict=True))
        if found.winner is not None
    }
    asked = run(list(tasks.values()), n_jobs=plan.n_jobs, what="asking winners", record=record)
    made = dict(zip(tasks, asked, strict=True))
    fits = tuple(
        made.get(place) or Fit(np.empty(0, np.int64), failure=f"no candidate could be chosen: {found.why}")
        for place, found in enumerate(inner)
    )
    if all(fit.failure is not None for fit in fits):
        raise InputError(f"the chosen model could not be fitted: {_sentence(fits[0].failure)}")
    return fits


def _winner(plan: _Plan, found: Searched, inner: Sequence[Searched]) -> Tried:
    """The best candidate; when there is none, nothing more can be said."""
    if found.winner is not None:
        return found.winner
    tried = found.tried
    failures = [failure for each in (found, *inner) for one in each.tried for failure in one.failures]
    if sum(each.fits for each in (found, *inner)) == len(failures):
        raise all_failed(failures, way_out_of(plan.data, (found, *inner)))
    raise InputError(
        f"no candidate can be chosen: {plan.scorer.asked.name} of every one of {len(tried):,} is undefined "
        f"in some rows it was tried on; of the first: {found.why}.",
        hint="take fewer and so larger inner folds, or another metric.",
    )


def _sentence(failure: str | None) -> str:
    return f"{(failure or '').rstrip('.')}."
