"""`LabelSets`: kinds of rows, a 2x2 for every label, weights, by hand."""

from typing import Any

import numpy as np
import pytest

import tallymark as tm
from hand_counts import sets_of

# The sources' example: true 011, 101, 111, 101 and predicted 001, 101, 110, 110.
SIZES = [[2, 1, 1], [2, 2, 2], [3, 2, 2], [2, 2, 1]]
CELLS = [[3, 1, 2], [0, 1, 2], [0, 1, 0]]


def four(labels: Any = "abc", **given: Any) -> tm.LabelSets:
    return tm.LabelSets.from_kinds(labels, np.array(SIZES), np.ones(4, int), np.array(CELLS), **given)


def weighted(scale: float = 0.5) -> tm.LabelSets:
    """The same rows, each of that weight."""
    ones, cells = np.ones(4), np.array(CELLS, float)
    squares = {"squares": ones * scale**2, "cell_squares": cells * scale**2, "rows": 4}
    return tm.LabelSets.from_kinds("abc", np.array(SIZES), ones * scale, cells * scale, **squares)


def test_what_it_holds() -> None:
    tally = four()
    assert tally.labels == ("a", "b", "c")
    assert tally.sizes.tolist() == sorted(SIZES)
    assert (tally.n, tally.rows, tally.effective_n) == (4, 4, 4)
    assert (tally.squares, tally.cell_squares) == (None, None)
    rows = [["b", "c"], ["a", "c"], ["a", "b", "c"], ["a", "c"]], [["c"], ["a", "c"], ["a", "b"], ["a", "b"]]
    counted = sets_of(*rows, "abc")
    assert (counted.sizes.tolist(), counted.cells.tolist()) == (sorted(SIZES), CELLS)
    evaluated = tm.evaluate(*rows)
    for name in ("subset_accuracy", "f1_example", "hamming_loss", "recall_macro", "f1_micro"):
        here, there = counted.evaluate()[name], evaluated[name]
        assert (here.value, here.low, here.high) == (there.value, there.low, there.high)


def test_every_label_is_a_2x2_and_pooled_they_are_their_sum() -> None:
    tally = four()
    assert [getattr(tally.each, cell).tolist() for cell in ("tp", "fn", "fp", "tn")] == [*CELLS, [1, 1, 0]]
    assert tally.binary("b") == tm.Binary(1, 1, 1, 1, "b")
    assert tally.confusion(2).matrix.tolist() == [[2, 2], [0, 0]]
    assert tally.pooled == tm.Binary(3 + 1 + 2, 0 + 1 + 2, 0 + 1 + 0, 1 + 1 + 0)
    assert {type(count) for count in (tally.binary("a").tp, tally.binary("a").tn, tally.pooled.tp)} == {int}
    with pytest.raises(tm.LabelError):
        tally.binary("A")


def test_the_kinds_of_rows_work_over_draws() -> None:
    sizes = four().set_sizes
    drawn = type(sizes)(sizes.actual, sizes.predicted, sizes.both, np.array([[1, 1, 1, 1], [2, 0, 0, 0]]), 3)
    assert drawn.n.tolist() == [4, 2]
    # Kinds ascend, so the first is (2, 1, 1): one hit, one miss, no false alarm, one label in neither.
    pooled = [getattr(drawn.pooled, cell).tolist() for cell in ("tp", "fn", "fp", "tn")]
    assert pooled == [[6, 2], [3, 2], [1, 0], [2, 2]]


def test_repeated_kinds_are_added_and_empty_ones_left_out() -> None:
    sizes = np.array([[1, 1, 1], [1, 0, 0], [1, 1, 1], [0, 0, 0]])
    tally = tm.LabelSets.from_kinds("a", sizes, np.array([2, 1, 3, 0]), np.array([[5], [1], [0]]))
    assert tally.sizes.tolist() == [[1, 0, 0], [1, 1, 1]]
    assert (tally.counts.tolist(), tally.rows) == ([1, 5], 6)


def test_weights_keep_the_effective_number_of_rows() -> None:
    tally = weighted(0.5)
    assert (tally.n, tally.rows, tally.effective_n) == (2.0, 4, pytest.approx(4))
    assert tally.confusion(0).matrix.tolist() == [[1.5, 0], [0, 0.5]]
    assert tally.confusion(0).effective_n == pytest.approx(4)
    both = tally + weighted(2.0)
    assert (both.n, both.rows) == (10, 8)
    assert both.effective_n == pytest.approx(100 / (4 * 0.25 + 4 * 4))
    assert both.cell_squares.tolist() == (np.array(CELLS) * 4.25).tolist()


def test_differences_of_fractions_leave_no_dust() -> None:
    # 0.1 + 0.2 misses 0.3 by a bit; a label that every row has has no row without it.
    tally = tm.LabelSets.from_kinds(
        "a",
        np.array([[1, 0, 0], [1, 1, 1]]),
        np.array([0.1 + 0.2, 0.7]),
        np.array([[0.7], [0.3], [0.0]]),
        squares=np.array([0.05, 0.49]),
        cell_squares=np.array([[0.49], [0.05], [0.0]]),
        rows=3,
    )
    assert tally.each.tn.tolist() == [0.0]
    assert len(tally.confusion(0).squares) == 2


def test_nothing_weighed_can_be_added_to_either_kind() -> None:
    none, wide = np.empty(0), np.empty((3, 0))
    nothing = tm.LabelSets.from_kinds(
        (), np.empty((0, 3)), none, wide, squares=none, cell_squares=wide, rows=0
    )
    assert nothing + four() == four()
    assert weighted() + nothing == weighted()


def test_labels_of_both_sides_are_united_in_order() -> None:
    first = tm.LabelSets.from_kinds(
        "ac", np.array([[2, 1, 1]]), np.array([1]), np.array([[1, 0], [0, 1], [0, 0]])
    )
    second = tm.LabelSets.from_kinds("b", np.array([[0, 1, 0]]), np.array([2]), np.array([[0], [0], [2]]))
    merged = first + second
    assert merged.labels == ("a", "b", "c")
    assert merged.cells.tolist() == [[1, 0, 0], [0, 0, 1], [0, 2, 0]]
    assert (merged.sizes.tolist(), merged.counts.tolist()) == ([[0, 1, 0], [2, 1, 1]], [2, 1])
    assert (four(declared=True) + four(declared=True)).declared
    total = four(dropped={"missing_actual": 2, "missing_predicted": 0}) + four(dropped={"missing_actual": 1})
    assert dict(total.dropped) == {"missing_actual": 3}
    keyed = tm.Keyed({"north": four()}) + tm.Keyed({"north": four(), "south": four()})
    assert keyed["north"].rows == 8


def test_rows_that_two_labels_share_are_added_where_the_labels_come_to_stand() -> None:
    """Joint counts of hits, misses and false alarms of every two labels; of too many there are none."""
    rows = [["a", "c"], ["c"], ["b"], ["b", "c"]], [["a"], ["a", "c"], ["b"], ["c"]]
    one = sets_of(*(side[:2] for side in rows), "ac")
    two = sets_of(*(side[2:] for side in rows), "bc")
    whole = sets_of(*rows, "abc")
    assert (one + two).joint.tolist() == whole.joint.tolist()
    assert one + two == two + one == whole
    # Hits of a and misses of c: the first row alone.
    assert whole.joint[0, 3 + 2] == 1
    assert (one + four()).joint is None
    many = [f"{place:03}" for place in range(99)]
    assert (sets_of([many], [many], many) + one).joint is None


def test_many_rows_do_not_overflow() -> None:
    count = 2**40
    tally = tm.LabelSets.from_kinds(
        "a", np.array([[1, 1, 1], [0, 0, 0]]), np.array([count, count]), np.array([[count], [0], [0]])
    )
    assert (tally.each.tp * tally.each.tn).tolist() == [2.0**80]
    assert tally.binary("a") == tm.Binary(count, 0, 0, count, "a")
