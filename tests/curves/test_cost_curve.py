"""The cost curve against hand arithmetic, and against every threshold tried at every probability cost."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tallymark.curves.costs.cost_curve import CostCurve, CostLine, probability_cost
from tallymark.drawing import text
from tallymark.drawing.figure import Line, Note, Points
from tallymark.drawing.plots.pen import image
from tallymark.errors import OptionError
from tallymark.intake.ranking import count_scores
from tallymark.tallies import Scores

# FPR and TPR (0, 0), (0, 1/3), (1/2, 2/3), (1/2, 1), (1, 1): the hull leaves the third out.
SMALL = count_scores(np.array([0.9, 0.8, 0.8, 0.4, 0.1]), np.array([1, 0, 1, 1, 0], bool))


def test_by_hand() -> None:
    curve = CostCurve(SMALL)
    # Between 0.9 and 0.4: 1/2 to the right and 2/3 up, so they cost alike at (1/2) / (7/6) = 3/7.
    assert curve.probability_cost == pytest.approx([0, 3 / 7, 1])
    assert curve.threshold.tolist() == [0.9, 0.4, 0.4]
    assert curve.cost == pytest.approx([0, 2 / 3 * 3 / 7, 0])
    assert curve.area == pytest.approx(2 / 7 / 2)
    assert curve.operating_range == (0, 1)
    assert curve.at(probability_cost=0.3) == pytest.approx(0.2)
    assert curve.at(probability_cost=0.8) == pytest.approx(0.1)
    assert [curve.threshold_at(x) for x in (0, 0.3, 0.5, 1)] == [0.9, 0.9, 0.4, 0.4]


def test_the_line_of_a_threshold() -> None:
    line = CostCurve(SMALL).line(0.5)
    assert line == CostLine(0.5, 1 / 2, 1 / 3)
    assert line.at(probability_cost=0) == 1 / 2
    assert line.at(probability_cost=1) == 1 / 3
    # Calling none costs x, calling all 1 - x: cheaper than x from (1/2) / (1/2 + 2/3) on, than 1 - x up to
    # (1/2) / (1/2 + 1/3).
    assert line.operating_range == pytest.approx((3 / 7, 3 / 5))
    assert CostCurve(SMALL).line(2).operating_range is None
    assert CostCurve(SMALL).line(0).operating_range is None
    assert CostLine(0.5, 0.5, 0.5).operating_range is None


ROWS = st.lists(st.tuples(st.integers(0, 6), st.booleans(), st.integers(1, 3)), min_size=2, max_size=30)


@settings(max_examples=60, deadline=None)
@given(ROWS, st.booleans())
def test_no_threshold_is_cheaper(rows: list[tuple[int, bool, int]], weighted: bool) -> None:
    score, y, weight = (np.array(side) for side in zip(*rows, strict=True))
    tally = count_scores(score / 6, y, weight=weight / 7 if weighted else None)
    curve = CostCurve(tally)
    if y.all() or not y.any():
        assert curve.why is not None
        return
    rates = [curve.line(threshold) for threshold in (*tally.score.tolist(), math.inf)]
    for x in (0, 0.01, 0.2, 0.37, 0.5, 0.8, 1, *curve.probability_cost.tolist()):
        cheapest = min(line.fnr * x + line.fpr * (1 - x) for line in rates)
        assert curve.at(probability_cost=x) == pytest.approx(cheapest, abs=1e-12)
        chosen = curve.line(curve.threshold_at(x))
        assert chosen.at(probability_cost=x) == pytest.approx(cheapest, abs=1e-12)
    beats = [x for x in np.linspace(0, 1, 101) if curve.at(probability_cost=x) < min(x, 1 - x) - 1e-9]
    reach = curve.operating_range
    if reach is None:
        assert not beats
    else:
        assert all(reach[0] < x < reach[1] for x in beats)


def test_at_the_corners_and_between_them_it_is_a_straight_line() -> None:
    rng = np.random.default_rng(3)
    y = rng.random(500) < 0.3
    curve = CostCurve(count_scores(rng.normal(size=500) + y, y))
    x, cost = curve.probability_cost, curve.cost
    assert (np.diff(x) > 0).all()
    assert [curve.at(probability_cost=each) for each in x] == pytest.approx(cost)
    middle = (x[1:] + x[:-1]) / 2
    assert [curve.at(probability_cost=each) for each in middle] == pytest.approx((cost[1:] + cost[:-1]) / 2)
    # A lower envelope of straight lines bends down only.
    assert (np.diff(np.diff(cost) / np.diff(x)) < 0).all()
    fine = np.linspace(0, 1, 20_001)
    assert curve.area == pytest.approx(np.trapezoid(np.interp(fine, x, cost), fine), abs=1e-6)


def test_at_the_share_of_positives_it_is_the_lowest_error_rate() -> None:
    # At 0.4 one of five rows is wrong, and no threshold has none wrong.
    assert CostCurve(SMALL).at(probability_cost=0.6) == pytest.approx(1 / 5)
    said = text(CostCurve(SMALL).document()).replace("\n", " ")
    assert (
        "probability cost is 0.600, and the cost is the lowest error rate: 0.200, at the threshold 0.4."
        in said
    )


def test_perfect_and_useless_scores() -> None:
    y = np.array([1, 1, 0], bool)
    perfect = CostCurve(count_scores(np.array([3.0, 2, 1]), y))
    assert (perfect.probability_cost.tolist(), perfect.cost.tolist()) == ([0, 1], [0, 0])
    assert (perfect.area, perfect.operating_range, perfect.threshold_at(0.5)) == (0, (0, 1), 2)
    useless = CostCurve(count_scores(np.ones(3), y))
    assert (useless.probability_cost.tolist(), useless.cost.tolist()) == ([0, 0.5, 1], [0, 0.5, 0])
    assert (useless.area, useless.operating_range) == (0.25, None)
    assert useless.threshold.tolist() == [math.inf, 1, 1]
    assert "No threshold is ever cheaper than both" in text(useless.document())


def test_repeated_rows_weigh_as_much() -> None:
    twice = np.array([0.9, 0.8, 0.8, 0.4, 0.1, 0.9]), np.array([1, 0, 1, 1, 0, 1], bool)
    weight = np.array([2.0, 1, 1, 1, 1])
    weighted = count_scores(
        np.array([0.9, 0.8, 0.8, 0.4, 0.1]), np.array([1, 0, 1, 1, 0], bool), weight=weight
    )
    once, repeated = CostCurve(weighted), CostCurve(count_scores(*twice))
    assert once.probability_cost == pytest.approx(repeated.probability_cost)
    assert once.cost == pytest.approx(repeated.cost)


def test_bins_are_known_at_their_edges() -> None:
    curve = CostCurve(Scores.from_bins([3, 1], [1, 3], edges=[1, 0.5, 0]))
    assert curve.cost.tolist() == [0, 0.25, 0.25, 0]
    assert curve.operating_range == (0.25, 0.75)
    assert curve.to_dict()["exact"] is False
    assert "With every score known the curve could only be lower." in text(curve.document()).replace(
        "\n", " "
    )
    with pytest.raises(OptionError, match=r"the threshold 0\.6 is within a bin"):
        curve.line(0.6)


@pytest.mark.parametrize(
    ("scores", "why"),
    [
        (Scores.empty(), "there are no rows"),
        (count_scores(np.ones(2), np.zeros(2, bool)), "no row is actually positive"),
        (count_scores(np.ones(2), np.ones(2, bool)), "no row is actually negative"),
    ],
)
def test_without_both_classes_there_is_none(scores: Scores, why: str) -> None:
    curve = CostCurve(scores)
    assert (curve.why, curve.area, curve.operating_range) == (why, None, None)
    assert len(curve.cost) == len(curve.threshold) == len(curve.table()) == 0
    form = curve.to_dict()
    assert (form["why"], form["area"], form["points"]) == (why, None, 0)
    assert f"There is no cost curve: {why}." in text(curve.document())
    (note,) = curve.figure().panels[0].marks
    assert isinstance(note, Note)
    for asked in (lambda: curve.at(probability_cost=0.5), lambda: curve.line(0.5)):
        with pytest.raises(OptionError, match=f"there is no curve: {why}"):
            asked()


@pytest.mark.parametrize("asked", [-0.1, 1.5, math.nan])
def test_a_probability_cost_is_between_0_and_1(asked: float) -> None:
    with pytest.raises(OptionError, match="probability_cost must be between 0 and 1"):
        CostCurve(SMALL).at(probability_cost=asked)


def test_where_costs_are() -> None:
    # 0.2 x (10 - 2) = 1.6 for missing, 0.8 x (3 - -1) = 3.2 for a false alarm
    assert probability_cost([[2, 10], [3, -1]], 0.2) == pytest.approx(1.6 / 4.8)
    assert probability_cost([[0, 1], [1, 0]], 0.3) == pytest.approx(0.3)
    assert probability_cost([[0, 0], [1, 0]], 0.3) == 0
    for costs in ([[0, -1], [1, 0]], [[0, 0], [0, 0]], [[0, math.inf], [1, 0]]):
        with pytest.raises(OptionError, match="these costs have no place on a cost curve"):
            probability_cost(costs, 0.3)


def test_handed_on() -> None:
    rng = np.random.default_rng(1)
    y = rng.random(3000) < 0.4
    curve = CostCurve(count_scores(rng.normal(size=3000) + y, y))
    table = curve.table()
    assert table.columns == ["probability_cost", "cost", "threshold", "fpr", "fnr"]
    assert len(table) == len(curve.cost)
    form = curve.to_dict(most=5)
    json.dumps(form, allow_nan=False)
    assert (form["points"], form["thinned"], len(form["cost"])) == (len(curve.cost), True, 5)
    assert CostCurve(count_scores(np.ones(3), np.array([1, 0, 0], bool))).to_dict()["threshold"][0] is None


def test_drawn() -> None:
    curve = CostCurve(Scores.from_bins([3, 1], [1, 3], edges=[1, 0.5, 0]))
    (panel,) = curve.figure("tree", threshold=0.5).panels
    none, both, own, one = (mark for mark in panel.marks if isinstance(mark, Line))
    assert (none.series, both.series) == (None, None)
    assert own.label == "tree, area 0.188"
    assert one.y.tolist() == [0.25, 0.25]
    (points,) = (mark for mark in panel.marks if isinstance(mark, Points))
    assert points.label == "tree: worth using from 0.250 to 0.750"
    assert image(curve.figure(), ".svg")
