"""Elements of SVG, in few letters."""

from __future__ import annotations

import re
from html import escape
from typing import TypeAlias

Attributes: TypeAlias = dict[str, str | float]

_TAG = re.compile("<[^>]+>")
# What stands right before the end of an empty element would take its slash.
_NEEDLESS = re.compile(r'="([\w.#()-]+)"(?!/>)')


def element(tag: str, content: str = "", attributes: Attributes | None = None, /, **more: str | float) -> str:
    """An element around ready-made content; an underscore in a name stands for a hyphen.

    >>> element("path", d="M0 0h9", stroke_width=1.5, class_="l s0")
    '<path d="M0 0h9" stroke-width="1.5" class="l s0"/>'
    """
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{value if isinstance(value, str) else short(value)}"'
        for key, value in {**(attributes or {}), **more}.items()
    )
    return f"<{tag}{written}>{content}</{tag}>" if content else f"<{tag}{written}/>"


def group(parts: list[str], attributes: Attributes | None = None, /, **more: str | float) -> str:
    """Nothing for nothing."""
    return element("g", "".join(parts), attributes, **more) if parts else ""


def words(text: str, x: float, y: float, **more: str | float) -> str:
    """One line of text, everything in it literal."""
    # Blanks next to each other would become one, and two texts the same.
    if "  " in text:
        more = {**more, "xml:space": "preserve"}
    return element("text", escape(text, quote=False), x=x, y=y, **more) if text else ""


def unquoted(elements: str) -> str:
    """As HTML allows it: quotes only where an attribute needs them.

    >>> unquoted('<path class="l s0" stroke="#0072B2" d="M0 0h9"/>')
    '<path class="l s0" stroke=#0072B2 d="M0 0h9"/>'
    """
    return _TAG.sub(lambda tag: _NEEDLESS.sub(r"=\1", tag[0]), elements)


def short(number: float) -> str:
    """With one decimal at most.

    >>> short(12.0), short(0.53), short(-0.25), short(-0.01)
    ('12', '.5', '-.2', '0')
    """
    return tenths(round(number * 10))


def tenths(whole: int) -> str:
    """A number of tenths, in as few letters as say it."""
    sign = "-" if whole < 0 else ""
    before, after = divmod(abs(whole), 10)
    if not after:
        return f"{sign}{before}"
    return f"{sign}{before or ''}.{after}"
