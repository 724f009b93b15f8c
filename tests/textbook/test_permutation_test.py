"""The permutation test of the sources, done by hand beside ours."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import pytest
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

import tallymark as tm
from tallymark.drawing.figure import Band, Line


class Recording(KNeighborsClassifier):
    """One nearest neighbour that keeps the classes it was trained with."""

    seen: ClassVar = []

    def __init__(self):
        super().__init__(n_neighbors=1)

    def fit(self, X, y):
        Recording.seen.append(np.array(y))
        return super().fit(X, y)


@pytest.fixture
def rows():
    rng = np.random.default_rng(1)
    y = np.arange(45) % 3
    return rng.normal(size=(45, 2)) + 0.8 * y[:, None], y


def test_permute_train_and_evaluate_on_the_unpermuted_test_set(permutation_test_case, rows):
    statement = permutation_test_case["statement"]
    assert "permute the class labels of the train and tune sets, train" in statement
    assert "evaluate on the unpermuted test set" in statement
    X, y = rows
    train, test = next(iter(tm.Holdout().split(X, y)))
    Recording.seen = []
    found = tm.permutation_test(Recording(), X, y, n_permutations=30)
    real, *permuted = Recording.seen
    assert np.array_equal(real, y[train])
    assert all(sorted(classes) == sorted(y[train]) for classes in permuted)
    nearest = ((X[test][:, None] - X[train][None]) ** 2).sum(axis=2).argmin(axis=1)
    by_hand = np.array([np.mean(classes[nearest] == y[test]) for classes in permuted])
    assert found.permuted == pytest.approx(by_hand)
    assert found.value == pytest.approx(np.mean(real[nearest] == y[test]))
    # How likely is it to get as good or better results on random outputs?
    assert found.p_value == pytest.approx((1 + np.sum(by_hand >= found.value - 1e-12)) / 31)


def test_tuning_happens_on_permuted_labels_too(permutation_test_case, rows):
    assert "train and tune" in permutation_test_case["statement"]
    X, y = rows
    found = tm.permutation_test(
        DecisionTreeClassifier(random_state=0),
        X,
        y,
        param_grid={"max_depth": [1, 3]},
        inner_cv=3,
        n_permutations=5,
    )
    assert found.candidates == 2
    assert "by the permuted classes too" in " ".join(str(found).split())


def test_plot_the_distribution_and_where_the_real_result_lies(permutation_test_case, rows):
    assert (
        "plot the distribution of the metric and where the real result lies"
        in permutation_test_case["statement"]
    )
    X, y = rows
    found = tm.permutation_test(KNeighborsClassifier(3), X, y, n_permutations=30)
    (panel,) = found.figure().panels
    bars = [mark for mark in panel.marks if isinstance(mark, Band)]
    assert sum((bar.high - bar.low)[::2].sum() for bar in bars) == pytest.approx(1)
    lines = [mark.x[0] for mark in panel.marks if isinstance(mark, Line)]
    assert lines[0] == pytest.approx(found.value)
