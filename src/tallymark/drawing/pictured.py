"""A figure and the document about it, put together into a picture of a page."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .document import Block, Document, Folded, Paragraph, Picture, Section
from .figure import Figure

# A full stop between quotes belongs to a label.
_QUOTED_OR_END = re.compile(r"""(?<!\w)(?P<quote>['"])(?:\\.|(?!(?P=quote)).)*(?P=quote)|[.!?](?= [A-Z])""")


def pictured(
    document: Document, figure: Figure, title: str | None = None, said: str | None = None
) -> Picture:
    """The figure with the title of the first section, its first sentence, and all the rest as numbers.

    `title` and `said` replace these two; nothing that the document says is lost.

    >>> about = Document("", (Section("Lift", (Paragraph("Twice the share. Of all rows."),)),))
    >>> picture = pictured(about, Figure(()))
    >>> picture.title, picture.said, [block.text for block in picture.blocks]
    ('Lift', 'Twice the share.', ['Of all rows.'])
    """
    first, *others = document.sections
    blocks = list(first.blocks)
    if said is None:
        said = _without_first_sentence(blocks)
    return Picture(first.title if title is None else title, figure, said, (*blocks, *_folded(others)))


def _without_first_sentence(blocks: list[Block]) -> str:
    """The first sentence of the first paragraph, which is taken out of the blocks."""
    for place, block in enumerate(blocks):
        if isinstance(block, Paragraph):
            said, rest = _sentences(block.text)
            blocks[place : place + 1] = [Paragraph(rest)] if rest else []
            return said
    return ""


def _sentences(text: str) -> tuple[str, str]:
    """The first sentence and all others."""
    for found in _QUOTED_OR_END.finditer(text):
        if not found["quote"]:
            return text[: found.end()], text[found.end() + 1 :]
    return text, ""


def _folded(sections: list[Section]) -> Iterator[Block]:
    for section in sections:
        if section.title:
            yield Folded(section.title, section.blocks)
        else:
            yield from section.blocks
