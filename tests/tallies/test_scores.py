"""`Scores`: distinct scores or bins with their counts, by hand."""

import numpy as np
import polars as pl
import pytest
from numpy.testing import assert_array_equal

import tallymark as tm
from hand_counts import scores_of
from scored import classes, refusals

ROWS = [(0.9, True), (0.8, True), (0.8, False), (0.3, False), (0.3, False), (0.1, True)]
SMALL = scores_of(ROWS, positive="yes")
WEIGHTED = scores_of(ROWS, [1.0, 2.0, 0.5, 1.0, 1.0, 4.0], positive="yes")
BINS = tm.Scores.from_bins([3, 1, 0], [0, 1, 5], edges=[0.9, 0.6, 0.3, 0.0])


def counts(tally: tm.Scores) -> tuple[list[float], list[float], list[float]]:
    return tally.score.tolist(), tally.positives.tolist(), tally.negatives.tolist()


def test_counts_by_hand() -> None:
    assert counts(SMALL) == ([0.9, 0.8, 0.3, 0.1], [1, 1, 0, 1], [0, 1, 2, 0])
    assert (SMALL.n_positive, SMALL.n_negative, SMALL.n, SMALL.rows, SMALL.pairs) == (3, 3, 6, 6, 9)
    assert (type(SMALL.n_positive), SMALL.prevalence, SMALL.exact) == (int, 0.5, True)
    assert (SMALL.effective, SMALL.highest) == ((3, 3), 0.9)
    assert not SMALL.loose.any()
    assert SMALL.means.tolist() == SMALL.score.tolist()


def test_cuts_by_hand() -> None:
    assert SMALL.thresholds.tolist() == [np.inf, 0.9, 0.8, 0.3, 0.1]
    cuts = SMALL.cuts()
    assert (cuts.tp.tolist(), cuts.fn.tolist()) == ([0, 1, 2, 2, 3], [3, 2, 1, 1, 0])
    assert (cuts.fp.tolist(), cuts.tn.tolist()) == ([0, 0, 1, 3, 3], [3, 3, 2, 0, 0])
    assert cuts.positive == "yes"
    assert [SMALL.called(at) for at in (1, 0.9, 0.85, 0.8, 0.3, 0.2, -1)] == [0, 1, 1, 2, 3, 3, 4]
    assert SMALL.called(np.array([0.8, 0.1])).tolist() == [2, 4]
    assert SMALL.cuts(slice(1, 3)).fp.tolist() == [0, 1]


def test_weights_by_hand() -> None:
    assert counts(WEIGHTED)[1:] == ([1.0, 2.0, 0.0, 4.0], [0.0, 0.5, 2.0, 0.0])
    assert (WEIGHTED.n_positive, WEIGHTED.n_negative, WEIGHTED.rows) == (7.0, 2.5, 6)
    # Kish: 7**2 / 21 and 2.5**2 / 2.25.
    assert WEIGHTED.effective == pytest.approx((49 / 21, 6.25 / 2.25))
    assert scores_of([(0.5, True)], [2.0]).effective == (1.0, 0.0)


def test_running_totals_of_weights_end_at_their_sum() -> None:
    rows = np.random.default_rng(0).random((300_000, 2))
    score = np.unique(rows[:, 0])[::-1]
    up, down = (np.where(rows[: len(score), 1] < 0.5, side, 0.1 - side) for side in (0.1, 0.0))
    found = tm.Scores(score, up, down, squares=(up**2, down**2), rows=len(score))
    cuts = found.cuts()
    assert (cuts.tp[-1], cuts.fp[-1]) == (found.n_positive, found.n_negative)
    assert all((np.diff(side) >= 0).all() and (left >= 0).all() for side, left in (
        (cuts.tp, cuts.fn), (cuts.fp, cuts.tn)
    ))  # fmt: skip
    np.testing.assert_allclose(cuts.tp[1:], np.cumsum(up > 0) * 0.1, rtol=1e-14)


def test_no_rows() -> None:
    nothing = tm.Scores.empty()
    assert (nothing.n, nothing.pairs, nothing.rows, len(nothing.score)) == (0, 0, 0, 0)
    assert np.isnan(nothing.prevalence)
    assert nothing.cuts().tp.tolist() == [0]
    assert nothing.effective == (0, 0)


def test_the_other_class() -> None:
    found = SMALL.reversed()
    assert counts(found) == ([-0.1, -0.3, -0.8, -0.9], [0, 2, 1, 0], [1, 0, 1, 1])
    assert (found.rows, found.positive, SMALL.reversed("no").positive) == (6, None, "no")
    assert counts(found.reversed()) == counts(SMALL)
    assert WEIGHTED.reversed().squares[0].tolist() == [0.0, 2.0, 0.25, 0.0]
    dropped = tm.Scores(*map(np.array, counts(SMALL)), dropped={"missing_score": 2})
    assert dict(dropped.reversed().dropped) == {"missing_score": 2}


def test_zero_has_one_sign_in_either_class() -> None:
    table = pl.DataFrame({"y": [1, 0, 1], "s": [-0.0, 0.0, 1.0]})
    found = tm.tally(table, actual="y", score="s").scores
    assert found.score.tolist() == [1.0, 0.0]
    for side in (found, found.reversed(), found.reversed().reversed()):
        assert not np.signbit(side.score[side.score == 0]).any()


# --- bins -------------------------------------------------------------------------------------------


def test_bins_with_edges_down_and_up_are_the_same() -> None:
    up = tm.Scores.from_bins([0, 1, 3], [5, 1, 0], edges=[0.0, 0.3, 0.6, 0.9])
    assert up == BINS
    assert counts(BINS) == ([0.6, 0.3, 0.0], [3, 1, 0], [0, 1, 5])
    assert (BINS.edges.tolist(), BINS.exact, BINS.highest) == ([0.0, 0.3, 0.6, 0.9], False, 0.9)
    assert BINS.loose.all()


def test_counts_in_floats_and_arrays_are_taken_as_they_are() -> None:
    given = np.array([3.0, 1.0])
    best_first = tm.Scores.from_bins([3, 1], [0, 2], positive="yes")
    assert (best_first.positives.tolist(), best_first.positive, best_first.pairs) == ([3, 1], "yes", 8)
    assert (np.diff(best_first.score) < 0).all()
    found = tm.Scores.from_bins(given, np.array([0, 2], np.uint8), edges=np.array([1.0, 0.5, 0.0]))
    assert found.positives.dtype == found.negatives.dtype == np.int64
    given[0] = 99
    assert found.positives.tolist() == [3, 1]
    assert tm.Scores.from_bins([1], [1], edges=[0, -0.0 + 1]).score.tolist() == [0]


def test_bins_of_the_other_class_are_told_by_their_lower_edges() -> None:
    found = BINS.reversed()
    assert found.edges.tolist() == [-0.9, -0.6, -0.3, 0.0]
    assert counts(found) == ([-0.3, -0.6, -0.9], [5, 1, 0], [0, 1, 3])
    assert found.reversed() == BINS


WRONG_BINS = {
    "other lengths": ([1, 2], [1]), "nothing": ([], []), "a table": ([[1]], [1]), "a number": ([1], 1),
    "text": (["1"], [1]), "booleans": ([True], [1]), "a fraction": ([1], [2, 1.5]), "below 0": ([-1], [1]),
    "nan": ([float("nan")], [1]), "more than floats hold": ([2**54], [1]),
    "more than int64 holds": ([2**70], [1]), "one edge": ([1], [1], [0.0]),
    "an edge too few": ([1, 2], [1, 2], [0, 0.5]), "a word among edges": ([1, 2], [1, 2], [0, "a", 1]),
    "an infinite edge": ([1, 2], [1, 2], [0, 0.5, float("inf")]),
    "an edge that is no number": ([1, 2], [1, 2], [0, float("nan"), 1]),
    "edges up and down": ([1, 2], [1, 2], [0, 0.5, 0.2]),
    "equal edges at the end": ([1, 2], [1, 2], [1, 0.5, 0.5]),
    "equal edges at the start": ([1, 2], [1, 2], [0.5, 0.5, 1]),
}  # fmt: skip
WRONG_SCORES = {
    "a score twice": ([0.9, 0.9], [1, 1], [0, 1]), "the lowest first": ([0.1, 0.9], [1, 1], [0, 1]),
    "no number": ([0.9, float("nan")], [1, 1], [0, 1]), "columns of other lengths": ([0.9], [1, 1], [0, 1]),
    "negative counts": ([0.9, 0.1], [1, -1], [0, 1]),
    "negative counts of the rest": ([0.9, 0.1], [1, 1], [0, -1]), "words": (["a", "b"], [1, 1], [0, 1]),
}  # fmt: skip


def test_what_is_no_tally_of_scores_is_refused(snapshot) -> None:
    calls = {name: lambda given=given: tm.Scores.from_bins(*given) for name, given in WRONG_BINS.items()}
    calls |= {
        name: lambda given=given: tm.Scores(*map(np.array, given)) for name, given in WRONG_SCORES.items()
    }
    refused = refusals(calls)
    assert set(classes(refused).values()) == {"ShapeError"}
    snapshot("tallies_errors_of_scores", refused)


# --- bins of a grid that hold rows -------------------------------------------------------------------


def in_bins(**changed: object) -> tm.Scores:
    """Two rows somewhere in [0.5, 0.75], two at 0.25, and one in [0, 0.125]."""
    options = {"reach": np.array([0.75, 0.25, 0.125]), "totals": np.array([1.25, 0.5, 0.1])} | changed
    return tm.Scores(np.array([0.5, 0.25, 0.0]), np.array([2, 1, 0]), np.array([0, 1, 1]), **options)


def test_rows_at_a_place_with_one_score_are_known() -> None:
    tally = in_bins()
    assert (tally.exact, tally.highest, tally.loose.tolist()) == (False, 0.75, [True, False, True])
    assert tally.means.tolist() == [0.625, 0.25, 0.1]
    assert in_bins(totals=None).means.tolist() == [0.625, 0.25, 0.0625]
    # Rounding must not move a mean beyond its rows.
    assert in_bins(totals=np.array([3.0, 0.5, -1.0])).means.tolist() == [0.75, 0.25, 0.0]
    assert tally.thresholds.tolist() == [np.inf, 0.5, 0.25, 0.0]


def test_the_other_class_sees_the_same_places_from_below() -> None:
    tally = in_bins().reversed("rest")
    assert tally.reach.tolist() == [0.0, -0.25, -0.5]
    assert tally.totals.tolist() == [-0.1, -0.5, -1.25]
    assert counts(tally) == ([-0.125, -0.25, -0.75], [1, 1, 0], [0, 1, 2])
    assert tally.positive == "rest"
    assert tally.reversed() == in_bins()


def test_other_rows_at_the_same_places() -> None:
    up, down = np.array([1.0, 0.5, 0.0]), np.array([0.0, 2.0, 1.0])
    other = in_bins().with_counts(up, down, squares=(up**2, down**2), rows=4, dropped={"missing_score": 1})
    assert_array_equal(other.reach, in_bins().reach)
    assert counts(other) == ([0.5, 0.25, 0.0], up.tolist(), down.tolist())
    assert (other.rows, other.totals, dict(other.dropped)) == (4, None, {"missing_score": 1})
    assert other.squares[1].tolist() == [0, 4, 1]
    assert BINS.with_counts(np.ones(3), np.ones(3)).edges.tolist() == BINS.edges.tolist()
