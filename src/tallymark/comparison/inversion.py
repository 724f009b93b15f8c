"""The p-value that goes with an interval: it is 0.05 where the 95 % interval ends at 0."""

from __future__ import annotations

import math

from tallymark.comparison.difference import NO_TEST, outcome_of
from tallymark.inference import Estimate
from tallymark.intervals import z_quantile
from tallymark.tests.outcome import Alternative, Outcome

_SURE = 1e-3
"""Draws tell little of what lies further out: from here on the interval is taken to widen as a normal one."""
_STEPS = 30


def inverted(estimate: Estimate, alternative: Alternative, name: str) -> Outcome:
    """The test that asks at which level the interval just holds 0."""
    p = None if estimate.value is None or estimate.low is None else _p_value(estimate)
    if p is not None and alternative != "two-sided":
        half = p / 2
        towards = (float(estimate) > 0) == (alternative == "greater") and estimate.value != 0
        p = half if towards else 1 - half
    return outcome_of(estimate, NO_TEST if p is None else name, None, p, alternative)


def _p_value(estimate: Estimate) -> float:
    def holds_zero(p: float) -> bool:
        at = estimate.interval(1 - p)
        return at.low is not None and at.high is not None and at.low <= 0 <= at.high

    if holds_zero(1 - 1e-9):
        return 1.0
    low, high = _SURE, 1 - 1e-9
    if not holds_zero(low):
        return _beyond(estimate)
    for _ in range(_STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if holds_zero(middle) else (low, middle)
    return (low + high) / 2


def _beyond(estimate: Estimate) -> float:
    """From how far the interval at the last level reaches towards 0."""
    at, value = estimate.interval(1 - _SURE), float(estimate)
    assert at.low is not None
    assert at.high is not None
    reached = value - at.low if value > 0 else at.high - value
    return math.erfc(abs(value) / (reached / z_quantile(1 - _SURE)) / math.sqrt(2))
