"""What bins of scores leave open of points of curves, against the exact curves of rows in many orders."""

from typing import Any

import numpy as np
import pytest

import tallymark as tm
from scored import classes, on_grid, refusals, scored

SHARES = (0.0, 0.1, 0.3, 0.5, 0.8, 1.0)
DUST = 1e-12
COSTS = {"positive": {"not positive": 1}, "not positive": {"positive": 1}}


def some(trial: int) -> tuple[tm.Evaluation, list[tm.Evaluation]]:
    """Bins, and evaluations of rows that they can be of."""
    random = np.random.default_rng(trial)
    size, bins = int(random.choice([4, 12, 40])), int(random.choice([1, 3, 8]))
    positive = random.random(size) < 0.4
    positive[:2] = True, False
    score = np.round(random.beta(2 + 2 * positive, 3), 3)
    weight = [None, random.integers(1, 4, size), random.random(size) + 0.1][trial % 3]
    exact = [scored(score, positive, sample_weight=weight)]
    place = np.minimum((score * bins).astype(int), bins - 1)
    for _ in range(6):
        moved = place / bins + random.choice([0.0, 0.5, 0.999], size) / bins
        exact.append(scored(moved, positive, sample_weight=weight))
    return on_grid(score, positive, bins, weight), exact


def at_precision(ev: tm.Evaluation, precision: float) -> Any:
    try:
        return ev.precision_recall.at(precision=precision)
    except tm.OptionError:
        return None


def bins_of(positives: list[int], negatives: list[int]) -> tm.Evaluation:
    """Bins from 0.5 to 0.9 and from 0 to 0.4, or one from 0 to 0.9."""
    ends = ([0.5, 0.0], [0.9, 0.4]) if len(positives) == 2 else ([0.0], [0.9])
    counts = np.array(positives), np.array(negatives)
    return tm.Scores(np.array(ends[0]), *counts, reach=np.array(ends[1])).evaluate()


def test_points_of_curves_hold_those_of_the_rows() -> None:
    wrong: list[tuple[object, ...]] = []

    def holds(what: tuple[object, ...], bounds: Any, known: Any, value: Any) -> None:
        low, high = (known, known) if bounds is None else bounds
        if not low - DUST <= value <= high + DUST:
            wrong.append((*what, bounds, known, value))

    for trial in range(12):
        bins, exact = some(trial)
        costs = bins.cost_curve
        for rows in exact:
            for share in SHARES:
                point, other = bins.roc.at(fpr=share), rows.roc.at(fpr=share)
                holds((trial, "tpr", share), point.bounds, point.tpr, other.tpr)
                point, other = bins.roc.at(tpr=share), rows.roc.at(tpr=share)
                holds((trial, "fpr", share), point.bounds, point.fpr, other.fpr)
                point, other = (ev.precision_recall.at(recall=share) for ev in (bins, rows))
                holds((trial, "precision", share), point.bounds, point.precision, other.precision)
                cost = costs.at(probability_cost=share), rows.cost_curve.at(probability_cost=share)
                holds((trial, "cost", share), costs.bounds_at(share), *cost)
                point, other = at_precision(bins, share), at_precision(rows, share)
                if point is not None:
                    holds((trial, "recall", share), point.bounds, point.recall, other.recall)
            holds((trial, "area"), costs.bounds, costs.area, rows.cost_curve.area)
            cheapest = [rows.cost_curve.at(probability_cost=x) for x in costs.probability_cost.tolist()]
            if not (costs.least <= np.array(cheapest) + DUST).all():
                wrong.append((trial, "least"))
    assert not wrong


def test_by_hand() -> None:
    # Two bins: above 1 positive and 1 negative, below the same; in the best order + - + -.
    bins = bins_of([1, 1], [1, 1])
    at_fpr, at_tpr = bins.roc.at(fpr=0.5), bins.roc.at(tpr=0.5)
    assert (at_fpr.tpr, at_fpr.bounds, at_tpr.fpr, at_tpr.bounds) == (0.5, (0.5, 1.0), 0.5, (0.0, 0.5))
    assert (bins.roc.at(threshold=0.5).bounds, bins.roc.bounds) == (None, (0.25, 0.75))
    assert [bins.roc.to_dict()[key] for key in ("exact", "bounds")] == [False, [0.25, 0.75]]
    point = bins.precision_recall.at(recall=1.0)
    assert (point.precision, point.bounds) == (0.5, (0.5, 2 / 3))
    # At equal odds half of the errors: no edge does better than 0.5, the best order 0.25.
    assert bins.cost_curve.bounds_at(0.5) == pytest.approx((0.25, 0.5))
    form = bins.cost_curve.to_dict()
    assert (form["exact"], form["area"], bool(form["note"])) == (False, pytest.approx(0.25), True)
    # The best order has rates of (0, 1/2) and (1/2, 1), so its curve is half as high.
    assert form["bounds"] == pytest.approx([0.125, 0.25], abs=1e-9)
    assert form["least"] == pytest.approx([0.0, 0.25, 0.0])
    one = bins_of([1], [1])
    assert one.thresholds.to_dict()["exact"] is False
    assert one.decide(COSTS).curve.to_dict()["exact"] is False


def test_what_is_known_has_no_bounds() -> None:
    # The upper bin has one end only; the lower one may have its positive first.
    counts = np.array([0.5, 0.0]), np.array([1, 1]), np.array([0, 2])
    half, exact = (tm.Scores(*counts, reach=ends).evaluate() for ends in (np.array([0.5, 0.4]), None))
    assert (half.roc.at(fpr=0.0).bounds, half.roc.at(fpr=1.0).bounds) == ((0.5, 1.0), None)
    known = exact.roc.at(fpr=0.0), exact.precision_recall.at(recall=1.0), exact.cost_curve
    assert [each.bounds for each in known] + [exact.cost_curve.bounds_at(0.5)] == [None] * 4
    assert not {"exact", "bounds", "least", "note"} & {*exact.cost_curve.to_dict(), *exact.roc.to_dict()}


def test_texts_about_bins(snapshot) -> None:
    one = bins_of([1], [1])
    refused = refusals({"precision": lambda: one.precision_recall.at(precision=0.8)})
    assert classes(refused) == {"precision": "OptionError"}
    curves = {"cost curve": one.cost_curve, "roc": one.roc, "precision and recall": one.precision_recall}
    snapshot("text_bins", {name: str(curve) for name, curve in curves.items()} | refused)
