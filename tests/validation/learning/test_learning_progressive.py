"""Progressive sampling: the rule by hand, where it stops, and what it says it saved."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from tallymark.validation.learning.curve import learning_curve
from tallymark.validation.learning.progressive import Rule, doubling, last_gain


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
    se = math.sqrt(0.0002 / 3 * (1 / 4 + 0.5))
    assert found.value == pytest.approx(0.02) == pytest.approx(gains.mean())
    assert found.upper == pytest.approx(0.02 + stats.t.ppf(0.95, 3) * se)
    assert (found.before, found.after) == (50, 100)


def test_repeats_without_a_value_are_left_out():
    values = np.array([[0.5, 0.6], [np.nan, 0.9], [0.5, 0.7]])
    assert last_gain([1, 2], values, 0.5, 0.95).value == pytest.approx(0.15)
    assert last_gain([1, 2], values[:2], 0.5, 0.95) is None


@pytest.mark.parametrize("gain", [0.0, 0.1], ids=["flat", "steep"])
def test_what_all_repeats_gain_alike_bounds_nothing(gain):
    before = np.array([0.7, 0.6, 0.9, 0.3])
    found = last_gain([50, 100], np.column_stack((before, before + gain)), 0.5, 0.95)
    assert found.value == pytest.approx(gain)
    assert found.upper is None


# --- the rule ----------------------------------------------------------------------------------------

SMALL = np.array([0.001, 0.002, 0.003, 0.002])
"""With the upper bound 0.002 + 2.353 * 0.000816 * sqrt(1/4 + 1/2) = 0.0037."""
LARGE = SMALL + 0.05


def says_stop(*gains, sizes=(25, 50, 100), start=0.8, baseline=0.5, tolerance=0.005):
    values = np.column_stack([np.full(4, start) + sum(gains[:place]) for place in range(len(gains) + 1)])
    return Rule(tolerance, 0.95, 0.5, baseline).says_stop(list(sizes), values)


def test_the_last_two_doublings_must_both_be_small():
    assert says_stop(SMALL, SMALL)
    assert not says_stop(LARGE, SMALL)
    assert not says_stop(SMALL, LARGE)
    assert not says_stop(SMALL, sizes=(50, 100))
    assert says_stop(LARGE, SMALL, SMALL, sizes=(25, 50, 100, 200))
    assert not says_stop(SMALL, SMALL, tolerance=0.0036)
    assert says_stop(SMALL, SMALL, tolerance=0.0038)


def test_of_even_sizes_the_doublings_do_not_overlap():
    # 50 to 100, and 25 to 50: what 75 rows are like does not matter.
    sizes = (25, 50, 75, 100)
    assert says_stop(SMALL, LARGE, SMALL - LARGE, sizes=sizes)
    assert not says_stop(LARGE, SMALL - SMALL[::-1], SMALL, sizes=sizes)


def test_a_doubling_without_a_bound_does_not_stop_it():
    assert not says_stop(SMALL, np.zeros(4))
    assert not says_stop(np.zeros(4), SMALL)


def test_it_goes_on_while_a_model_is_no_better_than_the_baseline():
    # At the last size the mean is 0.804.
    assert not says_stop(SMALL, SMALL, baseline=0.804)
    assert not says_stop(SMALL, SMALL, baseline=0.8)
    assert says_stop(SMALL, SMALL, baseline=0.79)
    assert says_stop(SMALL, SMALL, baseline=None)


class Late(ClassifierMixin, BaseEstimator):
    """Answers 0 until it has enough rows, then knows ever more of the others; by luck a few are odd."""

    def __init__(self, needs=250, odd=0.0):
        self.needs = needs
        self.odd = odd

    def fit(self, X, _):
        self.classes_ = np.array([0, 1])
        self.odd_ = self.odd * X[-1, 1]  # another row at each size
        self.known_ = 0.1 * np.log2(len(X) / self.needs) if len(X) > self.needs else 0.0
        return self

    def predict(self, X):
        known = (X[:, 0] == 1) & (X[:, 1] < self.known_)
        return np.where(known | (X[:, 1] > 1 - self.odd_), 1, 0)


@pytest.mark.parametrize("odd", [0.0, 0.004], ids=["one answer", "nearly"])
def test_a_model_that_is_flat_at_first_and_rises_later_is_not_stopped_while_it_is_flat(odd):
    random = np.random.default_rng(2)
    y = (np.arange(3_000) % 10 == 0).astype(int)
    X = np.column_stack((y, random.random(3_000)))
    found = learning_curve(Late(odd=odd), X, y, progressive=True)
    # 8, 16, 31, 63, 125, 250, 500, 1,000 and 2,000 rows; up to 250 it answers 0, or nearly always does.
    assert found.stopped.size == 2_000
    assert not found.stopped.early
    assert found.mean[-1] - found.mean[0] > 0.02
    if not odd:
        flat = learning_curve(Late(needs=10_000), X, y, progressive=True)
        said = "from 1,000 to 2,000 rows 0, the same in every repeat, which bounds nothing"
        assert said in " ".join(str(flat).split()).replace("0.000", "0")
        assert flat.to_dict()["progressive"]["gains"]["Late"]["upper"] is None


def test_it_stops_at_the_first_size_whose_last_two_doublings_no_longer_pay():
    X, y = rows(600)
    whole = learning_curve(GaussianNB(), X, y)
    found = learning_curve(GaussianNB(), X, y, progressive=True, tolerance=0.02)
    sizes, values = whole.sizes.tolist(), whole.values
    assert sizes == [13, 25, 50, 100, 200, 400]  # each the double of the one before

    def pays(place):
        gains = values[:, place] - values[:, place - 1]
        half = stats.t.ppf(0.95, 9) * gains.std(ddof=1) * math.sqrt(1 / 10 + 200 / 400)
        return gains.mean() + half >= 0.02

    first = next(place for place in range(2, 6) if not pays(place) and not pays(place - 1))
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
    assert "each of the last two doublings of the rows gained less than 0.020 accuracy by its upper" in text
    assert "A later jump of the curve would go unseen." in text
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
