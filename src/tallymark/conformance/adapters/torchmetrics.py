"""torchmetrics, through its functions; scores go in with double precision."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import torch
import torchmetrics.functional.classification as theirs

from tallymark.conformance.case import Call, Case, NotOffered


def _codes(values: list[Any]) -> Any:
    """Labels as they are; it takes whole numbers from 0 up."""
    if any(isinstance(each, str) or each != int(each) or each < 0 for each in values):
        raise NotOffered("takes whole numbers from 0 up as labels")
    return torch.tensor(values)


def _is_binary(case: Case) -> bool:
    return sorted(case.labels) == [0, 1]


def _sides(case: Case) -> tuple[Any, Any]:
    """Answers (or scores, which it cuts) and truth, of two classes of which 1 is positive."""
    case.unweighted()
    if not _is_binary(case):
        raise NotOffered("takes 0 and 1 as labels of two classes")
    if case.positive not in (None, 1):
        raise NotOffered("takes 1 as the positive class")
    if "score" in case.input:
        return torch.tensor(case.score, dtype=torch.float64), _codes(case.actual).long()
    case.needs("actual", "predicted")
    return _codes(case.predicted), _codes(case.actual)


def _binary(function: Any, case: Case, **options: Any) -> float:
    given = _sides(case)
    if "threshold" in case.input:
        options["threshold"] = case.input["threshold"]
    return float(function(*given, **options))


def _answers(name: str, case: Case) -> float:
    """Metrics of answers that it has for two classes and for several."""
    if _is_binary(case):
        return _binary(getattr(theirs, f"binary_{name}"), case)
    return _classes(getattr(theirs, f"multiclass_{name}"), case)


def _classes(function: Any, case: Case, **options: Any) -> float:
    case.unweighted().needs("actual", "predicted")
    given = _codes(case.predicted), _codes(case.actual)
    return float(function(*given, num_classes=len(case.labels), **options))


def _averaged(name: str, average: str, case: Case, **options: Any) -> float:
    if "actual_sets" in case.input:
        return _sets(getattr(theirs, f"multilabel_{name}"), case, average=average, **options)
    return _classes(getattr(theirs, f"multiclass_{name}"), case, average=average, **options)


def _sets(function: Any, case: Case, **options: Any) -> float:
    case.needs("actual_sets")
    sides = (torch.tensor(case.indicators(side)) for side in ("predicted", "actual"))
    # To look at each row by itself it wants a third dimension.
    given = [side.unsqueeze(-1) if "multidim_average" in options else side for side in sides]
    return float(function(*given, num_labels=len(case.labels), **options).double().mean())


def _example(name: str, case: Case, **options: Any) -> float:
    function = getattr(theirs, f"multilabel_{name}")
    return _sets(function, case, average="micro", multidim_average="samplewise", **options)


def _f_beta(case: Case) -> float:
    return _binary(theirs.binary_fbeta_score, case, beta=case.question["beta"])


def _score(function: Any, case: Case, **options: Any) -> float:
    return float(function(*_sides(case.needs("score")), **options))


def _partial(case: Case) -> float:
    return _score(theirs.binary_auroc, case, max_fpr=case.question["max_fpr"])


def _table(case: Case) -> tuple[Any, Any]:
    case.needs("probabilities")
    return torch.tensor(case.probabilities, dtype=torch.float64), _codes(case.actual)


def _area(average: str, case: Case) -> float:
    return float(theirs.multiclass_auroc(*_table(case), num_classes=len(case.labels), average=average))


def _top(case: Case) -> float:
    top = {"num_classes": len(case.labels), "top_k": case.question["k"], "average": "micro"}
    given = _table(case)
    if max(case.actual) >= len(case.labels):
        raise NotOffered("takes whole numbers from 0 up as labels")
    return float(theirs.multiclass_accuracy(*given, **top))


def _ece(case: Case) -> float:
    bins = {"n_bins": case.question["n_bins"], "norm": "l1"}
    if "score" in case.input:
        return _score(theirs.binary_calibration_error, case, **bins)
    given = _table(case)
    return float(theirs.multiclass_calibration_error(*given, num_classes=len(case.labels), **bins))


def _balanced(case: Case) -> float:
    return _classes(theirs.multiclass_accuracy, case, average="macro")


_CLASS: dict[str, Call] = {
    "precision": partial(_binary, theirs.binary_precision),
    "recall": partial(_binary, theirs.binary_recall),
    "npv": partial(_binary, theirs.binary_negative_predictive_value),
    "f1": partial(_binary, theirs.binary_f1_score),
    "jaccard": partial(_binary, theirs.binary_jaccard_index),
}
_AVERAGES: dict[str, Call] = {
    f"{name}_{average}": partial(_averaged, function, average)
    for name, function in (
        ("precision", "precision"),
        ("recall", "recall"),
        ("f1", "f1_score"),
        ("jaccard", "jaccard_index"),
    )
    for average in ("macro", "micro", "weighted")
}
_EXAMPLES: dict[str, Call] = {
    "precision_example": partial(_example, "precision"),
    "recall_example": partial(_example, "recall"),
    "f1_example": partial(_example, "f1_score"),
}

CALLS = {
    **_CLASS,
    **_AVERAGES,
    **_EXAMPLES,
    "accuracy": partial(_binary, theirs.binary_accuracy),
    "balanced_accuracy": _balanced,
    "specificity": partial(_binary, theirs.binary_specificity),
    "error_rate": partial(_binary, theirs.binary_hamming_distance),
    "f_beta": _f_beta,
    "mcc": partial(_answers, "matthews_corrcoef"),
    "kappa": partial(_answers, "cohen_kappa"),
    "subset_accuracy": partial(_sets, theirs.multilabel_exact_match),
    "hamming_loss": partial(_sets, theirs.multilabel_hamming_distance),
    "auc": partial(_score, theirs.binary_auroc),
    "partial_auc_mcclish": _partial,
    "average_precision": partial(_score, theirs.binary_average_precision),
    "ece": _ece,
    "auc_ovr_macro": partial(_area, "macro"),
    "auc_ovr_weighted": partial(_area, "weighted"),
    "top_k_accuracy": _top,
}
REMEDIES = {
    **{name: [("zero_division=nan", partial(call, zero_division=math.nan))]
       for name, call in (_CLASS | _AVERAGES).items()},
    **{name: [("zero_division=1", partial(call, zero_division=1))] for name, call in _EXAMPLES.items()},
}  # fmt: skip
