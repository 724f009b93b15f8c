"""Which interval each number about label sets gets.

Rows are the independent units, not the yes-or-no answers inside them: 20 labels of one row are one row.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark.inference import closed
from tallymark.inference.averages import averaged
from tallymark.inference.draws import Drawn
from tallymark.inference.estimate import INDEPENDENT, EndsAt, Estimate, by_group, undefined
from tallymark.inference.label_correlations import correlations
from tallymark.inference.sample import LARGEST, ONE_GROUP, Sample
from tallymark.inference.set_draws import Groups, drawn_sets, grouped_label
from tallymark.metrics import Asked, Metric, plainly, vocabulary
from tallymark.metrics.label_sets import ROW_VALUES, conventions
from tallymark.tallies import Binary, Label, LabelSets, SetSizes
from tallymark.tallies.labels import listed

SEVERAL = "rows have several labels"
CONSERVATIVE = "conservative: the mean of the labels' intervals, however the labels hang together"
_INSTEAD = {
    "accuracy": "subset_accuracy or accuracy_example",
    "error_rate": "hamming_loss or subset_accuracy",
    "jaccard": "accuracy_example",
    "precision": "precision_example, precision_micro or precision_macro",
    "recall": "recall_example, recall_micro or recall_macro",
    "f1": "f1_example, f1_micro or f1_macro",
}
_NO_SPREAD = 1e-12
_MOST_KEPT = 128
UNLIKE = 4.0
"""Rows taken to have shown the largest variance there is; of 0, 1, 2 and 4, 4 covered best."""


@dataclass(frozen=True)
class SetSample:
    """Counted label sets, and what else an estimate depends on; answers as `Sample` does."""

    tally: LabelSets
    level: float = 0.95
    seed: int = 0
    undefined_as: float | None = None
    """What an undefined label counts as in an average; None leaves it out and says so."""
    empty_sets: float = 1.0
    """What a row scores whose two sets are empty, where a share of them is asked for."""
    groups: Groups | None = None
    """The counts of every group, when rows belong together: then groups are resampled for everything."""

    def __getstate__(self) -> dict[str, Any]:
        """Without draws, which can be made again."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

    @cached_property
    def classes(self) -> list[Binary]:
        """Every label, rows with it against rows without it."""
        return [
            Binary(tp, fn, fp, tn, label)
            for (tp, fn, fp, tn), label in zip(self.tally.four.T.tolist(), self.tally.labels, strict=True)
        ]

    @property
    def labels(self) -> tuple[Label, ...]:
        return self.tally.labels

    @property
    def rows(self) -> int:
        return self.tally.rows

    @property
    def each(self) -> Binary:
        """Every label, rows with it against rows without it, as one `Binary` of arrays."""
        return self.tally.each

    @property
    def pooled(self) -> Binary:
        """The labels' counts added up: what micro averages are made of."""
        return self.tally.pooled

    @cached_property
    def effective_rows(self) -> NDArray[Any]:
        """Rows that actually have each label; with weights Kish's effective number of them."""
        actual: NDArray[Any] = self.tally.each.actual_positive
        if self.tally.cell_squares is None:
            return actual
        squares = self.tally.cell_squares[0] + self.tally.cell_squares[1]
        return np.asarray(np.divide(1.0 * actual * actual, squares, out=1.0 * actual, where=squares > 0))

    @property
    def effective_n(self) -> float:
        """How many independent rows of equal weight there are."""
        n: float = self.tally.effective_n
        return n

    @property
    def assumption(self) -> str:
        """What the intervals take for granted."""
        if self.groups is not None:
            return by_group(len(self.groups))
        kish = "; n is Kish's effective number of them"
        return INDEPENDENT if self.tally.squares is None else INDEPENDENT + kish

    def of(self, asked: Asked, position: int | None) -> Estimate:
        """Any number; one that is about a label needs the position of that label."""
        if asked.average:
            return self.of_average(asked)
        if asked.metric.about == "sets":
            return self._of_sets(asked)
        if asked.metric.needs_costs:
            return undefined(f"{SEVERAL}: costs are for rows that have one", self.level)
        if position is None:
            instead = _INSTEAD.get(asked.metric.name, replace(asked, average="macro").name)
            return undefined(f"{SEVERAL}: ask for {instead}, or look label by label", self.level)
        return self.of_class(asked, position)

    def of_class(self, asked: Asked, position: int) -> Estimate:
        """A number about one label."""
        if position not in self._alone:
            if len(self._alone) >= _MOST_KEPT:
                self._alone.clear()
            groups = None if self.groups is None else grouped_label(self.tally, self.groups, position)
            confusion = self.tally.confusion(position)
            self._alone[position] = Sample(confusion, self.level, self.seed, groups=groups)
        return self._alone[position].of_class(asked, 0)

    @cached_property
    def _alone(self) -> dict[int, Sample]:
        """The last labels asked for, each with the draws it has made."""
        return {}

    # --- means over the rows -----------------------------------------------------------------

    def _of_sets(self, asked: Asked) -> Estimate:
        value = asked.metric(self.tally, self.empty_sets)
        if np.isnan(value):
            words = {"n": self.tally.n, "K": len(self.tally.labels)}
            return undefined(vocabulary.reason(asked.metric.undefined, words), self.level)
        notes = conventions(self.tally, asked.metric.name, self.empty_sets)
        if self.groups is not None:
            estimate = self._drawn(value, asked.metric, lambda sizes: asked.metric(sizes, self.empty_sets))
        else:
            estimate = self._mean_of_rows(self.row_values(asked), value, asked.metric.interval)
        remarks = [*notes, *([estimate.remark] if estimate.remark else [])]
        return replace(estimate, remark="; ".join(remarks) or None)

    def _drawn(self, value: float, metric: Metric, function: Callable[[SetSizes], Any]) -> Estimate:
        if self.groups is not None and len(self.groups) < 2:
            return self._estimate(value, None, None, ONE_GROUP)

        def ends(level: float) -> tuple[float, float] | str:
            return self.drawn.limits(function, value, metric.range, level)

        return self._estimate(value, "dirichlet" if self.groups is None else "group_bootstrap", ends)

    def row_values(self, asked: Asked) -> NDArray[np.float64]:
        """What every kind of row scores, where a number is their mean."""
        sizes = self.tally.set_sizes
        if asked.metric.about == "sets":
            return ROW_VALUES[asked.metric.name](sizes, self.empty_sets)
        share = plainly(asked).metric.share
        assert share is not None
        return np.asarray(getattr(sizes.each, share[0]) / sizes.labels)

    def _mean_of_rows(self, values: NDArray[np.float64], value: float, method: str) -> Estimate:
        """The mean of a number from 0 to 1 that every row has."""
        n = self.worth(values, value)
        return self._estimate(value, method, lambda level: closed.wilson(value * n, n, level))

    def worth(self, values: NDArray[np.float64], mean: float) -> float:
        """How many rows that score 0 or 1 would tell as much about the mean.

        Their variance is the largest there is at a mean (Bhatia and Davis 2000). The variance of the
        rows is drawn towards it as if a few rows had shown it: a few rows that happen to score
        alike are no proof that all do. Measured coverage, and where it falls short of its level:
        benchmarks/simulations/test_coverage_label_sets.py.
        """
        n = self.tally.effective_n
        largest = mean * (1 - mean)
        if largest < _NO_SPREAD:
            return float(n)
        variance = self.tally.counts @ (values - mean) ** 2 / self.tally.n
        return float(n * largest * (n + UNLIKE) / (n * variance + UNLIKE * largest))

    # --- averages over the labels ------------------------------------------------------------

    def of_average(self, asked: Asked) -> Estimate:
        """A number averaged over the labels."""
        metric = asked.metric
        if metric.needs_costs:
            return undefined(f"{SEVERAL}: costs are for rows that have one", self.level)
        if asked.average == "micro":
            return self._micro(asked)
        values = metric(self.tally.each, *asked.parameters)
        missing = np.isnan(values)
        weights = self._weights(asked, missing)
        if asked.average == "weighted" and not self.tally.each.actual_positive.any():
            return undefined("no row actually has a label, so labels have no weights", self.level)
        if not weights.sum():
            return undefined("undefined for every class with rows", self.level)
        filled = np.where(missing, 0.0 if self.undefined_as is None else self.undefined_as, values)
        value = float(filled @ weights / weights.sum())
        note = averaged(self.labels, missing, self.undefined_as)
        if metric.interval == "none":
            return self._estimate(value, None, None, note, LARGEST)
        if is_pooled(asked):
            return replace(self._micro(asked), remark=note)
        ends = self._mean_ends(asked, filled, weights)
        if self.tally.joint is None and self.groups is None:
            return self._estimate(value, "mean_of_intervals", ends, note, CONSERVATIVE)
        return self._estimate(value, "mover" if self.groups is None else "group_bootstrap", ends, note)

    def _weights(self, asked: Asked, missing: NDArray[np.bool_]) -> NDArray[np.float64]:
        each = self.tally.each
        weights = np.ones(len(missing)) if asked.average == "macro" else each.actual_positive.astype(float)
        return weights if self.undefined_as is not None else np.where(missing, 0.0, weights)

    def _mean_ends(self, asked: Asked, values: NDArray[Any], weights: NDArray[np.float64]) -> EndsAt:
        """The distances from the labels' values to their limits, added as deviations are.

        Zou and Donner (2008), Statistics in Medicine 27, 1693. Where pairs of labels were not counted, they
        are added as they stand: the deviation of a mean is at most the mean deviation.
        """
        alone = replace(asked, average=None)

        def ends(level: float) -> tuple[float, float] | str:
            lows, highs = values.astype(float), values.astype(float)
            for position in np.flatnonzero(weights):
                estimate = self.of_class(alone, int(position)).interval(level)
                if estimate.value is None:
                    continue  # it counts as `undefined_as`, which is certain
                if estimate.low is None:
                    return f"none for {listed([self.tally.labels[position]])}: {estimate.note}"
                lows[position], highs[position] = estimate.low, estimate.high
            shares = weights / weights.sum()
            together = correlations(self.tally, self.groups, asked.metric, asked.parameters)
            if together is None:
                return float(lows @ shares), float(highs @ shares)
            middle = float(values @ shares)
            below, above = (values - lows) * shares, (highs - values) * shares
            return middle - _length(below, together), middle + _length(above, together)

        return ends

    def undefined_classes(self, asked: Asked) -> list[Any]:
        """Labels for which a number is undefined."""
        missing = np.isnan(asked.metric(self.tally.each, *asked.parameters))
        return [self.tally.labels[position] for position in np.flatnonzero(missing)]

    # --- all labels pooled -------------------------------------------------------------------

    def _micro(self, asked: Asked) -> Estimate:
        metric, parameters, pooled = asked.metric, asked.parameters, self.tally.pooled
        value = metric(pooled, *parameters)
        if np.isnan(value):
            words = vocabulary.of_binary(pooled) | vocabulary.parameters(metric, parameters)
            return undefined(vocabulary.reason(metric.undefined, words), self.level)
        if metric.interval == "none":
            return self._estimate(value, None, None, LARGEST)
        share = plainly(asked).metric.share
        if share and share[1] == "n" and self.groups is None:
            return self._mean_of_rows(self.row_values(asked), float(value), "wilson_mean")

        return self._drawn(value, metric, lambda sizes: metric(sizes.pooled, *parameters))

    @cached_property
    def drawn(self) -> Drawn[SetSizes]:
        """Plausible kinds of rows."""
        return drawn_sets(self.tally, self.groups, self.seed)

    def _estimate(
        self, value: float, method: str | None, ends: EndsAt | None, *notes: str | None
    ) -> Estimate:
        remark = "; ".join(note for note in notes if note) or None
        n = None if method is None else self.effective_n if self.groups is None else self.rows
        return Estimate(float(value), self.level, method, n, self.assumption, remark=remark, ends_at=ends)


def _length(distances: NDArray[np.float64], together: NDArray[np.float64]) -> float:
    """The length of correlated distances added up."""
    return math.sqrt(max(0.0, float(distances @ together @ distances)))


def is_pooled(asked: Asked) -> bool:
    """Whether the average is the pooled number, as of shares of all rows or of rows they are weighted by."""
    share = plainly(asked).metric.share
    return share is not None and share[1] == ("n" if asked.average == "macro" else "actual_positive")
