"""`permutation_test`: training classes permuted, learned, and judged by the real classes of other rows."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import (
    StratifiedKFold,
    StratifiedShuffleSplit,
    cross_val_score,
)
from sklearn.naive_bayes import GaussianNB

import tallymark as tm
from collected import agree
from permuting import scripted_test
from scored import classes, refusals
from scripted_models import Constant

ROWS = 36
Y = np.arange(ROWS) % 3 == 0
# The first column tells which row it is.
X = np.column_stack((np.arange(ROWS), np.random.default_rng(0).normal(size=(ROWS, 2))))
BAYES = GaussianNB()


class Spy(BaseEstimator):
    """Predicts the class of the k-th nearest row, and keeps what it learned and was asked."""

    fits, asked = [], []

    def __init__(self, k=1):
        self.k = k

    def fit(self, X, y):
        self.learned = np.asarray(X), np.asarray(y)
        Spy.fits.append((self.learned[0][:, 0].astype(int), self.learned[1]))
        return self

    def predict(self, X):
        Spy.asked.append(np.asarray(X)[:, 0].astype(int))
        return nearest(*self.learned, np.asarray(X), self.k)


def nearest(learned, classes, asked, k=1):
    apart = ((asked[:, None, 1:] - learned[None, :, 1:]) ** 2).sum(axis=2)
    return classes[apart.argsort(axis=1)[:, k - 1]]


def spied(X=X, y=Y, **options):
    """The result, the fits and the questions."""
    Spy.fits, Spy.asked = [], []
    return tm.permutation_test(Spy(), X, y, **options), Spy.fits, Spy.asked


def right(fits, asked, actual=None):
    """Of every fit the proportion of rows that are predicted right, by hand."""
    every = zip(fits, asked, actual or [Y] * len(fits), strict=True)
    return [np.mean(nearest(X[a], learned, X[b]) == known[b]) for (a, learned), b, known in every]


def test_training_classes_change_places_and_test_rows_keep_theirs():
    test, fits, asked = spied(n_permutations=8)
    train, tested = next(iter(tm.Holdout().split(X, Y)))
    assert len(fits) == len(asked) == 9
    assert all(np.array_equal(rows, train) for rows, _ in fits)
    assert all(np.array_equal(rows, tested) for rows in asked)
    assert np.array_equal(fits[0][1], Y[train])
    for _, learned in fits[1:]:
        assert not np.array_equal(learned, Y[train])
        assert Counter(learned.tolist()) == Counter(Y[train].tolist())
    by_hand = right(fits, asked)
    assert [test.value, *test.permuted] == pytest.approx(by_hand)
    b = sum(value >= by_hand[0] - 1e-12 for value in by_hand[1:])
    assert (test.at_least_as_good, test.p_value, test.place) == pytest.approx((b, (b + 1) / 9, 1 - b / 8))
    folds, fits, asked = spied(cv=tm.KFold(3), n_permutations=4)
    by_hand = np.reshape(right(fits, asked), (5, 3)).mean(axis=1)
    assert [folds.value, *folds.permuted] == pytest.approx(by_hand)
    assert (test.permute, test.exact, folds.permute, folds.exact) == ("training", True, "training", False)


def test_all_permutes_test_rows_as_well_and_cuts_anew():
    test, fits, asked = spied(cv=tm.KFold(3), n_permutations=4, permute="all")
    whole = [np.full(ROWS, -1) for _ in range(5)]
    for place, (rows, learned) in enumerate(fits):
        known = whole[place // 3]
        # Two folds that both learn a row learn the same class for it.
        assert (known[rows][known[rows] >= 0] == learned[known[rows] >= 0]).all()
        known[rows] = learned
    by_hand = right(fits, asked, [whole[place // 3] for place in range(15)])
    assert [test.value, *test.permuted] == pytest.approx(np.reshape(by_hand, (5, 3)).mean(axis=1))
    # 12 of 36 rows are of the rarer class: 4 in each of 3 folds, also of the permuted classes.
    assert {int(learned.sum()) for _, learned in fits} == {8}
    assert test.exact
    pairs = list(StratifiedKFold(3).split(X, Y))
    _, _, asked = spied(cv=pairs, n_permutations=2, permute="all")  # folds that are given stay
    assert [rows.tolist() for rows in asked] == [tested.tolist() for _, tested in pairs] * 3
    # Rows tested in several folds are permuted all, unless told otherwise.
    options = {"cv": "repeated:3", "n_permutations": 3}
    usual = tm.permutation_test(BAYES, X[:, 1:], Y, **options)
    told = tm.permutation_test(BAYES, X[:, 1:], Y, permute="training", **options)
    assert (usual.permute, usual.exact, len(usual.notes)) == ("all", True, 1)
    assert (told.permute, told.exact, len(told.notes)) == ("training", False, 0)
    # A row drawn twice has one class.
    _, fits, _ = spied(cv="bootstrap:1", n_permutations=3)
    for rows, learned in fits:
        assert len(set(rows.tolist())) < len(rows)
        assert len(set(zip(rows.tolist(), learned.tolist(), strict=True))) == len(set(rows.tolist()))


def test_the_real_value_is_that_of_cross_validation_and_the_majority_stands_beside():
    cv = StratifiedShuffleSplit(1, test_size=0.4, random_state=2)
    test = tm.permutation_test(BAYES, X, Y, cv=cv, n_permutations=1, metric="auc")
    assert test.value == pytest.approx(cross_val_score(BAYES, X, Y, cv=cv, scoring="roc_auc")[0])
    assert test.majority.value == 0.5
    train, tested = next(iter(tm.Holdout().split(X, Y)))
    dummy = DummyClassifier().fit(X[train], Y[train])
    for metric, expected in (("accuracy", dummy.score(X[tested], Y[tested])), ("precision", None)):
        found = tm.permutation_test(BAYES, X, Y, n_permutations=1, metric=metric)
        assert found.majority.value == (None if expected is None else pytest.approx(expected))
    # Of the rows left when one is left out the other class is the larger: the majority is that of all rows.
    halves = tm.permutation_test(BAYES, X, np.arange(ROWS) % 2, cv="loo", n_permutations=1)
    assert halves.majority.value == pytest.approx(0.5)


def test_p_counts_what_is_at_least_as_good():
    # Of ten test rows so many are right; None is a fit that fails.
    table = {
        "all worse": (8, [1, 2, 3, 4], {}, 1 / 5, 0),
        "one better": (8, [1, 2, 3, 9], {}, 2 / 5, 0),
        "a tie counts": (8, [1, 2, 3, 8], {}, 2 / 5, 1),
        "failed ones count": (8, [1, 2, None, None], {}, 3 / 5, 0),
        "all are as good": (8, [8, 9], {}, 1, 1),
        "lower is better": (8, [9, 8, 7, 1], {"metric": "error_rate"}, 3 / 5, 1),
        "losses": (8, [9, 7, 7], {"metric": "brier"}, 2 / 4, 0),
        # Means of 0.1, 0.2, 0.3 and of 0.3, 0.2, 0.1 differ in the last digit.
        "a tie but for rounding": ((3, 2, 1), [(1, 2, 3), (2, 2, 3)], {}, 3 / 3, 1),
    }
    assert np.mean([0.3, 0.2, 0.1]) != np.mean([0.1, 0.2, 0.3]), "the design needs rounding"
    every = {}
    for name, (real, permuted, options, p, ties) in table.items():
        test, failed = scripted_test(real, permuted, **options), permuted.count(None)
        found = (test.p_value, test.ties, test.failed, test.undefined, test.n_permutations)
        every[name] = (found, (pytest.approx(p), ties, failed, failed, len(permuted)))
    agree(every)
    # How far p is from that of all permutations.
    test = scripted_test(7, [7] * 3 + [5] * 17)
    assert test.p_error == pytest.approx(np.sqrt(4 / 21 * 17 / 21 / 20))
    ends = tm.interval(3, 20, method="clopper_pearson", confidence_level=0.9)
    assert (test.interval(0.9).p_low, test.interval(0.9).p_high) == (ends.low, ends.high)
    assert (test.mean, test.quantile(0.5), test.quantile(1)) == pytest.approx((0.53, 0.5, 0.7))
    assert test.deviation == pytest.approx(np.std([0.7] * 3 + [0.5] * 17, ddof=1))


def test_undefined_permutations_count_as_good():
    class Knows:
        """Right in all rows when the classes it learns are the real ones; else it says one class."""

        def fit(self, X, y):
            self.real = (X[:, 0] % 3 == 0).tolist() == y.tolist()

        def predict(self, X):
            return (X[:, 0] % 3 == 0) & self.real

    test = tm.permutation_test(Knows(), X, Y, n_permutations=7, metric="precision")
    assert (test.value, test.p_value, test.undefined, test.failed, test.mean) == (1.0, 1.0, 7, 0, None)
    assert np.isnan(test.permuted).all()
    assert test.to_dict()["permuted"]["values"] == [None] * 7
    assert len(test.notes) == 1


def dealt(X, y, groups, **options):
    """The result, and of every fit the class that each group has."""
    test, fits, _ = spied(X, y, groups=groups, **options)
    found = []
    for rows, learned in fits:
        pairs = set(zip(groups[rows].tolist(), learned.tolist(), strict=True))
        assert len(pairs) == len(set(groups[rows].tolist())), "a group is of two classes"
        found.append(dict(pairs))
    return test, found


def of_sizes(sizes, classes):
    """A group of every size, all its rows of one class."""
    groups = np.repeat(np.arange(len(sizes)), sizes)
    features = np.random.default_rng(1).normal(size=(len(groups), 2))
    return np.column_stack((np.arange(len(groups)), features)), np.array(classes)[groups], groups


def test_groups_of_one_class_change_it_with_groups_of_like_size():
    groups = np.arange(ROWS) // 4
    test, found = dealt(X, np.isin(groups, [0, 3, 4, 7]), groups, n_permutations=6)
    assert (test.among, test.exact, len(test.notes)) == ("groups", True, 1)
    assert len({tuple(each.values()) for each in found}) > 2
    # Strata by hand: of one size each, or up to 1.25 times as large as the smallest. The last is tested.
    alike = [1, 2, *[8] * 3, *[11] * 3, *[14] * 4, *[18] * 5, *[23] * 6, 40]
    designs = {
        "groups of the same size": ([2] * 6 + [5] * 6 + [9, 40], None, [0, 0, *[1, 0] * 6], True),
        "groups of similar size": ([1, 2, *range(8, 29), 40], alike, np.arange(24) % 2, False),
    }  # fmt: skip
    for among, (sizes, strata, of_groups, exact) in designs.items():
        features, y, groups = of_sizes(sizes, of_groups)
        rows, strata = np.arange(len(y)), np.array(strata or sizes)[:-1]
        cut = [(rows[:-40], rows[-40:])]
        test, found = dealt(features, y, groups, n_permutations=20, cv=cut, pos_label=1)
        assert (test.among, test.exact) == (among, exact)
        every = np.array([[each[group] for group in range(len(strata))] for each in found])
        # Every group has one class, and of groups that are alike as many are positive as before.
        assert len({tuple(np.bincount(strata, given).tolist()) for given in every}) == 1
        assert len({tuple(given.tolist()) for given in every}) > 12
        kept, alone = (every == every[0]).all(axis=0), np.bincount(strata)[strata] == 1
        assert kept.tolist() == alone.tolist()
    for options in ({}, {"cv": 3}, {"cv": 3, "permute": "all"}):
        test = tm.permutation_test(BAYES, features, y, groups=groups, n_permutations=1, **options)
        assert not test.exact, "groups of similar size make p approximate"


def test_groups_of_several_classes_exchange_within():
    groups = np.arange(ROWS) // 6
    test, ((rows, real), *others), _ = spied(groups=groups, n_permutations=6)
    assert (test.among, test.exact) == ("rows of a group", True)
    for _, learned in others:
        for group in set(groups[rows].tolist()):
            assert learned[groups[rows] == group].sum() == real[groups[rows] == group].sum()
    assert any((learned != real).any() for _, learned in others)


def test_ways_to_deal_the_classes_are_counted():
    """Fewer ways than permutations are told, the real one among them; the last rows are tested."""
    six, sized = np.arange(42) // 6, np.repeat(np.arange(8), [2, 2, 3, 3, 3, 1, 1, 9])
    fours = np.arange(16) // 4
    designs = {
        "groups: 3 of 6": (six % 2 == 0, six, 6, 20),
        "rows of a group: 4 x 4": (np.isin(np.arange(16), [0, 5, 13]), fours, 4, 16),
        "groups of the same size: 2 x 3 x 2": (np.isin(sized, [0, 2, 5]), sized, 9, 12),
        "rows: 2 of 8": (np.arange(10) % 8 < 2, None, 2, 28),
        "all rows: 3 of 7 groups": (six % 2 == 1, six, None, 35),
    }
    for name, (y, groups, tested, ways) in designs.items():
        rows = np.arange(len(y))
        options = {"X": rows[:, None], "y": y, "groups": groups, "pos_label": True, "cv": 3, "permute": "all"}
        if tested:
            options |= {"cv": [(rows[:-tested], rows[-tested:])], "permute": "training"}
        tests = [tm.permutation_test(Constant(), n_permutations=m, **options) for m in (ways, ways - 1)]
        (told,) = set(tests[0].notes) - set(tests[1].notes)
        assert str(ways) in told, name


def test_parameters_are_chosen_by_the_permuted_classes_of_training_rows_alone():
    test, fits, asked = spied(n_permutations=3, param_grid={"k": [1, 2]}, inner_cv=2)
    train, tested = next(iter(tm.Holdout().split(X, Y)))
    # For each of four orders of the classes: two candidates on two inner folds, and the winner.
    assert (len(fits), test.candidates) == (4 * 5, 2)
    values = []
    for order in range(4):
        *inner, (rows, learned) = fits[5 * order : 5 * order + 5]
        *questions, last = asked[5 * order : 5 * order + 5]
        known = dict(zip(rows.tolist(), learned.tolist(), strict=True))
        assert set(rows.tolist()) == set(train.tolist())
        assert np.array_equal(last, tested)
        means = []
        for (part, said), question in zip(inner, questions, strict=True):
            assert [known[row] for row in part.tolist()] == said.tolist()
            assert set(question.tolist()) <= set(train.tolist()) - set(part.tolist())
            answers = nearest(X[part], said, X[question], 1 + len(means) // 2)
            means.append(np.mean(answers == np.array([known[row] for row in question.tolist()])))
        best = 1 if sum(means[:2]) >= sum(means[2:]) - 1e-12 else 2
        values.append(np.mean(nearest(X[rows], learned, X[tested], best) == Y[tested]))
    assert [test.value, *test.permuted] == pytest.approx(values)
    # Inner folds are as many as groups allow.
    options = {"param_grid": {"k": [1, 2]}, "n_permutations": 1}
    groups = {count: np.arange(ROWS) * count // ROWS for count in (3, 4, 9, 36)}
    fits = {count: len(spied(groups=each, **options)[1]) for count, each in groups.items()}
    # Of 3 groups 2 are trained on, of 4 groups 3 or 2 ...; two candidates in each inner fold, and the winner.
    assert fits == {3: 2 * (2 * 2 + 1), 4: 2 * (2 * 3 + 1), 9: 2 * (2 * 5 + 1), 36: 2 * (2 * 5 + 1)}
    assert len(spied(groups=np.arange(ROWS) // 12, inner_cv=2, **options)[0].notes) == 1  # on groups alone


def test_what_cannot_be_tested(snapshot):
    class Broken(GaussianNB):
        def fit(self, X, y):  # noqa: ARG002
            raise ValueError("no luck today")

    class Cuts:
        """As many folds as rows of the class that the first row has."""

        def split(self, X, y, groups=None):  # noqa: ARG002
            same = np.flatnonzero(np.asarray(y) == np.asarray(y)[0])
            return [(np.setdiff1d(np.arange(len(y)), same[[k]]), same[[k]]) for k in range(len(same))]

    def call(model=BAYES, **options):
        return lambda: tm.permutation_test(model, X, Y, **{"n_permutations": 9, **options})

    three = {"groups": np.arange(ROWS) // 12, "param_grid": {"var_smoothing": [1e-9, 0.1]}}
    table = {
        "no permutation": (call(n_permutations=0), "OptionError"),
        "half a permutation": (call(n_permutations=9.5), "OptionError"),
        "a boolean": (call(n_permutations=True), "OptionError"),
        "permute": (call(permute="test"), "OptionError"),
        "two models": (call({"a": BAYES, "b": BAYES}), "OptionError"),
        "early_stop, a risk": (call(early_stop=0.001), "OptionError"),
        "early_stop, none": (call(early_stop=None), "OptionError"),
        "early_stop, 1": (call(early_stop=1), "OptionError"),
        "a model that fails": (call(Broken()), "InputError"),
        "undefined with the real classes": (call(cv="loo", metric="auc"), "InputError"),
        "another number of folds": (call(cv=Cuts(), permute="all"), "OptionError"),
        "more inner folds than groups": (call(inner_cv=5, **three), "OptionError"),
        "training rows of one group": (call(cv=[(np.r_[0:12], np.r_[12:ROWS])], **three), "OptionError"),
    }  # fmt: skip
    refused = refusals({name: each for name, (each, _) in table.items()})
    assert classes(refused) == {name: error for name, (_, error) in table.items()}
    snapshot("permute_errors", refused)
