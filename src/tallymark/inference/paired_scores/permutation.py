"""The permutation test of two models' scores: if they are alike, their scores of a row can be swapped.

In every row, or every group of rows, the two scores are swapped with probability 1/2, and the difference is
worked out again. Rankings have scales of their own, so there it is the rank of a row under either model that
is swapped (Venkatraman & Begg 1996, Biometrika 83:835); probabilities have the same scale and stay what they
are. The test asks whether the models are alike row by row, which is more than whether one number is the same.
A row of frequency 11 is eleven rows, of which a binomial number is swapped.

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
from tallymark.inference.swaps import Swapped
from tallymark.intervals.tails import Alternative
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


Difference = Callable[[NDArray[Any]], float]
"""The difference after so much of the weight of every row was swapped."""


def permuted(
    ranking: PairedRanking, questions: Sequence[Asked], *, draws: int = DRAWS, seed: int | None = None
) -> tuple[Swapped, ...]:
    """How often swapped scores give a difference as large as the one seen, for every question.

    With many rows fewer draws are made, and below 199 none: then `why` says so.
    """
    found: dict[str, Swapped] = {}
    asked = {each.name: each for each in questions}
    open_ones: dict[str, tuple[float, Difference]] = {}
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
    questions: dict[str, tuple[float, Difference]],
    draws: int,
    seed: int | None,
) -> dict[str, Swapped]:
    generator = np.random.default_rng(seed)
    made = {name: np.empty(draws) for name in questions}
    for at in steps(draws, "swapping scores"):
        swap = _swapped(generator, rows)
        for name, (_, difference) in questions.items():
            made[name][at] = difference(swap)
    return {
        name: Swapped(value, _p_values(value, made[name]), draws) for name, (value, _) in questions.items()
    }


def _swapped(generator: np.random.Generator, rows: Rows) -> NDArray[Any]:
    """How much of the weight of every row is swapped; of a group all of it, or nothing."""
    coins: NDArray[Any]
    if rows.group is None and rows.frequency and rows.weight is not None:
        coins = generator.binomial(np.rint(rows.weight).astype(np.int64), 0.5)
        return coins
    if rows.group is None:
        coins = generator.integers(0, 2, len(rows), dtype=np.int8)
    else:
        number, group = rows.group
        coins = generator.integers(0, 2, number, dtype=np.int8)[group]
    return rows.times_weight(coins)


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


def _swapping(ranking: PairedRanking, asked: Asked) -> Difference:
    """The difference after a swap."""
    if asked.metric.about == "losses":
        return _of_losses(ranking, asked)
    if asked.metric.about != "scores":
        raise MetricError(f"{asked.name!r} is no number of one score per row.")
    rows = ranking.rows
    weight: NDArray[Any] = np.ones(len(rows), np.int64) if rows.weight is None else rows.weight
    ranks = np.concatenate([_ranks(each) for each in (ranking.a, ranking.b)])
    known, place = np.unique(ranks, return_inverse=True)
    # Every row under the rank that either model gives it, the positives first.
    code = 2 * place.reshape(2, -1) + ~rows.is_positive
    size = 2 * len(known)

    def tallied(of_a: NDArray[Any], of_b: NDArray[Any]) -> Scores:
        counts = np.bincount(code[0], of_a, size) + np.bincount(code[1], of_b, size)
        if weight.dtype.kind in "iu":
            counts = np.rint(counts).astype(np.int64)
        positives, negatives = counts[::2], counts[1::2]
        there = np.flatnonzero((positives > 0) | (negatives > 0))
        return Scores(-there.astype(float), positives[there], negatives[there])

    def difference(swap: NDArray[Any]) -> float:
        left = weight - swap
        one, two = tallied(left, swap), tallied(swap, left)
        return float(asked.metric(one, *asked.parameters) - asked.metric(two, *asked.parameters))

    return difference


def _of_losses(ranking: PairedRanking, asked: Asked) -> Difference:
    """Swapping the probabilities of a row changes the sign of its difference."""
    a, b = ranking.losses_of_rows(logarithmic=asked.metric.name == "log_loss")
    rows, amounts = ranking.rows, a - b
    seen = float(rows.times_weight(amounts).sum())
    total = len(rows) if rows.weight is None else float(rows.weight.sum())

    def difference(swap: NDArray[Any]) -> float:
        return (seen - 2 * float(amounts @ swap)) / total

    return difference


def _ranks(model: RankedRows) -> NDArray[np.int64]:
    """Twice the mean rank of every row less 2, which is whole: 0 is the best."""
    order, starts, weight = model.order, model.starts, model.rows.weight
    if weight is not None and model.rows.frequency:
        times = np.rint(weight[order]).astype(np.int64)
    else:
        times = np.ones(len(order), np.int64)
    if starts is not None:
        lengths = np.diff(starts, append=len(order))
        times = np.add.reduceat(times, starts)
    ranks = 2 * np.cumsum(times) - times - 1
    given = np.empty(len(order), np.int64)
    given[order] = ranks if starts is None else np.repeat(ranks, lengths)
    return given
