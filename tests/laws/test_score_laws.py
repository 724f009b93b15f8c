"""Tallies of scores are values: `+` is a commutative monoid, and counting parts equals counting the whole."""

from __future__ import annotations

import json
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tallymark.intake.ranking import count_scores
from tallymark.tallies import Keyed, Scores, Sums, from_dict

some = settings(max_examples=80, deadline=None)

Row = tuple[float, bool, Any]

SCORES: dict[str, st.SearchStrategy[float]] = {
    "few": st.sampled_from([0.0, -0.0, 0.1, 0.3, 0.1 + 0.2, 0.5, 1.0]),
    "probabilities": st.floats(0, 1),
    "numbers": st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from([0.0, -0.0, 5e-324, -5e-324]),
    "float32": st.floats(-100, 100, width=32),
}
WEIGHTS: dict[str, st.SearchStrategy[Any]] = {
    "none": st.none(),
    "whole": st.integers(0, 9),
    "fractions": st.floats(0, 100, allow_subnormal=False).map(lambda weight: round(weight, 3)) | st.just(0.1),
}
KINDS = [(score, weight) for score in SCORES for weight in WEIGHTS]


def tables(score: str, weight: str, least: int = 0) -> st.SearchStrategy[list[Row]]:
    return st.lists(st.tuples(SCORES[score], st.booleans(), WEIGHTS[weight]), min_size=least, max_size=25)


def counted(rows: list[Row], positive: Any = "yes") -> Scores:
    if not rows:
        return Scores.empty()
    score, hit, weight = zip(*rows, strict=True)
    amounts = None if weight[0] is None else np.array(weight)
    return count_scores(np.array(score), np.array(hit), weight=amounts, positive=positive)


@st.composite
def three(draw: st.DrawFn) -> tuple[Scores, Scores, Scores]:
    """Counted in whole numbers, so that equal means equal to the last digit; bins among them."""
    if draw(st.booleans()):
        counts = st.lists(st.integers(0, 2**48), min_size=3, max_size=3)
        edges = draw(st.sampled_from([None, [0, 0.5, 0.7, 1], [3.0, 1.0, 0.0, -0.5]]))
        first, second, third = (
            draw(st.just(Scores.empty()) | st.builds(Scores.from_bins, counts, counts, st.just(edges)))
            for _ in range(3)
        )
        return first, second, third
    rows = tables(draw(st.sampled_from(list(SCORES))), draw(st.sampled_from(["none", "whole"])))
    first, second, third = (counted(draw(rows)) for _ in range(3))
    return first, second, third


def paper(tally: Scores) -> str:
    """The JSON form, in which 0.0 and -0.0, and 1 and 1.0, differ."""
    return json.dumps(tally.to_dict(), allow_nan=False)


# --- a commutative monoid ---------------------------------------------------------------------------


@some
@given(three())
def test_addition_is_associative_and_commutative(tallies: tuple[Scores, Scores, Scores]) -> None:
    a, b, c = tallies
    assert (a + b) + c == a + (b + c)
    assert paper((a + b) + c) == paper(a + (b + c)) == paper(sum(tallies, Scores.empty()))
    assert a + b == b + a
    assert paper(a + b) == paper(b + a)


@some
@given(three())
def test_there_is_an_identity_and_nothing_is_changed(tallies: tuple[Scores, Scores, Scores]) -> None:
    a, b, _ = tallies
    before = paper(a), paper(b)
    nothing = Scores.empty()
    assert paper(nothing + a) == paper(a) == paper(a + nothing)
    assert a + b is not a
    assert (paper(a), paper(b)) == before


@some
@given(three())
def test_they_come_back_from_json_and_pickles(tallies: tuple[Scores, Scores, Scores]) -> None:
    tally = sum(tallies, Scores.empty())
    for again in (from_dict(json.loads(paper(tally))), pickle.loads(pickle.dumps(tally))):
        assert again == tally
        assert paper(again) == paper(tally)


@some
@given(three())
def test_under_keys_too(tallies: tuple[Scores, Scores, Scores]) -> None:
    a, b, c = tallies
    merged = Keyed({"x": a, "y": b}) + Keyed({"y": c})
    assert merged["y"] == b + c
    assert merged.total() == a + b + c


# --- the tally of the parts is the tally of the whole -------------------------------------------------


@pytest.mark.parametrize(("score", "weight"), KINDS)
@some
@given(st.data())
def test_tally_of_parts_is_tally_of_whole(score: str, weight: str, data: st.DataObject) -> None:
    rows = data.draw(tables(score, weight, least=1))
    whole = counted(rows)
    for cut in range(len(rows) + 1):
        both = counted(rows[:cut]) + counted(rows[cut:])
        if weight == "fractions":
            assert_close(both, whole)
        else:
            assert both == whole
            assert paper(both) == paper(whole)


def assert_close(one: Scores, other: Scores) -> None:
    assert (one.rows, one.positive) == (other.rows, other.positive)
    assert one.score.tobytes() == other.score.tobytes()
    sides = [(tally.positives, tally.negatives, *(tally.squares or ())) for tally in (one, other)]
    for first, second in zip(*sides, strict=True):
        np.testing.assert_allclose(first, second, rtol=1e-12)


@pytest.mark.parametrize(
    ("score", "weight"), [("few", "none"), ("probabilities", "none"), ("few", "fractions")]
)
@some
@given(st.data())
def test_losses_of_parts_are_losses_of_whole(score: str, weight: str, data: st.DataObject) -> None:
    rows = data.draw(tables(score, weight, least=1))
    whole = counted(rows).sums
    assert isinstance(whole, Sums)
    for cut in range(len(rows) + 1):
        first, second = counted(rows[:cut]).sums, counted(rows[cut:]).sums
        assert isinstance(first, Sums)
        assert isinstance(second, Sums)
        both = first + second
        assert both.rows == whole.rows
        assert both.infinite == pytest.approx(whole.infinite, rel=1e-12)
        for one, other in ((both.brier, whole.brier), (both.log_loss, whole.log_loss)):
            assert (one.total, one.weighted, one.squares) == pytest.approx(
                (other.total, other.weighted, other.squares), rel=1e-12, abs=1e-300
            )


@pytest.mark.parametrize(("score", "weight"), KINDS)
@some
@given(st.data(), st.randoms(use_true_random=False))
def test_the_order_of_the_rows_does_not_matter(
    score: str, weight: str, data: st.DataObject, random: Any
) -> None:
    rows = data.draw(tables(score, weight, least=1))
    shuffled = list(rows)
    random.shuffle(shuffled)
    assert_close(counted(shuffled), counted(rows))


@pytest.mark.parametrize("score", SCORES)
@some
@given(st.data())
def test_a_weight_is_that_many_rows_of_weight_1(score: str, data: st.DataObject) -> None:
    rows = data.draw(tables(score, "whole", least=1))
    many = [(value, hit, None) for value, hit, weight in rows for _ in range(weight)]
    weighted, repeated = counted(rows), counted(many)
    assert weighted.score.tobytes() == repeated.score.tobytes()
    assert weighted.positives.tolist() == repeated.positives.tolist()
    assert weighted.negatives.tolist() == repeated.negatives.tolist()


@pytest.mark.parametrize(("score", "weight"), KINDS)
@some
@given(st.data())
def test_cuts_are_all_answers_a_threshold_can_give(score: str, weight: str, data: st.DataObject) -> None:
    rows = [row for row in data.draw(tables(score, weight, least=1)) if row[2] is None or row[2] > 0]
    tally = counted(rows)
    cuts, thresholds = tally.cuts(), tally.thresholds
    assert thresholds[0] == np.inf
    assert thresholds[1:].tolist() == sorted({value for value, *_ in rows}, reverse=True)
    for at, threshold in enumerate(thresholds.tolist()):
        cells = {(True, True): 0.0, (True, False): 0.0, (False, True): 0.0, (False, False): 0.0}
        for value, hit, amount in rows:
            cells[hit, value >= threshold] += 1 if amount is None else amount
        found = cuts.tp[at], cuts.fn[at], cuts.fp[at], cuts.tn[at]
        expected = (cells[True, True], cells[True, False], cells[False, True], cells[False, False])
        assert found == pytest.approx(expected, rel=1e-12, abs=1e-10)
