"""Interval arithmetic from counts: proportions, the binomial behind them, and areas under ROC curves."""

from tallymark.intervals.auc import (
    AUC_METHODS,
    AucInterval,
    AucMethod,
    auc_interval,
    logit_bounds,
    newcombe_bounds,
)
from tallymark.intervals.binomial import Binomial, binomial
from tallymark.intervals.checks import checked_level
from tallymark.intervals.proportions import (
    METHODS,
    Interval,
    Method,
    bounds,
    interval,
    student_quantile,
    wilson_bounds,
    wilson_reaching,
    z_quantile,
)
from tallymark.intervals.steps import wilson_steps

__all__ = [
    "AUC_METHODS",
    "METHODS",
    "AucInterval",
    "AucMethod",
    "Binomial",
    "Interval",
    "Method",
    "auc_interval",
    "binomial",
    "bounds",
    "checked_level",
    "interval",
    "logit_bounds",
    "newcombe_bounds",
    "student_quantile",
    "wilson_bounds",
    "wilson_reaching",
    "wilson_steps",
    "z_quantile",
]
