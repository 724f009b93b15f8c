"""Which rows train, which tune and which test, as the sources have it."""

from __future__ import annotations

from collections import Counter
from itertools import product

import numpy as np
import pytest

import tallymark as tm

ROWS = 90
CLASSES = np.array(["+"] * 30 + ["-"] * 60)


def shares(y, rows):
    return Counter(y[rows].tolist())


def test_holdout(holdout_family_case):
    assert "2/3 train, 1/3 test, or any share" in holdout_family_case["statement"]
    ((train, test),) = tm.Holdout(stratify=False).split(y=CLASSES)
    assert (len(train), len(test)) == (60, 30)
    ((train, test),) = tm.Holdout(0.1).split(y=CLASSES)
    assert (len(train), len(test)) == (81, 9)


def test_stratified_holdout(holdout_family_case):
    assert "stratified holdout" in holdout_family_case["statement"]
    ((train, test),) = tm.Holdout().split(y=CLASSES)
    assert shares(CLASSES, train) == {"+": 20, "-": 40}
    assert shares(CLASSES, test) == {"+": 10, "-": 20}


def test_repeated_holdout(holdout_family_case):
    assert "repeated holdout (random subsampling" in holdout_family_case["statement"]
    folds = tm.RepeatedHoldout(20).folds(y=CLASSES)
    assert [(fold.n_train, fold.n_test) for fold in folds.folds] == [(60, 30)] * 20
    assert len({tuple(fold.test) for fold in folds.folds}) == 20


@pytest.mark.parametrize("runs", [1, 10])
@pytest.mark.parametrize("k", [2, 10])
def test_k_fold(holdout_family_case, k, runs):
    assert "k-fold, stratified k-fold, repeated k-fold" in holdout_family_case["statement"]
    for stratify in (False, True):
        folds = tm.KFold(k, stratify=stratify, n_repeats=runs).folds(y=CLASSES)
        assert len(folds) == k * runs
        # Disjoint parts: trained on k - 1 of them, tested on the one that remains.
        for run in range(runs):
            parts = [fold.test for fold in folds.folds if fold.run == run]
            assert sorted(np.concatenate(parts)) == list(range(ROWS))
        for train, test in folds:
            assert sorted([*train, *test]) == list(range(ROWS))
            if stratify:
                assert shares(CLASSES, test) == {"+": 30 // k, "-": 60 // k}


def test_leave_one_out_is_k_fold_with_k_equal_to_n(holdout_family_case):
    assert "leave-one-out" in holdout_family_case["statement"]
    every = tm.KFold(ROWS, shuffle=False, stratify=False)
    assert tm.LeaveOneOut().fingerprint(y=CLASSES) == every.fingerprint(y=CLASSES)


def test_bootstrap(holdout_family_case):
    assert "bootstrap (with replacement)" in holdout_family_case["statement"]
    folds = tm.Bootstrap(200).folds(y=CLASSES)
    assert all(len(train) == ROWS > len(set(train)) for train, _ in folds)
    assert all(set(test) == set(range(ROWS)) - set(train) for train, test in folds)
    # A row is never drawn with probability (1 - 1/n)^n, close to 1/e.
    never = np.mean([len(test) / ROWS for _, test in folds])
    assert never == pytest.approx((1 - 1 / ROWS) ** ROWS, abs=0.01)


def test_over_and_undersampling(holdout_family_case):
    assert "oversampling and undersampling" in holdout_family_case["statement"]
    X = np.arange(ROWS).reshape(-1, 1)
    _, more = tm.Oversampling(random_state=0).fit_resample(X, CLASSES)
    _, fewer = tm.Undersampling(random_state=0).fit_resample(X, CLASSES)
    assert Counter(more.tolist()) == {"+": 60, "-": 60}
    assert Counter(fewer.tolist()) == {"+": 30, "-": 30}


@pytest.mark.parametrize(
    ("what", "names"),
    [
        ("a university", ["CMU", "Cornell", "Texas", "Wisconsin"]),
        ("a research area", ["AI", "Graphics", "PL", "Systems", "Theory"]),
    ],
)
def test_leave_one_group_out(dyadic_leave_out_case, what, names):
    assert "leave one group out (a university, a research area)" in dyadic_leave_out_case["statement"]
    groups = np.array(names)[np.arange(ROWS) % len(names)]
    folds = tm.LeaveOneGroupOut().folds(y=CLASSES, groups=groups)
    assert [fold.name for fold in folds.folds] == names
    for name, (train, test) in zip(names, folds, strict=True):
        assert set(groups[test]) == {name}
        assert set(groups[train]) == set(names) - {name}


STUDENTS, PROFESSORS = [f"student {number}" for number in range(12)], ["Ada", "Bo", "Cy", "Di", "Ed", "Flo"]
PAIRS = np.array(list(product(STUDENTS, PROFESSORS)))


def test_neither_entity_of_a_test_pair_trains(dyadic_leave_out_case):
    said = "an entity that is in the test set is left out of the training set, on both sides of the pair"
    assert said in dyadic_leave_out_case["statement"]
    # N professors and M students at a time.
    folds = tm.LeavePairsOut(n_left_out=(3, 2)).folds(groups=PAIRS)
    assert len(folds) == (12 // 3) * (6 // 2)
    for train, test in folds:
        assert [len(set(PAIRS[test, side])) for side in (0, 1)] == [3, 2]
        assert [len(set(PAIRS[train, side])) for side in (0, 1)] == [9, 4]
        for side in (0, 1):
            assert not set(PAIRS[train, side]) & set(PAIRS[test, side])
        assert (len(test), len(train)) == (3 * 2, 9 * 4)
    assert sorted(row for _, test in folds for row in test) == list(range(len(PAIRS)))


def test_entities_of_one_kind(dyadic_leave_out_case):
    assert "on both sides" in dyadic_leave_out_case["statement"]
    proteins = np.array(list(product("abcdef", "abcdef")))
    folds = tm.LeavePairsOut(n_left_out=1, symmetric=True).folds(groups=proteins)
    assert len(folds) == 6 + 6 * 5 // 2
    for train, test in folds:
        assert not set(proteins[train].ravel()) & set(proteins[test].ravel())


def test_three_parts_of_which_the_last_is_not_touched(three_way_split_case):
    said = three_way_split_case["statement"]
    assert "training data builds the model, validation data tunes its parameters, test data estimates" in said
    parts = tm.three_way_split(CLASSES)
    assert [len(rows) for rows in parts] == [54, 18, 18]
    assert [shares(CLASSES, rows) for rows in parts] == [
        {"+": 18, "-": 36},
        {"+": 6, "-": 12},
        {"+": 6, "-": 12},
    ]
    assert sorted(np.concatenate(list(parts))) == list(range(ROWS))
    # However the others are cut, the test rows stay the same.
    other = tm.three_way_split(CLASSES, validation_size=0.4)
    assert other.test.tolist() == parts.test.tolist()
