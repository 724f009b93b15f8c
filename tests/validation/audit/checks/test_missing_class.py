"""TM023: folds without a class."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.model_selection import KFold, LeaveOneGroupOut
from sklearn.naive_bayes import GaussianNB

import tallymark as tm

IRIS = load_iris(return_X_y=True)
ROWS = 60
X = np.random.default_rng(3).normal(size=(ROWS, 2))
FEW = np.where(np.arange(ROWS) < 3, "few", "many")


def found_in(result: Any, code: str = "TM023") -> tm.Finding | None:
    found = [finding for finding in result.findings if finding.code == code]
    assert len(found) <= 1
    return found[0] if found else None


def validated(y: Any, cv: Any, **options: Any) -> tm.Validation:
    return tm.validate(GaussianNB(), X, y, cv=cv, **options)


def test_sorted_rows_in_folds_as_they_come_are_never_learned() -> None:
    # Each third of iris is one species, so that each fold tests the one that its model never saw.
    result = tm.validate(GaussianNB(), *IRIS, cv=KFold(3))
    assert result["accuracy"].mean.value == 0.0
    found = found_in(result)
    assert found is not None
    assert found.message == (
        "in 3 of 3 folds the training rows lack classes that are tested, 0 (50 rows), 1 (50 rows), 2 (50 "
        "rows): 150 of 150 test rows are asked of a model that never saw their class. 3 of 3 test folds "
        "lack one of them or more: numbers about them are of the other folds alone, or undefined. "
        "Stratified folds have all classes on both sides: --method kfold:3 (cv=3)."
    )
    assert found.numbers == {
        "folds": 3,
        "test_folds": 3,
        "training_parts": 3,
        "unseen_test_rows": 150,
        "classes": ["0", "1", "2"],
    }
    assert found_in(tm.validate(GaussianNB(), *IRIS, cv=3)) is None


def test_a_class_with_fewer_rows_than_folds_is_not_in_all_of_them() -> None:
    result = validated(FEW, "kfold:2x5")
    found = found_in(result)
    assert found is not None
    # Three rows in five folds leave two without, in each of two runs.
    assert found.message == (
        "4 of 10 test folds lack class 'few' (3 rows): numbers about it are of the other folds alone, or "
        "undefined. Stratified folds have all classes on both sides: --method kfold:3 (cv=3)."
    )
    assert (found.numbers["test_folds"], found.numbers["training_parts"]) == (4, 0)
    assert found_in(validated(FEW, "kfold:2x3")) is None
    # The folds' own note says the same in fewer words.
    assert result.folds.notes
    assert not any("too rare" in note for note in result.notes)


def test_a_class_of_one_row_cannot_be_both_learned_and_tested() -> None:
    y = FEW.astype(object)
    y[:2] = "many"
    found = found_in(validated(y, "loo"))
    assert found is not None
    assert found.message == (
        "in 1 of 60 folds the training rows lack a class that is tested, 'few' (1 row): 1 of 60 test rows "
        "is asked of a model that never saw its class. A class of one row is either learned or tested on: "
        "leave it out, or join it with another."
    )


@pytest.mark.parametrize("cv", ["loo", "group", LeaveOneGroupOut()], ids=["rows", "groups", "sklearn"])
def test_what_one_row_or_group_lacks_is_nobodys_choice(cv: Any) -> None:
    groups = None if cv == "loo" else np.arange(ROWS) // 5
    y = np.where(np.arange(ROWS) // 5 % 3 == 0, "sick", "well")
    assert found_in(validated(y, cv, groups=groups)) is None


def test_a_class_that_is_one_group_is_never_learned_where_it_is_tested() -> None:
    result = validated(FEW, "group", groups=np.arange(ROWS) // 6)
    found = found_in(result)
    assert found is not None
    assert found.numbers["unseen_test_rows"] == 3
    assert "A class of one group is either learned or tested on" in found.message


def test_groups_that_stay_whole_may_leave_a_class_out_of_folds() -> None:
    y = np.where(np.arange(ROWS) < 20, "sick", "well")
    groups = np.arange(ROWS) // 5  # four groups of sick rows
    found = found_in(validated(y, 6, groups=groups))
    assert found is not None
    assert found.numbers["test_folds"] == 2
    assert "can have all classes on both sides: --method kfold:4 (cv=4)." in found.message


def test_a_holdout_says_it_once() -> None:
    stratified = validated(FEW, "holdout:0.1")
    assert found_in(stratified) is None
    assert "class 'few' (3 rows) is too rare to be tested on." in stratified.notes
    assert not any("has only 0 test rows" in note for note in stratified.notes)
    by_hand = validated(FEW, [(np.arange(40), np.arange(40, ROWS))])
    found = found_in(by_hand)
    assert found is not None
    assert found.message.startswith("no test row is of class 'few' (3 rows), so nothing is known about it.")
    other = found_in(validated(FEW, [(np.arange(3, ROWS), np.arange(3))], baseline=False))
    assert other is not None
    assert other.message.startswith(
        "the training rows lack a class that is tested, 'few' (3 rows): 3 of 3 test rows are asked"
    )
    assert "No test row is of class 'many' (57 rows)" in other.message


def test_bootstrap_samples_may_miss_a_class() -> None:
    result = validated(FEW, "bootstrap:30")
    tests = [fold.test for fold in result.folds.folds]
    without = sum(not (FEW[test] == "few").any() for test in tests)
    unseen = [(FEW[test] == "few").sum() for test in tests if (FEW[test] == "few").sum() == 3]
    found = found_in(result)
    assert found is not None
    assert found.numbers["test_folds"] == without
    assert (found.numbers["training_parts"], found.numbers["unseen_test_rows"]) == (len(unseen), sum(unseen))


def test_only_the_rarest_of_many_classes_are_named() -> None:
    y = np.arange(ROWS) % 20
    found = found_in(validated(y, 6))
    assert found is not None
    assert "0 (3 rows), 1 (3 rows), 2 (3 rows) and 17 more" in found.message
    assert len(found.numbers["classes"]) == 20


@pytest.mark.parametrize(
    "ask",
    [
        lambda y: tm.tune(GaussianNB(), X, y, {"var_smoothing": [1e-9]}, cv=4, inner_cv=2),
        lambda y: tm.learning_curve(GaussianNB(), X, y, cv=4),
        lambda y: tm.permutation_test(GaussianNB(), X, y, cv=4, n_permutations=2),
    ],
    ids=["tune", "learn", "permute"],
)
def test_every_result_says_it(ask: Any) -> None:
    found = found_in(ask(FEW))
    assert found is not None
    assert found.message.startswith("1 of 4 test folds lack class 'few' (3 rows)")
