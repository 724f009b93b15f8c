"""PyCM: everything about a confusion matrix, made from the matrix or from the rows."""

from __future__ import annotations

from functools import partial
from typing import Any

from pycm import ConfusionMatrix, ROCCurve

from tallymark.conformance.case import Case

_OF_CLASS = {
    "precision": "PPV",
    "recall": "TPR",
    "specificity": "TNR",
    "npv": "NPV",
    "fpr": "FPR",
    "fnr": "FNR",
    "fdr": "FDR",
    "false_omission_rate": "FOR",
    "f1": "F1",
    "jaccard": "J",
    "informedness": "BM",
    "markedness": "MK",
    "lr_plus": "PLR",
    "lr_minus": "NLR",
    "diagnostic_odds_ratio": "DOR",
    "g_mean": "GM",
    "prevalence": "PRE",
    "error_rate": "ERR",
}
_OF_ALL = {"accuracy": "Overall_ACC", "kappa": "Kappa", "no_information_rate": "NIR", "mcc": "Overall_MCC"}
_AVERAGED = {"precision": "PPV", "recall": "TPR", "f1": "F1", "jaccard": "J"}


def _matrix(case: Case) -> Any:
    if "matrix" in case.input:
        labels = case.labels
        counts = {
            actual: dict(zip(labels, row, strict=True))
            for actual, row in zip(labels, case.input["matrix"], strict=True)
        }
        return ConfusionMatrix(matrix=counts)
    case.needs("actual", "predicted")
    return ConfusionMatrix(case.actual, case.predicted, sample_weight=case.weights)


def _of(values: Any, label: Any) -> Any:
    """PyCM turns some labels into text."""
    return values[label] if label in values else values[str(label)]


def _class(name: str, case: Case) -> Any:
    return _of(getattr(_matrix(case), name), case.needs("positive").positive)


def _all(name: str, case: Case) -> Any:
    return getattr(_matrix(case), name)


def _f_beta(case: Case) -> Any:
    return _of(_matrix(case).F_beta(case.question["beta"]), case.positive)


def _macro(name: str, case: Case, **options: Any) -> Any:
    return _matrix(case).average(name, **options)


def _weighted(name: str, case: Case, **options: Any) -> Any:
    return _matrix(case).weighted_average(name, **options)


def _micro(name: str, case: Case) -> Any:
    return getattr(_matrix(case), f"{name}_Micro")


def _area(case: Case) -> Any:
    score = case.needs("score").score
    both = [[1 - each, each] for each in score]
    made = ROCCurve(case.is_positive, probs=both, classes=[0, 1], sample_weight=case.weights)
    return made.area()[1]


_MACRO = {f"{name}_macro": partial(_macro, theirs) for name, theirs in _AVERAGED.items()}
_WEIGHTED = {f"{name}_weighted": partial(_weighted, theirs) for name, theirs in _AVERAGED.items()}

CALLS = {
    **{name: partial(_class, theirs) for name, theirs in _OF_CLASS.items()},
    **{name: partial(_all, theirs) for name, theirs in _OF_ALL.items()},
    **_MACRO,
    **_WEIGHTED,
    **{f"{name}_micro": partial(_micro, _AVERAGED[name]) for name in ("precision", "recall", "f1")},
    "balanced_accuracy": partial(_macro, "TPR"),
    "f_beta": _f_beta,
    "auc": _area,
}
REMEDIES = {
    name: [("none_omit=True", partial(call, none_omit=True))]
    for name, call in (_MACRO | _WEIGHTED | {"balanced_accuracy": partial(_macro, "TPR")}).items()
}
