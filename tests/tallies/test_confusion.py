from __future__ import annotations

import copy
import json
import math
import pickle
from dataclasses import FrozenInstanceError
from typing import Any

import numpy as np
import pandas as pd
import pytest

from tallymark.errors import InputError, LabelError, MergeError, ShapeError
from tallymark.tallies import Binary, Confusion, from_dict
from tallymark.tallies.confusion import DENSE

# Tan, Steinbach & Kumar, Introduction to Data Mining, ch. 4: the cost-sensitive example.
TEXTBOOK = [[150, 40], [60, 250]]
THREE = [[5, 1, 0], [2, 7, 3], [0, 0, 0]]


def textbook() -> Confusion:
    return Confusion(TEXTBOOK, labels=["+", "-"])


def through_json(tally: Confusion) -> Any:
    return from_dict(json.loads(json.dumps(tally.to_dict(), allow_nan=False)))


# --- making one -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "matrix",
    [
        TEXTBOOK,
        tuple(map(tuple, TEXTBOOK)),
        np.array(TEXTBOOK),
        np.array(TEXTBOOK, np.uint8),
        np.array(TEXTBOOK, np.float32),
        [[150.0, 40.0], [60.0, 250.0]],
        np.array([[150, 60], [40, 250]]).T,
    ],
)
def test_a_matrix_of_any_kind_of_whole_numbers(matrix: Any) -> None:
    tally = Confusion(matrix, labels=["+", "-"])
    assert tally == textbook()
    assert tally.matrix.tolist() == TEXTBOOK
    assert tally.matrix.dtype == np.int64
    assert (tally.n, type(tally.n)) == (500, int)
    assert tally.declared


def test_labels_have_a_default() -> None:
    assert Confusion(THREE).labels == ("class 1", "class 2", "class 3")


def test_only_cells_with_rows_are_kept() -> None:
    tally = Confusion(THREE)
    assert tally.cells.tolist() == [0, 1, 3, 4, 5]
    assert tally.counts.tolist() == [5, 1, 2, 7, 3]


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        ([[1, 2], [3]], "the matrix has rows of different lengths."),
        ([[1, 2, 3], [4, 5, 6]], "got shape (2, 3)."),
        ([1, 2], "got shape (2,)."),
        ([[1]], "got shape (1, 1)."),
        ([[[1, 2], [3, 4]]], "got shape (1, 2, 2)."),
        ([[1, 2], [3, -4]], "row 2, column 2 holds -4."),
        ([[1, 0.5], [3, 4]], "row 1, column 2 holds 0.5."),
        ([[1, 2], [math.nan, 4]], "row 2, column 1 holds nan."),
        ([[1, 2], [math.inf, 4]], "row 2, column 1 holds inf."),
        ([["1", "2"], ["3", "4"]], "expected counts, got values of type <U1."),
        ([[True, False], [False, True]], "expected counts, got values of type bool."),
        ([[2**53, 2], [1, 0]], "counts add up to more than 2**53 and could not be added exactly."),
        ([[2**63, 2], [1, 0]], "counts add up to more than 2**53 and could not be added exactly."),
        ([[2**64, 2], [1, 0]], "counts add up to more than 2**53 and could not be added exactly."),
        ([[1, 2], [10**30, 0]], "counts add up to more than 2**53 and could not be added exactly."),
        (
            np.full((2, 2), 2**63, np.uint64),
            "counts add up to more than 2**53 and could not be added exactly.",
        ),
        ([[1e300, 2], [1, 0]], "counts add up to more than 2**53 and could not be added exactly."),
        ([[2**64, 2], [1, None]], "expected counts, got values of type object."),
    ],
)
def test_what_is_no_matrix_of_counts_is_refused(matrix: Any, message: str) -> None:
    with pytest.raises(ShapeError) as caught:
        Confusion(matrix)
    assert caught.value.message.endswith(message)


def test_counts_may_add_up_to_the_last_exact_total() -> None:
    assert Confusion([[2**52, 2**52], [0, 0]]).n == 2**53


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (["a", "b", "c"], "3 labels ['a', 'b', 'c'] for a 2 x 2 matrix."),
        (["a", "a"], "labels must differ from each other; they are ['a', 'a']."),
        ([1, True], "labels must differ from each other; they are [1, True]."),
        ([], "0 labels [] for a 2 x 2 matrix."),
    ],
)
def test_labels_that_do_not_fit_are_refused(labels: Any, message: str) -> None:
    with pytest.raises(LabelError) as caught:
        Confusion(TEXTBOOK, labels=labels)
    assert caught.value.message == message


def test_declared_labels_are_all_text_or_all_numbers() -> None:
    with pytest.raises(LabelError, match="all numbers or all text"):
        Confusion(TEXTBOOK, labels=[1, "a"])


@pytest.mark.parametrize("labels", [np.array([0, 1]), np.array([False, True]), np.array(["a", "b"])])
def test_labels_of_numpy_become_plain_ones(labels: Any) -> None:
    """What `np.unique(y)` gives is the natural thing to pass."""
    tally = Confusion(TEXTBOOK, labels=labels)
    assert [type(label) for label in tally.labels] == [type(label) for label in labels.tolist()]
    assert through_json(tally) == tally


def test_from_cells_takes_any_order_adds_repeats_and_forgets_zeros() -> None:
    tally = Confusion.from_cells(("a", "b"), np.array([3, 0, 3, 1, 2]), np.array([4, 1, 6, 0, 0]))
    assert tally.cells.tolist() == [0, 3]
    assert tally.counts.tolist() == [1, 10]
    assert not tally.declared


# --- what metrics read ----------------------------------------------------------------------------


def test_margins_by_hand() -> None:
    margins = Confusion(THREE).margins
    assert margins.hits.tolist() == [5, 7, 0]
    assert margins.actual.tolist() == [6, 12, 0]
    assert margins.predicted.tolist() == [7, 8, 3]
    assert margins.n == 18


@pytest.mark.parametrize(
    ("label", "cells"),
    [("class 1", (5, 1, 2, 10)), ("class 2", (7, 5, 1, 5)), ("class 3", (0, 0, 3, 15))],
)
def test_one_class_against_the_rest_by_hand(label: str, cells: tuple[int, ...]) -> None:
    assert Confusion(THREE).binary(label) == Binary(*cells, label)


def test_counts_of_one_class_are_plain_integers_even_when_large() -> None:
    big = 2**51 + 1
    tally = Confusion([[big, 1], [2, big]], labels=[0, 1]).binary(1)
    assert tally == Binary(big, 2, 1, big, 1)
    assert {type(cell) for cell in (tally.tp, tally.fn, tally.fp, tally.tn)} == {int}


def test_a_class_may_be_named_by_its_text() -> None:
    tally = Confusion(TEXTBOOK, labels=[0, 1])
    assert tally.binary("1") == tally.binary(1) == Binary(250, 60, 40, 150, 1)
    with pytest.raises(LabelError, match=r"positive='2' is not a label; labels are \[0, 1\]"):
        tally.binary("2")


def test_normalized_by_hand() -> None:
    tally = textbook()
    assert tally.normalized("actual").tolist() == [[150 / 190, 40 / 190], [60 / 310, 250 / 310]]
    assert tally.normalized("predicted").tolist() == [[150 / 210, 40 / 290], [60 / 210, 250 / 290]]
    assert tally.normalized("all").tolist() == [[0.3, 0.08], [0.12, 0.5]]
    assert np.isnan(Confusion(THREE).normalized("actual")[2]).all()
    assert not np.isnan(Confusion(THREE).normalized("predicted")).any()


def test_shares_of_the_cells_are_those_of_the_matrix() -> None:
    tally = Confusion(THREE)
    assert tally.cell_shares("actual").tolist() == [5 / 6, 1 / 6, 2 / 12, 7 / 12, 3 / 12]
    assert tally.cell_shares("predicted").tolist() == [5 / 7, 1 / 8, 2 / 7, 7 / 8, 3 / 3]
    assert tally.cell_shares("all").tolist() == [5 / 18, 1 / 18, 2 / 18, 7 / 18, 3 / 18]
    for by in ("actual", "predicted", "all"):
        assert tally.normalized(by).ravel()[tally.cells].tolist() == tally.cell_shares(by).tolist()
    assert tally.listed_cells(tally.counts) == [[0, 0, 5], [0, 1, 1], [1, 0, 2], [1, 1, 7], [1, 2, 3]]


def test_relabelled_adds_up_what_gets_one_name() -> None:
    tally = Confusion(THREE, labels=["a", "b", "c"])
    pooled = tally.relabelled(["rest", "b", "rest"])
    assert pooled.labels == ("b", "rest")
    assert pooled.matrix.tolist() == [[7, 5], [1, 5]]
    assert tally.relabelled(["rest", "b", "rest"], order=["rest", "b"]).matrix.tolist() == [[5, 1], [5, 7]]
    assert pooled.declared == tally.declared


def test_scaled_multiplies_each_actual_class() -> None:
    assert textbook().scaled(np.array([2.0, 0.5])).matrix.tolist() == [[300, 80], [30, 125]]


def test_repr_says_what_it_is() -> None:
    assert repr(textbook()) == "Confusion(2 labels ['+', '-'], 500 rows)"


# --- values ---------------------------------------------------------------------------------------


def observed(labels: tuple[Any, ...], counts: list[int], **facts: Any) -> Confusion:
    return Confusion.from_cells(labels, np.array([0, 3]), np.array(counts), **facts)


def test_equal_counts_are_equal() -> None:
    assert observed(("a", "b"), [1, 2]) == observed(("a", "b"), [1, 2])


@pytest.mark.parametrize(
    "other",
    [
        observed(("a", "b"), [1, 3]),
        observed(("a", "c"), [1, 2]),
        observed(("a", "b"), [1, 2], declared=True),
        observed(("a", "b"), [1, 2], dropped={"missing_actual": 1}),
        observed(("a", "b", "c"), [1, 2]),
        Binary(1, 0, 0, 2),
        None,
        0,
    ],
)
def test_other_counts_labels_or_facts_are_not_equal(other: Any) -> None:
    assert observed(("a", "b"), [1, 2]) != other
    assert other != observed(("a", "b"), [1, 2])


def test_a_count_of_zero_dropped_rows_is_no_difference() -> None:
    assert observed(("a", "b"), [1, 2]) == observed(("a", "b"), [1, 2], dropped={"missing_actual": 0})


def test_tallies_cannot_be_keys() -> None:
    with pytest.raises(TypeError, match="unhashable"):
        hash(textbook())


def test_only_tallies_are_added() -> None:
    for wrong in (1, None, "a", Binary(1, 2, 3, 4)):
        with pytest.raises(TypeError):
            textbook() + wrong
        with pytest.raises(TypeError):
            wrong + textbook()


@pytest.mark.parametrize("name", ["labels", "cells", "counts", "declared", "dropped", "n", "matrix", "new"])
def test_attributes_cannot_be_set(name: str) -> None:
    with pytest.raises(FrozenInstanceError):
        setattr(textbook(), name, None)


@pytest.mark.parametrize("name", ["cells", "counts", "matrix"])
def test_arrays_cannot_be_written(name: str) -> None:
    array = getattr(textbook(), name)
    with pytest.raises(ValueError, match="read-only"):
        array[0] = 9


@pytest.mark.parametrize("name", ["hits", "actual", "predicted"])
def test_margins_cannot_be_written(name: str) -> None:
    array = getattr(textbook().margins, name)
    with pytest.raises(ValueError, match="read-only"):
        array[0] = 9


def test_dropped_cannot_be_written() -> None:
    tally: Any = observed(("a", "b"), [1, 2], dropped={"missing_actual": 1})
    with pytest.raises(TypeError):
        tally.dropped["missing_actual"] = 0


def test_the_arrays_it_was_made_from_stay_the_callers_own() -> None:
    matrix = np.array(TEXTBOOK)
    cells, counts = np.array([0, 3]), np.array([1, 2])
    made, from_cells = Confusion(matrix), Confusion.from_cells(("a", "b"), cells, counts)
    matrix[:], cells[:], counts[:] = 0, 1, 7
    assert made.n == 500
    assert (from_cells.cells.tolist(), from_cells.counts.tolist()) == ([0, 3], [1, 2])


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda it: pickle.loads(pickle.dumps(it))])
def test_copies_are_equal(copied: Any) -> None:
    tally = observed(("a", "b"), [1, 2], dropped={"missing_actual": 1})
    assert copied(tally) == tally


# --- on paper -------------------------------------------------------------------------------------


def test_json_form_of_a_small_table() -> None:
    assert textbook().to_dict() == {
        "schema": "tallymark/confusion/1",
        "labels": ["+", "-"],
        "matrix": [[150, 40], [60, 250]],
        "declared": True,
        "dropped": {},
    }


@pytest.mark.parametrize("size", [DENSE, DENSE + 1])
@pytest.mark.parametrize("text", [True, False])
def test_many_labels_are_written_as_cells(size: int, text: bool) -> None:
    labels = [f"label {k:05}" if text else k for k in range(size)]
    cells = np.array([0, 5, size + 1, size * size - 1])
    tally = Confusion.from_cells(labels, cells, np.array([3, 1, 2, 9]), dropped={"missing_actual": 4})
    form = tally.to_dict()
    assert ("cells" in form, "matrix" in form) == (size > DENSE, size <= DENSE)
    if size > DENSE:
        assert form["cells"] == [[0, 0, 3], [0, 5, 1], [1, 1, 2], [size - 1, size - 1, 9]]
    back = through_json(tally)
    assert back == tally
    assert back.counts.dtype == np.int64


@pytest.mark.parametrize(
    "tally",
    [
        Confusion.empty(),
        Confusion.from_cells((), np.empty(0), np.empty(0, np.int64), dropped={"missing_actual": 3}),
        Confusion.from_cells(range(DENSE + 1), np.empty(0), np.empty(0, np.int64), declared=True),
        Confusion([[0, 0], [0, 0]], labels=[False, True]),
        observed(("a", "b"), [1, 2], dropped={"missing_score": 1, "missing_actual": 2}),
        observed((-(2**63), 2**62 + 1), [2**40, 1]),
        observed(("\u202e", "<b>\n"), [1, 2]),
        Confusion([[1, 0], [0, 1]]).scaled(np.array([0.5, 1.25])),
    ],
)
def test_json_round_trip(tally: Confusion) -> None:
    back = through_json(tally)
    assert back == tally
    assert back.dropped == tally.dropped
    assert back.counts.dtype == tally.counts.dtype
    assert [type(label) for label in back.labels] == [type(label) for label in tally.labels]


def test_dropped_reasons_are_sorted_so_equal_tallies_are_equal_on_paper() -> None:
    tally = observed(("a", "b"), [1, 2], dropped={"missing_score": 1, "missing_actual": 2})
    assert list(tally.to_dict()["dropped"]) == ["missing_actual", "missing_score"]


@pytest.mark.parametrize("schema", ["tallymark/confusion/2", "tallymark/evaluation/1", "", None])
def test_an_unknown_schema_is_refused(schema: str | None) -> None:
    with pytest.raises(InputError) as caught:
        from_dict(textbook().to_dict() | {"schema": schema})
    assert caught.value.message.endswith(f"; got {schema!r}.")
    assert "tallymark/confusion/1" in caught.value.message
    assert caught.value.hint == "it may come from a newer tallymark."


def test_a_form_without_a_schema_is_refused() -> None:
    with pytest.raises(InputError, match="got None"):
        from_dict({"labels": ["a", "b"], "matrix": [[1, 2], [3, 4]]})


def test_counts_that_would_not_add_up_exactly_are_not_added() -> None:
    big = Confusion([[2**52, 0], [0, 2**52]])
    with pytest.raises(MergeError, match=r"more than 2\*\*53"):
        big + big


def test_a_data_frame_does_not_lose_its_names_in_silence() -> None:
    table = pd.crosstab(pd.Series(list("aabbba")), pd.Series(list("bcbccb")))
    with pytest.raises(ShapeError, match="names that would be lost"):
        Confusion(table)


@pytest.mark.parametrize("labels", [{"a", "b"}, {"a": 1, "b": 2}, "+-"])
def test_labels_without_an_order_are_refused(labels: Any) -> None:
    with pytest.raises(LabelError, match="must be a list, in the order meant"):
        Confusion([[1, 2], [3, 4]], labels=labels)
