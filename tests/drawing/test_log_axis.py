"""Logarithmic scales, and lines that are no longer measured."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import matplotlib
import numpy as np
import pytest

from tallymark.drawing import Axis, Figure, Line, Note, Panel, draw

matplotlib.use("agg")
import matplotlib.pyplot as plt


@pytest.fixture(autouse=True)
def _closed() -> Iterator[None]:
    yield
    plt.close("all")


def drawn(low: float, high: float, *more: Any, **panel: Any) -> Any:
    line = Line(np.geomspace(low, high, 5), np.linspace(0, 1, 5), "curve")
    ax = draw(Figure((Panel(Axis("rows", low, high, log=True), Axis("y"), (line, *more), **panel),)))
    ax.figure.canvas.draw()
    return ax


def numbers(ax: Any) -> list[str]:
    low, high = ax.get_xlim()
    return [
        text.get_text()
        for place, text in zip(ax.get_xticks(), ax.get_xticklabels(), strict=True)
        if low <= place <= high
    ]


def test_equal_factors_are_equally_far_apart() -> None:
    ax = drawn(10, 1_000)
    assert ax.get_xscale() == "log"
    assert ax.get_xlim() == (10, 1_000)
    left, middle, right = (ax.transData.transform((x, 0))[0] for x in (10, 100, 1_000))
    assert middle - left == pytest.approx(right - middle)
    assert ax.lines[0].get_xdata().tolist() == pytest.approx([10, 31.6227766, 100, 316.227766, 1_000])


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        pytest.param(10, 1_000, ["10", "20", "50", "100", "200", "500", "1,000"], id="two decades"),
        pytest.param(12, 15_000, ["30", "100", "300", "1,000", "3,000", "10,000"], id="three decades"),
        pytest.param(1, 10**7, ["1", "100", "10,000", "1,000,000"], id="seven decades"),
        pytest.param(60, 80, ["60", "65", "70", "75", "80"], id="less than one"),
    ],
)
def test_ticks_are_round_numbers(low: float, high: float, expected: list[str]) -> None:
    assert numbers(drawn(low, high)) == expected


@pytest.mark.parametrize(
    ("low", "high"), [(60, 80), (1e-3, 1e9), (2, 1e15), (1, 2), (90, 4_000)], ids=lambda x: f"{x:g}"
)
def test_numbers_do_not_run_together(low: float, high: float) -> None:
    ax = drawn(low, high)
    boxes = sorted(
        (text.get_window_extent().x0, text.get_window_extent().x1)
        for place, text in zip(ax.get_xticks(), ax.get_xticklabels(), strict=True)
        if low <= place <= high
    )
    assert len(boxes) >= 2
    assert all(left[1] < right[0] for left, right in pairwise(boxes))


def test_a_note_stands_beside_its_point() -> None:
    ax = drawn(1, 10_000, Note(100, 0.5, "here"))
    (note,) = [text for text in ax.texts if text.get_text() == "here"]
    box = note.get_window_extent()
    x, y = ax.transData.transform((100, 0.5))
    assert max(box.x0 - x, x - box.x1, box.y0 - y, y - box.y1) < 30


def test_a_dashed_line_differs_from_its_series() -> None:
    x = np.array([10.0, 20.0])
    ax = drawn(1, 100, Line(x, x / 100, "on", dashed=True), Line(x, x / 50, "faint", faint=True))
    curve, dashed, faint = ax.lines
    assert curve.get_color() == dashed.get_color()
    patterns = {str(line._unscaled_dash_pattern) for line in (curve, dashed, faint)}
    assert len(patterns) == 3
    assert faint.get_linewidth() < dashed.get_linewidth() < curve.get_linewidth()
