"""Which classes are taken for each other."""

from __future__ import annotations

import json

import numpy as np
import pytest

from tallymark.curves.classes.confused_pairs import confused_pairs
from tallymark.drawing import text
from tallymark.errors import OptionError
from tallymark.tallies import Confusion

THREE = Confusion([[50, 3, 0], [1, 40, 9], [2, 7, 30]], labels=["a", "b", "c"])


def test_by_hand():
    found = confused_pairs(THREE)
    assert found.errors == 22
    first, second, third = found.pairs
    assert (first.first, first.second, first.forth, first.back, first.count) == ("b", "c", 9, 7, 16)
    assert (first.of_first, first.of_second, first.share) == (9 / 50, 7 / 39, 16 / 22)
    assert (second.first, second.second, second.count) == ("a", "b", 4)
    # The more frequent direction comes first.
    assert (third.first, third.second, third.forth, third.back) == ("c", "a", 2, 0)
    assert found.share == pytest.approx(1)


def test_the_most_frequent_only():
    found = confused_pairs(THREE, most=1)
    assert [pair.count for pair in found.pairs] == [16]
    assert found.found == 3
    assert "These are 1 of 3 pairs of classes with errors between them, and 72.7%" in text(found.document())


def test_as_one_by_one():
    generator = np.random.default_rng(0)
    matrix = generator.integers(0, 5, (12, 12))
    found = confused_pairs(Confusion(matrix), most=1_000)
    expected = sorted(
        (matrix[one, two] + matrix[two, one] for one in range(12) for two in range(one)), reverse=True
    )
    assert [pair.count for pair in found.pairs] == [each for each in expected if each]
    for pair in found.pairs:
        one, two = (int(label.removeprefix("class ")) - 1 for label in (pair.first, pair.second))
        assert (pair.forth, pair.back) == (matrix[one, two], matrix[two, one])
        assert pair.forth >= pair.back


def test_no_errors():
    found = confused_pairs(Confusion([[5, 0], [0, 3]]))
    assert found.pairs == ()
    assert "No row of one class was called another." in text(found.document())
    assert found.to_dict() == {"errors": 0, "found": 0, "pairs": []}
    assert len(found.table()) == 0
    assert confused_pairs(Confusion.empty()).pairs == ()


def test_a_class_without_rows():
    (pair,) = confused_pairs(Confusion([[5, 2], [0, 0]], labels=["a", "b"])).pairs
    assert (pair.first, pair.of_second) == ("a", None)
    assert "?" in text(confused_pairs(Confusion([[5, 2], [0, 0]])).document())


def test_with_weights():
    tally = Confusion.from_cells(
        ["a", "b"], np.array([0, 1, 2]), np.array([1.5, 0.25, 0.5]), squares=np.ones(3), rows=9
    )
    found = confused_pairs(tally)
    assert (found.pairs[0].first, found.pairs[0].forth, found.pairs[0].back) == ("b", 0.5, 0.25)
    assert "weight" in text(found.document())


def test_outputs():
    found = confused_pairs(THREE)
    assert found.table("pandas")["count"].tolist() == [16, 4, 2]
    assert json.loads(json.dumps(found.to_dict()))["pairs"][0]["share"] == 16 / 22
    said = text(found.document())
    assert "Most often confused are 'b' and 'c': 72.7% of all errors." in said


@pytest.mark.parametrize("most", [0, 1.5, True, "3"])
def test_bad_numbers_of_pairs(most):
    with pytest.raises(OptionError, match="whole number of pairs"):
        confused_pairs(THREE, most)
