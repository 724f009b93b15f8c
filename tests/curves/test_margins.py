"""From scores to margins: by hand, row by row, and for numbers that are equal on paper only."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tallymark.curves.rejection.margins import margins_of
from tallymark.errors import OptionError
from tallymark.intake.ranking import count_groups, count_scores
from tallymark.tallies import Scores


def test_by_hand() -> None:
    """At 0.5: 0.9+ right 0.8, 0.7- wrong 0.4, 0.5+ right 0, 0.3- right 0.4, 0.3+ wrong 0.4, 0- right 1."""
    score = np.array([0.9, 0.7, 0.5, 0.3, 0.3, 0.0])
    margins, groups, form = margins_of(count_scores(score, np.array([1, 0, 1, 0, 1, 0], bool)))
    assert margins.score.tolist() == [1, 0.8, 0.4, 0]
    assert margins.positives.tolist() == [1, 1, 1, 1]
    assert margins.negatives.tolist() == [0, 0, 2, 0]
    assert (margins.rows, margins.positive, groups, form) == (6, None, None, "margin")


def test_distances_by_hand() -> None:
    """Cut at 0, a score of 0 is called positive."""
    score = np.array([3.0, 1.5, 0.0, -1.5, -4.0])
    margins, _, form = margins_of(count_scores(score, np.array([1, 0, 0, 0, 1], bool)), 0.0)
    assert margins.score.tolist() == [4, 3, 1.5, 0]
    assert margins.positives.tolist() == [0, 1, 1, 0]
    assert margins.negatives.tolist() == [1, 0, 1, 1]
    assert form == "distance"


def test_which_form() -> None:
    probabilities = count_scores(np.array([0.9, 0.2]), np.array([1, 0], bool))
    assert [margins_of(probabilities, cut)[2] for cut in (None, 0.5, 0.3)] == ["margin", "margin", "distance"]
    others = count_scores(np.array([1.9, 0.2]), np.array([1, 0], bool))
    assert margins_of(others, 0.5)[2] == "distance"


@pytest.mark.parametrize("decimals", [1, 2, 3, 4])
def test_what_is_equal_on_paper_is_equal(decimals: int) -> None:
    """p and 1 - p, typed with so many decimals; each margin is the float nearest to |2p - 1|."""
    steps = 10**decimals
    typed = np.array([float(Fraction(step, steps)) for step in range(steps + 1)])
    margins, _, _ = margins_of(count_scores(typed, typed >= 0.5))
    expected = sorted({float(abs(2 * Fraction(step, steps) - 1)) for step in range(steps + 1)}, reverse=True)
    assert margins.score.tolist() == expected


@pytest.mark.parametrize("votes", [3, 7, 30, 300, 499])
def test_shares_of_votes_that_no_decimal_writes(votes: int) -> None:
    share = np.arange(votes + 1) / votes
    margins, _, _ = margins_of(count_scores(share, share >= 0.5))
    assert len(margins.score) == votes // 2 + 1
    assert set((margins.positives + margins.negatives).tolist()) <= {1, 2}


@pytest.mark.parametrize("cut", [0.3, 0.1, 7.7, -2.3, 123.4, 9.9])
def test_distances_that_are_equal_on_paper(cut: float) -> None:
    exact = Fraction(str(cut))
    away = [Fraction(step, 1000) for step in range(1, 1500, 7)]
    score = np.array([float(exact + side * each) for each in away for side in (1, -1)])
    margins, _, _ = margins_of(count_scores(score, score >= cut), cut)
    assert margins.score.tolist() == [float(each) for each in reversed(away)]


def test_small_and_large_scores_keep_their_digits() -> None:
    score = np.array([1e12 + 0.5, 1.0 + 1e-9, 1.0 - 1e-12, -1e12])
    margins, _, _ = margins_of(count_scores(score, np.ones(4, bool)), 1.0)
    assert margins.score == pytest.approx([1e12 + 1, 1e12 - 0.5, 1e-9, 1e-12], rel=1e-3)
    tiny = count_scores(np.array([3e-300, 1e-300, -2e-300]), np.ones(3, bool))
    assert margins_of(tiny, 0.0)[0].score.tolist() == [3e-300, 2e-300, 1e-300]


ROWS = st.lists(
    st.tuples(st.integers(0, 20), st.booleans(), st.integers(1, 3), st.integers(0, 3)),
    min_size=1,
    max_size=40,
)


@settings(max_examples=150, deadline=None)
@given(ROWS, st.sampled_from([0, 6, 10, 13, 20]), st.booleans())
def test_as_row_by_row(rows: list[tuple[int, bool, int, int]], cut: int, weighted: bool) -> None:
    """Scores in twentieths; right and wrong per margin and per group, counted in whole numbers."""
    step, positive, weight, group = (np.array(side) for side in zip(*rows, strict=True))
    keys = tuple(range(4))
    weights = weight * 1.0 if weighted else None
    total = count_scores(step / 20, positive, weight=weights)
    groups = count_groups(total, step / 20, positive, weights, group, keys)
    margins, by_group, form = margins_of(total, cut / 20, groups)
    away, right = np.abs(step - cut), (step >= cut) == positive
    amount = weight if weighted else np.ones(len(step), int)
    distinct = np.unique(away)[::-1]
    assert margins.score == pytest.approx(distinct / (10 if cut == 10 else 20), abs=1e-15)
    assert form == ("margin" if cut == 10 else "distance")
    assert margins.positives.tolist() == [amount[(away == each) & right].sum() for each in distinct]
    assert margins.negatives.tolist() == [amount[(away == each) & ~right].sum() for each in distinct]
    if weighted:
        assert margins.squares is not None
        assert margins.squares[1].tolist() == [
            (weight**2)[(away == each) & ~right].sum() for each in distinct
        ]
    assert by_group is not None
    assert by_group.total is margins
    for key in keys:
        for place, each in enumerate(distinct):
            mine = (by_group.group == key) & (by_group.place == place)
            there = (group == key) & (away == each)
            assert by_group.positives[mine].sum() == amount[there & right].sum()
            assert by_group.negatives[mine].sum() == amount[there & ~right].sum()


def test_what_was_dropped_is_kept() -> None:
    scores = count_scores(np.array([0.9]), np.array([True]), positive="yes", dropped={"missing_score": 3})
    assert dict(margins_of(scores)[0].dropped) == {"missing_score": 3}


def test_no_rows() -> None:
    margins, _, form = margins_of(Scores.empty())
    assert (len(margins.score), form) == (0, "margin")


@pytest.mark.parametrize(
    ("scores", "cut", "said"),
    [
        (
            count_scores(np.array([2.0, -1]), np.array([1, 0], bool)),
            None,
            "scores leave [0, 1], so they are no probabilities, and where they are cut was not said. "
            "Hint: pass a threshold; decision values are usually cut at 0.",
        ),
        (
            count_scores(np.array([0.2]), np.array([True])),
            math.inf,
            "there is no distance from the threshold inf. Hint: pass a finite one.",
        ),
        (
            Scores.from_bins([1, 2], [2, 1], edges=[1, 0.5, 0]),
            None,
            "there are no margins: only bins of the scores were counted, not the scores themselves. "
            "Hint: it takes every score: count them without bins, which is without --approximate.",
        ),
    ],
)
def test_what_has_no_margins(scores: Scores, cut: float | None, said: str) -> None:
    with pytest.raises(OptionError) as raised:
        margins_of(scores, cut)
    assert str(raised.value) == said
