"""The Markdown pen: for pages, notes and pull requests, with GitHub's pipe tables.

Text from data looks like itself on the page and does nothing there: no tag, link, image, mention or
formula comes out of it. Only what would act is escaped, so that the source can be read as well.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from .document import Align, Document, Findings, Lines, Paragraph, Plain, Table
from .escape import cells, distinct, sentence, terminal
from .fitting import padded, strips_of
from .flat import flat, still

LABEL_ROOM = 60
"""Longer cells lose their middle."""

# Fewer rows below a rule are a total or an average; more are a group of their own.
_FEW_ROWS = 2
_LEAST_DASHES = 3

# GitHub looks for addresses, mentions, formulas and names of emoji after it has undone all escapes, which
# therefore do not help; only code is left alone.
_LIVE = r"://|www\.|[@$]|:[a-z+][\w+-]*:"
_OF_WORD = r"[^\s`|\\]"
_SIGNS = re.compile(
    rf"(?P<live>(?<!{_OF_WORD})(?={_OF_WORD}*?(?:{_LIVE})){_OF_WORD}+)"
    r"|(?P<tag><(?=[a-z/!?]))|(?P<entity>&(?=#?\w+;))|(?P<blank>(?<= ) )"
    r"|\\(?! )|[`*~|]|(?<!\S)#"
    r"|(?<!\w)_++|_++(?![^\W_])"  # but not within a word, as in f_beta
    r"|\[(?!-?[\d.,e+-]+, -?[\d.,e+-]+\](?![\[(:]))",  # but not an interval, as in [0.9, 1.0]
    re.IGNORECASE,
)
_ENTITIES = {"tag": "&lt;", "entity": "&amp;", "blank": "&nbsp;"}
# What makes a list, a quotation or a rule of the line that begins with it.
_LIST_OR_QUOTE = re.compile(r"(?=[-+](?:[\s-]|\Z)|>)|\d{1,9}(?=[.)](?:\s|\Z))")


def markdown(document: Document) -> str:
    """The document in GitHub's Markdown, each paragraph and each row of a table in one line."""
    parts = [_heading("#", document.title)]
    for section in still(document):
        parts.append(_heading("##", section.title))
        parts.extend(part for block in flat(section.blocks) for part in _block(block))
    return "\n\n".join(filter(None, parts))


def _heading(level: str, title: str) -> str:
    return f"{level} {_inert(terminal(title))}" if title else ""


def _block(block: Plain) -> Iterator[str]:
    match block:
        case Table():
            yield from _table(block)
        case Paragraph():
            yield _paragraph(block.text)
        case Lines():
            yield _fenced([_line(line) for line in block.lines])
        case Findings():
            yield "\n".join(
                f"- **{_inert(terminal(item.code))}** {_inert(sentence(item.message))}"
                for item in block.items
            )


def _paragraph(text: str) -> str:
    shown = sentence(text)
    if found := _LIST_OR_QUOTE.match(shown):
        at = found.end()
        return f"{shown[:at]}\\{shown[at : at + 1]}{_inert(shown[at + 1 :])}"
    return _inert(shown)


def _line(line: str) -> str:
    words = line.strip(" ")
    return " " * line.index(words) + terminal(words)


def _fenced(lines: Sequence[str]) -> str:
    longest = max((len(run) for line in lines for run in re.findall("`+", line)), default=0)
    fence = "`" * max(3, longest + 1)
    return "\n".join([f"{fence}text", *lines, fence])


def _inert(shown: str) -> str:
    """Text in which nothing is unseen any more, escaped so that it looks like itself on the page."""
    return _SIGNS.sub(_escaped, shown)


def _escaped(found: re.Match[str]) -> str:
    if found["live"]:
        return f"`{found[0]}`"
    kind = found.lastgroup
    return _ENTITIES[kind] if kind else "".join(f"\\{sign}" for sign in found[0])


# --- tables ------------------------------------------------------------------------------------


def _table(table: Table) -> Iterator[str]:
    """Markdown knows no rule between rows: a total below one is set in bold, a group begins a new table."""
    if not table.columns:
        return
    strips = strips_of(table)
    aligns = [strip.align for strip in strips]
    titles = _column([strip.title for strip in strips])
    rows = list(zip(*(_column(strip.body) for strip in strips), strict=True))
    if table.title:
        yield f"**{_inert(terminal(table.title))}**"
    for part in _parts(rows, table.rule_before):
        yield _drawn(aligns, titles, part)


def _column(shown: Sequence[str]) -> list[str]:
    return [_inert(cell) for cell in distinct(shown, LABEL_ROOM)]


def _parts(rows: list[tuple[str, ...]], rule_before: Sequence[int]) -> list[list[tuple[str, ...]]]:
    parts: list[list[tuple[str, ...]]] = []
    for start, end in pairwise((0, *rule_before, len(rows))):
        if parts and end - start <= _FEW_ROWS:
            parts[-1] += [(f"**{name}**" if name else "", *others) for name, *others in rows[start:end]]
        else:
            parts.append(rows[start:end])
    return parts


def _drawn(aligns: Sequence[Align], titles: Sequence[str], rows: Sequence[tuple[str, ...]]) -> str:
    widths = [max(_LEAST_DASHES, *map(cells, column)) for column in zip(titles, *rows, strict=True)]
    dashes = [
        "-" * (width - 1) + (":" if align == "right" else "-")
        for width, align in zip(widths, aligns, strict=True)
    ]
    return "\n".join(_row(row, widths, aligns) for row in (titles, dashes, *rows))


def _row(row: Sequence[str], widths: Sequence[int], aligns: Sequence[Align]) -> str:
    drawn = (padded(cell, width, align) for cell, width, align in zip(row, widths, aligns, strict=True))
    return f"| {' | '.join(drawn)} |"
