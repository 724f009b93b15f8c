"""mlxtend.evaluate: scores of two classes, McNemar's test and Cochran's."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from mlxtend import evaluate

from tallymark.conformance.case import Case, NotOffered

_SCORING = {
    "error_rate": "error",
    "precision": "precision",
    "recall": "recall",
    "specificity": "specificity",
    "fpr": "false_positive_rate",
    "f1": "f1",
    "mcc": "matthews_corr_coef",
}


def _scored(metric: str, case: Case) -> Any:
    case.unweighted().needs("actual", "predicted")
    if metric != "error" and len(case.labels) > 2:
        raise NotOffered("takes two classes")
    named = {} if case.positive is None else {"positive_label": case.positive}
    return evaluate.scoring(np.array(case.actual), np.array(case.predicted), metric=metric, **named)


def _accuracy(method: str, case: Case) -> Any:
    case.unweighted().needs("actual", "predicted")
    return evaluate.accuracy_score(np.array(case.actual), np.array(case.predicted), method=method)


def _mcnemar(case: Case) -> Any:
    method, give = case.question["method"], case.question["give"]
    if method == "mid_p":
        raise NotOffered("no mid-p")
    table = np.array([[0, case.input["n01"]], [case.input["n10"], 0]])
    chi2, p = evaluate.mcnemar(table, corrected=method == "corrected", exact=method == "exact")
    return chi2 if give == "statistic" else p


def _cochran(case: Case) -> Any:
    correct = np.array(case.input["correct"])
    q, p = evaluate.cochrans_q(np.ones(len(correct), int), *correct.T)
    return q if case.question["give"] == "statistic" else p


CALLS = {
    **{name: partial(_scored, metric) for name, metric in _SCORING.items()},
    "accuracy": partial(_accuracy, "standard"),
    "balanced_accuracy": partial(_accuracy, "balanced"),
    "mcnemar": _mcnemar,
    "cochran_q": _cochran,
}
