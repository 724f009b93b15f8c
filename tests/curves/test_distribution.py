"""Scores by class, by hand and against numpy's histogram."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tallymark.curves import Distribution
from tallymark.drawing import text
from tallymark.drawing.figure import Band, Line
from tallymark.drawing.plots.pen import image
from tallymark.errors import OptionError
from tallymark.evaluation import evaluate
from tallymark.intake.ranking import count_scores
from tallymark.tallies import Scores

# 0.9+, 0.8-, 0.8+, 0.4+, 0.1-
SMALL = count_scores(np.array([0.9, 0.8, 0.8, 0.4, 0.1]), np.array([1, 0, 1, 1, 0], bool))
BINS = Scores.from_bins([2, 1, 0], [0, 1, 3], edges=[1, 0.6, 0.3, 0])


def test_by_hand() -> None:
    made = Distribution(SMALL, 2)
    assert made.edges.tolist() == [0, 0.5, 1]
    assert (made.positives.tolist(), made.negatives.tolist()) == ([1, 2], [1, 1])
    assert made.share_of_positives.tolist() == [1 / 3, 2 / 3]
    found = made.at(0.5)
    assert (found.low, found.high, found.positives, found.share_of_negatives) == (0.5, 1, 2, 0.5)
    # Of the positives 0.9, 0.8 and 0.4 two are at 0.8 or above; of the negatives one is at 0.1.
    assert (
        next(made.sentences())
        == "Half of the positive rows score 0.8 or more, and half of the other rows 0.1 or less."
    )


@given(st.lists(st.tuples(st.floats(-3, 3, width=16), st.booleans()), min_size=2), st.integers(1, 30))
@settings(max_examples=50, deadline=None)
def test_as_numpy_counts(rows: list[tuple[float, bool]], n_bins: int) -> None:
    score, positive = np.array([row[0] for row in rows]), np.array([row[1] for row in rows])
    made = Distribution(count_scores(score, positive), n_bins)
    assert len(made.edges) == n_bins + 1
    for side, counts in ((positive, made.positives), (~positive, made.negatives)):
        assert counts.tolist() == np.histogram(score[side], made.edges)[0].tolist()


def test_weights_are_added_up() -> None:
    score, weight = np.array([0.1, 0.1, 0.9]), np.array([0.5, 2.0, 1.5])
    made = Distribution(count_scores(score, np.array([1, 0, 1], bool), weight=weight), 2)
    assert (made.positives.tolist(), made.negatives.tolist()) == ([0.5, 1.5], [2, 0])


def test_outside_0_and_1_the_bins_span_the_scores() -> None:
    made = Distribution(count_scores(np.array([-2.0, 0.0, 6.0]), np.array([0, 1, 1], bool)), 4)
    assert made.edges.tolist() == [-2, 0, 2, 4, 6]
    assert made.positives.tolist() == [0, 1, 0, 1]
    alone = Distribution(count_scores(np.array([7.0]), np.ones(1, bool)), 2)
    assert alone.edges.tolist() == [6.5, 7, 7.5]
    assert alone.positives.tolist() == [0, 1]


def test_edges_within_a_counted_bin_move_to_where_it_begins() -> None:
    made = Distribution(BINS, 4)
    # 0.25 is within [0, 0.3), 0.5 within [0.3, 0.6) and 0.75 within [0.6, 1].
    assert made.edges.tolist() == [0, 0.3, 0.6, 1]
    assert (made.positives.tolist(), made.negatives.tolist()) == ([0, 1, 2], [3, 1, 0])
    assert "the bars end where some of these do" in text(made.document(), width=200)
    assert Distribution(Scores.from_bins([2, 1], [0, 1], edges=[1, 0.5, 0]), 2).even


def test_one_class_and_none() -> None:
    only = Distribution(count_scores(np.array([0.2, 0.4]), np.zeros(2, bool)), 2)
    assert (
        " ".join(only.sentences()) == "Half of the other rows score 0.2 or less. There are no positive rows."
    )
    assert only.at(0.2).share_of_positives is None
    nothing = Distribution(Scores.empty())
    assert nothing.why == "there are no rows"
    with pytest.raises(OptionError, match="there is no curve: there are no rows"):
        nothing.at(0.5)
    for made in (only, nothing):
        json.dumps(made.to_dict(), allow_nan=False)
        image(made.figure(), ".svg")


def test_handed_on() -> None:
    made = Distribution(SMALL, 2, threshold=0.8)
    assert made.table().row(1) == (0.5, 1.0, 2, 1, pytest.approx(2 / 3), 0.5)
    lines = [mark for mark in made.figure().panels[0].marks if isinstance(mark, Line)]
    bands = [mark for mark in made.figure().panels[0].marks if isinstance(mark, Band)]
    assert [line.label for line in lines] == ["positive rows", "other rows", "cut at 0.8"]
    assert [band.high.tolist() for band in bands] == [[1 / 3, 2 / 3, 2 / 3], [0.5, 0.5, 0.5]]
    with pytest.raises(OptionError, match=r"^the bins go from 0 to 1; got 2\.$"):
        made.at(2)
    with pytest.raises(OptionError, match=r"^n_bins must be a whole number from 1 to 1,000; got 0\.$"):
        Distribution(SMALL, 0)


def test_an_evaluation_has_one_of_the_positives_or_of_its_answers() -> None:
    two = evaluate(["a", "b", "b"], y_score=[0.1, 0.7, 0.9], pos_label="b", threshold=0.5)
    assert two.distribution_as(2).positives.tolist() == [0, 2]
    assert two.distribution.threshold == 0.5
    assert two.figure("distribution").panels[0].marks
    # The answers are a, b and a, the last wrong: right with 0.6 and 0.7, wrong with 0.5.
    probabilities = np.array([[0.6, 0.2, 0.2], [0.1, 0.7, 0.2], [0.5, 0.1, 0.4]])
    three = evaluate(["a", "b", "c"], y_score=probabilities, labels=["a", "b", "c"]).distribution_as(10)
    assert (three.positives.nonzero()[0].tolist(), three.negatives.nonzero()[0].tolist()) == ([6, 7], [5])
    assert next(three.sentences()).startswith(
        "Half of the right answers were given a probability of 0.7 or more"
    )
