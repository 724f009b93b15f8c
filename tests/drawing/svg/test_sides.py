"""Scales have round numbers or names, and no two texts of a picture meet."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from svg_reading import Picture, drawn, overlap

from tallymark.drawing import Axis, Cells, Line, Note, Panel, Points, Spans
from tallymark.drawing.svg.ticks import log_ticks, round_ticks, written

X = np.array([0.0, 0.5, 1.0])


def bottom(picture: Picture) -> list[str]:
    """What stands along the lower side, from left to right."""
    _, _, _, end = picture.frame
    below = [text for text in picture.texts if text.corners[0][1] > end]
    row = min(text.corners[0][1] for text in below)
    return [text.text for text in below if text.corners[0][1] < row + 5]


@pytest.mark.parametrize(
    ("low", "high", "most", "ticks"),
    [
        (0, 1, 5, [0, 0.2, 0.4, 0.6, 0.8, 1]),
        (0, 1, 4, [0, 0.25, 0.5, 0.75, 1]),
        (0, 1, 2, [0, 0.5, 1]),
        (-0.13, 0.07, 5, [-0.1, -0.05, 0, 0.05]),
        (0.9993, 1.0001, 5, [0.9994, 0.9996, 0.9998, 1.0]),
        (0, 569, 5, [0, 100, 200, 300, 400, 500]),
        (0, 631, 5, [0, 200, 400, 600]),
        (0, 500, 5, [0, 100, 200, 300, 400, 500]),
        (12, 13, 5, [12, 12.2, 12.4, 12.6, 12.8, 13]),
        (-1e306, 1e306, 5, [-1e306, -5e305, 0, 5e305, 1e306]),
    ],
)
def test_round_ticks(low: float, high: float, most: int, ticks: list[float]) -> None:
    assert round_ticks(low, high, most) == pytest.approx(ticks, abs=(high - low) * 1e-12)


def test_whole_ticks_have_no_parts() -> None:
    assert round_ticks(0, 3, 5, whole=True) == [0, 1, 2, 3]
    assert round_ticks(0, 13, 5, whole=True) == [0, 5, 10]
    assert round_ticks(0, 1.5, 5, whole=True) == [0, 1]


def test_log_ticks() -> None:
    assert log_ticks(1, 100, 8) == [1, 2, 5, 10, 20, 50, 100]
    assert log_ticks(1, 1000, 8) == [1, 3, 10, 30, 100, 300, 1000]
    assert log_ticks(0.001, 1000, 8) == pytest.approx([0.001, 0.01, 0.1, 1, 10, 100, 1000])
    assert log_ticks(3, 4, 5) == pytest.approx([3, 3.2, 3.4, 3.6, 3.8, 4])
    assert log_ticks(1e-12, 1, 4) == pytest.approx([1e-12, 1e-8, 1e-4, 1])


def test_numbers_have_the_decimals_it_takes() -> None:
    assert written([0, 0.25, 0.5]) == ["0.00", "0.25", "0.50"]
    assert written([0, 0.2, 0.4, 0.6000000000000001]) == ["0.0", "0.2", "0.4", "0.6"]
    assert written([0.0, 1000.0]) == ["0", "1,000"]
    assert written([0.0, 0.025], percent=True) == ["0.0%", "2.5%"]
    assert written([1e-9, 2e-9]) == ["1e-09", "2e-09"]
    assert written([0.01, 1, 10_000], log=True) == ["0.01", "1", "10,000"]


def test_percent_and_a_second_scale_in_thousands() -> None:
    x = Axis("share of rows", percent=True, second="rows", second_high=2_000_000)
    picture = drawn(Panel(x, Axis("y"), (Line(X, X),)))
    assert bottom(picture) == ["0%", "20%", "40%", "60%", "80%", "100%"]
    assert "rows, in thousands" in picture.words
    second = [text for text in picture.texts if text.text in ("500", "1,000", "1,500", "2,000")]
    middles = [np.mean([x for x, _ in text.corners]) for text in second]
    assert middles == pytest.approx([picture.place(part, 0)[0] for part in (0.25, 0.5, 0.75, 1)], abs=0.1)


def test_a_bare_axis_has_a_title_only_and_no_frame_no_grid() -> None:
    picture = drawn(Panel(Axis("x"), Axis("density", bare=True), (Line(X, X),), frame=False))
    assert set(picture.words) == {"0.0", "0.2", "0.4", "0.6", "0.8", "1.0", "x", "density"}
    assert not picture.paths("grid")
    assert picture.paths("mute")[0][0] == [picture.place(0, 0), (picture.frame[0], picture.frame[3] + 4)]


def test_an_upright_axis_with_names_is_as_high_as_they_need() -> None:
    names = tuple((place + 0.5, f"model {place}") for place in range(30))
    picture = drawn(Panel(Axis(), Axis("", 0, 30, names=names), (Spans(X, X, X + 0.1),)))
    _, top, _, end = picture.frame
    assert end - top == 30 * 24
    assert {f"model {place}" for place in range(30)} <= set(picture.words)


def test_names_without_room_are_turned_and_too_many_are_thinned_out() -> None:
    names = tuple((place + 0.5, f"a rather long name {place}") for place in range(8))
    picture = drawn(Panel(Axis("", 0, 8, names=names), Axis(), (Line(X, X),)))
    turned = [text for text in picture.texts if text.text.endswith(tuple("01234567")) and "…" in text.text]
    assert len(turned) == 8
    assert all(text.corners[0][1] > text.corners[1][1] for text in turned)
    many = tuple((place + 0.5, f"{place:04d}") for place in range(3_000))
    words = drawn(Panel(Axis(), Axis("", 0, 3_000, names=many), ())).words
    assert 100 < sum(len(word) == 4 for word in words) <= 500


# --- no two texts meet ---------------------------------------------------------------------------------

words = st.text(st.sampled_from("abcdefgh mW.0123 λ日"), max_size=60).map(str.strip)
numbers = st.floats(-1e6, 1e6).map(lambda number: round(number, 3))


@st.composite
def axes(draw: st.DrawFn, *, upright: bool) -> Axis:
    low = draw(numbers)
    high = low + draw(st.sampled_from([0.0, 1e-3, 0.7, 12.0, 34567.0]))
    kind = draw(st.sampled_from(["plain", "percent", "log", "names", "second", "bare"]))
    label = draw(words)
    match kind:
        case "log":
            return Axis(label, 10.0 ** draw(st.integers(-9, 0)), 10.0 ** draw(st.integers(1, 7)), log=True)
        case "names":
            texts = draw(st.lists(words, min_size=1, max_size=9 if upright else 5))
            names = tuple((place + 0.5, text) for place, text in enumerate(texts))
            other = tuple((place, f"{place:.3f}") for place, _ in names) if upright else ()
            return Axis(label, 0, len(texts), names=names, second_names=other)
        case "second":
            return Axis(
                label, low, high, second=draw(words), second_high=draw(st.sampled_from([0.5, 7, 4e5]))
            )
    return Axis(label, low, high, percent=kind == "percent", bare=kind == "bare")


@st.composite
def panels(draw: st.DrawFn) -> Panel:
    x, y = draw(axes(upright=False)), draw(axes(upright=True))
    labels = draw(st.lists(words, max_size=9, unique=True))
    marks = [Line(np.array([x.low]), np.array([y.low]), label, number) for number, label in enumerate(labels)]
    notes = [Note(x.low, y.low, text) for text in draw(st.lists(words.filter(bool), max_size=1))]
    return Panel(
        x,
        y,
        (*marks, *notes),
        title=draw(words),
        square=draw(st.booleans()),
        wide=draw(st.sampled_from([1.0, 1.5, 1.75])),
    )


def check(picture: Picture) -> None:
    width, height = picture.size
    texts = [text for text in picture.texts if text.text]
    for text in texts:
        assert all(-1 <= x <= width + 1 and -1 <= y <= height + 1 for x, y in text.corners), text
    for one, other in combinations(texts, 2):
        assert not overlap(one, other), (one, other)


@settings(max_examples=150, deadline=None)
@given(panels())
def test_no_two_texts_meet_and_none_leaves_the_picture(panel: Panel) -> None:
    check(drawn(panel))


@settings(max_examples=30, deadline=None)
@given(
    st.lists(words, min_size=1, max_size=12),
    st.lists(words, min_size=1, max_size=12),
    st.sampled_from(["7", "1,234", "1,234\n12.3%"]),
    words,
)
def test_nor_on_cells(rows: list[str], columns: list[str], text: str, label: str) -> None:
    shade = np.linspace(0, 1, len(rows) * len(columns)).reshape(len(rows), -1)
    cells = Cells(tuple(rows), tuple(columns), shade, ((text,) * len(columns),) * len(rows), label, "actual")
    check(drawn(Panel(Axis(), Axis(), (cells,), legend="none")))


def test_a_legend_inside_and_notes_find_room() -> None:
    marks = (
        Line(X, X, "one model"),
        Line(X, X**2, "another model", series=1),
        Points(X[1:2], X[1:2], "best", hollow=True),
        Note(0.5, 0.5, "best 0.5 at 0.5"),
    )
    picture = drawn(Panel(Axis("x"), Axis("y"), marks, legend="inside"))
    check(picture)
    left, top, right, end = picture.frame
    for text in picture.texts:
        if text.text in ("one model", "another model", "best", "best 0.5 at 0.5"):
            assert all(left <= x <= right and top <= y <= end for x, y in text.corners)
