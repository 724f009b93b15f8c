"""What rounding can do to a sum."""

from __future__ import annotations

import math

import numpy as np

from tallymark.intake.ranking import count_scores
from tallymark.intake.streams.counting import count_binned
from tallymark.metrics import ask
from tallymark.metrics.rounding import rounding
from tallymark.metrics.score_bounds import certified
from tallymark.tallies.grid import Grid


def test_a_sum_is_not_further_off() -> None:
    """One number after the other, against a sum that is rounded once."""
    random = np.random.default_rng(0)
    for rows in (1, 10, 1_000, 20_000):
        amounts = random.random(rows).tolist()
        exact = math.fsum(amounts)
        total = 0.0
        for amount in amounts:
            total += amount
        assert abs(total - exact) <= rounding(rows) * exact


def test_equal_fractions_are_all_rounded_the_same_way() -> None:
    """A third is a little too low or too high at every step of the way, not once so and once so."""
    rows = 1_000_000
    exact = math.fsum([1 / 3] * rows)
    drifted = float(np.bincount(np.zeros(rows, np.int64), weights=np.full(rows, 1 / 3))[0])
    assert abs(drifted - exact) > rounding(rows) * exact
    assert abs(drifted - exact) <= rounding(rows, fractions=True) * exact


def test_bounds_of_weighted_rows_hold_what_the_same_rows_have_without() -> None:
    """Every row has the same weight, so nothing changes but the rounding."""
    random = np.random.default_rng(2)
    rows = 200_000
    positive = random.random(rows) < 0.3
    score = np.round(random.beta(2 + positive, 4), 2)
    score[:2] = 0.005, 0.0051  # one bin with two scores, so that numbers have bounds
    exact = count_scores(score, positive)
    weight = np.full(rows, 1 / 3)
    bins = count_binned(score, positive, weight, "sampling", Grid(0.0, 1.0, 1_000)).scores()
    assert not bins.exact
    for name in ("auc", "gini", "ks", "average_precision", "partial_auc:0.2"):
        asked = ask(name)
        bounds = certified(asked, bins, asked.metric(bins, *asked.parameters))
        assert bounds is not None
        assert bounds[0] <= asked.metric(exact, *asked.parameters) <= bounds[1]
        assert bounds[1] - bounds[0] < 1e-6
    # What all rows of a bin have in common is not added up row by row.
    points = ~bins.loose
    assert bins.totals is not None
    assert (bins.totals[points] == (bins.score * (bins.positives + bins.negatives))[points]).all()
