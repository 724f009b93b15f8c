"""A number from what a model said about some rows of a data set: by the same tallies as everywhere."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark.evaluation import Evaluation, evaluate
from tallymark.inference import Estimate, Sample
from tallymark.intake.costs import CostsGiven, read_costs
from tallymark.metrics import FROM_SCORES, Asked
from tallymark.metrics.classes import AREAS
from tallymark.resampling.folds import Ints
from tallymark.tallies import Confusion
from tallymark.tallies.labels import listed, quoted
from tallymark.validation.data.data_set import DataSet
from tallymark.validation.fits.fitting import Fit, Floats


def evaluated(
    data: DataSet,
    rows: Ints,
    answers: Ints,
    scores: Floats | None,
    *,
    ids: Any = None,
    groups: Any = None,
    costs: CostsGiven | None = None,
    confidence_level: float = 0.95,
    random_state: int = 0,
) -> Evaluation:
    """The evaluation of answers, and scores if there are any, to some rows."""
    # Whole numbers as such: among objects every one would have to be looked at.
    plain = all(isinstance(label, int) for label in data.labels)
    of_labels = np.array(data.labels, None if plain else object)
    position = data.position
    if scores is not None and scores.ndim == 2 and len(data.labels) == 2 and position is not None:
        scores = scores[:, position]
    return evaluate(
        of_labels[data.actual[rows]],
        of_labels[answers],
        y_score=scores,
        labels=data.labels,
        pos_label=data.positive,
        id=ids,
        groups=groups,
        costs=costs,
        confidence_level=confidence_level,
        random_state=random_state,
    )


Value = tuple[float | None, str | None]
"""A number, or None and why."""
OfTraining = Callable[[DataSet, Ints, Fit], Mapping[str, Value]]


def numbers_from_scores(asked: Sequence[Asked], data: DataSet, rows: Ints, fit: Fit) -> dict[str, Value]:
    """Several numbers of one fit on some rows by name, each with why it is undefined if it is."""
    ev = evaluated(_numbered(data), rows, fit.answers, fit.scores)
    lacking = lacks_classes(data, np.bincount(data.actual[rows], minlength=len(data.labels)))
    found: dict[str, Value] = {}
    for each in asked:
        if lacking is not None and averages_classes(each):
            found[each.name] = None, lacking
        else:
            estimate = ev.estimate(each)
            found[each.name] = estimate.value, estimate.why
    return found


def of_training(asked: Sequence[Asked]) -> OfTraining | None:
    """What a task works out from the scores of the rows learned; None when no number needs them."""
    scored = [each for each in asked if each.metric.about in FROM_SCORES]
    return partial(numbers_from_scores, scored) if scored else None


def averages_classes(asked: Asked) -> bool:
    """Whether a number is a mean over the classes, or over pairs of them, rather than over the rows."""
    name = asked.metric.name
    return asked.average == "macro" or name == "balanced_accuracy" or name in AREAS


def lacks_classes(data: DataSet, actual: Ints) -> str | None:
    """Which classes of the data have none among rows of which there are so many per label; None if all have.

    The mean of the other classes is another number: with one class left, always answering it is perfect.
    """
    gone = np.flatnonzero((actual == 0) & (data.class_counts > 0)).tolist()
    if not gone:
        return None
    if len(gone) == 1:
        return f"class {quoted(data.labels[gone[0]])} has no rows here"
    return f"classes {listed([data.labels[place] for place in gone])} have no rows here"


def _numbered(data: DataSet) -> DataSet:
    """The same with positions for labels, which are read faster; for numbers that name no label."""
    if data.position is None and len(data.labels) == 2:
        return data  # of 0 and 1 the 1 would be taken for the positive class, which nobody named
    return replace(data, labels=tuple(range(len(data.labels))), positive=data.position)


@dataclass(frozen=True, eq=False)
class Scorer:
    """One number of many fits on one data set."""

    data: DataSet
    asked: Asked
    costs: CostsGiven | None = None

    @property
    def from_scores(self) -> bool:
        """Whether it is worked out from scores rather than from answers."""
        return self.asked.metric.about in FROM_SCORES

    def of(self, rows: Ints, fit: Fit) -> Estimate:
        """The number of a fit on the rows it was asked about; only its value and `why` matter."""
        if fit.failure is not None:
            return Estimate(None, why=f"the fit failed: {fit.failure}")
        if self.from_scores:
            value, why = numbers_from_scores([self.asked], self.data, rows, fit)[self.asked.name]
            return Estimate(value, why=why)
        size = len(self.data.labels)
        cells = self.data.actual[rows] * size + fit.answers
        return self.of_counts(np.bincount(cells, minlength=size * size).reshape(size, size))

    def of_counts(self, counts: NDArray[np.int64]) -> Estimate:
        """The number from a table of counts; a number from scores has none."""
        if self.from_scores:
            return Estimate(None, why="scores of these rows were not kept")
        lacking = lacks_classes(self.data, counts.sum(axis=1)) if averages_classes(self.asked) else None
        if lacking is not None:
            return Estimate(None, why=lacking)
        flat = counts.ravel()
        cells = np.flatnonzero(flat)
        confusion = Confusion.from_cells(self.data.labels, cells, flat[cells], declared=True)
        position = self.data.position
        if position is None and len(self.data.labels) == 2 and self.asked.metric.symmetric:
            position = 0
        return Sample(confusion, costs=self._costs).of(self.asked, position)

    @property
    def of_training(self) -> OfTraining | None:
        """What a task works out of the rows learned, beside counts; None when counts are enough."""
        return of_training([self.asked])

    def training_value(self, fit: Fit) -> float | None:
        """The number on the rows learned, where they were asked about."""
        if self.from_scores:
            value: float | None = fit.of_training.get(self.asked.name, (None, None))[0]
            return value
        return None if fit.training is None else self.of_counts(fit.training).value

    @cached_property
    def _costs(self) -> Floats | None:
        if self.costs is None:
            return None
        return np.array(read_costs(self.costs, labels=self.data.labels, order_stated=True).matrix, float)
