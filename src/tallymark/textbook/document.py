"""Examples as a document, for every pen."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from tallymark.drawing import Beside, Block, Column, Document, Folded, Lines, Paragraph, Section, Table, text

from .cases import SHORT, SOURCES
from .example import CHAPTERS, OPENINGS, Check, Origin
from .lectures import EXAMPLES
from .working import Done, summary

_SHELL, _PYTHON = "In a shell:", "In Python:"
_WIDEST = 44
_NARROW = 4
_TITLES: dict[Origin, tuple[str, str]] = {
    "printed": ("The document and tallymark", "the document"),
    "formula": ("Worked out step by step, and by tallymark", "by hand"),
    "misprint": ("Printed by mistake", "as printed"),
}


def listing() -> Document:
    """What there is, chapter by chapter."""
    sections = [Section("", (Paragraph(_ABOUT),))]
    for chapter, title in CHAPTERS.items():
        rows = tuple(
            (each.name, each.title, ", ".join(_numbers(each.sources)))
            for each in EXAMPLES.values()
            if each.chapter == chapter
        )
        heads = Column("name", "left"), Column("", "left"), Column("document", "left")
        sections.append(Section(f"{chapter}. {title}", (Table(heads, rows),)))
    documents = tuple((name[:3], said) for name, said in SOURCES.items())
    sections.append(Section("Documents", (Table((Column("", "left"), Column("", "left")), documents),)))
    return Document("The textbook", tuple(sections))


_ABOUT = (
    "Worked examples of five lecture documents on the evaluation of classifiers, in their order. "
    "`tallymark textbook NAME` works one out and holds it against what is printed; several names, a "
    "chapter's number, misprints or all do so too. With -o textbook.html it is a page with pictures."
)


def worked_document(all_done: Sequence[Done]) -> Document:
    """Examples worked out; several get a sentence about all, and a heading for each chapter."""
    several = len(all_done) > 1
    chapters = {each.example.chapter for each in all_done}
    sections = []
    if several:
        sections.append(Section("", (Paragraph(summary(all_done), lead=True),)))
    for chapter in sorted(chapters):
        if len(chapters) > 1:
            sections.append(Section(f"{chapter}. {CHAPTERS[chapter]}", (Paragraph(OPENINGS[chapter]),)))
        sections += [_section(each) for each in all_done if each.example.chapter == chapter]
    return Document("The textbook, worked out" if several else "", tuple(sections))


def worked_page(all_done: Sequence[Done]) -> Document:
    """The same as a page: where there are several chapters, examples open when they are asked for."""
    chapters = sorted({each.example.chapter for each in all_done})
    if len(chapters) == 1:
        return worked_document(all_done)
    sections = [Section("", (Paragraph(summary(all_done), lead=True), Paragraph(_OPENING)))]
    for chapter in chapters:
        inside = [_section(each) for each in all_done if each.example.chapter == chapter]
        folded = (Folded(section.title, section.blocks) for section in inside)
        sections.append(Section(f"{chapter}. {CHAPTERS[chapter]}", (Paragraph(OPENINGS[chapter]), *folded)))
    return Document("The textbook, worked out", tuple(sections))


_OPENING = "Each example opens when it is clicked, and has the lines to type to get the same."


def worked_text(all_done: Sequence[Done]) -> str:
    """The same as plain text. Lines to type go past the text pen: they must stay as they are to be copied."""
    document = worked_document(all_done)
    parts = [text(Document(document.title, ()))] if document.title else []
    for section in document.sections:
        last = next((n for n, block in enumerate(section.blocks) if _typed(block)), len(section.blocks))
        parts.append(text(Document("", (Section(section.title, section.blocks[:last]),))))
        parts += ["\n".join(block.lines) for block in section.blocks[last:] if isinstance(block, Lines)]
    return "\n\n".join(parts)


def _typed(block: Block) -> bool:
    return isinstance(block, Lines) and block.lines[0] in (_SHELL, _PYTHON)


def _section(each: Done) -> Section:
    title = f"{each.example.name}: {each.example.title}"
    source = f"From {_and([f'{SHORT[name]} ({name[:3]})' for name in sorted(each.example.sources)])}."
    if each.worked is None:
        return Section(title, (Paragraph(source), Paragraph(f"Not run: {each.why}")))
    worked = each.worked
    compared = tuple(_compared(worked.checks))
    blocks = [Paragraph(worked.problem), *_beside(worked.given), *_beside(compared), *_beside(worked.worked)]
    blocks += [Paragraph(worked.remark)] if worked.remark else []
    blocks.append(Paragraph(source))
    if worked.shell:
        blocks.append(Lines((_SHELL, *(f"  {line}" for line in worked.shell))))
    if worked.python:
        blocks.append(Lines((_PYTHON, *(f"  {line}" for line in worked.python))))
    return Section(title, tuple(blocks))


def _beside(blocks: Sequence[Block]) -> Iterator[Block]:
    """Narrow tables that follow each other stand side by side where there is room."""
    for tables, group in groupby(blocks, _narrow):
        parts = tuple((block,) for block in group)
        yield from (Beside(parts),) if tables and len(parts) > 1 else (block for (block,) in parts)


def _narrow(block: Block) -> bool:
    return isinstance(block, Table) and len(block.columns) <= _NARROW


def _compared(checks: Sequence[Check]) -> Iterator[Block]:
    """A table for each origin of the figures."""
    for origin, (title, head) in _TITLES.items():
        chosen = [check for check in checks if check.origin == origin]
        if chosen:
            last = "agrees" if origin != "misprint" else "differs"
            heads = Column("", "left"), Column(head), Column("tallymark"), Column(last, "left")
            yield Table(heads, tuple(_row(check) for check in chosen), title)


def _row(check: Check) -> tuple[str, ...]:
    return check.what, _short(check.expected), _short(check.found), "yes" if check.passed else "NO"


def _short(figures: str) -> str:
    """A row of figures too long for a cell is counted."""
    return figures if len(figures) <= _WIDEST else f"{len(figures.split())} figures"


def _numbers(sources: Sequence[str]) -> list[str]:
    return [name[:3] for name in sorted(sources)]


def _and(names: Sequence[str]) -> str:
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last
