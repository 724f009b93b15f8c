"""Searches that give up what cannot become the best: the same winner, from fewer fits."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import repeat

import numpy as np

from tallymark.inference.progress import shown
from tallymark.tests.scores import without_noise
from tallymark.validation.fits.fitting import Fit, run
from tallymark.validation.runs.recording import Recording
from tallymark.validation.tuning.search import Scored, Search, Searched, gathered, mean_of, scored

Make = Callable[..., Iterator[Fit]]
"""What makes the fits of some tasks."""

# After the first fold the most promising candidate is tried to the end, then the next 4, the next 16 and so
# on: workers seldom wait, and nearly as many fits are saved as if candidates went one by one.
_GROWTH = 4
# Many folds go several at a time, for workers wait at the end of each step.
_MOST_STEPS = 10


def raced(
    searches: Sequence[Search], *, n_jobs: int | None, what: str, record: Recording | None = None
) -> list[Searched]:
    """Every candidate is tried until it cannot become the best any more; what is best is not changed by it.

    A candidate is given up when even perfect scores in its other folds would leave its mean below one that
    is known, or when one of its folds has no score. All searches go side by side, and what is tried next
    depends on scores alone, so the result is the same for any number of workers.
    """
    races = [_Race(search, [[] for _ in search.candidates]) for search in searches]
    total = sum(len(search.candidates) * len(search.folds) for search in searches)
    make = partial(run, n_jobs=n_jobs, what="", record=record)
    for _ in shown(_fits(races, make), total, what):
        pass
    return [gathered(race.search, race.made) for race in races]


@dataclass(eq=False)
class _Race:
    """A search on its way."""

    search: Search
    made: list[list[Scored]]
    """Of every candidate, fold after fold."""
    best: float = -math.inf
    """The best mean that is known, in the good direction."""

    @cached_property
    def steps(self) -> list[range]:
        """Folds that are tried together."""
        folds = range(len(self.search.folds))
        size = math.ceil(len(folds) / _MOST_STEPS)
        return [folds[start : start + size] for start in folds[::size]]

    def goodness(self, values: Sequence[float | None]) -> float:
        """Their mean in the good direction, without noise, as the search has it."""
        mean = mean_of(values)
        if mean is None:
            return -math.inf
        largest = self.search.largest
        good = mean if self.search.higher else -mean
        return good if largest is None else float(without_noise(np.array([good]), largest)[0])

    def values(self, candidate: int) -> list[float | None]:
        return [each.score.value for each in self.made[candidate]]

    def hopeful(self, candidate: int) -> bool:
        """Whether it may still become the best, or share its score."""
        values = self.values(candidate)
        if None in values:
            return False
        # With the other folds at their best; sums in the same order, so that no rounding brings it lower.
        left = len(self.search.folds) - len(values)
        return not self.goodness([*values, *repeat(self.search.perfect, left)]) < self.best

    def by_promise(self) -> list[int]:
        """Candidates from the best in the first folds to the worst; equal ones in the order of trying."""
        every = range(len(self.made))
        return sorted(filter(self.hopeful, every), key=lambda each: -self.goodness(self.values(each)))

    def note(self, candidates: Sequence[int]) -> None:
        """The best mean may be one of these, where they were tried to the end."""
        whole = [each for each in candidates if len(self.made[each]) == len(self.search.folds)]
        self.best = max([self.best, *(self.goodness(self.values(each)) for each in whole)])


def _fits(races: Sequence[_Race], make: Make) -> Iterator[None]:
    """One step for every fit, also for those that are left out."""
    yield from _step(races, [range(len(race.made)) for race in races], 0, make)
    orders = [race.by_promise() for race in races]
    start, size = 0, 1
    while any(start < len(order) for order in orders):
        heats = [order[start : start + size] for order in orders]
        for step in range(1, _MOST_STEPS):
            yield from _step(races, heats, step, make)
        for race, heat in zip(races, heats, strict=True):
            race.note(heat)
        start, size = start + size, size * _GROWTH
    yield from repeat(None, sum(len(race.search.folds) - len(made) for race in races for made in race.made))


def _step(
    races: Sequence[_Race], candidates: Sequence[Sequence[int]], step: int, make: Make
) -> Iterator[None]:
    """The next folds of those of some candidates that are still hopeful, in all searches at once."""
    asked = [
        (race, candidate, place)
        for race, own in zip(races, candidates, strict=True)
        for candidate in filter(race.hopeful, own)
        for place in (race.steps[step] if step < len(race.steps) else ())
    ]
    if not asked:
        return
    tasks = (race.search.task(race.search.candidates[candidate], place) for race, candidate, place in asked)
    for (race, candidate, place), fit in zip(asked, make(tasks, total=len(asked)), strict=True):
        race.made[candidate].append(scored(race.search, place, fit))
        yield
