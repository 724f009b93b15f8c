"""Trying candidates: each learns some rows and is scored on others; the best mean wins."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark.errors import OptionError
from tallymark.inference import Estimate
from tallymark.resampling.folds import Folds, Ints
from tallymark.resampling.splitter import folds_of
from tallymark.tests.scores import without_noise
from tallymark.validation.data.data_set import DataSet
from tallymark.validation.fits.failures import way_out
from tallymark.validation.fits.fitting import Fit, Task, positions, run
from tallymark.validation.fits.scoring import Scorer
from tallymark.validation.runs.recording import Recording
from tallymark.validation.tuning.candidates import Candidate
from tallymark.validation.validating.summary import deviation


@dataclass(frozen=True, eq=False)
class Search:
    """Candidates, and the rows each of them learns and is scored on."""

    candidates: Sequence[Candidate]
    scorer: Scorer
    rows: Ints
    folds: Folds
    """Cuts of these rows; pairs are made of them when their turn comes, for all at once may be large."""
    seed: tuple[int, ...]
    sampler: Any = None
    ask_training: bool = False

    def tasks(self) -> Iterator[Task]:
        """Every fit, candidate by candidate.

        All candidates have the same chance on the same rows: none wins by luck of its seed, and what a
        candidate scores does not depend on which others are tried.
        """
        for candidate in self.candidates:
            for place in range(len(self.folds)):
                yield self.task(candidate, place)

    def task(self, candidate: Candidate, place: int) -> Task:
        """The fit of a candidate in the fold at a place."""
        fold = self.folds.folds[place]
        return Task(
            candidate.model,
            self.scorer.data,
            self.rows[fold.train],
            self.rows[fold.test],
            (*self.seed, place),
            candidate.parameters,
            sampler=self.sampler,
            ask_training=self.ask_training,
            of_training=self.scorer.of_training,
        )

    @property
    def higher(self) -> bool:
        """Whether more of the metric is better."""
        return self.scorer.asked.metric.better == "higher"

    @property
    def perfect(self) -> float:
        """The best score there can be; infinite where there is no best."""
        low, high = self.scorer.asked.metric.range
        return high if self.higher else low

    @property
    def largest(self) -> float | None:
        """The size of scores, beside which their noise is small; None where only scores can tell.

        It does not depend on the candidates, for not all of them may be tried to the end.
        """
        if not math.isfinite(self.perfect):
            return None
        return max(1.0, *(abs(end) for end in self.scorer.asked.metric.range if math.isfinite(end)))


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
    left: int = 0
    """Pairs it was not tried on, because it was given up."""

    @property
    def values(self) -> tuple[float | None, ...]:
        return tuple(score.value for score in self.scores)

    @cached_property
    def mean(self) -> float | None:
        """Of all pairs; None when one of them has no number, for the rest would be easier rows."""
        return mean_of(self.values) if not self.left else None

    @property
    def why(self) -> str | None:
        """Why there is no mean."""
        said = [score.why for score in self.scores if score.value is None]
        tried, pairs = len(self.scores), len(self.scores) + self.left
        given_up = f"given up after {tried:,} of {pairs:,} folds"
        if not said:
            return f"{given_up}: it could not become the best" if self.left else None
        if self.left:
            return f"{said[0]} ({given_up})"
        return f"{said[0]} ({len(said)} of {pairs} folds)" if pairs > 1 else said[0]

    @property
    def outdone(self) -> bool:
        """Whether it was given up because it could not become the best."""
        return self.left > 0 and None not in self.values

    @property
    def so_far(self) -> float | None:
        """Of one that was outdone, the mean of the pairs it was tried on."""
        return mean_of(self.values) if self.outdone else None

    @property
    def deviation(self) -> float | None:
        """Standard deviation over the pairs."""
        if self.mean is None:
            return None
        return deviation(self.values)

    @property
    def training_mean(self) -> float | None:
        return mean_of(self.training) if self.training and not self.left else None


@dataclass(frozen=True, eq=False)
class Searched:
    """Every candidate as it was tried, in order, and which is best."""

    tried: tuple[Tried, ...]
    higher: bool
    """Whether more of the metric is better."""
    notes: tuple[str, ...] = ()
    """Of the folds it was tried on."""
    largest: float | None = None
    """The size of scores; None: that of the largest mean."""

    @cached_property
    def goodness(self) -> NDArray[np.float64]:
        """The means in the good direction, without the noise of floating point; NaN where there is none."""
        means = np.array([np.nan if each.mean is None else each.mean for each in self.tried])
        largest = self.largest
        if largest is None:
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
        """1 is the best; equal ones share a rank, and those without a mean have none. Where candidates were
        given up, ranks are among those tried to the end."""
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
        """How many were tried."""
        return sum(len(each.scores) for each in self.tried)

    @property
    def saved(self) -> int:
        """How many were not tried, because candidates were given up."""
        return sum(each.left for each in self.tried)

    @property
    def tied(self) -> int:
        """How many candidates share the best mean."""
        return self.ranks.count(1)


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
    """A search by inner folds of these rows, which neither learns nor looks at any other; `labels` are other
    classes of them."""
    if labels is not None:
        data = relabelled(data, rows, labels)
    folds = _inner_folds(data, rows, inner_cv, seed[0])
    return Search(candidates, replace(scorer, data=data), rows, folds, seed, sampler, ask_training)


def _inner_folds(data: DataSet, rows: Ints, inner_cv: Any, seed: int) -> Folds:
    """Folds of these rows; groups, and copies of a row that was drawn several times, stay together."""
    y = data.y[rows]
    if data.groups is not None:
        return folds_of(inner_cv, y, y, data.groups[rows], random_state=seed)
    if len(np.unique(rows)) == len(rows):
        return folds_of(inner_cv, y, y, random_state=seed)
    try:
        return folds_of(inner_cv, y, y, rows, random_state=seed)
    except OptionError:
        folds_of(inner_cv, y, y, random_state=seed)  # raises where copies are not the reason
        raise OptionError(
            "training rows are drawn several times, as a bootstrap does, and copies of a row must not be on "
            f"both sides of an inner fold, which inner_cv={inner_cv!r} cannot prevent.",
            hint="take few inner folds, such as inner_cv=5, or outer folds that draw no row twice: cv=5.",
        ) from None


def searched(
    searches: Sequence[Search], *, n_jobs: int | None, what: str, record: Recording | None = None
) -> list[Searched]:
    """All searches as one list of fits, so that every worker has work until the last is done."""
    total = sum(len(search.candidates) * len(search.folds) for search in searches)
    tasks = (task for search in searches for task in search.tasks())
    fits = run(tasks, n_jobs=n_jobs, what=what, total=total, record=record)
    return [
        gathered(
            search,
            [
                [scored(search, place, fit) for place, fit in enumerate(islice(fits, len(search.folds)))]
                for _ in search.candidates
            ],
        )
        for search in searches
    ]


def relabelled(data: DataSet, rows: Ints, labels: NDArray[Any]) -> DataSet:
    """The same data with other classes of some rows."""
    y, actual = data.y.copy(), data.actual.copy()
    y[rows], actual[rows] = labels, positions(data, labels)
    return replace(data, y=y, actual=actual)


@dataclass(frozen=True, eq=False)
class Scored:
    """What is kept of a fit: not its answers."""

    score: Estimate
    training: float | None
    failure: str | None
    warnings: tuple[str, ...]
    seconds: float


def scored(search: Search, place: int, fit: Fit) -> Scored:
    """What a fit says of a candidate in the fold at a place."""
    score = search.scorer.of(search.rows[search.folds.folds[place].test], fit)
    return Scored(
        # Without what makes its interval, which holds the counts.
        Estimate(score.value, why=score.why),
        search.scorer.training_value(fit),
        fit.failure,
        fit.warnings,
        fit.fit_seconds + fit.ask_seconds,
    )


def gathered(search: Search, made: Sequence[Sequence[Scored]]) -> Searched:
    """A search, from what its candidates scored."""
    tried = (_tried(search, *each) for each in zip(search.candidates, made, strict=True))
    return Searched(tuple(tried), search.higher, search.folds.notes, search.largest)


def _tried(search: Search, candidate: Candidate, made: Sequence[Scored]) -> Tried:
    return Tried(
        candidate,
        tuple(each.score for each in made),
        tuple(each.training for each in made),
        tuple(each.failure for each in made if each.failure is not None),
        Counter(warning for each in made for warning in each.warnings),
        sum(each.seconds for each in made),
        len(search.folds) - len(made),
    )


def mean_of(values: Sequence[float | None]) -> float | None:
    """None when one of them is missing."""
    known = [value for value in values if value is not None]
    return float(np.mean(known)) if len(known) == len(values) else None


def way_out_of(data: DataSet, searches: Iterable[Searched]) -> str | None:
    """What may help where candidates could not be fitted."""
    failed = {id(each.candidate.model): each for found in searches for each in found.tried if each.failures}
    sentences = (way_out(each.candidate.model, data, each.failures) for each in failed.values())
    return next((text for text in sentences if text is not None), None)
