"""The live part as a section of a page."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from tallymark.drawing import Live, Section
from tallymark.evaluation.live.data import live_data

if TYPE_CHECKING:
    from tallymark.evaluation.result import Evaluation

_TITLE = "Try a threshold"
_WITHOUT_SCORES = "Try costs"


def live_section(models: Mapping[str, Evaluation]) -> tuple[Section, ...]:
    """One section, or none where there is nothing to try."""
    data = live_data(models)
    if data is None:
        return ()
    scored = any(curve["scores"] for model in data["models"] for curve in model["curves"])
    block = Live(_part("live.html"), _part("live.js"), _part("live.css"), data)
    return (Section(_TITLE if scored else _WITHOUT_SCORES, (block,)),)


@cache
def _part(name: str) -> str:
    """A file of this room."""
    return files(__package__).joinpath(name).read_text("utf-8")
