"""TM019: groups, and entities of pairs, of which some rows train and some test."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tallymark.findings import Finding
from tallymark.resampling import LeavePairsOut
from tallymark.resampling.folds import Folds, folds_from_pairs
from tallymark.validation.audit.checks.groups_across import check
from tallymark.validation.audit.protocol import Protocol
from tallymark.validation.data.data_set import data_set

ROWS = 12
HALVES = [(np.arange(6), np.arange(6, 12)), (np.arange(6, 12), np.arange(6))]


def found(folds: Any, groups: Any) -> Finding | None:
    made = folds if isinstance(folds, Folds) else folds_from_pairs(folds, ROWS, "by hand")
    return check(Protocol(data_set(np.zeros((ROWS, 1)), np.arange(ROWS) % 2, groups=groups), made))


@pytest.mark.parametrize(
    "groups", [None, np.arange(ROWS) // 6, np.arange(ROWS) // 3], ids=["none", "as the folds", "within"]
)
def test_groups_that_stay_together_are_not_found(groups: Any) -> None:
    assert found(HALVES, groups) is None


def test_of_three_groups_the_one_that_is_cut_is_counted() -> None:
    # Groups 0, 1 and 2 have rows 0-3, 4-7 and 8-11: the cut after row 5 leaves two rows of 1 on either side.
    finding = found(HALVES, np.arange(ROWS) // 4)
    assert finding is not None
    assert finding.code == "TM019"
    assert finding.numbers == {
        "folds": 2, "of_folds": 2, "groups": 1, "of_groups": 3, "rows": 4, "test_rows": 12,
    }  # fmt: skip
    assert finding.message.startswith(
        "in 2 of 2 folds groups of test rows are among the training rows as well: 1 of 3 groups, with 4 of "
        "12 test rows."
    )
    assert finding.message.endswith("--method kfold:10 or group (cv=10 or 'group') keeps them apart.")


@pytest.mark.parametrize(
    "groups",
    [np.array([["x"], [None]] * 6, object).ravel(), np.array([1, "a"] * 6, object), np.arange(ROWS) % 2 / 2],
    ids=["missing", "of several types", "numbers with a fraction"],
)
def test_groups_of_any_type(groups: Any) -> None:
    finding = found(HALVES, groups)
    assert finding is not None
    assert (finding.numbers["groups"], finding.numbers["rows"]) == (2, 12)


def test_only_folds_that_share_a_group_are_counted() -> None:
    cut = [HALVES[0], (np.arange(8, 12), np.arange(0, 4))]
    finding = found(cut, np.arange(ROWS) // 4)
    assert finding is not None
    # Of rows 6-11 and 0-3, which are tested, 6 and 7 are of the group that rows 4 and 5 are learned of.
    assert (finding.numbers["folds"], finding.numbers["rows"], finding.numbers["test_rows"]) == (1, 2, 10)


def test_entities_of_a_column_on_both_sides() -> None:
    # The first column tells the halves apart; the second has the same six names in both.
    finding = found(HALVES, np.column_stack((np.arange(ROWS) // 6, 100 + np.arange(ROWS) % 6)))
    assert finding is not None
    assert finding.message.startswith("in 2 of 2 folds entities of pairs of test rows are among the training")
    assert "--method pairs:COL,COL (cv='pairs') keeps them apart" in finding.message
    assert (finding.numbers["groups"], finding.numbers["of_groups"]) == (6, 8)


def test_pairs_left_out_on_either_side_share_nothing() -> None:
    pairs = np.array([(a, b) for a in range(4) for b in range(4) if a != b])
    for splitter in (LeavePairsOut(4), LeavePairsOut(4, symmetric=True)):
        assert found(splitter.folds(groups=pairs), pairs) is None
