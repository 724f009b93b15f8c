"""The pens by the suffix of the file they write."""

from __future__ import annotations

from collections.abc import Callable

from .document import Document
from .latex import latex
from .markdown import markdown
from .text import text


def drawn(
    describe: Callable[[], Document], report: Callable[[], Document] | None = None
) -> dict[str, Callable[[], str]]:
    """What draws a document in each format; it is described only when one of them is asked for.

    A page has room for more: `report` describes what stands there, if it is not the same.
    """
    return {
        ".txt": lambda: text(describe()),
        ".md": lambda: markdown(describe()),
        ".tex": lambda: latex(describe()),
        ".html": lambda: _page((report or describe)()),
    }


def _page(document: Document) -> str:
    # The templates are read only by those who want a page.
    from .html import page

    return page(document)
