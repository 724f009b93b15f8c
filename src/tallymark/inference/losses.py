"""Which interval the losses of probabilities get.

Means of losses are skewed: a few rows lose much. Around such a mean the usual one, z standard errors to
either side, covered 0.86 instead of 0.95 at 20 rows. So Brier's, which has an upper limit, gets Wilson's
interval of as many rows as tell as much, and the logarithmic one an interval on the log scale. Measured
coverage, and where it falls short of its level: benchmarks/coverage_ranking.py.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallymark.inference.estimate import INDEPENDENT, EndsAt, Estimate, by_group, undefined
from tallymark.inference.sample import ONE_GROUP
from tallymark.inference.sets import UNLIKE
from tallymark.intervals import student_quantile, wilson_reaching, z_quantile
from tallymark.metrics import Asked, vocabulary
from tallymark.metrics.scores import NO_ROWS
from tallymark.tallies import GroupedSums, Label, Moments, Sums

SAME_LOSS = "all {} have the same loss, which shows no spread"
TINY = "the losses are too small for their squares to show a spread"
CARRIERS = 8
NO_ENDS = "a row or two make up nearly all of the weight, and the interval would have no end"
FEW = "few {} (about {:.2g}) make up most of the loss, so the interval may be too short"
_NO_SPREAD = 1e-12
_FARTHEST = 700.0
"""Powers of e beyond it leave what a float can hold."""
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
        return _kish(self.sums)

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
        mean, rows = moments.total / t.weight, _kish(t)
        parts = [each.around(name, mean) for each in self.classes or (self,) if each.there]
        squares = sum(part.squares for part in parts)
        of_rows = [part.squares / t.weight**2 * _corrected(part.rows) for part in parts]
        variance = sum(of_rows) if rows > _ONE else math.nan
        each = squares / t.weight_squares
        if self.groups is None:
            carriers = moments.total**2 / moments.squares if moments.squares else math.inf
            freedom = _welch(of_rows, [part.rows for part in parts], rows - 1)
            return LossSpread(mean, each, variance, rows, freedom, carriers)
        of_groups, freedom = _of_groups(parts, self.groups.keys)
        of_groups /= t.weight**2
        if of_groups < max(_NO_SPREAD * mean**2, _TINIEST):
            of_groups = 0.0  # rounding, not spread
        # A variance larger than that of as many independent rows takes away from what they are worth, but
        # even rows of a group that are all alike are worth one.
        design = max(1.0, of_groups / variance) if variance > 0 else math.inf
        weight, losses = self.groups.weight, getattr(self.groups, name)
        least = float(weight.sum()) ** 2 / float(weight @ weight)
        together = float(losses @ losses)
        carriers = moments.total**2 / together if together else math.inf
        return LossSpread(mean, each, of_groups, max(least, rows / design), freedom, carriers)

    @property
    def there(self) -> bool:
        """Whether there are any rows."""
        return isinstance(self.sums, Sums) and bool(self.sums.weight)

    def around(self, name: str, mean: float) -> _Part:
        """These losses less their mean.

        A class of one row or group shows no spread of its own: its distance from the mean of all must do.
        """
        t, groups = self.sums, self.groups
        assert isinstance(t, Sums)
        moments: Moments = getattr(t, name)
        rows, number = _kish(t), 0 if groups is None else int(np.count_nonzero(groups.weight))
        alone = rows <= _ONE or number == 1
        centre = mean if alone else moments.total / t.weight
        squares = moments.squares - 2 * centre * moments.weighted + centre**2 * t.weight_squares
        if squares < max(_NO_SPREAD * moments.squares, _TINIEST):
            squares = 0.0  # rounding, not spread
        totals = np.zeros(0) if groups is None else getattr(groups, name) - centre * groups.weight
        return _Part(squares, rows, () if groups is None else groups.keys, totals, number)


class _Part(NamedTuple):
    """Rows, of one class or of all, less a mean."""

    squares: float
    """w**2 (l - mean)**2"""
    rows: float
    """Kish's effective number."""
    keys: tuple[Label, ...]
    totals: NDArray[np.float64]
    """w (l - mean), added up by group."""
    groups: int
    """How many groups have rows of it."""


def _of_groups(parts: list[_Part], keys: tuple[Label, ...]) -> tuple[float, float]:
    """The sum of squares over groups, and its degrees of freedom; as `influence.spread_of` does."""
    together = np.zeros(len(keys))
    for part in parts:
        if part.keys == keys:
            together += part.totals
        else:  # groups without rows of the class were left out
            place = {key: position for position, key in enumerate(keys)}
            together[[place[key] for key in part.keys]] += part.totals
    own = [float(part.totals @ part.totals) for part in parts]
    every = _corrected(len(keys))
    sides = [
        each * (_corrected(part.groups) if part.groups > 1 else every)
        for each, part in zip(own, parts, strict=True)
    ]
    # What the classes of a group have in common.
    shared = (float(together @ together) - sum(own)) * every
    most = len(keys) - 1.0
    return max(0.0, sum(sides) + shared), min(most, _welch(sides, [part.groups for part in parts], most))


def _corrected(n: float) -> float:
    """As from one less: the mean they are measured from is theirs."""
    return n / (n - 1) if n > _ONE else 1.0


def _welch(variances: list[float], sizes: Sequence[float], otherwise: float) -> float:
    """Degrees of freedom of a sum of variances: the smallest class is the one that is unsure."""
    total = max(variances, default=0.0)
    if not total:
        return otherwise
    shares = [each / total for each in variances]
    unsure = sum(each**2 / max(1.0, n - 1) for each, n in zip(shares, sizes, strict=True))
    return float(sum(shares) ** 2 / unsure)


def _kish(t: Sums) -> float:
    return float(t.weight * (t.weight / t.weight_squares))


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
        return student_quantile(level, self.freedom)


def _why(t: Sums, *, shares_given: bool) -> str:
    if not t.weight:
        return vocabulary.reason(NO_ROWS, {"n": 0})
    rows, their = "rows", "their"
    if shares_given:  # the weights that this takes are nobody's
        pass
    elif t.weight != t.weight_squares:
        rows += f" that weigh {t.infinite:.4g}"
        if math.isclose(t.infinite**2, t.infinite_squares, rel_tol=1e-9):
            rows, their = f"1 row, of weight {t.infinite:.4g},", "its"
    else:
        rows, their = (f"{t.infinite:,.0f} rows", "their") if t.infinite > 1 else ("1 row", "its")
    return f"infinite: {rows} gave {their} actual class probability 0"


def _wilson(spread: LossSpread, most: float, scale: float, *, groups: bool) -> EndsAt:
    n = spread.worth(most)
    top = most * scale

    def ends(level: float) -> tuple[float, float]:
        quantile = spread.reach(level) if groups else z_quantile(level)
        low, high = wilson_reaching(spread.mean / most * n, n, quantile)
        return low * top, high * top

    return ends


def _log_scale(spread: LossSpread) -> EndsAt:
    def ends(level: float) -> tuple[float, float] | str:
        half = spread.reach(level) * math.sqrt(spread.variance) / spread.mean
        if half > _FARTHEST:
            return NO_ENDS
        return spread.mean * math.exp(-half), spread.mean * math.exp(half)

    return ends
