"""The fits of a permutation test, each made when its turn comes."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from tallymark.errors import OptionError
from tallymark.intake.costs import CostsGiven
from tallymark.metrics import Asked
from tallymark.resampling.folds import Folds, Ints
from tallymark.resampling.splitter import folds_of
from tallymark.validation.data.data_set import DataSet
from tallymark.validation.fits.fitting import Fit, Task, fit, run
from tallymark.validation.fits.scoring import Scorer
from tallymark.validation.permutation.exchange import Exchange
from tallymark.validation.runs.recording import Recording
from tallymark.validation.tuning.candidates import Candidate, Parameters
from tallymark.validation.tuning.search import search_on, searched

Permute = Literal["training", "all"]
Fits = Generator[Fit, None, None]
"""Can be closed, which ends the work."""
USUAL_INNER = 5
"""Folds that parameters are chosen by."""


@dataclass(frozen=True, eq=False)
class Tuned:
    """How parameters are chosen from the training rows of each fit."""

    candidates: Sequence[Parameters]
    inner_cv: Any
    """None: as many folds as groups allow, up to the usual number."""
    asked: Asked
    """By which number. The data come with the task, for this is sent to workers with every one."""
    costs: CostsGiven | None = None

    @property
    def identity(self) -> list[Any]:
        """What tells such a choice from others."""
        return [list(map(dict, self.candidates)), self.inner_cv, self.asked.name, self.costs]

    def fit(self, task: Task) -> Fit:
        """The fit with the best parameters by inner folds of the training rows, with the classes that are to
        be learned."""
        tried = [Candidate("model", task.model, parameters) for parameters in self.candidates]
        inner_cv = inner_folds(task.data, task.train) if self.inner_cv is None else self.inner_cv
        search = search_on(
            tried,
            task.data,
            task.train,
            inner_cv,
            Scorer(task.data, self.asked, self.costs),
            seed=(*task.seed, 0),
            labels=task.labels,
            sampler=task.sampler,
        )
        (found,) = searched([search], n_jobs=1, what="")
        if found.winner is None:
            return Fit(np.empty(0, np.int64), failure=f"no parameters can be chosen: {found.why}")
        return fit(replace(task, parameters=found.winner.candidate.parameters))


@dataclass(frozen=True, eq=False)
class Plan:
    """One model, one data set, and what of it is permuted."""

    model: Any
    data: DataSet
    cv: Any
    folds: Folds
    permute: Permute
    exchange: Exchange
    scorer: Scorer
    seed: int
    sampler: Any = None
    tuned: Tuned | None = None
    record: Recording | None = None

    def real(self, n_jobs: int | None) -> Fits:
        """Fold by fold, with the classes as they are."""
        tasks = (self._task(self.data, self.folds, 0, place) for place in range(len(self.folds)))
        return self._run(tasks, len(self.folds), n_jobs, "fitting")

    def permuted(self, n_permutations: int, n_jobs: int | None) -> Fits:
        """Permutation by permutation, fold by fold; the fits are one list, so no worker waits for a fold."""
        tasks = (task for number in range(1, n_permutations + 1) for task in self._tasks(number))
        return self._run(tasks, n_permutations * len(self.folds), n_jobs, "permuting")

    def scored(self, number: int) -> tuple[Scorer, Folds]:
        """By what the fits of a permutation are judged: by the real classes, unless all are permuted."""
        if self.permute == "training":
            return self.scorer, self.folds
        data, folds = self._all_permuted(number)
        return replace(self.scorer, data=data), folds

    def _tasks(self, number: int) -> Iterator[Task]:
        if self.permute == "all":
            data, folds = self._all_permuted(number)
            yield from (self._task(data, folds, number, place) for place in range(len(folds)))
            return
        for place in range(len(self.folds)):
            task = self._task(self.data, self.folds, number, place)
            given = self.exchange.sources(task.train, self._rng(number, place))
            yield replace(task, labels=self.data.y[given])

    def _task(self, data: DataSet, folds: Folds, number: int, place: int) -> Task:
        fold = folds.folds[place]
        seed = (self.seed, number, place)
        return Task(self.model, data, fold.train, fold.test, seed, sampler=self.sampler, ask_training=False)

    def _all_permuted(self, number: int) -> tuple[DataSet, Folds]:
        """The data with the classes of all rows permuted, cut anew by a splitter, which may look at them."""
        given = self.exchange.sources(np.arange(self.data.rows), self._rng(number, len(self.folds)))
        data = replace(self.data, y=self.data.y[given], actual=self.data.actual[given])
        if not (isinstance(self.cv, str | int | np.integer) or hasattr(self.cv, "split")):
            return data, self.folds
        folds = folds_of(self.cv, data.y, data.y, data.groups, random_state=self.seed)
        if len(folds) != len(self.folds):
            raise OptionError(
                f"the splitter makes {len(self.folds):,} folds of the real classes and {len(folds):,} of "
                "permuted ones.",
                hint="permute the classes of training rows only: --permute training (permute='training').",
            )
        return data, folds

    def _rng(self, number: int, place: int) -> np.random.Generator:
        return np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=(number, place, 1)))

    def _run(self, tasks: Iterator[Task], total: int, n_jobs: int | None, what: str) -> Fits:
        by = None if self.tuned is None else self.tuned.fit
        yield from run(tasks, n_jobs=n_jobs, what=what, total=total, by=by, record=self.record)


def inner_folds(data: DataSet, rows: Ints) -> int:
    """By how many folds parameters are chosen from some rows: the usual number, or one for each group."""
    if data.groups is None or np.ndim(data.groups) > 1:
        return USUAL_INNER
    groups = len(set(np.asarray(data.groups)[rows].tolist()))
    if groups == 1:
        raise OptionError(
            "parameters are chosen by folds that keep groups whole, and all training rows of a fold are of "
            "one group.",
            hint="leave out --param (param_grid=), or train on more groups.",
        )
    return min(groups, USUAL_INNER)


def tested_again(folds: Folds) -> bool:
    """Whether a row is tested on in several folds."""
    tested = np.concatenate([fold.test for fold in folds.folds])
    return len(np.unique(tested)) < len(tested)
