"""A page: everything that is said stands in it, in order, and it asks for nothing."""

from __future__ import annotations

import re
import subprocess
import sys
from base64 import b64encode
from hashlib import sha256

import numpy as np
import pytest

from parsed_pages import Page
from tallymark.drawing import (
    Axis,
    Beside,
    Column,
    Document,
    Figure,
    Finding,
    Findings,
    Folded,
    Headline,
    Headlines,
    Line,
    Lines,
    Panel,
    Paragraph,
    Picture,
    Section,
    Table,
    drawn,
)
from tallymark.drawing.html import page
from tallymark.drawing.palette import PALETTE, shade

_ENDS = np.array([0.0, 1.0])
_FIGURE = Figure((Panel(Axis("share"), Axis("recall"), (Line(_ENDS, _ENDS, "gains"),)),), "", "By hand.")
_WIDE = Figure((Panel(Axis(), Axis(), (Line(_ENDS, _ENDS),), wide=2.0),))
_TABLE = Table(
    (Column("class", "left"), Column("recall"), Column("what", "left")),
    (("cat", "0.750", "found"), ("dog", "0.250", "found"), ("mean", "0.500", "of both")),
    title="By class",
    rule_before=(2,),
    shades=((None, 0.75, None), (None, 0.25, None), (None, None, None)),
)
_ALL = Document(
    "Cats and dogs",
    (
        Section(
            "",
            (
                Paragraph("Most are found.", lead=True),
                Findings((Finding("TM001", "one class is rare."),)),
                Beside(
                    (
                        (
                            Headlines(
                                (Headline("recall", "0.500", "[0.4, 0.6]", "of cats", (0.4, 0.5, 0.6)),)
                            ),
                        ),
                        (_TABLE,),
                    )
                ),
            ),
        ),
        Section(
            "Curves", (Picture("Gains", _FIGURE, "Half of them first.", (_TABLE,)), Picture("Wide", _WIDE))
        ),
        Section("Curves", (Folded("Method", (Lines(("recall = tp / p", "       = 1 / 2")),)),)),
    ),
)


@pytest.fixture(scope="module")
def parsed() -> Page:
    return Page(page(_ALL))


def test_everything_is_read_in_order(parsed: Page) -> None:
    expected = (
        "Cats and dogs", "Most are found.", "TM001", "one class is rare.", "recall", "0.500", "[0.4, 0.6]",
        "of cats", "By class", "cat", "0.750", "Gains", "Half of them first.", "By hand.", "Numbers", "0.250",
        "Method", "recall = tp / p\n       = 1 / 2", "Made with tallymark",
    )  # fmt: skip
    text, at = parsed.text(), 0
    for words in expected:
        at = text.index(words, at)


def test_it_acts_on_nothing_and_asks_for_nothing(parsed: Page) -> None:
    parsed.assert_inert()
    assert "http" not in page(_ALL).replace("http://www.w3.org/2000/svg", "").replace("http-equiv", "")


def test_the_policy_allows_its_own_style_and_script_and_no_other() -> None:
    written = page(_ALL)
    (policy,) = re.findall(r'Content-Security-Policy content="([^"]*)"', written)
    rules = dict(rule.split(" ", 1) for rule in policy.split("; "))
    for tag in ("style", "script"):
        (inside,) = re.findall(rf"<{tag}>(.*?)</{tag}>", written, re.DOTALL)
        digest = b64encode(sha256(inside.encode()).digest()).decode()
        assert rules.pop(f"{tag}-src") == f"'sha256-{digest}'"
    assert rules == {
        "default-src": "'none'",
        "img-src": "data:",
        "base-uri": "'none'",
        "form-action": "'none'",
    }


def test_headings_go_down_one_by_one(parsed: Page) -> None:
    levels = [int(tag[1]) for tag, _ in parsed.elements if re.fullmatch(r"h\d", tag)]
    assert levels == [1, 2, 3, 3, 2]


def test_without_a_heading_above_it_a_picture_has_the_level_of_one() -> None:
    alone = Page(page(Document("", (Section("", (Picture("Gains", _FIGURE),)),))))
    assert [tag for tag, _ in alone.elements if re.fullmatch(r"h\d", tag)] == ["h1", "h2"]
    assert "Report" in alone.text()


def test_sections_of_equal_title_have_their_own_address(parsed: Page) -> None:
    assert [link["href"] for link in parsed.all("a")] == ["#content", "#curves", "#curves-2"]
    assert [section.get("id") for section in parsed.all("section")] == [None, "curves", "curves-2"]


def test_a_picture_is_described_by_its_sentence_and_else_by_its_title(parsed: Page) -> None:
    drawn = [element for element in parsed.all("svg") if element.get("role") == "img"]
    # The sentence stands below the picture, and describes it from there.
    (caption,) = [element["id"] for element in parsed.all("p") if "id" in element]
    assert [element.get("aria-labelledby") for element in drawn] == [caption, None]
    assert [element.get("aria-label") for element in drawn] == [None, "Wide"]
    assert ("p", "Half of them first.") in parsed.texts


def test_a_table_has_heads_and_shades_and_rules(parsed: Page) -> None:
    cells = [tag for tag, _ in parsed.elements if tag in {"th", "td"}]
    assert cells == ["th"] * 3 + ["th", "td", "td"] * 3 + ["th"] * 3 + ["th", "td", "td"] * 3
    classes = [cell.get("class") for cell in parsed.all("td")]
    assert classes == ["h8", "left", "h2", "left", None, "left"] * 2
    assert [row.get("class") for row in parsed.all("tr")] == [None, None, None, "ruled"] * 2


def test_a_head_says_its_direction_where_an_empty_cell_would_leave_it_open() -> None:
    table = Table((Column("", "left"), Column("recall")), (("cat", "0.750"), ("dog", "0.250")))
    made = Page(page(Document("", (Section("", (table,)),))))
    assert [head.get("scope") for head in made.all("th")] == ["col", "row", "row"]


@pytest.mark.parametrize(("columns", "rows", "scrolled"), [(2, 3, False), (12, 3, True), (2, 61, True)])
def test_what_may_not_fit_can_be_scrolled_by_keyboard(columns: int, rows: int, scrolled: bool) -> None:
    table = Table((Column("name", "left"),) * columns, (("value",) * columns,) * rows)
    made = Page(page(Document("", (Section("Rows", (table, table)),))))
    regions = [element for _, element in made.elements if element.get("role") == "region"]
    assert [region["aria-label"] for region in regions] == (["Rows", "Rows (2)"] if scrolled else [])
    assert all(region["tabindex"] == "0" for region in regions)


def test_the_column_that_names_the_rows_may_be_the_last() -> None:
    rows = (("", "0.5", "cat"), ("", "0.7", "dog"), ("mean", "0.6", ""))
    table = Table((Column("", "left"), Column("recall"), Column("class", "left")), rows)
    made = Page(page(Document("", (Section("", (table,)),))))
    assert [(tag, text) for tag, text in made.texts if tag in {"td", "th"}] == [
        ("th", "recall"), ("th", "class\n"), ("td", "0.5"), ("th", "cat\n"), ("td", "0.7"), ("th", "dog\n"),
        ("th", "mean"), ("td", "0.6"),
    ]  # fmt: skip


def test_a_bar_shows_where_the_interval_lies() -> None:
    items = (
        Headline("a", "0.5", place=(0.4, 0.5, 0.7)),
        Headline("b", "1", place=(1.0, 1.0, 1.0)),
        Headline("c", "undefined"),
    )
    made = Page(page(Document("", (Section("", (Headlines(items),)),))))
    bars = [(bar.get("x"), bar["width"]) for bar in made.all("rect")]
    assert bars == [
        (None, "100"), ("40.0", "30.0"), ("49.5", "1"),
        (None, "100"), ("99.0", "1.0"), ("99.0", "1"),
    ]  # fmt: skip


def test_the_same_document_gives_the_same_bytes_and_a_report_takes_its_place() -> None:
    assert page(_ALL) == page(_ALL)
    other = Document("Other", ())
    assert drawn(lambda: _ALL)[".html"]() == page(_ALL)
    assert drawn(lambda: _ALL, lambda: other)[".html"]() == page(other)


def test_a_page_has_the_colours_of_its_pictures() -> None:
    (style,) = re.findall("<style>(.*?)</style>", page(Document("", ())))
    light = style.partition("@media")[0].upper()
    for number, colour in enumerate(PALETTE):
        assert f"--S{number}:{_short(colour)};" in light
    for level in range(11):
        assert re.search(rf"--H{level}:{_short(shade(level / 10))}[;}}]", light)


def _short(colour: str) -> str:
    """#FFF for #FFFFFF."""
    return re.sub(r"#(.)\1(.)\2(.)\3$", r"#\1\2\3", colour)


def test_a_rare_share_is_seen() -> None:
    table = Table((Column("a"),) * 3, (("0", "1", "99"),), shades=((0.0, 0.01, 0.99),))
    made = Page(page(Document("", (Section("", (table,)),))))
    assert [cell.get("class") for cell in made.all("td")] == ["h1", "h10"]


def test_without_a_title_it_has_that_of_its_first_section() -> None:
    made = Page(page(Document("", (Section("Runs", (Paragraph("None."),)), Section("More", ())))))
    assert [(tag, text) for tag, text in made.texts if tag in {"h1", "h2"}] == [
        ("h1", "Runs"),
        ("h2", "More"),
    ]


def test_what_is_said_of_a_picture_is_said_once() -> None:
    figure = Figure((Panel(Axis(), Axis(), ()),), note="All rows.")
    made = Page(page(Document("", (Section("", (Picture("a", figure, "All rows."),)),))))
    assert [text for tag, text in made.texts if tag == "p"] == ["All rows."]


def test_the_name_of_an_option_stays_in_one_line() -> None:
    made = page(Document("", (Section("", (Paragraph("Ask with --per-fold, or -- not."),)),)))
    assert "Ask with <span class=option>--per-fold</span>, or -- not." in made


def test_the_style_leaves_room_for_the_numbers() -> None:
    (style,) = re.findall("<style>(.*?)</style>", page(Document("", ())))
    assert len(style) <= 9_000


def test_drawing_does_not_load_the_templates() -> None:
    code = "import sys, tallymark.drawing; sys.exit('jinja2' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
