"""Rows that count more or less than once."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from typing import Any

from making.decimals import of
from making.ranking import area, precision_steps
from making.writing import decimal, signed_root, undefined, vector

ABOUT = "Weights: fractions, zeros, and rows that stand for several."

ACTUAL = [1, 1, 1, 0, 0, 0]
PREDICTED = [1, 0, 1, 1, 0, 0]
SCORE = [0.875, 0.25, 0.75, 0.5, 0.25, 0.125]
WEIGHTS = [0.5, 2.0, 1.5, 0.25, 1.0, 3.0]
IGNORED = "The sample that was drawn is judged, not the population that it stands for."
ZERO = "A row of weight 0 is a row that is not there: it may not decide what is defined, tied or the largest."


def cells(weights: list[float]) -> tuple[Fraction, Fraction, Fraction, Fraction]:
    total = {(a, p): Fraction(0) for a in (0, 1) for p in (0, 1)}
    for a, p, w in zip(ACTUAL, PREDICTED, weights, strict=True):
        total[a, p] += Fraction(w)
    return total[1, 1], total[1, 0], total[0, 1], total[0, 0]


def made() -> Iterator[dict[str, Any]]:
    answers = {"actual": ACTUAL, "predicted": PREDICTED, "positive": 1, "weights": WEIGHTS}
    tp, fn, fp, tn = cells(WEIGHTS)
    n = tp + fn + fp + tn
    about = "Weights that are fractions."
    shares = {
        "accuracy": (tp + tn) / n,
        "precision": tp / (tp + fp),
        "recall": tp / (tp + fn),
        "balanced_accuracy": (tp / (tp + fn) + tn / (tn + fp)) / 2,
        "f1": 2 * tp / (2 * tp + fp + fn),
        "kappa": (n * (tp + tn) - (tp + fn) * (tp + fp) - (fp + tn) * (fn + tn))
        / (n * n - (tp + fn) * (tp + fp) - (fp + tn) * (fn + tn)),
    }
    for metric, answer in shares.items():
        yield vector(f"fractions/{metric}", about, IGNORED, answers, {"metric": metric}, answer)
    top = tp * tn - fp * fn
    root = signed_root(top * top / ((tp + fn) * (fp + tn) * (tp + fp) * (fn + tn)), 1 if top >= 0 else -1)
    yield vector("fractions/mcc", about, IGNORED, answers, {"metric": "mcc"}, root)
    yield from _scores()
    yield from _zeros()


def _scores() -> Iterator[dict[str, Any]]:
    given = {"actual": ACTUAL, "score": SCORE, "positive": 1, "weights": WEIGHTS}
    about = "Weights that are fractions, and a tie."
    rows = [(a, Fraction(s), Fraction(w)) for a, s, w in zip(ACTUAL, SCORE, WEIGHTS, strict=True)]
    total = sum((w for *_, w in rows), Fraction(0))
    brier = sum((w * (s - a) ** 2 for a, s, w in rows), Fraction(0)) / total
    own = [(s if a else 1 - s, w) for a, s, w in rows]
    loss = -sum((of(w) * of(s).ln() for s, w in own), Decimal(0)) / of(total)
    for metric, answer in (
        ("auc", area(rows)),
        ("average_precision", precision_steps(rows)),
        ("brier", brier),
        ("log_loss", decimal(loss, "the weighted mean of -ln(probability of the row's own class)")),
    ):
        yield vector(f"fractions/{metric}", about, IGNORED, given, {"metric": metric}, answer)


def _zeros() -> Iterator[dict[str, Any]]:
    about = "One row has weight 0."
    weights = [1, 1, 1, 0, 1, 1]
    given = {"actual": ACTUAL, "predicted": PREDICTED, "positive": 1, "weights": weights}
    yield vector("zero/precision", about, ZERO, given, {"metric": "precision"}, 1)
    about = "Every positive row has weight 0."
    weights = [0, 0, 0, 1, 1, 1]
    given = {"actual": ACTUAL, "predicted": PREDICTED, "positive": 1, "weights": weights}
    answer = undefined("no row is actually positive")
    others = {"counts as 0": "0", "counts as 1": "1"}
    yield vector("zero-class/recall", about, ZERO, given, {"metric": "recall"}, answer, others)
    given = {"actual": ACTUAL, "score": SCORE, "positive": 1, "weights": weights}
    others = {"counts as 0": "0", "counts as 1/2": "1/2"}
    yield vector("zero-class/auc", about, ZERO, given, {"metric": "auc"}, answer, others)
    about = "The row with the best score has weight 0."
    weights = [0, 1, 1, 1, 1, 1]
    given = {"actual": ACTUAL, "score": SCORE, "positive": 1, "weights": weights}
    rows = [(a, Fraction(s), Fraction(w)) for a, s, w in zip(ACTUAL, SCORE, weights, strict=True)]
    for metric, made_by in (("auc", area), ("average_precision", precision_steps)):
        yield vector(f"zero-first/{metric}", about, ZERO, given, {"metric": metric}, made_by(rows))
    about = "A weight of 3 for a row that was seen three times."
    weights = [1, 1, 3, 1, 2, 1]
    given = {"actual": ACTUAL, "predicted": PREDICTED, "positive": 1, "weights": weights}
    yield vector("repeated/accuracy", about, IGNORED, given, {"metric": "accuracy"}, Fraction(7, 9))
