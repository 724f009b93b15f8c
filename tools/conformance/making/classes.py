"""Several classes: averages, absent classes, agreement."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from making.writing import Answer, exact, ratio, signed_root, undefined, vector

ABOUT = "Several classes: averages and what absent classes do to them, agreement, degenerate tables."

Matrix = list[list[int]]
NEITHER = "no class has a value"


def _of_class(matrix: Matrix, at: int) -> tuple[int, int, int]:
    hits = matrix[at][at]
    return hits, sum(matrix[at]) - hits, sum(row[at] for row in matrix) - hits


def _value(metric: str, tp: int, fn: int, fp: int) -> Fraction | None:
    top, bottom = {
        "precision": (tp, tp + fp),
        "recall": (tp, tp + fn),
        "f1": (2 * tp, 2 * tp + fp + fn),
        "jaccard": (tp, tp + fp + fn),
    }[metric]
    return Fraction(top, bottom) if bottom else None


def average(matrix: Matrix, metric: str, kind: str, undefined_as: int | None = None) -> Answer:
    """Over the classes that have a value, or over all with the others counted as something."""
    classes = [_of_class(matrix, at) for at in range(len(matrix))]
    if kind == "micro":
        value = _value(metric, *(sum(each) for each in zip(*classes, strict=True)))
        return undefined("there are no rows") if value is None else exact(value)
    values = [_value(metric, *cells) for cells in classes]
    weights = [1 if kind == "macro" else tp + fn for tp, fn, _ in classes]
    if undefined_as is not None:
        values = [Fraction(undefined_as) if value is None else value for value in values]
    known = [(value, weight) for value, weight in zip(values, weights, strict=True) if value is not None]
    return ratio(sum((v * w for v, w in known), Fraction(0)), sum(w for _, w in known), NEITHER)


def f_of_means(matrix: Matrix) -> Fraction:
    """Not the mean of the F values, but the F value of the mean precision and the mean recall."""
    precision, recall = (Fraction(average(matrix, each, "macro", 0)) for each in ("precision", "recall"))
    return 2 * precision * recall / (precision + recall)


def mcc(matrix: Matrix) -> Answer:
    n, actual = sum(map(sum, matrix)), [sum(row) for row in matrix]
    predicted = [sum(column) for column in zip(*matrix, strict=True)]
    top = n * sum(matrix[at][at] for at in range(len(matrix))) - sum(
        a * p for a, p in zip(actual, predicted, strict=True)
    )
    spread = [n * n - sum(each * each for each in side) for side in (actual, predicted)]
    if not spread[0]:
        return undefined("every row is of the same class")
    if not spread[1]:
        return undefined("every row got the same answer")
    return signed_root(Fraction(top * top, spread[0] * spread[1]), 1 if top >= 0 else -1)


def kappa(matrix: Matrix) -> Answer:
    n = sum(map(sum, matrix))
    pairs = zip(
        (sum(row) for row in matrix), (sum(column) for column in zip(*matrix, strict=True)), strict=True
    )
    chance = sum(a * p for a, p in pairs)
    right = sum(matrix[at][at] for at in range(len(matrix)))
    return ratio(n * right - chance, n * n - chance, "every row is of one class and got that answer")


def balanced(matrix: Matrix) -> Answer:
    recalls = [Fraction(row[at], sum(row)) for at, row in enumerate(matrix) if sum(row)]
    return exact(sum(recalls, Fraction(0)) / len(recalls))


PLAIN: Matrix = [[5, 1, 0], [2, 3, 1], [0, 1, 7]]
NO_ROW: Matrix = [[4, 1, 0], [1, 2, 0], [0, 0, 0]]
NEVER_CALLED: Matrix = [[4, 1, 0], [1, 3, 0], [1, 2, 0]]
ONLY_CALLED: Matrix = [[3, 1, 1], [0, 4, 1], [0, 0, 0]]
DECLARED = (
    "A class that is declared and has no row lowers the mean: labels decide about the score, not answers."
)
SKIPPED = "Left out or counted as 0, this class moves the mean far: which it is must be said."
WHY_PLAIN = (
    "Whoever differs here means another thing by this name, so figures of two papers cannot be compared."
)

CASES: list[tuple[str, Matrix, str, str, tuple[str, ...], tuple[str, ...]]] = [
    ("in-no-row", NO_ROW, "The third class is in labels, and in no row.", DECLARED,
     ("precision", "recall", "f1"), ("macro", "weighted")),
    ("never-called", NEVER_CALLED, "The third class has rows and is never predicted.", SKIPPED,
     ("precision", "f1"), ("macro", "weighted")),
    ("only-called", ONLY_CALLED, "The third class is predicted and has no row.", SKIPPED,
     ("recall", "f1"), ("macro", "weighted")),
]  # fmt: skip


def given(matrix: Matrix) -> dict[str, Any]:
    return {"labels": list(range(len(matrix))), "matrix": matrix}


def made() -> Iterator[dict[str, Any]]:
    yield from _averages()
    yield from _agreement()


def _averages() -> Iterator[dict[str, Any]]:
    for metric in ("precision", "recall", "f1", "jaccard"):
        for kind in ("macro", "micro", "weighted"):
            about = f"The {kind} average over three classes that all occur."
            others = {"F of the mean precision and recall": f_of_means(PLAIN)} if (metric, kind) == (
                "f1", "macro") else {}  # fmt: skip
            why = WHY_PLAIN
            if others:
                why = (
                    "Two definitions carry this name and can rank two models the other way round (Opitz and "
                )
                why += "Burst 2019)."
            question = {"metric": metric, "average": kind}
            answer = average(PLAIN, metric, kind)
            yield vector(f"plain/{metric}_{kind}", about, why, given(PLAIN), question, answer, others)
    for name, matrix, about, why, metrics, kinds in CASES:
        for metric in metrics:
            for kind in kinds:
                answer, as_zero = average(matrix, metric, kind), average(matrix, metric, kind, 0)
                others: dict[str, Answer] = {"undefined as 0": as_zero} if as_zero != answer else {}
                if metric != "f1" or name == "in-no-row":
                    others["left undefined"] = undefined("a class has no value")
                if metric == "f1" and kind == "macro":
                    others["F of the mean precision and recall"] = exact(f_of_means(matrix))
                question = {"metric": metric, "average": kind}
                yield vector(f"{name}/{metric}_{kind}", about, why, given(matrix), question, answer, others)


AGREEMENT: list[tuple[str, Matrix, str, str, tuple[str, ...]]] = [
    ("plain", PLAIN, "Three classes that all occur.", WHY_PLAIN, ("mcc", "kappa", "balanced_accuracy")),
    ("one-answer", [[0, 4, 0], [0, 5, 0], [0, 3, 0]], "Every row got the same answer.",
     "0 reads as measured to be no better than chance; a correlation with a constant does not exist.",
     ("mcc", "kappa", "balanced_accuracy")),
    ("one-class", [[0, 0, 0], [2, 5, 1], [0, 0, 0]], "Every row is of the same class.",
     "A fold with one class pulls the mean over folds towards 0.", ("mcc", "kappa", "balanced_accuracy")),
    ("one-cell", [[0, 0, 0], [0, 6, 0], [0, 0, 0]], "Every row is of one class and got that answer: 0 / 0.",
     "Perfect agreement is reported as none, or as perfect, and neither was measured.", ("mcc", "kappa")),
    ("perfect", [[3, 0, 0], [0, 1, 0], [0, 0, 2]], "Every row is right.",
     "A perfect table must give exactly 1.", ("mcc", "kappa")),
    ("turned", [[0, 3, 0], [0, 0, 3], [3, 0, 0]], "Every row is wrong, the classes being turned around.",
     "Where three classes occur neither reaches -1: on a scale from -1 to 1 the worst model looks half bad.",
     ("mcc", "kappa")),
    ("absent", NO_ROW, "The third class is in labels, and in no row.",
     "The mean of the recalls is over classes that occur; an absent one must not count as missed.",
     ("balanced_accuracy", "mcc", "kappa")),
    ("only-called", ONLY_CALLED, "The third class is predicted and has no row.",
     "Balanced accuracy is about classes that occur; a stray answer is an error, not a class.",
     ("balanced_accuracy", "mcc", "kappa")),
]  # fmt: skip


def _agreement() -> Iterator[dict[str, Any]]:
    made_by = {"mcc": mcc, "kappa": kappa, "balanced_accuracy": balanced}
    for name, matrix, about, why, metrics in AGREEMENT:
        for metric in metrics:
            answer = made_by[metric](matrix)
            others: dict[str, Answer] = {}
            if isinstance(answer, dict) and "undefined" in answer:
                others = {"counts as 0": "0", "counts as 1": "1"}
            elif metric == "balanced_accuracy" and name in ("absent", "only-called", "one-class"):
                every = [Fraction(row[at], sum(row) or 1) for at, row in enumerate(matrix)]
                others = {
                    "absent as 0": exact(sum(every, Fraction(0)) / len(every)),
                    "left undefined": undefined("a class has no rows"),
                }
            yield vector(f"{name}/{metric}", about, why, given(matrix), {"metric": metric}, answer, others)
