"""The convex hull against brute force and scipy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial import ConvexHull

from tallymark.curves import roc_of, roc_of_rows
from tallymark.curves.roc.hull import upper_hull
from tallymark.tallies import Scores

steps = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=40)


def brute(x, y):
    """A point is a vertex when it is no repetition and on or below no line between two others."""
    points = list(dict.fromkeys(zip(x.tolist(), y.tolist(), strict=True)))
    kept = []
    for place, (px, py) in enumerate(points):
        below = any(
            (bx - ax) * (py - ay) <= (by - ay) * (px - ax)
            for ax, ay in points[:place]
            for bx, by in points[place + 1 :]
        )
        if not below:
            kept.append((px, py))
    return kept


@given(steps)
def test_against_every_line_between_two_points(taken):
    x, y = np.cumsum(np.array([(0, 0), *taken]), axis=0).T
    at = upper_hull(x, y)
    assert list(zip(x[at].tolist(), y[at].tolist(), strict=True)) == brute(x, y)


@given(st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12)), max_size=25))
def test_points_that_go_down_as_well(points):
    every = sorted({(0, 0), (12, 12), *points})
    x, y = np.array(every).T
    at = upper_hull(x, y)
    assert list(zip(x[at].tolist(), y[at].tolist(), strict=True)) == brute(x, y)


@settings(max_examples=30)
@given(st.integers(0, 2**32 - 1))
def test_against_scipy(seed):
    rng = np.random.default_rng(seed)
    x, y = np.sort(rng.random(50)), rng.random(50)
    x, y = np.concatenate([[0], x, [1]]), np.concatenate([[0], y, [1]])
    corners = ConvexHull(np.column_stack([np.append(x, 1), np.append(y, -1)])).vertices
    assert upper_hull(x, y).tolist() == sorted(corner for corner in corners if corner <= 51)


def test_slow_passes_are_finished_by_the_chain():
    # A sag ever deeper to the right: each pass takes out its last point only.
    x = np.arange(200.0)
    y = np.sqrt(x)
    y[-1] = 1e4
    assert upper_hull(x, y).tolist() == [0, 199]


def test_counts_beyond_64_bits():
    big = 2**40
    x, y = np.array([0, 0, big, 2 * big]), np.array([0, big, 2 * big, 2 * big])
    assert upper_hull(x, y).tolist() == [0, 1, 2, 3]


def test_few_of_a_million_points_are_vertices():
    rng = np.random.default_rng(1)
    hit = rng.random(1_000_000) < np.linspace(0.9, 0.1, 1_000_000)
    fp, tp = (np.concatenate([[0], np.cumsum(side)]) for side in (~hit, hit))
    at = upper_hull(fp, tp)
    assert 10 < len(at) < 1000


def test_hull_of_a_curve_knows_thresholds_and_area():
    # ++ - ++ -- + --: vertices read off by hand.
    score = np.array([0.99, 0.98, 0.72, 0.70, 0.65, 0.51, 0.39, 0.24, 0.11, 0.01])
    positive = np.array(list("++-++--+--")) == "+"
    hull = roc_of_rows(score, positive, "grouped").hull
    assert hull.fpr.tolist() == [0, 0, 0.2, 0.6, 1]
    assert hull.tpr.tolist() == [0, 0.4, 0.8, 1, 1]
    assert hull.threshold.tolist() == [np.inf, 0.98, 0.65, 0.24, 0.01]
    assert hull.slope.tolist() == pytest.approx([np.inf, 2, 0.5, 0])
    # 0.2 * 0.6 + 0.4 * 0.9 + 0.4 * 1
    assert hull.auc == pytest.approx(0.88)


def test_hull_of_rows_is_that_of_reachable_points():
    """An order within ties is no threshold, so the hull does not profit from a lucky one."""
    score, positive = np.full(4, 0.5), np.array([True, True, False, False])
    lucky = roc_of_rows(score, positive)
    assert lucky.auc == 1
    assert lucky.hull.fpr.tolist() == [0, 1]
    assert lucky.hull.auc == 0.5


def test_hull_of_empty_bins():
    hull = roc_of(Scores.from_bins([3, 0, 1, 0], [0, 0, 1, 3])).hull
    assert list(zip(hull.fpr, hull.tpr, strict=True)) == [(0, 0), (0, 0.75), (0.25, 1), (1, 1)]


def test_no_hull_with_one_class():
    assert roc_of_rows(np.array([0.1, 0.2]), np.array([True, True]), "grouped").hull is None
