"""Blocks of a document made ready for the templates: texts escaped, names unique, figures drawn."""

from __future__ import annotations

import json
import re
import zlib
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping
from itertools import count, groupby
from typing import Any

from markupsafe import Markup

from tallymark.drawing.document import (
    Beside,
    Block,
    Document,
    Findings,
    Folded,
    Headline,
    Headlines,
    Lines,
    Live,
    Paragraph,
    Picture,
    Section,
    Table,
)
from tallymark.drawing.figure import Panel
from tallymark.drawing.svg import svg

from .tables import sheet
from .words import isolated, line, sentences, title

_NOT_OF_SLUG = re.compile(r"[^a-z0-9]+")
_SLUG_ROOM = 40
# A panel wider than a column has a row of its own, and a very wide one is scrolled on a phone.
_COLUMN, _WIDE = 1.0, 1.25
# So many pictures fill rows of two, in which they are larger than in rows of three.
_ROOMY = (1, 2, 4)
# An interval too narrow to be seen is drawn so wide, of 100.
_LEAST_REACH = 1.0
_MARK = 1.0
# Longer values, such as a word, are set smaller.
_NUMBER_ROOM = 7

View = dict[str, Any]


class Views:
    """The views of one document: what is named in it is named once."""

    def __init__(self, prefix: str, level: int) -> None:
        self._prefix = prefix
        self._level = level
        """Of the heading of a section."""
        self._taken: set[str] = set()
        self._figures = count(1)
        self.searched = False
        """Whether there is a table for `table.js`."""

    def of(self, document: Document) -> View:
        """The whole document."""
        sections = [self._section(section, document.title) for section in document.sections]
        return {"title": isolated(title(document.title)), "level": self._level - 1, "sections": sections}

    def _section(self, section: Section, within: str) -> View:
        level = self._level + bool(section.title)
        return {
            "title": isolated(title(section.title)),
            "id": self._slug(section.title) if section.title else "",
            "level": self._level,
            "hidden": section.live,
            "blocks": list(self._blocks(section.blocks, level, section.title or within)),
        }

    def _blocks(self, blocks: Iterable[Block], level: int, within: str) -> Iterator[View]:
        """The views of blocks, pictures that follow each other together; `within` names what has no name."""
        for pictures, run in groupby(blocks, lambda block: isinstance(block, Picture)):
            views = [self._block(block, level, within) for block in run]
            if pictures:
                yield {"kind": "pictures", "pictures": views, "roomy": len(views) in _ROOMY}
            else:
                yield from views

    def _block(self, block: Block, level: int, within: str) -> View:
        match block:
            case Table():
                return self._table(block, within)
            case Paragraph():
                return {"kind": "paragraph", "text": isolated(sentences(block.text)), "lead": block.lead}
            case Lines():
                return {"kind": "lines", "lines": [isolated(line(text)) for text in block.lines]}
            case Findings():
                items = [(title(item.code), isolated(sentences(item.message))) for item in block.items]
                return {"kind": "findings", "items": items}
            case Headlines():
                return {"kind": "headlines", "items": [_headline(item) for item in block.items]}
            case Picture():
                return self._picture(block, level)
            case Folded():
                inner = list(self._blocks(block.blocks, level, block.title))
                return {"kind": "folded", "title": isolated(title(block.title)), "blocks": inner}
            case Beside():
                parts = [list(self._blocks(part, level, within)) for part in block.parts]
                return {"kind": "beside", "parts": parts}
            case Live():
                return {"kind": "live", "markup": Markup(block.markup), "data": packed(block.data)}

    def _table(self, table: Table, within: str) -> View:
        drawn = sheet(table)
        self.searched |= table.searched
        name = self._unique(title(table.title or within or "Table")) if drawn.scrolls else ""
        return {"kind": "table", "caption": isolated(title(table.title)), "sheet": drawn, "name": name}

    def _picture(self, picture: Picture, level: int) -> View:
        figure = picture.figure
        said = sentences(picture.said)
        several = len(figure.panels) > 1
        key = "" if several else picture.key
        described = said or title(picture.title)
        name = f"{self._prefix}_{next(self._figures)}" if said else ""
        panels = [self._panel(panel, described, several, key, name) for panel in figure.panels]
        return {
            "title": isolated(title(picture.title)),
            "level": level,
            "subtitle": "" if figure.title == picture.title else isolated(title(figure.title)),
            "said": isolated(said),
            "name": name,
            "note": "" if figure.note == picture.said else isolated(sentences(figure.note)),
            "panels": panels,
            "wide": several or any(panel.wide > _COLUMN for panel in figure.panels),
            "blocks": list(self._blocks(picture.blocks, level, picture.title)),
        }

    def _panel(self, panel: Panel, said: str, several: bool, key: str, caption: str) -> View:
        """Its caption describes it, together with its title where it is one of several."""
        titled = several and panel.title
        described = f"{title(panel.title)}: {said}" if titled else said
        name = f"{self._prefix}_{next(self._figures)}"
        wide = panel.wide > _WIDE
        by = "" if titled else caption
        drawn = Markup(svg(panel, described, name, key, described_by=by, alone=False))
        return {
            "svg": drawn,
            "wide": wide,
            "large": _COLUMN < panel.wide <= _WIDE,
            "name": self._unique(title(panel.title) or "Picture") if wide else "",
        }

    def _slug(self, text: str) -> str:
        """An address within the page; figures have names that no address can have."""
        slug = _NOT_OF_SLUG.sub("-", text[:_SLUG_ROOM].casefold()).strip("-")
        return self._prefix + self._unique(slug or "section", "-{}")

    def _unique(self, name: str, numbered: str = " ({})") -> str:
        names = (name + (numbered.format(number) if number > 1 else "") for number in count(1))
        fresh = next(name for name in names if name not in self._taken)
        self._taken.add(fresh)
        return fresh


def packed(data: Mapping[str, Any]) -> str:
    """Data in as few letters as can be, none of which means anything to a page.

    >>> from base64 import b64decode
    >>> json.loads(zlib.decompress(b64decode(packed({"name": "</script>"})), -15))
    {'name': '</script>'}
    """
    written = json.dumps(data, separators=(",", ":"), allow_nan=False).encode()
    # Most of it are digits in no order, which are not worth looking for what came before.
    pack = zlib.compressobj(9, wbits=-15, memLevel=9, strategy=zlib.Z_FILTERED)
    return b64encode(pack.compress(written) + pack.flush()).decode()


def _headline(item: Headline) -> View:
    view: View = {name: isolated(title(getattr(item, name))) for name in ("name", "value", "interval")}
    bar = item.place and _bar(*item.place)
    return view | {"said": isolated(sentences(item.said)), "bar": bar, "long": len(item.value) > _NUMBER_ROOM}


def _bar(low: float, value: float, high: float) -> View:
    """Where the number lies between the worst and the best, of 100."""
    reach = max(100 * (high - low), _LEAST_REACH)
    return {
        "low": f"{min(100 * low, 100 - reach):.1f}",
        "reach": f"{reach:.1f}",
        "at": f"{(100 - _MARK) * value:.1f}",
    }
