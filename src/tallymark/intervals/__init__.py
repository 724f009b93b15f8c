"""Interval arithmetic from counts: proportions, their differences, the binomial, areas under ROC curves."""

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
from tallymark.intervals.differences import difference
from tallymark.intervals.paired_differences import paired_difference
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
    "difference",
    "interval",
    "logit_bounds",
    "newcombe_bounds",
    "paired_difference",
    "student_quantile",
    "wilson_bounds",
    "wilson_reaching",
    "wilson_steps",
    "z_quantile",
]
