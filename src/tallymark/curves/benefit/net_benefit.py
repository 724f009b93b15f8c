"""How sure a net benefit is.

It is the share of all rows that are true positives less a multiple of the share that are false positives.
Each share gets Wilson's interval, and the two are put together as Zou and Donner (2008), Statistics in
Medicine 27:1693, do for a difference of dependent shares. A mean and 1.96 standard errors would be too narrow
where few rows are called positive. Measured coverage: benchmarks/coverage_decision_curve.py.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tallymark.intervals import student_quantile, wilson_reaching, z_quantile
from tallymark.tallies import GroupedScores, Scores

Floats = NDArray[np.float64]
_DUST = 1e-12


@dataclass(frozen=True)
class Share:
    """True or false positives among the rows they are counted in, and as how many rows those are worth."""

    value: float
    rows: float
    scale: float
    """What the share counts for in the net benefit."""

    def below_and_above(self, reach: float) -> tuple[float, float]:
        """How far its interval goes to either side."""
        low, high = wilson_reaching(self.value * self.rows, self.rows, reach)
        return self.scale * (self.value - low), self.scale * (high - self.value)


@dataclass(frozen=True)
class NetBenefit:
    """Scaled true positives less scaled false positives."""

    gained: Share
    lost: Share
    correlation: float

    @property
    def value(self) -> float:
        return self.gained.scale * self.gained.value - self.lost.scale * self.lost.value

    def interval(self, reach: float) -> tuple[float, float]:
        """So many standard errors to either side."""
        below, above = self.gained.below_and_above(reach)
        fewer, more = self.lost.below_and_above(reach)
        return self.value - self._together(below, more), self.value + self._together(above, fewer)

    def _together(self, one: float, two: float) -> float:
        return math.sqrt(max(0.0, one * one + two * two - 2 * self.correlation * one * two))


def intervals(
    rows: Scores | GroupedScores,
    places: Sequence[int],
    odds: Sequence[float],
    share: float | None,
    level: float,
) -> Iterator[tuple[float, float]]:
    """At some of the cuts, with the odds of the threshold; of groups the places must go up."""
    if isinstance(rows, Scores):
        found, reach = of_rows(rows, places, odds, share), z_quantile(level)
    else:
        found, reach = of_groups(rows, places, odds, share), _reach_of_groups(rows, share, level)
    return (each.interval(reach) for each in found)


def seen_from_the_other_class(rows: Scores | GroupedScores) -> Scores | GroupedScores:
    """The rows that are not acted on are the ones called, and negatives are what is looked for."""
    if isinstance(rows, Scores):
        return rows.reversed()
    total = rows.total.reversed()
    place = len(total.score) - 1 - rows.place
    return GroupedScores(total, rows.keys, rows.group, place, rows.negatives, rows.positives)


def _reach_of_groups(groups: GroupedScores, share: float | None, level: float) -> float:
    """Standard errors from the value to its ends: groups may be few, so as many as Student says."""
    sizes = _sizes(groups, share)
    fewest = min(int(np.count_nonzero(size)) for size in sizes)
    return student_quantile(level, max(1, fewest - 1))


def of_rows(
    scores: Scores, places: Sequence[int], odds: Sequence[float], share: float | None
) -> Iterator[NetBenefit]:
    """At some of the cuts, with the odds of the threshold; with weights rows are Kish's effective number."""
    whole = _whole(scores, share)
    rows = scores.effective if share is not None else (_effective(scores),) * 2
    for place, weight in zip(places, odds, strict=True):
        tp, fp = scores.tp[place].item() / whole[0], scores.fp[place].item() / whole[1]
        scales = (1.0, weight) if share is None else (share, (1 - share) * weight)
        # Rows that are the one cannot be the other; rows of two classes have nothing to do with each other.
        room = (1 - tp) * (1 - fp)
        together = -math.sqrt(tp * fp / room) if share is None and room > 0 else 0.0
        gained, lost = (Share(*each) for each in zip((tp, fp), rows, scales, strict=True))
        yield NetBenefit(gained, lost, together)


def of_groups(
    groups: GroupedScores, places: Sequence[int], odds: Sequence[float], share: float | None
) -> Iterator[NetBenefit]:
    """The same where the rows of a group belong together: a share is worth as many rows as its variance
    over groups says. The places must go up."""
    alone = of_rows(groups.total, places, odds, share)
    sizes, whole = _sizes(groups, share), _whole(groups.total, share)
    # Even rows of a group that are all alike are worth one.
    least = [float(size.sum()) ** 2 / float(size @ size) for size in sizes]
    alike = _design_of_classes(groups)
    for found, called in zip(alone, _called(groups, places), strict=True):
        shares = found.gained, found.lost
        residuals = [
            (each - part.value * size) / total
            for each, part, size, total in zip(called, shares, sizes, whole, strict=True)
        ]
        variances = [_covariance(each, each, size, size) for each, size in zip(residuals, sizes, strict=True)]
        designs = [_design(*each) for each in zip(shares, variances, strict=True)]
        gained, lost = (
            Share(part.value, max(few, part.rows / (design or alike)), part.scale)
            for part, design, few in zip(shares, designs, least, strict=True)
        )
        together = 0.0
        if None not in designs:
            together = _covariance(*residuals, *sizes) / math.sqrt(variances[0] * variances[1])
        yield NetBenefit(gained, lost, max(-1.0, min(1.0, together)))


def _called(groups: GroupedScores, places: Sequence[int]) -> Iterator[tuple[Floats, Floats]]:
    """True and false positives of every group at some cuts, from the highest threshold down."""
    order = np.argsort(groups.place, kind="stable")
    stops = np.searchsorted(groups.place[order], places)
    totals = np.zeros(len(groups)), np.zeros(len(groups))
    start = 0
    for stop in stops.tolist():
        entries = order[start:stop]
        start = stop
        for total, counts in zip(totals, (groups.positives, groups.negatives), strict=True):
            total += np.bincount(groups.group[entries], weights=counts[entries], minlength=len(groups))
        yield totals


def _design(part: Share, variance: float) -> float | None:
    """How many times its variance is that of as many independent rows, at least once; None without one."""
    alone = part.value * (1 - part.value) / part.rows
    # Sums of weights that should be equal differ in their last bits.
    known = min(part.value, 1 - part.value) > _DUST and variance > _DUST * alone
    return max(1.0, variance / alone) if known else None


def _design_of_classes(groups: GroupedScores) -> float:
    """How much the rows of a group are of one class: for what no row, or every row, is."""
    total = groups.total
    rows, _ = _sizes(groups, None)
    positives = Share(total.prevalence, _effective(total), 1.0)
    ones, zeros = np.ones(len(total.score)), np.zeros(len(total.score))
    residuals = (groups.per_group(ones, zeros) - positives.value * rows) / total.n
    return _design(positives, _covariance(residuals, residuals, rows)) or math.inf


def _covariance(one: Floats, two: Floats, *sizes: Floats) -> float:
    """Of two shares over groups, as from one group less."""
    groups = min(int(np.count_nonzero(size)) for size in sizes)
    return float(one @ two) * groups / max(1, groups - 1)


def _sizes(groups: GroupedScores, share: float | None) -> tuple[Floats, Floats]:
    """Of every group, the rows that true and that false positives are counted in."""
    one, none = np.ones(len(groups.total.score)), np.zeros(len(groups.total.score))
    if share is None:
        rows = groups.per_group(one, one)
        return rows, rows
    return groups.per_group(one, none), groups.per_group(none, one)


def _whole(scores: Scores, share: float | None) -> tuple[float, float]:
    return (scores.n, scores.n) if share is None else (scores.n_positive, scores.n_negative)


def _effective(scores: Scores) -> float:
    """Kish's effective number of all rows (Kish 1965)."""
    if scores.squares is None:
        return float(scores.n)
    return float(scores.n**2 / sum(side.sum() for side in scores.squares))
