from __future__ import annotations

import subprocess
import sys
import warnings
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
import pytest

from tallymark.drawing import Axis, Band, Cells, Figure, Line, Note, Panel, Points, draw, image
from tallymark.errors import MissingExtraError, OptionError

matplotlib.use("agg")
import matplotlib.pyplot as plt

X = np.array([0.0, 0.2, 0.5, 1.0])
Y = np.array([0.0, 0.6, 0.9, 1.0])
DIAGONAL = Line(np.array([0.0, 1.0]), np.array([0.0, 1.0]), series=None)
CURVE = Line(X, Y, "forest")


@pytest.fixture(autouse=True)
def _closed() -> Iterator[None]:
    yield
    plt.close("all")


def one(*marks: Any, **panel: Any) -> Figure:
    return Figure((Panel(Axis("rate x"), Axis("rate y"), marks, **panel),))


def heat(count: int, width: int = 3) -> Cells:
    names = tuple(f"{number:0{width}d}" for number in range(count))
    shade = np.eye(count)
    texts = tuple(tuple(str(int(cell)) for cell in row) for row in shade)
    return Cells(names, names, shade, texts, "predicted", "actual")


def legend_of(ax: Any) -> list[str]:
    legend = ax.get_legend()
    return [] if legend is None else [text.get_text() for text in legend.get_texts()]


def box(artist: Any) -> Any:
    return artist.get_window_extent()


def notes_of(ax: Any) -> list[Any]:
    return [text for text in ax.texts if isinstance(text, matplotlib.text.Annotation)]


# --- what is on the axes -----------------------------------------------------------------------


def test_lines_bands_and_points_are_the_data() -> None:
    band = Band(X, Y - 0.1, Y + 0.1, "95% band", series=1)
    ax = draw(one(DIAGONAL, band, CURVE, Points(X[1:2], Y[1:2], "best", series=2)))
    diagonal, curve, points = ax.lines
    assert diagonal.get_xydata().tolist() == [[0, 0], [1, 1]]
    assert curve.get_xydata().tolist() == np.column_stack((X, Y)).tolist()
    assert points.get_xydata().tolist() == [[0.2, 0.6]]
    assert [curve.get_color(), points.get_markerfacecolor()] == ["#0072B2", "#009E73"]
    assert points.get_linestyle() == "None"
    assert diagonal.get_linewidth() < curve.get_linewidth()
    (drawn,) = ax.patches
    corners = drawn.get_xy()[:-1]
    assert corners[:4].tolist() == np.column_stack((X, Y - 0.1)).tolist()
    assert corners[4:].tolist() == np.column_stack((X, Y + 0.1))[::-1].tolist()
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("rate x", "rate y")
    assert (ax.get_xlim(), ax.get_ylim()) == ((0, 1), (0, 1))
    assert legend_of(ax) == ["95% band", "forest", "best"]


def test_a_stepped_line_holds_each_value_until_the_next() -> None:
    ax = draw(one(Line(np.array([0.0, 0.5, 1.0]), np.array([0.2, 0.8, 0.4]), stepped=True)))
    expected = [[0, 0.2], [0.5, 0.2], [0.5, 0.8], [1, 0.8], [1, 0.4]]
    assert ax.lines[0].get_xydata().tolist() == expected


@pytest.mark.parametrize("rows", [999, 99_999, 10**5, 10**6, 10**9, 3 * 10**12, 1e18])
def test_large_counts_do_not_run_together(rows: float) -> None:
    across = Axis("share", 0, 1, True, "rows", float(rows))
    ax = draw(Figure((Panel(across, Axis("recall", 0, 1, True, "found", rows / 3), (CURVE,), square=True),)))
    ax.figure.canvas.draw()
    for second in ax.child_axes:
        for scale in (second.xaxis, second.yaxis):
            boxes = sorted((box(text).x0, box(text).x1) for text in scale.get_ticklabels() if text.get_text())
            if second.xaxis is scale:
                assert all(left[1] < right[0] for left, right in pairwise(boxes))
            assert all(len(text.get_text()) <= len("100,000") for text in scale.get_ticklabels())


def test_large_counts_are_told_in_thousands_or_more() -> None:
    def top(rows: float) -> tuple[str, str]:
        ax = draw(Figure((Panel(Axis("share", second="rows", second_high=rows), Axis("y"), (CURVE,)),)))
        ax.figure.canvas.draw()
        (second,) = ax.child_axes
        return second.get_xlabel(), second.get_xticklabels()[-1].get_text()

    assert top(5_000) == ("rows", "5,000")
    assert top(10**6) == ("rows, in thousands", "1,000")
    assert top(10**9) == ("rows, in millions", "1,000")
    assert top(10**16) == ("rows, in trillions", "10,000")


def test_ticks_of_long_numbers_are_fewer() -> None:
    far = Line(np.array([-1e300, 1e300]), np.array([0.0, 1.0]))
    ax = draw(Figure((Panel(Axis("threshold", -1e300, 1e300), Axis("y"), (far,)),)))
    ax.figure.canvas.draw()
    boxes = sorted((box(text).x0, box(text).x1) for text in ax.get_xticklabels())
    assert len(boxes) >= 2
    assert all(left[1] < right[0] for left, right in pairwise(boxes))


def test_hollow_points_differ_from_filled_ones() -> None:
    at = np.array([0.5])
    ax = draw(one(Points(at, at, hollow=True), Points(at, at)))
    found, asked = ax.lines
    assert found.get_markerfacecolor() == "white" != asked.get_markerfacecolor()
    assert found.get_markeredgecolor() == asked.get_markerfacecolor()


def test_a_long_name_is_cut_and_not_what_is_said_of_it() -> None:
    names = [f"a_model_with_a_very_long_name_that_goes_on_and_on_{place}" for place in (1, 2)]
    lines = [Line(X, Y, f"{name}, AUC 0.750", place, name=name) for place, name in enumerate(names)]
    point = Points(X[1:2], Y[1:2], f"{names[0]}, score >= 0.424", name=names[0])
    shown = legend_of(draw(one(*lines, point, DIAGONAL)))
    assert [text.partition(", ")[2] for text in shown] == ["AUC 0.750", "AUC 0.750", "score >= 0.424"]
    starts = [text.partition(", ")[0] for text in shown]
    assert starts[0] == starts[2] != starts[1]
    assert all(len(start) < len(names[0]) for start in starts)


def test_three_tables_stand_in_a_row_and_three_curves_do_not() -> None:
    tables = draw(Figure(tuple(Panel(Axis(), Axis(), (heat(2),), legend="none") for _ in range(3))))
    assert len({round(ax.get_position().y0, 6) for ax in tables}) == 1
    curves = draw(Figure(tuple(Panel(Axis("x"), Axis("y"), (CURVE,)) for _ in range(3))))
    assert len({round(ax.get_position().y0, 6) for ax in curves}) == 2


def test_every_series_looks_different() -> None:
    ax = draw(one(*(Line(X, Y / (number + 1), f"model {number}", number) for number in range(12))))
    looks = {(line.get_color(), str(line._unscaled_dash_pattern), line.get_marker()) for line in ax.lines}
    assert len(looks) == 12
    assert len({look[:2] for look in looks}) == 12
    assert len({line.get_color() for line in ax.lines}) == 6
    assert len(legend_of(ax)) == 12


def test_six_series_need_no_markers() -> None:
    ax = draw(one(*(Line(X, Y / (number + 1), "", number) for number in range(6))))
    assert {line.get_marker() for line in ax.lines} == {"None"}
    assert len({str(line._unscaled_dash_pattern) for line in ax.lines}) == 6


def test_what_shares_a_label_is_named_once() -> None:
    ax = draw(one(CURVE, Points(X[1:2], Y[1:2], "forest"), Band(X, Y, Y, "forest")))
    assert legend_of(ax) == ["forest"]


def test_no_legend() -> None:
    assert draw(one(CURVE, legend="none")).get_legend() is None
    assert draw(one(DIAGONAL)).get_legend() is None


def test_ticks() -> None:
    axis = Axis("share", percent=True, second="rows", second_high=12000)
    ax = draw(Figure((Panel(axis, Axis("cost", 0, 20000), (DIAGONAL,)),)))
    ax.figure.canvas.draw()
    assert [label.get_text() for label in ax.get_xticklabels()] == ["0%", "20%", "40%", "60%", "80%", "100%"]
    assert [label.get_text() for label in ax.get_yticklabels()] == [
        "0",
        "5,000",
        "10,000",
        "15,000",
        "20,000",
    ]
    (second,) = ax.child_axes
    assert second.get_xlabel() == "rows"
    assert second.get_xlim() == (0, 12000)
    assert "10,000" in [label.get_text() for label in second.get_xticklabels()]


def test_a_second_scale_on_the_right() -> None:
    ax = draw(Figure((Panel(Axis(), Axis(second="found", second_high=104), (DIAGONAL,)),)))
    (second,) = ax.child_axes
    ax.figure.canvas.draw()
    assert (second.get_ylabel(), second.get_ylim()) == ("found", (0, 104))


@pytest.mark.parametrize("value", [0.0, 5.0, -3.0])
def test_an_axis_of_a_single_value(value: float) -> None:
    low, high = draw(Figure((Panel(Axis("x", value, value), Axis("y"), (DIAGONAL,)),))).get_xlim()
    assert low < value < high


def test_a_line_is_cut_only_where_it_leaves_the_panel() -> None:
    ax = draw(one(CURVE, Line(X, 2 * Y)))
    assert [line.get_clip_on() for line in ax.lines] == [False, True]


def test_values_that_are_not_finite_are_left_out() -> None:
    ax = draw(one(Line(np.array([np.inf, 0.5, 1.0]), Y[:3]), Band(np.array([np.inf, 0.5, 1]), Y[:3], Y[:3])))
    assert image(one(Line(np.array([np.inf, 0.5, 1.0]), Y[:3])), ".png")
    assert np.isfinite(ax.patches[0].get_xy()).all()


# --- where things are --------------------------------------------------------------------------


@pytest.mark.parametrize("models", [1, 5, 8, 20])
def test_a_legend_below_covers_neither_data_nor_axis_and_is_on_the_page(models: int) -> None:
    ax = draw(one(*(Line(X, Y, f"model number {number}", number) for number in range(models)), square=True))
    ax.figure.canvas.draw()
    legend, page = box(ax.get_legend()), ax.figure.bbox
    assert legend.y1 < box(ax.xaxis.label).y0
    assert legend.x0 >= page.x0
    assert legend.y0 >= page.y0
    assert legend.x1 <= page.x1


def test_a_legend_inside_is_in_the_emptiest_corner() -> None:
    ax = draw(one(CURVE, DIAGONAL, legend="inside"))
    ax.figure.canvas.draw()
    legend, frame = box(ax.get_legend()), box(ax)
    assert frame.x0 <= legend.x0 < legend.x1 <= frame.x1
    assert frame.y0 <= legend.y0 < legend.y1 <= frame.y1
    assert (legend.x0 + legend.x1) / 2 > (frame.x0 + frame.x1) / 2
    assert (legend.y0 + legend.y1) / 2 < (frame.y0 + frame.y1) / 2


@pytest.mark.parametrize("x", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("y", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("anchor", ["left", "right", "above", "below"])
def test_a_note_is_inside_and_not_on_its_point(x: float, y: float, anchor: Any) -> None:
    note = Note(x, y, "threshold 0.5: recall 0.82", anchor)
    ax = draw(one(CURVE, DIAGONAL, Points(np.array([x]), np.array([y])), note, square=True))
    ax.figure.canvas.draw()
    (written,) = notes_of(ax)
    text, frame = written.get_window_extent(), box(ax)
    assert frame.x0 <= text.x0 < text.x1 <= frame.x1
    assert frame.y0 <= text.y0 < text.y1 <= frame.y1
    assert not text.contains(*ax.transData.transform((x, y)))


def test_a_note_takes_the_side_asked_for_when_it_is_free() -> None:
    points = Points(np.array([0.5]), np.array([0.5]))
    for anchor, sign in {"left": (-1, 0), "right": (1, 0), "above": (0, 1), "below": (0, -1)}.items():
        ax = draw(one(points, Note(0.5, 0.5, "here", anchor)))
        (written,) = notes_of(ax)
        text = written.get_window_extent()
        middle = np.array([(text.x0 + text.x1) / 2, (text.y0 + text.y1) / 2])
        away = middle - ax.transData.transform((0.5, 0.5))
        assert np.sign(np.round(away)).tolist() == list(sign)


def test_notes_do_not_cover_each_other() -> None:
    ax = draw(one(*(Note(0.5, 0.5 + number / 100, f"note {number}") for number in range(4))))
    boxes = [note.get_window_extent() for note in notes_of(ax)]
    assert not any(
        first.overlaps(second) for place, first in enumerate(boxes) for second in boxes[place + 1 :]
    )


def test_a_note_without_a_place_stays_on_the_panel() -> None:
    ax = draw(one(CURVE, Note(np.inf, 0.5, "never")))
    (written,) = notes_of(ax)
    assert written.get_window_extent().x1 <= box(ax).x1


@pytest.mark.parametrize("legend", ["below", "inside"])
def test_square_panels_are_square(legend: Any) -> None:
    figure = Figure(
        (
            Panel(Axis("a"), Axis("b"), (CURVE,), "left", square=True, legend=legend),
            Panel(Axis("a", second="n", second_high=9), Axis("b"), (CURVE,), "right", square=True),
        ),
        title="both",
        note="words " * 60,
    )
    axes = draw(figure)
    axes[0].figure.canvas.draw()
    for ax in axes:
        assert box(ax).width == pytest.approx(box(ax).height, rel=1e-6)
    assert box(axes[0]).width == pytest.approx(box(axes[1]).width, rel=1e-6)


@pytest.mark.parametrize("panels", [1, 2, 3])
def test_nothing_overlaps_or_leaves_the_page(panels: int) -> None:
    title = "A title with so many words that it does not fit on one line of a page as narrow as a column"
    panel = Panel(Axis("x" * 20), Axis("y", second="n", second_high=12345), (CURVE,), title, square=True)
    axes = draw(Figure((panel,) * panels, title=title * 3, note="small print " * 40))
    page = np.ravel(axes)[0].figure
    page.canvas.draw()
    parts = [ax.get_tightbbox() for ax in np.ravel(axes)] + [box(text) for text in page.texts]
    for place, part in enumerate(parts):
        assert part.x0 >= 0
        assert part.y0 >= 0
        assert part.x1 <= page.bbox.x1
        assert part.y1 <= page.bbox.y1
        assert not any(part.overlaps(other) for other in parts[place + 1 :])


# --- cells -------------------------------------------------------------------------------------


def test_cells() -> None:
    shade = np.array([[0.8, 0.2], [np.nan, 1.0]])
    cells = Cells(("yes", "no"), ("yes", "no"), shade, (("8", "2\n20%"), ("?", "10")), "predicted", "actual")
    ax = draw(one(cells))
    ax.figure.canvas.draw()
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("predicted", "actual")
    assert [label.get_text() for label in ax.get_xticklabels()] == ["yes", "no"]
    written = {text.get_text(): (text.get_position(), text.get_color()) for text in ax.texts}
    assert written == {
        "8": ((0.5, 0.5), "#FFFFFF"),
        "2\n20%": ((1.5, 0.5), "#000000"),
        "?": ((0.5, 1.5), "#000000"),
        "10": ((1.5, 1.5), "#FFFFFF"),
    }
    first, last = (ax.transData.transform((0.5, row + 0.5))[1] for row in (0, 1))
    assert first > last


@pytest.mark.parametrize(("count", "width"), [(2, 3), (10, 40), (30, 8)])
def test_the_labels_and_numbers_of_cells_have_room(count: int, width: int) -> None:
    ax = draw(one(heat(count, width)))
    ax.figure.canvas.draw()
    cell = box(ax).width / count
    assert all(box(text).width <= cell for text in ax.texts)
    assert len(ax.texts) == count**2
    names = [label.get_text() for label in ax.get_yticklabels()]
    assert len(set(names)) == count
    turned = ax.get_xticklabels()[0].get_rotation()
    widest = max(box(label).width for label in ax.get_yticklabels())
    assert turned == (45 if widest > cell else 0)
    rows = [box(label) for label in ax.get_yticklabels()]
    assert not any(upper.overlaps(lower) for upper, lower in pairwise(rows))


def test_very_many_classes_are_drawn_without_numbers() -> None:
    ax = draw(one(heat(200)))
    assert len(ax.texts) == 0
    assert len(ax.get_yticklabels()) <= 20
    assert len(image(one(heat(200)), ".svg")) < 300_000


# --- texts -------------------------------------------------------------------------------------

ODD = "$x^2$ _a_ & <b> \\$ \x1b[31m\n\u202e"
SHOWN = r"$x^2$ _a_ & <b> \\$ \x1b[31m\n\u202e"


@pytest.mark.parametrize("suffix", [".png", ".svg", ".pdf"])
def test_texts_from_data_are_literal(suffix: str) -> None:
    cells = Cells((ODD, "b"), (ODD, "b"), np.eye(2), ((ODD.split("\n")[0], "0"), ("0", "0")), ODD, ODD)
    panels = (
        Panel(Axis(ODD, second=ODD, second_high=5), Axis(ODD), (Line(X, Y, ODD), Note(0.5, 0.5, ODD)), ODD),
        Panel(Axis(), Axis(), (cells,), ODD),
    )
    picture = image(Figure(panels, ODD, ODD), suffix)
    if suffix == ".svg":
        texts = [
            "".join(text.itertext()) for text in ET.fromstring(picture).iter() if text.tag.endswith("}text")
        ]
        assert " ".join(texts).count(SHOWN) >= 5  # some in two lines


LONG = {
    "words": "predicted: probability of 'a positive label of very many short words, one after another'",
    "one word": "observed: share of " + "a_label_without_a_blank" * 5,
    "endless": "all of it " * 200,
}


@pytest.mark.parametrize("title", LONG.values(), ids=LONG)
@pytest.mark.parametrize("own_axes", [False, True])
@pytest.mark.parametrize("square", [False, True])
def test_a_long_title_of_a_scale_takes_no_more_than_its_side_of_the_panel(
    title: str, own_axes: bool, square: bool
) -> None:
    axes = Axis(title), Axis(title, second=title, second_high=50)
    figure = Figure((Panel(*axes, (CURVE,), square=square),))
    ax = draw(figure, plt.subplots(layout="constrained")[1] if own_axes else None)
    if not own_axes:
        ax.figure.canvas.draw()
    (second,) = ax.child_axes
    titles = ax.xaxis.label, ax.yaxis.label, second.yaxis.label
    assert all(1 < len(each.get_text().split("\n")) <= 2 for each in titles)
    assert all(each.get_text().startswith(title.split(" ")[0]) for each in titles)
    assert box(titles[0]).width <= box(ax).width + 1
    assert max(box(each).height for each in titles[1:]) <= box(ax).height + 1
    if not own_axes:
        short = Axis("x"), Axis("y", second="z", second_high=50)
        usual = draw(Figure((Panel(*short, (CURVE,), square=square),)))
        # The titles take one line more on either side, and no more.
        assert box(usual).width - box(ax).width < 0.2 * box(usual).width
        page = ax.figure.bbox
        assert all(page.contains(*corner) for each in titles for corner in (box(each).p0, box(each).p1))


def test_a_long_title_of_cells_is_cut() -> None:
    cells = Cells(("a", "b"), ("a", "b"), np.eye(2), (("1", "0"), ("0", "1")), LONG["words"], LONG["words"])
    ax = draw(one(cells, square=True, legend="none"))
    assert box(ax.xaxis.label).width <= box(ax).width
    assert box(ax.yaxis.label).height <= box(ax).height
    assert "…" in ax.get_xlabel()


@pytest.mark.parametrize("label", ["_hidden", "$", "$a$", "", "$\\frac{"])
def test_a_label_is_in_the_legend_whatever_it_is(label: str) -> None:
    ax = draw(one(Line(X, Y, label), Line(X, Y, "b", 1)))
    assert legend_of(ax) == ([label, "b"] if label else ["b"])
    ax.figure.canvas.draw()
    assert all(not text.get_parse_math() and not text.get_usetex() for text in ax.get_legend().get_texts())


def test_the_svg_has_texts_and_no_outlines_of_letters() -> None:
    picture = image(Figure(one(CURVE, Note(0.5, 0.9, "best 0.42")).panels, "Title", "Small print"), ".svg")
    root = ET.fromstring(picture)
    texts = {"".join(text.itertext()) for text in root.iter("{http://www.w3.org/2000/svg}text")}
    assert {"forest", "rate x", "rate y", "Title", "Small print", "best 0.42", "0.2"} <= texts


def test_letters_that_no_font_has_are_escaped_on_paper_and_kept_in_svg(recwarn: Any) -> None:
    # A letter for private use, which no font of a general kind has.
    figure = one(Line(X, Y, "name \U000f1234"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ax = draw(figure)
        ax.figure.canvas.draw()
        image(figure, ".png")
        image(figure, ".pdf")
        picture = image(figure, ".svg")
    assert legend_of(ax) == [r"name \U000f1234"]
    assert "name \U000f1234" in picture.decode()


def test_another_font_is_found_for_letters_that_the_first_one_lacks() -> None:
    with matplotlib.rc_context({"font.family": ["STIXNonUnicode"]}):
        _, ax = plt.subplots()
        draw(one(Line(X, Y, "Ж")), ax)
    (text,) = ax.get_legend().get_texts()
    assert text.get_text() == "Ж"
    assert len(text.get_fontfamily()) > 1


# --- the style and the state of matplotlib -----------------------------------------------------


@pytest.mark.parametrize("on_axes", [True, False])
def test_the_users_settings_stay(on_axes: bool) -> None:
    before = dict(matplotlib.rcParams)
    ax = plt.subplots()[1] if on_axes else None
    draw(one(CURVE, Note(0, 0, "n")), ax)
    image(one(heat(3)), ".png")
    assert dict(matplotlib.rcParams) == before


def test_axes_that_are_given_are_drawn_on_and_returned() -> None:
    figure, axes = plt.subplots(1, 2, layout="constrained")
    plt.figure()
    current = plt.gcf()
    assert draw(Figure(one(CURVE).panels, title="Title"), axes[0]) is axes[0]
    assert axes[0].get_title(loc="left") == "Title"
    assert draw(Figure(one(CURVE).panels * 2), axes) is axes
    assert plt.gcf() is current
    assert len(plt.get_fignums()) == 2
    figure.canvas.draw()
    assert box(axes[0].get_legend()).y1 < box(axes[0].xaxis.label).y0


def test_too_few_axes() -> None:
    _, ax = plt.subplots()
    with pytest.raises(OptionError) as caught:
        draw(Figure(one(CURVE).panels * 2), ax)
    assert str(caught.value) == (
        "the figure has 2 panels, and ax is 1 axes. "
        "Hint: pass as many axes as panels, such as those of plt.subplots(1, 2), or none."
    )


def test_without_axes_there_is_a_new_figure_that_pyplot_shows() -> None:
    ax = draw(one(CURVE))
    assert plt.gcf() is ax.figure
    axes = draw(Figure(one(CURVE).panels * 2))
    assert axes.shape == (2,)
    assert len(plt.get_fignums()) == 2


def test_an_image_leaves_no_figure_open() -> None:
    image(one(CURVE), ".png")
    assert plt.get_fignums() == []


def test_latex_and_dark_styles_of_the_user_do_not_change_the_image() -> None:
    plain = image(one(CURVE), ".png")
    with plt.style.context("dark_background"), matplotlib.rc_context({"text.usetex": True, "font.size": 30}):
        assert image(one(CURVE), ".png") == plain


# --- files -------------------------------------------------------------------------------------


def everything() -> Figure:
    marks = (DIAGONAL, Band(X, Y - 0.1, Y, "band"), CURVE, Points(X, Y, "points"), Note(0.5, 0.5, "note"))
    return Figure((*one(*marks).panels, *one(heat(4)).panels), "Title", "Small print")


@pytest.mark.parametrize(("suffix", "start"), [(".png", b"\x89PNG"), (".svg", b"<?xml"), (".pdf", b"%PDF")])
def test_the_same_figure_is_the_same_bytes_in_another_process(suffix: str, start: bytes) -> None:
    picture = image(everything(), suffix)
    assert picture.startswith(start)
    assert picture == image(everything(), suffix)
    code = (
        "import runpy, sys; names = runpy.run_path(sys.argv[1]);"
        "sys.stdout.buffer.write(names['image'](names['everything'](), sys.argv[2]))"
    )
    again = subprocess.run(
        [sys.executable, "-c", code, str(Path(__file__)), suffix], capture_output=True, check=True
    )
    assert again.stdout == picture
    assert again.stderr == b""


@pytest.mark.parametrize("suffix", [".svg", ".pdf"])
def test_a_file_has_no_date(suffix: str) -> None:
    picture = image(one(CURVE), suffix)
    assert b"<dc:date>" not in picture
    assert b"CreationDate" not in picture


@pytest.mark.parametrize("shape", ["smooth", "noise"])
@pytest.mark.parametrize("suffix", [".svg", ".pdf"])
def test_a_million_points_are_a_small_file(shape: str, suffix: str) -> None:
    x = np.linspace(0, 1, 1_000_000)
    y = np.sqrt(x) if shape == "smooth" else np.random.default_rng(1).random(len(x))
    marks = Band(x, y - 0.05, y + 0.05), Line(x, y, "a", stepped=True)
    assert len(image(one(*marks), suffix)) < 300_000


def test_another_suffix() -> None:
    with pytest.raises(OptionError) as caught:
        image(one(CURVE), ".jpg")
    assert str(caught.value) == "suffix must be one of .pdf, .png, .svg; got '.jpg'."


@pytest.mark.parametrize("call", [lambda: image(one(CURVE), ".png"), lambda: draw(one(CURVE))])
def test_without_matplotlib(call: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtraError) as caught:
        call()
    assert str(caught.value) == (
        "plots are drawn with matplotlib, which is not installed. Hint: pip install 'tallymark[plots]'"
    )


def test_describing_a_figure_imports_neither_matplotlib_nor_numpy() -> None:
    code = "import sys, tallymark.drawing; print({'matplotlib', 'numpy'} & set(sys.modules))"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert shown.stdout == "set()\n"
