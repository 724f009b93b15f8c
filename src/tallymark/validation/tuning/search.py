"""Trying candidates: each learns some rows and is scored on others; the best mean wins."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark.inference import Estimate
from tallymark.resampling.folds import Ints, Pair
from tallymark.resampling.splitter import folds_of
from tallymark.tests.scores import without_noise
from tallymark.validation.data import DataSet
from tallymark.validation.fitting import Fit, Task, positions, run
from tallymark.validation.scoring import Scorer, numbers_from_scores
from tallymark.validation.tuning.candidates import Candidate, Parameters


@dataclass(frozen=True, eq=False)
class Search:
    """Candidates, and the rows each of them learns and is scored on."""

    candidates: Sequence[Candidate]
    scorer: Scorer
    pairs: Sequence[Pair]
    seed: tuple[int, ...]
    sampler: Any = None
    ask_training: bool = False
    split: str = ""
    """How the rows were cut, in words."""

    def tasks(self) -> Iterator[Task]:
        """Every fit, candidate by candidate.

        All candidates have the same chance on the same rows: none wins by luck of its seed, and what a
        candidate scores does not depend on which others are tried.
        """
        for candidate in self.candidates:
            for place, (train, test) in enumerate(self.pairs):
                yield Task(
                    candidate.model,
                    self.scorer.data,
                    train,
                    test,
                    (*self.seed, place),
                    candidate.parameters,
                    sampler=self.sampler,
                    ask_training=self.ask_training,
                    of_training=self._of_training,
                )

    @property
    def _of_training(self) -> Any:
        scorer = self.scorer
        if not scorer.from_scores:
            return None
        return partial(numbers_from_scores, scorer.data, [scorer.asked])

    def training_value(self, fit: Fit) -> float | None:
        """The number on the rows learned, where that was asked for."""
        if self.scorer.from_scores:
            value: float | None = fit.of_training.get(self.scorer.asked.name, (None,))[0]
            return value
        return None if fit.training is None else self.scorer.of_counts(fit.training).value


@dataclass(frozen=True, eq=False)
class Tried:
    """A candidate and what it scored, pair by pair."""

    candidate: Candidate
    scores: tuple[Estimate, ...]
    """Without a value where it is undefined or the fit failed; `why` says which."""
    training: tuple[float | None, ...]
    """The same number on the rows it learned, where that was asked for."""
    failures: tuple[str, ...]
    """Errors of the fits that failed."""
    warnings: Counter[str]
    seconds: float
    """Of training and asking, all fits together."""

    @property
    def values(self) -> tuple[float | None, ...]:
        return tuple(score.value for score in self.scores)

    @cached_property
    def mean(self) -> float | None:
        """Of all pairs; None when one of them has no number, for the rest would be easier rows."""
        known = [value for value in self.values if value is not None]
        return float(np.mean(known)) if len(known) == len(self.scores) else None

    @property
    def why(self) -> str | None:
        """Why there is no mean."""
        said = [score.why for score in self.scores if score.value is None]
        if not said:
            return None
        folds = f" ({len(said)} of {len(self.scores)} folds)" if len(self.scores) > 1 else ""
        return f"{said[0]}{folds}"

    @property
    def deviation(self) -> float | None:
        """Standard deviation over the pairs."""
        if self.mean is None or len(self.scores) < 2:
            return None
        return float(np.std(np.array(self.values, float), ddof=1))

    @property
    def training_mean(self) -> float | None:
        known = [value for value in self.training if value is not None]
        return float(np.mean(known)) if known and len(known) == len(self.scores) else None


@dataclass(frozen=True, eq=False)
class Searched:
    """Every candidate as it was tried, in order, and which is best."""

    tried: tuple[Tried, ...]
    higher: bool
    """Whether more of the metric is better."""

    @cached_property
    def goodness(self) -> NDArray[np.float64]:
        """The means in the good direction, without the noise of floating point; NaN where there is none."""
        means = np.array([np.nan if each.mean is None else each.mean for each in self.tried])
        largest = float(np.nanmax(np.abs(means))) if not np.isnan(means).all() else 0.0
        return without_noise(means if self.higher else -means, largest)

    @cached_property
    def best(self) -> int | None:
        """The place of the best mean, the first of equal ones; None when no candidate has one."""
        return None if np.isnan(self.goodness).all() else int(np.nanargmax(self.goodness))

    @property
    def winner(self) -> Tried | None:
        return None if self.best is None else self.tried[self.best]

    @cached_property
    def ranks(self) -> tuple[int | None, ...]:
        """1 is the best; equal ones share a rank, and those without a mean have none."""
        known = self.goodness[~np.isnan(self.goodness)]
        return tuple(None if value != value else 1 + int((known > value).sum()) for value in self.goodness)

    @property
    def why(self) -> str | None:
        """Why there is no best."""
        return self.tried[0].why if self.best is None else None

    @property
    def failed(self) -> int:
        """How many fits failed."""
        return sum(len(each.failures) for each in self.tried)

    @property
    def fits(self) -> int:
        return sum(len(each.scores) for each in self.tried)

    @property
    def tied(self) -> int:
        """How many candidates share the best mean."""
        return self.ranks.count(1)


def best_on(
    model: Any,
    data: DataSet,
    rows: Ints,
    candidates: Sequence[Parameters],
    inner_cv: Any,
    scorer: Scorer,
    *,
    labels: NDArray[Any] | None = None,
    seed: tuple[int, ...] = (0,),
    sampler: Any = None,
    n_jobs: int | None = None,
) -> Searched:
    """The best parameters of a model, from some rows alone; `labels` are other classes of these rows."""
    tried = [Candidate("model", model, parameters) for parameters in candidates]
    made = search_on(tried, data, rows, inner_cv, scorer, labels=labels, seed=seed, sampler=sampler)
    return searched([made], n_jobs=n_jobs, what="trying candidates")[0]


def search_on(
    candidates: Sequence[Candidate],
    data: DataSet,
    rows: Ints,
    inner_cv: Any,
    scorer: Scorer,
    *,
    seed: tuple[int, ...],
    labels: NDArray[Any] | None = None,
    sampler: Any = None,
    ask_training: bool = False,
) -> Search:
    """A search by inner folds of these rows, which neither learns nor looks at any other."""
    if labels is not None:
        data = relabelled(data, rows, labels)
    groups = None if data.groups is None else data.groups[rows]
    if groups is None and len(np.unique(rows)) < len(rows):
        groups = rows  # copies of a row that was drawn several times stay together
    folds = folds_of(inner_cv, data.y[rows], data.y[rows], groups, random_state=seed[0])
    pairs = [(rows[train], rows[test]) for train, test in folds]
    return Search(candidates, replace(scorer, data=data), pairs, seed, sampler, ask_training, folds.method)


def searched(searches: Sequence[Search], *, n_jobs: int | None, what: str) -> list[Searched]:
    """All searches as one list of fits, so that every worker has work until the last is done."""
    total = sum(len(search.candidates) * len(search.pairs) for search in searches)
    tasks = (task for search in searches for task in search.tasks())
    fits = run(tasks, n_jobs=n_jobs, what=what, total=total)
    return [
        Searched(
            tuple(_tried(search, candidate, fits) for candidate in search.candidates),
            search.scorer.asked.metric.better == "higher",
        )
        for search in searches
    ]


def relabelled(data: DataSet, rows: Ints, labels: NDArray[Any]) -> DataSet:
    """The same data with other classes of some rows."""
    y, actual = data.y.copy(), data.actual.copy()
    y[rows], actual[rows] = labels, positions(data, labels)
    return replace(data, y=y, actual=actual)


def _tried(search: Search, candidate: Candidate, fits: Iterator[Fit]) -> Tried:
    """What the next fits say of a candidate; their answers are not kept."""
    scores, training, failures, seconds = [], [], [], 0.0
    warned: Counter[str] = Counter()
    for (_, test), fit in zip(search.pairs, islice(fits, len(search.pairs)), strict=True):
        scores.append(_bare(search.scorer.of(test, fit)))
        training.append(search.training_value(fit))
        failures += [] if fit.failure is None else [fit.failure]
        warned.update(fit.warnings)
        seconds += fit.fit_seconds + fit.ask_seconds
    return Tried(candidate, tuple(scores), tuple(training), tuple(failures), warned, seconds)


def _bare(score: Estimate) -> Estimate:
    """Without what makes its interval, which holds the counts."""
    return Estimate(score.value, why=score.why)
