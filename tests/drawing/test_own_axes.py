"""Drawing on axes that one has: several curves after each other, words in place of a curve, odd axes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import matplotlib
import numpy as np
import pytest

from tallymark.drawing import Axis, Figure, Line, Note, Panel, draw
from tallymark.errors import OptionError

matplotlib.use("agg")
import matplotlib.pyplot as plt

X = np.array([0.0, 0.2, 1.0])
DIAGONAL = Line(np.array([0.0, 1.0]), np.array([0.0, 1.0]), "at random", series=None)
IDEAL = Line(np.array([0.0, 0.1, 1.0]), np.array([0.0, 1.0, 1.0]), series=None)


@pytest.fixture(autouse=True)
def _closed() -> Iterator[None]:
    yield
    plt.close("all")


def curve(name: str, high: float = 1.0, rows: float | None = 200) -> Figure:
    x = Axis("share", 0, 1, second="rows", second_high=rows) if rows else Axis("share")
    marks = (Line(X, np.array([0.0, 0.6, 1.0]), name), DIAGONAL, IDEAL, Note(0.1, 1.0, "ideal order"))
    return Figure((Panel(x, Axis("lift", 0, high), marks),))


def legend_of(ax: Any) -> list[str]:
    return [text.get_text() for text in ax.get_legend().get_texts()]


def test_a_second_curve_looks_different_and_joins_the_legend() -> None:
    _, ax = plt.subplots()
    draw(curve("forest", 1.5), ax)
    draw(curve("tree", 3.0), ax)
    assert legend_of(ax) == ["forest", "at random", "tree"]
    forest, tree = (line for line in ax.lines if line.get_linewidth() > 1)
    assert forest.get_color() != tree.get_color()
    assert forest.get_linestyle() != tree.get_linestyle()
    assert ax.get_ylim() == (0, 3)


def test_what_both_have_is_drawn_once() -> None:
    _, ax = plt.subplots()
    draw(curve("forest"), ax)
    draw(curve("tree"), ax)
    assert len(ax.lines) == 4  # two curves, the diagonal and the ideal
    assert [text.get_text() for text in ax.texts] == ["ideal order"]
    assert [child.get_xlabel() for child in ax.child_axes] == ["rows"]


def test_counts_that_differ_have_no_scale() -> None:
    _, ax = plt.subplots()
    draw(curve("forest", rows=200), ax)
    draw(curve("tree", rows=300), ax)
    assert ax.child_axes == []


def test_the_same_name_is_numbered() -> None:
    _, ax = plt.subplots()
    for _ in range(3):
        draw(curve("forest"), ax)
    assert legend_of(ax) == ["forest", "at random", "forest (2)", "forest (3)"]


def test_cleared_axes_begin_anew() -> None:
    _, ax = plt.subplots()
    draw(curve("forest"), ax)
    ax.clear()
    draw(curve("tree"), ax)
    assert legend_of(ax) == ["tree", "at random"]


@pytest.mark.parametrize("layout", [None, "constrained"])
def test_the_legend_is_inside_where_nothing_makes_room_below(layout: str | None) -> None:
    page, ax = plt.subplots(layout=layout)
    draw(curve("forest"), ax)
    page.canvas.draw()
    panel, legend = ax.get_window_extent(), ax.get_legend().get_window_extent()
    if layout is None:
        assert legend.y0 >= panel.y0
        assert legend.y1 <= panel.y1
    else:
        assert legend.y0 >= 0
        assert legend.y1 < panel.y0


def test_without_a_curve_the_reason_is_on_the_axes_and_within_them() -> None:
    why = "There is no curve: no row is actually negative, so there is no false positive rate."
    page, axes = plt.subplots(1, 3, figsize=(7, 3))
    draw(Figure((Panel(Axis("x"), Axis("y"), (DIAGONAL,)),), note=why), axes[1])
    page.canvas.draw()
    (words,) = axes[1].texts
    assert " ".join(words.get_text().split()) == why
    panel, box = axes[1].get_window_extent(), words.get_window_extent()
    assert panel.x0 <= box.x0
    assert box.x1 <= panel.x1
    draw(Figure(curve("forest").panels, note=why), axes[2])  # with a curve it is left to the caption
    assert why not in [text.get_text() for text in axes[2].texts]


@pytest.mark.parametrize(
    ("made", "kind"),
    [
        (plt.figure, "Figure"),
        (lambda: "x", "str"),
        (lambda: plt.subplots(subplot_kw={"projection": "polar"})[1], "polar axes"),
        (lambda: plt.subplots(subplot_kw={"projection": "3d"})[1], "3d axes"),
    ],
)
def test_other_things_than_plain_axes(made: Any, kind: str) -> None:
    with pytest.raises(OptionError) as caught:
        draw(curve("forest"), made())
    assert str(caught.value) == (
        f"ax must be matplotlib axes with two straight scales; got {kind}. "
        "Hint: such as those of plt.subplots()."
    )


def test_numbers_at_the_end_of_floats() -> None:
    """No overflow, of which the suite would make an error."""
    far = np.array([-1.7e308, 3.0, 1.7e308])
    figure = Figure((Panel(Axis("x", -1.7e308, 1.7e308), Axis("y"), (Line(far, X), Note(3.0, 0.2, "here"))),))
    for ax in (None, plt.subplots()[1]):
        draw(figure, ax).figure.canvas.draw()
