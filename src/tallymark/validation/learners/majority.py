"""The most frequent class: what any model must beat, and `Majority`, which learns it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from tallymark.errors import OptionError, ShapeError
from tallymark.resampling.folds import Ints
from tallymark.resampling.parameters import Parameters
from tallymark.resampling.splitter import rows_of
from tallymark.validation.data.data_set import DataSet
from tallymark.validation.fits.fitting import Fit


def majority_fit(data: DataSet, train: Ints, test: Ints) -> Fit:
    """The baseline: always the most frequent class, the first in the order of the labels when several are;
    its scores are the shares of the classes.

    Both are of all rows. What is most frequent among the training rows is the rarer class of the test rows
    where classes are nearly balanced: always wrong when one row is left out, so that noise would beat it.
    """
    size = len(data.labels)
    counts = data.class_counts
    top = int(counts.argmax())
    training = np.zeros((size, size), np.int64)
    training[:, top] = np.bincount(data.actual[train], minlength=size)
    scores = np.broadcast_to(counts / counts.sum(), (len(test), size))
    return Fit(np.full(len(test), top), scores, training, len(train))


class Classifier(Parameters, ABC):
    """A classifier for our tools and scikit-learn's, which is not made from their base."""

    classes_: NDArray[Any]

    @abstractmethod
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """A probability per row and class, in the order of `classes_`."""

    def predict(self, X: Any) -> NDArray[Any]:
        """The most probable class of every row; the first in order when several are."""
        best = np.argmax(self.predict_proba(X), axis=1)
        return np.asarray(self.classes_[best])

    def score(self, X: Any, y: Any) -> float:
        """The accuracy."""
        return float(np.mean(self.predict(X) == np.asarray(y)))

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import ClassifierTags, Tags, TargetTags

        return Tags(
            estimator_type="classifier",
            target_tags=TargetTags(required=True),
            classifier_tags=ClassifierTags(),
        )

    def _check_fitted(self) -> None:
        if not hasattr(self, "classes_"):
            raise OptionError(f"this {type(self).__name__} has learned nothing yet.", hint="call fit first.")


class Majority(Classifier):
    """Always answers with the most frequent class, the first of them in order when several are; its
    probabilities are the shares of the classes. It never looks at the features."""

    shares_: NDArray[np.float64]

    def fit(self, X: Any, y: Any) -> Self:
        """Count the classes."""
        classes = np.asarray(y)
        if not rows_of(X, classes):
            raise ShapeError("there are no rows.")
        self.classes_, counts = np.unique(classes, return_counts=True)
        self.shares_ = counts / counts.sum()
        return self

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """The shares of the classes for every row, in the order of `classes_`."""
        self._check_fitted()
        return np.tile(self.shares_, (rows_of(X), 1))
