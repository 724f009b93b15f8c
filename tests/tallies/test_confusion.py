"""`Confusion`: how it is made, what is refused, and what is read from it, by hand."""

import math

import numpy as np
import pandas as pd
import pytest

import tallymark as tm
from collected import each
from scored import classes, refusals

# Tan, Steinbach & Kumar, Introduction to Data Mining, ch. 4: the cost-sensitive example.
TEXTBOOK = [[150, 40], [60, 250]]
THREE = [[5, 1, 0], [2, 7, 3], [0, 0, 0]]
BIG = 2**63


def textbook() -> tm.Confusion:
    return tm.Confusion(TEXTBOOK, labels=["+", "-"])


def test_a_matrix_of_any_kind_of_whole_numbers() -> None:
    arrays = (np.array(TEXTBOOK, kind) for kind in (int, np.uint8, np.float32))
    others = [[150.0, 40.0], [60.0, 250.0]], np.array([[150, 60], [40, 250]]).T
    for matrix in (TEXTBOOK, tuple(map(tuple, TEXTBOOK)), *arrays, *others):
        tally = tm.Confusion(matrix, labels=["+", "-"])
        assert tally == textbook()
        assert tally.matrix.tolist() == TEXTBOOK
        assert tally.matrix.dtype == np.int64
        assert (tally.n, type(tally.n), tally.declared) == (500, int, True)


def test_labels_have_a_default_and_those_of_numpy_become_plain() -> None:
    assert tm.Confusion(THREE).labels == ("class 1", "class 2", "class 3")
    assert tm.Confusion([[7]]).labels == ("class 1",)
    for labels in (np.array([0, 1]), np.array([False, True]), np.array(["a", "b"]), [0.0, 1.0]):
        plain = list(map(int, labels)) if isinstance(labels, list) else labels.tolist()
        found = tm.Confusion(TEXTBOOK, labels=labels).labels
        assert list(found) == plain
        assert list(map(type, found)) == list(map(type, plain))


REFUSED = {
    "ragged": lambda: tm.Confusion([[1, 2], [3]]),
    "not square": lambda: tm.Confusion([[1, 2, 3], [4, 5, 6]]),
    "a list": lambda: tm.Confusion([1, 2]),
    "nothing": lambda: tm.Confusion(np.empty((0, 0))),
    "a cube": lambda: tm.Confusion([[[1, 2], [3, 4]]]),
    "below 0": lambda: tm.Confusion([[1, 2], [3, -4]]),
    "a half": lambda: tm.Confusion([[1, 0.5], [3, 4]]),
    "nan": lambda: tm.Confusion([[1, 2], [math.nan, 4]]),
    "infinite": lambda: tm.Confusion([[1, 2], [math.inf, 4]]),
    "text": lambda: tm.Confusion([["1", "2"], ["3", "4"]]),
    "booleans": lambda: tm.Confusion([[True, False], [False, True]]),
    "objects": lambda: tm.Confusion([[2**64, 2], [1, None]]),
    "more than floats hold": lambda: tm.Confusion([[2**53, 2], [1, 0]]),
    "more than int64 holds": lambda: tm.Confusion([[BIG, 2], [1, 0]]),
    "more than uint64 holds": lambda: tm.Confusion([[2**64, 2], [1, 0]]),
    "much more": lambda: tm.Confusion([[1, 2], [10**30, 0]]),
    "overflowing": lambda: tm.Confusion(np.full((2, 2), BIG, np.uint64)),
    "much more in floats": lambda: tm.Confusion([[1e300, 2], [1, 0]]),
    "a data frame": lambda: tm.Confusion(pd.crosstab(pd.Series(list("aabb")), pd.Series(list("bcbc")))),
}
UNFIT = {
    "too many labels": lambda: tm.Confusion(TEXTBOOK, labels=["a", "b", "c"]),
    "no labels": lambda: tm.Confusion(TEXTBOOK, labels=[]),
    "equal labels": lambda: tm.Confusion(TEXTBOOK, labels=["a", "a"]),
    "1 and True": lambda: tm.Confusion(TEXTBOOK, labels=[1, True]),
    "text and numbers": lambda: tm.Confusion(TEXTBOOK, labels=[1, "a"]),
    "a fraction": lambda: tm.Confusion(TEXTBOOK, labels=[0.5, 1]),
    "a set": lambda: tm.Confusion(TEXTBOOK, labels={"a"}),
    "a mapping": lambda: tm.Confusion(TEXTBOOK, labels={"a": 1, "b": 2}),
    "one text": lambda: tm.Confusion(TEXTBOOK, labels="+-"),
    "an unknown class": lambda: textbook().binary("2"),
    "several classes": lambda: textbook().binary(["+"]),
    "a negative count": lambda: tm.Binary(1, 2, -3, 4),
}


def test_what_is_no_matrix_of_counts_is_refused(snapshot) -> None:
    matrices, labels = refusals(REFUSED), refusals(UNFIT)
    assert set(classes(matrices).values()) == {"ShapeError"}
    kinds = classes(labels)
    assert kinds.pop("a negative count") == "ShapeError"
    assert set(kinds.values()) == {"LabelError"}
    snapshot("tallies_errors_of_matrices", matrices | labels)


def test_from_cells_takes_any_order_adds_repeats_and_forgets_zeros() -> None:
    tally = tm.Confusion.from_cells(("a", "b"), np.array([3, 0, 3, 1, 2]), np.array([4, 1, 6, 0, 0]))
    assert tally.cells.tolist() == [0, 3]
    assert tally.counts.tolist() == [1, 10]
    assert (tally.rows, tally.declared) == (11, False)
    assert tm.Confusion(THREE).cells.tolist() == [0, 1, 3, 4, 5]
    squares = np.array([1.5, 2.0, 2.5, 0.0, 0.0])
    weighted = tm.Confusion.from_cells(
        "ab", tally.cells[[1, 0, 1, 0, 0]], np.array([4.0, 1, 6, 0, 0]), squares=squares, rows=4
    )
    assert (weighted.squares.tolist(), weighted.rows, weighted.n) == ([2, 4], 4, 11)
    assert weighted.effective_n == pytest.approx(121 / 6)
    assert tally.effective_n == 11
    # Nothing was weighed where there are no rows.
    none = np.empty(0)
    assert tm.Confusion.from_cells("ab", none, none, squares=none, rows=0).squares is None


def test_counts_are_plain_integers_even_when_large() -> None:
    assert tm.Confusion([[2**52, 2**52], [0, 0]]).n == 2**53
    big = 2**51 + 1
    tally = tm.Confusion([[big, 1], [2, big]], labels=[0, 1]).binary(1)
    assert tally == tm.Binary(big, 2, 1, big, 1)
    assert {type(cell) for cell in (tally.tp, tally.fn, tally.fp, tally.tn)} == {int}


def test_totals_of_a_2x2_by_hand() -> None:
    tally = tm.Binary(tp=282, fn=75, fp=462, tn=4841)
    assert (tally.n, tally.correct, tally.wrong, tally.largest) == (5660, 5123, 537, 5303)
    assert (tally.actual_positive, tally.actual_negative) == (357, 5303)
    assert (tally.predicted_positive, tally.predicted_negative) == (744, 4916)
    assert tally.chance == 357 * 744 + 5303 * 4916
    assert tally.relevant == 282 + 75 + 462
    assert tm.Binary(1, 2, 3, 4, "a").swapped() == tm.Binary(4, 3, 2, 1)
    assert tm.Binary(1, 2, 3, 4, "a") + tm.Binary(5, 6, 7, 8, "a") == tm.Binary(6, 8, 10, 12, "a")


def test_margins_by_hand() -> None:
    margins = tm.Confusion(THREE).margins
    assert (margins.hits.tolist(), margins.actual.tolist()) == ([5, 7, 0], [6, 12, 0])
    assert (margins.predicted.tolist(), margins.n) == ([7, 8, 3], 18)
    assert (margins.correct, margins.wrong, margins.largest) == (12, 6, 12)
    chance = 6 * 7 + 12 * 8
    assert (margins.chance, margins.beyond_chance) == (chance, 18 * 12 - chance)
    assert margins.unlike_chance == 18**2 - chance
    assert (margins.unlike_actual, margins.unlike_predicted) == (18**2 - 36 - 144, 18**2 - 49 - 64 - 9)
    every = margins.each
    assert (every.tp.tolist(), every.fn.tolist()) == ([5, 7, 0], [1, 5, 0])
    assert (every.fp.tolist(), every.tn.tolist()) == ([2, 1, 3], [10, 5, 15])
    assert margins.pooled == tm.Binary(12, 6, 6, 30)
    assert tm.Confusion(THREE).binary("class 2") == tm.Binary(7, 5, 1, 5, "class 2")
    for name in ("hits", "actual", "predicted"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(margins, name)[0] = 9


def weighted(matrix: list[list[float]]) -> tm.Confusion:
    size, counts = len(matrix), np.array(matrix, float).ravel()
    cells = np.arange(size * size)
    return tm.Confusion.from_cells(
        range(size), cells, counts, squares=counts**2, rows=size * size, declared=True
    )


@each("small", [1e-9, 3e-7])
def test_a_light_error_beside_heavy_rows_is_kept(small) -> None:
    # 1e9 + 1e-9 is 1e9 in floats, so 1e9 + 1e-9 - 1e9 would be 0.
    every = weighted([[1e9, small, 0], [0, 1e9, 2 * small], [0, 0, 1e9]]).margins.each
    assert every.fn.tolist() == [small, 2 * small, 0]
    assert every.fp.tolist() == [0, small, 2 * small]
    assert every.tp.tolist() == [1e9, 1e9, 1e9]
    # Of class 0 all other rows are true negatives, 3 of them.
    light = weighted([[1e9, 0, 0], [0, 1e-9, 0], [0, 1e-9, 1e-9]]).margins.each
    assert light.tn[0] == pytest.approx(3e-9, rel=1e-15)


def test_normalized_by_hand() -> None:
    tally = textbook()
    assert tally.normalized("actual").tolist() == [[150 / 190, 40 / 190], [60 / 310, 250 / 310]]
    assert tally.normalized("predicted").tolist() == [[150 / 210, 40 / 290], [60 / 210, 250 / 290]]
    assert tally.normalized("all").tolist() == [[0.3, 0.08], [0.12, 0.5]]
    three = tm.Confusion(THREE)
    assert np.isnan(three.normalized("actual")[2]).all()
    assert not np.isnan(three.normalized("predicted")).any()
    assert three.cell_shares("actual").tolist() == [5 / 6, 1 / 6, 2 / 12, 7 / 12, 3 / 12]
    assert three.cell_shares("predicted").tolist() == [5 / 7, 1 / 8, 2 / 7, 7 / 8, 3 / 3]
    assert three.cell_shares("all").tolist() == [5 / 18, 1 / 18, 2 / 18, 7 / 18, 3 / 18]


def test_other_names_add_up_what_gets_one_name() -> None:
    tally = tm.Confusion(THREE, labels=["a", "b", "c"])
    pooled = tally.relabelled(["rest", "b", "rest"])
    assert (pooled.labels, pooled.declared) == (("b", "rest"), True)
    assert pooled.matrix.tolist() == [[7, 5], [1, 5]]
    assert tally.relabelled(["rest", "b", "rest"], order=["rest", "b"]).matrix.tolist() == [[5, 1], [5, 7]]
    counts, squares = np.array([2.0, 1.0, 3.0, 4.0]), np.array([2.5, 1.0, 5.0, 16.0])
    heavy = tm.Confusion.from_cells(
        "abc", np.array([0, 1, 4, 8]), counts, squares=squares, rows=7, dropped={"missing_actual": 2}
    )
    # b and c become one class, with squares of 5 + 16 within it.
    pooled = heavy.relabelled(["a", "rest", "rest"])
    assert pooled.matrix.tolist() == [[2, 1], [0, 7]]
    assert (pooled.squares.tolist(), pooled.rows, pooled.declared) == ([2.5, 1, 21], 7, False)
    assert dict(pooled.dropped) == {"missing_actual": 2}


def test_other_class_shares_multiply_each_actual_class() -> None:
    assert textbook().scaled(np.array([2.0, 0.5])).matrix.tolist() == [[300, 80], [30, 125]]
    counts, squares = np.array([2.0, 1.0, 3.0]), np.array([2.5, 1.0, 5.0])
    tally = tm.Confusion.from_cells("ab", np.array([0, 1, 3]), counts, squares=squares, rows=6)
    scaled = tally.scaled(np.array([3.0, 0.5]))
    assert scaled.counts.tolist() == [6, 3, 1.5]
    # Weights three times and half as heavy have nine times and a quarter of their squares.
    assert scaled.squares.tolist() == [22.5, 9, 1.25]
    assert scaled.effective_n == pytest.approx(10.5**2 / 32.75)
    assert (scaled.rows, scaled.labels) == (6, ("a", "b"))
