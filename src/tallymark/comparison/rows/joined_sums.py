"""What every row adds to the spread of two models' differences, added up where the rows are."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallymark.comparison.rows.joined_counts import Scored
from tallymark.inference import Ranking
from tallymark.inference.influence_bounds import apart_auc, apart_average_precision, apart_partial
from tallymark.inference.paired_ranking import row_losses
from tallymark.inference.paired_scores.spread import RowSpread
from tallymark.inference.ranking import Part
from tallymark.intake.engines.parts import Anywhere
from tallymark.metrics import Asked
from tallymark.tallies import Scores

_ONE_ROW = 1 + 1e-9
"""Kish's number of one row is 1 but for rounding."""
_OUTWARD = 1 + 1e-9
"""What rounding may take away."""


class Measured(NamedTuple):
    """How far a difference spreads, and whether both models say the same of every row."""

    spread: RowSpread
    same: bool
    off: float = 0.0
    """By how much the standard error can differ from that of exact scores; NaN where that is not known."""
    carriers: float = math.inf
    """At least so many rows carry the variance, whatever the exact scores are."""


@dataclass(frozen=True)
class RowSums:
    """Squares of what rows add to a difference, as `inference/paired_scores/spread.py` has them."""

    positive: float = 0.0
    total: float = 0.0
    fourth: float = 0.0
    same: bool = True

    @classmethod
    def of(cls, amount: NDArray[np.float64], scored: Scored, *, frequency: bool, same: bool) -> RowSums:
        """Of the rows of one place."""
        squares = np.square(amount)
        shares, weight = squares, scored.weight
        if weight is not None:
            shares = squares * weight if frequency else squares * np.square(weight, dtype=float)
        fourth = np.sum(shares * squares if frequency else np.square(shares))
        return cls(float(shares[scored.hit].sum()), float(shares.sum()), float(fourth), same)

    def then(self, later: RowSums) -> RowSums:
        """With those of other rows."""
        positive, total = self.positive + later.positive, self.total + later.total
        return RowSums(positive, total, self.fourth + later.fourth, self.same and later.same)

    @property
    def carriers(self) -> float:
        return self.total**2 / self.fourth if self.fourth else math.nan

    def bounded(self, known: Measured, slack: RowSums, t: Scores) -> Measured:
        """With how far exact scores can lead: the triangle inequality, as `influence_bounds` has it."""
        off = math.sqrt(slack.of_classes(t).spread.variance) * _OUTWARD
        least, most = math.sqrt(self.total) - math.sqrt(slack.total), self.fourth**0.25 + slack.fourth**0.25
        return known._replace(same=False, off=off, carriers=max(0.0, least / most) ** 4 if most else 0.0)

    def of_classes(self, t: Scores) -> Measured:
        """Of a number of a ranking."""
        parts = zip((self.positive, self.total - self.positive), t.effective, strict=True)
        variance = sum(part * n / (n - 1) if n > _ONE_ROW else math.nan for part, n in parts)
        return Measured(RowSpread(variance, self.carriers, math.inf), self.same)

    def of_means(self, t: Scores) -> Measured:
        """Of the mean of something every row has."""
        weight = float(t.n_positive + t.n_negative)
        squares = weight if t.squares is None else float(sum(each.sum() for each in t.squares))
        n = weight * (weight / squares)
        variance = self.total / weight**2 * n / (n - 1) if n > _ONE_ROW else math.nan
        return Measured(RowSpread(variance, self.carriers, max(1.0, n - 1)), self.same)


# --- the work, which can be sent to a worker ------------------------------------------------------


_OfModels = dict[int, NDArray[Any]]
"""Something of every row, for each model."""
_Sides = tuple[NDArray[np.float64], NDArray[np.float64]]
"""Of a positive row and of a negative one at every place, from the least score up."""
_Pair = tuple[int, int]


@dataclass(frozen=True)
class _OfRows:
    """What rows add to the numbers of models."""

    amounts: _OfModels
    said: _OfModels
    """What a model says of rows: two that say the same differ in nothing."""
    scale: float = 1.0
    means: Mapping[int, float] | None = None
    """What amounts are measured from, if they are not by now."""
    slack: _OfModels | None = None
    """By how much amounts can be off; None where all scores are exact."""

    def between(self, a: int, b: int) -> NDArray[np.float64]:
        """What they add to the difference of two models."""
        apart = self.amounts[a] - self.amounts[b]
        return self.scale * (apart if self.means is None else apart - (self.means[a] - self.means[b]))

    def same(self, a: int, b: int) -> bool:
        return np.array_equal(self.said[a], self.said[b])


@dataclass(frozen=True, eq=False)
class _Influences:
    """What a row at every place of a ranking adds to a number of it."""

    tables: Mapping[int, _Sides]
    scale: float
    slacks: Mapping[int, _Sides] | None

    @property
    def size(self) -> int:
        return sum(
            side.nbytes
            for table in (self.tables, self.slacks or {})
            for each in table.values()
            for side in each
        )

    def of(self, scored: Scored, places: _OfModels) -> _OfRows:
        slack = None if self.slacks is None else _given(self.slacks, scored, places)
        return _OfRows(_given(self.tables, scored, places), places, self.scale, slack=slack)


@dataclass(frozen=True, eq=False)
class _Losses:
    """How far probabilities are from the truth."""

    means: Mapping[int, float]
    clips: Mapping[int, float]
    logarithmic: bool
    size = 0

    def of(self, scored: Scored, _: _OfModels) -> _OfRows:
        lost: _OfModels = {
            place: row_losses(scored.scores[place], scored.hit, clip, logarithmic=self.logarithmic)
            for place, clip in self.clips.items()
        }
        return _OfRows(lost, lost, means=self.means)


@dataclass(frozen=True)
class Spreads(Anywhere):
    """The sums of some rows, for every number and every two models that have it."""

    sums: Mapping[str, Mapping[_Pair, RowSums]]
    slacks: Mapping[str, Mapping[_Pair, RowSums]]

    def then(self, later: Spreads) -> Spreads:
        """With those of other rows."""
        return Spreads(_then(self.sums, later.sums), _then(self.slacks, later.slacks))


def _then(
    one: Mapping[str, Mapping[_Pair, RowSums]], two: Mapping[str, Mapping[_Pair, RowSums]]
) -> dict[str, dict[_Pair, RowSums]]:
    return {
        name: {pair: each.then(two[name][pair]) for pair, each in found.items()}
        for name, found in one.items()
    }


@dataclass(frozen=True, eq=False)
class Measuring:
    """The work of adding up what rows add to numbers."""

    numbers: Mapping[str, _Influences | _Losses]
    pairs: Mapping[str, Sequence[_Pair]]
    """The models that have a number, two by two."""
    edges: Mapping[int, NDArray[np.float64]]
    """The least score of every place of a model's ranking, from the least up."""
    frequency: bool

    def __call__(self, scored: Scored) -> Spreads:
        # The last place whose least score is not above that of the row.
        places: _OfModels = {
            model: np.searchsorted(edges, scored.scores[model], side="right") - 1
            for model, edges in self.edges.items()
        }
        sums: dict[str, dict[_Pair, RowSums]] = {}
        slacks: dict[str, dict[_Pair, RowSums]] = {}
        for name, number in self.numbers.items():
            of_rows = number.of(scored, places)
            sums[name], slacks[name] = {}, {}
            for a, b in self.pairs[name]:
                sums[name][a, b] = self._sums(of_rows.between(a, b), scored, same=of_rows.same(a, b))
                if of_rows.slack is not None:
                    off = of_rows.slack[a] + of_rows.slack[b]
                    slacks[name][a, b] = self._sums(off, scored, same=False)
        return Spreads(sums, slacks)

    def _sums(self, amount: NDArray[np.float64], scored: Scored, *, same: bool) -> RowSums:
        return RowSums.of(amount, scored, frequency=self.frequency, same=same)


# --- from the sums to spreads ---------------------------------------------------------------------


def measured(
    look: Callable[[Measuring], Spreads],
    rankings: Mapping[str, Ranking],
    asked: Sequence[Asked],
    *,
    frequency: bool,
    room: int,
) -> dict[tuple[str, str], dict[str, Measured]]:
    """Of every pair of models and every number that has an interval.

    `look` does the work with all rows, once for as many numbers as their tables take `room`, or for each.
    """
    names, models = list(rankings), list(rankings.values())
    found: dict[tuple[str, str], dict[str, Measured]] = {pair: {} for pair in combinations(names, 2)}
    known = {
        each.name: {place: model for place, model in enumerate(models) if _is_known(each, model)}
        for each in asked
    }
    wanted = [each for each in asked if len(known[each.name]) > 1]
    for some in _in_room(wanted, known, room):
        pairs = {name: list(combinations(known[name], 2)) for name in some}
        ranked = {place for name, number in some.items() if number.size for place in known[name]}
        edges = {place: np.ascontiguousarray(models[place].scores.score[::-1]) for place in sorted(ranked)}
        spreads = look(Measuring(some, pairs, edges, frequency))
        for name, totals in spreads.sums.items():
            losses = isinstance(some[name], _Losses)
            for (a, b), total in totals.items():
                slack = spreads.slacks[name].get((a, b))
                two = models[a].scores, models[b].scores
                found[names[a], names[b]][name] = _spread(total, slack, *two, losses=losses)
    return found


def _in_room(
    asked: Sequence[Asked], known: Mapping[str, Mapping[int, Ranking]], room: int
) -> Iterator[dict[str, _Influences | _Losses]]:
    """What is needed for numbers, as many at once as fit."""
    some: dict[str, _Influences | _Losses] = {}
    for each in asked:
        losses = each.metric.about == "losses"
        made = (_losses if losses else _influences)(known[each.name], each)
        if some and made.size + sum(number.size for number in some.values()) > room:
            yield some
            some = {}
        some[each.name] = made
    if some:
        yield some


def _spread(total: RowSums, slack: RowSums | None, t: Scores, other: Scores, *, losses: bool) -> Measured:
    if losses:
        return total.of_means(t)
    made = total.of_classes(t)
    made = made._replace(same=made.same and len(t.score) == len(other.score))
    certain = slack is None or (t.exact and other.exact)
    return made if certain or slack is None else total.bounded(made, slack, t)


def _is_known(asked: Asked, model: Ranking) -> bool:
    """Whether a model has a number, and one that has an interval."""
    if asked.metric.about == "losses":
        return model.losses.of(asked).value is not None
    has_interval = asked.metric.interval != "none"
    return has_interval and not math.isnan(float(asked.metric(model.scores, *asked.parameters)))


def _influences(models: Mapping[int, Ranking], asked: Asked) -> _Influences:
    parts = {
        place: each.part(asked, float(asked.metric(each.scores, *asked.parameters)))
        for place, each in models.items()
    }
    scale = next(iter(parts.values())).scale
    tables, slacks = {place: _table(models[place], part) for place, part in parts.items()}, None
    if not all(each.scores.exact for each in models.values()):
        slacks = {place: _slack(asked, models[place], part) for place, part in parts.items()}
    return _Influences(tables, scale, slacks)


def _losses(models: Mapping[int, Ranking], asked: Asked) -> _Losses:
    means = {place: float(each.losses.of(asked)) for place, each in models.items()}
    clips = {place: each.clip for place, each in models.items()}
    return _Losses(means, clips, asked.metric.name == "log_loss")


def _given(tables: Mapping[int, _Sides], scored: Scored, places: _OfModels) -> _OfModels:
    """What goes with the places, given to the rows."""
    return {
        model: np.where(scored.hit, up[places[model]], down[places[model]])
        for model, (up, down) in tables.items()
    }


def _table(ranking: Ranking, part: Part) -> _Sides:
    up, down = (np.empty(len(ranking.scores.score)) for _ in range(2))
    for at, *sides in part.influences():
        up[at], down[at] = sides
    return up[::-1], down[::-1]


def _slack(asked: Asked, ranking: Ranking, part: Part) -> _Sides:
    """How far what a row adds can be off; NaN where there is no telling."""
    t, bounds = ranking.scores, ranking.of(asked).bounds
    if t.exact or bounds is None:
        return np.zeros(len(t.score)), np.zeros(len(t.score))
    shares = (bounds[0] - part.shift) / part.scale, (bounds[1] - part.shift) / part.scale
    if asked.metric.name == "average_precision":
        if t.squares is not None:
            return np.full(len(t.score), np.nan), np.full(len(t.score), np.nan)
        apart = apart_average_precision(t, part.share, shares)
    else:
        apart = apart_partial(t, part.limit, part.share, shares) if asked.parameters else apart_auc(t)
    return part.scale * apart.of_positive[::-1], part.scale * apart.of_negative[::-1]
