"""Labels of two parts put together: numbers stay numbers, whichever part they came with."""

from __future__ import annotations

import pytest

from tallymark.tallies import Confusion

COUNTS = [[3, 1], [2, 4]]
TWICE = [[6, 2], [4, 8]]


@pytest.mark.parametrize(("first", "second"), [((0, 1), (False, True)), ((False, True), (0, 1))])
def test_of_declared_truths_and_numbers_the_numbers_are_kept(
    first: tuple[int, ...], second: tuple[int, ...]
) -> None:
    merged = Confusion(COUNTS, first) + Confusion(COUNTS, second)
    assert [type(label) for label in merged.labels] == [int, int]
    assert merged.matrix.tolist() == TWICE


def test_declared_truths_stay_truths() -> None:
    merged = Confusion(COUNTS, (False, True)) + Confusion(COUNTS, (False, True))
    assert [type(label) for label in merged.labels] == [bool, bool]
