"""All fits of a learning curve, and what came of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from tallymark.errors import InputError
from tallymark.inference import Estimate
from tallymark.resampling.folds import Folds
from tallymark.validation.data import DataSet
from tallymark.validation.fitting import Fit, Task, run
from tallymark.validation.learning.progressive import Gain, Stop, last_gain
from tallymark.validation.learning.result import Point, point_of
from tallymark.validation.learning.schedule import Schedule
from tallymark.validation.learning.subsets import Nested
from tallymark.validation.scoring import Scorer, numbers_from_scores
from tallymark.validation.summary import Sizes, mean_of_folds, undefined_everywhere

_FITS, _BASELINE = 1, 2
"""What random streams are for; 0 is for the subsets."""


@dataclass(eq=False)
class Work:
    """All that is fitted, and what came of it."""

    data: DataSet
    folds: Folds
    parts: Sequence[Nested]
    schedule: Schedule
    scorer: Scorer
    sampler: Any
    level: float
    seed: int
    n_jobs: int | None
    points: dict[str, list[Point]] = field(default_factory=dict)
    fits: int = 0
    failures: list[str] = field(default_factory=list)
    said: Counter[str] = field(default_factory=Counter)
    """What models warned of or lacked, and in how many fits."""

    @property
    def sizes(self) -> tuple[int, ...]:
        return self.schedule.sizes

    @property
    def shared_sizes(self) -> Sizes:
        """Rows of the whole repeats: how much two of them have in common does not depend on the subset.

        Nadeau and Bengio's correlation is the chance that a row tested in one repeat is tested in another.
        Smaller subsets of the training part share fewer rows yet.
        """
        return Sizes.of(self.folds)

    @property
    def shared(self) -> float:
        sizes = self.shared_sizes
        return float((sizes.test / sizes.train).mean())

    def at_once(self, learners: Mapping[str, Any]) -> None:
        """Every size."""
        self._fit(learners, self.sizes)
        self._refuse_failure()

    def progressively(self, learners: Mapping[str, Any], tolerance: float) -> Stop:
        """One size after the other, until more rows no longer pay for any of the models."""
        gains: dict[str, Gain] = {}
        run: tuple[int, ...] = ()
        for place, size in enumerate(self.sizes):
            run = self.sizes[: place + 1]
            self._fit(learners, (size,))
            gains = {name: gain for name in learners if (gain := self._last_gain(name, run))}
            if len(gains) == len(learners) and all(gain.upper < tolerance for gain in gains.values()):
                break
        self._refuse_failure()
        left_out = self.sizes[len(run) :]
        each = len(self.parts) * len(learners)
        return Stop(run[-1], self.sizes[-1], gains, tolerance, self.level, left_out, each * len(left_out),
                    sum(left_out) / sum(self.sizes))  # fmt: skip

    def _last_gain(self, name: str, sizes: Sequence[int]) -> Gain | None:
        sign = -1.0 if self.scorer.asked.metric.better == "lower" else 1.0
        values = np.array([point.values for point in self.points[name]], float).T
        return last_gain(sizes, sign * values, self.shared, self.level)

    def _fit(self, learners: Mapping[str, Any], sizes: Sequence[int]) -> None:
        tasks = [
            (name, size, repeat) for size in sizes for name in learners for repeat in range(len(self.parts))
        ]
        made = run(
            (self._task(learners[name], size, repeat) for name, size, repeat in tasks),
            n_jobs=self.n_jobs,
            what="Learning curve",
            total=len(tasks),
        )
        found = self._scored(made, tasks)
        for size in sizes:
            for name in learners:
                fits = [next(found) for _ in self.parts]
                self.points.setdefault(name, []).append(self._point(size, fits))

    def _task(self, model: Any, size: int, repeat: int) -> Task:
        part = self.parts[repeat]
        return Task(
            model,
            self.data,
            part.rows(size, whole=size == self.sizes[-1]),
            part.test,
            (self.seed, _FITS, repeat, size),
            sampler=self.sampler,
            of_training=self._of_training,
        )

    @property
    def _of_training(self) -> Any:
        if not self.scorer.from_scores:
            return None
        return partial(numbers_from_scores, self.data, (self.scorer.asked,))

    def _scored(self, made: Iterator[Fit], tasks: Sequence[tuple[str, int, int]]) -> Iterator[Scored]:
        """Numbers as the fits come in, so that no fit is kept."""
        for fit, (_, size, repeat) in zip(made, tasks, strict=True):
            self.fits += 1
            part = self.parts[repeat]
            rows = len(part.rows(size, whole=size == self.sizes[-1]))
            if fit.failure is not None:
                self.failures.append(fit.failure)
            self.said.update(fit.warnings)
            self.said.update([fit.note] if fit.note else [])
            yield Scored(rows, self.scorer.of(part.test, fit), self._training(fit), fit.fit_seconds)

    def _training(self, fit: Fit) -> float | None:
        if self.scorer.from_scores:
            value: float | None = fit.of_training.get(self.scorer.asked.name, (None, None))[0]
            return value
        return None if fit.training is None else self.scorer.of_counts(fit.training).value

    def _point(self, size: int, fits: Sequence[Scored]) -> Point:
        return point_of(
            size,
            np.array([fit.rows for fit in fits], float),
            [fit.value.value for fit in fits],
            [fit.value.why for fit in fits],
            [fit.training for fit in fits],
            np.array([fit.seconds for fit in fits]),
            asked=self.scorer.asked,
            shared=self.shared_sizes,
            level=self.level,
        )

    def baseline(self) -> Estimate:
        """Always the largest class of the whole training part."""
        from tallymark.validation.majority import Majority

        tasks = [
            Task(
                Majority(),
                self.data,
                part.order,
                part.test,
                (self.seed, _BASELINE, repeat),
                ask_training=False,
            )
            for repeat, part in enumerate(self.parts)
        ]
        fits = run(tasks, n_jobs=1, what="Baseline")
        values = [self.scorer.of(task.test, fit) for task, fit in zip(tasks, fits, strict=True)]
        return mean_of_folds(
            [each.value for each in values],
            self.shared_sizes,
            limits=self.scorer.asked.metric.range,
            level=self.level,
            why=undefined_everywhere([each.why for each in values]),
        )

    @property
    def failed(self) -> int:
        return len(self.failures)

    @property
    def failure(self) -> str | None:
        return f"{self.failed:,} of {self.fits:,} fits failed: {self.failures[0]}" if self.failures else None

    def _refuse_failure(self) -> None:
        if self.failed == self.fits:
            raise InputError(f"all {self.fits:,} fits failed: {self.failures[0]}")

    def notes(self) -> Iterator[str]:
        yield from self.data.notes
        yield from self.schedule.notes
        if self.failure is not None:
            yield f"{self.failure.rstrip('.')}."
        for text, times in self.said.most_common():
            yield f"{text.rstrip('.')} (in {times:,} of {self.fits:,} fits)."
        yield from self._missing_classes()

    def _missing_classes(self) -> Iterator[str]:
        """From which size on every subset has rows of all classes."""
        needed = max(_all_classes(self.data.actual[part.order]) for part in self.parts)
        small = [size for size in self.sizes[:-1] if size < needed]
        if small and small[-1] == self.sizes[0]:
            yield f"in subsets of {small[0]:,} rows, some classes have no rows to be learned from."
        elif small:
            yield f"in subsets of up to {small[-1]:,} rows, some classes have no rows to be learned from."


@dataclass(frozen=True)
class Scored:
    """One fit as numbers."""

    rows: int
    value: Estimate
    training: float | None
    seconds: float


def _all_classes(actual: Any) -> int:
    """How many of the first rows it takes to see every class there is."""
    _, first = np.unique(actual, return_index=True)
    return int(first.max()) + 1
