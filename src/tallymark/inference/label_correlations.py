"""How much the numbers of different labels go up and down together from sample to sample."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark.metrics import Metric
from tallymark.tallies import Binary, Keyed, LabelSets

_STEP = 1e-6
"""Of all rows; small enough for a slope, large enough for its digits."""
FEWEST = 5
"""Hits and errors that a label must have before its correlations are believed."""
_CELLS = ("tp", "fn", "fp")


def correlations(
    tally: LabelSets, groups: Keyed[LabelSets] | None, metric: Metric, parameters: tuple[float, ...]
) -> NDArray[np.float64] | None:
    """Labels x labels, by the delta method; None when pairs of labels were not counted.

    Of a label with few hits or few errors nothing is known that one could rely on, and its numbers are too
    skew to be added as deviations are; it is taken to go with all others, which is the widest. Without that,
    0.81 to 0.87 instead of 0.95 with recalls near 1 (benchmarks/simulations/test_coverage_label_sets.py).
    """
    spread = _of_groups(tally, groups) if groups is not None else _of_rows(tally)
    if spread is None:
        return None
    slopes = _slopes(tally, metric, parameters)
    size = len(tally.labels)
    covariance = np.einsum("ak,akbl,bl->kl", slopes, spread.reshape(3, size, 3, size), slopes)
    deviation = np.sqrt(np.maximum(np.diag(covariance), 0))
    both = np.outer(deviation, deviation)
    known = np.divide(covariance, both, out=np.ones((size, size)), where=both > 0)
    rare = np.minimum(*_hits_and_errors(tally)) < FEWEST
    known[rare] = known[:, rare] = 1.0
    return np.asarray(np.clip(np.nan_to_num(known, nan=1.0), -1, 1))


def _of_rows(tally: LabelSets) -> NDArray[np.float64] | None:
    """How tp, fn and fp of all labels vary and covary over rows."""
    if tally.joint is None:
        return None
    shares = tally.cells.ravel() / tally.n
    squares = tally.cells.ravel() if tally.cell_squares is None else tally.cell_squares.ravel()
    total = tally.n if tally.squares is None else tally.squares.sum()
    across = np.outer(squares, shares)
    return np.asarray(tally.joint - across - across.T + total * np.outer(shares, shares))


def _of_groups(tally: LabelSets, groups: Keyed[LabelSets]) -> NDArray[np.float64]:
    """The same over groups."""
    cells = np.stack([part.cells.ravel() for part in groups.values()]).astype(float)
    rows = np.array([part.n for part in groups.values()], float)
    cells -= np.outer(rows, tally.cells.ravel() / tally.n)
    return np.asarray(cells.T @ cells)


def _hits_and_errors(tally: LabelSets) -> tuple[NDArray[Any], NDArray[Any]]:
    """Of every label; with weights Kish's effective numbers of them."""
    hits, errors = tally.each.tp, tally.each.wrong
    if tally.cell_squares is None:
        return hits, errors
    squares = tally.cell_squares[0], tally.cell_squares[1] + tally.cell_squares[2]
    worth = [
        np.divide(1.0 * count * count, square, out=np.zeros(len(count)), where=square > 0)
        for count, square in zip((hits, errors), squares, strict=True)
    ]
    return worth[0], worth[1]


def _slopes(tally: LabelSets, metric: Metric, parameters: tuple[float, ...]) -> NDArray[np.float64]:
    """How much a label's number moves with each of its tp, fn and fp, when a tn gives way."""
    each = tally.each
    tp, fn, fp, tn = (np.asarray(cell, float) for cell in (each.tp, each.fn, each.fp, each.tn))
    plain = Binary(tp, fn, fp, tn)
    here, step = metric(plain, *parameters), _STEP * tally.n

    def moved(cell: str) -> Any:
        there = replace(plain, **{cell: getattr(plain, cell) + step, "tn": plain.tn - step})
        with np.errstate(invalid="ignore"):
            return (metric(there, *parameters) - here) / step

    return np.stack([moved(cell) for cell in _CELLS])
