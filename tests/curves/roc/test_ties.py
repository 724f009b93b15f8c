"""Tied pairs: counted once, with what they leave open."""

from __future__ import annotations

import numpy as np
import pytest

from tallymark.curves.roc.ties import Ties
from tallymark.intake.ranking import count_scores
from tallymark.metrics.scores import pairs_of
from tallymark.tallies import Scores


def test_by_hand() -> None:
    # Best first: + (+ -) -; of four pairs three are won and one is tied.
    ties = Ties(count_scores(np.array([0.9, 0.5, 0.5, 0.1]), np.array([1, 1, 0, 0], bool)))
    assert (ties.groups, ties.pairs, ties.won, ties.of) == (1, 1, 3, 4)
    assert (ties.pessimistic, ties.optimistic) == (0.75, 1)


def test_whole_counts_of_any_size_are_exact() -> None:
    n = 2**40 + 1
    scores = Scores(np.array([2.0, 1.0]), np.array([n, 1]), np.array([3, n]))
    ties = Ties(scores)
    assert (ties.won, ties.pairs) == pairs_of(scores)[:2] == (n * n, 4 * n)
    assert ties.of == (n + 1) * (n + 3)


@pytest.mark.parametrize("seed", range(20))
def test_weights_never_leave_0_and_1(seed: int) -> None:
    generator = np.random.default_rng(seed)
    weight, positive = generator.random(9), np.arange(9) < 4
    perfect = Ties(count_scores(np.arange(9, 0, -1.0), positive, weight=weight))
    assert (perfect.pessimistic, perfect.optimistic) == (1, 1)
    same = Ties(count_scores(np.ones(9), positive, weight=weight))
    assert (same.pessimistic, same.optimistic) == (0, 1)


def test_one_class_has_no_pairs() -> None:
    ties = Ties(count_scores(np.array([1.0, 2.0]), np.array([True, True])))
    assert (ties.of, ties.pessimistic, ties.optimistic) == (0, None, None)
