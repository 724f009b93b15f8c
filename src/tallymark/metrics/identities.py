"""Parametrised metrics that, at some parameters, are another metric under a longer name."""

from __future__ import annotations

from tallymark.metrics.registry import METRICS, Asked

_F_BETA: dict[tuple[float, ...], str] = {(0.0,): "precision", (1.0,): "f1"}
# Weights of TP, FN, FP and TN, up to a common factor; the first four are the sources' own examples.
_WEIGHTED_ACCURACY: dict[tuple[float, ...], str] = {
    (1.0, 1.0, 1.0, 1.0): "accuracy",
    (1.0, 0.0, 1.0, 0.0): "precision",
    (1.0, 1.0, 0.0, 0.0): "recall",
    (2.0, 1.0, 1.0, 0.0): "f1",
    (1.0, 1.0, 1.0, 0.0): "jaccard",
    (0.0, 0.0, 1.0, 1.0): "specificity",
    (0.0, 1.0, 0.0, 1.0): "npv",
}


def plainly(asked: Asked) -> Asked:
    """The same number by its plainest name, so that it gets the same interval whatever it is called."""
    name = None
    if asked.metric.name == "f_beta":
        name = _F_BETA.get(asked.parameters)
    elif asked.metric.name == "weighted_accuracy" and any(asked.parameters):
        unit = min(weight for weight in asked.parameters if weight)
        name = _WEIGHTED_ACCURACY.get(tuple(weight / unit for weight in asked.parameters))
    return asked if name is None else Asked(METRICS[name], (), asked.average)
