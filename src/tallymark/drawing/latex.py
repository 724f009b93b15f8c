r"""The LaTeX pen: a fragment to \input into a paper.

Text from data is only ever set, never obeyed: whatever TeX would act on is written as the command for its
sign. Letters of all scripts stay as they are, in UTF-8. Tables too wide for a page are folded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from .document import Document, Findings, Lines, Paragraph, Plain, Table
from .escape import sentence, terminal
from .fitting import GUTTER, Fitted, fitted, natural_width
from .flat import flat, still

NEEDS = r"% Input this into a document that has \usepackage{booktabs} in its preamble."

# About what a line holds on a page with ordinary margins; smaller letters go before cutting and folding.
_SIZES = {"small": 84, "footnotesize": 96, "scriptsize": 112}

_COMMANDS = str.maketrans(
    {sign: rf"\{sign}" for sign in "_&%$#{}"}
    | {
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
        "`": r"\textasciigrave{}",
        '"': r"\symbol{34}",  # babel makes commands of it in some languages, and OT1 has no name for it
    }
)
# Set as a dash, or as a quotation mark.
_LIGATURES = re.compile("-(?=-)|,(?=,)")
# Before a number, alone or in brackets; set as a hyphen it would be half as long.
_MINUS = re.compile(r"(?<![^ \[])-(?=\d)")


def escaped(text: str) -> str:
    """Visible text as LaTeX sets it, apostrophes excepted, which become closing quotes."""
    return _LIGATURES.sub(r"\g<0>{}", text.translate(_COMMANDS))


def latex(document: Document) -> str:
    """The document as a LaTeX fragment; its first line says which package it needs."""
    levels = ("section", "subsection") if document.title else ("section", "section")
    parts = [NEEDS, _heading(levels[0], document.title)]
    for section in still(document):
        parts.append(_heading(levels[1], section.title))
        parts.extend(part for block in flat(section.blocks) for part in _block(block))
    return "\n\n".join(filter(None, parts))


def _heading(level: str, title: str) -> str:
    return rf"\{level}*{{{_set(terminal(title))}}}" if title else ""


def _block(block: Plain) -> Iterator[str]:
    match block:
        case Table():
            size = next((size for size, width in _SIZES.items() if natural_width(block) <= width), "small")
            yield from (_tabular(block, part, size) for part in fitted(block, _SIZES[size], (GUTTER,)))
        case Paragraph():
            yield _set(sentence(block.text))
        case Lines():
            yield _environment("flushleft", r"\ttfamily", " \\\\\n".join(map(_line, block.lines)))
        case Findings() if block.items:
            items = (rf"\item[{{{_set(terminal(i.code))}}}] {_set(sentence(i.message))}" for i in block.items)
            yield _environment("description", *items)


def _environment(name: str, *lines: str, columns: str = "") -> str:
    return "\n".join([rf"\begin{{{name}}}{columns}", *lines, rf"\end{{{name}}}"])


def _set(shown: str) -> str:
    """Visible text as it is set, straight quotes and runs of blanks included."""
    blanks_kept = re.sub("(?<= ) ", "~", escaped(shown))
    return blanks_kept.replace("'", r"\textquotesingle{}")


def _line(line: str) -> str:
    words = line.strip(" ")
    indent = "~" * line.index(words)
    # The empty box is for an indent and an empty line, which TeX would drop.
    return (r"\mbox{}" if indent or not words else "") + indent + _first(_set(terminal(words)))


def _first(cell: str) -> str:
    """What stands first in a line: there a bracket or a star would be read as an argument of the break."""
    return f"{{{cell[0]}}}{cell[1:]}" if cell.startswith(("[", "*")) else cell


# --- tables ------------------------------------------------------------------------------------


def _tabular(table: Table, part: Fitted, size: str) -> str:
    title = " ".join(filter(None, (terminal(table.title), part.note)))
    above = [rf"{_set(title)}\par\smallskip"] if title else []
    columns = "".join(strip.align[0] for strip in part.strips)
    tabular = _environment("tabular", *_rows(part, table.rule_before), columns=f"{{{columns}}}")
    return _environment("center", rf"\{size}", r"\setlength{\tabcolsep}{4pt}", *above, tabular)


def _rows(part: Fitted, rule_before: tuple[int, ...]) -> Iterator[str]:
    yield r"\toprule"
    if part.has_titles:
        yield _row(list(map(_set, part.titles)))
        yield r"\midrule"
    for index, row in enumerate(part.rows):
        if index in rule_before:
            yield r"\midrule"
        yield _row(
            [
                _MINUS.sub("$-$", cell) if strip.align == "right" else cell
                for cell, strip in zip(map(_set, row), part.strips, strict=True)
            ]
        )
    yield r"\bottomrule"


def _row(cells: list[str]) -> str:
    first, *others = cells
    return " & ".join([_first(first), *others]) + r" \\"
