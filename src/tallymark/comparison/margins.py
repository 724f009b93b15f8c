"""What a margin, a difference that does not matter, says of two models: equivalent, not worse, or neither."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from tallymark.comparison.difference import Difference
from tallymark.comparison.score_tables.checks import range_of
from tallymark.errors import OptionError, precise


@dataclass(frozen=True)
class Within:
    """What is shown of one difference and its margin; without an interval nothing is, and `why` says so."""

    metric: str
    a: str
    b: str
    margin: float
    level: float
    """Of the interval: two one-sided tests leave so much out on either side as the level of the question."""
    low: float | None
    high: float | None
    equivalent: bool
    """The interval lies within the margin on both sides of 0."""
    a_not_worse: bool
    """a is worse by less than the margin, if at all."""
    b_not_worse: bool
    a_better: bool
    """a is better by more than the margin."""
    b_better: bool
    why: str | None = None
    """Why there is no interval."""

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        form = asdict(self)
        if self.why is None:
            del form["why"]
        return form


def within(difference: Difference, level: float, margin: float | None) -> Within | None:
    """What the margin says at the level of the question; None without a margin.

    Of a number that is not to be high or low models are equivalent at most, and neither is worse or better.
    """
    if margin is None:
        return None
    # 2 * 0.95 - 1 is not 0.9 in floating-point arithmetic.
    estimate = difference.estimate.interval(round(2 * level - 1, 12))
    low, high = estimate.low, estimate.high
    about = difference.metric, difference.a, difference.b, margin, estimate.level
    if low is None or high is None:
        why = difference.why or estimate.note or "there is no interval"
        return Within(*about, None, None, False, False, False, False, False, why)
    # How much better a is than b, at the least and at the most.
    least, most = (-high, -low) if difference.better == "lower" else (low, high)
    one_is_better = difference.better is not None
    return Within(
        *about,
        low,
        high,
        equivalent=-margin < low and high < margin,
        a_not_worse=one_is_better and least > -margin,
        b_not_worse=one_is_better and most < margin,
        a_better=one_is_better and least > margin,
        b_better=one_is_better and most < -margin,
    )


def fitting(margin: float | None, metric: str) -> float | None:
    """The margin, refused if every difference that the metric can have is within it."""
    low, high = range_of(metric)
    if margin is None or margin < high - low:
        return margin
    hint = "a margin is a small difference, such as 0.01."
    if high - low == 1 < margin < 100:
        hint = f"{margin:g} percentage points are written as {margin / 100:g}."
    raise OptionError(
        f"{metric} lies between {low:g} and {high:g}, so no difference is beyond a margin of "
        f"{precise(margin, high - low)}.",
        hint=hint,
    )
