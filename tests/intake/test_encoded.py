"""Rows encoded and counted by key, beside a naive count row by row."""

from __future__ import annotations

import math
from collections import defaultdict
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tallymark.errors import ShapeError
from tallymark.intake.columns import LabelColumn, label_column
from tallymark.intake.counting import _NARROW, count_keys
from tallymark.intake.encoded import Encoded, distinct, encoded, positions_among

some = settings(max_examples=60, deadline=None)


# --- positions -------------------------------------------------------------------------------


@some
@given(st.lists(st.integers(-(2**62), 2**62), max_size=30) | st.lists(st.integers(-5, 5), max_size=30))
def test_distinct_codes_near_and_far(codes: list[int]) -> None:
    found, which = distinct(np.array(codes, np.int64))
    assert found.tolist() == sorted(set(codes))
    assert found[which].tolist() == codes


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([3, -1, 3, 10], (-1, 3, 10)),
        (["b", "a", "b"], ("a", "b")),
        (["10", "2", "a"], ("10", "2", "a")),
        ([True, False, True], (False, True)),
        ([2**60, 0], (0, 2**60)),
    ],
)
def test_distinct_values_of_a_column_in_order(values: list[Any], expected: tuple[Any, ...]) -> None:
    found, positions = encoded(label_column(values, "group"))
    assert found == expected
    assert [found[position] for position in positions] == values


def test_text_as_a_file_has_it_comes_in_order_too() -> None:
    # Codes of a file go by first appearance.
    found, positions = encoded(LabelColumn("group", np.array([0, 1, 2, 1]), ("z", "b", "unused", "a")[:3]))
    assert found == ("b", "unused", "z")
    assert positions.tolist() == [2, 0, 1, 0]


def test_positions_among_the_labels_of_a_finished_tally() -> None:
    # Text that was read as whole numbers: '1' and '1.0' are the label 1.
    column = label_column(["1", "0", "1.0"], "actual")
    assert positions_among(column, (0, 1)).tolist() == [1, 0, 1]
    assert positions_among(label_column([5, 7, 5], "actual"), (7, 5)).tolist() == [1, 0, 1]


# --- counting by key -------------------------------------------------------------------------


def naive(keys: list[int], weights: list[float]) -> dict[int, tuple[float, float]]:
    each = defaultdict(list)
    for key, weight in zip(keys, weights, strict=True):
        each[key].append(weight)
    return {key: (math.fsum(found), math.fsum(w * w for w in found)) for key, found in sorted(each.items())}


@some
@given(
    st.lists(
        st.tuples(st.sampled_from([0, 1, 7, 100, _NARROW, 2**40]), st.floats(1e-3, 1e3)),
        min_size=1,
        max_size=40,
    )
)
def test_sums_of_weights_and_of_their_squares(rows: list[tuple[int, float]]) -> None:
    keys, weights = (list(column) for column in zip(*rows, strict=True))
    found = count_keys(np.array(keys), np.array(weights))
    assert found.squares is not None
    expected = naive(keys, weights)
    assert found.keys.tolist() == list(expected)
    sums = list(zip(found.counts.tolist(), found.squares.tolist(), strict=True))
    for ours, theirs in zip(sums, expected.values(), strict=True):
        assert ours == pytest.approx(theirs, rel=1e-14)


def test_without_weights_rows_are_counted() -> None:
    found = count_keys(np.array([3, 0, 3, 2**40]), None)
    assert found.keys.tolist() == [0, 3, 2**40]
    assert found.counts.tolist() == [1, 2, 1]
    assert found.squares is None


def test_whole_weights_stay_whole_as_long_as_their_squares_are_exact() -> None:
    small = count_keys(np.array([0, 0]), np.array([3, 4]))
    assert small.squares is not None
    assert (small.counts.dtype.kind, small.squares.dtype.kind) == ("i", "i")
    assert (small.counts.tolist(), small.squares.tolist()) == ([7], [25])
    large = count_keys(np.array([0, 0]), np.array([4_000_000_000, 1]))
    assert large.squares is not None
    assert (large.counts.dtype.kind, large.squares.dtype.kind) == ("i", "f")
    assert large.counts.tolist() == [4_000_000_001]
    assert large.squares.tolist() == [1.6e19]


def test_many_rows_of_very_different_weight() -> None:
    # Blocks of one size after blocks of another: what adding them rounds away is not lost.
    weights = np.concatenate([np.full(50_000, 1e12), np.full(500_000, 0.1), np.full(50_000, 1e-3)])
    found = count_keys(np.zeros(len(weights), np.int64), weights)
    assert found.counts[0] == pytest.approx(math.fsum(weights), rel=1e-14)


# --- tallies ---------------------------------------------------------------------------------


def rows(**options: Any) -> Encoded:
    actual, predicted = np.array([0, 0, 1, 1, 1, 0]), np.array([0, 1, 1, 1, 0, 0])
    return Encoded(("no", "yes"), actual, predicted, **options)


def test_a_plain_tally() -> None:
    tally = rows().tally(declared=False, dropped={"missing_actual": 2})
    assert tally.matrix.tolist() == [[2, 1], [1, 2]]
    assert tally.squares is None
    assert (tally.rows, dict(tally.dropped)) == (6, {"missing_actual": 2})


def test_a_tally_with_weights() -> None:
    tally = rows(weight=np.array([1, 2, 3, 4, 5, 6])).tally(declared=True)
    assert tally.matrix.tolist() == [[7, 2], [5, 7]]
    assert tally.squared is not None
    assert tally.squared.matrix.tolist() == [[37, 4], [25, 25]]
    assert (tally.rows, tally.n) == (6, 21)
    assert tally.effective_n == pytest.approx(21**2 / 91)


def test_a_tally_of_frequencies_has_no_squares_and_more_rows() -> None:
    tally = rows(weight=np.array([1, 2, 3, 4, 5, 6]), weight_kind="frequency").tally(declared=True)
    assert tally.squares is None
    assert (tally.rows, tally.n, tally.effective_n) == (21, 21, 21)


def test_groups_beside_the_total() -> None:
    group = label_column(["q", "p", "q", "q", "p", "p"], "group")
    side = rows(group=group)
    found = side.grouped(side.tally(declared=False))
    assert found.keys == ("p", "q")
    entries = zip(found.cells.tolist(), found.group.tolist(), found.counts.tolist(), strict=True)
    assert list(entries) == [(0, 0, 1), (0, 1, 1), (1, 0, 1), (2, 0, 1), (3, 1, 2)]


def test_some_of_the_rows() -> None:
    score = np.linspace(0, 1, 6)
    side = rows(weight=np.arange(6), score=score, group=label_column([1, 2, 1, 2, 1, 2], "group"))
    part = side.at(np.array([0, 4]))
    assert len(part) == 2
    assert part.actual.tolist() == [0, 1]
    assert part.score is not None
    assert part.weight is not None
    assert part.group is not None
    assert (part.score.tolist(), part.weight.tolist()) == ([0.0, 0.8], [0, 4])
    assert part.group.values.tolist() == [1, 1]
    assert part.labels == side.labels


def test_groups_and_slices_as_long_as_the_rows() -> None:
    import tallymark as tm

    with pytest.raises(ShapeError, match="actual has 2 rows and group has 3"):
        tm.evaluate([1, 0], [1, 0], groups=[1, 2, 3])
    with pytest.raises(ShapeError, match=r"actual has 2 rows and slice \(column 'region'\) has 1"):
        tm.evaluate([1, 0], [1, 0], slices={"region": ["north"]})
