"""The same folds as scikit-learn's, where it has the same method; and they work inside it."""

import warnings
from itertools import product

import numpy as np
from sklearn import model_selection as peer
from sklearn.datasets import make_classification
from sklearn.naive_bayes import GaussianNB

import tallymark as tm
from tallymark.resampling import folds_of

SEEDS = (0, 1, 2**32 - 1)


def rows(seed, size=53):
    """Classes of which one is rare, and groups of very different sizes."""
    random = np.random.default_rng(seed)
    y = random.choice(["often", "sometimes", "rare"], size, p=[0.6, 0.34, 0.06])
    groups = random.choice(12, size, p=np.arange(1, 13) / 78)
    return np.zeros((size, 2)), y, groups


def lists(pairs):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of rare classes
        return [(train.tolist(), np.asarray(test).tolist()) for train, test in pairs]


def test_the_folds_are_those_of_scikit_learn():
    wrong = []

    def same(case, ours, theirs):
        if lists(ours) != lists(theirs):
            wrong.append(case)

    for seed, k in product(SEEDS, (2, 5, 10)):
        X, y, _ = rows(seed)
        plain, stratified = tm.KFold(k, random_state=seed, stratify=False), tm.KFold(k, random_state=seed)
        same(("k-fold", seed, k), plain.split(X, y), peer.KFold(k, shuffle=True, random_state=seed).split(X))
        theirs = peer.StratifiedKFold(k, shuffle=True, random_state=seed)
        same(("stratified", seed, k), stratified.split(X, y), theirs.split(X, y))
        in_order, by_class = tm.KFold(k, shuffle=False, stratify=False), tm.KFold(k, shuffle=False)
        same(("in order", k), in_order.split(X, y), peer.KFold(k).split(X))
        same(("stratified in order", k), by_class.split(X, y), peer.StratifiedKFold(k).split(X, y))
    for seed in SEEDS:
        X, y, groups = rows(seed)
        for stratify, Theirs in ((True, peer.RepeatedStratifiedKFold), (False, peer.RepeatedKFold)):
            ours = tm.KFold(4, n_repeats=3, random_state=seed, stratify=stratify)
            theirs = Theirs(n_splits=4, n_repeats=3, random_state=seed)
            same(("repeated", seed), ours.split(X, y), theirs.split(X, y))
        ours = tm.KFold(4, shuffle=False, stratify=False)
        same(("groups", seed), ours.split(X, y, groups), peer.GroupKFold(4).split(X, y, groups))
        ours, theirs = (each.LeaveOneGroupOut().split(X, y, groups) for each in (tm, peer))
        same(("one group", seed), ours, theirs)
        same(("one row", seed), tm.LeaveOneOut().split(X), peer.LeaveOneOut().split(X))
    for size, test_size in product((30, 97, 100, 101), (0.1, 0.25, 0.3, 1 / 3, 0.5, 2 / 3, 0.9, 17)):
        y = np.arange(size) % 2
        ours = [len(part) for part in next(tm.Holdout(test_size).split(y=y))]
        theirs = peer.train_test_split(np.arange(size), test_size=test_size, stratify=y)
        if ours != [len(part) for part in theirs]:
            wrong.append(("hold-out", size, test_size))
    assert not wrong
    assert 0.07 * 100 > 7  # a share is not rounded up by the arithmetic of floats
    assert [len(test) for _, test in tm.Holdout(0.07).split(np.zeros(100))] == [7]


def spread(folds, y):
    """How far folds are from equal shares of every class, and from equal sizes."""
    classes, codes = np.unique(y, return_inverse=True)
    counts = np.array([np.bincount(codes[test], minlength=len(classes)) for test in folds])
    return (counts / counts.sum(axis=0)).std(axis=0).mean(), counts.sum(axis=1).std() / len(y)


def test_stratified_groups_are_balanced_no_worse():
    for shuffle in (False, True):
        random = np.random.default_rng(3)
        ours, theirs = [], []
        for seed in range(40):
            size, groups, k = random.integers(100, 300), random.integers(12, 40), int(random.integers(2, 6))
            share = random.pareto(1.5, groups) + 0.1
            group = random.choice(groups, size, p=share / share.sum())
            y = (random.random(size) < random.beta(0.7, 0.7, groups)[group]).astype(int)
            X, state = np.zeros(size), seed if shuffle else None
            found = tm.KFold(k, shuffle=shuffle, random_state=seed).split(X, y, group)
            other = peer.StratifiedGroupKFold(k, shuffle=shuffle, random_state=state).split(X, y, group)
            ours.append(spread([test for _, test in found], y))
            theirs.append(spread([test for _, test in other], y))
        assert (np.mean(ours, axis=0) <= np.mean(theirs, axis=0)).all()


def test_inside_scikit_learn():
    X, y = make_classification(30, 4, random_state=0)
    model, groups = GaussianNB(), np.arange(30) // 5
    for cv in (tm.KFold(3), tm.KFold(2, n_repeats=2), tm.Holdout(), tm.Bootstrap(4), tm.LeaveOneOut()):
        scores = peer.cross_val_score(model, X, y, cv=cv)
        assert len(scores) == cv.get_n_splits(X, y), cv
        assert np.isfinite(scores).all()
    search = peer.GridSearchCV(model, {"var_smoothing": [1e-9, 1e-3]}, cv=tm.LeaveOneGroupOut())
    assert search.fit(X, y, groups=groups).n_splits_ == 6
    assert len(peer.cross_val_score(model, X, y, cv=tm.KFold(5), groups=groups)) == 5
    # The same folds have one fingerprint whoever made them.
    ours, theirs = tm.KFold(5, random_state=3), peer.StratifiedKFold(5, shuffle=True, random_state=3)
    made = (ours, theirs, list(theirs.split(X, y)), ours.folds(X, y))
    assert {folds_of(cv, X, y).fingerprint for cv in made} == {ours.fingerprint(X, y)}
    assert folds_of(5, X, y, random_state=3).fingerprint == ours.fingerprint(X, y)
    assert tm.KFold(5, random_state=4).fingerprint(X, y) != ours.fingerprint(X, y)
