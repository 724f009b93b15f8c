from __future__ import annotations

import json
import pickle
from dataclasses import FrozenInstanceError
from typing import Any

import numpy as np
import pytest

from tallymark.errors import LabelError, MergeError
from tallymark.tallies import Binary, Keyed, LabelSets, from_dict

# The sources' example: true 011, 101, 111, 101 and predicted 001, 101, 110, 110.
SIZES = [[2, 1, 1], [2, 2, 2], [3, 2, 2], [2, 2, 1]]
CELLS = [[3, 1, 2], [0, 1, 2], [0, 1, 0]]


def four(labels: Any = "abc", **given: Any) -> LabelSets:
    return LabelSets.from_kinds(labels, np.array(SIZES), np.ones(4, int), np.array(CELLS), **given)


def weighted(scale: float = 0.5) -> LabelSets:
    """The same rows, each of that weight."""
    ones = np.ones(4)
    cells = np.array(CELLS, float)
    return LabelSets.from_kinds(
        "abc",
        np.array(SIZES),
        ones * scale,
        cells * scale,
        squares=ones * scale**2,
        cell_squares=cells * scale**2,
        rows=4,
    )


def test_what_it_holds() -> None:
    tally = four()
    assert tally.labels == ("a", "b", "c")
    assert tally.sizes.tolist() == sorted(SIZES)
    assert (tally.n, tally.rows, tally.effective_n) == (4, 4, 4)
    assert (tally.squares, tally.cell_squares) == (None, None)
    assert repr(tally) == "LabelSets(3 labels ['a', 'b', 'c'], 4 rows)"


def test_every_label_is_a_2x2() -> None:
    tally = four()
    assert [cell.tolist() for cell in (tally.each.tp, tally.each.fn, tally.each.fp, tally.each.tn)] == [
        [3, 1, 2],
        [0, 1, 2],
        [0, 1, 0],
        [1, 1, 0],
    ]
    assert tally.binary("b") == Binary(1, 1, 1, 1, "b")
    assert all(isinstance(count, int) for count in (tally.binary("a").tp, tally.binary("a").tn))
    assert tally.confusion(2).matrix.tolist() == [[2, 2], [0, 0]]


def test_pooled_is_the_sum_over_the_labels() -> None:
    tally = four()
    assert tally.pooled == Binary(3 + 1 + 2, 0 + 1 + 2, 0 + 1 + 0, 1 + 1 + 0)
    assert isinstance(tally.pooled.tp, int)


def test_the_kinds_of_rows_work_over_draws() -> None:
    sizes = four().set_sizes
    drawn = type(sizes)(sizes.actual, sizes.predicted, sizes.both, np.array([[1, 1, 1, 1], [2, 0, 0, 0]]), 3)
    assert drawn.n.tolist() == [4, 2]
    # Kinds ascend, so the first is (2, 1, 1): one hit, one miss, no false alarm, one label in neither.
    assert [
        cell.tolist() for cell in (drawn.pooled.tp, drawn.pooled.fn, drawn.pooled.fp, drawn.pooled.tn)
    ] == [
        [6, 2],
        [3, 2],
        [1, 0],
        [2, 2],
    ]


def test_repeated_kinds_are_added_and_empty_ones_left_out() -> None:
    sizes = np.array([[1, 1, 1], [1, 0, 0], [1, 1, 1], [0, 0, 0]])
    tally = LabelSets.from_kinds("a", sizes, np.array([2, 1, 3, 0]), np.array([[5], [1], [0]]))
    assert tally.sizes.tolist() == [[1, 0, 0], [1, 1, 1]]
    assert (tally.counts.tolist(), tally.rows) == ([1, 5], 6)


def test_an_unknown_label_is_an_error() -> None:
    with pytest.raises(LabelError, match=r"label='A' is not a label; labels are \['a', 'b', 'c'\]"):
        four().binary("A")


# --- weights -----------------------------------------------------------------------------------


def test_weights_keep_the_effective_number_of_rows() -> None:
    tally = weighted(0.5)
    assert (tally.n, tally.rows, tally.effective_n) == (2.0, 4, pytest.approx(4))
    assert repr(tally) == "LabelSets(3 labels ['a', 'b', 'c'], 4 rows, weight 2)"
    assert tally.confusion(0).matrix.tolist() == [[1.5, 0], [0, 0.5]]
    assert tally.confusion(0).effective_n == pytest.approx(4)


def test_differences_of_fractions_leave_no_dust() -> None:
    # 0.1 + 0.2 misses 0.3 by a bit; a label that every row has has no row without it.
    tally = LabelSets.from_kinds(
        "a",
        np.array([[1, 0, 0], [1, 1, 1]]),
        np.array([0.1 + 0.2, 0.7]),
        np.array([[0.7], [0.3], [0.0]]),
        squares=np.array([0.05, 0.49]),
        cell_squares=np.array([[0.49], [0.05], [0.0]]),
        rows=3,
    )
    assert tally.each.tn.tolist() == [0.0]
    assert tally.confusion(0).squares is not None
    assert len(tally.confusion(0).squares) == 2


def test_weighted_and_unweighted_are_not_added() -> None:
    for first, second in ((weighted(), four()), (four(), weighted())):
        with pytest.raises(
            MergeError, match=r"4 rows, weight 2\) and LabelSets\(3 labels .* 4 rows\)"
        ) as caught:
            first + second
        assert caught.value.hint == "count both with weights; weight 1 is a plain row."


def test_a_tally_without_rows_can_be_added_to_both() -> None:
    none = np.empty(0)
    nothing = LabelSets.from_kinds(
        (), np.empty((0, 3)), none, np.empty((3, 0)), squares=none, cell_squares=np.empty((3, 0)), rows=0
    )
    assert nothing + four() == four()
    assert weighted() + nothing == weighted()
    assert LabelSets.empty() + weighted() == weighted()


# --- adding ------------------------------------------------------------------------------------


def test_labels_of_both_sides_are_united_in_order() -> None:
    first = LabelSets.from_kinds(
        "ac", np.array([[2, 1, 1]]), np.array([1]), np.array([[1, 0], [0, 1], [0, 0]])
    )
    second = LabelSets.from_kinds("b", np.array([[0, 1, 0]]), np.array([2]), np.array([[0], [0], [2]]))
    merged = first + second
    assert merged.labels == ("a", "b", "c")
    assert merged.cells.tolist() == [[1, 0, 0], [0, 0, 1], [0, 2, 0]]
    assert merged.sizes.tolist() == [[0, 1, 0], [2, 1, 1]]
    assert merged.counts.tolist() == [2, 1]


def test_declared_labels_must_be_the_same() -> None:
    assert (four(declared=True) + four(declared=True)).declared
    for other in (four("cba", declared=True), four()):
        with pytest.raises(MergeError, match=r"declared differently: \['a', 'b', 'c'\] \(declared\) and"):
            four(declared=True) + other


def test_dropped_rows_are_added() -> None:
    total = four(dropped={"missing_actual": 2, "missing_predicted": 0}) + four(dropped={"missing_actual": 1})
    assert dict(total.dropped) == {"missing_actual": 3}


def test_sum_and_strangers() -> None:
    assert sum([four(), four()]).rows == 8
    for wrong in (1, None, Binary(1, 2, 3, 4)):
        with pytest.raises(TypeError):
            four() + wrong


def test_more_rows_than_add_up_exactly_are_refused() -> None:
    large = LabelSets.from_kinds("a", np.array([[1, 1, 1]]), np.array([2**53]), np.array([[2**53], [0], [0]]))
    with pytest.raises(MergeError, match=r"2\*\*53"):
        large + large


def test_many_rows_do_not_overflow() -> None:
    count = 2**40
    tally = LabelSets.from_kinds(
        "a", np.array([[1, 1, 1], [0, 0, 0]]), np.array([count, count]), np.array([[count], [0], [0]])
    )
    assert (tally.each.tp * tally.each.tn).tolist() == [2.0**80]
    assert tally.binary("a") == Binary(count, 0, 0, count, "a")


# --- values ------------------------------------------------------------------------------------


def test_it_cannot_be_changed() -> None:
    tally: Any = four()
    with pytest.raises(FrozenInstanceError):
        tally.rows = 3
    for array in (tally.sizes, tally.counts, tally.cells):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 9
    with pytest.raises(TypeError):
        tally.dropped["missing_actual"] = 1


def test_the_arrays_it_was_made_from_stay_writeable() -> None:
    cells = np.array(CELLS)
    tally = LabelSets.from_kinds("abc", np.array(SIZES), np.ones(4, int), cells)
    cells[0, 0] = 9
    assert tally.cells[0, 0] == 3


def test_equality() -> None:
    assert four() == four()
    assert four() != weighted(1.0)
    assert four() != four("abd")
    assert four() != four(declared=True)
    assert four() != four(dropped={"missing_actual": 1})
    assert four() != 4
    with pytest.raises(TypeError):
        hash(four())


@pytest.mark.parametrize(
    "tally", [four(), four(declared=True, dropped={"missing_actual": 1}), weighted(0.3), LabelSets.empty()]
)
def test_json_and_pickle_round_trips(tally: LabelSets) -> None:
    form = json.loads(json.dumps(tally.to_dict(), allow_nan=False))
    assert from_dict(form) == tally
    assert from_dict(form).to_dict() == tally.to_dict()
    assert pickle.loads(pickle.dumps(tally)) == tally


def test_the_json_form() -> None:
    assert four().to_dict() == {
        "schema": "tallymark/label_sets/1",
        "labels": ["a", "b", "c"],
        "kinds": [[2, 1, 1, 1], [2, 2, 1, 1], [2, 2, 2, 1], [3, 2, 2, 1]],
        "tp": [3, 1, 2],
        "fn": [0, 1, 2],
        "fp": [0, 1, 0],
        "rows": 4,
        "declared": False,
        "dropped": {},
    }
    assert weighted(2.0).to_dict()["squares"]["tp"] == [12.0, 4.0, 8.0]


def test_it_can_be_kept_by_key() -> None:
    keyed = Keyed({"north": four()}) + Keyed({"north": four(), "south": four()})
    assert keyed["north"].rows == 8
    assert from_dict(keyed.to_dict()) == keyed
