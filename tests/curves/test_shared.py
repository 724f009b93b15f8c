"""Thresholds in print: in few digits, and so that they take the same rows."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tallymark.curves.gains import Gains
from tallymark.curves.shared import cut_at, spelled, spelled_up
from tallymark.curves.values import written_cuts
from tallymark.drawing import Table
from tallymark.intake.ranking import count_scores
from tallymark.tallies import Scores

numbers = st.floats(allow_nan=False, allow_infinity=False).map(lambda value: value + 0.0)
close = st.floats(0.8422, 0.8424)


def counted(values: list[float]) -> Scores:
    score = np.array(values)
    return count_scores(score, np.arange(len(score)) % 2 == 0)


@given(st.lists(numbers | close, min_size=2, max_size=2, unique=True))
def test_between_two_numbers(pair: list[float]) -> None:
    low, high = sorted(pair)
    assert low < float(spelled(high, low)) <= high
    assert low <= float(spelled_up(low, high)) < high


@given(numbers)
def test_alone_a_number_is_itself(value: float) -> None:
    assert float(spelled(value)) == value


def test_the_ends_of_floats() -> None:
    assert spelled(math.inf) == "inf"
    assert float(spelled(1.24e-322, 0.0)) <= 1.24e-322
    assert spelled(1.7976931348623157e308, 1.0) == "1.79e+308"
    assert spelled(-1.7976931348623157e308, -math.inf) == "-1.7976931348623157e+308"


@given(st.lists(numbers | close, min_size=1, max_size=20), numbers | close)
def test_printed_thresholds_take_the_same_rows(values: list[float], threshold: float) -> None:
    scores = counted(values)

    def called(at: float) -> int:
        return int((scores.score >= at).sum())

    assert called(float(cut_at(scores, threshold))) == called(threshold)
    for place, printed in enumerate(written_cuts(scores, scores.thresholds)):
        assert called(float(printed)) == place


def test_a_threshold_between_two_scores_is_rounded() -> None:
    scores = counted([0.2, 0.15])
    # 0.159 takes the same rows; at a score itself only less would do.
    assert cut_at(scores, 0.15898253723) == "0.159"
    assert cut_at(counted([0.15898253723, 0.15]), 0.15898253723) == "0.158"


def test_thresholds_of_few_decimals_are_aligned() -> None:
    assert written_cuts(counted([0.9, 0.25]), np.array([np.inf, 0.9, 0.25])) == ["inf", "0.90", "0.25"]
    # As 0.58 it would not take the row.
    below = math.nextafter(0.58, 0)
    assert float(written_cuts(counted([below, 0.1]), np.array([below]))[0]) <= below


@given(st.lists(close, min_size=4, max_size=30, unique=True))
def test_parts_are_printed_with_the_scores_they_hold(values: list[float]) -> None:
    (table,) = (block for block in Gains(counted(values)).deciles(2).blocks() if isinstance(block, Table))
    score = np.sort(values)[::-1]
    half = -(-len(score) // 2)
    for row, rows in zip(table.rows, (score[:half], score[len(score) // 2 :]), strict=True):
        high, low = map(float, row[2].split(" to "))
        assert (score[(score <= high) & (score >= low)] == rows).all()
