"""Equal tallies: empty bins count as alike, and what goes out to a file or a worker comes back."""

from __future__ import annotations

import json
import pickle

import numpy as np
import pytest

from tallymark.intake.streams.counting import count_binned
from tallymark.tallies import Binary, Confusion, Keyed, Paired
from tallymark.tallies.binned import Binned
from tallymark.tallies.grid import Grid
from tallymark.tallies.tally import by_written

GRID = Grid(0, 1, 4)


def binned(*scores: float) -> Binned:
    return count_binned(np.array(scores), np.array(scores) > 0.5, None, "sampling", GRID)


def test_bins_without_rows_are_alike() -> None:
    assert Binned.empty(GRID) == Binned.empty(GRID)
    assert binned(0.1, 0.6) == binned(0.6, 0.1)
    assert binned(0.1) + binned(0.6) == binned(0.1, 0.6)


def test_other_scores_in_the_same_bins_are_not() -> None:
    assert binned(0.1, 0.6) != binned(0.2, 0.6)
    assert binned(0.1, 0.6) != binned(0.1, 0.6, 0.6)
    assert binned(0.1) != Binned.empty(GRID)


def test_dropped_rows_of_pairs_come_back_from_a_file() -> None:
    pairs = Paired.from_cells(
        ("no", "yes"),
        ("tree", "bayes"),
        np.array([[0, 0, 1], [1, 1, 1]]),
        np.array([3, 4]),
        dropped={"missing answer": 2},
    )
    again = Paired.from_dict(json.loads(json.dumps(pairs.to_dict())))
    assert dict(again.dropped) == {"missing answer": 2}
    assert again == pairs
    assert dict((again + pairs).dropped) == {"missing answer": 4}


def test_tallies_by_key_come_back_from_a_pickle() -> None:
    keyed = Keyed({"north": Binary(1, 2, 3, 4, "yes"), ("south", 2): Binary(5, 6, 7, 8, "yes")})
    again = pickle.loads(pickle.dumps(keyed))
    assert dict(again) == dict(keyed)
    assert again.total() == Binary(6, 8, 10, 12, "yes")


def test_classes_of_another_share_keep_their_squared_weights() -> None:
    counts, squares = np.array([2.0, 1.0, 3.0]), np.array([2.5, 1.0, 5.0])
    tally = Confusion.from_cells("ab", np.array([0, 1, 3]), counts, squares=squares, rows=6, declared=True)
    scaled = tally.scaled(np.array([3.0, 0.5]))
    assert scaled.counts.tolist() == [6, 3, 1.5]
    # Weights three times and half as heavy have nine times and a quarter of their squares.
    assert scaled.squares is not None
    assert scaled.squares.tolist() == [22.5, 9, 1.25]
    assert scaled.effective_n == pytest.approx(10.5**2 / 32.75)


def test_under_other_names_squared_weights_stay() -> None:
    counts, squares = np.array([2.0, 1.0, 3.0, 4.0]), np.array([2.5, 1.0, 5.0, 16.0])
    tally = Confusion.from_cells(
        "abc", np.array([0, 1, 4, 8]), counts, squares=squares, rows=7, declared=True
    )
    # b and c become one class, with squares of 5 + 16 within it.
    pooled = tally.relabelled(["a", "rest", "rest"])
    assert pooled.matrix.tolist() == [[2, 1], [0, 7]]
    assert pooled.squares is not None
    assert pooled.squares.tolist() == [2.5, 1, 21]
    assert pooled.rows == 7


def test_keys_that_are_written_alike_are_one() -> None:
    parts = {("1", "x"): Binary(1, 2, 3, 4), (1, "x"): Binary(5, 6, 7, 8), ("2.5", "y"): Binary(1, 1, 1, 1)}
    assert by_written(parts) == {("1", "x"): Binary(6, 8, 10, 12), ("2.5", "y"): Binary(1, 1, 1, 1)}
    numbers = {(1,): Binary(1, 2, 3, 4), (2,): Binary(5, 6, 7, 8)}
    assert by_written(numbers) == numbers
