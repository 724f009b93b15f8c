"""A part that answers to its reader: on a page, hidden until its script shows it, and nowhere else."""

from __future__ import annotations

import json
import re
import zlib
from base64 import b64decode, b64encode
from hashlib import sha256

import numpy as np
import pytest

from parsed_pages import Page
from tallymark.drawing import (
    Axis,
    Document,
    Figure,
    Line,
    Live,
    Panel,
    Paragraph,
    Picture,
    Section,
    latex,
    markdown,
    text,
)
from tallymark.drawing.html import fragment, page

_DATA = {"name": "</script><b>\u2028é", "counts": [3, 1, 2], "share": 0.25, "none": None}
_LIVE = Live("<div id=live><output></output></div>", "let shown = 1;", "#live { top: 0; }", _DATA)
_SAID = Section("Said", (Paragraph("It is."),))
_DOCUMENT = Document("Title", (_SAID, Section("To try", (_LIVE,)), Section("More", (Paragraph("So."),))))
_ENDS = np.array([0.0, 1.0])


def drawn_with(x: Axis, key: str, panels: int = 1) -> str:
    panel = Panel(x, Axis("recall", high=2), (Line(_ENDS, _ENDS),))
    return page(Document("", (Section("A", (Picture("Curve", Figure((panel,) * panels), key=key),)),)))


def test_it_is_hidden_with_its_address() -> None:
    drawn = page(_DOCUMENT)
    parsed = Page(drawn)
    parsed.assert_inert()
    assert [each for each in parsed.all("section") if "hidden" in each] == [{"id": "to-try", "hidden": None}]
    assert [each for each in parsed.all("li") if "hidden" in each] == [{"hidden": None}]
    assert _LIVE.markup in drawn


def test_its_data_can_be_read_and_cannot_act() -> None:
    (packed,) = re.findall(
        r'<script type="text/plain" id=live-data>([A-Za-z0-9+/=]+)</script>', page(_DOCUMENT)
    )
    assert json.loads(zlib.decompress(b64decode(packed), -15)) == _DATA


@pytest.mark.parametrize(("tag", "own"), [("script", "let shown = 1;"), ("style", "#live{top:0}")])
def test_the_policy_of_the_page_knows_its_script_and_its_style(tag: str, own: str) -> None:
    drawn = page(_DOCUMENT)
    (whole,) = re.findall(rf"<{tag}>(.*?)</{tag}>", drawn, re.DOTALL)
    assert own in whole
    assert b64encode(sha256(whole.encode()).digest()).decode() in drawn
    assert own not in page(Document("Title", (_SAID,)))


def test_links_are_not_counted_while_they_are_hidden() -> None:
    assert "<nav" not in page(Document("Title", (_SAID, Section("To try", (_LIVE,)))))


@pytest.mark.parametrize("pen", [text, markdown, latex, fragment])
def test_other_pens_leave_it_out(pen: object) -> None:
    assert callable(pen)
    without = Document("Title", (_DOCUMENT.sections[0], _DOCUMENT.sections[2]))
    assert pen(_DOCUMENT) == pen(without)
    beside = Document("Title", (Section("Said", (Paragraph("It is."), _LIVE)),))
    if pen is not fragment:
        assert pen(beside) == pen(Document("Title", (_SAID,)))


def test_a_picture_with_a_key_says_where_its_numbers_are() -> None:
    (axes,) = re.findall(r'data-live="?roc"? data-axes="([^"]+)"', drawn_with(Axis("share"), "roc"))
    x0, x1, left, right, y0, y1, bottom, top = map(float, axes.split())
    assert (x0, x1, y0, y1) == (0, 1, 0, 2)
    assert 0 < left < right < 400
    assert 0 < top < bottom


def test_pictures_without_a_key_or_without_numbers_say_nothing() -> None:
    assert "data-live" not in drawn_with(Axis("share"), "")
    assert "data-live" not in drawn_with(Axis("share", low=0.1, log=True), "roc")
    assert "data-live" not in drawn_with(Axis("share", names=((0.0, "a"), (1.0, "b"))), "roc")
    assert "data-live" not in drawn_with(Axis("share"), "roc", panels=2)
