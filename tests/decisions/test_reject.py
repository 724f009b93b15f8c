"""The cheapest reject region against a search of all pairs of cut points in exact fractions."""

import math
from fractions import Fraction
from itertools import combinations_with_replacement, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deciding import paid, square, yes_or_no
from scored import binned, classes, refusals

# Few distinct scores, so that most rows are tied with others, and few distinct costs, so that most are equal.
ROWS = st.lists(
    st.tuples(st.sampled_from([-3.0, -1.0, 0.0, 0.3, 0.5, 1.0, 7.0]), st.booleans(), st.integers(1, 3)),
    min_size=1,
    max_size=25,
)
CELLS = st.lists(st.integers(-4, 12), min_size=4, max_size=4)
REASONABLE = st.tuples(st.integers(-5, 5), st.integers(-5, 5), st.integers(0, 9), st.integers(0, 9)).map(
    lambda cells: [[cells[0], cells[1] + cells[2]], [cells[0] + cells[3], cells[1]]]
)
ERRORS = [[0.0, 10], [10, 0]]


def rejected(rows, lower, upper):
    return sum(weight for score, _, weight in rows if lower <= score < upper)


def check(rows, cells, reject, ev, scale=1):
    """Over all pairs: the cheapest, then fewest rejected, then the highest upper end, then lower one."""
    weights = [Fraction(weight) / scale for *_, weight in rows]
    cuts = sorted({score for score, *_ in rows} | {math.inf})
    cost, fewest, upper, lower = min(
        (paid(rows, weights, cells, low, high, reject), rejected(rows, low, high), -high, -low)
        for low, high in combinations_with_replacement(cuts, 2)
    )
    lower, upper = -lower, -upper
    decision = ev.decide(square(cells), reject_cost=float(reject))
    assert decision.cost == pytest.approx(float(cost), abs=1e-9)
    total = sum(weight for *_, weight in rows)
    assert decision.rejected == pytest.approx(fewest / total)
    counts = decision.answered.counts
    expected = [
        sum(weight for score, yes, weight in rows if yes is side and there(score))
        for side in (True, False)
        for there in (lambda score: score >= upper, lambda score: score < lower)
    ]
    assert [counts.tp, counts.fn, counts.fp, counts.tn] == pytest.approx([float(n / scale) for n in expected])
    without = min(paid(rows, weights, cells, cut, cut) for cut in cuts)
    if not fewest:
        assert (decision.region, decision.threshold) == (None, upper)
        return
    assert decision.region == (lower, upper)
    form = decision.to_dict()["region"]
    assert form["cost_without"] == pytest.approx(float(without), abs=1e-9)
    # One threshold inside of every gap between scores: equally cheap or not, on either side of the ends.
    known = sorted({-math.inf, math.inf} | {score for score, *_ in rows})
    for name, end in (("lower", lower), ("upper", upper)):
        ends = form[f"{name}_interval"]
        bottom, top = (-math.inf if ends[0] is None else ends[0]), (math.inf if ends[1] is None else ends[1])
        assert bottom < end <= top
        for low, high in pairwise(known):
            pair = (high, upper) if name == "lower" else (lower, high)
            same = pair[0] <= pair[1] and paid(rows, weights, cells, *pair, reject) == cost
            if bottom <= low and high <= top:
                assert same
            elif high == bottom or low == top:
                assert not same


@given(ROWS, CELLS, st.integers(-2, 6))
def test_the_region_is_the_cheapest_of_all_pairs(rows, cells, reject):
    score, positive, counted = (np.array(column) for column in zip(*rows, strict=True))
    ev = yes_or_no(score, positive, sample_weight=counted, weight_kind="frequency")
    check(rows, [Fraction(cell) for cell in cells], Fraction(reject), ev)
    # A tenth of each: equally cheap pairs differ in the last bits, and are still found to be equal.
    check(rows, [Fraction(cell, 10) for cell in cells], Fraction(reject, 10), ev)


@given(ROWS, CELLS, st.integers(-2, 6))
def test_weights_that_are_no_whole_numbers(rows, cells, reject):
    score, positive, weight = (np.array(column) for column in zip(*rows, strict=True))
    ev = yes_or_no(score, positive, sample_weight=weight / 10)
    check(rows, [Fraction(cell) for cell in cells], Fraction(reject), ev, scale=10)


def test_by_hand():
    # 0.9 ++, 0.5 +-, 0.1 --: an error costs 10, rejecting a row 2.
    ev = yes_or_no([0.9, 0.9, 0.5, 0.5, 0.1, 0.1], [1, 1, 1, 0, 0, 0])
    decision = ev.decide(ERRORS, reject_cost=2)
    region = decision.to_dict()["region"]
    assert (decision.region, decision.cost, region["cost_without"]) == ((0.5, 0.9), 4, 10)
    assert (region["lower_interval"], region["upper_interval"]) == ([0.1, 0.5], [0.5, 0.9])
    # Predicting 0.5 positive or negative is one error either way; the higher threshold is named. Of the two
    # rows at 0.5 one is wrong, so rejecting both at 5 costs what one error does: nothing is rejected.
    tied = yes_or_no([0.9, 0.5, 0.5, 0.1], [1, 1, 0, 0])
    for reject in (100, 5):
        dear = tied.decide(ERRORS, reject_cost=reject)
        assert (dear.region, dear.threshold, dear.rejected, dear.cost) == (None, 0.9, 0, 10)
    paid_for = yes_or_no([0.9, 0.1], [1, 0]).decide([[0.0, 1], [1, 0]], reject_cost=-1)
    assert (paid_for.region, paid_for.rejected, paid_for.cost) == ((0.1, math.inf), 1, -2)
    form = paid_for.to_dict()["region"]
    assert (form["lower_interval"], form["upper_interval"]) == ([None, 0.1], [0.9, None])
    bins = binned([5, 2, 0], [0, 2, 5], [1, 0.6, 0.3, 0]).decide(ERRORS, reject_cost=1)
    assert (bins.region, bins.rejected) == ((0.3, 0.6), 4 / 14)


@given(REASONABLE, st.integers(-8, 16).map(lambda half: half / 2))
def test_chows_rule_is_cheapest_at_every_probability(costs, reject):
    """Costs [[tp, fn], [fp, tn]] with fn >= tn and fp >= tp: what it says costs least, at every p."""
    (tp, fn), (fp, tn) = costs
    lower, upper = yes_or_no([0.9, 0.1], [1, 0]).decide(costs, reject_cost=reject).chow
    assert lower <= upper
    for p in np.linspace(0, 1, 97):
        said = "positive" if p >= upper else "negative" if p < lower else "reject"
        each = {"positive": p * tp + (1 - p) * fp, "negative": p * fn + (1 - p) * tn, "reject": reject}
        assert each[said] == pytest.approx(min(each.values()), abs=1e-12)


def test_chows_rule_by_hand(snapshot):
    """Reject if the larger probability is below 1 - t (Chow 1970): the errors cost 1, rejecting t."""
    ev = yes_or_no([0.9, 0.1], [1, 0])
    for t in (0.05, 0.1, 0.3, 0.5):
        assert ev.decide([[0.0, 1], [1, 0]], reject_cost=t).chow == pytest.approx((t, 1 - t))
    rewarded = [[[2.0, 5], [1, 0]], [[0.0, -1], [1, 3]]]
    reasons = {f"costs {costs}": ev.decide(costs, reject_cost=1).chow for costs in rewarded}
    asked = {f"reject cost {cost!r}": cost for cost in (math.nan, "1")}
    refused = refusals(
        {name: lambda cost=cost: ev.decide(ERRORS, reject_cost=cost) for name, cost in asked.items()}
    )
    assert set(classes(refused).values()) == {"OptionError"}
    snapshot("text_chow", {name: str(why) for name, why in reasons.items()} | refused)
