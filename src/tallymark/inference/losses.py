"""Which interval the losses of probabilities get.

Means of losses are skewed: a few rows lose much. Around such a mean the usual one, z standard errors to
either side, covered 0.86 instead of 0.95 at 20 rows. So Brier's, which has an upper limit, gets Wilson's
interval of as many rows as tell as much, and the logarithmic one an interval on the log scale. Measured
coverage, and where it falls short of its level: benchmarks/coverage_ranking.py.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import NamedTuple

from tallymark.inference.estimate import INDEPENDENT, EndsAt, Estimate, undefined
from tallymark.inference.sample import ONE_GROUP, by_group
from tallymark.inference.sets import UNLIKE
from tallymark.intervals import wilson_reaching, z_quantile
from tallymark.metrics import Asked, vocabulary
from tallymark.metrics.scores import NO_ROWS
from tallymark.tallies import GroupedSums, Moments, Sums

SAME_LOSS = "all {} have the same loss, which shows no spread"
TINY = "the losses are too small for their squares to show a spread"
CARRIERS = 8
FEW = "few {} (about {:.2g}) make up most of the loss, so the interval may be too short"
_NO_SPREAD = 1e-12
_TINIEST = 1e-280
"""Below it squares of losses lose their digits, and soon they are 0."""
_ONE = 1 + 1e-9
"""Kish's number of one row is 1 but for rounding."""


@dataclass(frozen=True)
class Losses:
    """The losses of all rows added up, and what else an estimate depends on."""

    sums: Sums | str
    """Or why there are none."""
    level: float = 0.95
    groups: GroupedSums | None = None
    """The losses of every group, when rows belong together: then groups are what is independent."""
    classes: tuple[Losses, ...] = ()
    """The losses of every class apart, when the shares of the classes are given: then how many rows are of
    a class is no matter of chance, and rows spread around the mean of their class."""

    def of(self, asked: Asked) -> Estimate:
        """Any number about these probabilities."""
        if isinstance(self.sums, str):
            return undefined(self.sums, self.level)
        value = asked.metric(self.sums)
        if math.isnan(value):
            return undefined(_why(self.sums, shares_given=bool(self.classes)), self.level)
        made = Estimate(value, self.level, assumption=self.assumption)
        if self.groups is not None and len(self.groups) < 2:
            return replace(made, remark=ONE_GROUP)
        most = self.sums.most
        scale = 1 / most if asked.metric.name == "brier_half" else 1.0
        spread = self.spread(asked)
        units = "rows" if self.groups is None else "groups"
        if asked.metric.name != "log_loss":
            ends = _wilson(spread, most, scale, groups=self.groups is not None)
        elif spread.variance > 0:
            ends = _log_scale(spread)
        else:
            tiny = self.sums.log_loss.total > 0 and self.sums.log_loss.squares < _TINIEST
            return replace(made, remark=TINY if tiny else SAME_LOSS.format(units))
        method = asked.metric.interval if self.groups is None else f"{asked.metric.interval}_groups"
        se = None if math.isnan(spread.variance) else scale * math.sqrt(spread.variance)
        few = None if spread.carriers >= CARRIERS else FEW.format(units, spread.carriers)
        return replace(made, method=method, n=self.n, ends_at=ends, se=se, remark=few)

    @property
    def n(self) -> float:
        """Rows that an interval stands on; with weights, Kish's effective number of them."""
        assert isinstance(self.sums, Sums)
        if self.groups is not None:
            return self.sums.rows
        return self.sums.weight * (self.sums.weight / self.sums.weight_squares)

    @property
    def assumption(self) -> str:
        """What the intervals take for granted."""
        if self.groups is not None:
            return by_group(len(self.groups))
        assert isinstance(self.sums, Sums)
        kish = "; n is Kish's effective number of them"
        return INDEPENDENT if self.sums.weight == self.sums.weight_squares else INDEPENDENT + kish

    def spread(self, asked: Asked) -> LossSpread:
        """How far the mean loss spreads."""
        t, name = self.sums, "log_loss" if asked.metric.name == "log_loss" else "brier"
        assert isinstance(t, Sums)
        moments: Moments = getattr(t, name)
        mean = moments.total / t.weight
        squares = moments.squares - 2 * mean * moments.weighted + mean**2 * t.weight_squares
        squares = max(0.0, squares) if squares > _NO_SPREAD * moments.squares else 0.0
        rows = t.weight * (t.weight / t.weight_squares)
        of_rows = squares / t.weight**2 * rows / (rows - 1) if rows > 1 + 1e-9 else math.nan
        each = squares / t.weight_squares
        if self.groups is None:
            carriers = moments.total**2 / moments.squares if moments.squares else math.inf
            return LossSpread(mean, each, of_rows, rows, rows - 1, carriers)
        groups, weight, losses = len(self.groups), self.groups.weight, getattr(self.groups, name)
        totals = (losses - mean * weight) / t.weight
        variance = float(totals @ totals) * groups / (groups - 1)
        if variance < _NO_SPREAD * mean**2:
            variance = 0.0  # rounding, not spread
        # A variance larger than that of as many independent rows takes away from what they are worth, but
        # even rows of a group that are all alike are worth one.
        design = max(1.0, variance / of_rows) if of_rows > 0 else math.inf
        least = float(weight.sum()) ** 2 / float(weight @ weight)
        together = float(losses @ losses)
        carriers = moments.total**2 / together if together else math.inf
        return LossSpread(mean, each, variance, max(least, rows / design), groups - 1.0, carriers)


class LossSpread(NamedTuple):
    """What rows or groups say of the spread of a mean loss."""

    mean: float
    each: float
    """Variance of the loss of one row."""
    variance: float
    """Variance of the mean; NaN of one row."""
    rows: float
    """As many independent rows would tell as much."""
    freedom: float
    carriers: float
    """How many rows or groups the loss is spread over."""

    def worth(self, most: float) -> float:
        """How many rows that lose nothing or everything would tell as much about the mean.

        As for means of other numbers between two ends: inference/sets.py.
        """
        mean = self.mean / most
        largest = mean * (1 - mean)
        if largest < _NO_SPREAD:
            return self.rows
        variance = self.each / most**2
        return self.rows * largest * (self.rows + UNLIKE) / (self.rows * variance + UNLIKE * largest)

    def reach(self, level: float) -> float:
        """Standard errors from the middle to the ends, as many as Student says."""
        from scipy.special import stdtrit

        return float(stdtrit(self.freedom, (1 + level) / 2))


def _why(t: Sums) -> str:
    if not t.weight:
        return vocabulary.reason(NO_ROWS, {"n": 0})
    if isinstance(t.infinite, int):
        rows, their = (f"{t.infinite:,} rows", "their") if t.infinite > 1 else ("1 row", "its")
    else:
        rows, their = f"rows that weigh {t.infinite:.4g}", "their"
    return f"infinite: {rows} gave {their} true class probability 0"


def _wilson(spread: LossSpread, most: float, scale: float, *, groups: bool) -> EndsAt:
    n = spread.worth(most)
    top = most * scale

    def ends(level: float) -> tuple[float, float]:
        quantile = spread.reach(level) if groups else z_quantile(level)
        low, high = wilson_reaching(spread.mean / most * n, n, quantile)
        return low * top, high * top

    return ends


def _log_scale(spread: LossSpread) -> EndsAt:
    def ends(level: float) -> tuple[float, float]:
        half = spread.reach(level) * math.sqrt(spread.variance) / spread.mean
        return spread.mean * math.exp(-half), spread.mean * math.exp(half)

    return ends
