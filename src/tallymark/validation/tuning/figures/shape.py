"""Which picture suits a search, and what its pictures share."""

from __future__ import annotations

import math
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tallymark.drawing import interval, number
from tallymark.drawing.figure import Axis, Names
from tallymark.validation.tuning.outputs.names import said

if TYPE_CHECKING:
    from tallymark.validation.tuning.result import Tuning

Floats = NDArray[np.float64]

# From this ratio of the largest to the smallest on, values are set apart by their ratios.
_RATIO = 20.0
_MOST_NAMED, _CLOSEST = 10, 0.045
_MARGIN = 0.06


def varied(tuning: Tuning) -> list[str]:
    """Parameters with more than one value; none when there are several models, which share no scale."""
    tried = [each.candidate for each in tuning.candidates]
    if len({each.name for each in tried}) > 1 or len({tuple(each.given) for each in tried}) > 1:
        return []
    return [name for name in tried[0].given if len({repr(each.given[name]) for each in tried}) > 1]


def numeric(tuning: Tuning, name: str) -> bool:
    """Whether all values of a parameter are numbers."""
    values = [each.candidate.given[name] for each in tuning.candidates]
    return all(not isinstance(v, bool) and isinstance(v, Real) and math.isfinite(v) for v in values)


def scale(values: Floats, label: str) -> tuple[Floats, Axis]:
    """Where the values of a parameter stand, and the axis under them."""
    by_ratio = bool(values.min() > 0 and values.max() / values.min() >= _RATIO)
    at = np.log10(values) if by_ratio else values
    low, high = float(at.min()), float(at.max())
    room = _MARGIN * (high - low)
    names: Names = ()
    if len(at) <= _MOST_NAMED and np.diff(at).min() >= _CLOSEST * (high - low):
        names = tuple((float(place), said(_whole(value))) for place, value in zip(at, values, strict=True))
    elif by_ratio:
        steps = range(math.ceil(low), math.floor(high) + 1)
        names = tuple((float(power), f"{10.0**power:g}") for power in steps)
    return at, Axis(label, low - room, high + room, names=names)


def _whole(value: Any) -> Any:
    return int(value) if float(value).is_integer() else float(value)


def reach(*values: Any) -> tuple[float, float]:
    """From where to where an axis must go for all these numbers."""
    every = np.concatenate([np.atleast_1d(np.asarray(each, float)) for each in values])
    every = every[np.isfinite(every)]
    room = _MARGIN * float(np.ptp(every)) or 0.05
    return float(every.min()) - room, float(every.max()) + room


def kept_ends(tuning: Tuning) -> list[float]:
    """What was kept, and its interval if it has one."""
    found = tuning.outer
    return [end for end in (found.value, found.low, found.high) if end is not None]


def kept_label(tuning: Tuning) -> str:
    """What was kept, in a legend."""
    found = tuning.outer
    where = "outer folds" if tuning.method == "nested" else "test rows"
    ends = "" if found.low is None else f" {interval(found.low, found.high)}"
    return f"kept in the {where}: {number(found.value)}{ends}"


def promised_label(tuning: Tuning, *, spread: bool = True) -> str:
    """How the score of a candidate is called."""
    if tuning.method == "three-way":
        return "validation rows"
    return f"mean of inner folds{', ± deviation' if spread else ''}"


def given_up_label(tuning: Tuning) -> str:
    """Candidates that were outdone, in a legend."""
    return f"given up ({sum(each.outdone for each in tuning.candidates):,}): mean of the folds tried"


def title(tuning: Tuning) -> str:
    many = len(tuning.candidates)
    return f"{tuning.metric} of {many:,} {'candidate' if many == 1 else 'candidates'}"


def direction(tuning: Tuning) -> str:
    return f"{tuning.better.capitalize()} is better."


def numbers(values: Any) -> Floats:
    """NaN where there is none."""
    return np.array([np.nan if value is None else value for value in values], float)
