"""Rows that are alike, counted once: of one class, with the same score from either model.

Scores of few decimals make few combinations of ten million rows, and all that is asked of them afterwards
takes as long as there are combinations.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallymark.inference.paired_scores.ranked import Floats

_WORTH_COUNTING = 1 << 16
_SCALES = (1, 10, 100, 1_000, 10_000)
_TRIED = 1_000
_FARTHEST = 1e9
_BLOCK = 1 << 15
_ROOM = 4
"""As many combinations for every row there may be, seen or not."""


class Alike(NamedTuple):
    """Rows by their scores and class."""

    score_a: Floats
    score_b: Floats
    is_positive: NDArray[np.bool_]
    times: NDArray[np.int64]
    """How many rows there are of each."""


class _Steps(NamedTuple):
    """Scores as whole numbers of steps, the lowest at 0."""

    scale: int
    lowest: int
    number: int


def alike(score_a: NDArray[Any], score_b: NDArray[Any], is_positive: NDArray[np.bool_]) -> Alike | None:
    """The combinations; None where they are hardly fewer than the rows."""
    rows = len(is_positive)
    if rows < _WORTH_COUNTING:
        return None
    a, b = _steps(score_a), _steps(score_b)
    if a is None or b is None or 2 * a.number * b.number > _ROOM * rows:
        return None
    cells = np.empty(rows, np.int64)
    for start in range(0, rows, _BLOCK):
        block = slice(start, start + _BLOCK)
        of_a, of_b = _counted(score_a[block], a), _counted(score_b[block], b)
        if of_a is None or of_b is None:
            return None
        of_a *= b.number
        of_a += of_b
        # One class after the other: rows of a class are then picked out in no time.
        np.add(of_a, a.number * b.number * is_positive[block], out=cells[block], casting="unsafe")
    table = np.bincount(cells, minlength=2 * a.number * b.number)
    seen = np.flatnonzero(table)
    if 2 * len(seen) > rows:
        return None
    hit, pair = np.divmod(seen, a.number * b.number)
    of_a, of_b = np.divmod(pair, b.number)
    score_a, score_b = (of_a + a.lowest) / a.scale, (of_b + b.lowest) / b.scale
    return Alike(score_a, score_b, hit.astype(np.bool_), table[seen])


def _steps(score: NDArray[Any]) -> _Steps | None:
    """On what grid the first scores are; None if on none."""
    first = np.asarray(score[:_TRIED], np.float64)
    ends = float(score.min()), float(score.max())
    if max(map(abs, ends)) > _FARTHEST:
        return None
    for scale in _SCALES:
        if np.array_equal(np.rint(first * scale) / scale, first):
            lowest, highest = (round(end * scale) for end in ends)
            return _Steps(scale, lowest, highest - lowest + 1)
    return None


def _counted(score: NDArray[Any], steps: _Steps) -> Floats | None:
    """How many steps from the lowest each score is, if all are exactly that."""
    found: Floats = np.multiply(score, steps.scale, dtype=np.float64)
    np.rint(found, out=found)
    # The very division that gives the score back, so nothing is rounded.
    if not np.array_equal(found / steps.scale, score):
        return None
    found -= steps.lowest
    return found
