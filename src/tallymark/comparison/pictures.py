"""A comparison as a picture, by the name of its kind."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tallymark.errors import OptionError

if TYPE_CHECKING:
    from tallymark.comparison.result import Comparison
    from tallymark.drawing.figure import Figure


def figure(comparison: Comparison, kind: str | None) -> Figure:
    """The picture of that kind, or the most telling one."""
    known = comparison.detail.figures()
    chosen = next(iter(known)) if kind is None else kind
    if chosen not in known:
        raise OptionError(
            f"models compared on {comparison.design} have the pictures {', '.join(known)}; got {kind!r}."
        )
    return known[chosen]()
