"""How much two models differ: on the same rows (`PairedSample`), or on other rows (`OtherSample`).

On the same rows a difference of shares of the same rows (accuracy; recall within its class) has Tango's score
interval (Tango 1998), a difference of costs the interval of a saving, and everything else draws over the
joint cells. On other rows the intervals of both models are put together (MOVER: Newcombe 1998, method 10;
Zou and Donner 2008). Measured coverage: benchmarks/coverage_paired.py.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallymark.inference.draws import of_class
from tallymark.inference.estimate import INDEPENDENT, EndsAt, Estimate, by_group, undefined
from tallymark.inference.paired_draws import Both, PairedDraws
from tallymark.inference.sample import (
    CONSTANT,
    NAME_THE_POSITIVE,
    NO_COSTS,
    ONE_GROUP,
    ONE_LABEL,
    Sample,
)
from tallymark.inference.savings import saving
from tallymark.intervals.paired_differences import tango
from tallymark.metrics import Asked, ask, plainly
from tallymark.tallies import Margins
from tallymark.tallies.grouped_paired import GroupedPaired
from tallymark.tallies.paired import Agreement, Paired

_OF_NEITHER = (NAME_THE_POSITIVE, NO_COSTS, ONE_LABEL)
"""Reasons that have nothing to do with a model's answers."""
_NOT_OF_ANSWERS = ("prevalence", "no_information_rate")
_ACCURACIES = ("recall_weighted", "recall_micro", "precision_micro", "f1_micro")
_DUST = 1e-13
_MOST_KINDS = 100
"""Up to this many classes a saving is told of rows that one model alone might have got wrong, seen or not."""


@dataclass(frozen=True)
class PairedSample:
    """The answers of two models to the same rows, and what else an estimate depends on."""

    paired: Paired
    """Of exactly two models, a and b."""
    level: float = 0.95
    seed: int = 0
    costs: NDArray[np.float64] | None = None
    undefined_as: float | None = None
    """What an undefined class counts as in an average; None leaves it out and says so."""
    groups: GroupedPaired | None = None
    """The counts of every group, when rows belong together: then groups are resampled for everything."""

    def __getstate__(self) -> dict[str, Any]:
        """Without draws and totals, which can be made again."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

    @cached_property
    def sides(self) -> tuple[Sample, Sample]:
        """Each model by itself, without groups: for its values."""
        a, b = (
            Sample(self.paired.confusion(name), self.level, self.seed, self.costs, self.undefined_as)
            for name in self.paired.names
        )
        return a, b

    @property
    def assumption(self) -> str:
        """What the intervals take for granted."""
        if self.groups is not None:
            return by_group(len(self.groups))
        if self.paired.squares is not None:
            return f"{INDEPENDENT}; n is their effective number"
        return INDEPENDENT

    def of(self, asked: Asked, position: int | None) -> Estimate:
        """The number of a less that of b; one about a class needs to know the position of that class."""
        a, b = (side.of(asked, position) for side in self.sides)
        why = _undefined(self.paired.names, a, b)
        if why is not None:
            return undefined(why, self.level)
        value = _less(float(a), float(b))
        remark = _remarks(self.paired.names, a.remark, b.remark)
        estimate = Estimate(value, self.level, None, None, self.assumption, remark=remark)
        if asked.metric.name in _NOT_OF_ANSWERS:
            return replace(estimate, value=0.0, remark=CONSTANT)
        if a.method is None or b.method is None:
            return estimate
        if self.groups is not None and len(self.groups) < 2:
            return replace(estimate, remark=_joined(remark, ONE_GROUP))
        if asked.metric.needs_costs:
            return self._saved(estimate, asked)
        if self.groups is None:
            among = self.share(asked, position)
            if among is not None:
                return _by_tango(estimate, among)
        return self._drawn(estimate, asked, position)

    # --- shares of the same rows -------------------------------------------------------------

    def share(self, asked: Asked, position: int | None) -> Agreement | None:
        """For which rows a number holds in one model only, when it is a share of rows that both have."""
        share = plainly(asked).metric.share
        actual, a, b = self.paired.cells.T
        if asked.name in _ACCURACIES:
            return self.paired.split(a == actual, b == actual)
        if asked.average or share is None:
            return None
        top, bottom = share
        if asked.metric.about == "all":
            right = top == "correct"
            return self.paired.split((a == actual) == right, (b == actual) == right)
        if bottom not in ("n", "actual_positive", "actual_negative"):
            return None
        positive = actual == position
        among = {"n": None, "actual_positive": positive, "actual_negative": ~positive}[bottom]
        first, second = (_holds(top, positive, side == position) for side in (a, b))
        return self.paired.split(first, second, among)

    # --- everything else ---------------------------------------------------------------------

    def _saved(self, estimate: Estimate, asked: Asked) -> Estimate:
        """A difference of costs: every row's own difference, added up."""
        assert self.costs is not None
        size, cells = len(self.paired.labels), self.paired.cells
        counts, squares = self.paired.counts, self.paired.squares
        if size <= _MOST_KINDS:
            # Kinds that could have been and were not have their part in the interval.
            cells = np.concatenate([cells, _one_right(size).astype(cells.dtype)])
            none = np.zeros(len(cells) - len(counts), counts.dtype)
            counts = np.concatenate([counts, none])
            squares = None if squares is None else np.concatenate([squares, none])
        actual, a, b = cells.T
        groups = self.groups
        total = saving(
            self.costs[actual, a] - self.costs[actual, b],
            counts,
            squares,
            level=self.level,
            seed=self.seed,
            classes=actual,
            groups=None if groups is None else (len(groups), groups.group, groups.entry, groups.counts),
        )
        unit = self.paired.n if asked.metric.name == "mean_cost" else 1.0
        return replace(
            estimate,
            method=total.method,
            n=self.paired.effective_n if groups is None else self.paired.rows,
            remark=_joined(estimate.remark, total.remark),
            ends_at=_scaled(total.ends_at, unit),
        )

    @cached_property
    def _draws(self) -> PairedDraws:
        return PairedDraws(self.paired, self.groups, self.seed)

    @cached_property
    def _swapped(self) -> PairedSample:
        """The same with the second model first."""
        a, b = self.paired.names
        groups = None if self.groups is None else self.groups.pair(b, a)
        return replace(self, paired=self.paired.pair(b, a), groups=groups)

    def _drawn(self, estimate: Estimate, asked: Asked, position: int | None) -> Estimate:
        if float(estimate) < 0:
            # Drawn with the larger number first, so that it does not matter which model is named first.
            turned = self._swapped._drawn(replace(estimate, value=-float(estimate)), asked, position)
            return replace(turned, value=estimate.value, ends_at=_turned(turned.ends_at))
        metric = asked.metric
        of_one = not asked.average and metric.about == "class"
        missing = [_missing(asked, side.margins) for side in self.sides]

        def difference(both: Both) -> Any:
            a, b = (
                value_of(asked, 1 if of_one else position, side, self.undefined_as, left_out)
                for side, left_out in zip(both, missing, strict=True)
            )
            with np.errstate(invalid="ignore"):
                return a - b

        def ends(level: float) -> tuple[float, float] | str:
            one = of_one and position is not None
            drawn = self._draws.of_class(position or 0) if one else self._draws.margins
            span = metric.range[1] - metric.range[0]
            if drawn.groups is not None and math.isfinite(span):
                # By their deviation, not their percentiles: where some of 50 groups are alike as a whole
                # percentiles covered 0.90 to 0.93, and these, of the same width, 0.94 to 0.96.
                drawn = replace(drawn, number=0)
            return drawn.limits(difference, float(estimate), (-span, span), level)

        return replace(
            estimate,
            method="dirichlet" if self.groups is None else "group_bootstrap",
            n=self.paired.effective_n if self.groups is None else self.paired.rows,
            ends_at=ends,
        )


@dataclass(frozen=True)
class OtherSample:
    """Two models that were tried on other rows each."""

    a: Sample
    b: Sample
    names: tuple[str, str] = ("a", "b")

    @property
    def assumption(self) -> str:
        """What the intervals take for granted."""
        each = self.a.assumption, self.b.assumption
        said = (f"{name}: {text}" for name, text in zip(self.names, each, strict=True))
        return f"{each[0] if each[0] == each[1] else '; '.join(said)}; each model has rows of its own"

    def of(self, asked: Asked, position: int | None) -> Estimate:
        """The number of a less that of b; `position` is that of the class in the labels of both."""
        a, b = self.a.of(asked, position), self.b.of(asked, position)
        why = _undefined(self.names, a, b)
        if why is not None:
            return undefined(why, self.a.level)
        estimate = Estimate(
            float(a) - float(b),
            self.a.level,
            None,
            None,
            self.assumption,
            remark=_remarks(self.names, a.remark, b.remark),
        )
        if a.method is None or b.method is None:
            return estimate
        rows = None if a.n is None or b.n is None else a.n + b.n
        return replace(
            estimate,
            method="newcombe" if is_share(asked) and a.method == b.method == "wilson" else "mover",
            n=rows,
            ends_at=lambda level: _put_together(self.names, a.interval(level), b.interval(level)),
        )


def is_share(asked: Asked) -> bool:
    """Whether a number is a share of rows, and so has the intervals of one; most averages are none."""
    return asked.name in _ACCURACIES or (not asked.average and plainly(asked).metric.share is not None)


# --- numbers ---------------------------------------------------------------------------------


def value_of(
    asked: Asked,
    position: int | None,
    margins: Margins,
    undefined_as: float | None = None,
    left_out: NDArray[np.bool_] | None = None,
) -> Any:
    """A number in every draw; classes that are undefined there, or left out, are not averaged."""
    asked = averaged(asked)
    if asked.average == "micro":
        return asked.metric(margins.pooled, *asked.parameters)
    if asked.average:
        values = asked.metric(margins.each, *asked.parameters)
        missing = np.isnan(values) if left_out is None else np.isnan(values) | left_out
        weights = np.ones_like(values) if asked.average == "macro" else margins.actual
        if undefined_as is None:
            weights = np.where(missing, 0.0, weights)
        filled = np.where(missing, 0.0 if undefined_as is None else undefined_as, values)
        with np.errstate(invalid="ignore"):
            return (filled * weights).sum(axis=-1) / weights.sum(axis=-1)
    if asked.metric.about == "all":
        return asked.metric(margins)
    assert position is not None
    return asked.metric(of_class(margins, position), *asked.parameters)


def _less(a: float, b: float) -> float:
    """a - b; sums of fractions in another order leave dust where the models are equal."""
    return 0.0 if abs(a - b) <= _DUST * max(abs(a), abs(b)) else a - b


def averaged(asked: Asked) -> Asked:
    """Balanced accuracy is an average, and so treated as one."""
    return ask("recall_macro") if asked.metric.name == "balanced_accuracy" and not asked.average else asked


def _missing(asked: Asked, margins: Margins) -> NDArray[np.bool_] | None:
    """Classes for which a number to be averaged is undefined."""
    asked = averaged(asked)
    if asked.average in (None, "micro"):
        return None
    return np.asarray(np.isnan(asked.metric(margins.each, *asked.parameters)))


def _holds(cell: str, actual: NDArray[np.bool_], called: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Whether a row counts for a share, by whether it is of the class and whether it was called so."""
    if cell in ("correct", "wrong"):
        return np.asarray((actual == called) == (cell == "correct"))
    if cell in ("actual_positive", "actual_negative"):
        return np.asarray(actual == (cell == "actual_positive"))
    return called if cell in ("tp", "fp", "predicted_positive") else ~called


# --- intervals -------------------------------------------------------------------------------


def _one_right(size: int) -> NDArray[np.int64]:
    """Every combination in which one model is right: actual, answer of a, answer of b."""
    actual, answer = np.divmod(np.arange(size**2), size)
    return np.concatenate(
        [np.stack(each, 1) for each in ((actual, actual, answer), (actual, answer, actual))]
    )


def _by_tango(estimate: Estimate, among: Agreement) -> Estimate:
    rows = among.effective
    return replace(
        estimate,
        method="tango",
        n=rows.n,
        ends_at=lambda level: tango(rows.n01, rows.n10, rows.n, level),
    )


def _put_together(names: tuple[str, str], a: Estimate, b: Estimate) -> tuple[float, float] | str:
    """The limits of a difference from those of its two sides."""
    reach = []
    for name, side in zip(names, (a, b), strict=True):
        if side.low is None or side.high is None:
            return f"{name}: {side.note}"
        reach.append((float(side) - side.low, side.high - float(side)))
    (down_a, up_a), (down_b, up_b) = reach
    value = float(a) - float(b)
    return value - math.hypot(down_a, up_b), value + math.hypot(up_a, down_b)


def _turned(ends_at: EndsAt | None) -> EndsAt | None:
    if ends_at is None:
        return None

    def turned(level: float) -> tuple[float, float] | str:
        ends = ends_at(level)
        return ends if isinstance(ends, str) else (-ends[1], -ends[0])

    return turned


def _scaled(ends_at: EndsAt | None, unit: float) -> EndsAt | None:
    if ends_at is None:
        return None

    def scaled(level: float) -> tuple[float, float] | str:
        ends = ends_at(level)
        return ends if isinstance(ends, str) else (ends[0] / unit, ends[1] / unit)

    return scaled


# --- words -----------------------------------------------------------------------------------


def _undefined(names: tuple[str, ...], a: Estimate, b: Estimate) -> str | None:
    """Why there is no difference, naming the model it is about."""
    reasons = {name: side.why for name, side in zip(names, (a, b), strict=True) if side.value is None}
    if not reasons:
        return None
    first = next(iter(reasons.values())) or ""
    if first in _OF_NEITHER:
        return first
    if len(reasons) == 2 and len(set(reasons.values())) == 1:
        return f"both models: {first}"
    return "; ".join(f"{name}: {why}" for name, why in reasons.items())


def _remarks(names: tuple[str, ...], a: str | None, b: str | None) -> str | None:
    """What must be said of each model's number."""
    if a == b:
        return a
    said = (f"{name}: {text}" for name, text in zip(names, (a, b), strict=True) if text)
    return "; ".join(said) or None


def _joined(*texts: str | None) -> str | None:
    return "; ".join(text for text in texts if text) or None
