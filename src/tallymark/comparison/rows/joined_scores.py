"""Two models' scores of rows that lie on disk, compared from sums over the rows."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from tallymark.comparison.rows.joined_sums import Measured
from tallymark.comparison.rows.scores import PairedScores
from tallymark.inference import Estimate, Ranking, undefined
from tallymark.inference.paired_ranking import PairedRanking
from tallymark.inference.paired_scores.gap import Gap
from tallymark.inference.paired_scores.losses import mean_losses, named_reason
from tallymark.inference.paired_scores.ranked import rows_of
from tallymark.inference.paired_scores.spread import RowSpread
from tallymark.inference.ranking import CARRIERS, LARGEST_DISTANCE
from tallymark.intervals import student_quantile
from tallymark.metrics import Asked

if TYPE_CHECKING:
    from tallymark.inference.swaps import Swapped


UNCERTIFIED = (
    "needs exact scores: what scores on a grid leave open is too much to say how far the difference spreads"
)


class JoinedRanking(PairedRanking):
    """As its base, but of rows that are not kept: what they add up to was measured before."""

    def __init__(
        self,
        known: tuple[Ranking, Ranking],
        measured: Mapping[str, Measured],
        *,
        level: float,
        names: tuple[str, str],
    ) -> None:
        self._known, self._measured = known, measured
        self.rows = rows_of(np.empty(0, np.bool_), None, "sampling", None)[0]
        self.level, self.clip, self.names = level, known[0].clip, names
        self._found: dict[str, tuple[Estimate, Gap | None]] = {}
        self._worked_out: dict[str, tuple[float, float]] = {}

    @property
    def rankings(self) -> tuple[Ranking, Ranking]:
        return self._known

    def _spread(self, asked: Asked) -> RowSpread:
        return self._measured[asked.name].spread

    def _ranks_alike(self, asked: Asked) -> bool:
        return self._measured[asked.name].same

    def _mean_loss(self, asked: Asked) -> tuple[Estimate, Gap | None]:
        def spread() -> RowSpread | None:
            known = self._measured[asked.name]
            return None if known.same else known.spread

        a, b = self.rankings
        return mean_losses(asked, (a.losses, b.losses), self.names, spread)

    def _ranked(self, asked: Asked) -> tuple[Estimate, Gap | None]:
        if all(each.scores.exact for each in self.rankings):
            return super()._ranked(asked)
        a, b = (each.of(asked) for each in self.rankings)
        lacking = named_reason((a, b), self.names)
        if lacking is not None:
            return undefined(lacking, self.level), None
        (low_a, high_a), (low_b, high_b) = (
            (float(x), float(x)) if x.bounds is None else x.bounds for x in (a, b)
        )
        bounds = low_a - high_b, high_a - low_b
        made = Estimate(float(a) - float(b), self.level, assumption=a.assumption, bounds=bounds)
        if asked.metric.interval == "none":
            return replace(made, remark=LARGEST_DISTANCE), None
        return self._within(asked, replace(made, n=self.rankings[0].n), bounds)

    def _within(
        self, asked: Asked, made: Estimate, bounds: tuple[float, float]
    ) -> tuple[Estimate, Gap | None]:
        """With an interval that holds for every difference within bounds and every spread there can be."""
        spread, _, off, carriers = self._measured[asked.name]
        if not (spread.variance > 0 and math.isfinite(off) and carriers >= CARRIERS):
            return replace(made, n=None, remark=UNCERTIFIED), None
        se = math.sqrt(spread.variance)

        def limits(level: float) -> tuple[float, float]:
            half = student_quantile(level, math.inf) * (se + off)
            return bounds[0] - half, bounds[1] + half

        low, high = asked.metric.range
        gap = Gap(float(made), math.nan, limits=limits, method=asked.metric.interval, widest=high - low)
        return replace(gap.estimate(made), se=se, se_bounds=(max(0.0, se - off), se + off)), gap


@dataclass(frozen=True, eq=False)
class JoinedScores(PairedScores):
    """The scores of two models whose rows are not kept."""

    ranking: JoinedRanking

    def permuted(self, asked: Sequence[Asked], draws: int, seed: int) -> dict[str, Swapped]:  # noqa: ARG002
        """None: scores are swapped row by row, and rows are not kept."""
        return {}

    def _of_class(self, position: int) -> PairedRanking:  # noqa: ARG002
        return self.ranking
