"""A document and its figure become one picture, and nothing said is lost."""

from __future__ import annotations

import pytest

from tallymark.drawing import Document, Figure, Folded, Lines, Paragraph, Picture, Section, pictured

_FIGURE = Figure(())


def _said(text: str) -> tuple[str, list[object]]:
    picture = pictured(Document("", (Section("Lift", (Lines(("a",)), Paragraph(text))),)), _FIGURE)
    return picture.said, list(picture.blocks)


@pytest.mark.parametrize(
    ("text", "said", "rest"),
    [
        ("One. Two. Three.", "One.", "Two. Three."),
        ("Only one, of 0.5 and e. g. more.", "Only one, of 0.5 and e. g. more.", ""),
        ("The label 'Mr. Smith' is Wilson's. Two.", "The label 'Mr. Smith' is Wilson's.", "Two."),
        (r"The label 'it\'s. A' is one. Two.", r"The label 'it\'s. A' is one.", "Two."),
        ("", "", ""),
    ],
)
def test_the_first_sentence_is_said_and_the_others_follow(text: str, said: str, rest: str) -> None:
    assert _said(text) == (said, [Lines(("a",)), *([Paragraph(rest)] if rest else [])])


def test_further_sections_are_folded() -> None:
    lines = Lines(("a",))
    document = Document("", (Section("Lift", (lines,)), Section("Ties", (lines,)), Section("", (lines,))))
    picture = pictured(document, _FIGURE, title="Lift of cats", said="Twice.")
    assert isinstance(picture, Picture)
    assert (picture.title, picture.said) == ("Lift of cats", "Twice.")
    first, folded, last = picture.blocks
    assert (first, last) == (lines, lines)
    assert isinstance(folded, Folded)
    assert (folded.title, folded.blocks) == ("Ties", (lines,))
