"""`permutation_test`: training classes permuted, learned, and judged by the real classes of other rows."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from math import comb
from typing import ClassVar, get_type_hints

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.metrics import accuracy_score
from sklearn.model_selection import (
    StratifiedKFold,
    StratifiedShuffleSplit,
    cross_val_score,
    permutation_test_score,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

import tallymark as tm
from tallymark.errors import InputError, OptionError
from tallymark.resampling import Bootstrap, Holdout, KFold
from tallymark.resampling.folds import folds_from_pairs
from tallymark.validation.data.data_set import data_set
from tallymark.validation.permutation.exchange import Exchange, exchange_of
from tallymark.validation.permutation.means import ahead, p_value

ROWS = 36
Y = np.arange(ROWS) % 3 == 0
# The first column tells which row it is.
X = np.column_stack((np.arange(ROWS), np.random.default_rng(0).normal(size=(ROWS, 2))))


class Spy:
    """Answers with the class of the nearest row, and keeps what it was told."""

    fits: ClassVar = []
    asked: ClassVar = []

    def __init__(self, k=1):
        self.k = k

    def get_params(self, deep=True):  # noqa: ARG002
        return {"k": self.k}

    def set_params(self, k):
        self.k = k
        return self

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


@pytest.fixture
def spied():
    """Run a test with a spy; gives back the result, what was learned and what was asked."""

    def call(*arguments, **options):
        Spy.fits, Spy.asked = [], []
        return tm.permutation_test(Spy(), *arguments, **options), list(Spy.fits), list(Spy.asked)

    return call


# --- what is permuted ----------------------------------------------------------------------------


def test_training_classes_change_places_and_test_rows_keep_theirs(spied):
    test, fits, asked = spied(X, Y, n_permutations=8)
    train, tested = next(iter(Holdout().split(X, Y)))
    assert len(fits) == len(asked) == 9
    assert all(np.array_equal(rows, train) for rows, _ in fits)
    assert all(np.array_equal(rows, tested) for rows in asked)
    assert np.array_equal(fits[0][1], Y[train])
    for _, classes in fits[1:]:
        assert not np.array_equal(classes, Y[train])
        assert Counter(classes.tolist()) == Counter(Y[train].tolist())
    by_hand = [accuracy_score(Y[tested], nearest(X[train], classes, X[tested])) for _, classes in fits]
    assert test.value == pytest.approx(by_hand[0])
    assert test.permuted == pytest.approx(by_hand[1:])
    b = sum(value >= by_hand[0] - 1e-12 for value in by_hand[1:])
    assert test.at_least_as_good == b
    assert test.p_value == pytest.approx((b + 1) / 9)
    assert test.place == pytest.approx(1 - b / 8)


def test_of_folds_the_mean_is_taken(spied):
    test, fits, asked = spied(X, Y, cv=KFold(3), n_permutations=4)
    assert len(fits) == 15
    right = [
        np.mean(nearest(X[rows], classes, X[tested]) == Y[tested])
        for (rows, classes), tested in zip(fits, asked, strict=True)
    ]
    assert [test.value, *test.permuted] == pytest.approx(np.mean(np.reshape(right, (5, 3)), axis=1))
    assert test.permute == "training"
    assert not test.exact


def test_all_permutes_test_rows_as_well_and_cuts_anew(spied):
    test, fits, asked = spied(X, Y, cv=KFold(3), n_permutations=4, permute="all")
    whole = [np.full(ROWS, -1) for _ in range(5)]
    for place, (rows, classes) in enumerate(fits):
        known = whole[place // 3]
        # Two folds that both learn a row learn the same class for it.
        assert np.isin(known[rows][known[rows] >= 0] - classes[known[rows] >= 0], 0).all()
        known[rows] = classes
    right = [
        np.mean(nearest(X[rows], classes, X[tested]) == whole[place // 3][tested])
        for place, ((rows, classes), tested) in enumerate(zip(fits, asked, strict=True))
    ]
    assert [test.value, *test.permuted] == pytest.approx(np.mean(np.reshape(right, (5, 3)), axis=1))
    # 12 of 36 rows are of the rarer class: 4 in each of 3 folds, also of the permuted classes.
    assert {int(classes.sum()) for _, classes in fits} == {8}
    assert test.exact


def test_folds_that_are_given_stay(spied):
    pairs = list(StratifiedKFold(3).split(X, Y))
    _, _, asked = spied(X, Y, cv=pairs, n_permutations=2, permute="all")
    assert [rows.tolist() for rows in asked] == [test.tolist() for _, test in pairs] * 3


def test_rows_tested_again_and_again_are_permuted_all_unless_told_otherwise():
    model = GaussianNB()
    test = tm.permutation_test(model, X[:, 1:], Y, cv="repeated:3", n_permutations=3)
    assert test.permute == "all"
    assert test.exact
    assert "p would be far too small" in test.notes[0]
    told = tm.permutation_test(model, X[:, 1:], Y, cv="repeated:3", n_permutations=3, permute="training")
    assert told.permute == "training"
    assert not told.exact
    assert "far too small" in str(told)


@pytest.mark.parametrize("permute", ["training", "all"])
def test_the_number_of_workers_does_not_matter(permute):
    model = DecisionTreeClassifier(max_features=1)
    options = {"cv": 3, "n_permutations": 6, "permute": permute, "random_state": 4}
    one = tm.permutation_test(model, X, Y, n_jobs=1, **options)
    two = tm.permutation_test(model, X, Y, n_jobs=2, **options)
    assert one.to_json() == two.to_json()
    other = tm.permutation_test(model, X, Y, **{**options, "random_state": 5})
    assert one.permuted.tolist() != other.permuted.tolist()


# --- against others ------------------------------------------------------------------------------


def test_all_rows_permuted_is_what_scikit_learn_does():
    rng = np.random.default_rng(3)
    y = rng.permutation(np.arange(60) % 2)
    features = rng.normal(size=(60, 2)) + 0.5 * y[:, None]
    cv = StratifiedKFold(4)
    ours = tm.permutation_test(GaussianNB(), features, y, cv=cv, n_permutations=150, permute="all")
    score, permuted, p = permutation_test_score(
        GaussianNB(), features, y, cv=cv, n_permutations=150, random_state=0, scoring="accuracy"
    )
    assert ours.value == pytest.approx(score)
    error = np.sqrt((permuted.var() + ours.permuted.var()) / 150)
    assert ours.mean == pytest.approx(permuted.mean(), abs=4 * error)
    assert ours.deviation == pytest.approx(permuted.std(ddof=1), rel=0.3)
    assert ours.p_value == pytest.approx(p, abs=4 * ours.p_error + 2 / 151)


def test_the_real_value_is_that_of_cross_validation():
    cv = StratifiedShuffleSplit(1, test_size=0.4, random_state=2)
    test = tm.permutation_test(GaussianNB(), X, Y, cv=cv, n_permutations=2, metric="auc")
    assert test.value == pytest.approx(cross_val_score(GaussianNB(), X, Y, cv=cv, scoring="roc_auc")[0])


def test_some_permutations_are_near_what_all_of_them_would_give():
    """Eight training rows, four of each class: all 70 ways to deal the classes, tried one by one."""
    train, tested = np.arange(8), np.arange(8, 14)
    features = np.random.default_rng(9).normal(size=(14, 3))
    y = np.array([0, 1] * 7)
    right = [
        np.mean(nearest(features[train], np.isin(train, ones).astype(int), features[tested]) == y[tested])
        for ones in combinations(train, 4)
    ]
    assert len(right) == comb(8, 4)
    test = tm.permutation_test(
        KNeighborsClassifier(1), features[:, 1:], y, cv=[(train, tested)], n_permutations=400
    )
    exact = np.mean(np.array(right) >= test.value - 1e-12)
    found = test.interval(0.9999)
    assert found.p_low <= exact <= found.p_high
    assert test.mean == pytest.approx(np.mean(right), abs=5 * np.std(right) / 20)
    assert any("only 70 ways" in note for note in test.notes)


def test_the_majority_is_that_of_all_rows():
    # Each class is half of the rows: of those left when one is left out, the other class is the larger.
    test = tm.permutation_test(GaussianNB(), X, np.arange(ROWS) % 2, cv="loo", n_permutations=1)
    assert test.majority.value == pytest.approx(0.5)


def test_majority_stands_beside():
    test = tm.permutation_test(GaussianNB(), X, Y, n_permutations=2)
    train, tested = next(iter(Holdout().split(X, Y)))
    dummy = DummyClassifier().fit(X[train], Y[train])
    assert test.majority.value == pytest.approx(dummy.score(X[tested], Y[tested]))
    area = tm.permutation_test(GaussianNB(), X, Y, n_permutations=2, metric="auc", cv=3)
    assert area.majority.value == pytest.approx(0.5)
    assert (
        tm.permutation_test(GaussianNB(), X, Y, n_permutations=2, metric="precision").majority.value is None
    )


# --- p -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("permuted", "higher", "p"),
    [
        pytest.param([0.1, 0.2, 0.3, 0.4], True, 1 / 5, id="all worse"),
        pytest.param([0.1, 0.2, 0.3, 0.9], True, 2 / 5, id="one better"),
        pytest.param([0.1, 0.2, 0.3, 0.8], True, 2 / 5, id="a tie counts"),
        pytest.param([0.1, 0.2, 0.3, 0.1 + 0.7 - 1e-15], True, 2 / 5, id="a tie but for rounding"),
        pytest.param([0.1, 0.2, np.nan, np.nan], True, 3 / 5, id="undefined ones count"),
        pytest.param([0.9, 0.85, 0.81, 0.1], False, 2 / 5, id="lower is better"),
    ],
)
def test_p_counts_what_is_at_least_as_good(permuted, higher, p):
    assert p_value(ahead(0.8, np.array(permuted), higher=higher)) == pytest.approx(p)


def test_a_number_that_is_better_when_lower_gives_the_same_p():
    accuracy = tm.permutation_test(GaussianNB(), X, Y, n_permutations=20)
    error = tm.permutation_test(GaussianNB(), X, Y, n_permutations=20, metric="error_rate")
    assert (error.better, accuracy.better) == ("lower", "higher")
    assert error.permuted == pytest.approx(1 - accuracy.permuted)
    assert error.at_least_as_good == accuracy.at_least_as_good
    assert error.ties == accuracy.ties


def test_p_knows_how_far_it_is_from_that_of_all_permutations():
    test = tm.permutation_test(GaussianNB(), X, Y, n_permutations=20)
    b = test.at_least_as_good
    assert test.p_error == pytest.approx(np.sqrt(test.p_value * (1 - test.p_value) / 20))
    ends = tm.interval(b, 20, method="clopper_pearson", confidence_level=0.9)
    assert (test.interval(0.9).p_low, test.interval(0.9).p_high) == (ends.low, ends.high)


# --- what goes wrong -----------------------------------------------------------------------------


class Knows:
    """Perfect when the classes it learns are the real ones; else it fails, or says one class."""

    def __init__(self, fails=False):
        self.fails = fails

    def fit(self, X, y):
        self.real = bool((np.asarray(X)[:, 0] % 3 == 0).tolist() == np.asarray(y).tolist())
        if self.fails and not self.real:
            raise ValueError("these classes make no sense")
        return self

    def predict(self, X):
        return (np.asarray(X)[:, 0] % 3 == 0) & self.real


def test_undefined_permutations_count_as_good_and_are_said():
    test = tm.permutation_test(Knows(), X, Y, n_permutations=7, metric="precision")
    assert np.isnan(test.permuted).all()
    assert (test.value, test.p_value, test.undefined, test.failed) == (1.0, 1.0, 7, 0)
    assert any(
        "7 of 7 permutations have no result and are taken as at least as good" in n for n in test.notes
    )
    assert "nothing was predicted positive" in " ".join(test.notes)
    assert '"values": [null, null' in test.to_json()
    assert "of them undefined" in str(test)


def test_failed_fits_are_counted_and_count_as_good():
    test = tm.permutation_test(Knows(fails=True), X, Y, n_permutations=5)
    assert (test.p_value, test.failed, test.undefined) == (1.0, 5, 5)
    assert "5 of 5 fits failed: ValueError: these classes make no sense." in test.notes
    assert any("5 of 5 permutations have no result" in note for note in test.notes)


def test_a_model_that_fails_on_the_real_classes_is_an_error():
    class Broken(Knows):
        def fit(self, X, y):  # noqa: ARG002
            raise ValueError("no luck today")

    with pytest.raises(InputError, match=r"cannot learn the real classes: .*no luck today"):
        tm.permutation_test(Broken(), X, Y)


def test_undefined_with_the_real_classes_is_an_error_that_says_why():
    with pytest.raises(InputError, match="auc is undefined with the real classes") as caught:
        tm.permutation_test(GaussianNB(), X, Y, cv="loo", metric="auc")
    assert caught.value.hint == "take another metric, or fewer and larger folds."


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        pytest.param({"n_permutations": 0}, OptionError, "whole number from 1 up; got 0", id="none"),
        pytest.param({"n_permutations": 9.5}, OptionError, "got 9.5", id="a half"),
        pytest.param({"permute": "test"}, OptionError, "permute must be 'training' or 'all'", id="permute"),
        pytest.param({"metric": "prevalence"}, OptionError, "neither better nor worse", id="no direction"),
        pytest.param({"metric": "mean_cost"}, OptionError, "mean_cost needs costs", id="no costs"),
        pytest.param({"random_state": -1}, OptionError, "random_state", id="seed"),
    ],
)
def test_options_that_cannot_be(options, error, message):
    with pytest.raises(error, match=message):
        tm.permutation_test(GaussianNB(), X, Y, **options)


def test_one_model_at_a_time():
    with pytest.raises(OptionError, match="one model is tested at a time; got 2"):
        tm.permutation_test({"a": GaussianNB(), "b": GaussianNB()}, X, Y)


# --- groups --------------------------------------------------------------------------------------


def test_groups_of_one_class_change_their_classes_whole(spied):
    groups = np.arange(ROWS) // 4
    y = np.isin(groups, [0, 3, 4, 7])
    test, fits, _ = spied(X, y, groups=groups, n_permutations=6)
    assert test.among == "groups"
    for rows, classes in fits:
        known = {(group, said) for group, said in zip(groups[rows].tolist(), classes.tolist(), strict=True)}
        assert len(known) == len(set(groups[rows].tolist()))
    assert len({tuple(classes.tolist()) for _, classes in fits}) > 2
    assert any("whole groups change their classes" in note for note in test.notes)
    assert test.exact


def of_sizes(sizes, classes):
    """A group of every size, all its rows of one class."""
    groups = np.repeat(np.arange(len(sizes)), sizes)
    return np.random.default_rng(1).normal(size=(len(groups), 2)), np.array(classes)[groups], groups


def test_groups_change_their_classes_with_groups_of_the_same_size_only():
    sizes = [2] * 6 + [5] * 6 + [9]
    X, y, groups = of_sizes(sizes, [0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 0, 0, 1])
    exchange = exchange_of(data_set(X, y, groups=groups))
    assert exchange.among == "groups of the same size"
    seen = set()
    for seed in range(30):
        given = exchange.sources(np.arange(len(y)), np.random.default_rng(seed))
        # A group gets one class, and that of a group as large as itself.
        assert (np.bincount(groups)[groups[given]] == np.bincount(groups)[groups]).all()
        assert len(set(zip(groups.tolist(), groups[given].tolist(), strict=True))) == len(sizes)
        assert np.bincount(y[given]).tolist() == np.bincount(y).tolist()
        seen.add(tuple(y[given].tolist()))
    assert len(seen) > 20  # of 15 x 15
    assert exchange.ways(np.arange(len(y)), y) == pytest.approx(2 * np.log(15))
    test = tm.permutation_test(GaussianNB(), X, y, groups=groups, n_permutations=3)
    assert test.exact
    (note,) = (note for note in test.notes if "whole groups" in note)
    assert "with groups of the same number of rows: the size of a group may go with its class" in note
    assert note.endswith("; 1 group keeps its class, for no other group is as large.")
    said = " ".join(str(test).split())
    assert "among groups of the same size the classes of the training groups have nothing to do" in said
    assert "given groups, permutes within each of them; here every group is of one class" in said
    assert "the same way" not in said


def test_groups_of_similar_size_make_p_approximate():
    sizes = [1, 2, *range(8, 29)]
    X, y, groups = of_sizes(sizes, np.arange(len(sizes)) % 2)
    exchange = exchange_of(data_set(X, y, groups=groups))
    assert exchange.among == "groups of similar size"
    size = np.bincount(groups)
    for seed in range(20):
        given = exchange.sources(np.arange(len(y)), np.random.default_rng(seed))
        ratio = size[groups[given]] / size[groups]
        assert 0.8 - 1e-9 <= ratio.min() < 1 < ratio.max() <= 1.25 + 1e-9
    for options in ({}, {"cv": 3}, {"cv": 3, "permute": "all"}, {"cv": "repeated:2", "permute": "training"}):
        test = tm.permutation_test(GaussianNB(), X, y, groups=groups, n_permutations=2, **options)
        assert not test.exact
        said = " ".join(str(test).split())
        assert "p is approximate: groups that change places are similar in size, not the same" in said
        assert "exact" not in said
        assert "for few are of the same size" in said
        assert "2 groups keep their class, for none is near in size" in said


def test_where_size_tells_the_class_nothing_can_be_tested():
    X, y, groups = of_sizes([2] * 8 + [8] * 8, [0] * 8 + [1] * 8)
    test = tm.permutation_test(GaussianNB(), X, y, groups=groups, n_permutations=5)
    assert test.p_value == 1
    assert test.permuted.tolist() == [test.value] * 5
    assert (
        "there is no other way to deal these classes to these rows where only groups of like size change "
        "places, so nothing can be tested." in test.notes
    )


def test_groups_of_several_classes_exchange_within(spied):
    groups = np.arange(ROWS) // 6
    test, fits, _ = spied(X, Y, groups=groups, n_permutations=6)
    assert test.among == "rows of a group"
    (rows, real), *others = fits
    for _, classes in others:
        for group in set(groups[rows].tolist()):
            mine = groups[rows] == group
            assert classes[mine].sum() == real[mine].sum()
    assert any((classes != real).any() for _, classes in others)
    assert "within a group" in str(test)


def test_groups_on_both_sides_make_p_approximate():
    groups = np.arange(ROWS) // 2
    y = groups % 2 == 0
    cut = [(np.arange(0, ROWS, 2), np.arange(1, ROWS, 2))]
    test = tm.permutation_test(GaussianNB(), X, y, groups=groups, cv=cut, n_permutations=3)
    assert not test.exact
    assert "a splitter that keeps groups together" in " ".join(str(test).split())


def test_few_groups_cannot_give_a_small_p():
    groups = np.arange(ROWS) // 6
    test = tm.permutation_test(
        GaussianNB(), X, groups % 2 == 0, groups=groups, n_permutations=50, permute="all", cv=3
    )
    # Three of six groups: 20 ways.
    assert any("only 20 ways" in note and "below 0.05" in note for note in test.notes)


def test_pairs_are_said_to_be_approximate():
    pairs = np.column_stack((np.arange(ROWS) % 6, np.arange(ROWS) // 6 + 6))
    cut = folds_from_pairs([(np.arange(24), np.arange(24, 36))], ROWS, "by hand")
    test = tm.permutation_test(GaussianNB(), X, Y, groups=pairs, cv=cut, n_permutations=2)
    assert not test.exact
    assert any("share an entity" in note for note in test.notes)


class Keys(np.ndarray):
    """Counts how often it is compared."""

    compared: ClassVar = 0

    def __eq__(self, other):
        Keys.compared += 1
        return super().__eq__(other)

    __hash__ = None


def test_ways_to_deal_the_classes_are_counted_at_once():
    keys = np.repeat(np.arange(40), 3)
    actual = np.where(np.arange(120) < 60, np.arange(120) % 3 // 2, 0)  # in 20 groups one of three differs
    Keys.compared = 0
    exchange = Exchange("rows of a group", np.arange(120), keys.view(Keys))
    assert exchange.ways(np.arange(120), actual) == pytest.approx(20 * np.log(3))
    assert exchange.ways(np.repeat(np.arange(6), 2), actual) == pytest.approx(2 * np.log(3))
    assert Keys.compared < 20
    # 2 of 5 groups are of the other class.
    classes = np.repeat([0, 1, 0, 1, 0], 4)
    groups = np.repeat(np.arange(5), 4)
    whole = Exchange("groups", groups, np.zeros(20, int))
    assert whole.ways(np.arange(20), classes) == pytest.approx(np.log(comb(5, 2)))
    # The first two and the last three change places among themselves: 2 x 3 ways.
    apart = Exchange("groups of the same size", groups, (groups > 1).astype(int))
    assert apart.ways(np.arange(20), classes) == pytest.approx(np.log(6))


@pytest.mark.parametrize(
    "options", [{}, {"param_grid": {"var_smoothing": [1e-9, 0.1]}}], ids=["plain", "tuned"]
)
def test_what_is_wrong_with_the_folds_is_said(options):
    groups = np.arange(ROWS) // 6
    cut = list(StratifiedKFold(3, shuffle=True, random_state=0).split(X, Y))
    test = tm.permutation_test(GaussianNB(), X, Y, cv=cut, groups=groups, n_permutations=2, **options)
    assert [each.code for each in test.findings] == ["TM019"]
    classes = np.where(np.arange(ROWS) < 2, "rare", np.where(Y, "yes", "no"))
    test = tm.permutation_test(GaussianNB(), X, classes, cv=3, n_permutations=2, **options)
    assert [each.code for each in test.findings] == ["TM023"]


def test_inner_folds_are_as_many_as_groups_allow_unless_given():
    groups = np.arange(ROWS) // 12
    options = {"groups": groups, "param_grid": {"var_smoothing": [1e-9, 0.1]}, "n_permutations": 2}
    test = tm.permutation_test(GaussianNB(), X, Y, **options)
    said = "parameters are chosen by 2 inner folds instead of 5: training rows are of 2 groups"
    assert f"{said}, which stay whole." in test.notes
    with pytest.raises(OptionError, match="5 folds cannot be made of 2 groups"):
        tm.permutation_test(GaussianNB(), X, Y, inner_cv=5, **options)
    many = tm.permutation_test(GaussianNB(), X, Y, **{**options, "groups": np.arange(ROWS) // 2})
    assert not any("inner folds" in note for note in many.notes)
    one = [(np.arange(12), np.arange(12, ROWS))]
    with pytest.raises(OptionError, match="all training rows of a fold are of one group"):
        tm.permutation_test(GaussianNB(), X, Y, cv=one, **options)


def test_without_a_seed_it_is_the_usual_one():
    assert get_type_hints(tm.permutation_test)["random_state"] == (int | None)
    none, usual = (
        tm.permutation_test(GaussianNB(), X, Y, n_permutations=3, random_state=seed) for seed in (None, 0)
    )
    assert none.to_json() == usual.to_json()


def test_a_row_drawn_twice_has_one_class():
    exchange = exchange_of(data_set(X, Y))
    rows = next(iter(Bootstrap(1).split(X, Y)))[0]
    given = exchange.sources(rows, np.random.default_rng(0))
    assert len(set(zip(rows.tolist(), given.tolist(), strict=True))) == len(np.unique(rows))
    assert sorted(set(given.tolist())) == np.unique(rows).tolist()


# --- tuned ---------------------------------------------------------------------------------------


def test_parameters_are_chosen_by_the_permuted_classes_of_training_rows_alone(spied):
    test, fits, asked = spied(X, Y, n_permutations=3, param_grid={"k": [1, 2]}, inner_cv=2)
    train, tested = next(iter(Holdout().split(X, Y)))
    # For each of four orders of the classes: two candidates on two inner folds, and the winner.
    assert len(fits) == 4 * 5
    assert test.candidates == 2
    values = []
    for order in range(4):
        *inner, (rows, classes) = fits[5 * order : 5 * order + 5]
        *questions, last = asked[5 * order : 5 * order + 5]
        learned = dict(zip(rows.tolist(), classes.tolist(), strict=True))
        assert set(rows.tolist()) == set(train.tolist())
        assert np.array_equal(last, tested)
        means = []
        for (part, said), question in zip(inner, questions, strict=True):
            assert [learned[row] for row in part.tolist()] == said.tolist()
            assert set(question.tolist()) <= set(train.tolist()) - set(part.tolist())
            k = 1 + len(means) // 2
            answers = nearest(X[part], said, X[question], k)
            means.append(np.mean(answers == np.array([learned[row] for row in question.tolist()])))
        best = 1 if sum(means[:2]) >= sum(means[2:]) - 1e-12 else 2
        values.append(np.mean(nearest(X[rows], classes, X[tested], best) == Y[tested]))
    assert [test.value, *test.permuted] == pytest.approx(values)


def test_tuned_fits_are_the_same_for_any_number_of_workers():
    options = {"param_grid": {"max_depth": [1, 3]}, "inner_cv": 2, "n_permutations": 4}
    one, two = (
        tm.permutation_test(DecisionTreeClassifier(), X, Y, n_jobs=jobs, **options) for jobs in (1, 2)
    )
    assert one.to_json() == two.to_json()
    assert "2 candidates" in str(one)
