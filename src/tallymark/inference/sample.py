"""Which interval each number gets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tallymark.inference import closed
from tallymark.inference.averages import averaged, mean_of_classes
from tallymark.inference.cut_bounds import over_corners
from tallymark.inference.draws import MOST_WITH_PRIOR, Drawn, Draws
from tallymark.inference.estimate import INDEPENDENT, EndsAt, Estimate, by_group, undefined
from tallymark.metrics import Asked, Metric, ask, plainly, vocabulary
from tallymark.metrics.rounding import rounding
from tallymark.tallies import Binary, Confusion, Grouped, Label, Margins

NO_COSTS = "no costs were given"
NAME_THE_POSITIVE = "name the positive class"
GIVEN = "given, not estimated"
LARGEST = "the largest of several shares has no honest interval"
ONE_LABEL = "every row has one label; this is about rows with several"
ONE_GROUP = "all rows are of one group, so there is nothing to resample"
CONSTANT = "the same whatever the answers, so it has no interval"
FEW_ROWS = 5
_MOST_WITH_FEW_ROWS = 0.25
"""Measured: with half of 300 classes below five rows, macro F1 covered 0.77 instead of 0.95."""
_SHARES_OF_ALL = ("prevalence", "predicted_positive_rate")


class _Method(NamedTuple):
    """How an interval is made; `make` is None when there is none, and `note` says why."""

    name: str | None
    n: float | None
    make: EndsAt | None
    note: str | None = None


@dataclass(frozen=True)
class Sample:
    """Counts, and what else an estimate depends on."""

    confusion: Confusion
    level: float = 0.95
    seed: int = 0
    costs: NDArray[np.float64] | None = None
    undefined_as: float | None = None
    """What an undefined class counts as in an average; None leaves it out and says so."""
    shares: NDArray[np.float64] | None = None
    """Class shares to answer for, when they are not the sample's own."""
    groups: Grouped | None = None
    """The counts of every group, when rows belong together: then groups are resampled for everything."""
    corners: tuple[Confusion, ...] = ()
    """What else the counts can be at the utmost, when scores were cut within a bin."""

    def __getstate__(self) -> dict[str, Any]:
        """Without draws and totals, which can be made again."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

    @cached_property
    def seen(self) -> Confusion:
        """The counts, or the counts to expect under other class shares."""
        if self.shares is None:
            return self.confusion
        actual = self.confusion.margins.actual
        return self.confusion.scaled(self.shares * self.confusion.n / np.where(actual > 0, actual, 1))

    @cached_property
    def margins(self) -> Margins:
        """Margins of what is seen, with its cost."""
        margins = self.seen.margins
        if self.costs is None:
            return margins
        cost = (self.seen.counts * self.costs.ravel()[self.seen.cells]).sum().item()
        return replace(margins, cost=cost)

    @property
    def labels(self) -> tuple[Label, ...]:
        return self.confusion.labels

    @property
    def rows(self) -> int:
        return self.confusion.rows

    @property
    def effective_n(self) -> float:
        """How many independent rows of equal weight there are (Kish)."""
        n: float = self.confusion.effective_n
        return n

    @property
    def each(self) -> Binary:
        """Every class against the rest, as one `Binary` of arrays."""
        return self.margins.each

    @property
    def pooled(self) -> Binary:
        """The classes' counts added up: what micro averages are made of."""
        return self.margins.pooled

    @cached_property
    def classes(self) -> list[Binary]:
        """Every class against the rest."""
        return _split(self.seen)

    @cached_property
    def _counted(self) -> list[Binary]:
        return self.classes if self.shares is None else _split(self.confusion)

    @cached_property
    def _squared(self) -> list[Binary] | None:
        return None if self.confusion.squared is None else _split(self.confusion.squared)

    @cached_property
    def effective_rows(self) -> NDArray[Any]:
        """Rows that are actually of each class; with weights Kish's effective number of them."""
        actual: NDArray[Any] = self.confusion.margins.actual
        if self.confusion.squared is None:
            return actual
        squares = self.confusion.squared.margins.actual
        return np.asarray(np.divide(actual * 1.0 * actual, squares, out=1.0 * actual, where=squares > 0))

    @cached_property
    def draws(self) -> Draws:
        return Draws(self.confusion, seed=self.seed, costs=self.costs, shares=self.shares, groups=self.groups)

    @property
    def assumption(self) -> str:
        """What the intervals take for granted."""
        if self.groups is not None:
            return by_group(len(self.groups))
        if self.confusion.squares is not None:
            return f"{INDEPENDENT}; n is Kish's effective number of them"
        return INDEPENDENT

    def of(self, asked: Asked, position: int | None) -> Estimate:
        """Any number; one about a class needs to know the position of that class."""
        if asked.average:
            return self.of_average(asked)
        if asked.metric.about == "sets":
            return undefined(ONE_LABEL, self.level)
        if asked.metric.about == "all":
            return self.of_table(asked)
        if position is None:
            return undefined(NAME_THE_POSITIVE, self.level)
        return self.of_class(asked, position)

    # --- one class against the rest ----------------------------------------------------------

    @cached_property
    def _at_corners(self) -> list[Sample]:
        return [replace(self, confusion=corner, corners=()) for corner in self.corners]

    def _over_corners(self, metric: Metric, make: Callable[[Sample], Estimate]) -> Estimate:
        made = make(self)
        if not self.corners:
            return made
        # Sums of weights depend on the order they are added in, counts of rows do not.
        weighted = self.confusion.squares is not None
        dust = rounding(self.confusion.rows, fractions=True) if weighted else 0.0
        return over_corners(made, [make(each) for each in self._at_corners], metric.range, dust)

    def of_class(self, asked: Asked, position: int) -> Estimate:
        """A number about one class."""
        return self._over_corners(asked.metric, lambda sample: sample._of_class(asked, position))

    def _of_class(self, asked: Asked, position: int) -> Estimate:
        tally = self.classes[position]
        value = asked.metric(tally, *asked.parameters)
        if np.isnan(value):
            words = vocabulary.of_binary(tally) | vocabulary.parameters(asked.metric, asked.parameters)
            return undefined(vocabulary.reason(asked.metric.undefined, words), self.level)
        method = self._class_method(plainly(asked), position, float(value))
        return self._estimate(value, method)

    def _class_method(self, asked: Asked, position: int, value: float) -> _Method:
        metric = asked.metric
        if metric.interval == "none":
            return _Method(None, None, None, LARGEST)
        if self.shares is not None and not metric.prevalence_free:
            if metric.name == "prevalence":
                return _Method(None, None, None, GIVEN)
            return self._drawn_class(asked, position, value)
        tally = self._counted[position]
        if self.groups is not None:
            method = self._drawn_class(asked, position, value)
            # Sums of weights are no rows, so with weights it stays at all of them.
            counted = metric.share is not None and self.confusion.squares is None
            return method._replace(n=getattr(tally, metric.share[1])) if counted and metric.share else method
        basis = self.basis(metric, position)
        if metric.share:
            successes, n = (getattr(basis, name) for name in metric.share)
            return _Method("wilson", n, lambda level: closed.wilson(successes, n, level))
        if metric.interval in ("jaccard", "f1"):
            formula = closed.jaccard if metric.interval == "jaccard" else closed.f1
            return _Method("wilson_jaccard", basis.relevant, lambda level: formula(basis, level))
        if metric.interval == "log":
            n = self.confusion.effective_n
            return _Method("log", n, lambda level: closed.log_scale(metric.name, basis, level))
        return self._drawn_class(asked, position, value)

    def basis(self, metric: Metric, position: int) -> Binary:
        """The 2x2 that a closed interval stands on: the counts.

        With weights, as if of Kish's effective number of the rows that the number is a share of; for a
        ratio of rates, of those of either actual class.
        """
        tally = self._counted[position]
        if self._squared is None:
            return tally
        squares = self._squared[position]

        def each(rows: str) -> float:
            square = getattr(squares, rows)
            return float(getattr(tally, rows) / square) if square else 1.0

        if metric.interval == "log":
            up, down = each("actual_positive"), each("actual_negative")
        else:
            up = down = each(metric.share[1] if metric.share else "relevant")
        return Binary(tally.tp * up, tally.fn * up, tally.fp * down, tally.tn * down)

    def _drawn_class(self, asked: Asked, position: int, value: float) -> _Method:
        def drawn() -> Drawn[Binary]:
            return self.draws.binary(position)

        return self._drawn(drawn, lambda tally: asked.metric(tally, *asked.parameters), value, asked.metric)

    def _drawn(
        self, drawn: Callable[[], Drawn[Any]], function: Callable[[Any], Any], value: float, metric: Metric
    ) -> _Method:
        if len(self.confusion.labels) == 1:
            return _Method(None, None, None, CONSTANT)
        if self.groups is not None and len(self.groups) < 2:
            return _Method(None, None, None, ONE_GROUP)
        return _Method(
            "dirichlet" if self.groups is None else "group_bootstrap",
            self.confusion.effective_n if self.groups is None else self.confusion.rows,
            lambda level: drawn().limits(function, value, metric.range, level),
        )

    # --- all classes at once -----------------------------------------------------------------

    def of_table(self, asked: Asked) -> Estimate:
        """A number about all classes."""
        metric = asked.metric
        if metric.needs_costs and self.costs is None:
            return undefined(NO_COSTS, self.level)
        if metric.name == "balanced_accuracy":
            return self.of_average(ask("recall_macro"))
        return self._over_corners(metric, lambda sample: sample._of_table(asked))

    def _of_table(self, asked: Asked) -> Estimate:
        metric = asked.metric
        value = metric(self.margins)
        if np.isnan(value):
            words = vocabulary.of_margins(self.margins)
            return undefined(vocabulary.reason(metric.classes_undefined, words), self.level)
        method = self._table_method(metric, float(value))
        return self._estimate(value, method)

    def _table_method(self, metric: Metric, value: float) -> _Method:
        if metric.interval == "none":
            return _Method(None, None, None, LARGEST)
        if self.shares is None and self.groups is None and metric.share:
            return self._share_of_all(getattr(self.margins, metric.share[0]))
        return self._drawn(lambda: self.draws.margins, metric, value, metric)

    def _share_of_all(self, rows: float) -> _Method:
        among, n = self.among_all(rows)
        return _Method("wilson", n, lambda level: closed.wilson(among, n, level))

    def among_all(self, rows: float) -> tuple[float, float]:
        """So many of all rows; with weights, as if of Kish's effective number of them."""
        if self.confusion.squares is None:
            return rows, self.confusion.n
        n = self.confusion.effective_n
        return rows * (n / self.confusion.n), n

    # --- averages over the classes -----------------------------------------------------------

    def of_average(self, asked: Asked) -> Estimate:
        """A number averaged over the classes."""
        return self._over_corners(asked.metric, lambda sample: sample._of_average(asked))

    def _of_average(self, asked: Asked) -> Estimate:
        if asked.average == "micro":
            return self._micro(asked)
        values = asked.metric(self.margins.each, *asked.parameters)
        missing = np.isnan(values)
        note = averaged(self.labels, missing, self.undefined_as)
        value = mean_of_classes(values, self._weights(asked, self.margins, missing), self.undefined_as)
        if np.isnan(value):
            return undefined("undefined for every class with rows", self.level)
        method = self._average_method(asked, missing, float(value))
        return self._estimate(value, method, note)

    def undefined_classes(self, asked: Asked) -> list[Any]:
        """Labels of the classes for which a number is undefined."""
        missing = np.isnan(asked.metric(self.margins.each, *asked.parameters))
        return [self.confusion.labels[position] for position in np.flatnonzero(missing)]

    def _weights(self, asked: Asked, margins: Margins, missing: NDArray[np.bool_]) -> NDArray[np.float64]:
        weights = np.ones_like(margins.actual, float) if asked.average == "macro" else margins.actual
        return weights if self.undefined_as is not None else np.where(missing, 0.0, weights)

    def _average_method(self, asked: Asked, missing: NDArray[np.bool_], value: float) -> _Method:
        def average(margins: Margins) -> Any:
            # The classes undefined in the sample stay out of every draw: the same number is asked for.
            values = np.where(missing, np.nan, asked.metric(margins.each, *asked.parameters))
            return mean_of_classes(values, self._weights(asked, margins, missing), self.undefined_as)

        if asked.name == "recall_weighted" and self.shares is None and self.groups is None:
            return self._share_of_all(self.margins.correct)  # weighted by its own rows, it is the accuracy
        if asked.metric.interval == "none":
            return _Method(None, None, None, LARGEST)
        if asked.metric.name == "prevalence" and self.shares is not None:
            return _Method(None, None, None, GIVEN)
        if asked.average == "macro" and asked.metric.name in _SHARES_OF_ALL:
            return _Method(None, None, None, CONSTANT)
        few = self._classes_with_few_rows
        if few > _MOST_WITH_FEW_ROWS * len(missing):
            return _Method(
                None, None, None, f"{few} classes have fewer than {FEW_ROWS} rows: no honest interval"
            )
        return self._drawn(lambda: self.draws.margins, average, value, asked.metric)

    @cached_property
    def _classes_with_few_rows(self) -> int:
        """Classes too rare for an average over many; with few classes the prior makes up for them."""
        rows = self.effective_rows
        many = len(rows) > MOST_WITH_PRIOR
        return int(((rows > 0) & (rows < FEW_ROWS)).sum()) if many else 0

    def _micro(self, asked: Asked) -> Estimate:
        metric, parameters, n = asked.metric, asked.parameters, self.confusion.n
        size = len(self.confusion.labels)

        def at(correct: float) -> Any:
            # Every error is a miss of one class and a false alarm of another, so the pooled 2x2,
            # and with it every micro average, is a function of the accuracy alone.
            return metric(Binary(correct, n - correct, n - correct, (size - 2) * n + correct), *parameters)

        pooled = self.margins.pooled
        value = metric(pooled, *parameters)
        if np.isnan(value):
            words = vocabulary.of_binary(pooled) | vocabulary.parameters(metric, parameters)
            return undefined(vocabulary.reason(metric.undefined, words), self.level)
        correct, effective = self.among_all(self.margins.correct)

        def make(level: float) -> tuple[float, float]:
            ends = closed.wilson(correct, effective, level)
            low, high = sorted(float(at(end * n)) for end in ends)
            return low, high

        if size == 1 or at(0) == at(n):
            return self._estimate(value, _Method(None, None, None, CONSTANT))
        if self.shares is not None or self.groups is not None:

            def pooled_metric(margins: Margins) -> Any:
                return metric(margins.pooled, *parameters)

            return self._estimate(
                value, self._drawn(lambda: self.draws.margins, pooled_metric, float(value), metric)
            )
        return self._estimate(value, _Method("wilson", effective, make))

    def _estimate(self, value: float, method: _Method, note: str | None = None) -> Estimate:
        remark = "; ".join(part for part in (note, method.note) if part) or None
        return Estimate(
            float(value),
            self.level,
            method.name,
            method.n,
            self.assumption,
            remark=remark,
            ends_at=method.make,
        )


def _split(confusion: Confusion) -> list[Binary]:
    each = confusion.margins.each
    kind = int if confusion.counts.dtype.kind == "i" else float
    rows = np.stack([each.tp, each.fn, each.fp, each.tn], axis=1).tolist()
    return [
        Binary(kind(tp), kind(fn), kind(fp), kind(tn), label)
        for (tp, fn, fp, tn), label in zip(rows, confusion.labels, strict=True)
    ]
