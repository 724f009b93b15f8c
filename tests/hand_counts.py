"""Tallies counted row by row in plain Python, for tests that look at what is made of them."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

import tallymark as tm


def scores_of(
    counted: Sequence[tuple[float, Any]], weight: Sequence[float] | None = None, **more: Any
) -> tm.Scores:
    """A score and whether it is a positive row, of each row; with sampling weights, or with none."""
    amounts = [1] * len(counted) if weight is None else list(weight)
    sums: dict[tuple[int, bool], Counter[float]] = {}
    for (score, positive), amount in zip(counted, amounts, strict=True):
        for power in (1, 2):
            sums.setdefault((power, bool(positive)), Counter())[score + 0.0] += amount**power
    seen = sorted({score + 0.0 for (score, _), w in zip(counted, amounts, strict=True) if w}, reverse=True)
    kind = int if all(isinstance(each, int) for each in amounts) else float

    def side(power: int, positive: bool) -> np.ndarray:
        return np.array([sums.get((power, positive), Counter())[score] for score in seen], kind)

    if weight is not None:
        more |= {"squares": (side(2, True), side(2, False)), "rows": sum(w != 0 for w in amounts)}
    return tm.Scores(np.array(seen, float), side(1, True), side(1, False), **more)


def paired_of(
    labels: Sequence[Any],
    names: Sequence[str],
    *columns: Sequence[int],
    weight: Sequence[float] | None = None,
    **more: Any,
) -> tm.Paired:
    """Positions of the actual label and of every model's prediction among the labels, of each row."""
    rows = list(zip(*columns, strict=True))
    if weight is not None:
        more |= {"squares": np.array(weight) ** 2, "rows": int(np.count_nonzero(weight))}
    cells = np.array(rows, int).reshape(-1, len(names) + 1)
    return tm.Paired.from_cells(
        labels, names, cells, np.array([1] * len(rows) if weight is None else weight), **more
    )


def sets_of(
    actual: Sequence[Any], predicted: Sequence[Any], labels: Sequence[Any], **more: Any
) -> tm.LabelSets:
    """Actual and predicted label sets, with the rows that every two labels share."""
    inside = np.array([[[label in row for label in labels] for row in side] for side in (actual, predicted)])
    y, p = inside.astype(int)
    sizes = np.stack([y.sum(axis=1), p.sum(axis=1), (y & p).sum(axis=1)], axis=1)
    cells = np.concatenate([y & p, y & ~p & 1, ~y & p & 1], axis=1)
    joint, ones = cells.T @ cells, np.ones(len(actual), int)
    counts = cells.sum(axis=0).reshape(3, len(labels))
    return tm.LabelSets.from_kinds(labels, sizes, ones, counts, joint=joint, **more)
