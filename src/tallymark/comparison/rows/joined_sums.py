"""What every row on disk adds to the spread of two models' differences: added up place by place."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallymark.inference import Ranking
from tallymark.inference.influence_bounds import apart_auc, apart_average_precision, apart_partial
from tallymark.inference.paired_ranking import row_losses
from tallymark.inference.paired_scores.spread import RowSpread
from tallymark.inference.ranking import Part
from tallymark.metrics import Asked
from tallymark.tallies import Scores

if TYPE_CHECKING:
    import polars as pl

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


@dataclass
class RowSums:
    """Squares of what rows add to a difference, as `inference/paired_scores/spread.py` has them."""

    frequency: bool
    positive: float = 0.0
    total: float = 0.0
    fourth: float = 0.0
    same: bool = True

    def add(
        self, amount: NDArray[np.float64], hit: NDArray[np.bool_], weight: NDArray[Any] | None, *, same: bool
    ) -> None:
        squares = np.square(amount)
        shares = squares
        if weight is not None:
            shares = squares * weight if self.frequency else squares * np.square(weight, dtype=float)
        self.total += float(shares.sum())
        self.positive += float(shares[hit].sum())
        self.fourth += float(np.sum(shares * squares if self.frequency else np.square(shares)))
        self.same = self.same and same

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


class Scored(NamedTuple):
    """Rows of one place that weigh anything."""

    hit: NDArray[np.bool_]
    weight: NDArray[Any] | None
    scores: list[NDArray[np.float64]]
    """Of every model."""


def read_scored(path: Path) -> Scored:
    import polars as pl

    table = pl.read_ipc(path.read_bytes())
    weight = table.get_column("weight").to_numpy() if "weight" in table.columns else None
    scores = [table.get_column(name).to_numpy() for name in table.columns if name.startswith("score")]
    return Scored(table.get_column("hit").to_numpy(), weight, scores)


def scored_table(
    hit: NDArray[np.bool_], weight: NDArray[Any] | None, scores: Sequence[NDArray[np.float64]]
) -> pl.DataFrame:
    """The same, to be written."""
    import polars as pl

    columns: dict[str, Any] = {"hit": hit}
    if weight is not None:
        columns["weight"] = weight
    table = pl.DataFrame(columns | {f"score {place}": score for place, score in enumerate(scores)})
    # Rows without weight are not counted.
    return table if weight is None else table.filter(pl.col("weight") > 0)


def measured(
    files: Sequence[Path], rankings: Mapping[str, Ranking], asked: Sequence[Asked], *, frequency: bool
) -> dict[tuple[str, str], dict[str, Measured]]:
    """Of every pair of models and every number that has an interval; each number takes one pass."""
    names, models = list(rankings), list(rankings.values())
    found: dict[tuple[str, str], dict[str, Measured]] = {pair: {} for pair in combinations(names, 2)}
    for each in asked:
        losses = each.metric.about == "losses"
        known = {place: model for place, model in enumerate(models) if _is_known(each, model)}
        sums, slacks = ({pair: RowSums(frequency) for pair in combinations(known, 2)} for _ in range(2))
        if not sums:
            continue
        for scored, of_rows in (_losses if losses else _influences)(files, known, each):
            for (a, b), total in sums.items():
                total.add(of_rows.between(a, b), scored.hit, scored.weight, same=of_rows.same(a, b))
                if of_rows.slack is not None:
                    off = of_rows.slack[a] + of_rows.slack[b]
                    slacks[a, b].add(off, scored.hit, scored.weight, same=False)
        for (a, b), total in sums.items():
            t, other = models[a].scores, models[b].scores
            made = total.of_means(t) if losses else total.of_classes(t)
            if not losses:
                made = made._replace(same=made.same and len(t.score) == len(other.score))
            if not losses and not (t.exact and other.exact):
                made = total.bounded(made, slacks[a, b], t)
            found[names[a], names[b]][each.name] = made
    return found


def _is_known(asked: Asked, model: Ranking) -> bool:
    """Whether a model has a number, and one that has an interval."""
    if asked.metric.about == "losses":
        return model.losses.of(asked).value is not None
    has_interval = asked.metric.interval != "none"
    return has_interval and not math.isnan(float(asked.metric(model.scores, *asked.parameters)))


_OfModels = dict[int, NDArray[Any]]
"""Something of every row, for each model."""


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


_Rows = Iterator[tuple[Scored, _OfRows]]


def _influences(files: Sequence[Path], models: Mapping[int, Ranking], asked: Asked) -> _Rows:
    parts = {
        place: each.part(asked, float(asked.metric(each.scores, *asked.parameters)))
        for place, each in models.items()
    }
    scale = next(iter(parts.values())).scale
    tables, slacks = {place: _table(models[place], part) for place, part in parts.items()}, None
    if not all(each.scores.exact for each in models.values()):
        slacks = {place: _slack(asked, models[place], part) for place, part in parts.items()}
    for path in files:
        scored = read_scored(path)
        # The last place whose least score is not above that of the row.
        places: _OfModels = {
            place: np.searchsorted(each.scores.score[::-1], scored.scores[place], side="right") - 1
            for place, each in models.items()
        }
        slack = None if slacks is None else _given(slacks, scored, places)
        yield scored, _OfRows(_given(tables, scored, places), places, scale, slack=slack)


_Sides = tuple[NDArray[np.float64], NDArray[np.float64]]
"""Of a positive row and of a negative one at every place, from the least score up."""


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


def _losses(files: Sequence[Path], models: Mapping[int, Ranking], asked: Asked) -> _Rows:
    means = {place: float(each.losses.of(asked)) for place, each in models.items()}
    logarithmic = asked.metric.name == "log_loss"
    for path in files:
        scored = read_scored(path)
        lost: _OfModels = {
            place: row_losses(scored.scores[place], scored.hit, each.clip, logarithmic=logarithmic)
            for place, each in models.items()
        }
        yield scored, _OfRows(lost, lost, means=means)
