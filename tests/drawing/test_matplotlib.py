"""Pictures by matplotlib: marks are the data, nothing overlaps, texts are literal, files are equal."""

from __future__ import annotations

import subprocess
import sys
import warnings
import xml.etree.ElementTree as ET
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import to_hex

import tallymark as tm
from collected import each
from scored import refusals
from tallymark.drawing import Axis, Band, Cells, Figure, Line, Note, Panel, Points, Spans, draw, image

X = np.array([0.0, 0.2, 0.5, 1.0])
Y = np.array([0.0, 0.6, 0.9, 1.0])
ENDS = np.array([0.0, 1.0])
DIAGONAL = Line(ENDS, ENDS, series=None)
CURVE = Line(X, Y, "forest")
SUFFIXES = {".png": b"\x89PNG", ".svg": b"<?xml", ".pdf": b"%PDF"}


def one(*marks: Any, x: Axis | None = None, y: Axis | None = None, **panel: Any) -> Figure:
    return Figure((Panel(x or Axis("rate x"), y or Axis("rate y"), marks, **panel),))


def shown(figure: Figure, ax: Any = None) -> Any:
    """Drawn and laid out; pictures of other cases are closed."""
    if ax is None:
        plt.close("all")
    axes = draw(figure, ax)
    np.ravel(axes)[0].figure.canvas.draw()
    return axes


def heat(count: int, width: int = 3) -> Cells:
    names = tuple(f"{number:0{width}d}" for number in range(count))
    numbers = tuple(tuple(str(int(cell)) for cell in row) for row in np.eye(count))
    return Cells(names, names, np.eye(count), numbers, "predicted", "actual")


def rows(names: list[str], *marks: Any, right: list[str] | None = None, **panel: Any) -> Figure:
    places = [float(place) + 0.5 for place in range(len(names))]
    numbers = tuple(zip(places, right, strict=True)) if right else ()
    y = Axis("", 0.0, float(len(names)), names=tuple(zip(places, names, strict=True)), second_names=numbers)
    return one(*marks, x=Axis("difference", -1.0, 1.0), y=y, **panel)


def intervals(*ends: tuple[float, float], **kind: Any) -> Spans:
    low, high = np.array(ends).T
    return Spans(np.arange(0.5, len(ends)), low, high, **kind)


def texts(artists: Any) -> list[str]:
    return [artist.get_text() for artist in artists]


def legend_of(ax: Any) -> list[str]:
    return texts(ax.get_legend().get_texts()) if ax.get_legend() else []


def box(artist: Any) -> Any:
    return artist.get_window_extent()


def within(inner: Any, outer: Any) -> bool:
    return bool(outer.x0 <= inner.x0 < inner.x1 <= outer.x1 and outer.y0 <= inner.y0 < inner.y1 <= outer.y1)


def apart(labels: Any, side: str = "x") -> bool:
    """Whether texts along a scale do not run together."""
    ends = sorted((getattr(box(text), f"{side}0"), getattr(box(text), f"{side}1")) for text in labels)
    return all(left[1] < right[0] + (side == "y") for left, right in pairwise(ends))


def notes_of(ax: Any) -> list[Any]:
    return [text for text in ax.texts if isinstance(text, matplotlib.text.Annotation)]


# --- marks -------------------------------------------------------------------------------------


def test_lines_bands_and_points_are_the_data() -> None:
    band = Band(X, Y - 0.1, Y + 0.1, "95% band", series=1)
    stepped = Line(np.array([0.0, 0.5, 1.0]), np.array([0.2, 0.8, 0.4]), stepped=True)
    ax = draw(one(DIAGONAL, band, CURVE, Points(X[1:2], Y[1:2], "best", series=2), stepped))
    by_length = {len(line.get_xydata()): line for line in ax.lines}
    points, diagonal, curve, steps = (by_length[length] for length in (1, 2, 4, 5))
    assert diagonal.get_xydata().tolist() == [[0, 0], [1, 1]]
    assert curve.get_xydata().tolist() == np.column_stack((X, Y)).tolist()
    assert points.get_xydata().tolist() == [[0.2, 0.6]]
    assert steps.get_xydata().tolist() == [[0, 0.2], [0.5, 0.2], [0.5, 0.8], [1, 0.8], [1, 0.4]]
    assert (curve.get_color(), points.get_markerfacecolor()) == ("#0072B2", "#009E73")
    assert (points.get_linestyle(), diagonal.get_linewidth() < curve.get_linewidth()) == ("None", True)
    corners = ax.patches[0].get_xy()[:-1]
    assert corners[:4].tolist() == np.column_stack((X, Y - 0.1)).tolist()
    assert corners[4:].tolist() == np.column_stack((X, Y + 0.1))[::-1].tolist()
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("rate x", "rate y")
    assert (ax.get_xlim(), ax.get_ylim()) == ((0, 1), (0, 1))
    assert legend_of(ax) == ["95% band", "forest", "best"]
    hollow, filled = draw(one(Points(X[1:2], X[1:2], hollow=True), Points(X[1:2], X[1:2]))).lines
    assert hollow.get_markerfacecolor() == "white" != filled.get_markerfacecolor()
    inside, beyond = draw(one(CURVE, Line(X, 2 * Y))).lines
    assert (inside.get_clip_on(), beyond.get_clip_on()) == (False, True)
    endless = np.array([np.inf, 0.5, 1.0])
    ax = draw(one(Line(endless, Y[:3]), Band(endless, Y[:3], Y[:3])))
    assert np.isfinite(ax.patches[0].get_xy()).all()


def test_intervals_have_ends_or_arrows_and_bars_fill_most_of_their_row() -> None:
    ax = draw(rows(["a", "b"], intervals((-0.5, 0.0), (0.1, 0.2), label="95% interval", series=1)))
    drawn = ax.lines[0]
    places = [place for place in drawn.get_xydata().tolist() if not np.isnan(place).any()]
    assert places == [[-0.5, 0.5], [0.0, 0.5], [0.1, 1.5], [0.2, 1.5]]
    assert (drawn.get_color(), legend_of(ax)) == ("#D55E00", ["95% interval"])
    assert [line.get_marker() for line in ax.lines[1:]] == ["|", "|"]
    ax = draw(rows(["a", "b", "c"], intervals((-3.0, 0.5), (0.0, np.inf), (np.nan, np.nan))))
    markers = {str(line.get_marker()): line.get_xydata().tolist() for line in ax.lines[1:]}
    assert (markers["<"], markers[">"]) == ([[-1.0, 0.5]], [[1.0, 1.5]])
    assert np.nanmax(np.abs(ax.lines[0].get_xdata())) == 1.0
    parts = intervals((0.0, 0.5), (-3.0, 0.2), (np.nan, np.nan), label="part", series=1, bar=True)
    (bars,) = draw(rows(["a", "b", "c"], parts)).patches
    corners = bars.get_path().vertices.reshape(2, 5, 2)
    assert corners[:, :, 0].min(axis=1).tolist() == [0.0, -1.0]
    assert corners[:, :, 0].max(axis=1).tolist() == [0.5, 0.2]
    low, high = corners[:, :, 1].min(axis=1), corners[:, :, 1].max(axis=1)
    assert ((low + high) / 2).tolist() == [0.5, 1.5]
    assert ((high - low > 0.5) & (high - low < 1)).all()
    assert to_hex(bars.get_facecolor()) == "#d55e00"


def test_cells() -> None:
    shade = np.array([[0.8, 0.2], [np.nan, 1.0]])
    cells = Cells(("yes", "no"), ("yes", "no"), shade, (("8", "2\n20%"), ("?", "10")), "predicted", "actual")
    ax = shown(one(cells))
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("predicted", "actual")
    assert texts(ax.get_xticklabels()) == ["yes", "no"]
    dark, light = {"8": (0.5, 0.5), "10": (1.5, 1.5)}, {"2\n20%": (1.5, 0.5), "?": (0.5, 1.5)}
    assert {text.get_text(): text.get_position() for text in ax.texts} == dark | light
    assert {text.get_text() for text in ax.texts if text.get_color() == "#FFFFFF"} == set(dark)
    first, last = (ax.transData.transform((0.5, row + 0.5))[1] for row in (0, 1))
    assert first > last
    for count, width in ((2, 3), (10, 40), (20, 8)):
        ax = shown(one(heat(count, width)))
        cell = box(ax).width / count
        assert all(box(text).width <= cell for text in ax.texts)
        assert (len(ax.texts), len(set(texts(ax.get_yticklabels())))) == (count**2, count)
        widest = max(box(label).width for label in ax.get_yticklabels())
        assert ax.get_xticklabels()[0].get_rotation() == (45 if widest > cell else 0)
        assert apart(ax.get_yticklabels(), "y")
    many = shown(one(heat(200)))
    assert (len(many.texts), len(many.get_yticklabels()) <= 20) == (0, True)
    assert len(image(one(heat(200)), ".svg")) < 300_000
    for count in (14, 200):
        names = tuple(f"data set {place}" for place in range(count))
        ax = shown(one(Cells(names, ("a", "b"), np.zeros((count, 2)), (("0.123", "0.456"),) * count)))
        assert ax.figure.get_size_inches()[1] < 15
        assert len(ax.texts) < 4 or box(ax.texts[0]).y0 >= box(ax.texts[2]).y1


# --- long lines --------------------------------------------------------------------------------


@each("kind", ["smooth", "noise", "back and forth", "gaps", "beyond the panel"])
def test_a_long_line_loses_only_points_that_are_not_seen(kind: str) -> None:
    """Cut into 4,096 columns: of each run of points in one, the first, last, lowest and highest stay."""
    random = np.random.default_rng(1)
    x = np.linspace(0, 1, 50_000) if kind != "beyond the panel" else np.linspace(-10, 10, 50_000)
    y = np.sqrt(np.abs(x)) if kind == "smooth" else random.random(len(x))
    if kind == "back and forth":
        x = np.abs(np.sin(4 * x))
    if kind == "gaps":
        y[10_000:10_500], y[20_000] = np.nan, np.inf
    plt.close("all")
    kept = draw(one(Line(x, y))).lines[0].get_xydata()
    inside = (x >= 0) & (x <= 1)
    column = np.where(np.isfinite(y), np.clip(np.floor(x * 4096), -1, 4095), -2)
    column[np.isfinite(y) & (x > 1)] = 4096
    starts = np.flatnonzero(np.diff(column, prepend=column[0] - 1))
    position = np.arange(len(x))
    # What stays are points of the line in their order.
    few, rest = np.zeros(len(x), bool), enumerate(zip(x, np.where(np.isfinite(y), y, 2), strict=True))
    for point in zip(kept[:, 0], np.where(np.isfinite(kept[:, 1]), kept[:, 1], 2), strict=True):
        few[next(place for place, other in rest if other == point)] = True
    assert len(kept) <= 4 * len(starts)
    for start, end in zip(starts, [*starts[1:], len(x)], strict=True):
        run = position[start:end]
        assert few[run[[0, -1]]].all()
        if column[start] >= 0 and inside[start]:
            stay = y[run[few[run]]]
            assert (stay.min(), stay.max()) == (y[run].min(), y[run].max())


def test_a_million_points_are_a_small_file() -> None:
    x, y = np.linspace(0, 1, 1_000_000), np.random.default_rng(1).random(1_000_000)
    figure = one(Band(x, y - 0.05, y + 0.05), Line(x, y, "a", stepped=True))
    assert max(len(image(figure, suffix)) for suffix in (".svg", ".pdf")) < 300_000


# --- scales ------------------------------------------------------------------------------------


def test_ticks_and_second_scales() -> None:
    axis = Axis("share", percent=True, second="rows", second_high=12000)
    ax = shown(one(DIAGONAL, x=axis, y=Axis("cost", 0, 20000)))
    assert texts(ax.get_xticklabels()) == ["0%", "20%", "40%", "60%", "80%", "100%"]
    assert texts(ax.get_yticklabels()) == ["0", "5,000", "10,000", "15,000", "20,000"]
    (second,) = ax.child_axes
    assert (second.get_xlabel(), second.get_xlim()) == ("rows", (0, 12000))
    assert "10,000" in texts(second.get_xticklabels())
    for many, expected in {
        10**6: ("rows, in thousands", "1,000"),
        10**9: ("rows, in millions", "1,000"),
        10**16: ("rows, in trillions", "10,000"),
    }.items():
        across = Axis("share", 0, 1, True, "rows", float(many))
        (second,) = shown(one(CURVE, x=across)).child_axes
        assert (second.get_xlabel(), second.get_xticklabels()[-1].get_text()) == expected
    for many in (999, 99_999, 10**5, 3 * 10**12, 1e18):
        up = Axis(second="found", second_high=many / 3)
        for second in shown(one(CURVE, x=Axis("share", second="rows", second_high=many), y=up)).child_axes:
            labels = [text for scale in (second.xaxis, second.yaxis) for text in scale.get_ticklabels()]
            assert all(len(text.get_text()) <= len("100,000") for text in labels)
            assert (
                apart(filter(matplotlib.text.Text.get_text, second.get_xticklabels())) or second.get_ylabel()
            )
    bare = draw(one(DIAGONAL, y=Axis("density", bare=True)))
    assert (bare.get_yticks().tolist(), bare.get_ylabel()) == ([], "density")
    low, high = draw(one(DIAGONAL, x=Axis("x", 5.0, 5.0))).get_xlim()
    assert low < 5 < high
    # No overflow, of which the suite would make an error.
    for most in (1e300, 1.7e308):
        far = Line(np.array([-most, 3.0, most]), X[:3])
        figure = one(far, Note(3.0, 0.2, "here"), x=Axis("threshold", -most, most))
        shown(figure, plt.subplots()[1])
        labels = shown(figure).get_xticklabels()
        assert (len(labels) >= 2, apart(labels)) == (True, True)


@each(
    ("low", "high", "expected"),
    [
        (10, 1_000, "10 20 50 100 200 500 1,000"), (12, 15_000, "30 100 300 1,000 3,000 10,000"),
        (1, 10**7, "1 100 10,000 1,000,000"), (60, 80, "60 65 70 75 80"), (1e-3, 1e9, ""), (2, 1e15, ""),
        (90, 4_000, ""),
    ],
)  # fmt: skip
def test_logarithmic_scales(low: float, high: float, expected: str) -> None:
    curve = Line(np.geomspace(low, high, 5), np.linspace(0, 1, 5), "curve")
    middle = float(np.sqrt(low * high))
    ax = shown(one(curve, Note(middle, 0.5, "here"), x=Axis("rows", low, high, log=True)))
    assert (ax.get_xscale(), ax.get_xlim()) == ("log", (low, high))
    assert ax.lines[0].get_xdata().tolist() == pytest.approx(curve.x.tolist())
    ticks = zip(ax.get_xticks(), ax.get_xticklabels(), strict=True)
    inside = [text for place, text in ticks if low <= place <= high]
    assert (len(inside) >= 2, apart(inside)) == (True, True)
    assert not expected or texts(inside) == expected.split()
    (note,) = notes_of(ax)
    x, y = ax.transData.transform((middle, 0.5))
    assert max(box(note).x0 - x, x - box(note).x1, box(note).y0 - y, y - box(note).y1) < 30


def test_names_stand_at_their_places() -> None:
    ax = shown(rows(["tree", "forest"], intervals((-0.5, 0.0), (0.1, 0.2)), right=["0.1", "0.2"]))
    (second,) = ax.child_axes
    assert (texts(ax.get_yticklabels()), ax.get_yticks().tolist()) == (["tree", "forest"], [0.5, 1.5])
    assert texts(second.get_yticklabels()) == ["0.1", "0.2"]
    sides = [[box(label).y0 for label in each.get_yticklabels()] for each in (ax, second)]
    assert np.allclose(*sides, atol=2)
    long, number = "a_name_that_goes_on_" * 5, "-12,345.67 [-23,456.78, -1,234.56]"
    ax = draw(rows([long, "b"], intervals((-0.5, 0.0), (0.1, 0.2)), right=[number, ""], wide=1.75))
    assert len(texts(ax.get_yticklabels())[0]) < len(long)
    assert texts(ax.child_axes[0].get_yticklabels())[0] == number
    for count in (1, 30, 190):
        many = rows([f"model {place}" for place in range(count)], intervals(*[(0.0, 0.5)] * count))
        ax = shown(many)
        assert apart(ax.get_yticklabels(), "y")
        assert ax.figure.get_size_inches()[1] < 15
    for names, rotation in (("1 2 3", 0), ("north_hospital south_hospital east_hospital west_hospital", 45)):
        places = tuple((float(place), name) for place, name in enumerate(names.split()))
        across = Axis("fold", -0.5, len(places) - 0.5, names=places)
        ax = draw(one(Points(np.zeros(1), np.zeros(1)), x=across))
        assert {label.get_rotation() for label in ax.get_xticklabels()} == {rotation}


# --- where things are --------------------------------------------------------------------------


def test_legends() -> None:
    assert draw(one(CURVE, legend="none")).get_legend() is None
    assert draw(one(DIAGONAL)).get_legend() is None
    assert legend_of(draw(one(CURVE, Points(X[1:2], Y[1:2], "forest")))) == ["forest"]
    ax = shown(one(*(Line(X, Y, f"model number {n}", n) for n in range(20)), square=True))
    legend = box(ax.get_legend())
    assert (legend.y1 < box(ax.xaxis.label).y0, within(legend, ax.figure.bbox)) == (True, True)
    assert len({(line.get_color(), str(line._unscaled_dash_pattern)) for line in ax.lines[:12]}) == 12
    ax = shown(one(CURVE, DIAGONAL, legend="inside"))
    legend, frame = box(ax.get_legend()), box(ax)
    assert within(legend, frame)
    # The emptiest corner.
    assert legend.x0 + legend.x1 > frame.x0 + frame.x1
    assert legend.y0 + legend.y1 < frame.y0 + frame.y1


def test_a_long_name_is_cut_and_not_what_follows_it() -> None:
    names = [f"a_model_with_a_very_long_name_that_goes_on_and_on_{place}" for place in (1, 2)]
    lines = [Line(X, Y, f"{name}, AUC 0.750", place, name=name) for place, name in enumerate(names)]
    point = Points(X[1:2], Y[1:2], f"{names[0]}, score >= 0.424", name=names[0])
    parts = [text.split(", ") for text in legend_of(draw(one(*lines, point, DIAGONAL)))]
    starts, ends = zip(*parts, strict=True)
    assert ends == ("AUC 0.750", "AUC 0.750", "score >= 0.424")
    assert starts[0] == starts[2] != starts[1]
    assert all(len(start) < len(names[0]) for start in starts)


@each("x", [0.0, 0.5, 1.0])
@each("anchor", ["left", "right", "above", "below"])
def test_a_note_is_inside_and_not_on_its_point(x: float, anchor: Any) -> None:
    for y in (0.0, 0.5, 1.0):
        note = Note(x, y, "threshold 0.5: recall 0.82", anchor)
        ax = shown(one(CURVE, DIAGONAL, Points(np.array([x]), np.array([y])), note, square=True))
        (written,) = notes_of(ax)
        assert within(box(written), box(ax))
        assert not box(written).contains(*ax.transData.transform((x, y)))


def test_notes_take_the_side_asked_for_and_do_not_cover_each_other() -> None:
    half = np.array([0.5])
    sides = {"left": [-1, 0], "right": [1, 0], "above": [0, 1], "below": [0, -1]}
    found = {}
    for anchor in sides:
        ax = draw(one(Points(half, half), Note(0.5, 0.5, "here", anchor)))  # type: ignore[arg-type]
        text = box(notes_of(ax)[0])
        middle = np.array([(text.x0 + text.x1) / 2, (text.y0 + text.y1) / 2])
        found[anchor] = np.sign(np.round(middle - ax.transData.transform((0.5, 0.5)))).tolist()
    assert found == sides
    ax = draw(one(*(Note(0.5, 0.5 + number / 100, f"note {number}") for number in range(4))))
    assert not any(one.overlaps(other) for one, other in combinations(map(box, notes_of(ax)), 2))
    ax = draw(one(CURVE, Note(np.inf, 0.5, "never")))
    assert box(notes_of(ax)[0]).x1 <= box(ax).x1


def test_nothing_overlaps_or_leaves_the_page() -> None:
    title = "A title with so many words that it does not fit on one line of a page as narrow as a column"
    panel = Panel(Axis("x" * 20), Axis("y", second="n", second_high=12345), (CURVE,), title, square=True)
    for panels in (1, 3):
        axes = np.ravel(shown(Figure((panel,) * panels, title=title * 3, note="small print " * 40)))
        page = axes[0].figure
        parts = [ax.get_tightbbox() for ax in axes] + [box(text) for text in page.texts]
        assert all(within(part, page.bbox) for part in parts)
        assert not any(part.overlaps(other) for part, other in combinations(parts, 2))
    left = Panel(Axis("a"), Axis("b"), (CURVE,), "left", square=True, legend="inside")
    right = Panel(Axis("a", second="n", second_high=9), Axis("b"), (CURVE,), "right", square=True)
    axes = shown(Figure((left, right), title="both", note="words " * 60))
    sizes = [size for ax in axes for size in (box(ax).width, box(ax).height)]
    assert sizes == pytest.approx([sizes[0]] * 4, rel=1e-6)


LONG = {
    "words": "predicted: probability of 'a positive label of very many short words, one after another'",
    "one word": "observed: proportion of " + "a_label_without_a_blank" * 5,
    "endless": "all of it " * 200,
}


@each(("title", "square"), [*zip(LONG.values(), (False, True, False), strict=True)], ids=LONG)
def test_a_long_title_of_a_scale_takes_no_more_than_its_side_of_the_panel(title: str, square: bool) -> None:
    short = one(CURVE, x=Axis("x"), y=Axis("y", second="z", second_high=50), square=square)
    usual = box(shown(short)).width
    ax = shown(one(CURVE, x=Axis(title), y=Axis(title, second=title, second_high=50), square=square))
    titles = ax.xaxis.label, ax.yaxis.label, ax.child_axes[0].yaxis.label
    assert all(1 < len(each.get_text().split("\n")) <= 2 for each in titles)
    assert box(titles[0]).width <= box(ax).width + 1
    assert max(box(each).height for each in titles[1:]) <= box(ax).height + 1
    # The titles take one line more on either side, and no more.
    assert usual - box(ax).width < 0.2 * usual
    assert all(within(box(each), ax.figure.bbox) for each in titles)
    cells = Cells(("a", "b"), ("a", "b"), np.eye(2), (("1", "0"), ("0", "1")), title, title)
    ax = draw(one(cells, square=True, legend="none"))
    assert (box(ax.xaxis.label).width <= box(ax).width, "…" in ax.get_xlabel()) == (True, True)


# --- texts -------------------------------------------------------------------------------------

ODD = "$x^2$ _a_ & <b> \\$ \x1b[31m\n\u202e"


def test_texts_from_data_are_literal() -> None:
    cells = Cells((ODD, "b"), (ODD, "b"), np.eye(2), (("$x", "0"), ("0", "$y")), ODD, ODD)
    curve = Panel(
        Axis(ODD, second=ODD, second_high=5), Axis(ODD), (Line(X, Y, ODD), Note(0.5, 0.5, ODD)), ODD
    )
    figure = Figure((curve, Panel(Axis(), Axis(), (cells,), ODD)), ODD, ODD)
    made = {suffix: image(figure, suffix) for suffix in SUFFIXES}
    written = [
        "".join(text.itertext()) for text in ET.fromstring(made[".svg"]).iter() if text.tag.endswith("}text")
    ]
    assert " ".join(written).count(r"$x^2$ _a_ & <b> \\$ \x1b[31m\n\u202e") >= 5  # some in two lines
    for label in ("_hidden", "$", "$a$", "", "$\\frac{"):
        ax = shown(one(Line(X, Y, label), Line(X, Y, "b", 1)))
        assert legend_of(ax) == ([label, "b"] if label else ["b"])
    names = rows(["$x^2$", "_hidden", "\\frac"], intervals(*[(0.0, 0.5)] * 3))
    assert texts(draw(names).get_yticklabels()) == ["$x^2$", "_hidden", "\\frac"]
    assert all(image(names, suffix) for suffix in SUFFIXES)


def test_letters_that_a_font_lacks() -> None:
    # A letter for private use, which no font of a general kind has: escaped, and kept in SVG.
    figure = one(Line(X, Y, "name \U000f1234"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ax = shown(figure)
        made = {suffix: image(figure, suffix) for suffix in SUFFIXES}
    assert legend_of(ax) == [r"name \U000f1234"]
    assert "name \U000f1234" in made[".svg"].decode()
    with matplotlib.rc_context({"font.family": ["STIXNonUnicode"]}):
        ax = draw(one(Line(X, Y, "Ж")), plt.subplots()[1])
    (text,) = ax.get_legend().get_texts()
    assert (text.get_text(), len(text.get_fontfamily()) > 1) == ("Ж", True)


# --- axes of the user --------------------------------------------------------------------------


def lift(name: str, high: float = 1.0, rows: float | None = 200) -> Figure:
    x = Axis("share", 0, 1, second="rows", second_high=rows) if rows else Axis("share")
    ideal = Line(np.array([0.0, 0.1, 1.0]), np.array([0.0, 1.0, 1.0]), series=None)
    chance = Line(ENDS, ENDS, "at random", series=None)
    return one(Line(X, Y, name), chance, ideal, Note(0.1, 1.0, "ideal order"), x=x, y=Axis("lift", 0, high))


def test_a_second_curve_on_the_same_axes() -> None:
    _, ax = plt.subplots()
    draw(lift("forest", 1.5), ax)
    draw(lift("tree", 3.0), ax)
    assert (legend_of(ax), ax.get_ylim()) == (["forest", "at random", "tree"], (0, 3))
    forest, tree = (line for line in ax.lines if line.get_linewidth() > 1)
    assert forest.get_color() != tree.get_color()
    assert forest.get_linestyle() != tree.get_linestyle()
    # What both have is drawn once: two curves, the diagonal and the ideal.
    assert (len(ax.lines), texts(ax.texts)) == (4, ["ideal order"])
    assert [child.get_xlabel() for child in ax.child_axes] == ["rows"]
    draw(lift("tree", rows=300), ax)
    assert (legend_of(ax)[-1], ax.child_axes) == ("tree (2)", [])
    ax.clear()
    draw(lift("tree"), ax)
    assert legend_of(ax) == ["tree", "at random"]


def test_axes_that_are_given_are_drawn_on_and_nothing_else_changes() -> None:
    before = dict(matplotlib.rcParams)
    figure, axes = plt.subplots(1, 2, layout="constrained")
    plt.figure()
    current = plt.gcf()
    assert draw(Figure(one(CURVE).panels, title="Title"), axes[0]) is axes[0]
    assert axes[0].get_title(loc="left") == "Title"
    assert draw(Figure(one(CURVE).panels * 2), axes) is axes
    assert (plt.gcf() is current, len(plt.get_fignums())) == (True, 2)
    figure.canvas.draw()
    assert box(axes[0].get_legend()).y1 < box(axes[0].xaxis.label).y0
    # Where nothing makes room below, the legend is inside.
    page, ax = plt.subplots()
    draw(lift("forest"), ax)
    page.canvas.draw()
    assert within(box(ax.get_legend()), box(ax))
    new = draw(one(CURVE))
    assert plt.gcf() is new.figure
    opened = len(plt.get_fignums())
    assert draw(Figure(one(CURVE).panels * 2)).shape == (2,)
    image(one(heat(3)), ".png")
    assert (len(plt.get_fignums()), dict(matplotlib.rcParams)) == (opened + 1, before)


def test_without_a_curve_the_reason_is_on_the_axes_and_within_them() -> None:
    why = "There is no curve: no row is actually negative, so there is no false positive rate."
    page, axes = plt.subplots(1, 2, figsize=(5, 3))
    draw(Figure(one(DIAGONAL).panels, note=why), axes[0])
    draw(Figure(lift("forest").panels, note=why), axes[1])  # with a curve it is left to the caption
    page.canvas.draw()
    (words,) = axes[0].texts
    assert " ".join(words.get_text().split()) == why
    assert box(axes[0]).x0 <= box(words).x0 < box(words).x1 <= box(axes[0]).x1
    assert why not in texts(axes[1].texts)


def test_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    named = plt.subplots()[1]
    draw(rows(["a"], intervals((0.0, 0.5))), named)
    calls = {
        "a figure": lambda: draw(lift("forest"), plt.figure()),
        "a text": lambda: draw(lift("forest"), "x"),
        "polar": lambda: draw(lift("forest"), plt.subplots(subplot_kw={"projection": "polar"})[1]),
        "3d": lambda: draw(lift("forest"), plt.subplots(subplot_kw={"projection": "3d"})[1]),
        "two on one": lambda: draw(Figure(one(CURVE).panels * 2), plt.subplots()[1]),
        "other names": lambda: draw(rows(["b"], intervals((0.0, 0.5))), named),
        "other numbers": lambda: draw(rows(["a"], intervals((0.0, 0.5)), right=["0.1"]), named),
        "JPEG": lambda: image(one(CURVE), ".jpg"),
    }
    assert {text.partition(":")[0] for text in refusals(calls).values()} == {"OptionError"}
    named.clear()
    draw(rows(["b"], intervals((0.0, 0.5))), named)
    assert texts(named.get_yticklabels()) == ["b"]
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    for call in (lambda: image(one(CURVE), ".png"), lambda: draw(one(CURVE))):
        with pytest.raises(tm.MissingExtraError):
            call()


# --- files -------------------------------------------------------------------------------------


def everything() -> Figure:
    marks = (DIAGONAL, Band(X, Y - 0.1, Y, "band"), CURVE, Points(X, Y, "points"), Note(0.5, 0.5, "note"))
    return Figure((*one(*marks).panels, *one(heat(4)).panels), "Title", "Small print")


def everything_as_files() -> bytes:
    return b"".join(image(everything(), suffix) for suffix in SUFFIXES)


def test_the_same_figure_is_the_same_bytes_in_another_process_and_style() -> None:
    made = {suffix: image(everything(), suffix) for suffix in SUFFIXES}
    assert all(made[suffix].startswith(start) for suffix, start in SUFFIXES.items())
    with plt.style.context("dark_background"), matplotlib.rc_context({"text.usetex": True, "font.size": 30}):
        assert image(everything(), ".png") == made[".png"]
    here = Path(__file__)
    code = (
        f"import sys; sys.path[:0] = [{str(here.parents[1])!r}, {str(here.parent)!r}];"
        "from test_matplotlib import everything_as_files; sys.stdout.buffer.write(everything_as_files())"
    )
    again = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert (again.stdout, again.stderr) == (b"".join(made.values()), b"")


def test_describing_a_figure_imports_no_matplotlib_numpy_or_templates() -> None:
    code = "import sys, tallymark.drawing; print({'matplotlib', 'numpy', 'jinja2'} & set(sys.modules))"
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert printed.stdout == "set()\n"
