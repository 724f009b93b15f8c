"""Pictures of pages: marks are where their numbers are, no two texts meet, names from data are text."""

from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from svg_pictures import Picture, drawn, overlap, source

from collected import each
from tallymark.drawing import Axis, Band, Cells, Line, Note, Panel, Points, Spans

NAN = float("nan")
X = np.array([0.0, 0.5, 1.0])
Y = np.array([0.0, 0.8, 1.0])


def one(*marks: Any, **more: Any) -> Picture:
    """With a line far above the panel, by which something is clipped and the frame is in the picture."""
    x, y = more.pop("x", Axis("rate x")), more.pop("y", Axis("rate y"))
    above = Line(np.array([x.low, x.high]), np.full(2, y.high + 10 * (y.high - y.low)), series=5)
    return drawn(Panel(x, y, (*marks, above), **more))


def near(found: Any, expected: Any) -> None:
    """Within the rounding to a tenth of a unit."""
    assert np.allclose(np.array(found), np.array(expected), atol=0.0501), (found, expected)


def looks(picture: Picture, name: str, key: str) -> list[str | None]:
    return [element.get(key) for element in picture.all(name)]


def test_typical_pictures(snapshot: Any) -> None:
    edges, bars = np.linspace(0, 1, 5), np.array([0.5, 0.25, 0.15, 0.1, 0.1])
    curve = Line(X, Y, "forest, AUC 0.800", name="forest")
    roc = (
        Band(edges, np.zeros(5), bars, "rows in the bin", None, stepped=True),
        Band(X, Y - 0.1, np.minimum(Y + 0.1, 1), "95% band"),
        Line(X, X, "random guessing", series=None),
        Line(X, np.maximum(X, Y), "convex hull", faint=True),
        Line(X, X**2, "more rows", 1, dashed=True),
        curve,
        Points(X[1:2], Y[1:2], "forest: score >= 0.5", name="forest"),
        Points(X[1:2], X[1:2], "best", 1, hollow=True),
        Note(0.5, 0.8, "chosen: 0.8 of all positives"),
    )
    names = tuple((place + 0.5, f"metric {place}") for place in range(3))
    numbers = tuple((place, f"{place:.3f}") for place, _ in names)
    spans = (
        Spans(X + 0.5, X - 0.2, X + 0.1),
        Spans(X[:2] + 0.5, X[:2], X[:2] + 0.3, "test rows", 1, bar=True),
        Spans(X[2:] + 0.5, X[2:], X[2:] + 0.3, "rows not used", None, bar=True, faint=True),
    )
    shade = np.array([[1, 0], [0.04, NAN]])
    cells = Cells(("a", "b"), ("a", "b"), shade, (("50\n100%", "0"), ("2", "?")), "predicted", "actual")
    counts = Axis("recall", percent=True, second="rows, taken", second_high=2_400_000)
    rows, rate = Axis("rows", 15, 2500, log=True), Axis("true positive rate", second="n", second_high=9)
    named = Axis("", 0, 3, names=names, second_names=numbers)
    panels = {
        "curves": Panel(Axis("false positive rate"), rate, roc, square=True),
        "spans with names": Panel(Axis("difference", -0.5, 1), named, spans, "All", wide=1.75),
        "cells": Panel(Axis(), Axis(), (cells,), square=True, legend="none"),
        "log scale and counts": Panel(rows, counts, (Line(100 * X + 20, Y),), wide=1.5),
    }
    snapshot("svg_pictures", {name: source(panel).replace("><", ">\n<") for name, panel in panels.items()})


# --- marks -------------------------------------------------------------------------------------


def test_lines_go_through_their_points() -> None:
    picture = one(Line(X, Y), square=True)
    left, top, right, bottom = picture.frame
    assert right - left == bottom - top
    ((points,),) = picture.paths("l s0")
    near(points, [picture.place(x, y) for x, y in zip(X, Y, strict=True)])
    (line,) = picture.all("l s0")
    assert (line.get("stroke"), line.get("stroke-width")) == ("#0072B2", "1.8")
    assert not {"stroke-dasharray", "clip-path", "style"} & set(line.attrib)
    stepped = one(Line(X, Y, stepped=True))
    ((points,),) = stepped.paths("l s0")
    near(points, [stepped.place(*place) for place in ((0, 0), (0.5, 0), (0.5, 0.8), (1, 0.8), (1, 1))])
    gap = one(Line(np.array([0, 0.2, 0.4, 0.6, 0.8]), np.array([0.1, 0.1, NAN, 0.3, 0.3])))
    (parts,) = gap.paths("l s0")
    near(parts[0], [gap.place(0, 0.1), gap.place(0.2, 0.1)])
    near(parts[1], [gap.place(0.6, 0.3), gap.place(0.8, 0.3)])
    log = one(Line(np.array([1.0, 10, 100]), np.array([0.0, 0.5, 1])), x=Axis("n", 1, 100, log=True))
    ((points,),) = log.paths("l s0")
    near(points, [log.place(0, 0), log.place(1, 1)])
    far = one(Line(np.array([0.0, 0.5, 1.0]), np.array([0.04, 1e300, 0.5])))
    ((points,),) = far.paths("l s0")
    assert len(points) == 3
    assert min(y for _, y in points) > -1e7


def test_what_leaves_the_panel_is_clipped_and_what_lies_along_its_frame_is_not() -> None:
    picture = one(Line(X, np.ones(3)), Line(X, 2 * Y, series=1))
    (clip,) = picture.root.iter("clippath")
    assert looks(picture, "l s0", "clip-path") == [None]
    assert looks(picture, "l s1", "clip-path") == [f"url(#{clip.get('id')})"]


def test_looks_of_series_and_kinds() -> None:
    lines = [Line(X, Y * (1 - 0.1 * n), f"model {n}", n) for n in range(8)]
    few, many = one(*lines[:6], legend="none"), one(*lines)
    assert len({looks(few, f"l s{n}", "stroke")[0] for n in range(6)}) == 6
    assert looks(many, "l s0", "stroke-dasharray")[0] is None
    assert looks(many, "l s0", "stroke-dasharray")[1]
    assert not few.all("f s0")
    # Markers on both lines of the colour, and in the legend: circles, then the seventh shape.
    assert len(many.all("f s0")) == 4
    shapes = set()
    for series in range(11):
        (shape,) = one(Points(X[1:2], Y[1:2], series=series)).paths(f"f e s{series % 6}")[0]
        shapes.add(tuple(np.subtract(shape, shape[0]).round(1).ravel().tolist()))
    assert len(shapes) == 11


def test_a_band_is_the_area_between_its_lines_in_as_many_parts_as_gaps_leave() -> None:
    picture = one(Band(X, Y - 0.1, Y + 0.1, series=1))
    ((outline,),) = picture.paths("b s1")
    low = [picture.place(x, y - 0.1) for x, y in zip(X, Y, strict=True)]
    high = [picture.place(x, y + 0.1) for x, y in zip(X, Y, strict=True)]
    near(outline, low + high[::-1])
    gaps = np.array([0.5, 0.5, NAN, 0.5, 0.5])
    (parts,) = one(Band(np.linspace(0, 1, 5), gaps - 0.1, gaps)).paths("b s0")
    assert [len(part) for part in parts] == [4, 4]


def test_points_are_shapes_around_their_places_and_those_beyond_are_at_the_edge() -> None:
    picture = one(Points(np.array([0.5, 1.5, NAN]), np.array([0.25, 0.5, 0.1])))
    (circles,) = picture.paths("f e s0")
    middles = [np.mean([circle[0], circle[1]], axis=0) for circle in circles]
    near(middles, [picture.place(0.5, 0.25), picture.place(1, 0.5)])
    hollow = one(Points(X, Y, series=3, hollow=True))
    (diamonds,) = hollow.paths("h s3")
    middles = [np.mean(diamond, axis=0) for diamond in diamonds]
    near(middles, [hollow.place(*at) for at in zip(X, Y, strict=True)])
    assert {len(diamond) for diamond in diamonds} == {4}
    # A cloud has every place once.
    cloud = one(Points(np.array([0.5, 0.5, 0.25, 1.0]), np.array([0.5, 0.5, 0.25, 0.0]), small=True))
    dots = [part[0] for path in cloud.paths("l s0") for part in path]
    places = sorted(cloud.place(*at) for at in ((0.5, 0.5), (0.25, 0.25), (1, 0)))
    assert np.allclose(sorted(dots), places, atol=0.5)


def test_spans_have_ends_and_arrows_and_bars_fill_most_of_their_row() -> None:
    def rows(*ends: tuple[float, float], **kind: Any) -> Picture:
        low, high = np.array(ends).T
        names = tuple((place + 0.5, f"row {place}") for place in range(len(ends)))
        spans = Spans(np.arange(0.5, len(ends)), low, high, **kind)
        return one(spans, x=Axis("x", -1, 1), y=Axis("", 0, len(ends), names=names), legend="none")

    picture = rows((-0.5, 0.5), (-9, 9), (NAN, NAN))
    (parts,) = picture.paths("l s0")
    first = [picture.place(0.25, 1 / 6), picture.place(0.75, 1 / 6)]
    near(parts[0], first)
    near([np.mean(end, axis=0) for end in parts[1:3]], first)
    near(parts[3], [picture.place(0, 0.5), picture.place(1, 0.5)])
    # The tip of each arrow is where the panel ends.
    near([arrow[1] for arrow in parts[4:]], [picture.place(0, 0.5), picture.place(1, 0.5)])
    assert [arrow[0][0] - arrow[1][0] for arrow in parts[4:]] == pytest.approx([4.5, -4.5])
    picture = rows((-1, 0), (0, 1), bar=True)
    ((low, high),) = picture.paths("f s0")
    near(low[:2], [picture.place(0, 0.25 + 0.38 / 2), picture.place(0.5, 0.25 + 0.38 / 2)])
    near(high[2:4], [picture.place(1, 0.75 - 0.38 / 2), picture.place(0.5, 0.75 - 0.38 / 2)])
    # A faint one covers what is below.
    faint = rows((-1, 0), bar=True, faint=True)
    assert faint.paths("paper") == faint.paths("f s0")
    assert looks(faint, "f s0", "fill-opacity") == [".3"]


def heat(shade: Any, *, texts: bool = True) -> Cells:
    shade = np.array(shade, dtype=float)
    names = tuple(f"k{place}" for place in range(len(shade)))
    words = tuple(tuple(f"{share:.2f}" for share in row) for row in shade) if texts else ()
    return Cells(names, names, shade, words, "predicted", "actual")


def test_cells_have_eleven_shades_and_a_number_each_that_stands_out() -> None:
    picture = one(heat([[1, 0], [0.04, NAN]]), square=True, legend="none")
    classes = {str(name) for element in picture.root.iter() if (name := element.get("class"))}
    assert {name for name in classes if name[0] in "ht"} == {"h10", "h0", "h1", "hn", "t10", "t0", "t1"}
    assert set(picture.words) == {"1.00", "0.00", "0.04", "nan", "k0", "k1", "predicted", "actual"}
    assert (looks(picture, "t10", "fill"), looks(picture, "t1", "fill")) == (["#FFFFFF"], ["#000000"])
    centres = {text.text: np.mean(text.corners, axis=0) for text in picture.texts}
    step = centres["0.00"] - centres["0.04"]
    assert step[0] == pytest.approx(-step[1], abs=0.2)
    many = drawn(Panel(Axis(), Axis(), (heat(np.eye(100), texts=False),), square=True, legend="none"))
    assert [len(path) for path in many.paths("h10")] == [100]
    # The cells of most rows have no share, and lie below the others as one.
    assert many.paths("h0") == [[[(0, 0), (100, 0), (100, 100), (0, 100)]]]
    assert not any("." in text for text in many.words)
    assert len(source(Panel(Axis(), Axis(), (heat(np.eye(100), texts=False),)))) < 6_000


# --- long lines --------------------------------------------------------------------------------


def farthest(points: np.ndarray, line: np.ndarray) -> float:
    """Of the distances from points to the nearest place of a line."""
    starts, steps = line[:-1], np.diff(line, axis=0)
    lengths = np.maximum((steps**2).sum(axis=1), 1e-12)
    away = points[:, None] - starts
    along = np.clip((away * steps).sum(axis=2) / lengths, 0, 1)
    return float(np.sqrt(((away - along[:, :, None] * steps) ** 2).sum(axis=2)).min(axis=1).max())


@given(st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40)), min_size=2, max_size=40))
def test_a_drawn_line_is_nowhere_far_from_its_points(points: list[tuple[int, int]]) -> None:
    x, y = np.array(points, dtype=float).T / 40
    if len(set(points)) > 1:
        picture = one(Line(x, y))
        ((read,),) = picture.paths("l s0")
        line = np.array([picture.place(*place) for place in zip(x, y, strict=True)])
        assert farthest(line, np.array(read)) <= 0.2
        assert farthest(np.array(read), line) <= 0.2


def walk(size: int) -> Line:
    """A line of many steps to the right and up, as a ROC curve has them."""
    right = np.random.default_rng(0).random(size) < 0.5
    x, y = np.append(0, np.cumsum(right)), np.append(0, np.cumsum(~right))
    return Line(x / x[-1], y / y[-1], "model")


@each("size", [50, 2_000, 20_000])
def test_a_thinned_line_is_nowhere_far_from_the_whole(size: int) -> None:
    line = walk(size)
    picture = one(line, square=True)
    path = picture.all("l s0")[0]
    scale = 0.2 if path.get("transform") else 1.0
    short = scale * np.array(picture.paths("l s0")[0][0])
    whole = np.array([picture.place(*place) for place in zip(line.x, line.y, strict=True)])
    chosen = np.random.default_rng(1).integers(0, len(whole), 300)
    # A column of the panel, what is left out, and half of the diagonal of what is rounded to.
    allowed = (picture.frame[2] - picture.frame[0]) / 150 + 0.4 + 0.15
    assert farthest(whole[chosen], short) <= allowed
    assert farthest(short[:: max(1, len(short) // 100)], whole) <= allowed
    if size > 50:
        assert "." not in str(path.get("d"))


def test_two_million_points_take_four_thousand_letters() -> None:
    assert len(source(Panel(Axis("fpr"), Axis("tpr"), (walk(2_000_000),), square=True))) <= 4_000


# --- scales ------------------------------------------------------------------------------------


def bottom(x: Axis) -> list[str]:
    """What stands along the lower side, from left to right."""
    picture = one(Line(np.array([x.low]), np.zeros(1)), x=x)
    below = [text for text in picture.texts if text.corners[0][1] > picture.frame[3]]
    row = min((text.corners[0][1] for text in below), default=0)
    return [text.text for text in below if text.corners[0][1] < row + 5]


def test_scales_have_round_numbers() -> None:
    scales = {
        "0% 20% 40% 60% 80% 100%": Axis(percent=True), "0% 1% 2% 3%": Axis("", 0, 0.03, percent=True),
        "-0.10 -0.05 0.00 0.05": Axis("", -0.13, 0.07),
        "0.9994 0.9996 0.9998 1.0000": Axis("", 0.9993, 1.0001), "0 1,000 2,000 3,000": Axis("", 0, 3_000),
        "12.0 12.2 12.4 12.6 12.8 13.0": Axis("", 12, 13), "0 1e-09 2e-09 3e-09": Axis("", 0, 3e-9),
        "1 2 5 10 20 50 100": Axis("", 1, 100, log=True),
        "1 3 10 30 100 300 1,000": Axis("", 1, 1000, log=True),
        "0.01 0.1 1 10 100 1,000 10,000": Axis("", 0.01, 10_000, log=True),
        "3 3.2 3.4 3.6 3.8 4": Axis("", 3, 4, log=True),
    }  # fmt: skip
    assert {numbers: " ".join(bottom(axis)) for numbers, axis in scales.items()} == {n: n for n in scales}


def test_second_scales() -> None:
    x = Axis("share of rows", percent=True, second="rows", second_high=2_000_000)
    picture = one(Line(X, X), x=x)
    assert "rows, in thousands" in picture.words
    second = [text for text in picture.texts if text.text in ("500", "1,000", "1,500", "2,000")]
    middles = [np.mean([x for x, _ in text.corners]) for text in second]
    assert middles == pytest.approx([picture.place(part, 0)[0] for part in (0.25, 0.5, 0.75, 1)], abs=0.1)
    # Counts are whole.
    across = Axis("share", names=((0.5, "a"),), second="rows", second_high=3)
    few = one(Line(X, X), x=across, y=Axis(bare=True))
    assert [word for word in few.words if word.isdigit()] == ["0", "1", "2", "3"]


def test_bare_and_named_axes() -> None:
    picture = one(Line(X, X), x=Axis("x"), y=Axis("density", bare=True), frame=False)
    assert set(picture.words) == {"0.0", "0.2", "0.4", "0.6", "0.8", "1.0", "x", "density"}
    names = tuple((place + 0.5, f"model {place}") for place in range(30))
    high = one(Spans(X, X, X + 0.1), y=Axis("", 0, 30, names=names))
    assert high.frame[3] - high.frame[1] == 30 * 24
    assert {f"model {place}" for place in range(30)} <= set(high.words)
    # Names without room are turned, and too many are thinned out.
    names = tuple((place + 0.5, f"a rather long name {place}") for place in range(8))
    turned = [text for text in one(Line(X, X), x=Axis("", 0, 8, names=names)).texts if "…" in text.text]
    assert len(turned) == 8
    assert all(text.corners[0][1] > text.corners[1][1] for text in turned)
    many = tuple((place + 0.5, f"{place:04d}") for place in range(3_000))
    words = drawn(Panel(Axis(), Axis("", 0, 3_000, names=many), ())).words
    assert 100 < sum(len(word) == 4 for word in words) <= 500


# --- texts -------------------------------------------------------------------------------------


def test_a_legend_names_each_label_once_with_all_its_marks() -> None:
    picture = one(Line(X, Y, "model"), Points(X, Y, "model"), Line(X, X, "chance", series=None))
    assert picture.words.count("model") == 1
    assert [len(picture.paths(name)) for name in ("l s0", "f e s0", "ref")] == [2, 2, 2]
    assert "model" not in one(Line(X, Y, "model"), legend="none").words
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
    (paper,) = picture.all("paper")
    left, width = float(paper.attrib["x"]), float(paper.attrib["width"])
    assert left <= note.corners[0][0]
    assert left + width >= note.corners[1][0]
    assert (picture.root.get("width"), picture.size[0]) == ("400", 400)
    assert one(Line(X, Y), wide=1.5).size[0] == 600


def hostile_panels(text: str) -> tuple[Panel, Panel]:
    names = ((0.5, text), (1.5, f"{text}b"))
    marks = (
        Line(X, Y, text, name=text),
        Line(X, X, f"{text}1", 1, name=f"{text}1"),
        Points(X, Y, f"{text} again", series=2, name=text),
        Note(0.5, 0.5, text),
    )
    across = Axis(text, second=text, second_high=5)
    upright = Axis(text, 0, 2, names=names, second_names=names)
    cells = Cells((text, "b"), (text, "c"), np.eye(2), ((text, "1"), ("2", "3")), text, text)
    return Panel(across, upright, marks, title=text), Panel(Axis(), Axis(), (cells,))


@each(
    "hostile",
    ["<script>alert(1)</script>", '"\' onload="x', "&lt;&amp;", "a\x00\x1b\u202e\ufffe", "]]>", "a  b"],
)
def test_names_from_data_are_text(hostile: str) -> None:
    for panel in hostile_panels(hostile):
        picture = drawn(panel)
        allowed = {"svg", "g", "path", "rect", "text", "clippath"}
        assert {element.tag for element in picture.root.iter()} <= allowed
        keys = {key for element in picture.root.iter() for key in element.attrib}
        assert not [key for key in keys if key.startswith("on") or key in ("style", "href")]
        assert len([text for text in picture.words if text]) >= 6
    if hostile == "a  b":
        assert hostile in drawn(hostile_panels(hostile)[0]).words


@each("long", ["x" * 5_000, "word " * 1_000, "a\n" * 2_500], ids=["a word", "words", "lines"])
def test_a_text_without_end_is_cut(long: str) -> None:
    for panel in hostile_panels(long):
        picture = drawn(panel)
        assert max(picture.size) < 600
        assert max(map(len, picture.words)) < 120


words = st.text(st.sampled_from("abcdefgh mW.0123 λ日"), max_size=60).map(str.strip)
low = st.floats(-1e6, 1e6).map(lambda number: round(number, 3))
size = st.sampled_from([0.0, 1e-3, 0.7, 12.0, 34567.0])
names = st.lists(words, min_size=1, max_size=5).map(
    lambda texts: tuple((place + 0.5, text) for place, text in enumerate(texts))
)
axes = st.one_of(
    st.builds(lambda label, at, size, is_: Axis(label, at, at + size, is_), words, low, size, st.booleans()),
    st.builds(lambda label, up: Axis(label, 10.0**-up, 10.0**up, log=True), words, st.integers(1, 7)),
    st.builds(lambda label, names: Axis(label, 0, len(names), names=names), words, names),
    st.builds(lambda *two: Axis(two[0], second=two[1], second_high=4e5), words, words),
)


def panel(x: Axis, y: Axis, labels: list[str], notes: list[str], **more: Any) -> Panel:
    marks = [Line(np.array([x.low]), np.array([y.low]), label, number) for number, label in enumerate(labels)]
    return Panel(x, y, (*marks, *(Note(x.low, y.low, text) for text in notes if text)), **more)


def table(rows: list[str], columns: list[str], text: str, label: str) -> Panel:
    shade = np.linspace(0, 1, len(rows) * len(columns)).reshape(len(rows), -1)
    cells = Cells(tuple(rows), tuple(columns), shade, ((text,) * len(columns),) * len(rows), label, "actual")
    return Panel(Axis(), Axis(), (cells,), legend="none")


labels, square = st.lists(words, max_size=9, unique=True), st.booleans()
panels = st.builds(panel, axes, axes, labels, st.lists(words, max_size=1), title=words, square=square)
classes = st.lists(words, min_size=1, max_size=12)
tables = st.builds(table, classes, classes, st.sampled_from(["7", "1,234", "1,234\n12.3%"]), words)


def check(picture: Picture) -> None:
    width, height = picture.size
    texts = [text for text in picture.texts if text.text]
    for text in texts:
        assert all(-1 <= x <= width + 1 and -1 <= y <= height + 1 for x, y in text.corners), text
    for first, second in combinations(texts, 2):
        assert not overlap(first, second), (first, second)


@given(panels | tables)
def test_no_two_texts_meet_and_none_leaves_the_picture(panel: Panel) -> None:
    check(drawn(panel))


def test_a_legend_inside_and_notes_find_room() -> None:
    marks = (
        Line(X, X, "one model"),
        Line(X, X**2, "another model", series=1),
        Points(X[1:2], X[1:2], "best", hollow=True),
        Note(0.5, 0.5, "best 0.5 at 0.5"),
    )
    picture = one(*marks, legend="inside")
    check(picture)
    left, top, right, end = picture.frame
    for text in picture.texts:
        if text.text in ("one model", "another model", "best", "best 0.5 at 0.5"):
            assert all(left <= x <= right and top <= y <= end for x, y in text.corners)
