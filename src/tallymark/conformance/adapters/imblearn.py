"""imbalanced-learn: sensitivity, specificity and their geometric mean."""

from __future__ import annotations

from functools import partial
from typing import Any

from imblearn import metrics

from tallymark.conformance.case import Case


def _of_class(function: Any, case: Case) -> Any:
    case.needs("actual", "predicted")
    # It takes text or a whole number here, and 1 is 1.0.
    positive = int(case.positive) if isinstance(case.positive, float) else case.positive
    named = {} if positive is None else {"pos_label": positive}
    return function(case.actual, case.predicted, average="binary", sample_weight=case.weights, **named)


def _g_mean(case: Case) -> Any:
    case.needs("actual", "predicted")
    return metrics.geometric_mean_score(case.actual, case.predicted, sample_weight=case.weights)


CALLS = {
    "recall": partial(_of_class, metrics.sensitivity_score),
    "specificity": partial(_of_class, metrics.specificity_score),
    "g_mean": _g_mean,
}
