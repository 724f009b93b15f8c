"""The cost curve by hand, and against every threshold tried at every probability cost."""

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scored import binned, columns, scored
from tallymark.curves import probability_cost

# FPR and TPR (0, 0), (0, 1/3), (1/2, 2/3), (1/2, 1), (1, 1): the hull leaves the third out.
SMALL = scored([0.9, 0.8, 0.8, 0.4, 0.1], [1, 0, 1, 1, 0]).cost_curve
ROWS = st.lists(st.tuples(st.integers(0, 6), st.booleans(), st.integers(1, 3)), min_size=2, max_size=30)


def test_by_hand() -> None:
    # Between 0.9 and 0.4: 1/2 to the right and 2/3 up, so they cost alike at (1/2) / (7/6) = 3/7.
    assert SMALL.probability_cost == pytest.approx([0, 3 / 7, 1])
    assert SMALL.threshold.tolist() == [0.9, 0.4, 0.4]
    assert SMALL.cost == pytest.approx([0, 2 / 3 * 3 / 7, 0])
    assert (SMALL.area, SMALL.operating_range) == (pytest.approx(2 / 7 / 2), (0, 1))
    assert [SMALL.at(probability_cost=x) for x in (0.3, 0.8)] == pytest.approx([0.2, 0.1])
    assert [SMALL.threshold_at(x) for x in (0, 0.3, 0.5, 1)] == [0.9, 0.9, 0.4, 0.4]
    # At the proportion of positives it is the lowest error rate: at 0.4 one of five rows is wrong.
    assert SMALL.at(probability_cost=0.6) == pytest.approx(1 / 5)
    assert SMALL.table().columns == ["probability_cost", "cost", "threshold", "fpr", "fnr"]
    assert len(SMALL.table()) == 3


def test_the_line_of_a_threshold() -> None:
    line = SMALL.line(0.5)
    assert (line.threshold, line.fpr, line.fnr) == (0.5, 1 / 2, 1 / 3)
    assert [line.at(probability_cost=x) for x in (0, 1)] == [1 / 2, 1 / 3]
    # Predicting none costs x, all 1 - x: cheaper than x from (1/2) / (1/2 + 2/3) on, than 1 - x up to
    # (1/2) / (1/2 + 1/3).
    assert line.operating_range == pytest.approx((3 / 7, 3 / 5))
    useless = scored([2, 2, 1, 1], [0, 1, 0, 1]).cost_curve.line(1.5)
    assert (useless.fpr, useless.fnr) == (0.5, 0.5)
    assert [line.operating_range for line in (SMALL.line(2), SMALL.line(0), useless)] == [None] * 3


@given(ROWS, st.booleans())
def test_no_threshold_is_cheaper(rows: list[tuple[int, bool, int]], weighted: bool) -> None:
    score, y, weight = columns(rows)
    curve = scored(score / 6, y, sample_weight=weight / 7 if weighted else None).cost_curve
    if y.all() or not y.any():
        assert curve.why is not None
        return
    rates = [curve.line(threshold) for threshold in (*(np.unique(score) / 6).tolist(), math.inf)]
    for x in (0, 0.01, 0.2, 0.37, 0.5, 0.8, 1, *curve.probability_cost.tolist()):
        cheapest = min(line.fnr * x + line.fpr * (1 - x) for line in rates)
        assert curve.at(probability_cost=x) == pytest.approx(cheapest, abs=1e-12)
        chosen = curve.line(curve.threshold_at(x))
        assert chosen.at(probability_cost=x) == pytest.approx(cheapest, abs=1e-12)
    beats = [x for x in np.linspace(0, 1, 101) if curve.at(probability_cost=x) < min(x, 1 - x) - 1e-9]
    low, high = curve.operating_range or (1, 0)
    assert all(low < x < high for x in beats)
    assert bool(beats) == (len([x for x in np.linspace(0, 1, 101) if low + 1e-8 < x < high - 1e-8]) > 0)


def test_it_bends_down_only_and_is_straight_between_corners() -> None:
    rng = np.random.default_rng(3)
    y = rng.random(300) < 0.3
    curve = scored(rng.normal(size=300) + y, y).cost_curve
    x, cost = curve.probability_cost, curve.cost
    assert (np.diff(x) > 0).all()
    assert [curve.at(probability_cost=each) for each in x] == pytest.approx(cost)
    middle = (x[1:] + x[:-1]) / 2
    assert [curve.at(probability_cost=each) for each in middle] == pytest.approx((cost[1:] + cost[:-1]) / 2)
    assert (np.diff(np.diff(cost) / np.diff(x)) < 0).all()
    fine = np.linspace(0, 1, 20_001)
    assert curve.area == pytest.approx(np.trapezoid(np.interp(fine, x, cost), fine), abs=1e-6)
    form = json.loads(json.dumps(curve.to_dict(most=5), allow_nan=False))
    assert (form["points"], form["thinned"], len(form["cost"])) == (len(cost), True, 5)


def test_perfect_useless_and_repeated() -> None:
    perfect, useless = scored([3, 2, 1], [1, 1, 0]).cost_curve, scored([1, 1, 1], [1, 1, 0]).cost_curve
    assert (perfect.probability_cost.tolist(), perfect.cost.tolist()) == ([0, 1], [0, 0])
    assert (perfect.area, perfect.operating_range, perfect.threshold_at(0.5)) == (0, (0, 1), 2)
    assert (useless.probability_cost.tolist(), useless.cost.tolist()) == ([0, 0.5, 1], [0, 0.5, 0])
    assert (useless.area, useless.operating_range) == (0.25, None)
    assert (useless.threshold.tolist(), useless.to_dict()["threshold"][0]) == ([math.inf, 1, 1], None)
    score, y = [0.9, 0.8, 0.8, 0.4, 0.1], [1, 0, 1, 1, 0]
    weighted = scored(score, y, sample_weight=[2.0, 1, 1, 1, 1]).cost_curve
    repeated = scored([*score, 0.9], [*y, 1]).cost_curve
    assert weighted.probability_cost == pytest.approx(repeated.probability_cost)
    assert weighted.cost == pytest.approx(repeated.cost)


def test_bins_are_known_at_their_edges() -> None:
    curve = binned([3, 1], [1, 3], [1, 0.5, 0]).cost_curve
    assert (curve.cost.tolist(), curve.operating_range) == ([0, 0.25, 0.25, 0], (0.25, 0.75))
    assert curve.to_dict()["exact"] is False


def test_where_costs_are() -> None:
    # 0.2 x (10 - 2) = 1.6 for missing, 0.8 x (3 - -1) = 3.2 for a false alarm
    assert probability_cost([[2, 10], [3, -1]], 0.2) == pytest.approx(1.6 / 4.8)
    assert probability_cost([[0, 1], [1, 0]], 0.3) == pytest.approx(0.3)
    assert probability_cost([[0, 0], [1, 0]], 0.3) == 0
