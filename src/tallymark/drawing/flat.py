"""Blocks of a page as a pen draws them that has neither pictures nor boxes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from .document import (
    Beside,
    Block,
    Column,
    Document,
    Folded,
    Headlines,
    Live,
    Paragraph,
    Picture,
    Plain,
    Section,
    Table,
)


def flat(blocks: Iterable[Block]) -> Iterator[Plain]:
    """The same in the order it is read: of a picture its sentence and its numbers.

    >>> [block.text for block in flat([Folded("Method", (Paragraph("By hand."),))])]
    ['Method', 'By hand.']
    """
    for block in blocks:
        match block:
            case Headlines():
                rows = tuple((item.name, item.value, item.interval, item.said) for item in block.items)
                heads = Column("", "left"), Column("value"), Column("interval"), Column("", "left")
                yield Table(heads, rows)
            case Picture():
                yield Paragraph(f"{block.title}. {block.said}".rstrip())
                yield from flat(block.blocks)
            case Folded():
                yield Paragraph(block.title)
                yield from flat(block.blocks)
            case Beside():
                yield from (plain for part in block.parts for plain in flat(part))
            case Live():
                pass
            case _:
                yield block


def still(document: Document) -> tuple[Section, ...]:
    """The sections that have something to read without a script."""
    return tuple(section for section in document.sections if not section.live)
