"""All fits of a learning curve, and what came of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark.inference import Estimate
from tallymark.resampling.folds import Folds
from tallymark.validation.data.data_set import DataSet
from tallymark.validation.fits.failures import way_out
from tallymark.validation.fits.fitting import Fit, Task, run
from tallymark.validation.fits.fold_notes import (
    all_failed,
    said_of_failures,
    said_of_folds,
    said_of_warnings,
)
from tallymark.validation.fits.scoring import Scorer
from tallymark.validation.learners.majority import majority_fit
from tallymark.validation.learning.progressive import Rule, Stop, last_gain
from tallymark.validation.learning.result import Point, point_of
from tallymark.validation.learning.schedule import Schedule
from tallymark.validation.learning.subsets import Nested
from tallymark.validation.runs.recording import Recording
from tallymark.validation.validating.summary import Sizes, mean_of_folds, undefined_everywhere

Floats = NDArray[np.float64]

_FITS = 1
"""What the random stream is for; 0 is for the subsets."""


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
    record: Recording | None = None
    points: dict[str, list[Point]] = field(default_factory=dict)
    fits: int = 0
    failures: list[str] = field(default_factory=list)
    unfit: dict[str, Any] = field(default_factory=dict)
    """The models that failed, by name."""
    said: Counter[str] = field(default_factory=Counter)
    """What models warned of or lacked, and in how many fits."""

    @property
    def sizes(self) -> tuple[int, ...]:
        return self.schedule.sizes

    @cached_property
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
        rule = Rule(tolerance, self.level, self.shared, self._towards_better(self.baseline.value))
        tried: tuple[int, ...] = ()
        for size in self.sizes:
            tried = (*tried, size)
            self._fit(learners, (size,))
            if all(rule.says_stop(tried, self._values(name)) for name in learners):
                break
        self._refuse_failure()
        gains = {name: last_gain(tried, self._values(name), self.shared, self.level) for name in learners}
        left_out = self.sizes[len(tried) :]
        return Stop(
            tried[-1],
            self.sizes[-1],
            {name: gain for name, gain in gains.items() if gain is not None},
            tolerance,
            self.level,
            left_out,
            fits=len(self.parts) * len(learners) * len(left_out),
            rows=sum(left_out) / sum(self.sizes),
        )

    def _values(self, name: str) -> Floats:
        """Repeats x sizes, more is better."""
        points = self.points[name]
        return np.array(
            [[self._towards_better(value) for value in point.values] for point in points], float
        ).T

    def _towards_better(self, value: float | None) -> float | None:
        return -value if value is not None and self.scorer.asked.metric.better == "lower" else value

    def _fit(self, learners: Mapping[str, Any], sizes: Sequence[int]) -> None:
        tasks = [
            (name, size, repeat) for size in sizes for name in learners for repeat in range(len(self.parts))
        ]
        made = run(
            (self._task(learners[name], size, repeat) for name, size, repeat in tasks),
            n_jobs=self.n_jobs,
            what="Learning curve",
            total=len(tasks),
            record=self.record,
        )
        found = self._scored(made, tasks, learners)
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
            of_training=self.scorer.of_training,
        )

    def _scored(
        self, made: Iterator[Fit], tasks: Sequence[tuple[str, int, int]], learners: Mapping[str, Any]
    ) -> Iterator[Scored]:
        """Numbers as the fits come in, so that no fit is kept."""
        for fit, (name, size, repeat) in zip(made, tasks, strict=True):
            self.fits += 1
            part = self.parts[repeat]
            rows = len(part.rows(size, whole=size == self.sizes[-1]))
            if fit.failure is not None:
                self.failures.append(fit.failure)
                self.unfit[name] = learners[name]
            self.said.update(fit.warnings)
            self.said.update([fit.note] if fit.note else [])
            yield Scored(
                rows, self.scorer.of(part.test, fit), self.scorer.training_value(fit), fit.fit_seconds
            )

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

    @cached_property
    def baseline(self) -> Estimate:
        """Always the most frequent class, on the same test rows."""
        values = [
            self.scorer.of(part.test, majority_fit(self.data, part.order, part.test)) for part in self.parts
        ]
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

    @property
    def _way_out(self) -> str | None:
        found = (way_out(model, self.data, self.failures) for model in self.unfit.values())
        return next((text for text in found if text is not None), None)

    def _refuse_failure(self) -> None:
        if self.failed == self.fits:
            raise all_failed(self.failures, self._way_out)

    def notes(self) -> Iterator[str]:
        yield from self.data.notes
        yield from said_of_folds(self.folds, self.data)
        yield from self.schedule.notes
        yield from said_of_failures(self.failures, self.fits)
        if self._way_out is not None:
            yield self._way_out
        yield from said_of_warnings(self.said, self.fits)
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
