"""Progressive sampling: the rule by hand, where it stops, and what it says it saved."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from tallymark.validation.learning.curve import learning_curve
from tallymark.validation.learning.progressive import doubling, last_gain


def rows(count, seed=0, apart=2.0):
    random = np.random.default_rng(seed)
    y = random.integers(2, size=count)
    return random.normal(size=(count, 3)) + apart * y[:, None], y


def test_the_last_doubling_is_from_half_the_rows_or_fewer():
    assert doubling([10, 20, 40]) == 1
    assert doubling([10, 20, 41]) == 1
    assert doubling([83, 167, 334, 667]) == 2  # halves, rounded
    assert doubling([100, 200, 300, 400, 500]) == 1
    assert doubling([30, 50]) is None
    assert doubling([30]) is None


def test_the_bound_is_paired_one_sided_and_corrected():
    before = np.array([0.70, 0.72, 0.68, 0.71])
    after = np.array([0.72, 0.73, 0.71, 0.73])
    found = last_gain([50, 100], np.column_stack((before, after)), test_by_train=0.5, level=0.95)
    gains = after - before  # 0.02, 0.01, 0.03, 0.02: mean 0.02, variance 0.0002 / 3
    se = math.sqrt(0.0002 / 3 * (1 / 4 + 0.2 * 0.5))
    assert found.value == pytest.approx(0.02) == pytest.approx(gains.mean())
    assert found.upper == pytest.approx(0.02 + stats.t.ppf(0.95, 3) * se)
    assert (found.before, found.after) == (50, 100)


def test_repeats_without_a_value_are_left_out():
    values = np.array([[0.5, 0.6], [np.nan, 0.9], [0.5, 0.7]])
    assert last_gain([1, 2], values, 0.5, 0.95).value == pytest.approx(0.15)
    assert last_gain([1, 2], values[:2], 0.5, 0.95) is None


def test_it_stops_at_the_first_size_whose_last_doubling_no_longer_pays():
    X, y = rows(600)
    whole = learning_curve(GaussianNB(), X, y)
    found = learning_curve(GaussianNB(), X, y, progressive=True, tolerance=0.02)
    sizes, values = whole.sizes.tolist(), whole.values

    def pays(place):
        gain = last_gain(sizes[: place + 1], values[:, : place + 1], 0.5, 0.95)
        return gain is None or gain.upper >= 0.02

    first = next(place for place in range(len(sizes)) if not pays(place))
    assert first < len(sizes) - 1
    assert found.sizes.tolist() == sizes[: first + 1]
    assert found.stopped.size == sizes[first]
    assert found.stopped.whole == 400
    left = sizes[first + 1 :]
    assert found.stopped.left_out == tuple(left)
    assert found.stopped.fits == 10 * len(left)
    assert found.stopped.rows == pytest.approx(sum(left) / sum(sizes))
    assert found.fits == 10 * (first + 1)


def test_it_goes_on_as_long_as_it_pays_for_one_of_the_models():
    X, y = rows(300)
    models = {"bayes": GaussianNB(), "tree": DecisionTreeClassifier()}
    one = learning_curve(GaussianNB(), X, y, progressive=True, tolerance=0.04)
    both = learning_curve(models, X, y, progressive=True, tolerance=0.04)
    assert one.stopped.early
    assert set(both.stopped.gains) == set(models)
    assert both.stopped.size >= one.stopped.size
    assert len({len(model.sizes) for model in both.models.values()}) == 1


def test_what_is_said():
    X, y = rows(600)
    early = learning_curve(GaussianNB(), X, y, progressive=True, tolerance=0.02)
    text = " ".join(str(early).split())
    assert f"Stopped at {early.stopped.size} of 400 training rows, because more no longer pay: from" in text
    assert f"saves {early.stopped.fits} fits and {early.stopped.rows * 100:.0f} % of all rows" in text
    assert "At each size it is wrong with a probability of about 5 %" in text
    late = learning_curve(GaussianNB(), X, y, progressive=True, tolerance=1e-9, n_repeats=2)
    assert not late.stopped.early
    assert "All sizes were run, up to the whole 400 training rows" in " ".join(str(late).split())
    short = learning_curve(GaussianNB(), X, y, schedule=[300], progressive=True, n_repeats=2)
    assert "no size is half of another" in " ".join(str(short).split())


def test_lower_is_better_for_an_error():
    X, y = rows(600)
    accuracy = learning_curve(GaussianNB(), X, y, progressive=True, tolerance=0.02)
    error = learning_curve(GaussianNB(), X, y, progressive=True, tolerance=0.02, metric="error_rate")
    assert error.stopped.size == accuracy.stopped.size
    assert error.stopped.gains["GaussianNB"].upper == pytest.approx(
        accuracy.stopped.gains["GaussianNB"].upper
    )
