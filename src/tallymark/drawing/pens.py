"""The pens by the suffix of the file they write."""

from __future__ import annotations

from collections.abc import Callable

from .document import Document
from .latex import latex
from .markdown import markdown
from .text import text


def drawn(describe: Callable[[], Document]) -> dict[str, Callable[[], str]]:
    """What draws a document in each format; it is described only when one of them is asked for."""
    return {
        ".txt": lambda: text(describe()),
        ".md": lambda: markdown(describe()),
        ".tex": lambda: latex(describe()),
    }
