"""Total and mean cost worked out cell by cell."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tallymark.explanation.facts import IDENTITY, cost_formula
from tallymark.explanation.steps import (
    Step,
    Steps,
    equation,
    goes_on,
    names_of,
    prose,
    shown,
    worked_out,
)
from tallymark.inference import Estimate, Sample
from tallymark.metrics import METRICS, formulas

_MOST_CELLS = 8
_FIRST_CELLS = 3
# The accuracy as a fraction: rounded to four decimals it would not give the cost again.
_IDENTITY_WORKED = "n * (q - (q - p) * (correct / n))"


@dataclass(frozen=True)
class _Cell:
    actual: str
    predicted: str
    count: float
    cost: float

    @property
    def numbers(self) -> dict[str, float]:
        return {"count": self.count, "cost": self.cost}


def cost_steps(name: str, sample: Sample, estimate: Estimate) -> Steps:
    """Count times cost over the cells; where right and wrong have one price each, also from the accuracy."""
    mean = METRICS["mean_cost"].formula
    left = "cost" if name == "mean_cost" else name
    if sample.costs is None:
        return [cost_formula(left), *([equation(name, mean)] if name == "mean_cost" else [])]
    cost, n = sample.margins.cost, sample.margins.n
    cells = _cells(sample, sample.costs)
    steps = [*_in_words(cells), *_from_accuracy(sample, sample.costs), cost_formula(left), _terms(cells)]
    steps.append(goes_on(shown(cost), formulas.latex(shown(cost))))
    if name == "mean_cost":
        steps += worked_out(name, mean, {"cost": cost, "n": n}, estimate.value)
    return list(steps)


def _cells(sample: Sample, costs: NDArray[np.float64]) -> list[_Cell]:
    """Every cell of a 2 x 2; of a larger table those that add something."""
    names, seen = names_of(sample.confusion.labels), sample.seen
    size = len(names)
    positions, counts = seen.cells, seen.counts
    if size * size <= _MOST_CELLS:
        positions, counts = np.arange(size * size), seen.matrix.ravel()
    else:
        adds = costs.ravel()[positions] != 0
        positions, counts = positions[adds], counts[adds]
    return [
        _Cell(names[position // size], names[position % size], count, float(costs.flat[position]))
        for position, count in zip(positions.tolist(), counts.tolist(), strict=True)
    ]


def _few(cells: list[_Cell]) -> list[_Cell | None]:
    """All of a few cells; of many the first ones, a gap and the last."""
    if len(cells) <= _MOST_CELLS:
        return [*cells]
    return [*cells[:_FIRST_CELLS], None, cells[-1]]


def _in_words(cells: list[_Cell]) -> Steps:
    return [
        prose("...")
        if cell is None
        else prose(
            f"actual {cell.actual}, called {cell.predicted}: "
            f"count {shown(cell.count)}, cost {shown(cell.cost)}"
        )
        for cell in _few(cells)
    ]


def _terms(cells: list[_Cell]) -> Step:
    product = "count * cost"
    few = _few(cells)
    texts = ["..." if cell is None else formulas.worked(product, cell.numbers) for cell in few]
    typeset = [r"\cdots" if cell is None else formulas.latex(product, cell.numbers) for cell in few]
    return goes_on(" + ".join(texts) or "0", " + ".join(typeset) or "0")


def _from_accuracy(sample: Sample, costs: NDArray[np.float64]) -> Steps:
    diagonal = np.eye(len(costs), dtype=bool)
    right, wrong = np.unique(costs[diagonal]), np.unique(costs[~diagonal])
    if len(right) != 1 or len(wrong) != 1:
        return []
    margins = sample.margins
    numbers = {"n": margins.n, "correct": margins.correct, "p": right[0], "q": wrong[0]}
    price = f"every right answer costs p = {shown(right[0])}, every wrong one q = {shown(wrong[0])}"
    _, *worked = worked_out("cost", _IDENTITY_WORKED, numbers, margins.cost)
    return [prose(price), equation("cost", IDENTITY), *(worked if margins.n else [])]
