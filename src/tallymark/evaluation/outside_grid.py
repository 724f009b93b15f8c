"""Scores that a grid does not hold: how many rows share a bin for that."""

from __future__ import annotations

import math

from tallymark.drawing import count
from tallymark.errors import precise
from tallymark.tallies.binned import SEVERAL, Binned
from tallymark.tallies.grid import Grid
from tallymark.tallies.scores import Scores


def about_outside(scores: Scores | Binned | None, weights: str | None) -> list[str]:
    """What must be said of rows whose order is lost, whatever the bins, because their scores are outside."""
    if not isinstance(scores, Binned):
        return []
    grid, points = scores.grid, scores.points
    regular = Grid(grid.low, grid.high, grid.bins).edges
    below = grid.edges < regular[1]
    above = (grid.edges >= regular[-1]) & (points > grid.high)
    if not (points[below | above] == SEVERAL).any():
        return []
    held = scores.positives + scores.negatives
    sides = [
        f"{_rows(held[side].sum(), weights)} {where}"
        for side, where in ((below, "below it"), (above, "at its end or above"))
        if held[side].any()
    ]
    low, high = named_ends(scores)
    return [
        f"the grid from {precise(grid.low, scores.low)} to {precise(grid.high, scores.high)} does not "
        "hold all scores, which reach from "
        f"{precise(scores.low, grid.low)} to {precise(scores.high, grid.high)}: {' and '.join(sides)} "
        "share a bin on their side, so that bounds "
        f"are wide; --grid {low}:{high} (in Python grid=({low}, {high})) when rows are counted holds them."
    ]


def named_ends(scores: Binned) -> tuple[str, str]:
    """Ends of a grid that holds all scores, as they are typed."""
    return f"{math.floor(scores.low):.17g}", f"{math.ceil(scores.high):.17g}"


def _rows(number: float, weights: str | None) -> str:
    if weights == "sampling":
        return f"rows with a weight of {number:,.6g}"
    return "1 row" if number == 1 else f"{count(number)} rows"
