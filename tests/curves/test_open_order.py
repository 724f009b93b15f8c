"""What bins leave open of points of curves, against the exact curves of the rows in many orders."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tallymark.curves import CostCurve, ExpectedCost, PrecisionRecall, PrecisionRecallPoint, ThresholdCurve
from tallymark.curves.open_order import best_case
from tallymark.curves.roc.constructions import roc_of
from tallymark.errors import OptionError
from tallymark.intake.ranking import count_scores
from tallymark.intake.streams.counting import count_binned
from tallymark.tallies import Scores
from tallymark.tallies.grid import Grid

SHARES = (0.0, 0.1, 0.3, 0.5, 0.8, 1.0)
DUST = 1e-12


def some(trial: int) -> tuple[Scores, list[Scores]]:
    """Bins, and tallies of rows that they can be of."""
    random = np.random.default_rng(trial)
    size = int(random.choice([4, 12, 40]))
    positive = random.random(size) < 0.4
    positive[:2] = True, False
    score = np.round(random.beta(2 + 2 * positive, 3), 3)
    weight: NDArray[Any] | None = [None, random.integers(1, 4, size), random.random(size) + 0.1][trial % 3]
    grid = Grid(0.0, 1.0, int(random.choice([1, 3, 8])))
    bins = count_binned(score, positive, weight, "sampling", grid).scores()
    exact = [count_scores(score, positive, weight=weight)]
    if bins.reach is not None:
        place = len(bins.score) - np.searchsorted(bins.score[::-1], score, side="right")
        low, high = bins.score[place], bins.reach[place]
        for _ in range(6):
            moved = np.clip(low + random.choice([0.0, 0.5, 1.0], size) * (high - low), low, high)
            exact.append(count_scores(moved, positive, weight=weight))
    return bins, exact


def with_precision(curve: PrecisionRecall, precision: float) -> PrecisionRecallPoint | str:
    try:
        return curve.at(precision=precision)
    except OptionError as problem:
        return problem.message


def holds(bounds: tuple[float, float] | None, known: float, value: float) -> None:
    low, high = (known, known) if bounds is None else bounds
    assert low - DUST <= value <= high + DUST


@pytest.mark.parametrize("trial", range(18))
def test_points_of_curves_hold_those_of_the_rows(trial: int) -> None:
    bins, exact = some(trial)
    roc, recalls, costs = roc_of(bins), PrecisionRecall(bins), CostCurve(bins)
    for rows in exact:
        for share in SHARES:
            point = roc.at(fpr=share)
            holds(point.bounds, point.tpr, roc_of(rows).at(fpr=share).tpr)  # type: ignore[arg-type]
            point = roc.at(tpr=share)
            holds(point.bounds, point.fpr, roc_of(rows).at(tpr=share).fpr)  # type: ignore[arg-type]
            least = recalls.at(recall=share)
            precision = PrecisionRecall(rows).at(recall=share).precision
            holds(least.bounds, least.precision, precision)  # type: ignore[arg-type]
            at = costs.at(probability_cost=share)
            holds(costs.bounds_at(share), at, CostCurve(rows).at(probability_cost=share))
        holds(costs.bounds, costs.area, CostCurve(rows).area)  # type: ignore[arg-type]
        cheapest = [CostCurve(rows).at(probability_cost=x) for x in costs.probability_cost.tolist()]
        assert (costs.least <= np.array(cheapest) + DUST).all()
        for share in SHARES:
            best, found = (with_precision(curve, share) for curve in (PrecisionRecall(rows), recalls))
            if isinstance(found, str):
                assert isinstance(best, str) or "within a bin" in found
            else:
                assert not isinstance(best, str)
                holds(found.bounds, found.recall, best.recall)  # type: ignore[arg-type]


def test_by_hand() -> None:
    # Two bins: above 1 positive and 1 negative, below the same; in the best order + - + -.
    bins = Scores(np.array([0.5, 0.0]), np.array([1, 1]), np.array([1, 1]), reach=np.array([0.9, 0.4]))
    assert best_case(bins).tp.tolist() == [0, 1, 1, 2, 2]
    assert best_case(bins).fp.tolist() == [0, 0, 1, 1, 2]
    roc = roc_of(bins)
    assert (roc.at(fpr=0.5).tpr, roc.at(fpr=0.5).bounds) == (0.5, (0.5, 1.0))
    assert (roc.at(tpr=0.5).fpr, roc.at(tpr=0.5).bounds) == (0.5, (0.0, 0.5))
    assert roc.at(threshold=0.5).bounds is None
    assert roc.bounds == (0.25, 0.75)
    form = roc.to_dict()
    assert (form["exact"], form["bounds"]) == (False, [0.25, 0.75])
    point = PrecisionRecall(bins).at(recall=1.0)
    assert (point.precision, point.bounds) == (0.5, (0.5, 2 / 3))
    # At equal odds half of the errors: no edge does better than 0.5, the best order 0.25.
    cost = CostCurve(bins)
    assert cost.bounds_at(0.5) == pytest.approx((0.25, 0.5))
    form = cost.to_dict()
    assert form["exact"] is False
    assert form["area"] == pytest.approx(0.25)
    # The best order has rates of (0, 1/2) and (1/2, 1), so its curve is half as high.
    assert form["bounds"] == pytest.approx([0.125, 0.25], abs=1e-9)
    assert form["least"] == pytest.approx([0.0, 0.25, 0.0])
    assert form["note"] == (
        "only bins of the scores were counted, so the curve is known at their edges only. With every score "
        "known the curve could only be lower."
    )


def test_what_is_known_has_no_bounds() -> None:
    points = Scores(np.array([0.5, 0.0]), np.array([1, 1]), np.array([0, 2]), reach=np.array([0.5, 0.4]))
    assert roc_of(points).at(fpr=0.0).bounds == (0.5, 1.0)  # the lower bin may have its positive first
    assert roc_of(points).at(fpr=1.0).bounds is None
    exact = Scores(np.array([0.5, 0.0]), np.array([1, 1]), np.array([0, 2]))
    assert roc_of(exact).at(fpr=0.0).bounds is None
    assert PrecisionRecall(exact).at(recall=1.0).bounds is None
    assert CostCurve(exact).bounds is None
    assert CostCurve(exact).bounds_at(0.5) is None
    assert not {"exact", "bounds", "least", "note"} & set(CostCurve(exact).to_dict())
    assert "exact" not in roc_of(exact).to_dict()


def test_precision_that_only_a_threshold_within_a_bin_may_have() -> None:
    bins = Scores(np.array([0.0]), np.array([1]), np.array([1]), reach=np.array([0.9]))
    with pytest.raises(OptionError) as problem:
        PrecisionRecall(bins).at(precision=0.8)
    assert problem.value.message == (
        "no threshold at an edge of a bin has a precision of 0.8; the highest is 0.500, at the threshold 0. "
        "One within a bin may have it."
    )
    assert "--tolerance" in (problem.value.hint or "")


def test_curves_over_thresholds_say_that_they_are_not_exact() -> None:
    bins = Scores(np.array([0.0]), np.array([1]), np.array([1]), reach=np.array([0.9]))
    assert ThresholdCurve(bins, "f1").to_dict()["exact"] is False
    assert ExpectedCost(bins, np.array([[0, 1], [1, 0]])).to_dict()["exact"] is False
    said = str(CostCurve(bins).document())
    assert "No threshold at an edge of a bin is ever cheaper" in said
    assert "The mean cost can be [0.000, 0.250]" in said
