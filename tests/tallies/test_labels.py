"""Labels: their order, which of them a user means, which is positive, and text that stands for numbers."""

import csv
import sys
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tallymark as tm
from collected import each
from scored import classes, refusals


def one_row(label: Any) -> tm.Confusion:
    return tm.Confusion.from_cells((label,), np.array([0]), np.array([1]))


@each(
    ("labels", "expected"),
    [
        ([10, 9, -1, 10], (-1, 9, 10)), (["10", "9", "a", "B", "é"], ("10", "9", "B", "a", "é")),
        ([True, False], (False, True)), ([True, 1, 2], (1, 2)), ([True, 0], (0, 1)),
        ([2**63, -(2**70)], (-(2**70), 2**63)), ([], ()),
    ],
)  # fmt: skip
def test_tallies_added_have_their_labels_in_one_order(labels, expected) -> None:
    for arranged in permutations(labels):
        ordered = sum(map(one_row, arranged), tm.Confusion.empty()).labels
        assert ordered == expected
        assert list(map(type, ordered)) == list(map(type, expected))


def matrix(labels: tuple[Any, ...]) -> tm.Confusion:
    size = len(labels)
    return tm.Confusion(np.ones((size, size), int), labels=labels)


@each(
    ("wanted", "labels", "found"),
    [
        *(("yes", ("no", "yes"), "yes"), (1, (0, 1), 1), ("1", (0, 1), 1), (1, ("0", "1"), "1")),
        *((1, (False, True), True), ("True", (False, True), True), (True, (0, 1), 1)),
        *((True, ("False", "True"), "True"), ("1.0", (0, 1), 1), ("1.00", ("0", "1"), "1")),
        *((1.0, ("0", "1"), "1"), ("-3.0", (-3, 5), -3)),
        # The text itself comes first, the number it stands for second.
        ("1.0", ("1", "1.0"), "1.0"),
        ("1.0", (10**20, 1), 1),
        ("1", ("0.0", "1.0"), "1.0"),
    ],
)
def test_a_class_is_found_by_its_value_or_its_text(wanted, labels, found) -> None:
    result = matrix(labels).binary(wanted).positive
    assert (result, type(result)) == (found, type(found))


LONG = "x" * 1_000
UNKNOWN = {
    "another case": ("Yes", ("no", "yes")), "a blank": (" no", ("no", "yes")),
    "nothing alike": ("maybe", ("no", "yes")), "none": (None, ("no", "yes")),
    "a number among words": ("1.0", ("1", "a")), "a fraction": ("1.5", (0, 1)),
    "a leading zero": ("01", (0, 1)), "a sign": ("+1", (0, 1)), "an exponent": ("1e0", (0, 1)),
    "a number among booleans": ("1.0", (False, True)), "another number": ("2.0", (0, 1)),
    "two that are equal": ("1.00", ("1", "1.0")), "long": (LONG + "y", (LONG, "no")),
    "long in another case": (LONG.upper(), (LONG, "no")), "many": (99, tuple(range(13))),
    "a few": (99, tuple(range(12))), "60 characters": ("y", ("x" * 60, "z" * 61)),
}  # fmt: skip


def test_other_classes_are_refused_and_the_nearest_is_named(snapshot) -> None:
    calls = {
        name: lambda wanted=wanted, labels=labels: matrix(labels).binary(wanted)
        for name, (wanted, labels) in UNKNOWN.items()
    }
    refused = refusals(calls)
    assert set(classes(refused).values()) == {"LabelError"}
    shown = {
        "many labels": repr(matrix(tuple(range(2_000)))),
        "quotes": repr(matrix(("it's", "\n" * 61))),
        "large numbers": repr(matrix((10**80, 1))),
        "text and numbers": refusals({"": lambda: one_row(1) + one_row("1")})[""],
    }
    snapshot("tallies_labels", refused | shown)


@each(
    ("labels", "positive"),
    [
        *(((0, 1), 1), ((1, 0), 1), ((False, True), True), (("0", "1"), "1"), (("0.0", "1.0"), "1.0")),
        *((("false", "true"), "true"), (("FALSE", "True"), "True")),
        *((each, None) for each in ((1, 2), ("no", "yes"), (0, 1, 2), (-1, 1), ("0", "true"), ("0", "1.5"))),
    ],
)
def test_only_zero_one_and_false_true_need_no_positive(labels, positive) -> None:
    cells = tm.Confusion.from_cells(labels, np.arange(len(labels) ** 2), np.ones(len(labels) ** 2, int))
    assert cells.evaluate().positive == positive


# --- text that stands for whole numbers --------------------------------------------------------------


def of_file(folder: Path, *labels: str) -> tuple[Any, ...]:
    """The labels of a text file that has each of these."""
    with (folder / "rows.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, quoting=csv.QUOTE_ALL)
        writer.writerows([("y", "p"), *((label, labels[0]) for label in labels)])
    return tm.evaluate(folder / "rows.csv", actual="y", predicted="p").labels


@each(
    ("texts", "numbers"),
    [
        (["0", "1"], (0, 1)), (["0", "0.0", "1.000"], (0, 1)), (["-3", "10", "-3.0", "2"], (-3, 2, 10)),
        ([str(2**53 + 1), f"{2**63}.0"], (2**53 + 1, 2**63)), (["1" + "0" * 99, "1"], (1, 10**99)),
    ],
)  # fmt: skip
def test_plain_whole_numbers_are_read(texts, numbers, tmp_path) -> None:
    found = of_file(tmp_path, *texts)
    assert found == numbers
    assert set(map(type, found)) == {int}


TEXT = [
    *("007", "00", "01.0", "+1", "1.5", "1.", ".0", "1e3", "1_000", "1,000", "-", "--1", "-01", "0x1", "nan"),
    *("inf", "True", "\u0663", "\uff11", "\u00b2", "\u22121", "2020-01-01"),
]
TEXT += [" 1", "1 ", "1\n", "1" + "0" * 100, "1" * (sys.get_int_max_str_digits() + 1)]


@each("text", TEXT)
def test_any_other_form_keeps_all_labels_text(text, tmp_path) -> None:
    assert set(of_file(tmp_path, "0", "1", text)) == {"0", "1", text}


@given(st.integers(-(10**30), 10**30), st.integers(0, 5))
def test_a_class_is_found_by_any_writing_of_its_number(number: int, zeros: int) -> None:
    text = f"{number}.{'0' * zeros}" if zeros else str(number)
    assert matrix((number, number + 1)).binary(text).positive == number
    with pytest.raises(tm.LabelError):
        matrix((number + 1, number + 2)).binary(text)
