"""What is said of folds, of fits that failed and of warnings, in every room the same."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

import tallymark as tm
from tallymark.resampling import KFold, LeavePairsOut
from tallymark.resampling.folds import Folds, folds_from_pairs
from tallymark.validation.data.data_set import data_set
from tallymark.validation.fits.fold_notes import all_failed, said_of_failures, said_of_folds, said_of_warnings

ROWS = 12
Y = np.arange(ROWS) % 2
HALVES = [(np.arange(6), np.arange(6, 12)), (np.arange(6, 12), np.arange(6))]


def said(folds: Any, groups: Any) -> list[str]:
    made = folds if isinstance(folds, Folds) else folds_from_pairs(folds, ROWS, "by hand")
    return list(said_of_folds(made, data_set(np.zeros((ROWS, 1)), Y, groups=groups)))


# --- folds ---------------------------------------------------------------------------------------


def test_notes_of_the_folds_come_first() -> None:
    rare = np.array(["a"] * 8 + ["b", "b", "c", "c"])
    folds = KFold(3).folds(rare, rare)
    assert len(folds.notes) == 1
    (own, shared) = said(folds, np.arange(ROWS) // 6)
    assert own == folds.notes[0]
    assert shared.startswith("in 3 of 3 folds groups of test rows are among the training rows as well")


@pytest.mark.parametrize(
    ("groups", "folds"),
    [
        (np.arange(ROWS) // 6, 0),
        (np.arange(ROWS) // 3, 0),
        (np.arange(ROWS) // 4, 2),
        (np.array([["x"], [None]] * 6, object).ravel(), 2),
        (np.array([1, "a"] * 6, object), 2),
    ],
    ids=["as the folds", "within the folds", "one is cut", "missing", "of several types"],
)
def test_groups_on_both_sides(groups: Any, folds: int) -> None:
    notes = said(HALVES, groups)
    assert len(notes) == (folds > 0)
    assert all(note.startswith(f"in {folds} of 2 folds groups of test rows") for note in notes)


def test_only_folds_that_share_a_group_are_counted() -> None:
    cut = [HALVES[0], (np.arange(8, 12), np.arange(0, 4))]
    (note,) = said(cut, np.arange(ROWS) // 4)
    assert note.startswith("in 1 of 2 folds groups")


def test_without_groups_there_is_nothing_to_share() -> None:
    assert said(HALVES, None) == []


def test_entities_of_a_column_on_both_sides() -> None:
    pairs = np.column_stack((np.arange(ROWS) // 6, 100 + np.arange(ROWS) % 6))
    (note,) = said(HALVES, pairs)
    assert note.startswith("in 2 of 2 folds entities of pairs of test rows are among the training rows")
    assert "--method pairs:COL,COL (cv='pairs') keeps them apart" in note


def test_entities_that_change_the_column_are_found_where_columns_share_values() -> None:
    # The first half has entities 0-5 and 6-11, the second the same with the columns changed.
    one, other = np.arange(6), np.arange(6, 12)
    turned = np.column_stack((np.r_[one, other], np.r_[other, one]))
    (note,) = said(HALVES, turned)
    assert note.startswith("in 2 of 2 folds entities of test rows are in the other column of training rows")
    assert "LeavePairsOut(symmetric=True)" in note
    apart = np.column_stack((np.arange(ROWS), 100 + np.arange(ROWS)))
    assert said(HALVES, apart) == []


def test_pairs_left_out_on_either_side_share_nothing() -> None:
    pairs = np.array([(a, b) for a in range(4) for b in range(4) if a != b])
    assert said(LeavePairsOut(4, symmetric=True).folds(groups=pairs), pairs) == []
    folds = LeavePairsOut(4).folds(groups=pairs)
    assert "4 of the entities are on both sides of pairs" in folds.notes[0]
    (across,) = said(folds, pairs)  # which says the same with numbers
    assert across.startswith("in 12 of 12 folds entities of test rows are in the other column")


@pytest.mark.parametrize("name", ["validate", "learning_curve"])
def test_other_rooms_say_it_too(name: str) -> None:
    features = np.random.default_rng(0).normal(size=(60, 2))
    classes = np.where(np.arange(60) < 2, "rare", np.where(np.arange(60) % 2, "yes", "no"))
    groups = np.arange(60) % 5
    cut = KFold(3).folds(classes, classes)
    notes = getattr(tm, name)(GaussianNB(), features, classes, cv=cut, groups=groups).notes
    assert "class 'rare' (2 rows) is too rare to be tested on in every fold." in notes
    assert sum(note.startswith("in 3 of 3 folds groups of test rows are among") for note in notes) == 1


# --- fits ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("failures", "fits", "note"),
    [
        (["E: a."], 1, "the one fit failed: E: a."),
        (["E: a"] * 2, 9, "2 of 9 fits failed: E: a."),
        (["E: a", "E: b", "E: b"], 9, "3 of 9 fits failed: E: b (2x); E: a (1x)."),
        (
            [f"E: {kind}" for kind in "aaabbccdde"],
            1000,
            "10 of 1,000 fits failed: E: a (3x); E: b (2x); E: c (2x); and 2 other kinds.",
        ),
    ],
    ids=["one fit", "one kind", "two kinds", "many kinds"],
)
def test_fits_that_failed(failures: list[str], fits: int, note: str) -> None:
    assert list(said_of_failures(failures, fits)) == [note]


def test_no_failure_is_not_said() -> None:
    assert list(said_of_failures([], 5)) == []


def test_all_fits_failed() -> None:
    assert str(all_failed(["E: a.", "E: b"], "try this.")) == "all 2 fits failed: E: a. Hint: try this."
    assert str(all_failed(["E: a"], None)) == "the one fit failed: E: a."


def test_three_kinds_of_warnings_are_told() -> None:
    counts = Counter({"W: a.": 5, "W: b:": 4, "W: c": 3, "W: d": 2})
    told = ["W: a (in 5 of 8 fits).", "W: b (in 4 of 8 fits).", "W: c (in 3 of 8 fits)."]
    assert list(said_of_warnings(counts, 8)) == [*told, "and 1 other kind of warnings."]
    del counts["W: d"]
    assert list(said_of_warnings(counts, 8)) == told
    assert list(said_of_warnings(Counter({"W: a": 1}), 1)) == ["W: a (in the one fit)."]
