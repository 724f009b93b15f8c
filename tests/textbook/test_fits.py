"""The learning curve and the permutation test of the sources, done by hand beside ours."""

from typing import ClassVar

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

import tallymark as tm

# --- accuracy against the size of the training sample  # learning-curve


def rows_to_learn():
    random = np.random.default_rng(4)
    y = random.integers(2, size=450)
    return random.normal(size=(450, 8)) + 0.6 * y[:, None], y


@pytest.mark.parametrize(
    ("schedule", "options", "sizes"),
    [
        # 2/3 of 450 rows are there to learn from.
        ("arithmetic", {"start": 50, "step": 50}, [50, 100, 150, 200, 250, 300]),
        ("geometric", {"start": 10, "factor": 2}, [10, 20, 40, 80, 160, 300]),
    ],
)
def test_mean_and_deviation_at_each_size(schedule, options, sizes):
    X, y = rows_to_learn()
    curve = tm.learning_curve(GaussianNB(), X, y, schedule=schedule, **options)
    assert curve.metric == "accuracy"
    assert curve.sizes.tolist() == sizes
    # One accuracy for each repeat and size; counted here once more by hand.
    by_hand = [
        (GaussianNB().fit(X[train], y[train]).predict(X[test]) == y[test]).mean()
        for train, test in curve.folds
    ]
    assert curve.values[:, -1] == pytest.approx(by_hand)
    assert curve.mean[-1] == pytest.approx(np.mean(by_hand))
    assert curve.deviation[-1] == pytest.approx(np.std(by_hand, ddof=1))
    if schedule == "geometric":
        # A small sample biases the estimate and makes it vary; more data does so less.
        assert curve.mean[-1] > curve.mean[0]
        assert curve.deviation[-1] < curve.deviation[0]
        # What was learned by heart from few rows is not there in others.
        assert curve.training[0] - curve.mean[0] > curve.training[-1] - curve.mean[-1] > 0


# --- permute the classes of the train and tune sets, train, evaluate on the rest  # permutation-test


class Recording(KNeighborsClassifier):
    """One nearest neighbour that keeps the classes it was trained with."""

    seen: ClassVar = []

    def __init__(self):
        super().__init__(n_neighbors=1)

    def fit(self, X, y):
        Recording.seen.append(np.array(y))
        return super().fit(X, y)


def rows_to_permute():
    rng = np.random.default_rng(1)
    y = np.arange(45) % 3
    return rng.normal(size=(45, 2)) + 0.8 * y[:, None], y


def test_permute_train_and_evaluate_on_the_unpermuted_test_set():
    X, y = rows_to_permute()
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
    # The distribution of the metric is plotted, and where the real result lies.
    assert found.value in [line.get_xdata()[0] for line in found.plot().get_lines()]


def test_tuning_happens_on_permuted_labels_too():
    model, grid = DecisionTreeClassifier(random_state=0), {"max_depth": [1, 3]}
    found = tm.permutation_test(model, *rows_to_permute(), param_grid=grid, inner_cv=3, n_permutations=5)
    assert found.candidates == 2
    assert len(found.permuted) == 5
