"""Numbers of rows that train, tune and test, as the sources have them; test_splitters.py has the laws."""

from collections import Counter

import numpy as np
import pytest

import tallymark as tm

ROWS = 90
CLASSES = np.array(["+"] * 30 + ["-"] * 60)


def shares(rows):
    return Counter(CLASSES[rows].tolist())


def test_holdout():  # holdout-family
    ((train, test),) = tm.Holdout(stratify=False).split(y=CLASSES)
    assert (len(train), len(test)) == (60, 30)
    ((train, test),) = tm.Holdout(0.1).split(y=CLASSES)
    assert (len(train), len(test)) == (81, 9)
    ((train, test),) = tm.Holdout().split(y=CLASSES)
    assert shares(train) == {"+": 20, "-": 40}
    assert shares(test) == {"+": 10, "-": 20}
    folds = tm.RepeatedHoldout(20).folds(y=CLASSES)
    assert [(fold.n_train, fold.n_test) for fold in folds.folds] == [(60, 30)] * 20
    assert len({tuple(fold.test) for fold in folds.folds}) == 20


def test_k_fold():
    for fold in tm.KFold(10, n_repeats=10).folds(y=CLASSES).folds:
        assert shares(fold.test) == {"+": 3, "-": 6}
    every = tm.KFold(ROWS, shuffle=False, stratify=False)
    assert tm.LeaveOneOut().fingerprint(y=CLASSES) == every.fingerprint(y=CLASSES)


def test_a_bootstrap_never_draws_one_row_in_e():
    # A row is never drawn with probability (1 - 1/n)^n, close to 1/e.
    never = np.mean([len(test) / ROWS for _, test in tm.Bootstrap(200).folds(y=CLASSES)])
    assert never == pytest.approx((1 - 1 / ROWS) ** ROWS, abs=0.01)


def test_over_and_undersampling():
    X = np.arange(ROWS).reshape(-1, 1)
    _, more = tm.Oversampling(random_state=0).fit_resample(X, CLASSES)
    _, fewer = tm.Undersampling(random_state=0).fit_resample(X, CLASSES)
    assert Counter(more.tolist()) == {"+": 60, "-": 60}
    assert Counter(fewer.tolist()) == {"+": 30, "-": 30}


def test_neither_entity_of_a_test_pair_trains():  # dyadic-leave-out
    # N professors and M students at a time.
    pairs = np.array([(student, professor) for student in range(12) for professor in "ABCDEF"])
    folds = tm.LeavePairsOut(n_left_out=(3, 2)).folds(groups=pairs)
    assert len(folds) == (12 // 3) * (6 // 2)
    for train, test in folds:
        for rows, left in ((test, [3, 2]), (train, [9, 4])):
            assert [len(set(pairs[rows, side])) for side in (0, 1)] == left
            assert len(rows) == np.prod(left)
        for side in (0, 1):
            assert not set(pairs[train, side]) & set(pairs[test, side])
    proteins = [(a, b) for a in "abcdef" for b in "abcdef"]
    alike = tm.LeavePairsOut(n_left_out=1, symmetric=True).folds(groups=proteins)
    assert len(alike) == 6 + 6 * 5 // 2


def test_three_parts_of_which_the_last_is_not_touched():  # three-way-split
    parts = tm.three_way_split(CLASSES)
    assert [shares(rows) for rows in parts] == [{"+": 18, "-": 36}, {"+": 6, "-": 12}, {"+": 6, "-": 12}]
    # However the others are cut, the test rows stay the same.
    other = tm.three_way_split(CLASSES, validation_size=0.4)
    assert other.test.tolist() == parts.test.tolist()
