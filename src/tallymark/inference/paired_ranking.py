"""Two models' scores of the same rows, or of other rows: by how much their numbers differ, and how sure.

The variance of a difference of areas, partial areas or average precisions comes from what every row does to
both numbers: for areas that is DeLong's (DeLong et al. 1988, Biometrics 44:837), with one sort per model
instead of every pair of rows (Sun & Xu 2014, IEEE Signal Processing Letters 21:1389). Losses of
probabilities are compared row by row. What intervals are made of: inference/paired_scores/gap.py.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cached_property
from typing import Any, Literal, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from tallymark.errors import MetricError
from tallymark.inference.estimate import Estimate, undefined
from tallymark.inference.paired_scores.gap import (
    SAME,
    Evidence,
    Gap,
    Limits,
    correlated,
    most_of,
    mover,
    weighed,
)
from tallymark.inference.paired_scores.losses import paired_losses
from tallymark.inference.paired_scores.ranked import Floats, RankedRows, ranked_rows
from tallymark.inference.paired_scores.spread import RowSpread, of_classes
from tallymark.inference.ranking import CARRIERS, LARGEST_DISTANCE, Part, Ranking
from tallymark.inference.sample import ONE_GROUP
from tallymark.intervals.tails import Alternative
from tallymark.metrics import Asked, vocabulary

_WORTH_A_THREAD = 1 << 18
Made = TypeVar("Made")


class Variances(NamedTuple):
    """How far two models' numbers spread, and together."""

    of_a: float
    of_b: float
    covariance: float


class PairedRanking:
    """The scores two models give the same rows, both for the same class.

    `groups` is how many there are and which of them each row is of: then groups are what is independent.
    Every difference is that of the first model less the second.
    """

    def __init__(
        self,
        score_a: NDArray[Any],
        score_b: NDArray[Any],
        is_positive: NDArray[np.bool_],
        *,
        level: float = 0.95,
        weight: NDArray[Any] | None = None,
        weight_kind: Literal["sampling", "frequency"] = "sampling",
        groups: tuple[int, NDArray[Any]] | None = None,
        clip: float = 0.0,
        names: tuple[str, str] = ("a", "b"),
    ) -> None:
        a, b = ranked_rows((score_a, score_b), is_positive, weight, weight_kind, groups)
        self._hold(a, b, level, clip, names)

    @classmethod
    def of_ranked(
        cls, a: RankedRows, b: RankedRows, *, level: float, clip: float, names: tuple[str, str]
    ) -> PairedRanking:
        """From rows that are ranked already, so that many pairs share what is known of a model."""
        made = cls.__new__(cls)
        made._hold(a, b, level, clip, names)
        return made

    def _hold(self, a: RankedRows, b: RankedRows, level: float, clip: float, names: tuple[str, str]) -> None:
        self.rows, self.a, self.b = a.rows, a, b
        self.level, self.clip, self.names = level, clip, names
        self._found: dict[str, tuple[Estimate, Gap | None]] = {}
        self._worked_out: dict[str, tuple[float, float]] = {}

    @cached_property
    def rankings(self) -> tuple[Ranking, Ranking]:
        """Either model by itself."""
        scores = self._of_both(lambda model, _: model.scores, (None, None))
        made = [
            Ranking(each, self.level, model.grouped, clip=self.clip)
            for each, model in zip(scores, (self.a, self.b), strict=True)
        ]
        return made[0], made[1]

    def _of_both(self, work: Callable[[RankedRows, Any], Made], given: tuple[Any, Any]) -> list[Made]:
        """Something of either model, both at once where rows are many."""
        models = self.a, self.b
        if len(self.rows) < _WORTH_A_THREAD:
            return list(map(work, models, given))
        with ThreadPoolExecutor(2) as threads:
            return list(threads.map(work, models, given))

    def of(self, asked: Asked) -> Estimate:
        """The difference of a number, a - b, with its interval."""
        return self._compared(asked)[0]

    def tested(self, asked: Asked, alternative: Alternative = "two-sided") -> Evidence:
        """Against no difference: the statistic, and the p-value that goes with the interval."""
        gap = self.gap(asked)
        return Evidence(None, None) if gap is None else gap.tested(alternative)

    def gap(self, asked: Asked) -> Gap | None:
        """What interval and test are made of; None where there is neither."""
        return self._compared(asked)[1]

    def variances(self, asked: Asked) -> Variances:
        """Of both numbers and their covariance; of areas, DeLong's."""
        of_a, of_b = (each.variance for each in self._own_spreads(asked))
        together = self._spread(asked).variance
        return Variances(of_a, of_b, (of_a + of_b - together) / 2)

    def _own_spreads(self, asked: Asked) -> tuple[RowSpread, RowSpread]:
        made = []
        for each, part in zip(self.rankings, self._parts(asked), strict=True):
            found = each.spread(asked, part)
            made.append(RowSpread(part.scale**2 * found.variance, found.carriers, found.freedom))
        return made[0], made[1]

    def _compared(self, asked: Asked) -> tuple[Estimate, Gap | None]:
        if asked.name not in self._found:
            self._found[asked.name] = self._anew(asked)
        return self._found[asked.name]

    def _anew(self, asked: Asked) -> tuple[Estimate, Gap | None]:
        if asked.metric.about == "losses":
            return self._mean_loss(asked)
        if asked.metric.about != "scores":
            raise MetricError(f"{asked.name!r} is no number of one score per row.")
        return self._ranked(asked)

    def _mean_loss(self, asked: Asked) -> tuple[Estimate, Gap | None]:
        models = self.rankings[0].losses, self.rankings[1].losses
        return paired_losses(asked, self.rows, models, self.names, self.losses_of_rows)

    def _ranked(self, asked: Asked) -> tuple[Estimate, Gap | None]:
        metric, a = asked.metric, self.rankings[0]
        one, two = self._values(asked)
        if math.isnan(one):
            why = vocabulary.reason(metric.undefined, vocabulary.of_scores(a.scores))
            return undefined(why, self.level), None
        made = Estimate(one - two, self.level, assumption=a.assumption)
        if metric.interval == "none":
            return replace(made, remark=LARGEST_DISTANCE), None
        if a.groups is not None and len(a.groups) < 2:
            return replace(made, remark=ONE_GROUP), None
        return self._with_interval(asked, replace(made, n=a.n))

    def _with_interval(self, asked: Asked, made: Estimate) -> tuple[Estimate, Gap]:
        spread = self._spread(asked)
        grouped = self.rows.group is not None
        method = f"{asked.metric.interval}_groups" if grouped else asked.metric.interval
        low, high = asked.metric.range
        gap = Gap(float(made), spread.variance, spread.freedom, method=method, widest=high - low)
        if not gap.seen and self._ranks_alike(asked):
            gap = replace(gap, value=0.0, variance=0.0, same=True, remark=SAME.format("rank all rows alike"))
            return gap.estimate(replace(made, value=0.0)), gap
        if gap.seen and spread.carriers >= CARRIERS:
            return gap.estimate(made), gap
        own = self._own_spreads(asked)
        carriers = most_of(spread.carriers, (own[0].carriers, own[1].carriers))

        def limits() -> Limits | None:
            a, b = self.rankings
            correlation = correlated(own[0].variance, own[1].variance, spread.variance)
            return mover(a.of(asked), b.of(asked), correlation)

        gap = weighed(gap, carriers, "groups" if grouped else "rows", limits)
        return gap.estimate(made), gap

    def _spread(self, asked: Asked) -> RowSpread:
        """Of the difference."""
        return of_classes(self.rows, self._influence(asked))

    def _ranks_alike(self, asked: Asked) -> bool:  # noqa: ARG002
        """Whether both models put all rows in the same order."""
        return self.a.ranks_like(self.b)

    def _values(self, asked: Asked) -> tuple[float, float]:
        if asked.name not in self._worked_out:
            a, b = (float(asked.metric(each.scores, *asked.parameters)) for each in self.rankings)
            self._worked_out[asked.name] = a, b
        return self._worked_out[asked.name]

    def _parts(self, asked: Asked) -> tuple[Part, Part]:
        a, b = (
            each.part(asked, value) for each, value in zip(self.rankings, self._values(asked), strict=True)
        )
        return a, b

    def _influence(self, asked: Asked) -> Floats:
        """What every row adds to the difference."""
        parts = self._parts(asked)
        a, b = self._of_both(lambda model, part: model.per_row(part.influences), parts)
        a -= b
        a *= parts[0].scale
        return a

    def losses_of_rows(self, *, logarithmic: bool) -> tuple[Floats, Floats]:
        """The losses of every row under both models."""
        hit = self.rows.is_positive
        a, b = (row_losses(each.score, hit, self.clip, logarithmic=logarithmic) for each in (self.a, self.b))
        return a, b


def row_losses(score: Floats, hit: NDArray[np.bool_], clip: float, *, logarithmic: bool) -> Floats:
    """As `losses_of_scores` has them, each row's own only."""
    if not logarithmic:
        return np.square(score - hit)
    kept = score.clip(clip, 1 - clip)
    loss = np.empty(len(kept))
    with np.errstate(divide="ignore"):
        np.log(kept, out=loss, where=hit)
        np.log1p(-kept, out=loss, where=~hit)
    return np.negative(loss, out=loss)
