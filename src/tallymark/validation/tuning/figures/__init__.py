"""A tuning as pictures."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from tallymark.drawing.figure import Figure
from tallymark.validation.tuning.figures.cells import cells
from tallymark.validation.tuning.figures.curve import curve
from tallymark.validation.tuning.figures.optimism import optimism
from tallymark.validation.tuning.figures.ranking import ranking
from tallymark.validation.tuning.figures.shape import numeric, varied

if TYPE_CHECKING:
    from tallymark.validation.tuning.result import Tuning


def figures(tuning: Tuning) -> Mapping[str, Callable[[], Figure]]:
    """By kind: what every candidate scored, and what the winners promised and kept."""
    return {"search": lambda: search(tuning), "optimism": lambda: optimism(tuning)}


def search(tuning: Tuning) -> Figure:
    """A curve over one parameter that is a number, cells of two parameters, else candidates by rank."""
    parameters = varied(tuning)
    if len(parameters) == 1 and numeric(tuning, parameters[0]):
        return curve(tuning, parameters[0])
    return (cells(tuning, *parameters) if len(parameters) == 2 else None) or ranking(tuning)
