"""What is said of folds, of fits that failed and of warnings, in every room the same."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

import tallymark as tm
from tallymark.resampling import Holdout, KFold, LeavePairsOut
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


def test_the_folds_own_notes_are_said() -> None:
    rare = np.array(["a"] * 8 + ["b", "b", "c", "c"])
    folds = Holdout(1 / 4).folds(rare, rare)
    assert len(folds.notes) == 1
    assert said(folds, np.arange(ROWS) // 6) == [folds.notes[0]]


def test_what_is_a_finding_is_no_note() -> None:
    pairs = np.column_stack((np.arange(ROWS) // 6, 100 + np.arange(ROWS) % 6))
    assert said(HALVES, pairs) == []
    assert said(HALVES, np.arange(ROWS) // 4) == []
    rare = np.array(["a"] * 8 + ["b", "b", "c", "c"])
    folds = KFold(3).folds(rare, rare)
    assert folds.notes
    assert said(folds, None) == []


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
    found = getattr(tm, name)(GaussianNB(), features, classes, cv=cut, groups=groups)
    assert [each.code for each in found.findings] == ["TM019", "TM023"]
    assert not any("too rare" in note for note in found.notes)


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
