"""Rows ranked by a score, counted: no row is compared with another more often than one sort needs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark.intake.counting import count_keys
from tallymark.intake.encoded import distinct
from tallymark.intake.score_keys import BLOCK, Code, blocks, sorted_keys
from tallymark.intake.weights import WeightKind
from tallymark.tallies import GroupedScores, Label, Scores
from tallymark.tallies.confusion import frozen
from tallymark.tallies.merging import EXACT

_SCALES = (1, 10, 100, 1_000, 10_000)
_GRID = 1 << 14
"""Steps of the finest grid, and some: a table of them stays in the cache."""
_TRIED = 1_000


def count_scores(
    score: NDArray[Any],
    is_positive: NDArray[np.bool_],
    *,
    weight: NDArray[Any] | None = None,
    weight_kind: WeightKind = "sampling",
    positive: Label | None = None,
    dropped: Mapping[str, int] | None = None,
) -> Scores:
    """Rows of the positive class and of the rest at every distinct score.

    >>> count_scores(np.array([0.9, 0.4, 0.4]), np.array([True, True, False])).positives.tolist()
    [1, 1]
    """
    counted = _without_weights(score, is_positive) if weight is None and len(score) else None
    if counted is not None:
        return Scores(*map(frozen, counted), positive=positive, dropped=dropped)
    if weight is None:
        weight, weight_kind = np.ones(len(score), np.int64), "frequency"
    return _added_up(score, is_positive, weight, weight_kind, positive, dropped)


def _without_weights(score: NDArray[Any], is_positive: NDArray[np.bool_]) -> tuple[NDArray[Any], ...] | None:
    """Distinct scores, positives and negatives; None where scores fit no key."""
    on_grid = _on_grid(score, is_positive) if len(score) >= BLOCK else None
    if on_grid is not None:
        return on_grid
    code = Code.of(score)
    return None if code.kind is None else _counted(code, sorted_keys(code, score, is_positive))


def _on_grid(score: NDArray[Any], is_positive: NDArray[np.bool_]) -> tuple[NDArray[Any], ...] | None:
    """Scores of few decimals, such as votes and percentages, need no sort; None if one has more."""
    first = score[:_TRIED]
    scale = next((scale for scale in _SCALES if _multiples(first, scale) is not None), None)
    if scale is None:
        return None
    table = np.zeros(2 * _GRID, np.int64)
    for block in blocks(len(score)):
        cells = _multiples(score[block], scale)
        if cells is None:
            return None
        cells <<= 1
        cells |= is_positive[block]
        table += np.bincount(cells, minlength=len(table))
    negatives, positives = table[::2], table[1::2]
    seen = np.flatnonzero(positives + negatives)[::-1]
    return seen / scale, positives[seen], negatives[seen]


def _multiples(score: NDArray[Any], scale: int) -> NDArray[np.int64] | None:
    """How many steps of 1 / scale each score is, if all are exactly that; from 0 up, and not too many."""
    with np.errstate(over="ignore"):
        steps = np.multiply(score, scale, dtype=np.float64)
    np.rint(steps, out=steps)
    # The very division that gives the score back, so nothing is rounded.
    exact = steps.min() >= 0 and steps.max() < _GRID and np.array_equal(steps / scale, score)
    return steps.astype(np.int64) if exact else None


def _counted(code: Code, keys: NDArray[Any]) -> tuple[NDArray[Any], ...]:
    """Distinct scores, positives and negatives, from keys in order, which are overwritten."""
    new = np.empty(len(keys), np.bool_)
    new[:1] = True
    for block in blocks(len(keys), 1):
        # Keys that differ in the last bit only are one score, of rows of both classes.
        np.greater(keys[block] ^ keys[block.start - 1 : block.stop - 1], 1, out=new[block])
    size = int(np.count_nonzero(new))
    positives, negatives = np.empty(size, np.int64), np.empty(size, np.int64)
    # Scores are at most as many as keys, so each can take the place of keys that were read before it.
    in_place = keys.dtype == np.uint64 and size > len(keys) // 2
    score = keys.view(np.float64)[:size] if in_place else np.empty(size)
    done = 0
    for block in blocks(len(keys)):
        part, starts = keys[block], np.flatnonzero(new[block])
        hits = (part & 1).astype(np.int64)
        found = slice(done, done + len(starts))
        if len(starts) == len(part):  # every row has a score of its own
            positives[found] = hits
            np.subtract(1, hits, out=negatives[found])
            score[found] = code.scores(part)
        else:
            ends, so_far = np.append(starts, len(part)), np.zeros(len(part) + 1, np.int64)
            np.cumsum(hits, out=so_far[1:])
            positives[found] = np.diff(so_far[ends])
            negatives[found] = np.diff(ends) - positives[found]
            score[found] = code.scores(part[starts])
            if ends[0]:  # the rest of the last score of the block before
                positives[done - 1] += so_far[ends[0]]
                negatives[done - 1] += ends[0] - so_far[ends[0]]
        done = found.stop
    frozen(keys)
    return score, positives, negatives


def _added_up(
    score: NDArray[Any],
    is_positive: NDArray[np.bool_],
    weight: NDArray[Any],
    kind: WeightKind,
    positive: Label | None,
    dropped: Mapping[str, int] | None,
) -> Scores:
    """By the weights of the rows, put in order."""
    if not weight.all():
        seen = np.flatnonzero(weight)  # rows without weight are not counted
        score, is_positive, weight = score[seen], is_positive[seen], weight[seen]
    order, starts, distinct_scores = _ranked(score)
    hits, weight = is_positive[order], weight[order]
    del order, score
    positives, first = _sums(weight * hits, starts, kind)
    np.multiply(weight, ~hits, out=weight)  # in place: these arrays are as long as the data
    negatives, second = _sums(weight, starts, kind)
    squares = None
    if first is not None and second is not None:
        # Whole weights stay whole, as long as their squares add up exactly.
        exact = float(first.sum() + second.sum()) <= EXACT
        written = weight.dtype if exact else first.dtype
        squares = first.astype(written, copy=False), second.astype(written, copy=False)
    rows = None if kind == "frequency" else len(weight)
    return Scores(
        distinct_scores, positives, negatives, squares=squares, rows=rows, positive=positive, dropped=dropped
    )


def _sums(
    weight: NDArray[Any], starts: NDArray[np.int64], kind: WeightKind
) -> tuple[NDArray[Any], NDArray[np.float64] | None]:
    """Per score, the sums of weights and of their squares."""
    if not len(starts):
        return weight, None
    # reduceat adds in pairs, so that rounding hardly grows.
    total = frozen(np.add.reduceat(weight, starts))
    if kind == "frequency":
        return total, None
    # Squared as floats: the square of a whole weight may leave int64.
    squared = np.square(weight, dtype=float, out=weight if weight.dtype == float else None)
    return total, frozen(np.add.reduceat(squared, starts))


def _ranked(score: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """The order of the rows, best score first; where in it a score begins; the distinct scores."""
    score = np.add(score, 0.0, dtype=np.float64)  # -0.0 and 0.0 are one score
    order = np.argsort(score)[::-1]
    score = score[order]
    new = np.ones(len(score), np.bool_)
    np.not_equal(score[1:], score[:-1], out=new[1:])
    starts = np.flatnonzero(new)
    return order, starts, frozen(score[starts])


def count_groups(
    total: Scores,
    score: NDArray[Any],
    is_positive: NDArray[np.bool_],
    weight: NDArray[Any] | None,
    group: NDArray[np.int64],
    keys: tuple[Label, ...],
) -> GroupedScores:
    """The rows of a tally by the group they belong to; groups without any weight are left out."""
    if weight is not None and not weight.all():
        seen = np.flatnonzero(weight)
        score, is_positive, weight, group = score[seen], is_positive[seen], weight[seen], group[seen]
        there, group = distinct(group)
        keys = tuple(keys[position] for position in there)
    # Looking every score up among the distinct ones takes longer than ranking the rows once more.
    order, starts, _ = _ranked(score)
    place = np.repeat(np.arange(len(starts)), np.diff(starts, append=len(order)))
    group, is_positive = group[order], is_positive[order]
    weight = None if weight is None else weight[order]
    cells = len(starts) * len(keys)
    if cells <= len(order):
        code = place * len(keys) + group
        table = np.zeros((2, cells), np.int64 if weight is None else weight.dtype)
        for row, side in zip(table, (is_positive, ~is_positive), strict=True):
            counted = count_keys(code[side], None if weight is None else weight[side])
            row[counted.keys] = counted.counts
        code = np.flatnonzero(table.any(axis=0))
        return GroupedScores(total, keys, code % len(keys), code // len(keys), *table[:, code])
    amount = np.ones(len(order), np.int64) if weight is None else weight
    return GroupedScores(total, keys, group, place, amount * is_positive, amount * ~is_positive)
