"""`LearningCurve`: what the user holds after models learned from more and more rows."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tallymark.errors import OptionError
from tallymark.inference import Estimate, undefined
from tallymark.intervals import student_quantile
from tallymark.metrics import Asked
from tallymark.resampling.folds import Folds, Ints
from tallymark.tallies.labels import listed, quoted
from tallymark.validation.data.data_set import DataSet
from tallymark.validation.described import Described
from tallymark.validation.learning.extrapolation import FARTHEST, Law, law_of
from tallymark.validation.learning.progressive import Stop
from tallymark.validation.learning.schedule import Schedule
from tallymark.validation.validating.summary import Sizes, deviation, mean_of_folds, undefined_everywhere

if TYPE_CHECKING:
    from tallymark.drawing import Document
    from tallymark.drawing.figure import Figure
    from tallymark.findings import Finding
    from tallymark.validation.page import PageWords

Floats = NDArray[np.float64]
SCHEMA = "tallymark/learning-curve/1"
_CONTINUED = "power law"
_ASSUMED = "the curve goes on as an inverse power law; a rough band, its level is no promise"


@dataclass(frozen=True, eq=False)
class Point:
    """One model at one size."""

    size: int
    n_train: float
    """Rows it learned from, on average; with whole groups not always the size."""
    mean: Estimate
    """The mean over the repeats, with its interval."""
    deviation: float | None
    """The standard deviation over the repeats."""
    training: float | None
    """The mean number of the rows it learned from."""
    seconds: float
    """To fit once, on average."""
    values: tuple[float | None, ...]
    """One for each repeat; None where it is undefined."""
    whys: tuple[str | None, ...]

    @property
    def undefined(self) -> int:
        """Repeats it is undefined in, those whose fit failed among them."""
        return sum(value is None for value in self.values)


@dataclass(frozen=True, eq=False)
class ModelCurve:
    """One model, size by size."""

    name: str
    asked: Asked
    points: tuple[Point, ...]
    shared: float
    """Test rows over training rows of a repeat, which says how much repeats have in common."""
    level: float = 0.95
    seed: int = 0
    pipeline: str = ""
    """The model in words."""

    def __getstate__(self) -> dict[str, Any]:
        """Without the law, which can be worked out again."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

    @property
    def sizes(self) -> Ints:
        """Training rows, in ascending order."""
        return np.array([point.size for point in self.points])

    @property
    def mean(self) -> Floats:
        """The mean over the repeats at each size; NaN where it is undefined in all."""
        return _numbers(point.mean.value for point in self.points)

    @property
    def deviation(self) -> Floats:
        """The standard deviation over the repeats: how much one model of this size differs from another."""
        return _numbers(point.deviation for point in self.points)

    @property
    def low(self) -> Floats:
        """The lower end of the interval of the mean."""
        return _numbers(point.mean.low for point in self.points)

    @property
    def high(self) -> Floats:
        """The upper end of the interval of the mean."""
        return _numbers(point.mean.high for point in self.points)

    @property
    def training(self) -> Floats:
        """The mean of the rows learned from."""
        return _numbers(point.training for point in self.points)

    @property
    def seconds(self) -> Floats:
        """To fit once."""
        return np.array([point.seconds for point in self.points])

    @property
    def values(self) -> Floats:
        """Repeats x sizes; NaN where it is undefined."""
        return np.column_stack([_numbers(point.values) for point in self.points])

    def at(self, size: int) -> Point:
        """What was measured at one of the sizes."""
        for point in self.points:
            if point.size == size:
                return point
        raise OptionError(
            f"{size!r} is not one of the sizes; they are {', '.join(f'{each:,}' for each in self.sizes)}.",
            hint="pass it in the schedule; or .extrapolate(rows) for more rows than there are.",
        )

    @property
    def sign(self) -> float:
        """-1 where lower is better."""
        return -1.0 if self.asked.metric.better == "lower" else 1.0

    @cached_property
    def law(self) -> Law | str:
        """The curve as a - b * n**-c, by which it is continued; or why it is not."""
        if self.asked.metric.better == "neither":
            return f"{self.asked.name} is better neither when high nor when low"
        ends = [self.sign * end for end in self.asked.metric.range]
        return law_of(
            self.sizes.tolist(),
            self.sign * self.values,
            top=max(ends),
            test_by_train=self.shared,
            level=self.level,
            seed=self.seed,
        )

    def gain(self, rows: float) -> Estimate:
        """How much better it would be with so many training rows than at the last size; or why unknown."""
        law = self._law_up_to(rows)
        if isinstance(law, str):
            return undefined(law, self.level)
        return self._continued(law, *law.gain(rows), (-np.inf, self._room))

    def extrapolate(self, rows: float) -> Estimate:
        """What it would be with so many training rows, more than there are; or why that is unknown."""
        law = self._law_up_to(rows)
        if isinstance(law, str):
            return undefined(law, self.level)
        gain, error = law.gain(rows)
        last = self.points[-1].mean
        return self._continued(
            law,
            float(self.mean[-1]) + self.sign * gain,
            math.hypot(error, last.se or 0.0),
            self.asked.metric.range,
        )

    @property
    def _room(self) -> float:
        """How much better it can get."""
        best = self.asked.metric.range[0 if self.sign < 0 else 1]
        return float(abs(best - self.mean[-1]))

    def _law_up_to(self, rows: float) -> Law | str:
        last = int(self.sizes[-1])
        if not rows > last:
            raise OptionError(
                f"{rows:,} training rows are not more than the {last:,} that were tried.",
                hint="what was measured is at .at(size).",
            )
        if rows > FARTHEST * last and not isinstance(self.law, str):
            return (
                f"{rows:,.0f} rows are more than {FARTHEST} times the {last:,} that were tried, and so far "
                "nothing can be said"
            )
        return self.law

    def _continued(self, law: Law, value: float, error: float, limits: tuple[float, float]) -> Estimate:
        def ends(level: float) -> tuple[float, float]:
            half = student_quantile(level, law.repeats - 1) * error
            return max(value - half, limits[0]), min(value + half, limits[1])

        return Estimate(
            min(max(value, limits[0]), limits[1]),
            level=self.level,
            method=_CONTINUED,
            n=law.repeats,
            assumption=_ASSUMED,
            ends_at=ends,
            se=error,
        )


@dataclass(frozen=True, eq=False)
class LearningCurve(Described):
    """How good models are after learning from more and more rows, on the same subsets.

    Of one model the curve has `.sizes .mean .deviation .low .high .training .values`, `.at(size)` and
    `.extrapolate(rows)`; of several, each of `.models` has.
    """

    data: DataSet
    folds: Folds
    schedule: Schedule
    metric: str
    models: Mapping[str, ModelCurve]
    baseline: Estimate
    """Always answering the most frequent class, on the same test rows."""
    stopped: Stop | None
    """Where progressive sampling ended; None when it was not asked for."""
    fits: int
    """How many models were fitted."""
    failed: int
    """How many of them raised an error."""
    failure: str | None
    """The first of these errors, in a sentence."""
    notes: tuple[str, ...] = ()
    library: str | None = None
    estimators: Mapping[str, Any] = field(default_factory=dict)
    """The models as they were given, for the findings."""

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """What a careful reader of the protocol would point out, each with a code and the numbers."""
        from tallymark.validation.audit import audited
        from tallymark.validation.audit.protocol import Protocol

        return audited(Protocol(self.data, self.folds, (self.metric,), self.estimators))

    @property
    def _one(self) -> ModelCurve:
        if len(self.models) > 1:
            raise OptionError(
                f"there are several models: {listed(list(self.models))}.",
                hint=f"say of which: .models[{next(iter(self.models))!r}].",
            )
        return next(iter(self.models.values()))

    @property
    def sizes(self) -> Ints:
        """Training rows that were tried, in ascending order."""
        return next(iter(self.models.values())).sizes

    @property
    def mean(self) -> Floats:
        """The mean over the repeats at each size; NaN where it is undefined in all."""
        return self._one.mean

    @property
    def deviation(self) -> Floats:
        """The standard deviation over the repeats."""
        return self._one.deviation

    @property
    def low(self) -> Floats:
        """The lower end of the interval of the mean."""
        return self._one.low

    @property
    def high(self) -> Floats:
        """The upper end of the interval of the mean."""
        return self._one.high

    @property
    def training(self) -> Floats:
        """The mean of the rows learned from."""
        return self._one.training

    @property
    def values(self) -> Floats:
        """Repeats x sizes; NaN where it is undefined."""
        return self._one.values

    def at(self, size: int) -> Point:
        """What was measured at one of the sizes."""
        return self._one.at(size)

    def gain(self, rows: float) -> Estimate:
        """How much better it would be with so many training rows than at the last size; or why unknown."""
        return self._one.gain(rows)

    def extrapolate(self, rows: float) -> Estimate:
        """What it would be with so many training rows, more than there are; or why that is unknown."""
        return self._one.extrapolate(rows)

    @property
    def fingerprint(self) -> str:
        """What tells these cuts of these rows from others."""
        return f"{self.folds.fingerprint}-{self.data.fingerprint}"

    def __repr__(self) -> str:
        names = ", ".join(quoted(name) for name in self.models)
        return (
            f"LearningCurve({names}; {self.metric} at {', '.join(f'{size:,}' for size in self.sizes)} rows; "
            f"{len(self.folds):,} repeats)"
        )

    def document(self) -> Document:
        """This learning curve described for any pen."""
        from tallymark.validation.learning.outputs.description import describe

        return describe(self)

    def to_dict(self) -> dict[str, Any]:
        """The JSON document (schema `tallymark/learning-curve/1`) as Python values."""
        from tallymark.validation.learning.outputs.form import to_form

        return to_form(self)

    def columns(self) -> Mapping[str, Any]:
        """One row per model and size."""
        from tallymark.validation.learning.outputs.form import columns

        return columns(self)

    def page_words(self) -> PageWords:
        from tallymark.validation.learning.outputs.page import page_words

        return page_words(self)

    def figures(self) -> Mapping[str, Callable[[], Figure]]:
        """learning-curve: the number against the training rows."""
        from tallymark.validation.learning.outputs.figure import learning_curve_figure

        return {"learning-curve": lambda: learning_curve_figure(self)}


def point_of(
    size: int,
    n_train: Floats,
    values: list[float | None],
    whys: list[str | None],
    training: list[float | None],
    seconds: Floats,
    *,
    asked: Asked,
    shared: Sizes,
    level: float,
) -> Point:
    """One model at one size, from its fits."""
    learned = [value for value in training if value is not None]
    limits = asked.metric.range
    mean = mean_of_folds(values, shared, limits=limits, level=level, why=undefined_everywhere(whys))
    return Point(
        size,
        float(n_train.mean()),
        mean,
        deviation(values),
        float(np.mean(learned)) if learned else None,
        float(seconds.mean()),
        tuple(values),
        tuple(whys),
    )


def _numbers(values: Any) -> Floats:
    return np.array([np.nan if value is None else value for value in values], float)
