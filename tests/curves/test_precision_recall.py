"""Precision against recall, by hand, against scikit-learn and against every order of rows within bins."""

import itertools

import numpy as np
import pytest
from sklearn.metrics import average_precision_score, precision_recall_curve

from scored import binned, scored

SMALL = scored([0.9, 0.8, 0.8, 0.4, 0.1], [1, 0, 1, 1, 0]).precision_recall


def test_by_hand() -> None:
    assert SMALL.threshold.tolist() == [0.9, 0.8, 0.4, 0.1]
    assert SMALL.precision.tolist() == [1, 2 / 3, 3 / 4, 3 / 5]
    assert SMALL.recall.tolist() == [1 / 3, 2 / 3, 1, 1]
    assert (SMALL.baseline, SMALL.bounds, SMALL.why) == (3 / 5, None, None)
    assert SMALL.average_precision == pytest.approx((1 + 2 / 3 + 3 / 4) / 3, rel=1e-15)
    assert SMALL.table().columns[:1] == ["threshold"]


def test_as_scikit_learn() -> None:
    wrong = []
    for seed, decimals, weighted in itertools.product(range(2), (None, 1, 0), (False, True)):
        rng = np.random.default_rng(seed)
        y = rng.random(300) < 0.3
        score = rng.normal(size=300) + y
        score = score if decimals is None else score.round(decimals)
        weight = rng.random(300) if weighted else None
        ev = scored(score, y, sample_weight=weight)
        # Theirs goes up with the threshold and ends in a point (0, 1) that no threshold gives.
        precision, recall, threshold = precision_recall_curve(y, score, sample_weight=weight)
        area = average_precision_score(y, score, sample_weight=weight)
        curve = ev.precision_recall
        same = np.allclose(curve.precision, precision[-2::-1], rtol=1e-12)
        same = same and np.allclose(curve.recall, recall[-2::-1], rtol=1e-12)
        same = same and curve.threshold.tolist() == threshold[::-1].tolist()
        if not same or curve.average_precision != pytest.approx(area, rel=1e-12):
            wrong.append((seed, decimals, weighted))
    assert not wrong


def test_points_asked_for() -> None:
    # 0.75 at recall 1 beats 0.67 at recall 0.67.
    point = SMALL.at(recall=0.5)
    assert (point.threshold, point.precision, point.recall) == (0.4, 0.75, 1.0)
    assert (point.tp, point.fp, point.fn, point.tn) == (3, 1, 0, 1)
    assert (SMALL.at(recall=0).threshold, SMALL.at(recall=1 / 3).precision) == (0.9, 1)
    assert (SMALL.at(precision=1).threshold, SMALL.at(precision=0.7).recall) == (0.9, 1)
    # All rows have recall 1 too, but the higher threshold has the same with fewer false alarms.
    assert SMALL.at(precision=0.1).threshold == 0.4
    between, above = SMALL.at(threshold=0.5), SMALL.at(threshold=2)
    assert (between.threshold, between.tp, between.fp, between.precision) == (0.5, 2, 1, 2 / 3)
    assert (above.precision, above.recall, above.fn, SMALL.at(threshold=-5).tn) == (None, 0.0, 3, 0)
    # Of equal precisions the larger recall.
    point = scored([0.9, 0.8, 0.7, 0.6], [1, 1, 0, 1]).precision_recall.at(recall=0.2)
    assert (point.threshold, point.recall) == (0.8, 2 / 3)
    # 0.1 + 0.2 is a hair above 0.3, and meant as 0.3.
    assert binned([3, 7], [0, 10]).precision_recall.at(recall=0.1 + 0.2).precision == 1


def test_one_class_and_constant_scores() -> None:
    none = scored([0.3, 0.2], [0, 0]).precision_recall
    assert (bool(none.why), none.average_precision, none.precision.tolist()) == (True, None, [0, 0])
    assert np.isnan(none.recall).all()
    assert (none.to_dict()["recall"], none.to_dict()["why"]) == ([None, None], none.why)
    assert none.at(threshold=0.25).recall is None
    every = scored([0.3], [1]).precision_recall
    assert (every.precision.tolist(), every.recall.tolist(), every.average_precision) == ([1], [1], 1)
    constant = scored([0.0, -0.0, 0.0], [1, 0, 0]).precision_recall
    assert (constant.threshold.tolist(), constant.precision.tolist()) == ([0], [1 / 3])
    assert constant.average_precision == pytest.approx(1 / 3)


def rankings(rows_in_bin: int) -> set[tuple[int, ...]]:
    """Every order of the rows of a bin, with ties, once."""
    every = itertools.product(range(rows_in_bin), repeat=rows_in_bin)
    return {tuple(np.unique(each, return_inverse=True)[1].tolist()) for each in every}


def test_bounds_are_the_extremes_of_all_orders_within_bins() -> None:
    wrong = []
    for positives, negatives in (([2, 1], [1, 2]), ([1, 2], [2, 1]), ([0, 3], [2, 1]), ([3, 0], [0, 2])):
        y = np.array([1] * positives[0] + [0] * negatives[0] + [1] * positives[1] + [0] * negatives[1])
        first = positives[0] + negatives[0]
        values = []
        for upper, lower in itertools.product(rankings(first), rankings(len(y) - first)):
            # Precision at each positive, from the counts so far: what average precision is the mean of.
            score = np.array([10.0 + place for place in upper] + [float(place) for place in lower])
            above = score[:, None] <= score
            precision = (above & (y == 1)).sum(axis=1) / above.sum(axis=1)
            values.append(precision[y == 1].mean())
        bounds = binned(positives, negatives).precision_recall.bounds
        if bounds != (pytest.approx(min(values), abs=1e-12), pytest.approx(max(values), abs=1e-12)):
            wrong.append((positives, negatives, bounds, min(values), max(values)))
    assert not wrong
    # One positive below a hundred million negatives.
    bounds = binned([0, 1], [10**8 - 5, 5]).precision_recall.bounds
    assert bounds == pytest.approx((1 / (10**8 + 1), 1 / (10**8 - 4)), rel=1e-6)


def test_bins_some_of_them_empty() -> None:
    ev = binned([0, 3, 0, 1], [0, 1, 0, 3], [1, 0.75, 0.5, 0.25, 0])
    curve, found = ev.precision_recall, ev["average_precision"]
    assert curve.threshold.tolist() == [0.5, 0.25, 0]
    assert curve.precision.tolist() == [0.75, 0.75, 0.5]
    assert curve.average_precision == found.value == 0.75 * 0.75 + 0.25 * 0.5
    assert curve.bounds == found.bounds
    assert (curve.at(recall=0.5).threshold, curve.to_dict()["exact"]) == (0.5, False)
