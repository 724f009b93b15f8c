"""What a result with a figure can do: be printed, and saved."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from tallymark.errors import TallymarkError

from .document import Document
from .figure import Figure
from .illustrated import illustrated
from .pens import drawn
from .saving import PICTURES, save
from .spreadsheet import csv
from .text import text


class _Saved(Protocol):
    def document(self) -> Document: ...

    def figure(self) -> Figure: ...

    def to_dict(self) -> dict[str, Any]: ...


class Saved:
    """Printed it is what it says in words; a file has its words, its numbers, its table or its picture."""

    def __str__(self: _Saved) -> str:
        return text(self.document())

    def save(self: _Saved, path: str | Path, *, overwrite: bool = False, title: str = "") -> None:
        """Write it whole or not at all; the suffix sets the format.

        As .html a page with the picture, and `title` as its heading; in words as .txt, .md or .tex; the JSON
        document as .json, the table as .csv, the picture alone as .png, .svg or .pdf.
        """
        writers: dict[str, Callable[[], str | bytes]] = {
            **drawn(self.document, partial(_page, self, title)),
            ".json": lambda: json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False),
            **{suffix: partial(_image, self, suffix) for suffix in PICTURES},
        }
        if hasattr(self, "table"):
            writers[".csv"] = partial(_csv, self.table)
        save(path, writers, overwrite=overwrite, title=title)


def _page(result: _Saved, title: str) -> Document:
    """What is said, with the picture; what is undefined may have none."""
    try:
        page = illustrated(result.document(), result.figure())
    except TallymarkError:
        page = result.document()
    return replace(page, title=title) if title else page


def _image(result: _Saved, suffix: str) -> bytes:
    # matplotlib is loaded only by those who want a picture.
    from .plots.pen import image

    return image(result.figure(), suffix)


def _csv(table: Callable[[str], Any]) -> str:
    found = table("polars")
    return csv(tuple(found.columns), found.iter_rows())
