"""What writes a comparison in each format."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from tallymark.comparison.outputs.frame import to_csv
from tallymark.drawing import drawn, image

if TYPE_CHECKING:
    from collections.abc import Callable

    from tallymark.comparison.result import Comparison

PICTURES = (".png", ".svg", ".pdf")


def writers(
    comparison: Comparison, kind: str | None = None, title: str = ""
) -> dict[str, Callable[[], str | bytes]]:
    """By suffix; `kind` is the picture to draw, `title` the heading of the page."""
    pictures = {suffix: lambda suffix=suffix: image(comparison.figure(kind), suffix) for suffix in PICTURES}
    return {
        **drawn(comparison.document, partial(comparison.report, title=title)),
        ".json": comparison.to_json,
        ".csv": lambda: to_csv(comparison),
        **pictures,
    }
