"""Methods as they are typed."""

from __future__ import annotations

import pytest

from tallymark.errors import OptionError
from tallymark.resampling import (
    Bootstrap,
    Holdout,
    KFold,
    LeaveOneGroupOut,
    LeaveOneOut,
    LeavePairsOut,
    RepeatedHoldout,
    method_named,
    splitter_named,
)

NAMED = {
    "kfold": KFold(10),
    "kfold:5": KFold(5),
    "5": KFold(5),
    "kfold:5x2": KFold(2, n_repeats=5),
    "KFold: 5": KFold(5),
    "holdout": Holdout(1 / 3),
    "holdout:1/3": Holdout(1 / 3),
    "holdout:0.3": Holdout(0.3),
    "holdout:30%": Holdout(0.3),
    "repeated": RepeatedHoldout(10),
    "repeated:20": RepeatedHoldout(20),
    "repeated:20:1/4": RepeatedHoldout(20, test_size=0.25),
    "loo": LeaveOneOut(),
    "group": LeaveOneGroupOut(),
    "pairs": LeavePairsOut(5),
    "pairs:4": LeavePairsOut(4),
    "pairs:4x3": LeavePairsOut((4, 3)),
    "pairs:symmetric": LeavePairsOut(5, symmetric=True),
    "pairs:4:symmetric": LeavePairsOut(4, symmetric=True),
    "pairs:out=2x1": LeavePairsOut(n_left_out=(2, 1)),
    "pairs:out=3:symmetric": LeavePairsOut(n_left_out=3, symmetric=True),
    "bootstrap": Bootstrap(200),
    "bootstrap:50": Bootstrap(50),
}


@pytest.mark.parametrize("text", NAMED)
def test_named(text):
    assert splitter_named(text) == NAMED[text]


def test_options():
    assert splitter_named("kfold:3", random_state=5, stratify=False) == KFold(
        3, random_state=5, stratify=False
    )
    assert splitter_named("holdout", random_state=5) == Holdout(random_state=5)
    assert splitter_named("bootstrap:9", random_state=5) == Bootstrap(9, random_state=5)
    assert splitter_named("pairs:3", random_state=5) == LeavePairsOut(3, random_state=5)


@pytest.mark.parametrize(
    ("text", "splitter", "columns"),
    [
        ("kfold:10", "kfold:10", ()),
        ("group:patient", "group", ("patient",)),
        ("group:ward: 3", "group", ("ward: 3",)),
        ("group", "group", ()),
        ("pairs:student,professor", "pairs", ("student", "professor")),
        ("pairs:student,professor:4", "pairs:4", ("student", "professor")),
        ("pairs:Student, Professor:4x2", "pairs:4x2", ("Student", "Professor")),
        ("pairs:4", "pairs:4", ()),
        ("pairs:one,other:4:symmetric", "pairs:4:symmetric", ("one", "other")),
        ("pairs:a:b,c:out=2x1", "pairs:out=2x1", ("a:b", "c")),
    ],
    ids=str,
)
def test_with_columns(text, splitter, columns):
    assert method_named(text) == (splitter, columns)


METHODS = "are kfold, holdout, repeated, loo, group, pairs, bootstrap."
WRONG = {
    "magic": f"no method to leave rows out is called 'magic'. Hint: there {METHODS}",
    "kfolds:5": "no method to leave rows out is called 'kfolds:5'. Hint: did you mean kfold:10, or "
    f"kfold:5x2 for five runs of two folds? There {METHODS}",
    "leave-one-out": "no method to leave rows out is called 'leave-one-out'. Hint: did you mean "
    f"loo, leave one row out? There {METHODS}",
    "": f"no method to leave rows out is called ''. Hint: there {METHODS}",
    "kfold:ten": "method 'kfold:ten' is not understood. Hint: write kfold:10, or kfold:5x2 for five "
    "runs of two folds.",
    "kfold:": "method 'kfold:' is not understood. Hint: write kfold:10, or kfold:5x2 for five runs "
    "of two folds.",
    "kfold:1": "the number of folds (n_splits) must be a whole number from 2 up; got 1. Hint: with one "
    "fold there would "
    "be nothing to train on.",
    "kfold:5:2": "method 'kfold:5:2' is not understood. Hint: write kfold:10, or kfold:5x2 for five "
    "runs of two folds.",
    "loo:3": "method 'loo:3' is not understood. Hint: write loo, leave one row out.",
    "holdout:33": "the share to test on is between 0 and 1; got 33. Hint: such as 1/3, 0.3 or 30%.",
    "holdout:1/0": "method 'holdout:1/0' is not understood. Hint: write holdout:1/3, the share to test on.",
    "bootstrap:5x5": "method 'bootstrap:5x5' is not understood. Hint: write bootstrap:200.",
    "pairs:student": "pairs are of two columns; got 'student'. Hint: write pairs:COLUMN,COLUMN:5, "
    "leave out pairs of entities in 5 blocks (5x3: 5 of one side, 3 of the other; out=2x1: so many entities "
    "at a time; symmetric: both columns name one kind of entity).",
    "pairs:a,b:3:4": "method 'pairs:3:4' is not understood. Hint: write pairs:COLUMN,COLUMN:5, "
    "leave out pairs of entities in 5 blocks (5x3: 5 of one side, 3 of the other; out=2x1: so many entities "
    "at a time; symmetric: both columns name one kind of entity).",
}


@pytest.mark.parametrize("text", WRONG)
def test_errors_say_what_to_write(text):
    with pytest.raises(OptionError) as refused:
        method_named(text)
    assert str(refused.value) == WRONG[text]
