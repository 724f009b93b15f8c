"""The delta method for tables with many classes, where drawing K x K cells would cost too much.

For f of the cell shares, var f = (sum p g^2 - (sum p g)^2) / n with g the slope of f in each cell.
A cell (i, j) moves the actual total of i, the predicted total of j and, on the diagonal, the hits:
so slopes per class are enough, and they are taken numerically for all classes at once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark.intervals import z_quantile
from tallymark.tallies import Binary, Confusion, Margins

_STEP = 1e-4


def around(value: float, error: float, span: tuple[float, float], level: float) -> tuple[float, float]:
    """value +- z * error, kept inside the metric's range."""
    half = z_quantile(level) * error
    return max(span[0], value - half), min(span[1], value + half)


def of_table(confusion: Confusion, function: Callable[[Margins], Any]) -> float:
    """Standard error of a number that reads the totals of the table (MCC, kappa)."""
    margins = confusion.margins
    base = _Totals(
        float(margins.n),
        float(margins.correct),
        float(margins.chance),
        float(margins.actual_squares),
        float(margins.predicted_squares),
    )
    n, actual, predicted = base.n, margins.actual, margins.predicted
    slopes = {name: _slope(function, base, name) for name in _TOTALS}
    # chance = sum a_k p_k moves by p_i + a_j with cell (i, j); sums of squares by 2 a_i and 2 p_j.
    by_actual = n * (slopes["chance"] * predicted + slopes["actual_squares"] * 2 * actual)
    by_predicted = n * (slopes["chance"] * actual + slopes["predicted_squares"] * 2 * predicted)
    return _error(confusion, np.full(len(actual), n * slopes["correct"]), by_actual, by_predicted)


_TOTALS = ("correct", "chance", "actual_squares", "predicted_squares")


class _Totals:
    """Stands in for `Margins` where only its totals are read."""

    hits = None

    def __init__(self, n: float, *totals: float) -> None:
        self.n = n
        self.correct, self.chance, self.actual_squares, self.predicted_squares = totals

    def moved(self, name: str, by: float) -> _Totals:
        totals = [getattr(self, total) + (by if total == name else 0.0) for total in _TOTALS]
        return _Totals(self.n, *totals)


def _slope(function: Callable[[Any], Any], base: _Totals, name: str) -> float:
    step = _STEP * max(getattr(base, name), 1.0)
    ahead, behind = function(base.moved(name, step)), function(base.moved(name, -step))
    return float((ahead - behind) / (2 * step))


def of_average(
    confusion: Confusion,
    function: Callable[[Binary], NDArray[np.float64]],
    weights: Callable[[Margins], NDArray[np.float64]],
) -> float:
    """Standard error of sum over classes of weight times metric."""
    margins = confusion.margins

    def terms(hits: NDArray[Any], actual: NDArray[Any], predicted: NDArray[Any]) -> NDArray[np.float64]:
        moved = Margins(hits, actual, predicted, margins.n)
        return np.nan_to_num(function(moved.each)) * weights(moved)

    totals = [margins.hits.astype(float), margins.actual.astype(float), margins.predicted.astype(float)]
    slopes = []
    for position in range(3):
        ends = []
        for sign in (1, -1):
            moved = list(totals)
            moved[position] = totals[position] + sign * _STEP
            with np.errstate(invalid="ignore"):
                ends.append(terms(*moved))
        slopes.append(margins.n * (ends[0] - ends[1]) / (2 * _STEP))
    return _error(confusion, *slopes)


def of_cost(confusion: Confusion, costs: NDArray[np.float64]) -> float:
    """Standard error of the mean cost."""
    return _spread(confusion, costs.ravel()[confusion.cells])


def of_classes(each: Binary, function: Callable[[Binary], NDArray[np.float64]]) -> NDArray[np.float64]:
    """Standard errors of one number for every class against the rest."""
    cells = [np.asarray(cell, float) for cell in (each.tp, each.fn, each.fp, each.tn)]
    n = cells[0] + cells[1] + cells[2] + cells[3]
    slopes = []
    for position in range(4):
        ends = []
        for sign in (1, -1):
            moved = list(cells)
            moved[position] = cells[position] + sign * _STEP
            # A step below an empty cell may leave the metric's domain: no slope, and so no interval.
            with np.errstate(invalid="ignore"):
                ends.append(function(Binary(moved[0], moved[1], moved[2], moved[3])))
        slopes.append(n * (ends[0] - ends[1]) / (2 * _STEP))
    mean = sum(cell * slope for cell, slope in zip(cells, slopes, strict=True)) / n
    square = sum(cell * slope**2 for cell, slope in zip(cells, slopes, strict=True)) / n
    errors: NDArray[np.float64] = np.sqrt(np.maximum(square - mean**2, 0) / n)
    return errors


def _error(confusion: Confusion, hits: NDArray[Any], actual: NDArray[Any], predicted: NDArray[Any]) -> float:
    rows, columns = np.divmod(confusion.cells, len(confusion.labels))
    return _spread(confusion, actual[rows] + predicted[columns] + hits[rows] * (rows == columns))


def _spread(confusion: Confusion, slopes: NDArray[Any]) -> float:
    shares = confusion.counts / confusion.n
    mean = float((shares * slopes).sum())
    return float(np.sqrt((shares * (slopes - mean) ** 2).sum() / confusion.n))
