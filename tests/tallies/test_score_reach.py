"""Scores of which only bins of a grid are known."""

from __future__ import annotations

import json
import pickle

import numpy as np
import pytest

from tallymark.errors import MergeError
from tallymark.tallies import Moments, Scores, Sums

KNOWN = (
    Sums(3, 3, 3, Moments(0.5, 0.5, 0.25), Moments(1.5, 1.5, 1.0)),
    Sums(2, 2, 2, Moments(0.25, 0.25, 0.125), Moments(0.75, 0.75, 0.5), infinite=1, infinite_squares=1),
)


def bins(**changed: object) -> Scores:
    """Two rows somewhere in [0.5, 0.75], two at 0.25, and one in [0, 0.125]."""
    options = {"reach": np.array([0.75, 0.25, 0.125]), "totals": np.array([1.25, 0.5, 0.1]), "known": KNOWN}
    return Scores(np.array([0.5, 0.25, 0.0]), np.array([2, 1, 0]), np.array([0, 1, 1]), **(options | changed))  # type: ignore[arg-type]


def test_rows_at_a_place_with_one_score_are_known() -> None:
    t = bins()
    assert not t.exact
    assert t.loose.tolist() == [True, False, True]
    assert t.highest == 0.75
    assert t.means.tolist() == [0.625, 0.25, 0.1]
    assert bins(totals=None).means.tolist() == [0.625, 0.25, 0.0625]
    assert repr(t) == "Scores(3 bins, 5 rows)"


def test_a_mean_stays_among_its_rows() -> None:
    assert bins(totals=np.array([3.0, 0.5, -1.0])).means.tolist() == [0.75, 0.25, 0.0]


@pytest.mark.parametrize("field", ["reach", "totals", "known"])
def test_tallies_that_differ_in_what_bins_hold_are_not_equal(field: str) -> None:
    other = {"reach": np.array([0.7, 0.25, 0.125]), "totals": None, "known": (KNOWN[1], KNOWN[0])}
    assert bins() == bins()
    assert bins() != bins(**{field: other[field]})


def test_they_come_back_from_a_pickle_and_from_json() -> None:
    t = bins()
    assert pickle.loads(pickle.dumps(t)) == t
    assert Scores.from_dict(json.loads(json.dumps(t.to_dict()))) == t
    assert "reach" not in Scores.empty().to_dict()


def test_losses_are_those_that_were_counted() -> None:
    found = bins().sums
    assert isinstance(found, Sums)
    assert (found.rows, found.brier.total, found.log_loss.total, found.infinite) == (5, 0.75, 2.25, 1)
    assert bins(known=None).sums == "only bins of the scores were counted, not the scores themselves"
    outside = bins(reach=np.array([1.5, 0.25, 0.125]))
    assert outside.sums == outside.no_probabilities == "scores leave [0, 1], so they are no probabilities"


def test_the_other_class_sees_the_same_places_from_below() -> None:
    t = bins().reversed("rest")
    assert t.reach is not None
    assert t.totals is not None
    assert t.score.tolist() == [-0.125, -0.25, -0.75]
    assert t.reach.tolist() == [0.0, -0.25, -0.5]
    assert t.totals.tolist() == [-0.1, -0.5, -1.25]
    assert t.positives.tolist() == [1, 1, 0]
    assert t.reversed() == bins()


def test_tallies_of_bins_are_added_on_their_grid() -> None:
    with pytest.raises(MergeError, match="add the tallies on the grid itself"):
        bins() + bins()
    with pytest.raises(MergeError, match="one tally has every score and the other only bins"):
        bins() + Scores(np.array([0.5]), np.array([1]), np.array([0]))
    with pytest.raises(MergeError, match="which need not be the same bins"):
        bins() + Scores.from_bins([1], [2], edges=[0, 1])
    assert bins() + Scores.empty() == bins()


def test_losses_of_heavier_rows() -> None:
    twice = KNOWN[1].scaled(2)
    assert (twice.weight, twice.weight_squares, twice.rows) == (4, 8, 2)
    assert twice.brier == Moments(0.5, 1.0, 0.5)
    assert (twice.infinite, twice.infinite_squares) == (2, 4)
    assert Sums.from_dict(json.loads(json.dumps(twice.to_dict()))) == twice
