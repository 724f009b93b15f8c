"""The best of many settings on pure noise: the search promises too much, and nested folds find out."""

from __future__ import annotations

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

import tallymark as tm


class Direction(ClassifierMixin, BaseEstimator):
    """Which side of a plane a row is on; the plane is given, so there is nothing to learn."""

    def __init__(self, plane=0):
        self.plane = plane

    def fit(self, X, y):  # noqa: ARG002
        self.classes_ = np.array([0, 1])
        self.normal_ = np.random.default_rng(self.plane).normal(size=X.shape[1])
        return self

    def predict(self, X):
        return (X @ self.normal_ > 0).astype(int)


def test_on_pure_noise_the_promise_is_too_good_and_what_is_kept_is_not():
    promised, kept, holds = [], [], []
    for repeat in range(12):
        random = np.random.default_rng(repeat)
        X, y = random.normal(size=(60, 8)), random.permutation(np.repeat([0, 1], 30))
        found = tm.tune(Direction(), X, y, {"plane": list(range(50))}, cv=3, inner_cv=2)
        promised.append(found.inner.value)
        kept.append(found.outer.value)
        holds.append(found.outer.low is None or found.outer.low <= 0.5 <= (found.outer.high or 0))
    assert np.mean(promised) > 0.6
    assert abs(np.mean(kept) - 0.5) < 3 * np.std(kept, ddof=1) / np.sqrt(len(kept))
    assert np.mean(promised) - np.mean(kept) > 0.1
    assert sum(holds) >= 9
