"""Two models that give the same rows a probability for each of several classes.

Means of areas: what every row does to both models' means, as inference/classes/influence.py has it for one.
The first k places: rows that only one of the models has among them, by Tango's interval. Losses: row by row.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tallymark.errors import MetricError
from tallymark.inference.classes import influence
from tallymark.inference.classes.places import placed
from tallymark.inference.classes.ranking import ClassRanking, by_shares, class_ranking
from tallymark.inference.estimate import Estimate, undefined
from tallymark.inference.losses import Losses
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
from tallymark.inference.paired_scores.losses import named_reason, paired_losses
from tallymark.inference.paired_scores.ranked import Floats, Rows, rows_of
from tallymark.inference.paired_scores.spread import of_means
from tallymark.intervals.tails import Alternative
from tallymark.metrics import Asked
from tallymark.metrics.classes import AREAS
from tallymark.tallies import GroupedSums, Label, Sums
from tallymark.tallies.sums import losses_of_probabilities

OF_GROUPS = "Tango's of as many rows as there are groups"


@dataclass(frozen=True, eq=False)
class PairedClasses:
    """Made by `paired_classes`; every difference is that of the first model less the second."""

    tables: tuple[NDArray[Any], NDArray[Any]]
    classes: NDArray[np.intp]
    labels: tuple[Label, ...]
    rows: Rows
    level: float
    clip: float
    names: tuple[str, str]

    def of(self, asked: Asked) -> Estimate:
        """The difference of a number, a - b, with its interval."""
        return self._compared(asked)[0]

    def tested(self, asked: Asked, alternative: Alternative = "two-sided") -> Evidence:
        """Against no difference: the statistic, and the p-value that goes with the interval."""
        gap = self._compared(asked)[1]
        return Evidence(None, None) if gap is None else gap.tested(alternative)

    def _compared(self, asked: Asked) -> tuple[Estimate, Gap | None]:
        if asked.name not in self._found:
            about = asked.metric.about
            if about not in ("losses", "classes"):
                raise MetricError(f"{asked.name!r} is no number of one probability per class.")
            self._found[asked.name] = self._of_losses(asked) if about == "losses" else self._of_classes(asked)
        return self._found[asked.name]

    @cached_property
    def _found(self) -> dict[str, tuple[Estimate, Gap | None]]:
        return {}

    # --- means of areas, and the first places ---------------------------------------------------

    @cached_property
    def models(self) -> tuple[ClassRanking, ClassRanking]:
        """Either model by itself."""
        group = None if self.rows.group is None else (range(self.rows.group[0]), self.rows.group[1])
        a, b = (
            class_ranking(
                table,
                self.classes,
                labels=self.labels,
                level=self.level,
                weight=self.rows.weight,
                weight_kind="frequency" if self.rows.frequency else "sampling",
                group=group,
            )
            for table in self.tables
        )
        return a, b

    def _of_classes(self, asked: Asked) -> tuple[Estimate, Gap | None]:
        a, b = (model.of(asked) for model in self.models)
        lacking = named_reason((a, b), self.names)
        if lacking is not None:
            return undefined(lacking, self.level), None
        value = float(a) - float(b)
        # What is remarkable of either model's interval is of no concern here.
        averaged = self.models[0].averaged(asked)
        made = Estimate(value, self.level, assumption=a.assumption, remark=averaged)
        if a.low is None:
            return replace(made, remark=a.remark), None
        made = replace(made, n=self.models[0].n)
        if asked.metric.name in AREAS:
            gap = self._areas(asked, value, a, b)
        else:
            gap = self._places(int(asked.parameters[0]), value)
        return gap.estimate(made), gap

    def _areas(self, asked: Asked, value: float, a: Estimate, b: Estimate) -> Gap:
        which = AREAS.index(asked.metric.name)
        spread = self._area_spreads[which]
        grouped = self.rows.group is not None
        method = "linearised_groups" if grouped else "linearised"
        gap = Gap(value, spread.variance, spread.freedom, method=method, widest=1.0)
        if np.array_equal(*self.tables):
            same = SAME.format("give the same probabilities")
            return replace(gap, value=0.0, variance=0.0, same=True, remark=same)
        own = [model.areas[which] for model in self.models]
        carriers = most_of(spread.carriers, (own[0].carriers, own[1].carriers))

        def limits() -> Limits | None:
            return mover(a, b, correlated(own[0].variance, own[1].variance, spread.variance))

        return weighed(gap, carriers, "groups" if grouped else "rows", limits)

    @cached_property
    def _area_spreads(self) -> list[influence.ClassSpread]:
        group = self.rows.group
        rows = influence.Rows(
            self.classes,
            None if self.rows.weight is None else self.rows.weight.astype(float),
            self.rows.frequency,
            None if group is None else (group[0], group[1].astype(np.intp)),
            len(self.labels),
        )
        support = rows.per_class(rows.weight)
        given = support / support.sum()
        counts = influence.counting(given)
        one, two = (influence.passed(table, rows, support, counts)[1] for table in self.tables)
        shares = by_shares(self.models[0].ranks, given) - by_shares(self.models[1].ranks, given)
        # Classes of one row show no spread: what they could have, a gap of 1 in every area they are in.
        largest = [count.sum(axis=1) + count.sum(axis=0) for count in counts]
        return [
            influence.spread_of(rows, support, *each) for each in zip(one - two, shares, largest, strict=True)
        ]

    def _places(self, k: int, value: float) -> Gap:
        """Rows that one of the models has among the first k and the other has not."""
        from tallymark.intervals.paired_differences import tango

        a, b = (placed(table, self.classes) < k for table in self.tables)
        rows, amounts = self.rows, self.rows.times_weight(np.ones(len(a)))
        only_a, only_b = (float(amounts[each].sum() / amounts.sum()) for each in (a & ~b, b & ~a))

        def of(n: float) -> Limits:
            return lambda level: tango(only_a * n, only_b * n, n, level)

        if rows.group is None:
            n = rows.effective()
            score = (only_a - only_b) * math.sqrt(n / (only_a + only_b)) if only_a + only_b else 0.0
            return Gap(value, math.nan, limits=of(n), score=score, method="tango")
        spread = of_means(rows, a.astype(float) - b)
        sizes = np.bincount(rows.group[1], amounts, rows.group[0])
        # Even rows of a group that are all alike are worth one.
        worth = float(sizes.sum()) ** 2 / float(sizes @ sizes)
        gap = Gap(value, spread.variance, spread.freedom, method="paired_t_groups", widest=1.0)
        return weighed(gap, spread.carriers, "groups", lambda: of(worth), "tango_groups", OF_GROUPS)

    # --- losses ---------------------------------------------------------------------------------

    def _of_losses(self, asked: Asked) -> tuple[Estimate, Gap | None]:
        def each(*, logarithmic: bool) -> tuple[Floats, Floats]:
            a, b = (losses_of_probabilities(table, self.classes, self.clip) for table in self.tables)
            return a[int(logarithmic)], b[int(logarithmic)]

        return paired_losses(asked, self.rows, self._losses, self.names, each)

    @cached_property
    def _losses(self) -> tuple[Losses, Losses]:
        rows = self.rows
        kind: Literal["sampling", "frequency"] = "frequency" if rows.frequency else "sampling"
        made = []
        for table in self.tables:
            sums = Sums.of_probabilities(table, self.classes, rows.weight, kind, None, self.clip)
            groups = None
            if rows.group is not None:
                keys = tuple(range(rows.group[0]))
                groups = GroupedSums.of_probabilities(
                    table, self.classes, rows.weight, rows.group[1], keys, self.clip
                )
            made.append(Losses(sums, self.level, groups))
        return made[0], made[1]


def paired_classes(
    table_a: NDArray[Any],
    table_b: NDArray[Any],
    classes: NDArray[Any],
    *,
    labels: Sequence[Label],
    level: float = 0.95,
    weight: NDArray[Any] | None = None,
    weight_kind: Literal["sampling", "frequency"] = "sampling",
    groups: tuple[int, NDArray[Any]] | None = None,
    clip: float = 0.0,
    names: tuple[str, str] = ("a", "b"),
) -> PairedClasses:
    """From one probability per row and class of either model, and the position of each row's class."""
    positions = np.asarray(classes).astype(np.intp)
    rows, seen = rows_of(np.zeros(len(positions), np.bool_), weight, weight_kind, groups)
    tables = np.asarray(table_a)[seen], np.asarray(table_b)[seen]
    return PairedClasses(tables, positions[seen], tuple(labels), rows, level, clip, names)
