"""Interval arithmetic from counts: proportions, and the binomial distribution behind them."""

from tallymark.intervals.binomial import Binomial, binomial
from tallymark.intervals.checks import checked_level
from tallymark.intervals.proportions import (
    METHODS,
    Interval,
    Method,
    bounds,
    interval,
    wilson_bounds,
    z_quantile,
)
from tallymark.intervals.steps import wilson_steps

__all__ = [
    "METHODS",
    "Binomial",
    "Interval",
    "Method",
    "binomial",
    "bounds",
    "checked_level",
    "interval",
    "wilson_bounds",
    "wilson_steps",
    "z_quantile",
]
