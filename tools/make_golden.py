"""Make tests/golden/golden.json: label problems, and what other libraries say about them.

Run from anywhere: `python tools/make_golden.py`. Needs the dev group. Not one number in the file is ours.
A value is kept as its library gave it: "nan" is scikit-learn's undefined, "None" PyCM's.
"""

from __future__ import annotations

import json
import math
import platform
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import sklearn.metrics as sk
from pycm import ConfusionMatrix
from scipy import stats
from statsmodels.stats.contingency_tables import Table2x2
from statsmodels.stats.proportion import proportion_confint

TARGET = Path(__file__).parents[1] / "tests" / "golden" / "golden.json"
PEERS = ("numpy", "scikit-learn", "pycm", "scipy", "statsmodels")
LEVELS = (0.95, 0.99)
AVERAGES = ("macro", "micro", "weighted")

# Our name of a number: PyCM's.
PYCM_OVERALL = {
    "accuracy": "Overall_ACC",
    "kappa": "Kappa",
    "mcc": "Overall_MCC",
    "no_information_rate": "NIR",
    "error_rate": "HammingLoss",
}
PYCM_PER_CLASS = {
    "recall": "TPR",
    "specificity": "TNR",
    "precision": "PPV",
    "npv": "NPV",
    "fpr": "FPR",
    "fnr": "FNR",
    "fdr": "FDR",
    "false_omission_rate": "FOR",
    "f1": "F1",
    "f_beta:0.5": "F05",
    "f_beta:2": "F2",
    "mcc": "MCC",
    "jaccard": "J",
    "informedness": "BM",
    "markedness": "MK",
    "lr_plus": "PLR",
    "lr_minus": "NLR",
    "diagnostic_odds_ratio": "DOR",
    "g_mean": "GM",
    "prevalence": "PRE",
}


@dataclass(frozen=True)
class Problem:
    """Labels in the order they are declared; rows as positions in that list."""

    name: str
    labels: Sequence[Any]
    actual: Sequence[int]
    predicted: Sequence[int]

    @property
    def y_true(self) -> list[Any]:
        return [self.labels[code] for code in self.actual]

    @property
    def y_pred(self) -> list[Any]:
        return [self.labels[code] for code in self.predicted]

    @property
    def matrix(self) -> np.ndarray[Any, Any]:
        table = np.zeros((len(self.labels), len(self.labels)), int)
        np.add.at(table, (list(self.actual), list(self.predicted)), 1)
        return table


# --- the problems ------------------------------------------------------------------------------


def drawn(
    name: str,
    labels: Sequence[Any],
    rows: int,
    seed: int,
    *,
    skill: float = 0.7,
    shares: Sequence[float] | None = None,
    never: Sequence[int] = (),
) -> Problem:
    """Random rows; with chance `skill` the answer is right, else any class not in `never`."""
    random = np.random.default_rng(seed)
    size = len(labels)
    actual = random.choice(size, rows, p=None if shares is None else np.array(shares) / sum(shares))
    open_to = [position for position in range(size) if position not in never]
    guess = random.choice(open_to, rows)
    knows = (random.random(rows) < skill) & np.isin(actual, open_to)
    return Problem(name, labels, actual.tolist(), np.where(knows, actual, guess).tolist())


def counted(name: str, labels: Sequence[Any], matrix: Sequence[Sequence[int]]) -> Problem:
    """Rows that have exactly this confusion matrix."""
    pairs = [
        (actual, predicted)
        for actual, row in enumerate(matrix)
        for predicted, count in enumerate(row)
        for _ in range(count)
    ]
    return Problem(name, labels, [pair[0] for pair in pairs], [pair[1] for pair in pairs])


def problems() -> list[Problem]:
    three, five = ["cat", "dog", "owl"], ["a", "b", "c", "d", "e"]
    twelve = [f"month {number:02}" for number in range(1, 13)]
    numbers = list(range(12))
    return [
        drawn("2 classes, 5 rows", [0, 1], 5, 1),
        drawn("2 classes, 30 rows", ["no", "yes"], 30, 2),
        drawn("2 classes, 200 rows", [0, 1], 200, 3),
        drawn("2 classes, 2000 rows", ["ham", "spam"], 2000, 4),
        drawn("2 classes, labels -1 and 1", [-1, 1], 100, 5),
        drawn("2 classes, declared backwards", [1, 0], 100, 6),
        drawn("2 classes, coin", [0, 1], 400, 7, skill=0),
        drawn("2 classes, 1 % positive", [0, 1], 2000, 8, shares=[99, 1], skill=0.9),
        drawn("2 classes, 0.2 % positive", ["ok", "fraud"], 2000, 9, shares=[998, 2], skill=0.99),
        drawn("2 classes, 97 % positive", [0, 1], 500, 10, shares=[3, 97]),
        drawn("3 classes, 7 rows", three, 7, 11),
        drawn("3 classes, 50 rows", [1, 2, 3], 50, 12),
        drawn("3 classes, 600 rows", three, 600, 13, skill=0.9),
        drawn("3 classes, coin", three, 300, 14, skill=0),
        drawn("3 classes, declared in another order", ["owl", "cat", "dog"], 80, 15),
        drawn("3 classes, one rare", three, 1000, 16, shares=[70, 29, 1]),
        drawn("3 classes, one never predicted", three, 90, 17, never=[1]),
        drawn("5 classes, 12 rows", five, 12, 18),
        drawn("5 classes, 150 rows", [10, 20, 30, 300, 5000], 150, 19),
        drawn("5 classes, 2000 rows", five, 2000, 20, skill=0.5),
        drawn("5 classes, shares halving", five, 800, 21, shares=[16, 8, 4, 2, 1]),
        drawn("5 classes, two never predicted", five, 250, 22, never=[0, 4]),
        drawn("5 classes, two absent", five, 120, 23, shares=[1, 1, 1, 0, 0], never=[3, 4]),
        drawn("5 classes, one only predicted", five, 120, 24, shares=[1, 1, 1, 1, 0]),
        drawn("12 classes, 15 rows", numbers, 15, 25),
        drawn("12 classes, 300 rows", twelve, 300, 26),
        drawn("12 classes, 2000 rows", twelve, 2000, 27, skill=0.85),
        drawn("12 classes, shares falling", numbers, 900, 28, shares=[1 / (k + 1) ** 2 for k in range(12)]),
        drawn("12 classes, half never predicted", twelve, 240, 29, never=[1, 3, 5, 7, 9, 11]),
        counted("2 classes, perfect", [0, 1], [[30, 0], [0, 20]]),
        counted("2 classes, all wrong", ["no", "yes"], [[0, 12], [9, 0]]),
        counted("2 classes, always 0", [0, 1], [[45, 0], [5, 0]]),
        counted("2 classes, always 1", [0, 1], [[0, 45], [0, 5]]),
        counted("2 classes, one actual", ["no", "yes"], [[0, 0], [4, 11]]),
        counted("2 classes, one actual and always right", [0, 1], [[8, 0], [0, 0]]),
        counted("2 classes, one actual and always wrong", [0, 1], [[0, 8], [0, 0]]),
        counted("2 classes, no false alarm", [0, 1], [[60, 0], [7, 13]]),
        counted("2 classes, no miss", [0, 1], [[50, 10], [0, 20]]),
        counted("2 classes, no hit", [0, 1], [[80, 15], [5, 0]]),
        counted("2 classes, no true negative", [0, 1], [[0, 15], [5, 30]]),
        counted("2 classes, one row in each cell", ["n", "p"], [[1, 1], [1, 1]]),
        counted("3 classes, perfect", three, [[9, 0, 0], [0, 8, 0], [0, 0, 7]]),
        counted("3 classes, all wrong", three, [[0, 9, 0], [0, 0, 8], [7, 0, 0]]),
        counted("3 classes, always the first", three, [[20, 0, 0], [6, 0, 0], [4, 0, 0]]),
        counted("3 classes, always one that never occurs", three, [[0, 0, 20], [0, 0, 10], [0, 0, 0]]),
        counted("3 classes, one actual", three, [[0, 0, 0], [3, 5, 2], [0, 0, 0]]),
        counted("3 classes, two of them absent", three, [[0, 0, 0], [0, 6, 0], [0, 0, 0]]),
        counted("5 classes, one row each", five, np.roll(np.eye(5, dtype=int), 1, axis=1).tolist()),
    ]


# --- the peers ---------------------------------------------------------------------------------


def scikit_learn(problem: Problem) -> dict[str, Any]:
    y_true, y_pred, labels = problem.y_true, problem.y_pred, problem.labels
    values: dict[str, Any] = {
        "confusion": sk.confusion_matrix(y_true, y_pred, labels=labels).tolist(),
        "overall": {
            "accuracy": sk.accuracy_score(y_true, y_pred),
            "balanced_accuracy": sk.balanced_accuracy_score(y_true, y_pred),
            "error_rate": sk.zero_one_loss(y_true, y_pred),
            "mcc": sk.matthews_corrcoef(y_true, y_pred),
            "kappa": sk.cohen_kappa_score(y_true, y_pred, labels=labels),
        },
        "hamming_loss": sk.hamming_loss(y_true, y_pred),
        "per_class": class_scores(problem, None, math.nan),
        "per_class_by_default": class_scores(problem, None, "warn"),
        "averages": {average: class_scores(problem, average, math.nan) for average in AVERAGES},
        "averages_with_zeros": {average: class_scores(problem, average, 0) for average in AVERAGES},
    }
    if len(labels) == 2:
        plus, minus = sk.class_likelihood_ratios(y_true, y_pred, labels=labels)
        # The second label is scikit-learn's positive one.
        values["likelihood_ratios"] = {"lr_plus": plus, "lr_minus": minus}
    return values


def class_scores(problem: Problem, average: str | None, zero_division: Any) -> dict[str, Any]:
    def score(function: Callable[..., Any], **options: Any) -> Any:
        value = function(
            problem.y_true,
            problem.y_pred,
            labels=problem.labels,
            average=average,
            zero_division=zero_division,
            **options,
        )
        return value.tolist() if isinstance(value, np.ndarray) else float(value)

    scores = {
        "precision": score(sk.precision_score),
        "recall": score(sk.recall_score),
        "f1": score(sk.f1_score),
        "f_beta:0.5": score(sk.fbeta_score, beta=0.5),
        "f_beta:2": score(sk.fbeta_score, beta=2),
    }
    # jaccard_score takes no NaN for its zero_division.
    if not isinstance(zero_division, float):
        scores["jaccard"] = score(sk.jaccard_score)
    return scores


def pycm(problem: Problem) -> dict[str, Any]:
    names = [str(label) for label in problem.labels]
    rows = [dict(zip(names, row, strict=True)) for row in problem.matrix.tolist()]
    table = dict(zip(names, rows, strict=True))
    found = ConfusionMatrix(matrix=table)
    return {
        "overall": {ours: getattr(found, theirs) for ours, theirs in PYCM_OVERALL.items()},
        "per_class": {
            ours: [getattr(found, theirs)[name] for name in names] for ours, theirs in PYCM_PER_CLASS.items()
        },
    }


def two_by_two(problem: Problem) -> Iterable[tuple[int, int, int, int]]:
    """(tp, fn, fp, tn) of every class against the rest."""
    matrix = problem.matrix
    for position in range(len(matrix)):
        tp = matrix[position, position].item()
        fn, fp = matrix[position].sum().item() - tp, matrix[:, position].sum().item() - tp
        yield tp, fn, fp, matrix.sum().item() - tp - fn - fp


def wilson(successes: int, n: int, level: float) -> list[float] | None:
    if not n:
        return None
    return [float(end) for end in proportion_confint(successes, n, alpha=1 - level, method="wilson")]


def log_ratios(tp: float, fn: float, fp: float, tn: float, level: float) -> dict[str, list[float] | None]:
    """On the log scale; a relative risk of being called positive is LR+, of being left alone LR-."""
    names = ("diagnostic_odds_ratio", "lr_plus", "lr_minus")
    if tp + fn == 0 or fp + tn == 0:
        return dict.fromkeys(names)
    if 0 in (tp, fn, fp, tn):
        # Haldane (1956) moves all four cells; statsmodels documents that too but moves the empty ones only.
        tp, fn, fp, tn = tp + 0.5, fn + 0.5, fp + 0.5, tn + 0.5
    called, left = Table2x2([[tp, fn], [fp, tn]]), Table2x2([[fn, tp], [tn, fp]])
    found = (
        called.oddsratio_confint(1 - level),
        called.riskratio_confint(1 - level),
        left.riskratio_confint(1 - level),
    )
    return {name: [float(end) for end in pair] for name, pair in zip(names, found, strict=True)}


def statsmodels(problem: Problem, level: float) -> dict[str, Any]:
    """Intervals of every class; None where there is nothing to divide by."""
    classes = [
        {
            "recall": wilson(tp, tp + fn, level),
            "precision": wilson(tp, tp + fp, level),
            "fpr": wilson(fp, fp + tn, level),
            "npv": wilson(tn, tn + fn, level),
            "prevalence": wilson(tp + fn, tp + fn + fp + tn, level),
            **log_ratios(tp, fn, fp, tn, level),
        }
        for tp, fn, fp, tn in two_by_two(problem)
    ]
    return {name: [one[name] for one in classes] for name in classes[0]}


def scipy(problem: Problem, level: float) -> dict[str, Any]:
    right = int(np.trace(problem.matrix))
    found = stats.binomtest(right, len(problem.actual)).proportion_ci(level, method="wilson")
    return {"accuracy": [float(found.low), float(found.high)]}


def asked(problem: Problem) -> dict[str, Any]:
    return {
        "name": problem.name,
        "labels": problem.labels,
        "actual": problem.actual,
        "predicted": problem.predicted,
        "scikit-learn": scikit_learn(problem),
        "pycm": pycm(problem),
        "statsmodels": {str(level): statsmodels(problem, level) for level in LEVELS},
        "scipy": {str(level): scipy(problem, level) for level in LEVELS},
    }


def plain(value: Any) -> Any:
    """JSON has no NaN, so it is written as a word."""
    match value:
        case dict():
            return {name: plain(part) for name, part in value.items()}
        case list() | tuple():
            return [plain(part) for part in value]
        case float() if not math.isfinite(value):
            return str(float(value))
        case np.generic():
            return plain(value.item())
    return value


def main() -> None:
    # The peers warn of what is undefined; that is what the file is about.
    warnings.simplefilter("ignore")
    versions = {"python": platform.python_version()} | {name: version(name) for name in PEERS}
    content = {"made_by": "tools/make_golden.py", "versions": versions}
    lines = [json.dumps(plain(asked(problem)), allow_nan=False) for problem in problems()]
    body = ",\n".join(lines)
    head = json.dumps(content, indent=1).removesuffix("\n}")
    TARGET.write_text(f'{head},\n "problems": [\n{body}\n]}}\n', "utf-8")
    print(f"{TARGET.name}: {len(lines)} problems, {TARGET.stat().st_size} bytes")


if __name__ == "__main__":
    main()
