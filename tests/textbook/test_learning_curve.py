"""The learning curve: accuracy against the size of the training sample, on both schedules."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

import tallymark as tm


@pytest.fixture(scope="module")
def rows():
    random = np.random.default_rng(4)
    y = random.integers(2, size=450)
    return random.normal(size=(450, 8)) + 0.6 * y[:, None], y


SCHEDULES = {
    # 2/3 of 450 rows are there to learn from.
    "arithmetic": ({"start": 50, "step": 50}, [50, 100, 150, 200, 250, 300]),
    "geometric": ({"start": 10, "factor": 2}, [10, 20, 40, 80, 160, 300]),
}


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_mean_and_deviation_at_each_size(learning_curve_case, rows, schedule):
    assert "an arithmetic or a geometric sampling schedule" in learning_curve_case["statement"]
    options, sizes = SCHEDULES[schedule]
    curve = tm.learning_curve(GaussianNB(), *rows, schedule=schedule, **options)
    assert curve.metric == "accuracy"
    assert curve.sizes.tolist() == sizes
    # One accuracy for each repeat and size; counted here once more by hand.
    X, y = rows
    by_hand = [
        (GaussianNB().fit(X[train], y[train]).predict(X[test]) == y[test]).mean()
        for train, test in curve.folds
    ]
    assert curve.values[:, -1] == pytest.approx(by_hand)
    assert curve.mean[-1] == pytest.approx(np.mean(by_hand))
    assert curve.deviation[-1] == pytest.approx(np.std(by_hand, ddof=1))
    for size in sizes:
        assert f"{curve.at(size).mean.value:.3f}" in str(curve)


def test_more_data_more_accuracy_and_less_deviation(learning_curve_case, rows):
    """The documents: a small sample biases the estimate and makes it vary; more data does so less."""
    curve = tm.learning_curve(GaussianNB(), *rows)
    assert curve.mean[-1] > curve.mean[0]
    assert curve.deviation[-1] < curve.deviation[0]
    # What was learned by heart from few rows is not there in others.
    assert curve.training[0] - curve.mean[0] > curve.training[-1] - curve.mean[-1] > 0
