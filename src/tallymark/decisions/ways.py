"""Ways of answering by a score: what each costs, and what one saves against another."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallymark.curves.costs.prices import Costs, paid
from tallymark.curves.shared import row_at
from tallymark.inference import Estimate, Ranking
from tallymark.inference.ranking import factors, scaled, scaled_groups
from tallymark.inference.savings import GroupEntries, saving
from tallymark.tallies import Binary, GroupedScores, Scores

NOT_BY_GROUP = "which groups the answers given are of is not known, so it has no interval"
ONE_SCORE = "both go by one score, so less can happen to a row than between any two models"
_DUST = 1e-12


@dataclass(frozen=True)
class Way:
    """Called positive from `upper` on, negative below `lower`, and declined between them."""

    lower: float
    upper: float

    @classmethod
    def cut(cls, threshold: float) -> Way:
        """No row is declined."""
        return cls(threshold, threshold)

    def places(self, scores: Scores) -> tuple[int, int]:
        """Where among the scores, best first, the called positive end and the called negative begin."""
        upper = row_at(scores, self.upper)
        return upper, upper if self.lower == self.upper else row_at(scores, self.lower)


ALL_POSITIVE, ALL_NEGATIVE = Way.cut(-math.inf), Way.cut(math.inf)


@dataclass(frozen=True, eq=False)
class AsIs:
    """How rows are answered now: by a threshold of the same score, or in some other way.

    `called` are the rows called positive, by their score; `groups` the same by group, where rows belong
    together.
    """

    threshold: float | None = None
    called: Scores | None = None
    groups: GroupedScores | None = None
    words: str = ""
    """What the answers are, where no threshold makes them."""
    tuned_for: str | None = None
    """What the threshold was tuned for on the very rows reported on, if it was."""


class Answered(NamedTuple):
    """How many rows of either class were called what, and how many were declined."""

    counts: Binary
    declined: tuple[Any, Any]
    """Positive and negative rows."""

    def cost(self, costs: Costs, reject_cost: float | None = None) -> float:
        """What all of them cost together."""
        return float(paid(self.counts, costs)) + (reject_cost or 0.0) * float(sum(self.declined))


def answered(scores: Scores, way: Way) -> Answered:
    """The counts when rows are answered that way."""
    upper, lower = way.places(scores)

    def parts(side: NDArray[Any]) -> tuple[Any, Any, Any]:
        called, declined, rest = (
            side[a:b].sum().item() for a, b in ((None, upper), (upper, lower), (lower, None))
        )
        return called, declined, rest

    (tp, first, fn), (fp, second, tn) = parts(scores.positives), parts(scores.negatives)
    return Answered(Binary(tp, fn, fp, tn, scores.positive), (first, second))


def squared_counts(scores: Scores, way: Way) -> Binary | None:
    """Sums of squared weights in place of the counts; None without weights."""
    if scores.squares is None:
        return None
    squared = scores.with_counts(*scores.squares, rows=scores.rows)
    return answered(squared, way).counts


def answered_now(scores: Scores, called: Scores) -> Answered:
    """The counts of answers given in some other way."""
    tp, fp = called.n_positive, called.n_negative
    fn, tn = _rest(scores.n_positive, tp), _rest(scores.n_negative, fp)
    return Answered(Binary(tp, fn, fp, tn, scores.positive), (0, 0))


def _rest(total: Any, part: Any) -> Any:
    """What is left, without the dust that differences of fractions leave."""
    left = total - part
    return left if isinstance(left, int) or left > _DUST * total else 0.0


def as_expected(ranking: Ranking, as_is: AsIs) -> AsIs:
    """With the counts to expect when the positive class has another share than in the sample."""
    by = factors(ranking.scores, ranking.share)
    if as_is.called is None or by is None:
        return as_is
    groups = None if as_is.groups is None else scaled_groups(as_is.groups, by)
    return replace(as_is, called=scaled(as_is.called, by), groups=groups)


# --- savings ---------------------------------------------------------------------------------------


Prices = NDArray[np.float64]
"""What a row costs that is of the positive class (0) or the rest (1) and called positive (0), negative (1) or
declined (2)."""


class Kind(NamedTuple):
    """Rows of one class that were answered alike both before and after."""

    gain: float
    amount: float
    square: float
    actual: int


def saved(ranking: Ranking, before: Way | AsIs, after: Way, prices: Prices, *, seed: int = 0) -> Estimate:
    """What answering the one way saves against the other, on all rows together.

    What was before is a way, or answers that were given in some other way: an `AsIs` with what was `called`.
    """
    scores, groups = ranking.seen
    entries: GroupEntries | None = None
    if isinstance(before, AsIs):
        assert before.called is not None
        kinds = list(_against_answers(scores, before.called, after, prices))
        if groups is not None and before.groups is None:
            value = sum(kind.gain * kind.amount for kind in kinds)
            return Estimate(value, ranking.level, assumption=ranking.assumption, remark=NOT_BY_GROUP)
        if groups is not None and before.groups is not None:
            entries = _entries_of_answers(groups, before.groups, after)
    else:
        kinds = list(against_way(scores, before, after, prices))
        if groups is not None:
            entries = entries_of(groups, before, after)
    found = total_saving(kinds, ranking, seed=seed, groups=entries)
    by_score = isinstance(before, Way) and found.method is not None
    return replace(found, remark=ONE_SCORE) if by_score else found


def total_saving(
    kinds: list[Kind], ranking: Ranking, *, seed: int = 0, groups: GroupEntries | None = None
) -> Estimate:
    """What rows of these kinds save together."""
    gains, amounts, squares, actual = (np.array(column) for column in zip(*kinds, strict=True))
    return saving(
        gains,
        amounts,
        None if ranking.seen[0].squares is None else squares,
        level=ranking.level,
        seed=seed,
        strata=None if ranking.share is None else actual,
        classes=actual,
        groups=groups,
        rows=_rows(ranking),
        kish=ranking.scores.squares is not None,
    )


def _rows(ranking: Ranking) -> float:
    """Rows of equal weight (Kish 1965), or in groups just rows; given shares make neither more nor fewer."""
    scores = ranking.scores
    if ranking.groups is not None:
        return scores.rows
    n = float(scores.n)
    if scores.squares is None or not n:
        return n
    return n * (n / sum(float(side.sum()) for side in scores.squares))


def _stretches(scores: Scores, *ways: Way) -> tuple[list[int], list[list[int]]]:
    """Places that cut the scores into stretches that each way answers alike, and its answers there."""
    size, places = len(scores.score), [way.places(scores) for way in ways]
    cuts = [0, *sorted({place for both in places for place in both} - {0, size}), size]
    answers = [[0 if at < upper else 1 if at >= lower else 2 for upper, lower in places] for at in cuts[:-1]]
    return cuts, answers


def _sums(scores: Scores, start: int, stop: int) -> Iterator[tuple[int, float, float]]:
    """Of either class at some scores: weights and squared weights."""
    at, sides = slice(start, stop), (scores.positives, scores.negatives)
    for actual, (side, squares) in enumerate(zip(sides, scores.squares or sides, strict=True)):
        amount = float(side[at].sum())
        yield actual, amount, amount if squares is side else float(squares[at].sum())


def against_way(scores: Scores, before: Way, after: Way, prices: Prices) -> Iterator[Kind]:
    """Of a way that goes by the same score; kinds in the order of `entries_of`."""
    cuts, answers = _stretches(scores, before, after)
    for ends, (old, new) in zip(pairwise(cuts), answers, strict=True):
        for actual, amount, square in _sums(scores, *ends):
            yield Kind(prices[actual, old] - prices[actual, new], amount, square, actual)


def entries_of(groups: GroupedScores, before: Way, after: Way) -> GroupEntries:
    """Rows by group and kind."""
    stretch = _stretch_of(groups.place, _stretches(groups.total, before, after)[0])
    return _joined(
        len(groups),
        (
            (groups.group, 2 * stretch + actual, amounts)
            for actual, amounts in enumerate((groups.positives, groups.negatives))
        ),
    )


def _joined(number: int, entries: Iterable[tuple[NDArray[Any], ...]]) -> GroupEntries:
    """Lists of groups, kinds and amounts as one, without the many that have no rows of a class."""
    kept = []
    for columns in entries:
        there = np.flatnonzero(columns[2])
        kept.append([column[there] for column in columns])
    group, kind, amount = (np.concatenate(column) for column in zip(*kept, strict=True))
    return number, group, kind, amount


def _stretch_of(place: NDArray[np.int64], cuts: list[int]) -> NDArray[np.int64]:
    """The number of the stretch that each place is in."""
    stretch = np.zeros(len(place), np.int64)
    for cut in cuts[1:-1]:
        stretch += place >= cut
    return stretch


def _against_answers(scores: Scores, called: Scores, after: Way, prices: Prices) -> Iterator[Kind]:
    """Of answers that have nothing to do with the score; kinds in the order of `_entries_of_answers`."""
    cuts, answers = _stretches(scores, after)
    both = zip(pairwise(_among(called, scores, cuts)), pairwise(cuts), answers, strict=True)
    for of_called, of_all, (new,) in both:
        given = zip(_sums(called, *of_called), _sums(scores, *of_all), strict=True)
        for (actual, amount, square), (_, total, squares) in given:
            rest = float(_rest(total, amount)), float(_rest(squares, square))
            for old, (n, squared) in enumerate(((amount, square), rest)):
                yield Kind(prices[actual, old] - prices[actual, new], n, squared, actual)


def _among(called: Scores, scores: Scores, cuts: list[int]) -> list[int]:
    """The same cuts of some of the rows."""
    inner = np.array(cuts[1:-1], np.int64)
    places = called.called(scores.score[inner - 1])
    return [0, *places.tolist(), len(called.score)]


def _entries_of_answers(groups: GroupedScores, called: GroupedScores, after: Way) -> GroupEntries:
    """Rows by group and kind: those called positive now, and all less those."""
    position = {key: place for place, key in enumerate(groups.keys)}
    of_called = np.array([position[key] for key in called.keys], np.int64)[called.group]
    of_all, _ = _stretches(groups.total, after)
    of_part = _among(called.total, groups.total, of_all)
    found = []
    for side, cuts, group, old, sign in (
        (called, of_part, of_called, 0, 1),
        (groups, of_all, groups.group, 1, 1),
        (called, of_part, of_called, 1, -1),
    ):
        stretch = _stretch_of(side.place, cuts)
        for actual, amounts in enumerate((side.positives, side.negatives)):
            found.append((group, 4 * stretch + 2 * actual + old, sign * amounts))
    return _joined(len(groups), found)
