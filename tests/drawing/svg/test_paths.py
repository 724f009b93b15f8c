"""Paths are short, and lie where the line lies."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from svg_reading import subpaths

from tallymark.drawing import Axis, Line, Panel
from tallymark.drawing.svg import svg
from tallymark.drawing.svg.paths import COARSE, coarse, corners, path, rounded, runs

NAN = float("nan")
places = st.lists(st.tuples(st.integers(-3000, 3000), st.integers(-3000, 3000)), min_size=1, max_size=40)


def distance(point: np.ndarray, line: np.ndarray) -> float:
    """From a point to the nearest place of a line."""
    starts, steps = line[:-1], np.diff(line, axis=0)
    lengths = np.maximum((steps**2).sum(axis=1), 1e-12)
    along = np.clip(((point - starts) * steps).sum(axis=1) / lengths, 0, 1)
    return float(np.hypot(*(starts + along[:, None] * steps - point).T).min())


@given(places)
def test_a_path_is_read_as_the_points_it_was_written_from(points: list[tuple[int, int]]) -> None:
    (read,) = subpaths(path(points))
    steps = [point for point, before in zip(points, [None, *points], strict=False) if point != before]
    kept = [point for point, before in zip(read, [None, *read], strict=False) if point != before]
    assert np.allclose(np.array(kept), np.array(steps) / 10)


@pytest.mark.parametrize(
    ("points", "written"),
    [
        ([(0, 0), (100, 0), (100, -50)], "M0 0h10v-5"),
        ([(5, 5), (12, 8), (19, 11)], "M.5.5l.7.3.7.3"),
        ([(5, 5), (25, 15), (45, 4)], "M.5.5l2 1 2-1.1"),
        ([(-5, 10), (10, 10), (20, 10)], "M-.5 1h1.5 1"),
    ],
)
def test_a_path_has_no_letter_too_many(points: list[tuple[int, int]], written: str) -> None:
    assert path(points) == written


@given(places)
def test_points_left_out_are_on_the_line(points: list[tuple[int, int]]) -> None:
    kept = corners(points)
    assert kept[0] == points[0]
    assert kept[-1] == points[-1]
    assert set(kept) <= set(points)
    if len(kept) > 1:
        line = np.array(kept, dtype=float)
        assert max(distance(np.array(point, dtype=float), line) for point in points) <= 0.8 + 1e-9


def test_of_a_straight_line_the_ends_are_left_and_of_steps_all_corners() -> None:
    assert corners([(n, 2 * n) for n in range(500)]) == [(0, 0), (499, 998)]
    steps = [(0, 0), (10, 0), (10, 5), (20, 5), (20, 10)]
    assert corners(steps) == steps
    # There and back on one line is more than its ends.
    assert corners([(0, 0), (50, 0), (20, 0)]) == [(0, 0), (50, 0), (20, 0)]


def walk(size: int) -> tuple[np.ndarray, np.ndarray]:
    """A line of many steps to the right and up, as a ROC curve has them, on a panel of 300 by 300."""
    right = np.random.default_rng(0).random(size) < 0.5
    x, y = np.append(0, np.cumsum(right)), np.append(0, np.cumsum(~right))
    return 300 * x / x[-1], 300 - 300 * y / y[-1]


@pytest.mark.parametrize("size", [50, 2_000, 20_000])
def test_a_thinned_path_is_nowhere_far_from_the_line(size: int) -> None:
    x, y = walk(size)
    (run,) = runs(x, y, (0.0, 300.0), 400)
    short = np.array(run) / 10
    # A column of the panel, and what is rounded and left out.
    allowed = 300 / 400 + 0.15
    for sample in np.random.default_rng(1).integers(0, len(x), 300):
        assert distance(np.array([x[sample], y[sample]]), short) <= allowed
    line = np.column_stack((x, y))
    for point in short[:: max(1, len(short) // 100)]:
        assert distance(point, line) <= allowed


def test_a_long_path_has_whole_numbers_and_still_lies_where_the_line_lies() -> None:
    x, y = walk(2_000)
    (run,) = runs(x, y, (0.0, 300.0), 150)
    short = np.array(coarse(run)) / COARSE
    # A column of the panel, what is left out, and half of the diagonal of what is rounded to.
    allowed = 300 / 150 + 0.4 + 0.15
    for sample in np.random.default_rng(1).integers(0, len(x), 300):
        assert distance(np.array([x[sample], y[sample]]), short) <= allowed
    written = svg(Panel(Axis(), Axis(), (Line(x / 300, 1 - y / 300),), square=True), "a curve", "roc")
    (d,) = re.findall(r'stroke-width="9" transform="scale\(.2\)" d="([^"]+)"', written)
    assert "." not in d
    assert len(d) < len(path(run))


def test_two_million_points_take_four_thousand_letters() -> None:
    x, y = walk(2_000_000)
    panel = Panel(Axis("fpr"), Axis("tpr"), (Line(x / 300, 1 - y / 300, "model"),), square=True)
    assert len(svg(panel, "a curve", "roc")) <= 4_000


def test_gaps_part_a_line_and_a_lone_point_is_none() -> None:
    x = np.array([0.0, 10, 20, 30, 40, 50, 60])
    y = np.array([1.0, 1, NAN, 1, NAN, 5, 6])
    assert list(runs(x, y, (0.0, 60.0), 400)) == [[(0, 10), (100, 10)], [(500, 50), (600, 60)]]


def test_places_beyond_all_bounds_have_few_figures() -> None:
    assert rounded(np.array([1e300, -1e300]), np.array([0.04, np.inf])) == [(10**7, 0), (-(10**7), 10**7)]
