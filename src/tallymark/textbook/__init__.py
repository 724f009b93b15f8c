"""The lectures' worked examples: each computed live and held against what its document prints."""

from __future__ import annotations

from .cases import CASES, MISPRINTS, SOURCES
from .choosing import chosen
from .document import listing, worked_document, worked_page, worked_text
from .example import CHAPTERS, Check, Example, Worked
from .form import listing_form, worked_form
from .lectures import EXAMPLES
from .working import Done, done

__all__ = [
    "CASES",
    "CHAPTERS",
    "EXAMPLES",
    "MISPRINTS",
    "SOURCES",
    "Check",
    "Done",
    "Example",
    "Worked",
    "chosen",
    "done",
    "listing",
    "listing_form",
    "worked_document",
    "worked_form",
    "worked_page",
    "worked_text",
]
