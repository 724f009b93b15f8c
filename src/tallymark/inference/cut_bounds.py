"""Answers at a threshold within a bin of scores: which of its rows are called positive, nobody knows.

Every number about answers only rises or only falls with the positives called, and with the negatives called,
so it is least and largest where all or none of either in the bin are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from tallymark.curves.shared import within_bin
from tallymark.inference.estimate import Estimate, undefined
from tallymark.tallies import Binary, Confusion, Label, Scores

UNSURE = "the threshold is within a bin of the scores, where it may be undefined"
_PLAIN = 3
"""Corners besides the first where there is nothing next to them."""


def cut_corners(scores: Scores, threshold: float) -> tuple[Binary, ...] | None:
    """The counts that a threshold within a bin can have at the utmost; None where it is not within one.

    First those with the whole bin called positive. Counts of rows come with those next to the corners, one
    row further in, for where a number is undefined at a corner itself.
    """
    if not within_bin(scores, threshold):
        return None
    place = int(scores.called(threshold))
    sides = [_ends(side[place].item(), side[place + 1].item()) for side in (scores.tp, scores.fp)]
    return tuple(
        Binary(tp, scores.n_positive - tp, fp, scores.n_negative - fp, scores.positive)
        for tp in sides[0]
        for fp in sides[1]
    )


def _ends(low: Any, high: Any) -> list[Any]:
    """From all to none, with one less and one more where rows are counted."""
    inner = [high - 1, low + 1] if isinstance(low, int) else []
    return list(dict.fromkeys([high, low, *(each for each in inner if low < each < high)]))


def cut_confusions(
    scores: Scores, threshold: float, labels: tuple[Label, Label], positive: Label, **about: Any
) -> tuple[Confusion, ...]:
    """The same as tables, the first with the whole bin called positive; of a known cut the only one."""
    place = int(scores.called(threshold))
    corners = cut_corners(scores, threshold)
    if corners is None:
        tp, fp = scores.tp[place].item(), scores.fp[place].item()
        corners = (Binary(tp, scores.n_positive - tp, fp, scores.n_negative - fp),)
    return tuple(_table(scores, place, corner, labels, positive, about) for corner in corners)


def _table(
    scores: Scores,
    place: int,
    counts: Binary,
    labels: tuple[Label, Label],
    positive: Label,
    about: dict[str, Any],
) -> Confusion:
    squares = None
    if scores.squares is not None:
        # With weights either side of the bin is called as a whole or not at all.
        called = (
            side[: place + (part > total[place])].sum().item()
            for side, part, total in zip(
                scores.squares, (counts.tp, counts.fp), (scores.tp, scores.fp), strict=True
            )
        )
        whole = [side.sum().item() for side in scores.squares]
        tp, fp = called
        squares = _cells(tp, whole[0] - tp, fp, whole[1] - fp, first=labels[0] == positive)
    return Confusion.from_cells(
        labels,
        np.arange(4),
        _cells(counts.tp, counts.fn, counts.fp, counts.tn, first=labels[0] == positive),
        squares=squares,
        rows=scores.rows,
        **about,
    )


def _cells(tp: Any, fn: Any, fp: Any, tn: Any, *, first: bool) -> Any:
    return np.array([tp, fn, fp, tn] if first else [tn, fp, fn, tp])


def over_corners(
    made: Estimate, corners: Sequence[Estimate], within: tuple[float, float], dust: float = 0.0
) -> Estimate:
    """An estimate with the bounds of those at the corners, and an interval that holds all of theirs.

    The bounds are `dust` further apart, by what rounding can do, but `within` what the number can be at all.
    """
    defined = [each for each in corners if each.value is not None]
    if made.value is None:
        return made if not defined else undefined(UNSURE, made.level)
    remark = made.remark
    if len(defined) < len(corners):
        # One row further in all is defined that is defined anywhere in the bin; weights have no such row.
        if len(corners) <= _PLAIN:
            return undefined(UNSURE, made.level)
        remark = "; ".join(part for part in (remark, UNSURE) if part)
    every = [made, *defined]
    values = [float(each) for each in every]

    def ends(level: float) -> tuple[float, float] | str:
        pairs = []
        for each in every:
            found = "it has no interval" if each.ends_at is None else each.ends_at(level)
            if isinstance(found, str):
                return found
            pairs.append(found)
        return min(low for low, _ in pairs), max(high for _, high in pairs)

    dust *= max(1.0, *map(abs, values))
    bounds = max(within[0], min(values) - dust), min(within[1], max(values) + dust)
    return replace(made, bounds=bounds, remark=remark, ends_at=None if made.ends_at is None else ends)
