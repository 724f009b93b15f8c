"""The cheapest or otherwise best threshold of a ranking, among those that keep what is asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tallymark.curves.costs.expected_cost import ExpectedCost
from tallymark.curves.costs.prices import Costs, paid
from tallymark.curves.equally_good import Best, below, best_of, threshold_at
from tallymark.curves.shared import DUST, FINER, counts_at, finite, row_at
from tallymark.curves.threshold_curve import ThresholdCurve
from tallymark.decisions.constraints import Constraint, allowed, within_a_bin
from tallymark.decisions.reject import Ends, Region, reject_region
from tallymark.decisions.ways import Prices, Way
from tallymark.errors import OptionError
from tallymark.inference import Ranking
from tallymark.metrics import ask
from tallymark.tallies import Binary, Scores

_LAST_BITS = 4 * float(np.finfo(np.float64).eps)
MOST_LISTED = 30


@dataclass(frozen=True)
class Aim:
    """What is to be chosen for."""

    costs: Costs | None
    reject_cost: float | None
    constraints: tuple[Constraint, ...]
    objective: str
    """The metric to make best when there are no costs."""

    @property
    def prices(self) -> Prices | None:
        """The costs with those of declining as a third answer; None without costs."""
        if self.costs is None:
            return None
        return np.column_stack([self.costs, np.full(2, self.reject_cost or 0.0)])

    def value(self, counts: Binary) -> float | None:
        """Of the metric that is to be best; None where it is undefined."""
        asked = ask(self.objective)
        return finite(float(asked.metric(counts, *asked.parameters)))


@dataclass(frozen=True)
class Choice:
    """A threshold with its whole interval, or two of them with rows declined between."""

    best: Best
    region: Region | None = None
    others: tuple[Ends, ...] = ()
    """Other intervals that are as good, the highest first and not more than `MOST_LISTED`."""
    given: bool = False
    """Whether the threshold was named, and not looked for."""

    @property
    def way(self) -> Way:
        if self.region is None:
            return Way.cut(self.best.threshold)
        return Way(self.region.lower, self.region.upper)


def given(ranking: Ranking, aim: Aim, threshold: float) -> Choice:
    """Nothing is chosen: this threshold, and the interval of those that answer these rows alike."""
    scores = ranking.seen[0]
    if not scores.n:
        raise OptionError("there is nothing to try a threshold on: there are no rows.")
    place = row_at(scores, threshold)
    assert aim.costs is not None
    cost = float(paid(counts_at(scores, place), aim.costs))
    low = below(scores, place) if scores.exact else None
    return Choice(Best(threshold, cost, low, threshold_at(scores, place), 0), given=True)


def choose(ranking: Ranking, aim: Aim) -> Choice:
    """The best there is on these rows."""
    scores = ranking.seen[0]
    if not scores.n:
        raise OptionError("there is nothing to choose a threshold on: there are no rows.")
    keeping = allowed(ranking, aim.constraints)
    if aim.costs is None:
        metric = ThresholdCurve(scores, aim.objective)
        good = _best(metric, aim.constraints, keeping)
        best = best_of(scores, good, float(metric.value[good[0]]))
        return Choice(best, others=_others(scores, good))
    curve = ExpectedCost(scores, aim.costs)
    if aim.reject_cost is not None:
        region = reject_region(scores, aim.costs, aim.reject_cost)
        if region.rejected:
            low, high = region.alternatives.upper
            return Choice(Best(region.upper, region.cost, low, high, 0), region)
    good = curve.cheapest(keeping)
    return Choice(curve.best_among(good), others=_others(scores, good))


def _others(scores: Scores, good: NDArray[np.intp]) -> tuple[Ends, ...]:
    """All intervals of equally good thresholds but the highest."""
    runs = np.split(good, (np.flatnonzero(np.diff(good) > 1) + 1)[: MOST_LISTED + 1])
    return tuple(
        Ends(below(scores, int(run[-1])) if scores.exact else None, threshold_at(scores, int(run[0])))
        for run in runs[1 : MOST_LISTED + 1]
    )


def _best(
    curve: ThresholdCurve, constraints: Sequence[Constraint], keeping: NDArray[np.bool_] | None
) -> NDArray[np.intp]:
    """Where the metric is best among the thresholds that keep what is asked, highest threshold first."""
    if curve.no_best and not curve.undefined_throughout:
        raise OptionError(f"no threshold is best for {curve.metric}: {curve.no_best}.")
    values = curve.value if keeping is None else np.where(keeping, curve.value, np.nan)
    if np.isnan(values).all():
        raise _undefined(curve, constraints)
    sign = 1 if ask(curve.metric).metric.better == "higher" else -1
    highest = float(np.nanmax(sign * values))
    rounding = (_LAST_BITS if curve.scores.squares is None else DUST) * max(1.0, abs(highest))
    return np.flatnonzero(sign * values >= highest - rounding)


def _undefined(curve: ThresholdCurve, constraints: Sequence[Constraint]) -> OptionError:
    """That there is nothing to be best, at least not where bins meet."""
    kept = " and ".join(each.words for each in constraints)
    with_kept = f" with {kept}" if kept else ""
    if within_a_bin(curve.scores, constraints, ask(curve.metric)):
        return OptionError(
            f"{curve.metric} is undefined at every edge of a bin{with_kept}; at a threshold within a bin it "
            "may be defined.",
            hint=FINER,
        )
    if curve.no_best:
        return OptionError(f"no threshold is best for {curve.metric}: {curve.no_best}.")
    return OptionError(f"{curve.metric} is undefined at every threshold{with_kept}.")
