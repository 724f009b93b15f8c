"""The cheapest reject region against a search of all pairs of cut points in exact fractions."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations_with_replacement, pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tallymark.decisions.reject import Region, chow_thresholds, reject_region
from tallymark.errors import OptionError
from tallymark.intake.ranking import count_scores
from tallymark.tallies import Scores

Row = tuple[float, bool, int]
Costs = list[list[int]]

# Few distinct scores, so that most rows are tied with others, and few distinct costs, so that most are equal.
ROWS = st.lists(
    st.tuples(st.sampled_from([-3.0, -1.0, 0.0, 0.3, 0.5, 1.0, 7.0]), st.booleans(), st.integers(1, 3)),
    min_size=1,
    max_size=25,
)
COSTS = st.lists(st.lists(st.integers(-4, 12), min_size=2, max_size=2), min_size=2, max_size=2)
REJECT = st.integers(-2, 6)
some = settings(max_examples=200, deadline=None)


def paid(
    rows: list[Row], costs: list[list[Fraction]], reject: Fraction, lower: float, upper: float
) -> Fraction:
    """Row by row."""
    total = Fraction(0)
    for score, positive, weight in rows:
        row = costs[0 if positive else 1]
        each = row[0] if score >= upper else row[1] if score < lower else reject
        total += weight * each
    return total


def rejected(rows: list[Row], lower: float, upper: float) -> int:
    return sum(weight for score, _, weight in rows if lower <= score < upper)


def searched(rows: list[Row], costs: list[list[Fraction]], reject: Fraction) -> tuple[float, float, Fraction]:
    """Over all pairs: the cheapest, then fewest rejected, then the highest upper end, then lower one."""
    cuts = sorted({score for score, _, _ in rows} | {math.inf})
    pairs = [
        (paid(rows, costs, reject, lower, upper), rejected(rows, lower, upper), -upper, -lower)
        for lower, upper in combinations_with_replacement(cuts, 2)
    ]
    cost, _, upper, lower = min(pairs)
    return -lower, -upper, cost


def region_of(rows: list[Row], costs: list[list[Fraction]], reject: Fraction) -> Region:
    score, positive, weight = (np.array(side) for side in zip(*rows, strict=True))
    tally = count_scores(score, positive, weight=weight, weight_kind="frequency")
    return reject_region(tally, np.array(costs, float), float(reject))


def check(rows: list[Row], costs: list[list[Fraction]], reject: Fraction) -> None:
    region = region_of(rows, costs, reject)
    lower, upper, cost = searched(rows, costs, reject)
    assert (region.lower, region.upper) == (lower, upper)
    assert region.cost == pytest.approx(float(cost), abs=1e-9)
    assert region.rejected == rejected(rows, lower, upper)
    counts = region.counts
    assert counts.tp == sum(weight for score, yes, weight in rows if yes and score >= upper)
    assert counts.fn == sum(weight for score, yes, weight in rows if yes and score < lower)
    assert counts.fp == sum(weight for score, yes, weight in rows if not yes and score >= upper)
    assert counts.tn == sum(weight for score, yes, weight in rows if not yes and score < lower)
    cuts = sorted({score for score, _, _ in rows} | {math.inf})
    assert region.cost_without == pytest.approx(
        float(min(paid(rows, costs, reject, cut, cut) for cut in cuts)), abs=1e-9
    )
    check_alternatives(region, rows, costs, reject, cost)


def check_alternatives(
    region: Region, rows: list[Row], costs: list[list[Fraction]], reject: Fraction, cost: Fraction
) -> None:
    """One threshold inside of every gap between scores: equally cheap or not, on either side of the ends."""
    known = sorted({-math.inf, math.inf} | {score for score, _, _ in rows})
    ends = region.alternatives
    assert ends.lower.low is not None
    assert ends.upper.low is not None
    assert ends.lower.low < region.lower <= ends.lower.high
    assert ends.upper.low < region.upper <= ends.upper.high
    for low, high in pairwise(known):
        same = high <= region.upper and paid(rows, costs, reject, high, region.upper) == cost
        if ends.lower.low <= low and high <= ends.lower.high:
            assert same
        elif high == ends.lower.low or low == ends.lower.high:
            assert not same
        same = high >= region.lower and paid(rows, costs, reject, region.lower, high) == cost
        if ends.upper.low <= low and high <= ends.upper.high:
            assert same
        elif high == ends.upper.low or low == ends.upper.high:
            assert not same


@some
@given(ROWS, COSTS, REJECT)
def test_whole_costs_of_either_sign(rows: list[Row], costs: Costs, reject: int) -> None:
    check(rows, [[Fraction(cell) for cell in row] for row in costs], Fraction(reject))


@some
@given(ROWS, COSTS, REJECT)
def test_costs_that_do_not_add_up_exactly_in_floats(rows: list[Row], costs: Costs, reject: int) -> None:
    """A tenth of each: equally cheap pairs differ in the last bits, and are still told to be equal."""
    check(rows, [[Fraction(cell, 10) for cell in row] for row in costs], Fraction(reject, 10))


@some
@given(ROWS, COSTS, REJECT)
def test_weights_that_are_no_whole_numbers(rows: list[Row], costs: Costs, reject: int) -> None:
    score, positive, weight = (np.array(side) for side in zip(*rows, strict=True))
    region = reject_region(count_scores(score, positive, weight=weight / 10), np.array(costs, float), reject)
    lower, upper, cost = searched(rows, [[Fraction(cell) for cell in row] for row in costs], Fraction(reject))
    assert (region.lower, region.upper) == (lower, upper)
    assert region.cost == pytest.approx(float(cost) / 10, abs=1e-9)
    assert region.rejected == pytest.approx(rejected(rows, lower, upper) / 10, abs=1e-12)


@pytest.mark.parametrize("seed", range(20))
def test_many_distinct_scores(seed: int) -> None:
    rng = np.random.default_rng(seed)
    y = rng.random(40) < 0.4
    score = (rng.normal(size=40) + y).round(2)
    rows = [(float(each), bool(yes), 1) for each, yes in zip(score, y, strict=True)]
    costs = [[Fraction(int(cell)) for cell in row] for row in rng.integers(-3, 20, (2, 2))]
    check(rows, costs, Fraction(int(rng.integers(-2, 8)), 2))


def test_by_hand() -> None:
    """0.9 ++, 0.5 +-, 0.1 --: an error costs 10, leaving a row to somebody else 2."""
    tally = count_scores(np.array([0.9, 0.9, 0.5, 0.5, 0.1, 0.1]), np.array([1, 1, 1, 0, 0, 0], bool))
    region = reject_region(tally, np.array([[0.0, 10], [10, 0]]), 2)
    assert (region.lower, region.upper, region.cost, region.rejected) == (0.5, 0.9, 4, 2)
    assert region.cost_without == 10
    assert region.alternatives == ((0.1, 0.5), (0.5, 0.9))
    counts = region.counts
    assert (counts.tp, counts.fn, counts.fp, counts.tn) == (2, 0, 0, 2)


def test_dear_rejection_rejects_nothing() -> None:
    tally = count_scores(np.array([0.9, 0.5, 0.5, 0.1]), np.array([1, 1, 0, 0], bool))
    region = reject_region(tally, np.array([[0.0, 10], [10, 0]]), 100)
    # Calling 0.5 positive or negative is one error either way; the higher threshold is named.
    assert (region.lower, region.upper, region.rejected, region.cost) == (0.9, 0.9, 0, 10)
    assert region.cost == region.cost_without


def test_as_cheap_as_an_error_rejects_nothing() -> None:
    """Of the two rows at 0.5 one is wrong, so rejecting both at 5 costs what one error does: 10."""
    tally = count_scores(np.array([0.9, 0.5, 0.5, 0.1]), np.array([1, 1, 0, 0], bool))
    region = reject_region(tally, np.array([[0.0, 10], [10, 0]]), 5)
    assert (region.lower, region.upper, region.rejected, region.cost) == (0.9, 0.9, 0, 10)
    # With the upper end at 0.9 the lower one may as well be 0.5, which rejects both.
    assert region.alternatives.lower == (0.1, 0.9)
    assert region.alternatives.upper == (0.5, 0.9)


def test_paid_for_rejecting_everything_is_rejected() -> None:
    tally = count_scores(np.array([0.9, 0.1]), np.array([1, 0], bool))
    region = reject_region(tally, np.array([[0.0, 1], [1, 0]]), -1)
    assert (region.lower, region.upper, region.rejected, region.cost) == (0.1, math.inf, 2, -2)
    assert region.alternatives == ((-math.inf, 0.1), (0.9, math.inf))


def test_bins_are_cut_at_their_edges() -> None:
    tally = Scores.from_bins([5, 2, 0], [0, 2, 5], edges=[1, 0.6, 0.3, 0])
    region = reject_region(tally, np.array([[0.0, 10], [10, 0]]), 1)
    assert (region.lower, region.upper, region.rejected) == (0.3, 0.6, 4)
    assert region.alternatives == ((None, 0.3), (None, 0.6))


def test_no_rows() -> None:
    region = reject_region(Scores.empty(), np.array([[0.0, 10], [10, 0]]), 1)
    assert (region.cost, region.rejected) == (0, 0)


# --- the closed form -----------------------------------------------------------------------------


@pytest.mark.parametrize("share", [0.05, 0.1, 0.3, 0.5])
def test_chows_rule(share: float) -> None:
    """Reject when the larger probability is below 1 - t (Chow 1970): the errors cost 1, rejecting t."""
    lower, upper = chow_thresholds(np.array([[0.0, 1], [1, 0]]), share)
    assert (lower, upper) == pytest.approx((share, 1 - share))


def cheapest(costs: np.ndarray, reject: float, p: float) -> dict[str, float]:
    (tp, fn), (fp, tn) = costs
    return {"positive": p * tp + (1 - p) * fp, "negative": p * fn + (1 - p) * tn, "reject": reject}


REASONABLE = st.tuples(st.integers(-5, 5), st.integers(-5, 5), st.integers(0, 9), st.integers(0, 9)).map(
    lambda cells: np.array([[cells[0], cells[1] + cells[2]], [cells[0] + cells[3], cells[1]]], float)
)


@settings(max_examples=400, deadline=None)
@given(REASONABLE, st.integers(-8, 16).map(lambda half: half / 2))
def test_the_closed_form_is_cheapest_at_every_probability(costs: np.ndarray, reject: float) -> None:
    """Costs [[tp, fn], [fp, tn]] with fn >= tn and fp >= tp: what it says costs least, at every p."""
    lower, upper = chow_thresholds(costs, reject)
    assert lower <= upper
    for p in np.linspace(0, 1, 97):
        said = "positive" if p >= upper else "negative" if p < lower else "reject"
        each = cheapest(costs, reject, p)
        assert each[said] == pytest.approx(min(each.values()), abs=1e-12)


def test_on_many_calibrated_rows_the_search_finds_the_closed_form() -> None:
    rng = np.random.default_rng(4)
    p = rng.random(400_000).round(3)
    tally = count_scores(p, rng.random(400_000) < p)
    costs = np.array([[-1.0, 8], [3, 0]])
    region = reject_region(tally, costs, 0.8)
    assert chow_thresholds(costs, 0.8) == pytest.approx((0.8 / 8, 2.2 / 4))
    assert (region.lower, region.upper) == pytest.approx((0.8 / 8, 2.2 / 4), abs=0.02)


@pytest.mark.parametrize(
    ("costs", "said"),
    [
        ([[2.0, 5], [1, 0]], "a false positive costs 1 and a true one 2"),
        ([[0.0, -1], [1, 3]], "a false negative costs -1 and a true one 3"),
    ],
)
def test_costs_that_reward_being_wrong(costs: list[list[float]], said: str) -> None:
    with pytest.raises(OptionError) as raised:
        chow_thresholds(np.array(costs), 1)
    assert str(raised.value) == (
        f"no two thresholds are best where being wrong is cheaper than being right: {said}. "
        "Hint: check the signs of the costs: what is gained is a negative cost."
    )


@pytest.mark.parametrize("cost", [math.nan, math.inf, "1", None])
def test_a_reject_cost_is_a_number(cost: object) -> None:
    for function in (
        lambda: chow_thresholds(np.array([[0.0, 1], [1, 0]]), cost),
        lambda: reject_region(Scores.empty(), np.array([[0.0, 1], [1, 0]]), cost),
    ):
        with pytest.raises(OptionError, match="reject_cost must be"):
            function()
