"""A document with the figure it is about, as a page of its own."""

from __future__ import annotations

from dataclasses import replace

from .document import Document, Folded, Section
from .figure import Figure
from .pictured import pictured


def illustrated(document: Document, figure: Figure, opening: int = 0, said: str | None = None) -> Document:
    """The figure with the first sentence, then all the rest as it was; the first heading is the page's.

    So many blocks of `opening` stay before the figure, and its sentence is looked for behind them, unless
    `said` is what stands below it.

    >>> from tallymark.drawing import Paragraph
    >>> about = Document("", (Section("Lift", (Paragraph("Twice the share. Of all rows."),)),))
    >>> page = illustrated(about, Figure(()))
    >>> page.title, [type(block).__name__ for block in page.sections[0].blocks]
    ('Lift', ['Picture', 'Paragraph'])
    """
    first, *others = document.sections
    before, behind = first.blocks[:opening], first.blocks[opening:]
    picture = pictured(Document("", (Section("", behind), *others)), figure, said=said)
    sections = [Section("", (*before, replace(picture, blocks=())))]
    for block in picture.blocks:
        if isinstance(block, Folded):
            sections.append(Section(block.title, block.blocks))
        else:
            last = sections[-1]
            sections[-1] = Section(last.title, (*last.blocks, block))
    return Document(document.title or first.title, tuple(sections))
