from __future__ import annotations

import json
import pickle
from typing import Any

import numpy as np
import pytest

from tallymark.errors import MergeError, ShapeError
from tallymark.intake.ranking import count_scores
from tallymark.tallies import Keyed, Scores, from_dict


def tally(rows: list[tuple[float, bool]], weight: list[float] | None = None, **options: Any) -> Scores:
    score, positive = (np.array(column) for column in zip(*rows, strict=True))
    return count_scores(score, positive, weight=None if weight is None else np.array(weight), **options)


ROWS = [(0.9, True), (0.8, True), (0.8, False), (0.3, False), (0.3, False), (0.1, True)]
SMALL = tally(ROWS, positive="yes")
WEIGHTED = tally(ROWS, [1.0, 2.0, 0.5, 1.0, 1.0, 4.0], positive="yes")
BINS = Scores.from_bins([3, 1, 0], [0, 1, 5], edges=[0.9, 0.6, 0.3, 0.0])


# --- what is read from it ---------------------------------------------------------------------------


def test_counts_by_hand() -> None:
    assert SMALL.score.tolist() == [0.9, 0.8, 0.3, 0.1]
    assert SMALL.positives.tolist() == [1, 1, 0, 1]
    assert SMALL.negatives.tolist() == [0, 1, 2, 0]
    assert (SMALL.n_positive, SMALL.n_negative, SMALL.n, SMALL.rows, SMALL.pairs) == (3, 3, 6, 6, 9)
    assert type(SMALL.n_positive) is int
    assert SMALL.prevalence == 0.5
    assert SMALL.exact
    assert SMALL.effective == (3, 3)


def test_cuts_by_hand() -> None:
    assert SMALL.thresholds.tolist() == [np.inf, 0.9, 0.8, 0.3, 0.1]
    cuts = SMALL.cuts()
    assert cuts.tp.tolist() == [0, 1, 2, 2, 3]
    assert cuts.fn.tolist() == [3, 2, 1, 1, 0]
    assert cuts.fp.tolist() == [0, 0, 1, 3, 3]
    assert cuts.tn.tolist() == [3, 3, 2, 0, 0]
    assert cuts.positive == "yes"


def test_weights_by_hand() -> None:
    assert WEIGHTED.positives.tolist() == [1.0, 2.0, 0.0, 4.0]
    assert WEIGHTED.negatives.tolist() == [0.0, 0.5, 2.0, 0.0]
    assert (WEIGHTED.n_positive, WEIGHTED.n_negative, WEIGHTED.rows) == (7.0, 2.5, 6)
    assert WEIGHTED.squares is not None
    assert [side.tolist() for side in WEIGHTED.squares] == [[1.0, 4.0, 0.0, 16.0], [0.0, 0.25, 2.0, 0.0]]
    # Kish: 7**2 / 21 and 2.5**2 / 2.25.
    assert WEIGHTED.effective == pytest.approx((49 / 21, 6.25 / 2.25))


def test_the_effective_number_of_a_class_without_rows_is_nothing() -> None:
    assert tally([(0.5, True)], [2.0]).effective == (1.0, 0.0)


def test_running_totals_of_weights_end_at_their_sum() -> None:
    random = np.random.default_rng(0)
    rows = 300_000
    found = count_scores(random.random(rows), random.random(rows) < 0.5, weight=np.full(rows, 0.1))
    cuts = found.cuts()
    assert (cuts.tp[-1], cuts.fp[-1]) == (found.n_positive, found.n_negative)
    assert (np.diff(cuts.tp) >= 0).all()
    assert (cuts.fn >= 0).all()
    assert (cuts.tn >= 0).all()
    tenths = np.cumsum(found.positives > 0) * 0.1
    np.testing.assert_allclose(cuts.tp[1:], tenths, rtol=1e-14)


def test_no_rows() -> None:
    nothing = Scores.empty()
    assert (nothing.n, nothing.pairs, nothing.rows, len(nothing.score)) == (0, 0, 0, 0)
    assert np.isnan(nothing.prevalence)
    assert nothing.cuts().tp.tolist() == [0]
    assert nothing.effective == (0, 0)


def test_the_other_class() -> None:
    found = SMALL.reversed()
    assert found.score.tolist() == [-0.1, -0.3, -0.8, -0.9]
    assert found.positives.tolist() == [0, 2, 1, 0]
    assert found.negatives.tolist() == [1, 0, 1, 1]
    assert (found.rows, found.positive) == (6, None)
    assert found.reversed().score.tolist() == SMALL.score.tolist()
    assert WEIGHTED.reversed().squares is not None
    assert WEIGHTED.reversed().squares[0].tolist() == [0.0, 2.0, 0.25, 0.0]


def test_zero_has_one_sign_in_either_class() -> None:
    found = tally([(-0.0, True), (0.0, False), (1.0, True)])
    assert found.score.tolist() == [1.0, 0.0]
    for side in (found, found.reversed(), found.reversed().reversed()):
        assert not np.signbit(side.score[side.score == 0]).any()


def test_bins_of_the_other_class_are_told_by_their_lower_edges() -> None:
    found = BINS.reversed()
    assert found.edges is not None
    assert found.edges.tolist() == [-0.9, -0.6, -0.3, 0.0]
    assert found.score.tolist() == [-0.3, -0.6, -0.9]
    assert (found.positives.tolist(), found.negatives.tolist()) == ([5, 1, 0], [0, 1, 3])
    assert found.reversed() == BINS


# --- bins -------------------------------------------------------------------------------------------


def test_bins_with_edges_down_and_up_are_the_same() -> None:
    up = Scores.from_bins([0, 1, 3], [5, 1, 0], edges=[0.0, 0.3, 0.6, 0.9])
    assert up == BINS
    assert BINS.score.tolist() == [0.6, 0.3, 0.0]
    assert BINS.positives.tolist() == [3, 1, 0]
    assert BINS.edges is not None
    assert BINS.edges.tolist() == [0.0, 0.3, 0.6, 0.9]
    assert not BINS.exact


def test_bins_without_edges_come_best_first() -> None:
    found = Scores.from_bins([3, 1], [0, 2], positive="yes")
    assert found.positives.tolist() == [3, 1]
    assert (np.diff(found.score) < 0).all()
    assert found.positive == "yes"
    assert (found.rows, found.pairs) == (6, 8)


def test_counts_in_floats_and_arrays_are_taken_as_they_are() -> None:
    given = np.array([3.0, 1.0])
    found = Scores.from_bins(given, np.array([0, 2], np.uint8), edges=np.array([1.0, 0.5, 0.0]))
    assert found.positives.dtype == found.negatives.dtype == np.int64
    given[0] = 99
    assert found.positives.tolist() == [3, 1]


@pytest.mark.parametrize(
    ("positives", "negatives", "edges", "message"),
    [
        ([1, 2], [1], None, "2 bins of positives and 1 of negatives."),
        ([], [], None, "positives must be a list of counts, one per bin; got shape (0,)."),
        ([[1]], [1], None, "positives must be a list of counts, one per bin; got shape (1, 1)."),
        ([1], 1, None, "negatives must be a list of counts, one per bin; got shape ()."),
        (["1"], [1], None, "positives must be counts; got values of type <U1."),
        ([True], [1], None, "positives must be counts; got values of type bool."),
        ([1], [2, 1.5], None, "counts are whole numbers from 0 up; negatives of bin 2 are 1.5."),
        ([-1], [1], None, "counts are whole numbers from 0 up; positives of bin 1 are -1."),
        ([float("nan")], [1], None, "counts are whole numbers from 0 up; positives of bin 1 are nan."),
        ([2**54], [1], None, "counts add up to more than 2**53 and could not be added exactly."),
        ([2**70], [1], None, "counts add up to more than 2**53 and could not be added exactly."),
        ([1], [1], [0.0], "1 bin has 2 edges; got 1."),
        ([1, 2], [1, 2], [0, 0.5], "2 bins have 3 edges; got 2."),
        ([1, 2], [1, 2], [0, "a", 1], "edges must be numbers; got [0, 'a', 1]."),
        ([1, 2], [1, 2], [0, 0.5, float("inf")], "edges must be finite numbers; got inf."),
        ([1, 2], [1, 2], [0, float("nan"), 1], "edges must be finite numbers; got nan."),
        ([1, 2], [1, 2], [0, 0.5, 0.2], "edges must all go up, or all go down; 0.2 comes after 0.5."),
        ([1, 2], [1, 2], [1, 0.5, 0.5], "edges must all go up, or all go down; 0.5 comes after 0.5."),
        ([1, 2], [1, 2], [0.5, 0.5, 1], "edges must all go up, or all go down; 0.5 comes after 0.5."),
    ],
)
def test_bins_that_cannot_be_are_refused(positives: Any, negatives: Any, edges: Any, message: str) -> None:
    with pytest.raises(ShapeError) as caught:
        Scores.from_bins(positives, negatives, edges)
    assert caught.value.message == message


# --- merging ----------------------------------------------------------------------------------------


def test_adding_by_hand() -> None:
    both = SMALL + tally([(0.8, True), (0.5, False)], positive="yes")
    assert both.score.tolist() == [0.9, 0.8, 0.5, 0.3, 0.1]
    assert both.positives.tolist() == [1, 2, 0, 0, 1]
    assert both.negatives.tolist() == [0, 1, 1, 2, 0]
    assert (both.rows, both.positive) == (8, "yes")


def test_adding_bins() -> None:
    both = BINS + BINS
    assert both.positives.tolist() == [6, 2, 0]
    assert not both.exact
    assert both.edges is not None
    assert both.edges.tolist() == BINS.edges.tolist()  # type: ignore[union-attr]


def test_sum_and_the_identity() -> None:
    assert sum([SMALL, SMALL], 0) == SMALL + SMALL
    assert SMALL + Scores.empty() == SMALL == Scores.empty() + SMALL
    assert WEIGHTED + Scores.empty() == WEIGHTED
    assert BINS + Scores.empty() == BINS


def test_dropped_rows_add_up_even_where_nothing_else_is_there() -> None:
    nothing = count_scores(np.empty(0), np.empty(0, bool), dropped={"missing_score": 2}, positive="yes")
    part = tally([(0.5, True)], positive="yes", dropped={"missing_score": 1, "missing_actual": 4})
    for both in (nothing + part, part + nothing):
        assert both.dropped == {"missing_score": 3, "missing_actual": 4}
        assert (both.rows, both.positive) == (1, "yes")


def test_true_and_1_are_one_class_in_either_order() -> None:
    booleans, numbers = tally([(0.5, True)], positive=True), tally([(0.5, True)], positive=1)
    for both in (booleans + numbers, numbers + booleans):
        assert type(both.positive) is int


@pytest.mark.parametrize(
    ("first", "second", "message", "hint"),
    [
        (
            SMALL,
            tally([(0.5, True)], positive="no"),
            "the positive class was declared differently: 'yes' and 'no'.",
            "count both parts for the same class.",
        ),
        (
            tally([(0.5, True)]),
            SMALL,
            "the positive class was declared differently: none and 'yes'.",
            "count both parts for the same class.",
        ),
        (
            tally([(0.5, True)]),
            BINS,
            "one tally has every score and the other only bins of them: "
            "Scores(1 distinct scores, 1 rows) and Scores(3 bins, 10 rows).",
            "count the scores of both, or both in the same bins.",
        ),
        (
            BINS,
            Scores.from_bins([1], [2], edges=[1, 0]),
            "the scores were counted in other bins: 3 from 0 to 0.9 and 1 from 0 to 1.",
            "count both parts with the same edges.",
        ),
        (
            BINS,
            Scores.from_bins([1, 1, 1], [2, 2, 2], edges=[0, 0.3, 0.7, 0.9]),
            "the scores were counted in other bins: 3 from 0 to 0.9 and 3 from 0 to 0.9, "
            "and edge 3 is 0.6 and 0.7.",
            "count both parts with the same edges.",
        ),
        (
            SMALL,
            WEIGHTED,
            "one tally has weights and the other has none: "
            "Scores(4 distinct scores, 6 rows, weight 9.5, positive 'yes') "
            "and Scores(4 distinct scores, 6 rows, positive 'yes').",
            "count both with weights; weight 1 is a plain row.",
        ),
    ],
)
def test_what_was_counted_differently_is_refused(
    first: Scores, second: Scores, message: str, hint: str
) -> None:
    with pytest.raises(MergeError) as caught:
        first + second
    assert (caught.value.message, caught.value.hint) == (message, hint)
    with pytest.raises(MergeError):
        second + first


def test_the_side_with_weights_is_named_first() -> None:
    one = tally([(0.5, True)], [2.0], positive="yes")
    for first, second in ((one, SMALL), (SMALL, one)):
        with pytest.raises(MergeError, match=r"none: Scores\(1 distinct scores.* and Scores\(4 distinct"):
            first + second


def test_more_rows_than_can_be_counted_are_refused() -> None:
    large = Scores.from_bins([2**53], [0])
    with pytest.raises(MergeError, match=r"more than 2\*\*53"):
        large + Scores.from_bins([1], [0])


def test_only_scores_are_added() -> None:
    with pytest.raises(TypeError):
        SMALL + 1  # type: ignore[operator]
    with pytest.raises(TypeError):
        1 + SMALL


# --- a value ----------------------------------------------------------------------------------------


def arrays(found: Scores) -> list[Any]:
    more = [found.edges] if found.edges is not None else []
    return [
        found.score,
        found.positives,
        found.negatives,
        found.thresholds,
        *(found.squares or ()),
        *more,
        found.tp,
        found.fp,
    ]


@pytest.mark.parametrize(
    "found", [SMALL, WEIGHTED, BINS, SMALL + SMALL, WEIGHTED.reversed(), BINS.reversed()]
)
def test_it_cannot_be_changed(found: Scores) -> None:
    for again in (found, pickle.loads(pickle.dumps(found)), from_dict(found.to_dict())):
        assert isinstance(again, Scores)
        for array in arrays(again):
            with pytest.raises(ValueError, match="read-only"):
                array[0] = 7
        with pytest.raises(AttributeError):
            again.rows = 7  # type: ignore[misc]
        with pytest.raises(TypeError):
            again.dropped["x"] = 7  # type: ignore[index]


def test_arrays_of_the_caller_stay_the_callers() -> None:
    score, positives, negatives = np.array([0.9, 0.1, 7.0])[:2], np.array([1, 2]), np.array([3, 4])
    squares = np.array([1.0, 2.0]), np.array([3.0, 4.0])
    edges = np.array([0.0, 0.1, 0.9])
    found = Scores(score, positives, negatives, squares=squares, edges=edges, rows=4)
    for array in (score, positives, negatives, *squares, edges):
        array[0] = 99  # still writeable
    assert found.score.tolist() == [0.9, 0.1]
    assert (found.positives.tolist(), found.negatives.tolist()) == ([1, 2], [3, 4])
    assert found.squares is not None
    assert [side.tolist() for side in found.squares] == [[1.0, 2.0], [3.0, 4.0]]
    assert found.edges is not None
    assert found.edges.tolist() == [0.0, 0.1, 0.9]


def test_a_read_only_view_of_what_can_be_written_is_copied() -> None:
    base = np.array([0.9, 0.1])
    view = base[:]
    view.flags.writeable = False
    found = Scores(view, np.array([1, 2]), np.array([3, 4]))
    base[0] = 99
    assert found.score.tolist() == [0.9, 0.1]


@pytest.mark.parametrize("found", [SMALL, WEIGHTED, BINS, Scores.empty()])
def test_json_and_pickles_come_back_equal(found: Scores) -> None:
    form = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert form["schema"] == "tallymark/scores/1"
    for again in (from_dict(form), Scores.from_dict(form), pickle.loads(pickle.dumps(found))):
        assert isinstance(again, Scores)
        assert again == found
        assert again.to_dict() == found.to_dict()
        assert again.positives.dtype == found.positives.dtype


def test_the_json_form() -> None:
    assert tally(
        [(0.5, True), (0.25, False)], [2, 3], positive="yes", dropped={"missing_score": 1}
    ).to_dict() == {
        "schema": "tallymark/scores/1",
        "positive": "yes",
        "score": [0.5, 0.25],
        "positives": [2, 0],
        "negatives": [0, 3],
        "rows": 2,
        "dropped": {"missing_score": 1},
        "squares": [[4, 0], [0, 9]],
    }
    assert BINS.to_dict()["edges"] == [0.0, 0.3, 0.6, 0.9]


def test_under_a_key() -> None:
    keyed = Keyed({"north": SMALL, "south": SMALL})
    assert keyed.total() == SMALL + SMALL
    assert (keyed + keyed)["north"] == SMALL + SMALL
    assert from_dict(json.loads(json.dumps(keyed.to_dict()))) == keyed


def test_equal_and_not() -> None:
    assert tally(ROWS[::-1], positive="yes") == SMALL
    assert tally(ROWS) != SMALL
    assert SMALL != WEIGHTED
    assert tally(ROWS[1:], positive="yes") != SMALL
    assert Scores.from_bins([3, 1, 0], [0, 1, 5], edges=[1.0, 0.6, 0.3, 0.0]) != BINS
    assert SMALL != "something else"
    with pytest.raises(TypeError):
        hash(SMALL)


def test_how_it_looks() -> None:
    assert repr(SMALL) == "Scores(4 distinct scores, 6 rows, positive 'yes')"
    assert repr(WEIGHTED) == "Scores(4 distinct scores, 6 rows, weight 9.5, positive 'yes')"
    assert repr(BINS) == "Scores(3 bins, 10 rows)"
