"""The mean of stratified folds covers the accuracy of other rows."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin

import tallymark as tm


class Ones(ClassifierMixin, BaseEstimator):
    """Right for class 1 and wrong for class 0, whatever is learned.

    The accuracy of the population is 0.95, and that of stratified folds is the proportion of class 1 in the
    sample, in every fold.
    """

    def fit(self, X, y):  # noqa: ARG002
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.ones(len(X), int)

    def predict_proba(self, X):
        return np.tile([0.05, 0.95], (len(X), 1))


@pytest.mark.parametrize("cv", ["kfold:10", "repeated:8"])
def test_the_mean_of_stratified_folds_covers_the_accuracy_of_other_rows(cv):
    covered = 0
    for seed in range(40):
        y = (np.random.default_rng([7, seed]).random(200) < 0.95).astype(int)
        found = tm.validate(Ones(), np.zeros((200, 1)), y, cv=cv, baseline=False, random_state=seed)
        mean = found["accuracy"].mean
        covered += mean.low is not None and mean.low <= 0.95 <= mean.high
    assert covered >= 33  # with 0.95 per interval fewer come by chance once in 1,000 times
