"""scikit-learn, with the defaults of its functions; where another option is the answer, it is a remedy."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from sklearn import metrics

from tallymark.conformance.case import Call, Case


def _rows(case: Case) -> tuple[list[Any], list[Any]]:
    """Actual and predicted; scores are cut as a user would, at or above the threshold."""
    if "threshold" in case.input:
        cut = case.input["threshold"]
        return case.is_positive, [int(each >= cut) for each in case.score]
    case.needs("actual", "predicted")
    return case.actual, case.predicted


def _of_answers(function: Any, case: Case, **options: Any) -> float:
    """Functions that are about all classes."""
    actual, predicted = _rows(case)
    return float(function(actual, predicted, sample_weight=case.weights, **options))


def _of_class(function: Any, case: Case, *, other: bool = False, **options: Any) -> float:
    """Functions that are about the positive class, or the other one; nothing is named that was not."""
    actual, predicted = _rows(case)
    if case.positive is not None:
        options["pos_label"] = case.negative if other else case.positive
    return float(function(actual, predicted, sample_weight=case.weights, **options))


def _average(function: Any, average: str, case: Case, **options: Any) -> float:
    if "actual_sets" in case.input:
        return _of_sets(function, case, average=average, **options)
    actual, predicted = _rows(case)
    return float(function(actual, predicted, labels=case.labels, average=average, **options))


def _of_sets(function: Any, case: Case, **options: Any) -> float:
    given = np.array(case.needs("actual_sets").indicators("actual")), np.array(case.indicators("predicted"))
    return float(function(*given, **options))


def _f_beta(case: Case, **options: Any) -> float:
    return _of_class(partial(metrics.fbeta_score, beta=case.question["beta"]), case, **options)


def _likelihood_ratio(at: int, case: Case, **options: Any) -> float:
    actual, predicted = _rows(case)
    labels = [case.negative, case.positive]
    return float(metrics.class_likelihood_ratios(actual, predicted, labels=labels, **options)[at])


def _of_score(function: Any, case: Case, **options: Any) -> float:
    return float(function(case.is_positive, case.needs("score").score, sample_weight=case.weights, **options))


def _partial(case: Case) -> float:
    return _of_score(metrics.roc_auc_score, case, max_fpr=case.question["max_fpr"])


def _ks(case: Case) -> float:
    fpr, tpr, _ = metrics.roc_curve(case.is_positive, case.needs("score").score)
    return float(np.abs(tpr - fpr).max())


def _columns(case: Case, in_order: bool) -> tuple[list[list[float]], list[Any]]:
    """Probabilities and their labels as they were stated, or in the order of the labels' code points."""
    labels, table = case.labels, case.probabilities
    at = sorted(range(len(labels)), key=labels.__getitem__) if in_order else range(len(labels))
    return [[row[each] for each in at] for row in table], [labels[each] for each in at]


def _log_loss(case: Case, in_order: bool = False) -> float:
    if "score" in case.input:
        return _of_score(metrics.log_loss, case)
    table, labels = _columns(case, in_order)
    return float(metrics.log_loss(case.actual, table, labels=labels))


def _brier(case: Case, **options: Any) -> float:
    if "score" in case.input:
        return _of_score(metrics.brier_score_loss, case, **options)
    return float(metrics.brier_score_loss(case.actual, case.probabilities, labels=case.labels, **options))


def _area_of_classes(how: str, average: str, case: Case) -> float:
    found = metrics.roc_auc_score(
        case.actual, case.probabilities, labels=case.labels, multi_class=how, average=average
    )
    return float(found)


def _top(case: Case, in_order: bool = False) -> float:
    table, labels = _columns(case, in_order)
    return float(
        metrics.top_k_accuracy_score(case.actual, np.array(table), k=case.question["k"], labels=labels)
    )


_CLASS: dict[str, Call] = {
    "precision": partial(_of_class, metrics.precision_score),
    "recall": partial(_of_class, metrics.recall_score),
    "specificity": partial(_of_class, metrics.recall_score, other=True),
    "npv": partial(_of_class, metrics.precision_score, other=True),
    "f1": partial(_of_class, metrics.f1_score),
    "f_beta": _f_beta,
    "jaccard": partial(_of_class, metrics.jaccard_score),
}
_AVERAGES: dict[str, Call] = {
    f"{name}_{average}": partial(_average, function, average)
    for name, function in (
        ("precision", metrics.precision_score),
        ("recall", metrics.recall_score),
        ("f1", metrics.f1_score),
        ("jaccard", metrics.jaccard_score),
    )
    for average in ("macro", "micro", "weighted")
}
_EXAMPLES: dict[str, Call] = {
    "accuracy_example": partial(_of_sets, metrics.jaccard_score, average="samples"),
    "precision_example": partial(_of_sets, metrics.precision_score, average="samples"),
    "recall_example": partial(_of_sets, metrics.recall_score, average="samples"),
    "f1_example": partial(_of_sets, metrics.f1_score, average="samples"),
}

CALLS = {
    **_CLASS,
    **_AVERAGES,
    **_EXAMPLES,
    "accuracy": partial(_of_answers, metrics.accuracy_score),
    "error_rate": partial(_of_answers, metrics.zero_one_loss),
    "balanced_accuracy": partial(_of_answers, metrics.balanced_accuracy_score),
    "mcc": partial(_of_answers, metrics.matthews_corrcoef),
    "kappa": partial(_of_answers, metrics.cohen_kappa_score),
    "lr_plus": partial(_likelihood_ratio, 0),
    "lr_minus": partial(_likelihood_ratio, 1),
    "subset_accuracy": partial(_of_sets, metrics.accuracy_score),
    "hamming_loss": partial(_of_sets, metrics.hamming_loss),
    "auc": partial(_of_score, metrics.roc_auc_score),
    "partial_auc_mcclish": _partial,
    "average_precision": partial(_of_score, metrics.average_precision_score),
    "ks": _ks,
    "log_loss": _log_loss,
    "brier": _brier,
    "auc_ovr_macro": partial(_area_of_classes, "ovr", "macro"),
    "auc_ovr_weighted": partial(_area_of_classes, "ovr", "weighted"),
    "auc_ovo_macro": partial(_area_of_classes, "ovo", "macro"),
    "auc_ovo_weighted": partial(_area_of_classes, "ovo", "weighted"),
    "top_k_accuracy": _top,
}

_SORTED = "columns in sorted order of the labels"
_NAN = "zero_division=np.nan"
REMEDIES = {
    **{name: [(_NAN, partial(call, zero_division=np.nan))] for name, call in (_CLASS | _AVERAGES).items()
       if not name.startswith("jaccard")},
    "log_loss": [(_SORTED, partial(_log_loss, in_order=True))],
    "top_k_accuracy": [(_SORTED, partial(_top, in_order=True))],
    **{name: [("zero_division=1", partial(call, zero_division=1))] for name, call in _EXAMPLES.items()},
}  # fmt: skip
