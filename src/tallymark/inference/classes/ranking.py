"""Which interval the numbers about all classes at once get.

Means of areas: the variance of the rows' influences, on the logit scale. Where it rests on few rows the wider
of this interval and one that takes its variance from the mean alone, as Newcombe (2006, method 5) does for a
single area: as if all areas were equal. Where there is no variance at all, as at a mean of 1, the latter. For
two classes that is what the area under the ROC curve gets. The first k places: Wilson's of a share of rows.
Measured coverage: benchmarks/coverage_classes.py.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallymark.inference.classes.influence import (
    Floats,
    Rows,
    counting,
    passed,
    spread_of,
)
from tallymark.inference.classes.places import TopSpread, placed, top_spreads
from tallymark.inference.estimate import INDEPENDENT, Estimate, by_group, undefined
from tallymark.inference.ranking import CARRIERS, NO_SPREAD
from tallymark.inference.sample import ONE_GROUP
from tallymark.intervals import logit_bounds, student_quantile, wilson_reaching
from tallymark.intervals.proportions import bisect
from tallymark.metrics import Asked, vocabulary
from tallymark.metrics.classes import AREAS, words_of
from tallymark.tallies.class_ranks import ClassRanks
from tallymark.tallies.labels import Label, listed

ALIKE = "as if all areas were equal (after Newcombe 2006, method 5)"
NO_VARIANCE = "complete separation shows no variance, so the interval is made {}"
ALL_ALIKE = "rows are all ranked alike, which shows no variance, so the interval is made {}"
WIDER = "so the interval is the wider of this and one made {}"
NO_PAIRS = "it compares rows of every two classes, and the rows were not kept"
TOGETHER = (
    "how the areas of classes go together takes rows, which were not kept, so its standard error is taken "
    "as the largest it can be"
)
ALL_PLACES = "every class is among the first {k} of {size}, so it is 1 whatever the probabilities"


EndsAt = Callable[..., tuple[float, float]]
"""Both ends at a level, for the mean at hand or another one."""


class AreaSpread(NamedTuple):
    """What the interval of a mean of areas is made of."""

    variance: float
    carriers: float
    freedom: float
    by_rows: float
    by_pairs: float
    """How much rows, and pairs of rows, add to the variance where all areas are equal."""

    def variance_at(self, area: float) -> float:
        """The variance of a mean of areas that all have this value; of two classes Newcombe's (2006)."""
        part = (1 - area) / (2 - area) + area / (1 + area)
        return area * (1 - area) * (self.by_rows * part + self.by_pairs * (1 - part))


@dataclass(frozen=True, eq=False)
class ClassRanking:
    """Rows ranked by the score of every class, and what else estimates need; `class_ranking` makes it."""

    ranks: ClassRanks
    level: float
    rows: int
    effective: float
    """Kish's effective number of rows, of every class, added up; without weights, how many rows."""
    weighted: bool
    groups: int | None
    """How many groups there are, when rows belong together: then groups are what is independent."""
    areas: tuple[AreaSpread, ...]
    """In the order of `metrics.classes.AREAS`; none without rows of two classes."""
    tops: tuple[TopSpread, ...]
    """Of the first place, the first two and so on."""
    apart: bool = False
    """Whether only classes against the rest were counted, so that pairs of classes are not known."""
    bounds: tuple[tuple[float, float] | None, ...] = ()
    """Certified ranges of means of areas, where scores were counted in bins."""

    @property
    def assumption(self) -> str:
        """What the intervals take for granted."""
        if self.groups is not None:
            return by_group(self.groups)
        kish = "; n is Kish's effective number of them in every class, added up"
        return INDEPENDENT + kish if self.weighted else INDEPENDENT

    @property
    def n(self) -> float:
        """Rows that an interval stands on."""
        return self.effective if self.groups is None else self.rows

    def of(self, asked: Asked) -> Estimate:
        """Any number about the probabilities of all classes."""
        metric, t = asked.metric, self.ranks
        if self.apart and metric.name in AREAS[2:] and t.there.sum() > 1:
            return undefined(NO_PAIRS, self.level)
        value = metric(t, *asked.parameters)
        if math.isnan(value):
            return undefined(vocabulary.reason(metric.undefined, words_of(t)), self.level)
        made = Estimate(float(value), self.level, assumption=self.assumption, remark=self.averaged(asked))
        if metric.name not in AREAS and asked.parameters[0] >= len(t.labels):
            said = ALL_PLACES.format(k=int(asked.parameters[0]), size=len(t.labels))
            return replace(made, remark=said)
        if self.groups is not None and self.groups < 2:
            return replace(made, remark=_joined(made.remark, ONE_GROUP))
        if metric.name in AREAS:
            which = AREAS.index(metric.name)
            made = replace(made, bounds=self.bounds[which] if self.bounds else None)
            return self._mean_of_areas(made, self.areas[which])
        return self._share_of_rows(made, self.tops[int(asked.parameters[0]) - 1])

    def averaged(self, asked: Asked) -> str | None:
        """Which classes are left out of a mean."""
        there = self.ranks.there
        if there.all() or asked.metric.name not in AREAS:
            return None
        without = [label for label, has in zip(self.ranks.labels, there.tolist(), strict=True) if not has]
        return f"{int(there.sum())} of {len(there)} classes; no row is of {listed(without)[1:-1]}"

    def _mean_of_areas(self, made: Estimate, spread: AreaSpread) -> Estimate:
        value = float(made)

        def linearised(level: float, mean: float = value) -> tuple[float, float]:
            return logit_bounds(mean, math.sqrt(spread.variance), student_quantile(level, spread.freedom))

        def equal(level: float, mean: float = value) -> tuple[float, float]:
            return alike_bounds(mean, spread, student_quantile(level, spread.freedom))

        def wider(level: float, mean: float = value) -> tuple[float, float]:
            (low, high), (lower, higher) = linearised(level, mean), equal(level, mean)
            return min(low, lower), max(high, higher)

        method, note = "linearised", None
        ends: EndsAt = linearised
        if not 0 < value < 1 or spread.variance <= NO_SPREAD:
            note = (ALL_ALIKE if 0 < value < 1 else NO_VARIANCE).format(ALIKE)
            method, ends = "newcombe", equal
        elif not spread.carriers >= CARRIERS:
            what = "rows" if self.groups is None else "groups"
            few = f"its variance rests on few {what} (about {spread.carriers:.2g})"
            note, ends = f"{few}, {WIDER.format(ALIKE)}", wider
        known = not self.apart and spread.variance > NO_SPREAD
        return replace(
            made,
            method=method if self.groups is None else f"{method}_groups",
            n=self.n,
            remark=_joined(made.remark, TOGETHER if self.apart and method == "linearised" else None, note),
            ends_at=ends if made.bounds is None else _around(value, made.bounds, ends, equal),
            se=math.sqrt(spread.variance) if known else None,
        )

    def _share_of_rows(self, made: Estimate, spread: TopSpread) -> Estimate:
        value = float(made)
        return replace(
            made,
            method="wilson" if self.groups is None else "wilson_groups",
            n=self.n,
            ends_at=lambda level: wilson_reaching(
                value * spread.worth, spread.worth, student_quantile(level, spread.freedom)
            ),
            se=math.sqrt(spread.variance) if spread.variance > NO_SPREAD else None,
        )


def _joined(*parts: str | None) -> str | None:
    return "; ".join(part for part in parts if part) or None


def _around(value: float, bounds: tuple[float, float], ends: EndsAt, equal: EndsAt) -> EndsAt:
    """Wherever the exact value lies within its bounds, its interval is within this one.

    It reaches as far from the bounds as from the value, or farther: towards the middle a mean spreads more.
    """

    def moved(level: float) -> tuple[float, float]:
        low, high = ends(level)
        found = [(bounds[0] - (value - low), bounds[1] + (high - value))]
        for end in bounds:
            inward = end * (1 - end) >= value * (1 - value)
            found.append((ends if inward else equal)(level, end))
        return max(0.0, min(each[0] for each in found)), min(1.0, max(each[1] for each in found))

    return moved


def alike_bounds(value: float, spread: AreaSpread, quantile: float) -> tuple[float, float]:
    """The means that are so many of their own standard errors away from the one at hand."""

    def too_far(other: float) -> bool:
        return abs(value - other) > quantile * math.sqrt(spread.variance_at(other))

    low = bisect(too_far, 0.0, value) if value > 0 else 0.0
    high = 1 - bisect(lambda gap: too_far(1 - gap), 0.0, 1 - value) if value < 1 else 1.0
    return low, high


# --- from rows ---------------------------------------------------------------------------------


def class_ranking(
    table: NDArray[Any],
    classes: NDArray[Any],
    *,
    labels: Sequence[Label],
    level: float = 0.95,
    weight: NDArray[Any] | None = None,
    weight_kind: Literal["sampling", "frequency"] = "sampling",
    group: tuple[Sequence[Label], NDArray[Any]] | None = None,
    shares: NDArray[np.float64] | None = None,
) -> ClassRanking:
    """From one score per row and class, and the position of each row's class among the labels.

    `group` is the groups and which of them each row is of; `shares` those of the classes to answer for, when
    they are not the sample's own.
    """
    size = len(labels)
    rows = Rows(
        np.asarray(classes).astype(np.intp),
        None if weight is None else np.asarray(weight, float),
        weight_kind == "frequency",
        None if group is None else (len(group[0]), np.asarray(group[1]).astype(np.intp)),
        size,
    )
    support = rows.per_class(rows.weight)
    given = _given(support, shares)
    counts = counting(given) if np.count_nonzero(given) > 1 else np.zeros((len(AREAS), size, size))
    won, parts = passed(table, rows, support, counts)
    place = placed(table, rows.classes)
    seen = ClassRanks(tuple(labels), support, won, np.bincount(place, rows.weight, size))
    ranks = seen if shares is None else _under(seen, given, rows, place)
    spreads = _area_spreads(rows, support, ranks, given, counts, parts, fixed=shares is not None)
    return ClassRanking(
        ranks,
        level,
        rows=rows.number,
        effective=float(rows.effective.sum()),
        weighted=weight is not None and weight_kind == "sampling",
        groups=rows.groups,
        areas=spreads,
        tops=top_spreads(rows, place, given if shares is not None else None),
    )


def _under(seen: ClassRanks, shares: Floats, rows: Rows, place: NDArray[np.intp]) -> ClassRanks:
    """The same areas, with the counts to expect when classes have other shares."""
    support = shares * seen.n
    factor = np.divide(support, seen.support, out=np.zeros(rows.size), where=seen.there)
    places = np.bincount(place, rows.times_weight(factor[rows.classes]), rows.size)
    won = np.nan_to_num(seen.areas) * np.multiply.outer(support, support)
    return ClassRanks(seen.labels, support, won, places)


def _given(support: Floats, shares: NDArray[np.float64] | None) -> Floats:
    """The shares of the classes that have rows, adding up to 1."""
    seen = np.where(support > 0, support if shares is None else shares, 0.0)
    return seen / seen.sum() if seen.sum() else seen


def _area_spreads(
    rows: Rows,
    support: Floats,
    ranks: ClassRanks,
    given: Floats,
    counts: Floats,
    parts: Floats,
    *,
    fixed: bool,
) -> tuple[AreaSpread, ...]:
    if not counts.any():
        return ()
    areas = np.nan_to_num(ranks.areas)
    deviation = np.sqrt(areas * (1 - areas).clip(0))
    of_class = np.zeros((len(counts), rows.size)) if fixed else by_shares(ranks, given)
    made = []
    for count, part, own in zip(counts, parts, of_class, strict=True):
        largest = (count * deviation).sum(axis=1) + (count * deviation).sum(axis=0)
        spread = spread_of(rows, support, part, own, largest)
        variance = max(0.0, spread.variance)
        made.append(AreaSpread(variance, spread.carriers, spread.freedom, *alike(count, spread.worth)))
    return tuple(made)


def by_shares(ranks: ClassRanks, given: Floats) -> Floats:
    """What one more row of a class does to each of the means by changing the shares of the classes."""
    size, there = len(given), ranks.there
    alone = np.nan_to_num(ranks.one_vs_rest)
    # A row more of class c changes the mix that another class i is set against.
    mix = np.where(np.isnan(ranks.areas), 0.0, ranks.areas - alone[:, None])
    mix = np.divide(mix, (1 - given)[:, None], out=np.zeros((size, size)), where=(given < 1)[:, None])
    both = np.nan_to_num((ranks.areas + ranks.areas.T) / 2).sum(axis=1) / max(1, there.sum() - 1)
    means = (
        mix[there].sum(axis=0) / there.sum(),
        given @ mix + alone - given @ alone,
        np.zeros(size),
        both - given @ both,
    )
    return np.where(there, np.stack(means), 0.0)


def alike(count: Floats, worth: Floats) -> tuple[float, float]:
    """What `AreaSpread.variance_at` needs, when every class's rows are worth so many.

    How the areas that a row takes part in hang together is not known, so they are taken to go together. What
    is known is that rows are independent of each other.
    """
    each = np.divide(1.0, worth, out=np.zeros(len(worth)), where=worth > 0)
    of_row = count.sum(axis=1) + count.sum(axis=0)
    of_pair = np.triu(count + count.T, 1)
    return float(each @ of_row**2) / 2, float(each @ of_pair**2 @ each)
