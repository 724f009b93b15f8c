"""Text from data as it stands on a page: visible, short and without effect."""

from __future__ import annotations

import re

from markupsafe import Markup, escape

from tallymark.drawing.escape import distinct, terminal
from tallymark.drawing.escape import sentence as visible

CELL_ROOM = 120
"""Longer cells lose their middle."""
_TITLE_ROOM = 120
_WORD_ROOM = 200
_SENTENCES_ROOM = 5000
_LONG_WORD = re.compile(rf"\S{{{_WORD_ROOM + 1},}}")

_FROM_THE_RIGHT = r"[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]"
# Letters from the right and what stands between them, which must not turn round what stands beside them.
_TURNED = re.compile(rf"{_FROM_THE_RIGHT}(?:[^A-Za-z'\"]*{_FROM_THE_RIGHT})?")
_OPTION = re.compile(r"(?<![\w-])--[a-z]{1,20}(?:-[a-z]{1,20})?(?![\w-])")


def title(text: str) -> str:
    """A heading or a name of one line."""
    return distinct([terminal(text)], _TITLE_ROOM)[0]


def sentences(text: str) -> str:
    """A paragraph, with the middle left out of what nobody reads to its end.

    >>> len(sentences(f"The label {'x' * 100_000!r} is long."))
    219
    """
    return _shortened(visible(text))


def line(text: str) -> str:
    """A line whose indent means something."""
    words = text.strip(" ")
    return " " * text.index(words) + _shortened(terminal(words))


def isolated(text: str) -> Markup:
    """The text escaped, with runs of letters that are read from the right kept to themselves.

    The name of an option is kept in one line, which would end between its hyphens.

    >>> isolated("a < b")
    Markup('a &lt; b')
    """
    turned = _TURNED.sub(r"<bdi>\g<0></bdi>", str(escape(text)))
    return Markup(_OPTION.sub(r"<span class=option>\g<0></span>", turned))


def _shortened(shown: str) -> str:
    long = _LONG_WORD.findall(shown)
    if long:
        short = iter(distinct(long, _WORD_ROOM))
        shown = _LONG_WORD.sub(lambda _: next(short), shown)
    return distinct([shown], _SENTENCES_ROOM)[0]
