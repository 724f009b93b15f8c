"""Scales with names instead of numbers, intervals lying on them, and panels without a frame."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import matplotlib
import numpy as np
import pytest
from matplotlib.colors import to_hex

from tallymark.drawing import Axis, Band, Cells, Figure, Line, Panel, Points, Spans, draw, image
from tallymark.errors import OptionError

matplotlib.use("agg")
import matplotlib.pyplot as plt


@pytest.fixture(autouse=True)
def _closed() -> Iterator[None]:
    yield
    plt.close("all")


def rows(names: list[str], *marks: Any, right: list[str] | None = None, **panel: Any) -> Figure:
    places = [float(place) + 0.5 for place in range(len(names))]
    numbers = tuple(zip(places, right, strict=True)) if right else ()
    y = Axis("", 0.0, float(len(names)), names=tuple(zip(places, names, strict=True)), second_names=numbers)
    return Figure((Panel(Axis("difference", -1.0, 1.0), y, marks, **panel),))


def intervals(*ends: tuple[float, float], **kind: Any) -> Spans:
    low, high = np.array(ends).T
    return Spans(np.arange(0.5, len(ends)), low, high, **kind)


def shown(labels: Any) -> list[str]:
    return [label.get_text() for label in labels]


def markers(ax: Any) -> dict[str, list[list[float]]]:
    return {str(line.get_marker()): line.get_xydata().tolist() for line in ax.lines[1:]}


def test_names_stand_at_their_places_on_both_sides() -> None:
    ax = draw(rows(["tree", "forest"], intervals((-0.5, 0.0), (0.1, 0.2)), right=["0.1", "0.2"]))
    ax.figure.canvas.draw()
    assert shown(ax.get_yticklabels()) == ["tree", "forest"]
    assert ax.get_yticks().tolist() == [0.5, 1.5]
    (second,) = ax.child_axes
    assert shown(second.get_yticklabels()) == ["0.1", "0.2"]
    lefts = [label.get_window_extent().y0 for label in ax.get_yticklabels()]
    rights = [label.get_window_extent().y0 for label in second.get_yticklabels()]
    assert np.allclose(lefts, rights, atol=2)


def test_a_name_is_literal() -> None:
    ax = draw(rows(["$x^2$", "_hidden"], intervals((-0.5, 0.0), (0.1, 0.2))))
    assert shown(ax.get_yticklabels()) == ["$x^2$", "_hidden"]
    assert not ax.get_yticklabels()[0].get_parse_math()
    for suffix in (".png", ".svg", ".pdf"):
        assert image(rows(["$x^2$", "\\frac", "<b>"], intervals((0, 1), (0, 1), (0, 1))), suffix)


def test_a_long_name_on_the_left_is_cut_and_a_number_on_the_right_is_not() -> None:
    long, number = "a_name_that_goes_on_" * 5, "-12,345.67 [-23,456.78, -1,234.56]"
    ax = draw(rows([long, "b"], intervals((-0.5, 0.0), (0.1, 0.2)), right=[number, ""], wide=1.75))
    assert len(shown(ax.get_yticklabels())[0]) < len(long)
    assert shown(ax.child_axes[0].get_yticklabels())[0] == number


@pytest.mark.parametrize("count", [1, 7, 30, 190])
def test_a_panel_is_as_high_as_its_names_need(count: int) -> None:
    ax = draw(rows([f"model {place}" for place in range(count)], intervals(*[(0.0, 0.5)] * count)))
    ax.figure.canvas.draw()
    boxes = sorted((box.y0, box.y1) for box in (text.get_window_extent() for text in ax.get_yticklabels()))
    assert all(below[1] <= above[0] + 1 for below, above in pairwise(boxes))
    assert ax.figure.get_size_inches()[1] < 15


def test_names_on_axes_too_low_for_them_are_smaller() -> None:
    page, ax = plt.subplots(figsize=(6, 4), dpi=100, layout="constrained")
    draw(rows([f"model {place}" for place in range(30)], intervals(*[(0.0, 0.5)] * 30)), ax)
    page.canvas.draw()
    boxes = sorted((box.y0, box.y1) for box in (text.get_window_extent() for text in ax.get_yticklabels()))
    assert all(below[1] <= above[0] + 1 for below, above in pairwise(boxes))


def test_names_below_are_turned_where_they_would_collide() -> None:
    def turned(names: list[str]) -> set[float]:
        places = tuple((float(place), name) for place, name in enumerate(names))
        x = Axis("fold", -0.5, len(names) - 0.5, names=places)
        ax = draw(Figure((Panel(x, Axis("y"), (Points(np.zeros(1), np.zeros(1)),)),)))
        return {label.get_rotation() for label in ax.get_xticklabels()}

    assert turned(["1", "2", "3"]) == {0}
    assert turned(["north hospital", "south hospital", "east hospital", "west hospital"]) == {45}


def test_a_bare_axis_has_no_numbers() -> None:
    ax = draw(Figure((Panel(Axis("x"), Axis("density", bare=True), (Line(np.zeros(2), np.ones(2)),)),)))
    assert ax.get_yticks().tolist() == []
    assert ax.get_ylabel() == "density"


def test_without_a_frame() -> None:
    ax = draw(rows(["a"], intervals((0.0, 0.5)), frame=False))
    assert not any(spine.get_visible() for spine in ax.spines.values())


def test_a_wide_panel() -> None:
    one = draw(rows(["a"], intervals((0.0, 0.5))))
    two = draw(rows(["a"], intervals((0.0, 0.5)), wide=2.0))
    ratio = two.figure.get_size_inches()[0] / one.figure.get_size_inches()[0]
    assert ratio == pytest.approx(2.0, abs=0.02)


def test_intervals_are_the_data_with_ends() -> None:
    ax = draw(rows(["a", "b"], intervals((-0.5, 0.0), (0.1, 0.2), label="95% interval", series=1)))
    drawn = ax.lines[0]
    corners = [[-0.5, 0.5], [0.0, 0.5], [0.1, 1.5], [0.2, 1.5]]
    assert [place for place in drawn.get_xydata().tolist() if not np.isnan(place).any()] == corners
    assert drawn.get_color() == "#D55E00"
    assert [line.get_marker() for line in ax.lines[1:]] == ["|", "|"]
    assert shown(ax.get_legend().get_texts()) == ["95% interval"]


def test_an_interval_that_leaves_the_panel_ends_in_an_arrow() -> None:
    ax = draw(rows(["a", "b"], intervals((-3.0, 0.5), (0.0, np.inf))))
    assert markers(ax)["<"] == [[-1.0, 0.5]]
    assert markers(ax)[">"] == [[1.0, 1.5]]
    assert np.nanmax(np.abs(ax.lines[0].get_xdata())) == 1.0


def test_no_interval_is_drawn_where_there_is_none() -> None:
    ax = draw(rows(["a", "b"], intervals((np.nan, np.nan), (0.0, 0.5))))
    places = ax.lines[0].get_xydata()
    assert places[np.isfinite(places).all(axis=1)].tolist() == [[0.0, 1.5], [0.5, 1.5]]


def test_a_thick_one_is_a_bar_without_ends() -> None:
    (bar,) = draw(rows(["a"], intervals((0.0, 1.5), thick=True))).lines
    assert bar.get_linewidth() > 3
    assert bar.get_xdata()[:2].tolist() == [0.0, 1.0]


def test_bars_of_a_series_are_one_shape_as_high_as_most_of_a_row() -> None:
    parts = intervals((0.0, 0.5), (-3.0, 0.2), (np.nan, np.nan), label="part", series=1, bar=True)
    ax = draw(rows(["a", "b", "c"], parts))
    (bars,) = ax.patches
    corners = bars.get_path().vertices.reshape(2, 5, 2)
    assert corners[:, :, 0].min(axis=1).tolist() == [0.0, -1.0]
    assert corners[:, :, 0].max(axis=1).tolist() == [0.5, 0.2]
    low, high = corners[:, :, 1].min(axis=1), corners[:, :, 1].max(axis=1)
    assert ((low + high) / 2).tolist() == [0.5, 1.5]
    assert ((high - low > 0.5) & (high - low < 1)).all()
    assert to_hex(bars.get_facecolor()) == "#d55e00"
    assert shown(ax.get_legend().get_texts()) == ["part"]


def test_a_faint_bar_covers_what_lies_under_it() -> None:
    (faint,) = draw(rows(["a"], intervals((0.0, 0.5), bar=True, faint=True))).patches
    (strong,) = draw(rows(["a"], intervals((0.0, 0.5), bar=True))).patches
    assert faint.get_facecolor()[3] == 1.0
    assert min(faint.get_facecolor()[:3]) > max(strong.get_facecolor()[:2])


def test_small_points_are_a_cloud() -> None:
    at = np.array([0.5])
    ax = draw(Figure((Panel(Axis(), Axis(), (Points(at, at, small=True), Points(at, at))),)))
    small, plain = ax.lines
    assert small.get_markersize() < plain.get_markersize()
    assert small.get_alpha() < 1


def test_the_name_of_a_band_is_cut_and_not_what_is_said_of_it() -> None:
    name, x = "a_model_with_a_very_long_name_that_goes_on_and_on_and_on", np.array([0.0, 1.0])
    band = Band(x, x * 0, x, f"{name} is better: 90.0%", name=name)
    ax = draw(Figure((Panel(Axis(), Axis(), (band,)),)))
    (text,) = shown(ax.get_legend().get_texts())
    assert text.endswith(" is better: 90.0%")
    assert len(text) < len(band.label)


def test_other_names_on_the_same_axes_are_refused() -> None:
    _, ax = plt.subplots()
    draw(rows(["a"], intervals((0.0, 0.5))), ax)
    with pytest.raises(OptionError) as caught:
        draw(rows(["b"], intervals((0.0, 0.5))), ax)
    assert str(caught.value) == (
        "there is a picture on these axes whose scales have other names. "
        "Hint: draw on axes of its own, or clear these with ax.clear()."
    )
    with pytest.raises(OptionError, match="other names"):
        draw(rows(["a"], intervals((0.0, 0.5)), right=["0.1"]), ax)
    ax.clear()
    draw(rows(["b"], intervals((0.0, 0.5))), ax)
    assert shown(ax.get_yticklabels()) == ["b"]


@pytest.mark.parametrize("count", [14, 60, 200])
def test_a_table_with_more_rows_than_columns_is_only_as_high_as_its_numbers_need(count: int) -> None:
    texts = tuple(("0.123", "0.456") for _ in range(count))
    names = tuple(f"data set {place}" for place in range(count))
    cells = Cells(names, ("a", "b"), np.zeros((count, 2)), texts, "model", "data set")
    ax = draw(Figure((Panel(Axis(), Axis(), (cells,), legend="none"),)))
    ax.figure.canvas.draw()
    assert ax.figure.get_size_inches()[1] < 15
    first, second = (text.get_window_extent() for text in ax.texts[:3:2]) if count <= 60 else (None, None)
    assert first is None or second is None or first.y0 >= second.y1
