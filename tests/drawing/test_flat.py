"""What pens without pictures and boxes make of a page."""

from __future__ import annotations

import numpy as np

from tallymark.drawing import (
    Axis,
    Beside,
    Column,
    Document,
    Figure,
    Folded,
    Headline,
    Headlines,
    Line,
    Panel,
    Paragraph,
    Picture,
    Section,
    Table,
    latex,
    markdown,
    text,
)

CURVE = Figure((Panel(Axis("x"), Axis("y"), (Line(np.array([0.0, 1.0]), np.array([0.0, 1.0])),)),))
POINTS = Table((Column("x"), Column("y")), (("0", "0"), ("1", "1")), title="points")
PAGE = Document(
    "A page",
    (
        Section(
            "First",
            (
                Beside(
                    (
                        (Headlines((Headline("recall", "0.887", "[0.837, 0.923]", "188 of 212"),)),),
                        (Paragraph("right part"),),
                    )
                ),
                Picture("A curve", CURVE, "It rises.", (POINTS,)),
                Folded("How", (Paragraph("By hand."), Folded("Deeper", (Paragraph("Twice."),)))),
            ),
        ),
    ),
)


def test_text_has_everything_in_the_order_it_is_read() -> None:
    drawn = text(PAGE)
    parts = ["recall", "0.887", "[0.837, 0.923]", "188 of 212", "right part", "A curve. It rises.", "points"]
    places = [drawn.index(part) for part in [*parts, "How", "By hand.", "Deeper", "Twice."]]
    assert places == sorted(places)


def test_markdown_and_latex_leave_nothing_out() -> None:
    for drawn in (markdown(PAGE), latex(PAGE)):
        for part in ("0.887", "right part", "It rises.", "points", "By hand.", "Twice."):
            assert part in drawn


def test_shades_change_nothing_where_there_are_no_colours() -> None:
    plain = Table((Column("a"), Column("b")), (("1", "2"),))
    shaded = Table((Column("a"), Column("b")), (("1", "2"),), shades=((0.5, None),))
    one, two = (Document("", (Section("", (table,)),)) for table in (plain, shaded))
    assert text(one) == text(two)
