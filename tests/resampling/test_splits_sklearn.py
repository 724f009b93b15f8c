"""The same folds as scikit-learn's, where it has the same method; and they work inside it."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn import model_selection as peer
from sklearn.datasets import make_classification
from sklearn.naive_bayes import GaussianNB

from tallymark.resampling import Bootstrap, Holdout, KFold, LeaveOneGroupOut, LeaveOneOut, folds_of

SEEDS = [0, 1, 7, 2**32 - 1]


def rows(seed, size=53):
    """Classes of which one is rare, and groups of very different sizes."""
    random = np.random.default_rng(seed)
    y = random.choice(["often", "sometimes", "rare"], size, p=[0.6, 0.34, 0.06])
    groups = random.choice(12, size, p=np.arange(1, 13) / 78)
    return np.zeros((size, 2)), y, groups


def same(ours, theirs):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of rare classes
        pairs = list(theirs)
    found = list(ours)
    assert len(found) == len(pairs)
    for (train, test), (their_train, their_test) in zip(found, pairs, strict=True):
        assert train.tolist() == their_train.tolist()
        assert test.tolist() == np.asarray(their_test).tolist()


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("n_splits", [2, 5, 10])
def test_k_fold(seed, n_splits):
    X, y, _ = rows(seed)
    ours = KFold(n_splits, random_state=seed, stratify=False)
    same(ours.split(X, y), peer.KFold(n_splits, shuffle=True, random_state=seed).split(X))
    ours = KFold(n_splits, shuffle=False, stratify=False)
    same(ours.split(X, y), peer.KFold(n_splits).split(X))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("n_splits", [2, 5, 10])
def test_stratified_k_fold(seed, n_splits):
    X, y, _ = rows(seed)
    theirs = peer.StratifiedKFold(n_splits, shuffle=True, random_state=seed)
    same(KFold(n_splits, random_state=seed).split(X, y), theirs.split(X, y))
    same(KFold(n_splits, shuffle=False).split(X, y), peer.StratifiedKFold(n_splits).split(X, y))


@pytest.mark.parametrize("seed", SEEDS)
def test_repeated(seed):
    X, y, _ = rows(seed)
    ours = KFold(4, n_repeats=3, random_state=seed)
    theirs = peer.RepeatedStratifiedKFold(n_splits=4, n_repeats=3, random_state=seed)
    same(ours.split(X, y), theirs.split(X, y))
    ours = KFold(4, n_repeats=3, random_state=seed, stratify=False)
    same(ours.split(X, y), peer.RepeatedKFold(n_splits=4, n_repeats=3, random_state=seed).split(X))


@pytest.mark.parametrize("seed", SEEDS)
def test_groups(seed):
    X, y, groups = rows(seed)
    same(KFold(4, shuffle=False, stratify=False).split(X, y, groups), peer.GroupKFold(4).split(X, y, groups))
    same(LeaveOneGroupOut().split(X, y, groups), peer.LeaveOneGroupOut().split(X, y, groups))
    same(LeaveOneOut().split(X), peer.LeaveOneOut().split(X))


def spread(folds, y):
    """How far folds are from equal shares of every class, and from equal sizes."""
    classes, codes = np.unique(y, return_inverse=True)
    counts = np.array([np.bincount(codes[test], minlength=len(classes)) for test in folds])
    return (counts / counts.sum(axis=0)).std(axis=0).mean(), counts.sum(axis=1).std() / len(y)


@pytest.mark.parametrize("shuffle", [False, True], ids=["in-order", "shuffled"])
def test_stratified_groups_are_balanced_no_worse(shuffle):
    random = np.random.default_rng(3)
    ours, theirs = [], []
    for seed in range(40):
        size, n_groups, n_splits = random.integers(100, 300), random.integers(12, 40), random.integers(2, 6)
        share = random.pareto(1.5, n_groups) + 0.1
        groups = random.choice(n_groups, size, p=share / share.sum())
        y = (random.random(size) < random.beta(0.7, 0.7, n_groups)[groups]).astype(int)
        X, state = np.zeros(size), seed if shuffle else None
        found = KFold(int(n_splits), shuffle=shuffle, random_state=seed).split(X, y, groups)
        other = peer.StratifiedGroupKFold(int(n_splits), shuffle=shuffle, random_state=state)
        ours.append(spread([test for _, test in found], y))
        theirs.append(spread([test for _, test in other.split(X, y, groups)], y))
    assert (np.mean(ours, axis=0) <= np.mean(theirs, axis=0)).all()


@pytest.mark.parametrize("test_size", [0.1, 0.2, 0.25, 0.3, 1 / 3, 0.5, 2 / 3, 0.9, 17], ids=str)
@pytest.mark.parametrize("size", [30, 97, 100, 101])
def test_sizes_of_a_holdout(size, test_size):
    y = np.arange(size) % 2
    train, test = next(Holdout(test_size).split(y=y))
    their_train, their_test = peer.train_test_split(np.arange(size), test_size=test_size, stratify=y)
    assert (len(train), len(test)) == (len(their_train), len(their_test))


def test_a_share_is_not_rounded_up_by_the_arithmetic_of_floats():
    assert 0.07 * 100 > 7
    assert [len(test) for _, test in Holdout(0.07).split(np.zeros(100))] == [7]


CLASSIFIER = GaussianNB()
X, Y = make_classification(30, 4, random_state=0)


@pytest.mark.parametrize(
    "cv",
    [KFold(3), KFold(2, n_repeats=2), Holdout(), Bootstrap(4), LeaveOneOut()],
    ids=lambda cv: type(cv).__name__,
)
def test_inside_scikit_learn(cv):
    scores = peer.cross_val_score(CLASSIFIER, X, Y, cv=cv)
    assert len(scores) == cv.get_n_splits(X, Y)
    assert np.isfinite(scores).all()


def test_inside_a_grid_search_with_groups():
    groups = np.arange(30) // 5
    search = peer.GridSearchCV(CLASSIFIER, {"var_smoothing": [1e-9, 1e-3]}, cv=LeaveOneGroupOut())
    search.fit(X, Y, groups=groups)
    assert search.n_splits_ == 6
    scores = peer.cross_val_score(CLASSIFIER, X, Y, cv=KFold(5), groups=groups)
    assert len(scores) == 5


def test_the_same_folds_have_one_fingerprint_whoever_made_them():
    ours = KFold(5, random_state=3)
    theirs = peer.StratifiedKFold(5, shuffle=True, random_state=3)
    pairs = list(theirs.split(X, Y))
    prints = {folds_of(cv, X, Y).fingerprint for cv in (ours, theirs, pairs, ours.folds(X, Y))}
    assert prints == {ours.fingerprint(X, Y)}
    assert folds_of(5, X, Y, random_state=3).fingerprint in prints
    assert KFold(5, random_state=4).fingerprint(X, Y) not in prints
