"""The permutation test of two models on the same rows: if they are alike, their answers can be swapped.

In every row, or every group of rows, the two answers are swapped with probability 1/2, and the difference is
asked for again. Rows of one kind need not be told apart: of t rows that were answered {p, q} the number that
is p for model a is binomial, so the cost does not depend on the number of rows. When there are few ways to
swap, all of them are visited and the p-value is exact; for accuracy it is then that of McNemar's exact test.

Sums of weights do not tell the rows of a kind apart, so these are taken to weigh alike, and to be as many as
have the same variance. A swap after which the number is undefined counts as a difference as large as the one
seen: it never makes a difference look surer.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark.inference.differences import Question
from tallymark.inference.paired import PairedSample, value_of
from tallymark.inference.paired_draws import Both
from tallymark.intervals.tails import Alternative
from tallymark.tallies import Margins
from tallymark.tallies.grouped_paired import GroupedPaired

DRAWS = 10_000
_MOST_WAYS = 20_000
"""Up to this many ways to swap all are visited."""
_FEWEST_DRAWS = 999
_WORK = 100_000_000
_AT_ONCE = 2_000_000
_SAME = 1e-9
"""Differences this close are ties: the same swap may be added up in another order."""
_DUST = 1e-13
_STREAM = 1 << 35

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Swapped:
    """A difference and how often swapped answers give one as large."""

    value: float | None
    """a less b; None when it is undefined."""
    p_value: Mapping[Alternative, float]
    """By alternative; empty without a value."""
    draws: int | None
    """How many times answers were swapped at random; None when every way to swap was visited."""
    why: str | None = None

    @property
    def exact(self) -> bool:
        return self.value is not None and self.draws is None


def swapped(
    sample: PairedSample, questions: Sequence[Question], *, draws: int = DRAWS, seed: int | None = None
) -> tuple[Swapped, ...]:
    """The test of every question, an answer each, from the same swaps.

    With very many combinations fewer swaps are made than asked for; `Swapped.draws` tells.
    """
    observed = [sample.of(*question) for question in questions]
    swaps = _Swaps.of(sample)
    exact = swaps.few
    number = swaps.affordable(draws)
    tails = [_Tails(float(each)) if each.value is not None else None for each in observed]
    generator = np.random.default_rng([sample.seed if seed is None else seed, _STREAM])
    for chances, both in swaps.every_way() if exact else swaps.at_random(generator, number):
        for question, tail in zip(questions, tails, strict=True):
            if tail is not None:
                tail.add(chances, _difference(sample, question, both))
    return tuple(
        Swapped(None, {}, None, each.why)
        if tail is None
        else Swapped(each.value, tail.p_values(None if exact else number), None if exact else number)
        for each, tail in zip(observed, tails, strict=True)
    )


def _difference(sample: PairedSample, question: Question, both: Both) -> Floats:
    a, b = (value_of(*question, side, sample.undefined_as) for side in both)
    with np.errstate(invalid="ignore"):
        return np.asarray(a - b, float)


class _Tails:
    """How much probability lies at least as far out as what was seen."""

    def __init__(self, seen: float) -> None:
        self._seen = seen
        self._sums: dict[Alternative, float] = {"two-sided": 0.0, "greater": 0.0, "less": 0.0}

    def add(self, chances: Floats, values: Floats) -> None:
        lost = ~np.isfinite(values)
        # Costs may be of any size, so ties are judged by the differences that there are.
        slack = _SAME * float(np.abs(values[~lost]).max(initial=abs(self._seen)))
        far: dict[Alternative, NDArray[np.bool_]] = {
            "two-sided": np.abs(values) >= abs(self._seen) - slack,
            "greater": values >= self._seen - slack,
            "less": values <= self._seen + slack,
        }
        for alternative, beyond in far.items():
            self._sums[alternative] += float(chances @ (beyond | lost))

    def p_values(self, draws: int | None) -> dict[Alternative, float]:
        # What was seen is one of the swaps, so it is counted too (Phipson and Smyth 2010).
        if draws is None:
            return {name: total if total < 1 - _SAME else 1.0 for name, total in self._sums.items()}
        return {name: (total + 1) / (draws + 1) for name, total in self._sums.items()}


@dataclass(frozen=True, eq=False)
class _Swaps:
    """Units to swap, those alike taken together, and what each moves from model b's margins to model a's.

    Halfway between the two models nothing is decided; a unit then moves a to one side and b to the other.
    """

    size: int
    """Number of classes."""
    middle: Floats
    """Hits, predicted rows and cost halfway between the models, one after the other."""
    actual: Floats
    n: float
    times: NDArray[np.int64]
    """How many units of each kind there are."""
    weight: Floats
    """What one unit of each kind weighs."""
    kind: NDArray[np.int64]
    """Of each move, in the order of the features: whose it is, which feature it changes, and by how much."""
    feature: NDArray[np.int64]
    amount: Floats

    @classmethod
    def of(cls, sample: PairedSample) -> _Swaps:
        paired, size = sample.paired, len(sample.paired.labels)
        actual, a, b = paired.cells.T.astype(np.int64)
        entry, feature, amount = _moves(actual, a, b, size, sample.costs)
        counts = paired.counts.astype(float)
        middle = _margins_of(actual, a, size, counts, sample.costs)
        middle = (middle + _margins_of(actual, b, size, counts, sample.costs)) / 2
        if sample.groups is None:
            times, weight = _units(counts, paired.squares)
        else:
            entry, feature, amount = _by_group(sample.groups, entry, feature, amount)
            times, weight = np.ones(len(sample.groups), np.int64), np.ones(len(sample.groups))
        pooled = _pooled(entry, feature, amount, times, weight, weighted=paired.squares is not None)
        totals = np.bincount(actual, counts, size).astype(float)
        return cls(size, middle, totals, float(paired.n), *pooled)

    @property
    def few(self) -> bool:
        """Whether all outcomes can be visited."""
        return bool(np.log1p(self.times).sum() <= math.log1p(_MOST_WAYS))

    def affordable(self, draws: int) -> int:
        work = max(len(self.amount), len(self.times), 4 * self.size, 1)
        return min(draws, max(_FEWEST_DRAWS, _WORK // work))

    def every_way(self) -> Iterator[tuple[Floats, Both]]:
        """All outcomes, each with its probability."""
        from scipy.special import gammaln

        ways, chances = np.zeros((1, 0)), np.ones(1)
        for times in self.times.tolist():
            taken = np.arange(times + 1)
            logs = gammaln(times + 1) - gammaln(taken + 1) - gammaln(times - taken + 1) - times * np.log(2)
            ways = np.column_stack([np.repeat(ways, times + 1, axis=0), np.tile(taken, len(ways))])
            chances = np.repeat(chances, times + 1) * np.tile(np.exp(logs), len(chances))
        at_once = self._at_once
        for start in range(0, len(ways), at_once):
            block = slice(start, start + at_once)
            yield chances[block], self._both(ways[block])

    def at_random(self, generator: np.random.Generator, number: int) -> Iterator[tuple[Floats, Both]]:
        at_once = self._at_once
        for start in range(0, number, at_once):
            draws = min(at_once, number - start)
            shape = draws, len(self.times)
            # Where no two units are alike each is a coin, which costs far less than a binomial number.
            coins = bool((self.times == 1).all())
            taken = (
                generator.integers(0, 2, shape, np.int8)
                if coins
                else generator.binomial(self.times, 0.5, shape)
            )
            yield np.ones(draws), self._both(taken)

    @property
    def _at_once(self) -> int:
        return max(1, _AT_ONCE // max(len(self.amount), len(self.times), 5 * self.size, 1))

    def _both(self, taken: NDArray[Any]) -> Both:
        """Margins of both models when so many units of each kind stay as a's."""
        moved = (taken - self.times / 2) * self.weight
        change = np.zeros((len(taken), len(self.middle)))
        if len(self.amount):
            starts = np.flatnonzero(np.diff(self.feature, prepend=-1))
            sums = np.add.reduceat(moved[:, self.kind] * self.amount, starts, axis=1)
            change[:, self.feature[starts]] = sums
        return self._margins(self.middle + change), self._margins(self.middle - change)

    def _margins(self, features: Floats) -> Margins:
        size = self.size
        actual = np.broadcast_to(self.actual, (len(features), size))
        counts = features[:, : 2 * size]
        # What is moved to and fro leaves dust where nothing is left; a rate of dust is no rate.
        counts = np.where(np.abs(counts) < _DUST * self.n, 0.0, counts)
        hits, predicted = counts[:, :size], counts[:, size:]
        return Margins(hits, actual, predicted, self.n, cost=features[:, 2 * size])


def _moves(
    actual: NDArray[np.int64],
    a: NDArray[np.int64],
    b: NDArray[np.int64],
    size: int,
    costs: Floats | None,
) -> tuple[NDArray[np.int64], NDArray[np.int64], Floats]:
    """By how much a row of each combination moves the features of a away from those of b."""
    apart = np.flatnonzero(a != b)
    y, p, q = actual[apart], a[apart], b[apart]
    ones = np.ones(len(apart))
    parts = [
        (y, 1.0 * (p == y) - (q == y)),
        (size + p, ones),
        (size + q, -ones),
        (np.full(len(apart), 2 * size), ones * 0 if costs is None else costs[y, p] - costs[y, q]),
    ]
    entry = np.tile(apart, len(parts))
    feature, amount = (np.concatenate(column) for column in zip(*parts, strict=True))
    kept = amount != 0
    return entry[kept], feature[kept], amount[kept]


def _by_group(
    groups: GroupedPaired, entry: NDArray[np.int64], feature: NDArray[np.int64], amount: Floats
) -> tuple[NDArray[np.int64], NDArray[np.int64], Floats]:
    """The moves of every combination, for each group that has it: group, feature, amount."""
    order = np.argsort(entry, kind="stable")
    each = np.bincount(entry, minlength=len(groups.total.counts))
    starts, repeats = np.cumsum(each) - each, each[groups.entry]
    within = np.arange(repeats.sum()) - np.repeat(np.cumsum(repeats) - repeats, repeats)
    moves = order[np.repeat(starts[groups.entry], repeats) + within]
    amounts = amount[moves] * np.repeat(groups.counts, repeats)
    return np.repeat(groups.group, repeats), feature[moves], amounts


def _margins_of(
    actual: NDArray[np.int64], answer: NDArray[np.int64], size: int, counts: Floats, costs: Floats | None
) -> Floats:
    right = actual == answer
    cost = 0.0 if costs is None else float(counts @ costs[actual, answer])
    hits = np.bincount(actual[right], counts[right], size)
    return np.concatenate([hits, np.bincount(answer, counts, size), [cost]])


def _units(counts: Floats, squares: NDArray[Any] | None) -> tuple[NDArray[np.int64], Floats]:
    """As how many rows of equal weight each combination counts, and that weight.

    Rounded down: so they add up to what is there, what was seen is one of the ways to swap, and the variance
    is not too small.
    """
    if squares is None:
        return np.rint(counts).astype(np.int64), np.ones(len(counts))
    squared = np.where(squares > 0, squares, counts**2).astype(float)
    times = np.maximum(1, np.floor(counts**2 / squared * (1 + _SAME))).astype(np.int64)
    return times, counts / times


def _pooled(
    unit: NDArray[np.int64],
    feature: NDArray[np.int64],
    amount: Floats,
    times: NDArray[np.int64],
    weight: Floats,
    *,
    weighted: bool,
) -> tuple[NDArray[np.int64], Floats, NDArray[np.int64], NDArray[np.int64], Floats]:
    """Units that move the same features by as much, in either direction, as one kind."""
    width = int(feature.max()) + 1 if len(feature) else 1
    keys, inverse = np.unique(unit * width + feature, return_inverse=True)
    summed = np.bincount(inverse.reshape(-1), amount, len(keys)).astype(float)
    unit, feature = np.divmod(keys, width)
    # Costs may be of any size, so each feature is measured by itself.
    largest = np.full(width, np.finfo(float).tiny)
    np.maximum.at(largest, feature, np.abs(summed))
    there = np.abs(summed) > _DUST * largest[feature]
    unit, feature, summed = unit[there], feature[there], summed[there]
    moving = np.flatnonzero(np.bincount(unit, minlength=len(times)))
    chosen = kind_of = np.arange(len(moving))
    if not weighted:
        # A random projection stands for all that a unit moves: equal ones are equal, others are not.
        rays = np.random.default_rng(0).standard_normal((2, width))
        share = summed / largest[feature]
        first, second = (np.bincount(unit, share * ray[feature], len(times))[moving] for ray in rays)
        looks = np.stack([first, second], axis=1) * np.where(first < 0, -1.0, 1.0)[:, None]
        _, chosen, kind_of = np.unique(looks.round(12), axis=0, return_index=True, return_inverse=True)
    total = np.bincount(kind_of.reshape(-1), times[moving]).astype(np.int64)
    # The moves of one unit stand for all of its kind.
    kind = np.full(len(times), -1, np.int64)
    kind[moving[chosen]] = np.arange(len(chosen))
    kept = kind[unit] >= 0
    order = np.lexsort((kind[unit[kept]], feature[kept]))
    return (
        total,
        weight[moving[chosen]],
        kind[unit[kept]][order],
        feature[kept][order],
        summed[kept][order],
    )
