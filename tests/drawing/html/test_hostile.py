"""Whatever a label is, a page shows it and stays small."""

from __future__ import annotations

import numpy as np
import pytest

from parsed_pages import Page
from tallymark.drawing import (
    Axis,
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
)
from tallymark.drawing.html import fragment, page

_ENDS = np.array([0.0, 1.0])
_LABELS = [
    "</script><img src=x onerror=alert(1)>",
    '"><svg onload=alert(1)>',
    "' onmouseover='alert(1)",
    "</style><script>alert(1)</script>",
    "<!-- ",
    "=1+1",
    "{{ 7 * 7 }}{% raw %}",
    "javascript:alert(1)",
    "&lt;b&gt;",
    "]]>",
]


def _everywhere(label: str) -> Document:
    panel = Panel(Axis(label), Axis(), (Line(_ENDS, _ENDS, label),), title=label)
    table = Table((Column(label, "left"), Column(label)), ((label, label),) * 2, title=label)
    blocks = (
        Paragraph(f"The label {label!r} is rare.", lead=True),
        Findings((Finding("TM001", f"the label {label!r} is rare."),)),
        Headlines((Headline(label, label, label, label),)),
        Lines((label, f"  {label}")),
        Picture(label, Figure((panel, panel), label, label), label, (table,)),
        Folded(label, (table,)),
    )
    return Document(label, (Section(label, blocks), Section(label, ())))


@pytest.mark.parametrize("drawn", [page, fragment])
@pytest.mark.parametrize("label", _LABELS)
def test_it_does_nothing_and_looks_like_itself(label: str, drawn: object) -> None:
    made = Page(drawn(_everywhere(label)))  # type: ignore[operator]
    made.assert_inert()
    assert len(made.all("script")) == (drawn is page)
    assert label in made.text()
    assert f"The label {label!r} is rare." in made.text()


def test_nothing_unseen_stays_unseen() -> None:
    text = Page(page(_everywhere("a\x00b\u202ec\u200bd\x1b[31m\ue000"))).text()
    assert not set(text) & set("\x00\u202e\u200b\x1b")
    assert r"a\x00b\u202ec\u200bd\x1b[31m" in text


@pytest.mark.parametrize("letter", ["ש", "x ", "&"])
def test_a_label_of_100_000_letters_leaves_the_page_small(letter: str) -> None:
    short, long = (len(page(_everywhere(letter * times))) for times in (1, 100_000))
    assert long - short < 60_000


def test_long_labels_that_differ_still_do() -> None:
    rows = tuple((f"{'x' * 500}{number}{'y' * 500}", "1") for number in range(3))
    made = Page(page(Document("", (Section("", (Table((Column("class"), Column("n")), rows),)),))))
    names = [text for tag, text in made.texts if tag == "span"]
    assert len(set(names)) == 3
    assert max(map(len, names)) <= 120


def test_letters_from_the_right_turn_nothing_round() -> None:
    made = page(Document("", (Section("", (Paragraph("Of 'שלום, עולם' 12 and 'mixed שלום' 3."),)),)))
    assert "Of &#39;<bdi>שלום, עולם</bdi>&#39; 12 and &#39;mixed <bdi>שלום</bdi>&#39; 3." in made


def test_backslashes_are_doubled_once() -> None:
    made = Page(page(Document("", (Section("", (Table((Column("a"),), ((r"a\n",), ("a\n",))),)),))))
    assert [text.rstrip("\n") for tag, text in made.texts if tag == "th"] == ["a", r"a\\n", r"a\n"]
