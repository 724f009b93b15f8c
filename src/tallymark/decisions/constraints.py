"""What a threshold must keep: recall of at least 0.9, a share of at most 0.1, and the like."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tallymark.curves.shared import DUST, FINER, cut, finite
from tallymark.curves.threshold_curve import ThresholdCurve
from tallymark.decisions.within_bins import Within
from tallymark.drawing import number
from tallymark.errors import OptionError
from tallymark.inference import Ranking
from tallymark.inference.limits_at_cuts import LimitsAtCuts, share_of
from tallymark.intervals.checks import on_one_line
from tallymark.metrics import Asked, ask
from tallymark.tallies import Binary, Scores

SHARE = "share"
"""Of the rows, those called positive: what a team that can look at so many has room for."""
_MOST_DIGITS = 12


@dataclass(frozen=True)
class Constraint:
    """A metric that must be at least, or at most, so much."""

    metric: str
    bound: float
    at_least: bool
    on_lower: bool = False
    """Whether the confidence limit must keep it: the lower one of what must be at least so much, the upper
    one of what must be at most so much."""

    @cached_property
    def asked(self) -> Asked:
        return ask("predicted_positive_rate" if self.metric == SHARE else self.metric)

    @property
    def has_limit(self) -> bool:
        """Whether it has a confidence limit that can be told at every threshold."""
        return share_of(self.asked) is not None

    @property
    def words(self) -> str:
        """`recall of at least 0.9`."""
        by = f" by its {'lower' if self.at_least else 'upper'} confidence limit" if self.on_lower else ""
        return f"{self.metric} of at {'least' if self.at_least else 'most'} {self.bound:.12g}{by}"

    @property
    def excluded(self) -> str:
        """`recall < 0.9`."""
        limit = f"{'lower' if self.at_least else 'upper'} limit of " if self.on_lower else ""
        return f"{limit}{self.metric} {'<' if self.at_least else '>'} {self.bound:.12g}"

    def value(self, counts: Binary) -> float | None:
        """Of the metric; None where it is undefined."""
        return finite(float(self.asked.metric(counts, *self.asked.parameters)))

    def values(self, ranking: Ranking) -> NDArray[np.float64]:
        """What must keep the bound, at every threshold; NaN where it is undefined."""
        scores, groups = ranking.seen
        value = ThresholdCurve(scores, self.asked.name).value
        if not self.on_lower:
            return value
        if ranking.share is not None and not self.asked.metric.prevalence_free:
            raise OptionError(
                f"with other class shares {self.metric} has no confidence limit that can be told at every "
                "threshold.",
                hint="leave out the demand on the limit, or ask it of recall or specificity.",
            )
        limits = LimitsAtCuts(self.asked, scores, groups, ranking.level)
        limit = limits.low() if self.at_least else limits.high()
        return np.where(np.isnan(value), np.nan, limit)

    def kept(self, values: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Where the bound is kept; an undefined value keeps none."""
        if self.at_least:
            return np.asarray(values >= self.bound - DUST)
        return np.asarray(values <= self.bound + DUST)

    def to_dict(self) -> dict[str, object]:
        side = "at_least" if self.at_least else "at_most"
        return {"metric": self.metric, side: self.bound, "on_limit": self.on_lower}


def constraints_of(
    minimum: Mapping[str, float] | None, maximum: Mapping[str, float] | None, *, on_lower_bound: bool = False
) -> tuple[Constraint, ...]:
    """From names with what each must be at least, and at most."""
    found = []
    for side, given in (("minimum", minimum), ("maximum", maximum)):
        if given is not None and not isinstance(given, Mapping):
            raise OptionError(
                f"{side} names metrics with their bounds; got {on_one_line(given)}.",
                hint=f'write {side}={{"recall": 0.9}}.',
            )
        for name, bound in (given or {}).items():
            found.append(_checked(name, bound, at_least=side == "minimum", on_lower=on_lower_bound))
    return tuple(found)


def _checked(name: str, bound: float, *, at_least: bool, on_lower: bool) -> Constraint:
    made = Constraint(name, 0.0, at_least, on_lower)
    if made.asked.metric.needs_costs:
        raise OptionError(
            f"{name} is what is made least, so it cannot be asked for besides.",
            hint="leave it out: the cheapest threshold has the least there is.",
        )
    # The curve over thresholds knows which metrics a threshold has, and says why others have none.
    ThresholdCurve(Scores.empty(), made.asked.name)
    side = "least" if at_least else "most"
    try:
        value = math.nan if isinstance(bound, bool) else float(bound)
    except (TypeError, ValueError):
        value = math.nan
    low, high = made.asked.metric.range
    if not low <= value <= high:
        hint = None
        if high == 1 < value <= 100:
            hint = f"write {value / 100:g} for {value:g} %."
        span = f"from {low:g} to {high:g}" if math.isfinite(high) else f"from {low:g} up"
        raise OptionError(
            f"{name} is a number {span}; it cannot be asked to be at {side} {bound!r}.", hint=hint
        )
    if on_lower and not made.has_limit:
        raise OptionError(
            f"{name} has no confidence limit that can be told at every threshold.",
            hint="leave out the demand on the limit, or ask it of recall, precision, specificity, npv, "
            "accuracy, f1 or share.",
        )
    return Constraint(name if name == SHARE else made.asked.name, value, at_least, on_lower)


def allowed(ranking: Ranking, constraints: Sequence[Constraint]) -> NDArray[np.bool_] | None:
    """Which of the thresholds keep all that is asked; None when nothing is."""
    scores = ranking.seen[0]
    keeping: NDArray[np.bool_] | None = None
    for place, constraint in enumerate(constraints):
        values = constraint.values(ranking)
        before = np.ones(len(values), bool) if keeping is None else keeping
        keeping = before & constraint.kept(values)
        if not keeping.any():
            raise _cannot(scores, constraints[:place], constraint, values, before, ranking.level)
    return keeping


def _cannot(
    scores: Scores,
    earlier: Sequence[Constraint],
    constraint: Constraint,
    values: NDArray[np.float64],
    before: NDArray[np.bool_],
    level: float,
) -> OptionError:
    """That it cannot be met, and how near one can come."""
    asked = " and ".join(each.words for each in (*earlier, constraint))
    together = " together" if earlier else ""
    among, perhaps, hint = "at every threshold", "", None
    if within_a_bin(scores, (*earlier, constraint)):
        together += " at an edge of a bin"
        among, perhaps, hint = "at every one", "; a threshold within a bin may meet it", FINER
    defined = np.flatnonzero(before & ~np.isnan(values))
    where = f"with {' and '.join(each.words for each in earlier)} " if earlier else ""
    if not len(defined):
        return OptionError(
            f"{asked} cannot be met{together}: {where}{constraint.metric} is undefined {among}{perhaps}.",
            hint=hint,
        )
    good = values[defined] if constraint.at_least else -values[defined]
    place = int(defined[np.argmax(good)])
    nearest = "most" if constraint.at_least else "least"
    if constraint.on_lower:
        side = "highest lower" if constraint.at_least else "lowest upper"
        nearest = f"{side} {level * 100:g} % limit of {constraint.metric}"
    elif earlier:
        nearest += f" {constraint.metric}"
    told = told_apart(float(values[place]), constraint)
    at = "when nothing is called positive" if place == 0 else f"at the threshold {cut(scores, place)}"
    return OptionError(
        f"{asked} cannot be met{together}: {where}the {nearest} is {told} ({at}){perhaps}.", hint=hint
    )


def within_a_bin(scores: Scores, constraints: Sequence[Constraint], objective: Asked | None = None) -> bool:
    """Whether a threshold within a bin may keep all that is asked, with an objective that is defined."""
    if scores.exact:
        return False
    within = Within.of(scores)
    possible = within.may_keep(constraints)
    if objective is not None:
        possible &= ~np.isnan(within.best(objective, 1))
    return bool(possible.any())


def told_apart(value: float, constraint: Constraint) -> str:
    """A value with the digits that show on which side of the bound it is."""
    for digits in range(3, _MOST_DIGITS):
        text = number(value, digits)
        if not constraint.kept(np.array([float(text.replace(",", ""))])).any():
            break
    return text
