"""What is left of a comparison that was pickled: all it says and draws, but not what that was made from."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tallymark.comparison.result import Detail
    from tallymark.drawing import Section
    from tallymark.drawing.figure import Figure


@dataclass(frozen=True)
class Kept:
    """Makes what is made already."""

    made: Any

    def __call__(self) -> Any:
        return self.made


@dataclass(frozen=True, eq=False)
class KeptDetail:
    """Sections, JSON keys and pictures as they were."""

    made_sections: Sequence[Section]
    made_form: Mapping[str, Any]
    made_figures: Mapping[str, Figure]

    @classmethod
    def of(cls, detail: Detail) -> KeptDetail:
        figures = {kind: draw() for kind, draw in detail.figures().items()}
        return cls(tuple(detail.sections()), dict(detail.form()), figures)

    def sections(self) -> Sequence[Section]:
        return self.made_sections

    def form(self) -> Mapping[str, Any]:
        return self.made_form

    def figures(self) -> Mapping[str, Callable[[], Figure]]:
        return {kind: Kept(figure) for kind, figure in self.made_figures.items()}
