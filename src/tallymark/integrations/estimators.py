"""What a fitted estimator of scikit-learn's kind says about some rows, evaluated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np

from tallymark.errors import OptionError
from tallymark.evaluation import Evaluation, evaluate
from tallymark.intake.costs import CostsGiven, read_costs
from tallymark.metrics import Asked
from tallymark.resampling.folds import Ints
from tallymark.tallies import Label
from tallymark.validation.data.data_set import DataSet, data_set
from tallymark.validation.fits.fitting import Floats, answers_of, scores_of
from tallymark.validation.fits.scoring import averages_classes, lacks_classes

Needed = Literal["answers", "scores", "probabilities"]


def several_labels(y: Any) -> bool:
    """Whether rows have several labels: a column of 0 and 1 for each."""
    shape: tuple[int, ...] = getattr(y, "shape", ())
    return len(shape) == 2 and shape[1] > 1


@dataclass(frozen=True, eq=False)
class Estimated:
    """A fitted estimator and rows whose classes are known."""

    estimator: Any
    X: Any
    y: Any
    labels: Sequence[Label] | None = None
    pos_label: object = None

    @cached_property
    def data(self) -> DataSet:
        """The classes of the rows, and below them those the estimator knows: a fold may lack some of them."""
        actual = np.ravel(np.asarray(self.y))
        classes = getattr(self.estimator, "classes_", None)
        known = self.estimator.predict(self.X) if classes is None else classes
        both = np.concatenate([actual, np.ravel(np.asarray(known))])
        return data_set(both, both, labels=self.labels, pos_label=self.pos_label)

    @property
    def actual(self) -> Ints:
        """The classes of the rows as positions among the labels."""
        return self.data.actual[: len(np.asarray(self.y))]

    def lacks(self, asked: Asked) -> str | None:
        """Why a mean over the classes is another number here: some class has no rows. None if all have."""
        if several_labels(self.y) or not averages_classes(asked):
            return None
        return lacks_classes(self.data, np.bincount(self.actual, minlength=len(self.data.labels)))

    def evaluated(
        self, needed: Needed, *, what: str, costs: CostsGiven | None = None, **options: Any
    ) -> Evaluation:
        """The evaluation of what is needed: its answers, its scores, or scores that are probabilities.

        `what` needs them, in the words of an error; `options` are those of `evaluate`.
        """
        if several_labels(self.y):
            return evaluate(self.y, self.estimator.predict(self.X), **options)
        data = self.data
        if costs is not None:
            found = read_costs(costs, labels=data.labels, order_stated=self.labels is not None)
            options["costs"] = found.matrix
        options |= {"labels": data.labels, "pos_label": data.positive}
        classes = np.array(data.labels, object)
        actual = classes[self.actual]
        if needed == "answers":
            answers = answers_of(data, self.estimator, self.X, len(actual))
            return evaluate(actual, classes[answers], **options)
        return evaluate(actual, y_score=self._scores(needed, what), **options)

    def _scores(self, needed: Needed, what: str) -> Floats:
        kind = type(self.estimator).__name__
        if needed == "probabilities" and not hasattr(self.estimator, "predict_proba"):
            raise OptionError(f"{what} needs probabilities, and {kind} has no predict_proba.")
        data = self.data
        scores, why = scores_of(data, self.estimator, self.X, data.classes)
        if scores is None:
            why = why or f"{kind} has neither predict_proba nor decision_function"
            raise OptionError(f"{what} needs scores: {why}.")
        if scores.ndim == 2 and len(data.labels) == 2 and data.position is not None:
            return scores[:, data.position]
        return scores
