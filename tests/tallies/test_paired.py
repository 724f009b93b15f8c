"""The answers of several models to the same rows, counted."""

from __future__ import annotations

import json
import pickle

import numpy as np
import pytest

from tallymark.errors import MergeError, OptionError, ShapeError
from tallymark.intake.pairing import count_paired
from tallymark.tallies import Confusion
from tallymark.tallies.grouped_paired import GroupedPaired
from tallymark.tallies.paired import Agreement, Paired

ACTUAL = np.array([0, 0, 0, 1, 1, 2, 2, 2])
FIRST = np.array([0, 0, 1, 1, 0, 2, 2, 1])
SECOND = np.array([0, 1, 1, 1, 1, 2, 0, 0])
THIRD = np.array([0, 0, 0, 1, 1, 2, 2, 2])
LABELS = ("a", "b", "c")


def three() -> Paired:
    return count_paired(LABELS, ("one", "two", "right"), ACTUAL, (FIRST, SECOND, THIRD))[0]


def test_combinations_are_in_order_and_counted() -> None:
    paired = count_paired(LABELS, ("one", "two"), ACTUAL, (FIRST, SECOND))[0]
    assert paired.cells.tolist() == [
        *([0, 0, 0], [0, 0, 1], [0, 1, 1], [1, 0, 1], [1, 1, 1], [2, 1, 0], [2, 2, 0], [2, 2, 2])
    ]
    assert paired.counts.tolist() == [1] * 8
    assert (paired.n, paired.rows, paired.effective_n) == (8, 8, 8)


def test_the_confusion_of_a_model_is_what_counting_it_alone_gives() -> None:
    found = three().confusion("two")
    assert found.matrix.tolist() == [[1, 2, 0], [0, 2, 0], [2, 0, 1]]
    assert isinstance(found, Confusion)
    assert found.labels == LABELS


def test_agreement_counts_who_is_right() -> None:
    # Row by row: both, one only, none, both, two only, both, one only, none.
    found = three().agreement("one", "two")
    assert found == Agreement(n00=2, n01=2, n10=1, n11=3)
    assert found.n == 8
    assert found.value == 1 / 8
    assert three().agreement("two", "one") == Agreement(n00=2, n01=1, n10=2, n11=3)
    assert three().disagreements("one", "two") == 4  # the last row is wrong in both, in two ways
    assert Agreement(0, 0, 0, 0).value is None


def test_patterns_are_who_is_right_together() -> None:
    patterns, counts = three().patterns()
    found = dict(zip(map(tuple, patterns.tolist()), counts.tolist(), strict=True))
    assert found == {(0, 0, 1): 2, (0, 1, 1): 1, (1, 0, 1): 2, (1, 1, 1): 3}


def test_a_pair_of_the_models() -> None:
    expected = count_paired(LABELS, ("right", "one"), ACTUAL, (THIRD, FIRST))[0]
    assert three().pair("right", "one") == expected
    with pytest.raises(OptionError, match="no model is called 'tree'; there are \\['one', 'two', 'right'\\]"):
        three().pair("right", "tree")


def test_names_differ() -> None:
    with pytest.raises(OptionError, match="models must have different names"):
        count_paired(LABELS, ("one", "one"), ACTUAL, (FIRST, SECOND))


def test_every_model_answers_every_row() -> None:
    with pytest.raises(ShapeError, match="2 models and 2 columns of answers, and 8, 8, 7 rows"):
        count_paired(LABELS, ("one", "two"), ACTUAL, (FIRST, SECOND[:7]))
    with pytest.raises(ShapeError, match="got 0 models"):
        count_paired(LABELS, (), ACTUAL, ())


# --- weights and groups ----------------------------------------------------------------------


def test_weights_are_added_and_so_are_their_squares() -> None:
    weight = np.array([1.0, 2.0, 0.0, 0.5, 1.0, 1.0, 3.0, 1.0])
    paired = count_paired(LABELS, ("one", "two"), ACTUAL, (FIRST, SECOND), weight)[0]
    assert [0, 1, 1] not in paired.cells.tolist()
    assert (paired.n, paired.rows) == (9.5, 7)
    assert paired.effective_n == pytest.approx(9.5**2 / (1 + 4 + 0.25 + 1 + 1 + 9 + 1))
    found = paired.agreement("one", "two")
    assert (found.n00, found.n01, found.n10, found.n11) == (1.0, 5.0, 1.0, 2.5)
    assert found.squares == (1.0, 13.0, 1.0, 2.25)


def test_equal_weights_are_as_many_rows_as_there_are() -> None:
    weight = np.full(8, 0.25)
    found = count_paired(LABELS, ("one", "two"), ACTUAL, (FIRST, SECOND), weight)[0].agreement("one", "two")
    effective = found.effective
    four = effective.n00, effective.n01, effective.n10, effective.n11
    assert four == pytest.approx((2, 2, 1, 3))


def test_frequencies_are_rows() -> None:
    times = np.array([1, 2, 0, 3, 1, 1, 1, 4])
    counted = count_paired(LABELS, ("one", "two"), ACTUAL, (FIRST, SECOND), times, "frequency")[0]
    rows = np.repeat(np.arange(8), times)
    assert counted == count_paired(LABELS, ("one", "two"), ACTUAL[rows], (FIRST[rows], SECOND[rows]))[0]


def test_groups_add_up_to_their_total() -> None:
    codes = np.array([0, 0, 1, 1, 1, 2, 2, 2])
    total, grouped = count_paired(
        LABELS, ("one", "two", "right"), ACTUAL, (FIRST, SECOND, THIRD), group=(("p", "q", "r"), codes)
    )
    assert grouped is not None
    assert len(grouped) == 3
    assert np.bincount(grouped.entry, grouped.counts).tolist() == total.counts.tolist()
    assert np.bincount(grouped.group, grouped.counts).tolist() == [2, 3, 3]
    pair = grouped.pair("two", "one")
    assert pair.total == total.pair("two", "one")
    assert (
        pair
        == count_paired(LABELS, ("two", "one"), ACTUAL, (SECOND, FIRST), group=(("p", "q", "r"), codes))[1]
    )
    assert pickle.loads(pickle.dumps(grouped)) == grouped != pair
    assert grouped != "something else"


def test_a_group_without_weight_is_left_out() -> None:
    weight = np.array([1.0, 1, 0, 0, 0, 1, 1, 1])
    codes = np.array([0, 0, 1, 1, 1, 2, 2, 2])
    total, grouped = count_paired(
        LABELS, ("one", "two"), ACTUAL, (FIRST, SECOND), weight, group=(("p", "q", "r"), codes)
    )
    assert grouped is not None
    assert grouped.keys == ("p", "r")
    assert total.rows == 5
    assert total == count_paired(LABELS, ("one", "two"), ACTUAL, (FIRST, SECOND), weight)[0]


def test_groups_named_by_numbers_and_by_text_do_not_match() -> None:
    codes = np.zeros(8, np.int64)
    numbers, text = (
        count_paired(LABELS, ("one", "two"), ACTUAL, (FIRST, SECOND), group=((key,), codes))[1]
        for key in (1, "ann")
    )
    assert isinstance(numbers, GroupedPaired)
    assert isinstance(text, GroupedPaired)
    with pytest.raises(MergeError, match="by text on one side and by numbers on the other: 'ann' and 1"):
        numbers + text


# --- many classes and models -----------------------------------------------------------------


@pytest.mark.parametrize(("classes", "models"), [(41, 2), (1_000, 2), (300, 9)])
def test_more_combinations_than_a_table_or_64_bits_hold(classes: int, models: int) -> None:
    generator = np.random.default_rng(classes)
    rows = generator.integers(0, classes, (200, models + 1))[generator.integers(0, 200, 1_000)]
    names = [f"model {each}" for each in range(models)]
    weight = generator.integers(1, 4, 1_000)
    plain = count_paired(range(classes), names, rows[:, 0], rows[:, 1:].T)[0]
    weighted = count_paired(range(classes), names, rows[:, 0], rows[:, 1:].T, weight)[0]
    distinct, counts = np.unique(rows, axis=0, return_counts=True)
    for paired in (plain, weighted):
        assert np.array_equal(paired.cells, distinct)
    assert plain.counts.tolist() == counts.tolist()
    assert weighted.n == weight.sum()
    assert plain + plain == count_paired(range(classes), names, *_twice(rows))[0]


def _twice(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    both = np.concatenate([rows, rows])
    return both[:, 0], both[:, 1:].T


# --- values ----------------------------------------------------------------------------------


def test_adding_refuses_other_models() -> None:
    one = three().pair("one", "two")
    with pytest.raises(
        MergeError, match=r"different models: \['one', 'two'\] and \['two', 'one'\]"
    ) as caught:
        one + three().pair("two", "one")
    assert "same models, in the same order" in str(caught.value)


def test_adding_refuses_declared_and_observed() -> None:
    stated = count_paired(LABELS, ("one", "two"), ACTUAL, (FIRST, SECOND), declared=True)[0]
    with pytest.raises(MergeError, match=r"labels were declared differently"):
        stated + three().pair("one", "two")


def test_it_is_a_value() -> None:
    paired = three()
    assert paired == three()
    assert paired != three().pair("one", "two")
    assert paired != "something else"
    assert sum([paired, paired]).n == 16
    for array in (paired.cells, paired.counts):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 7
    with pytest.raises(TypeError):
        paired + 1  # type: ignore[operator]
    assert repr(paired) == "Paired(3 models ['one', 'two', 'right'], 3 labels ['a', 'b', 'c'], 8 rows)"


def test_the_form_on_paper() -> None:
    paired = count_paired(
        (0, 1), ("a", "b"), np.array([0, 1, 1]), [np.array([0, 1, 1]), np.array([0, 0, 0])]
    )[0]
    assert paired.to_dict() == {
        "schema": "tallymark/paired/1",
        "labels": [0, 1],
        "models": ["a", "b"],
        "cells": [[0, 0, 0, 1], [1, 1, 0, 2]],
        "declared": False,
        "dropped": {},
    }
    assert Paired.from_dict(json.loads(json.dumps(paired.to_dict()))) == paired
    with pytest.raises(ShapeError, match="every cell must have 4 numbers: 3 positions and a count"):
        Paired.from_dict(paired.to_dict() | {"cells": [[0, 0, 1]]})


def test_no_rows() -> None:
    nothing = count_paired(LABELS, ("one", "two"), ACTUAL[:0], (FIRST[:0], SECOND[:0]))[0]
    assert (nothing.n, nothing.rows, nothing.effective_n) == (0, 0, 0)
    assert nothing.patterns()[0].shape == (0, 2)
    assert nothing.confusion("one").n == 0
    assert pickle.loads(pickle.dumps(nothing)) == nothing
