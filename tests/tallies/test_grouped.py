from __future__ import annotations

import numpy as np
import pytest

from tallymark.errors import MergeError
from tallymark.tallies import Confusion, Grouped


def tally(
    labels: tuple[str, ...], keys: tuple[str | int, ...], entries: list[tuple[int, int, float]]
) -> Grouped:
    """Entries are (position of the group, cell, count)."""
    group, cells, counts = (np.array(column) for column in zip(*entries, strict=True))
    total = Confusion.from_cells(labels, cells, counts)
    return Grouped(total, keys, group, cells, counts)


def test_entries_go_by_cell_then_by_group_and_equal_ones_are_added_up() -> None:
    found = tally(("a", "b"), ("p", "q"), [(1, 3, 2), (0, 0, 1), (1, 0, 4), (0, 0, 5)])
    assert found.cells.tolist() == [0, 0, 3]
    assert found.group.tolist() == [0, 1, 1]
    assert found.counts.tolist() == [6, 4, 2]
    assert len(found) == 2
    assert found.total.n == 12


def test_a_group_on_both_sides_is_one_group() -> None:
    first = tally(("a", "b"), ("p", "q"), [(0, 0, 1), (1, 3, 2)])
    second = tally(("a", "b"), ("o", "q"), [(0, 1, 5), (1, 3, 4)])
    both = first + second
    assert both.keys == ("o", "p", "q")
    by_name = {
        (both.keys[group], int(cell)): int(count)
        for group, cell, count in zip(both.group, both.cells, both.counts, strict=True)
    }
    assert by_name == {("p", 0): 1, ("o", 1): 5, ("q", 3): 6}
    assert both == second + first


def test_cells_move_when_the_labels_are_united() -> None:
    # Cell 3 of (a, c) is (c, c), which is cell 8 of (a, b, c); cell 1 of (b, c) is (b, c), cell 5.
    both = tally(("a", "c"), ("p",), [(0, 3, 1)]) + tally(("b", "c"), ("p",), [(0, 1, 1)])
    assert both.total.labels == ("a", "b", "c")
    assert both.cells.tolist() == [5, 8]


def test_groups_named_by_numbers_and_by_words_do_not_match() -> None:
    numbers = tally(("a", "b"), (1,), [(0, 0, 1)])
    # 007 is no 7: a column of numbers would not have it so.
    for name in ("p", "007", "1.0", "nan", "inf"):
        text = tally(("a", "b"), ("1", name), [(0, 0, 1), (1, 0, 1)])
        said = f"by text on one side and by numbers on the other: {name!r} and 1"
        with pytest.raises(MergeError, match=said):
            numbers + text
        with pytest.raises(MergeError, match=said):
            text + numbers
    with pytest.raises(MergeError, match="'1' and True"):
        tally(("a", "b"), (True,), [(0, 0, 1)]) + tally(("a", "b"), ("1",), [(0, 0, 1)])


def test_numbers_are_text_where_fractions_are_among_those_of_the_other_side() -> None:
    whole = tally(("a", "b"), (2, 10), [(0, 0, 1), (1, 3, 2)])
    fractions = tally(("a", "b"), ("0.5", "2"), [(0, 1, 4), (1, 0, 8)])
    both = whole + fractions
    assert both.keys == ("0.5", "10", "2")  # in the order of text
    found = zip(both.group.tolist(), both.cells.tolist(), both.counts.tolist(), strict=True)
    assert {(both.keys[group], cell): count for group, cell, count in found} == {
        ("2", 0): 9,
        ("10", 3): 2,
        ("0.5", 1): 4,
    }
    assert both == fractions + whole


def test_a_group_without_weight_is_left_out() -> None:
    found = tally(("a", "b"), ("p", "q", "r"), [(0, 0, 0.0), (1, 3, 2.0), (2, 3, 1.0), (2, 1, 0.0)])
    assert found.keys == ("q", "r")
    assert found.group.tolist() == [0, 1]
    assert found.cells.tolist() == [3, 3]


def test_it_is_a_value() -> None:
    one = tally(("a", "b"), ("p",), [(0, 0, 1)])
    assert one == tally(("a", "b"), ("p",), [(0, 0, 1)])
    assert one != tally(("a", "b"), ("q",), [(0, 0, 1)])
    assert one != tally(("a", "b"), ("p",), [(0, 1, 1)])
    assert one != "something else"
    for array in (one.group, one.cells, one.counts):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 7
    with pytest.raises(TypeError):
        one + 1  # type: ignore[operator]
    assert sum([one, one], 0).counts.tolist() == [2]
