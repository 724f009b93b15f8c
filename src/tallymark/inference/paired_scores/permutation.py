"""The permutation test of two models' scores: if they are alike, their scores of a row can be swapped.

In every row, or every group of rows, the two scores are swapped with probability 1/2, and the difference is
worked out again. Rankings have scales of their own, so there it is the rank of a row under either model that
is swapped (Venkatraman & Begg 1996, Biometrika 83:835); probabilities have the same scale and stay what they
are. The test asks whether the models are alike row by row, which is more than whether one number is the same.

Every draw takes all rows, so there is a limit to rows times draws.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark.errors import MetricError
from tallymark.inference.paired_ranking import PairedRanking
from tallymark.inference.paired_scores.ranked import Floats, RankedRows, Rows
from tallymark.inference.progress import steps
from tallymark.inference.swaps import Alternative, Swapped
from tallymark.metrics import Asked
from tallymark.tallies import Scores

DRAWS = 1_000
_FEWEST_DRAWS = 199
_WORK = 100_000_000
"""Rows times draws: half a minute for an area."""
_SAME = 1e-12
"""Differences this close are ties: the same swap may be added up in another order."""
TOO_MANY = (
    "{rows:,} rows are too many to swap {draws:,} times; with so many the interval and its test say the same"
)


def permuted(
    ranking: PairedRanking, questions: Sequence[Asked], *, draws: int = DRAWS, seed: int | None = None
) -> tuple[Swapped, ...]:
    """How often swapped scores give a difference as large as the one seen, for every question.

    With many rows fewer draws are made, and below 199 none: then `why` says so.
    """
    found: dict[str, Swapped] = {}
    asked = {each.name: each for each in questions}
    open_ones: dict[str, tuple[float, Callable[[NDArray[np.bool_]], float]]] = {}
    for name, each in asked.items():
        estimate = ranking.of(each)
        if estimate.value is None:
            found[name] = Swapped(None, {}, None, estimate.why)
        else:
            open_ones[name] = estimate.value, _swapping(ranking, each)
    rows = len(ranking.rows)
    possible = min(draws, _WORK // max(1, rows * max(1, len(open_ones))))
    if possible < min(draws, _FEWEST_DRAWS):
        why = TOO_MANY.format(rows=rows, draws=min(draws, _FEWEST_DRAWS))
        found |= {name: Swapped(None, {}, None, why) for name in open_ones}
        open_ones = {}
    if open_ones:
        found |= _drawn(ranking.rows, open_ones, possible, seed)
    return tuple(found[each.name] for each in questions)


def _drawn(
    rows: Rows,
    questions: dict[str, tuple[float, Callable[[NDArray[np.bool_]], float]]],
    draws: int,
    seed: int | None,
) -> dict[str, Swapped]:
    generator = np.random.default_rng(seed)
    made = {name: np.empty(draws) for name in questions}
    for at in steps(draws, "swapping scores"):
        swap = _coins(generator, rows)
        for name, (_, difference) in questions.items():
            made[name][at] = difference(swap)
    return {
        name: Swapped(value, _p_values(value, made[name]), draws) for name, (value, _) in questions.items()
    }


def _coins(generator: np.random.Generator, rows: Rows) -> NDArray[np.bool_]:
    """Which rows have their scores swapped; all of a group, or none."""
    if rows.group is None:
        return generator.integers(0, 2, len(rows), dtype=np.bool_)
    number, group = rows.group
    return np.asarray(generator.integers(0, 2, number, dtype=np.bool_)[group])


def _p_values(value: float, made: Floats) -> dict[Alternative, float]:
    """The difference seen is one of those there could be, so no p-value is 0."""
    close = _SAME * max(1.0, abs(value))
    # A swap after which the number is undefined counts as one as large as that seen.
    made = np.where(np.isnan(made), value, made)

    def share(as_large: NDArray[np.bool_]) -> float:
        return (int(np.count_nonzero(as_large)) + 1) / (len(made) + 1)

    return {
        "two-sided": share(np.abs(made) >= abs(value) - close),
        "greater": share(made >= value - close),
        "less": share(made <= value + close),
    }


def _swapping(ranking: PairedRanking, asked: Asked) -> Callable[[NDArray[np.bool_]], float]:
    """The difference after a swap."""
    if asked.metric.about == "losses":
        return _of_losses(ranking, asked)
    if asked.metric.about != "scores":
        raise MetricError(f"{asked.name!r} is no number of one score per row.")
    rows, (a, b) = ranking.rows, (_ranks(each) for each in (ranking.a, ranking.b))
    tallied = _tallied(rows)

    def difference(swap: NDArray[np.bool_]) -> float:
        first, second = np.where(swap, b, a), np.where(swap, a, b)
        one, two = (asked.metric(tallied(side), *asked.parameters) for side in (first, second))
        return float(one - two)

    return difference


def _of_losses(ranking: PairedRanking, asked: Asked) -> Callable[[NDArray[np.bool_]], float]:
    """Swapping the probabilities of a row changes the sign of its difference."""
    a, b = ranking.losses_of_rows(logarithmic=asked.metric.name == "log_loss")
    amounts = ranking.rows.times_weight(a - b)
    total = len(ranking.rows) if ranking.rows.weight is None else float(ranking.rows.weight.sum())

    def difference(swap: NDArray[np.bool_]) -> float:
        return (float(amounts.sum()) - 2 * float(amounts[swap].sum())) / total

    return difference


def _ranks(model: RankedRows) -> NDArray[np.int64]:
    """Twice the mean rank of every row less 2, which is whole: 0 is the best."""
    order = model.order
    starts = model.starts
    if starts is None:
        ranks = 2 * np.arange(len(order))
    else:
        times = np.diff(starts, append=len(order))
        ranks = np.repeat(2 * starts + times - 1, times)
    given = np.empty(len(order), np.int64)
    given[order] = ranks
    return given


def _tallied(rows: Rows) -> Callable[[NDArray[np.int64]], Scores]:
    """Counts by rank: no sort, for ranks are small whole numbers."""
    size, side = 2 * len(rows), (~rows.is_positive).astype(np.int64)

    def tally(ranks: NDArray[np.int64]) -> Scores:
        code = 2 * ranks + side
        counts: NDArray[Any] = np.bincount(code, rows.weight, 2 * size)
        if rows.weight is not None and rows.weight.dtype.kind in "iu":
            counts = np.rint(counts).astype(np.int64)
        positives, negatives = counts[::2], counts[1::2]
        there = np.flatnonzero((positives > 0) | (negatives > 0))
        return Scores(-there.astype(float), positives[there], negatives[there])

    return tally
