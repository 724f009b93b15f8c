from __future__ import annotations

import json
from dataclasses import FrozenInstanceError
from typing import Any

import numpy as np
import pytest

from tallymark.errors import InputError, ShapeError
from tallymark.tallies import Binary, Confusion, Margins, from_dict


def test_totals_by_hand() -> None:
    tally = Binary(tp=282, fn=75, fp=462, tn=4841)
    assert tally.n == 5660
    assert (tally.correct, tally.wrong) == (5123, 537)
    assert (tally.actual_positive, tally.actual_negative) == (357, 5303)
    assert (tally.predicted_positive, tally.predicted_negative) == (744, 4916)
    assert tally.largest == 5303
    assert tally.chance == 357 * 744 + 5303 * 4916


def test_swapping_the_positive_class_turns_the_table_around() -> None:
    assert Binary(1, 2, 3, 4).swapped() == Binary(4, 3, 2, 1)
    assert Binary(1, 2, 3, 4).swapped().swapped() == Binary(1, 2, 3, 4)


def test_negative_counts_are_refused() -> None:
    with pytest.raises(ShapeError) as caught:
        Binary(1, 2, -3, 4)
    assert caught.value.message == "counts cannot be negative: tp=1, fn=2, fp=-3, tn=4."


def test_equality_looks_at_counts_and_class() -> None:
    assert Binary(1, 2, 3, 4, "a") == Binary(1, 2, 3, 4, "a")
    for other in (Binary(1, 2, 3, 5, "a"), Binary(1, 2, 3, 4, "b"), Binary(1, 2, 3, 4), (1, 2, 3, 4)):
        assert Binary(1, 2, 3, 4, "a") != other


@pytest.mark.parametrize("name", ["tp", "fn", "fp", "tn", "positive", "n", "new"])
def test_attributes_cannot_be_set(name: str) -> None:
    with pytest.raises(FrozenInstanceError):
        setattr(Binary(1, 2, 3, 4), name, 9)


def test_only_tallies_of_its_kind_are_added() -> None:
    for wrong in (1, None, "a"):
        with pytest.raises(TypeError):
            Binary(1, 2, 3, 4) + wrong
        with pytest.raises(TypeError):
            wrong + Binary(1, 2, 3, 4)


@pytest.mark.parametrize("positive", [None, "yes", 1, True])
def test_json_form(positive: Any) -> None:
    tally = Binary(1, 2, 3, 2**60, positive)
    form = tally.to_dict()
    assert form == {
        "schema": "tallymark/binary/1",
        "positive": positive,
        "tp": 1,
        "fn": 2,
        "fp": 3,
        "tn": 2**60,
    }
    back: Any = from_dict(json.loads(json.dumps(form)))
    assert back == tally
    assert type(back.positive) is type(positive)


def test_an_unknown_version_is_refused() -> None:
    with pytest.raises(InputError, match="got 'tallymark/binary/2'"):
        from_dict(Binary(1, 2, 3, 4).to_dict() | {"schema": "tallymark/binary/2"})


# [[5, 1, 0], [2, 7, 3], [0, 0, 0]], worked by hand.
MARGINS = Margins(hits=np.array([5, 7, 0]), actual=np.array([6, 12, 0]), predicted=np.array([7, 8, 3]), n=18)


def test_margins_by_hand() -> None:
    assert (MARGINS.correct, MARGINS.wrong, MARGINS.largest) == (12, 6, 12)
    assert MARGINS.chance == 6 * 7 + 12 * 8
    assert MARGINS.unlike_actual == 18**2 - (36 + 144)
    assert MARGINS.unlike_predicted == 18**2 - (49 + 64 + 9)


@pytest.mark.parametrize("n", [2**31 - 1, 2**31, 10**15])
def test_sums_of_products_are_exact_for_counts_of_any_size(n: int) -> None:
    margins = Confusion([[n - 9, 4], [3, 2]]).margins
    assert margins.correct == n - 7
    assert margins.chance == (n - 5) * (n - 6) + 5 * 6
    assert margins.unlike_actual == n**2 - ((n - 5) ** 2 + 25)
    assert margins.unlike_predicted == n**2 - ((n - 6) ** 2 + 36)


def test_each_class_and_pooled_by_hand() -> None:
    each, pooled = MARGINS.each, MARGINS.pooled
    assert each.tp.tolist() == [5, 7, 0]
    assert each.fn.tolist() == [1, 5, 0]
    assert each.fp.tolist() == [2, 1, 3]
    assert each.tn.tolist() == [10, 5, 15]
    assert pooled == Binary(12, 6, 6, 30)


def test_margins_of_several_tables_at_once_are_those_of_each() -> None:
    other = Margins(np.array([1, 0, 2]), np.array([1, 2, 2]), np.array([2, 0, 3]), 5)
    stacked = Margins(
        np.stack([MARGINS.hits, other.hits]),
        np.stack([MARGINS.actual, other.actual]),
        np.stack([MARGINS.predicted, other.predicted]),
        np.array([18, 5]),
    )
    names = ("correct", "wrong", "largest", "chance", "unlike_actual", "unlike_predicted")
    for position, alone in enumerate((MARGINS, other)):
        for name in names:
            assert getattr(stacked, name)[position] == getattr(alone, name)
        for cell in ("tp", "fn", "fp", "tn"):
            assert getattr(stacked.each, cell)[position].tolist() == getattr(alone.each, cell).tolist()
            assert getattr(stacked.pooled, cell)[position] == getattr(alone.pooled, cell)
