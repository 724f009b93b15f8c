"""Of two classes either may be asked about: what is said of one does not depend on where it stands."""

from __future__ import annotations

import numpy as np
import pytest

from tallymark.inference.cells import GroupCells
from tallymark.inference.paired import PairedSample
from tallymark.inference.paired_scores.classes import paired_classes
from tallymark.intake.pairing import count_paired
from tallymark.metrics import ask
from tallymark.tallies import Confusion, Grouped

RNG = np.random.default_rng(2)
N = 400
# Few rows are of class 0, so numbers of the two classes are far from each other.
ACTUAL = (RNG.random(N) < 0.8).astype(int)
ANSWERS = tuple(np.where(RNG.random(N) < right, ACTUAL, 1 - ACTUAL) for right in (0.9, 0.7))


def sample(actual: np.ndarray, a: np.ndarray, b: np.ndarray) -> PairedSample:
    paired, groups = count_paired((0, 1), ("a", "b"), actual, (a, b))
    return PairedSample(paired, groups=groups)


@pytest.mark.parametrize("name", ["f_beta:2", "markedness", "mcc"])
def test_the_first_class_of_two_is_as_the_second_with_names_exchanged(name: str) -> None:
    found = sample(ACTUAL, *ANSWERS).of(ask(name), 0)
    other = sample(1 - ACTUAL, *(1 - each for each in ANSWERS)).of(ask(name), 1)
    assert found.value == pytest.approx(other.value)
    # Both are made from draws, which differ.
    assert (found.low, found.high) == pytest.approx((other.low, other.high), abs=0.02)


@pytest.mark.parametrize("name", ["auc_ovr_macro", "auc_ovo_weighted"])
def test_the_method_says_whether_rows_or_groups_were_taken_for_independent(name: str) -> None:
    tables = [RNG.dirichlet(np.ones(3), 90) for _ in range(2)]
    label = np.arange(90) % 3
    rows = paired_classes(*tables, label, labels=range(3)).of(ask(name))
    groups = paired_classes(*tables, label, labels=range(3), groups=(30, np.arange(90) // 3)).of(ask(name))
    assert (rows.method, groups.method) == ("linearised", "linearised_groups")


@pytest.mark.parametrize("position", [0, 1])
def test_of_two_classes_rows_of_groups_weigh_the_same_in_the_table_and_in_either_class(position: int) -> None:
    # Of each entry its group, its cell and its rows; errors are in some groups only.
    group, cells = np.array([0, 1, 2, 3, 0, 2, 3, 0, 1, 2, 3]), np.array([0, 0, 0, 0, 1, 1, 2, 3, 3, 3, 3])
    counts = np.array([9, 4, 7, 2, 3, 1, 2, 5, 8, 6, 4])
    grouped = Grouped(Confusion.from_cells((0, 1), cells, counts), (0, 1, 2, 3), group, cells, counts)
    table = GroupCells.of(grouped, np.arange(4), 1.0)
    assert GroupCells.of_class(grouped, position, 1.0).row == pytest.approx(table.row)
