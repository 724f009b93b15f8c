"""Marks are where their numbers say, in the look of their series."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from svg_reading import SPACE, Picture, drawn

from tallymark.drawing import Axis, Band, Cells, Line, Note, Panel, Points, Spans
from tallymark.drawing.palette import PALETTE
from tallymark.drawing.svg import svg

NAN = float("nan")
X = np.array([0.0, 0.5, 1.0])
Y = np.array([0.0, 0.8, 1.0])


def one(*marks: Any, **more: Any) -> Picture:
    x, y = more.pop("x", Axis("rate x")), more.pop("y", Axis("rate y"))
    return drawn(Panel(x, y, marks, **more))


def near(found: Any, expected: Any) -> None:
    """Within the rounding to a tenth of a unit."""
    assert np.allclose(np.array(found), np.array(expected), atol=0.0501), (found, expected)


def attributes(picture: Picture, name: str) -> list[dict[str, str]]:
    return [element.attrib for element in picture.root.iter() if element.get("class") == name]


def test_a_line_goes_through_its_points() -> None:
    picture = one(Line(X, Y), square=True)
    left, top, right, bottom = picture.frame
    assert right - left == bottom - top
    ((points,),) = picture.paths("l s0")
    near(points, [picture.place(x, y) for x, y in zip(X, Y, strict=True)])
    (line,) = attributes(picture, "l s0")
    assert (line["stroke"], line["stroke-width"]) == ("#0072B2", "1.8")
    assert not {"stroke-dasharray", "clip-path", "style"} & set(line)


def test_a_stepped_line_holds_each_value_until_the_next() -> None:
    picture = one(Line(X, Y, stepped=True))
    ((points,),) = picture.paths("l s0")
    near(points, [picture.place(*place) for place in ((0, 0), (0.5, 0), (0.5, 0.8), (1, 0.8), (1, 1))])


def test_a_line_is_interrupted_where_a_number_is_missing() -> None:
    picture = one(Line(np.array([0, 0.2, 0.4, 0.6, 0.8]), np.array([0.1, 0.1, NAN, 0.3, 0.3])))
    (parts,) = picture.paths("l s0")
    near(parts[0], [picture.place(0, 0.1), picture.place(0.2, 0.1)])
    near(parts[1], [picture.place(0.6, 0.3), picture.place(0.8, 0.3)])


def test_on_a_log_axis_equal_factors_are_equally_far_apart() -> None:
    picture = one(Line(np.array([1.0, 10, 100]), np.array([0.0, 0.5, 1])), x=Axis("n", 1, 100, log=True))
    ((points,),) = picture.paths("l s0")
    near(points, [picture.place(0, 0), picture.place(1, 1)])
    assert [text for text in picture.words if text.isdigit()] == ["1", "2", "5", "10", "20", "50", "100"]


def test_what_leaves_the_panel_is_cut_and_what_lies_along_its_frame_is_not() -> None:
    along, beyond = Line(X, np.ones(3)), Line(X, 2 * Y, series=1)
    picture = one(along, beyond)
    assert "clip-path" not in attributes(picture, "l s0")[0]
    assert attributes(picture, "l s1")[0]["clip-path"] == "url(#p-c)"
    assert picture.root.find(f"{SPACE}clipPath").attrib["id"] == "p-c"  # type: ignore[union-attr]


def test_six_colours_then_other_dashes_and_markers() -> None:
    lines = [Line(X, Y * (1 - 0.1 * n), f"model {n}", n) for n in range(8)]
    few, many = one(*lines[:6]), one(*lines)
    assert [attributes(few, f"l s{n}")[0]["stroke"] for n in range(6)] == list(PALETTE)
    dashes = [line.get("stroke-dasharray") for line in attributes(many, "l s0")[:2]]
    assert dashes[0] is None
    assert dashes[1]
    assert not attributes(few, "f s0")
    # Markers on both lines of the colour, and in the legend: circles, then the seventh shape.
    assert len(attributes(many, "f s0")) == 4


def test_dashes_say_what_a_line_is() -> None:
    reference, faint, dashed = (
        one(Line(X, Y, series=None)),
        one(Line(X, Y, faint=True)),
        one(Line(X, Y, dashed=True)),
    )
    assert attributes(reference, "ref")[0]["stroke"] == "#767676"
    assert attributes(reference, "ref")[0]["stroke-dasharray"] == "4.4 3.3"
    assert attributes(faint, "l s0")[0]["stroke-dasharray"] == "1.1 1.65"
    assert attributes(dashed, "l s0")[0]["stroke-dasharray"] == "4.9 3.08"


def test_a_band_is_the_area_between_its_lines_in_as_many_parts_as_gaps_leave() -> None:
    picture = one(Band(X, Y - 0.1, Y + 0.1, series=1))
    ((outline,),) = picture.paths("b s1")
    low = [picture.place(x, y - 0.1) for x, y in zip(X, Y, strict=True)]
    high = [picture.place(x, y + 0.1) for x, y in zip(X, Y, strict=True)]
    near(outline, low + high[::-1])
    x = np.linspace(0, 1, 5)
    gaps = np.array([0.5, 0.5, NAN, 0.5, 0.5])
    (parts,) = one(Band(x, gaps - 0.1, gaps)).paths("b s0")
    assert [len(part) for part in parts] == [4, 4]


def test_points_are_shapes_around_their_places_and_those_beyond_are_at_the_edge() -> None:
    picture = one(Points(np.array([0.5, 1.5, NAN]), np.array([0.25, 0.5, 0.1])))
    (circles,) = picture.paths("f e s0")
    assert len(circles) == 2
    middles = [np.mean([circle[0], circle[1]], axis=0) for circle in circles]
    near(middles, [picture.place(0.5, 0.25), picture.place(1, 0.5)])
    hollow = one(Points(X, Y, series=3, hollow=True))
    (diamonds,) = hollow.paths("h s3")
    near(
        [np.mean(diamond, axis=0) for diamond in diamonds],
        [hollow.place(*at) for at in zip(X, Y, strict=True)],
    )
    assert {len(diamond) for diamond in diamonds} == {4}


def test_every_series_of_eleven_has_a_shape_of_its_own() -> None:
    shapes = set()
    for series in range(11):
        (shape,) = one(Points(X[1:2], Y[1:2], series=series)).paths(f"f e s{series % 6}")[0]
        shapes.add(tuple(np.subtract(shape, shape[0]).round(1).ravel().tolist()))
    assert len(shapes) == 11


def test_a_cloud_has_every_place_once() -> None:
    picture = one(Points(np.array([0.5, 0.5, 0.25, 1.0]), np.array([0.5, 0.5, 0.25, 0.0]), small=True))
    dots = [part[0] for path in picture.paths("l s0") for part in path]
    places = sorted(picture.place(*at) for at in ((0.5, 0.5), (0.25, 0.25), (1, 0)))
    assert np.allclose(sorted(dots), places, atol=0.5)


def rows(*ends: tuple[float, float], **kind: Any) -> Picture:
    low, high = np.array(ends).T
    names = tuple((place + 0.5, f"row {place}") for place in range(len(ends)))
    spans = Spans(np.arange(0.5, len(ends)), low, high, **kind)
    return one(spans, x=Axis("x", -1, 1), y=Axis("", 0, len(ends), names=names), legend="none")


def test_spans_have_ends_and_arrows_where_they_leave_the_panel() -> None:
    picture = rows((-0.5, 0.5), (-9, 9), (NAN, NAN))
    (parts,) = picture.paths("l s0")
    first = [picture.place(0.25, 1 / 6), picture.place(0.75, 1 / 6)]
    near(parts[0], first)
    near([np.mean(end, axis=0) for end in parts[1:3]], first)
    near(parts[3], [picture.place(0, 0.5), picture.place(1, 0.5)])
    # The tip of each arrow is where the panel ends.
    near([arrow[1] for arrow in parts[4:]], [picture.place(0, 0.5), picture.place(1, 0.5)])
    assert [arrow[0][0] - arrow[1][0] for arrow in parts[4:]] == pytest.approx([4.5, -4.5])
    assert len(parts) == 6


def test_bars_fill_most_of_their_row_and_a_faint_one_covers_what_is_below() -> None:
    picture = rows((-1, 0), (0, 1), bar=True)
    ((first, second),) = picture.paths("f s0")
    near(first[:2], [picture.place(0, 0.25 + 0.38 / 2), picture.place(0.5, 0.25 + 0.38 / 2)])
    near(second[2:4], [picture.place(1, 0.75 - 0.38 / 2), picture.place(0.5, 0.75 - 0.38 / 2)])
    faint = rows((-1, 0), bar=True, faint=True)
    assert faint.paths("paper") == faint.paths("f s0")
    assert attributes(faint, "f s0")[0]["fill-opacity"] == ".3"


# --- cells ---------------------------------------------------------------------------------------------


def heat(shade: Any, *, texts: bool = True) -> Cells:
    shade = np.array(shade, dtype=float)
    names = tuple(f"k{place}" for place in range(len(shade)))
    words = tuple(tuple(f"{share:.2f}" for share in row) for row in shade) if texts else ()
    return Cells(names, names, shade, words, "predicted", "actual")


def test_cells_have_eleven_shades_and_a_number_each_that_stands_out() -> None:
    picture = one(heat([[1, 0], [0.04, NAN]]), square=True, legend="none")
    assert {name for name in classes(picture) if name[0] in "ht"} == {
        "h10",
        "h0",
        "h1",
        "hn",
        "t10",
        "t0",
        "t1",
    }
    assert {"1.00", "0.00", "0.04", "nan", "k0", "k1", "predicted", "actual"} == set(picture.words)
    assert attributes(picture, "t10")[0]["fill"] == "#FFFFFF"
    assert attributes(picture, "t1")[0]["fill"] == "#000000"
    number = next(text for text in picture.texts if text.text == "0.04")
    across, down = np.mean(number.corners, axis=0)
    place = picture.place(0.25, 0.25)
    assert (across, down) == pytest.approx(place, abs=2)


def test_many_cells_are_one_shape_for_each_shade() -> None:
    picture = one(heat(np.eye(100), texts=False), square=True, legend="none")
    assert [len(path) for path in picture.paths("h10")] == [100]
    # The cells of most rows have no share, and lie below the others as one.
    assert picture.paths("h0") == [[[(0, 0), (100, 0), (100, 100), (0, 100)]]]
    assert len(svg(Panel(Axis(), Axis(), (heat(np.eye(100), texts=False),)), "", "p")) < 6_000
    assert not any("." in text for text in picture.words)


def classes(picture: Picture) -> set[str]:
    return {name for element in picture.root.iter() if (name := element.get("class"))}


# --- words ---------------------------------------------------------------------------------------------


def test_a_legend_names_each_label_once_with_all_its_marks() -> None:
    picture = one(Line(X, Y, "model"), Points(X, Y, "model"), Line(X, X, "chance", series=None))
    assert picture.words.count("model") == 1
    assert len(picture.paths("l s0")) == 2
    assert len(picture.paths("f e s0")) == 2
    assert len(picture.paths("ref")) == 2
    assert "model" not in one(Line(X, Y, "model"), legend="none").words


def test_long_names_lose_letters_before_what_is_said_of_them() -> None:
    name = "a_model_with_a_very_long_name_" * 4
    lines = [Line(X, Y * part, f"{name}{part}: AUC 0.9", name=f"{name}{part}") for part in (0.5, 1)]
    labels = [text for text in one(*lines).words if "AUC" in text]
    assert len(set(labels)) == 2
    assert all(label.endswith(": AUC 0.9") and "…" in label for label in labels)


def test_a_note_stands_beside_its_point_and_off_the_line() -> None:
    picture = one(Line(X, np.full(3, 0.5)), Note(0.5, 0.5, "best here"))
    (note,) = [text for text in picture.texts if text.text == "best here"]
    across, down = picture.place(0.5, 0.5)
    ys = [y for _, y in note.corners]
    assert min(ys) > down or max(ys) < down
    assert abs(np.mean([x for x, _ in note.corners]) - across) < 100
    (paper,) = attributes(picture, "paper")
    assert float(paper["x"]) <= note.corners[0][0]
    assert float(paper["x"]) + float(paper["width"]) >= note.corners[1][0]


def test_it_is_an_image_that_says_what_it_shows() -> None:
    root = drawn(Panel(Axis(), Axis(), (Line(X, Y),))).root
    assert (root.get("role"), root.get("aria-label")) == ("img", "what it shows")
    assert (root.get("width"), root.get("viewBox", "")[:8]) == ("400", "0 0 400 ")
    assert drawn(Panel(Axis(), Axis(), (Line(X, Y),), wide=1.5)).size[0] == 600


@pytest.mark.parametrize(
    "hostile",
    ["<script>alert(1)</script>", '"\' onload="x', "&lt;&amp;", "a\x00\x1b\u202e\ufffe", "]]>", "a  b"],
)
def test_names_from_data_are_text(hostile: str) -> None:
    names = ((0.5, hostile), (1.5, "b"))
    marks = (
        Line(X, Y, hostile),
        Note(0.5, 0.5, hostile),
        Points(X, Y, f"{hostile} again", series=1, name=hostile),
    )
    plain = Panel(Axis(hostile), Axis(hostile, 0, 2, names=names, second_names=names), marks, title=hostile)
    cells = Cells((hostile, "b"), (hostile, "c"), np.eye(2), ((hostile, "1"), ("2", "3")), hostile, hostile)
    for panel in (plain, Panel(Axis(), Axis(), (cells,))):
        picture = drawn(panel)
        names_of_tags = {element.tag.removeprefix(SPACE) for element in picture.root.iter()}
        assert names_of_tags <= {"svg", "g", "path", "rect", "text", "clipPath"}
        keys = {key for element in picture.root.iter() for key in element.attrib}
        assert not [key for key in keys if key.startswith("on") or key in ("style", "href")]
        assert len([text for text in picture.words if text]) >= 6
    assert svg(plain, hostile, "p").count("<script") == 0
    if hostile == "a  b":
        assert hostile in drawn(plain).words


@pytest.mark.parametrize(
    "long", ["x" * 20_000, "word " * 4_000, "a\n" * 10_000], ids=["a word", "words", "lines"]
)
def test_a_text_without_end_is_cut(long: str) -> None:
    names = ((0.5, long), (1.5, f"{long}b"))
    marks = Line(X, Y, long, name=long), Line(X, Y, f"{long}1", 1, name=f"{long}1"), Note(0.5, 0.5, long)
    across = Axis(long, names=((0.5, long),), second=long, second_high=5)
    upright = Axis(long, 0, 2, names=names, second_names=names)
    cells = Cells((long, "b"), (long, "c"), np.eye(2), ((long, "1"), ("2", "3")), long, long)
    for panel in (Panel(across, upright, marks, title=long), Panel(Axis(), Axis(), (cells,))):
        picture = drawn(panel)
        assert max(picture.size) < 600
        assert max(map(len, picture.words)) < 120
