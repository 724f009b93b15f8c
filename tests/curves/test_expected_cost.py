"""What answers cost at every threshold, against a row-by-row search in exact fractions."""

from __future__ import annotations

import json
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tallymark.curves.costs.expected_cost import ExpectedCost
from tallymark.drawing import text
from tallymark.errors import OptionError
from tallymark.intake.ranking import count_scores
from tallymark.tallies import Scores

some = settings(max_examples=150, deadline=None)
SCORES = [-2.5, 0.0, 0.1, 0.3, 0.5, 0.7, 1.0, 4.0]
ROWS = st.lists(st.tuples(st.sampled_from(SCORES), st.booleans(), st.integers(1, 3)), min_size=1)
COSTS = st.lists(st.integers(-50, 50), min_size=4, max_size=4)


def made(rows, costs, *, weighted=False):
    score, positive, weight = (np.array(column) for column in zip(*rows, strict=True))
    counted = count_scores(score, positive, weight=weight * 0.1 if weighted else None)
    return ExpectedCost(counted, np.array(costs, float).reshape(2, 2))


def searched(rows, tenths, *, weighted=False):
    """All thresholds, highest first, with the cost of each in exact fractions."""
    hit, miss, alarm, rest = (Fraction(cost, 10) for cost in tenths)
    found = []
    for threshold in [np.inf, *sorted({score for score, *_ in rows}, reverse=True)]:
        total = Fraction(0)
        for score, positive, weight in rows:
            called = score >= threshold
            cost = (hit if called else miss) if positive else (alarm if called else rest)
            total += cost * (Fraction(weight, 10) if weighted else 1)
        found.append((threshold, total))
    return found


def cheapest(found):
    """The highest cheapest threshold, where its interval ends, and how many others there are."""
    least = min(total for _, total in found)
    good = [total == least for _, total in found]
    first = good.index(True)
    last = first
    while last + 1 < len(good) and good[last + 1]:
        last += 1
    runs = sum(now and not before for before, now in zip([False, *good], good, strict=False))
    low = found[last + 1][0] if last + 1 < len(found) else -np.inf
    return found[first][0], low, runs - 1, least


@pytest.mark.parametrize("weighted", [False, True])
@some
@given(ROWS, COSTS)
# Three misses at 0.1 cost as much as a false alarm at 0.3, but 3 * 0.1 > 0.3 in floats.
@example([(0.5, True, 1), (0.5, True, 1), (0.5, True, 1), (0.5, False, 1)], [0, 1, 3, 0])
@example([(0.5, True, 1), (0.1, False, 1)], [0, 0, 0, 0])
def test_the_cheapest_interval_is_the_one_a_search_finds(weighted, rows, tenths):
    curve = made(rows, np.array(tenths) / 10, weighted=weighted)
    found = searched(rows, tenths, weighted=weighted)
    np.testing.assert_allclose(curve.total, [float(total) for _, total in found], atol=1e-9)
    np.testing.assert_allclose(curve.mean * curve.scores.n, curve.total, atol=1e-9)
    threshold, low, others, least = cheapest(found)
    best = curve.best
    assert (best.threshold, best.high, best.low, best.others) == (threshold, threshold, low, others)
    assert best.value == pytest.approx(float(least))


def test_a_difference_is_found_however_unlike_the_costs_are():
    """Two thresholds without a miss: at the higher one there is a false alarm less, at 1e-6 against 1e9."""
    rows = [(0.9, True, 1), (0.5, False, 1), (0.1, False, 1)] * 1_000
    curve = made(rows, [0, 1e9, 1e-6, 0])
    assert curve.best.threshold == 0.9
    assert curve.best.others == 0
    assert curve.best.low == 0.5


def test_blocks_change_nothing(monkeypatch):
    random = np.random.default_rng(0)
    scores = count_scores(random.random(500), random.random(500) < 0.3)
    whole = ExpectedCost(scores, np.array([[0, 4], [1, 0]]))
    allowed = random.random(501) < 0.5
    expected = whole.cheapest(), whole.cheapest(allowed)
    monkeypatch.setattr("tallymark.curves.costs.expected_cost._BLOCK", 7)
    np.testing.assert_array_equal(whole.cheapest(), expected[0])
    np.testing.assert_array_equal(whole.cheapest(allowed), expected[1])
    least = whole.total[allowed].min()
    np.testing.assert_array_equal(expected[1], np.flatnonzero(allowed & (whole.total == least)))


def by_hand():
    """Cut above 0.9: 4 misses; at 0.9: 2; at 0.6: 1 and 2 alarms; at 0.2: 7 alarms."""
    scores = Scores(np.array([0.9, 0.6, 0.2]), np.array([2, 1, 1]), np.array([0, 2, 5]))
    return ExpectedCost(scores, np.array([[0, 5], [1, 0]]))


def test_one_threshold():
    curve = by_hand()
    point = curve.at(0.7)
    assert (point.tp, point.fn, point.fp, point.tn) == (2, 2, 0, 7)
    assert (point.total, point.mean) == (10, 10 / 11)
    with pytest.raises(OptionError, match="threshold must be a number"):
        curve.at(float("nan"))


def test_words():
    said = text(by_hand().document())
    assert (
        "The least, 7 in total and 0.636 a row, is paid at a threshold of 0.6. Every lower threshold" in said
    )
    assert "= 1 x 2/7 x 7 + 5 x 1/4 x 4" in said
    assert "optimistic" in said


def test_json_and_table():
    form = by_hand().to_dict()
    assert json.loads(json.dumps(form, allow_nan=False))["best"] == {
        "threshold": 0.6,
        "value": 7.0,
        "low": None,
        "high": 0.6,
        "others": 0,
    }
    assert form["costs"] == {"tp": 0, "fn": 5, "fp": 1, "tn": 0}
    assert form["total"] == [20, 10, 7, 7]
    table = by_hand().table("pandas")
    assert table.columns.tolist() == ["threshold", "tp", "fp", "fn", "tn", "total", "mean"]
    assert table["total"].tolist() == [20, 10, 7, 7]


def test_bins_are_known_at_their_edges_only():
    bins = Scores.from_bins([8, 1, 1], [1, 1, 8], edges=[0.9, 0.6, 0.3, 0.0])
    curve = ExpectedCost(bins, np.array([[0, 1], [1, 0]]))
    assert curve.best.threshold == 0.6
    assert curve.best.low is None
    assert "only bins" in text(curve.document()).lower()
    with pytest.raises(OptionError, match="within a bin"):
        curve.at(0.7)


def test_no_rows():
    curve = ExpectedCost(Scores.empty(), np.array([[0, 1], [1, 0]]))
    assert curve.best is None
    assert curve.to_dict()["why"] == "there are no rows"
    assert "There is no cheapest threshold: there are no rows." in text(curve.document())
    assert curve.figure().note == "There is no curve: there are no rows."


def test_nothing_called_positive_can_be_cheapest():
    scores = count_scores(np.array([0.9, 0.2]), np.array([False, True]))
    curve = ExpectedCost(scores, np.array([[0, 1], [5, 0]]))
    assert curve.best.threshold == np.inf
    said = "a threshold above every score. Every threshold above 0.9 costs the same."
    assert said in " ".join(text(curve.document()).split())
    (panel,) = curve.figure().panels
    assert panel.x.high == 1.0
