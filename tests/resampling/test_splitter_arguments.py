"""Arguments and data that cannot be, or should be known about."""

from __future__ import annotations

import numpy as np
import pytest

import tallymark as tm
from tallymark.errors import MissingValueError, OptionError, ShapeError
from tallymark.resampling import (
    Bootstrap,
    Holdout,
    KFold,
    LeaveOneGroupOut,
    LeaveOneOut,
    LeavePairsOut,
    RepeatedHoldout,
    three_way_split,
)

FOLDS = "the number of folds (n_splits) must be a whole number from 2 up; got"
WRONG = {
    "one fold": (lambda: KFold(1), f"{FOLDS} 1."),
    "half a fold": (lambda: KFold(2.5), f"{FOLDS} 2.5."),
    "yes folds": (lambda: KFold(True), f"{FOLDS} True."),
    "no run": (
        lambda: KFold(n_repeats=0),
        "the number of runs (n_repeats) must be a whole number from 1 up; got 0.",
    ),
    "seed": (lambda: KFold(random_state=-1), "random_state must be a whole number from 0 up; got -1."),
    "runs alike": (
        lambda: KFold(n_repeats=2, shuffle=False),
        "without shuffling, every one of the repeats would have the same folds.",
    ),
    "too large": (
        lambda: Holdout(1.5),
        "test_size must be a share between 0 and 1, or a number of rows; got 1.5.",
    ),
    "nothing": (lambda: Holdout(0), "test_size must be a share between 0 and 1, or a number of rows; got 0."),
    "all": (lambda: Holdout(1.0), "test_size must be a share between 0 and 1, or a number of rows; got 1.0."),
    "nan": (
        lambda: RepeatedHoldout(test_size=float("nan")),
        "test_size must be a share between 0 and 1, or a number of rows; got nan.",
    ),
    "no draws": (
        lambda: Bootstrap(0),
        "the number of samples (n_splits) must be a whole number from 1 up; got 0.",
    ),
    "three sides": (
        lambda: LeavePairsOut((1, 2, 3)),
        "n_blocks is one number, or one for each side, as in (5, 3); got (1, 2, 3).",
    ),
    "two numbers": (
        lambda: LeavePairsOut((5, 3), symmetric=True),
        "symmetric pairs have one kind of entity: n_blocks is one number; got (5, 3).",
    ),
    "validation": (
        lambda: three_way_split([0, 1] * 5, validation_size=2.0),
        "validation_size must be a share between 0 and 1, or a number of rows; got 2.0.",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_arguments(case):
    make, message = WRONG[case]
    with pytest.raises(OptionError) as refused:
        make()
    assert refused.value.message == message


GRID = [(a, b) for a in "xyz" for b in range(3)]
UNFIT = {
    "folds": (
        lambda: KFold(10).folds(y=[0, 1, 0]),
        OptionError,
        "10 folds cannot be made of 3 rows. Hint: there can be as many as rows, which is --method loo "
        "(LeaveOneOut()).",
    ),
    "groups": (
        lambda: KFold(4).folds(y=[0, 1] * 3, groups=[*"aabbcc"]),
        OptionError,
        "4 folds cannot be made of 3 groups. Hint: there can be as many as groups, which is --method group "
        "(LeaveOneGroupOut()).",
    ),
    "a group": (
        lambda: KFold(2).folds(y=[0, 1], groups=["a", "a"]),
        OptionError,
        "all rows are of one group, 'a': none can be left out. Hint: to cut through it, leave out --group "
        "(groups=).",
    ),
    "no groups": (
        lambda: LeaveOneGroupOut().folds(y=[0, 1]),
        OptionError,
        "LeaveOneGroupOut needs groups, one for each row. Hint: pass groups=.",
    ),
    "groups ignored": (
        lambda: LeaveOneOut().folds(y=[0, 1], groups=[0, 1]),
        OptionError,
        "LeaveOneOut leaves out rows, and groups are given: the rest of a row's group would train. Hint: use "
        "LeaveOneGroupOut().",
    ),
    "gap": (
        lambda: LeaveOneGroupOut().folds(groups=["a", None, "b", float("nan")]),
        MissingValueError,
        "groups is missing in 2 of 4 rows, at positions 1, 3 (counted from 0). Hint: leave these "
        "rows out, or give each a value of its own.",
    ),
    "no class": (
        lambda: KFold(2).folds(y=[1.0, np.nan, 0.0]),
        MissingValueError,
        "y is missing in 1 of 3 rows, at position 1 (counted from 0). Hint: leave these rows out, "
        "or give each a value of its own.",
    ),
    "no rows told": (KFold(2).folds, OptionError, "a splitter needs to know the rows: pass X or y."),
    "two columns": (
        lambda: KFold(2).folds(y=[0, 1, 0], groups=[("a", 1), ("b", 2), ("c", 3)]),
        ShapeError,
        "groups has two columns; one group for each row is expected. Hint: for facts about pairs of "
        "entities, use LeavePairsOut.",
    ),
    "three columns": (
        lambda: KFold(2).folds(y=[0, 1], groups=np.zeros((2, 3))),
        ShapeError,
        "groups must hold one value for each row; got 2 x 3.",
    ),
    "lengths": (
        lambda: KFold(2).folds([0] * 3, [0, 1]),
        ShapeError,
        "as many rows are needed in each: X has 3, y has 2.",
    ),
    "one row": (
        lambda: LeaveOneOut().folds([0]),
        OptionError,
        "there is one row: to leave it out leaves none to train on.",
    ),
    "all rows": (
        lambda: Holdout(3).folds([0, 1, 0]),
        OptionError,
        "a test part of 3 rows leaves none of 3 rows to train on. Hint: take a smaller one: --method "
        "holdout:1/3, or --test-size 1/3 (test_size=1/3).",
    ),
    "nearly all rows": (
        lambda: Holdout(0.999).folds([0, 1, 0]),
        OptionError,
        "a test part of 99.9% of the rows leaves none of 3 rows to train on. Hint: take a smaller one: "
        "--method holdout:1/3, or --test-size 1/3 (test_size=1/3).",
    ),
    "all rows drawn": (
        lambda: Bootstrap(5, stratify=True).folds(y=[0, 1, 2]),
        OptionError,
        "every row has a class of its own: drawn by class, no row can be out of bag. Hint: pass "
        "stratify=False.",
    ),
    "all taken": (
        lambda: three_way_split([0, 1] * 4, test_size=0.5, validation_size=0.5),
        OptionError,
        "a validation part of 50% of the rows and a test part of 50% of the rows leave none of 8 rows to "
        "train on. Hint: take smaller ones: --method three-way:0.2,0.2 (validation_size=0.2, test_size=0.2).",
    ),
    "three parts": (
        lambda: three_way_split([0, 1] * 4, groups=[0, 1] * 4),
        OptionError,
        "three parts need three groups at least; there are two.",
    ),
    "not pairs": (
        lambda: LeavePairsOut().folds(groups=["a", "b"]),
        ShapeError,
        "groups must be n x 2, the two entities of each pair; got 2. Hint: from two columns: "
        "np.column_stack((first, second)).",
    ),
    "pairs on their side": (
        lambda: LeavePairsOut().folds(groups=np.zeros((2, 9))),
        ShapeError,
        "groups must be n x 2, the two entities of each pair; got 2 x 9. Hint: from two columns: "
        "np.column_stack((first, second)).",
    ),
    "no pairs": (
        lambda: LeavePairsOut().folds([0] * 4),
        OptionError,
        "LeavePairsOut needs groups: the two entities of each pair, an n x 2 array. Hint: pass groups=.",
    ),
    "blocks": (
        lambda: LeavePairsOut((2, 4)).folds(groups=GRID),
        OptionError,
        "4 blocks are too many: the second column of groups has 3 entities. Hint: ask for fewer: "
        "--method pairs:COL,COL:2 (n_blocks=2).",
    ),
    "everybody": (
        lambda: LeavePairsOut(n_left_out=(3, 1)).folds(groups=GRID),
        OptionError,
        "n_left_out=3 leaves none to train on: the first column of groups has 3 entities.",
    ),
    "nobody": (
        lambda: LeavePairsOut(2, symmetric=True, shuffle=False).folds(groups=[(1, 4), (2, 3), (1, 3)]),
        OptionError,
        "no pair is left to train on: each of the 3 has an entity of block 1 x block 2, which one "
        "fold leaves out. Hint: leave out fewer at a time by more blocks: --method pairs:COL,COL:10 "
        "(n_blocks=10, or a smaller n_left_out).",
    ),
    "gap in a pair": (
        lambda: LeavePairsOut(2).folds(groups=[("a", 1), ("b", None), ("c", 2)]),
        MissingValueError,
        "the second column of groups is missing in 1 of 3 rows, at position 1 (counted from 0). Hint: leave "
        "these rows out, or give each a value of its own.",
    ),
}


@pytest.mark.parametrize("case", UNFIT)
def test_rows_that_do_not_fit(case):
    split, kind, message = UNFIT[case]
    with pytest.raises(kind) as refused:
        split()
    assert str(refused.value) == message


RARE = [*"a" * 20, *"b" * 9, *"c" * 3]


def test_a_rare_class_is_spread_over_as_many_folds_as_it_has_rows():
    folds = KFold(5).folds(y=RARE)
    assert sorted(sum(RARE[row] == "c" for row in fold.test) for fold in folds.folds) == [0, 0, 1, 1, 1]
    assert folds.notes == ("class 'c' (3 rows) is too rare to be tested on in every fold.",)
    assert folds.method == "5-fold cross-validation, stratified"


def test_several_rare_classes():
    folds = KFold(10).folds(y=[*RARE, "d"])
    told = "3 classes are too rare to be tested on in every fold: 'd' (1 row), 'c' (3 rows), 'b' (9 rows)."
    assert folds.notes == (told,)
    # Of 33 rows 4: their shares are 2.42, 1.09, 0.36 and 0.12, so the fourth is of the first class.
    told = "2 classes are too rare to be tested on: 'd' (1 row), 'c' (3 rows)."
    assert Holdout(0.1).folds(y=[*RARE, "d"]).notes == (told,)


def test_folds_of_classes_that_are_all_rare_depend_on_chance():
    folds = KFold(4, n_repeats=3).folds(y=np.arange(12))
    assert len({tuple(fold.test) for fold in folds.folds}) > 8


@pytest.mark.parametrize("cv", [KFold(3), Holdout(), Bootstrap(3, stratify=True)], ids=repr)
def test_numbers_that_are_no_classes_are_not_stratified(cv):
    folds = cv.folds(y=np.linspace(0, 1, 20))
    assert folds.notes == ("y holds numbers that are not whole, so nothing is stratified.",)
    assert "stratified" not in folds.method
    assert cv.folds(y=np.zeros((20, 3))).notes == ("y has 3 columns, so nothing is stratified.",)


def test_groups_too_large_to_leave_out_as_much_as_asked():
    folds = Holdout(0.1).folds(y=[0, 1] * 10, groups=[0] * 10 + [1] * 10)
    assert folds.notes == ("groups are left out whole: 10 rows instead of 2.",)


def test_entities_that_may_be_of_one_kind():
    proteins = [(a, b) for a in "pqrstu" for b in "pqrstu"]
    (note,) = LeavePairsOut(3).folds(groups=proteins).notes
    assert (
        note == "6 of the entities are on both sides of pairs; if they are of one kind, pass symmetric=True."
    )
    assert LeavePairsOut(3, symmetric=True).folds(groups=proteins).notes == ()
    assert LeavePairsOut(3).folds(groups=GRID).notes == ()


def test_the_number_of_folds_where_it_does_not_depend_on_rows():
    counts = [
        cv.get_n_splits() for cv in (KFold(5, n_repeats=2), Holdout(), RepeatedHoldout(7), Bootstrap(9))
    ]
    assert counts == [10, 1, 7, 9]
    assert LeaveOneOut().get_n_splits([0] * 6) == 6
    assert LeaveOneGroupOut().get_n_splits(groups=[*"aabbc"]) == 3
    assert LeavePairsOut((3, 2)).get_n_splits(groups=GRID) == 6


def test_other_words_for_how_often():
    assert RepeatedHoldout(n_splits=4) == RepeatedHoldout(4)
    assert Bootstrap(n_repeats=4) == Bootstrap(4)
    assert KFold(random_state=None) == KFold(random_state=0)


def test_blocks_without_a_pair_are_no_folds():
    folds = LeavePairsOut(2, shuffle=False).folds(groups=[("a", 1), ("b", 2)])
    assert [(fold.name, fold.train.tolist(), fold.test.tolist()) for fold in folds.folds] == [
        ("a x 1", [1], [0]),
        ("b x 2", [0], [1]),
    ]


def test_in_order_without_shuffling():
    (fold,) = Holdout(0.4, shuffle=False, stratify=False).folds(y=RARE[:10]).folds
    assert fold.test.tolist() == [6, 7, 8, 9]
    (fold,) = Holdout(0.4, shuffle=False).folds(y=[*"aaaaabbbbb"]).folds
    assert fold.test.tolist() == [3, 4, 8, 9]
    (fold,) = Holdout(0.4, shuffle=False).folds(groups=[*"cccbbbbaaa"]).folds
    assert fold.test.tolist() == [7, 8, 9]


def test_leave_one_out_of_many_rows_keeps_no_list_of_training_rows():
    folds = tm.LeaveOneOut().folds(np.zeros(20_000))
    assert all(fold.kept is None and fold.unused is None for fold in folds.folds)
    assert sum(fold.test.nbytes for fold in folds.folds) == 20_000 * 8
    assert folds.folds[-1].train.tolist() == list(range(19_999))


def test_a_three_way_split_says_its_sizes():
    parts = tm.three_way_split(np.zeros((50, 2)), [0, 1] * 25, test_size=0.3)
    assert repr(parts) == "<ThreeWay of 50 rows, train: 25, validation: 10, test: 15>"
    assert tm.three_way_split([0, 1] * 25, test_size=0.3).fingerprint == parts.fingerprint
    assert len(three_way_split(np.zeros((50, 2)), test_size=7).test) == 7
