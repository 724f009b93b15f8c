from __future__ import annotations

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallymark.tallies.plain_numbers import whole_numbers


@pytest.mark.parametrize(
    ("labels", "numbers"),
    [
        (["0", "1"], {"0": 0, "1": 1}),
        (["0", "0.0", "1.000"], {"0": 0, "0.0": 0, "1.000": 1}),
        (["-3", "10", "-3.0"], {"-3": -3, "10": 10, "-3.0": -3}),
        ([str(2**53 + 1), f"{2**63}.0"], {str(2**53 + 1): 2**53 + 1, f"{2**63}.0": 2**63}),
        ([], {}),
    ],
)
def test_plain_whole_numbers_are_read(labels: list[str], numbers: dict[str, int]) -> None:
    assert whole_numbers(labels) == numbers


@pytest.mark.parametrize(
    "label",
    [
        "007",
        "00",
        "01.0",
        "+1",
        "1.5",
        "1.",
        ".0",
        "1e3",
        "1_000",
        "1,000",
        " 1",
        "1 ",
        "1\n",
        "",
        "-",
        "--1",
        "-01",
        "0x1",
        "nan",
        "inf",
        "True",
        "٣",
        "１",
        "²",
        "−1",
        "2020-01-01",
    ],
)
def test_any_other_form_keeps_all_labels_text(label: str) -> None:
    assert whole_numbers([label]) is None
    assert whole_numbers(["0", "1", label]) is None


@given(st.integers(), st.integers(0, 5))
def test_every_number_is_read_back(number: int, zeros: int) -> None:
    text = f"{number}.{'0' * zeros}" if zeros else str(number)
    assert whole_numbers([text]) == {text: number}


def test_labels_may_be_read_once_only() -> None:
    assert whole_numbers(label for label in ("0", "1")) == {"0": 0, "1": 1}


def test_a_very_long_row_of_digits_is_no_crash() -> None:
    """Python refuses to convert more digits than this limit; such a label can only be text."""
    long = "1" * (sys.get_int_max_str_digits() + 1)
    assert whole_numbers([long, "1"]) is None
