"""`learning_curve`: sizes, subsets, the numbers of scikit-learn, failures, and what users ask of it."""

from __future__ import annotations

import math
import warnings
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from sklearn.model_selection import KFold, ShuffleSplit
from sklearn.model_selection import learning_curve as sklearn_learning_curve
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import tallymark as tm
from collected import agree
from learning import curve_of
from scored import classes, refusals
from scripted_models import Constant, Spy, spied

ROWS = np.arange(150)
RANDOM = np.random.default_rng(0)
Y = RANDOM.integers(2, size=150)
X = RANDOM.normal(size=(150, 4)) + Y[:, None]
BAYES = GaussianNB()


def learned(y, groups=None, models=None, **options):
    """The curve, and of every fit the rows it learned, by their places, and those it was asked first."""
    rows = np.arange(len(y))[:, None]
    found, fits = spied(lambda: tm.learning_curve(models or Spy(), rows, y, groups=groups, **options))
    return found, [(rows, asked[0]) for _, rows, _, asked in fits]


def sizes(whole, schedule="geometric", labels=2, **options):
    """Sizes for a training part of so many rows, which classes take in turn."""
    y = np.arange(whole + 4 * labels) % labels
    cut = [(np.arange(whole), np.arange(whole, len(y)))]
    return tm.learning_curve(Constant(), np.zeros((len(y), 1)), y, cv=cut, schedule=schedule, **options)


def test_schedules_by_hand():
    """Provost, Jensen and Oates (1999): n0, a n0, a^2 n0, ...; John and Langley (1996): n0, n0 + d, ..."""
    powers = [100, 200, 400, 800, 1600, 3200, 6400, 10_000]
    table = [
        ((10_000,), {"start": 100}, powers),
        ((1000,), {"start": 10, "factor": 3}, [10, 30, 90, 270, 810, 1000]),
        # 10 * 1.5 = 15, 22.5 -> 23, 33.75 -> 34.
        ((40,), {"start": 10, "factor": 1.5}, [10, 15, 23, 34, 40]),
        ((90,), {"start": 0.1, "factor": 3}, [9, 27, 81, 90]),
        ((1000, "arithmetic"), {"start": 100, "step": 200}, [100, 300, 500, 700, 900, 1000]),
        ((500, "arithmetic"), {"start": 100}, [100, 200, 300, 400, 500]),
        ((100, "arithmetic"), {"step": 30}, [30, 60, 90, 100]),
        ((1000, "arithmetic"), {"n_sizes": 5}, [200, 400, 600, 800, 1000]),
        ((1000, "arithmetic"), {"n_sizes": 4, "start": 100}, [100, 400, 700, 1000]),
        ((1000, "arithmetic"), {"n_sizes": 4, "step": 100}, [700, 800, 900, 1000]),
        ((1000,), {"n_sizes": 4}, [125, 250, 500, 1000]),
        ((1000,), {"n_sizes": 2}, [500, 1000]),
        ((1000,), {"n_sizes": 4, "start": 2}, [2, 16, 126, 1000]),
        # 667, 333.5, 166.75, 83.4, 41.7, 20.8, 10.4; the next has fewer than 4 rows for each of two classes.
        ((667,), {}, [10, 21, 42, 83, 167, 334, 667]),
        ((100, "geometric", 3), {}, [13, 25, 50, 100]),
        ((50, "arithmetic"), {}, [*range(5, 51, 5)]),
        ((1000, [400, 100, 100]), {}, [100, 400, 1000]),
        ((1000, [0.1, 0.25, 1.0]), {}, [100, 250, 1000]),
        ((1000, np.array([0.1, 1.0])), {}, [100, 1000]),
        ((30, np.array([10, 20])), {}, [10, 20, 30]),
    ]
    every = {}
    for arguments, options, expected in table:
        found = sizes(*arguments, **options)
        added = np.ravel(arguments[1:]).tolist() in ([400, 100, 100], [10, 20])
        every[f"{arguments} {options}"] = ((found.sizes.tolist(), len(found.notes)), (expected, added))
    agree(every)
    assert len(sizes(20_480).sizes) == 10, "no more than ten halvings"


def test_sizes_too_small_for_a_second_class_are_raised_and_those_too_large_left_out():
    y = np.r_[np.arange(100) % 10 == 0, True, False].astype(int)
    options = {"cv": [(np.arange(100), np.arange(100, 102))], "random_state": 0}
    found, fits = learned(y, schedule=[2, 3, 50], **options)
    least = found.sizes[0]
    assert least in (5, 6)  # half a row is due after five, and the row comes then or next
    assert (found.sizes.tolist(), found.failed, len(found.notes)) == ([least, 50, 100], 0, 2)
    assert len(set(y[fits[0][0]])) == 2
    assert set(y[fits[0][0][:-1]]) == {0}
    raised, _ = learned(y, schedule="geometric", start=2, factor=4, **options)
    assert (raised.sizes.tolist(), len(raised.notes)) == ([least, 8, 32, 100], 1)
    # What nobody asked for is not made, so nothing is raised.
    rare = np.r_[np.arange(100) % 50 == 0, True, False].astype(int)
    usual, _ = learned(rare, **options)
    assert usual.sizes.tolist() == [s for s in (13, 25, 50, 100) if s >= usual.sizes[0]]
    assert usual.sizes[0] >= 25
    assert usual.notes == ()
    # Left out one at a time, 90 and three times 120 rows are there to train on: 112.5 on average.
    unequal = np.repeat([0, 1, 2, 3], [60, 30, 30, 30])
    for schedule, expected in (([70, 80, 95, 100], [70, 80, 112]), ([70, 89, 90], [70, 89, 112])):
        found, _ = learned(ROWS % 2, unequal, cv="group", schedule=schedule)
        assert found.sizes.tolist() == expected
        assert len(found.notes) == 2  # of the sizes, and that the whole was added
    # 152 rows in 5 folds: training parts of 121 and of 122 rows, each of which is learned whole.
    found, fits = learned(np.arange(152) % 2, cv=KFold(5), schedule="arithmetic", n_sizes=3)
    assert found.sizes.tolist() == [41, 81, 122]
    assert [len(rows) for rows, _ in fits[-5:]] == [121, 121, 122, 122, 122]
    assert (found.at(122).n_train, found.at(41).n_train) == (pytest.approx(152 * 4 / 5), 41)


def test_subsets_are_nested_and_the_same_for_all_models():
    models = {"a": Spy(0), "b": Spy(1)}
    _, fits = learned(Y, models=models, schedule=[10, 30, 60], n_repeats=3)
    assert [len(rows) for rows, _ in fits] == [size for size in (10, 30, 60, 100) for _ in range(6)]
    for place in range(0, 24, 6):
        assert fits[place : place + 3] == fits[place + 3 : place + 6]
    for small, large in pairwise(range(0, 24, 6)):
        for repeat in range(3):
            assert set(fits[small + repeat][0]) < set(fits[large + repeat][0])
            assert fits[small + repeat][1] == fits[large + repeat][1]
    assert not any(set(rows) & set(tested) for rows, tested in fits)


@given(st.lists(st.integers(2, 40), min_size=2, max_size=7), st.integers(0, 5))
def test_every_beginning_has_the_class_shares_to_within_one_row(counts, seed):
    y = np.random.default_rng(seed).permutation(np.repeat(np.arange(len(counts)), counts))
    both = np.append(y, np.arange(len(counts)))
    cut = [(np.arange(len(y)), np.arange(len(y), len(both)))]
    _, fits = learned(both, cv=cut, schedule=[len(y) - 1, len(y)], random_state=seed)
    order = np.array(fits[-1][0])
    assert sorted(order) == list(range(len(y)))
    so_far = np.cumsum(y[order][:, None] == np.arange(len(counts)), axis=0)
    fair = np.arange(1, len(y) + 1)[:, None] * np.array(counts) / len(y)
    assert np.abs(so_far - fair).max() < 1
    assert fits[0][0] == order[: len(fits[0][0])].tolist()


@given(st.lists(st.integers(0, 7), min_size=8, max_size=40), st.integers(0, 5))
def test_with_groups_subsets_have_whole_groups_nearest_to_their_size(kinds, seed):
    groups = np.r_[kinds, 8, 8, 9, 9, 10, 10]
    count = len(groups) - 2
    y = np.arange(len(groups)) % 2  # two groups and the test rows are sure to have both classes
    cut = [(np.arange(count), np.arange(count, len(groups)))]
    found, fits = learned(y, groups, cv=cut, schedule=[*range(1, count + 1)], random_state=seed)
    every = [0, *(len(rows) for rows, _ in fits)]
    for size, (rows, _) in zip(found.sizes.tolist(), fits, strict=True):
        inside = np.isin(groups[:count], groups[rows])
        assert inside.sum() == len(rows)
        assert abs(len(rows) - size) == min(abs(end - size) for end in every[1:])
    assert [point.n_train for point in next(iter(found.models.values())).points] == every[1:]


def test_rows_drawn_often_and_missing_classes():
    drawn = np.array([3, 3, 0, 1, 1, 1])  # rows of a bootstrap stay as often as drawn
    _, fits = learned(np.array([0, 1, 0, 0, 0, 1]), cv=[(drawn, np.array([4, 5]))], schedule=[4])
    assert sorted(fits[-1][0]) == sorted(drawn)
    rare = np.repeat([0, 1, 2], [60, 60, 3])
    found = tm.learning_curve(Constant(), np.zeros((123, 1)), rare, schedule=[6, 60], n_repeats=2)
    assert len(found.notes) == 2  # the whole was added; some classes are not in subsets of 6 rows


def test_equal_to_scikit_learn_on_the_same_subsets():
    cv, wrong = ShuffleSplit(3, test_size=0.3, random_state=3), []
    _, fits = learned(Y, schedule=[20, 40, 80], cv=cv)
    # Without shuffling it takes the first rows of what it is given, so it gets our order.
    whole = [(np.array(rows), np.array(tested)) for rows, tested in fits[-3:]]
    for scoring, name in (("accuracy", "accuracy"), ("roc_auc", "auc"), ("neg_log_loss", "log_loss")):
        found = tm.learning_curve(BAYES, X, Y, schedule=[20, 40, 80], cv=cv, metric=name)
        at, training, test = sklearn_learning_curve(
            BAYES, X, Y, train_sizes=[20, 40, 80, 105], cv=whole, scoring=scoring
        )
        sign = -1 if scoring.startswith("neg_") else 1
        pairs = [
            (found.sizes, at), (found.values, sign * test.T), (found.mean, sign * test.mean(axis=1)),
            (found.deviation, test.std(axis=1, ddof=1)), (found.training, sign * training.mean(axis=1)),
        ]  # fmt: skip
        wrong += [(name, k) for k, pair in enumerate(pairs) if not np.allclose(*pair, rtol=1e-9, atol=0)]
    assert not wrong


def test_the_interval_is_nadeau_and_bengios_and_the_baseline_the_largest_class():
    values = {100: [0.6, 0.62, 0.7, 0.66], 200: [0.8, 0.74, 0.78, 0.82], 400: [0.9, 0.9, 0.9, 0.9]}
    found = curve_of(values, share=0.3, confidence_level=0.9)
    for place, row in enumerate(list(values.values())[:2]):
        half = stats.t.ppf(0.95, 3) * np.std(row, ddof=1) * math.sqrt(1 / 4 + 200 / 400)
        expected = (np.mean(row), np.mean(row) - half, np.mean(row) + half)
        assert (found.mean[place], found.low[place], found.high[place]) == pytest.approx(expected)
        assert found.deviation[place] == pytest.approx(np.std(row, ddof=1))
    assert (found.at(400).deviation, np.isnan(found.low[2])) == (0, True)
    # Class 0 and 1 are half of the training part each, and class 0 is 70 % of the others.
    assert found.baseline.value == pytest.approx(0.7)
    noise = curve_of({100: [0.3, 0.1 + 0.2, 0.3], 200: [0.3] * 3})
    assert noise.at(100).deviation == 0
    assert (found.fits, found.failed, len(found.folds), found.metric) == (12, 0, 4, "accuracy")


def test_other_sizes_and_models_change_nothing():
    tree = DecisionTreeClassifier(max_features=1)  # its chance is left to the run
    both = tm.learning_curve({"tree": tree, "bayes": BAYES}, X, Y, schedule=[20, 40], n_repeats=2)
    alone = tm.learning_curve(tree, X, Y, schedule=[40], n_repeats=2)
    assert alone.at(40).values == both.models["tree"].at(40).values
    assert alone.fingerprint == both.fingerprint


def test_failed_fits_and_undefined_values_are_counted_and_not_averaged():
    found = curve_of({100: [None, None], 200: [0.8, None], 400: [0.9, 0.8]})
    assert (found.failed, found.fits, bool(found.failure)) == (3, 6, True)
    assert [found.at(size).undefined for size in found.sizes] == [2, 1, 0]
    assert np.isnan(found.mean).tolist() == [True, False, False]
    assert (found.mean[1], found.at(100).deviation) == (0.8, None)
    assert found.at(100).mean.why
    # A model that always says 0 has no precision.
    never = tm.learning_curve(Constant(), X, Y, metric="precision", n_repeats=2)
    assert np.isnan(never.mean).all()
    assert (never.at(100).undefined, never.extrapolate(200).value) == (2, None)

    # Warnings are counted.
    class Warns(Constant):
        def fit(self, X, y):
            warnings.warn("about this", UserWarning, stacklevel=1)
            return super().fit(X, y)

    (note,) = tm.learning_curve(Warns(), X, Y, schedule=[50, 100], n_repeats=3).notes
    assert "6 of 6" in note


def test_frames_costs_samplers_and_labels():
    frame = pd.DataFrame(X, columns=list("abcd")).assign(y=Y)
    found = tm.learning_curve("bayes", frame, target="y", n_repeats=2, schedule=[50])
    assert (type(found.to_frame()), list(found.models)) == (pd.DataFrame, ["bayes"])
    words = np.where(Y == 1, "yes", "no")
    costs = {"yes": {"no": 5}, "no": {"yes": 1}}
    cut = [(ROWS[:100], ROWS[100:])]
    cost = tm.learning_curve(BAYES, X, words, metric="mean_cost", costs=costs, schedule=[50], cv=cut)
    said = BAYES.fit(X[:100], words[:100]).predict(X[100:])
    missed, alarms = ((said != words[100:]) & (words[100:] == word) for word in ("yes", "no"))
    assert cost.mean[-1] == pytest.approx((5 * missed.sum() + alarms.sum()) / 50)

    class Doubling:
        def fit_resample(self, X, y):
            return np.vstack((X, X)), np.append(y, y)

    found, fits = learned(Y, sampler=Doubling(), schedule=[50], n_repeats=2)
    assert found.at(50).n_train == 50
    assert [(len(rows), len(set(rows))) for rows, _ in fits] == [(100, 50)] * 2 + [(200, 100)] * 2


def test_what_cannot_be_drawn_is_refused_before_any_fit(snapshot):
    def call(**options):
        return lambda: tm.learning_curve(Constant("fails"), X, Y, **options)

    def rows(schedule="geometric", **options):
        return lambda: sizes(1000, schedule, **options)

    unequal, one_large = (np.repeat(range(4), each) for each in ([60, 30, 30, 30], [100, 20, 15, 15]))
    several = tm.learning_curve({"a": Constant(), "b": Constant(1)}, X, Y, schedule=[50], n_repeats=2)
    calls = {
        "a misspelled schedule": rows("geometrical"), "too large": rows([10, 5000]),
        "half a row": rows([10.5, 20]), "no sizes": rows([]), "none": rows(None),
        "a boolean as a size": rows([True, 20]), "factor one": rows(factor=1),
        "factor nan": rows(factor=float("nan")), "no rows": rows([0, 20]), "words": rows(["a"]),
        "sizes and a factor": rows([10, 20], factor=2), "step of geometric": rows(step=5),
        "factor of arithmetic": rows("arithmetic", factor=3), "repeats and cv": call(n_repeats=3, cv=5),
        "one size": rows(n_sizes=1), "1,001 sizes": rows(n_sizes=1001),
        "no room": rows(start=1000), "a start with a fraction": rows(start=1.5),
        "all three": rows(start=10, factor=2, n_sizes=3),
        "all of steps": rows("arithmetic", start=10, step=2, n_sizes=3),
        "too long": rows("arithmetic", step=400, n_sizes=4), "tiny factor": rows(start=1, factor=1.0001),
        "tiny step": lambda: sizes(3000, "arithmetic", start=1, step=1),
        "unequal parts": call(groups=unequal, cv="group", schedule=[95, 100]),
        "one large group": call(groups=one_large, cv="group", schedule=[20, 30]),
        "the whole alone": call(schedule=[1.0]), "no direction": call(metric="prevalence", progressive=True),
        "level": call(progressive=True, confidence_level=0.4),
        "tolerance": call(tolerance=0), "size and cv": call(cv=5, test_size=0.5),
        "every fit fails": call(schedule=[50], n_repeats=3), "of which model": lambda: several.mean,
        "a size that was not run": lambda: several.models["a"].at(7),
        "no more rows": lambda: several.models["a"].gain(100),
    }  # fmt: skip
    refused = refusals(calls)
    assert classes(refused) == dict.fromkeys(calls, "OptionError") | {"every fit fails": "InputError"}
    snapshot("learn_errors", refused)
