"""A comparison as a picture, by the name of its kind."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tallymark.errors import OptionError

if TYPE_CHECKING:
    from tallymark.comparison.result import Comparison, Design
    from tallymark.drawing.figure import Figure

_ROWS: tuple[Design, ...] = ("same rows", "other rows")
_DESIGNS: dict[str, tuple[Design, ...]] = {
    "roc": _ROWS,
    "agreement": ("same rows",),
    "folds": ("same folds",),
    "posterior": ("same folds", "many data sets"),
    "critical-difference": ("many data sets",),
    "scores": ("many data sets",),
}
"""The designs that some kinds are of; all others are of every design."""
_OF_TWO = ("agreement", "folds", "posterior")


def figure(comparison: Comparison, kind: str | None) -> Figure:
    """The picture of that kind, or the most telling one."""
    known = comparison.detail.figures()
    chosen = next(iter(known)) if kind is None else kind
    if chosen not in known:
        raise OptionError(f"{_why_not(comparison, chosen)}.", hint=f"pictures of these: {', '.join(known)}.")
    return known[chosen]()


def _why_not(comparison: Comparison, kind: str) -> str:
    """Why there is no such picture."""
    designs, models = _DESIGNS.get(kind), len(comparison.models)
    if designs is None:
        return f"no picture is called {kind!r}"
    if comparison.design not in designs:
        return f"{kind} is for the design {' or '.join(map(repr, designs))}; this is {comparison.design!r}"
    if kind in _OF_TWO and models > 2:
        return f"{kind} is of two models; there are {models}"
    if kind == "critical-difference":
        return f"{kind} is of three models or more; there are {models}"
    if kind == "roc":
        return "roc takes the scores of every model, for one positive class with rows of both kinds"
    if kind == "agreement":
        return "agreement takes the answers of both models, row by row"
    return f"there is no {kind} of these models"
